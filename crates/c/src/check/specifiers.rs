//! From specifiers to types: C11 6.7.2.

use super::Checker;
use crate::syntax::{Qualifiers, Specifiers, TypeName, TypeSpecifier, TypeWord};
use crate::types::{FloatKind, IntegerKind, Kind, Type};
use system::{Diagnostic, Span};

/// How often each type specifier occurs.
#[derive(Default)]
struct Words {
    void: u32,
    char: u32,
    short: u32,
    int: u32,
    long: u32,
    signed: u32,
    unsigned: u32,
    float: u32,
    double: u32,
    bool: u32,
    int128: u32,
    float128: u32,
    complex: u32,
    list: u32,
}

impl Words {
    fn count(&mut self, word: TypeWord) {
        let count = match word {
            TypeWord::Void => &mut self.void,
            TypeWord::Char => &mut self.char,
            TypeWord::Short => &mut self.short,
            TypeWord::Int => &mut self.int,
            TypeWord::Long => &mut self.long,
            TypeWord::Signed => &mut self.signed,
            TypeWord::Unsigned => &mut self.unsigned,
            TypeWord::Float => &mut self.float,
            TypeWord::Double => &mut self.double,
            TypeWord::Bool => &mut self.bool,
            TypeWord::Complex => &mut self.complex,
            TypeWord::Int128 => &mut self.int128,
            TypeWord::Float128 => &mut self.float128,
            TypeWord::VariadicList => &mut self.list,
        };
        *count += 1;
    }

    /// The combinations of C11 6.7.2p2, in any order.
    fn kind(&self) -> Option<Kind> {
        use IntegerKind::*;
        let others = [
            self.void,
            self.char,
            self.float,
            self.double,
            self.bool,
            self.int128,
            self.float128,
        ];
        let bases: u32 = others.iter().sum();
        let signs = self.signed + self.unsigned;
        let sizes = self.short + self.long;
        if bases > 1
            || signs > 1
            || self.int > 1
            || self.short > 1
            || self.long > 2
            || (self.short > 0 && self.long > 0)
        {
            return None;
        }
        let sign = |kind: IntegerKind| if self.unsigned > 0 { kind.to_unsigned() } else { kind };
        let plain = signs == 0 && self.int == 0;
        Some(match others {
            [1, 0, ..] if plain && sizes == 0 => Kind::Void,
            [_, 1, ..] if self.int == 0 && sizes == 0 => Kind::Integer(match (self.signed, self.unsigned) {
                (1, _) => SignedChar,
                (_, 1) => UnsignedChar,
                _ => Char,
            }),
            [_, _, 1, ..] if plain && sizes == 0 => Kind::Float(FloatKind::Single),
            [_, _, _, 1, ..] if plain && self.short == 0 && self.long == 0 => Kind::Float(FloatKind::Double),
            [_, _, _, 1, ..] if plain && self.short == 0 && self.long == 1 => Kind::Float(FloatKind::Long),
            [_, _, _, _, 1, ..] if plain && sizes == 0 => Kind::Bool,
            [_, _, _, _, _, 1, _] if self.int == 0 && sizes == 0 => Kind::Integer(sign(Int128)),
            [_, _, _, _, _, _, 1] if plain && sizes == 0 => Kind::Float(FloatKind::Quadruple),
            [0, 0, 0, 0, 0, 0, 0] => Kind::Integer(match (self.short, self.long) {
                (1, _) => sign(Short),
                (_, 1) => sign(Long),
                (_, 2) => sign(LongLong),
                _ => sign(Int),
            }),
            _ => return None,
        })
    }
}

impl Checker {
    /// The specified type, with its qualifiers and attributes. `declares_only` if no declarator follows: then `struct
    /// s;` declares a new type.
    pub(super) fn specified(&mut self, specifiers: &Specifiers, declares_only: bool) -> Type {
        let specified = self.specified_type(specifiers, declares_only);
        let attributes = self.type_attributes(&specifiers.attributes);
        // Attributes behind the members belong to the record, and were applied there.
        let specified = self.with_attributes(specified, &attributes.without_alignment());
        qualified(specified, specifiers.qualifiers)
    }

