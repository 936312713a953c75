//! Runs of a Boolean program, point by point.

use crate::program::{ProcedureId, StatementId, Variable};

/// The values of all variables that a procedure sees.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct State {
    pub globals: Vec<bool>,
    /// Parameters first.
    pub locals: Vec<bool>,
}

impl State {
    /// The value of a variable; false where there is no such variable.
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

/// Where control is in a procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Control {
    /// Before this statement, by its number in the procedure.
    Before(usize),
    /// Behind the last statement.
    End,
}

/// A moment of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    pub procedure: ProcedureId,
    pub control: Control,
    /// How many calls are open.
    pub depth: usize,
    pub state: State,
}

/// A run into an assertion that fails: the first point is the beginning of the program, each next one is a step later,
/// and the last one is before the assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    pub points: Vec<Point>,
    pub failing: StatementId,
}

impl Trace {
    /// How many statements were done before the assertion failed.
    pub fn steps(&self) -> usize {
        self.points.len().saturating_sub(1)
    }
}
