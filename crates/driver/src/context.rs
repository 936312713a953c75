//! What all parts of a piece of work share: whom to ask, when to stop, whom to tell.

use crate::event::{Event, Observer, Silent};
use logic::{Cancellation, Turn};
use smt::{Solvers, Statistics};
use std::sync::Arc;
use std::time::Instant;

/// Clones are for parts of the same work.
#[derive(Clone)]
pub struct Context<'c> {
    /// Where solvers come from, what counts their checks, and what ends the work: Ctrl-C, the time limit, an answer
    /// from elsewhere.
    pub solvers: Solvers,
    /// When the time is over. Whoever sets it also sees to the cancellation.
    pub deadline: Option<Instant>,
    pub observer: &'c dyn Observer,
    /// How many threads may work at once.
    pub jobs: usize,
}

/// Why work ended before its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    Interrupted,
    OutOfTime,
}

impl Context<'static> {
    /// One thread, without a time limit, and nothing is told: for tests and the fuzzer.
    pub fn silent(solvers: Solvers) -> Context<'static> {
        Context {
            solvers,
            deadline: None,
            observer: &Silent,
            jobs: 1,
        }
    }
}

impl Context<'_> {
    /// The same for one of several that work at once: it can be ended alone, and its checks are counted by
    /// themselves, too.
    pub(crate) fn part(&self) -> Self {
        let statistics = Arc::new(Statistics::part_of(self.solvers.statistics()));
        Context {
            solvers: self.solvers.counting(&statistics).under(&self.cancellation().child()),
            ..self.clone()
        }
    }

    /// The same for one of several that take turns.
    pub(crate) fn with_turn(&self, turn: Option<Turn>) -> Self {
        Context {
            solvers: self.solvers.under(&self.cancellation().with_turn(turn)),
            ..self.clone()
        }
    }

    /// The same, where checks are not counted: how many there are is a matter of time.
    pub(crate) fn uncounted(&self) -> Self {
        Context {
            solvers: self.solvers.counting(&Arc::default()),
            ..self.clone()
        }
    }

    pub(crate) fn cancellation(&self) -> &Cancellation {
        self.solvers.cancellation()
    }

    pub(crate) fn statistics(&self) -> &Arc<Statistics> {
        self.solvers.statistics()
    }

    pub(crate) fn tell(&self, event: Event) {
        self.observer.event(&event);
    }

    /// Whether the work was ended, and by what.
    pub fn stopped(&self) -> Option<Stopped> {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        match (is_late, self.cancellation().is_cancelled()) {
            (true, _) => Some(Stopped::OutOfTime),
            (false, true) => Some(Stopped::Interrupted),
            (false, false) => None,
        }
    }
}
