//! What the harness found once, and must not find again. The first line of each model says what is true of it.

#![allow(clippy::unwrap_used)]

use explore::{Deadlock, Options, Silent};
use fuzz::confirmation::{Batch, Opinion, cvc5};
use fuzz::engine::{Claim, ENGINES};
use fuzz::isolation::Ended;
use fuzz::oracle::{Effort, explore_sizes};
use fuzz::source::Source;
use fuzz::systems::{ask, verdict_on};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[test]
fn what_was_wrong_is_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let mut certificates = Batch::new();
    let wrong = paths.iter().filter_map(|path| what_is_wrong(path, &mut certificates));
    let mut wrong: Vec<String> = wrong.collect();
    if let Some(cvc5) = cvc5() {
        let judged = certificates.confirm(&cvc5).into_iter();
        let bad = judged.filter(|(.., opinion)| matches!(opinion, Opinion::Refuted(_) | Opinion::Rejected(_)));
        wrong.extend(bad.map(|(name, _, opinion)| format!("{name}: certificate {opinion:?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The first thing that is wrong with what is said of a model.
fn what_is_wrong(path: &Path, certificates: &mut Batch<String>) -> Option<String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let is_safe = text.starts_with("-- safe;") || text.starts_with("(* safe;");
    let is_unsafe = text.starts_with("-- unsafe;") || text.starts_with("(* unsafe;");
    let source = Source::new(name.as_str(), text);
    assert!(is_safe || is_unsafe, "{name} does not say what it is");
    match source.agreement(2, 1000) {
        Ok(Ok(())) => {}
        Ok(Err(difference)) => return Some(format!("{name}: {difference}")),
        Err(refused) => return Some(format!("{name}: {}", refused.0)),
    }
    let truth = explore_sizes(&source, Effort::default());
    if truth.violated.is_some() != is_unsafe {
        return Some(format!("{name}: exploration says {truth:?}"));
    }
    for (engine_name, engine) in ENGINES {
        let Ended::Well(answer) = ask(&source, *engine, Duration::from_secs(1), false) else {
            return Some(format!("{name}: {engine_name} panics or hangs"));
        };
        let fits = match answer.claim {
            Claim::Proved(_) => is_safe,
            Claim::Refuted(_) => is_unsafe,
            Claim::Unknown(_) => true,
        };
        if let Some(wrong) = verdict_on(&answer.claim, &source, &truth) {
            return Some(format!("{name}: {engine_name}: {wrong}"));
        } else if !fits {
            return Some(format!("{name}: {engine_name} says {}", answer.claim.word()));
        }
        if let Claim::Proved(Ok(text)) = answer.claim {
            certificates.add(format!("{name}: {engine_name}"), text);
        }
    }
    None
}

/// With one thread an initial state that violates something was at depth 1, and not counted as an initial one.
#[test]
fn a_violation_in_an_initial_state_is_counted_the_same_by_any_number_of_threads() {
    let text = "var x: boolean; startstate havoc x; end; rule x := !x; end; invariant \"off\" !x;";
    let instance = Source::new("off.m", text).instance(1).unwrap();
    let counts = |jobs: usize| {
        let options = Options {
            deadlock: Deadlock::Off,
            jobs,
            ..Options::default()
        };
        let outcome = explore::explore(&instance, &options, &AtomicBool::new(false), &mut Silent);
        let statistics = outcome.statistics;
        (statistics.states, statistics.starts, statistics.max_depth)
    };
    assert_eq!(counts(1), counts(4));
    assert_eq!(counts(1).2, 0);
}
