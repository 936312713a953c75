//! Every benchmark runs: published figures must be reproducible.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use testing::{Outcome, corpus, tool};

/// The rows of a bench that runs its smallest case once.
fn rows(bench: &str, timeout: &str) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_cubist-bench"))
        .args([bench, "--smoke", "--json", "--timeout", timeout])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap().clone();
    assert!(!rows.is_empty(), "{report}");
    rows
}

fn rumur() -> Outcome {
    tool("rumur", "--version")?;
    tool("cc", "--version")?;
    for row in rows("rumur", "60") {
        let counts = |figures: &Value| {
            (
                figures["states"].as_u64().unwrap(),
                figures["rules_fired"].as_u64().unwrap(),
            )
        };
        assert_eq!(counts(&row["ours"]), counts(&row["reference"]), "{row}");
    }
    Ok(())
}

fn cmurphi() -> Outcome {
    tool("mu", "-h")?;
    tool("g++", "--version")?;
    for row in rows("cmurphi", "60") {
        let counts = |figures: &Value| (figures["states"].as_u64(), figures["rules_fired"].as_u64());
        assert_eq!(counts(&row["ours"]), counts(&row["reference"]), "{row}");
    }
    Ok(())
}

fn das() {
    for row in rows("das", "60") {
        assert_eq!(row["met"], true, "{row}");
    }
}

fn indexed() {
    for row in rows("indexed", "60") {
        assert_eq!(row["ours"]["proved"], true, "{row}");
    }
}

fn programs() -> Outcome {
    tool("cc", "--version")?;
    for row in rows("c", "60") {
        assert_eq!(row["met"], true, "{row}");
    }
    Ok(())
}

/// Without Cubicle its columns are empty.
fn peers() -> Outcome {
    corpus("cubicle/mutex.cub")?;
    // Spacer does not terminate.
    for row in rows("peers", "15") {
        assert_eq!(row["ours"]["verdict"], "safe", "{row}");
    }
    Ok(())
}

fn growth() {
    for row in rows("growth", "60") {
        assert_eq!(row["ours"]["proved"], true, "{row}");
    }
}

fn files() {
    for row in rows("files", "60") {
        assert_eq!(row["met"], true, "{row}");
    }
}

fn load() {
    for row in rows("load", "60") {
        assert_eq!(row["met"], true, "{row}");
    }
}

testing::tests!(rumur, cmurphi, das, indexed, peers, growth, files, load, programs);
