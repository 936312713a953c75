//! Locations split by all constants that variables hold there: where the counter of a loop is known, the loop is
//! unrolled.
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
use deduction::constants::{Assignment, Case, cases, evaluate};
use logic::{Cancellation, Kind, term};
use smt::SolverError;
use std::collections::BTreeMap;

/// The greatest number of cases of a rule.
const CASES: usize = 16;

impl<'s> Flow<'s> {
    /// The same program, with a location for each assignment known at one of these. None where there would be too many,
    /// where nothing is known, and after an interrupt.
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

    /// An edge for each case in which other constants are known after it, of which there are at most `most`.
    fn instances(&self, edge: &Edge, known: &Known, most: usize) -> Vec<(Edge, Known)> {
        let constants = known.iter().filter_map(|(function, held)| match held {
            Held::Is(value) => Some((*function, term::int(*value))),
            _ => None,
        });
        let constants: Assignment = constants.collect();
        let values = self.live[edge.to].iter().map(|function| {
            let value = edge.updates.get(function).copied();
            let value = value.unwrap_or_else(|| function.apply([]));
            (*function, evaluate(&constants, value))
        });
        let cases = cases(evaluate(&constants, edge.guard), values.collect(), most);
        cases.into_iter().map(|case| instance(edge, case)).collect()
    }
}

/// The edge in one case, and the constants that are known after it.
fn instance(edge: &Edge, case: Case) -> (Edge, Known) {
    let (mut updates, mut known) = (BTreeMap::new(), Known::new());
    for (function, value) in case.values {
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
        guard: case.guard,
        updates,
        ..edge.clone()
    };
    (instance, known)
}
