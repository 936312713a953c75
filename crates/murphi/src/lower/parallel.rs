//! Loops over parametric types as one simultaneous update.
//!
//! The body is executed once, for an iteration `v` that represents all of them, from an arbitrary state: every
//! component that an iteration changes is a new symbol. Executing all iterations simultaneously is equivalent to the
//! loop if
//! - each changed component is of one of these kinds: it has an index that is always the iteration's own, `f'(u) =
//!   e(u)` for `u = v` and `f(u)` otherwise; or every iteration that changes it sets it to the same value, so that it
//!   is set if some iteration does so; or each sets it to a value of its own, where the last one wins, which may be any
//!   of them since a parametric type has no order; or each adds the same number to it, and it is known whether none,
//!   one or several did (`counting`);
//! - no iteration reads what another one writes.
//!
//! Loops in which at most one iteration has an effect, such as a search that ends with `return`, are handled by
//! `single`.
//!
//! A local that each iteration sets before it reads it is a scratch variable. After the loop it has the value of some
//! iteration or, if that depends on other iterations, an arbitrary one. All other loops are refused, with their span.

use super::Open;
use super::changes::{Change, Slot, classify, foreign_read, lambda, lambda_mut, slots};
use super::counting;
use super::execute::{Binding, Choice, Executor, State, identity};
use super::meaning::{Meaning, assuming, is_parameter, parameter};
use super::shape::Role;
use crate::model::*;
use logic::hashing::FastMap;
use logic::{Function, Lambda, Sort, Substitution, Term, Variable, substitute, term};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::transition::{Assertion, AssertionKind};

/// Sizes of lists before the loop.
#[derive(Clone, Copy)]
struct Counts {
    assertions: usize,
    choices: usize,
    refusals: usize,
}

/// The effect of one iteration, which represents all of them.
pub(super) struct Round<'r> {
    /// The loop.
    pub(super) span: Span,
    pub(super) entry: &'r State,
    pub(super) variable: Variable,
    /// The symbols of the changed components before the iteration.
    pub(super) symbols: BTreeMap<Slot, Function>,
    /// Their values after it, if changed.
    pub(super) results: BTreeMap<Slot, Term>,
    /// That it returns from the code around the loop.
    pub(super) returns: Term,
    /// Its assumptions.
    pub(super) possible: Term,
    /// Its assertions and choices are those from these positions on.
    pub(super) assertions: usize,
    pub(super) choices: usize,
}

impl Round<'_> {
    /// Maps the symbols to the values at loop entry.
    pub(super) fn known(&self) -> Substitution {
        let at_entry = self.symbols.iter();
        let at_entry = at_entry.filter_map(|(slot, symbol)| Some((*symbol, lambda(self.entry, *slot)?.clone())));
        Substitution::of_functions(at_entry)
    }
}

/// Which of the iterations that satisfy a condition is meant.
#[derive(Clone, Copy)]
pub(super) enum Which {
    First,
    Last,
}

/// A read asserts a mark that iterations only ever set: at the time of the read the mark is set, or still has its value
/// at loop entry. The assertion at that point is therefore all there is to check.
pub(super) fn when_read(assertion: &Assertion, marks: &[Function]) -> Option<Term> {
    let is = |mark: &Function, value: bool| {
        let parameters = identity(*mark).parameters;
        let body = term::bool(value);
        Substitution::of_functions([(*mark, Lambda { parameters, body })]).apply(assertion.condition)
    };
    let is_read = assertion.kind == AssertionKind::UndefinedRead;
    let mark = marks.iter().filter(|_| is_read).find(|mark| is(mark, true).is_true())?;
    Some(is(mark, false))
}

