//! Function definitions as procedures with automata.

use super::Lowering;
use super::builder::{Builder, Frame};
use super::values;
use crate::tree::{Definition, FunctionId};
use crate::types::{FloatKind, Kind, Type};
use system::program::{self, Body, Place, ProcedureId, Scalar, Step, VariableKind};

impl Lowering<'_> {
    /// Parameters and result. Arguments of an old-style definition are promoted: C11 6.9.1p10.
    pub(super) fn signature_of_definition(&mut self, id: FunctionId, procedure: ProcedureId) {
        let unit = self.unit;
        let Some(definition) = &unit[id].definition else { return };
        for parameter in &definition.parameters {
            let variable = &unit[*parameter];
            let type_id = match self.promoted_parameter(definition, variable.variable_type) {
                Some(promoted) => promoted,
                None => self.type_id(variable.variable_type),
            };
            let (name, span) = (variable.name.clone(), variable.span);
            let made = self.own_variable(procedure, name, type_id, VariableKind::Parameter, span);
            self.program.procedures[procedure.index()].parameters.push(made);
            self.variables.insert(*parameter, made);
        }
        if let Some(function) = unit.types.function_of(unit[id].function_type) {
            self.result_variable(procedure, function.result);
        }
    }

    /// None where promotion does not change it.
    fn promoted_parameter(&mut self, definition: &Definition, declared: Type) -> Option<program::TypeId> {
        if !definition.is_old {
            return None;
        }
        match self.unit.types.kind(declared) {
            Kind::Float(FloatKind::Single) => Some(self.add_type(program::Type::Float(program::Float::Double))),
            _ => {
                let integer = self.unit.types.integer_of(declared)?;
                (integer.bits < 32).then(|| self.add_type(program::Type::Integer(super::INT)))
            }
        }
    }

    pub(super) fn lower_function(&mut self, id: FunctionId) {
        let unit = self.unit;
        let function = &unit[id];
        let Some(definition) = &function.definition else { return };
        self.diagnostics.extend(definition.refusals.iter().cloned());
        let procedure = self.procedure(id);
        let labels = definition.labels.len();
        let mut frame = Frame::new(procedure, function.span, labels, definition.cases as usize);
        frame.function = Some(id);
        let is_entry = function.name == self.options.entry;
        let mut builder = self.builder(frame);
        let locals = builder.old_parameters(definition, procedure);
        builder.enter_scope(locals, definition.body.span);
        builder.convert_old_parameters(definition, procedure);
        builder.enter_block(&definition.body);
        builder.statements(&definition.body.statements);
        if is_entry {
            builder.end_of_first_function(procedure, definition.body.span);
        }
        builder.jump_out(definition.body.span);
        builder.connect_gotos(definition);
        let automaton = builder.frame.finish();
        self.program.procedures[procedure.index()].body = Body::Automaton(automaton);
    }
}

impl Builder<'_, '_> {
    /// Variables with the declared types of old-style parameters.
    fn old_parameters(&mut self, definition: &Definition, procedure: ProcedureId) -> Vec<program::VariableId> {
        let unit = self.lowering.unit;
        let mut locals = Vec::new();
        for parameter in &definition.parameters {
            let variable = &unit[*parameter];
            if self
                .lowering
                .promoted_parameter(definition, variable.variable_type)
                .is_none()
            {
                continue;
            }
            let type_id = self.lowering.type_id(variable.variable_type);
            let (name, span) = (variable.name.clone(), variable.span);
            let made = self
                .lowering
                .own_variable(procedure, name, type_id, VariableKind::Local, span);
            self.lowering.variables.insert(*parameter, made);
            locals.push(made);
        }
        locals
    }

    fn convert_old_parameters(&mut self, definition: &Definition, procedure: ProcedureId) {
        let unit = self.lowering.unit;
        for (position, parameter) in definition.parameters.iter().enumerate() {
            let variable = &unit[*parameter];
            if self
                .lowering
                .promoted_parameter(definition, variable.variable_type)
                .is_none()
            {
                continue;
            }
            let passed = self.lowering.program[procedure].parameters[position];
            let own = self.lowering.variable(*parameter);
            let value = self.read_scalar(Place::variable(passed), Scalar::Pointer);
            let value = self.converted(value, variable.variable_type);
            self.assign(Place::variable(own), value, variable.span);
        }
    }

    /// C11 5.1.2.2.3: `main` returns 0 at its end; another entry function returns an arbitrary value.
    fn end_of_first_function(&mut self, procedure: ProcedureId, span: system::Span) {
        let Some(result) = self.lowering.program[procedure].result else {
            return;
        };
        let type_id = self.lowering.program[result].type_id;
        if let Some(scalar @ Scalar::Integer(_)) = self.lowering.program.types.scalar(type_id) {
            let target = Place::variable(result);
            let step = match self.lowering.program[procedure].name.as_str() {
                "main" => Step::Assign {
                    target,
                    value: values::zero(scalar),
                },
                name => Step::Choose {
                    target,
                    name: format!("what `{name}` returns"),
                },
            };
            let span = system::Span {
                start: span.end.saturating_sub(1),
                ..span
            };
            self.step(step, span);
        }
    }

    /// Connects jumps, now that all labels and their scopes are known.
    fn connect_gotos(&mut self, definition: &Definition) {
        for goto in std::mem::take(&mut self.frame.gotos) {
            let Some((target, scope)) = self.frame.labels.get(goto.label.0 as usize).copied().flatten() else {
                continue;
            };
            debug_assert!((goto.label.0 as usize) < definition.labels.len());
            self.frame.current = goto.from;
            self.jump(goto.scope, scope, target, goto.span);
        }
    }
}
