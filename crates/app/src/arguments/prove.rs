//! The options of `cubist prove` and `cubist serve`: the same session, in a terminal and in a browser.

use super::check::Check;
use super::shared::{Reading, Style};
use clap::Args;
use driver::duration;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug, Clone)]
pub(crate) struct Prove {
    /// The model: .m is Murphi, .cub is Cubicle
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Prove this property only
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,

    /// Prove the properties of this file, too: in the language of the model, and about its names
    #[arg(long, value_name = "FILE")]
    pub(crate) properties: Option<PathBuf>,

    /// Take the steps of this file, and end: exit status 0 where they finish the proof
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,

    /// Go on from the steps of this file, if it is there, and keep all steps in it
    #[arg(long, value_name = "FILE", conflicts_with = "script")]
    pub(crate) session: Option<PathBuf>,

    /// Begin with what a run of `check --run DIR` found out
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,

    /// Write the invariant and its proof obligations into this SMT-LIB 2 file, at `qed`
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,

    /// Stop after this time: 10s, 2m, 1m30s, 500ms, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) style: Style,
}

impl Prove {
    /// The question that `qed` answers.
    pub(crate) fn check(&self) -> Check {
        Check {
            files: vec![self.file.clone()],
            reading: self.reading.clone(),
            property: self.property.clone(),
            properties: self.properties.clone(),
            certificate: self.certificate.clone(),
            timeout: self.timeout,
            style: self.style.clone(),
            ..Check::default()
        }
    }
}

#[derive(Args, Debug, Clone)]
pub(crate) struct Serve {
    /// The model: .m is Murphi, .cub is Cubicle
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Prove this property only
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,

    /// Prove the properties of this file, too: in the language of the model, and about its names
    #[arg(long, value_name = "FILE")]
    pub(crate) properties: Option<PathBuf>,

    /// Go on from the steps of this file, if it is there, and keep all steps in it
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,

    /// Begin with what a run of `check --run DIR` found out
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,

    /// Listen on this port of 127.0.0.1 [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
}

impl Serve {
    /// The question that `qed` answers.
    pub(crate) fn check(&self) -> Check {
        Check {
            files: vec![self.file.clone()],
            reading: self.reading.clone(),
            property: self.property.clone(),
            properties: self.properties.clone(),
            ..Check::default()
        }
    }
}
