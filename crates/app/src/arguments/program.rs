//! How a C program is meant, and what is to be shown of it.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How a C program is meant.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "C programs")]
pub(crate) struct Meaning {
    /// How wide the types are
    #[arg(long, value_enum, default_value_t = DataModelName::Lp64)]
    pub(crate) data_model: DataModelName,

    /// What becomes of undefined behaviour [default: report, and wrap for check]
    #[arg(long, value_enum)]
    pub(crate) undefined: Option<UndefinedName>,

    /// What integers are
    #[arg(long, value_enum, default_value_t = IntsName::Machine)]
    pub(crate) ints: IntsName,

    /// What lies behind the end of an object
    #[arg(long, value_enum, default_value_t = MemoryModelName::Machine)]
    pub(crate) memory_model: MemoryModelName,

    /// Where runs begin [default: main]
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Option<String>,

    /// A call of this function is an error, beside those of reach_error and __VERIFIER_error
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) error_function: Vec<String>,

    /// To reach this label is an error, also in a Boolean program
    #[arg(long, value_name = "LABEL")]
    pub(crate) error_label: Vec<String>,

    /// A rule about calls that the program must keep: a file that ends in .rule
    #[arg(long, value_name = "FILE")]
    pub(crate) rule: Vec<PathBuf>,

    /// A folder in which the preprocessor looks for files
    #[arg(long, short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,

    /// A macro for the preprocessor
    #[arg(long, short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
}

/// What is to be shown of a C program, instead of all that is an error by itself.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "C programs")]
pub(crate) struct Specified {
    /// Only what this property file of SV-COMP says is an error
    #[arg(long, value_name = "FILE.prp", conflicts_with_all = ["entry", "error_function", "error_label"])]
    pub(crate) property: Option<PathBuf>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DataModelName {
    /// int, long and pointers have 32 bits, as with gcc -m32
    Ilp32,
    /// long and pointers have 64 bits, as with gcc -m64
    #[default]
    Lp64,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum IntsName {
    /// Those of the machine: as wide as their types are
    #[default]
    Machine,
    /// Those of mathematics, as in the papers: none is too large for its type
    Unbounded,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MemoryModelName {
    /// Nothing: an access there is undefined
    #[default]
    Machine,
    /// Memory of its own that nobody has written, as in SLAM: violations are looked for, and nothing is proved
    Logical,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndefinedName {
    /// It is a finding, and the run ends
    Report,
    /// The run ends, and nothing is said
    AssumeAbsent,
    /// Signed numbers wrap around
    Wrap,
}

impl Meaning {
    /// An option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let labels = ("--error-label", !self.error_label.is_empty());
        let given = self.of_c().into_iter().chain([labels]).find(|(_, is_given)| *is_given);
        given.map(|(option, _)| option)
    }

    /// The options that only C programs have, and whether they were given.
    pub(crate) fn of_c(&self) -> [(&'static str, bool); 9] {
        [
            ("--data-model", self.data_model != DataModelName::default()),
            ("--undefined", self.undefined.is_some()),
            ("--ints", self.is_unbounded()),
            ("--memory-model", self.is_logical()),
            ("--entry", self.entry.is_some()),
            ("--error-function", !self.error_function.is_empty()),
            ("--rule", !self.rule.is_empty()),
            ("--include", !self.include.is_empty()),
            ("--define", !self.define.is_empty()),
        ]
    }

    /// An error where an option was given that means nothing for a model.
    pub(crate) fn refuse(&self) -> anyhow::Result<()> {
        match self.given() {
            Some(option) => anyhow::bail!("{option} is about programs: it means nothing for a model"),
            None => Ok(()),
        }
    }

    pub(crate) fn is_unbounded(&self) -> bool {
        self.ints == IntsName::Unbounded
    }

    pub(crate) fn is_logical(&self) -> bool {
        self.memory_model == MemoryModelName::Logical
    }

    pub(crate) fn undefined(&self) -> UndefinedName {
        self.undefined.unwrap_or(UndefinedName::Report)
    }

    pub(crate) fn data_model(&self) -> c::DataModel {
        self.data_model.data_model()
    }
}

impl DataModelName {
    pub(crate) fn data_model(self) -> c::DataModel {
        match self {
            DataModelName::Ilp32 => c::DataModel::Ilp32,
            DataModelName::Lp64 => c::DataModel::Lp64,
        }
    }
}
