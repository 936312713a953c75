//! The options of `cubist-bench`.

use clap::{Parser, ValueEnum};
use driver::duration;
use std::path::PathBuf;
use std::time::Duration;

/// Measures Cubist against papers and peers
#[derive(Parser, Debug, Clone)]
#[command(name = "cubist-bench", version)]
pub(crate) struct Bench {
    /// Which one
    #[arg(value_enum, required_unless_present = "all")]
    pub(crate) name: Option<BenchName>,

    /// Run every bench
    #[arg(long)]
    pub(crate) all: bool,

    /// What one proof may take
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "60s")]
    pub(crate) timeout: Duration,

    /// The smallest case only, once: whether the bench can be run
    #[arg(long)]
    pub(crate) smoke: bool,

    /// Where Cubicle is, for `peers` [default: `cubicle`, if there is one]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) cubicle: Option<PathBuf>,

    /// Where CBMC is, for `c` [default: `cbmc`, if there is one]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) cbmc: Option<PathBuf>,

    /// Where the compiler of CMurphi is, for `cmurphi` [default: `mu`, if there is one]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) mu: Option<PathBuf>,

    /// The folder of CMurphi's headers [default: `include` beside the folder of `mu`]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) mu_include: Option<PathBuf>,

    /// Write the tables into this Markdown file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BenchName {
    /// Speed and memory of exploration, against the checkers that Rumur generates
    Rumur,
    /// Speed of exploration with symmetry, against the verifiers that CMurphi generates
    Cmurphi,
    /// Predicate abstraction, against the tables of Das's thesis
    Das,
    /// Quantified invariants from indexed predicates, against the paper of Lahiri and Bryant
    Indexed,
    /// Verdict, time and solver calls on the files of Cubicle, against Cubicle and against Z3's Spacer
    Peers,
    /// What predicates cost that a proof does not need, with a drawing beside `--output`
    Growth,
    /// What `check` says about every model, of ours and of others, with and without their predicates
    Files,
    /// Whether `check` says the same where the machine is busy, on thirty files
    Load,
    /// What `check` says about C programs: those of competitions, and locks in growing numbers
    C,
    /// What `conform` says about the components of models/conformance, with one level and two, and as few predicates or
    /// more
    Magic,
}
