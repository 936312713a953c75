//! The options of `cubist validate`.

use super::program::DataModelName;
use super::shared::languages;
use clap::Args;
use driver::Question;
use driver::about::assignment;
use driver::duration;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args, Debug, Clone)]
pub(crate) struct Validate {
    /// The certificate, or a witness of SV-COMP (.yml); - is the standard input
    pub(crate) file: PathBuf,

    /// Read this model again, and refuse a certificate that is not about it. It is read with the options that the
    /// certificate names; those that are given here must be the same. For a certificate of `conform`, once for each
    /// file: the specification (.spec, .aut) and the components (.c, .i)
    #[arg(long = "model", value_name = "FILE")]
    pub(crate) models: Vec<PathBuf>,

    /// The language of the model, whatever its name [default for the standard input: Murphi]
    #[arg(long, value_name = "LANGUAGE", value_parser = languages(), ignore_case = true, requires = "models")]
    pub(crate) language: Option<String>,

    /// As in `check`
    #[arg(long = "size", value_name = "T=N", value_parser = assignment, requires = "models")]
    pub(crate) sizes: Vec<(String, i64)>,

    /// As in `check`
    #[arg(long = "const", value_name = "NAME=VALUE", value_parser = assignment, requires = "models")]
    pub(crate) constants: Vec<(String, i64)>,

    /// As in `check`
    #[arg(long, value_name = "T", requires = "models")]
    pub(crate) parametric: Vec<String>,

    /// As in `check`
    #[arg(long, value_name = "T", requires = "models")]
    pub(crate) fixed: Vec<String>,

    /// Where the file of properties is now [default: where it was]
    #[arg(long, value_name = "FILE", requires = "models")]
    pub(crate) properties: Option<PathBuf>,

    /// Where the file of further properties is now [default: where it was]
    #[arg(long, value_name = "FILE", requires = "models")]
    pub(crate) also: Option<PathBuf>,

    /// Where the file of predicates is now [default: where it was]
    #[arg(long, value_name = "FILE", requires = "models")]
    pub(crate) predicates: Option<PathBuf>,

    /// Refuse a witness that is about another property than this property file of SV-COMP says
    #[arg(long, value_name = "FILE.prp", requires = "models", help_heading = "Witnesses")]
    pub(crate) property: Option<PathBuf>,

    /// Refuse a witness that is about another data model
    #[arg(long, value_enum, requires = "models", help_heading = "Witnesses")]
    pub(crate) data_model: Option<DataModelName>,

    /// A folder in which the preprocessor looks for files
    #[arg(
        long,
        short = 'I',
        value_name = "DIR",
        requires = "models",
        help_heading = "Witnesses"
    )]
    pub(crate) include: Vec<PathBuf>,

    /// A macro for the preprocessor
    #[arg(
        long,
        short = 'D',
        value_name = "NAME[=VALUE]",
        requires = "models",
        help_heading = "Witnesses"
    )]
    pub(crate) define: Vec<String>,

    /// The solver: any program that reads SMT-LIB 2 from its standard input [default: cvc5, then z3]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) solver: Option<PathBuf>,

    /// Stop after this time: 10s, 2m, 1m30s, 500ms, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Validate {
    /// The model, where there is one.
    pub(crate) fn model(&self) -> anyhow::Result<Option<&PathBuf>> {
        match self.models.as_slice() {
            [] => Ok(None),
            [model] => Ok(Some(model)),
            _ => anyhow::bail!("only a certificate of components, which `conform` writes, is about several files"),
        }
    }

    /// Options that mean something for witnesses only, and whether they are given.
    pub(crate) fn of_witnesses(&self) -> [(&'static str, bool); 4] {
        [
            ("--property", self.property.is_some()),
            ("--data-model", self.data_model.is_some()),
            ("--include", !self.include.is_empty()),
            ("--define", !self.define.is_empty()),
        ]
    }

    /// Options that mean something for models only, and whether they are given.
    pub(crate) fn of_models(&self) -> [(&'static str, bool); 8] {
        [
            ("--language", self.language.is_some()),
            ("--size", !self.sizes.is_empty()),
            ("--const", !self.constants.is_empty()),
            ("--parametric", !self.parametric.is_empty()),
            ("--fixed", !self.fixed.is_empty()),
            ("--properties", self.properties.is_some()),
            ("--also", self.also.is_some()),
            ("--predicates", self.predicates.is_some()),
        ]
    }

    /// The model and the files that belong to it, to be read as the command line says.
    pub(crate) fn question(&self, model: &Path) -> Question {
        Question {
            file: model.to_owned(),
            reading: system::ReadOptions {
                sizes: self.sizes.clone(),
                constants: self.constants.clone(),
                parametric: self.parametric.clone(),
                fixed: self.fixed.clone(),
                integers: None,
                asserts_reads: false,
                language: self.language.clone(),
            },
            properties: self.properties.clone(),
            predicates: self.predicates.clone(),
            also: self.also.clone(),
            ..Question::default()
        }
    }
}
