//! What `cubist validate` says: what was established, and what was not.

use super::Header;
use crate::terminal::Paint;
use driver::about;
use report::Status;
use report::outcome::Proviso;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use validate::{Difference, ParsedCertificate, QueryResult, Refusal, Report};

/// More differences are counted only.
const SHOWN: usize = 10;

/// The model that a certificate was held against.
#[derive(Serialize)]
pub(crate) struct Subject {
    pub(crate) model: String,
    #[serde(rename = "sha256")]
    pub(crate) digest: String,
    pub(crate) files: Vec<String>,
    pub(crate) options: Vec<String>,
    /// Of these, those that are not the defaults: what is said holds of the model as it is read with them.
    pub(crate) read_with: Vec<String>,
    /// For each type, at which sizes.
    pub(crate) sizes: Vec<String>,
    /// Properties of the model that the certificate does not prove.
    pub(crate) left_out: Vec<String>,
    /// Of a program: what the proof is provided that, in words and one by one.
    pub(crate) qualified: Option<String>,
    pub(crate) provided: Vec<Proviso>,
}

pub(crate) enum Verdict {
    NotOfTheModel(Refusal),
    Answered { report: Report, solvers: String },
}

impl Verdict {
    pub(crate) fn status(&self) -> Status {
        match self {
            Verdict::NotOfTheModel(_) => Status::Violated,
            Verdict::Answered { report, .. } if report.is_confirmed() => Status::Done,
            Verdict::Answered { report, .. } if report.error.is_some() || report.refuted().next().is_some() => {
                Status::Violated
            }
            Verdict::Answered { .. } => Status::Incomplete,
        }
    }
}

/// All that there is to tell.
pub(crate) struct Answer<'a> {
    pub(crate) file: &'a Path,
    pub(crate) certificate: &'a ParsedCertificate,
    pub(crate) subject: Option<&'a Subject>,
    pub(crate) verdict: &'a Verdict,
}

#[derive(Serialize)]
pub(crate) struct Json<'a> {
    #[serde(flatten)]
    header: Header,
    verdict: &'static str,
    /// What was read again; null without `--model`.
    model: Option<&'a Subject>,
    /// What the certificate says that it proves.
    properties: &'a [String],
    solver: Option<&'a str>,
    obligations: usize,
    confirmed: usize,
    refuted: Vec<&'a str>,
    undecided: Vec<&'a str>,
    error: Option<String>,
    differences: Vec<JsonDifference<'a>>,
    established: Vec<String>,
    not_established: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct JsonDifference<'a> {
    line: Option<usize>,
    message: &'a str,
}

impl<'a> From<&'a Difference> for JsonDifference<'a> {
    fn from(found: &'a Difference) -> JsonDifference<'a> {
        JsonDifference {
            line: found.line,
            message: &found.message,
        }
    }
}

