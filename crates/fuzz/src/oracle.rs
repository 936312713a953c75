//! The truth about a model, as far as exploring small instances reveals it.

use crate::source::{Sizes, Source};
use explore::{Deadlock, FaultKind, SearchOptions, SearchVerdict, SilentObserver, ViolationKind};
use logic::Cancellation;
use std::time::Duration;

/// Limits of the exploration.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationLimits {
    /// The maximum size of each parametric type.
    pub largest: i64,
    pub states: u64,
    pub time: Duration,
}

impl Default for ExplorationLimits {
    fn default() -> ExplorationLimits {
        ExplorationLimits {
            largest: 5,
            states: 60_000,
            time: Duration::from_secs(2),
        }
    }
}

/// The result of exploring all sizes.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// The smallest size (of unequal ones, the largest type counts) with a violation that a proof covers, and the
    /// violation.
    pub violated: Option<(i64, String)>,
    /// A violation that proofs do not cover: a read of an undefined value, which is arbitrary in a proof, or a limit of
    /// the explorer.
    pub beside_the_point: bool,
    /// The largest size up to which all states of all sizes were explored.
    pub complete_up_to: i64,
}

pub fn explore_sizes(source: &Source, effort: ExplorationLimits) -> Truth {
    let mut truth = Truth::default();
    // A parametric type with literals in the source has a minimum size.
    let all = source.sizes(effort.largest).unwrap_or_default();
    let with_size = all
        .into_iter()
        .filter_map(|sizes| Some((source.instance_of(sizes.clone()).ok()?, sizes)));
    for (instance, sizes) in with_size {
        let size = sizes.values().max().copied().unwrap_or(effort.largest);
        let options = SearchOptions {
            deadlock: Deadlock::Off,
            symmetry: size > 3,
            max_states: Some(effort.states),
            time_limit: Some(effort.time),
            traces: false,
            ..SearchOptions::default()
        };
        let outcome = explore::explore(&instance, &options, &Cancellation::new(), &mut SilentObserver);
        match outcome.verdict {
            SearchVerdict::Ok if are_equal(&sizes) && truth.complete_up_to == size - 1 => truth.complete_up_to = size,
            SearchVerdict::Ok | SearchVerdict::Incomplete(_) => {}
            SearchVerdict::Violation(violation) => {
                if is_beside_the_point(violation.kind) {
                    truth.beside_the_point = true;
                } else {
                    let unequal = if are_equal(&sizes) {
                        String::new()
                    } else {
                        format!(" (sizes {sizes:?})")
                    };
                    truth.violated = Some((size, format!("{}{unequal}", violation.message)));
                    return truth;
                }
            }
        }
    }
    truth
}

/// Whether proofs do not cover such a violation.
pub fn is_beside_the_point(kind: ViolationKind) -> bool {
    matches!(
        kind,
        ViolationKind::Fault(
            FaultKind::UndefinedRead
                | FaultKind::Overflow
                | FaultKind::LoopLimit
                | FaultKind::RecursionLimit
                | FaultKind::NoResult
                | FaultKind::Malformed
        ) | ViolationKind::Uncovered { .. }
            | ViolationKind::Deadlock
    )
}

fn are_equal(sizes: &Sizes) -> bool {
    let mut values = sizes.values();
    let first = values.next();
    values.all(|value| Some(value) == first)
}
