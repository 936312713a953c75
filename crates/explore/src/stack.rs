//! Threads with stack space for deep recursion, and memory without false sharing.

use crate::heap::prepare_heap;
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

/// Reserved address space: only pages in use consume memory.
const STACK: usize = 256 << 20;

/// Spawns a thread in the scope; `None` if the system provides none.
pub(crate) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    let thread = Builder::new().name("explorer".to_owned()).stack_size(STACK);
    let work = || {
        prepare_heap();
        work()
    };
    thread.spawn_scoped(scope, work).ok()
}

/// Runs the work on a thread of its own or, if none is available, on this one.
pub(crate) fn on_large_stack<T: Send>(work: &mut (dyn FnMut() -> T + Send)) -> T {
    let done = thread::scope(|scope| spawn(scope, &mut *work).map(ScopedJoinHandle::join));
    match done {
        Some(Ok(result)) => result,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        None => work(),
    }
}

/// A vector whose last cache line is not shared with other allocations. Without this, two threads that write to small
/// vectors of their own run at half the speed.
pub(crate) fn apart<T: Clone>(value: T, length: usize) -> Vec<T> {
    let mut vector = Vec::with_capacity(length + 128);
    vector.resize(length, value);
    vector
}
