//! Counting checks by what they are for: the figures that the papers report.

use crate::solver::Answer;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a check is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Purpose {
    /// Computing or refining an abstraction.
    Abstraction,
    /// Testing whether an abstract trace is real.
    Trace,
    /// Finding predicates.
    Discovery,
    /// Testing whether a step of an abstract run is one of the program.
    Constrain,
    /// Bounded search for violations.
    Bounded,
    /// Counterexamples to induction, for people.
    Induction,
    /// Proving a certificate again.
    Validation,
    Other,
}

impl Purpose {
    pub const ALL: [Purpose; 8] = [
        Purpose::Abstraction,
        Purpose::Trace,
        Purpose::Discovery,
        Purpose::Constrain,
        Purpose::Bounded,
        Purpose::Induction,
        Purpose::Validation,
        Purpose::Other,
    ];
}

/// Counters that all solvers of a run share, across threads.
#[derive(Debug, Default)]
pub struct Statistics {
    checks: [AtomicU64; Purpose::ALL.len()],
    unknown: AtomicU64,
    errors: AtomicU64,
    /// Wall-clock time of the checks of all threads.
    nanoseconds: AtomicU64,
    /// Counts the same checks, among others.
    whole: Option<Arc<Statistics>>,
}

impl Statistics {
    /// Counters for a part of what another counts: each check is counted by both.
    pub fn part_of(whole: &Arc<Statistics>) -> Statistics {
        Statistics {
            whole: Some(Arc::clone(whole)),
            ..Statistics::default()
        }
    }

    /// The number of checks for the purpose, with any answer.
    pub fn checks(&self, purpose: Purpose) -> u64 {
        self.checks[purpose as usize].load(Ordering::Relaxed)
    }

    pub fn total(&self) -> u64 {
        Purpose::ALL.iter().map(|purpose| self.checks(*purpose)).sum()
    }

    /// How many checks were answered by `unknown`.
    pub fn unknown(&self) -> u64 {
        self.unknown.load(Ordering::Relaxed)
    }

    /// How many checks ended in an error.
    pub fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Wall-clock time of the checks of all threads.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    pub(crate) fn count<E>(&self, purpose: Purpose, outcome: &Result<Answer, E>, time: Duration) {
        if let Some(whole) = &self.whole {
            whole.count(purpose, outcome, time);
        }
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        self.checks[purpose as usize].fetch_add(1, Ordering::Relaxed);
        match outcome {
            Ok(Answer::Sat | Answer::Unsat) => {}
            Ok(Answer::Unknown(_)) => {
                self.unknown.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => {
                self.errors.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_and_the_whole_count_the_same_checks() {
        let whole = Arc::new(Statistics::default());
        let parts = [(); 2].map(|()| Statistics::part_of(&whole));
        let answer: Result<Answer, ()> = Ok(Answer::Sat);
        let time = Duration::from_millis(3);
        parts[0].count(Purpose::Trace, &answer, time);
        parts[1].count(Purpose::Trace, &answer, time);
        parts[1].count(Purpose::Other, &Err(()), time);
        whole.count(Purpose::Other, &answer, time);
        assert_eq!(parts.each_ref().map(Statistics::total), [1, 2]);
        assert_eq!(parts[1].errors(), 1);
        assert_eq!((whole.checks(Purpose::Trace), whole.total(), whole.errors()), (2, 4, 1));
        assert_eq!((parts[1].time(), whole.time()), (2 * time, 4 * time));
    }
}
