//! Numbers near the 64-bit limits in every position: such models may be rejected, but nothing crashes.

#![allow(clippy::unwrap_used)]

use explore::{Deadlock, FaultKind, SearchOptions, SearchVerdict, SilentObserver, ViolationKind};
use logic::Cancellation;
use system::{Severity, SourceFile};

const BOUNDS: &[(&str, &str)] = &[
    ("-9223372036854775808", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775807"),
    ("-9223372036854775807", "9223372036854775807"),
    ("-9223372036854775807", "-9223372036854775800"),
    ("-9223372036854775807", "-1"),
    ("-4611686018427387904", "4611686018427387904"),
    ("-4611686018427387904", "4611686018427387902"),
    ("-1", "9223372036854775805"),
    ("0", "9223372036854775807"),
    ("1", "9223372036854775807"),
    ("9223372036854775800", "9223372036854775807"),
];

const STEPS: &[&str] = &[
    "-9223372036854775807",
    "-4611686018427387904",
    "-2",
    "3",
    "4611686018427387904",
    "9223372036854775807",
];

/// With LOW, HIGH and STEP in place of numbers.
const MODELS: &[&str] = &[
    "var y: LOW..HIGH; startstate y := LOW; end; rule y := y + 1; end; rule y := y - 1; end; rule y := HIGH; end;",
    "var y: LOW..HIGH; z: LOW..HIGH; startstate y := HIGH; z := LOW; end; rule y := y * z; end; rule y := -z; end; \
     rule y := y / z; end; rule y := y % z; end; rule y := y << 1; end; rule y := z >> 1; end; rule y := ~z; end;",
    "var y: array [LOW..HIGH] of boolean; startstate clear y; end; rule y[LOW] := true; y[HIGH] := y[LOW]; end;",
    "var y: boolean; startstate y := true; end; ruleset i: LOW..HIGH do rule y := i = LOW; end; end;",
    "var y: boolean; startstate y := true; end; ruleset i := LOW to HIGH by STEP do rule y := i = LOW; end; end;",
    "var y: boolean; startstate y := true; end; ruleset i := HIGH to LOW by STEP do rule y := i = LOW; end; end;",
    "var y: boolean; startstate y := true; end; rule for i := LOW to HIGH by STEP do y := !y; return; end; end;",
    "var y: boolean; startstate y := true; end; rule for i := HIGH to LOW by STEP do y := !y; return; end; end;",
    "var y: boolean; startstate y := true; end; rule y := exists i := LOW to HIGH by STEP do i = LOW end; end;",
    "var y: boolean; startstate y := true; end; rule y := exists i: LOW..HIGH do i = LOW end; end;",
    "var y: union {enum {a, b}, LOW..HIGH}; startstate y := a; end; rule y := LOW; end; rule y := HIGH; end; rule clear y; end;",
    "var y: array [union {LOW..HIGH, enum {a}}] of boolean; startstate y[a] := true; end; rule y[LOW] := y[a]; end;",
    "const L: LOW; H: HIGH; type T: L..H; var y: T; startstate clear y; end; ruleset i: T do rule y := i; end; end;",
    "const L: LOW; H: HIGH; type T: L+1..H-1; U: 0..H*H; var y: T; startstate clear y; end;",
    "var y: scalarset(HIGH); startstate undefine y; end;",
    "var y: multiset [HIGH] of boolean; startstate undefine y; end; rule multisetadd(true, y); end;",
    "var y: array [scalarset(HIGH)] of array [LOW..HIGH] of boolean; startstate undefine y; end;",
    "var y: integer; startstate y := LOW; end; rule y := y + HIGH; end; rule y := y - HIGH; end; rule y := y * y; end;",
];

#[test]
fn nothing_crashes() {
    for (low, high) in BOUNDS {
        for model in MODELS {
            let steps = if model.contains("STEP") { STEPS } else { &["1"] };
            for step in steps {
                let text = model.replace("LOW", low).replace("HIGH", high).replace("STEP", step);
                look_at(&format!("{text} invariant true;"));
            }
        }
    }
}

/// Parses, compiles, lowers and runs a model as far as possible.
fn look_at(text: &str) -> Option<SearchVerdict> {
    let file = SourceFile::new("limits.m", text);
    let (program, found) = murphi::parse(&file);
    assert!(found.is_empty(), "{text}: {found:?}");
    let (model, found) = murphi::check(&program, &murphi::CheckOptions::default());
    let is_wrong = |found: &[system::Diagnostic]| found.iter().any(|message| message.severity == Severity::Error);
    if is_wrong(&found) {
        assert!(
            found.iter().all(|message| message.span.start < message.span.end),
            "{text}: {found:?}"
        );
        return None;
    }
    drop(murphi::lower(&model));
    let (instance, found) = murphi::compile(&model, &murphi::CompileOptions::default());
    if is_wrong(&found) {
        return None;
    }
    let options = SearchOptions {
        deadlock: Deadlock::Off,
        max_states: Some(20),
        ..SearchOptions::default()
    };
    Some(explore::explore(&instance, &options, &Cancellation::new(), &mut SilentObserver).verdict)
}

/// The least 64-bit number marks undefined slots: arithmetic never produces it.
#[test]
fn the_least_number_is_beyond_the_numbers() {
    let text = "var y: -9223372036854775807..-1; startstate y := -9223372036854775807; end; rule y := y - 1; end; invariant !isundefined(y);";
    let Some(SearchVerdict::Violation(violation)) = look_at(text) else {
        panic!("no violation");
    };
    assert_eq!(violation.kind, ViolationKind::Fault(FaultKind::Overflow));
}

/// `ruleset i := 0 to 1 by -2` had one instance: the division of the distance truncated towards zero.
#[test]
fn a_ruleset_that_runs_the_wrong_way_is_empty() {
    for (range, expected) in [("0 to 1 by -2", false), ("3 to 0 by -2", true), ("0 to 0 by -2", true)] {
        let text = format!(
            "var y: boolean; startstate y := false; end; ruleset i := {range} do rule y := true; end; end; invariant !y;"
        );
        let verdict = look_at(&text).unwrap();
        assert_eq!(
            matches!(verdict, SearchVerdict::Violation(_)),
            expected,
            "{range}: {verdict:?}"
        );
    }
}
