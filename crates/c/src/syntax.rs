//! The syntax tree: the program as written; of semantics, only type names are resolved.
//!
//! Parsing always yields a tree. A syntax error becomes an `Error` node and a diagnostic; later passes ignore such
//! nodes silently.

use system::Span;

/// A name with its source location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A preprocessed file.
#[derive(Clone, Debug, Default)]
pub struct TranslationUnit {
    pub items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Declaration(Declaration),
    Function(FunctionDefinition),
    StaticAssertion(StaticAssertion),
    /// `asm("...")` between functions.
    Assembler(Span),
}

/// `specifiers declarator = initialiser, ...;`
#[derive(Clone, Debug)]
pub struct Declaration {
    pub specifiers: Specifiers,
    pub declarators: Vec<InitialisedDeclarator>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct InitialisedDeclarator {
    pub declarator: Declarator,
    pub initialiser: Option<Initialiser>,
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    pub specifiers: Specifiers,
    pub declarator: Declarator,
    /// The parameter declarations of an old-style definition.
    pub old_parameters: Vec<Declaration>,
    pub body: Block,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct StaticAssertion {
    pub condition: Expression,
    pub message: Option<String>,
    pub span: Span,
}

/// All specifiers before the declarators, in any order.
#[derive(Clone, Debug, Default)]
pub struct Specifiers {
    pub storage: Vec<(Storage, Span)>,
    pub qualifiers: Qualifiers,
    /// `int`, `unsigned` and so on, with repetitions, or another specifier.
    pub types: Vec<TypeSpecifier>,
    /// `inline`, `_Noreturn`.
    pub is_inline: bool,
    pub is_noreturn: bool,
    pub alignments: Vec<Alignment>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
    ThreadLocal,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Qualifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
}

#[derive(Clone, Debug)]
pub enum TypeSpecifier {
    Word(TypeWord, Span),
    Record(RecordSpecifier),
    Enumeration(EnumerationSpecifier),
    /// A typedef name.
    Named(Name),
    TypeofExpression(Box<Expression>, Span),
    TypeofType(Box<TypeName>, Span),
    /// `_Atomic(type)`.
    Atomic(Box<TypeName>, Span),
    Error(Span),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeWord {
    Void,
    Char,
    Short,
    Int,
    Long,
    Signed,
    Unsigned,
    Float,
    Double,
    Bool,
    Complex,
    /// `__int128`.
    Int128,
    /// `_Float128`, `__float128`.
    Float128,
    /// `__builtin_va_list`.
    VariadicList,
}

#[derive(Clone, Debug)]
pub struct RecordSpecifier {
    pub is_union: bool,
    pub tag: Option<Name>,
    /// None where it is only referenced.
    pub members: Option<Vec<Member>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Member {
    Fields {
        specifiers: Specifiers,
        /// None for an anonymous record, whose fields belong to the enclosing record.
        declarators: Vec<FieldDeclarator>,
        span: Span,
    },
    StaticAssertion(StaticAssertion),
}

#[derive(Clone, Debug)]
pub struct FieldDeclarator {
    /// None for padding bits.
    pub declarator: Option<Declarator>,
    pub width: Option<Expression>,
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, Debug)]
pub struct EnumerationSpecifier {
    pub tag: Option<Name>,
    pub enumerators: Option<Vec<Enumerator>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Enumerator {
    pub name: Name,
    pub value: Option<Expression>,
}

/// `_Alignas(type or expression)`.
#[derive(Clone, Debug)]
pub enum Alignment {
    Type(TypeName),
    Expression(Expression),
}

/// `__attribute__((name(arguments)))`, with the underscores around its name removed. A record that ends under
/// `#pragma pack(4)` has the attribute `pragma pack` with the argument 4, the maximum alignment of its fields.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: Name,
    pub arguments: Vec<Expression>,
}

/// A declared name, and the derivations of its type, applied to the specified type from first to last:
/// `int *a[3]` has `[Pointer, Array(3)]`.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// None for abstract declarators: parameters and type names.
    pub name: Option<Name>,
    pub derivations: Vec<Derivation>,
    /// The `asm("name")` after it.
    pub assembler_name: Option<String>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Derivation {
    Pointer(Qualifiers),
    Array(ArrayLength, Span),
    Function(Parameters, Span),
}

#[derive(Clone, Debug)]
pub enum ArrayLength {
    /// `[]`
    Unknown,
    /// `[*]`
    AnyVariable,
    /// `[static 3]` of a parameter, too.
    Expression(Box<Expression>),
}

#[derive(Clone, Debug)]
pub enum Parameters {
    /// `()`: unspecified.
    Unknown,
    /// `(a, b)` of an old-style definition.
    Names(Vec<Name>),
    /// Empty for `(void)`.
    Types {
        parameters: Vec<Parameter>,
        is_variadic: bool,
    },
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub specifiers: Specifiers,
    pub declarator: Declarator,
    pub attributes: Vec<Attribute>,
}

/// A type in a cast, in `sizeof` and similar constructs.
#[derive(Clone, Debug)]
pub struct TypeName {
    pub specifiers: Specifiers,
    pub declarator: Declarator,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Initialiser {
    Expression(Expression),
    List(InitialiserList),
}

#[derive(Clone, Debug)]
pub struct InitialiserList {
    pub items: Vec<InitialiserItem>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct InitialiserItem {
    /// `.field`, `[3]`, `[1 ... 4]`, in sequence.
    pub designators: Vec<Designator>,
    pub initialiser: Initialiser,
}

#[derive(Clone, Debug)]
pub enum Designator {
    Field(Name),
    Index(Expression),
    Range(Expression, Expression),
}

#[derive(Clone, Debug)]
pub struct Block {
    pub items: Vec<BlockItem>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum BlockItem {
    Declaration(Declaration),
    Statement(Statement),
    StaticAssertion(StaticAssertion),
    /// A nested function, an extension of GNU C.
    Function(FunctionDefinition),
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Empty,
    Expression(Expression),
    Block(Block),
    /// `name: statement`
    Labelled {
        label: Name,
        statement: Box<Statement>,
    },
    /// `case 1:` or `case 1 ... 4:`
    Case {
        low: Expression,
        high: Option<Expression>,
        statement: Box<Statement>,
    },
    Default(Box<Statement>),
    If {
        condition: Expression,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    Switch {
        value: Expression,
        body: Box<Statement>,
    },
    While {
        condition: Expression,
        body: Box<Statement>,
    },
    DoWhile {
        body: Box<Statement>,
        condition: Expression,
    },
    For {
        initial: ForInitial,
        condition: Option<Expression>,
        step: Option<Expression>,
        body: Box<Statement>,
    },
    Goto(Name),
    /// `goto *expression`
    GotoComputed(Expression),
    Continue,
    Break,
    Return(Option<Expression>),
    /// `asm(...)`.
    Assembler(Assembler),
    Error,
}

#[derive(Clone, Debug)]
pub enum ForInitial {
    Nothing,
    Expression(Expression),
    Declaration(Declaration),
}

#[derive(Clone, Debug)]
pub struct Assembler {
    pub template: String,
    /// The outputs.
    pub outputs: Vec<Expression>,
    pub inputs: Vec<Expression>,
    pub clobbers: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExpressionKind {
    Identifier(String),
    Integer(IntegerLiteral),
    Float(FloatLiteral),
    Character(CharacterLiteral),
    /// Adjacent literals are one.
    String(StringLiteral),
    Unary {
        operator: Unary,
        operand: Box<Expression>,
    },
    Binary {
        operator: Binary,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    /// `=`, and with an operator `+=` and the like.
    Assign {
        operator: Option<Binary>,
        target: Box<Expression>,
        value: Box<Expression>,
    },
    /// `a ? b : c`; without `b` in GNU C, its value is `a`, evaluated once.
    Conditional {
        condition: Box<Expression>,
        then: Option<Box<Expression>>,
        otherwise: Box<Expression>,
    },
    Comma(Box<Expression>, Box<Expression>),
    Cast {
        type_name: Box<TypeName>,
        operand: Box<Expression>,
    },
    Call {
        function: Box<Expression>,
        arguments: Vec<Expression>,
    },
    Index {
        array: Box<Expression>,
        index: Box<Expression>,
    },
    Member {
        operand: Box<Expression>,
        /// `->` rather than `.`
        is_arrow: bool,
        name: Name,
    },
    CompoundLiteral {
        type_name: Box<TypeName>,
        initialiser: InitialiserList,
    },
    SizeofExpression(Box<Expression>),
    SizeofType(Box<TypeName>),
    AlignofExpression(Box<Expression>),
    AlignofType(Box<TypeName>),
    /// `__builtin_offsetof(type, a.b[3])`
    Offsetof {
        type_name: Box<TypeName>,
        designators: Vec<Designator>,
    },
    /// `__builtin_va_arg(list, type)`
    VariadicArgument {
        list: Box<Expression>,
        type_name: Box<TypeName>,
    },
    /// `__builtin_types_compatible_p(a, b)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(constant, a, b)`
    Choose {
        condition: Box<Expression>,
        then: Box<Expression>,
        otherwise: Box<Expression>,
    },
    Generic {
        control: Box<Expression>,
        /// Without a type: `default`.
        choices: Vec<(Option<TypeName>, Expression)>,
    },
    /// `({ ... })`
    Statements(Box<Block>),
    /// `&&label`
    LabelAddress(Name),
    Error,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IntegerLiteral {
    pub value: u128,
    /// Decimal literals are never unsigned without a suffix.
    pub is_decimal: bool,
    pub is_unsigned: bool,
    /// The number of `l` in its suffix: 0 to 2.
    pub longs: u8,
}

#[derive(Clone, PartialEq, Debug)]
pub struct FloatLiteral {
    pub value: f64,
    pub suffix: FloatSuffix,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatSuffix {
    None,
    Single,
    Long,
}

/// `'a'`, with gcc's value, also for several characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CharacterLiteral {
    pub value: i64,
    pub encoding: Encoding,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringLiteral {
    /// The code units of its encoding, without the terminating zero.
    pub units: Vec<u32>,
    pub encoding: Encoding,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Bytes: no prefix, or `u8`.
    Plain,
    /// `L`
    Wide,
    /// `u`
    Sixteen,
    /// `U`
    ThirtyTwo,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
    Address,
    Dereference,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
    /// `__extension__`, which has no effect.
    Extension,
    /// `__real__`, `__imag__`.
    Real,
    Imaginary,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    Equal,
    NotEqual,
    BitAnd,
    ExclusiveOr,
    BitOr,
    And,
    Or,
}
