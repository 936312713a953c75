//! Rules for quantifiers: the one-point rule and miniscoping.

use super::arithmetic::Linear;
use crate::rational::Rational;
use crate::sort::Sort;
use crate::substitute::Substitution;
use crate::term::{self, Kind, Quantifier, Term, Variable, not, quantified};

fn occurs(variable: Variable, term: Term) -> bool {
    term.free_variables().binary_search(&variable).is_ok()
}

/// The disjuncts of a disjunction or an implication.
fn disjuncts(term: Term) -> Vec<Term> {
    match term.kind() {
        Kind::Or(operands) => operands.clone(),
        Kind::Implies(condition, conclusion) => match term::or([not_all(*condition), *conclusion]).kind() {
            Kind::Or(operands) => operands.clone(),
            _ => vec![term],
        },
        _ => vec![term],
    }
}

/// The negation, distributed over a conjunction.
fn not_all(condition: Term) -> Term {
    match condition.kind() {
        Kind::And(operands) => term::or(operands.iter().map(|operand| not(*operand))),
        _ => not(condition),
    }
}

/// - `exists x. x = t and p` is `p[t for x]`,
/// - `forall x. x != t or p` is `p[t for x]`,
///
/// where `x` does not occur in `t`. A Boolean variable `x` by itself means `x = true`.
pub(super) fn one_point(term: Term) -> Option<Term> {
    let Kind::Quantified(quantifier, variables, body) = term.kind() else {
        return None;
    };
    let exists = *quantifier == Quantifier::Exists;
    let operands = if exists {
        term::conjuncts(*body)
    } else {
        disjuncts(*body)
    };
    for (position, operand) in operands.iter().enumerate() {
        let fact = if exists { *operand } else { not(*operand) };
        for variable in variables {
            let Some(value) = solved_for(*variable, fact) else {
                continue;
            };
            let mut rest = operands.clone();
            rest.remove(position);
            let rest = if exists { term::and(rest) } else { term::or(rest) };
            let body = Substitution::of_variables([(*variable, value)]).apply(rest);
            let others: Vec<Variable> = variables.iter().copied().filter(|other| other != variable).collect();
            return Some(quantified(*quantifier, others, body));
        }
    }
    None
}

/// The `t` for which the formula states `variable = t`.
fn solved_for(variable: Variable, formula: Term) -> Option<Term> {
    let itself = variable.term();
    match formula.kind() {
        Kind::Variable(other) if *other == variable => Some(term::bool(true)),
        Kind::Not(inner) if *inner == itself => Some(term::bool(false)),
        Kind::Equal(a, b) if *a == itself && !occurs(variable, *b) => Some(*b),
        Kind::Equal(a, b) if *b == itself && !occurs(variable, *a) => Some(*a),
        Kind::Equal(a, b) if a.sort().is_numeric() && variable.sort == a.sort() => solved_linearly(variable, *a, *b),
        _ => None,
    }
}

/// `c * x + p = 0` is `x = -p / c`; for integers only where `c` is 1 or -1.
fn solved_linearly(variable: Variable, a: Term, b: Term) -> Option<Term> {
    let mut rest = Linear::difference(a, b)?;
    let coefficient = rest.coefficients.remove(&variable.term())?;
    if rest.coefficients.keys().any(|other| occurs(variable, *other)) {
        return None;
    }
    if variable.sort == Sort::Int && coefficient.numerator.checked_abs()? != 1 {
        return None;
    }
    rest.scaled(Rational::from_integer(-1).checked_div(coefficient)?)?
        .term()
}

/// - `forall x. p and q` is `(forall x. p) and (forall x. q)`,
/// - `forall x. p or q` is `(forall x. p) or q`, where `x` does not occur in `q`,
///
/// and the same with `exists`, `or`, `and`.
pub(super) fn narrow_scope(term: Term) -> Option<Term> {
    let Kind::Quantified(quantifier, variables, body) = term.kind() else {
        return None;
    };
    let forall = *quantifier == Quantifier::Forall;
    let (alike, other) = if forall {
        (term::conjuncts(*body), disjuncts(*body))
    } else {
        (disjuncts(*body), term::conjuncts(*body))
    };
    if alike.len() > 1 {
        let parts = alike
            .iter()
            .map(|part| quantified(*quantifier, variables.clone(), *part));
        return Some(if forall { term::and(parts) } else { term::or(parts) });
    }
    if other.len() < 2 {
        return None;
    }
    // The variable that the fewest operands mention goes innermost, so that the other operands leave its scope.
    let mentions = |variable: Variable| other.iter().filter(|operand| occurs(variable, **operand)).count();
    let variable = *variables.iter().min_by_key(|variable| mentions(**variable))?;
    let (inside, outside): (Vec<Term>, Vec<Term>) =
        other.iter().copied().partition(|operand| occurs(variable, *operand));
    if outside.is_empty() {
        return None;
    }
    let join = |operands: Vec<Term>| {
        if forall {
            term::or(operands)
        } else {
            term::and(operands)
        }
    };
    let narrowed = quantified(*quantifier, [variable], join(inside));
    let others: Vec<Variable> = variables.iter().copied().filter(|other| *other != variable).collect();
    Some(quantified(
        *quantifier,
        others,
        join(outside.into_iter().chain([narrowed]).collect()),
    ))
}
