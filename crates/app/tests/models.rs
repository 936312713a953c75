//! Every model of models/ gets the verdict that its first line announces.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{cubist, json, root, solvers};
use std::path::{Path, PathBuf};
use testing::{Outcome, trial};

const UNDECIDED: &str = "undecided";
const SLOW: &str = ", slow";

fn models() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("models")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

fn explored(path: &Path) {
    let (expected, options, _) = expectation_of(path);
    let mut arguments = vec!["explore", path.to_str().unwrap(), "--json"];
    arguments.extend(options.split_whitespace());
    let (status, report) = json(&arguments);
    match expected.as_str() {
        // Where numbers run out of their window there is no violation among those that do not.
        "safe" if report["message"] == "numbers outside their window were left out" => {
            assert!(options.contains("--integers"), "there is no window");
            assert_eq!((status, &report["trace"]), (Some(20), &serde_json::Value::Null));
        }
        "safe" => {
            assert_eq!(report["verdict"], "safe", "{report}");
            assert_eq!((status, &report["trace"]), (Some(0), &serde_json::Value::Null));
        }
        _ => {
            assert_eq!(report["verdict"], "unsafe", "{report}");
            assert_eq!(status, Some(10));
            assert!(report["trace"].as_array().unwrap().len() > 1);
        }
    }
}

/// The verdict of the first line, and with what options to explore and to check: `-- expect: safe   (explore: --size
/// PROC=2) (check: --ignore-predicates, slow)`. What is slow is not checked every day, and what is undecided nobody
/// has proved.
fn expectation_of(path: &Path) -> (String, String, String) {
    let text = std::fs::read_to_string(path).unwrap();
    let first = text.lines().next().unwrap_or_default();
    let (_, expected) = first
        .split_once("-- expect: ")
        .unwrap_or_else(|| panic!("{} expects nothing", path.display()));
    let verdict = expected.split_whitespace().next().unwrap_or_default();
    assert!(["safe", "unsafe"].contains(&verdict), "{first}");
    let options = |command: &str| {
        let after = expected.split_once(&format!("({command}:")).map(|(_, after)| after);
        after
            .and_then(|after| after.split_once(')'))
            .map_or("", |(options, _)| options.trim())
            .to_owned()
    };
    (verdict.to_owned(), options("explore"), options("check"))
}

/// Every model is also a transition system that proofs can be about.
fn models_are_lowered() {
    for path in models() {
        let run = cubist(&["show", path.to_str().unwrap(), "--system"]);
        // There may be notes, about types that keep their size.
        let complains = run.stderr.contains("error:") || run.stderr.contains("warning:");
        assert_eq!((run.status, complains), (Some(0), false), "{}", path.display());
    }
}

/// A model and its twin with a bug differ in little more than the bug.
fn every_bug_has_a_correct_twin() {
    for path in models() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if let Some(correct) = name.strip_suffix("-bug") {
            assert!(path.with_file_name(format!("{correct}.m")).exists(), "{name}");
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.contains("-- the bug: "), "{name} does not say what its bug is");
        }
    }
}

/// `check` proves it, or finds the bug.
fn checked(path: &Path) -> Outcome {
    solvers()?;
    let (expected, _, options) = expectation_of(path);
    let mut arguments = vec!["check", path.to_str().unwrap(), "--json"];
    if options == UNDECIDED {
        arguments.extend(["--timeout", "3"]);
    } else {
        arguments.extend(options.trim_end_matches(SLOW).split_whitespace());
    }
    let (status, report) = json(&arguments);
    let (code, verdict) = match expected.as_str() {
        _ if options == UNDECIDED => (20, "unknown"),
        "safe" => (0, "safe"),
        _ => (10, "unsafe"),
    };
    assert_eq!(
        (status, report["verdict"].as_str()),
        (Some(code), Some(verdict)),
        "{report}"
    );
    Ok(())
}

fn main() -> std::process::ExitCode {
    let mut trials = vec![
        trial("models_are_lowered", models_are_lowered),
        trial("every_bug_has_a_correct_twin", every_bug_has_a_correct_twin),
    ];
    for path in models() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let same = path.clone();
        trials.push(trial(&format!("explore::{name}"), move || explored(&path)));
        let is_slow = expectation_of(&same).2.ends_with(SLOW);
        let check = trial(&format!("check::{name}"), move || checked(&same));
        trials.push(check.with_ignored_flag(is_slow));
    }
    assert!(trials.len() > 100, "there are models");
    testing::run(trials)
}
