//! How the program ends.

use crate::outcome::Verdict;
use std::process::ExitCode;

/// The exit statuses, the same for every command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
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
    pub fn code(self) -> u8 {
        match self {
            Status::Done => 0,
            Status::Violated => 10,
            Status::Incomplete => 20,
            Status::Rejected => 2,
            Status::Internal => 70,
        }
    }

    /// What the exit status of another process of ours means.
    pub fn of_code(code: Option<i32>) -> Status {
        match code {
            Some(0) => Status::Done,
            Some(10) => Status::Violated,
            Some(20) => Status::Incomplete,
            Some(2) => Status::Rejected,
            _ => Status::Internal,
        }
    }

    /// The worst of several: a bug of Cubist before a violation, then input that cannot be read, then *unknown*.
    pub fn worst(statuses: impl IntoIterator<Item = Status>) -> Status {
        let rank = |status: &Status| match status {
            Status::Done => 0,
            Status::Incomplete => 1,
            Status::Rejected => 2,
            Status::Violated => 3,
            Status::Internal => 4,
        };
        statuses.into_iter().max_by_key(rank).unwrap_or(Status::Done)
    }

    /// The verdict of a command that ends with this status.
    pub fn verdict(self) -> Verdict {
        match self {
            Status::Done => Verdict::Safe,
            Status::Violated => Verdict::Unsafe,
            Status::Incomplete | Status::Rejected | Status::Internal => Verdict::Unknown,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}
