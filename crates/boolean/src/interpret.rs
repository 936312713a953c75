//! The semantics of statements on explicit states: the oracle for the model checker, with which it shares no code.
//!
//! It decides whether a step is allowed, which suffices to replay runs; it does not enumerate steps.

use crate::program::{Action, Expression, ProcedureId, Program, Statement, StatementId, Variable};
use crate::trace::{Control, Point, State, Trace};
use thiserror::Error;

/// Why a trace is not a run of the program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("step {step} of the run is not allowed: {what}")]
pub struct NotAllowed {
    pub step: usize,
    pub what: &'static str,
}

/// A program with its statements by index.
pub struct Interpreter<'p> {
    program: &'p Program,
    procedures: Vec<Flat<'p>>,
}

/// The statements of a procedure.
struct Flat<'p> {
    statements: Vec<Entry<'p>>,
    /// The position of each label.
    labels: Vec<Control>,
}

struct Entry<'p> {
    statement: &'p Statement,
    /// The control position after the whole statement.
    after: Control,
    /// The entries of its blocks; for empty blocks, the position behind them.
    blocks: Vec<Control>,
}

/// The values that an expression may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Possible {
    pub truth: bool,
    pub falsity: bool,
}

impl Possible {
    fn only(value: bool) -> Possible {
        Possible {
            truth: value,
            falsity: !value,
        }
    }

    pub fn allows(self, value: bool) -> bool {
        if value { self.truth } else { self.falsity }
    }

    /// The values of a function of two expressions with independent choices.
    fn combine(self, other: Possible, function: fn(bool, bool) -> bool) -> Possible {
        let mut result = Possible {
            truth: false,
            falsity: false,
        };
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            if self.allows(a) && other.allows(b) {
                match function(a, b) {
                    true => result.truth = true,
                    false => result.falsity = true,
                }
            }
        }
        result
    }
}

/// The values of an expression. In constraints, `after` is the state after the assignment.
pub fn possible(expression: &Expression, before: &State, after: &State) -> Possible {
    let of = |e: &Expression| possible(e, before, after);
    match expression {
        Expression::Constant(value) => Possible::only(*value),
        Expression::Any => Possible {
            truth: true,
            falsity: true,
        },
        Expression::Variable(variable) => Possible::only(before.get(*variable)),
        Expression::Next(variable) => Possible::only(after.get(*variable)),
        Expression::Not(inner) => of(inner).combine(Possible::only(true), |a, _| !a),
        Expression::And(parts) => {
            let parts = parts.iter().map(of);
            parts.fold(Possible::only(true), |all, part| all.combine(part, |a, b| a && b))
        }
        Expression::Or(parts) => {
            let parts = parts.iter().map(of);
            parts.fold(Possible::only(false), |all, part| all.combine(part, |a, b| a || b))
        }
        Expression::Implies(a, b) => of(a).combine(of(b), |a, b| !a || b),
        Expression::Equal(a, b) => of(a).combine(of(b), |a, b| a == b),
        Expression::Differ(a, b) => of(a).combine(of(b), |a, b| a != b),
        Expression::Choose(a, b) => {
            let (a, b) = (of(a), of(b));
            // Neither decides: either value.
            let open = a.falsity && b.falsity;
            Possible {
                truth: a.truth || open,
                falsity: a.falsity && b.truth || open,
            }
        }
    }
}

impl<'p> Interpreter<'p> {
    /// Requires a well-formed program.
    pub fn new(program: &'p Program) -> Interpreter<'p> {
        let flat = |procedure: &'p crate::Procedure| {
            let mut flat = Flat {
                statements: Vec::new(),
                labels: vec![Control::End; procedure.labels.len()],
            };
            flat.block(&procedure.body, Control::End);
            flat
        };
        Interpreter {
            program,
            procedures: program.procedures.iter().map(flat).collect(),
        }
    }

