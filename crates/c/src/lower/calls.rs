//! Calls, and the built-in meanings of functions.

use super::builder::Builder;
use super::values;
use crate::library::{self, Greatest, Meaning};
use crate::tree::{Expression, ExpressionKind, FunctionId};
use crate::types::{Kind, Length, Type};
use system::program::{
    Argument, BinaryOperator, Body, Callee, Comparison, Library, Place, ProcedureId, PropertyKind, Reason, Scalar,
    Selector, Step, Value, VariableId,
};
use system::{Diagnostic, Span};

/// Nondeterministic objects with more scalars stay uninitialized.
const MOST_CHOSEN: u64 = 4096;

/// The destination of the result of a call, and its type.
struct Wanted<'a> {
    place: &'a Place,
    result: Type,
}

impl Builder<'_, '_> {
    /// The result in a temporary.
    pub(super) fn call_value(
        &mut self,
        function: &Expression,
        arguments: &[Expression],
        result: Type,
        span: Span,
    ) -> Value {
        let type_id = self.lowering.type_id(result);
        let place = Place::variable(self.temporary(type_id, span));
        self.call_into(&place, function, arguments, result, span);
        self.read(place, result)
    }

    /// Stores the result in a place of its type.
    pub(super) fn call_into(
        &mut self,
        place: &Place,
        function: &Expression,
        arguments: &[Expression],
        result: Type,
        span: Span,
    ) {
        self.call(function, arguments, Some(Wanted { place, result }), span);
    }

    pub(super) fn call_effect(&mut self, function: &Expression, arguments: &[Expression], span: Span) {
        self.call(function, arguments, None, span);
    }

    fn call(&mut self, function: &Expression, arguments: &[Expression], wanted: Option<Wanted<'_>>, span: Span) {
        let Some(called) = directly_called(function) else {
            let pointer = self.value(function);
            let pointer = match arguments.iter().any(|argument| self.has_effects(argument)) {
                true => self.save(pointer, function.expression_type, function.span),
                false => pointer,
            };
            let arguments = self.arguments(arguments);
            self.call_step(
                Callee::Pointer(pointer),
                arguments,
                wanted.map(|wanted| wanted.place.clone()),
                span,
            );
            return;
        };
        let meaning = self.lowering.meaning(called);
        if self.lowering.is_watched(called) && meaning != Some(Meaning::Refused) {
            return self.call_procedure(called, arguments, wanted, span);
        }
        match meaning {
            Some(Meaning::Error) => {
                self.arguments(arguments);
                let name = format!("{}()", self.lowering.unit[called].name);
                self.violate(name, PropertyKind::ErrorCall, span);
            }
            Some(Meaning::FailedAssertion) => {
                self.arguments(arguments);
                let name = format!("assert({})", self.text_of(arguments));
                self.violate(name, PropertyKind::Assertion, span);
            }
            Some(Meaning::Rule) => {
                let name = self.text_of(arguments);
                self.violate(name, PropertyKind::Rule, span);
            }
            Some(Meaning::Assertion) => self.assertion(called, arguments, span),
            Some(Meaning::Refused) => self.lowering.refuse(called, span),
            Some(Meaning::Library(Library::Input)) => {
                self.arguments(arguments);
                self.input(called, wanted, span);
            }
            Some(Meaning::Library(Library::Assume)) if arguments.len() == 1 => {
                let condition = self.value(&arguments[0]);
                self.assume(condition, span);
            }
            Some(Meaning::Library(Library::Print)) => {
                self.look_at_format(arguments, span);
                self.call_procedure(called, arguments, wanted, span);
            }
            _ => self.call_procedure(called, arguments, wanted, span),
        }
    }

    /// `printf` has no effect on variables, unless its format has `%n`.
    fn look_at_format(&mut self, arguments: &[Expression], span: Span) {
        if arguments.first().and_then(literal_argument).is_none() && arguments.len() > 1 {
            let what = "the format of `printf` is not known: it is taken to write to nothing that it is given";
            self.lowering.assume(what.to_owned(), span);
        }
        // `%%n` is no conversion.
        let text = self.text_of(arguments).replace("%%", "");
        let conversions = text.split('%').skip(1);
        let letters = |rest: &str| {
            rest.trim_start_matches(|c: char| !c.is_ascii_alphabetic() || "hljztL".contains(c))
                .chars()
                .next()
        };
        if conversions.map(letters).any(|letter| letter == Some('n')) {
            let error = Diagnostic::error(span, "`%n` is not supported").label("`printf` writes to this argument");
            self.lowering.diagnostics.push(error);
        }
    }

