//! Run-time errors of the model: values that end a run and are shown with a trace, never panics.

use system::Span;

/// The kind of a run-time error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    UndefinedRead,
    OutOfRange,
    IndexOutOfBounds,
    /// An `assert` of the source failed.
    Assertion,
    /// An `error` statement was reached.
    Error,
    DivisionByZero,
    /// Overflow of 64 bits.
    Overflow,
    EmptyList,
    /// A function ended without returning a value.
    NoResult,
    LoopLimit,
    RecursionLimit,
    MultisetFull,
    /// Removal of an absent element of a multiset.
    MultisetAbsent,
    /// The instance is malformed: a bug of the front end.
    Malformed,
}

/// A run-time error with its place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    /// One sentence without a full stop.
    pub message: String,
    pub span: Span,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, span: Span, message: impl Into<String>) -> Fault {
        Fault {
            kind,
            message: message.into(),
            span,
        }
    }

    /// The message of a fault that arithmetic alone determines.
    pub(crate) fn arithmetic(kind: FaultKind, span: Span) -> Fault {
        let message = match kind {
            FaultKind::DivisionByZero => "division by zero",
            _ => "number beyond 64 bits",
        };
        Fault::new(kind, span, message)
    }

    pub(crate) fn index(value: i64, low: i64, high: i64, span: Span) -> Fault {
        Fault::new(
            FaultKind::IndexOutOfBounds,
            span,
            format!("index {value} is outside {low}..{high}"),
        )
    }

    pub(crate) fn malformed(span: Span, message: &str) -> Fault {
        Fault::new(FaultKind::Malformed, span, format!("malformed instance: {message}"))
    }
}
