//! What came of one model, as its report for programs says it: for the table of several models, and for reports that
//! other programs read.

use crate::outcomes::diagnostics::Failure;
use crate::outcomes::{Header, sizes};
use crate::status::Status;
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) struct Outcome {
    /// The file as it is shown.
    pub(crate) file: String,
    pub(crate) status: Status,
    /// The JSON object of `check` or `explore`.
    pub(crate) report: Value,
    pub(crate) time: Duration,
}

impl Outcome {
    /// Without a report there is no verdict, whatever the exit status says.
    pub(crate) fn new(file: String, status: Status, report: Option<Value>, time: Duration) -> Outcome {
        let status = match (status, &report) {
            (Status::Done | Status::Violated, None) => Status::Internal,
            (status, _) => status,
        };
        let mut report = report.unwrap_or_else(|| {
            let message = match status {
                Status::Internal => "its process ended without a report",
                _ => "interrupted before there was anything to report",
            };
            json!(Failure {
                header: Header::new(&file),
                verdict: status.verdict(),
                complete: false,
                message: message.to_owned(),
                diagnostics: Vec::new(),
            })
        });
        report["exit_status"] = json!(status.code());
        Outcome {
            file,
            status,
            report,
            time,
        }
    }

    /// One word, or two.
    pub(crate) fn verdict(&self) -> &'static str {
        match (self.status, self.report["verdict"].as_str()) {
            (Status::Rejected, _) => "rejected",
            (Status::Internal, _) => "internal error",
            (Status::Done, _) => "safe",
            (Status::Violated, _) => "unsafe",
            // `--strict` asks for more, or a further property is not shown.
            (Status::Incomplete, Some("safe")) => "partly safe",
            (Status::Incomplete, _) => "unknown",
        }
    }

    /// What the verdict is about, or why there is none.
    pub(crate) fn scope(&self) -> String {
        let report = &self.report;
        match (self.status, report["verdict"].as_str()) {
            (Status::Rejected | Status::Internal, _) => self.message(),
            (_, Some("safe")) if report["scope"].is_object() || report["qualified"].is_string() => {
                let qualified = report["qualified"].as_str().unwrap_or_default().to_owned();
                let caveats = report["caveats"].as_array().into_iter().flatten();
                let violated: Vec<String> = caveats.map(|caveat| listed(&caveat["sizes"])).collect();
                let violated = match violated.is_empty() {
                    true => String::new(),
                    false => format!("but violated with {}", violated.join("; ")),
                };
                let parts = [proved(&report["scope"]), qualified, violated];
                let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                parts.join(", ")
            }
            (_, Some("safe" | "unsafe")) => {
                let mut properties = report["properties"].as_array().into_iter().flatten();
                let violated = properties.find(|property| property["verdict"] == "unsafe");
                let of_property = violated.map(|property| &property["instance"]);
                let instance = of_property.filter(|sizes| sizes.is_object());
                listed(instance.unwrap_or(&report["instance"]))
            }
            _ => self.message(),
        }
    }

    /// Why there is no answer, or what is wrong.
    pub(crate) fn message(&self) -> String {
        let report = &self.report;
        let errors = report["diagnostics"].as_array().into_iter().flatten();
        let errors = errors.filter(|found| found["severity"] == "error").count();
        let of_property = || {
            let mut properties = report["properties"].as_array()?.iter();
            properties.find_map(|property| property["reason"].as_str())
        };
        let words = report["internal_error"]["message"]
            .as_str()
            .or_else(|| report["reason"].as_str())
            .or_else(|| report["message"].as_str())
            .or_else(of_property)
            .unwrap_or_default();
        match errors {
            0 | 1 => words.to_owned(),
            _ => format!("{errors} errors, first: {words}"),
        }
    }
}

/// What a proof is about.
fn proved(scope: &Value) -> String {
    let names = scope["every"].as_array().into_iter().flatten();
    let names: Vec<String> = names.filter_map(|name| Some(ranged(name.as_str()?, scope))).collect();
    let fixed = listed(&scope["fixed"]);
    match (names.is_empty(), fixed.is_empty()) {
        (true, _) => fixed,
        (false, true) => format!("every number of {}", names.join(", ")),
        (false, false) => format!("every number of {}; {fixed}", names.join(", ")),
    }
}

/// A type with the sizes that are meant, where these are not all: `PROC (from 2 on)`.
fn ranged(name: &str, scope: &Value) -> String {
    let size = |word: &str| scope[word][name].as_u64();
    match (size("from"), size("to")) {
        (None, None) => name.to_owned(),
        (Some(least), None) => format!("{name} (from {least} on)"),
        (None, Some(most)) => format!("{name} (up to {most})"),
        (Some(least), Some(most)) if least == most => format!("{name} (exactly {most})"),
        (Some(least), Some(most)) => format!("{name} (from {least} to {most})"),
    }
}

/// `PROC = 2, DATA = 1`
fn listed(object: &Value) -> String {
    let entries = object.as_object().into_iter().flatten();
    let entries = entries.map(|(name, size)| (name.clone(), size.as_i64().unwrap_or(0)));
    let entries: Vec<(String, i64)> = entries.collect();
    match entries.is_empty() {
        true => String::new(),
        false => sizes(&entries),
    }
}
