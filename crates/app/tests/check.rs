//! `cubist check` and `cubist validate` from the command line.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn cubist(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cubist"))
        .args(arguments)
        .current_dir(project())
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The solvers lie beside the target folder of the project; with another target folder nothing can be confirmed.
fn solvers_are_found() -> bool {
    let root = Path::new(env!("CARGO_BIN_EXE_cubist")).ancestors().nth(3).unwrap();
    let found = root.join("tools/cvc5").is_file() && root.join("third-party/solvers").is_dir();
    if !found {
        eprintln!("skipped: no solvers in {}", root.display());
    }
    found
}

#[test]
fn a_quantified_predicate_is_found_and_the_proof_confirmed() {
    if !solvers_are_found() {
        return;
    }
    let output = cubist(&["check", "models/good-bad.m", "--ignore-predicates"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.starts_with("Safe.\nThis holds for every number of PROC."),
        "{text}"
    );
    assert!(text.contains("!(exists p: PROC. status[p] = bad)"), "{text}");
    assert!(text.contains("cvc5 confirms 5 of 5"), "{text}");
}

#[test]
fn without_discovery_it_is_unknown() {
    let output = cubist(&["check", "models/good-bad.m", "--ignore-predicates", "--no-discovery"]);
    assert_eq!(output.status.code(), Some(20), "{}", text(&output));
    assert!(
        text(&output).contains("no proof after 0 discovery cycles"),
        "{}",
        text(&output)
    );
}

#[test]
fn a_violation_comes_with_a_run() {
    let output = cubist(&["check", "models/good-bad-bug.m"]);
    assert_eq!(output.status.code(), Some(10), "{}", text(&output));
    assert!(text(&output).contains("A shortest counterexample"), "{}", text(&output));
}

#[test]
fn json_has_the_fields_of_the_schema() {
    let output = cubist(&["check", "models/good-bad.m", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for field in [
        "cubist",
        "schema",
        "file",
        "engine",
        "verdict",
        "properties",
        "checks",
        "time_s",
        "peak_memory_mb",
    ] {
        assert!(json.get(field).is_some(), "{field} is missing in {json}");
    }
    let property = &json["properties"][0];
    for field in [
        "name",
        "verdict",
        "reason",
        "predicates",
        "discovery_cycles",
        "iterations",
        "abstract_states",
        "trace",
        "instance",
        "certificate",
    ] {
        assert!(property.get(field).is_some(), "{field} is missing in {property}");
    }
}

#[test]
fn certificates_are_confirmed_and_damaged_ones_refused() {
    if !solvers_are_found() {
        return;
    }
    let folder = tempfile();
    let path = folder.join("proof.smt2");
    let output = cubist(&[
        "check",
        "models/mutex-server.m",
        "--certificate",
        path.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let output = cubist(&["validate", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).starts_with("Confirmed."), "{}", text(&output));
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(cubist(&["validate", path.to_str().unwrap()]).status.code(), Some(2));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_unknown_property_is_an_error() {
    let output = cubist(&["check", "models/good-bad.m", "--property", "nothing"]);
    assert_eq!(output.status.code(), Some(2));
}

/// A folder of this test process.
fn tempfile() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cubist-check-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
