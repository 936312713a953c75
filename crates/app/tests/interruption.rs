//! How the program ends when it is told to: by Ctrl-C at any moment, and by SIGKILL, which its solvers must not
//! survive.
#![allow(clippy::unwrap_used, clippy::panic)] // In helpers, which are not recognised as tests.

mod common;

use common::{Folder, Run, command, cubist};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ctrl-C takes less than two seconds; these tests share the machine with others.
const SOON: Duration = Duration::from_secs(6);

/// So many states that no search ends.
const WIDE: &str = "\
type T: 0..40; var x: array [T] of boolean;
startstate for i: T do x[i] := false; end; end;
ruleset i: T do rule \"flip\" true ==> x[i] := !x[i]; end; end;
invariant \"some\" exists i: T do !x[i] end | forall i: T do x[i] end;
";

/// So many rules that a front end is busy with them for long.
fn long() -> String {
    use std::fmt::Write as _;
    const COUNT: usize = 4000;
    let mut text = String::new();
    for i in 0..COUNT {
        let (next, other) = ((i + 1) % COUNT, (i * 7) % COUNT);
        let _ = writeln!(text, "var v{i}: boolean;");
        let _ = writeln!(text, "rule \"r{i}\" v{i} ==> v{next} := !v{other}; end;");
        let _ = writeln!(text, "invariant \"i{i}\" !v{i} | v{next};");
    }
    text.push_str("startstate\n");
    for i in 0..COUNT {
        let _ = writeln!(text, "  v{i} := false;");
    }
    text + "end;\n"
}

fn signal(name: &str, process: u32) {
    let status = Command::new("kill").args([name, &process.to_string()]).status();
    assert!(status.unwrap().success());
}

fn started(arguments: &[&str]) -> Child {
    let mut command = command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What it leaves; it must end soon.
fn ended(mut child: Child) -> Run {
    let asked = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if asked.elapsed() > SOON {
            child.kill().unwrap();
            panic!("still running after {SOON:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn ctrl_c_ends_every_command_soon_and_says_so() {
    let folder = Folder::new("interruption");
    let (wide, long) = (folder.write("wide.m", WIDE), folder.write("long.m", long()));
    for arguments in [
        ["explore", &wide],
        ["check", &wide],
        ["check", &long],
        ["check", "models/german.m"],
    ] {
        for milliseconds in [300, 1500] {
            let child = started(&arguments);
            std::thread::sleep(Duration::from_millis(milliseconds));
            signal("-INT", child.id());
            let run = ended(child);
            if run.status == Some(0) {
                continue; // It was done before.
            }
            assert_eq!(run.status, Some(20), "{arguments:?} {run:?}");
            assert!(run.stderr.contains("press Ctrl-C again to end at once"), "{run:?}");
        }
    }
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let folder = Folder::new("interruption-twice");
    let long = folder.write("long.m", long());
    let child = started(&["show", "--system", &long]);
    std::thread::sleep(Duration::from_millis(500));
    signal("-INT", child.id());
    std::thread::sleep(Duration::from_millis(200));
    signal("-INT", child.id());
    let run = ended(child);
    assert_eq!((run.status, run.stdout.as_str()), (Some(20), ""), "{run:?}");
}

/// Whether the process runs; one that has ended and was not waited for does not.
fn runs(process: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

#[test]
fn solvers_end_when_the_program_is_killed() {
    let folder = Folder::new("interruption-solver");
    let certificate = folder.path("proof.smt2");
    let proof = ["check", "models/good-bad.m", "--ignore-predicates", "--certificate"];
    let run = cubist(&[&proof[..], &[&certificate]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    // A solver that never answers, nor reads.
    let noted = folder.path("process");
    let script = format!("#!/bin/sh\necho $$ > {noted}.new; mv {noted}.new {noted}\nexec sleep 3600\n");
    let solver = folder.write("solver", script);
    make_executable(&solver);
    let mut child = started(&["validate", &certificate, "--solver", &solver]);
    let begun = Instant::now();
    while !Path::new(&noted).exists() {
        assert!(begun.elapsed() < SOON, "the solver does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    let process = std::fs::read_to_string(&noted).unwrap().trim().to_owned();
    assert!(runs(&process));
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = Instant::now();
    while runs(&process) {
        assert!(killed.elapsed() < Duration::from_secs(2), "the solver runs on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn make_executable(path: &str) {
    let status = Command::new("chmod").args(["+x", path]).status();
    assert!(status.unwrap().success());
}
