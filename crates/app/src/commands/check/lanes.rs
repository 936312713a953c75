//! Work on a thread of its own, which can be told to stop.

use super::Task;
use crate::supervise::STACK;
use anyhow::Context as _;
use logic::Cancellation;
use smt::Z3Options;
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// How often it is looked whether work is over.
pub(super) const PERIOD: Duration = Duration::from_millis(2);

/// How many threads may work at once: as the user says, or as many as the machine has cores.
pub(super) fn allowed(task: &Task) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    task.arguments.jobs.unwrap_or_else(cores)
}

pub(super) struct Lane<'scope, T> {
    thread: ScopedJoinHandle<'scope, T>,
    cancellation: Cancellation,
}

impl<'scope, T: Send + 'scope> Lane<'scope, T> {
    /// Begins work that ends when it is stopped, or with the work that it is part of.
    pub(super) fn start(
        scope: &'scope Scope<'scope, '_>,
        outer: &Cancellation,
        work: impl FnOnce(&Z3Options) -> T + Send + 'scope,
    ) -> anyhow::Result<Lane<'scope, T>> {
        let cancellation = outer.child();
        let options = Z3Options {
            cancellation: cancellation.clone(),
            ..Z3Options::default()
        };
        let thread = Builder::new()
            .name("lane".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, move || work(&options))
            .context("cannot start a thread")?;
        Ok(Lane { thread, cancellation })
    }

    pub(super) fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// Whether it is over, waiting so long for it at most.
    pub(super) fn is_over_within(&self, time: Duration) -> bool {
        let started = Instant::now();
        while !self.is_over() && started.elapsed() < time {
            std::thread::sleep(PERIOD);
        }
        self.is_over()
    }

    /// Waits for what comes of it.
    pub(super) fn result(self) -> T {
        self.thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Ends it; whatever comes of it is not wanted any more.
    pub(super) fn stop(self) {
        self.cancellation.cancel();
        self.result();
    }
}
