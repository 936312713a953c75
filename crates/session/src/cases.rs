//! Formulas taken apart.

use deduction::comparisons::comparison;
use deduction::conditionals::find_conditional;
use deduction::formulas::{atom, literal};
use logic::simplify::simplify;
use logic::substitute::functions_of;
use logic::term::conjuncts;
use logic::{Kind, Sort, Term, term};
use system::TransitionSystem;

/// The disjunctive normal form: the literals of each case. A formula with quantifiers is a literal, and so is an
/// equation of truth values. Where there would be more cases than this, the conjuncts are the only case.
pub(crate) fn cases(formula: Term, most: usize) -> Vec<Vec<Term>> {
    let formula = simplify(formula);
    split(formula, true, most).unwrap_or_else(|| vec![conjuncts(formula)])
}

fn split(formula: Term, holds: bool, most: usize) -> Option<Vec<Vec<Term>>> {
    match (formula.kind(), holds) {
        (Kind::Bool(value), _) if *value == holds => Some(vec![Vec::new()]),
        (Kind::Bool(_), _) => Some(Vec::new()),
        (Kind::Not(inner), _) => split(*inner, !holds, most),
        (Kind::Or(parts), true) | (Kind::And(parts), false) => any(parts, holds, most),
        (Kind::And(parts), true) | (Kind::Or(parts), false) => all(parts, holds, most),
        (Kind::Ite(condition, then, otherwise), _) => {
            either(*condition, literal(*then, holds), literal(*otherwise, holds), most)
        }
        (Kind::Implies(a, b), true) => any(&[term::not(*a), *b], true, most),
        (Kind::Implies(a, b), false) => all(&[*a, term::not(*b)], true, most),
        _ if formula.has_quantifier() => Some(vec![vec![simplify(literal(formula, holds))]]),
        // A value that depends on a condition: an element of an array after an assignment to another.
        _ => match find_conditional(formula, |sort| sort != Sort::Bool) {
            Some(cases) => {
                let [then, otherwise] = [cases.then, cases.otherwise].map(|atom| literal(simplify(atom), holds));
                either(cases.condition, then, otherwise, most)
            }
            None => Some(vec![vec![simplify(literal(formula, holds))]]),
        },
    }
}

fn either(condition: Term, then: Term, otherwise: Term, most: usize) -> Option<Vec<Vec<Term>>> {
    let mut cases = all(&[condition, then], true, most)?;
    cases.extend(all(&[term::not(condition), otherwise], true, most)?);
    (cases.len() <= most).then_some(cases)
}

fn any(parts: &[Term], holds: bool, most: usize) -> Option<Vec<Vec<Term>>> {
    let mut cases = Vec::new();
    for part in parts {
        cases.extend(split(*part, holds, most)?);
    }
    (cases.len() <= most).then_some(cases)
}

fn all(parts: &[Term], holds: bool, most: usize) -> Option<Vec<Vec<Term>>> {
    let mut cases = vec![Vec::new()];
    for part in parts {
        let more = split(*part, holds, most)?;
        let with = |case: &Vec<Term>| more.iter().map(|more| joined(case, more)).collect::<Vec<_>>();
        cases = cases.iter().flat_map(with).collect();
        if cases.len() > most {
            return None;
        }
    }
    Some(cases)
}

fn joined(case: &[Term], more: &[Term]) -> Vec<Term> {
    let mut all = case.to_vec();
    all.extend(more.iter().filter(|literal| !case.contains(literal)));
    all
}

/// Whether a literal says where control is: what a variable of an enumeration is, or is not.
pub(crate) fn is_control(literal: Term) -> bool {
    match atom(literal).kind() {
        Kind::Equal(a, b) => matches!(a.sort(), Sort::Enum(_)) && (is_value(*a) || is_value(*b)),
        _ => false,
    }
}

fn is_value(term: Term) -> bool {
    matches!(term.kind(), Kind::Enumerator(..))
}

/// Whether a formula speaks of the state.
pub(crate) fn is_about_state(system: &TransitionSystem, formula: Term) -> bool {
    let mentioned = functions_of(formula);
    system.state.iter().any(|symbol| mentioned.contains(&symbol.function))
}

/// The equation of what a comparison compares, without the difference by which it does: `t = u` for `t + 1 <= u`.
pub(crate) fn equation(literal: Term) -> Option<Term> {
    let found = comparison(literal)?;
    let equation = simplify(term::equal(without_number(found.left), without_number(found.right)));
    (!equation.is_value()).then_some(equation)
}

fn without_number(sum: Term) -> Term {
    match sum.kind() {
        Kind::Add(parts) => term::add(parts.iter().copied().filter(|part| term::as_number(*part).is_none())),
        _ => sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Function;

    #[test]
    fn cases_are_the_disjuncts_and_equations_of_truth_values_stay_whole() {
        let [a, b, c] = ["a", "b", "c"].map(|name| Function::constant(name, Sort::Bool).apply([]));
        let formula = term::and([term::or([a, b]), term::not(term::implies(c, a))]);
        let not_a = term::not(a);
        assert_eq!(cases(formula, 9), [vec![a, c, not_a], vec![b, c, not_a]]);
        assert_eq!(cases(formula, 1).len(), 1);
        let differ = term::not(term::equal(a, b));
        assert_eq!(cases(differ, 9), [vec![simplify(differ)]]);
        assert_eq!(cases(term::bool(false), 9).len(), 0);
        assert_eq!(cases(term::bool(true), 9), [Vec::<Term>::new()]);
    }

    #[test]
    fn what_depends_on_a_condition_is_told_apart() {
        let [x, y, z] = ["x", "y", "z"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let c = Function::constant("c", Sort::Bool).apply([]);
        let atom = term::less(term::ite(c, x, y), z);
        let (less, other) = (simplify(term::less(x, z)), simplify(term::less(y, z)));
        assert_eq!(cases(atom, 9), [vec![c, less], vec![term::not(c), other]]);
        let not = |literal: Term| simplify(term::not(literal));
        assert_eq!(
            cases(term::not(atom), 9),
            [vec![c, not(less)], vec![not(c), not(other)]]
        );
        assert_eq!(cases(atom, 1).len(), 1);
    }

    #[test]
    fn a_comparison_has_an_equation() {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let less = term::less_equal(term::add([x, term::int(1)]), y);
        assert_eq!(equation(less), Some(simplify(term::equal(x, y))));
        assert_eq!(equation(term::not(less)), Some(simplify(term::equal(x, y))));
        assert_eq!(equation(term::equal(x, y)), None);
    }
}
