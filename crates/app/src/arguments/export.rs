//! The options of `cubist export`.

use super::shared::Reading;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args, Debug, Clone)]
pub(crate) struct Export {
    /// The model: .m is Murphi, .cub is Cubicle, - is the standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// The language to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: ExportFormat,

    /// Write into this file instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// VMT-LIB, state functions as arrays
    Vmt,
    /// Constrained Horn clauses, for Spacer and its like
    Chc,
    /// SMT-LIB 2: the system as definitions
    Smt2,
}
