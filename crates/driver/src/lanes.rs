//! Work on a thread of its own, which can be told to stop.

use crate::error::{Error, Result};
use logic::Cancellation;
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

/// How often it is looked whether work is over.
const PERIOD: Duration = Duration::from_millis(2);
/// Deep recursion over syntax trees is capped by the parsers, at a depth that fits in here many times.
pub const STACK: usize = 256 << 20;

pub(crate) struct Lane<'scope, T> {
    thread: ScopedJoinHandle<'scope, T>,
    cancellation: Cancellation,
}

impl<'scope, T: Send + 'scope> Lane<'scope, T> {
    /// Begins work that listens to this token, with its first turn where it takes turns.
    pub(crate) fn start(
        scope: &'scope Scope<'scope, '_>,
        cancellation: &Cancellation,
        work: impl FnOnce() -> T + Send + 'scope,
    ) -> Result<Lane<'scope, T>> {
        let own = cancellation.clone();
        let begin = move || {
            own.count_states(0);
            work()
        };
        let thread = Builder::new()
            .name("lane".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, begin)
            .map_err(Error::io("cannot start a thread"))?;
        Ok(Lane {
            thread,
            cancellation: cancellation.clone(),
        })
    }

    pub(crate) fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for what comes of it.
    pub(crate) fn result(self) -> T {
        self.thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Ends it; whatever comes of it is not wanted any more.
    pub(crate) fn stop(self) {
        self.cancellation.cancel();
        self.result();
    }
}

/// A moment, before it is looked again whether some work is over.
pub(crate) fn wait() {
    std::thread::sleep(PERIOD);
}
