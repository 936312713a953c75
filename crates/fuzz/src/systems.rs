//! Random systems against brute force: every engine, alone, against exploration of all small sizes.

use crate::confirmation::{Batch, Opinion, cvc5};
use crate::engine::{Claim, ENGINES, Effort, claim};
use crate::generate::random_system;
use crate::isolation::{Ended, isolated};
use crate::minimise::minimise_lines;
use crate::oracle::{self, Truth, explore_sizes};
use crate::random::Dice;
use crate::source::Source;
use crate::tally::Run;
use abstraction::cegar::Engine;
use smt::Purpose;
use std::time::Duration;

/// An engine may take so long for one system.
const ALLOWED: Duration = Duration::from_secs(10);
/// States in which the system is compared with the instance.
const COMPARED: usize = 150;

/// What one engine did with one model.
pub struct Judged {
    pub claim: Claim,
    pub certificate: Option<String>,
    /// Whether predicates had to be found.
    pub discovery: bool,
    /// Why it is wrong.
    pub wrong: Option<String>,
}

pub fn run(run: &mut Run) {
    let mut batch = Batch::new();
    for case in 0..run.count {
        run.tried += 1;
        let source = random_system(Dice::new(run.seed, case));
        try_source(
            run,
            &source,
            &format!("systems-{}-{case}", run.seed),
            &mut batch,
            ALLOWED,
        );
        if batch.is_full() {
            confirm(run, &mut batch);
        }
        if case % 500 == 499 {
            let line = format!("{} systems, {} wrong: {:?}", case + 1, run.wrong.len(), run.counts);
            run.tell(&line);
        }
    }
    confirm(run, &mut batch);
}

/// Has every engine judge a model, and looks at what it claims.
pub fn try_source(run: &mut Run, source: &Source, name: &str, batch: &mut Batch<String>, allowed: Duration) {
    let file = format!("{name}.{}", if source.is_murphi() { "m" } else { "cub" });
    if let Err(refused) = source.system() {
        run.add("not lowered", 1);
        run.tell(&format!("{name}: {}", refused.0.lines().next().unwrap_or_default()));
        return;
    }
    if let Ok(Err(difference)) = source.agreement(2, COMPARED) {
        let small = minimise(source, &mut |source| {
            matches!(source.agreement(2, COMPARED), Ok(Err(_)))
        });
        run.failure(
            &file,
            &format!("instance and system differ: {difference}"),
            small.as_bytes(),
        );
        return;
    }
    let truth = explore_sizes(source, oracle::Effort::default());
    run.add(
        if truth.violated.is_some() {
            "unsafe"
        } else {
            "not known to be unsafe"
        },
        1,
    );
    for (engine_name, engine) in ENGINES {
        run.add(&format!("{engine_name}: tried"), 1);
        match judge(source, *engine, &truth, allowed) {
            Ended::Panicked => {
                let small = minimise(source, &mut |source| {
                    matches!(judge(source, *engine, &truth, allowed), Ended::Panicked)
                });
                run.failure(&file, &format!("{engine_name}: panic"), small.as_bytes());
            }
            Ended::Hung => run.failure(&file, &format!("{engine_name}: hangs"), source.text.as_bytes()),
            Ended::Well(judged) => {
                run.add(&format!("{engine_name}: {}", judged.claim.word()), 1);
                if judged.discovery {
                    run.add(&format!("{engine_name}: {} with discovery", judged.claim.word()), 1);
                }
                if let Claim::Unknown(reason) = &judged.claim {
                    run.add(&format!("{engine_name}: unknown because {}", short(reason)), 1);
                }
                if let Some(wrong) = judged.wrong {
                    let small = minimise(source, &mut |source| is_wrong(source, *engine, allowed));
                    run.failure(&file, &format!("{engine_name}: {wrong}"), small.as_bytes());
                } else if let Some(certificate) = judged.certificate {
                    batch.add(format!("{name}-{engine_name}"), certificate);
                }
            }
        }
    }
}

fn short(reason: &str) -> &str {
    reason.split(['(', ':']).next().unwrap_or(reason).trim()
}

fn minimise(source: &Source, fails: &mut dyn FnMut(&Source) -> bool) -> String {
    minimise_lines(&source.text, 400, &mut |text| {
        let smaller = Source::new(source.name.as_str(), text);
        smaller.system().is_ok() && fails(&smaller)
    })
}

fn is_wrong(source: &Source, engine: Engine, allowed: Duration) -> bool {
    let truth = explore_sizes(source, oracle::Effort::default());
    matches!(
        judge(source, engine, &truth, allowed),
        Ended::Well(Judged { wrong: Some(_), .. })
    )
}

/// What an engine claims of a model, and whether that can be.
pub fn judge(source: &Source, engine: Engine, truth: &Truth, allowed: Duration) -> Ended<Judged> {
    let (source, truth) = (source.clone(), truth.clone());
    isolated(allowed, move |interrupt| {
        let Ok(system) = source.system() else {
            return Judged {
                claim: Claim::Unknown("not lowered".to_owned()),
                certificate: None,
                discovery: false,
                wrong: None,
            };
        };
        let effort = Effort::new(engine, interrupt);
        let claim = claim(&system, &effort);
        let mut certificate = None;
        let wrong = match (&claim, &truth.violated) {
            (Claim::Proved(_), Some((size, message))) => Some(format!("proved, but with {size} elements: {message}")),
            (Claim::Proved(proof), None) => match validate::certificate_text(&system, proof, &[]) {
                Ok(text) => {
                    certificate = Some(text);
                    None
                }
                Err(error) => Some(format!("proved, but there is no certificate: {error}")),
            },
            (Claim::Refuted(property), None) if !has_larger_run(&source, &truth) => {
                Some(format!("refuted ({property}), but there is no run"))
            }
            (Claim::Refuted(_), _) | (Claim::Unknown(_), _) => None,
        };
        Judged {
            claim,
            certificate,
            discovery: effort.statistics.checks(Purpose::Discovery) > 0,
            wrong,
        }
    })
}

/// Whether larger instances have a violation, or cannot be searched.
fn has_larger_run(source: &Source, truth: &Truth) -> bool {
    let effort = oracle::Effort {
        largest: 6,
        states: 300_000,
        time: Duration::from_secs(5),
    };
    let larger = explore_sizes(source, effort);
    larger.violated.is_some() || larger.complete_up_to < 5 || truth.beside_the_point
}

/// Sends the waiting certificates to cvc5.
pub fn confirm(run: &mut Run, batch: &mut Batch<String>) {
    let Some(solver) = cvc5() else {
        run.tell("cvc5 is not installed (`make setup`): certificates are not confirmed");
        return;
    };
    for (name, text, opinion) in batch.confirm(&solver) {
        run.add("certificates", 1);
        match opinion {
            Opinion::Confirmed => run.add("certificates confirmed", 1),
            Opinion::Open(_) => {
                run.add("certificates left open", 1);
                run.tell(&format!("{name}: left open"));
            }
            Opinion::Refuted(query) => run.failure(
                &format!("{name}.smt2"),
                &format!("certificate refuted: {query}"),
                text.as_bytes(),
            ),
            Opinion::Rejected(error) => run.failure(
                &format!("{name}.smt2"),
                &format!("certificate rejected: {error}"),
                text.as_bytes(),
            ),
        }
    }
}
