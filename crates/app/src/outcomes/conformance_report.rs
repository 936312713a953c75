//! What `cubist validate` says of the certificate of components.

use super::Header;
use super::validate_report::JsonDifference;
use crate::terminal::{Paint, counted, listed};
use conformance::certificate::Refusal;
use conformance::confirm::ConfirmationError;
use report::Status;
use report::outcome::Proviso;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use validate::{Difference, ParsedConformance, QueryResult, Report};

/// More differences are counted only.
const SHOWN: usize = 10;

/// The files that a certificate was compared with.
#[derive(Serialize)]
pub(crate) struct Sources {
    pub(crate) files: Vec<String>,
    pub(crate) options: Vec<String>,
    /// What the specification asks, and the certificate does not answer.
    pub(crate) left_out: Vec<String>,
}

impl Sources {
    pub(crate) fn named(files: &[PathBuf]) -> Sources {
        Sources {
            files: files.iter().map(|path| driver::shown_name(path)).collect(),
            options: Vec::new(),
            left_out: Vec::new(),
        }
    }
}

pub(crate) enum Verdict {
    Refused(Refusal),
    Answered {
        solvers: String,
        report: Report,
        /// Runs of the components that conform, too.
        runs: Option<usize>,
    },
}

/// What came of the certificate of one question.
pub(crate) struct Part {
    proves: String,
    queries: usize,
    verdict: Verdict,
    /// What the proof is provided that, in words and one by one.
    pub(crate) qualified: Option<String>,
    pub(crate) provided: Vec<Proviso>,
}

impl Part {
    pub(crate) fn new(certificate: &ParsedConformance, verdict: Verdict) -> Part {
        Part {
            proves: certificate.proves.clone(),
            queries: certificate.queries.len(),
            verdict,
            qualified: None,
            provided: Vec::new(),
        }
    }

    /// Where everything is confirmed, has runs made.
    pub(crate) fn run(&mut self, make: impl FnOnce() -> Result<usize, ConfirmationError>) {
        if self.status() != Status::Done {
            return;
        }
        match (make(), &mut self.verdict) {
            (Ok(made), Verdict::Answered { runs, .. }) => *runs = Some(made),
            (Err(doubt), verdict) => *verdict = Verdict::Refused(doubt.into()),
            _ => {}
        }
    }

    fn status(&self) -> Status {
        match &self.verdict {
            Verdict::Refused(Refusal::ConfirmationError(
                ConfirmationError::Interrupted | ConfirmationError::TooLarge,
            )) => Status::Incomplete,
            Verdict::Refused(_) => Status::Violated,
            Verdict::Answered { report, .. } if report.is_confirmed() => Status::Done,
            Verdict::Answered { report, .. } if report.error.is_some() || report.refuted().next().is_some() => {
                Status::Violated
            }
            Verdict::Answered { .. } => Status::Incomplete,
        }
    }

    fn report(&self) -> Option<&Report> {
        match &self.verdict {
            Verdict::Answered { report, .. } => Some(report),
            Verdict::Refused(_) => None,
        }
    }

    fn error(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Refused(Refusal::Differences { .. }) => None,
            Verdict::Refused(refusal) => Some(refusal.to_string()),
            Verdict::Answered { report, .. } => report.error.as_ref().map(ToString::to_string),
        }
    }

    fn differences(&self) -> &[Difference] {
        match &self.verdict {
            Verdict::Refused(Refusal::Differences { differences, .. }) => differences,
            _ => &[],
        }
    }
}

/// All that there is to tell.
pub(crate) struct Answer<'a> {
    pub(crate) file: &'a Path,
    pub(crate) parts: Vec<Part>,
    /// What was read again.
    pub(crate) sources: Option<Sources>,
}

#[derive(Serialize)]
pub(crate) struct Json<'a> {
    #[serde(flatten)]
    header: Header,
    verdict: &'static str,
    /// Null without `--model`.
    model: Option<&'a Sources>,
    /// What the certificate says that it proves.
    properties: Vec<&'a str>,
    solver: Option<&'a str>,
    obligations: usize,
    confirmed: usize,
    /// Runs of the components that the interpreter has made, and that conform.
    runs: Option<usize>,
    provided: Vec<&'a Proviso>,
    refuted: Vec<&'a str>,
    undecided: Vec<&'a str>,
    error: Option<String>,
    differences: Vec<JsonDifference<'a>>,
    established: Vec<String>,
    not_established: Vec<String>,
}

