//! Comparison with Rumur itself, if it and a C compiler are installed.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

use explore::{Deadlock, Incomplete, SearchVerdict};
use system::SourceFile;
use testing::{Outcome, tool};

/// States, rule firings, and whether the run ended without an error.
#[derive(PartialEq, Debug)]
struct Counts {
    states: u64,
    rules_fired: u64,
    ok: bool,
}

fn are_installed() -> Outcome {
    tool("rumur", "--version")?;
    tool("cc", "--version")
}

/// Generates, compiles and runs the checker in a folder of its own.
fn rumur(file: &SourceFile, deadlock: Deadlock, folder: &str) -> Counts {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rumur").join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("model.m"), &file.text).unwrap();
    let deadlock = match deadlock {
        Deadlock::Off => "off",
        Deadlock::Stuck => "stuck",
        Deadlock::Stuttering => "stuttering",
    };
    let run = |program: &str, arguments: &[&str]| -> Output {
        Command::new(program)
            .args(arguments)
            .current_dir(&folder)
            .output()
            .unwrap()
    };
    let options = [
        "--threads",
        "1",
        "--symmetry-reduction",
        "off",
        "--deadlock-detection",
        deadlock,
    ];
    let generated = run("rumur", &[&options[..], &["--output", "model.c", "model.m"]].concat());
    assert!(
        generated.status.success(),
        "{}: {}",
        file.name,
        String::from_utf8_lossy(&generated.stderr)
    );
    let compiled = run(
        "cc",
        &["-std=c11", "-O1", "-mcx16", "-w", "-o", "model", "model.c", "-lpthread"],
    );
    assert!(
        compiled.status.success(),
        "{}: {}",
        file.name,
        String::from_utf8_lossy(&compiled.stderr)
    );
    let checked = run("./model", &[]);
    let output = String::from_utf8_lossy(&checked.stdout).into_owned();
    let (states, rules_fired) = read_counts(&output).unwrap_or_else(|| panic!("{}: no counts in {output}", file.name));
    Counts {
        states,
        rules_fired,
        ok: checked.status.success(),
    }
}

/// Parses the line `1506 states, 3996 rules fired in 0s.`
fn read_counts(output: &str) -> Option<(u64, u64)> {
    let line = output.lines().find(|line| line.contains(" rules fired in "))?;
    let (states, rest) = line.trim().split_once(" states, ")?;
    let (rules_fired, _) = rest.split_once(" rules fired")?;
    Some((states.parse().ok()?, rules_fired.parse().ok()?))
}

fn cubist(file: &SourceFile, deadlock: Deadlock) -> Counts {
    let (instance, _) = support::instance(file, BTreeMap::new());
    let outcome = support::run(&instance, false, deadlock);
    Counts {
        states: outcome.statistics.states,
        rules_fired: outcome.statistics.rules_fired,
        ok: matches!(
            outcome.verdict,
            SearchVerdict::Ok | SearchVerdict::Incomplete(Incomplete::NoInitialState)
        ),
    }
}

/// Gives constants of a model other values by editing the text.
fn with_constants(file: SourceFile, constants: &str) -> SourceFile {
    let mut lines: Vec<String> = file.text.lines().map(str::to_owned).collect();
    for (name, value) in support::constants(constants) {
        let declares = |line: &String| {
            let words = line.trim_start();
            let words = words.strip_prefix("const").map_or(words, str::trim_start);
            let rest = words.strip_prefix(name.as_str()).map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with(':'))
        };
        let line = lines.iter_mut().find(|line| declares(line)).unwrap();
        let (head, tail) = line.split_once(':').unwrap();
        let tail = tail
            .trim_start()
            .trim_start_matches(|digit: char| digit.is_ascii_digit());
        *line = format!("{head}: {value}{tail}");
    }
    SourceFile::new(file.name, lines.join("\n"))
}

fn compare_semantics(chosen: impl Fn(usize) -> bool) -> Outcome {
    are_installed()?;
    let models = support::semantics()
        .into_iter()
        .filter(|(_, expectation)| expectation.tool == "rumur");
    for (position, (file, expectation)) in models.enumerate() {
        if chosen(position) {
            let theirs = rumur(&file, expectation.deadlock, &file.name);
            assert_eq!(cubist(&file, expectation.deadlock), theirs, "{}", file.name);
            assert_eq!(
                (theirs.states, theirs.rules_fired),
                (expectation.states, expectation.rules_fired)
            );
        }
    }
    Ok(())
}

fn some_points_of_meaning() -> Outcome {
    compare_semantics(|position| position % 16 == 7)
}

/// Ignored: a minute of C compilation
fn all_points_of_meaning() -> Outcome {
    compare_semantics(|_| true)
}

fn corpus_models() -> Outcome {
    let corpus = testing::corpus("murphi")?;
    are_installed()?;
    let models = [
        ("abp.m", "-"),
        ("arbiter.m", "n=4"),
        ("german_buggy.m", "PROC_NUM=2"),
        ("mcslock1.m", "N=2"),
        ("n_peterson.m", "N=3"),
        ("pv_germanish.m", "clientNum=4"),
        ("szymanski_at.m", "PROC_NUM=4"),
    ];
    for (model, constants) in models {
        let file = with_constants(support::read(&corpus.join(model)), constants);
        let theirs = rumur(&file, Deadlock::Off, model);
        assert_eq!(cubist(&file, Deadlock::Off), theirs, "{model} {constants}");
    }
    Ok(())
}

testing::tests!(
    some_points_of_meaning,
    corpus_models,
    ; ignored: all_points_of_meaning
);
