//! Random systems against brute force: every engine, alone, against exploration of all small sizes.

use crate::confirmation::{Batch, Opinion, cvc5};
use crate::engine::{Answer, Claim, ENGINES, ERROR, Effort, answer};
use crate::generate::random_system;
use crate::isolation::{Ended, apart, isolated};
use crate::minimise::minimise_lines;
use crate::oracle::{self, Truth, explore_sizes};
use crate::random::Dice;
use crate::source::Source;
use crate::tally::Run;
use abstraction::cegar::Engine;
use std::time::Duration;

/// An engine may take so long for one system.
pub const ALLOWED: Duration = Duration::from_secs(10);
/// States in which the system is compared with the instance.
const COMPARED: usize = 150;

/// How much is spent on one model.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// On each engine.
    pub allowed: Duration,
    pub oracle: oracle::Effort,
    /// Engines run in a process of their own, which can be ended whatever it is busy with.
    pub apart: bool,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            allowed: ALLOWED,
            oracle: oracle::Effort::default(),
            apart: false,
        }
    }
}

pub fn run(run: &mut Run, allowed: Duration) {
    let plan = Plan {
        allowed,
        ..Plan::default()
    };
    let mut batch = Batch::new();
    for case in 0..run.count {
        run.tried += 1;
        let source = random_system(Dice::new(run.seed, case));
        try_source(run, &source, &format!("systems-{}-{case}", run.seed), &mut batch, &plan);
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
pub fn try_source(run: &mut Run, source: &Source, name: &str, batch: &mut Batch<String>, plan: &Plan) {
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
    let truth = explore_sizes(source, plan.oracle);
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
        let answer = match ask(source, *engine, plan) {
            Ended::Well(answer) => answer,
            Ended::Panicked => {
                let small = minimise(source, &mut |source| {
                    matches!(ask(source, *engine, plan), Ended::Panicked)
                });
                run.failure(&file, &format!("{engine_name}: panic"), small.as_bytes());
                continue;
            }
            Ended::Hung => {
                run.failure(&file, &format!("{engine_name}: hangs"), source.text.as_bytes());
                continue;
            }
        };
        run.add(&format!("{engine_name}: {}", answer.claim.word()), 1);
        if answer.discovery {
            run.add(&format!("{engine_name}: {} with discovery", answer.claim.word()), 1);
        }
        if let Claim::Unknown(reason) = &answer.claim {
            run.add(&format!("{engine_name}: unknown because {}", short(reason)), 1);
        }
        if let Some(wrong) = verdict_on(&answer.claim, source, &truth) {
            let small = minimise(source, &mut |source| is_wrong(source, *engine, plan));
            run.failure(&file, &format!("{engine_name}: {wrong}"), small.as_bytes());
        } else if let Claim::Proved(Ok(certificate)) = answer.claim {
            batch.add(format!("{name}-{engine_name}"), certificate);
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

fn is_wrong(source: &Source, engine: Engine, plan: &Plan) -> bool {
    let truth = explore_sizes(source, plan.oracle);
    match ask(source, engine, plan) {
        Ended::Well(answer) => verdict_on(&answer.claim, source, &truth).is_some(),
        Ended::Panicked | Ended::Hung => false,
    }
}

/// What an engine says of a model.
pub fn ask(source: &Source, engine: Engine, plan: &Plan) -> Ended<Answer> {
    if plan.apart {
        return apart(source, engine, plan.allowed);
    }
    let source = source.clone();
    isolated(plan.allowed, move |interrupt| match source.system() {
        Ok(system) => answer(&system, &Effort::new(engine, interrupt)),
        Err(_) => Answer::unknown("not lowered"),
    })
}

/// Why a claim cannot be, if it cannot.
pub fn verdict_on(claim: &Claim, source: &Source, truth: &Truth) -> Option<String> {
    match (claim, &truth.violated) {
        (Claim::Proved(_), Some((size, message))) => Some(format!("proved, but with {size} elements: {message}")),
        (Claim::Proved(Err(error)), None) => Some(format!("proved, but there is no certificate: {error}")),
        (Claim::Refuted(property), None) if !has_larger_run(source, truth) => {
            Some(format!("refuted ({property}), but there is no run"))
        }
        (Claim::Unknown(reason), _) if reason.starts_with(ERROR) => Some(reason.clone()),
        _ => None,
    }
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
