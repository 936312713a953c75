//! Conditionals out of atoms: `f(if c then a else b) = d` becomes `if c then f(a) = d else f(b) = d`.
//!
//! The atoms that are left are simple, which is what predicates should be made of.

use logic::{
    Kind, Sort, Term,
    simplify::simplify,
    substitute::{rebuild, replace},
    term,
};
use std::collections::HashMap;

/// The formula with no conditional of another sort than Boolean.
pub fn lift_conditionals(formula: Term) -> Term {
    Lifting::default().formula(formula)
}

#[derive(Default)]
struct Lifting {
    formulas: HashMap<Term, Term>,
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
        let Some(conditional) = find_conditional(atom) else {
            return atom;
        };
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

/// An innermost conditional in an atom.
fn find_conditional(term: Term) -> Option<Term> {
    if let Kind::Quantified(..) = term.kind() {
        return None;
    }
    let inner = term.children().into_iter().find_map(find_conditional);
    inner.or_else(|| (matches!(term.kind(), Kind::Ite(..)) && term.sort() != Sort::Bool).then_some(term))
}
