//! Results as JUnit XML, which continuous integration shows as tests: a suite for each model, a test case for each
//! property.
//!
//! *Unsafe* is a failure, with the run. *Unknown* is skipped: nothing is known of it, and nothing went wrong. What
//! cannot be read, and an internal error, is an error.

use crate::outcome::Outcome;
use crate::status::Status;
use serde_json::Value;
use std::fmt::Write as _;

/// Writing to a string cannot fail, so its results are dropped.
pub(crate) fn text(outcomes: &[Outcome]) -> String {
    let suites: Vec<Suite> = outcomes.iter().map(Suite::of).collect();
    let sum = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let time: f64 = outcomes.iter().map(|outcome| outcome.time.as_secs_f64()).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        r#"<testsuites name="cubist" tests="{}" failures="{}" errors="{}" skipped="{}" time="{time:.3}">"#,
        sum(|suite| suite.cases.len()),
        sum(Suite::failures),
        sum(Suite::errors),
        sum(Suite::skipped),
    );
    for suite in &suites {
        suite.write(&mut text);
    }
    text.push_str("</testsuites>\n");
    text
}

struct Suite {
    name: String,
    /// What the verdict is about.
    about: String,
    time: f64,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    result: Result,
}

enum Result {
    Passed,
    Failed { message: String, run: String },
    Skipped(String),
    Error { message: String, detail: String },
}

impl Suite {
    fn of(outcome: &Outcome) -> Suite {
        let cases = match outcome.status {
            Status::Rejected | Status::Internal => vec![Case {
                name: "the model is read".to_owned(),
                result: Result::Error {
                    message: outcome.message(),
                    detail: errors(&outcome.report),
                },
            }],
            _ => properties(outcome),
        };
        Suite {
            name: outcome.file.clone(),
            about: format!("{}: {}", outcome.verdict(), outcome.scope()),
            time: outcome.time.as_secs_f64(),
            cases,
        }
    }

    fn count(&self, is_counted: impl Fn(&Result) -> bool) -> usize {
        self.cases.iter().filter(|case| is_counted(&case.result)).count()
    }

    fn failures(&self) -> usize {
        self.count(|result| matches!(result, Result::Failed { .. }))
    }

    fn errors(&self) -> usize {
        self.count(|result| matches!(result, Result::Error { .. }))
    }

    fn skipped(&self) -> usize {
        self.count(|result| matches!(result, Result::Skipped(_)))
    }

