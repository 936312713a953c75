//! Trace containment: whether every trace of a parallel composition is a trace of the specification.
//!
//! The specification is determinised and complemented on the fly: a state of the complement is the set of states that a
//! trace leads to, and an empty set means that the specification does not allow the trace. Actions outside of its
//! alphabet are ignored. The search is breadth-first, so the counterexample is shortest.

use crate::compose::{Composition, Tuple, number};
use crate::lts::{Action, Lts, TAU};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// The result of a containment check.
#[derive(Clone, Debug)]
pub struct ContainmentResult {
    /// A shortest trace of the systems that the specification does not allow.
    pub counterexample: Option<Vec<Action>>,
    /// The number of states of the composition that were explored.
    pub states: usize,
    /// The explored states, with the sets of states of the specification: closed under all transitions if there is no
    /// counterexample.
    pub pairs: Vec<(Tuple, BTreeSet<usize>)>,
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ContainmentStopped {
    #[error("interrupted")]
    Interrupted,
    #[error("the components have more than {states} states together")]
    TooMany { states: usize },
}

/// The determinised specification, whose error state is the empty set.
struct Complement<'l> {
    specification: &'l Lts,
    sets: Vec<BTreeSet<usize>>,
    numbers: FxHashMap<BTreeSet<usize>, u32>,
    moves: FxHashMap<(u32, Action), Option<u32>>,
}

impl<'l> Complement<'l> {
    fn new(specification: &'l Lts) -> Complement<'l> {
        let mut complement = Complement {
            specification,
            sets: Vec::new(),
            numbers: FxHashMap::default(),
            moves: FxHashMap::default(),
        };
        complement.numbered(specification.closure([specification.initial]));
        complement
    }

    fn numbered(&mut self, set: BTreeSet<usize>) -> u32 {
        if let Some(known) = self.numbers.get(&set) {
            return *known;
        }
        let new = number(self.sets.len());
        self.sets.push(set.clone());
        self.numbers.insert(set, new);
        new
    }

    /// None where the specification does not allow the action.
    fn after(&mut self, set: u32, action: Action) -> Option<u32> {
        if action == TAU || !self.specification.alphabet.contains(&action) {
            return Some(set);
        }
        if let Some(known) = self.moves.get(&(set, action)) {
            return *known;
        }
        let reached = self.specification.reach(&self.sets[set as usize], action);
        let after = (!reached.is_empty()).then(|| self.numbered(reached));
        self.moves.insert((set, action), after);
        after
    }
}

/// `L(M_1 || ... || M_n) ⊆ L(Spec)`
pub fn trace_containment(
    systems: &[&Lts],
    specification: &Lts,
    most: usize,
    is_over: &dyn Fn() -> bool,
) -> Result<ContainmentResult, ContainmentStopped> {
    let composition = Composition::new(systems.to_vec());
    let mut complement = Complement::new(specification);
    let mut pairs: Vec<(Tuple, u32)> = vec![(composition.initial(), 0)];
    // The breadth-first tree.
    let mut parents: Vec<Option<(usize, Action)>> = vec![None];
    let mut numbers: FxHashMap<(Tuple, u32), usize> = FxHashMap::default();
    numbers.insert(pairs[0].clone(), 0);
    let mut lengths = vec![0u32];
    let mut finished = vec![false];
    let mut pending = VecDeque::from([0]);
    while let Some(here) = pending.pop_front() {
        if std::mem::replace(&mut finished[here], true) {
            continue;
        }
        if here % 256 == 0 && is_over() {
            return Err(ContainmentStopped::Interrupted);
        }
        let (tuple, set) = pairs[here].clone();
        for (action, next) in composition.from(&tuple) {
            let Some(after) = complement.after(set, action) else {
                let trace = trace(&parents, here, action);
                return Ok(outcome(Some(trace), &pairs, &complement));
            };
            let length = lengths[here] + u32::from(action != TAU);
            let pair = (next, after);
            let known = numbers.get(&pair).copied();
            let there = known.unwrap_or_else(|| {
                pairs.push(pair.clone());
                numbers.insert(pair, pairs.len() - 1);
                parents.push(None);
                lengths.push(u32::MAX);
                finished.push(false);
                pairs.len() - 1
            });
            if length < lengths[there] {
                (lengths[there], parents[there]) = (length, Some((here, action)));
                match action {
                    TAU => pending.push_front(there),
                    _ => pending.push_back(there),
                }
            }
        }
        if pairs.len() > most {
            return Err(ContainmentStopped::TooMany { states: most });
        }
    }
    Ok(outcome(None, &pairs, &complement))
}

/// The actions on the path to a pair, and the final one.
fn trace(parents: &[Option<(usize, Action)>], last: usize, action: Action) -> Vec<Action> {
    let mut trace = vec![action];
    let mut here = last;
    while let Some((before, action)) = parents[here] {
        trace.push(action);
        here = before;
    }
    trace.retain(|action| *action != TAU);
    trace.reverse();
    trace
}

fn outcome(counterexample: Option<Vec<Action>>, pairs: &[(Tuple, u32)], complement: &Complement) -> ContainmentResult {
    let tuples: BTreeSet<&Tuple> = pairs.iter().map(|(tuple, _)| tuple).collect();
    let set = |number: u32| complement.sets[number as usize].clone();
    ContainmentResult {
        counterexample,
        states: tuples.len(),
        pairs: pairs
            .iter()
            .map(|(tuple, number)| (tuple.clone(), set(*number)))
            .collect(),
    }
}
