//! The explorer on instances written by hand and made at random.

// A test may stop where it stands, and the reference is one long match by intention.
#![allow(clippy::unwrap_used, clippy::panic, clippy::too_many_lines)]

mod build;
mod faults;
mod models;
mod random;
mod reference;
mod search;
mod symmetry;
mod tools;

use explore::{Deadlock, Options, Outcome, Silent, Verdict, Violation, explore};
use std::sync::atomic::AtomicBool;
use system::instance::Instance;

/// Without symmetry and deadlocks unless the test turns them on.
fn plain() -> Options {
    Options {
        symmetry: false,
        deadlock: Deadlock::Off,
        ..Options::default()
    }
}

fn run(instance: &Instance, options: &Options) -> Outcome {
    explore(instance, options, &AtomicBool::new(false), &mut Silent)
}

fn counts(outcome: &Outcome) -> (u64, u64) {
    (outcome.statistics.states, outcome.statistics.rules_fired)
}

fn violation(outcome: &Outcome) -> &Violation {
    match &outcome.verdict {
        Verdict::Violation(violation) => violation,
        other => panic!("expected a violation, not {other:?}"),
    }
}
