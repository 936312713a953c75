//! Counts the iterations of a parametric loop that satisfy a condition.
//!
//! The count is a choice of the rule. It is axiomatised as follows: it is non-negative, zero exactly if no iteration
//! satisfies the condition, and at least two exactly if two different ones do. The bounds check of a counter is made at
//! the first and the last value that it takes, and thereby at every value in between.

use super::changes::unchanged_unless;
use super::execute::{Choice, Executor};
use super::meaning::parameter;
use super::parallel::Round;
use logic::{Function, Kind, Lambda, Sort, Substitution, Term, Variable, substitute, term};

/// The condition of a count, as functions of the same parameters as the count itself.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    parameters: Vec<Variable>,
    none: Term,
    several: Term,
}

impl Number {
    pub(super) fn apply(&mut self, known: &Substitution) {
        self.none = known.apply(self.none);
        self.several = known.apply(self.several);
    }

    /// The count, capped at two.
    fn at_most_two(&self) -> Lambda {
        let number = |value| term::int(value);
        let body = term::ite(self.none, number(0), term::ite(self.several, number(2), number(1)));
        Lambda {
            parameters: self.parameters.clone(),
            body,
        }
    }
}

impl Executor<'_, '_> {
    /// For each index of a counter, the number of iterations that satisfy the condition.
    pub(super) fn number_of_rounds(
        &mut self,
        round: &Round,
        condition: Term,
        known: &Substitution,
        counter: Function,
    ) -> Lambda {
        let variable = round.variable;
        let (around, indices) = self.around(variable, condition, known);
        let name = self.lowering.name_by_condition("number of", variable, condition);
        let symbol = Function::new(name.as_str(), around.iter().map(|v| v.sort).collect(), Sort::Int);
        let number = symbol.apply(around.iter().map(|v| v.term()).collect::<Vec<_>>());
        if self.choices.iter().all(|known| known.function != symbol) {
            let other = substitute::fresh_variable(variable, |v| self.scope.iter().any(|s| s.name == v.name));
            let of_other = Substitution::of_variables([(variable, other.term())]).apply(condition);
            let different = term::distinct(variable.term(), other.term());
            let none = known.apply(term::not(term::exists([variable], condition)));
            let several = known.apply(term::exists(
                [variable, other],
                term::and([different, condition, of_other]),
            ));
            let facts = term::and([
                term::less_equal(term::int(0), number),
                term::equal(none, term::equal(number, term::int(0))),
                term::equal(several, term::less_equal(term::int(2), number)),
            ]);
            let mut choice = Choice::new(symbol, term::forall(indices, facts));
            choice.number = Some(Number {
                parameters: around,
                none,
                several,
            });
            self.pick(choice);
            let note = "a proof knows of what this loop counts whether it is none, one or more".to_owned();
            self.leaves_open(round, symbol, Some(note));
        }
        let sorts = counter.parameters().iter().enumerate();
        Lambda {
            parameters: sorts.map(|(n, sort)| parameter(n, *sort)).collect(),
            body: number,
        }
    }
}

/// Turns an assertion about a counter in one iteration into one about its first and last value in any iteration: a
/// value that is within bounds at both ends is so in between. A counting iteration is preceded by at most all other
/// counting ones, and any other iteration possibly by all of them.
pub(super) fn at_both_ends(assertion: Term, counter: Function, change: (Term, i128), number: &Lambda) -> Term {
    if !substitute::functions_of(assertion).contains(&counter) {
        return assertion;
    }
    let (condition, step) = change;
    let path = match assertion.kind() {
        Kind::Implies(path, _) => *path,
        _ => term::bool(true),
    };
    let counts = unchanged_unless(condition, path, term::bool(false));
    let others = term::subtract(number.body, term::int(i128::from(counts)));
    let indices: Vec<Term> = number.parameters.iter().map(|p| p.term()).collect();
    let last = Lambda {
        parameters: number.parameters.clone(),
        body: term::add([counter.apply(indices), term::multiply(term::int(step), others)]),
    };
    let at_last = Substitution::of_functions([(counter, last)]).apply(assertion);
    term::and([assertion, at_last])
}

/// The part of an assertion that is read without its bounds checks of counters. If it contains more than such checks
/// about a counter, it is returned unchanged.
pub(super) fn apart_from_checks(assertion: Term, counters: &[Function]) -> Term {
    let (path, checks) = match assertion.kind() {
        Kind::Implies(path, checks) => (*path, *checks),
        _ => (term::bool(true), assertion),
    };
    let parts = match checks.kind() {
        Kind::And(parts) => parts.to_vec(),
        _ => vec![checks],
    };
    let is_check = |part: &Term| is_bound(*part, counters);
    let others = parts.into_iter().filter(|part| !is_check(part));
    term::and([path].into_iter().chain(others))
}

/// `a + counter <= b` and the like: the satisfying values form an interval.
fn is_bound(part: Term, counters: &[Function]) -> bool {
    match part.kind() {
        Kind::Not(inner) => is_comparison(*inner, counters),
        _ => is_comparison(part, counters),
    }
}

fn is_comparison(part: Term, counters: &[Function]) -> bool {
    let (Kind::Less(a, b) | Kind::LessEqual(a, b)) = part.kind() else {
        return false;
    };
    let is_number = |term: &Term| matches!(term.kind(), Kind::Int(_));
    let is_counter = |term: &Term| match term.kind() {
        Kind::Apply(function, arguments) => counters.contains(function) && arguments.is_empty(),
        _ => false,
    };
    let is_sum = |term: &Term| match term.kind() {
        Kind::Add(parts) => parts.iter().all(|part| is_number(part) || is_counter(part)),
        _ => is_number(term) || is_counter(term),
    };
    is_sum(a) && is_sum(b)
}

/// Eliminates counts from a formula that only compares them with zero and one.
pub(super) fn without_numbers(formula: Term, choices: &[Choice]) -> Term {
    let mut formula = formula;
    for choice in choices {
        if let Some(number) = &choice.number
            && is_told_from_two(formula, choice.function)
        {
            formula = Substitution::of_functions([(choice.function, number.at_most_two())]).apply(formula);
        }
    }
    formula
}

/// Whether a formula is constant in a count from two on.
fn is_told_from_two(formula: Term, number: Function) -> bool {
    let is_number = |term: Term| matches!(term.kind(), Kind::Apply(function, _) if *function == number);
    let constant = |term: Term| match term.kind() {
        Kind::Int(value) => Some(*value),
        _ => None,
    };
    logic::traverse::post_order(formula, true).into_iter().all(|part| {
        let decided = match part.kind() {
            Kind::Less(a, b) if is_number(*a) => constant(*b).is_some_and(|value| value <= 2),
            Kind::Less(a, b) if is_number(*b) => constant(*a).is_some_and(|value| value <= 1),
            Kind::LessEqual(a, b) if is_number(*a) => constant(*b).is_some_and(|value| value <= 1),
            Kind::LessEqual(a, b) if is_number(*b) => constant(*a).is_some_and(|value| value <= 2),
            Kind::Equal(a, b) if is_number(*a) => constant(*b).is_some_and(|value| value <= 1),
            Kind::Equal(a, b) if is_number(*b) => constant(*a).is_some_and(|value| value <= 1),
            _ => false,
        };
        decided || !part.children().into_iter().any(is_number)
    })
}
