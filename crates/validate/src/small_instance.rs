//! Formulas about every size, in an instance of a small size.
//!
//! That initial states exist is a question to which the answer is *sat*, and where quantifiers are left, many solvers
//! do not find models. One example is enough, though. So let the elements of each index sort be among a few
//! constants, which may be equal to each other: then quantifiers over it, as those over enumerations, are
//! conjunctions and disjunctions, and solvers decide.
//!
//! Why a model of the result is one of the original: every term of an index sort that occurs is said to be one of the
//! constants, and without quantifiers no others matter. So the values of the constants, taken for the whole sort,
//! make a model; a finite one, moreover, as the sizes of index sorts are.
//!
//! Limitation: where the result has no model, a larger instance may. Such a certificate is refused, which is the safe
//! side.

use logic::substitute::{functions_of, rebuild};
use logic::traverse::post_order;
use logic::{Function, Kind, Quantifier, Sort, Substitution, Term, Variable, term};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use system::transition::TransitionSystem;

/// At least this many elements may be different.
const SIZE: usize = 3;

/// More instances of quantified formulas than this are not written out.
const BUDGET: usize = 20_000;

/// The formulas in a small instance, and the size of its index sorts if that matters; `None` where no quantifier over
/// a finite sort occurs, or where the result would be large.
pub(crate) fn in_small_instance(system: &TransitionSystem, formulas: &[Term]) -> Option<(Vec<Term>, Option<usize>)> {
    let constants = system.index_sorts.iter().map(|sort| sort.constants.len() + 1).max();
    let size = constants.unwrap_or(0).max(SIZE);
    let values = values(formulas, size);
    if values.is_empty() {
        return None;
    }
    let has_index = values.keys().any(|sort| matches!(sort, Sort::Index(_)));
    let mut expansion = Expansion { values, left: BUDGET };
    let mut small = Vec::new();
    for formula in formulas {
        small.push(expansion.expand(*formula)?);
    }
    let membership = expansion.membership(&small)?;
    small.extend(membership);
    Some((small, has_index.then_some(size)))
}

fn subterms(formulas: &[Term]) -> impl Iterator<Item = Term> {
    formulas.iter().flat_map(|formula| post_order(*formula, true))
}

fn bound_variables(formulas: &[Term]) -> BTreeSet<Variable> {
    let bound = |term: Term| match term.kind() {
        Kind::Quantified(_, variables, _) => variables.clone(),
        _ => Vec::new(),
    };
    subterms(formulas).flat_map(bound).collect()
}

/// The values of each finite sort over which there is a quantifier: for an index sort, constants for its elements,
/// with names that nothing else has.
fn values(formulas: &[Term], size: usize) -> BTreeMap<Sort, Vec<Term>> {
    let taken: BTreeSet<Function> = formulas.iter().flat_map(|formula| functions_of(*formula)).collect();
    let element = |sort: Sort, number: usize| {
        let mut name = format!("{sort}#{number}");
        while taken.contains(&Function::constant(name.as_str(), sort)) {
            name.push('#');
        }
        Function::constant(name.as_str(), sort).apply([])
    };
    let mut values = BTreeMap::new();
    for sort in bound_variables(formulas).iter().map(|variable| variable.sort) {
        let all = match sort {
            Sort::Bool => [false, true].map(term::bool).to_vec(),
            Sort::Enum(of) => (0..of.values().len())
                .map(|position| term::enumerator(of, position))
                .collect(),
            Sort::Index(_) => (1..=size).map(|number| element(sort, number)).collect(),
            Sort::Int | Sort::Real | Sort::BitVector(_) | Sort::List(_) => continue,
        };
        values.insert(sort, all);
    }
    values
}

struct Expansion {
    values: BTreeMap<Sort, Vec<Term>>,
    /// How many more instances may be written.
    left: usize,
}

impl Expansion {
    /// The formula with every quantifier over one of these sorts written out.
    fn expand(&mut self, formula: Term) -> Option<Term> {
        let mut done: HashMap<Term, Term> = HashMap::new();
        for inner in post_order(formula, true) {
            let result = match inner.kind() {
                Kind::Quantified(quantifier, variables, body) => self.quantified(*quantifier, variables, done[body])?,
                _ => rebuild(inner, |child| done[&child]),
            };
            done.insert(inner, result);
        }
        Some(done[&formula])
    }

    fn quantified(&mut self, quantifier: Quantifier, variables: &[Variable], body: Term) -> Option<Term> {
        let mut result = body;
        for variable in variables {
            let Some(values) = self.values.get(&variable.sort) else {
                continue;
            };
            let size = post_order(result, true).len();
            self.left = self.left.checked_sub(values.len().saturating_mul(size))?;
            let instances = values
                .iter()
                .map(|value| Substitution::of_variables([(*variable, *value)]).apply(result));
            result = match quantifier {
                Quantifier::Forall => term::and(instances),
                Quantifier::Exists => term::or(instances),
            };
        }
        let others = variables
            .iter()
            .filter(|variable| !self.values.contains_key(&variable.sort));
        Some(term::quantified(
            quantifier,
            others.copied().collect::<Vec<_>>(),
            result,
        ))
    }

