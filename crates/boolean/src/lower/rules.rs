//! What each statement does, as rules.

use super::expressions::{Meaning, Possible};
use super::symbols::value;
use super::{Called, Lowered, LoweredRule, Node, RuleKind};
use crate::program::{Action, Expression, ProcedureId, StatementId, Variable};
use crate::trace::Control;
use logic::{Function, Sort, Term, term};
use std::collections::BTreeMap;
use system::Span;
use system::transition::{Rule, Update};

/// A rule that is being made.
#[derive(Clone, Debug, Default)]
struct Draft {
    guard: Vec<Term>,
    written: BTreeMap<Function, Term>,
    choices: Vec<Function>,
}

impl Lowered<'_> {
    pub(super) fn make_rules(&mut self) {
        self.make_start();
        for node in self.nodes.clone() {
            match node {
                Node::Entry(procedure) => self.make_begin(procedure),
                Node::At(procedure, Control::Before(number)) => self.make_statement(StatementId { procedure, number }),
                Node::At(procedure, Control::End) => self.make_return(procedure, Control::End, None),
                Node::Exit(_) | Node::Failed(_) => {}
            }
        }
        // Last, so that the others have the same positions in a system without them.
        for call in 0..self.calls.len() {
            self.make_enter(call);
        }
    }

    /// Any values that are enforced.
    fn make_start(&mut self) {
        let entry = self.program.entry;
        let begin = Node::At(entry, self.interpreter.begin(entry));
        let mut constraint = vec![self.enforced(entry, &BTreeMap::new())];
        if self.symbols.is_called[entry.0] {
            let remembered = self.symbols.remembered(entry).into_iter();
            constraint.extend(remembered.map(|(old, now)| term::equal(value(old), value(now))));
        }
        let start = Rule {
            name: "start".to_owned(),
            updates: self
                .location(begin)
                .map(|here| update(self.control, here))
                .into_iter()
                .collect(),
            constraint: term::and(constraint),
            span: self.program.procedures[entry.0].origin.unwrap_or_default(),
            ..Rule::identity()
        };
        self.system.starts.push(start);
    }

    fn make_statement(&mut self, id: StatementId) {
        let StatementId { procedure, number } = id;
        let control = Control::Before(number);
        let targets = self.interpreter.targets(procedure, control);
        let Some(action) = self.interpreter.action(procedure, control) else {
            return;
        };
        let test = |lowered: &Lowered<'_>, condition: &Expression, value: bool| {
            let possible = lowered.possible(procedure, condition);
            Draft {
                guard: vec![if value { possible.truth } else { possible.falsity }],
                ..Draft::default()
            }
        };
        match action {
            Action::Skip | Action::Goto(_) => {
                for target in targets {
                    self.make_step(id, target, Draft::default());
                }
            }
            Action::Assume(condition) => self.make_step(id, targets[0], test(self, condition, true)),
            Action::Assert(condition) => {
                let fails = test(self, condition, false);
                self.make_rule(Node::At(procedure, control), Node::Failed(id), RuleKind::Fail, fails);
                self.make_step(id, targets[0], test(self, condition, true));
            }
            Action::If { condition, .. } | Action::While { condition, .. } => {
                // Of a loop: the body, and behind it.
                self.make_step(id, targets[0], test(self, condition, true));
                self.make_step(id, targets[1], test(self, condition, false));
            }
            Action::Dead(variables) => {
                let mut draft = Draft::default();
                for variable in variables {
                    let any = self.choose(&mut draft);
                    let variable = self.symbols.variable(procedure, *variable);
                    draft.written.insert(variable, value(any));
                }
                draft.guard.push(self.enforced(procedure, &draft.written));
                self.make_step(id, targets[0], draft);
            }
            Action::Assign {
                targets: variables,
                values,
                constraint,
            } => {
                let mut draft = Draft::default();
                for (variable, expression) in variables.iter().zip(values) {
                    let chosen = self.chosen(procedure, expression, &mut draft);
                    draft
                        .written
                        .insert(self.symbols.variable(procedure, *variable), chosen);
                }
                if let Some(constraint) = constraint {
                    let now = |variable| value(self.symbols.variable(procedure, variable));
                    let next = |variable| self.after(procedure, variable, &draft.written);
                    let allowed = Possible::of(constraint, Meaning { now: &now, next: &next });
                    draft.guard.push(allowed.truth);
                }
                draft.guard.push(self.enforced(procedure, &draft.written));
                self.make_step(id, targets[0], draft);
            }
            Action::Return(values) => self.make_return(procedure, control, Some(values)),
            Action::Call {
                results,
                procedure: callee,
                arguments,
            } => self.make_pass(id, targets[0], *callee, arguments, results),
        }
    }

    fn make_step(&mut self, id: StatementId, target: Control, draft: Draft) {
        let from = Node::At(id.procedure, Control::Before(id.number));
        self.make_rule(from, Node::At(id.procedure, target), RuleKind::Step, draft);
    }

    /// To the exit, where there is one: in a procedure that is not called, a return ends the program.
    fn make_return(&mut self, procedure: ProcedureId, control: Control, values: Option<&[Expression]>) {
        if !self.symbols.is_called[procedure.0] {
            return;
        }
        let mut draft = Draft::default();
        for (number, result) in self.symbols.results[procedure.0].clone().into_iter().enumerate() {
            let returned = match values.and_then(|values| values.get(number)) {
                Some(expression) => self.chosen(procedure, expression, &mut draft),
                None => value(self.choose(&mut draft)),
            };
            draft.written.insert(result, returned);
        }
        let from = Node::At(procedure, control);
        self.make_rule(from, Node::Exit(procedure), RuleKind::Return, draft);
    }

    /// A call as a whole: without a contract, it leaves behind any values.
    fn make_pass(
        &mut self,
        id: StatementId,
        target: Control,
        callee: ProcedureId,
        arguments: &[Expression],
        results: &[Variable],
    ) {
        let caller = id.procedure;
        let mut draft = Draft::default();
        let arguments: Vec<Term> = arguments
            .iter()
            .map(|argument| self.chosen(caller, argument, &mut draft))
            .collect();
        let entering = draft.choices.clone();
        let mut returned = BTreeMap::new();
        for (parameter, argument) in arguments.iter().enumerate() {
            returned.insert(self.symbols.old_parameter(callee, parameter), *argument);
        }
        for global in self.symbols.written_by(callee).collect::<Vec<usize>>() {
            let (old, now) = (self.symbols.old_global(callee, global), self.symbols.globals[global]);
            let any = value(self.choose(&mut draft));
            returned.insert(old, value(now));
            returned.insert(now, any);
            draft.written.insert(now, any);
        }
        for (number, result) in results.iter().enumerate() {
            let any = value(self.choose(&mut draft));
            returned.insert(self.symbols.results[callee.0][number], any);
            // A global that takes a result has it in the end.
            draft.written.insert(self.symbols.variable(caller, *result), any);
        }
        draft.guard.push(self.enforced(caller, &draft.written));
        let at = Node::At(caller, Control::Before(id.number));
        let parameters = self.symbols.locals[callee.0].iter().copied().zip(arguments);
        let call = Called {
            statement: id,
            at,
            procedure: callee,
            given: parameters.collect(),
            entering,
            returned,
            rule: self.rules.len(),
        };
        let number = self.calls.len();
        self.calls.push(call);
        self.make_rule(at, Node::At(caller, target), RuleKind::Pass(number), draft);
    }

    fn make_enter(&mut self, call: usize) {
        let Called {
            at,
            procedure,
            given,
            entering,
            ..
        } = self.calls[call].clone();
        let draft = Draft {
            guard: Vec::new(),
            written: given,
            choices: entering,
        };
        self.make_rule(at, Node::Entry(procedure), RuleKind::Enter(call), draft);
    }

    /// What a call was given is remembered, and its other locals have any values.
    fn make_begin(&mut self, procedure: ProcedureId) {
        let mut draft = Draft::default();
        let parameters = self.program.procedures[procedure.0].parameters.len();
        let locals = self.symbols.locals[procedure.0].clone();
        for local in locals.into_iter().skip(parameters) {
            let any = self.choose(&mut draft);
            draft.written.insert(local, value(any));
        }
        draft.guard.push(self.enforced(procedure, &draft.written));
        let remembered = self.symbols.remembered(procedure).into_iter();
        draft.written.extend(remembered.map(|(old, now)| (old, value(now))));
        let begin = Node::At(procedure, self.interpreter.begin(procedure));
        self.make_rule(Node::Entry(procedure), begin, RuleKind::Begin, draft);
    }

    fn make_rule(&mut self, from: Node, to: Node, kind: RuleKind, mut draft: Draft) {
        if term::and(draft.guard.iter().copied()).is_false() {
            // It has a place all the same.
            draft.guard = vec![self.never()];
            draft.choices = self.choices[..1].to_vec();
            draft.written.clear();
        }
        let (Some(here), Some(there)) = (self.at(from), self.location(to)) else {
            return;
        };
        let name = |node: Node| self.number(node).map_or("", |number| self.node_name(number));
        let written = draft.written.into_iter();
        let updates = [(self.control, there)].into_iter().chain(written);
        let rule = Rule {
            name: format!("{} to {}", name(from), name(to)),
            choices: draft.choices,
            guard: term::and([here].into_iter().chain(draft.guard)),
            updates: updates.map(|(function, value)| update(function, value)).collect(),
            span: match from {
                Node::Entry(procedure) | Node::At(procedure, Control::End) => {
                    self.program.procedures[procedure.0].origin.unwrap_or_default()
                }
                from => self.statement(from).map_or(Span::default(), |id| self.span(id)),
            },
            ..Rule::identity()
        };
        self.system.rules.push(rule);
        self.rules.push(LoweredRule { from, to, kind });
    }

    /// A value that the rule picks.
    fn choose(&mut self, draft: &mut Draft) -> Function {
        let number = draft.choices.len();
        while self.choices.len() <= number {
            self.make_choice();
        }
        draft.choices.push(self.choices[number]);
        self.choices[number]
    }

    pub(super) fn make_choice(&mut self) {
        let name = self.symbols.fresh(&format!("any {}", self.choices.len() + 1));
        self.choices.push(Function::constant(name.as_str(), Sort::Bool));
    }

    /// What never holds, for any choice. It is not written as `false`, so that the guard still says where control is:
    /// engines look for that.
    pub(super) fn never(&self) -> Term {
        let choice = value(self.choices[0]);
        term::equal(choice, term::not(choice))
    }

    /// Where an expression of a procedure can be true, and where false.
    fn possible(&self, procedure: ProcedureId, expression: &Expression) -> Possible {
        let now = |variable| value(self.symbols.variable(procedure, variable));
        Possible::of(expression, Meaning { now: &now, next: &now })
    }

    /// A value of an expression.
    fn chosen(&mut self, procedure: ProcedureId, expression: &Expression, draft: &mut Draft) -> Term {
        let possible = self.possible(procedure, expression);
        possible.chosen(|| self.choose(draft))
    }

    /// The value of a variable after a step.
    fn after(&self, procedure: ProcedureId, variable: Variable, written: &BTreeMap<Function, Term>) -> Term {
        let variable = self.symbols.variable(procedure, variable);
        written.get(&variable).copied().unwrap_or_else(|| value(variable))
    }

    /// That the state after a step may be at all in a procedure.
    fn enforced(&self, procedure: ProcedureId, written: &BTreeMap<Function, Term>) -> Term {
        let after = |variable| self.after(procedure, variable, written);
        let meaning = Meaning {
            now: &after,
            next: &after,
        };
        let of_procedure = &self.program.procedures[procedure.0].enforced;
        let all = self.program.enforced.iter().chain(of_procedure);
        term::and(all.map(|invariant| Possible::of(invariant, meaning).truth))
    }
}

fn update(function: Function, value: Term) -> Update {
    Update {
        function,
        parameters: Vec::new(),
        value,
    }
}
