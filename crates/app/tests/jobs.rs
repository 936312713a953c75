//! `cubist check --jobs N`: several things at once, and the same verdict as one after the other.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, corpus, cubist, json};
use serde_json::Value;
use testing::Outcome;

/// The checks by purpose add up to the total.
fn total(report: &Value) -> u64 {
    let checks = &report["checks"];
    let number = |name: &str| checks[name].as_u64().unwrap();
    let parts = ["abstraction", "trace", "discovery", "other"].map(number);
    assert_eq!(parts.iter().sum::<u64>(), number("total"), "{checks}");
    number("total")
}

/// Facts about every size are no way to tickets that are numbers, and the search for them does not end. Das's thesis
/// proves it by predicate abstraction.
fn whoever_answers_first_stops_the_other() {
    let arguments = [
        "check",
        "models/ticket.m",
        "--ignore-predicates",
        "--timeout",
        "60",
        "--json",
    ];
    let (status, report) = json(&[&arguments[..], &["--jobs", "2"]].concat());
    assert_eq!(status, Some(0), "{report}");
    assert_eq!(report["engine"], "approximate");
    assert!(report["checks"]["stopped"].as_u64().unwrap() > 0, "{report}");
    let (_, alone) = json(&[&arguments[..], &["--engine", "approximate"]].concat());
    assert_eq!(alone["checks"]["stopped"], 0);
    assert!(total(&report) > 0 && total(&alone) > 0);
}

fn a_short_run_is_the_same_with_any_number_of_jobs() {
    for arguments in [
        ["check", "models/mutex-server.m", "--json"].as_slice(),
        &["check", "models/peterson.m", "--ignore-predicates", "--json"],
        &["check", "models/mutex-server-bug.m", "--json"],
    ] {
        let run = |jobs: &str| {
            let (status, mut report) = json(&[arguments, &["--jobs", jobs]].concat());
            total(&report);
            report["time_s"] = Value::Null;
            report["peak_memory_mb"] = Value::Null;
            report["checks"]["time_s"] = Value::Null;
            for confirmation in report["confirmations"].as_array_mut().unwrap() {
                confirmation["time_s"] = Value::Null;
            }
            if let Some(agreement) = report["agreement"].as_object_mut() {
                agreement["time_s"] = Value::Null;
                agreement["processor_s"] = Value::Null;
            }
            (status, report)
        };
        let one = run("1");
        assert_eq!(one, run("1"));
        assert_eq!(one, run("4"));
    }
}

/// Twelve counters: no search comes to an end in the time that it has.
fn counters(rules: &str) -> String {
    format!(
        "var x: array [1..12] of 0..9; sum: 0..200; z, y: 0..9;\n\
         startstate begin for i := 1 to 12 do x[i] := 0; end; y := 0; sum := 0; undefine z; end;\n\
         ruleset i: 1..12 do rule \"up\" x[i] < 9 & sum < 108 ==> begin x[i] := x[i] + 1; sum := sum + 1; end; end;\n\
         {rules}invariant \"small\" forall i: 1..12 do x[i] < 10 end;\n"
    )
}

fn a_proof_needs_not_wait_for_the_search_to_begin_but_for_its_end() {
    let folder = Folder::new("jobs-search");
    let model = folder.write("counters.m", counters(""));
    let run = cubist(&["check", &model, "--jobs", "2"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    // What is undefined is arbitrary in a proof. The run that reads it is found some fifty thousand states later.
    let read = "rule \"read\" sum = 7 ==> begin y := z; end;\n";
    let model = folder.write("read.m", counters(read));
    for jobs in ["1", "2"] {
        let run = cubist(&["check", &model, "--jobs", jobs]);
        assert_eq!(run.status, Some(10), "{jobs}: {run:?}");
        assert!(run.stdout.contains("undefined"), "{jobs}: {run:?}");
    }
}

/// Each engine alone, and both together: no disagreement.
fn models_of_others_have_the_same_verdict_with_any_number_of_jobs() -> Outcome {
    let files = [
        ("cubicle/german_baukus.cub", 0),
        ("cubicle/szymanski_at.cub", 0),
        ("cubicle/bakery_lamport_bogus.cub", 10),
        ("murphi/german_buggy.m", 10),
    ];
    for (file, expected) in files {
        let path = corpus(file)?;
        for jobs in ["1", "2", "3"] {
            let run = cubist(&["check", &path, "--jobs", jobs, "-q"]);
            assert_eq!(run.status, Some(expected), "{file} {jobs}: {run:?}");
        }
    }
    Ok(())
}

testing::tests!(
    whoever_answers_first_stops_the_other,
    a_short_run_is_the_same_with_any_number_of_jobs,
    a_proof_needs_not_wait_for_the_search_to_begin_but_for_its_end,
    models_of_others_have_the_same_verdict_with_any_number_of_jobs,
);
