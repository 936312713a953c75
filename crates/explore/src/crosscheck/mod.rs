//! Cross-checks proved facts against explored states.
//!
//! A proof is about the transition system, the explorer runs the finite instance, and two independent translations of
//! the source produce them. Every proved fact must therefore hold in every state that the explorer reaches, unless its
//! truth depends on undefined slots. A fact that is false in an explored state reveals a translation error, and the
//! proof says nothing about the source.
//!
//! A canonical representative under symmetry is itself reachable. The order of a multiset's elements has no meaning:
//! the explorer sorts them, while the system fills the first free position. A fact about such elements is contradicted
//! only if it is false for every order.

mod compile;
mod evaluate;
mod instances;
mod values;

use crate::lists::Lists;
use crate::packing::from_bytes;
use crate::search::{Observer, SearchOptions, SearchOutcome, Visited, explore_with};
use crate::simulate::{SimulateOptions, Simulation, simulate_with};
use crate::stack::on_large_stack;
use compile::{Code, Compiler, NodeId};
use evaluate::Evaluator;
use instances::FactInstances;
use logic::Cancellation;
use logic::substitute::functions_of;
use logic::{Function, Term};
use std::collections::{BTreeSet, HashSet};
use system::correspondence::Correspondence;
use system::instance::{Instance, Multiset};
use values::Interned;

/// The first states are checked without instances: most small searches end there.
const STATES_WITHOUT_INSTANCES: u64 = 16;
/// A fact about multisets with more orders of their elements than this is not contradicted.
const ARRANGEMENTS: usize = 10_000;

/// A fact that a proof claims of every reachable state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedFact {
    pub name: String,
    /// A closed formula over the state.
    pub formula: Term,
}

/// The facts to cross-check, and how the symbols of the system map to the slots of an instance.
#[derive(Clone, Copy)]
pub struct CrosscheckInput<'c> {
    pub facts: &'c [ProvedFact],
    pub correspondence: &'c Correspondence,
    /// The relations that order index sorts.
    pub orders: &'c [Function],
    /// No further state is checked after this many evaluated operations.
    pub max_operations: Option<u64>,
}

/// The result of a cross-check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CrosscheckReport {
    /// Distinct states in which no fact is false.
    pub states: u64,
    /// Indices of facts that are too deep to evaluate.
    pub skipped: Vec<usize>,
    pub contradiction: Option<Contradiction>,
    /// Whether it stopped before it had checked all states.
    pub stopped: bool,
}

/// An explored state that refutes a proved fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// Index into the facts.
    pub fact: usize,
    /// The state of the instance, one `name = value` for each slot.
    pub state: Vec<String>,
}

/// Searches like [`crate::explore`] and checks the facts in every stored state.
pub fn explore_and_crosscheck(
    instance: &Instance,
    options: &SearchOptions,
    input: CrosscheckInput,
    cancellation: &Cancellation,
    observer: &mut dyn Observer,
) -> (SearchOutcome, CrosscheckReport) {
    on_large_stack(&mut || {
        let mut report = CrosscheckReport::default();
        let outcome = explore_with(instance, options, cancellation, observer, &mut |visited| {
            report = check_visited(instance, input, visited, cancellation);
        });
        (outcome, report)
    })
}

fn check_visited(
    instance: &Instance,
    input: CrosscheckInput,
    visited: &Visited,
    cancellation: &Cancellation,
) -> CrosscheckReport {
    let (compiled, interned) = CompiledFacts::new(instance, input);
    let mut checker = compiled.checker(interned);
    let mut words = vec![0; visited.layout.words];
    let mut state = vec![0; instance.slots.len()];
    for number in 0..visited.len() {
        if number % 64 == 0 && (cancellation.is_cancelled() || checker.is_exhausted(input.max_operations)) {
            checker.report.stopped = true;
            break;
        }
        from_bytes(visited.get(number), &mut words);
        visited.layout.unpack(&words, &mut state);
        if !checker.check_state(&state, visited.lists) {
            break;
        }
    }
    checker.report
}

/// Makes random runs like [`crate::simulate`] and checks the facts in up to `max_states` distinct states.
pub fn simulate_and_crosscheck(
    instance: &Instance,
    options: &SimulateOptions,
    max_states: u64,
    input: CrosscheckInput,
    cancellation: &Cancellation,
    observer: &mut dyn Observer,
) -> (Simulation, CrosscheckReport) {
    on_large_stack(&mut || {
        let (compiled, interned) = CompiledFacts::new(instance, input);
        let mut checker = compiled.checker(interned);
        let mut seen: HashSet<Vec<i64>> = HashSet::new();
        let simulation = simulate_with(instance, options, cancellation, observer, &mut |lists, state| {
            if checker.report.states >= max_states || checker.is_exhausted(input.max_operations) {
                return false;
            }
            if seen.contains(state) {
                return true;
            }
            seen.insert(state.to_vec());
            checker.check_state(state, lists)
        });
        checker.report.stopped = simulation.stopped;
        (simulation, checker.report)
    })
}

/// The facts as code over the slots of an instance.
struct CompiledFacts<'i> {
    instance: &'i Instance,
    code: Code,
    /// The index of each fact, its code, and the multisets whose elements it mentions.
    formulas: Vec<(usize, NodeId, Vec<&'i Multiset>)>,
    skipped: Vec<usize>,
}

