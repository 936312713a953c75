//! Every model of models/ gets the verdict that its first line announces.
#![allow(clippy::unwrap_used)]

mod common;

use common::{cubist, json, root};

#[test]
fn models_get_the_verdict_of_their_first_line() {
    let mut checked = 0;
    for entry in std::fs::read_dir(root().join("models")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let first = text.lines().next().unwrap_or_default();
        let (expected, options) = expectation(first).unwrap_or_else(|| panic!("{} expects nothing", path.display()));
        let mut arguments = vec!["explore", path.to_str().unwrap(), "--json"];
        arguments.extend(options.split_whitespace());
        let (status, report) = json(&arguments);
        match expected {
            // Where numbers run out of their window there is no violation among those that do not.
            "safe" if report["message"] == "numbers outside their window were left out" => {
                assert!(options.contains("--integers"), "{} has no window", path.display());
                assert_eq!((status, &report["trace"]), (Some(20), &serde_json::Value::Null));
            }
            "safe" => {
                assert_eq!(report["verdict"], expected, "{}", path.display());
                assert_eq!((status, &report["trace"]), (Some(0), &serde_json::Value::Null));
            }
            "unsafe" => {
                assert_eq!(report["verdict"], expected, "{}", path.display());
                assert_eq!(status, Some(10));
                assert!(report["trace"].as_array().unwrap().len() > 1, "{}", path.display());
            }
            other => panic!("{}: unknown verdict {other}", path.display()),
        }
        checked += 1;
    }
    assert!(checked >= 8, "only {checked} models");
}

/// Every model is also a transition system that proofs can be about.
#[test]
fn models_are_lowered() {
    for entry in std::fs::read_dir(root().join("models")).unwrap() {
        let path = entry.unwrap().path();
        let run = cubist(&["show", path.to_str().unwrap(), "--system"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{}", path.display());
    }
}

/// The verdict of a first line, and with what options to explore: `-- expect: safe   (explore: --size PROC=2)`.
fn expectation(first: &str) -> Option<(&str, &str)> {
    let (_, expected) = first.rsplit_once("expect: ")?;
    match expected.split_once("(explore:") {
        None => Some((expected.trim(), "")),
        Some((verdict, options)) => Some((verdict.trim(), options.trim().strip_suffix(')')?)),
    }
}

/// A model and its twin with a bug differ in little more than the bug.
#[test]
fn every_bug_has_a_correct_twin() {
    for entry in std::fs::read_dir(root().join("models")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if let Some(correct) = name.strip_suffix("-bug") {
            assert!(path.with_file_name(format!("{correct}.m")).exists(), "{name}");
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.contains("-- the bug: "), "{name} does not say what its bug is");
        }
    }
}
