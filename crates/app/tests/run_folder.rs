//! What a run learned survives whatever ends it, and another run goes on from it.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, Run};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The engine whose knowledge is kept.
fn with_engine<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &["--engine", "approximate"]].concat()
}

fn cubist(arguments: &[&str]) -> Run {
    common::cubist(&with_engine(arguments))
}

fn json(arguments: &[&str]) -> (Option<i32>, serde_json::Value) {
    common::json(&with_engine(arguments))
}

const MODEL: &str = "models/alternating-bit.m";

#[test]
fn a_run_goes_on_where_another_stopped() {
    let folder = Folder::new("resume");
    let run = folder.path("run");
    let (status, first) = json(&["check", MODEL, "--ignore-predicates", "--run", &run, "--json"]);
    assert_eq!(status, Some(0), "{first}");
    let cycles = |report: &serde_json::Value| report["properties"][0]["discovery_cycles"].as_u64().unwrap();
    assert!(cycles(&first) > 0, "{first}");
    let (status, again) = json(&["check", MODEL, "--ignore-predicates", "--resume", &run, "--json"]);
    assert_eq!(status, Some(0), "{again}");
    assert_eq!(cycles(&again), 0, "{again}");
    assert_eq!(
        again["properties"][0]["predicates"],
        first["properties"][0]["predicates"]
    );
    let checks = |report: &serde_json::Value| report["checks"]["abstraction"].as_u64().unwrap();
    assert!(checks(&again) < checks(&first), "{again}");
}

#[test]
fn a_run_without_a_proof_says_how_to_go_on() {
    let folder = Folder::new("hint");
    let run = folder.path("deep/in/run");
    let arguments = [
        "check",
        "models/good-bad.m",
        "--ignore-predicates",
        "--no-discovery",
        "--strict",
        "--run",
        &run,
    ];
    let first = cubist(&arguments);
    assert_eq!(first.status, Some(20), "{first:?}");
    assert!(first.stdout.contains(&format!("`--resume {run}` goes on")), "{first:?}");
    let again = cubist(&arguments);
    assert_eq!(again.status, Some(2), "{again:?}");
    assert!(again.stderr.contains("holds a run already"), "{again:?}");
    let resumed = cubist(&["check", "models/good-bad.m", "--ignore-predicates", "--resume", &run]);
    assert_eq!(resumed.status, Some(0), "{resumed:?}");
}

/// A file with these contents, and a checksum that fits them.
fn with_checksum(body: &str) -> String {
    format!("cubist run 1 sha256 {}\n{body}", common::sha256(body))
}

#[test]
fn damaged_and_foreign_folders_are_refused() {
    let folder = Folder::new("damage");
    let run = folder.path("run");
    assert_eq!(cubist(&["check", "models/good-bad.m", "--run", &run]).status, Some(0));
    let file = Path::new(&run).join("learned.json");
    let whole = std::fs::read_to_string(&file).unwrap();
    let body = whole.split_once('\n').unwrap().1;
    assert_eq!(whole, with_checksum(body));
    let changed = |from: &str, to: &str| {
        assert!(body.contains(from), "{body}");
        with_checksum(&body.replacen(from, to, 1))
    };
    let cases = [
        (String::new(), "was not written by"),
        ("# notes\n".to_owned(), "was not written by"),
        (whole[..whole.len() / 2].to_owned(), "its checksum is wrong"),
        (whole.replacen("failed", "faiIed", 1), "its checksum is wrong"),
        (whole.replacen("cubist run 1", "cubist run 7", 1), "has the format 7"),
        (with_checksum("{"), "is damaged"),
        (
            changed("[\"apply\",\"failed\"]", "[\"apply\",\"status\"]"),
            "is damaged",
        ),
        (changed("\"not\":[[", "\"not\":[[9"), "is damaged"),
    ];
    for (contents, expected) in cases {
        std::fs::write(&file, &contents).unwrap();
        let refused = cubist(&["check", "models/good-bad.m", "--resume", &run]);
        assert_eq!(refused.status, Some(2), "{expected}: {refused:?}");
        assert_eq!(refused.stdout, "");
        assert!(
            refused.stderr.contains(expected),
            "`{expected}` is missing in {refused:?}"
        );
    }
    std::fs::write(&file, &whole).unwrap();
    assert_eq!(
        cubist(&["check", "models/good-bad.m", "--resume", &run]).status,
        Some(0)
    );
    for arguments in [
        ["check", "models/counter.m", "--resume", &run].as_slice(),
        &["check", "models/good-bad.m", "--fixed", "PROC", "--resume", &run],
    ] {
        let refused = cubist(arguments);
        assert_eq!(refused.status, Some(2), "{refused:?}");
        assert!(
            refused.stderr.contains("is about models/good-bad.m as it was"),
            "{refused:?}"
        );
    }
    let absent = cubist(&["check", "models/good-bad.m", "--resume", &folder.path("nowhere")]);
    assert_eq!(absent.status, Some(2), "{absent:?}");
    assert!(absent.stderr.contains("there is no run in"), "{absent:?}");
}

