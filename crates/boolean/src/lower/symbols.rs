//! The state of a lowered program.

use crate::program::{Action, ProcedureId, Program, Variable};
use logic::{Function, Sort, Term};
use std::collections::BTreeSet;
use system::Span;
use system::transition::Symbol;

/// The state functions: all variables of the program, and for procedures that are called what their frame remembers.
pub(super) struct Symbols {
    pub(super) globals: Vec<Function>,
    /// By procedure, parameters first.
    pub(super) locals: Vec<Vec<Function>>,
    /// By procedure: what it returns.
    pub(super) results: Vec<Vec<Function>>,
    /// The values of globals when the frame began.
    old_globals: Vec<Function>,
    /// By procedure: those of parameters.
    old_parameters: Vec<Vec<Function>>,
    /// By procedure: the globals that it or a procedure that it calls may write.
    pub(super) written: Vec<Vec<bool>>,
    /// By procedure: the parameters that it writes.
    overwritten: Vec<Vec<bool>>,
    /// By procedure: whether it is called in a procedure that may run.
    pub(super) is_called: Vec<bool>,
    /// By procedure: whether it may run.
    pub(super) is_live: Vec<bool>,
    names: BTreeSet<String>,
}

impl Symbols {
    pub(super) fn new(program: &Program) -> Symbols {
        let (is_live, is_called) = called(program);
        let mut symbols = Symbols {
            globals: Vec::new(),
            locals: Vec::new(),
            results: Vec::new(),
            old_globals: Vec::new(),
            old_parameters: Vec::new(),
            written: written(program),
            overwritten: Vec::new(),
            is_called,
            is_live,
            names: BTreeSet::new(),
        };
        symbols.globals = program.globals.iter().map(|name| symbols.boolean(name)).collect();
        let old = |name: &String| format!("old({name})");
        symbols.old_globals = program.globals.iter().map(|name| symbols.boolean(&old(name))).collect();
        for (number, procedure) in program.procedures.iter().enumerate() {
            let name = &procedure.name;
            let locals = procedure.local_names().map(|local| format!("{name}.{local}"));
            let locals: Vec<String> = locals.collect();
            let of_locals = locals.iter().map(|name| symbols.boolean(name)).collect();
            symbols.locals.push(of_locals);
            let parameters = &locals[..procedure.parameters.len()];
            let of_parameters = parameters.iter().map(|name| symbols.boolean(&old(name))).collect();
            symbols.old_parameters.push(of_parameters);
            let results = (0..procedure.results).map(|result| format!("{name} returns {}", result + 1));
            let results = results.map(|name| symbols.boolean(&name)).collect();
            symbols.results.push(results);
            let statements = program.statements(ProcedureId(number));
            let is_written = |local: usize| {
                let mut written = statements.iter().flat_map(|statement| statement.written());
                written.any(|variable| *variable == Variable::Local(local))
            };
            let overwritten = (0..procedure.parameters.len()).map(is_written);
            symbols.overwritten.push(overwritten.collect());
        }
        symbols
    }

    /// A name that no other symbol has.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let mut name = name.to_owned();
        while !self.names.insert(name.clone()) {
            name.push('\'');
        }
        name
    }

    fn boolean(&mut self, name: &str) -> Function {
        Function::constant(self.fresh(name).as_str(), Sort::Bool)
    }

    /// A variable of a procedure.
    pub(super) fn variable(&self, procedure: ProcedureId, variable: Variable) -> Function {
        match variable {
            Variable::Global(number) => self.globals[number],
            Variable::Local(number) => self.locals[procedure.0][number],
        }
    }

    /// Where a procedure keeps the value that a global had when it was called: in the global, if nothing writes that.
    pub(super) fn old_global(&self, procedure: ProcedureId, global: usize) -> Function {
        match self.written[procedure.0][global] {
            true => self.old_globals[global],
            false => self.globals[global],
        }
    }

    /// Where a procedure keeps the value that a parameter had.
    pub(super) fn old_parameter(&self, procedure: ProcedureId, parameter: usize) -> Function {
        match self.overwritten[procedure.0][parameter] {
            true => self.old_parameters[procedure.0][parameter],
            false => self.locals[procedure.0][parameter],
        }
    }

    /// What a procedure that is called has to remember: what remembers it, and what that is.
    pub(super) fn remembered(&self, procedure: ProcedureId) -> Vec<(Function, Function)> {
        let globals = (0..self.globals.len()).map(|global| (self.old_global(procedure, global), self.globals[global]));
        let parameters = (0..self.overwritten[procedure.0].len()).map(|parameter| {
            let old = self.old_parameter(procedure, parameter);
            (old, self.locals[procedure.0][parameter])
        });
        globals.chain(parameters).filter(|(old, now)| old != now).collect()
    }

    /// The globals that a call of a procedure may write.
    pub(super) fn written_by(&self, procedure: ProcedureId) -> impl Iterator<Item = usize> + '_ {
        let written = self.written[procedure.0].iter().enumerate();
        written.filter(|(_, is_written)| **is_written).map(|(global, _)| global)
    }

    /// The state of the system, but for where the program is.
    pub(super) fn state(&self, program: &Program) -> Vec<Symbol> {
        let mut state = self.globals.clone();
        let procedures = (0..program.procedures.len()).filter(|number| self.is_live[*number]);
        let mut remembered = BTreeSet::new();
        for number in procedures {
            state.extend(&self.locals[number]);
            if self.is_called[number] {
                state.extend(&self.results[number]);
                remembered.extend(self.remembered(ProcedureId(number)).into_iter().map(|(old, _)| old));
            }
        }
        state.extend(remembered);
        let symbol = |function: Function| Symbol {
            function,
            display: function.name().to_string(),
            span: Span::default(),
        };
        state.into_iter().map(symbol).collect()
    }
}

/// The value of a nullary function.
pub(super) fn value(function: Function) -> Term {
    function.apply([])
}

fn callees(program: &Program, procedure: usize) -> Vec<usize> {
    let statements = program.statements(ProcedureId(procedure)).into_iter();
    let callees = statements.filter_map(|statement| match &statement.action {
        Action::Call { procedure, .. } => Some(procedure.0),
        _ => None,
    });
    callees.collect()
}

/// Which procedures may run, and which of them are called.
fn called(program: &Program) -> (Vec<bool>, Vec<bool>) {
    let mut is_live = vec![false; program.procedures.len()];
    let mut is_called = is_live.clone();
    let mut pending = vec![program.entry.0];
    while let Some(procedure) = pending.pop() {
        if !std::mem::replace(&mut is_live[procedure], true) {
            for callee in callees(program, procedure) {
                is_called[callee] = true;
                pending.push(callee);
            }
        }
    }
    (is_live, is_called)
}

/// By procedure: the globals that it or a procedure below it may write.
fn written(program: &Program) -> Vec<Vec<bool>> {
    let count = program.procedures.len();
    let callees: Vec<Vec<usize>> = (0..count).map(|number| callees(program, number)).collect();
    let mut written = vec![vec![false; program.globals.len()]; count];
    for (number, written) in written.iter_mut().enumerate() {
        for variable in program.statements(ProcedureId(number)).iter().flat_map(|s| s.written()) {
            if let Variable::Global(global) = variable {
                written[*global] = true;
            }
        }
    }
    let mut is_new = true;
    while is_new {
        is_new = false;
        for (number, callees) in callees.iter().enumerate() {
            for callee in callees {
                let below = written[*callee].clone();
                for (known, also) in written[number].iter_mut().zip(below) {
                    is_new |= also && !*known;
                    *known |= also;
                }
            }
        }
    }
    written
}
