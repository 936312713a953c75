//! A short search for a state that satisfies a cube, from samples that nearly do: a conjecture that no sample
//! contradicts may still be wrong where the samples are not all states.
//!
//! States are expanded in order of their distance, the number of literals that fail for the best values of the
//! variables. What it finds is one more sample.

use deduction::formulas::signed_atom;
use deduction::samples::{Rows, environment};
use deduction::{Cube, Samples};
use logic::hashing::FastMap;
use logic::{Environment, Term};
use std::collections::{HashSet, VecDeque};
use system::{ReachedStates, Successors};

/// How many samples are begun with for each literal that they miss.
const SEEDS: usize = 8;
/// How many states are expanded at once.
const BATCH: usize = 16;

/// Whether a state was found in which the cube holds; it is a sample then, and so are those on the way to it. `before`
/// are cubes from which a rule seems to lead there.
pub(super) fn is_reached(
    cube: &Cube,
    before: Option<&Cube>,
    samples: &mut Samples,
    explorer: &dyn Successors,
    budget: usize,
) -> bool {
    let mut seeds = nearly(cube, samples);
    seeds.extend(before.into_iter().flat_map(|before| exactly(before, samples)));
    let mut search = Search {
        distance: Distance::new(cube, samples),
        states: Vec::new(),
        parents: Vec::new(),
        known: HashSet::new(),
        queues: vec![VecDeque::new(); cube.literals.len() + 1],
    };
    for seed in seeds {
        search.add(samples.state(seed), None);
    }
    let from_samples = search.states.len();
    let found = search.run(explorer, budget);
    let Some(mut number) = found else { return false };
    let mut path = ReachedStates::default();
    while number >= from_samples {
        path.width = search.states[number].len();
        path.slots.extend_from_slice(&search.states[number]);
        number = search.parents[number].unwrap_or(0);
    }
    samples.add(path);
    true
}

/// Some of the samples that satisfy all literals but one.
fn nearly(cube: &Cube, samples: &mut Samples) -> Vec<usize> {
    let without = |missing: usize| {
        let others = cube
            .literals
            .iter()
            .enumerate()
            .filter(move |(number, _)| *number != missing);
        others.map(|(_, literal)| *literal).collect::<Vec<Term>>()
    };
    let missing = 0..cube.literals.len();
    missing
        .flat_map(|missing| satisfying(&without(missing), cube, samples, SEEDS))
        .collect()
}

/// Some of the samples that satisfy the cube.
fn exactly(cube: &Cube, samples: &mut Samples) -> Vec<usize> {
    satisfying(&cube.literals, cube, samples, 4 * SEEDS)
}

/// Samples that satisfy literals of a cube: this many, if there are, from here and there.
fn satisfying(literals: &[Term], cube: &Cube, samples: &mut Samples, count: usize) -> Vec<usize> {
    let tuples = samples.tuples(&cube.variables).len();
    if tuples == 0 {
        return Vec::new();
    }
    let rows: Vec<Rows> = literals.iter().map(|l| samples.rows(&cube.variables, *l)).collect();
    let words = rows.iter().map(|rows| rows.len()).min();
    let words = words.unwrap_or_else(|| (samples.states() * tuples).div_ceil(64));
    let word = |at: usize| rows.iter().fold(u64::MAX, |rest, rows| rest & rows[at]);
    let hits: Vec<usize> = (0..words).filter(|at| word(*at) != 0).collect();
    let chosen = hits.iter().rev().step_by(hits.len().div_ceil(count).max(1));
    chosen
        .map(|at| (at * 64 + word(*at).trailing_zeros() as usize) / tuples)
        .collect()
}

struct Search<'d> {
    distance: Distance<'d>,
    states: Vec<Vec<i64>>,
    parents: Vec<Option<usize>>,
    known: HashSet<Vec<i64>>,
    /// By distance.
    queues: Vec<VecDeque<usize>>,
}

impl Search<'_> {
    /// The number of a state in which the cube holds.
    fn run(&mut self, explorer: &dyn Successors, budget: usize) -> Option<usize> {
        while self.queues[0].is_empty() && self.states.len() < budget {
            let queue = self.queues.iter_mut().find(|queue| !queue.is_empty())?;
            let batch: Vec<usize> = queue.drain(..queue.len().min(BATCH)).collect();
            let states: Vec<&[i64]> = batch.iter().map(|number| self.states[*number].as_slice()).collect();
            let after = explorer.successors(&states);
            for (parent, after) in batch.into_iter().zip(after) {
                after.states().for_each(|state| self.add(state, Some(parent)));
            }
        }
        self.queues[0].pop_front()
    }

    fn add(&mut self, state: &[i64], parent: Option<usize>) {
        if self.known.insert(state.to_vec()) {
            self.queues[self.distance.of(state)].push_back(self.states.len());
            self.states.push(state.to_vec());
            self.parents.push(parent);
        }
    }
}

/// How far states are from a cube.
struct Distance<'d> {
    samples: &'d Samples,
    /// The literals, for each tuple of values of the variables.
    instances: Vec<Vec<Watched>>,
}

/// A literal for some values of its variables.
struct Watched {
    atom: Term,
    positive: bool,
    environment: Environment,
    slots: Vec<usize>,
    /// By a hash of the values of the slots: a collision costs an example at worst.
    known: FastMap<u64, bool>,
}

impl<'d> Distance<'d> {
    fn new(cube: &Cube, samples: &'d Samples) -> Distance<'d> {
        let watched = |literal: &Term, environment: &Environment| {
            let (atom, positive) = signed_atom(*literal);
            Watched {
                atom,
                positive,
                environment: environment.clone(),
                slots: samples.slots_of(atom, environment),
                known: FastMap::default(),
            }
        };
        let tuples = samples.tuples(&cube.variables).into_iter();
        let environments = tuples.map(|tuple| environment(&cube.variables, &tuple));
        let instance = |environment| cube.literals.iter().map(|l| watched(l, &environment)).collect();
        Distance {
            samples,
            instances: environments.map(instance).collect(),
        }
    }

    fn of(&mut self, state: &[i64]) -> usize {
        let samples = self.samples;
        let missing = |instance: &mut Vec<Watched>| {
            let fails = |watched: &mut Watched| usize::from(!watched.may_hold(state, samples));
            instance.iter_mut().map(fails).sum()
        };
        self.instances.iter_mut().map(missing).min().unwrap_or(0)
    }
}

impl Watched {
    fn may_hold(&mut self, state: &[i64], samples: &Samples) -> bool {
        let mix = |hash: u64, slot: &usize| {
            (hash.rotate_left(5) ^ state[*slot].cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let key = self.slots.iter().fold(0, mix);
        let (atom, environment) = (self.atom, &self.environment);
        let may = || samples.may(atom, environment, state)[usize::from(!self.positive)];
        *self.known.entry(key).or_insert_with(may)
    }
}
