//! Statements: C11 6.8.

use super::builder::{Builder, Goto};
use crate::tree::{Block, Expression, LabelId, Loop, Statement, StatementKind, VariableId};
use crate::types::LengthId;
use system::Span;
use system::program::{self, Library, Place, PropertyKind, Type as Made, VariableKind};

impl Builder<'_, '_> {
    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Expression(expression) => self.effect(expression),
            StatementKind::Block(block) => {
                self.enter_block(block);
                self.statements(&block.statements);
                self.leave_scope();
            }
            StatementKind::Initialise(variable, initialiser) => self.initialise(*variable, initialiser, span),
            StatementKind::Length(id, value) => self.length(*id, value, span),
            StatementKind::Allocate(variable) => self.allocate(*variable, span),
            StatementKind::Label(label) => self.label(*label, span),
            StatementKind::Case(case) => {
                let at = self.location(span);
                self.join(at, span);
                self.frame.cases[case.0 as usize] = Some((at, self.frame.scopes.current));
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => self.conditional(condition, then, otherwise, span),
            StatementKind::Switch(switch) => self.switch(switch, span),
            StatementKind::Loop(inner) => self.repeat(inner, span),
            StatementKind::Goto(label) => {
                self.frame.gotos.push(Goto {
                    from: self.frame.current,
                    scope: self.frame.scopes.current,
                    label: *label,
                    span,
                });
                self.frame.current = self.location(span);
            }
            StatementKind::Continue => {
                if let Some((to, scope)) = self.frame.continues.last().copied() {
                    self.jump(self.frame.scopes.current, scope, to, span);
                }
            }
            StatementKind::Break => {
                if let Some((to, scope)) = self.frame.breaks.last().copied() {
                    self.jump(self.frame.scopes.current, scope, to, span);
                }
            }
            StatementKind::Return(value) => self.returned(value.as_ref(), span),
            StatementKind::Assembler { outputs, inputs } => self.assembler(outputs, inputs, span),
        }
    }

    /// The lifetime of block-scoped variables begins with the block: C11 6.2.4p6.
    pub(super) fn enter_block(&mut self, block: &Block) {
        let mut variables = Vec::new();
        for variable in &block.variables {
            variables.push(self.local(*variable));
        }
        self.enter_scope(variables, block.span);
        let types = &self.lowering.unit.types;
        let declared = |id: &VariableId| self.lowering.unit[*id].variable_type;
        if block.variables.iter().any(|id| types.is_variable_array(declared(id))) {
            self.frame.scopes.forbid_jumps();
        }
    }

    /// A variable-length array is a pointer to its first element.
    fn local(&mut self, id: VariableId) -> program::VariableId {
        let unit = self.lowering.unit;
        let variable = &unit[id];
        let mut type_id = self.lowering.type_id(variable.variable_type);
        if unit.types.is_variable_array(variable.variable_type) {
            let element = unit
                .types
                .element_of(variable.variable_type)
                .unwrap_or(variable.variable_type);
            let element = self.lowering.type_id(element);
            type_id = self.lowering.add_type(Made::Pointer(element));
        }
        let procedure = self.frame.procedure;
        let name = variable.name.clone();
        let made = self
            .lowering
            .own_variable(procedure, name, type_id, VariableKind::Local, variable.span);
        self.lowering.variables.insert(id, made);
        made
    }

    fn length(&mut self, id: LengthId, value: &Expression, span: Span) {
        let type_id = self.lowering.type_id(value.expression_type);
        let variable = self.temporary(type_id, span);
        self.frame.lengths.insert(id, variable);
        let value = self.value(value);
        self.assign(Place::variable(variable), value, span);
    }

    fn allocate(&mut self, id: VariableId, span: Span) {
        let variable = self.lowering.variable(id);
        let size = self.variable_size(self.lowering.unit[id].variable_type);
        let void = self.lowering.add_type(Made::Void);
        let pointer = self.lowering.add_type(Made::Pointer(void));
        let count = self.lowering.add_type(Made::Integer(self.size_integer()));
        let procedure = self
            .lowering
            .hidden(Library::AllocateLocal, "alloca", &[count], pointer);
        self.call_hidden(procedure, vec![size], Some(Place::variable(variable)), span);
    }

    fn label(&mut self, label: LabelId, span: Span) {
        let unit = self.lowering.unit;
        let at = self.location(span);
        self.join(at, span);
        self.frame.labels[label.0 as usize] = Some((at, self.frame.scopes.current));
        let definition = self
            .frame
            .function
            .and_then(|function| unit[function].definition.as_ref());
        let Some(name) = definition.and_then(|definition| definition.labels.get(label.0 as usize)) else {
            return;
        };
        self.name_location(at, &name.name);
        if self.lowering.options.error_labels.contains(&name.name) {
            self.violate(name.name.clone(), PropertyKind::Label, span);
        }
    }

    fn conditional(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement], span: Span) {
        let end = self.location(span);
        let yes = self.location(span);
        let no = if otherwise.is_empty() { end } else { self.location(span) };
        self.branch(condition, yes, no);
        self.frame.current = yes;
        self.statements(then);
        if !otherwise.is_empty() {
            self.go(end, span);
            self.frame.current = no;
            self.statements(otherwise);
        }
        self.join(end, span);
    }

    /// All loops: C11 6.8.5.
    fn repeat(&mut self, inner: &Loop, span: Span) {
        let scope = self.frame.scopes.current;
        let body = self.location(span);
        let end = self.location(span);
        let ask = match &inner.condition {
            Some(condition) => self.location(condition.span),
            None => body,
        };
        let next = match &inner.step {
            Some(step) => self.location(step.span),
            None => ask,
        };
        self.go(if inner.asks_first { ask } else { body }, span);
        if let Some(condition) = &inner.condition {
            self.frame.current = ask;
            self.branch(condition, body, end);
        }
        self.frame.current = body;
        self.frame.breaks.push((end, scope));
        self.frame.continues.push((next, scope));
        self.statements(&inner.body);
        self.frame.breaks.pop();
        self.frame.continues.pop();
        self.go(next, span);
        if let Some(step) = &inner.step {
            self.frame.current = next;
            self.effect(step);
            self.go(ask, span);
        }
        self.frame.current = end;
    }

    fn returned(&mut self, value: Option<&Expression>, span: Span) {
        let result = self.lowering.program[self.frame.procedure].result;
        match (value, result) {
            (Some(value), Some(result)) if self.is_record(value.expression_type) => {
                self.copy_into(Place::variable(result), value, span);
            }
            (Some(value), Some(result)) => {
                // Not straight into the result variable, which a recursive call shares.
                let value = self.value(value);
                self.assign(Place::variable(result), value, span);
            }
            (Some(value), None) => self.effect(value),
            (None, _) => {}
        }
        self.jump_out(span);
    }

    /// The outputs are havocked.
    fn assembler(&mut self, outputs: &[Expression], inputs: &[Expression], span: Span) {
        let places: Vec<Place> = outputs
            .iter()
            .map(|output| {
                let place = self.place(output);
                self.stable_place(place, span)
            })
            .collect();
        for input in inputs {
            self.effect(input);
        }
        for (target, output) in places.into_iter().zip(outputs) {
            self.choose(&target, output.expression_type, "assembler", span);
        }
    }
}
