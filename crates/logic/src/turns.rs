//! One core for several at work: whoever has the turn works, and all others wait.
//!
//! A turn ends after an amount of work, not after a time: the same work is done in the same order on every machine.
//! Work is counted where it looks at its [`Cancellation`](crate::Cancellation), in states that a search looks at.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// A turn is over after so much work.
const SHARE: u64 = 10_000;
/// How much of a turn a check of a solver takes.
pub const CHECK: u64 = 200;
/// How often somebody who waits looks whether he is to stop.
const PERIOD: Duration = Duration::from_millis(5);

/// Those who take turns, in the order in which they joined.
#[derive(Clone, Default)]
pub struct Turns {
    shared: Arc<Shared>,
}

/// One of those who take turns.
#[derive(Clone)]
pub struct Turn {
    shared: Arc<Shared>,
    number: usize,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    members: Vec<Member>,
    /// Who has the turn, and what is left of it.
    current: Option<usize>,
    left: u64,
}

struct Member {
    is_here: bool,
    /// So many turns are left to the others first, as long as there are others.
    skips: u32,
}

impl Turns {
    /// One more takes turns; the first one to join has the first turn.
    pub fn join(&self) -> Turn {
        self.join_after(0)
    }

    /// The same, but so many turns are left to the others.
    pub fn join_after(&self, skips: u32) -> Turn {
        let mut state = self.shared.state();
        state.members.push(Member { is_here: true, skips });
        let number = state.members.len() - 1;
        if state.current.is_none() {
            state.pass_on();
        }
        drop(state);
        Turn {
            shared: Arc::clone(&self.shared),
            number,
        }
    }
}

impl Turn {
    /// Others with whom this one takes turns can join here.
    pub fn turns(&self) -> Turns {
        Turns {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Counts work that was done, and waits for the next turn where this one is over. Who is to stop does not wait.
    pub(crate) fn worked(&self, amount: u64, is_stopped: &dyn Fn() -> bool) {
        let mut state = self.shared.state();
        if state.current == Some(self.number) {
            state.left = state.left.saturating_sub(amount);
            if state.left > 0 {
                return;
            }
            state.pass_on();
            self.shared.changed.notify_all();
        }
        while state.current != Some(self.number) && state.members[self.number].is_here && !is_stopped() {
            let waited = self.shared.changed.wait_timeout(state, PERIOD);
            state = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
    }

    /// Leaves the rest of a turn, if it is this one's, to the others.
    pub(crate) fn yield_turn(&self, is_stopped: &dyn Fn() -> bool) {
        self.worked(SHARE, is_stopped);
    }

    /// Waits for others among those that take turns, without a turn of its own.
    pub fn without_turn<R>(&self, wait: impl FnOnce() -> R) -> R {
        self.leave();
        let result = wait();
        let mut state = self.shared.state();
        state.members[self.number].is_here = true;
        if state.current.is_none() {
            state.pass_on();
        }
        result
    }

    /// Takes part no longer: the others go on without this one.
    pub fn leave(&self) {
        let mut state = self.shared.state();
        state.members[self.number].is_here = false;
        if state.current == Some(self.number) {
            state.pass_on();
        }
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl State {
    /// The next one has the turn.
    fn pass_on(&mut self) {
        let count = self.members.len();
        let mut next = self.current.map_or(0, |current| current + 1);
        self.current = None;
        self.left = SHARE;
        while self.members.iter().any(|member| member.is_here) {
            let member = &mut self.members[next % count];
            if member.is_here && member.skips == 0 {
                self.current = Some(next % count);
                return;
            }
            member.skips = member.skips.saturating_sub(1);
            next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who works when, each so many pieces.
    fn order(skips: &[u32], pieces: usize) -> String {
        let turns = Turns::default();
        let log = Mutex::new(String::new());
        let first = turns.join();
        std::thread::scope(|scope| {
            let others: Vec<Turn> = skips.iter().map(|skips| turns.join_after(*skips)).collect();
            let all = [first].into_iter().chain(others).enumerate();
            for (number, turn) in all {
                let log = &log;
                scope.spawn(move || {
                    turn.worked(0, &|| false);
                    for _ in 0..pieces {
                        log.lock().unwrap().push_str(&number.to_string());
                        turn.worked(SHARE / 2, &|| false);
                    }
                    turn.leave();
                });
            }
        });
        log.into_inner().unwrap()
    }

    #[test]
    fn turns_are_the_same_every_time() {
        for _ in 0..20 {
            assert_eq!(order(&[0, 0], 4), "001122001122");
            assert_eq!(order(&[1], 4), "00001111");
            assert_eq!(order(&[1], 6), "000011001111");
        }
    }

    #[test]
    fn stopped_work_does_not_wait() {
        let turns = Turns::default();
        let (first, second) = (turns.join(), turns.join());
        second.worked(1, &|| true);
        first.leave();
        second.worked(SHARE, &|| false);
    }
}
