//! What `cubist validate` says of the certificate of an exploration.

use super::Header;
use crate::status::Status;
use crate::terminal::{Paint, grouped};
use driver::Revisited;
use serde::Serialize;
use std::path::Path;
use validate::ParsedExploration;

pub(crate) struct Answer<'a> {
    pub(crate) file: &'a Path,
    pub(crate) model: &'a Path,
    pub(crate) certificate: &'a ParsedExploration,
    pub(crate) revisited: &'a Revisited,
}

#[derive(Serialize)]
pub(crate) struct Json<'a> {
    #[serde(flatten)]
    header: Header,
    verdict: &'static str,
    model: String,
    properties: &'a [String],
    /// As the certificate says.
    states: u64,
    /// Those that the second interpreter saw, without symmetry.
    again: Option<u64>,
    error: Option<&'a str>,
}

impl Answer<'_> {
    pub(crate) fn status(&self) -> Status {
        match self.revisited {
            Revisited::Confirmed(_) => Status::Done,
            Revisited::Refused(_) => Status::Violated,
            Revisited::Stopped => Status::Incomplete,
        }
    }

    pub(crate) fn json(&self) -> Json<'_> {
        Json {
            header: Header::new(&self.file.to_string_lossy()),
            verdict: match self.revisited {
                Revisited::Confirmed(_) => "confirmed",
                Revisited::Refused(_) => "refused",
                Revisited::Stopped => "undecided",
            },
            model: self.model.display().to_string(),
            properties: &self.certificate.properties,
            states: self.certificate.counted.states,
            again: match self.revisited {
                Revisited::Confirmed(confirmed) => Some(confirmed.again().states),
                _ => None,
            },
            error: match self.revisited {
                Revisited::Refused(reason) => Some(reason),
                _ => None,
            },
        }
    }

    pub(crate) fn text(&self, paint: Paint) -> String {
        let (file, model) = (self.file.display(), self.model.display());
        match self.revisited {
            Revisited::Confirmed(confirmed) => {
                let states = grouped(self.certificate.counted.states);
                let again = grouped(confirmed.again().states);
                format!(
                    "{} all {states} states of {model} were seen again.\n\
                     A second interpreter, which knows no symmetry, has seen all of its {again}.\n",
                    paint.good("Confirmed:")
                )
            }
            Revisited::Refused(reason) => format!("{} {file}: {reason}.\n", paint.bad("Refused:")),
            Revisited::Stopped => format!(
                "{} the time limit was reached before all states were seen again.\n",
                paint.doubtful("Undecided:")
            ),
        }
    }
}
