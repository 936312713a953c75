//! Several models in one call.
#![allow(clippy::unwrap_used, clippy::panic)] // In helpers, which are not recognised as tests.

mod common;

use common::{Folder, Run, command, cubist};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SAFE: &str = "models/good-bad.m";
const UNSAFE: &str = "models/good-bad-bug.m";
const WRONG: &str = "docs/examples/mistakes.m";
/// So many states that no search ends.
const WIDE: &str = "\
type T: 0..40; var x: array [T] of boolean;
startstate for i: T do x[i] := false; end; end;
ruleset i: T do rule \"flip\" true ==> x[i] := !x[i]; end; end;
";

/// The lines of the table at the end, without the times.
fn table(run: &Run) -> Vec<String> {
    let lines: Vec<&str> = run.stdout.lines().collect();
    let head = lines.iter().rposition(|line| line.starts_with("file ")).unwrap();
    let is_time = |word: &&str| *word == "s" || word.trim_end_matches(';').parse::<f64>().is_ok();
    let words = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let kept = match &words[..] {
            [kept @ .., time, "s"] if is_time(time) => kept,
            all => all,
        };
        kept.join(" ")
    };
    lines[head + 1..].iter().map(words).collect()
}

#[test]
fn each_is_checked_and_a_table_sums_up() {
    let run = cubist(&["check", SAFE, WRONG, UNSAFE]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(
        run.stdout
            .starts_with("[1/3] models/good-bad.m\nSafe for every number of PROC.\n")
    );
    assert!(run.stdout.contains("\n[2/3] docs/examples/mistakes.m\n"), "{run:?}");
    assert!(run.stdout.contains("\n[3/3] models/good-bad-bug.m\n"), "{run:?}");
    assert!(run.stderr.contains("docs/examples/mistakes.m has 8 errors"), "{run:?}");
    let expected = [
        "models/good-bad.m safe every number of PROC",
        "docs/examples/mistakes.m rejected 8 errors, first: unknown name `idel`",
        "models/good-bad-bug.m unsafe PROC = 3",
        "",
        "3 files: 1 safe, 1 unsafe, 1 rejected;",
    ];
    assert_eq!(table(&run), expected);
}

#[test]
fn the_exit_status_is_the_worst() {
    for (files, status) in [
        (&[SAFE, SAFE][..], 0),
        (&[SAFE, WRONG], 2),
        (&[WRONG, UNSAFE, SAFE], 10),
        (&["no/such/file.m", SAFE], 2),
    ] {
        let run = cubist(&[&["check", "-q"], files].concat());
        assert_eq!(run.status, Some(status), "{files:?}: {run:?}");
        assert_eq!(run.stdout.lines().count(), files.len(), "{run:?}");
    }
    let folder = Folder::new("several-statuses");
    let wide = folder.write("wide.m", WIDE);
    let run = cubist(&["explore", SAFE, &wide, "-q", "--max-states", "10", "--deadlock", "off"]);
    assert_eq!(run.status, Some(20), "{run:?}");
}

#[test]
fn quiet_is_one_line_for_each() {
    let run = cubist(&["check", "-q", SAFE, UNSAFE, WRONG]);
    let expected = "\
models/good-bad.m: Safe for every number of PROC.
models/good-bad-bug.m: Violation: invariant \"no error\" is violated
docs/examples/mistakes.m: Rejected: 8 errors, first: unknown name `idel`
";
    assert_eq!(run.stdout, expected);
    // A caveat stands in the same line.
    let run = cubist(&["check", "-q", SAFE, "models/peterson.m"]);
    let last = run.stdout.lines().last().unwrap();
    assert!(last.starts_with("models/peterson.m: Safe"), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
}

#[test]
fn json_is_one_object_in_each_line() {
    let run = cubist(&["check", "--json", SAFE, UNSAFE, WRONG]);
    assert_eq!(run.status, Some(10));
    assert_eq!(run.stderr, "");
    let objects: Vec<serde_json::Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let field = |name: &str| objects.iter().map(|object| object[name].clone()).collect::<Vec<_>>();
    assert_eq!(field("file"), [SAFE, UNSAFE, WRONG]);
    assert_eq!(field("verdict"), ["safe", "unsafe", "unknown"]);
    assert_eq!(field("exit_status"), [0, 10, 2]);
    assert_eq!(objects[2]["diagnostics"].as_array().unwrap().len(), 8);
}

#[test]
fn what_is_written_for_one_model_is_refused() {
    for option in ["--graph", "--certificate", "--run", "--resume"] {
        let run = cubist(&["check", SAFE, UNSAFE, option, "x.svg"]);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains(&format!("{option} is for one model")), "{run:?}");
    }
}

#[test]
fn the_limits_are_for_each() {
    let folder = Folder::new("several-limits");
    let wide = folder.write("wide.m", WIDE);
    let run = cubist(&["explore", &wide, UNSAFE, &wide, "-q", "--timeout", "700ms"]);
    let words: Vec<&str> = run.stdout.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(words, ["Incomplete:", "Violation:", "Incomplete:"], "{run:?}");
}

#[test]
fn standard_input_can_be_one_of_them() {
    let folder = Folder::new("several-input");
    let model = folder.write("model.m", std::fs::read_to_string(common::root().join(UNSAFE)).unwrap());
    let mut command = command(&["check", "-q", SAFE, "-"]);
    command.stdin(std::fs::File::open(model).unwrap());
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.ends_with("<stdin>: Violation: invariant \"no error\" is violated\n"),
        "{text}"
    );
    assert_eq!(cubist(&["check", "-q", "-", "-"]).status, Some(2));
}

/// Processes that have this process as their parent.
fn children(process: u32) -> Vec<u32> {
    let output = Command::new("ps")
        .args(["-o", "pid=", "--ppid", &process.to_string()])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn is_running(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(since.elapsed() < Duration::from_secs(10), "no {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(name: &str, process: u32) {
    let status = Command::new("kill").args([name, &process.to_string()]).status();
    assert!(status.unwrap().success());
}

/// Where only the process that was started is told, it tells the other.
#[test]
fn an_interruption_ends_all_of_them() {
    let folder = Folder::new("several-interrupted");
    let wide = folder.write("wide.m", WIDE);
    let mut command = command(&["explore", &wide, SAFE, UNSAFE]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let part = wait_for("process for a model", || children(child.id()).first().copied());
    std::thread::sleep(Duration::from_millis(300));
    signal("-TERM", child.id());
    let asked = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(6));
    assert_eq!(output.status.code(), Some(20));
    assert!(!is_running(part));
    let run = Run::of(output);
    assert_eq!(table(&run).last().unwrap(), "3 files: 3 unknown;", "{run:?}");
    assert_eq!(run.stderr.matches("press Ctrl-C again").count(), 1, "{run:?}");
}

#[test]
fn a_process_for_a_model_does_not_outlive_the_one_that_started_it() {
    let folder = Folder::new("several-killed");
    let wide = folder.write("wide.m", WIDE);
    let mut command = command(&["explore", &wide, SAFE]);
    command.env("TMPDIR", &folder.0);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let part = wait_for("process for a model", || children(child.id()).first().copied());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("end of the process for a model", || (!is_running(part)).then_some(()));
}
