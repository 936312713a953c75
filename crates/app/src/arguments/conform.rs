//! The options of `cubist conform`.

use super::program::{DataModelName, UndefinedName};
use super::shared::Style;
use clap::{Args, ValueEnum};
use driver::duration;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug, Clone)]
pub(crate) struct Conform {
    /// The C files in which the components are: .c, or .i after the preprocessor
    #[arg(required = true, value_name = "FILE.c")]
    pub(crate) files: Vec<PathBuf>,

    /// What they must conform to, and what is assumed of library routines; may be in several files. An `.aut` file is a
    /// process with the name of the file
    #[arg(long, value_name = "FILE.spec", required = true)]
    pub(crate) spec: Vec<PathBuf>,

    /// How branches are chosen whose conditions become predicates
    #[arg(long, value_enum, default_value_t = MinimisationName::Minimum)]
    pub(crate) minimise: MinimisationName,

    /// Predicate abstraction alone, or with states put together by their actions
    #[arg(long, value_enum, default_value_t = LevelsName::Two)]
    pub(crate) levels: LevelsName,

    /// Combinations of branches that are tried for each counterexample
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_subsets: usize,

    /// Combinations that eliminate it, of which the best are put together
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max_eliminating: usize,

    /// Branches in such a combination
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) max_size: usize,

    /// Predicates of a branch at any place of a component
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) max_predicates: usize,

    /// Draw the trace of a violation into this file, ending in .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,

    /// Write the answer as a page of HTML: verdicts, the trace as a chart, and the sources with its lines marked
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Write the specification and, where they conform, what stands for each component in the proof into this folder,
    /// as systems in Aldebaran's format: NAME-PROCESS.aut, NAME-COMPONENT.aut
    #[arg(long, value_name = "FOLDER")]
    pub(crate) aut: Option<PathBuf>,

    /// Write the proof into this SMT-LIB 2 file, where all components conform; `cubist validate` confirms it
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,

    /// Stop after this time: 10s, 2m, 1m30s, 500ms, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when more memory than this is taken
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub(crate) memory: Option<u64>,

    #[command(flatten)]
    pub(crate) style: Style,

    /// How wide the types are
    #[arg(long, value_enum, default_value_t = DataModelName::Lp64)]
    pub(crate) data_model: DataModelName,

    /// What becomes of undefined behaviour [default: wrap]
    #[arg(long, value_enum)]
    pub(crate) undefined: Option<UndefinedName>,

    /// A folder in which the preprocessor looks for files
    #[arg(long, short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,

    /// A macro for the preprocessor
    #[arg(long, short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MinimisationName {
    /// Whatever eliminates a counterexample stays
    None,
    /// What can go alone goes
    Greedy,
    /// As few as eliminate all counterexamples
    Minimum,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LevelsName {
    One,
    Two,
}