impl Executor<'_, '_> {
    pub(crate) fn parallel(
        &mut self,
        local: LocalId,
        variable: Variable,
        meaning: Meaning,
        body: &[Statement],
        span: Span,
    ) {
        let counts = Counts {
            assertions: self.assertions.len(),
            choices: self.choices.len(),
            refusals: self.refusals.len(),
        };
        // Earlier assumptions hold in every iteration; each adds its own.
        let path = self.path;
        let assumed = std::mem::replace(&mut self.state.possible, term::bool(true));
        self.path = term::and([path, assumed]);
        let entry = self.state.clone();
        self.scope.push(variable);
        self.rounds.push(variable);
        self.bind(local, Binding::Value(meaning.clone()));
        let all: BTreeSet<Slot> = slots(&self.state).into_iter().collect();
        let changed: BTreeSet<Slot> = {
            let symbols = self.make_unknown(&all);
            self.run(body);
            let after = |slot: Slot| lambda(&self.state, slot).map(|l| l.body);
            let is_changed = |(slot, symbol): &(Slot, Function)| after(*slot) != Some(identity(*symbol).body);
            symbols.into_iter().filter(is_changed).map(|(slot, _)| slot).collect()
        };
        let failed = self.refusals.len() > counts.refusals;
        self.assertions.truncate(counts.assertions);
        self.choices.truncate(counts.choices);
        self.state = entry.clone();
        if !failed {
            self.bind(local, Binding::Value(meaning));
            self.all_rounds(&entry, variable, &changed, body, span, counts);
        }
        self.scope.pop();
        self.rounds.pop();
        self.path = path;
        self.state.possible = term::and([assumed, self.state.possible]);
    }

    fn all_rounds(
        &mut self,
        entry: &State,
        variable: Variable,
        changed: &BTreeSet<Slot>,
        body: &[Statement],
        span: Span,
        counts: Counts,
    ) {
        let symbols = self.make_unknown(changed);
        self.run(body);
        let after = std::mem::replace(&mut self.state, entry.clone());
        let result = |(slot, symbol): (&Slot, &Function)| {
            let result = lambda(&after, *slot)?.body;
            (result != identity(*symbol).body).then_some((*slot, result))
        };
        let stays = assuming(after.active, entry.active);
        let round = Round {
            span,
            entry,
            variable,
            results: symbols.iter().filter_map(result).collect(),
            symbols,
            returns: term::and([entry.active, term::not(stays)]),
            possible: after.possible,
            assertions: counts.assertions,
            choices: counts.choices,
        };
        if !round.returns.is_false() {
            if !self.single_round(&round, round.returns) {
                let message = "`return` inside a loop over a type of any size, of which other rounds do something";
                let help = "rounds of such a loop happen at once: move the `return` out of it";
                self.unsupported_at_any_size(variable.sort, span, message, help);
            }
            return;
        }
        let mut changes = self.changes(&round);
        let Some(slot) = self.conflict(&mut changes, &round) else {
            return self.at_once(&round, changes);
        };
        let done = self
            .flags(&round)
            .into_iter()
            .any(|acts| self.single_round(&round, acts));
        if !done {
            let name = self.slot_name(slot);
            let help = "the rounds of a loop over a type of any size happen all at once: each may change only what \
                        belongs to its own element, and read only what no other round changes; `--fixed` takes the \
                        type at its declared size instead";
            let message = format!("the rounds of this loop depend on each other through `{name}`");
            self.unsupported_at_any_size(variable.sort, span, message, help);
        }
    }

    pub(super) fn changes(&self, round: &Round) -> BTreeMap<Slot, Change> {
        let change = |(slot, result): (&Slot, &Term)| {
            let change = classify(round.symbols[slot], *result, round.variable);
            (*slot, change)
        };
        round.results.iter().map(change).collect()
    }

    /// The combined effect of all iterations if they are independent.
    fn at_once(&mut self, round: &Round, changes: BTreeMap<Slot, Change>) {
        let (variable, known) = (round.variable, round.known());
        let mut numbers: BTreeMap<Slot, Lambda> = BTreeMap::new();
        for (slot, change) in &changes {
            if let Change::Count { condition, step } = change {
                let number = self.number_of_rounds(round, *condition, &known, round.symbols[slot]);
                let symbol = round.symbols[slot];
                for assertion in &mut self.assertions[round.assertions..] {
                    assertion.condition =
                        counting::at_both_ends(assertion.condition, symbol, (*condition, *step), &number);
                }
                numbers.insert(*slot, number);
            }
        }
        self.generalise(variable, round.assertions, round.choices);
        self.at_entry(round, &known);
        self.state.possible = known.apply(term::forall([variable], round.possible));
        for (slot, change) in changes {
            let old = identity(round.symbols[&slot]).body;
            let body = match change {
                Change::Own(position) => {
                    let own = parameter(position, variable.sort).term();
                    Substitution::of_variables([(variable, own)]).apply(round.results[&slot])
                }
                Change::Set { condition, value } => {
                    let some_round = term::exists([variable], condition);
                    let value = self.value_of_some_round(round, condition, value, &known, Which::Last);
                    term::ite(some_round, value, old)
                }
                Change::Count { condition, step } => {
                    let new = term::add([old, term::multiply(term::int(step), numbers[&slot].body)]);
                    // In an array of many counters, most are unchanged.
                    let is_one = numbers[&slot].parameters.is_empty();
                    let some_round = term::or([term::bool(is_one), term::exists([variable], condition)]);
                    term::ite(some_round, new, old)
                }
                Change::Scratch => self.scratch_value(round, slot),
            };
            let body = known.apply(body);
            if let Some(target) = lambda_mut(&mut self.state, slot) {
                target.body = body;
            }
        }
    }

