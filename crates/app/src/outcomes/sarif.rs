//! Results as SARIF 2.1.0 (OASIS, 2020), which editors and code hosts show beside the lines that they are about.
//!
//! A violation is an error at its property, with the run as a code flow. What is not decided is `open`, as the format
//! calls it. Messages about what was read keep their levels. What is safe is not a result.

use super::junit::changes;
use crate::outcome::Outcome;
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

pub(crate) fn log(outcomes: &[Outcome]) -> Value {
    let results: Vec<Value> = outcomes.iter().flat_map(results).collect();
    let notifications: Vec<Value> = outcomes.iter().filter_map(notification).collect();
    let failed = |outcome: &Outcome| matches!(outcome.status, Status::Rejected | Status::Internal);
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
                "executionSuccessful": !outcomes.iter().any(failed),
                "exitCode": Status::worst(outcomes.iter().map(|outcome| outcome.status)).code(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    })
}

/// An internal error is about the tool.
fn notification(outcome: &Outcome) -> Option<Value> {
    let message = format!("{}: {}", outcome.file, outcome.message());
    (outcome.status == Status::Internal).then(|| json!({ "level": "error", "message": { "text": message } }))
}

fn results(outcome: &Outcome) -> Vec<Value> {
    let report = &outcome.report;
    let list = |field: &str| report[field].as_array().into_iter().flatten();
    let file = outcome.file.as_str();
    let mut results: Vec<Value> = list("diagnostics").map(|found| diagnostic(found, file)).collect();
    for caveat in list("caveats") {
        let message = caveat["message"].as_str().unwrap_or_default();
        results.push(result("caveat", message, location(&Value::Null, file)));
    }
    if matches!(outcome.status, Status::Rejected | Status::Internal) {
        return results;
    }
    results.extend(provisos(outcome));
    let properties: Vec<&Value> = list("properties").chain(list("also")).collect();
    let violated: Vec<&&Value> = properties
        .iter()
        .filter(|property| property["verdict"] == "unsafe")
        .collect();
    results.extend(violated.iter().map(|property| violation(property, file)));
    // Where there is a violation, that is what matters.
    if violated.is_empty() {
        let unknown = properties.iter().filter(|property| property["verdict"] == "unknown");
        let before = results.len();
        results.extend(unknown.map(|property| undecided(property, outcome)));
        if results.len() == before && outcome.status == Status::Incomplete {
            let message = match report["verdict"].as_str() {
                Some("safe") => format!("proved for {} only", outcome.scope()),
                _ => outcome.message(),
            };
            results.push(open(&message, location(&Value::Null, file)));
        }
    }
    results
}

/// What a proof about a program is provided that.
fn provisos(outcome: &Outcome) -> Vec<Value> {
    let (report, file) = (&outcome.report, outcome.file.as_str());
    let provided = report["provided"].as_array().into_iter().flatten();
    let mut results: Vec<Value> = provided
        .map(|proviso| {
            let message = format!("safe, provided that {}", proviso["what"].as_str().unwrap_or_default());
            let place = json!({ "file": proviso["file"], "line": proviso["line"], "column": 1 });
            result("proviso", &message, location(&place, file))
        })
        .collect();
    if let (true, Some(qualified)) = (results.is_empty(), report["qualified"].as_str()) {
        results.push(result(
            "proviso",
            &format!("safe, {qualified}"),
            location(&Value::Null, file),
        ));
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

/// A message about what was read.
fn diagnostic(found: &Value, file: &str) -> Value {
    let rule = match found["severity"].as_str() {
        Some("error") => "input-error",
        Some("warning") => "warning",
        _ => "note",
    };
    let mut message = found["message"].as_str().unwrap_or_default().to_owned();
    if let Some(help) = found["help"].as_str() {
        let _ = write!(message, "; {help}");
    }
    result(rule, &message, location(found, file))
}

/// A violation, with the run that leads there.
fn violation(property: &Value, file: &str) -> Value {
    let reason = property["reason"].as_str().unwrap_or_default();
    let mut result = result("violation", reason, location(&property["place"], file));
    let steps = property["trace"].as_array().into_iter().flatten();
    let step = |(number, step): (usize, &Value)| {
        let mut message = step["rule"].as_str().unwrap_or_default().to_owned();
        for change in changes(step) {
            let _ = write!(message, "\n{change}");
        }
        let mut place = location(&step["place"], file);
        place["message"] = json!({ "text": message });
        json!({ "location": place, "executionOrder": number + 1 })
    };
    let steps: Vec<Value> = steps.enumerate().map(step).collect();
    if !steps.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    result
}

fn undecided(property: &Value, outcome: &Outcome) -> Value {
    let name = property["name"].as_str().unwrap_or_default();
    let reason = property["reason"]
        .as_str()
        .map_or_else(|| outcome.message(), str::to_owned);
    open(
        &format!("\"{name}\" is not decided: {reason}"),
        location(&property["place"], &outcome.file),
    )
}

fn open(message: &str, location: Value) -> Value {
    let mut result = result("not-decided", message, location);
    result["kind"] = json!("open");
    result
}

/// A place, or the file as a whole where none is known.
fn location(place: &Value, file: &str) -> Value {
    let file = place["file"].as_str().unwrap_or(file);
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    let field = |name: &str| place[name].as_u64();
    if let (Some(line), Some(column)) = (field("line"), field("column")) {
        physical["region"] = json!({ "startLine": line, "startColumn": column });
        if let (Some(line), Some(column)) = (field("end_line"), field("end_column")) {
            physical["region"]["endLine"] = json!(line);
            physical["region"]["endColumn"] = json!(column);
        }
    }
    json!({ "physicalLocation": physical })
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
