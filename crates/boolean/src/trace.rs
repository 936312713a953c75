//! Runs of a Boolean program.

use crate::program::{ProcedureId, StatementId, Variable};

/// The values of all variables in the scope of a procedure.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct State {
    pub globals: Vec<bool>,
    /// Parameters first.
    pub locals: Vec<bool>,
}

impl State {
    /// The value of a variable; false if it does not exist.
    pub fn get(&self, variable: Variable) -> bool {
        let value = match variable {
            Variable::Global(number) => self.globals.get(number),
            Variable::Local(number) => self.locals.get(number),
        };
        value.copied().unwrap_or_default()
    }

    pub fn set(&mut self, variable: Variable, value: bool) {
        let place = match variable {
            Variable::Global(number) => self.globals.get_mut(number),
            Variable::Local(number) => self.locals.get_mut(number),
        };
        if let Some(place) = place {
            *place = value;
        }
    }
}

/// A control position in a procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Control {
    /// Before this statement, by its index in the procedure.
    Before(usize),
    /// Behind the last statement.
    End,
}

/// A configuration of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    pub procedure: ProcedureId,
    pub control: Control,
    /// The depth of the call stack.
    pub depth: usize,
    pub state: State,
}

/// A run into a failing assertion, from the initial configuration to the one before the assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    pub points: Vec<Point>,
    pub failing: StatementId,
}

impl Trace {
    /// The number of steps before the assertion.
    pub fn steps(&self) -> usize {
        self.points.len().saturating_sub(1)
    }
}