impl Answer<'_> {
    pub(crate) fn status(&self) -> Status {
        Status::worst(self.parts.iter().map(Part::status))
    }

    fn answers(&self) -> impl Iterator<Item = (&str, &Report, Option<usize>)> {
        self.parts.iter().filter_map(|part| match &part.verdict {
            Verdict::Answered { solvers, report, runs } => Some((solvers.as_str(), report, *runs)),
            Verdict::Refused(_) => None,
        })
    }

    pub(crate) fn json(&self) -> Json<'_> {
        let reports = || self.answers().map(|(_, report, _)| report);
        let differences = self.parts.iter().flat_map(Part::differences);
        Json {
            header: Header::new(&driver::shown_name(self.file)),
            verdict: match self.status() {
                Status::Done => "confirmed",
                Status::Violated => "refused",
                _ => "undecided",
            },
            model: self.sources.as_ref(),
            properties: self.parts.iter().map(|part| part.proves.as_str()).collect(),
            solver: self.answers().map(|(solvers, ..)| solvers).next(),
            obligations: self.parts.iter().map(|part| part.queries).sum(),
            confirmed: reports().map(Report::confirmed).sum(),
            runs: self.answers().filter_map(|(_, _, runs)| runs).reduce(|a, b| a + b),
            provided: self.parts.iter().flat_map(|part| &part.provided).collect(),
            refuted: reports()
                .flat_map(Report::refuted)
                .map(|query| query.name.as_str())
                .collect(),
            undecided: reports()
                .flat_map(Report::unknown)
                .map(|(query, _)| query.name.as_str())
                .collect(),
            error: self.parts.iter().find_map(Part::error),
            differences: differences.map(JsonDifference::from).collect(),
            established: self.established(),
            not_established: self.not_established(),
        }
    }

    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut text = String::new();
        for part in &self.parts {
            self.part(part, paint, &mut text);
        }
        if let Some(sources) = &self.sources {
            let mut line = |word: &str, value: &str| text.push_str(&format!("  {word:<7}  {value}\n"));
            sources.files.iter().for_each(|file| line("file", file));
            if !sources.options.is_empty() {
                line("options", &sources.options.join(" "));
            }
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

    fn part(&self, part: &Part, paint: Paint, text: &mut String) {
        let word = match part.status() {
            Status::Done => paint.good("Confirmed."),
            Status::Violated => paint.bad("Refused."),
            _ => paint.doubtful("Not confirmed."),
        };
        let (solvers, report, runs) = match &part.verdict {
            Verdict::Refused(refusal) => {
                let _ = writeln!(text, "{word} {}: {refusal}.", part.proves);
                let differences = part.differences();
                for difference in differences.iter().take(SHOWN) {
                    let _ = writeln!(text, "  {difference}");
                }
                if let Some(more @ 1..) = differences.len().checked_sub(SHOWN) {
                    let _ = writeln!(text, "  and {more} more");
                }
                return;
            }
            Verdict::Answered { solvers, report, runs } => (solvers, report, runs),
        };
        let verb = if solvers.contains(" and ") {
            "confirm"
        } else {
            "confirms"
        };
        let (confirmed, total) = (report.confirmed(), report.outcomes.len());
        let of = match &self.sources {
            Some(_) => ", made again from the sources",
            None => " that the file defines",
        };
        let runs = runs.map(|runs| format!("; {} of the components conform, too", counted(runs, "run")));
        let runs = runs.unwrap_or_default();
        let _ = writeln!(
            text,
            "{word} {solvers} {verb} {confirmed} of {total} proof obligations{of}{runs}."
        );
        if let Some(error) = part.error() {
            let _ = writeln!(text, "  {error}");
        }
        for (query, outcome) in part.report().into_iter().flat_map(|report| &report.outcomes) {
            match outcome {
                QueryResult::Confirmed => {}
                QueryResult::Refuted => drop(writeln!(text, "  refuted: {}", query.name)),
                QueryResult::Unknown(reason) => drop(writeln!(text, "  undecided: {} ({reason})", query.name)),
            }
        }
    }

    fn established(&self) -> Vec<String> {
        if self.status() != Status::Done {
            return Vec::new();
        }
        let Some(sources) = &self.sources else {
            let claim = |part: &Part| {
                format!(
                    "the queries of the file have the answers that \"{}\" needs",
                    part.proves
                )
            };
            return self.parts.iter().map(claim).collect();
        };
        let files = listed(&sources.files);
        let claim = |part: &Part| {
            let qualified = part.qualified.iter().map(|words| format!(", {words}"));
            format!("{} of {files}{}", part.proves, qualified.collect::<String>())
        };
        self.parts.iter().map(claim).collect()
    }

    fn not_established(&self) -> Vec<String> {
        match &self.sources {
            Some(sources) => {
                let left_out = sources.left_out.iter();
                left_out
                    .map(|claim| format!("\"{claim}\": the certificate is not about it"))
                    .collect()
            }
            None => vec![
                "that the queries are those of any components, and that none is missing".to_owned(),
                "that the moves of the claim stay in a specification".to_owned(),
                "that options and digests are as the header says".to_owned(),
                "`--model SPEC --model FILE.c` reads the sources again and establishes these".to_owned(),
            ],
        }
    }
}
