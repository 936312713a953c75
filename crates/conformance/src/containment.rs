//! Trace containment: whether every trace of systems side by side is one of the specification.
//!
//! The specification is made deterministic and complemented on the way: a state of the complement is the set of states
//! that a trace leads to, and the trace is none of the specification where the set is empty. Actions outside of the
//! specification's alphabet are not its concern. Breadth first, so that the counterexample is a shortest one.

use crate::compose::{Composition, Tuple, number};
use crate::lts::{Action, Lts, TAU};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// What a search for a counterexample found.
#[derive(Clone, Debug)]
pub struct Contained {
    /// A shortest trace of the systems that is none of the specification.
    pub counterexample: Option<Vec<Action>>,
    /// States of the systems side by side that were met.
    pub states: usize,
    /// With the sets of states of the specification: closed under all that the systems do, where there is no
    /// counterexample.
    pub pairs: Vec<(Tuple, BTreeSet<usize>)>,
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stopped {
    #[error("interrupted")]
    Interrupted,
    #[error("the components have more than {states} states together")]
    TooMany { states: usize },
}

/// The specification as a deterministic system whose only state without a way on is the error.
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

    /// None where the specification does not allow it.
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
pub fn contained(
    systems: &[&Lts],
    specification: &Lts,
    most: usize,
    is_over: &dyn Fn() -> bool,
) -> Result<Contained, Stopped> {
    let composition = Composition::new(systems.to_vec());
    let mut complement = Complement::new(specification);
    let mut pairs: Vec<(Tuple, u32)> = vec![(composition.initial(), 0)];
    // How each pair was met first, by fewest actions.
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
            return Err(Stopped::Interrupted);
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
            return Err(Stopped::TooMany { states: most });
        }
    }
    Ok(outcome(None, &pairs, &complement))
}

/// The actions that led to a pair, and the one that follows.
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

fn outcome(counterexample: Option<Vec<Action>>, pairs: &[(Tuple, u32)], complement: &Complement) -> Contained {
    let tuples: BTreeSet<&Tuple> = pairs.iter().map(|(tuple, _)| tuple).collect();
    let set = |number: u32| complement.sets[number as usize].clone();
    Contained {
        counterexample,
        states: tuples.len(),
        pairs: pairs
            .iter()
            .map(|(tuple, number)| (tuple.clone(), set(*number)))
            .collect(),
    }
}
