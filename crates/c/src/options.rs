//! Options of the front end.

use crate::preprocess::Preprocessing;
use crate::specification::Specification;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The widths of types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits: x86, `gcc -m32`.
    Ilp32,
    /// `long` and pointers have 64 bits: x86-64 on Linux, `gcc -m64`.
    #[default]
    Lp64,
}

impl DataModel {
    pub const ALL: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

    pub fn pointer_bits(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// The corresponding option of gcc.
    pub fn gcc_option(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "-m32",
            DataModel::Lp64 => "-m64",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub data_model: DataModel,
    /// Labels that must not be reached.
    pub error_labels: Vec<String>,
    /// Functions whose calls are errors, regardless of their bodies.
    pub error_functions: Vec<String>,
    /// Whether a failing assertion is an error; otherwise it only ends the program.
    pub assertions: bool,
    /// The entry function.
    pub entry: String,
    /// Include directories for the preprocessor.
    pub include_paths: Vec<PathBuf>,
    /// Macro definitions: `NAME` or `NAME=VALUE`.
    pub definitions: Vec<String>,
    /// Rules about calls, which are woven into the program.
    pub rules: Vec<RuleFile>,
    /// Global variables that are referenced elsewhere: they are kept even if unused.
    pub variables: Vec<String>,
    /// Functions that the user specifies elsewhere by an abstraction: without a body they are external, regardless of
    /// the meaning of their names in the C library, SV-COMP or gcc.
    pub specified: BTreeSet<String>,
}

/// A rule file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleFile {
    /// Its name in messages.
    pub name: String,
    pub text: String,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            data_model: DataModel::default(),
            error_labels: Vec::new(),
            error_functions: vec!["__VERIFIER_error".to_owned(), "reach_error".to_owned()],
            assertions: true,
            entry: "main".to_owned(),
            include_paths: Vec::new(),
            definitions: Vec::new(),
            rules: Vec::new(),
            variables: Vec::new(),
            specified: BTreeSet::new(),
        }
    }
}

impl Options {
    pub fn new(data_model: DataModel) -> Options {
        Options {
            data_model,
            ..Options::default()
        }
    }

    /// Only what a property file lists is an error.
    pub fn specify(&mut self, specification: &Specification) {
        self.error_functions.clone_from(&specification.functions);
        self.error_labels.clone_from(&specification.labels);
        self.assertions = false;
        self.entry.clone_from(&specification.entry);
    }

    pub(crate) fn preprocessing(&self) -> Preprocessing {
        Preprocessing {
            program: None,
            machine: Some(self.data_model.gcc_option()),
            include_paths: self.include_paths.clone(),
            definitions: self.definitions.clone(),
        }
    }
}
