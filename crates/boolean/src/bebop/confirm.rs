//! Confirmation of a fixed point by other means than it was computed: path edges, and with them states, are checked to
//! be inductive invariants.
//!
//! No quantification and no image is computed. An edge preserves the invariant if no pair of states satisfies it before
//! and violates it after, where written values are substituted for variables (weakest preconditions) and each `*` is a
//! fresh variable. All diagrams are built again, in a manager of their own.

use super::encode::{ENTRY, Encoded, NEXT, NOW, RESULT, copy};
use super::graph::{Graph, Location, Step};
use super::paths::Paths;
use super::states::States;
use crate::program::{Action, Expression, ProcedureId, Program, Variable};
use bdd::{Bdd, Manager};
use logic::Cancellation;
use logic::hashing::FastMap;
use std::collections::BTreeMap;

/// Why the check fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flaw {
    /// The check was cancelled.
    Interrupted,
    Start,
    Edge {
        procedure: usize,
        from: Location,
    },
    Assertion {
        procedure: usize,
        at: Location,
    },
}

/// The diagrams that replace variables of a diagram.
type Substitution = BTreeMap<u32, Bdd>;

struct Confirmation<'p, 'g> {
    program: &'p Program,
    graphs: &'g [Graph<'p>],
    manager: Manager,
    path: Vec<Vec<Bdd>>,
    states: Vec<Vec<Bdd>>,
    /// For each procedure, the globals that it or a callee may write.
    written: Vec<Vec<bool>>,
    /// Variables from here on represent `*`.
    first_choice: u32,
    choices: u32,
}

/// Checks that the path edges and the states are an inductive invariant in which no assertion fails.
pub(super) fn confirm(
    encoded: &Encoded<'_>,
    paths: &Paths,
    states: &States,
    cancellation: &Cancellation,
) -> Result<(), Flaw> {
    let program = encoded.program;
    let locals = program.procedures.iter().map(crate::Procedure::local_count).max();
    let results = program.procedures.iter().map(|procedure| procedure.results).max();
    let slots = (program.globals.len() + locals.unwrap_or(0)).max(results.unwrap_or(0));
    let mut own = Manager::interruptible(cancellation);
    let mut known = FastMap::default();
    let mut copied = |sets: &[Vec<Bdd>]| {
        let of_procedure = |sets: &Vec<Bdd>| {
            let sets = sets.iter().map(|set| own.copied(&encoded.manager, *set, &mut known));
            sets.collect::<Vec<Bdd>>()
        };
        sets.iter().map(of_procedure).collect::<Vec<Vec<Bdd>>>()
    };
    let (path, states) = (copied(&paths.edges), copied(&states.reached));
    let mut confirmation = Confirmation {
        program,
        graphs: &encoded.graphs,
        path,
        states,
        manager: own,
        written: written(program),
        first_choice: copy(slots, 0),
        choices: 0,
    };
    let result = confirmation.all();
    match confirmation.manager.is_exhausted() {
        true => Err(Flaw::Interrupted),
        false => result,
    }
}

impl Confirmation<'_, '_> {
    fn all(&mut self) -> Result<(), Flaw> {
        let entry = self.program.entry.0;
        let mut start = Substitution::new();
        for slot in self.slots_at_entry(entry) {
            let now = self.manager.variable(copy(slot, NOW));
            start.insert(copy(slot, ENTRY), now);
        }
        let enforced = self.enforced(entry, &Substitution::new());
        let begin = self.graphs[entry].entry;
        if !self.implies(enforced, self.path[entry][begin], &start)
            || !self.implies(enforced, self.states[entry][begin], &start)
        {
            return Err(Flaw::Start);
        }
        for procedure in 0..self.graphs.len() {
            for location in 0..self.graphs[procedure].locations() {
                self.location(procedure, location)?;
                if self.manager.is_exhausted() {
                    return Err(Flaw::Interrupted);
                }
                if self.manager.is_crowded() {
                    let kept: Vec<Bdd> = self.path.iter().chain(&self.states).flatten().copied().collect();
                    self.manager.collect(kept);
                }
            }
        }
        Ok(())
    }

    fn location(&mut self, procedure: usize, location: Location) -> Result<(), Flaw> {
        self.choices = 0;
        let reached = self.states[procedure][location];
        if let Some(condition) = self.graphs[procedure].assertions[location] {
            let holds = self.function(condition, &Substitution::new(), &Substitution::new());
            if self.manager.without(reached, holds) != Manager::FALSE {
                return Err(Flaw::Assertion {
                    procedure,
                    at: location,
                });
            }
        }
        let from = location;
        for edge in self.graphs[procedure].outgoing[location].clone() {
            let to = self.graphs[procedure].edges[edge].to;
            let ends = [
                (self.path[procedure][from], self.path[procedure][to]),
                (reached, self.states[procedure][to]),
            ];
            // The summary covers the states at the exit.
            let is_return = to == self.graphs[procedure].exit;
            for (number, (before, after)) in ends.into_iter().enumerate() {
                let is_of_states = number == 1;
                self.choices = 0;
                if before == Manager::FALSE || is_return && is_of_states {
                    continue;
                }
                if !self.keeps(procedure, edge, (before, after), is_of_states) {
                    return Err(Flaw::Edge { procedure, from });
                }
            }
        }
        Ok(())
    }

