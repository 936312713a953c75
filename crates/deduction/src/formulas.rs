//! Formulas taken apart.
//!
//! The conjuncts of a formula are in `logic::term`.

use logic::hashing::FastSet;
use logic::normal_forms::{expand_finite, negation_normal_form};
use logic::traverse::post_order;
use logic::{Kind, Quantifier, Sort, Term, term};

/// The atom of a literal, and whether the literal is not its negation.
pub fn signed_atom(literal: Term) -> (Term, bool) {
    match literal.kind() {
        Kind::Not(atom) => (*atom, false),
        _ => (literal, true),
    }
}

pub fn atom(literal: Term) -> Term {
    signed_atom(literal).0
}

/// The formula, or its negation where it does not hold.
pub fn literal(formula: Term, holds: bool) -> Term {
    if holds { formula } else { term::not(formula) }
}

/// Adds the atoms of a Boolean combination, quantified formulas counting as atoms; never negated, none twice.
pub fn collect_atoms(formula: Term, atoms: &mut Vec<Term>) {
    let mut seen: FastSet<Term> = atoms.iter().copied().collect();
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        if !seen.insert(formula) {
            continue;
        }
        match formula.kind() {
            Kind::Bool(_) => {}
            Kind::Not(a) => pending.push(*a),
            Kind::And(parts) | Kind::Or(parts) => pending.extend(parts.iter().rev()),
            Kind::Implies(a, b) => pending.extend([*b, *a]),
            Kind::Equal(a, b) if a.sort() == Sort::Bool => pending.extend([*b, *a]),
            Kind::Ite(a, b, c) if formula.sort() == Sort::Bool => pending.extend([*c, *b, *a]),
            _ => atoms.push(formula),
        }
    }
}

/// Whether a formula has no existential quantifier.
pub fn is_universal(formula: Term) -> bool {
    !has_existential(negation_normal_form(expand_finite(formula)))
}

/// Whether a formula has an existential quantifier below a universal one.
pub fn has_alternation(formula: Term) -> bool {
    let mut parts = post_order(negation_normal_form(formula), true).into_iter();
    parts.any(|part| match part.kind() {
        Kind::Quantified(Quantifier::Forall, _, body) => has_existential(*body),
        _ => false,
    })
}

/// Of a formula in negation normal form.
fn has_existential(normal: Term) -> bool {
    let is_existential = |part: &Term| matches!(part.kind(), Kind::Quantified(Quantifier::Exists, ..));
    post_order(normal, true).iter().any(is_existential)
}

/// The number of different sub-terms.
pub fn size(formula: Term) -> usize {
    post_order(formula, true).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Function, Variable};

    #[test]
    fn literals_are_their_atoms_with_a_sign() {
        let p = Function::constant("p", Sort::Bool).apply([]);
        assert_eq!(signed_atom(term::not(p)), (p, false));
        for holds in [true, false] {
            assert_eq!(signed_atom(literal(p, holds)), (p, holds));
        }
    }

    #[test]
    fn atoms_are_collected_once_in_order() {
        let [p, q, r] = ["p", "q", "r"].map(|name| Function::constant(name, Sort::Bool).apply([]));
        let mut atoms = vec![r];
        collect_atoms(
            term::and([term::implies(q, p), term::not(term::or([r, p]))]),
            &mut atoms,
        );
        assert_eq!(atoms, [r, q, p]);
    }

    #[test]
    fn negations_turn_quantifiers_round() {
        let node = Sort::Index("NODE".into());
        let [x, y] = ["x", "y"].map(|name| Variable::new(name, node));
        let edge = Function::new("edge", vec![node, node], Sort::Bool).apply([x.term(), y.term()]);
        let some = term::exists([y], edge);
        assert!(is_universal(term::not(term::exists([x], some))));
        assert!(!is_universal(term::forall([x], some)));
        assert!(has_alternation(term::forall([x], some)));
        assert!(has_alternation(term::not(term::exists([x], term::not(some)))));
        assert!(!has_alternation(term::exists([x], term::forall([y], edge))));
    }
}
