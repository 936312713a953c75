//! The start of runs: addresses are stored into global variables, the entry function is called, and its result becomes
//! the exit status.

use super::Lowering;
use super::builder::{Builder, Frame};
use super::values;
use crate::tree::{FunctionId, VariableId};
use crate::types::{Kind, Type};
use system::Span;
use system::program::{
    self, Argument, Body, Callee, Initial, Integer, Library, Place, Procedure, ProcedureId, Scalar, Step, Type as Made,
    Value, Variable, VariableKind,
};

impl Lowering<'_> {
    pub(super) fn begin_start(&mut self) -> Frame {
        let start = self.add_procedure(Procedure {
            name: "start".to_owned(),
            parameters: Vec::new(),
            is_variadic: false,
            result: None,
            body: Body::Unknown,
            is_library: false,
            span: Span::default(),
        });
        self.program.start = start;
        Frame::new(start, Span::default(), 0, 0)
    }

    pub(super) fn initialise_global(&mut self, frame: Frame, id: VariableId) -> Frame {
        let is_defined = self.unit[id].is_defined;
        let mut builder = self.builder(frame);
        match is_defined {
            true => builder.initialise_addresses(id),
            false => builder.choose_global(id),
        }
        builder.frame
    }

    pub(super) fn finish_start(&mut self, frame: Frame, entry: FunctionId, main: ProcedureId) {
        let start = self.program.start;
        let mut builder = self.builder(frame);
        builder.call_first(entry, main);
        let exit = builder.frame.exit;
        builder.go(exit, Span::default());
        let automaton = builder.frame.finish();
        self.program.procedures[start.index()].body = Body::Automaton(automaton);
    }
}

impl Builder<'_, '_> {
    /// A variable defined elsewhere has an arbitrary value.
    fn choose_global(&mut self, id: VariableId) {
        let unit = self.lowering.unit;
        let variable = &unit[id];
        let is_own = self.lowering.of_rules.variables.contains(&variable.name);
        let target = match unit.types.kind(variable.variable_type) {
            Kind::Pointer(target) if is_own => Some(*target),
            _ => None,
        };
        let holds = match target {
            Some(_) => "points at an object of its own",
            None => "holds any value",
        };
        let what = format!(
            "`{}` is a variable of another file: it {holds} at the start",
            variable.name
        );
        self.lowering.assume(what, variable.span);
        let place = Place::variable(self.lowering.variable(id));
        match target {
            Some(target) => {
                let object = self.object_of_library(target, &variable.name, variable.span);
                let value = Value::Address(Box::new(Place::variable(object)));
                self.step(Step::Assign { target: place, value }, variable.span);
            }
            None => self.choose(&place, variable.variable_type, &variable.name, variable.span),
        }
    }

    /// The object of a pointer that a rule declares, such as `stdin`. If its type is incomplete, only its address
    /// matters.
    fn object_of_library(&mut self, target: Type, name: &str, span: Span) -> program::VariableId {
        let is_known = self.lowering.unit.types.size(target).is_some();
        let type_id = match is_known {
            true => self.lowering.type_id(target),
            false => self.lowering.add_type(Made::Integer(Integer::new(8, false))),
        };
        self.lowering.add_variable(Variable {
            name: format!("what {name} points at"),
            type_id,
            kind: VariableKind::Global,
            procedure: None,
            initial: Initial::Undefined,
            is_constant: false,
            span,
        })
    }

    /// `main` as a system calls it (`arguments`); another function with arbitrary arguments.
    fn call_first(&mut self, entry: FunctionId, main: ProcedureId) {
        let span = self.lowering.unit[entry].span;
        let name = self.lowering.unit[entry].name.clone();
        let parameters = self.lowering.program[main].parameters.clone();
        let arguments = match name == "main" {
            true => self.arguments_of_main(main, &parameters, span),
            false => self.any_arguments(entry, &parameters),
        };
        if !parameters.is_empty() && name != "main" {
            let what = format!(
                "`{name}` is called once, with any arguments (pointers lead to nothing that the program has a name for), \
                 and with variables as they are initialised"
            );
            self.lowering.assume(what, span);
        }
        let result = self.lowering.program[main]
            .result
            .map(|result| self.lowering.program[result].type_id);
        let int = self.lowering.add_type(Made::Integer(super::INT));
        let (place, status) = match result {
            None => (None, values::int(0)),
            Some(type_id) => {
                let place = Place::variable(self.temporary(type_id, span));
                let status = self.read_scalar(place.clone(), Scalar::Integer(super::INT));
                (Some(place), values::convert(status, Scalar::Integer(super::INT)))
            }
        };
        self.call_step(Callee::Procedure(main), arguments, place, span);
        let void = self.lowering.add_type(Made::Void);
        let exit = self.lowering.hidden(Library::Exit, "exit", &[int], void);
        self.call_hidden(exit, vec![status], None, span);
    }

    fn any_arguments(&mut self, entry: FunctionId, parameters: &[program::VariableId]) -> Vec<Argument> {
        let unit = self.lowering.unit;
        let definition = unit[entry].definition.as_ref();
        let declared = definition
            .map(|definition| definition.parameters.as_slice())
            .unwrap_or_default();
        let mut arguments = Vec::new();
        for (parameter, declared) in parameters.iter().zip(declared) {
            let (declared, type_id) = (&unit[*declared], self.lowering.program[*parameter].type_id);
            let name = format!("the argument `{}` of `{}`", declared.name, unit[entry].name);
            let place = Place::variable(self.temporary(type_id, declared.span));
            match self.lowering.program.types.scalar(type_id) {
                Some(scalar) => {
                    let target = place.clone();
                    self.step(Step::Choose { target, name }, declared.span);
                    let value = self.read_scalar(place, scalar);
                    // `_Bool` has only the values 0 and 1.
                    let value = match unit.types.is_bool(declared.variable_type) {
                        true => self.converted(value, declared.variable_type),
                        false => value,
                    };
                    arguments.push(Argument::Scalar(value));
                }
                None => {
                    self.choose(&place, declared.variable_type, &name, declared.span);
                    arguments.push(Argument::Record(place));
                }
            }
        }
        arguments
    }
}