impl<'i> CompiledFacts<'i> {
    fn new(instance: &'i Instance, input: CrosscheckInput) -> (CompiledFacts<'i>, Interned) {
        let mut compiler = Compiler::new(instance, input.correspondence, input.orders);
        let (mut formulas, mut skipped) = (Vec::new(), Vec::new());
        for (number, fact) in input.facts.iter().enumerate() {
            match compiler.formula(fact.formula) {
                Some(node) => {
                    let multisets = multisets(instance, input.correspondence, fact.formula);
                    formulas.push((number, node, multisets));
                }
                None => skipped.push(number),
            }
        }
        let compiled = CompiledFacts {
            instance,
            code: compiler.code,
            formulas,
            skipped,
        };
        (compiled, compiler.interned)
    }

    fn checker(&self, interned: Interned) -> Checker<'_> {
        Checker {
            compiled: self,
            evaluator: Evaluator::new(&self.code, interned),
            instances: None,
            report: CrosscheckReport {
                skipped: self.skipped.clone(),
                ..CrosscheckReport::default()
            },
        }
    }
}

/// The multisets whose elements a formula mentions.
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

struct Checker<'c> {
    compiled: &'c CompiledFacts<'c>,
    evaluator: Evaluator<'c>,
    /// The instances of the facts, after the first states.
    instances: Option<FactInstances>,
    report: CrosscheckReport,
}

impl Checker<'_> {
    /// Whether the budget of operations is used up.
    fn is_exhausted(&self, max_operations: Option<u64>) -> bool {
        max_operations.is_some_and(|limit| self.evaluator.operations >= limit)
    }

    /// Checks all facts in a state; false if it refutes one.
    fn check_state(&mut self, state: &[i64], lists: &Lists) -> bool {
        if self.report.states == STATES_WITHOUT_INSTANCES && self.instances.is_none() {
            let formulas = self.compiled.formulas.iter();
            let formulas = formulas.map(|(_, node, multisets)| (*node, multisets.is_empty()));
            self.instances = Some(FactInstances::new(&self.compiled.code, formulas));
        }
        let refuted = match self.instances.take() {
            Some(mut instances) => {
                let refuted = self.refuted_instance(&mut instances, state, lists);
                self.instances = Some(instances);
                refuted
            }
            None => self.refuted_fact(state, lists),
        };
        if let Some(fact) = refuted {
            let instance = self.compiled.instance;
            let line = |slot: usize| {
                let value = lists.text(instance, instance.slots[slot].ty, state[slot]);
                format!("{} = {value}", instance.slot_name(slot))
            };
            self.report.contradiction = Some(Contradiction {
                fact,
                state: (0..state.len()).map(line).collect(),
            });
            return false;
        }
        self.report.states += 1;
        true
    }

    /// Checks each fact as a whole, and returns the first one that the state refutes.
    fn refuted_fact(&mut self, state: &[i64], lists: &Lists) -> Option<usize> {
        self.evaluator.load(state, lists, &mut |_| {});
        let facts = self.compiled.formulas.iter();
        for (fact, node, multisets) in facts {
            if self.evaluator.is_false(*node) && !self.is_excused(*node, multisets, state, lists) {
                return Some(*fact);
            }
        }
        None
    }

    /// The same, but checks only the instances whose value may differ from that in the state before, where no fact
    /// was refuted.
    fn refuted_instance(&mut self, instances: &mut FactInstances, state: &[i64], lists: &Lists) -> Option<usize> {
        instances.begin_state();
        self.evaluator
            .load(state, lists, &mut |entry| instances.entry_changed(entry));
        while let Some((formula, node, binding)) = instances.next_pending() {
            self.evaluator.bind(binding);
            if !self.evaluator.is_false(node) {
                continue;
            }
            let (fact, whole, multisets) = &self.compiled.formulas[formula];
            if !self.is_excused(*whole, multisets, state, lists) {
                return Some(*fact);
            }
        }
        None
    }

    /// Whether a fact that is false in the state is not false for some other order of the elements of multisets.
    fn is_excused(&mut self, node: NodeId, multisets: &[&Multiset], state: &[i64], lists: &Lists) -> bool {
        if multisets.is_empty() {
            return false;
        }
        let possible = self.is_possible(node, multisets, state, lists);
        self.evaluator.load(state, lists, &mut |_| {});
        possible
    }

    /// Whether the formula is not false for some other order of the elements, or there are too many orders to try.
    fn is_possible(&mut self, node: NodeId, multisets: &[&Multiset], state: &[i64], lists: &Lists) -> bool {
        let mut count: usize = 1;
        for number in multisets.iter().flat_map(|multiset| 1..=multiset.capacity) {
            count = count.saturating_mul(number);
            if count > ARRANGEMENTS {
                return true;
            }
        }
        (1..count).any(|number| {
            let rearranged = rearrange(state, multisets, number);
            self.evaluator.load(&rearranged, lists, &mut |_| {});
            !self.evaluator.is_false(node)
        })
    }
}

/// The state with the elements of its multisets in order `number`.
fn rearrange(state: &[i64], multisets: &[&Multiset], mut number: usize) -> Vec<i64> {
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