    fn write(&self, text: &mut String) {
        let (name, time) = (escape(&self.name), self.time);
        let _ = writeln!(
            text,
            r#"  <testsuite name="{name}" tests="{}" failures="{}" errors="{}" skipped="{}" time="{time:.3}">"#,
            self.cases.len(),
            self.failures(),
            self.errors(),
            self.skipped(),
        );
        // Only the whole is timed.
        let time = time / self.cases.len().max(1) as f64;
        for case in &self.cases {
            let head = format!(
                r#"    <testcase classname="{name}" name="{}" time="{time:.3}""#,
                escape(&case.name)
            );
            let inside = match &case.result {
                Result::Passed => {
                    let _ = writeln!(text, "{head}/>");
                    continue;
                }
                Result::Failed { message, run } => {
                    let message = escape(message);
                    format!(
                        r#"<failure message="{message}" type="violation">{}</failure>"#,
                        escape(run)
                    )
                }
                Result::Skipped(reason) => format!(r#"<skipped message="{}"/>"#, escape(reason)),
                Result::Error { message, detail } => {
                    let message = escape(message);
                    format!(r#"<error message="{message}" type="error">{}</error>"#, escape(detail))
                }
            };
            let _ = writeln!(text, "{head}>\n      {inside}\n    </testcase>");
        }
        let _ = writeln!(text, "    <system-out>{}</system-out>", escape(&self.about));
        text.push_str("  </testsuite>\n");
    }
}

/// What is known of each property, and of each further one.
fn properties(outcome: &Outcome) -> Vec<Case> {
    let report = &outcome.report;
    let list = |field: &str| report[field].as_array().cloned().unwrap_or_default();
    let (stated, further) = (list("properties"), list("also"));
    let all_shown = further.iter().all(|property| property["verdict"] == "safe");
    // The verdict is not about every size, as `--strict` asks.
    let too_narrow = outcome.status == Status::Incomplete && report["verdict"] == "safe" && all_shown;
    let case = |property: &Value| {
        let reason = || property["reason"].as_str().unwrap_or_default().to_owned();
        let result = match property["verdict"].as_str() {
            Some("safe") if too_narrow && report["qualified"].is_string() => {
                Result::Skipped(format!("safe, {}", outcome.scope()))
            }
            Some("safe") if too_narrow => Result::Skipped(format!("proved for {} only", outcome.scope())),
            Some("safe") => Result::Passed,
            Some("unsafe") => Result::Failed {
                message: reason(),
                run: run(property),
            },
            _ if reason().is_empty() => Result::Skipped(match outcome.status {
                Status::Violated => "not decided, since there is a violation".to_owned(),
                _ => outcome.message(),
            }),
            _ => Result::Skipped(reason()),
        };
        Case {
            name: property["name"].as_str().unwrap_or_default().to_owned(),
            result,
        }
    };
    let mut cases: Vec<Case> = stated.iter().chain(&further).map(case).collect();
    if cases.is_empty() {
        let result = match outcome.status {
            Status::Done => Result::Passed,
            _ => Result::Skipped(outcome.message()),
        };
        let name = "no violation".to_owned();
        cases.push(Case { name, result });
    }
    cases
}

/// The steps of a run, and what each changes.
pub(super) fn run(property: &Value) -> String {
    let mut text = String::new();
    let steps = property["trace"].as_array().into_iter().flatten();
    for (number, step) in steps.enumerate() {
        let _ = writeln!(text, "{number:>4}  {}", step["rule"].as_str().unwrap_or_default());
        for change in changes(step) {
            let _ = writeln!(text, "        {change}");
        }
    }
    text
}

/// `owner = P_1`, for each variable that a step changes.
pub(super) fn changes(step: &Value) -> Vec<String> {
    let changes = step["changes"].as_object().into_iter().flatten();
    let text = |value: &Value| match value {
        Value::Null => "undefined".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    changes
        .map(|(name, value)| format!("{name} = {}", text(value)))
        .collect()
}

/// `model.m:3:7: unknown name`, for each error.
fn errors(report: &Value) -> String {
    let mut text = String::new();
    let found = report["diagnostics"].as_array().into_iter().flatten();
    for error in found.filter(|found| found["severity"] == "error") {
        let (file, message) = (error["file"].as_str(), error["message"].as_str());
        let (file, message) = (file.unwrap_or_default(), message.unwrap_or_default());
        let _ = match (error["line"].as_u64(), error["column"].as_u64()) {
            (Some(line), Some(column)) => writeln!(text, "{file}:{line}:{column}: {message}"),
            _ => writeln!(text, "{file}: {message}"),
        };
    }
    text
}

/// For contents and attributes. XML has no way to write most control characters.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            character if character.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn characters_that_xml_does_not_have_are_replaced() {
        assert_eq!(
            escape("a<b> & \"c\"\n\u{1}\u{ffff}é"),
            "a&lt;b&gt; &amp; &quot;c&quot;\n\u{fffd}\u{fffd}é"
        );
    }

    #[test]
    fn what_strict_does_not_let_pass_is_skipped() {
        let report = json!({
            "verdict": "safe",
            "scope": { "every": [], "fixed": { "P": 2 } },
            "properties": [{ "name": "alone", "verdict": "safe", "reason": null }],
            "also": [],
        });
        let outcome = |status| Outcome::new("x.m".to_owned(), status, Some(report.clone()), Duration::from_secs(1));
        assert!(
            text(&[outcome(Status::Done)]).contains(r#"tests="1" failures="0" errors="0" skipped="0" time="1.000""#)
        );
        assert!(text(&[outcome(Status::Incomplete)]).contains(r#"<skipped message="proved for P = 2 only"/>"#));
    }
}
