//! Candidate bounds of variables: the constants that they are compared with, and those that they are assigned.
//!
//! A loop `while (x < 100) x++` preserves `0 <= x` and `x <= 100`; both constants occur in the program. Such bounds are
//! candidates for Houdini (`knowing.rs`). The solver of Horn clauses would find the same by itself, but late where
//! numbers wrap around.

use super::control::Flow;
use super::split::leaves;
use deduction::comparisons::{Interval, Ranges, interval_of_function, ranges};
use logic::traverse::post_order;
use logic::{Function, Kind, Sort, Term, term};
use std::collections::{BTreeMap, BTreeSet};

/// Variables with more constants have no candidates.
const CONSTANTS: usize = 16;

impl Flow<'_> {
    /// `c <= x` and `x <= c` for each variable and all constants next to one that it is compared with or assigned.
    pub(super) fn bounds(&self) -> Vec<Term> {
        let mut constants: BTreeMap<Function, BTreeSet<i128>> = BTreeMap::new();
        let mut meets = |function: &Function, constant: i128| {
            if function.result() == Sort::Int && self.state.contains(function) {
                constants.entry(*function).or_default().insert(constant);
            }
        };
        for edge in self
            .edges
            .iter()
            .chain(&self.starts)
            .filter(|edge| self.matters(edge.to))
        {
            for part in post_order(edge.guard, false) {
                let (Kind::Less(a, b) | Kind::LessEqual(a, b) | Kind::Equal(a, b)) = part.kind() else {
                    continue;
                };
                match (a.kind(), b.kind()) {
                    (Kind::Apply(function, _), Kind::Int(constant))
                    | (Kind::Int(constant), Kind::Apply(function, _)) => {
                        meets(function, *constant);
                    }
                    _ => {}
                }
            }
            for (function, value) in &edge.updates {
                for leaf in leaves(*value).unwrap_or_default() {
                    if let Kind::Int(constant) = leaf.kind() {
                        meets(function, *constant);
                    }
                }
            }
        }
        constants.retain(|_, constants| constants.len() <= CONSTANTS);
        let near = |constants: &BTreeSet<i128>| -> BTreeSet<i128> {
            let around = |constant: &i128| [constant.checked_sub(1), Some(*constant), constant.checked_add(1)];
            constants.iter().flat_map(around).flatten().collect()
        };
        let types = self.ranges_of_types();
        let bounds = constants.iter().flat_map(|(function, constants)| {
            let (least, greatest) = types.get(function).copied().unwrap_or((i128::MIN, i128::MAX));
            let variable = function.apply([]);
            let each = near(constants)
                .into_iter()
                .filter(move |bound| least < *bound && *bound < greatest);
            each.flat_map(move |bound| {
                let bound = term::int(bound);
                [term::less_equal(bound, variable), term::less_equal(variable, bound)]
            })
        });
        bounds.collect()
    }

    /// The ranges of the types of variables.
    pub(super) fn ranges_of_types(&self) -> Ranges {
        ranges(self.system.type_facts.iter().map(|fact| fact.formula))
    }

    /// The same, with the bounds at a location.
    pub(super) fn ranges(&self, location: usize) -> Ranges {
        let types = self.system.type_facts.iter().map(|fact| fact.formula);
        ranges(types.chain(self.found(location)))
    }
}

/// These formulas, without bounds that others of them imply.
pub(super) fn tightest(formulas: &BTreeSet<Term>) -> Vec<Term> {
    let mut tightest: BTreeMap<Function, Interval> = BTreeMap::new();
    for (function, interval) in formulas.iter().filter_map(|formula| interval_of_function(*formula)) {
        let known = tightest.entry(function).or_default();
        *known = known.intersection(interval);
    }
    let is_tightest = |formula: &&Term| match interval_of_function(**formula) {
        Some((function, interval)) => {
            let tightest = tightest[&function];
            interval.least.is_none_or(|least| tightest.least == Some(least))
                && interval
                    .greatest
                    .is_none_or(|greatest| tightest.greatest == Some(greatest))
        }
        None => true,
    };
    formulas.iter().filter(is_tightest).copied().collect()
}