    fn specified_type(&mut self, specifiers: &Specifiers, declares_only: bool) -> Type {
        let mut words = Words::default();
        let mut has_words = false;
        let mut other = None;
        for specifier in &specifiers.types {
            match specifier {
                TypeSpecifier::Word(word, _) => {
                    has_words = true;
                    words.count(*word);
                }
                _ if other.is_some() => return self.contradictory(specifiers.span),
                TypeSpecifier::Error(_) => return self.unit.types.error(),
                specifier => other = Some(self.other_specifier(specifier, declares_only)),
            }
        }
        match other {
            Some(_) if has_words => self.contradictory(specifiers.span),
            Some(other) => other,
            None if !has_words => self.implicit_int(specifiers.span),
            None => self.basic(&words, specifiers.span),
        }
    }

    /// A warning, as in gcc.
    fn implicit_int(&mut self, span: Span) -> Type {
        self.report(Diagnostic::warning(
            span,
            "a declaration without a type: `int` is taken",
        ));
        self.unit.types.int()
    }

    fn contradictory(&mut self, span: Span) -> Type {
        self.report(Diagnostic::error(span, "these words do not make a type together").label("contradictory types"));
        self.unit.types.error()
    }

    fn basic(&mut self, words: &Words, span: Span) -> Type {
        if words.complex > 0 {
            // `_Complex` alone is `double _Complex`.
            let kind = match words.kind() {
                Some(Kind::Float(kind)) => kind,
                _ => FloatKind::Double,
            };
            return self.unit.types.of(Kind::Complex(kind));
        }
        if words.list > 0 {
            return self.variadic_list();
        }
        match words.kind() {
            Some(kind) => self.unit.types.of(kind),
            None => self.contradictory(span),
        }
    }

    fn other_specifier(&mut self, specifier: &TypeSpecifier, declares_only: bool) -> Type {
        match specifier {
            TypeSpecifier::Record(record) => self.record_specifier(record, declares_only),
            TypeSpecifier::Enumeration(enumeration) => self.enumeration_specifier(enumeration),
            TypeSpecifier::Named(name) => self.named_type(&name.text, name.span),
            TypeSpecifier::TypeofExpression(expression, _) => {
                let checked = self.expression(expression);
                if self.is_bit_field(&checked) {
                    let message = "`typeof` of a bit-field";
                    self.report(Diagnostic::error(expression.span, message).label("has no type of its own"));
                    return self.unit.types.error();
                }
                checked.expression_type
            }
            TypeSpecifier::TypeofType(type_name, _) => self.type_name(type_name),
            TypeSpecifier::Atomic(type_name, _) => self.type_name(type_name).unqualified(),
            TypeSpecifier::Word(..) | TypeSpecifier::Error(_) => self.unit.types.error(),
        }
    }

    fn named_type(&mut self, name: &str, span: Span) -> Type {
        match self.scopes.find(name) {
            Some((super::scope::Entity::Typedef(named), _)) => named,
            // The parser decided that this names a type; only builtin names can be missing here.
            _ => {
                let message = format!("`{name}` names no type");
                self.report(Diagnostic::error(span, message).label("not a type"));
                self.unit.types.error()
            }
        }
    }

    pub(super) fn type_name(&mut self, name: &TypeName) -> Type {
        let specified = self.specified(&name.specifiers, false);
        self.declared(specified, &name.declarator)
    }

    /// `__builtin_va_list` of the ABIs: a pointer to the next argument on x86, an array of one record on x86-64.
    fn variadic_list(&mut self) -> Type {
        self.variadic_list_type()
    }
}

pub(super) fn qualified(plain: Type, qualifiers: Qualifiers) -> Type {
    plain.with(qualifiers.is_const, qualifiers.is_volatile)
}
