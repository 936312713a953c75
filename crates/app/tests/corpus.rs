//! Protocols that others wrote, for every size and without a predicate of ours: the verdicts are theirs.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::solvers;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::{Absent, Outcome};

const SAFE: [&str; 25] = [
    "cubicle/bakery.cub",
    "cubicle/bakery_lamport.cub",
    "cubicle/berkeley.cub",
    "cubicle/burns.cub",
    "cubicle/dijkstra.cub",
    "cubicle/flash_nodata.cub",
    "cubicle/german_baukus.cub",
    "cubicle/german_undip.cub",
    "cubicle/germanish.cub",
    "cubicle/germanish4.cub",
    "cubicle/illinois.cub",
    "cubicle/mesi.cub",
    "cubicle/mutex.cub",
    "cubicle/mux_sem.cub",
    "cubicle/ricart_abdulla.cub",
    "cubicle/sense_barrier.cub",
    "cubicle/synapse.cub",
    "cubicle/szymanski_at.cub",
    "cubicle/szymanski_na.cub",
    "murphi/ctc_german.m",
    "murphi/german_baukus.m",
    "murphi/pv_german_orig.m",
    "murphi/szymanski_at.m",
    "murphi/dek.m",
    "murphi/abp.m",
];

/// Take longer.
const SAFE_TOO: [&str; 1] = ["cubicle/flash.cub"];

const UNSAFE: [&str; 5] = [
    "cubicle/bakery_lamport_bogus.cub",
    "cubicle/flash_buggy.cub",
    "cubicle/futurebus.cub",
    "murphi/arbiter.m",
    "murphi/german_buggy.m",
];

/// Published without a property: one that their authors prove elsewhere, and the type of its indices.
const WITHOUT_PROPERTY: [(&str, &str, &str); 4] = [
    ("murphi/pv_mutualEx.m", "client", "!(n[i] = C & n[j] = C)"),
    ("murphi/pv_mesi.m", "client", "!(state[i] = M & state[j] = M)"),
    (
        "murphi/pv_germanish.m",
        "client",
        "!(cache[i] = exclusive & cache[j] = exclusive)",
    ),
    (
        "murphi/pv_flash_nodata.m",
        "NODE",
        "!(Sta.Proc[i].CacheState = CACHE_E & Sta.Proc[j].CacheState = CACHE_E)",
    ),
];

/// A file of the corpus, where what is proved of it can be confirmed.
fn corpus(name: &str) -> Result<PathBuf, Absent> {
    solvers()?;
    testing::corpus(name)
}

fn check(file: &Path, options: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_cubist"))
        .args(["check", "--json", "--timeout", "120"])
        .args(options)
        .arg(file)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}: {output:?}", file.display()))
}

fn expect(names: &[&str], verdict: &str) -> Outcome {
    for name in names {
        let report = check(&corpus(name)?, &[]);
        assert_eq!(report["verdict"], verdict, "{name}: {report}");
        for property in report["properties"].as_array().unwrap() {
            // For every size, or by a run.
            assert_eq!(property["instance"].is_null(), property["trace"].is_null(), "{name}");
        }
    }
    Ok(())
}

fn safe_for_every_size() -> Outcome {
    expect(&SAFE, "safe")
}

/// Ignored: takes a minute
fn safe_for_every_size_too() -> Outcome {
    expect(&SAFE_TOO, "safe")
}

fn unsafe_by_a_run() -> Outcome {
    expect(&UNSAFE, "unsafe")
}

/// Peterson's algorithm is declared for two processes, and for no more.
fn safe_as_declared() -> Outcome {
    let file = corpus("murphi/2_peterson.m")?;
    let report = check(&file, &[]);
    assert_eq!(report["verdict"], "safe", "{report}");
    assert_eq!(report["properties"][0]["instance"]["pid"], 2, "{report}");
    let report = check(&file, &["--parametric", "pid"]);
    assert_eq!(report["verdict"], "unsafe", "{report}");
    assert_eq!(report["properties"][0]["instance"]["pid"], 3, "{report}");
    Ok(())
}

fn properties_from_a_file() -> Outcome {
    let directory = std::env::temp_dir().join(format!("cubist-corpus-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for (name, ty, exclusion) in WITHOUT_PROPERTY {
        let property = format!("invariant \"exclusion\" forall i: {ty}; j: {ty} do i != j -> {exclusion} end;\n");
        let path = directory.join("properties.m");
        std::fs::write(&path, property).unwrap();
        let report = check(&corpus(name)?, &["--properties", path.to_str().unwrap()]);
        assert_eq!(report["verdict"], "safe", "{name}: {report}");
        // Nothing is proved of a model that says nothing.
        assert_eq!(check(&corpus(name)?, &[])["verdict"], "unknown", "{name}");
    }
    std::fs::remove_dir_all(&directory).unwrap();
    Ok(())
}

testing::tests!(
    safe_for_every_size,
    unsafe_by_a_run,
    safe_as_declared,
    properties_from_a_file,
    ; ignored: safe_for_every_size_too
);
