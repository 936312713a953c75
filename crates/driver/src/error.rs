//! Why a question cannot be worked on.

use smt::SolverError;
use std::io;
use system::Rejected;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The model, or a file that adds something to it, is wrong.
    #[error(transparent)]
    Rejected(#[from] Rejected),
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// What is asked for does not fit the model, the certificate or the run folder.
    #[error("{0}")]
    Refused(String),
    #[error("{what}: {cause}")]
    Io { what: String, cause: io::Error },
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn refused(message: impl Into<String>) -> Error {
        Error::Refused(message.into())
    }

    /// Something went wrong with a file, or with the system.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        move |cause| Error::Io {
            what: what.into(),
            cause,
        }
    }
}