    fn entry(&self, procedure: ProcedureId, control: Control) -> Option<&Entry<'p>> {
        match control {
            Control::Before(number) => self.procedures[procedure.0].statements.get(number),
            Control::End => None,
        }
    }

    pub fn action(&self, procedure: ProcedureId, control: Control) -> Option<&'p Action> {
        self.entry(procedure, control).map(|entry| &entry.statement.action)
    }

    /// The entry of a procedure.
    pub fn begin(&self, procedure: ProcedureId) -> Control {
        match self.procedures[procedure.0].statements.is_empty() {
            true => Control::End,
            false => Control::Before(0),
        }
    }

    /// Whether a state satisfies the invariants of this procedure.
    pub fn is_enforced(&self, procedure: ProcedureId, state: &State) -> bool {
        let of_procedure = &self.program.procedures[procedure.0].enforced;
        let mut all = self.program.enforced.iter().chain(of_procedure);
        all.all(|invariant| possible(invariant, state, state).truth)
    }

    /// The control positions that may follow inside of the procedure; for a call, the position after it.
    pub fn targets(&self, procedure: ProcedureId, control: Control) -> Vec<Control> {
        let Some(entry) = self.entry(procedure, control) else {
            return Vec::new();
        };
        match &entry.statement.action {
            Action::Return(_) => Vec::new(),
            Action::Goto(labels) => {
                let labels = labels.iter().map(|label| self.procedures[procedure.0].labels[label.0]);
                labels.collect()
            }
            Action::If { .. } => entry.blocks.clone(),
            Action::While { .. } => vec![entry.blocks[0], entry.after],
            _ => vec![entry.after],
        }
    }

    /// Whether an assertion here may fail.
    pub fn may_fail(&self, procedure: ProcedureId, control: Control, state: &State) -> bool {
        match self.action(procedure, control) {
            Some(Action::Assert(condition)) => possible(condition, state, state).falsity,
            _ => false,
        }
    }

    /// Whether a step inside of the procedure leads from one state to the other.
    pub fn may_step(
        &self,
        procedure: ProcedureId,
        (control, before): (Control, &State),
        (target, after): (Control, &State),
    ) -> bool {
        let Some(entry) = self.entry(procedure, control) else {
            return false;
        };
        let leads = self.targets(procedure, control).contains(&target) && self.is_enforced(procedure, after);
        let holds = |condition: &Expression, value: bool| possible(condition, before, before).allows(value);
        let does = match &entry.statement.action {
            Action::Skip | Action::Goto(_) => before == after,
            Action::Assume(condition) | Action::Assert(condition) => before == after && holds(condition, true),
            Action::If { condition, .. } => {
                // Both blocks may begin at the same position.
                let (then, otherwise) = (entry.blocks[0], entry.blocks[1]);
                let way = target == then && holds(condition, true) || target == otherwise && holds(condition, false);
                before == after && way
            }
            Action::While { condition, .. } => {
                let way = target == entry.blocks[0] && holds(condition, true)
                    || target == entry.after && holds(condition, false);
                before == after && way
            }
            Action::Dead(variables) => others_stay(before, after, variables),
            Action::Assign {
                targets,
                values,
                constraint,
            } => {
                let mut pairs = targets.iter().zip(values);
                others_stay(before, after, targets)
                    && pairs.all(|(target, value)| possible(value, before, before).allows(after.get(*target)))
                    && constraint.as_ref().is_none_or(|e| possible(e, before, after).truth)
            }
            Action::Call { .. } | Action::Return(_) => false,
        };
        leads && does
    }

    /// Whether a call here may enter the procedure in this state.
    pub fn may_call(&self, procedure: ProcedureId, (control, before): (Control, &State), entry: &State) -> bool {
        let Some(Action::Call {
            procedure: called,
            arguments,
            ..
        }) = self.action(procedure, control)
        else {
            return false;
        };
        let mut values = arguments.iter().zip(&entry.locals);
        let fits = values.all(|(argument, value)| possible(argument, before, before).allows(*value));
        let sizes = entry.locals.len() == self.program.procedures[called.0].local_count();
        before.globals == entry.globals && fits && sizes && self.is_enforced(*called, entry)
    }

    /// Whether the procedure may return here with these results.
    pub fn may_return(&self, procedure: ProcedureId, (control, state): (Control, &State), results: &[bool]) -> bool {
        if results.len() != self.program.procedures[procedure.0].results {
            return false;
        }
        match self.action(procedure, control) {
            Some(Action::Return(values)) => {
                let mut pairs = values.iter().zip(results);
                pairs.all(|(value, result)| possible(value, state, state).allows(*result))
            }
            Some(_) => false,
            None => control == Control::End,
        }
    }

    /// Replays a trace; an error where it is not a run of the program into a failing assertion.
    pub fn replay(&self, trace: &Trace) -> Result<(), NotAllowed> {
        let wrong = |step, what| Err(NotAllowed { step, what });
        let Some(first) = trace.points.first() else {
            return wrong(0, "it has no beginning");
        };
        for (step, point) in trace.points.iter().enumerate() {
            let procedure = self.program.procedures.get(point.procedure.0);
            let fits = procedure.is_some_and(|procedure| procedure.local_count() == point.state.locals.len());
            if !fits || point.state.globals.len() != self.program.globals.len() {
                return wrong(step, "there are other variables");
            }
        }
        let entry = self.program.entry;
        if first.procedure != entry || first.control != self.begin(entry) || first.depth != 0 {
            return wrong(0, "runs begin elsewhere");
        }
        if !self.is_enforced(entry, &first.state) {
            return wrong(0, "no run begins in this state");
        }
        let mut calls: Vec<&Point> = Vec::new();
        for (number, pair) in trace.points.windows(2).enumerate() {
            let [before, after] = pair else { continue };
            if let Err(what) = self.replay_step(&mut calls, before, after) {
                return wrong(number + 1, what);
            }
        }
        let last = trace.points.last().unwrap_or(first);
        let failing = StatementId {
            procedure: last.procedure,
            number: match last.control {
                Control::Before(number) => number,
                Control::End => return wrong(trace.steps(), "it ends at no assertion"),
            },
        };
        match failing == trace.failing && self.may_fail(last.procedure, last.control, &last.state) {
            true => Ok(()),
            false => wrong(trace.steps(), "no assertion fails in the end"),
        }
    }

    fn replay_step<'t>(
        &self,
        calls: &mut Vec<&'t Point>,
        before: &'t Point,
        after: &'t Point,
    ) -> Result<(), &'static str> {
        let here = (before.control, &before.state);
        let (allowed, what) = match self.action(before.procedure, before.control) {
            Some(Action::Call { procedure, .. }) => {
                calls.push(before);
                let begins = after.procedure == *procedure && after.control == self.begin(*procedure);
                let allowed = begins && self.may_call(before.procedure, here, &after.state);
                (allowed, "such a call is not made here")
            }
            None | Some(Action::Return(_)) => {
                let Some(caller) = calls.pop() else {
                    return Err("there is no caller");
                };
                (
                    self.may_come_back(before, caller, after),
                    "such a return is not made here",
                )
            }
            Some(_) => {
                let same = before.procedure == after.procedure;
                let there = (after.control, &after.state);
                (
                    same && self.may_step(before.procedure, here, there),
                    "the statement does something else",
                )
            }
        };
        match allowed && after.depth == calls.len() {
            true => Ok(()),
            false => Err(what),
        }
    }

    /// Whether a return at `before` resumes its caller at `after`.
    fn may_come_back(&self, before: &Point, caller: &Point, after: &Point) -> bool {
        let Some(Action::Call { results, .. }) = self.action(caller.procedure, caller.control) else {
            return false;
        };
        let mut expected = State {
            globals: before.state.globals.clone(),
            locals: caller.state.locals.clone(),
        };
        let values: Vec<bool> = results.iter().map(|result| after.state.get(*result)).collect();
        for (result, value) in results.iter().zip(&values) {
            expected.set(*result, *value);
        }
        expected == after.state
            && after.procedure == caller.procedure
            && self.targets(caller.procedure, caller.control) == [after.control]
            && self.may_return(before.procedure, (before.control, &before.state), &values)
            && self.is_enforced(after.procedure, &after.state)
    }
}

