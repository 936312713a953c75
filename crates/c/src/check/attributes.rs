//! `__attribute__` and `_Alignas`: those that change a type, those that are ignored, and those that are unsupported.

use super::Checker;
use crate::options::DataModel;
use crate::syntax::{Alignment, Attribute, ExpressionKind, Specifiers};
use crate::types::{FloatKind, IntegerKind, Kind, Type};
use system::Diagnostic;

/// The attributes of a type.
#[derive(Clone, Copy, Default)]
pub(super) struct TypeAttributes {
    pub(super) alignment: Option<u64>,
    pub(super) is_packed: bool,
    /// `#pragma pack`: the maximum alignment of fields.
    pub(super) largest_alignment: Option<u64>,
    mode: Option<Mode>,
}

impl TypeAttributes {
    /// For an alignment that belongs to the variable, not to its type.
    pub(super) fn without_alignment(self) -> TypeAttributes {
        TypeAttributes {
            alignment: None,
            ..self
        }
    }
}

/// A width, as in `mode(DI)`.
#[derive(Clone, Copy)]
enum Mode {
    Integer(u32),
    Float(FloatKind),
}

/// Hints for the optimiser or the linker, requests for warnings, or redundant with bodies.
const WITHOUT_EFFECT: &[&str] = &[
    "access",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cdecl",
    "cold",
    "common",
    "const",
    "copy",
    "deprecated",
    "designated_init",
    "error",
    "externally_visible",
    "fallthrough",
    "fd_arg",
    "flatten",
    "format",
    "format_arg",
    "gnu_inline",
    "hot",
    "leaf",
    "malloc",
    "may_alias",
    "no_instrument_function",
    "no_reorder",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_undefined",
    "no_split_stack",
    "no_stack_protector",
    "nocf_check",
    "noclone",
    "nocommon",
    "noinline",
    "noipa",
    "nonnull",
    "nonstring",
    "noreturn",
    "nothrow",
    "optimize",
    "patchable_function_entry",
    "pure",
    "regparm",
    "retain",
    "returns_nonnull",
    "returns_twice",
    "section",
    "sentinel",
    "stdcall",
    "fastcall",
    "sysv_abi",
    "target",
    "tls_model",
    "unavailable",
    "unused",
    "used",
    "visibility",
    "warn_if_not_aligned",
    "warn_unused_result",
    "warning",
    "weak",
    "zero_call_used_regs",
];

/// Attributes that would change the behaviour of the program.
const REFUSED: &[&str] = &[
    "alias",
    "cleanup",
    "constructor",
    "destructor",
    "ifunc",
    "ms_abi",
    "ms_struct",
    "naked",
    "scalar_storage_order",
    "vector_size",
    "weakref",
];

/// The maximum default alignment of gcc on x86 and x86-64: `aligned` without a number.
const LARGEST_ALIGNMENT: u64 = 16;

impl Checker {
    /// Evaluates the attributes, and reports those that are unknown or unsupported.
    pub(super) fn type_attributes(&mut self, attributes: &[Attribute]) -> TypeAttributes {
        let mut found = TypeAttributes::default();
        for attribute in attributes {
            let name = attribute.name.text.as_str();
            match name {
                "packed" => found.is_packed = true,
                "aligned" => {
                    let alignment = self.aligned_attribute(attribute);
                    found.alignment = found.alignment.max(alignment);
                }
                "pragma pack" => found.largest_alignment = self.aligned_attribute(attribute),
                "mode" => found.mode = self.mode_attribute(attribute),
                "transparent_union" => {
                    let message = "arguments are not converted to the fields of this union";
                    self.report(Diagnostic::warning(attribute.name.span, message));
                }
                _ if WITHOUT_EFFECT.contains(&name) => {}
                _ if REFUSED.contains(&name) => {
                    let message = format!("the attribute `{name}` is not supported");
                    let label = "would change what the program does";
                    self.refuse(Diagnostic::error(attribute.name.span, message).label(label));
                }
                _ => {
                    let message = format!("the attribute `{name}` is not known, and has no effect");
                    self.report(Diagnostic::warning(attribute.name.span, message));
                }
            }
        }
        found
    }

