//! What was proved meets the states that were explored.
//!
//! A proof is about the transition system, and the explorer runs the instance: both come from the source by different
//! ways. So whatever was proved must be true in every state that the explorer reaches, as far as the state says
//! something about it. Where it is not, one of the two ways is wrong, and the proof says nothing about the source.
//!
//! A state that stands for others by symmetry is itself reachable. The numbers of a multiset's elements mean nothing:
//! the explorer sorts them, and the system takes the first that is free. So a formula about them is contradicted
//! where it is false however the elements are numbered.

mod compile;
mod evaluate;
mod values;

use crate::lists::Lists;
use crate::packing::from_bytes;
use crate::search::{Observer, Options, Outcome, Visited, explore_with};
use crate::simulate::{SimulateOptions, Simulation, simulate_with};
use crate::stack::on_large_stack;
use compile::{Code, Compiler, NodeId};
use evaluate::Evaluator;
use logic::Cancellation;
use logic::substitute::functions_of;
use logic::{Function, Term};
use std::collections::{BTreeSet, HashSet};
use system::correspondence::Correspondence;
use system::instance::{Instance, Multiset};
use values::Interned;

/// This many numberings of the elements of multisets are tried before nothing is said.
const ARRANGEMENTS: usize = 10_000;

/// Something that was proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    pub name: String,
    /// A closed formula over the state.
    pub formula: Term,
}

/// How claims and system are read in an instance.
#[derive(Clone, Copy)]
pub struct Claims<'c> {
    pub claims: &'c [Claim],
    pub correspondence: &'c Correspondence,
    /// The relations that order index sorts.
    pub orders: &'c [Function],
    /// After this many operations of formulas no further state is looked at.
    pub operations: Option<u64>,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meeting {
    /// Different states in which no claim is false.
    pub states: u64,
    /// Claims that are too deep to be evaluated, by number.
    pub left_out: Vec<usize>,
    pub contradiction: Option<Contradiction>,
    /// Whether it was stopped before all states were looked at.
    pub stopped: bool,
}

/// A state in which something is false that was proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// Index into the claims.
    pub claim: usize,
    /// The state of the instance, one `name = value` for each slot.
    pub state: Vec<String>,
}

/// Searches as [`crate::explore`] does, and holds the claims against every state that it keeps.
pub fn explore_and_meet(
    instance: &Instance,
    options: &Options,
    claims: Claims,
    cancellation: &Cancellation,
    observer: &mut dyn Observer,
) -> (Outcome, Meeting) {
    on_large_stack(&mut || {
        let mut meeting = Meeting::default();
        let outcome = explore_with(instance, options, cancellation, observer, &mut |visited| {
            meeting = meet_visited(instance, claims, visited, cancellation);
        });
        (outcome, meeting)
    })
}

fn meet_visited(instance: &Instance, claims: Claims, visited: &Visited, cancellation: &Cancellation) -> Meeting {
    let (compiled, interned) = Compiled::new(instance, claims);
    let mut judge = compiled.judge(interned);
    let mut words = vec![0; visited.layout.words];
    let mut state = vec![0; instance.slots.len()];
    for number in 0..visited.len() {
        if number % 64 == 0 && (cancellation.is_cancelled() || judge.has_done(claims.operations)) {
            judge.meeting.stopped = true;
            break;
        }
        from_bytes(visited.get(number), &mut words);
        visited.layout.unpack(&words, &mut state);
        if !judge.look(&state, visited.lists) {
            break;
        }
    }
    judge.meeting
}

/// Makes random runs as [`crate::simulate`] does, until this many different states were met, and holds the claims
/// against each.
pub fn simulate_and_meet(
    instance: &Instance,
    options: &SimulateOptions,
    states: u64,
    claims: Claims,
    cancellation: &Cancellation,
    observer: &mut dyn Observer,
) -> (Simulation, Meeting) {
    on_large_stack(&mut || {
        let (compiled, interned) = Compiled::new(instance, claims);
        let mut judge = compiled.judge(interned);
        let mut seen: HashSet<Vec<i64>> = HashSet::new();
        let simulation = simulate_with(instance, options, cancellation, observer, &mut |lists, state| {
            if judge.meeting.states >= states || judge.has_done(claims.operations) {
                return false;
            }
            !seen.insert(state.to_vec()) || judge.look(state, lists)
        });
        judge.meeting.stopped = simulation.stopped;
        (simulation, judge.meeting)
    })
}

