//! Results that are written for other programs, beside what is printed.

use crate::outcomes;
use anyhow::Context as _;
use clap::Args;
use driver::write_whole;
use report::{Finished, junit, sarif};
use std::path::{Path, PathBuf};

/// Results for other programs.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct Outputs {
    /// Write the results into this file as JUnit XML: a test case for each property
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Write the results into this file as SARIF 2.1.0: violations with their runs, and messages about the models
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,

    /// For the program itself, which looks at each of several models in a process of its own
    #[arg(long, hide = true, value_name = "PROCESS:NUMBER:FILE", value_parser = part)]
    pub(crate) part: Option<Part>,
}

impl Outputs {
    pub(crate) fn is_wanted(&self) -> bool {
        self.part.is_some() || self.junit.is_some() || self.sarif.is_some()
    }

    /// Writes the results of all models.
    pub(crate) fn write(&self, all: &[Finished]) -> anyhow::Result<()> {
        let write = |path: &Path, text: &str| {
            write_whole(path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        if let (Some(part), [finished]) = (&self.part, all) {
            return write(&part.report, &serde_json::to_string(&finished.report)?);
        }
        if let Some(path) = &self.junit {
            write(path, &junit::text(all)?)?;
        }
        if let Some(path) = &self.sarif {
            write(path, &outcomes::json(&sarif::log(all))?)?;
        }
        Ok(())
    }
}

/// Which process has started this one, which of several models it is about, and where its report for programs goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) parent: u32,
    pub(crate) number: usize,
    pub(crate) report: PathBuf,
}

fn part(text: &str) -> Result<Part, String> {
    let parsed = || {
        let (parent, rest) = text.split_once(':')?;
        let (number, report) = rest.split_once(':')?;
        Some(Part {
            parent: parent.parse().ok()?,
            number: number.parse().ok()?,
            report: PathBuf::from(report),
        })
    };
    parsed().ok_or_else(|| "expected PROCESS:NUMBER:FILE".to_owned())
}
