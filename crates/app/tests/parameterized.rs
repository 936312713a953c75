//! Parameterized protocols, proved for every size without a predicate.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn check(file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cubist"))
        .args(["check", "--ignore-predicates", "--timeout", "60"])
        .arg(file)
        .current_dir(project())
        .output()
        .unwrap()
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

/// Other people's models; the verdicts are Cubicle's.
fn corpus(name: &str) -> Option<PathBuf> {
    let path = project().join("../shared/corpus").join(name);
    if !path.is_file() {
        eprintln!("skipped: {} is absent", path.display());
        return None;
    }
    Some(path)
}

fn assert_status(path: &Path, expected: i32) {
    let output = check(path);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(expected), "{}\n{text}", path.display());
    if expected == 0 {
        assert!(
            text.contains("This holds for every number of"),
            "{}\n{text}",
            path.display()
        );
    }
}

#[test]
fn german_with_data_needs_no_predicates() {
    if !solvers_are_found() {
        return;
    }
    let output = check(&project().join("models/german.m"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    // A fact that no universal quantifier over the caches says: where nobody holds a copy, the memory is right.
    let fact = "(forall q: PROC. !home.holder[q]) -> home.memory = latest";
    assert!(text.contains(fact), "{text}");
}

#[test]
fn protocols_that_cubicle_proves_are_proved() {
    if !solvers_are_found() {
        return;
    }
    for name in [
        "cubicle/bakery_lamport.cub",
        "cubicle/dijkstra.cub",
        "cubicle/german_baukus.cub",
        "cubicle/german_undip.cub",
        "cubicle/germanish4.cub",
        "cubicle/mux_sem.cub",
        "cubicle/ricart_abdulla.cub",
        "murphi/ctc_german.m",
        "murphi/szymanski_at.m",
    ] {
        if let Some(path) = corpus(name) {
            assert_status(&path, 0);
        }
    }
}

#[test]
fn wrong_protocols_are_refuted() {
    for name in [
        "cubicle/bakery_lamport_bogus.cub",
        "cubicle/flash_buggy.cub",
        "murphi/german_buggy.m",
    ] {
        if let Some(path) = corpus(name) {
            assert_status(&path, 10);
        }
    }
}
