//! For which elements a cube holds in a model of the solver.

use deduction::Cube;
use logic::Cancellation;
use logic::{Substitution, Term};
use smt::Model;
use std::collections::HashMap;

/// Looks for values of the variables of a cube for which it holds in a model. Variables get their values one after the
/// other, and a literal is looked at as soon as its variables have theirs.
pub(super) struct Satisfying<'s> {
    cube: &'s Cube,
    /// By number of variables with a value: the literals to look at. A model does not say whether a quantified literal
    /// holds: it is taken to.
    ready: Vec<Vec<Term>>,
    elements: &'s [Term],
    model: &'s dyn Model,
    known: &'s mut HashMap<Term, bool>,
    cancellation: &'s Cancellation,
}

impl<'s> Satisfying<'s> {
    pub(super) fn new(
        cube: &'s Cube,
        elements: &'s [Term],
        model: &'s dyn Model,
        known: &'s mut HashMap<Term, bool>,
        cancellation: &'s Cancellation,
    ) -> Satisfying<'s> {
        let ready = |count: usize| {
            let (bound, free) = cube.variables.split_at(count);
            let is_ready = |literal: &&Term| {
                let variables = literal.free_variables();
                let is_newest = bound.last().is_none_or(|newest| variables.contains(newest));
                is_newest && !variables.iter().any(|v| free.contains(v)) && !literal.has_quantifier()
            };
            cube.literals.iter().filter(is_ready).copied().collect()
        };
        Satisfying {
            ready: (0..=cube.variables.len()).map(ready).collect(),
            cube,
            elements,
            model,
            known,
            cancellation,
        }
    }

    /// Hands over all values that go on from `values`, until there are enough, or after an interrupt; then the result
    /// is false.
    pub(super) fn search(&mut self, values: &mut Vec<Term>, enough: &mut dyn FnMut(&[Term]) -> bool) -> bool {
        if self.cancellation.is_cancelled() {
            return false;
        }
        let bound = self.cube.variables.iter().copied().zip(values.iter().copied());
        let substitution = Substitution::of_variables(bound);
        let (model, known) = (self.model, &mut *self.known);
        let mut holds = |literal: &Term| {
            let instance = substitution.apply(*literal);
            let holds = || model.value(instance).ok().and_then(|value| value.as_bool()) == Some(true);
            *known.entry(instance).or_insert_with(holds)
        };
        if !self.ready[values.len()].iter().all(&mut holds) {
            return true;
        }
        let Some(next) = self.cube.variables.get(values.len()) else {
            return !enough(values);
        };
        for element in self.elements {
            if element.sort() == next.sort && !values.contains(element) {
                values.push(*element);
                let goes_on = self.search(values, enough);
                values.pop();
                if !goes_on {
                    return false;
                }
            }
        }
        true
    }
}
