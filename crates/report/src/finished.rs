//! What a command about one model ends with: for the table of several models, and for reports that other programs read.

use crate::outcome::{Outcome, Property, Scope, Verdict};
use crate::status::Status;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use std::time::Duration;

pub struct Finished {
    /// The file as it is shown.
    pub file: String,
    pub status: Status,
    pub outcome: Outcome,
    /// The same as its process has reported it.
    pub report: Value,
    pub time: Duration,
}

impl Finished {
    /// Without a report there is no verdict, for any exit status.
    pub fn new(file: String, status: Status, report: Option<Value>, time: Duration) -> Finished {
        let read = report.as_ref().map(Outcome::deserialize);
        let status = match (status, &read) {
            (_, Some(Err(_))) | (Status::Done | Status::Violated, None) => Status::Internal,
            (status, _) => status,
        };
        let message = match (status, read) {
            (_, Some(Ok(outcome))) => Ok(outcome),
            (_, Some(Err(error))) => Err(format!("its report cannot be read: {error}")),
            (Status::Internal, None) => Err("its process ended without a report".to_owned()),
            (_, None) => Err("interrupted before there was anything to report".to_owned()),
        };
        let outcome = message.unwrap_or_else(|message| Outcome::without_verdict(&file, message));
        let mut report = report.filter(Value::is_object).unwrap_or_else(|| json!(outcome));
        report["exit_status"] = json!(status.code());
        Finished {
            file,
            status,
            outcome,
            report,
            time,
        }
    }

    /// One word, or two.
    pub fn verdict(&self) -> &'static str {
        match (self.status, self.outcome.verdict) {
            (Status::Rejected, _) => "rejected",
            (Status::Internal, _) => "internal error",
            (Status::Done, _) => "safe",
            (Status::Violated, _) => "unsafe",
            // `--strict` asks for more, or a further property is not shown.
            (Status::Incomplete, Verdict::Safe) => "partly safe",
            (Status::Incomplete, _) => "unknown",
        }
    }

    /// What the verdict is about, or why there is none.
    pub fn scope(&self) -> String {
        let outcome = &self.outcome;
        match (self.status, outcome.verdict) {
            (Status::Rejected | Status::Internal, _) => self.message(),
            (_, Verdict::Safe) if outcome.scope.is_some() || outcome.qualified.is_some() => {
                let violated: Vec<String> = outcome.caveats.iter().map(|caveat| sizes(&caveat.sizes)).collect();
                let violated = match violated.is_empty() {
                    true => String::new(),
                    false => format!("but violated with {}", violated.join("; ")),
                };
                let proved = outcome.scope.as_ref().map_or_else(String::new, proved);
                let parts = [proved, outcome.qualified.clone().unwrap_or_default(), violated];
                let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                parts.join(", ")
            }
            (_, Verdict::Safe | Verdict::Unsafe) => {
                let is_violated = |property: &&Property| property.verdict == Verdict::Unsafe;
                let violated = outcome.properties.iter().find(is_violated);
                let instance = violated.and_then(|property| property.instance.as_ref());
                sizes(instance.unwrap_or(&outcome.instance))
            }
            _ => self.message(),
        }
    }

    /// Why there is no answer, or what is wrong.
    pub fn message(&self) -> String {
        let outcome = &self.outcome;
        let errors = outcome.diagnostics.iter().filter(|found| found.is_error()).count();
        let internal = outcome.internal_error.as_ref().map(|error| error.message.as_str());
        let of_property = || {
            outcome
                .properties
                .iter()
                .find_map(|property| property.reason.as_deref())
        };
        let words = internal
            .or(outcome.reason.as_deref())
            .or(outcome.message.as_deref())
            .or_else(of_property)
            .unwrap_or_default();
        match errors {
            0 | 1 => words.to_owned(),
            _ => format!("{errors} errors, first: {words}"),
        }
    }
}

/// What a proof is about.
fn proved(scope: &Scope) -> String {
    let names: Vec<String> = scope.every.iter().map(|name| range(name, scope)).collect();
    let fixed = sizes(&scope.fixed);
    match (names.is_empty(), fixed.is_empty()) {
        (true, _) => fixed,
        (false, true) => format!("every number of {}", names.join(", ")),
        (false, false) => format!("every number of {}; {fixed}", names.join(", ")),
    }
}

/// A type with the sizes that a proof is about, where these are not all: `PROC (from 2 on)`.
fn range(name: &str, scope: &Scope) -> String {
    let size = |sizes: &Map<String, Value>| sizes.get(name).and_then(Value::as_u64);
    match (size(&scope.from), size(&scope.to)) {
        (None, None) => name.to_owned(),
        (Some(least), None) => format!("{name} (from {least} on)"),
        (None, Some(most)) => format!("{name} (up to {most})"),
        (Some(least), Some(most)) if least == most => format!("{name} (exactly {most})"),
        (Some(least), Some(most)) => format!("{name} (from {least} to {most})"),
    }
}

/// `PROC = 2, DATA = 1`
fn sizes(sizes: &Map<String, Value>) -> String {
    let each = sizes
        .iter()
        .map(|(name, size)| format!("{name} = {}", size.as_i64().unwrap_or(0)));
    each.collect::<Vec<String>>().join(", ")
}
