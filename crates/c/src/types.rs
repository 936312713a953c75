//! The types of C.
//!
//! A [`Type`] is the index of an unqualified type, with qualifiers. Identical types have the same index; records and
//! enumerations are identified by their declaration.

use crate::layout::Bits;
use crate::options::DataModel;
use std::collections::HashMap;
use system::Span;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct TypeId(pub(crate) u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RecordId(pub(crate) u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct EnumerationId(pub(crate) u32);

/// The length of a variable-length array, computed at its declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LengthId(pub(crate) u32);

/// A qualified type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Type {
    pub(crate) id: TypeId,
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
    /// The logarithm of the alignment by an attribute, plus one; 0 without one.
    aligned: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// The type of an erroneous construct.
    Error,
    Void,
    Bool,
    Integer(IntegerKind),
    /// The value of a bit-field wider than `int`, in whose width gcc computes.
    Bits {
        width: u32,
        is_signed: bool,
    },
    Float(FloatKind),
    /// Complex numbers, which are stored but not computed with.
    Complex(FloatKind),
    Enumeration(EnumerationId),
    Pointer(Type),
    Array {
        element: Type,
        length: Length,
    },
    Function(FunctionType),
    Record(RecordId),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum IntegerKind {
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum FloatKind {
    Single,
    Double,
    Long,
    /// `_Float128`
    Quadruple,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Length {
    Unknown,
    Known(u64),
    Variable(LengthId),
    /// `[*]`
    AnyVariable,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FunctionType {
    pub(crate) result: Type,
    /// None without a prototype.
    pub(crate) parameters: Option<Vec<Type>>,
    pub(crate) is_variadic: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) tag: Option<String>,
    pub(crate) is_union: bool,
    /// None where it is incomplete.
    pub(crate) fields: Option<Vec<Field>>,
    pub(crate) size: u64,
    pub(crate) alignment: u64,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// None for an anonymous record, whose fields belong to the enclosing record.
    pub(crate) name: Option<String>,
    pub(crate) field_type: Type,
    /// In bytes.
    pub(crate) offset: u64,
    pub(crate) bits: Option<Bits>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Enumeration {
    pub(crate) tag: Option<String>,
    /// None where it is incomplete.
    pub(crate) underlying: Option<IntegerKind>,
    pub(crate) span: Span,
}

/// All types of a unit.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    pub(crate) data_model: DataModel,
    kinds: Vec<Kind>,
    ids: HashMap<Kind, TypeId>,
    pub(crate) records: Vec<Record>,
    pub(crate) enumerations: Vec<Enumeration>,
}

impl Type {
    fn plain(id: TypeId) -> Type {
        Type {
            id,
            is_const: false,
            is_volatile: false,
            aligned: 0,
        }
    }

    /// The type of a value: C11 6.3.2.1p2.
    #[must_use]
    pub(crate) fn unqualified(self) -> Type {
        Type::plain(self.id)
    }

    /// Adds these qualifiers.
    #[must_use]
    pub(crate) fn with(self, is_const: bool, is_volatile: bool) -> Type {
        Type {
            is_const: self.is_const || is_const,
            is_volatile: self.is_volatile || is_volatile,
            ..self
        }
    }

    #[must_use]
    pub(crate) fn qualified_as(self, other: Type) -> Type {
        self.with(other.is_const, other.is_volatile)
    }

    #[must_use]
    pub(crate) fn constant(self) -> Type {
        Type { is_const: true, ..self }
    }

    /// Requires a power of two.
    #[must_use]
    pub(crate) fn aligned_to(self, bytes: u64) -> Type {
        let aligned = u8::try_from(bytes.trailing_zeros() + 1).unwrap_or(0);
        Type { aligned, ..self }
    }

    pub(crate) fn alignment_attribute(self) -> Option<u64> {
        (self.aligned > 0).then(|| 1 << (self.aligned - 1).min(62))
    }
}

impl Types {
    pub(crate) fn new(data_model: DataModel) -> Types {
        let mut types = Types {
            data_model,
            kinds: Vec::new(),
            ids: HashMap::new(),
            records: Vec::new(),
            enumerations: Vec::new(),
        };
        types.of(Kind::Error);
        types
    }

    pub(crate) fn of(&mut self, kind: Kind) -> Type {
        if let Some(id) = self.ids.get(&kind) {
            return Type::plain(*id);
        }
        let id = TypeId(u32::try_from(self.kinds.len()).unwrap_or(u32::MAX));
        self.kinds.push(kind.clone());
        self.ids.insert(kind, id);
        Type::plain(id)
    }

    pub(crate) fn kind(&self, of: Type) -> &Kind {
        &self.kinds[of.id.0 as usize]
    }

    pub(crate) fn error(&self) -> Type {
        Type::plain(TypeId(0))
    }

    pub(crate) fn is_error(&self, of: Type) -> bool {
        of.id == TypeId(0)
    }

    pub(crate) fn void(&mut self) -> Type {
        self.of(Kind::Void)
    }

    pub(crate) fn integer(&mut self, kind: IntegerKind) -> Type {
        self.of(Kind::Integer(kind))
    }

    pub(crate) fn int(&mut self) -> Type {
        self.integer(IntegerKind::Int)
    }

    pub(crate) fn char(&mut self) -> Type {
        self.integer(IntegerKind::Char)
    }

    pub(crate) fn pointer_to(&mut self, target: Type) -> Type {
        self.of(Kind::Pointer(target))
    }

    pub(crate) fn array_of(&mut self, element: Type, length: Length) -> Type {
        self.of(Kind::Array { element, length })
    }

    pub(crate) fn new_record(&mut self, tag: Option<String>, is_union: bool, span: Span) -> RecordId {
        self.records.push(Record {
            tag,
            is_union,
            fields: None,
            size: 0,
            alignment: 1,
            span,
        });
        RecordId(u32::try_from(self.records.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn new_enumeration(&mut self, tag: Option<String>, span: Span) -> EnumerationId {
        self.enumerations.push(Enumeration {
            tag,
            underlying: None,
            span,
        });
        EnumerationId(u32::try_from(self.enumerations.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub(crate) fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    /// Empty where it is incomplete.
    pub(crate) fn fields(&self, id: RecordId) -> &[Field] {
        self.record(id).fields.as_deref().unwrap_or(&[])
    }

    pub(crate) fn enumeration(&self, id: EnumerationId) -> &Enumeration {
        &self.enumerations[id.0 as usize]
    }

    /// `size_t`
    pub(crate) fn size_type(&mut self) -> Type {
        match self.data_model {
            DataModel::Ilp32 => self.integer(IntegerKind::UnsignedInt),
            DataModel::Lp64 => self.integer(IntegerKind::UnsignedLong),
        }
    }

    /// `ptrdiff_t`
    pub(crate) fn difference_type(&mut self) -> Type {
        match self.data_model {
            DataModel::Ilp32 => self.integer(IntegerKind::Int),
            DataModel::Lp64 => self.integer(IntegerKind::Long),
        }
    }

    /// `wchar_t`
    pub(crate) fn wide_character_type(&mut self) -> Type {
        match self.data_model {
            DataModel::Ilp32 => self.integer(IntegerKind::Long),
            DataModel::Lp64 => self.integer(IntegerKind::Int),
        }
    }
}

/// Classification of types.
impl Types {
    /// The integer type itself, or that of an enumeration or bit-field.
    pub(crate) fn integer_of(&self, of: Type) -> Option<Integer> {
        match self.kind(of) {
            Kind::Bool => Some(Integer::new(8, false)),
            Kind::Integer(kind) => Some(kind.integer(self.data_model)),
            Kind::Bits { width, is_signed } => Some(Integer::new(*width, *is_signed)),
            Kind::Enumeration(id) => {
                let underlying = self.enumeration(*id).underlying.unwrap_or(IntegerKind::UnsignedInt);
                Some(underlying.integer(self.data_model))
            }
            _ => None,
        }
    }

    pub(crate) fn is_integer(&self, of: Type) -> bool {
        self.integer_of(of).is_some()
    }

    pub(crate) fn is_float(&self, of: Type) -> bool {
        matches!(self.kind(of), Kind::Float(_) | Kind::Complex(_))
    }

    pub(crate) fn is_arithmetic(&self, of: Type) -> bool {
        self.is_integer(of) || self.is_float(of)
    }

    pub(crate) fn is_pointer(&self, of: Type) -> bool {
        matches!(self.kind(of), Kind::Pointer(_))
    }

    pub(crate) fn is_scalar(&self, of: Type) -> bool {
        self.is_arithmetic(of) || self.is_pointer(of)
    }

    pub(crate) fn is_void(&self, of: Type) -> bool {
        matches!(self.kind(of), Kind::Void)
    }

    pub(crate) fn is_bool(&self, of: Type) -> bool {
        matches!(self.kind(of), Kind::Bool)
    }

    pub(crate) fn is_function(&self, of: Type) -> bool {
        matches!(self.kind(of), Kind::Function(_))
    }

    pub(crate) fn is_array(&self, of: Type) -> bool {
        matches!(self.kind(of), Kind::Array { .. })
    }

    pub(crate) fn record_of(&self, of: Type) -> Option<RecordId> {
        match self.kind(of) {
            Kind::Record(id) => Some(*id),
            _ => None,
        }
    }

    pub(crate) fn target_of(&self, of: Type) -> Option<Type> {
        match self.kind(of) {
            Kind::Pointer(target) => Some(*target),
            _ => None,
        }
    }

    /// The element of an array, with the qualifiers of the array: C11 6.7.3p9.
    pub(crate) fn element_of(&self, of: Type) -> Option<Type> {
        match self.kind(of) {
            Kind::Array { element, .. } => Some(element.qualified_as(of)),
            _ => None,
        }
    }

    pub(crate) fn function_of(&self, of: Type) -> Option<&FunctionType> {
        match self.kind(of) {
            Kind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Whether its size depends on values at run time: C11 6.7.6.2p4.
    pub(crate) fn is_variable_array(&self, of: Type) -> bool {
        match self.kind(of) {
            Kind::Array { element, length } => {
                matches!(length, Length::Variable(_) | Length::AnyVariable) || self.is_variable_array(*element)
            }
            _ => false,
        }
    }

    /// C11 6.7.6p3: whether it contains a variable-length array.
    pub(crate) fn is_variably_modified(&self, of: Type) -> bool {
        match self.kind(of) {
            Kind::Pointer(target) => self.is_variably_modified(*target),
            Kind::Function(function) => self.is_variably_modified(function.result),
            Kind::Array { element, length } => {
                matches!(length, Length::Variable(_) | Length::AnyVariable) || self.is_variably_modified(*element)
            }
            _ => false,
        }
    }

    /// Whether it contains a constant part: C11 6.3.2.1p1.
    pub(crate) fn has_constant_part(&self, of: Type) -> bool {
        of.is_const
            || match self.kind(of) {
                Kind::Array { element, .. } => self.has_constant_part(*element),
                Kind::Record(id) => self
                    .fields(*id)
                    .iter()
                    .any(|field| self.has_constant_part(field.field_type)),
                _ => false,
            }
    }

    /// Types whose values are unsupported.
    pub(crate) fn is_unsupported(&self, of: Type) -> bool {
        use IntegerKind::{Int128, UnsignedInt128};
        matches!(
            self.kind(of),
            Kind::Integer(Int128 | UnsignedInt128)
                | Kind::Float(FloatKind::Long | FloatKind::Quadruple)
                | Kind::Complex(_)
        )
    }
}

/// The machine representation of an integer type.
pub(crate) use system::program::Integer;

impl IntegerKind {
    pub(crate) fn integer(self, model: DataModel) -> Integer {
        use IntegerKind::*;
        match self {
            Char | SignedChar => Integer::new(8, true),
            UnsignedChar => Integer::new(8, false),
            Short => Integer::new(16, true),
            UnsignedShort => Integer::new(16, false),
            Int => Integer::new(32, true),
            UnsignedInt => Integer::new(32, false),
            Long => Integer::new(model.pointer_bits(), true),
            UnsignedLong => Integer::new(model.pointer_bits(), false),
            LongLong => Integer::new(64, true),
            UnsignedLongLong => Integer::new(64, false),
            Int128 => Integer::new(128, true),
            UnsignedInt128 => Integer::new(128, false),
        }
    }

    #[must_use]
    pub(crate) fn to_unsigned(self) -> IntegerKind {
        use IntegerKind::*;
        match self {
            Char | SignedChar | UnsignedChar => UnsignedChar,
            Short | UnsignedShort => UnsignedShort,
            Int | UnsignedInt => UnsignedInt,
            Long | UnsignedLong => UnsignedLong,
            LongLong | UnsignedLongLong => UnsignedLongLong,
            Int128 | UnsignedInt128 => UnsignedInt128,
        }
    }

    /// C11 6.3.1.1p1.
    pub(crate) fn rank(self) -> u32 {
        use IntegerKind::*;
        match self {
            Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
            Int128 | UnsignedInt128 => 6,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        use IntegerKind::*;
        match self {
            Char => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            UnsignedInt => "unsigned int",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
            Int128 => "__int128",
            UnsignedInt128 => "unsigned __int128",
        }
    }
}

impl FloatKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            FloatKind::Single => "float",
            FloatKind::Double => "double",
            FloatKind::Long => "long double",
            FloatKind::Quadruple => "_Float128",
        }
    }
}

/// Formatting of types.
impl Types {
    /// In the syntax of C.
    pub(crate) fn name(&self, of: Type) -> String {
        self.declaration(of, String::new())
    }

    /// The declaration of `inner` with a type, built from the inside to the outside.
    fn declaration(&self, of: Type, inner: String) -> String {
        let mut of = of;
        let mut inner = inner;
        loop {
            match self.kind(of) {
                Kind::Pointer(target) => {
                    let space = if of.is_const && !inner.is_empty() { " " } else { "" };
                    let word = if of.is_const { "const" } else { "" };
                    inner = format!("*{word}{space}{inner}");
                    if self.is_function(*target) || self.is_array(*target) {
                        inner = format!("({inner})");
                    }
                    of = *target;
                }
                Kind::Array { element, length } => {
                    let length = match length {
                        Length::Known(length) => length.to_string(),
                        Length::Unknown => String::new(),
                        Length::Variable(_) | Length::AnyVariable => "*".to_owned(),
                    };
                    inner = format!("{inner}[{length}]");
                    of = element.qualified_as(of);
                }
                Kind::Function(function) => {
                    inner = format!("{inner}({})", self.parameter_names(function));
                    of = function.result;
                }
                kind => return self.specifier(of, kind, &inner),
            }
        }
    }

    fn parameter_names(&self, function: &FunctionType) -> String {
        let mut names: Vec<String> = match &function.parameters {
            None => return String::new(),
            Some(parameters) => parameters.iter().map(|parameter| self.name(*parameter)).collect(),
        };
        if function.is_variadic {
            names.push("...".to_owned());
        }
        if names.is_empty() {
            return "void".to_owned();
        }
        names.join(", ")
    }

    fn specifier(&self, of: Type, kind: &Kind, inner: &str) -> String {
        let name = match kind {
            Kind::Void => "void".to_owned(),
            Kind::Bool => "_Bool".to_owned(),
            Kind::Integer(kind) => kind.name().to_owned(),
            Kind::Bits { width, is_signed } => {
                format!(
                    "{} of {width} bits",
                    if *is_signed { "integer" } else { "unsigned integer" }
                )
            }
            Kind::Float(kind) => kind.name().to_owned(),
            Kind::Complex(kind) => format!("_Complex {}", kind.name()),
            Kind::Enumeration(id) => match &self.enumeration(*id).tag {
                Some(tag) => format!("enum {tag}"),
                None => "enum <without a name>".to_owned(),
            },
            Kind::Record(id) => self.record_name(*id),
            _ => "<unknown type>".to_owned(),
        };
        let qualifiers = match (of.is_const, of.is_volatile) {
            (true, true) => "const volatile ",
            (true, false) => "const ",
            (false, true) => "volatile ",
            (false, false) => "",
        };
        let space = if inner.is_empty() || inner.starts_with('[') {
            ""
        } else {
            " "
        };
        format!("{qualifiers}{name}{space}{inner}")
    }

    pub(crate) fn record_name(&self, id: RecordId) -> String {
        let record = self.record(id);
        let word = if record.is_union { "union" } else { "struct" };
        match &record.tag {
            Some(tag) => format!("{word} {tag}"),
            None => format!("{word} <without a name>"),
        }
    }
}
