//! gcc's builtin functions, except those that are library functions with a prefix.

use super::Checker;
use crate::constant;
use crate::options::DataModel;
use crate::syntax::{self, TypeName};
use crate::tree::{Expression, ExpressionKind};
use crate::types::{Field, FloatKind, IntegerKind, Kind, RecordId, Type};
use system::{Diagnostic, Span};

/// The record of `__builtin_va_list` on x86-64.
const VARIADIC_RECORD: &str = "__va_list_tag";

/// The index of its field that points at the next argument.
pub(crate) const VARIADIC_FIELD: usize = 2;

impl Checker {
    /// None where it is no builtin function, or a library function with the prefix `__builtin_`.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        at: Span,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<Expression> {
        let short = name.strip_prefix("__builtin_")?;
        let expected = match short {
            "expect" | "va_start" | "va_copy" | "object_size" => 2,
            "expect_with_probability" => 3,
            "constant_p" | "va_end" | "assume_aligned" => 1,
            "huge_val" | "huge_valf" | "inf" | "inff" => 0,
            "prefetch" => arguments.len(),
            _ => return self.known_builtin(name, short, at, arguments, span),
        };
        if arguments.len() < expected {
            let message = format!("too few arguments for `{name}`");
            let label = format!("{} given, {expected} expected", arguments.len());
            return Some(self.wrong(Diagnostic::error(span, message).label(label)));
        }
        Some(match short {
            "expect" | "expect_with_probability" => self.expected(arguments, span),
            "constant_p" => self.is_constant(&arguments[0], span),
            "assume_aligned" => {
                let checked = self.expression(&arguments[0]);
                let checked = self.value(checked);
                let void = self.unit.types.void();
                let pointer = self.unit.types.pointer_to(void);
                self.assigned(checked, pointer, "this argument")
            }
            "object_size" => self.object_size(arguments, span),
            "prefetch" => self.prefetch(arguments, span),
            "va_start" | "va_end" | "va_copy" => self.variadic(short, arguments, span),
            _ => {
                let kind = if short.ends_with('f') {
                    FloatKind::Single
                } else {
                    FloatKind::Double
                };
                let own = self.unit.types.of(Kind::Float(kind));
                Expression::new(ExpressionKind::Float(f64::INFINITY), own, span)
            }
        })
    }

    fn known_builtin(
        &mut self,
        name: &str,
        short: &str,
        at: Span,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<Expression> {
        let mut values = Vec::new();
        for argument in arguments {
            let checked = self.expression(argument);
            values.push(self.value(checked));
        }
        // `__builtin_memcpy` is `memcpy`, also if the user has declared that.
        let is_known = crate::library::meaning(short).is_some() || self.unit.library.contains_key(short);
        let plain = if is_known { short } else { name };
        if let Some(call) = self.call_known(plain, values, at, span) {
            return Some(call);
        }
        let message = format!("the builtin function `{name}` is not supported");
        Some(self.refused(Diagnostic::error(at, message).label("its meaning is not known here")))
    }

    /// `__builtin_expect(value, likely)` is the value, as a `long`.
    fn expected(&mut self, arguments: &[syntax::Expression], span: Span) -> Expression {
        let long = self.unit.types.integer(IntegerKind::Long);
        let value = self.expression(&arguments[0]);
        let value = self.value(value);
        let value = self.assigned(value, long, "this argument");
        let likely = self.expression(&arguments[1]);
        let likely = self.value(likely);
        if constant::evaluate(&self.unit, &likely).is_none() {
            let message = "the second argument of `__builtin_expect` is not constant";
            return self.wrong(Diagnostic::error(likely.span, message).label("known only when the program runs"));
        }
        Expression { span, ..value }
    }

    fn is_constant(&mut self, argument: &syntax::Expression, span: Span) -> Expression {
        let checked = self.expression(argument);
        let checked = self.value(checked);
        let is_literal = |expression: &Expression| match &expression.kind {
            ExpressionKind::Decay(inner) => matches!(inner.kind, ExpressionKind::Literal(_)),
            _ => false,
        };
        let is_number = matches!(
            constant::evaluate(&self.unit, &checked),
            Some(constant::Constant::Integer(_) | constant::Constant::Float(_))
        );
        let holds = is_number || is_literal(&checked);
        self.int_constant(i128::from(holds), span)
    }

    /// gcc without optimisation knows the sizes of named objects only; others have the maximum or minimum size.
    fn object_size(&mut self, arguments: &[syntax::Expression], span: Span) -> Expression {
        let size_type = self.unit.types.size_type();
        let pointer = self.expression(&arguments[0]);
        let pointer = self.value(pointer);
        let mode = self.constant_expression(&arguments[1], "the kind of object size");
        let mode = mode.unwrap_or(0);
        if let Some(size) = self.size_of_named(&pointer) {
            return Expression::new(ExpressionKind::Integer(size), size_type, span);
        }
        let greatest = self
            .unit
            .types
            .integer_of(size_type)
            .map_or(0, |integer| integer.greatest());
        let value = if mode & 2 == 0 { greatest } else { 0 };
        Expression::new(ExpressionKind::Integer(value), size_type, span)
    }

    /// The size of the named object that a pointer points at.
    fn size_of_named(&self, pointer: &Expression) -> Option<i128> {
        match &pointer.kind {
            ExpressionKind::Convert(inner) => self.size_of_named(inner),
            ExpressionKind::Address(place) | ExpressionKind::Decay(place) => match place.kind {
                ExpressionKind::Variable(_) | ExpressionKind::Literal(_) => {
                    self.unit.types.size(place.expression_type).map(i128::from)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Evaluates only the side effects of its arguments.
    fn prefetch(&mut self, arguments: &[syntax::Expression], span: Span) -> Expression {
        let void = self.unit.types.void();
        let zero = self.int_constant(0, span);
        let mut all = Expression::new(ExpressionKind::Convert(Box::new(zero)), void, span);
        for argument in arguments {
            let checked = self.expression(argument);
            let checked = self.value(checked);
            all = Expression::new(ExpressionKind::Comma(Box::new(checked), Box::new(all)), void, span);
        }
        all
    }

    /// C11 7.16.1.
    fn variadic(&mut self, short: &str, arguments: &[syntax::Expression], span: Span) -> Expression {
        let Some(list) = self.list_pointer(&arguments[0]) else {
            return Expression::error(&self.unit.types, span);
        };
        let void = self.unit.types.void();
        let kind = match short {
            "va_start" => {
                if self.function.as_ref().is_none_or(|function| !function.is_variadic) {
                    let message = "`va_start` in a function without further arguments";
                    return self.wrong(Diagnostic::error(span, message).label("no `...` among its parameters"));
                }
                ExpressionKind::VariadicStart(Box::new(list))
            }
            "va_end" => ExpressionKind::VariadicEnd(Box::new(list)),
            _ => match self.list_pointer(&arguments[1]) {
                Some(from) => ExpressionKind::VariadicCopy(Box::new(list), Box::new(from)),
                None => return Expression::error(&self.unit.types, span),
            },
        };
        Expression::new(kind, void, span)
    }

    /// The lvalue of the pointer to the next argument in a `va_list`.
    fn list_pointer(&mut self, list: &syntax::Expression) -> Option<Expression> {
        let checked = self.expression(list);
        let span = checked.span;
        if self.is_error(&checked) {
            return None;
        }
        let expected = self.variadic_list_type();
        match self.unit.types.data_model {
            DataModel::Ilp32 => {
                let fits = self
                    .unit
                    .types
                    .is_compatible_unqualified(checked.expression_type, expected);
                if fits && checked.is_place() {
                    return Some(checked);
                }
            }
            DataModel::Lp64 => {
                let pointer = self.value(checked);
                let element = self.unit.types.element_of(expected);
                let target = self.unit.types.target_of(pointer.expression_type);
                if let (Some(element), Some(target)) = (element, target)
                    && element.id == target.id
                {
                    let record = self.dereference(pointer, span);
                    return Some(self.select(record, &[VARIADIC_FIELD], span));
                }
            }
        }
        self.report(Diagnostic::error(span, "this is no `va_list`").label("another type"));
        None
    }

    /// `va_arg(list, type)`: C11 7.16.1.1.
    pub(super) fn variadic_argument(&mut self, list: &syntax::Expression, name: &TypeName, span: Span) -> Expression {
        let own = self.type_name(name);
        let Some(list) = self.list_pointer(list) else {
            return Expression::error(&self.unit.types, span);
        };
        if self.unit.types.is_error(own) {
            return Expression::error(&self.unit.types, span);
        }
        if self.unit.types.is_unsupported(own) {
            return self.unsupported_value(own, span);
        }
        let promoted = self.promoted_type(own).unwrap_or(own);
        let is_narrow = self.unit.types.size(promoted) != self.unit.types.size(own)
            || matches!(self.unit.types.kind(own), Kind::Float(FloatKind::Single));
        if is_narrow || self.unit.types.size(own).is_none() {
            let message = format!("no argument has the type `{}`", self.unit.types.name(own));
            let error = Diagnostic::error(name.span, message).label("arguments are promoted");
            return self.wrong(error.help("ask for `int` or `double`"));
        }
        Expression::new(
            ExpressionKind::VariadicArgument(Box::new(list)),
            own.unqualified(),
            span,
        )
    }

    /// Created on demand.
    pub(super) fn variadic_record(&mut self) -> RecordId {
        let is_it = |record: &crate::types::Record| record.tag.as_deref() == Some(VARIADIC_RECORD);
        if let Some(found) = self.unit.types.records.iter().position(is_it) {
            return RecordId(u32::try_from(found).unwrap_or(u32::MAX));
        }
        let id = self
            .unit
            .types
            .new_record(Some(VARIADIC_RECORD.to_owned()), false, Span::default());
        let unsigned = self.unit.types.integer(IntegerKind::UnsignedInt);
        let void = self.unit.types.void();
        let pointer = self.unit.types.pointer_to(void);
        let field = |name: &str, field_type: Type, offset| Field {
            name: Some(name.to_owned()),
            field_type,
            offset,
            bits: None,
            span: Span::default(),
        };
        let fields = vec![
            field("gp_offset", unsigned, 0),
            field("fp_offset", unsigned, 4),
            field("overflow_arg_area", pointer, 8),
            field("reg_save_area", pointer, 16),
        ];
        let record = self.unit.types.record_mut(id);
        record.fields = Some(fields);
        record.size = 24;
        record.alignment = 8;
        id
    }
}
