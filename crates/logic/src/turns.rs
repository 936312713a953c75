//! Taking turns on one core: one participant works while all others wait.
//!
//! A turn ends after an amount of work, not after a time, so the schedule is the same on every machine. Participants
//! report work through their [`Cancellation`](crate::Cancellation), in units of visited states.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The work of one turn.
const SHARE: u64 = 10_000;
/// The work of one solver check, as a share of a turn.
pub const CHECK: u64 = 200;
/// How often a waiting participant checks whether it is cancelled.
const PERIOD: Duration = Duration::from_millis(5);

/// The participants, in the order in which they joined.
#[derive(Clone, Default)]
pub struct Turns {
    shared: Arc<Shared>,
}

/// One participant.
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
    /// Whose turn it is, and the rest of its budget.
    current: Option<usize>,
    left: u64,
}

struct Member {
    is_here: bool,
    /// How many turns to skip first, as long as there are others.
    skips: u32,
}

impl Turns {
    /// Adds a participant; the first one gets the first turn.
    pub fn join(&self) -> Turn {
        self.join_after(0)
    }

    /// Adds a participant that skips this many turns first.
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
    /// The turns that this participant takes part in, so that others can join.
    pub fn turns(&self) -> Turns {
        Turns {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Reports work, and waits for the next turn when this one is over. A cancelled participant does not wait.
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

    /// Yields the rest of the current turn, if it is this participant's.
    pub(crate) fn yield_turn(&self, is_stopped: &dyn Fn() -> bool) {
        self.worked(SHARE, is_stopped);
    }

    /// Leaves the turns while `wait` waits for another participant.
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

    /// Leaves for good; the others continue.
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
    /// Passes the turn to the next participant.
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

    /// Who works when, each for this many units of work.
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
