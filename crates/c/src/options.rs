//! What a user can say about how a C program is meant.

use crate::preprocess::Preprocessing;
use crate::specification::Specification;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How wide the types are.
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

    /// The option that makes gcc mean the same.
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
    /// Functions whose calls are errors, whatever their bodies say.
    pub error_functions: Vec<String>,
    /// Whether an assertion that fails is an error; else, the program only ends there.
    pub assertions: bool,
    /// Where runs begin.
    pub entry: String,
    /// Where the preprocessor looks for files.
    pub include_paths: Vec<PathBuf>,
    /// What it defines: `NAME` or `NAME=VALUE`.
    pub definitions: Vec<String>,
    /// Rules about calls, which are woven in.
    pub rules: Vec<RuleFile>,
    /// Variables of the file that somebody speaks of: they stay where no function uses them.
    pub variables: Vec<String>,
    /// Functions whose meaning the user gives elsewhere, by an abstraction: without a body they are external, whatever
    /// the C library, SV-COMP or gcc means by their names.
    pub specified: BTreeSet<String>,
}

/// A file of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleFile {
    /// As messages call it.
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

    /// Only what a property file says is an error.
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
