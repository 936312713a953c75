//! Fault injection: for every k, the k-th check of a proof answers unknown, times out or reports an error; the
//! confirming solver dies after k answers; the text of a query is corrupted.
//!
//! A verdict may only become unknown. If the engine finds another proof or refutation nevertheless, which a less
//! precise abstraction may well do, it must agree with the verdict without the fault.

use crate::confirmation::{cvc5, root};
use crate::engine::{Claim, ENGINES, ERROR, Engine, EngineOptions, claim};
use crate::generate::random_system;
use crate::isolation::{Ended, isolated};
use crate::source::Source;
use crate::tally::Campaign;
use logic::Cancellation;
use smt::{Fault, SharedFault, SolverCommand, run_script};
use std::time::Duration;
use validate::{Limits, confirm_text, parse_certificate};

const ALLOWED: Duration = Duration::from_secs(10);
/// Proofs with more checks are skipped: each is repeated for each check and kind of fault.
const CHECKS: u64 = 300;
/// Models of the project that are quickly decided, in addition to random ones.
const MODELS: [&str; 3] = ["good-bad", "good-bad-bug", "counter"];

/// Tests `count` models.
pub fn run(run: &mut Campaign) {
    for case in run.cases() {
        let dice = run.begin(case);
        let source = match MODELS.get(case as usize) {
            Some(name) => model(name),
            None => Some(random_system(dice)),
        };
        let Some(source) = source else { continue };
        for (engine_name, engine) in ENGINES {
            let name = format!("{}-{engine_name}", run.name());
            let Some((without, checks)) = with_fault(&source, engine, None) else {
                continue;
            };
            if checks > CHECKS {
                run.add("proofs with too many checks", 1);
                continue;
            }
            run.add("proofs", 1);
            for fault in [Fault::Unknown, Fault::Timeout, Fault::Error] {
                for failing in 1..=checks {
                    inject(run, &name, &source, engine, &without, (fault, failing));
                }
            }
            if let Claim::Proved(Ok(text)) = &without {
                dying_solvers(run, &name, text);
                corrupted_queries(run, &name, text);
            }
        }
    }
}

fn model(name: &str) -> Option<Source> {
    let path = root().join(format!("models/{name}.m"));
    Some(Source::new(format!("{name}.m"), std::fs::read_to_string(path).ok()?))
}

/// The engine's claim and its number of checks.
fn with_fault(source: &Source, engine: Engine, fault: Option<SharedFault>) -> Option<(Claim, u64)> {
    let source = source.clone();
    let ended = isolated(ALLOWED, move |cancellation| {
        let mut effort = EngineOptions::new(engine, cancellation);
        if let Some(fault) = fault {
            effort.solvers = effort.solvers.failing(fault);
        }
        (claim(&source, &effort), effort.solvers.statistics().total())
    });
    match ended {
        Ended::Well(result) => Some(result),
        Ended::Panicked | Ended::Hung => None,
    }
}

fn inject(
    run: &mut Campaign,
    name: &str,
    source: &Source,
    engine: Engine,
    without: &Claim,
    (fault, failing): (Fault, u64),
) {
    run.tried += 1;
    let what = format!("{fault:?} at check {failing}");
    let wrong = match with_fault(source, engine, Some(SharedFault::new(fault, failing))) {
        None => Some("it panics or hangs".to_owned()),
        Some((claim, _)) => {
            run.add(&format!("{} became {}", without.word(), claim.word()), 1);
            let turned = matches!(
                (without, &claim),
                (Claim::Proved(_), Claim::Refuted(_)) | (Claim::Refuted(_), Claim::Proved(_))
            );
            match claim {
                // Unknown is no error.
                Claim::Unknown(reason) if fault != Fault::Error && reason.starts_with(ERROR) => Some(reason),
                _ => turned.then(|| format!("{} became {}", without.word(), claim.word())),
            }
        }
    };
    if let Some(wrong) = wrong {
        run.failure(
            &format!("{name}.m"),
            &format!("{what}: {wrong}"),
            source.text.as_bytes(),
        );
    }
}

/// Solvers that are killed after some of their answers must not confirm anything.
fn dying_solvers(run: &mut Campaign, name: &str, text: &str) {
    let (Some(cvc5), Ok(certificate)) = (cvc5(), parse_certificate(text)) else {
        return;
    };
    // A few suffice: each starts a process.
    for answers in [0, 1, certificate.queries.len() - 1] {
        let program = cvc5.program.display();
        let command = format!(
            "'{program}' {} | head -n {answers}; kill -9 $$",
            cvc5.arguments.join(" ")
        );
        let solver = SolverCommand {
            program: "sh".into(),
            arguments: vec!["-c".to_owned(), command],
        };
        run.tried += 1;
        let confirmed = confirm_text(text, &solver, Limits::default(), &Cancellation::new());
        if confirmed.is_ok_and(|report| report.is_confirmed()) {
            let what = format!("confirmed by a solver that was killed after {answers} answers");
            run.failure(&format!("{name}.smt2"), &what, text.as_bytes());
        } else {
            run.add("killed solvers confirmed nothing", 1);
        }
    }
}

/// Text that is not SMT-LIB is an error for every solver.
fn corrupted_queries(run: &mut Campaign, name: &str, text: &str) {
    let Ok(certificate) = parse_certificate(text) else {
        return;
    };
    let z3 = SolverCommand::new(root().join("third-party/solvers/bin/z3"));
    let script = |assertion: &str| format!("{}{assertion}\n(check-sat)\n", certificate.prelude);
    let corrupted = [
        script("(assert no_such_symbol)"),
        script("(assert (and true 1))"),
        script("(assert true))"),
        script("(assert (= true)"),
        script("(assrt true)"),
    ];
    for solver in cvc5().into_iter().chain([z3]) {
        for script in &corrupted {
            run.tried += 1;
            match run_script(&solver, script, Some(Duration::from_secs(10)), &Cancellation::new()) {
                Err(_) => run.add("corrupted queries are errors", 1),
                Ok(answers) => {
                    let what = format!("{} answers {answers:?} to a corrupted query", solver.program.display());
                    run.failure(&format!("{name}.smt2"), &what, script.as_bytes());
                }
            }
        }
    }
}