impl Answer<'_> {
    pub(crate) fn json(&self) -> Json<'_> {
        let (report, solver) = match self.verdict {
            Verdict::Answered { report, solvers } => (Some(report), Some(solvers.as_str())),
            Verdict::NotOfTheModel(_) => (None, None),
        };
        let (error, differences) = match self.verdict {
            Verdict::NotOfTheModel(Refusal::Differences { differences, .. }) => (None, differences.as_slice()),
            Verdict::NotOfTheModel(refusal) => (Some(refusal.to_string()), &[][..]),
            Verdict::Answered { report, .. } => (report.error.as_ref().map(ToString::to_string), &[][..]),
        };
        Json {
            header: Header::new(&driver::shown_name(self.file)),
            verdict: match self.verdict.status() {
                Status::Done => "confirmed",
                Status::Violated => "refused",
                _ => "undecided",
            },
            model: self.subject,
            properties: &self.certificate.properties,
            solver,
            obligations: self.certificate.queries.len(),
            confirmed: report.map_or(0, Report::confirmed),
            refuted: report.map_or(Vec::new(), |report| {
                report.refuted().map(|query| query.name.as_str()).collect()
            }),
            undecided: report.map_or(Vec::new(), |report| {
                report.unknown().map(|(query, _)| query.name.as_str()).collect()
            }),
            error,
            differences: differences.iter().map(JsonDifference::from).collect(),
            established: self.established(),
            not_established: self.not_established(),
        }
    }

    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut text = match self.verdict {
            Verdict::NotOfTheModel(refusal) => self.differences(refusal, paint),
            Verdict::Answered { report, solvers } => self.answers(report, solvers, paint),
        };
        if let Some(subject) = self.subject {
            let mut line = |word: &str, value: &str| text.push_str(&format!("  {word:<7}  {value}\n"));
            line("model", &format!("{} (sha256 {})", subject.model, subject.digest));
            subject.files.iter().for_each(|file| line("and", file));
            let options = subject.options.join(" ");
            line("options", if options.is_empty() { "none" } else { &options });
            subject.sizes.iter().for_each(|size| line("type", size));
        }
        for (title, claims) in [
            ("Established:", self.established()),
            ("Not established:", self.not_established()),
        ] {
            if !claims.is_empty() {
                let _ = writeln!(text, "\n{title}");
                claims.iter().for_each(|claim| text.push_str(&format!("- {claim}\n")));
            }
        }
        text
    }

    fn differences(&self, refusal: &Refusal, paint: Paint) -> String {
        let model = self.subject.map_or("the model", |subject| subject.model.as_str());
        let mut text = format!(
            "{} This is no certificate of {model}: {refusal}.\n",
            paint.bad("Refused.")
        );
        if let Refusal::Differences { differences, .. } = refusal {
            for difference in differences.iter().take(SHOWN) {
                let _ = writeln!(text, "  {difference}");
            }
            if let Some(more @ 1..) = differences.len().checked_sub(SHOWN) {
                let _ = writeln!(text, "  and {more} more");
            }
        }
        text
    }

    fn answers(&self, report: &Report, solvers: &str, paint: Paint) -> String {
        let word = match self.verdict.status() {
            Status::Done => paint.good("Confirmed."),
            Status::Violated => paint.bad("Refused."),
            _ => paint.doubtful("Not confirmed."),
        };
        let verb = if solvers.contains(" and ") {
            "confirm"
        } else {
            "confirms"
        };
        let (confirmed, total) = (report.confirmed(), report.outcomes.len());
        let of = match self.subject {
            Some(subject) => format!(", made again from {}", subject.as_read()),
            None => " of the system that the file defines".to_owned(),
        };
        let provided = self.subject.and_then(|subject| subject.qualified.as_ref());
        let provided: String = provided.map(|words| format!(", {words}")).into_iter().collect();
        let mut text = format!("{word} {solvers} {verb} {confirmed} of {total} proof obligations{of}{provided}.\n");
        if let Some(error) = &report.error {
            let _ = writeln!(text, "  {error}");
        }
        for (query, outcome) in &report.outcomes {
            match outcome {
                QueryResult::Confirmed => {}
                QueryResult::Refuted => drop(writeln!(text, "  refuted: {}", query.name)),
                QueryResult::Unknown(reason) => drop(writeln!(text, "  undecided: {} ({reason})", query.name)),
            }
        }
        text
    }

    fn established(&self) -> Vec<String> {
        if self.verdict.status() != Status::Done {
            return Vec::new();
        }
        let of = match self.subject {
            Some(subject) => subject.as_read(),
            None => "the system that the file defines".to_owned(),
        };
        let sizes = self.subject.map_or(String::new(), Subject::at_sizes);
        let mut claims: Vec<String> = Vec::new();
        for property in &self.certificate.properties {
            claims.push(match self.subject {
                Some(subject) => {
                    let provided = subject.qualified.iter().map(|words| format!(", {words}"));
                    let provided: String = provided.collect();
                    format!("\"{property}\" holds in every reachable state of {of}{sizes}{provided}")
                }
                None => format!("what the file calls \"{property}\" holds in every reachable state of {of}"),
            });
        }
        claims.push(format!(
            "no assertion of a rule fails in any reachable state of {of}{sizes}"
        ));
        claims
    }

    fn not_established(&self) -> Vec<String> {
        let mut claims = Vec::new();
        match self.subject {
            Some(subject) => {
                let left_out = subject.left_out.iter();
                claims.extend(left_out.map(|name| format!("\"{name}\": the certificate is not about it")));
            }
            None => {
                let name = about::model_name(self.certificate);
                claims.push(format!(
                    "that the system of the file is that of {name}, or of any model: with all of its rules, guards and initial states, and with no assumption more"
                ));
                claims.push("that its properties are what their names say".to_owned());
                claims.push("that its types, sizes, options and digests are as its header says".to_owned());
                claims.push("`--model FILE` reads the model again and establishes these".to_owned());
            }
        }
        claims
    }
}

impl Subject {
    /// `driver.c`, or `driver.c as read with --define OFF`: what holds of the one may not hold of the other.
    fn as_read(&self) -> String {
        match self.read_with.as_slice() {
            [] => self.model.clone(),
            options => format!("{} as read with {}", self.model, options.join(" ")),
        }
    }

    /// For which sizes something holds.
    fn at_sizes(&self) -> String {
        match self.sizes.as_slice() {
            [] => String::new(),
            sizes => format!(" ({})", sizes.join("; ")),
        }
    }
}
