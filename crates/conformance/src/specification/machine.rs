//! Processes as labelled transition systems.

use super::syntax::{Body, Branch, File, Identifier, Label, Process, Returns};
use crate::lts::{Action, Actions, Lts, TAU};
use std::collections::BTreeMap;
use system::{Diagnostic, Span, suggest};

/// A process as a system.
#[derive(Clone, Debug)]
pub struct StateMachine {
    pub lts: Lts,
    /// The return actions in its alphabet.
    pub returns: BTreeMap<Action, Returns>,
    /// The first occurrence of each action of its alphabet.
    pub places: BTreeMap<Action, Span>,
}

impl StateMachine {
    /// Why it cannot be the abstraction of a procedure: exactly the returns must lead to `STOP`.
    pub(super) fn not_of_a_procedure(&self, process: &Identifier) -> Option<Diagnostic> {
        let states = 0..self.lts.states();
        let mut all = states.flat_map(|state| self.lts.from(state));
        let is_wrong =
            |(action, to): &&(Action, usize)| self.returns.contains_key(action) != self.lts.from(*to).is_empty();
        let (action, _) = all.find(is_wrong)?;
        let span = self.places.get(action).copied().unwrap_or(process.span);
        let message = match self.returns.contains_key(action) {
            true => "a return must lead to `STOP`: nothing happens after it",
            false => "only a return leads to `STOP`: a procedure ends by returning",
        };
        let label = format!("in `{}`, which says what a procedure does", process.text);
        Some(Diagnostic::error(span, message).label(label))
    }
}

/// Builds the systems of processes.
pub(super) struct Maker<'f> {
    file: &'f File,
    actions: &'f mut Actions,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A system under construction.
struct Made {
    machine: StateMachine,
    states: BTreeMap<String, usize>,
    pending: Vec<(usize, String)>,
}

pub(super) const STOP: &str = "STOP";

impl<'f> Maker<'f> {
    pub(super) fn new(file: &'f File, actions: &'f mut Actions) -> Maker<'f> {
        let mut maker = Maker {
            file,
            actions,
            diagnostics: Vec::new(),
        };
        maker.check_names();
        maker
    }

    fn check_names(&mut self) {
        for (number, process) in self.file.processes.iter().enumerate() {
            let name = &process.name;
            let first = self.file.processes[..number]
                .iter()
                .find(|other| other.name.text == name.text);
            if let Some(first) = first {
                let message = format!("the process `{}` is defined twice", name.text);
                let diagnostic = Diagnostic::error(name.span, message).label("once more here");
                self.diagnostics.push(diagnostic.related(first.name.span, "first here"));
            }
            if name.text == STOP {
                let message = "`STOP` is the process that does nothing, and needs no definition";
                self.diagnostics.push(Diagnostic::error(name.span, message));
            }
        }
    }

    fn process(&self, name: &str) -> Option<&'f Process> {
        self.file.processes.iter().find(|process| process.name.text == name)
    }

    /// The chain of aliases of a process, ending with the process itself.
    fn resolved(&mut self, name: &Identifier) -> Option<Vec<String>> {
        let mut known = vec![name.text.clone()];
        let mut here = name.clone();
        loop {
            if here.text == STOP {
                return Some(known);
            }
            let Some(process) = self.process(&here.text) else {
                let message = format!("there is no process `{}`", here.text);
                let names = self.file.processes.iter().map(|process| process.name.text.as_str());
                let mut diagnostic = Diagnostic::error(here.span, message).label("not defined");
                if let Some(near) = suggest::nearest(&here.text, names.chain([STOP])) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                self.diagnostics.push(diagnostic);
                return None;
            };
            let Body::Name(next) = &process.body else {
                return Some(known);
            };
            if known.contains(&next.text) {
                let message = format!("`{}` is only another name for itself", next.text);
                self.diagnostics.push(Diagnostic::error(next.span, message));
                return None;
            }
            known.push(next.text.clone());
            here = next.clone();
        }
    }

    pub(super) fn machine(&mut self, name: &Identifier) -> Option<StateMachine> {
        let mut made = Made {
            machine: StateMachine {
                lts: Lts::new(0, 0, []),
                returns: BTreeMap::new(),
                places: BTreeMap::new(),
            },
            states: BTreeMap::new(),
            pending: Vec::new(),
        };
        made.machine.lts.initial = self.state(name, &mut made)?;
        while let Some((state, name)) = made.pending.pop() {
            let Some(process) = self.process(&name) else { continue };
            if let Body::Choice(branches) = &process.body {
                self.branches(state, branches, &mut made);
            }
        }
        Some(made.machine)
    }

    /// Adds `+ {a, b}` of a process, or of an alias.
    fn extend_alphabet(&mut self, name: &str, made: &mut Made) {
        let further = self.process(name).map_or(&[][..], |process| &process.further);
        for label in further {
            let action = self.action(label, made);
            made.machine.lts.alphabet.extend((action != TAU).then_some(action));
        }
    }

    /// The state of a process.
    fn state(&mut self, name: &Identifier, made: &mut Made) -> Option<usize> {
        let names = self.resolved(name)?;
        for name in &names {
            self.extend_alphabet(name, made);
        }
        let name = names.last()?.clone();
        if let Some(known) = made.states.get(&name) {
            return Some(*known);
        }
        let state = made.machine.lts.add_state();
        made.states.insert(name.clone(), state);
        made.pending.push((state, name));
        Some(state)
    }

    fn branches(&mut self, from: usize, branches: &[Branch], made: &mut Made) {
        for branch in branches {
            let mut here = from;
            for (number, labels) in branch.actions.iter().enumerate() {
                let actions: Vec<Action> = labels.iter().map(|label| self.action(label, made)).collect();
                let to = match (&branch.body, number + 1 == branch.actions.len()) {
                    (Body::Name(name), true) => match self.state(name, made) {
                        Some(state) => state,
                        None => return,
                    },
                    _ => made.machine.lts.add_state(),
                };
                actions
                    .into_iter()
                    .for_each(|action| made.machine.lts.add(here, action, to));
                here = to;
            }
            if let Body::Choice(branches) = &branch.body {
                self.branches(here, branches, made);
            }
        }
    }

    fn action(&mut self, label: &Label, made: &mut Made) -> Action {
        let action = match (&label.returns, label.name.as_str()) {
            (None, "tau") => return TAU,
            (_, name) => self.actions.named(name),
        };
        if let Some(returns) = &label.returns {
            made.machine.returns.insert(action, returns.clone());
        }
        made.machine.places.entry(action).or_insert(label.span);
        action
    }
}
