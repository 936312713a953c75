//! Run-time errors of the model: values that end a run and are shown with a trace, never panics.

use system::Span;

/// What went wrong while code of the model ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    UndefinedRead,
    OutOfRange,
    IndexOutOfBounds,
    /// An `assert` of the source does not hold.
    Assertion,
    /// An `error` statement was reached.
    Error,
    DivisionByZero,
    /// A number beyond 64 bits.
    Overflow,
    EmptyList,
    /// A function ended without returning a value.
    NoResult,
    LoopLimit,
    RecursionLimit,
    MultisetFull,
    /// Removal of an element that a multiset does not have.
    MultisetAbsent,
    /// The instance itself is wrong: a mistake of the front end that made it.
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

    /// The message of faults that arithmetic alone can tell.
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
