//! The largest inductive subset of formulas, by Houdini: an obligation is a formula and a rule.

use super::whole;
use crate::strengthening::{Conjecture, Step};
use deduction::formulas::has_alternation;
use deduction::houdini::{Houdini, Preservation, Steps};
use logic::Term;
use smt::{SolverError, Solvers};
use system::TransitionSystem;
use system::transition::Rule;

/// The greatest number of checks; beyond it nothing is known.
const MAX_CHECKS: usize = 5_000;
/// For each check, in the solver's units.
const RESOURCES: u32 = 5_000_000;

/// For each of the formulas, which are closed, whether it is in the subset. Where instances do not suffice, checks are
/// made with their quantifiers, if that is wanted: they take longer.
pub fn largest_inductive_subset(
    system: &TransitionSystem,
    formulas: &[Term],
    with_quantifiers: bool,
    solvers: &Solvers,
) -> Result<Vec<bool>, SolverError> {
    let solvers = solvers.with_resources(RESOURCES);
    let cancellation = solvers.cancellation();
    let none = || Ok(vec![false; formulas.len()]);
    let looked_at = formulas.iter().take_while(|_| !cancellation.is_cancelled());
    let conjectures: Vec<Conjecture> = looked_at.map(|formula| Conjecture::of_formula(*formula)).collect();
    if conjectures.len() < formulas.len() {
        return none();
    }
    let mut checker = Checker {
        system,
        formulas,
        conjectures,
        is_hard: with_quantifiers && formulas.iter().any(|formula| has_alternation(*formula)),
        rules: Vec::new(),
        solvers: &solvers,
    };
    let mut standing = vec![true; formulas.len()];
    for start in &system.starts {
        let mut step = Step::new(system, start, true, &solvers)?;
        for number in 0..formulas.len() {
            let is_initial = |kept| matches!(kept, Preservation::Preserved(_));
            standing[number] =
                standing[number] && is_initial(checker.ask(&mut step, (start, true), &standing, number)?);
        }
    }
    let steps = system.rules.iter().map(|rule| Step::new(system, rule, false, &solvers));
    checker.rules = steps.collect::<Result<_, _>>()?;
    let mut obligations: Vec<(usize, usize)> = Vec::new();
    for (number, conjecture) in checker.conjectures.iter().enumerate() {
        let touching = (0..checker.rules.len()).filter(|rule| checker.rules[*rule].touches(conjecture));
        obligations.extend(touching.map(|rule| (number, rule)));
    }
    let mut houdini = Houdini::new(standing, MAX_CHECKS);
    match houdini.run(&mut checker, obligations)? {
        true => Ok(houdini.standing),
        false => none(),
    }
}

struct Checker<'c> {
    system: &'c TransitionSystem,
    formulas: &'c [Term],
    conjectures: Vec<Conjecture>,
    /// Whether instances may not suffice.
    is_hard: bool,
    rules: Vec<Step>,
    solvers: &'c Solvers,
}

impl Checker<'_> {
    fn ask(
        &self,
        step: &mut Step,
        (rule, is_start): (&Rule, bool),
        standing: &[bool],
        number: usize,
    ) -> Result<Preservation, SolverError> {
        let answer = step.preserves(&self.conjectures, standing, number)?;
        if !self.is_hard || matches!(answer, Preservation::Preserved(_)) {
            return Ok(answer);
        }
        let premises: Vec<usize> = (0..self.formulas.len()).filter(|number| standing[*number]).collect();
        let before: Vec<Term> = premises.iter().map(|number| self.formulas[*number]).collect();
        let formula = self.formulas[number];
        Ok(
            match whole::is_kept(self.system, rule, is_start, &before, formula, self.solvers)? {
                true => Preservation::Preserved(premises),
                false => answer,
            },
        )
    }
}

impl Steps for Checker<'_> {
    /// A formula and a rule.
    type Obligation = (usize, usize);

    fn candidates(&self, (number, _): (usize, usize)) -> Vec<usize> {
        vec![number]
    }

    fn check(
        &mut self,
        (number, rule): (usize, usize),
        _: &[usize],
        standing: &[bool],
    ) -> Result<Preservation, SolverError> {
        let mut rules = std::mem::take(&mut self.rules);
        let answer = self.ask(&mut rules[rule], (&self.system.rules[rule], false), standing, number);
        self.rules = rules;
        answer
    }

    fn is_cancelled(&self) -> bool {
        self.solvers.cancellation().is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Function, Sort, term};
    use system::transition::{Symbol, Update};

    /// `x` and `y` take each other's value, and `x` grows: that both are positive holds, by what is said of the other;
    /// that `y` is small falls with what is said of `x`.
    #[test]
    fn what_needs_something_that_fails_fails_whatever_the_order() -> Result<(), SolverError> {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int));
        let set = |function: Function, value: Term| Rule {
            updates: vec![Update {
                function,
                parameters: Vec::new(),
                value,
            }],
            ..Rule::identity()
        };
        let (x_now, y_now) = (x.apply([]), y.apply([]));
        let symbol = |function: Function| Symbol {
            function,
            display: function.name().to_string(),
            span: system::Span::default(),
        };
        let zero = |function: Function| set(function, term::int(0)).updates;
        let start = Rule {
            updates: [zero(x), zero(y)].concat(),
            ..Rule::identity()
        };
        let grows = set(x, term::add([x_now, term::int(1)]));
        let system = TransitionSystem {
            state: vec![symbol(x), symbol(y)],
            starts: vec![start],
            rules: vec![set(y, x_now), set(x, y_now), grows],
            ..TransitionSystem::default()
        };
        let positive = |value: Term| term::less_equal(term::int(0), value);
        let small = |value: Term| term::less_equal(value, term::int(5));
        let mut formulas = vec![small(y_now), positive(y_now), positive(x_now), small(x_now)];
        let solvers = Solvers::default();
        assert_eq!(
            largest_inductive_subset(&system, &formulas, false, &solvers)?,
            [false, true, true, false]
        );
        formulas.reverse();
        assert_eq!(
            largest_inductive_subset(&system, &formulas, false, &solvers)?,
            [false, true, true, false]
        );
        assert_eq!(
            largest_inductive_subset(&system, &formulas[1..2], false, &solvers)?,
            [false]
        );
        Ok(())
    }
}
