//! The state and rule-firing counts of the corpus models are exactly those of Rumur and CMurphi.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;

use explore::{Deadlock, SearchOutcome, SearchVerdict};

/// Runs with more rule firings are left to `--ignored`.
const QUICK: u64 = 300_000;

/// A line of `tests/data/counts.tsv`.
struct Row {
    model: String,
    constants: BTreeMap<String, i64>,
    tool: String,
    symmetry: bool,
    states: u64,
    rules_fired: u64,
    /// The length of the counterexample, if there is one.
    steps: Option<usize>,
}

fn rows() -> Vec<Row> {
    let text = include_str!("data/counts.tsv");
    text.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

fn row(line: &str) -> Row {
    let fields: Vec<&str> = line.split('\t').collect();
    let [model, constants, tool, symmetry, states, rules_fired, verdict, steps] = fields[..] else {
        panic!("not eight columns: {line}");
    };
    assert!(
        matches!(symmetry, "off" | "full") && matches!(verdict, "ok" | "violation"),
        "{line}"
    );
    Row {
        model: model.to_owned(),
        constants: support::constants(constants),
        tool: tool.to_owned(),
        symmetry: symmetry == "full",
        states: states.parse().unwrap(),
        rules_fired: rules_fired.parse().unwrap(),
        steps: (verdict == "violation").then(|| steps.parse().unwrap()),
    }
}

fn steps(outcome: &SearchOutcome) -> Option<usize> {
    match &outcome.verdict {
        SearchVerdict::Ok => None,
        // The first step is the start.
        SearchVerdict::Violation(violation) => {
            let trace = violation.trace.as_ref().unwrap();
            Some(trace.steps.len() - 1 + usize::from(trace.failing.is_some()))
        }
        SearchVerdict::Incomplete(reason) => panic!("not complete: {reason}"),
    }
}

/// Explores the models of the selected rows and lists those with different counts.
fn compare(chosen: impl Fn(&Row) -> bool) -> testing::Outcome {
    let corpus = testing::corpus("murphi")?;
    let mut wrong = Vec::new();
    for row in rows().into_iter().filter(chosen) {
        let file = support::read(&corpus.join(&row.model));
        let (instance, _) = support::instance(&file, row.constants.clone());
        let outcome = support::run(&instance, row.symmetry, Deadlock::Off);
        let statistics = &outcome.statistics;
        let ours = (statistics.states, statistics.rules_fired, steps(&outcome));
        let theirs = (row.states, row.rules_fired, row.steps);
        if ours != theirs {
            let Row {
                model, constants, tool, ..
            } = &row;
            wrong.push(format!(
                "{model} {constants:?}: {tool} has {theirs:?}, we have {ours:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn states_and_firings_without_symmetry() -> testing::Outcome {
    compare(|row| !row.symmetry && row.rules_fired <= QUICK)
}

/// Ignored: takes minutes: cargo test --release -p cubist-murphi --test counts -- --ignored
fn states_and_firings_without_symmetry_at_larger_sizes() -> testing::Outcome {
    compare(|row| !row.symmetry && row.rules_fired > QUICK)
}

fn states_and_firings_with_symmetry() -> testing::Outcome {
    compare(|row| row.symmetry && row.rules_fired <= QUICK)
}

/// Ignored: takes minutes: cargo test --release -p cubist-murphi --test counts -- --ignored
fn states_and_firings_with_symmetry_at_larger_sizes() -> testing::Outcome {
    compare(|row| row.symmetry && row.rules_fired > QUICK)
}

testing::tests!(
    states_and_firings_without_symmetry,
    states_and_firings_with_symmetry,
    ; ignored: states_and_firings_without_symmetry_at_larger_sizes, states_and_firings_with_symmetry_at_larger_sizes
);
