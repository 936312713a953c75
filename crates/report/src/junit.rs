//! Results as JUnit XML, which continuous integration shows as tests: a suite for each model, a test case for each
//! property.
//!
//! *Unsafe* is a failure, with the run. *Unknown* is skipped: there is no answer, and nothing went wrong. Input that
//! cannot be read, and an internal error, is an error.

use crate::finished::Finished;
use crate::outcome::{Message, Place, Property, Verdict};
use crate::status::Status;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::fmt::Write as _;
use std::time::Duration;

pub fn text(all: &[Finished]) -> Result<String, SerializeError> {
    let mut report = Report::new("cubist");
    report.set_time(all.iter().map(|finished| finished.time).sum());
    report.add_test_suites(all.iter().map(suite));
    report.to_string()
}

fn suite(finished: &Finished) -> TestSuite {
    let name = clean(&finished.file);
    let cases = match finished.status {
        Status::Rejected | Status::Internal => {
            let mut error = TestCaseStatus::non_success(NonSuccessKind::Error);
            error
                .set_message(clean(&finished.message()))
                .set_type("error")
                .set_description(clean(&errors(&finished.outcome.diagnostics)));
            vec![("the model is read".to_owned(), error)]
        }
        _ => cases(finished),
    };
    // Only the whole is timed.
    let time = finished.time / u32::try_from(cases.len().max(1)).unwrap_or(u32::MAX);
    let case = |(title, status): (String, TestCaseStatus)| case(&name, &title, status, time);
    let mut suite = TestSuite::new(name.as_str());
    suite.set_time(finished.time);
    suite.add_test_cases(cases.into_iter().map(case));
    suite.set_system_out(clean(&format!("{}: {}", finished.verdict(), finished.scope())));
    suite
}

fn case(suite: &str, title: &str, status: TestCaseStatus, time: Duration) -> TestCase {
    let mut case = TestCase::new(clean(title), status);
    case.set_classname(suite).set_time(time);
    case
}

/// A test case for each property, and for each further one.
fn cases(finished: &Finished) -> Vec<(String, TestCaseStatus)> {
    let outcome = &finished.outcome;
    let all_shown = outcome.also.iter().all(|property| property.verdict == Verdict::Safe);
    // The verdict is not about every size, as `--strict` asks.
    let too_narrow = finished.status == Status::Incomplete && outcome.verdict == Verdict::Safe && all_shown;
    let status = |property: &Property| match (property.verdict, property.reason.as_deref().unwrap_or_default()) {
        (Verdict::Safe, _) if too_narrow && outcome.qualified.is_some() => {
            skipped(&format!("safe, {}", finished.scope()))
        }
        (Verdict::Safe, _) if too_narrow => skipped(&format!("proved for {} only", finished.scope())),
        (Verdict::Safe, _) => TestCaseStatus::success(),
        (Verdict::Unsafe, reason) => {
            let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
            failure
                .set_message(clean(reason))
                .set_type("violation")
                .set_description(clean(&run(property)));
            failure
        }
        (Verdict::Unknown, "") if finished.status == Status::Violated => {
            skipped("not decided, since there is a violation")
        }
        (Verdict::Unknown, "") => skipped(&finished.message()),
        (Verdict::Unknown, reason) => skipped(reason),
    };
    let properties = outcome.properties.iter().chain(&outcome.also);
    let mut cases: Vec<(String, TestCaseStatus)> = properties
        .map(|property| (property.name.clone(), status(property)))
        .collect();
    if cases.is_empty() {
        let status = match finished.status {
            Status::Done => TestCaseStatus::success(),
            _ => skipped(&finished.message()),
        };
        cases.push(("no violation".to_owned(), status));
    }
    cases
}

fn skipped(reason: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(clean(reason));
    status
}

/// The steps of a run, and what each changes.
fn run(property: &Property) -> String {
    let mut text = String::new();
    for (number, step) in property.trace.iter().flatten().enumerate() {
        let _ = writeln!(text, "{number:>4}  {}", step.rule);
        for change in step.changes() {
            let _ = writeln!(text, "        {change}");
        }
    }
    text
}

/// `model.m:3:7: unknown name`, for each error.
fn errors(diagnostics: &[Message]) -> String {
    let mut text = String::new();
    for error in diagnostics.iter().filter(|found| found.is_error()) {
        let _ = match error.place() {
            Some(Place::Region { file, line, column, .. }) => {
                writeln!(text, "{file}:{line}:{column}: {}", error.message)
            }
            _ => writeln!(text, "{}: {}", error.file, error.message),
        };
    }
    text
}

/// XML has no way to write most control characters.
fn clean(text: &str) -> String {
    let is_lost =
        |each: char| each.is_control() && !matches!(each, '\n' | '\t') || matches!(each, '\u{fffe}' | '\u{ffff}');
    text.replace(is_lost, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn characters_that_xml_does_not_have_are_replaced() {
        let status = Status::Rejected;
        let finished = Finished::new(
            "a<b> & \"c\" \u{1}\u{1b}[1m\u{ffff}é".to_owned(),
            status,
            None,
            Duration::ZERO,
        );
        let text = text(&[finished]).unwrap();
        assert!(
            text.contains("name=\"a&lt;b&gt; &amp; &quot;c&quot; \u{fffd}\u{fffd}[1m\u{fffd}é\""),
            "{text}"
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
        let text = |status| {
            let finished = Finished::new("x.m".to_owned(), status, Some(report.clone()), Duration::from_secs(1));
            text(&[finished]).unwrap()
        };
        let done = text(Status::Done);
        assert!(
            done.contains("tests=\"1\" skipped=\"0\"") && done.contains("time=\"1.000\""),
            "{done}"
        );
        assert!(text(Status::Incomplete).contains(r#"<skipped message="proved for P = 2 only"/>"#));
    }
}