    /// Substitutes the values at loop entry for the symbols.
    pub(super) fn at_entry(&mut self, round: &Round, known: &Substitution) {
        for assertion in &mut self.assertions[round.assertions..] {
            assertion.condition = known.apply(assertion.condition);
        }
        for choice in &mut self.choices[round.choices..] {
            choice.apply(known);
        }
    }

    /// Gives each of these components a new symbol.
    fn make_unknown(&mut self, slots: &BTreeSet<Slot>) -> BTreeMap<Slot, Function> {
        let mut symbols = BTreeMap::new();
        for &slot in slots {
            let number = self.lowering.next_choice();
            if let Some(target) = lambda_mut(&mut self.state, slot) {
                let sorts: Vec<Sort> = target.parameters.iter().map(|p| p.sort).collect();
                let symbol = Function::new(format!("entry!{number}").as_str(), sorts, target.body.sort());
                *target = identity(symbol);
                symbols.insert(slot, symbol);
            }
        }
        symbols
    }

    /// The variables that a choice determined by a condition depends on: those of enclosing loops, and indices.
    pub(super) fn around(
        &self,
        variable: Variable,
        condition: Term,
        known: &Substitution,
    ) -> (Vec<Variable>, Vec<Variable>) {
        let free = substitute::free_variables(known.apply(condition));
        let is_around = |round: &Variable| *round != variable && free.contains(round);
        let mut around: Vec<Variable> = self.rounds.iter().copied().filter(is_around).collect();
        let indices: Vec<Variable> = free.iter().copied().filter(|v| is_parameter(*v)).collect();
        around.extend(&indices);
        (around, indices)
    }

    /// The value from some iteration that satisfies the condition; the same iteration for the same condition.
    pub(super) fn value_of_some_round(
        &mut self,
        round: &Round,
        condition: Term,
        value: Term,
        known: &Substitution,
        which: Which,
    ) -> Term {
        let variable = round.variable;
        if !substitute::free_variables(value).contains(&variable) {
            return value;
        }
        let (around, indices) = self.around(variable, condition, known);
        let word = match which {
            Which::First => "first",
            Which::Last => "some",
        };
        let name = self.lowering.name_by_condition(word, variable, condition);
        let symbol = Function::new(name.as_str(), around.iter().map(|v| v.sort).collect(), variable.sort);
        let some_round = symbol.apply(around.iter().map(|v| v.term()).collect::<Vec<_>>());
        let at_round = Substitution::of_variables([(variable, some_round)]);
        if self.choices.iter().all(|known| known.function != symbol) {
            let fits = term::implies(term::exists([variable], condition), at_round.apply(condition));
            self.pick(Choice::new(symbol, known.apply(term::forall(indices, fits))));
            let note = self.lowering.shapes.has_order(variable.sort).then(|| match which {
                Which::First => "a proof takes any value that fits as the first that this loop finds".to_owned(),
                Which::Last => "a proof takes any value that fits as the last that this loop finds".to_owned(),
            });
            self.leaves_open(round, symbol, note);
        }
        at_round.apply(value)
    }

    pub(super) fn leaves_open(&self, round: &Round, symbol: Function, note: Option<String>) {
        let open = Open {
            sort: round.variable.sort,
            span: round.span,
            note,
        };
        self.lowering.made_by_loop(symbol, open);
    }

