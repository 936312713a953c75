//! Conditionals out of atoms: `f(if c then a else b) = d` becomes `if c then f(a) = d else f(b) = d`.
//!
//! The atoms that are left are simple, which is what predicates should be made of.

use logic::{
    Kind, Sort, Term,
    simplify::simplify,
    substitute::{rebuild, replace},
    term,
    traverse::post_order,
};
use std::collections::HashMap;

/// An atom with `n` conditionals in it may become `2^n` others: after this many atoms the rest stay as they are.
const ATOMS: usize = 1_000;
/// And so do atoms that are deeper than this: they come from loops that were unrolled, and would be of no use.
const DEEP: u32 = 100;

/// The formula with no conditional of another sort than Boolean, but for a formula that would become too large.
pub(crate) fn lift_conditionals(formula: Term) -> Term {
    Lifting::default().formula(formula)
}

#[derive(Default)]
struct Lifting {
    formulas: HashMap<Term, Term>,
    atoms: usize,
}

impl Lifting {
    fn formula(&mut self, formula: Term) -> Term {
        if let Some(known) = self.formulas.get(&formula) {
            return *known;
        }
        let result = match formula.kind() {
            Kind::Not(_) | Kind::And(_) | Kind::Or(_) | Kind::Implies(..) | Kind::Quantified(..) => {
                rebuild(formula, |part| self.formula(part))
            }
            Kind::Equal(a, _) if a.sort() == Sort::Bool => rebuild(formula, |part| self.formula(part)),
            Kind::Ite(..) => rebuild(formula, |part| self.formula(part)),
            _ => self.atom(formula),
        };
        self.formulas.insert(formula, result);
        result
    }

    fn atom(&mut self, atom: Term) -> Term {
        let Some(conditional) = find_conditional(atom).filter(|_| self.atoms < ATOMS && atom.depth() <= DEEP) else {
            return atom;
        };
        self.atoms += 1;
        let Kind::Ite(condition, then, otherwise) = conditional.kind() else {
            return atom;
        };
        let yes = simplify(replace(atom, conditional, *then));
        let no = simplify(replace(atom, conditional, *otherwise));
        let (yes, no) = (self.formula(yes), self.formula(no));
        let condition = self.formula(*condition);
        if yes == no { yes } else { term::ite(condition, yes, no) }
    }
}

/// An innermost conditional in an atom, outside of quantifiers.
pub(crate) fn find_conditional(atom: Term) -> Option<Term> {
    let is_conditional = |t: &Term| matches!(t.kind(), Kind::Ite(..)) && t.sort() != Sort::Bool;
    post_order(atom, false).into_iter().find(is_conditional)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Function;

    fn constant(name: &str, sort: Sort) -> Term {
        Function::constant(name, sort).apply([])
    }

    /// `(if c1 then a1 else b1) + ... + (if cn then an else bn) < 0`
    fn atom(count: usize) -> Term {
        let conditional = |n: usize| {
            let [then, otherwise] = ["a", "b"].map(|name| constant(&format!("{name}{n}"), Sort::Int));
            term::ite(constant(&format!("c{n}"), Sort::Bool), then, otherwise)
        };
        term::less(term::add((0..count).map(conditional)), term::int(0))
    }

    #[test]
    fn conditionals_leave_atoms() {
        let lifted = lift_conditionals(atom(2));
        assert_eq!(find_conditional(lifted), None);
        assert!(matches!(lifted.kind(), Kind::Ite(..)));
    }

    #[test]
    fn very_many_conditionals_stay_where_they_are() {
        let lifted = lift_conditionals(atom(40));
        assert!(find_conditional(lifted).is_some());
        assert!(post_order(lifted, false).len() < 100 * ATOMS);
    }
}
