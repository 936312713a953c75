//! What all parts of a piece of work share: when to stop, whom to tell, what is counted.

use crate::event::{Event, Observer};
use logic::Cancellation;
use smt::{Statistics, Z3Options};
use std::sync::Arc;
use std::time::Instant;

/// Clones are for parts of the same work.
#[derive(Clone)]
pub struct Context<'c> {
    /// Whoever cancels it ends the work: Ctrl-C, the time limit, an answer from elsewhere.
    pub cancellation: Cancellation,
    /// When the time is over. Whoever sets it also sees to the cancellation.
    pub deadline: Option<Instant>,
    pub observer: &'c dyn Observer,
    pub statistics: Arc<Statistics>,
    /// How many threads may work at once.
    pub jobs: usize,
    /// Where the solver's random choices start from.
    pub seed: u32,
}

/// Why work ended before its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    Interrupted,
    OutOfTime,
}

impl Context<'_> {
    /// The same for one of several that work at once: its checks are counted by themselves, too.
    pub(crate) fn part(&self) -> Self {
        Context {
            statistics: Arc::new(Statistics::part_of(&self.statistics)),
            ..self.clone()
        }
    }

    /// The same for a part that can be ended alone.
    pub(crate) fn under(&self, cancellation: &Cancellation) -> Self {
        Context {
            cancellation: cancellation.clone(),
            ..self.clone()
        }
    }

    pub(crate) fn solver(&self) -> Z3Options {
        Z3Options {
            seed: self.seed,
            cancellation: self.cancellation.clone(),
            ..Z3Options::default()
        }
    }

    pub(crate) fn tell(&self, event: Event) {
        self.observer.event(&event);
    }

    /// Whether the work was ended, and by what.
    pub fn stopped(&self) -> Option<Stopped> {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        match (is_late, self.cancellation.is_cancelled()) {
            (true, _) => Some(Stopped::OutOfTime),
            (false, true) => Some(Stopped::Interrupted),
            (false, false) => None,
        }
    }
}
