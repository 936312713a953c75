//! Reachability by explicit enumeration, for tests: pushdown summaries in their plainest form.
//!
//! A path edge consists of a state at the entry of a procedure and a state that a run from there may be in. Every
//! successor is tried among all states, and the interpreter decides which are allowed: slow, but simple.

use crate::interpret::Interpreter;
use crate::program::{Action, ProcedureId, Program, StatementId};
use crate::trace::{Control, State};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A procedure, and the globals and parameters that it begins with.
pub type Entry = (ProcedureId, State);

/// Globals and results.
pub type Summary = (Vec<bool>, Vec<bool>);

/// A moment in a run of a procedure, with how it began.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PathEdge {
    pub entry: Entry,
    pub control: Control,
    pub state: State,
}

/// All that can be reached.
#[derive(Clone, Debug)]
pub struct Reached {
    pub edges: BTreeSet<PathEdge>,
    /// By how a call begins: the globals and results that it may leave behind.
    pub summaries: BTreeMap<Entry, BTreeSet<Summary>>,
    pub failing: BTreeSet<StatementId>,
}

/// The assertions that can fail.
pub fn failing(program: &Program) -> BTreeSet<StatementId> {
    reached(program).failing
}

/// All path edges of a run of the program.
pub fn reached(program: &Program) -> Reached {
    let mut search = Search {
        interpreter: Interpreter::new(program),
        program,
        seen: BTreeSet::new(),
        pending: VecDeque::new(),
        callers: BTreeMap::new(),
        summaries: BTreeMap::new(),
        failing: BTreeSet::new(),
    };
    let entry = program.entry;
    for globals in valuations(program.globals.len()) {
        for parameters in valuations(program.procedures[entry.0].parameters.len()) {
            search.enter(entry, &globals, &parameters);
        }
    }
    while let Some(edge) = search.pending.pop_front() {
        search.process(&edge);
    }
    Reached {
        edges: search.seen,
        summaries: search.summaries,
        failing: search.failing,
    }
}

/// All tuples of this many values.
pub fn valuations(number: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1u64 << number).map(move |row| (0..number).map(|bit| row >> bit & 1 == 1).collect())
}

struct Search<'p> {
    interpreter: Interpreter<'p>,
    program: &'p Program,
    seen: BTreeSet<PathEdge>,
    pending: VecDeque<PathEdge>,
    callers: BTreeMap<Entry, BTreeSet<PathEdge>>,
    /// The states at the exit.
    summaries: BTreeMap<Entry, BTreeSet<Summary>>,
    failing: BTreeSet<StatementId>,
}

impl Search<'_> {
    fn add(&mut self, edge: PathEdge) {
        if self.interpreter.is_enforced(edge.entry.0, &edge.state) && self.seen.insert(edge.clone()) {
            self.pending.push_back(edge);
        }
    }

    /// Explores a procedure from an entry state: its locals have arbitrary values.
    fn enter(&mut self, procedure: ProcedureId, globals: &[bool], parameters: &[bool]) -> Entry {
        let state = |locals| State {
            globals: globals.to_vec(),
            locals,
        };
        let entry = (procedure, state(parameters.to_vec()));
        let control = self.interpreter.begin(procedure);
        for others in valuations(self.program.procedures[procedure.0].locals.len()) {
            self.add(PathEdge {
                entry: entry.clone(),
                control,
                state: state([parameters, &others].concat()),
            });
        }
        entry
    }

    fn process(&mut self, edge: &PathEdge) {
        let procedure = edge.entry.0;
        let here = (edge.control, &edge.state);
        if let (true, Control::Before(number)) = (
            self.interpreter.may_fail(procedure, edge.control, &edge.state),
            edge.control,
        ) {
            self.failing.insert(StatementId { procedure, number });
        }
        match self.interpreter.action(procedure, edge.control) {
            Some(Action::Call { procedure: called, .. }) => self.call(edge, *called),
            None | Some(Action::Return(_)) => {
                for results in valuations(self.program.procedures[procedure.0].results) {
                    if self.interpreter.may_return(procedure, here, &results) {
                        self.come_back(edge, results);
                    }
                }
            }
            Some(_) => {
                for state in self.states(procedure) {
                    for target in self.interpreter.targets(procedure, edge.control) {
                        if self.interpreter.may_step(procedure, here, (target, &state)) {
                            self.add(PathEdge {
                                entry: edge.entry.clone(),
                                control: target,
                                state: state.clone(),
                            });
                        }
                    }
                }
            }
        }
    }

    fn states(&self, procedure: ProcedureId) -> Vec<State> {
        let locals = self.program.procedures[procedure.0].local_count();
        let states = valuations(self.program.globals.len()).flat_map(|globals| {
            valuations(locals).map(move |locals| State {
                globals: globals.clone(),
                locals,
            })
        });
        states.collect()
    }

    fn call(&mut self, edge: &PathEdge, called: ProcedureId) {
        let parameters = self.program.procedures[called.0].parameters.len();
        let mut entries = BTreeSet::new();
        for state in self.states(called) {
            if self
                .interpreter
                .may_call(edge.entry.0, (edge.control, &edge.state), &state)
            {
                entries.insert(state.locals[..parameters].to_vec());
            }
        }
        for values in entries {
            let entry = self.enter(called, &edge.state.globals, &values);
            self.callers.entry(entry.clone()).or_default().insert(edge.clone());
            for summary in self.summaries.get(&entry).cloned().unwrap_or_default() {
                self.resume(edge, &summary);
            }
        }
    }

    fn come_back(&mut self, edge: &PathEdge, results: Vec<bool>) {
        let summary = (edge.state.globals.clone(), results);
        let summaries = self.summaries.entry(edge.entry.clone()).or_default();
        if summaries.insert(summary.clone()) {
            for caller in self.callers.get(&edge.entry).cloned().unwrap_or_default() {
                self.resume(&caller, &summary);
            }
        }
    }

    fn resume(&mut self, caller: &PathEdge, (globals, values): &Summary) {
        let procedure = caller.entry.0;
        let Some(Action::Call { results, .. }) = self.interpreter.action(procedure, caller.control) else {
            return;
        };
        let mut state = State {
            globals: globals.clone(),
            locals: caller.state.locals.clone(),
        };
        for (result, value) in results.iter().zip(values) {
            state.set(*result, *value);
        }
        for control in self.interpreter.targets(procedure, caller.control) {
            self.add(PathEdge {
                entry: caller.entry.clone(),
                control,
                state: state.clone(),
            });
        }
    }
}
