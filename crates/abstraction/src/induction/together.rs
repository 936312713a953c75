//! Which formulas are inductive together, whatever their order: the largest set of them in which each holds initially
//! and is kept by every rule where all of the set hold before.
//!
//! This is Houdini (C. Flanagan, K. R. M. Leino: Houdini, an annotation assistant for ESC/Java, FME 2001): begin with
//! all of them, drop one that some rule does not keep, and ask again about those that needed it.

use super::whole::{self, alternates};
use crate::strengthening::{Conjecture, Decision, Step};
use logic::Term;
use smt::{SolverError, Solvers};
use std::collections::{BTreeMap, VecDeque};
use system::TransitionSystem;
use system::transition::Rule;

/// No more questions than that are asked; nothing is known then.
const QUESTIONS: usize = 5_000;
/// Nor is a question worth more than this.
const RESOURCES: u32 = 5_000_000;

/// For each of the formulas, which are closed, whether it is one of the set. Where instances are not enough, questions
/// are asked with their quantifiers, if that is wanted: they take longer.
pub fn together(
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
    let mut believed = vec![true; formulas.len()];
    let is_hard = with_quantifiers && formulas.iter().any(|formula| alternates(*formula));
    let question = |rule, is_start| Question::new(system, rule, is_start, (formulas, is_hard), &solvers);
    for start in &system.starts {
        let mut start = question(start, true)?;
        for number in 0..formulas.len() {
            let kept = believed[number] && start.is_kept(&conjectures, &believed, number)?.is_some();
            believed[number] = kept;
        }
    }
    let rules = system.rules.iter();
    let mut rules: Vec<Question> = rules.map(|rule| question(rule, false)).collect::<Result<_, _>>()?;
    let mut pending: VecDeque<(usize, usize)> = VecDeque::new();
    for number in (0..formulas.len()).filter(|number| believed[*number]) {
        let touching = (0..rules.len()).filter(|rule| rules[*rule].step.touches(&conjectures[number]));
        pending.extend(touching.map(|rule| (number, rule)));
    }
    let mut needed: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for _ in 0..QUESTIONS {
        let Some((number, rule)) = pending.pop_front() else {
            return Ok(believed);
        };
        if cancellation.is_cancelled() {
            return none();
        }
        if !believed[number] {
            continue;
        }
        if let Some(needs) = rules[rule].is_kept(&conjectures, &believed, number)? {
            needed.insert((number, rule), needs);
            continue;
        }
        believed[number] = false;
        let again = needed.extract_if(.., |_, needs| needs.contains(&number));
        pending.extend(again.map(|(question, _)| question));
    }
    none()
}

/// Whether a start or a rule keeps formulas.
struct Question<'q> {
    system: &'q TransitionSystem,
    rule: &'q Rule,
    is_start: bool,
    formulas: &'q [Term],
    /// Whether instances may not be enough.
    is_hard: bool,
    step: Step,
    solvers: &'q Solvers,
}

impl<'q> Question<'q> {
    fn new(
        system: &'q TransitionSystem,
        rule: &'q Rule,
        is_start: bool,
        (formulas, is_hard): (&'q [Term], bool),
        solvers: &'q Solvers,
    ) -> Result<Question<'q>, SolverError> {
        Ok(Question {
            system,
            rule,
            is_start,
            formulas,
            is_hard,
            step: Step::new(system, rule, is_start, solvers)?,
            solvers,
        })
    }

    /// The formulas that are enough for the rule to keep this one.
    fn is_kept(
        &mut self,
        conjectures: &[Conjecture],
        believed: &[bool],
        number: usize,
    ) -> Result<Option<Vec<usize>>, SolverError> {
        if let Decision::Kept(needs) = self.step.decide(conjectures, believed, number)? {
            return Ok(Some(needs));
        }
        if !self.is_hard {
            return Ok(None);
        }
        let needs: Vec<usize> = (0..self.formulas.len()).filter(|number| believed[*number]).collect();
        let premises: Vec<Term> = needs.iter().map(|number| self.formulas[*number]).collect();
        let (rule, formula) = (self.rule, self.formulas[number]);
        let kept = whole::is_kept(self.system, rule, self.is_start, &premises, formula, self.solvers)?;
        Ok(kept.then_some(needs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Function, Sort, term};
    use system::transition::{Rule, Symbol, Update};

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
            together(&system, &formulas, false, &solvers)?,
            [false, true, true, false]
        );
        formulas.reverse();
        assert_eq!(
            together(&system, &formulas, false, &solvers)?,
            [false, true, true, false]
        );
        assert_eq!(together(&system, &formulas[1..2], false, &solvers)?, [false]);
        Ok(())
    }
}
