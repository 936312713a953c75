//! What `cubist validate` says of the certificate of an exploration.

use super::Header;
use crate::terminal::{Paint, grouped};
use driver::RevalidatedExploration;
use report::Status;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use validate::ParsedExploration;

pub(crate) struct Answer<'a> {
    pub(crate) file: &'a Path,
    pub(crate) model: &'a Path,
    pub(crate) certificate: &'a ParsedExploration,
    pub(crate) revisited: &'a RevalidatedExploration,
}

#[derive(Serialize)]
pub(crate) struct Json<'a> {
    #[serde(flatten)]
    header: Header,
    verdict: &'static str,
    model: String,
    properties: &'a [String],
    /// Options and sizes of types, as the certificate says and the model confirms.
    options: &'a [String],
    sizes: &'a [String],
    /// The invariants of the model that the certificate is not about; null where it is not confirmed.
    left_out: Option<&'a [String]>,
    /// As the certificate says.
    states: u64,
    /// Those that the second interpreter saw, without symmetry.
    again: Option<u64>,
    error: Option<&'a str>,
}

impl Answer<'_> {
    pub(crate) fn status(&self) -> Status {
        match self.revisited {
            RevalidatedExploration::Confirmed { .. } => Status::Done,
            RevalidatedExploration::Refused(_) => Status::Violated,
            RevalidatedExploration::Stopped => Status::Incomplete,
        }
    }

    pub(crate) fn json(&self) -> Json<'_> {
        Json {
            header: Header::new(&self.file.to_string_lossy()),
            verdict: match self.revisited {
                RevalidatedExploration::Confirmed { .. } => "confirmed",
                RevalidatedExploration::Refused(_) => "refused",
                RevalidatedExploration::Stopped => "undecided",
            },
            model: self.model.display().to_string(),
            properties: &self.certificate.properties,
            options: self.said("option"),
            sizes: self.said("type"),
            left_out: match self.revisited {
                RevalidatedExploration::Confirmed { left_out, .. } => Some(left_out),
                _ => None,
            },
            states: self.certificate.counted.states,
            again: match self.revisited {
                RevalidatedExploration::Confirmed { exploration, .. } => Some(exploration.again().states),
                _ => None,
            },
            error: match self.revisited {
                RevalidatedExploration::Refused(reason) => Some(reason),
                _ => None,
            },
        }
    }

    /// What the header says under a word.
    fn said(&self, word: &str) -> &[String] {
        self.certificate.header.get(word).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn text(&self, paint: Paint) -> String {
        let (file, model) = (self.file.display(), self.model.display());
        match self.revisited {
            RevalidatedExploration::Confirmed { exploration, left_out } => {
                let states = grouped(self.certificate.counted.states);
                let again = grouped(exploration.again().states);
                let mut text = format!(
                    "{} all {states} states of {model} were seen again.\n\
                     A second interpreter, which knows no symmetry, has seen all of its {again}.\n",
                    paint.good("Confirmed:")
                );
                let options = self.said("option").join(" ");
                let options = if options.is_empty() { "none" } else { &options };
                let _ = writeln!(text, "  options  {options}");
                for size in self.said("type") {
                    let _ = writeln!(text, "  type     {size}");
                }
                let _ = writeln!(text, "\nEstablished:");
                for property in &self.certificate.properties {
                    let _ = writeln!(
                        text,
                        "- \"{property}\" holds in every reachable state of {model} as it is written"
                    );
                }
                let _ = writeln!(text, "- no assertion fails on the way to any of them");
                if !left_out.is_empty() {
                    let _ = writeln!(text, "\nNot established:");
                }
                for property in left_out {
                    let _ = writeln!(text, "- \"{property}\": the certificate is not about it");
                }
                text
            }
            RevalidatedExploration::Refused(reason) => format!("{} {file}: {reason}.\n", paint.bad("Refused:")),
            RevalidatedExploration::Stopped => format!(
                "{} the time limit was reached before all states were seen again.\n",
                paint.doubtful("Undecided:")
            ),
        }
    }
}
