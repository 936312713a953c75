//! Stopping checks from another thread.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// How long to wait before asking a check to stop once more: it may not have been listening yet.
const PATIENCE: Duration = Duration::from_millis(5);

/// A switch that stops the running checks of all solvers that were made with it, and every later one until it is reset: each
/// answers `unknown`. Clones are the same switch.
#[derive(Clone, Default)]
pub struct Interrupt {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    triggered: AtomicBool,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    last: u64,
    /// What stops each running check.
    stops: BTreeMap<u64, Box<dyn Fn() + Send>>,
}

impl Interrupt {
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    pub fn is_triggered(&self) -> bool {
        self.shared.triggered.load(Ordering::SeqCst)
    }

    /// The switch as a flag, for those who look at one now and then.
    pub fn flag(&self) -> &AtomicBool {
        &self.shared.triggered
    }

    /// Lets solvers work again.
    pub fn reset(&self) {
        self.shared.triggered.store(false, Ordering::SeqCst);
    }

    /// Stops all checks. Returns at once; a check that was just about to begin is stopped a moment later.
    pub fn trigger(&self) {
        self.shared.triggered.store(true, Ordering::SeqCst);
        if self.shared.stop_all() {
            let shared = Arc::clone(&self.shared);
            std::thread::spawn(move || {
                while shared.triggered.load(Ordering::SeqCst) && shared.stop_all() {
                    std::thread::sleep(PATIENCE);
                }
            });
        }
    }

    /// Runs a check that `stop` can stop; `stop` is never called before or after. `None` where the switch is on already.
    pub(crate) fn while_running<R>(&self, stop: Box<dyn Fn() + Send>, check: impl FnOnce() -> R) -> Option<R> {
        let registration = Registration::new(self, stop);
        // Looking only now misses nothing: a trigger before this line is seen here, a later one finds the registration.
        if self.is_triggered() {
            return None;
        }
        let result = check();
        drop(registration);
        Some(result)
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt")
            .field("triggered", &self.is_triggered())
            .finish()
    }
}

impl Shared {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// False where nothing is running.
    fn stop_all(&self) -> bool {
        let running = self.running();
        running.stops.values().for_each(|stop| stop());
        !running.stops.is_empty()
    }
}

/// Takes the check off the list, even if it panics.
struct Registration<'a> {
    interrupt: &'a Interrupt,
    number: u64,
}

impl Registration<'_> {
    fn new(interrupt: &Interrupt, stop: Box<dyn Fn() + Send>) -> Registration<'_> {
        let mut running = interrupt.shared.running();
        running.last += 1;
        let number = running.last;
        running.stops.insert(number, stop);
        Registration { interrupt, number }
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.interrupt.shared.running().stops.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_running_check_is_stopped_and_later_ones_do_not_start() {
        let interrupt = Interrupt::new();
        let (stop, stopped) = mpsc::channel();
        let (begin, begun) = mpsc::channel();
        let other = interrupt.clone();
        let trigger = std::thread::spawn(move || {
            begun.recv().unwrap();
            other.trigger();
        });
        let stop = Box::new(move || stop.send(()).unwrap());
        let result = interrupt.while_running(stop, || {
            begin.send(()).unwrap();
            stopped.recv_timeout(Duration::from_secs(10))
        });
        assert_eq!(result, Some(Ok(())));
        trigger.join().unwrap();
        assert_eq!(interrupt.while_running(Box::new(|| {}), || ()), None);
        interrupt.reset();
        assert_eq!(interrupt.while_running(Box::new(|| {}), || ()), Some(()));
    }
}
