//! The assertions of a solver, level by level, kept on our side: what a back end needs in order to start afresh. And
//! the Boolean constants that stand for assumptions.

use crate::solver::SolverError;
use logic::term::{implies, not};
use logic::{Function, Kind, Sort, Term};

/// See the module.
#[derive(Debug)]
pub(crate) struct Assertions {
    /// Never empty; the first level is never popped.
    levels: Vec<Vec<Term>>,
}

impl Assertions {
    pub(crate) fn new() -> Assertions {
        Assertions {
            levels: vec![Vec::new()],
        }
    }

    pub(crate) fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        formula_only(formula)?;
        if let Some(level) = self.levels.last_mut() {
            level.push(formula);
        }
        Ok(())
    }

    pub(crate) fn push(&mut self) {
        self.levels.push(Vec::new());
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
        self.levels.iter().map(Vec::as_slice)
    }
}

/// Assumptions as literals, which is what solvers take.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    /// Each literal with the assumption that it implies.
    pub(crate) pairs: Vec<(Term, Term)>,
    /// What has to be asserted for this check, so that the literals imply the assumptions. Asserted for good, such
    /// implications would make every later check dearer.
    pub(crate) implications: Vec<Term>,
}

impl Literals {
    /// An assumption that is no literal is implied by a new constant.
    pub(crate) fn of(assumptions: &[Term]) -> Result<Literals, SolverError> {
        let mut literals = Literals::default();
        for (number, assumption) in assumptions.iter().enumerate() {
            formula_only(*assumption)?;
            if is_literal(*assumption) {
                literals.pairs.push((*assumption, *assumption));
            } else {
                // No front end makes a name with this character.
                let name = format!("\u{1}assumption {number}");
                let literal = Function::constant(name.as_str(), Sort::Bool).apply([]);
                literals.pairs.push((literal, *assumption));
                literals.implications.push(implies(literal, *assumption));
            }
        }
        Ok(literals)
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
