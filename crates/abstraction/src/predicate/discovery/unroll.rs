//! Concrete runs of an abstract trace, as a formula over the state that it begins with (Das, section 5.2.1).
//!
//! Rules are functions from states to states, so the state after `n` rules is a term over the first state, and a trace
//! is one formula: every abstract state is met by the concrete one, and every guard holds.

use crate::goal::Goal;
use crate::predicate::machine::{AbstractState, AbstractTrace};
use logic::{Function, Lambda, Substitution, Term, Variable, term};
use system::TransitionSystem;
use system::transition::Rule;

/// The formulas of a partial trace, and what they are about.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub formulas: Vec<Term>,
    /// Parameters and choices of the rules, renamed apart: they are not part of the state.
    pub locals: Vec<Function>,
    /// From the functions of the state at the end to terms over the state at the beginning.
    pub state: Substitution,
}

impl Run {
    pub fn new() -> Run {
        Run::default()
    }

    /// The predicates have these values in the present state.
    pub fn meet(&mut self, predicates: &[Term], values: &AbstractState) {
        for (predicate, value) in predicates.iter().zip(values) {
            let literal = if *value { *predicate } else { term::not(*predicate) };
            self.formulas.push(self.state.apply(literal));
        }
    }

    pub fn require(&mut self, formula: Term) {
        self.formulas.push(self.state.apply(formula));
    }

    /// Takes a rule, or a start, its parameters and choices being new symbols with this number.
    pub fn step(&mut self, rule: &Rule, number: usize) {
        let renaming = self.renaming(rule, number);
        let guard = self.state.apply(renaming.apply(rule.guard));
        self.formulas.push(guard);
        let mut next = self.state.functions.clone();
        for update in &rule.updates {
            let body = self.state.apply(renaming.apply(update.value));
            next.insert(
                update.function,
                Lambda {
                    parameters: update.parameters.clone(),
                    body,
                },
            );
        }
        self.state.functions = next;
        if !rule.constraint.is_true() {
            self.formulas.push(self.state.apply(rule.constraint));
        }
    }

    fn renaming(&mut self, rule: &Rule, number: usize) -> Substitution {
        let mut renaming = Substitution::default();
        for parameter in &rule.parameters {
            let local = Function::constant(format!("{}@{number}", parameter.name).as_str(), parameter.sort);
            renaming.variables.insert(*parameter, local.apply([]));
            self.locals.push(local);
        }
        for choice in &rule.choices {
            let local = Function::new(
                format!("{}@{number}", choice.name()).as_str(),
                choice.parameters().to_vec(),
                choice.result(),
            );
            let parameters: Vec<Variable> = choice
                .parameters()
                .iter()
                .enumerate()
                .map(|(n, s)| Variable::new(format!("_{n}").as_str(), *s))
                .collect();
            let arguments: Vec<Term> = parameters.iter().map(|p| p.term()).collect();
            renaming.functions.insert(
                *choice,
                Lambda {
                    body: local.apply(arguments),
                    parameters,
                },
            );
            self.locals.push(local);
        }
        renaming
    }
}

/// The states `from..=to` of a trace with the rules between them, from any state at the beginning; with `from` none,
/// from a start on. Up to the last state of the trace, which is bad, none is.
pub fn partial(
    system: &TransitionSystem,
    goal: &Goal,
    predicates: &[Term],
    trace: &AbstractTrace,
    from: Option<usize>,
    to: usize,
) -> Run {
    let last = trace.states.len() - 1;
    let mut run = Run::new();
    let first = match from {
        Some(from) => from,
        None => {
            run.step(&system.starts[trace.start], 0);
            0
        }
    };
    for state in first..=to {
        if state > first {
            run.step(&system.rules[trace.rules[state - 1]], state);
        }
        run.meet(predicates, &trace.states[state]);
        if state == last {
            run.require(goal.bad);
        } else {
            run.require(goal.property);
        }
    }
    run
}
