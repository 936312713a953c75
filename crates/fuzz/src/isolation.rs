//! Each case runs on a thread of its own: a panic or a hang is a finding, and the run goes on.

use smt::Interrupt;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// As large as the program's own (`app/src/supervise.rs`).
const STACK: usize = 256 << 20;

/// How a case ended.
pub enum Ended<T> {
    Well(T),
    /// The message of the panic is on standard error.
    Panicked,
    /// The thread is left behind.
    Hung,
}

/// Runs `case` for as long as `allowed`; then it is asked to stop by its interrupt, and given up after as long again.
pub fn isolated<T: Send + 'static>(allowed: Duration, case: impl FnOnce(&Interrupt) -> T + Send + 'static) -> Ended<T> {
    let interrupt = Interrupt::new();
    let (sender, receiver) = channel();
    let inner = interrupt.clone();
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let _ = sender.send(case(&inner));
    });
    if spawned.is_err() {
        return Ended::Hung;
    }
    match receiver.recv_timeout(allowed) {
        Ok(result) => return Ended::Well(result),
        Err(RecvTimeoutError::Disconnected) => return Ended::Panicked,
        Err(RecvTimeoutError::Timeout) => interrupt.trigger(),
    }
    match receiver.recv_timeout(allowed.max(Duration::from_secs(10))) {
        Ok(result) => Ended::Well(result),
        Err(RecvTimeoutError::Disconnected) => Ended::Panicked,
        Err(RecvTimeoutError::Timeout) => Ended::Hung,
    }
}