    fn slot(&self, variable: Variable) -> usize {
        match variable {
            Variable::Global(number) => number,
            Variable::Local(number) => self.program.globals.len() + number,
        }
    }

    /// Globals and parameters.
    fn slots_at_entry(&self, procedure: usize) -> std::ops::Range<usize> {
        0..self.program.globals.len() + self.program.procedures[procedure].parameters.len()
    }

    /// Whether the first set implies the second after the substitution.
    fn implies(&mut self, first: Bdd, second: Bdd, substitution: &Substitution) -> bool {
        let second = self
            .manager
            .substitute(second, &|variable| substitution.get(&variable).copied());
        self.manager.without(first, second) == Manager::FALSE
    }

    fn choice(&mut self) -> Bdd {
        self.choices += 1;
        self.manager.variable(self.first_choice + self.choices - 1)
    }

    /// The value of an expression over variables and choices. Both substitutions map current variables.
    fn function(&mut self, expression: &Expression, now: &Substitution, next: &Substitution) -> Bdd {
        match expression {
            Expression::Constant(value) => [Manager::FALSE, Manager::TRUE][usize::from(*value)],
            Expression::Any => self.choice(),
            Expression::Variable(variable) => self.value(*variable, now),
            Expression::Next(variable) => self.value(*variable, next),
            Expression::Not(inner) => {
                let inner = self.function(inner, now, next);
                self.manager.not(inner)
            }
            Expression::And(parts) => {
                let mut all = Manager::TRUE;
                for part in parts {
                    let part = self.function(part, now, next);
                    all = self.manager.and(all, part);
                }
                all
            }
            Expression::Or(parts) => {
                let mut any = Manager::FALSE;
                for part in parts {
                    let part = self.function(part, now, next);
                    any = self.manager.or(any, part);
                }
                any
            }
            Expression::Implies(a, b) => {
                let (a, b) = (self.function(a, now, next), self.function(b, now, next));
                self.manager.ite(a, b, Manager::TRUE)
            }
            Expression::Equal(a, b) => {
                let (a, b) = (self.function(a, now, next), self.function(b, now, next));
                self.manager.iff(a, b)
            }
            Expression::Differ(a, b) => {
                let (a, b) = (self.function(a, now, next), self.function(b, now, next));
                let same = self.manager.iff(a, b);
                self.manager.not(same)
            }
            Expression::Choose(a, b) => {
                let (a, b) = (self.function(a, now, next), self.function(b, now, next));
                let open = self.choice();
                let otherwise = self.manager.ite(b, Manager::FALSE, open);
                self.manager.ite(a, Manager::TRUE, otherwise)
            }
        }
    }

    fn value(&mut self, variable: Variable, substitution: &Substitution) -> Bdd {
        let number = copy(self.slot(variable), NOW);
        match substitution.get(&number) {
            Some(value) => *value,
            None => self.manager.variable(number),
        }
    }

    /// That a state satisfies all invariants of a procedure for some choices.
    fn enforced(&mut self, procedure: usize, now: &Substitution) -> Bdd {
        let program = self.program;
        let mut all = Manager::TRUE;
        for invariant in program.enforced.iter().chain(&program.procedures[procedure].enforced) {
            let holds = self.function(invariant, now, now);
            all = self.manager.and(all, holds);
        }
        all
    }

