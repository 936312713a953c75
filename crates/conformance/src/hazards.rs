//! The steps of a component that may have undefined behaviour according to its model.
//!
//! The automaton ends runs at some undefined steps and continues with a semantics of its own at others. A step is
//! excluded if no state of the model at its node, followed by the preceding steps on the edge, leads to a state in
//! which it is undefined, as an external solver proves.

use crate::component::Component;
use crate::component::abstraction::Model;
use crate::component::automaton::substitute;
use crate::confirm::{concretization, returned};
use logic::substitute::functions_of;
use logic::{Function, Term, term};
use smt::{Answer, Purpose, Solver, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::program::Undefined;
use unfold::FlowStep;

type Step = (Span, Undefined);

/// The steps that are not excluded.
pub(crate) fn open(component: &Component, model: &Model, solvers: &Solvers) -> Result<BTreeSet<Step>, SolverError> {
    let mut asked: Vec<(Step, Term, Vec<Term>)> = Vec::new();
    let mut heres: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
    for state in &model.states {
        if let Some(node) = component.node(state.place) {
            let here = concretization(component, model, node, &state.valuation);
            heres.entry(node).or_default().push(here);
        }
    }
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    for (number, edge) in component.automaton.edges.iter().enumerate() {
        taken.extend(&edge.steps);
        if let Some(here) = heres.get(&edge.from) {
            let before = [term::or(here.iter().copied())]
                .into_iter()
                .chain(returned(component, number));
            along(component, edge.from, &edge.steps, before.collect(), &mut asked);
        }
    }
    // Steps that end the program are on no edge, so nothing is known about the state before them.
    for (number, step) in component.flow.steps.iter().enumerate() {
        if !taken.contains(&number) && step.to.is_none() {
            along(component, usize::MAX, &[number], Vec::new(), &mut asked);
        }
    }
    let mut solver = solvers.solver()?;
    let mut open = BTreeSet::new();
    for (step, hazard, ranges) in asked {
        if !open.contains(&step) && !is_excluded(component, &mut *solver, hazard, &ranges)? {
            open.insert(step);
        }
    }
    Ok(open)
}

/// Collects the hazards of a sequence of steps.
fn along(
    component: &Component,
    from: usize,
    steps: &[usize],
    mut before: Vec<Term>,
    asked: &mut Vec<(Step, Term, Vec<Term>)>,
) {
    let mut state: BTreeMap<Function, Term> = BTreeMap::new();
    if from == 0 {
        state = component.flow.initial.iter().copied().collect();
    }
    let mut ranges = Vec::new();
    for number in steps {
        let step: &FlowStep = &component.flow.steps[*number];
        ranges.extend(step.choices.iter().map(|(_, range)| *range));
        for (kind, condition) in &step.hazards {
            let hazard = term::and(before.iter().copied().chain([substitute(&state, *condition)]));
            if !hazard.is_false() {
                asked.push(((step.span, *kind), hazard, ranges.clone()));
            }
        }
        before.push(substitute(&state, step.condition));
        let updates = step.updates.iter();
        let updates: Vec<(Function, Term)> = updates
            .map(|(function, value)| (*function, substitute(&state, *value)))
            .collect();
        state.extend(updates);
    }
}

fn is_excluded(
    component: &Component,
    solver: &mut dyn Solver,
    hazard: Term,
    ranges: &[Term],
) -> Result<bool, SolverError> {
    solver.push()?;
    solver.assert(term::and(ranges.iter().copied().chain([hazard])))?;
    for function in functions_of(hazard) {
        if let Some(range) = component.flow.cells.get(&function) {
            solver.assert(*range)?;
        }
    }
    let answer = solver.check(Purpose::Validation)?;
    solver.pop()?;
    Ok(answer == Answer::Unsat)
}
