//! The syntax tree, with names as written.

use std::collections::BTreeSet;
use system::Span;

#[derive(Clone, Debug)]
pub(crate) struct Identifier {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) globals: Vec<Identifier>,
    pub(crate) enforced: Vec<Expression>,
    pub(crate) procedures: Vec<Procedure>,
    /// Names in text that was skipped because of errors.
    pub(crate) unread: BTreeSet<String>,
}

#[derive(Debug)]
pub(crate) struct Procedure {
    pub(crate) name: Identifier,
    pub(crate) results: usize,
    pub(crate) parameters: Vec<Identifier>,
    pub(crate) locals: Vec<Identifier>,
    pub(crate) enforced: Vec<Expression>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) labels: Vec<Identifier>,
    pub(crate) action: Action,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum Action {
    /// Also represents statements with syntax errors, and `print`.
    Skip(Vec<Expression>),
    Assign {
        targets: Vec<Identifier>,
        values: Vec<Expression>,
        constraint: Option<Expression>,
    },
    Dead(Vec<Identifier>),
    Assume(Expression),
    Assert(Expression),
    Goto(Vec<Identifier>),
    Call {
        results: Vec<Identifier>,
        procedure: Identifier,
        arguments: Vec<Expression>,
    },
    Return(Vec<Expression>),
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    While {
        condition: Expression,
        body: Vec<Statement>,
    },
}

#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum ExpressionKind {
    Constant(bool),
    Any,
    Name(String),
    Next(String),
    Not(Box<Expression>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Implies,
    Equal,
    Differ,
    Choose,
}
