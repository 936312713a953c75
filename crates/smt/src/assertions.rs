//! The assertions of a solver, level by level, kept on our side: what a back end needs in order to start afresh, and the
//! Boolean constants that stand for assumptions.

use crate::solver::SolverError;
use logic::term::{implies, not};
use logic::{Function, Kind, Sort, Term};
use std::collections::HashMap;

/// See the module.
#[derive(Debug)]
pub(crate) struct Assertions {
    /// Never empty; the first level is never popped.
    levels: Vec<Level>,
    /// How many names were given.
    names: u64,
}

#[derive(Debug, Default)]
struct Level {
    assertions: Vec<Term>,
    /// Assumed formulas and the constants that imply them, these implications being asserted at this level.
    names: HashMap<Term, Term>,
}

impl Assertions {
    pub(crate) fn new() -> Assertions {
        Assertions {
            levels: vec![Level::default()],
            names: 0,
        }
    }

    pub(crate) fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        formula_only(formula)?;
        if let Some(level) = self.levels.last_mut() {
            level.assertions.push(formula);
        }
        Ok(())
    }

    pub(crate) fn push(&mut self) {
        self.levels.push(Level::default());
    }

    pub(crate) fn pop(&mut self) -> Result<(), SolverError> {
        if self.levels.len() == 1 {
            return Err(SolverError::PopWithoutPush);
        }
        self.levels.pop();
        Ok(())
    }

    /// The assertions of each level, the first one outermost.
    pub(crate) fn levels(&self) -> impl Iterator<Item = &[Term]> {
        self.levels.iter().map(|level| level.assertions.as_slice())
    }

    /// How many assumptions have a name.
    pub(crate) fn named(&self) -> usize {
        self.levels.iter().map(|level| level.names.len()).sum()
    }

    /// Forgets all names of assumptions, since the solver that knew their implications is gone.
    pub(crate) fn forget_names(&mut self) {
        self.levels.iter_mut().for_each(|level| level.names.clear());
    }

    /// A literal that implies the assumption: the assumption itself, or a constant; and, the first time, the implication
    /// that has to be asserted.
    pub(crate) fn literal(&mut self, assumption: Term) -> Result<(Term, Option<Term>), SolverError> {
        formula_only(assumption)?;
        if is_literal(assumption) {
            return Ok((assumption, None));
        }
        if let Some(literal) = self.levels.iter().find_map(|level| level.names.get(&assumption)) {
            return Ok((*literal, None));
        }
        self.names += 1;
        // No front end makes a name with this character.
        let name = format!("\u{1}assumption {}", self.names);
        let literal = Function::constant(name.as_str(), Sort::Bool).apply([]);
        if let Some(level) = self.levels.last_mut() {
            level.names.insert(assumption, literal);
        }
        Ok((literal, Some(implies(literal, assumption))))
    }
}

fn formula_only(formula: Term) -> Result<(), SolverError> {
    if formula.sort() == Sort::Bool {
        Ok(())
    } else {
        Err(SolverError::NotAFormula(formula))
    }
}

/// A Boolean constant or variable, or the negation of one: what solvers take as an assumption.
fn is_literal(formula: Term) -> bool {
    let atom = match formula.kind() {
        Kind::Not(_) => not(formula),
        _ => formula,
    };
    match atom.kind() {
        Kind::Apply(_, arguments) => arguments.is_empty(),
        Kind::Variable(_) => true,
        _ => false,
    }
}
