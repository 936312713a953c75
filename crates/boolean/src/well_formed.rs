//! Validation of programs that were built as data; the checker does the same for parsed programs.

use crate::program::{Action, Expression, LabelId, Procedure, ProcedureId, Program, Statement, Variable};
use std::collections::BTreeSet;
use thiserror::Error;

/// What is wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Malformed {
    #[error("the entry is no procedure of the program")]
    Entry,
    #[error("{procedure} uses a variable that is not there")]
    Variable { procedure: String },
    #[error("{procedure} uses a value after an assignment outside of a constraint")]
    Next { procedure: String },
    #[error("{procedure} assigns twice to a variable at once")]
    Twice { procedure: String },
    #[error("{procedure} has a statement with the wrong number of values, arguments or results")]
    Number { procedure: String },
    #[error("{procedure} has a label that stands nowhere or twice, or goes to one")]
    Label { procedure: String },
    #[error("{procedure} calls a procedure that is not there")]
    Call { procedure: String },
    #[error("{procedure} has a conjunction or disjunction of less than two parts")]
    Parts { procedure: String },
    #[error("{procedure} is nested too deeply")]
    Deep { procedure: String },
}

/// The maximum nesting of expressions and blocks, which recursive functions traverse.
pub const DEPTH: usize = 2_000;

impl Program {
    /// An error where the program is malformed.
    pub fn well_formed(&self) -> Result<(), Malformed> {
        if self.entry.0 >= self.procedures.len() {
            return Err(Malformed::Entry);
        }
        let nowhere = Procedure::default();
        let globally = Scope {
            program: self,
            procedure: &nowhere,
        };
        self.enforced
            .iter()
            .try_for_each(|e| globally.expression(e, false, 0))?;
        for procedure in &self.procedures {
            let scope = Scope {
                program: self,
                procedure,
            };
            let mut placed = BTreeSet::new();
            procedure
                .enforced
                .iter()
                .try_for_each(|e| scope.expression(e, false, 0))?;
            scope.block(&procedure.body, &mut placed, 0)?;
            if placed.len() != procedure.labels.len() {
                return Err(Malformed::Label {
                    procedure: scope.name(),
                });
            }
        }
        Ok(())
    }
}

struct Scope<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
}

impl Scope<'_> {
    fn name(&self) -> String {
        match self.procedure.name.is_empty() {
            true => "an invariant of every state".to_owned(),
            false => format!("the procedure `{}`", self.procedure.name),
        }
    }

    fn variable(&self, variable: Variable) -> Result<(), Malformed> {
        let is_there = match variable {
            Variable::Global(number) => number < self.program.globals.len(),
            Variable::Local(number) => number < self.procedure.local_count(),
        };
        match is_there {
            true => Ok(()),
            false => Err(Malformed::Variable { procedure: self.name() }),
        }
    }

    fn expression(&self, expression: &Expression, may_be_next: bool, depth: usize) -> Result<(), Malformed> {
        let procedure = || self.name();
        match expression {
            _ if depth > DEPTH => return Err(Malformed::Deep { procedure: procedure() }),
            Expression::Next(_) if !may_be_next => return Err(Malformed::Next { procedure: procedure() }),
            Expression::Variable(variable) | Expression::Next(variable) => self.variable(*variable)?,
            Expression::And(parts) | Expression::Or(parts) if parts.len() < 2 => {
                return Err(Malformed::Parts { procedure: procedure() });
            }
            _ => {}
        }
        let mut parts = expression.parts().into_iter();
        parts.try_for_each(|part| self.expression(part, may_be_next, depth + 1))
    }

    fn block(&self, block: &[Statement], placed: &mut BTreeSet<LabelId>, depth: usize) -> Result<(), Malformed> {
        if depth > DEPTH {
            return Err(Malformed::Deep { procedure: self.name() });
        }
        for statement in block {
            for label in &statement.labels {
                self.label(*label)?;
                if !placed.insert(*label) {
                    return Err(Malformed::Label { procedure: self.name() });
                }
            }
            self.statement(statement)?;
            let mut blocks = statement.blocks().into_iter();
            blocks.try_for_each(|block| self.block(block, placed, depth + 1))?;
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> Result<(), Malformed> {
        match label.0 < self.procedure.labels.len() {
            true => Ok(()),
            false => Err(Malformed::Label { procedure: self.name() }),
        }
    }

    fn statement(&self, statement: &Statement) -> Result<(), Malformed> {
        let written = statement.written();
        written.iter().try_for_each(|variable| self.variable(*variable))?;
        let different: BTreeSet<&Variable> = written.iter().collect();
        if different.len() < written.len() {
            return Err(Malformed::Twice { procedure: self.name() });
        }
        let of_values = match &statement.action {
            Action::Assign { values, constraint, .. } => {
                constraint.iter().try_for_each(|e| self.expression(e, true, 0))?;
                values.iter().collect()
            }
            _ => statement.expressions(),
        };
        of_values.into_iter().try_for_each(|e| self.expression(e, false, 0))?;
        let fits = match &statement.action {
            Action::Assign { targets, values, .. } => targets.len() == values.len(),
            Action::Return(values) => values.len() == self.procedure.results,
            Action::Goto(labels) => {
                labels.iter().try_for_each(|label| self.label(*label))?;
                !labels.is_empty()
            }
            Action::Call {
                results,
                procedure,
                arguments,
            } => {
                let called = self.called(*procedure)?;
                results.len() == called.results && arguments.len() == called.parameters.len()
            }
            _ => true,
        };
        match fits {
            true => Ok(()),
            false => Err(Malformed::Number { procedure: self.name() }),
        }
    }

    fn called(&self, procedure: ProcedureId) -> Result<&Procedure, Malformed> {
        let called = self.program.procedures.get(procedure.0);
        called.ok_or_else(|| Malformed::Call { procedure: self.name() })
    }
}
