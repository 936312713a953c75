//! Formulas about every size, in an instance of a small size.
//!
//! That initial states exist is a question to which the answer is *sat*, and where quantifiers are left, many solvers do not
//! find models. One example is enough, though. So let the elements of each index sort be among a few constants, which may
//! be equal to each other: then quantifiers over it are conjunctions and disjunctions, and solvers decide.
//!
//! Why a model of the result is one of the original: every term of an index sort that occurs is said to be one of the
//! constants, and without quantifiers no others matter. So the values of the constants, taken for the whole sort, make a
//! model; a finite one, moreover, as the sizes of index sorts are.
//!
//! Limitation: where the result has no model, a larger instance may. Such a certificate is refused, which is the safe side.

use logic::substitute::{functions_of, rebuild};
use logic::traverse::post_order;
use logic::{Function, Kind, Quantifier, Sort, Substitution, Term, Variable, term};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use system::transition::TransitionSystem;

/// At least this many elements may be different.
const SIZE: usize = 3;

/// More instances of quantified formulas than this are not written out.
const BUDGET: usize = 20_000;

/// The formulas in a small instance, and its size; `None` where no quantifier over an index sort occurs, or where they do not
/// become small formulas.
pub(crate) fn in_small_instance(system: &TransitionSystem, formulas: &[Term]) -> Option<(Vec<Term>, usize)> {
    let is_index = |variable: &Variable| matches!(variable.sort, Sort::Index(_));
    let binds_index = |term: &Term| matches!(term.kind(), Kind::Quantified(_, bound, _) if bound.iter().any(is_index));
    let subterms = formulas.iter().flat_map(|formula| post_order(*formula, true));
    subterms.clone().find(binds_index)?;
    let constants = system.index_sorts.iter().map(|sort| sort.constants.len() + 1).max();
    let size = constants.unwrap_or(0).max(SIZE);
    let mut expansion = Expansion {
        elements: elements(formulas, size),
        left: BUDGET,
    };
    let mut small = Vec::new();
    for formula in formulas {
        small.push(expansion.expand(*formula)?);
    }
    let membership = expansion.membership(&small)?;
    small.extend(membership);
    Some((small, size))
}

/// Constants for the elements of each index sort, with names that nothing else has.
fn elements(formulas: &[Term], size: usize) -> BTreeMap<Sort, Vec<Term>> {
    let taken: BTreeSet<Function> = formulas.iter().flat_map(|formula| functions_of(*formula)).collect();
    let subterms = formulas.iter().flat_map(|formula| post_order(*formula, true));
    let sorts: BTreeSet<Sort> = subterms
        .flat_map(|term| match term.kind() {
            Kind::Quantified(_, bound, _) => bound.iter().map(|variable| variable.sort).collect(),
            _ => vec![term.sort()],
        })
        .collect();
    let element = |sort: Sort, number: usize| {
        let mut name = format!("{sort}#{number}");
        while taken.contains(&Function::constant(name.as_str(), sort)) {
            name.push('#');
        }
        Function::constant(name.as_str(), sort).apply([])
    };
    let index_sorts = sorts.into_iter().filter(|sort| matches!(sort, Sort::Index(_)));
    index_sorts
        .map(|sort| (sort, (1..=size).map(|number| element(sort, number)).collect()))
        .collect()
}

struct Expansion {
    elements: BTreeMap<Sort, Vec<Term>>,
    /// How many more instances may be written.
    left: usize,
}

impl Expansion {
    /// The formula with every quantifier over an index sort written out.
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
            let Some(elements) = self.elements.get(&variable.sort) else {
                continue;
            };
            let size = post_order(result, true).len();
            self.left = self.left.checked_sub(elements.len().saturating_mul(size))?;
            let instances = elements
                .iter()
                .map(|element| Substitution::of_variables([(*variable, *element)]).apply(result));
            result = match quantifier {
                Quantifier::Forall => term::and(instances),
                Quantifier::Exists => term::or(instances),
            };
        }
        let others = variables
            .iter()
            .filter(|variable| !self.elements.contains_key(&variable.sort));
        Some(term::quantified(
            quantifier,
            others.copied().collect::<Vec<_>>(),
            result,
        ))
    }

    /// That every term of an index sort is one of the elements; `None` where a quantifier that is left stands in the way.
    fn membership(&self, formulas: &[Term]) -> Option<Vec<Term>> {
        let mut seen = BTreeSet::new();
        let mut membership = Vec::new();
        let bound: BTreeSet<Variable> = formulas
            .iter()
            .flat_map(|formula| post_order(*formula, true))
            .flat_map(|term| match term.kind() {
                Kind::Quantified(_, variables, _) => variables.clone(),
                _ => Vec::new(),
            })
            .collect();
        for inner in formulas.iter().flat_map(|formula| post_order(*formula, true)) {
            // What is in a list is not a term; of the empty list alone it is known that it holds no others.
            if holds_indices(inner.sort()) && !matches!(inner.kind(), Kind::EmptyList(_)) {
                return None;
            }
            let Some(elements) = self.elements.get(&inner.sort()) else {
                continue;
            };
            if inner.free_variables().iter().any(|variable| bound.contains(variable)) {
                return None;
            }
            if !elements.contains(&inner) && seen.insert(inner) {
                membership.push(term::or(elements.iter().map(|element| term::equal(inner, *element))));
            }
        }
        Some(membership)
    }
}

/// Whether this is a sort of lists in which elements of index sorts can be.
fn holds_indices(sort: Sort) -> bool {
    match sort {
        Sort::List(element) => matches!(element, Sort::Index(_)) || holds_indices(*element),
        _ => false,
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
        assert_eq!(size, SIZE);
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