    /// An arbitrary value, one for each iteration of the enclosing loops.
    pub(super) fn scratch_value(&mut self, round: &Round, slot: Slot) -> Term {
        let (symbol, variable) = (round.symbols[&slot], round.variable);
        let number = self.lowering.next_choice();
        let around = self.rounds.iter().copied().filter(|v| *v != variable);
        let indices = symbol
            .parameters()
            .iter()
            .enumerate()
            .map(|(n, sort)| parameter(n, *sort));
        let arguments: Vec<Variable> = around.chain(indices).collect();
        let sorts = arguments.iter().map(|v| v.sort).collect();
        let choice = Function::new(format!("scratch!{number}").as_str(), sorts, symbol.result());
        self.pick(Choice::new(choice, term::bool(true)));
        let note = format!("a proof takes any value of `{}` after this loop", self.slot_name(slot));
        self.leaves_open(round, choice, Some(note));
        choice.apply(arguments.iter().map(|v| v.term()).collect::<Vec<_>>())
    }

    /// A component through which one iteration can observe another, if any. Locals for which that does not matter
    /// become scratch variables.
    fn conflict(&self, changes: &mut BTreeMap<Slot, Change>, round: &Round) -> Option<Slot> {
        let variable = round.variable;
        let mut own: FastMap<Function, (Slot, Option<usize>)> = FastMap::default();
        for (slot, change) in changes.iter() {
            let position = if let Change::Own(position) = change {
                Some(*position)
            } else {
                None
            };
            own.insert(round.symbols[slot], (*slot, position));
        }
        let mut seen_by_rounds: Vec<Term> = vec![round.possible];
        for (slot, change) in changes.iter_mut() {
            match change {
                Change::Own(position) => {
                    let parameter = parameter(*position, variable.sort);
                    let own = Substitution::of_variables([(parameter, variable.term())]);
                    seen_by_rounds.push(own.apply(round.results[slot]));
                }
                Change::Set { condition, value } => {
                    let seen = [*condition, *value];
                    if slot.is_local() && foreign_read(&seen, &own, variable.term()).is_some() {
                        *change = Change::Scratch;
                    } else {
                        seen_by_rounds.extend(seen);
                    }
                }
                Change::Count { condition, .. } => seen_by_rounds.push(*condition),
                // The value of a scratch variable matters only through its uses.
                Change::Scratch => {}
            }
        }
        let counters: Vec<Function> = changes
            .iter()
            .filter(|(_, change)| matches!(change, Change::Count { .. }))
            .map(|(slot, _)| round.symbols[slot])
            .collect();
        let marks = self.marks_only_set(changes, round);
        for assertion in &self.assertions[round.assertions..] {
            let whole = || counting::apart_from_checks(assertion.condition, &counters);
            seen_by_rounds.push(when_read(assertion, &marks).unwrap_or_else(whole));
        }
        // Axioms of an iteration's choices hold in that iteration.
        seen_by_rounds.extend(self.choices[round.choices..].iter().map(|choice| choice.fact));
        foreign_read(&seen_by_rounds, &own, variable.term()).or_else(|| {
            // Neither scratch nor any other simultaneous update.
            changes
                .iter()
                .find(|(slot, change)| !slot.is_local() && matches!(change, Change::Scratch))
                .map(|c| *c.0)
        })
    }

    /// Marks that iterations set and never reset.
    pub(super) fn marks_only_set(&self, changes: &BTreeMap<Slot, Change>, round: &Round) -> Vec<Function> {
        let is_only_set = |change: &Change| matches!(change, Change::Set { value, .. } if value.is_true());
        let marks = changes
            .iter()
            .filter(|(slot, change)| is_only_set(change) && self.is_mark(**slot));
        marks.map(|(slot, _)| round.symbols[slot]).collect()
    }

    fn is_mark(&self, slot: Slot) -> bool {
        let (ty, component) = match slot {
            Slot::Variable(id, component) => (self.lowering.model.variables[id].ty, component),
            Slot::Local {
                frame,
                local,
                component,
            } => (self.local_of(frame, local).ty, component),
            Slot::Result { .. } => return false,
        };
        let components = self.components(ty);
        components
            .get(component)
            .is_some_and(|component| component.role == Role::Defined)
    }

    fn slot_name(&self, slot: Slot) -> String {
        match slot {
            Slot::Variable(id, _) => self.lowering.model.variables[id].name.clone(),
            Slot::Local { frame, local, .. } => self.local_of(frame, local).name.clone(),
            Slot::Result { .. } => "return".to_owned(),
        }
    }
}
