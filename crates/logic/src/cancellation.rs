//! Stopping long work from another thread.

use crate::turns::{CHECK, Turn};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

/// How long to wait before asking work to stop once more: it may not have been listening yet.
const PATIENCE: Duration = Duration::from_millis(5);

/// A switch that everything that may take long looks at: solvers, searches, decision diagrams, front ends. Once
/// cancelled, it stays so. Clones are the same switch; a child is cancelled with its parent, and can be cancelled
/// alone. Work that shares a core with other work counts here what it has done, and waits for its next turn.
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
    /// What stops work that does not look at the switch by itself.
    stops: BTreeMap<u64, Box<dyn Fn() + Send>>,
    children: Vec<Weak<Shared>>,
}

impl Cancellation {
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// The same switch for work that takes turns.
    pub fn with_turn(&self, turn: Option<Turn>) -> Cancellation {
        Cancellation {
            shared: Arc::clone(&self.shared),
            turn,
        }
    }

    pub fn turn(&self) -> Option<&Turn> {
        self.turn.as_ref()
    }

    /// A search has looked at so many states more.
    pub fn count_states(&self, states: u64) {
        if let Some(turn) = &self.turn {
            turn.worked(states, &|| self.is_cancelled());
        }
    }

    /// A solver has answered.
    pub fn count_check(&self) {
        self.count_states(CHECK);
    }

    /// Nothing can be done now: the rest of the turn is for the others. False where there are no turns.
    pub fn yield_turn(&self) -> bool {
        self.turn
            .iter()
            .for_each(|turn| turn.yield_turn(&|| self.is_cancelled()));
        self.turn.is_some()
    }

    /// A switch for a part of the work.
    pub fn child(&self) -> Cancellation {
        let child = Cancellation::new().with_turn(self.turn.clone());
        let mut listeners = self.shared.listeners();
        listeners.children.retain(|child| child.strong_count() > 0);
        listeners.children.push(Arc::downgrade(&child.shared));
        drop(listeners);
        // A call of `cancel` before the child was known is seen here, a later one finds the child.
        if self.is_cancelled() {
            child.cancel();
        }
        child
    }

    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// Stops all work that listens. Returns at once; a solver's check that was just about to begin is stopped a
    /// moment later.
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

    /// Does work that `stop` can stop; `stop` is never called before or after. `None` where all is cancelled already.
    pub fn while_running<R>(&self, stop: Box<dyn Fn() + Send>, work: impl FnOnce() -> R) -> Option<R> {
        let registration = Registration::new(self, stop);
        // Looking only now misses nothing: a cancellation before this line is seen here, a later one finds the
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

    /// False where nothing is running.
    fn stop_all(&self) -> bool {
        let listeners = self.listeners();
        listeners.stops.values().for_each(|stop| stop());
        !listeners.stops.is_empty()
    }
}

/// Takes the work off the list, even if it panics.
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
