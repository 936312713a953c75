//! The checked model: names resolved, types known, predicates and `let` inlined.
//!
//! `compile` turns it into a finite instance and `lower` into a transition system.

use logic::Rational;
use system::Span;

pub use crate::syntax::{Comparison, Quantifier};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub usize);
    };
}

id! {
    /// Index into [`Model::types`].
    TypeId
}
id! {
    /// Index into [`Model::symbols`].
    SymbolId
}
id! {
    /// Index into the `locals` of the block or transition at hand.
    LocalId
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The declared types.
    pub types: Vec<TypeDefinition>,
    /// Variables, constants and arrays.
    pub symbols: Vec<Symbol>,
    /// The initial condition, for all tuples of processes, repetitions included.
    pub init: Block,
    /// The unsafe states: no reachable state satisfies one of these for distinct processes.
    pub unsafes: Vec<Block>,
    /// The user's claim that no reachable state satisfies one of these for distinct processes. It must be proved before
    /// it is used.
    pub invariants: Vec<Block>,
    pub transitions: Vec<Transition>,
    /// The permitted numbers of processes.
    pub processes: Processes,
    /// Whether processes are compared by `<` or `<=`.
    pub ordered: bool,
    /// Whether a variable of type `proc` may hold a non-process and this can make a difference.
    pub outsiders: bool,
    /// An error was reported: the model is not fit for use.
    pub broken: bool,
}

/// The permitted numbers of processes, at least one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Processes {
    #[default]
    Any,
    /// `number_procs` without process constants.
    AtMost(u32),
    /// `number_procs` with process constants.
    Exactly(u32),
}

#[derive(Clone, Debug)]
pub struct TypeDefinition {
    pub name: String,
    /// `None` for an abstract type: infinitely many values that can only be compared for equality.
    pub constructors: Option<Vec<String>>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    Process,
    Boolean,
    Integer,
    Real,
    Declared(TypeId),
    /// An erroneous type; the error was reported.
    Unknown,
}

impl Type {
    pub fn is_numeric(self) -> bool {
        matches!(self, Type::Integer | Type::Real)
    }
}

#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    /// The number of indices; 0 for variables and constants.
    pub arity: usize,
    pub ty: Type,
    /// A constant: arbitrary, but rigid.
    pub rigid: bool,
    pub span: Span,
}

/// A formula with its process variables.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The first of `locals`.
    pub variables: usize,
    pub locals: Vec<Local>,
    pub formula: Formula,
    pub span: Span,
}

/// A process variable.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Transition {
    pub name: String,
    /// The parameters, pairwise distinct processes, are the first of `locals`.
    pub parameters: usize,
    pub locals: Vec<Local>,
    pub guard: Formula,
    /// Simultaneous; at most one for each symbol.
    pub updates: Vec<Update>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Update {
    pub symbol: SymbolId,
    pub kind: UpdateKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum UpdateKind {
    /// `X := ...`
    Variable(Value),
    /// `X := .`
    Arbitrary,
    /// `A[x, y] := t`
    Cell(Vec<Process>, Term),
    /// `A[i, j] := case ...`, for all values of these locals, which need not be distinct.
    All(Vec<LocalId>, Value),
}

/// The first branch whose condition holds, otherwise the default.
#[derive(Clone, Debug)]
pub struct Value {
    pub branches: Vec<(Formula, Term)>,
    pub default: Term,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Process {
    Local(LocalId),
    /// `#1` is 0.
    Constant(u32),
}

#[derive(Clone, Debug)]
pub struct Term {
    pub kind: TermKind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermKind {
    Process(Process),
    Boolean(bool),
    /// The position of a constructor in its type.
    Constructor(usize),
    /// An integer if the type is `Integer`.
    Number(Rational),
    /// A variable, constant or cell.
    Read(SymbolId, Vec<Process>),
    /// A constant with an integer coefficient.
    Multiple(i128, SymbolId),
    /// The second is a `Number` or a `Multiple`.
    Sum(Box<Term>, Box<Term>),
    Error,
}

/// Terms that differ only in their spans are equal.
impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.kind == other.kind && self.ty == other.ty
    }
}

impl Eq for Term {}

#[derive(Clone, Debug)]
pub struct Formula {
    pub kind: FormulaKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum FormulaKind {
    Boolean(bool),
    /// Both operands have the same type; order comparisons exist for numbers and processes only. `Greater` and
    /// `GreaterEqual` have been mirrored.
    Compare(Comparison, Term, Term),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    If(Box<Formula>, Box<Formula>, Box<Formula>),
    /// Over pairwise distinct processes; with `other`, over those that are not parameters (variables of the block).
    Quantified {
        quantifier: Quantifier,
        other: bool,
        variables: Vec<LocalId>,
        body: Box<Formula>,
    },
    Error,
}

impl Default for Formula {
    fn default() -> Formula {
        Formula {
            kind: FormulaKind::Boolean(true),
            span: Span::default(),
        }
    }
}

impl Formula {
    /// The top-level conjuncts; the formula itself if it is no conjunction.
    pub fn conjuncts(&self) -> Vec<&Formula> {
        let mut conjuncts = Vec::new();
        let mut pending = vec![self];
        while let Some(formula) = pending.pop() {
            match &formula.kind {
                FormulaKind::And(operands) => pending.extend(operands.iter().rev()),
                FormulaKind::Boolean(true) => {}
                _ => conjuncts.push(formula),
            }
        }
        conjuncts
    }

    /// The direct sub-formulas.
    pub fn children(&self) -> Vec<&Formula> {
        match &self.kind {
            FormulaKind::Boolean(_) | FormulaKind::Compare(..) | FormulaKind::Error => Vec::new(),
            FormulaKind::Not(a) => vec![a],
            FormulaKind::And(operands) | FormulaKind::Or(operands) => operands.iter().collect(),
            FormulaKind::Implies(a, b) | FormulaKind::Iff(a, b) => vec![a, b],
            FormulaKind::If(a, b, c) => vec![a, b, c],
            FormulaKind::Quantified { body, .. } => vec![body],
        }
    }

    /// Calls `visit` with each compared term in the formula.
    pub fn for_each_term<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        let mut pending = vec![self];
        while let Some(formula) = pending.pop() {
            if let FormulaKind::Compare(_, left, right) = &formula.kind {
                visit(left);
                visit(right);
            }
            pending.extend(formula.children());
        }
    }

    /// Whether it contains a quantifier.
    pub fn has_quantifier(&self) -> bool {
        matches!(self.kind, FormulaKind::Quantified { .. }) || self.children().iter().any(|f| f.has_quantifier())
    }
}

impl Model {
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0]
    }

    /// The type as the user writes it.
    pub fn type_name(&self, ty: Type) -> &str {
        match ty {
            Type::Process => "proc",
            Type::Boolean => "bool",
            Type::Integer => "int",
            Type::Real => "real",
            Type::Declared(id) => &self.types[id.0].name,
            Type::Unknown => "?",
        }
    }

    /// Whether the type is abstract.
    pub fn is_abstract(&self, ty: Type) -> bool {
        matches!(ty, Type::Declared(id) if self.types[id.0].constructors.is_none())
    }
}

impl Update {
    /// Every term that the update reads, including the conditions of branches.
    pub fn for_each_term<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        match &self.kind {
            UpdateKind::Arbitrary => {}
            UpdateKind::Cell(_, term) => visit(term),
            UpdateKind::Variable(value) | UpdateKind::All(_, value) => {
                for (condition, term) in &value.branches {
                    condition.for_each_term(visit);
                    visit(term);
                }
                visit(&value.default);
            }
        }
    }
}
