//! Locations split by all constants that variables hold there: where the counter of a loop is known, its rounds are put
//! one behind the other.
//!
//! D. Beyer and S. Löwe, *Explicit-state software model checking based on CEGAR and interpolation*, 2013, look at
//! programs in this way; here it is no proof, but another graph of the same program, and what holds of it is proved
//! by the solver, as it is for any other.
//!
//! `(k, known) -> (l, known')` for each rule from `k` to `l` whose guard is not false by what is known. `known'` is
//! `v = update(v)[known]` for each variable that matters at `l` and gets a constant so. Where it gets one constant or
//! another, there is a rule for each case. Where a program has no inputs, nothing is left to be proved: the places are
//! its states.

use super::control::{Edge, Flow, Held, Known};
use super::split::leaves;
use logic::substitute::replace;
use logic::{Cancellation, Function, Kind, Substitution, Term, simplify, term};
use smt::SolverError;
use std::collections::BTreeMap;

/// The greatest number of cases of a rule.
const CASES: usize = 16;

impl<'s> Flow<'s> {
    /// The same program, with a location for all that is known at one of these. None where there would be too many, or
    /// nothing is known, or nobody waits any more.
    pub(super) fn with_constants(&self, cancellation: &Cancellation) -> Result<Option<Flow<'s>>, SolverError> {
        if !self.calls.is_empty() {
            return Ok(None);
        }
        for most in [CASES, 1] {
            let split = self.relocated(cancellation, |edge, known| Ok(self.instances(edge, known, most)))?;
            if let Some(split) = split.filter(|split| split.locations() > self.locations()) {
                return Ok(Some(split));
            }
        }
        Ok(None)
    }

    /// What becomes of an edge where so much is known: an edge for each case in which other constants are known then,
    /// of which there are at most so many.
    fn instances(&self, edge: &Edge, known: &Known, most: usize) -> Vec<(Edge, Known)> {
        let constants = known.iter().filter_map(|(function, held)| match held {
            Held::Is(value) => Some((*function, term::int(*value))),
            _ => None,
        });
        let substitution = Substitution::of_constants(constants);
        let put = |formula: Term| simplify(substitution.apply(formula));
        let values = self.live[edge.to].iter().map(|function| {
            let value = edge.updates.get(function).copied();
            (*function, put(value.unwrap_or_else(|| function.apply([]))))
        });
        let first = Case {
            guard: put(edge.guard),
            values: values.collect(),
        };
        let (mut pending, mut instances) = (vec![first], Vec::new());
        while let Some(case) = pending.pop() {
            if case.guard.is_false() {
                continue;
            }
            let is_room = pending.len() + instances.len() + 1 < most;
            match case.condition().filter(|_| is_room) {
                Some(condition) => pending.extend([false, true].map(|holds| case.where_it(condition, holds))),
                None => instances.push(case.instance(edge)),
            }
        }
        instances
    }
}

/// A rule in one case: its guard, and what the variables that matter after it get.
struct Case {
    guard: Term,
    values: BTreeMap<Function, Term>,
}

impl Case {
    /// The rule with its guard, and what is known after it.
    fn instance(self, edge: &Edge) -> (Edge, Known) {
        let (mut updates, mut known) = (BTreeMap::new(), Known::new());
        for (function, value) in self.values {
            match value.kind() {
                Kind::Int(number) => {
                    known.insert(function, Held::Is(*number));
                }
                _ if value != function.apply([]) => {
                    updates.insert(function, value);
                }
                _ => {}
            }
        }
        let instance = Edge {
            guard: self.guard,
            updates,
            ..edge.clone()
        };
        (instance, known)
    }

    /// One on which it depends whether a variable gets a constant, or which.
    fn condition(&self) -> Option<Term> {
        let is_known = |leaf: &Term| matches!(leaf.kind(), Kind::Int(_));
        self.values.values().find_map(|value| match value.kind() {
            Kind::Ite(condition, ..) if leaves(*value)?.iter().any(is_known) => Some(*condition),
            _ => None,
        })
    }

    fn where_it(&self, condition: Term, holds: bool) -> Case {
        let put = |formula: Term| simplify(replace(formula, condition, term::bool(holds)));
        let holding = if holds { condition } else { term::not(condition) };
        Case {
            guard: simplify(term::and([put(self.guard), holding])),
            values: self
                .values
                .iter()
                .map(|(function, value)| (*function, put(*value)))
                .collect(),
        }
    }
}
