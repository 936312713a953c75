//! Action-guided abstraction and refinement, sections 7 and 8: states with the same enabled actions are merged, until a
//! counterexample splits them.
//!
//! τ counts as an ordinary action here: use systems without it ([`Lts::observable`]).

use crate::compose::number;
use crate::lts::{Action, Lts};
use std::collections::{BTreeMap, BTreeSet};

/// A partition of the states of a system into numbered classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    pub class_of: Vec<u32>,
    pub classes: usize,
}

impl Partition {
    /// Partitions the states by a key.
    pub fn by<K: Ord>(states: usize, kind: impl Fn(usize) -> K) -> Partition {
        let mut classes: BTreeMap<K, u32> = BTreeMap::new();
        let mut class_of = Vec::with_capacity(states);
        for state in 0..states {
            let next = number(classes.len());
            class_of.push(*classes.entry(kind(state)).or_insert(next));
        }
        Partition {
            class_of,
            classes: classes.len(),
        }
    }

    /// `S_A^0`: `t ∈ [s]` iff `export(t) = export(s)`.
    pub fn by_export(lts: &Lts) -> Partition {
        Partition::by(lts.states(), |state| lts.export(state))
    }

    /// The classes that an action leads to from a state.
    fn reached(&self, lts: &Lts, state: usize, action: Action) -> BTreeSet<u32> {
        lts.successors(state, action).map(|to| self.class_of[to]).collect()
    }

    /// `Split(S, u, a)`: splits `u` by the classes that `a` leads to.
    #[must_use]
    pub fn split(&self, lts: &Lts, class: u32, action: Action) -> Partition {
        let mut parts: BTreeMap<BTreeSet<u32>, u32> = BTreeMap::new();
        let mut next = number(self.classes);
        let mut class_of = self.class_of.clone();
        for (state, of) in class_of.iter_mut().enumerate().filter(|(_, of)| **of == class) {
            let is_first = parts.is_empty();
            *of = *parts.entry(self.reached(lts, state, action)).or_insert_with(|| {
                if is_first {
                    return class;
                }
                next += 1;
                next - 1
            });
        }
        Partition {
            class_of,
            classes: next as usize,
        }
    }

    /// `Abs(S)`: `u --a--> v` iff `s --a--> t` for some `s` in `u` and `t` in `v`.
    pub fn abstraction(&self, lts: &Lts) -> Lts {
        let initial = self.class_of[lts.initial] as usize;
        let mut abstraction = Lts::new(self.classes, initial, lts.alphabet.iter().copied());
        for state in 0..lts.states() {
            for (action, to) in lts.from(state) {
                abstraction.add(self.class_of[state] as usize, *action, self.class_of[*to] as usize);
            }
        }
        abstraction
    }

    /// Figure 9: splits classes until the abstraction excludes a trace that the system does not have. Returns the
    /// number of splits; zero if the system does have the trace.
    pub fn refine(&mut self, lts: &Lts, trace: &[Action]) -> usize {
        let mut splits = 0;
        while let Some(path) = path(&self.abstraction(lts), trace) {
            let mut reachable = BTreeSet::from([lts.initial]);
            let mut step = 0;
            while !reachable.is_empty() && step < trace.len() {
                let after = reachable.iter().flat_map(|state| lts.successors(*state, trace[step]));
                reachable = after
                    .filter(|to| self.class_of[*to] as usize == path[step + 1])
                    .collect();
                step += 1;
            }
            if !reachable.is_empty() {
                break;
            }
            *self = self.split(lts, number(path[step - 1]), trace[step - 1]);
            splits += 1;
        }
        splits
    }
}

/// A path `u_0 --a_1--> ... --a_m--> u_m` of a system with exactly this trace.
pub fn path(lts: &Lts, trace: &[Action]) -> Option<Vec<usize>> {
    let mut layers: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::from([(lts.initial, lts.initial)])];
    for action in trace {
        let mut layer = BTreeMap::new();
        for state in layers[layers.len() - 1].keys() {
            for to in lts.successors(*state, *action) {
                layer.entry(to).or_insert(*state);
            }
        }
        layers.push(layer);
    }
    let mut here = *layers.last()?.keys().next()?;
    let mut path = vec![here];
    for layer in layers.iter().skip(1).rev() {
        here = *layer.get(&here)?;
        path.push(here);
    }
    path.reverse();
    Some(path)
}
