//! Every model of models/ gets the verdict that its first line announces.
#![allow(clippy::unwrap_used)]

mod common;

use common::{json, root};

#[test]
fn models_get_the_verdict_of_their_first_line() {
    let mut checked = 0;
    for entry in std::fs::read_dir(root().join("models")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let first = text.lines().next().unwrap_or_default();
        let expected = first.rsplit_once("expect: ").map(|(_, verdict)| verdict.trim());
        let expected = expected.unwrap_or_else(|| panic!("{} expects nothing", path.display()));
        let (status, report) = json(&["explore", path.to_str().unwrap(), "--json"]);
        assert_eq!(report["verdict"], expected, "{}", path.display());
        match expected {
            "safe" => assert_eq!((status, &report["trace"]), (Some(0), &serde_json::Value::Null)),
            "unsafe" => {
                assert_eq!(status, Some(10));
                assert!(report["trace"].as_array().unwrap().len() > 1, "{}", path.display());
            }
            other => panic!("{}: unknown verdict {other}", path.display()),
        }
        checked += 1;
    }
    assert!(checked >= 8, "only {checked} models");
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
