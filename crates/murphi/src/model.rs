//! The typed model: every name resolved, every expression with its type, constants folded, rulesets flattened.
//!
//! It is what `compile` turns into a finite instance and `lower` into a transition system. A model is made for given
//! values of the constants (`--size`, `--const`); types that a proof may take at any size are marked `parametric`.

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
    /// Whether any rule comes before others.
    pub has_priorities: bool,
    pub properties: Vec<Property>,
    /// The names of liveness properties, which nothing looks at.
    pub liveness: Vec<String>,
    pub axioms: Vec<Formula>,
    /// Their index variables are those of `locals` that are free in the condition.
    pub predicates: Vec<Formula>,
    /// For each type that could be of any size in a proof, whether it is and why not.
    pub decisions: Vec<ParametricDecision>,
}

#[derive(Clone, Debug)]
pub struct Type {
    /// As declared; anonymous types have none.
    pub name: Option<String>,
    pub kind: TypeKind,
    /// Set where a proof takes the type at any size.
    pub parametric: Option<Parametric>,
    pub span: Span,
}

/// The type is used only as a scalarset is, except that its values may be ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parametric {
    /// Literals of the type that the source mentions (a home node): distinguished elements, in increasing order.
    pub literals: Vec<i64>,
    /// Values are compared by order.
    pub ordered: bool,
    /// Anonymous ranges that stand for one and the same parametric type, such as two times `1..N`, share this
    /// representative.
    pub representative: TypeId,
}

/// Whether a proof takes a scalarset, or a range used like one, at any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParametricDecision {
    /// As declared, or as the bounds are written: `1..N`.
    pub name: String,
    /// Whether `name` means this type wherever the file is spoken of: other types have no name, or one that only a
    /// rule knows.
    pub has_name: bool,
    /// The constant whose value is the number of its elements, where there is one.
    pub constant: Option<String>,
    /// The declaration.
    pub span: Span,
    /// The types that stand for the same set of values, such as each `1..N`; the first is the representative.
    pub types: Vec<TypeId>,
    pub outcome: ProofSize,
}

/// Why a type cannot be of any size, and where that shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// A sentence such as "its values are added by `+`".
    pub reason: String,
    /// The default where no one place is to blame.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofSize {
    Parametric {
        /// The values that the source mentions.
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
    /// Members are enumerations, scalarsets and ranges; unions inside are flattened.
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
    /// Something was wrong with it, and has been reported.
    Error,
}

impl TypeKind {
    /// Values that are no numbers, but have a position.
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

/// A constant (no parameters), function or relation that only axioms speak about. Values never change.
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

/// A name that lives in one rule, property or subprogram.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: TypeId,
    pub kind: LocalKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A local variable: undefined when its block starts.
    Variable,
    /// A parameter by value: a variable that starts with the argument (which may be undefined).
    Value,
    /// A `var` parameter.
    Reference,
    /// Bound by a ruleset, quantifier, loop, `choose` or `index`: cannot be assigned.
    Bound,
    /// Another name for a place, fixed when the alias is reached.
    Alias,
    /// The value of an expression, computed when the alias is reached.
    AliasValue,
}

/// A rule or start. `context` is what surrounds it, outermost first.
#[derive(Clone, Debug)]
pub struct Rule {
    pub name: String,
    /// Of the enabled rules of an instance, those with the least number fire. Proofs let all of them fire.
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
    /// Takes the number of each present element of a multiset in turn.
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
    /// Never `Liveness`, which is reported and left out.
    pub kind: PropertyKind,
    /// Rulesets around it: it holds for all their values.
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
    /// The only value of `p to p`: a range that needs no order of its values.
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

/// A place: something that can be read, and assigned unless its root is bound.
#[derive(Clone, Debug)]
pub struct Designator {
    pub root: Root,
    pub selectors: Vec<Selector>,
    /// The type of the whole.
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
    /// Position of the field in its record.
    Field(usize),
    /// Already converted to the index type of the array.
    Index(Expression),
    /// The element of a multiset with this number.
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
    /// A number, a Boolean (0 or 1) or the position of an enumerator, as the type says.
    Literal(i64),
    EmptyList,
    Read(Designator),
    /// From a member of a union to the union, or back (an error at run time where the value is of another member).
    /// Any number stands for a value of the range among the members, of which there is at most one.
    Convert(Box<Expression>),
    Unary(Unary, Box<Expression>),
    /// Operands of comparisons have been converted to a common type; they may be records or arrays for `Equal`
    /// and `NotEqual`. `Greater` and `GreaterEqual` keep their order of evaluation and therefore stay.
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
    /// Something was wrong, and has been reported.
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
    /// The value has been converted to the type of the target, which may be a record or array.
    Assign {
        target: Designator,
        value: Expression,
    },
    If {
        branches: Vec<(Expression, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
    /// Case labels have been converted to the type of the subject.
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
    /// Any values of the targets' types for which the constraint holds afterwards.
    Havoc {
        targets: Vec<Designator>,
        constraint: Option<Expression>,
    },
}

impl Model {
    pub fn kind(&self, ty: TypeId) -> &TypeKind {
        &self.types[ty.0].kind
    }

    /// Whether CMurphi accepts the file and Rumur does not, for its unions, multisets and priorities. Where the two
    /// give a file different meanings (`docs/language.md` lists them), such a file means what CMurphi makes of it, and
    /// every other what Rumur does.
    pub fn is_cmurphi_only(&self) -> bool {
        let only_cmurphi = |ty: &Type| matches!(ty.kind, TypeKind::Union { .. } | TypeKind::Multiset { .. });
        self.has_priorities || self.types.iter().any(only_cmurphi)
    }
}
