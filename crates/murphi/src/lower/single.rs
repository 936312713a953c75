//! Loops over parametric types in which at most one iteration has an effect.
//!
//! Examples are a search that ends with `return`, or that records in a flag that it has found something: the first
//! iteration that succeeds acts, and sees the state at loop entry; if none succeeds, nothing happens. Locals that each
//! iteration sets before it reads them are ignored: after the loop they are arbitrary. A parametric type has no order,
//! so the first iteration may be any that would act. Errors in iterations that do not act are possible as well, since
//! any iteration may come first.

use super::changes::{Slot, lambda_mut, leaves, unchanged_unless};
use super::execute::{Executor, identity};
use super::meaning::assuming;
use super::parallel::{Round, Which, when_read};
use logic::{Function, Sort, Term, substitute, term};
use system::transition::Assertion;

/// The value of a component under a condition, if it visibly has a single one.
fn value_where(condition: Term, result: Term) -> Term {
    let result = assuming(result, condition);
    let is_it = |value: &Term| unchanged_unless(term::not(condition), result, *value);
    leaves(result).into_iter().find(is_it).unwrap_or(result)
}

/// The part of an assertion that concerns an iteration that does not act.
fn value_where_not(acts: Term, assertion: Term) -> Term {
    if unchanged_unless(acts, assertion, term::bool(true)) {
        term::bool(true)
    } else {
        term::or([acts, assertion])
    }
}

impl Executor<'_, '_> {
    /// The state after a loop in which only the first iteration that satisfies `acts` has an effect. Returns false,
    /// without changes, if that does not hold or cannot be seen.
    pub(super) fn single_round(&mut self, round: &Round, acts: Term) -> bool {
        // The assumption of an iteration that does not happen would excuse existing errors.
        if !round.possible.is_true() {
            return false;
        }
        let is_idle = |(slot, result): (&Slot, &Term)| {
            let old = identity(round.symbols[slot]).body;
            unchanged_unless(acts, *result, old)
        };
        let (idle, busy): (Vec<_>, Vec<_>) = round.results.iter().partition(|change| is_idle(*change));
        if !busy.iter().all(|(slot, _)| self.is_set_first(round, acts, **slot)) {
            return false;
        }
        let (variable, known) = (round.variable, round.known());
        let some_acts = term::exists([variable], acts);
        let values: Vec<(Slot, Term)> = idle
            .iter()
            .map(|(slot, result)| (**slot, value_where(acts, **result)))
            .collect();
        let is_chosen = |(_, value): &(Slot, Term)| substitute::free_variables(*value).contains(&variable);
        self.generalise(variable, self.assertions.len(), round.choices);
        for number in round.assertions..self.assertions.len() {
            let assertion = self.assertions[number].condition;
            // If it matters which iteration acts, errors must be absent in that one, and otherwise in all.
            self.assertions[number].condition = if values.iter().any(is_chosen) {
                let of_first = self.value_of_some_round(round, acts, assertion, &known, Which::First);
                let of_others = term::forall([variable], value_where_not(acts, assertion));
                term::and([term::implies(some_acts, of_first), of_others])
            } else {
                term::forall([variable], assertion)
            };
        }
        self.at_entry(round, &known);
        for (slot, value) in values {
            let old = identity(round.symbols[&slot]).body;
            let new = self.value_of_some_round(round, acts, value, &known, Which::First);
            let body = known.apply(term::ite(some_acts, new, old));
            if let Some(target) = lambda_mut(&mut self.state, slot) {
                target.body = body;
            }
        }
        for (slot, _) in busy {
            let any = self.scratch_value(round, *slot);
            if let Some(target) = lambda_mut(&mut self.state, *slot) {
                target.body = any;
            }
        }
        if !round.returns.is_false() {
            let found = known.apply(some_acts);
            self.state.active = term::and([self.state.active, term::not(found)]);
        }
        true
    }

    /// Whether a component is a local that no iteration reads before setting it.
    fn is_set_first(&self, round: &Round, acts: Term, slot: Slot) -> bool {
        let symbol = round.symbols[&slot];
        let results = round.results.iter().filter(|(other, _)| **other != slot);
        let assertions = self.assertions[round.assertions..].iter().map(|a| a.condition);
        let choices = self.choices[round.choices..].iter().map(|choice| choice.fact);
        let seen = results
            .map(|(_, result)| *result)
            .chain(assertions)
            .chain(choices)
            .chain([acts]);
        slot.is_local()
            && !seen
                .into_iter()
                .any(|part| substitute::functions_of(part).contains(&symbol))
    }

    /// Conditions for acting, derived from flags that record whether an iteration has acted before: iterations do
    /// nothing while the flag says so, and those that act set it.
    pub(super) fn flags(&self, round: &Round) -> Vec<Term> {
        let mut found = Vec::new();
        let marks = self.marks_only_set(&self.changes(round), round);
        for (slot, result) in &round.results {
            let symbol = round.symbols[slot];
            if symbol.result() != Sort::Bool || !symbol.parameters().is_empty() {
                continue;
            }
            for before in [false, true] {
                found.extend(self.acts_by_flag(round, (symbol, *result), before, &marks));
            }
        }
        found
    }

    /// The condition that an iteration acts, if it does so only while the flag has this value.
    fn acts_by_flag(
        &self,
        round: &Round,
        (flag, result): (Function, Term),
        before: bool,
        marks: &[Function],
    ) -> Option<Term> {
        let is = |part: Term, value: bool| substitute::replace(part, flag.apply([]), term::bool(value));
        let is_idle = |(slot, result): (&Slot, &Term)| {
            let old = identity(round.symbols[slot]).body;
            unchanged_unless(term::bool(false), is(*result, !before), is(old, !before))
        };
        if !round.results.iter().all(is_idle) {
            return None;
        }
        // Later iterations must not fail either, in a state that is not modelled.
        let is_changed = |function: &Function| round.symbols.values().any(|symbol| symbol == function);
        let is_same_after = |assertion: &Assertion| {
            let when = when_read(assertion, marks);
            when.is_some_and(|when| !substitute::functions_of(when).iter().any(is_changed))
        };
        let assertions = &self.assertions[round.assertions..];
        if !assertions
            .iter()
            .all(|assertion| is(assertion.condition, !before).is_true() || is_same_after(assertion))
        {
            return None;
        }
        let set = is(result, before);
        let flag = flag.apply([]);
        Some(match before {
            false => term::and([term::not(flag), set]),
            true => term::and([flag, term::not(set)]),
        })
    }
}