fn others_stay(before: &State, after: &State, written: &[Variable]) -> bool {
    let mut expected = before.clone();
    for variable in written {
        expected.set(*variable, after.get(*variable));
    }
    expected == *after
}

impl<'p> Flat<'p> {
    /// Indexes the statements of a block that continues at `after`; returns its entry.
    fn block(&mut self, block: &'p [Statement], after: Control) -> Control {
        let begin = match block.is_empty() {
            true => after,
            false => Control::Before(self.statements.len()),
        };
        for (position, statement) in block.iter().enumerate() {
            let number = self.statements.len();
            for label in &statement.labels {
                self.labels[label.0] = Control::Before(number);
            }
            let size = 1 + size(&statement.blocks());
            let next = match position + 1 == block.len() {
                true => after,
                false => Control::Before(number + size),
            };
            self.statements.push(Entry {
                statement,
                after: next,
                blocks: Vec::new(),
            });
            // A loop returns to its condition.
            let behind = match statement.action {
                Action::While { .. } => Control::Before(number),
                _ => next,
            };
            for inner in statement.blocks() {
                let begin = self.block(inner, behind);
                self.statements[number].blocks.push(begin);
            }
        }
        begin
    }
}

/// The number of statements in these blocks.
fn size(blocks: &[&[Statement]]) -> usize {
    let all = blocks.iter().flat_map(|block| block.iter());
    all.map(|statement| 1 + size(&statement.blocks())).sum()
}
