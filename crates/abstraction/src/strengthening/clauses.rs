//! A universal formula as the cubes that it excludes, so that it need not be instantiated before a model asks for it.
//!
//! `forall x. phi(x)` holds where no clause of `phi` fails for any `x`, and the literals of a clause that fails are a
//! cube. The variables of a cube stand for different elements: there is one cube for each way in which the variables of
//! the clause can be equal.

use deduction::formulas::signed_atom;
use deduction::generalisation::{Cube, variable};
use logic::normal_forms::negation_normal_form;
use logic::{Kind, Quantifier, Sort, Substitution, Term, Variable, term};
use std::collections::BTreeSet;

/// Formulas with more clauses than this, or with clauses of more variables, stay as they are.
const CLAUSES: usize = 64;
const VARIABLES: usize = 4;

/// The cubes, none of which holds where the formula does; `None` where it says that something exists, or is too long.
pub(super) fn excluded(formula: Term) -> Option<Vec<Cube>> {
    let mut cubes = BTreeSet::new();
    for clause in clauses(negation_normal_form(formula), &mut 0)? {
        let variables: BTreeSet<Variable> = clause.iter().flat_map(|l| l.free_variables()).copied().collect();
        let variables: Vec<Variable> = variables.into_iter().collect();
        let are_indices = variables.iter().all(|v| matches!(v.sort, Sort::Index(_)));
        if !are_indices || variables.len() > VARIABLES {
            return None;
        }
        for naming in namings(&variables) {
            let substitution = Substitution::of_variables(variables.iter().copied().zip(naming));
            let failing = clause
                .iter()
                .map(|l| term::not(substitution.apply(*l)))
                .map(among_different);
            let failing: BTreeSet<Term> = failing.filter(|l| !l.is_true()).collect();
            if !failing.iter().any(|l| l.is_false()) {
                cubes.insert(Cube::new(failing));
            }
        }
    }
    Some(cubes.into_iter().collect())
}

/// The literals of each clause of a formula in negation normal form. Bound variables get names of their own.
fn clauses(formula: Term, names: &mut usize) -> Option<Vec<Vec<Term>>> {
    let clauses = match formula.kind() {
        Kind::Bool(true) => Vec::new(),
        Kind::Bool(false) => vec![Vec::new()],
        Kind::And(parts) => {
            let parts: Option<Vec<_>> = parts.iter().map(|part| clauses(*part, names)).collect();
            parts?.concat()
        }
        Kind::Or(parts) => {
            let mut product: Vec<Vec<Term>> = vec![Vec::new()];
            for part in parts {
                let part = clauses(*part, names)?;
                let with = |clause: &Vec<Term>| {
                    part.iter()
                        .map(|more| [clause.as_slice(), more].concat())
                        .collect::<Vec<_>>()
                };
                product = product.iter().flat_map(with).collect();
                if product.len() > CLAUSES {
                    return None;
                }
            }
            product
        }
        Kind::Quantified(Quantifier::Forall, variables, body) => {
            let mut fresh = |variable: &Variable| {
                *names += 1;
                (
                    *variable,
                    Variable::new(format!("bound!{names}").as_str(), variable.sort).term(),
                )
            };
            let renamed: Vec<(Variable, Term)> = variables.iter().map(&mut fresh).collect();
            clauses(Substitution::of_variables(renamed).apply(*body), names)?
        }
        Kind::Quantified(..) => return None,
        _ if formula.has_quantifier() => return None,
        _ => vec![vec![formula]],
    };
    (clauses.len() <= CLAUSES).then_some(clauses)
}

/// The ways in which variables can be equal or different: for each, the variable of a cube for each of them.
fn namings(variables: &[Variable]) -> Vec<Vec<Term>> {
    let mut namings: Vec<Vec<Term>> = vec![Vec::new()];
    for next in variables {
        let with = |naming: &Vec<Term>| {
            let used: BTreeSet<Term> = naming.iter().copied().filter(|t| t.sort() == next.sort).collect();
            let new = variable(next.sort, used.len()).term();
            let extended = |t: Term| [naming.as_slice(), &[t]].concat();
            used.into_iter().chain([new]).map(extended).collect::<Vec<_>>()
        };
        namings = namings.iter().flat_map(with).collect();
    }
    namings
}

/// The literal, where different variables are different elements.
fn among_different(literal: Term) -> Term {
    let is_variable = |t: &Term| matches!(t.kind(), Kind::Variable(_));
    let (atom, positive) = signed_atom(literal);
    match atom.kind() {
        Kind::Equal(a, b) if is_variable(a) && is_variable(b) => term::bool((a == b) == positive),
        _ => literal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Function, Name};

    #[test]
    fn one_cube_for_each_clause_and_way_to_be_equal() {
        let sort = Sort::Index(Name::new("node"));
        let [x, y] = ["x", "y"].map(|name| Variable::new(name, sort));
        let [p, q] = ["p", "q"].map(|name| Function::new(name, vec![sort], Sort::Bool));
        let of = |f: Function, v: Variable| f.apply([v.term()]);
        // An element with p has q, and no other has p: for x = y only the first constrains anything.
        let only = term::forall([y], term::implies(of(p, y), term::equal(x.term(), y.term())));
        let formula = term::forall([x], term::implies(of(p, x), term::and([of(q, x), only])));
        let cubes = excluded(formula).unwrap_or_default();
        let [a, b] = [0, 1].map(|n| variable(sort, n));
        let expected = [
            Cube::new([of(p, a), term::not(of(q, a))]),
            Cube::new([of(p, a), of(p, b)]),
        ];
        assert_eq!(cubes.into_iter().collect::<BTreeSet<_>>(), BTreeSet::from(expected));
        assert!(excluded(term::exists([x], of(p, x))).is_none());
    }
}
