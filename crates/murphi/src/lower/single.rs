//! Loops over types of any size of which one round at most does anything.
//!
//! A search that ends with `return`, or one that remembers in a flag that it has found something: whichever round is
//! the first to find something acts, and it sees the state as it was before the loop; where none does, nothing
//! happens. Locals that each round sets before it reads them do not count: after the loop they are arbitrary. A type of
//! any size has no order, so the first may be any that would act. What goes wrong in a round that does not act can do
//! so, too, as any round may come first.

use super::changes::{Slot, lambda_mut, leaves, unchanged_unless};
use super::execute::{Executor, identity};
use super::meaning::assuming;
use super::parallel::{Round, Which, when_read};
use logic::{Function, Sort, Term, substitute, term};
use system::transition::Assertion;

/// What a component becomes where a condition holds: one and the same value, if that can be seen.
fn value_where(condition: Term, result: Term) -> Term {
    let result = assuming(result, condition);
    let is_it = |value: &Term| unchanged_unless(term::not(condition), result, *value);
    leaves(result).into_iter().find(is_it).unwrap_or(result)
}

/// What must hold of a round that does not act.
fn value_where_not(acts: Term, assertion: Term) -> Term {
    if unchanged_unless(acts, assertion, term::bool(true)) {
        term::bool(true)
    } else {
        term::or([acts, assertion])
    }
}

impl Executor<'_, '_> {
    /// The state after the loop, where no round does anything but the first for which `acts` holds. False, and nothing
    /// done, where that is not so or cannot be seen.
    pub(super) fn single_round(&mut self, round: &Round, acts: Term) -> bool {
        // An assumption of a round that does not come to pass would excuse what is there.
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
            // Where it matters which round acts, it must not go wrong in that one, and else in none.
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

    /// Whether a component is a local of which no round sees what another one left there.
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

    /// Conditions under which a round acts, each by a flag that says whether one has acted before: rounds do nothing
    /// where it says so, and those that do something set it.
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

    /// The condition that a round acts, if it does so only while the flag has this value.
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
        // Rounds that come after the one that acts must not go wrong either, in a state that is not looked at.
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
