//! Results as SARIF 2.1.0 (OASIS, 2020), which editors and code hosts show beside the lines that they are about.
//!
//! A violation is an error at its property, with the run as a code flow. What is not decided is `open`, as the format
//! calls it. Messages about what was read keep their levels. What is safe is not a result.

use crate::finished::Finished;
use crate::outcome::{Message, Place, Property, Severity, Verdict};
use crate::status::Status;
use serde_json::{Value, json};
use std::fmt::Write as _;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What results are about: a name for programs, the level, and words for people.
const RULES: [(&str, &str, &str); 7] = [
    (
        "violation",
        "error",
        "A run violates a property, an assertion, or what every run must keep.",
    ),
    ("not-decided", "none", "Neither a proof nor a violation was found."),
    (
        "caveat",
        "warning",
        "The verdict is about the declared sizes, and there is a violation at others.",
    ),
    (
        "proviso",
        "warning",
        "The verdict holds provided that this does not happen, which is not proved.",
    ),
    ("input-error", "error", "The model cannot be read."),
    ("warning", "warning", "Something in the model is probably not meant."),
    ("note", "note", "Something about how the model is taken."),
];

/// The log as a JSON value.
pub fn log(all: &[Finished]) -> Value {
    let results: Vec<Value> = all.iter().flat_map(results).collect();
    let notifications: Vec<Value> = all.iter().filter_map(notification).collect();
    let failed = |finished: &Finished| matches!(finished.status, Status::Rejected | Status::Internal);
    let rule = |(id, level, text): &(&str, &str, &str)| {
        json!({
            "id": id,
            "shortDescription": { "text": text },
            "defaultConfiguration": { "level": level },
        })
    };
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cubist",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(rule).collect::<Vec<Value>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": !all.iter().any(failed),
                "exitCode": Status::worst(all.iter().map(|finished| finished.status)).code(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    })
}

/// An internal error is about the tool.
fn notification(finished: &Finished) -> Option<Value> {
    let message = format!("{}: {}", finished.file, finished.message());
    (finished.status == Status::Internal).then(|| json!({ "level": "error", "message": { "text": message } }))
}

fn results(finished: &Finished) -> Vec<Value> {
    let (outcome, file) = (&finished.outcome, finished.file.as_str());
    let mut results: Vec<Value> = outcome
        .diagnostics
        .iter()
        .map(|found| diagnostic(found, file))
        .collect();
    let caveats = outcome.caveats.iter();
    results.extend(caveats.map(|caveat| result("caveat", &caveat.message, location(None, file))));
    if matches!(finished.status, Status::Rejected | Status::Internal) {
        return results;
    }
    results.extend(provisos(finished));
    let with = |verdict: Verdict| {
        let properties = outcome.properties.iter().chain(&outcome.also);
        properties.filter(move |property| property.verdict == verdict)
    };
    let before = results.len();
    results.extend(with(Verdict::Unsafe).map(|property| violation(property, file)));
    // Where there is a violation, that is what matters.
    if results.len() == before {
        results.extend(with(Verdict::Unknown).map(|property| undecided(property, finished)));
    }
    if results.len() == before && finished.status == Status::Incomplete {
        let message = match outcome.verdict {
            Verdict::Safe => format!("proved for {} only", finished.scope()),
            _ => finished.message(),
        };
        results.push(open(&message, location(None, file)));
    }
    results
}

/// What a proof about a program assumes.
fn provisos(finished: &Finished) -> Vec<Value> {
    let (outcome, file) = (&finished.outcome, finished.file.as_str());
    let provided = outcome.provided.iter().map(|proviso| {
        let place = proviso.file.as_deref().zip(proviso.line);
        let place = place.map(|(file, line)| Place::at_line(file, line));
        let message = format!("safe, provided that {}", proviso.what);
        result("proviso", &message, location(place.as_ref(), file))
    });
    let mut results: Vec<Value> = provided.collect();
    if let (true, Some(qualified)) = (results.is_empty(), &outcome.qualified) {
        results.push(result("proviso", &format!("safe, {qualified}"), location(None, file)));
    }
    results
}

fn result(rule: &str, message: &str, location: Value) -> Value {
    let index = RULES.iter().position(|(id, ..)| *id == rule);
    let level = index.map_or("none", |index| RULES[index].1);
    json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": level,
        "message": { "text": if message.is_empty() { rule } else { message } },
        "locations": [location],
    })
}

/// A message about the input.
fn diagnostic(found: &Message, file: &str) -> Value {
    let rule = match found.severity {
        Severity::Error => "input-error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let help = found.help.iter().map(|help| format!("; {help}"));
    let message = std::iter::once(found.message.clone()).chain(help).collect::<String>();
    let file = if found.file.is_empty() { file } else { &found.file };
    result(rule, &message, location(found.place().as_ref(), file))
}

/// A violation, with the run that leads there.
fn violation(property: &Property, file: &str) -> Value {
    let reason = property.reason.as_deref().unwrap_or_default();
    let mut result = result("violation", reason, location(property.place.as_ref(), file));
    let steps = property.trace.iter().flatten().enumerate().map(|(number, step)| {
        let message: Vec<String> = std::iter::once(step.rule.clone()).chain(step.changes()).collect();
        let mut place = location(step.place.as_ref(), file);
        place["message"] = json!({ "text": message.join("\n") });
        json!({ "location": place, "executionOrder": number + 1 })
    });
    let steps: Vec<Value> = steps.collect();
    if !steps.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    result
}

fn undecided(property: &Property, finished: &Finished) -> Value {
    let reason = property.reason.clone().unwrap_or_else(|| finished.message());
    open(
        &format!("\"{}\" is not decided: {reason}", property.name),
        location(property.place.as_ref(), &finished.file),
    )
}

fn open(message: &str, location: Value) -> Value {
    let mut result = result("not-decided", message, location);
    result["kind"] = json!("open");
    result
}

/// A place, or the file as a whole where none is known.
fn location(place: Option<&Place>, file: &str) -> Value {
    let Some(Place::Region {
        file,
        line,
        column,
        end_line,
        end_column,
    }) = place
    else {
        return json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } });
    };
    let mut region = json!({ "startLine": line, "startColumn": column });
    if let (Some(line), Some(column)) = (end_line, end_column) {
        region["endLine"] = json!(line);
        region["endColumn"] = json!(column);
    }
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region } })
}

/// A path as a reference: relative to where the program was started, unless it is absolute.
fn uri(file: &str) -> String {
    let mut uri = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("models/german.m"), "models/german.m");
        assert_eq!(uri("./a b/ü.m"), "a%20b/%C3%BC.m");
        assert_eq!(uri("/tmp/x.m"), "file:///tmp/x.m");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }
}