/// The claims, ready for the states of an instance.
struct Compiled<'i> {
    instance: &'i Instance,
    code: Code,
    /// The number of the claim, its code, and the multisets that it speaks of.
    formulas: Vec<(usize, NodeId, Vec<&'i Multiset>)>,
    left_out: Vec<usize>,
}

impl<'i> Compiled<'i> {
    fn new(instance: &'i Instance, claims: Claims) -> (Compiled<'i>, Interned) {
        let mut compiler = Compiler::new(instance, claims.correspondence, claims.orders);
        let (mut formulas, mut left_out) = (Vec::new(), Vec::new());
        for (number, claim) in claims.claims.iter().enumerate() {
            match compiler.formula(claim.formula) {
                Some(node) => {
                    let multisets = multisets(instance, claims.correspondence, claim.formula);
                    formulas.push((number, node, multisets));
                }
                None => left_out.push(number),
            }
        }
        let compiled = Compiled {
            instance,
            code: compiler.code,
            formulas,
            left_out,
        };
        (compiled, compiler.interned)
    }

    fn judge(&self, interned: Interned) -> Judge<'_> {
        Judge {
            compiled: self,
            evaluator: Evaluator::new(&self.code, interned),
            meeting: Meeting {
                left_out: self.left_out.clone(),
                ..Meeting::default()
            },
        }
    }
}

/// The multisets whose elements a formula speaks of.
fn multisets<'i>(instance: &'i Instance, correspondence: &Correspondence, formula: Term) -> Vec<&'i Multiset> {
    if instance.multisets.is_empty() {
        return Vec::new();
    }
    let functions = functions_of(formula);
    let entries = correspondence.entries.iter();
    let slots: BTreeSet<usize> = entries
        .filter(|entry| functions.contains(&entry.function))
        .map(|entry| entry.slot)
        .collect();
    let multisets = instance.multisets.iter();
    multisets
        .filter(|multiset| {
            slots
                .range(multiset.base..multiset.base + length(multiset))
                .next()
                .is_some()
        })
        .collect()
}

fn length(multiset: &Multiset) -> usize {
    multiset.capacity * (multiset.stride + 1)
}

struct Judge<'c> {
    compiled: &'c Compiled<'c>,
    evaluator: Evaluator<'c>,
    meeting: Meeting,
}

impl Judge<'_> {
    /// Whether this many operations are done.
    fn has_done(&self, operations: Option<u64>) -> bool {
        operations.is_some_and(|operations| self.evaluator.operations >= operations)
    }

    /// Holds all claims against a state; false where it contradicts one.
    fn look(&mut self, state: &[i64], lists: &Lists) -> bool {
        self.evaluator.load(state, lists);
        for (claim, node, multisets) in &self.compiled.formulas {
            if !self.evaluator.is_false(*node) {
                continue;
            }
            if !multisets.is_empty() {
                let somehow = self.is_possible(*node, multisets, state, lists);
                self.evaluator.load(state, lists);
                if somehow {
                    continue;
                }
            }
            let instance = self.compiled.instance;
            let line = |slot: usize| {
                let value = lists.text(instance, instance.slots[slot].ty, state[slot]);
                format!("{} = {value}", instance.slot_name(slot))
            };
            self.meeting.contradiction = Some(Contradiction {
                claim: *claim,
                state: (0..state.len()).map(line).collect(),
            });
            return false;
        }
        self.meeting.states += 1;
        true
    }

    /// Whether the formula is not false with another numbering of the elements, or there are too many to say.
    fn is_possible(&mut self, node: NodeId, multisets: &[&Multiset], state: &[i64], lists: &Lists) -> bool {
        let mut count: usize = 1;
        for number in multisets.iter().flat_map(|multiset| 1..=multiset.capacity) {
            count = count.saturating_mul(number);
            if count > ARRANGEMENTS {
                return true;
            }
        }
        (1..count).any(|number| {
            self.evaluator.load(&arranged(state, multisets, number), lists);
            !self.evaluator.is_false(node)
        })
    }
}

/// The state with the elements of multisets in another order, the orders being numbered through.
fn arranged(state: &[i64], multisets: &[&Multiset], mut number: usize) -> Vec<i64> {
    let mut arranged = state.to_vec();
    for multiset in multisets {
        let width = multiset.stride + 1;
        let mut left: Vec<usize> = (0..multiset.capacity).collect();
        for position in 0..multiset.capacity {
            let pick = left.remove(number % left.len().max(1));
            number /= multiset.capacity - position;
            let (from, to) = (multiset.base + pick * width, multiset.base + position * width);
            arranged[to..to + width].copy_from_slice(&state[from..from + width]);
        }
    }
    arranged
}
