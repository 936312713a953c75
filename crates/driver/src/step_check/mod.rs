//! States behind guards: a net for mistakes in rules that exploration never fires.
//!
//! Exploration of small instances never passes `x - y == 98765 & x + 2*y == 949766`, so that a wrong system behind
//! such a guard contradicts no explored state. For each rule a solver is asked for states in which its guard holds, in
//! which a branch of its body is taken, and in which one conjunct of the guard alone does not hold; what the rule says
//! is read off the instance (`symbolic`), not off the system that is to be tested. From each of these states, which
//! need not be reachable, the explorer and the system make one step, and they must agree (`explore::check_steps`).

mod symbolic;

use crate::crosscheck::sizes_of;
use crate::lanes::Lane;
use crate::model::ModelTask;
use explore::{ChosenState, Disagreement};
use logic::{Function, Sort, Term, term};
use smt::{Answer, Purpose, Solver, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use symbolic::{Outline, assumed, conditions, outline};
use system::TransitionSystem;
use system::correspondence::{Correspondence, SlotDecoder};
use system::frontend::TypeSize;
use system::instance::{Instance, Parameter, PropertyKind, Rule, Type, UNDEFINED};

/// How many elements types of any size have: no two neighbours have the same number.
const SIZES: [i64; 2] = [3, 2];
/// Of each rule this many states are looked for, where it has branches, and this many rules are looked at.
const STATES: usize = 8;
const RULES: usize = 150;
/// No further rule after so many checks, each of which may spend so much. German's protocol takes 100.
const CHECKS: usize = 300;
const RESOURCES: u32 = 60_000;
/// A model of a guard is random where the solver can be talked into these values: so often it is asked.
const WISHES: usize = 3;
/// States with more slots than this, together, are not looked for.
const SLOTS: usize = 2_000_000;
/// Lists have fewer elements.
const LENGTHS: i64 = 3;
/// Integers without bounds lie between minus this and this.
const WIDE: i64 = 1_000_000_000;

/// The steps that a proof was held against.
#[derive(Clone, Debug, Default)]
pub struct StepCheck {
    pub sizes: Vec<(String, i64)>,
    /// States from which instance and system make the same step.
    pub states: u64,
    /// How many rules fired in one of them, of how many.
    pub rules: u64,
    pub of: u64,
}

/// A step that instance and system do not make alike.
pub struct StepDisagreement {
    pub sizes: Vec<(String, i64)>,
    pub disagreement: Disagreement,
}

/// Makes steps from states that the solver finds. None where there is no instance to make them in. The proof is not in
/// doubt where a solver fails here: then there are fewer states.
pub(crate) fn check_steps(task: &ModelTask) -> Option<Result<StepCheck, Box<StepDisagreement>>> {
    let any: Vec<&str> = task
        .sizes()
        .iter()
        .filter(|ty| ty.is_any())
        .map(|ty| ty.name.as_str())
        .collect();
    let size = |ty: &TypeSize| match any.iter().position(|name| *name == ty.name) {
        Some(number) => SIZES[number % SIZES.len()],
        None => ty.size,
    };
    let (input, instance) = task.instances().with_sizes(size)?;
    let correspondence = input.model.correspondence(&instance)?;
    let solvers = &task.context.uncounted().solvers;
    let chosen = chosen_states(&instance, task.system(), &correspondence, solvers);
    let sizes = sizes_of(&input);
    let cancellation = solvers.cancellation();
    let found = explore::check_steps(&instance, task.system(), &correspondence, &chosen, cancellation);
    Some(match found {
        Ok(report) => Ok(StepCheck {
            sizes,
            states: report.states as u64,
            rules: report.fired.len() as u64,
            of: instance.rules.len() as u64,
        }),
        Err(disagreement) => Err(Box::new(StepDisagreement { sizes, disagreement })),
    })
}

/// For each rule of an instance a few states that are of interest to it, which the table reads.
pub fn chosen_states(
    instance: &Instance,
    system: &TransitionSystem,
    correspondence: &Correspondence,
    solvers: &Solvers,
) -> Vec<ChosenState> {
    let solvers = solvers.with_resources(RESOURCES);
    // Z3 answers by what its context has seen before: here nothing.
    std::thread::scope(|scope| {
        let choose = || Chooser::new(instance, system, correspondence, &solvers).states();
        Lane::start(scope, solvers.cancellation(), choose).map_or_else(|_| Vec::new(), Lane::result)
    })
}

/// That multisets of which one of these slots is a part have their elements where the explorer puts them, so that a
/// rule finds the one that its parameter means.
fn in_order(instance: &Instance, slots: &[usize]) -> Term {
    let int = |value: i64| term::int(i128::from(value));
    let is = |slot: usize| match symbol(instance, slot).apply([]) {
        truth if truth.sort() == Sort::Bool => term::ite(truth, int(1), int(0)),
        number => number,
    };
    let mut parts = Vec::new();
    for multiset in &instance.multisets {
        let width = multiset.stride + 1;
        let region = multiset.base..multiset.base + multiset.capacity * width;
        if !slots.iter().any(|slot| region.contains(slot)) {
            continue;
        }
        for number in 1..multiset.capacity {
            let (before, here) = (multiset.base + (number - 1) * width, multiset.base + number * width);
            let is_present = |slot: usize| term::equal(is(slot), int(1));
            let mut sorted = vec![is_present(before)];
            if width > 1 {
                sorted.push(term::less_equal(is(before + 1), is(here + 1)));
            }
            parts.push(term::implies(is_present(here), term::and(sorted)));
        }
    }
    term::and(parts)
}

/// The slots, and the length of all lists in the place behind the last one.
fn places(instance: &Instance) -> impl Iterator<Item = usize> {
    0..=instance.slots.len()
}

fn symbol(instance: &Instance, place: usize) -> Function {
    match place == instance.slots.len() {
        true => symbolic::length(),
        false => symbolic::symbol(instance, place),
    }
}

/// The least value of a place and how many it has, 0 where that is no fixed number.
fn bounds(instance: &Instance, place: usize) -> (i64, i64) {
    match instance.slots.get(place) {
        Some(slot) => instance.bounds(slot.ty),
        None => (0, LENGTHS),
    }
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count.max(1)
    }

    /// From `low` on, so many values.
    fn among(&mut self, low: i64, count: i64) -> i64 {
        let offset = self.below(count.unsigned_abs());
        low.saturating_add(i64::try_from(offset).unwrap_or_default())
    }
}

