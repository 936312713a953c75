//! Variables, literals and procedures of the program, created on demand.

use super::{Lowering, values};
use crate::library::{self, Meaning};
use crate::tree::{FunctionId, LiteralId, Storage, VariableId};
use crate::types::Kind;
use system::program::{
    self, Automaton, Body, Callee, Edge, Initial, Library, Location, LocationId, Place, Procedure, ProcedureId,
    Property, PropertyId, PropertyKind, Reason, Scalar, Step, Type, TypeId, Value, Variable, VariableKind,
    is_determined,
};
use system::{Diagnostic, Span};

impl Lowering<'_> {
    pub(super) fn add_variable(&mut self, variable: Variable) -> program::VariableId {
        self.program.variables.push(variable);
        program::VariableId(u32::try_from(self.program.variables.len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn add_procedure(&mut self, procedure: Procedure) -> ProcedureId {
        self.program.procedures.push(procedure);
        ProcedureId(u32::try_from(self.program.procedures.len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn add_property(&mut self, name: String, kind: PropertyKind, span: Span) -> PropertyId {
        self.program.properties.push(Property { name, kind, span });
        PropertyId(u32::try_from(self.program.properties.len() - 1).unwrap_or(u32::MAX))
    }

    /// A variable with static storage duration; locals are created with their function.
    pub(super) fn variable(&mut self, id: VariableId) -> program::VariableId {
        if let Some(known) = self.variables.get(&id) {
            return *known;
        }
        let variable = &self.unit[id];
        debug_assert_eq!(variable.storage, Storage::Static);
        let type_id = self.type_id(variable.variable_type);
        let (initial, has_addresses) = self.initial(id);
        let is_literal = variable.name.starts_with('(');
        let made = self.add_variable(Variable {
            name: variable.name.clone(),
            type_id,
            kind: if is_literal {
                VariableKind::Literal
            } else {
                VariableKind::Global
            },
            procedure: None,
            initial,
            is_constant: self.is_constant(id),
            span: variable.span,
        });
        self.variables.insert(id, made);
        if self.is_volatile(variable.variable_type) {
            let what = format!(
                "`{}` is volatile, or points at what is: only the program writes there",
                variable.name
            );
            self.assume(what, variable.span);
        }
        if has_addresses || !variable.is_defined {
            self.pending_globals.push_back(id);
        }
        made
    }

    /// Whether a variable of the type, or what it points at, may be written by others.
    fn is_volatile(&self, of: crate::types::Type) -> bool {
        let inner = match self.unit.types.kind(of) {
            Kind::Array { element, .. } => Some(*element),
            Kind::Pointer(target) => Some(*target),
            _ => None,
        };
        of.is_volatile || inner.is_some_and(|inner| self.is_volatile(inner))
    }

    fn is_constant(&self, id: VariableId) -> bool {
        let mut of = self.unit[id].variable_type;
        while let (false, Kind::Array { element, .. }) = (of.is_const, self.unit.types.kind(of)) {
            of = *element;
        }
        of.is_const
    }

    pub(super) fn literal(&mut self, id: LiteralId) -> program::VariableId {
        if let Some(known) = self.literals.get(&id) {
            return *known;
        }
        let literal = &self.unit[id];
        let type_id = self.type_id(literal.literal_type);
        let made = self.add_variable(Variable {
            name: format!("string {}", id.0),
            type_id,
            kind: VariableKind::Literal,
            procedure: None,
            initial: Initial::Bytes(literal.bytes()),
            is_constant: true,
            span: literal.span,
        });
        self.literals.insert(id, made);
        made
    }

    pub(super) fn is_error_function(&self, id: FunctionId) -> bool {
        let function = &self.unit[id];
        let is_error = |name: &String| self.options.error_functions.contains(name);
        (is_error(&function.name) || function.symbol.as_ref().is_some_and(is_error))
            && !self.is_specified(id)
            && !self.unit.is_of_library(id)
    }

    /// Whether a rule has events about this function.
    pub(super) fn is_watched(&self, id: FunctionId) -> bool {
        self.of_rules.watched.contains(&self.unit[id].name) && !self.unit.is_of_library(id)
    }

    /// Reports a function whose effects are not supported.
    pub(super) fn refuse(&mut self, id: FunctionId, span: Span) {
        let name = &self.unit[id].name;
        let why = match name.contains("jmp") {
            true => "jumps between functions",
            false => "calls functions, or lets others run, behind the back of the program",
        };
        let message = format!("`{name}` is not supported");
        self.diagnostics.push(Diagnostic::error(span, message).label(why));
    }

    /// Whether the user specifies this function elsewhere; functions of our library do not count.
    pub(super) fn is_specified(&self, id: FunctionId) -> bool {
        self.options.specified.contains(&self.unit[id].name) && !self.unit.is_of_library(id)
    }

    /// The meaning of a function without a body.
    pub(super) fn meaning(&mut self, id: FunctionId) -> Option<Meaning> {
        let function = &self.unit[id];
        if self.is_error_function(id) {
            return Some(Meaning::Error);
        }
        if function.definition.is_some() || self.is_specified(id) {
            return None;
        }
        let of = |name| Some((name, library::meaning(name)?));
        let by_symbol = function.symbol.as_deref().and_then(of);
        let (name, meaning) = by_symbol.or_else(|| of(&function.name))?;
        // Where a property file defines the errors, this is an ordinary function.
        if meaning == Meaning::Error && !self.options.assertions {
            return None;
        }
        library::fits(&mut self.own_types, name, function.function_type).then_some(meaning)
    }

    /// The function that the linker would choose.
    pub(super) fn linked(&mut self, id: FunctionId) -> FunctionId {
        let function = &self.unit[id];
        if function.definition.is_some() || self.is_specified(id) {
            return id;
        }
        fn symbol(of: &crate::tree::Function) -> &str {
            of.symbol.as_deref().unwrap_or(&of.name)
        }
        let all = (0..).map(FunctionId).zip(&self.unit.functions);
        let mut defined = all.filter(|(id, other)| other.definition.is_some() && !self.unit.is_of_library(*id));
        match defined.find(|(_, other)| symbol(other) == symbol(function)) {
            Some((found, _)) => found,
            None if function.symbol.is_some() => id,
            None => self.of_library(id).unwrap_or(id),
        }
    }

    /// Our definition of a library function, if this one is declared alike.
    fn of_library(&mut self, id: FunctionId) -> Option<FunctionId> {
        let function = &self.unit[id];
        let own = *self.unit.library.get(&function.name)?;
        let expected = self.unit[own].function_type;
        let is_it = !self.is_error_function(id) && self.is_alike(expected, function.function_type);
        is_it.then_some(own)
    }

    /// Whether calls through one function type pass what the other expects.
    fn is_alike(&mut self, expected: crate::types::Type, declared: crate::types::Type) -> bool {
        let (Some(ours), Some(theirs)) = (
            self.unit.types.function_of(expected).cloned(),
            self.unit.types.function_of(declared).cloned(),
        ) else {
            return false;
        };
        let scalar = |lowering: &mut Self, of| {
            let type_id = lowering.type_id(of);
            lowering.program.types.scalar(type_id)
        };
        let parameters = ours.parameters.unwrap_or_default();
        let passes = match theirs.parameters {
            Some(passed) => {
                passed.len() == parameters.len()
                    && !theirs.is_variadic
                    && parameters.iter().zip(passed).all(|(ours, theirs)| {
                        match (scalar(self, *ours), scalar(self, theirs)) {
                            // Signedness may differ.
                            (Some(Scalar::Integer(ours)), Some(Scalar::Integer(theirs))) => ours.bits == theirs.bits,
                            (ours, theirs) => ours == theirs,
                        }
                    })
            }
            // Without a prototype, correct arguments have promoted types.
            None => {
                let int = self.own_types.int();
                let is_promoted = |own: &crate::types::Type| self.unit.types.is_pointer(*own) || *own == int;
                parameters.iter().all(is_promoted)
            }
        };
        let is_dropped = self.unit.types.is_void(theirs.result);
        passes && (is_dropped || scalar(self, ours.result) == scalar(self, theirs.result))
    }

    pub(super) fn procedure(&mut self, id: FunctionId) -> ProcedureId {
        self.refuse_undeclared(id);
        let id = self.linked(id);
        if let Some(known) = self.functions.get(&id) {
            return *known;
        }
        let function = &self.unit[id];
        let function_type = self.unit.types.function_of(function.function_type).cloned();
        let is_variadic = function_type.as_ref().is_some_and(|function| function.is_variadic);
        let made = self.add_procedure(Procedure {
            name: function.name.clone(),
            parameters: Vec::new(),
            is_variadic,
            result: None,
            body: Body::Unknown,
            is_library: self.unit.is_of_library(id),
            span: function.span,
        });
        self.functions.insert(id, made);
        let Some(function_type) = function_type else {
            return made;
        };
        let body = match self.meaning(id) {
            None if function.definition.is_some() => {
                self.pending.push_back(id);
                self.signature_of_definition(id, made);
                return made;
            }
            Some(meaning @ (Meaning::Error | Meaning::FailedAssertion | Meaning::Assertion)) => {
                self.signature(made, &function_type);
                let body = self.failing_body(made, meaning);
                self.program.procedures[made.index()].body = body;
                return made;
            }
            Some(Meaning::Refused) => {
                self.refuse(id, function.span);
                Body::Unknown
            }
            Some(Meaning::Library(library)) => Body::Library(library),
            _ if function.is_noreturn => {
                let what = format!(
                    "`{}` has no body, and does not return, as it is declared",
                    function.name
                );
                self.assume(what, function.span);
                Body::Unknown
            }
            _ => {
                let what = format!(
                    "`{}` has no body: it returns any value, and may change what its arguments lead to; it calls \
                     nothing of the program",
                    function.name
                );
                self.assume(what, function.span);
                Body::Unknown
            }
        };
        self.signature(made, &function_type);
        self.program.procedures[made.index()].body = body;
        // A library function without a prototype has the parameters of the table.
        if function_type.parameters.is_none() {
            self.program.procedures[made.index()].is_variadic = true;
        }
        made
    }

    /// Weak functions, whose presence is unknown: `if (hook) hook();`.
    pub(super) fn refuse_weak(&mut self) {
        let is_open =
            |function: &&crate::tree::Function| function.is_weak && function.is_used && function.definition.is_none();
        for function in self.unit.functions.iter().filter(is_open) {
            let message = format!("the function `{}` is weak, and has no body here", function.name);
            let error = Diagnostic::error(function.span, message).label("whether it is there, only the linker knows");
            self.diagnostics.push(error);
        }
    }

    /// Rejects an undeclared function that gcc knows with a result other than `int`.
    fn refuse_undeclared(&mut self, id: FunctionId) {
        let function = &self.unit[id];
        if function.definition.is_some() || !function.is_implicit || !self.refused.insert(id) {
            return;
        }
        let name = &function.name;
        if self.needs_declaration(id) {
            let message = format!("`{name}` is called, but declared nowhere before");
            let error = Diagnostic::error(function.span, message).label("it is no function that returns `int`");
            self.diagnostics.push(match name.starts_with("__") {
                true => error.help("gcc's own function, which is known in files that were not preprocessed yet"),
                false => error.help("it is a function of the C library: include its header"),
            });
        }
    }

    /// Whether gcc knows an undeclared function with a result other than `int`.
    fn needs_declaration(&mut self, id: FunctionId) -> bool {
        let name = &self.unit[id].name;
        let Some(own) = self.unit.library.get(name).copied() else {
            return is_determined(name) || name.starts_with("__sync_") || name.starts_with("__atomic_");
        };
        let (int, size) = (self.own_types.int(), self.own_types.size_type());
        let function = self.unit.types.function_of(self.unit[own].function_type);
        function.is_some_and(|function| {
            let result = function.result;
            !self.unit.types.is_void(result) && result != int && result != size
        })
    }

    fn signature(&mut self, procedure: ProcedureId, function: &crate::types::FunctionType) {
        let span = self.program[procedure].span;
        for (position, parameter) in function.parameters.iter().flatten().enumerate() {
            let type_id = self.type_id(*parameter);
            let name = format!("argument {}", position + 1);
            let variable = self.own_variable(procedure, name, type_id, VariableKind::Parameter, span);
            self.program.procedures[procedure.index()].parameters.push(variable);
        }
        self.result_variable(procedure, function.result);
    }

    pub(super) fn result_variable(&mut self, procedure: ProcedureId, result: crate::types::Type) {
        if self.unit.types.is_void(result) {
            return;
        }
        let type_id = self.type_id(result);
        let span = self.program[procedure].span;
        let variable = self.own_variable(procedure, "result".to_owned(), type_id, VariableKind::Result, span);
        self.program.procedures[procedure.index()].result = Some(variable);
    }

    /// A local variable.
    pub(super) fn own_variable(
        &mut self,
        procedure: ProcedureId,
        name: String,
        type_id: TypeId,
        kind: VariableKind,
        span: Span,
    ) -> program::VariableId {
        self.add_variable(Variable {
            name,
            type_id,
            kind,
            procedure: Some(procedure),
            initial: Initial::Undefined,
            is_constant: false,
            span,
        })
    }

    /// The body of an assertion or error function, for calls through pointers and for calls that a rule observes.
    fn failing_body(&mut self, procedure: ProcedureId, meaning: Meaning) -> Body {
        let Procedure { name, span, .. } = self.program[procedure].clone();
        let kind = match meaning {
            Meaning::Error => PropertyKind::ErrorCall,
            _ => PropertyKind::Assertion,
        };
        let edge = |step, to| Edge {
            step,
            to: LocationId(to),
            span,
        };
        let failure = match kind == PropertyKind::Assertion && !self.options.assertions {
            true => {
                let void = self.add_type(Type::Void);
                Step::Call {
                    callee: Callee::Procedure(self.hidden(Library::Abort, "abort", &[], void)),
                    arguments: Vec::new(),
                    result: None,
                }
            }
            false => Step::Violate(self.add_property(format!("{name}()"), kind, span)),
        };
        let mut first = vec![edge(failure.clone(), 1)];
        let mut locations = Vec::new();
        if meaning == Meaning::Assertion {
            let parameter = self.program[procedure].parameters.first().copied();
            let scalar = parameter.and_then(|one| self.program.types.scalar(self.program[one].type_id));
            let (Some(parameter), Some(scalar)) = (parameter, scalar) else {
                let message = format!("`{name}` is declared without its parameter");
                self.diagnostics
                    .push(Diagnostic::error(span, message).label("of which type is it?"));
                return Body::Unknown;
            };
            let place = Box::new(Place::variable(parameter));
            let branch = |holds| Step::Assume {
                condition: values::truth(Value::Read {
                    place: place.clone(),
                    scalar,
                }),
                holds,
                reason: Reason::Branch,
            };
            first = vec![edge(branch(true), 1), edge(branch(false), 2)];
            locations.push(vec![edge(failure, 1)]);
        }
        let location = |edges| Location {
            edges,
            label: None,
            span,
        };
        let all = [first, Vec::new()].into_iter().chain(locations);
        Body::Automaton(Automaton {
            locations: all.map(location).collect(),
            entry: LocationId(0),
            exit: LocationId(1),
        })
    }

    /// A library procedure without a name in the program, which the language itself needs.
    pub(super) fn hidden(
        &mut self,
        library: Library,
        name: &str,
        parameters: &[TypeId],
        result: TypeId,
    ) -> ProcedureId {
        if let Some(known) = self.hidden.get(&library) {
            return *known;
        }
        let made = self.add_procedure(Procedure {
            name: name.to_owned(),
            parameters: Vec::new(),
            is_variadic: false,
            result: None,
            body: Body::Library(library),
            is_library: false,
            span: Span::default(),
        });
        self.hidden.insert(library, made);
        for parameter in parameters {
            let name = "argument".to_owned();
            let variable = self.own_variable(made, name, *parameter, VariableKind::Parameter, Span::default());
            self.program.procedures[made.index()].parameters.push(variable);
        }
        if self.program.types[result] != Type::Void {
            let name = "result".to_owned();
            let variable = self.own_variable(made, name, result, VariableKind::Result, Span::default());
            self.program.procedures[made.index()].result = Some(variable);
        }
        made
    }
}
