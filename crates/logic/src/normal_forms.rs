//! Normal forms that callers ask for: negations at the atoms, and no quantifiers over enumerations.

use crate::hashing::FastMap;
use crate::sort::Sort;
use crate::substitute::{Substitution, rebuild};
use crate::term::{self, Kind, Quantifier, Term, Variable, and, less, less_equal, not, or};
use crate::traverse::deep_subterms;

/// Negation normal form: an equivalent formula of conjunctions, disjunctions, quantifiers, atoms and negated atoms. Negated
/// comparisons become their opposites. Formulas inside of atoms (arguments, conditions of numbers) stay as they are.
///
/// An equivalence occurs with both signs on both of its sides; as a shared term, the result is still at most twice as large.
pub fn negation_normal_form(formula: Term) -> Term {
    let mut done = FastMap::default();
    for inner in deep_subterms(formula)
        .into_iter()
        .filter(|inner| inner.sort() == Sort::Bool)
    {
        signed(inner, true, &mut done);
        signed(inner, false, &mut done);
    }
    signed(formula, true, &mut done)
}

/// The normal form of the formula, or of its negation where `positive` is false.
fn signed(formula: Term, positive: bool, done: &mut FastMap<(Term, bool), Term>) -> Term {
    if let Some(result) = done.get(&(formula, positive)) {
        return *result;
    }
    let result = match formula.kind() {
        Kind::Not(inner) => signed(*inner, !positive, done),
        Kind::And(operands) | Kind::Or(operands) => {
            let conjunction = matches!(formula.kind(), Kind::And(_));
            let operands: Vec<Term> = operands
                .iter()
                .map(|operand| signed(*operand, positive, done))
                .collect();
            if conjunction == positive {
                and(operands)
            } else {
                or(operands)
            }
        }
        Kind::Implies(condition, conclusion) => {
            let parts = [signed(*condition, !positive, done), signed(*conclusion, positive, done)];
            if positive { or(parts) } else { and(parts) }
        }
        // a = b is (not a or b) and (a or not b); its negation has b negated.
        Kind::Equal(a, b) if a.sort() == Sort::Bool => {
            let forwards = or([signed(*a, false, done), signed(*b, positive, done)]);
            let backwards = or([signed(*a, true, done), signed(*b, !positive, done)]);
            and([forwards, backwards])
        }
        Kind::Ite(condition, then, otherwise) if formula.sort() == Sort::Bool => and([
            or([signed(*condition, false, done), signed(*then, positive, done)]),
            or([signed(*condition, true, done), signed(*otherwise, positive, done)]),
        ]),
        Kind::Quantified(quantifier, variables, body) => {
            let quantifier = if positive { *quantifier } else { dual(*quantifier) };
            let body = negation_normal_form(if positive { *body } else { not(*body) });
            term::quantified(quantifier, variables.clone(), body)
        }
        Kind::Less(a, b) if !positive => less_equal(*b, *a),
        Kind::LessEqual(a, b) if !positive => less(*b, *a),
        _ if positive => formula,
        _ => not(formula),
    };
    done.insert((formula, positive), result);
    result
}

fn dual(quantifier: Quantifier) -> Quantifier {
    match quantifier {
        Quantifier::Forall => Quantifier::Exists,
        Quantifier::Exists => Quantifier::Forall,
    }
}

/// The term with each quantifier over Booleans or an enumeration written out, value by value. It grows with the product of
/// the numbers of values.
pub fn expand_finite(term: Term) -> Term {
    let mut done = FastMap::default();
    for inner in deep_subterms(term) {
        expanded(inner, &mut done);
    }
    expanded(term, &mut done)
}

fn expanded(term: Term, done: &mut FastMap<Term, Term>) -> Term {
    if let Some(result) = done.get(&term) {
        return *result;
    }
    let result = match term.kind() {
        Kind::Quantified(quantifier, variables, body) => {
            let (finite, other): (Vec<Variable>, Vec<Variable>) = variables
                .iter()
                .copied()
                .partition(|variable| values_of(variable.sort).is_some());
            let body = finite.into_iter().fold(expand_finite(*body), |body, variable| {
                let instances = values_of(variable.sort)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|value| Substitution::of_variables([(variable, value)]).apply(body));
                if *quantifier == Quantifier::Forall {
                    and(instances)
                } else {
                    or(instances)
                }
            });
            term::quantified(*quantifier, other, body)
        }
        _ => rebuild(term, |child| expanded(child, done)),
    };
    done.insert(term, result);
    result
}

/// The values of a Boolean or enumerated sort, as terms.
pub fn values_of(sort: Sort) -> Option<Vec<Term>> {
    match sort {
        Sort::Bool => Some(vec![term::bool(false), term::bool(true)]),
        Sort::Enum(sort) => Some(
            (0..sort.values().len())
                .map(|position| term::enumerator(sort, position))
                .collect(),
        ),
        _ => None,
    }
}

/// The integers between which a conjunction keeps a variable: from its parts `low <= v` and `v <= high`.
pub fn constant_bounds(conjunction: Term, variable: Variable) -> Option<(i128, i128)> {
    let single = [conjunction];
    let parts: &[Term] = match conjunction.kind() {
        Kind::And(parts) => parts,
        _ => &single,
    };
    let (mut low, mut high) = (None, None);
    for part in parts {
        if let Kind::LessEqual(a, b) = part.kind() {
            match (a.kind(), b.kind()) {
                (Kind::Int(bound), Kind::Variable(v)) if *v == variable => low = Some(*bound),
                (Kind::Variable(v), Kind::Int(bound)) if *v == variable => high = Some(*bound),
                _ => {}
            }
        }
    }
    low.zip(high)
}
