//! What is to be proved: that no reachable state is bad.
//!
//! A property `forall i, j. psi(i, j)` is proved for arbitrary but fixed `i` and `j`: they become constants that
//! predicates may mention, and what the property says of them alone (that they differ) is assumed. An invariant over
//! the constants, closed again by `forall`, is an invariant of the system.

use deduction::formulas::collect_atoms;
use logic::hashing::FastSet;
use logic::{Function, Kind, Quantifier, Substitution, Term, Variable, simplify::simplify, substitute, term};
use std::collections::BTreeSet;
use system::TransitionSystem;

/// One thing to prove.
#[derive(Clone, Debug)]
pub struct Goal {
    pub name: String,
    /// The constants that stand for the outermost variables of the property.
    pub constants: Vec<(Function, Variable)>,
    /// What holds of the constants by the property itself.
    pub hypotheses: Vec<Term>,
    /// Known to hold in every state.
    pub known: Vec<Term>,
    /// The whole property: holds in every state before the first bad one.
    pub property: Term,
    /// Satisfied by bad states. Symbols other than the constants and the state are existential.
    pub bad: Term,
}

/// The goals of a property: one for each of its conjuncts.
pub fn goals(name: &str, property: Term, system: &TransitionSystem) -> Vec<Goal> {
    let normal = logic::normal_forms::negation_normal_form(logic::normal_forms::expand_finite(property));
    let mut conjuncts = Vec::new();
    split(normal, &mut conjuncts);
    let state: BTreeSet<Function> = system.state.iter().map(|s| s.function).collect();
    let total = conjuncts.len();
    let mut goals = Vec::new();
    for (number, conjunct) in conjuncts.into_iter().enumerate() {
        let name = if total == 1 {
            name.to_owned()
        } else {
            format!("{name} ({})", number + 1)
        };
        let mut constants = Vec::new();
        let mut body = conjunct;
        while let Kind::Quantified(Quantifier::Forall, variables, inner) = body.kind() {
            let mut values = Vec::new();
            for variable in variables {
                let constant = Function::constant(format!("{}@{number}", variable.name).as_str(), variable.sort);
                constants.push((constant, *variable));
                values.push((*variable, constant.apply([])));
            }
            body = Substitution::of_variables(values).apply(*inner);
        }
        let bad = simplify(logic::normal_forms::negation_normal_form(term::not(body)));
        let parts = match bad.kind() {
            Kind::And(parts) => parts.clone(),
            _ => vec![bad],
        };
        let is_rigid = |part: &Term| substitute::functions_of(*part).is_disjoint(&state);
        let (hypotheses, changing): (Vec<Term>, Vec<Term>) = parts.into_iter().partition(is_rigid);
        goals.push(Goal {
            name,
            constants,
            hypotheses,
            known: Vec::new(),
            property,
            bad: term::and(changing),
        });
    }
    goals
}

/// Conjuncts, with universal quantifiers distributed over them.
fn split(formula: Term, conjuncts: &mut Vec<Term>) {
    match formula.kind() {
        Kind::And(parts) => parts.iter().for_each(|part| split(*part, conjuncts)),
        Kind::Quantified(Quantifier::Forall, variables, body) => {
            let mut inner = Vec::new();
            split(*body, &mut inner);
            conjuncts.extend(inner.into_iter().map(|part| term::forall(variables.clone(), part)));
        }
        _ => conjuncts.push(formula),
    }
}

impl Goal {
    /// The property as it is, for those who will not look at it.
    pub fn undivided(name: &str, property: Term) -> Goal {
        Goal {
            name: name.to_owned(),
            constants: Vec::new(),
            hypotheses: Vec::new(),
            known: Vec::new(),
            property,
            bad: term::not(property),
        }
    }

    /// `forall constants. hypotheses => formula`
    pub fn close(&self, formula: Term) -> Term {
        let body = term::implies(term::and(self.hypotheses.iter().copied()), formula);
        let taken: BTreeSet<_> = bound_names(body);
        let mut variables = Vec::new();
        let mut lambdas = Vec::new();
        for (constant, variable) in &self.constants {
            let fresh = substitute::fresh_variable(*variable, |v| taken.contains(&v.name) || variables.contains(&v));
            variables.push(fresh);
            lambdas.push((
                *constant,
                logic::Lambda {
                    parameters: Vec::new(),
                    body: fresh.term(),
                },
            ));
        }
        term::forall(variables, Substitution::of_functions(lambdas).apply(body))
    }

    /// The atoms of the bad states: the first predicates.
    pub fn atoms(&self) -> Vec<Term> {
        let mut atoms = Vec::new();
        collect_atoms(self.bad, &mut atoms);
        atoms
    }
}

fn bound_names(formula: Term) -> BTreeSet<logic::Name> {
    let mut names = BTreeSet::new();
    let mut pending = vec![formula];
    let mut seen = FastSet::default();
    while let Some(term) = pending.pop() {
        if seen.insert(term) {
            if let Kind::Quantified(_, variables, _) = term.kind() {
                names.extend(variables.iter().map(|v| v.name));
            }
            pending.extend(term.children());
        }
    }
    names
}
