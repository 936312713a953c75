//! Bounds that variables may have: the constants that they are compared with, and those that they get.
//!
//! A loop `while (x < 100) x++` keeps `0 <= x` and `x <= 100`; both constants stand in the program. So what may hold is
//! guessed, and what is inductive is known (`knowing.rs`). The solver of Horn clauses would find the same by itself,
//! but not soon where numbers wrap around.

use super::control::Flow;
use super::split::leaves;
use logic::traverse::post_order;
use logic::{Function, Kind, Sort, Term, term};
use std::collections::{BTreeMap, BTreeSet};

/// Variables with more constants have none.
const CONSTANTS: usize = 16;

/// The least and the greatest value that variables may have.
pub(super) type Ranges = BTreeMap<Function, (i128, i128)>;

impl Flow<'_> {
    /// `c <= x` and `x <= c` for each variable and all constants near one that it meets.
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

    /// What the types of variables say of their values.
    pub(super) fn ranges_of_types(&self) -> Ranges {
        ranges(self.system.type_facts.iter().map(|fact| fact.formula))
    }

    /// The same, with the bounds that were found at a location.
    pub(super) fn ranges(&self, location: usize) -> Ranges {
        let types = self.system.type_facts.iter().map(|fact| fact.formula);
        ranges(types.chain(self.found(location)))
    }
}

/// The least and the greatest value that these formulas say of variables, where they say both.
fn ranges(formulas: impl Iterator<Item = Term>) -> Ranges {
    let (mut least, mut greatest) = (BTreeMap::new(), BTreeMap::new());
    for conjunct in formulas.flat_map(term::conjuncts) {
        match bound(conjunct) {
            Some(Bound::Least(function, bound)) => {
                let known = least.entry(function).or_insert(bound);
                *known = bound.max(*known);
            }
            Some(Bound::Greatest(function, bound)) => {
                let known = greatest.entry(function).or_insert(bound);
                *known = bound.min(*known);
            }
            None => {}
        }
    }
    let both = least
        .into_iter()
        .filter_map(|(function, least)| Some((function, (least, *greatest.get(&function)?))));
    both.collect()
}

enum Bound {
    Least(Function, i128),
    Greatest(Function, i128),
}

fn bound(formula: Term) -> Option<Bound> {
    let (a, b, less) = match formula.kind() {
        Kind::LessEqual(a, b) => (a, b, 0),
        Kind::Less(a, b) => (a, b, 1),
        Kind::Not(inner) => match inner.kind() {
            Kind::LessEqual(a, b) => (b, a, 1),
            Kind::Less(a, b) => (b, a, 0),
            _ => return None,
        },
        _ => return None,
    };
    match (a.kind(), b.kind()) {
        (Kind::Int(bound), Kind::Apply(function, _)) => Some(Bound::Least(*function, bound.checked_add(less)?)),
        (Kind::Apply(function, _), Kind::Int(bound)) => Some(Bound::Greatest(*function, bound.checked_sub(less)?)),
        _ => None,
    }
}

/// These formulas, without bounds that others of them imply.
pub(super) fn tightest(formulas: &BTreeSet<Term>) -> Vec<Term> {
    let all = || formulas.iter().filter_map(|formula| bound(*formula));
    let is_tightest = |formula: &&Term| match bound(**formula) {
        Some(Bound::Least(function, least)) => {
            !all().any(|other| matches!(other, Bound::Least(of, bound) if of == function && bound > least))
        }
        Some(Bound::Greatest(function, greatest)) => {
            !all().any(|other| matches!(other, Bound::Greatest(of, bound) if of == function && bound < greatest))
        }
        None => true,
    };
    formulas.iter().filter(is_tightest).copied().collect()
}