    /// A call of a procedure whose arguments have effects, which come before those of its destination: the function and
    /// the arguments.
    pub(super) fn late_call<'e>(&mut self, value: &'e Expression) -> Option<(FunctionId, &'e [Expression], Type)> {
        match &value.kind {
            ExpressionKind::Convert(operand) if self.is_same(operand, value) => self.late_call(operand),
            ExpressionKind::Call { function, arguments } => {
                let called = directly_called(function)?;
                let is_procedure = match self.lowering.meaning(called) {
                    None => true,
                    Some(Meaning::Library(library)) => !matches!(library, Library::Input | Library::Assume),
                    Some(_) => false,
                };
                let is_late = is_procedure && arguments.iter().any(|argument| self.has_effects(argument));
                is_late.then_some((called, arguments.as_slice(), value.expression_type))
            }
            _ => None,
        }
    }

    /// Evaluates the arguments, then the destination, and then calls. A scalar is left in a temporary.
    pub(super) fn call_for(
        &mut self,
        target: &Expression,
        (called, arguments, result): (FunctionId, &[Expression], Type),
        span: Span,
    ) -> (Place, Place) {
        let values = self.arguments_before(arguments, true);
        let place = self.place(target);
        let place = self.stable_place(place, span);
        let held = match self.is_record(result) {
            true => place.clone(),
            false => {
                let type_id = self.lowering.type_id(result);
                Place::variable(self.temporary(type_id, span))
            }
        };
        let wanted = Wanted { place: &held, result };
        self.call_with(called, values, Some(wanted), span);
        (place, held)
    }

    fn call_procedure(&mut self, called: FunctionId, arguments: &[Expression], wanted: Option<Wanted<'_>>, span: Span) {
        let values = self.arguments(arguments);
        self.call_with(called, values, wanted, span);
    }

    fn call_with(&mut self, called: FunctionId, mut values: Vec<Argument>, wanted: Option<Wanted<'_>>, span: Span) {
        let procedure = self.lowering.procedure(called);
        let known = self.lowering.program[procedure].parameters.clone();
        let is_variadic = self.lowering.program[procedure].is_variadic;
        if values.len() > known.len() && !is_variadic {
            // A definition without a prototype: excess arguments are evaluated and dropped.
            values.truncate(known.len());
        }
        for (argument, parameter) in values.iter_mut().zip(&known) {
            let type_id = self.lowering.program[*parameter].type_id;
            let scalar = self.lowering.program.types.scalar(type_id);
            if let (Argument::Scalar(value), Some(Scalar::Integer(integer))) = (&mut *argument, scalar)
                && let Scalar::Integer(given) = value.scalar()
                && given.bits == integer.bits
            {
                // C11 6.5.2.2p6: signedness may differ without a prototype.
                let value = std::mem::replace(value, values::int(0));
                *argument = Argument::Scalar(values::convert(value, Scalar::Integer(integer)));
            }
        }
        let has_result = self.lowering.program[procedure].result.is_some();
        let result = wanted.filter(|_| has_result).map(|wanted| wanted.place.clone());
        let name = self.lowering.program[procedure].name.clone();
        // The table is about library functions, not about those that the user defines or specifies.
        let linked = self.lowering.linked(called);
        let is_external = self.lowering.unit[linked].definition.is_none() && !self.lowering.is_specified(linked);
        if is_external && (library::range(&name).is_some() || library::returns_first(&name)) {
            self.hold(&mut values, &known, span);
        }
        let given = values.clone();
        self.call_step(Callee::Procedure(procedure), values, result.clone(), span);
        let known = &self.lowering.program[procedure];
        if !is_external || !matches!(known.body, Body::Unknown) {
            return;
        }
        if self.lowering.unit[called].is_noreturn {
            return self.assume(values::int(0), span);
        }
        let type_id = known.result.map(|result| self.lowering.program[result].type_id);
        let scalar = type_id.and_then(|type_id| self.lowering.program.types.scalar(type_id));
        if let (Some(result), Some(scalar)) = (result, scalar) {
            let result = self.read_scalar(result, scalar);
            self.assume_of_result(&name, &result, &given, span);
        }
    }

    /// Saves the arguments, since the callee may change the variables that they come from.
    fn hold(&mut self, values: &mut [Argument], parameters: &[VariableId], span: Span) {
        for (argument, parameter) in values.iter_mut().zip(parameters) {
            let type_id = self.lowering.program[*parameter].type_id;
            let Argument::Scalar(value) = &mut *argument else {
                continue;
            };
            let scalar = value.scalar();
            if self.lowering.program.types.scalar(type_id) != Some(scalar) {
                continue;
            }
            let place = Place::variable(self.temporary(type_id, span));
            let value = std::mem::replace(value, values::int(0));
            let target = place.clone();
            self.step(Step::Assign { target, value }, span);
            *argument = Argument::Scalar(self.read_scalar(place, scalar));
        }
    }

    /// Assumes what is known of the results of functions without a body.
    fn assume_of_result(&mut self, name: &str, result: &Value, given: &[Argument], span: Span) {
        let argument = |position: usize| match given.get(position) {
            Some(Argument::Scalar(value)) => Some(value.clone()),
            _ => None,
        };
        let is = |comparison, value: Value| values::compare(comparison, result.clone(), value);
        match (library::range(name), result.scalar()) {
            (Some((least, greatest)), Scalar::Integer(integer)) => {
                let bound = |bound: i128| Value::integer(bound, integer);
                self.assume(is(Comparison::GreaterOrEqual, bound(least)), span);
                let greatest = match greatest {
                    Greatest::Any => return,
                    Greatest::Number(greatest) => bound(greatest),
                    Greatest::Argument(position) => match argument(position) {
                        Some(value) => values::convert(value, Scalar::Integer(integer)),
                        None => return,
                    },
                };
                self.assume(is(Comparison::LessOrEqual, greatest), span);
            }
            // Its pointer argument, or null.
            (None, Scalar::Pointer) if library::returns_first(name) => {
                if let Some(first) = argument(0) {
                    let is_none = is(Comparison::Equal, values::zero(Scalar::Pointer));
                    let is_first = is(Comparison::Equal, first);
                    self.assume(values::binary(BinaryOperator::Or, is_none, is_first), span);
                }
            }
            _ => {}
        }
    }

    pub(super) fn assume(&mut self, condition: Value, span: Span) {
        let step = Step::Assume {
            condition: values::truth(condition),
            holds: true,
            reason: Reason::Assumption,
        };
        self.step(step, span);
    }

    pub(super) fn call_step(&mut self, callee: Callee, arguments: Vec<Argument>, result: Option<Place>, span: Span) {
        let step = Step::Call {
            callee,
            arguments,
            result,
        };
        self.step(step, span);
    }

    /// Calls a procedure that takes scalars and returns one.
    pub(super) fn call_hidden(
        &mut self,
        procedure: ProcedureId,
        arguments: Vec<Value>,
        result: Option<Place>,
        span: Span,
    ) {
        let arguments = arguments.into_iter().map(Argument::Scalar).collect();
        self.call_step(Callee::Procedure(procedure), arguments, result, span);
    }

    fn arguments(&mut self, arguments: &[Expression]) -> Vec<Argument> {
        self.arguments_before(arguments, false)
    }

    /// From right to left. Values are saved where a later evaluation changes them; of a record, only its address.
    fn arguments_before(&mut self, arguments: &[Expression], is_followed: bool) -> Vec<Argument> {
        let first = arguments.iter().position(|argument| self.has_effects(argument));
        let mut values = Vec::new();
        for (position, argument) in arguments.iter().enumerate().rev() {
            let is_held = is_followed || first.is_some_and(|first| first < position);
            if self.is_record(argument.expression_type) {
                let mut place = self.record(argument);
                if is_held {
                    place = self.stable_place(place, argument.span);
                }
                values.push(Argument::Record(place));
            } else {
                // A bit-field has fewer bits than its type.
                let of_type = self.lowering.scalar(argument.expression_type);
                let mut value = values::convert(self.value(argument), of_type);
                if is_held {
                    value = self.save(value, argument.expression_type, argument.span);
                }
                values.push(Argument::Scalar(value));
            }
        }
        values.reverse();
        values
    }

    pub(super) fn violate(&mut self, name: String, kind: PropertyKind, span: Span) {
        if kind == PropertyKind::Assertion && !self.lowering.options.assertions {
            let void = self.lowering.add_type(system::program::Type::Void);
            let abort = self.lowering.hidden(Library::Abort, "abort", &[], void);
            self.call_hidden(abort, Vec::new(), None, span);
            return;
        }
        let property = self.lowering.add_property(name, kind, span);
        self.step(Step::Violate(property), span);
    }

    /// `__assert_fail("x > 0", ...)` comes from `assert(x > 0)`.
    fn text_of(&self, arguments: &[Expression]) -> String {
        let literal = arguments.first().and_then(literal_argument);
        let text = literal.map(|id| {
            let units = &self.lowering.unit[id].units;
            let characters = units
                .iter()
                .take_while(|unit| **unit != 0)
                .filter_map(|unit| char::from_u32(*unit));
            characters.collect::<String>()
        });
        text.unwrap_or_default()
    }

    /// A function that fails if its argument is zero.
    fn assertion(&mut self, called: FunctionId, arguments: &[Expression], span: Span) {
        let Some(condition) = arguments.first() else {
            return;
        };
        let text = self
            .lowering
            .sources
            .file(condition.span)
            .snippet(condition.span)
            .to_owned();
        let name = format!("{}({text})", self.lowering.unit[called].name);
        let (holds, fails) = (self.location(span), self.location(span));
        self.branch(condition, holds, fails);
        self.frame.current = fails;
        self.violate(name, PropertyKind::Assertion, span);
        self.join(holds, span);
    }

    /// An input of the result type.
    fn input(&mut self, called: FunctionId, wanted: Option<Wanted<'_>>, span: Span) {
        let name = self.lowering.unit[called].name.clone();
        if let Some(wanted) = wanted {
            return self.choose(wanted.place, wanted.result, &name, span);
        }
        // An unused result is an input, too, since inputs are counted by calls.
        let unit = self.lowering.unit;
        if let Some(function) = unit.types.function_of(unit[called].function_type)
            && unit.types.is_scalar(function.result)
        {
            let type_id = self.lowering.type_id(function.result);
            let place = Place::variable(self.temporary(type_id, span));
            self.choose(&place, function.result, &name, span);
        }
    }

    /// Assigns inputs to a place, scalar by scalar.
    pub(super) fn choose(&mut self, place: &Place, own: Type, name: &str, span: Span) {
        let mut left = MOST_CHOSEN;
        self.choose_parts(place, own, name, span, &mut left);
    }

    fn choose_parts(&mut self, place: &Place, own: Type, name: &str, span: Span, left: &mut u64) {
        let unit = self.lowering.unit;
        match unit.types.kind(own) {
            Kind::Record(id) => {
                for (position, field) in unit.types.fields(*id).iter().enumerate() {
                    let part = place.clone().select(Selector::Field(position));
                    self.choose_parts(&part, field.field_type, name, span, left);
                }
            }
            Kind::Array {
                element,
                length: Length::Known(length),
            } => {
                for index in 0..(*length).min(*left) {
                    let index = Value::integer(i128::from(index), self.size_integer());
                    let part = place.clone().select(Selector::Index(Box::new(index)));
                    self.choose_parts(&part, *element, name, span, left);
                }
            }
            _ if unit.types.is_scalar(own) && *left > 0 => {
                *left -= 1;
                self.choose_scalar(place.clone(), own, name.to_owned(), span);
            }
            _ => {}
        }
    }

    /// `_Bool` has only the values 0 and 1.
    fn choose_scalar(&mut self, target: Place, own: Type, name: String, span: Span) {
        if !self.lowering.unit.types.is_bool(own) {
            self.step(Step::Choose { target, name }, span);
            return;
        }
        let type_id = self.lowering.type_id(own);
        let any = Place::variable(self.temporary(type_id, span));
        let chosen = any.clone();
        self.step(Step::Choose { target: chosen, name }, span);
        let value = self.read(any, own);
        let value = self.converted(value, own);
        self.assign(target, value, span);
    }
}

/// The function, if it is called by its name.
fn directly_called(function: &Expression) -> Option<FunctionId> {
    match &function.kind {
        ExpressionKind::Address(inner) => match inner.kind {
            ExpressionKind::Function(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}

fn literal_argument(argument: &Expression) -> Option<crate::tree::LiteralId> {
    match &argument.kind {
        ExpressionKind::Decay(inner) | ExpressionKind::Convert(inner) => literal_argument(inner),
        ExpressionKind::Literal(id) => Some(*id),
        _ => None,
    }
}