    fn aligned_attribute(&mut self, attribute: &Attribute) -> Option<u64> {
        let Some(argument) = attribute.arguments.first() else {
            return Some(LARGEST_ALIGNMENT);
        };
        let value = self.constant_expression(argument, "an alignment")?;
        self.alignment_value(value, argument.span)
    }

    fn alignment_value(&mut self, value: i128, span: system::Span) -> Option<u64> {
        match u64::try_from(value) {
            Ok(0) => None,
            Ok(value) if value.is_power_of_two() && value <= 1 << 28 => Some(value),
            _ => {
                let message = format!("the alignment {value} is no power of two");
                self.report(Diagnostic::error(span, message).label("an alignment is 1, 2, 4, and so on"));
                None
            }
        }
    }

    fn mode_attribute(&mut self, attribute: &Attribute) -> Option<Mode> {
        let word = self.unit.types.data_model.pointer_bits();
        let argument = attribute.arguments.first()?;
        let ExpressionKind::Identifier(name) = &argument.kind else {
            return None;
        };
        Some(match name.trim_matches('_') {
            "QI" | "byte" => Mode::Integer(8),
            "HI" => Mode::Integer(16),
            "SI" => Mode::Integer(32),
            "DI" => Mode::Integer(64),
            "TI" => Mode::Integer(128),
            "word" | "pointer" | "unwind_word" => Mode::Integer(word),
            "SF" => Mode::Float(FloatKind::Single),
            "DF" => Mode::Float(FloatKind::Double),
            other => {
                let message = format!("the mode `{other}` is not known");
                self.report(Diagnostic::error(argument.span, message).label("not a machine mode"));
                return None;
            }
        })
    }

    /// The type with its attributes applied.
    pub(super) fn with_attributes(&mut self, plain: Type, attributes: &TypeAttributes) -> Type {
        let mut changed = match attributes.mode {
            None => plain,
            Some(Mode::Float(kind)) => self.unit.types.of(Kind::Float(kind)).qualified_as(plain),
            Some(Mode::Integer(bits)) => self.integer_of_mode(plain, bits).qualified_as(plain),
        };
        if let Some(alignment) = attributes.alignment {
            changed = changed.aligned_to(alignment);
        }
        changed
    }

    fn integer_of_mode(&mut self, plain: Type, bits: u32) -> Type {
        let kind = match (bits, self.unit.types.data_model) {
            (8, _) => IntegerKind::SignedChar,
            (16, _) => IntegerKind::Short,
            (32, _) => IntegerKind::Int,
            (64, DataModel::Lp64) => IntegerKind::Long,
            (64, DataModel::Ilp32) => IntegerKind::LongLong,
            _ => IntegerKind::Int128,
        };
        let is_signed = self
            .unit
            .types
            .integer_of(plain)
            .is_none_or(|integer| integer.is_signed);
        self.unit
            .types
            .integer(if is_signed { kind } else { kind.to_unsigned() })
    }

    /// `_Alignas`: the strictest counts, C11 6.7.5p6.
    pub(super) fn alignas(&mut self, specifiers: &Specifiers) -> Option<u64> {
        let mut strictest = None;
        for alignment in &specifiers.alignments {
            let value = match alignment {
                Alignment::Type(name) => {
                    let named = self.type_name(name);
                    Some(self.unit.types.alignment(named))
                }
                Alignment::Expression(expression) => {
                    let value = self.constant_expression(expression, "an alignment");
                    value.and_then(|value| self.alignment_value(value, expression.span))
                }
            };
            strictest = strictest.max(value);
        }
        strictest
    }
}
