//! One small model for each semantic detail, with the counts of Rumur or CMurphi on its first line:
//!
//! ```text
//! -- rumur (deadlock stuttering): deadlock, 4 states, 4 rules fired
//! ```
//!
//! `by hand` marks models that neither tool can run.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use explore::{Deadlock, FaultKind, Incomplete, SearchOutcome, SearchVerdict, ViolationKind};
use support::Expectation;
use system::SourceFile;

fn verdict(outcome: &SearchOutcome) -> &'static str {
    let violation = match &outcome.verdict {
        // Rumur reports no error for a model without states.
        SearchVerdict::Ok | SearchVerdict::Incomplete(Incomplete::NoInitialState) => return "ok",
        SearchVerdict::Incomplete(_) => return "incomplete",
        SearchVerdict::Violation(violation) => violation,
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

/// If several rules violate an invariant, the first one is reported: parameters vary as in Rumur.
#[test]
fn order_of_parameters() {
    let first_violation = |rules: &str| {
        let text = format!("var x: 0..3; startstate begin x := 0; end; {rules} invariant x = 0;");
        let (instance, _) = support::instance(&SourceFile::new("order.m", text), Default::default());
        let outcome = support::run(&instance, false, Deadlock::Off);
        let SearchVerdict::Violation(violation) = outcome.verdict else {
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

/// A value is named in the user's notation, as in the shown run.
#[test]
fn faults_name_the_values_of_the_shown_run() {
    let text = "type P: scalarset(3); Q: enum {A, B}; \
        var at: array[P] of 0..1; y: array[P] of union {P, Q}; q: Q; \
        startstate begin for i: P do at[i] := 0; y[i] := A; end; end; \
        ruleset i: P do \
        rule at[i] = 0 ==> begin at[i] := 1; y[i] := i; end; \
        rule at[i] = 1 & exists j: P do j != i & at[j] = 1 end ==> begin q := y[i]; end; \
        end;";
    let (instance, _) = support::instance(&SourceFile::new("union.m", text), Default::default());
    let outcome = support::run(&instance, true, Deadlock::Off);
    let SearchVerdict::Violation(violation) = outcome.verdict else {
        panic!("no violation");
    };
    let failing = violation.trace.unwrap().failing.unwrap();
    let value = &failing.parameters[0].text;
    assert_eq!(violation.message, format!("value {value} is outside A..B"));
}
