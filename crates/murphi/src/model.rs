//! The typed model: names resolved, expressions typed, constants folded, rulesets flattened.
//!
//! `compile` turns it into a finite instance and `lower` into a transition system. A model has fixed values of the
//! constants (`--size`, `--const`); types that a proof may take at any size are marked `parametric`.

use system::Span;

pub use crate::syntax::{Binary, PropertyKind, Quantifier, Unary};

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
    /// Index into [`Model::variables`].
    VariableId
}
id! {
    /// Index into [`Model::uninterpreted`].
    UninterpretedId
}
id! {
    /// Index into [`Model::subprograms`].
    SubprogramId
}
id! {
    /// Index into the `locals` of the rule, property, subprogram or formula at hand.
    LocalId
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub types: Vec<Type>,
    pub variables: Vec<Variable>,
    pub uninterpreted: Vec<Uninterpreted>,
    pub subprograms: Vec<Subprogram>,
    pub starts: Vec<Rule>,
    pub rules: Vec<Rule>,
    /// Whether rules have different priorities.
    pub has_priorities: bool,
    pub properties: Vec<Property>,
    /// The names of liveness properties, which are not checked.
    pub liveness: Vec<String>,
    pub axioms: Vec<Formula>,
    /// Their index variables are those of `locals` that occur free in the condition.
    pub predicates: Vec<Formula>,
    /// For each candidate, whether it is parametric in proofs, and why not.
    pub decisions: Vec<ParametricDecision>,
}

#[derive(Clone, Debug)]
pub struct Type {
    /// The declared name; anonymous types have none.
    pub name: Option<String>,
    pub kind: TypeKind,
    /// Set if a proof takes the type at any size.
    pub parametric: Option<Parametric>,
    pub span: Span,
}

/// The type is used only as a scalarset is, except that its values may be ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parametric {
    /// Literals of the type in the source (a home node): distinguished elements, in increasing order.
    pub literals: Vec<i64>,
    /// Whether values are compared by order.
    pub ordered: bool,
    /// Anonymous ranges that denote the same parametric type, such as two occurrences of `1..N`, share this
    /// representative.
    pub representative: TypeId,
}

/// Whether a proof takes a scalarset, or a range used like one, at any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParametricDecision {
    /// The declared name, or the bounds as written: `1..N`.
    pub name: String,
    /// Whether `name` denotes this type in the whole file: other types are anonymous, or named inside a rule.
    pub has_name: bool,
    /// The constant that determines the number of elements, if there is one.
    pub constant: Option<String>,
    /// The declaration.
    pub span: Span,
    /// The types that denote the same set of values, such as each `1..N`; the first is the representative.
    pub types: Vec<TypeId>,
    pub outcome: ProofSize,
}

/// Why a type cannot be parametric, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// A sentence such as "its values are added by `+`".
    pub reason: String,
    /// The default if there is no single place to blame.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofSize {
    Parametric {
        /// The literals in the source.
        literals: Vec<i64>,
    },
    Fixed(Obstacle),
}

#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    Boolean,
    /// Unbounded.
    Integer,
    Range {
        low: i64,
        high: i64,
    },
    Enum {
        values: Vec<(String, Span)>,
    },
    Scalarset {
        size: i64,
    },
    /// Members are enumerations, scalarsets and ranges; nested unions are flattened.
    Union {
        members: Vec<TypeId>,
    },
    Record {
        fields: Vec<Field>,
    },
    Array {
        index: TypeId,
        element: TypeId,
    },
    Multiset {
        capacity: i64,
        element: TypeId,
    },
    List {
        element: TypeId,
    },
    /// An erroneous type; the error was reported.
    Error,
}

