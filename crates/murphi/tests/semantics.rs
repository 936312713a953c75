//! One small model for each point of meaning, with what Rumur or CMurphi counts on its first line:
//!
//! ```text
//! -- rumur (deadlock stuttering): deadlock, 4 states, 4 rules fired
//! ```
//!
//! `by hand` stands for what neither tool runs.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod support;

use explore::{Deadlock, FaultKind, Incomplete, Outcome, Verdict, ViolationKind};
use support::Expectation;
use system::SourceFile;

fn verdict(outcome: &Outcome) -> &'static str {
    let violation = match &outcome.verdict {
        // Rumur finds nothing wrong with a model without states.
        Verdict::Ok | Verdict::Incomplete(Incomplete::NoInitialState) => return "ok",
        Verdict::Incomplete(_) => return "incomplete",
        Verdict::Violation(violation) => violation,
    };
    match violation.kind {
        ViolationKind::Invariant { .. } => "invariant",
        ViolationKind::Deadlock => "deadlock",
        ViolationKind::Uncovered { .. } => "uncovered",
        ViolationKind::Fault(FaultKind::UndefinedRead) => "undefined read",
        ViolationKind::Fault(FaultKind::OutOfRange) => "out of range",
        ViolationKind::Fault(FaultKind::IndexOutOfBounds) => "index out of bounds",
        ViolationKind::Fault(FaultKind::DivisionByZero) => "division by zero",
        ViolationKind::Fault(FaultKind::Assertion) => "assertion",
        ViolationKind::Fault(FaultKind::Error) => "error",
        ViolationKind::Fault(FaultKind::EmptyList) => "empty list",
        ViolationKind::Fault(FaultKind::MultisetFull) => "multiset full",
        ViolationKind::Fault(_) => "another fault",
    }
}

#[test]
fn every_point_of_meaning() {
    let mut wrong = Vec::new();
    for (file, expectation) in support::semantics() {
        let (instance, _) = support::instance(&file, Default::default());
        let outcome = support::run(&instance, false, expectation.deadlock);
        let found = Expectation {
            verdict: verdict(&outcome).to_owned(),
            states: outcome.statistics.states,
            rules_fired: outcome.statistics.rules_fired,
            ..expectation.clone()
        };
        if found != expectation {
            wrong.push(format!("{}: expected {expectation}, found {found}", file.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where several rules break an invariant, the first one is reported: parameters vary as in Rumur.
#[test]
fn order_of_parameters() {
    let first_violation = |rules: &str| {
        let text = format!("var x: 0..3; startstate begin x := 0; end; {rules} invariant x = 0;");
        let (instance, _) = support::instance(&SourceFile::new("order.m", text), Default::default());
        let outcome = support::run(&instance, false, Deadlock::Off);
        let Verdict::Violation(violation) = outcome.verdict else {
            panic!("no violation");
        };
        violation.trace.unwrap().steps[1].state[0]
    };
    let rule = "rule x = 0 & (i != 0 | j != 0) ==> begin x := i * 2 + j; end;";
    assert_eq!(first_violation(&format!("ruleset i: 0..1; j: 0..1 do {rule} end;")), 1);
    assert_eq!(
        first_violation(&format!("ruleset i: 0..1 do ruleset j: 0..1 do {rule} end; end;")),
        2
    );
}
