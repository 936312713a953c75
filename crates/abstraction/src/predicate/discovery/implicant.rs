//! Why formulas hold in a model: atoms whose truth values imply them.
//!
//! Conditionals inside of atoms are decided by the model, their conditions being part of the reason. Lifting them out
//! first would give the same atoms, and exponentially many others.

use logic::{Kind, Sort, Term, simplify::simplify, substitute::rebuild};
use smt::{Model, SolverError};
use std::collections::{HashMap, HashSet};

pub(super) struct Implicant<'m> {
    model: &'m dyn Model,
    explained: HashSet<Term>,
    resolved: HashMap<Term, Term>,
    /// Atoms without conditionals, with their truth values.
    pub atoms: Vec<(Term, bool)>,
}

impl<'m> Implicant<'m> {
    pub(super) fn new(model: &'m dyn Model) -> Implicant<'m> {
        Implicant {
            model,
            explained: HashSet::new(),
            resolved: HashMap::new(),
            atoms: Vec::new(),
        }
    }

    fn holds(&self, formula: Term) -> Result<bool, SolverError> {
        Ok(self.model.value(formula)?.as_bool() == Some(true))
    }

    /// Adds the atoms that decide a formula.
    pub(super) fn explain(&mut self, formula: Term) -> Result<(), SolverError> {
        if !self.explained.insert(formula) {
            return Ok(());
        }
        match formula.kind() {
            Kind::Bool(_) => {}
            Kind::Not(a) => self.explain(*a)?,
            Kind::And(parts) | Kind::Or(parts) => {
                let is_and = matches!(formula.kind(), Kind::And(_));
                let all = self.holds(formula)? == is_and;
                for part in parts {
                    // Otherwise each part that decides it is a reason.
                    if all || self.holds(*part)? != is_and {
                        self.explain(*part)?;
                    }
                }
            }
            Kind::Implies(a, b) => {
                let holds = self.holds(formula)?;
                if !holds || !self.holds(*a)? {
                    self.explain(*a)?;
                }
                if !holds || self.holds(*b)? {
                    self.explain(*b)?;
                }
            }
            Kind::Equal(a, b) if a.sort() == Sort::Bool => {
                self.explain(*a)?;
                self.explain(*b)?;
            }
            Kind::Ite(condition, then, otherwise) => {
                self.explain(*condition)?;
                let branch = if self.holds(*condition)? { then } else { otherwise };
                self.explain(*branch)?;
            }
            _ => {
                let atom = self.resolve(formula)?;
                self.add(atom)?;
            }
        }
        Ok(())
    }

    /// Adds an atom without conditionals; simplifying may have made it something else.
    fn add(&mut self, atom: Term) -> Result<(), SolverError> {
        let atom = match atom.kind() {
            Kind::Bool(_) => return Ok(()),
            Kind::Not(inner) => *inner,
            _ => atom,
        };
        let value = self.holds(atom)?;
        if self.atoms.iter().all(|(known, _)| *known != atom) {
            self.atoms.push((atom, value));
        }
        Ok(())
    }

    /// The term with the branches of conditionals that the model takes.
    fn resolve(&mut self, term: Term) -> Result<Term, SolverError> {
        if let Some(known) = self.resolved.get(&term) {
            return Ok(*known);
        }
        let result = match term.kind() {
            Kind::Ite(condition, then, otherwise) => {
                self.explain(*condition)?;
                let branch = if self.holds(*condition)? { then } else { otherwise };
                self.resolve(*branch)?
            }
            // What is inside depends on the variables.
            Kind::Quantified(..) => term,
            _ => {
                let mut failure = None;
                let rebuilt = rebuild(term, |part| {
                    self.resolve(part).unwrap_or_else(|error| {
                        failure = Some(error);
                        part
                    })
                });
                if let Some(error) = failure {
                    return Err(error);
                }
                simplify(rebuilt)
            }
        };
        self.resolved.insert(term, result);
        Ok(result)
    }
}
