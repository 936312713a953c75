//! Work on a thread of its own, which can be told to stop.

use super::Task;
use super::prove::stoppable;
use crate::supervise::STACK;
use anyhow::Context as _;
use smt::{Interrupt, Z3Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    cancelled: Arc<AtomicBool>,
}

impl<'scope, T: Send + 'scope> Lane<'scope, T> {
    /// Begins work that ends with the time limit, at Ctrl-C, when it is stopped, and at another interrupt.
    pub(super) fn start(
        scope: &'scope Scope<'scope, '_>,
        task: &'scope Task,
        outer: &Interrupt,
        work: impl FnOnce(&Z3Options) -> T + Send + 'scope,
    ) -> anyhow::Result<Lane<'scope, T>> {
        let cancelled = Arc::new(AtomicBool::new(false));
        let (flag, outer) = (Arc::clone(&cancelled), outer.clone());
        let is_over = move || flag.load(Ordering::Relaxed) || outer.is_triggered();
        let thread = Builder::new()
            .name("lane".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, move || stoppable(task.limits, task.control, &is_over, work))
            .context("cannot start a thread")?;
        Ok(Lane { thread, cancelled })
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
        self.cancelled.store(true, Ordering::Relaxed);
        self.result();
    }
}
