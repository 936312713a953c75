//! Models that come from standard input.
#![allow(clippy::unwrap_used, clippy::panic)] // In helpers, which are not recognised as tests.

mod common;

use common::{Folder, Run, command, cubist, root};
use std::io::Write;
use std::process::Stdio;

const LOCK: &str = "\
type P: scalarset(2);
var owner: P; taken: boolean; inside: array [P] of boolean;
startstate taken := false; undefine owner; for p: P do inside[p] := false; end; end;
ruleset p: P do rule \"enter\" !taken ==> taken := true; owner := p; inside[p] := true; end; end;
ruleset p: P do rule \"leave\" inside[p] ==> taken := false; undefine owner; inside[p] := false; end; end;
invariant \"alone\" forall p: P; q: P do inside[p] & inside[q] -> p = q end;
";

const CUBICLE: &str = "\
var Free : bool
array Inside[proc] : bool
init (p) { Free = True && Inside[p] = False }
unsafe (p q) { Inside[p] = True && Inside[q] = True }
transition enter (p)
requires { Free = True }
{ Free := False; Inside[p] := True; }
";

/// Runs the program with this text as its standard input.
fn fed(arguments: &[&str], text: &str) -> Run {
    let mut command = command(arguments);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Whoever does not read all of it has reasons of its own.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn every_command_that_takes_a_model_reads_standard_input() {
    for (arguments, expected) in [
        (&["check", "-", "-q"][..], "Safe for every number of P.\n"),
        (
            &["explore", "-", "-q", "--deadlock", "off"],
            "No violation in this instance.\n",
        ),
        (&["show", "-"], "<stdin>: a Murphi model\n"),
        (&["export", "-", "--to", "smt2"], "; <stdin>, written by"),
    ] {
        let run = fed(arguments, LOCK);
        assert_eq!(run.status, Some(0), "{arguments:?}: {run:?}");
        assert!(run.stdout.starts_with(expected), "{arguments:?}: {run:?}");
    }
    let run = fed(&["check", "-", "--json"], LOCK);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (report["file"].as_str(), report["verdict"].as_str()),
        (Some("<stdin>"), Some("safe"))
    );
}

#[test]
fn mistakes_point_at_the_lines_of_standard_input() {
    let run = fed(&["check", "-"], "type T: 0..;\n");
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("--> <stdin>:1:"), "{run:?}");
}

#[test]
fn the_language_is_chosen_by_name() {
    for language in ["cubicle", "Cubicle"] {
        let run = fed(&["explore", "-", "-q", "--language", language], CUBICLE);
        assert_eq!(run.status, Some(0), "{run:?}");
    }
    let run = fed(&["explore", "-", "--language", "promela"], CUBICLE);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("[possible values: Murphi, Cubicle]"), "{run:?}");
    // For files, too, whatever they are called.
    let folder = Folder::new("language");
    let file = folder.write("lock.txt", LOCK);
    assert_eq!(cubist(&["show", &file]).status, Some(2));
    assert_eq!(cubist(&["show", &file, "--language", "murphi"]).status, Some(0));
}

#[test]
fn standard_input_is_read_once() {
    for arguments in [
        ["check", "-", "--properties", "-"].as_slice(),
        &["check", "-", "--induction", "-"],
        &["prove", "-", "--properties", "-"],
        &["prove", "-", "--script", "-"],
        &["serve", "-", "--properties", "-"],
        &["conform", "a.c", "--spec", "-", "--spec", "-"],
    ] {
        let run = fed(arguments, LOCK);
        assert_eq!(run.status, Some(2), "{arguments:?}: {run:?}");
        assert!(
            run.stderr.contains("only one file can be `-`"),
            "{arguments:?}: {run:?}"
        );
    }
    // A file of properties alone may be there.
    let property = "invariant \"taken\" forall p: P do inside[p] -> taken end;\n";
    let folder = Folder::new("properties-from-input");
    let file = folder.write("lock.m", LOCK);
    let run = fed(&["check", &file, "-q", "--properties", "-"], property);
    assert_eq!(run.status, Some(0), "{run:?}");
}

/// Integers without bounds make the search read the model again, at other values.
#[test]
fn a_model_from_standard_input_can_be_read_again() {
    let text = std::fs::read_to_string(root().join("models/ticket-bug.m")).unwrap();
    let run = fed(&["check", "-", "-q", "--jobs", "1", "--timeout", "60s"], &text);
    assert_eq!(run.status, Some(10), "{run:?}");
}

#[test]
fn certificates_and_run_folders_know_the_text() {
    let folder = Folder::new("input-certificate");
    let (certificate, kept) = (folder.path("certificate.smt2"), folder.path("run"));
    let run = fed(
        &["check", "-", "-q", "--certificate", &certificate, "--run", &kept],
        LOCK,
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let (same, other) = (
        folder.write("same.m", LOCK),
        folder.write("other.m", LOCK.replace("alone", "al")),
    );
    assert_eq!(cubist(&["validate", &certificate, "--model", &same]).status, Some(0));
    assert_ne!(cubist(&["validate", &certificate, "--model", &other]).status, Some(0));
    assert_eq!(fed(&["validate", &certificate, "--model", "-"], LOCK).status, Some(0));
    let text = std::fs::read_to_string(&certificate).unwrap();
    assert_eq!(fed(&["validate", "-", "--model", &same], &text).status, Some(0));
    assert_eq!(fed(&["validate", "-", "--model", "-"], &text).status, Some(2));
    assert_eq!(fed(&["check", "-", "-q", "--resume", &kept], LOCK).status, Some(0));
    let run = cubist(&["check", &other, "--resume", &kept]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("is about <stdin> as it was"), "{run:?}");
}