/// Constraints are not believed: a wrong one, however well signed, gives no proof.
#[test]
fn a_wrong_constraint_proves_nothing() {
    let folder = Folder::new("wrong");
    let model = folder.write(
        "race.m",
        "var n: integer;\nstartstate begin n := 0; end;\nrule \"up\" true ==> begin n := n + 1; end;\n\
         invariant \"few\" n < 1000000;\n",
    );
    let run = folder.path("run");
    let first = cubist(&["check", &model, "--no-discovery", "--run", &run]);
    assert_eq!(first.status, Some(20), "{first:?}");
    let file = Path::new(&run).join("learned.json");
    let whole = std::fs::read_to_string(&file).unwrap();
    let body = whole.split_once('\n').unwrap().1;
    let (before, after) = body.split_once("\"constraints\":[").unwrap();
    let wrong = "{\"place\":\"rule\",\"name\":\"up\",\"not\":[[0,true,false]]}";
    let comma = if after.starts_with(']') { "" } else { "," };
    let signed = with_checksum(&format!("{before}\"constraints\":[{wrong}{comma}{after}"));
    std::fs::write(&file, signed).unwrap();
    let resumed = cubist(&["check", &model, "--no-discovery", "--resume", &run]);
    assert_eq!(resumed.status, Some(20), "{resumed:?}");
    assert!(resumed.stdout.contains("the certificate"), "{resumed:?}");
}

#[test]
fn a_run_that_is_killed_can_be_resumed() {
    let folder = Folder::new("kill");
    let run = folder.path("run");
    let arguments = |option| ["check", "models/peterson.m", "--ignore-predicates", option, &run];
    let option = || match Path::new(&run).join("learned.json").exists() {
        true => "--resume",
        false => "--run",
    };
    for round in 1..=6_u64 {
        let mut child = common::command(&with_engine(&arguments(option())))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(90 * round));
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // As if it had been killed while writing.
    folder.write("run/.learned.json.1.part", "cubist run 1 sha");
    let last = cubist(&arguments(option()));
    assert_eq!(last.status, Some(0), "{last:?}");
    let left = std::fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["learned.json"]);
}

#[test]
fn ctrl_c_keeps_what_was_learned() {
    // A model that this engine does not come to an end with, however fast the machine is.
    let folder = Folder::new("cancellation");
    let run = folder.path("run");
    let child = common::command(&with_engine(&[
        "check",
        "models/german-fifo.m",
        "--ignore-predicates",
        "--run",
        &run,
        "--jobs",
        "1",
    ]))
    .stdout(std::process::Stdio::piped())
    .spawn()
    .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(20), "{text}");
    assert!(text.starts_with("Unknown: interrupted."), "{text}");
    assert!(text.contains(&format!("`--resume {run}`")), "{text}");
    assert!(Path::new(&run).join("learned.json").exists());
}
