//! The syntax tree of Murphi as written: names are not resolved, types not checked.
//!
//! Parsing never fails. Unreadable parts become `Error` nodes (or are omitted), with a diagnostic.
//!
//! Spans: an expression, type or simple statement spans its whole text; a construct with a body (rules, rulesets,
//! subprograms, `if`, `for`, ...) spans only its header, so that a message about it does not quote the body.

use system::Span;

#[derive(Clone, Debug, PartialEq)]
pub struct Identifier {
    pub text: String,
    pub span: Span,
}

/// A file: declarations and rules in any order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Constant {
        name: Identifier,
        value: Expression,
    },
    Type {
        name: Identifier,
        definition: TypeExpression,
    },
    Variables {
        names: Vec<Identifier>,
        ty: TypeExpression,
    },
    Subprogram(Subprogram),
    Rule(RuleItem),
    /// `uninterpreted next(n: Node): Node;`; a constant if there are no parameters.
    Uninterpreted {
        names: Vec<Identifier>,
        parameters: Vec<ParameterGroup>,
        result: TypeExpression,
    },
    /// `axiom "name" formula;`
    Axiom {
        name: Option<String>,
        formula: Expression,
        span: Span,
    },
    /// `index i, j: Node;`: free variables of the predicates that follow.
    Index {
        names: Vec<Identifier>,
        ty: TypeExpression,
    },
    /// `predicate "name" formula;`
    Predicate {
        name: Option<String>,
        formula: Expression,
        span: Span,
    },
}

/// Rules, and constructs around or beside them.
#[derive(Clone, Debug)]
pub enum RuleItem {
    Rule {
        /// The priority of CMurphi's `rule 3 "name"`; 0 by default.
        priority: i64,
        name: Option<String>,
        guard: Option<Expression>,
        body: Block,
        span: Span,
    },
    Start {
        name: Option<String>,
        body: Block,
        span: Span,
    },
    Property {
        kind: PropertyKind,
        name: Option<String>,
        formula: Expression,
        span: Span,
    },
    Ruleset {
        binders: Vec<Binder>,
        rules: Vec<RuleItem>,
        span: Span,
    },
    Alias {
        aliases: Vec<Alias>,
        rules: Vec<RuleItem>,
        span: Span,
    },
    /// `choose i: multiset do ...`
    Choose {
        name: Identifier,
        multiset: Expression,
        rules: Vec<RuleItem>,
        span: Span,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// `invariant`, and `assert` outside statements.
    Invariant,
    Assumption,
    Cover,
    Liveness,
}

/// Local declarations and statements.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Only constants, types and variables.
    pub declarations: Vec<Item>,
    pub statements: Vec<Statement>,
}

/// A function (with a result) or procedure.
#[derive(Clone, Debug)]
pub struct Subprogram {
    pub name: Identifier,
    pub parameters: Vec<ParameterGroup>,
    pub result: Option<TypeExpression>,
    pub body: Block,
    pub span: Span,
}

/// `var a, b: T`
#[derive(Clone, Debug)]
pub struct ParameterGroup {
    pub by_reference: bool,
    pub names: Vec<Identifier>,
    pub ty: TypeExpression,
}

/// The binder of a ruleset, quantifier or loop.
#[derive(Clone, Debug)]
pub struct Binder {
    pub name: Identifier,
    pub domain: BinderDomain,
}

#[derive(Clone, Debug)]
pub enum BinderDomain {
    /// `i: T`
    Type(TypeExpression),
    /// `i := low to high by step`
    Range {
        low: Expression,
        high: Expression,
        step: Option<Expression>,
    },
}

#[derive(Clone, Debug)]
pub struct Alias {
    pub name: Identifier,
    pub target: Expression,
}

#[derive(Clone, Debug)]
pub struct TypeExpression {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Named(Identifier),
    Range(Expression, Expression),
    Enum(Vec<Identifier>),
    Scalarset(Expression),
    Union(Vec<TypeExpression>),
    Record(Vec<(Vec<Identifier>, TypeExpression)>),
    Array {
        index: Box<TypeExpression>,
        element: Box<TypeExpression>,
    },
    Multiset {
        capacity: Expression,
        element: Box<TypeExpression>,
    },
    List(Box<TypeExpression>),
    Error,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Assign {
        target: Expression,
        value: Expression,
    },
    If {
        branches: Vec<(Expression, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
    Switch {
        subject: Expression,
        cases: Vec<(Vec<Expression>, Vec<Statement>)>,
        otherwise: Option<Vec<Statement>>,
    },
    For {
        binder: Binder,
        body: Vec<Statement>,
    },
    While {
        condition: Expression,
        body: Vec<Statement>,
    },
    Alias {
        aliases: Vec<Alias>,
        body: Vec<Statement>,
    },
    Call {
        name: Identifier,
        arguments: Vec<Expression>,
    },
    Return(Option<Expression>),
    Clear(Expression),
    Undefine(Expression),
    Error(String),
    Assert {
        condition: Expression,
        message: Option<String>,
    },
    Assume {
        condition: Expression,
        message: Option<String>,
    },
    Put(PutArgument),
    /// `multisetadd(element, multiset)`
    MultisetAdd {
        element: Expression,
        multiset: Expression,
    },
    /// `multisetremove(index, multiset)`
    MultisetRemove {
        index: Expression,
        multiset: Expression,
    },
    /// `multisetremovepred(i: multiset, condition)`
    MultisetRemoveIf {
        name: Identifier,
        multiset: Expression,
        condition: Expression,
    },
    /// `havoc a, b where formula;`
    Havoc {
        targets: Vec<Expression>,
        constraint: Option<Expression>,
    },
}

#[derive(Clone, Debug)]
pub enum PutArgument {
    Text(String),
    Expression(Expression),
}

#[derive(Clone, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    Negate,
    Plus,
    BitNot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Implies,
    /// `||`
    Or,
    /// `&&`
    And,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    /// `&`: conjunction on booleans, bitwise on numbers.
    BitAnd,
    /// `|`: disjunction on booleans, bitwise on numbers.
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Forall,
    Exists,
}

#[derive(Clone, Debug)]
pub enum ExpressionKind {
    Number(i64),
    Boolean(bool),
    Name(Identifier),
    Field(Box<Expression>, Identifier),
    Index(Box<Expression>, Box<Expression>),
    /// A call of a function, an uninterpreted symbol, or one of `head`, `tail`, `append`, `length`, `empty`.
    Call {
        name: Identifier,
        arguments: Vec<Expression>,
    },
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `condition ? then : otherwise`
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    Quantified {
        quantifier: Quantifier,
        binder: Box<Binder>,
        body: Box<Expression>,
    },
    IsUndefined(Box<Expression>),
    IsMember(Box<Expression>, Box<TypeExpression>),
    /// `multisetcount(i: multiset, condition)`
    MultisetCount {
        name: Identifier,
        multiset: Box<Expression>,
        condition: Box<Expression>,
    },
    /// `[]`
    EmptyList,
    /// `undefined` as an argument (CMurphi); `x := undefined` is an `Undefine` statement.
    Undefined,
    Error,
}
