//! How the program ends.

use std::process::ExitCode;

/// The exit statuses, the same for every command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Everything asked was shown: for `explore`, no violation in the instance.
    Done,
    /// A property is violated.
    Violated,
    /// A limit was hit, or Ctrl-C pressed, before there was an answer.
    Incomplete,
    /// The input or the command line is wrong, or a file cannot be written.
    Rejected,
    /// A bug of Cubist.
    Internal,
}

impl Status {
    pub(crate) fn code(self) -> u8 {
        match self {
            Status::Done => 0,
            Status::Violated => 10,
            Status::Incomplete => 20,
            Status::Rejected => 2,
            Status::Internal => 70,
        }
    }

    /// The word of the JSON field `verdict`.
    pub(crate) fn verdict(self) -> &'static str {
        match self {
            Status::Done => "safe",
            Status::Violated => "unsafe",
            Status::Incomplete | Status::Rejected | Status::Internal => "unknown",
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}