impl TypeKind {
    /// Non-numeric values with a position.
    pub(crate) fn is_element(&self) -> bool {
        matches!(self, TypeKind::Scalarset { .. } | TypeKind::Enum { .. })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: TypeId,
    pub span: Span,
}

/// A constant (no parameters), function or relation constrained by axioms only. Its values never change.
#[derive(Clone, Debug)]
pub struct Uninterpreted {
    pub name: String,
    pub parameters: Vec<TypeId>,
    pub result: TypeId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Subprogram {
    pub name: String,
    /// The first of `locals`.
    pub parameters: Vec<LocalId>,
    pub result: Option<TypeId>,
    pub locals: Vec<Local>,
    pub body: Vec<Statement>,
    pub span: Span,
}

/// A name local to one rule, property or subprogram.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: TypeId,
    pub kind: LocalKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A local variable: undefined at the start of its block.
    Variable,
    /// A parameter by value: a variable initialised with the argument (which may be undefined).
    Value,
    /// A `var` parameter.
    Reference,
    /// Bound by a ruleset, quantifier, loop, `choose` or `index`: read-only.
    Bound,
    /// An alias of a place, resolved when the alias is reached.
    Alias,
    /// An alias of a value, evaluated when the alias is reached.
    AliasValue,
}

/// A rule or start. `context` lists the enclosing constructs, outermost first.
#[derive(Clone, Debug)]
pub struct Rule {
    pub name: String,
    /// Of the enabled rules of an instance, those with the least number fire. In proofs, all of them may fire.
    pub priority: i64,
    pub context: Vec<Context>,
    /// The positions in `context` at which a ruleset begins: Rumur varies the parameters of inner rulesets slowest.
    pub rulesets: Vec<usize>,
    pub locals: Vec<Local>,
    pub guard: Option<Expression>,
    pub body: Vec<Statement>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Context {
    Parameter(Binder),
    Alias(LocalId, AliasTarget),
    /// Ranges over the indices of the present elements of a multiset.
    Choose {
        local: LocalId,
        multiset: Designator,
    },
}

#[derive(Clone, Debug)]
pub enum AliasTarget {
    Place(Designator),
    Value(Expression),
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    /// Never `Liveness`, which is reported and omitted.
    pub kind: PropertyKind,
    /// The enclosing rulesets: the property holds for all their values.
    pub context: Vec<Context>,
    pub locals: Vec<Local>,
    pub condition: Expression,
    pub span: Span,
}

/// An axiom or predicate.
#[derive(Clone, Debug)]
pub struct Formula {
    pub name: String,
    pub locals: Vec<Local>,
    pub condition: Expression,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Binder {
    pub local: LocalId,
    pub domain: Domain,
}

#[derive(Clone, Debug)]
pub enum Domain {
    Type(TypeId),
    Range {
        low: Expression,
        high: Expression,
        step: Option<Expression>,
    },
}

impl Domain {
    /// The only value of `p to p`: such a range needs no order of its values.
    pub fn single(&self) -> Option<&Expression> {
        let Domain::Range { low, high, step } = self else {
            return None;
        };
        let name = |bound: &Expression| match &bound.kind {
            ExpressionKind::Read(place) if place.selectors.is_empty() => Some(place.root),
            _ => None,
        };
        let whole = matches!(
            step.as_ref().map(|step| &step.kind),
            None | Some(ExpressionKind::Literal(1..))
        );
        (whole && name(low).is_some() && name(low) == name(high)).then_some(low)
    }
}

/// A place: it can be read, and assigned unless its root is read-only.
#[derive(Clone, Debug)]
pub struct Designator {
    pub root: Root,
    pub selectors: Vec<Selector>,
    /// The type of the selected component.
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Variable(VariableId),
    Local(LocalId),
}

#[derive(Clone, Debug)]
pub enum Selector {
    /// The position of the field in its record.
    Field(usize),
    /// Converted to the index type of the array.
    Index(Expression),
    /// The multiset element with this index.
    Element(Expression),
}

#[derive(Clone, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// A number, a Boolean (0 or 1) or the position of an enumerator, depending on the type.
    Literal(i64),
    EmptyList,
    Read(Designator),
    /// From a union member to the union, or back (a run-time error if the value belongs to another member). Any number
    /// converts to the range among the members, of which there is at most one.
    Convert(Box<Expression>),
    Unary(Unary, Box<Expression>),
    /// Operands of comparisons have a common type; they may be records or arrays for `Equal` and `NotEqual`. `Greater`
    /// and `GreaterEqual` preserve the order of evaluation and are therefore not normalised.
    Binary(Binary, Box<Expression>, Box<Expression>),
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    Quantified {
        quantifier: Quantifier,
        binder: Box<Binder>,
        body: Box<Expression>,
    },
    Call {
        subprogram: SubprogramId,
        arguments: Vec<Argument>,
    },
    Apply {
        symbol: UninterpretedId,
        arguments: Vec<Expression>,
    },
    IsUndefined(Designator),
    /// Whether a union value belongs to this member.
    IsMember(Box<Expression>, TypeId),
    MultisetCount {
        local: LocalId,
        multiset: Designator,
        condition: Box<Expression>,
    },
    Head(Box<Expression>),
    Tail(Box<Expression>),
    Append(Box<Expression>, Box<Expression>),
    Length(Box<Expression>),
    /// An erroneous expression; the error was reported.
    Error,
}

#[derive(Clone, Debug)]
pub enum Argument {
    Value(Expression),
    Reference(Designator),
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    /// The value has the type of the target, which may be a record or array.
    Assign {
        target: Designator,
        value: Expression,
    },
    If {
        branches: Vec<(Expression, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
    /// Case labels have the type of the subject.
    Switch {
        subject: Expression,
        cases: Vec<(Vec<Expression>, Vec<Statement>)>,
        otherwise: Vec<Statement>,
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
        aliases: Vec<(LocalId, AliasTarget)>,
        body: Vec<Statement>,
    },
    Call {
        subprogram: SubprogramId,
        arguments: Vec<Argument>,
    },
    Return(Option<Expression>),
    Clear(Designator),
    Undefine(Designator),
    Error(String),
    Assert {
        condition: Expression,
        message: String,
    },
    Assume {
        condition: Expression,
    },
    PutText(String),
    Put(Expression),
    MultisetAdd {
        element: Expression,
        multiset: Designator,
    },
    MultisetRemove {
        index: Expression,
        multiset: Designator,
    },
    MultisetRemoveIf {
        local: LocalId,
        multiset: Designator,
        condition: Expression,
    },
    /// Assigns arbitrary values of the targets' types such that the constraint holds afterwards.
    Havoc {
        targets: Vec<Designator>,
        constraint: Option<Expression>,
    },
}

impl Model {
    pub fn kind(&self, ty: TypeId) -> &TypeKind {
        &self.types[ty.0].kind
    }

    /// Whether CMurphi accepts the file and Rumur does not, because of unions, multisets or priorities. Where the tools
    /// give a file different meanings (`docs/language.md` lists them), such a file has CMurphi's meaning, and every
    /// other file Rumur's.
    pub fn is_cmurphi_only(&self) -> bool {
        let only_cmurphi = |ty: &Type| matches!(ty.kind, TypeKind::Union { .. } | TypeKind::Multiset { .. });
        self.has_priorities || self.types.iter().any(only_cmurphi)
    }
}
