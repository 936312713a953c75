//! Parallel composition, definition 5: systems synchronise on shared actions and interleave on others.

use crate::lts::{Action, Lts, TAU};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A state of a composition: one of each system.
pub type Tuple = Box<[u32]>;

/// A parallel composition, explored on the fly.
pub struct Composition<'l> {
    pub systems: Vec<&'l Lts>,
    /// `Act_1 ∪ ... ∪ Act_n`
    pub alphabet: BTreeSet<Action>,
}

impl<'l> Composition<'l> {
    pub fn new(systems: Vec<&'l Lts>) -> Composition<'l> {
        let alphabet = systems.iter().flat_map(|lts| &lts.alphabet).copied().collect();
        Composition { systems, alphabet }
    }

    pub fn initial(&self) -> Tuple {
        self.systems.iter().map(|lts| number(lts.initial)).collect()
    }

    /// The transitions of a state.
    pub fn from(&self, tuple: &Tuple) -> Vec<(Action, Tuple)> {
        let mut found = Vec::new();
        let mut enabled: BTreeSet<Action> = BTreeSet::new();
        for (system, lts) in self.systems.iter().enumerate() {
            for (action, to) in lts.from(tuple[system] as usize) {
                match *action {
                    TAU => {
                        let mut next = tuple.clone();
                        next[system] = number(*to);
                        found.push((TAU, next));
                    }
                    action => {
                        enabled.insert(action);
                    }
                }
            }
        }
        for action in enabled {
            self.together(tuple, action, &mut found);
        }
        found
    }

    /// Every system with the action in its alphabet takes it, in all possible ways.
    fn together(&self, tuple: &Tuple, action: Action, found: &mut Vec<(Action, Tuple)>) {
        let mut reached = vec![tuple.clone()];
        for (system, lts) in self.systems.iter().enumerate() {
            if !lts.alphabet.contains(&action) {
                continue;
            }
            let mut moved = Vec::new();
            for next in &reached {
                for to in lts.successors(tuple[system] as usize, action) {
                    let mut next = next.clone();
                    next[system] = number(to);
                    moved.push(next);
                }
            }
            reached = moved;
        }
        found.extend(reached.into_iter().map(|next| (action, next)));
    }

    /// The reachable product. None where it has more states than this.
    pub fn product(&self, most: usize) -> Option<Lts> {
        let mut lts = Lts::new(1, 0, self.alphabet.iter().copied());
        let mut numbers: FxHashMap<Tuple, usize> = FxHashMap::default();
        let mut tuples = vec![self.initial()];
        numbers.insert(self.initial(), 0);
        let mut state = 0;
        while state < tuples.len() {
            for (action, next) in self.from(&tuples[state]) {
                let to = *numbers.entry(next.clone()).or_insert_with(|| {
                    tuples.push(next);
                    lts.add_state()
                });
                lts.add(state, action, to);
            }
            if tuples.len() > most {
                return None;
            }
            state += 1;
        }
        Some(lts)
    }
}

pub(crate) fn number(state: usize) -> u32 {
    u32::try_from(state).unwrap_or(u32::MAX)
}
