//! The options of `cubist show`.

use super::program::{Meaning, Specified};
use super::shared::Reading;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug, Clone)]
pub(crate) struct Show {
    /// The model: .m is Murphi, .cub is Cubicle, - is the standard input; or a program: .c is C, .i the same after the
    /// preprocessor, .bp is a Boolean program
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Of a program: what pointers may point at
    #[arg(long)]
    pub(crate) points_to: bool,

    /// Of a program: draw which procedures call which into this file, ending in .svg or .dot
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,

    /// Draw the control flow of this procedure instead
    #[arg(long, value_name = "NAME", requires = "graph")]
    pub(crate) procedure: Option<String>,

    /// Print the transition system that proofs are about, or all steps of a program
    #[arg(long)]
    pub(crate) system: bool,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Leave out warnings; of a Boolean program, print its text only
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) specified: Specified,

    #[command(flatten)]
    pub(crate) meaning: Meaning,
}
