//! The explorer on instances written by hand and made at random.

// A test may stop where it stands, and the reference is one long match by intention.
#![allow(clippy::unwrap_used, clippy::panic, clippy::too_many_lines)]

mod build;
mod code;
mod faults;
mod models;
mod priorities;
mod random;
mod reference;
mod search;
mod symmetry;
mod tools;

use explore::{Deadlock, SearchOptions, SearchOutcome, SearchVerdict, SilentObserver, Violation, confirm, explore};
use logic::Cancellation;
use system::instance::Instance;

/// Without symmetry and deadlocks unless the test turns them on.
fn plain() -> SearchOptions {
    SearchOptions {
        symmetry: false,
        deadlock: Deadlock::Off,
        ..SearchOptions::default()
    }
}

fn run(instance: &Instance, options: &SearchOptions) -> SearchOutcome {
    let outcome = explore(instance, options, &Cancellation::new(), &mut SilentObserver);
    // Whatever is found is a run by the other interpreter, too.
    let first = match &outcome.verdict {
        SearchVerdict::Violation(violation) => Some(&**violation),
        _ => None,
    };
    for violation in first.into_iter().chain(&outcome.further) {
        if violation.trace.is_some() {
            assert!(confirm(instance, violation).is_ok(), "{violation:?}");
        }
    }
    outcome
}

fn counts(outcome: &SearchOutcome) -> (u64, u64) {
    (outcome.statistics.states, outcome.statistics.rules_fired)
}

fn violation(outcome: &SearchOutcome) -> &Violation {
    match &outcome.verdict {
        SearchVerdict::Violation(violation) => violation,
        other => panic!("expected a violation, not {other:?}"),
    }
}
