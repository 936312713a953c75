//! The explorer on hand-written and random instances.

// Tests may panic, and the reference is intentionally one long match.
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

/// Without symmetry and deadlocks unless the test enables them.
fn plain() -> SearchOptions {
    SearchOptions {
        symmetry: false,
        deadlock: Deadlock::Off,
        ..SearchOptions::default()
    }
}

fn run(instance: &Instance, options: &SearchOptions) -> SearchOutcome {
    let outcome = explore(instance, options, &Cancellation::new(), &mut SilentObserver);
    // The plain interpreter confirms every violation.
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
