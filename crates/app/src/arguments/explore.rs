//! The options of `cubist explore`.

use super::program::{Meaning, Specified};
use super::shared::{Reading, Style, first, threads};
use crate::outputs::Outputs;
use clap::{Args, ValueEnum};
use driver::duration;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args, Debug, Clone)]
pub(crate) struct Explore {
    /// The models: .m is Murphi, .cub is Cubicle, - is the standard input; or programs: .c is C, .i the same after the
    /// preprocessor
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Search all states, also those that differ only by renaming elements of scalarsets
    #[arg(long)]
    pub(crate) no_symmetry: bool,

    /// What counts as a deadlock: `stuck`, no rule can fire; `stuttering`, no rule leads to another state
    /// [default: stuttering for Murphi, off for Cubicle]
    #[arg(long, value_enum)]
    pub(crate) deadlock: Option<Deadlock>,

    /// Stop after this many states
    #[arg(long, value_name = "N")]
    pub(crate) max_states: Option<u64>,

    /// Go no further than this many rules from an initial state
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u32>,

    /// Make this many random runs instead of a search
    #[arg(long, value_name = "RUNS", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["graph", "max_states", "max_depth"])]
    pub(crate) simulate: Option<u64>,

    /// Rules in each random run
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "simulate")]
    pub(crate) steps: u64,

    /// What the random runs start from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Show whole states in traces, not only what changed
    #[arg(long)]
    pub(crate) full_states: bool,

    /// Draw the state graph of a small instance into this file, ending in .svg or .dot
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,

    /// Draw the run of a violation, or a random run, as a message sequence chart into this file, ending in .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,

    /// Threads to search with
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = threads)]
    pub(crate) jobs: usize,

    /// Stop after this time: 10s, 2m, 1m30s, 500ms, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when the search takes more memory than this
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub(crate) memory: Option<u64>,

    #[command(flatten)]
    pub(crate) outputs: Outputs,

    #[command(flatten)]
    pub(crate) style: Style,

    #[command(flatten)]
    pub(crate) specified: Specified,

    #[command(flatten)]
    pub(crate) meaning: Meaning,
}

impl Explore {
    /// The model, where there is one only.
    pub(crate) fn file(&self) -> &Path {
        first(&self.files)
    }
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deadlock {
    Off,
    Stuck,
    Stuttering,
}
