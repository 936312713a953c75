//! `make install`: the program runs where nothing of the project is in reach.
#![allow(clippy::unwrap_used)] // In helpers, which are not recognised as tests.

mod common;

use common::{Folder, root};
use std::path::Path;
use std::process::Command;

/// Runs make with the binaries of this test in place of those of a release.
fn make(goal: &str, folder: &Folder) {
    let output = Command::new("make")
        .args(["--silent", goal, "PREFIX=/opt/cubist"])
        .arg(format!("DESTDIR={}", folder.0.display()))
        .arg(format!("CUBIST={}", env!("CARGO_BIN_EXE_cubist")))
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_installed_program_certifies_a_proof_far_from_the_project() {
    let folder = Folder::new("install");
    make("install", &folder);
    let model = std::fs::read_to_string(root().join("models/good-bad.m")).unwrap();
    let model = folder.write("model.m", model);
    let program = folder.0.join("opt/cubist/bin/cubist");
    let output = Command::new(&program)
        .args(["check", &model, "--ignore-predicates"])
        .current_dir("/")
        // Neither what Cargo adds for its tests nor a solver of the system may help.
        .env_remove("LD_LIBRARY_PATH")
        .env("PATH", "")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        said.starts_with("Safe for every number of PROC.") && said.contains("cvc5 confirms 5 of 5"),
        "{said}"
    );
    let z3 = folder.0.join("opt/cubist/lib/cubist/z3");
    let certificate = folder.path("proof.smt2");
    for arguments in [
        vec!["check", &model, "--ignore-predicates", "--certificate", &certificate],
        vec!["validate", &certificate, "--solver", z3.to_str().unwrap()],
    ] {
        let output = Command::new(&program)
            .args(arguments)
            .current_dir("/")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    make("uninstall", &folder);
    let left = |name: &str| Path::new(&folder.0).join("opt/cubist").join(name).exists();
    assert!(!left("bin/cubist") && !left("bin/cubist-cvc5") && !left("lib/cubist"));
}