    /// Whether an edge preserves path edges, or states.
    fn keeps(&mut self, procedure: usize, edge: usize, (before, after): (Bdd, Bdd), is_of_states: bool) -> bool {
        let graphs = self.graphs;
        let edge = &graphs[procedure].edges[edge];
        let none = Substitution::new();
        match edge.step {
            Step::Keep => self.implies(before, after, &none),
            Step::Test(condition, value) => {
                let condition = self.function(condition, &none, &none);
                let holds = if value { condition } else { self.manager.not(condition) };
                let before = self.manager.and(before, holds);
                self.implies(before, after, &none)
            }
            Step::Forget(variables) => {
                let mut written = Substitution::new();
                for variable in variables {
                    let any = self.choice();
                    written.insert(copy(self.slot(*variable), NOW), any);
                }
                self.leads(procedure, before, after, &written)
            }
            Step::Assign {
                targets,
                values,
                constraint,
            } => {
                let mut written = Substitution::new();
                for (target, value) in targets.iter().zip(values) {
                    let value = self.function(value, &none, &none);
                    written.insert(copy(self.slot(*target), NOW), value);
                }
                let allowed = match constraint {
                    Some(constraint) => self.function(constraint, &none, &written),
                    None => Manager::TRUE,
                };
                let before = self.manager.and(before, allowed);
                self.leads(procedure, before, after, &written)
            }
            Step::Return(values) => {
                let mut written = Substitution::new();
                for (number, value) in values.into_iter().flatten().enumerate() {
                    let value = self.function(value, &none, &none);
                    written.insert(copy(number, RESULT), value);
                }
                self.implies(before, after, &written)
            }
            Step::Call {
                results,
                procedure: called,
                arguments,
            } => {
                let arguments: Vec<Bdd> = arguments.iter().map(|e| self.function(e, &none, &none)).collect();
                self.begins(called, before, &arguments, is_of_states)
                    && self.comes_back(procedure, called, (before, after), &arguments, results)
            }
        }
    }

    /// Whether a write leads to path edges, unless the new state violates an invariant.
    fn leads(&mut self, procedure: usize, before: Bdd, after: Bdd, written: &Substitution) -> bool {
        let enforced = self.enforced(procedure, written);
        let before = self.manager.and(before, enforced);
        self.implies(before, after, written)
    }

    /// The entry state of a callee in terms of its caller's state.
    fn called_with(&mut self, called: ProcedureId, arguments: &[Bdd], kind: u32) -> Substitution {
        let globals = self.program.globals.len();
        let mut state = Substitution::new();
        for slot in self.slots_at_entry(called.0) {
            let value = match slot.checked_sub(globals) {
                Some(parameter) => arguments[parameter],
                None => self.manager.variable(copy(slot, NOW)),
            };
            state.insert(copy(slot, kind), value);
        }
        state
    }

    /// Whether a call enters path edges, and states where the caller is in a state.
    fn begins(&mut self, called: ProcedureId, before: Bdd, arguments: &[Bdd], is_of_states: bool) -> bool {
        let mut now = self.called_with(called, arguments, NOW);
        let procedure = &self.program.procedures[called.0];
        for local in procedure.parameters.len()..procedure.local_count() {
            let any = self.choice();
            now.insert(copy(self.slot(Variable::Local(local)), NOW), any);
        }
        let enforced = self.enforced(called.0, &now);
        let before = self.manager.and(before, enforced);
        let mut both = self.called_with(called, arguments, ENTRY);
        both.append(&mut now);
        let entry = self.graphs[called.0].entry;
        self.implies(before, self.path[called.0][entry], &both)
            && (!is_of_states || self.implies(before, self.states[called.0][entry], &both))
    }

    fn comes_back(
        &mut self,
        caller: usize,
        called: ProcedureId,
        (before, after): (Bdd, Bdd),
        arguments: &[Bdd],
        results: &[Variable],
    ) -> bool {
        let mut summary = self.called_with(called, arguments, ENTRY);
        let mut written = Substitution::new();
        for slot in 0..self.program.globals.len() {
            let kind = if self.written[called.0][slot] { NEXT } else { NOW };
            let value = self.manager.variable(copy(slot, kind));
            summary.insert(copy(slot, NOW), value);
            written.insert(copy(slot, NOW), value);
        }
        let exits = self.path[called.0][self.graphs[called.0].exit];
        let exits = self
            .manager
            .substitute(exits, &|variable| summary.get(&variable).copied());
        for (number, result) in results.iter().enumerate() {
            let value = self.manager.variable(copy(number, RESULT));
            written.insert(copy(self.slot(*result), NOW), value);
        }
        let before = self.manager.and(before, exits);
        self.leads(caller, before, after, &written)
    }
}

fn written(program: &Program) -> Vec<Vec<bool>> {
    let mut written = vec![vec![false; program.globals.len()]; program.procedures.len()];
    loop {
        let mut changed = false;
        for number in 0..program.procedures.len() {
            for statement in program.statements(ProcedureId(number)) {
                let mut of_statement: Vec<usize> = Vec::new();
                for variable in statement.written() {
                    if let Variable::Global(global) = variable {
                        of_statement.push(*global);
                    }
                }
                if let Action::Call { procedure, .. } = &statement.action {
                    let called = written[procedure.0].iter().enumerate();
                    of_statement.extend(called.filter(|(_, is_written)| **is_written).map(|(global, _)| global));
                }
                for global in of_statement {
                    changed |= !std::mem::replace(&mut written[number][global], true);
                }
            }
        }
        if !changed {
            return written;
        }
    }
}
