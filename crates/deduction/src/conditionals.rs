//! Conditionals in terms: the values they choose between, and how they are lifted out of atoms.
//!
//! `f(if c then a else b) = d` becomes `if c then f(a) = d else f(b) = d`. The atoms of the result are simple, as
//! predicates should be.

use logic::{
    Kind, Sort, Term,
    simplify::simplify,
    substitute::{rebuild, replace},
    term,
    traverse::post_order,
};
use std::collections::{BTreeSet, HashMap};

/// An atom with `n` conditionals may become `2^n` atoms: after this many, the rest stay as they are.
const MAX_ATOMS: usize = 1_000;
/// Deeper atoms stay as they are, too: they come from unrolled loops, and are of no use as predicates.
const MAX_DEPTH: u32 = 100;

/// The formula without conditionals in its atoms, but for atoms beyond the limits.
pub fn lift_conditionals(formula: Term) -> Term {
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
        let conditional = find_conditional(atom, |sort| sort != Sort::Bool);
        let is_small = self.atoms < MAX_ATOMS && atom.depth() <= MAX_DEPTH;
        let Some(split) = conditional.filter(|_| is_small) else {
            return atom;
        };
        self.atoms += 1;
        let [yes, no] = [split.then, split.otherwise].map(simplify);
        let (yes, no) = (self.formula(yes), self.formula(no));
        let condition = self.formula(split.condition);
        if yes == no { yes } else { term::ite(condition, yes, no) }
    }
}

/// An atom by cases: `condition` and `then`, or not `condition` and `otherwise`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    pub condition: Term,
    pub then: Term,
    pub otherwise: Term,
}

/// An atom by the cases of an innermost conditional of such a sort in it, outside of quantifiers.
pub fn find_conditional(atom: Term, is_wanted: impl Fn(Sort) -> bool) -> Option<Split> {
    let mut parts = post_order(atom, false).into_iter();
    parts.find_map(|part| match part.kind() {
        Kind::Ite(condition, then, otherwise) if is_wanted(part.sort()) => Some(Split {
            condition: *condition,
            then: replace(atom, part, *then),
            otherwise: replace(atom, part, *otherwise),
        }),
        _ => None,
    })
}

/// The terms that nested conditionals choose between; none where there are more than `most`.
pub fn leaves(term: Term, most: usize) -> Option<BTreeSet<Term>> {
    let (mut leaves, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        match term.kind() {
            Kind::Ite(_, then, otherwise) => pending.extend([*then, *otherwise]),
            _ => {
                leaves.insert(term);
            }
        }
        if leaves.len() > most {
            return None;
        }
    }
    Some(leaves)
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
        assert_eq!(find_conditional(lifted, |sort| sort != Sort::Bool), None);
        assert!(find_conditional(lifted, |sort| sort == Sort::Bool).is_some());
    }

    #[test]
    fn leaves_are_found_once_and_bounded() {
        let [a, b, c] = ["a", "b", "c"].map(|name| constant(name, Sort::Int));
        let [p, q] = ["p", "q"].map(|name| constant(name, Sort::Bool));
        let term = term::ite(p, term::ite(q, a, b), term::ite(q, b, c));
        assert_eq!(leaves(term, 3), Some(BTreeSet::from([a, b, c])));
        assert_eq!(leaves(term, 2), None);
        assert_eq!(leaves(a, 1), Some(BTreeSet::from([a])));
    }

    #[test]
    fn very_many_conditionals_stay_where_they_are() {
        let lifted = lift_conditionals(atom(40));
        assert!(find_conditional(lifted, |sort| sort != Sort::Bool).is_some());
        assert!(post_order(lifted, false).len() < 100 * MAX_ATOMS);
    }
}