    /// The constants for the elements of an index sort over which there was a quantifier.
    fn elements(&self, sort: Sort) -> Option<&Vec<Term>> {
        self.values.get(&sort).filter(|_| matches!(sort, Sort::Index(_)))
    }

    /// That every term of such an index sort is one of the elements; `None` where that cannot be said.
    fn membership(&self, formulas: &[Term]) -> Option<Vec<Term>> {
        let bound = bound_variables(formulas);
        let mut seen = BTreeSet::new();
        let mut membership = Vec::new();
        for inner in subterms(formulas) {
            // What is in a list is not a term; of the empty list alone it is known that it holds no others.
            if self.holds_elements(inner.sort()) && !matches!(inner.kind(), Kind::EmptyList(_)) {
                return None;
            }
            let Some(elements) = self.elements(inner.sort()) else {
                continue;
            };
            if inner.free_variables().iter().any(|variable| bound.contains(variable)) {
                return None;
            }
            if !elements.contains(&inner) && seen.insert(inner) {
                let is_some = term::or(elements.iter().map(|element| term::equal(inner, *element)));
                membership.push((inner, is_some));
            }
        }
        membership.sort_by_key(|(inner, _)| *inner);
        Some(membership.into_iter().map(|(_, is_some)| is_some).collect())
    }

    /// Whether this is a sort of lists in which such elements can be.
    fn holds_elements(&self, sort: Sort) -> bool {
        match sort {
            Sort::List(element) => self.elements(*element).is_some() || self.holds_elements(*element),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::term::{distinct, equal, exists, forall, less, not};

    fn node() -> Sort {
        Sort::Index("Node".into())
    }

    #[test]
    fn quantifiers_over_index_sorts_are_written_out() {
        let [x, y] = ["x", "y"].map(|name| Variable::new(name, node()));
        let next = Function::new("next", vec![node()], node());
        let formula = forall([x], exists([y], distinct(next.apply([x.term()]), y.term())));
        let (small, size) = in_small_instance(&TransitionSystem::default(), &[formula]).unwrap();
        assert_eq!(size, Some(SIZE));
        // The formula, and that the three terms `next(e)` are elements.
        assert_eq!(small.len(), 1 + SIZE);
        for formula in small {
            assert!(
                post_order(formula, true)
                    .iter()
                    .all(|t| !matches!(t.kind(), Kind::Quantified(..)))
            );
            assert!(formula.free_variables().is_empty());
        }
    }

    #[test]
    fn quantifiers_over_enumerations_are_written_out() {
        let colour = Sort::enumeration("Colour".into(), vec!["red".into(), "green".into()]);
        let x = Variable::new("x", colour);
        let bright = Function::new("bright", vec![colour, node()], Sort::Bool);
        let home = Function::constant("home", node()).apply([]);
        let formula = forall([x], bright.apply([x.term(), home]));
        let (small, size) = in_small_instance(&TransitionSystem::default(), &[formula]).unwrap();
        // No quantifier is over nodes, of which there may be any number then.
        assert_eq!(size, None);
        assert!(matches!(small.as_slice(), [one] if matches!(one.kind(), Kind::And(both) if both.len() == 2)));
    }

    #[test]
    fn what_needs_no_instance_or_has_none_is_left_alone() {
        let system = TransitionSystem::default();
        let [i, x] = [Variable::new("i", Sort::Int), Variable::new("x", node())];
        let home = Function::constant("home", node()).apply([]);
        assert!(in_small_instance(&system, &[not(equal(home, x.term()))]).is_none());
        assert!(in_small_instance(&system, &[forall([i], less(i.term(), term::int(0)))]).is_none());
        // The owners of infinitely many numbers cannot all be said to be elements.
        let owner = Function::new("owner", vec![Sort::Int], node()).apply([i.term()]);
        let formula = forall([i, x], equal(owner, x.term()));
        assert!(in_small_instance(&system, &[formula]).is_none());
        let list = Function::constant("list", Sort::list(node())).apply([]);
        let formula = forall([x], equal(term::head(list), x.term()));
        assert!(in_small_instance(&system, &[formula]).is_none());
        // 3 to the power of 12.
        let many: Vec<Variable> = (0..12)
            .map(|n| Variable::new(format!("x{n}").as_str(), node()))
            .collect();
        let relation = Function::new("r", vec![node(); 12], Sort::Bool);
        let formula = forall(
            many.clone(),
            relation.apply(many.iter().map(|v| v.term()).collect::<Vec<_>>()),
        );
        assert!(in_small_instance(&system, &[formula]).is_none());
    }
}
