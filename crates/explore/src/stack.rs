//! Threads with room for deep recursion of the model's functions, and memory that they do not fight for.

use crate::heap::prepare_heap;
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

/// Only what is used of it takes memory.
const STACK: usize = 256 << 20;

/// A thread of the scope; `None` where the system gives us none.
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

/// Does the work on a thread of its own, or, where there is none to be had, on this one.
pub(crate) fn on_large_stack<T: Send>(work: &mut (dyn FnMut() -> T + Send)) -> T {
    let done = thread::scope(|scope| spawn(scope, &mut *work).map(ScopedJoinHandle::join));
    match done {
        Some(Ok(result)) => result,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        None => work(),
    }
}

/// A vector behind whose end no other begins in the same cache line. Without it two threads that write to small
/// vectors of their own run at half the speed.
pub(crate) fn apart<T: Clone>(value: T, length: usize) -> Vec<T> {
    let mut vector = Vec::with_capacity(length + 128);
    vector.resize(length, value);
    vector
}