struct Chooser<'i> {
    instance: &'i Instance,
    solvers: &'i Solvers,
    dice: Dice,
    checks: usize,
    /// Where the system tells what is defined.
    may_be_undefined: BTreeSet<usize>,
    slots: BTreeMap<Function, usize>,
    /// What the model assumes of all states.
    assumed: Term,
}

impl<'i> Chooser<'i> {
    fn new(
        instance: &'i Instance,
        system: &TransitionSystem,
        correspondence: &Correspondence,
        solvers: &'i Solvers,
    ) -> Chooser<'i> {
        let is_rigid = |function| system.rigid.iter().any(|symbol| symbol.function == function);
        let rigid = correspondence.entries.iter().filter(|entry| is_rigid(entry.function));
        let defined = correspondence.entries.iter();
        let defined = defined.filter(|entry| matches!(entry.reading, SlotDecoder::Defined));
        let is_of_multiset = |slot: &usize| {
            let mut multisets = instance.multisets.iter();
            multisets.any(|m| (m.base..m.base + m.capacity * (m.stride + 1)).contains(slot))
        };
        Chooser {
            instance,
            solvers,
            dice: Dice(0),
            checks: 0,
            may_be_undefined: defined
                .map(|entry| entry.slot)
                .filter(|slot| !is_of_multiset(slot))
                .collect(),
            assumed: assumed(instance, &rigid.map(|entry| entry.slot).collect()),
            slots: places(instance).map(|slot| (symbol(instance, slot), slot)).collect(),
        }
    }

    fn states(mut self) -> Vec<ChosenState> {
        let mut states = Vec::new();
        for (number, rule) in self.instance.rules.iter().enumerate().take(RULES) {
            let is_over = self.checks >= CHECKS || states.len() * self.instance.slots.len() > SLOTS;
            if is_over || self.solvers.cancellation().is_cancelled() {
                break;
            }
            let Some(parameters) = self.parameters(rule) else {
                continue;
            };
            let outline = outline(self.instance, rule, &parameters);
            // A solver that fails finds nothing more for this rule.
            let _ = self.of_rule(number, &parameters, &outline, &mut states);
        }
        let _ = self.of_properties(&mut states);
        states
    }

    /// States that violate a property, so that one which says less in the system is noticed.
    fn of_properties(&mut self, states: &mut Vec<ChosenState>) -> Result<(), SolverError> {
        let instance = self.instance;
        let Some(parameters) = instance.rules.first().and_then(|rule| self.parameters(rule)) else {
            return Ok(());
        };
        let mut solver = self.solvers.solver()?;
        for condition in conditions(instance, PropertyKind::Invariant).into_iter().take(STATES) {
            let target = term::and([self.assumed, term::not(condition)]);
            solver.push()?;
            self.look_for(&mut *solver, target, (0, &parameters), states)?;
            solver.pop()?;
        }
        Ok(())
    }

    /// Random values; of types with few of them no two are the same, since rules are dull for one element twice.
    fn parameters(&mut self, rule: &Rule) -> Option<Vec<i64>> {
        let count = |p: &Parameter| {
            let width = p.high.checked_sub(p.low)?.checked_div(p.step)?;
            (width >= 0).then(|| width.saturating_add(1))
        };
        let mut values: Vec<(usize, i64)> = Vec::new();
        for parameter in &rule.parameters {
            let count = count(parameter)?;
            let mut value = 0;
            for _ in 0..4 {
                let step = self.dice.among(0, count);
                value = parameter.low.saturating_add(step.saturating_mul(parameter.step));
                if !values.contains(&(parameter.ty, value)) {
                    break;
                }
            }
            values.push((parameter.ty, value));
        }
        Some(values.into_iter().map(|(_, value)| value).collect())
    }

    fn of_rule(
        &mut self,
        rule: usize,
        parameters: &[i64],
        outline: &Outline,
        states: &mut Vec<ChosenState>,
    ) -> Result<(), SolverError> {
        let guard = term::and(outline.guard.iter().copied());
        let mut targets = vec![guard];
        let mut branches = outline.branches.clone();
        while targets.len() + 1 < STATES && !branches.is_empty() {
            let branch = branches.swap_remove(self.dice.below(branches.len() as u64) as usize);
            targets.push(term::and([guard, branch]));
        }
        if !outline.guard.is_empty() {
            let wrong = self.dice.below(outline.guard.len() as u64) as usize;
            let conjuncts = outline.guard.iter().enumerate();
            targets.push(term::and(
                conjuncts.map(|(n, c)| if n == wrong { term::not(*c) } else { *c }),
            ));
        }
        let mut solver = self.solvers.solver()?;
        for target in targets {
            let target = term::and([target, self.assumed]);
            solver.push()?;
            self.look_for(&mut *solver, target, (rule, parameters), states)?;
            solver.pop()?;
        }
        Ok(())
    }

    /// Adds a state in which the target holds, for one step of a rule.
    fn look_for(
        &mut self,
        solver: &mut dyn Solver,
        target: Term,
        (rule, parameters): (usize, &[i64]),
        states: &mut Vec<ChosenState>,
    ) -> Result<(), SolverError> {
        let target = term::and([target, in_order(self.instance, &self.mentioned(target))]);
        let mentioned = self.mentioned(target);
        for slot in &mentioned {
            solver.assert(self.bounds(*slot))?;
        }
        solver.assert(target)?;
        if let Some(known) = self.solve(solver, &mentioned)? {
            let (slots, lists) = self.state(&known, states.len() % 2 == 1);
            states.push(ChosenState {
                rule,
                parameters: parameters.to_vec(),
                slots,
                lists,
            });
        }
        Ok(())
    }

    fn mentioned(&self, target: Term) -> Vec<usize> {
        let functions = logic::substitute::functions_of(target).into_iter();
        functions
            .filter_map(|function| self.slots.get(&function).copied())
            .collect()
    }

    /// What the type of a slot says of its symbol.
    fn bounds(&self, slot: usize) -> Term {
        let symbol = symbol(self.instance, slot);
        if symbol.result() == Sort::Bool {
            return term::bool(true);
        }
        let (low, high) = match bounds(self.instance, slot) {
            (_, 0) => (-WIDE, WIDE),
            (low, count) => (low, low.saturating_add(count - 1)),
        };
        let (value, int) = (symbol.apply([]), |n: i64| term::int(i128::from(n)));
        term::and([term::less_equal(int(low), value), term::less_equal(value, int(high))])
    }

    /// Values for the mentioned slots, at random as far as what is asserted allows.
    fn solve(
        &mut self,
        solver: &mut dyn Solver,
        mentioned: &[usize],
    ) -> Result<Option<BTreeMap<usize, i64>>, SolverError> {
        let random: Vec<i64> = mentioned.iter().map(|slot| self.random(*slot)).collect();
        let wishes = mentioned.iter().zip(random).map(|(slot, value)| {
            let symbol = symbol(self.instance, *slot).apply([]);
            match symbol.sort() {
                Sort::Bool if value == 0 => term::not(symbol),
                Sort::Bool => symbol,
                _ => term::equal(symbol, term::int(i128::from(value))),
            }
        });
        let mut wishes: Vec<Term> = wishes.collect();
        let mut found = None;
        for round in 0..=WISHES {
            if round == WISHES {
                wishes.clear();
            }
            self.checks += 1;
            match solver.check_assuming(Purpose::Other, &wishes)? {
                Answer::Sat => {
                    let model = solver.model()?;
                    let mut values = BTreeMap::new();
                    for slot in mentioned {
                        let value = model.value(symbol(self.instance, *slot).apply([]))?;
                        let number = value.as_bool().map(i128::from).or(value.as_int());
                        values.extend(number.and_then(|n| i64::try_from(n).ok()).map(|n| (*slot, n)));
                    }
                    found = Some(values);
                    break;
                }
                Answer::Unsat => {
                    let core = solver.unsat_core()?;
                    if core.is_empty() || wishes.is_empty() {
                        break;
                    }
                    wishes.retain(|wish| !core.contains(wish));
                }
                Answer::Unknown(_) => wishes.clear(),
            }
        }
        Ok(found)
    }

    /// A value that the slot can hold.
    fn random(&mut self, slot: usize) -> i64 {
        match bounds(self.instance, slot) {
            (_, 0) => self.dice.among(-3, 10),
            (low, count) => self.dice.among(low, count),
        }
    }

    /// A state with these values, and random ones elsewhere. What is absent from a multiset is undefined, and so may
    /// other slots be.
    fn state(&mut self, known: &BTreeMap<usize, i64>, undefined: bool) -> (Vec<i64>, Vec<(usize, Vec<i64>)>) {
        let (mut slots, mut lists) = (Vec::new(), Vec::new());
        // A list of records is one list for each field: all have the same length.
        let length = self.instance.slots.len();
        let length = known.get(&length).copied().unwrap_or_else(|| self.random(length));
        for slot in 0..self.instance.slots.len() {
            let value = match (known.get(&slot), &self.instance.types[self.instance.slots[slot].ty]) {
                (_, Type::List { element }) => {
                    let (low, count) = self.instance.bounds(*element);
                    let elements = (0..length).map(|_| self.dice.among(low, count.max(1))).collect();
                    lists.push((slot, elements));
                    0
                }
                (Some(value), _) => *value,
                (None, _) if undefined && self.may_be_undefined.contains(&slot) && self.dice.below(3) == 0 => UNDEFINED,
                (None, _) => self.random(slot),
            };
            slots.push(value);
        }
        for multiset in &self.instance.multisets {
            let width = multiset.stride + 1;
            let elements = slots[multiset.base..].chunks_exact_mut(width).take(multiset.capacity);
            elements
                .filter(|element| element[0] != 1)
                .for_each(|element| element.fill(UNDEFINED));
        }
        lists.retain(|(slot, _)| slots[*slot] != UNDEFINED);
        (slots, lists)
    }
}

#[cfg(test)]
mod tests;
