//! The syntax tree of a `.cub` file as written: names are not resolved, types not checked.
//!
//! Parsing never fails. Unreadable parts become `Error` nodes (or are omitted), with a diagnostic.

use logic::Rational;
use std::collections::BTreeSet;
use system::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifier {
    pub text: String,
    pub span: Span,
}

/// A file: declarations in source order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub items: Vec<Item>,
    /// False if something could not be parsed, which may be what is missing elsewhere.
    pub complete: bool,
    /// Names in declarations that could not be parsed: unknown uses of them are not reported.
    pub unread: BTreeSet<String>,
}

#[derive(Clone, Debug)]
pub enum Item {
    /// `number_procs 2`
    NumberOfProcesses {
        /// `None` if the number is too large.
        number: Option<u32>,
        span: Span,
    },
    /// `type t = A | B`, or `type t` for an abstract type.
    Type {
        name: Identifier,
        constructors: Option<Vec<Identifier>>,
        span: Span,
    },
    Symbol {
        kind: SymbolKind,
        name: Identifier,
        /// The index types of an array; empty otherwise.
        indices: Vec<Identifier>,
        ty: Identifier,
        span: Span,
    },
    /// `init (z) { ... }`, `unsafe ...`, `invariant ...`
    Block(Block),
    Predicate(Predicate),
    Transition(Transition),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    Variable,
    Constant,
    Array,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Init,
    Unsafe,
    Invariant,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub kind: BlockKind,
    pub variables: Vec<Identifier>,
    pub formula: Formula,
    pub span: Span,
}

/// `predicate p(x, y) { ... }`: a macro.
#[derive(Clone, Debug)]
pub struct Predicate {
    pub name: Identifier,
    pub parameters: Vec<Identifier>,
    pub formula: Formula,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Transition {
    pub name: Identifier,
    pub parameters: Vec<Identifier>,
    pub guard: Option<Formula>,
    /// `let x = term in` before the updates.
    pub lets: Vec<(Identifier, Term)>,
    pub updates: Vec<Update>,
    pub span: Span,
}

/// `X := ...` (no indices) or `A[i, j] := ...`
#[derive(Clone, Debug)]
pub struct Update {
    pub target: Identifier,
    pub indices: Option<Vec<ProcessName>>,
    pub value: UpdateValue,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum UpdateValue {
    Term(Term),
    /// `.` or `?`
    Arbitrary(Span),
    Case(Vec<Branch>),
    Error,
}

/// `| condition : value`, or `| _ : value`.
#[derive(Clone, Debug)]
pub struct Branch {
    pub condition: Option<Formula>,
    pub value: Term,
    pub span: Span,
}

/// An array index, or a term by itself: a process variable or a process constant.
#[derive(Clone, Debug)]
pub enum ProcessName {
    Variable(Identifier),
    /// `#1`; `None` if the number is too large for any process.
    Constant(Option<u32>, Span),
}

impl ProcessName {
    pub fn span(&self) -> Span {
        match self {
            ProcessName::Variable(name) => name.span,
            ProcessName::Constant(_, span) => *span,
        }
    }
}

/// A number as written, with its sign.
#[derive(Clone, Debug)]
pub struct Number {
    /// `None` on overflow, which was reported.
    pub value: Option<Rational>,
    /// Whether it is written with a decimal point.
    pub is_real: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Term {
    pub kind: TermKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TermKind {
    /// A variable, constant or constructor.
    Name(Identifier),
    Process(ProcessName),
    Cell {
        array: Identifier,
        indices: Vec<ProcessName>,
    },
    Number(Number),
    /// `2 * N`
    Multiple(Multiple),
    /// `X + 1`, `X - N`, `X + 2 * N`
    Sum {
        base: Box<Term>,
        negative: bool,
        addend: Addend,
    },
    Error,
}

/// A constant with a factor.
#[derive(Clone, Debug)]
pub struct Multiple {
    pub factor: Number,
    pub constant: Identifier,
}

#[derive(Clone, Debug)]
pub enum Addend {
    Number(Number),
    Name(Identifier),
    Multiple(Multiple),
}

#[derive(Clone, Debug)]
pub struct Formula {
    pub kind: FormulaKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Forall,
    Exists,
}

#[derive(Clone, Debug)]
pub enum FormulaKind {
    Boolean(bool),
    Compare(Comparison, Term, Term),
    Not(Box<Formula>),
    /// Two or more.
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    If(Box<Formula>, Box<Formula>, Box<Formula>),
    Quantified {
        quantifier: Quantifier,
        /// `forall_other`, `exists_other`
        other: bool,
        variables: Vec<Identifier>,
        body: Box<Formula>,
    },
    Call {
        name: Identifier,
        arguments: Vec<Argument>,
    },
    Error,
}

#[derive(Clone, Debug)]
pub enum Argument {
    Term(Term),
    Formula(Formula),
}
