//! Stopping long-running work from another thread.

use crate::turns::{CHECK, Turn};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

/// How long to wait before stopping running work once more: the first signal may have arrived before it listened.
const PATIENCE: Duration = Duration::from_millis(5);

/// A cancellation token that all long-running work checks: solvers, searches, decision diagrams, front ends.
/// Cancellation is permanent. Clones share one token; a child is cancelled with its parent, or alone. Work that shares
/// a core with other work reports its progress here and waits for its next turn.
#[derive(Clone, Default)]
pub struct Cancellation {
    shared: Arc<Shared>,
    turn: Option<Turn>,
}

#[derive(Default)]
struct Shared {
    cancelled: AtomicBool,
    listeners: Mutex<Listeners>,
}

#[derive(Default)]
struct Listeners {
    last: u64,
    /// Callbacks that stop work which does not poll the token itself.
    stops: BTreeMap<u64, Box<dyn Fn() + Send>>,
    children: Vec<Weak<Shared>>,
}

impl Cancellation {
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// The same token for work that takes turns.
    pub fn with_turn(&self, turn: Option<Turn>) -> Cancellation {
        Cancellation {
            shared: Arc::clone(&self.shared),
            turn,
        }
    }

    pub fn turn(&self) -> Option<&Turn> {
        self.turn.as_ref()
    }

    /// Reports that a search has visited this many more states.
    pub fn count_states(&self, states: u64) {
        if let Some(turn) = &self.turn {
            turn.worked(states, &|| self.is_cancelled());
        }
    }

    /// Reports that a solver has answered a query.
    pub fn count_check(&self) {
        self.count_states(CHECK);
    }

    /// Yields the rest of the turn. False if the work does not take turns.
    pub fn yield_turn(&self) -> bool {
        self.turn
            .iter()
            .for_each(|turn| turn.yield_turn(&|| self.is_cancelled()));
        self.turn.is_some()
    }

    /// A token for a part of the work.
    pub fn child(&self) -> Cancellation {
        let child = Cancellation::new().with_turn(self.turn.clone());
        let mut listeners = self.shared.listeners();
        listeners.children.retain(|child| child.strong_count() > 0);
        listeners.children.push(Arc::downgrade(&child.shared));
        drop(listeners);
        // If `cancel` ran before the child was registered, the check below sees it; a later call finds the child.
        if self.is_cancelled() {
            child.cancel();
        }
        child
    }

    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// Stops all registered work and returns at once. A solver check that is about to begin stops a moment later.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::SeqCst);
        let children: Vec<Weak<Shared>> = self.shared.listeners().children.clone();
        for shared in children.iter().filter_map(Weak::upgrade) {
            Cancellation { shared, turn: None }.cancel();
        }
        if self.shared.stop_all() {
            let shared = Arc::clone(&self.shared);
            std::thread::spawn(move || {
                while shared.stop_all() {
                    std::thread::sleep(PATIENCE);
                }
            });
        }
    }

    /// Runs `work`, which `stop` can interrupt; `stop` is never called before or after. `None` if already cancelled.
    pub fn while_running<R>(&self, stop: Box<dyn Fn() + Send>, work: impl FnOnce() -> R) -> Option<R> {
        let registration = Registration::new(self, stop);
        // This order misses nothing: the check sees a cancellation before this line, and a later one finds the
        // registration.
        if self.is_cancelled() {
            return None;
        }
        let result = work();
        drop(registration);
        Some(result)
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancellation")
            .field("cancelled", &self.is_cancelled())
            .finish()
    }
}

impl Shared {
    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        self.listeners.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// False if nothing is running.
    fn stop_all(&self) -> bool {
        let listeners = self.listeners();
        listeners.stops.values().for_each(|stop| stop());
        !listeners.stops.is_empty()
    }
}

/// Removes the work from the list on drop, even after a panic.
struct Registration<'a> {
    cancellation: &'a Cancellation,
    number: u64,
}

impl Registration<'_> {
    fn new(cancellation: &Cancellation, stop: Box<dyn Fn() + Send>) -> Registration<'_> {
        let mut listeners = cancellation.shared.listeners();
        listeners.last += 1;
        let number = listeners.last;
        listeners.stops.insert(number, stop);
        Registration { cancellation, number }
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.cancellation.shared.listeners().stops.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn running_work_is_stopped_and_later_work_does_not_start() {
        let parent = Cancellation::new();
        let child = parent.child();
        let (stop, stopped) = mpsc::channel();
        let (begin, begun) = mpsc::channel();
        let other = parent.clone();
        let canceller = std::thread::spawn(move || {
            begun.recv().unwrap();
            other.cancel();
        });
        let stop = Box::new(move || stop.send(()).unwrap());
        let result = child.while_running(stop, || {
            begin.send(()).unwrap();
            stopped.recv_timeout(Duration::from_secs(10))
        });
        assert_eq!(result, Some(Ok(())));
        canceller.join().unwrap();
        assert_eq!(child.while_running(Box::new(|| {}), || ()), None);
    }

    #[test]
    fn a_child_stops_alone_and_with_its_parent() {
        let parent = Cancellation::new();
        let (first, second) = (parent.child(), parent.child());
        first.cancel();
        assert!(first.is_cancelled() && !second.is_cancelled() && !parent.is_cancelled());
        parent.cancel();
        assert!(second.is_cancelled() && parent.child().is_cancelled());
    }
}
