//! What a run learned about a C program survives whatever ends it; another run goes on from it, and believes nothing.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist, json};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const NONDET: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

/// Without Constrain, the loop of SLAM finds no difference in the end, with several predicates in hand.
const CLAMP: &str = "int limit; int clamp(int n) { if (n > limit) return limit; return n; }
    int main(void) { limit = __VERIFIER_nondet_int(); if (limit < 0 || limit > 9) return 0;
      int n = clamp(__VERIFIER_nondet_int()); if (n > 9) reach_error(); return 0; }";

/// The head of the loop needs a fact of the solver's own.
const COUNT: &str = "int main(void) { int i = 0, j = 0;
      while (__VERIFIER_nondet_int() && i < 1000) { i++; j += 2; }
      if (j > 2000) reach_error(); return 0; }";

fn program(folder: &Folder, text: &str) -> String {
    folder.write("program.c", format!("{NONDET}{text}\n"))
}

fn learned(run: &str) -> Value {
    let text = std::fs::read_to_string(Path::new(run).join("learned.json")).unwrap();
    serde_json::from_str(text.split_once('\n').unwrap().1).unwrap()
}

/// The folder with these contents, and a checksum that fits them.
fn forge(run: &str, contents: &Value) {
    let body = format!("{contents}\n");
    let text = format!("cubist run 1 sha256 {}\n{body}", common::sha256(&body));
    std::fs::write(Path::new(run).join("learned.json"), text).unwrap();
}

#[test]
fn the_loop_of_slam_goes_on_with_its_predicates_and_constraints() {
    let folder = Folder::new("slam-resume");
    let (file, run) = (program(&folder, CLAMP), folder.path("run"));
    let arguments = |option, mode| {
        [
            "check",
            &file,
            "--engine",
            "slam",
            "--constrain",
            mode,
            option,
            &run,
            "--json",
        ]
    };
    let (status, first) = json(&arguments("--run", "none"));
    assert_eq!(status, Some(20), "{first}");
    let predicates = learned(&run)["predicates"].as_array().unwrap().len();
    assert!(predicates > 1, "{predicates}");
    let fresh = folder.path("fresh");
    let mut lazy = arguments("--run", "lazy");
    lazy[7] = &fresh;
    let (status, fresh) = json(&lazy);
    assert_eq!(status, Some(0), "{fresh}");
    let (status, resumed) = json(&arguments("--resume", "lazy"));
    assert_eq!(status, Some(0), "{resumed}");
    let iterations = |report: &Value| report["slam"]["iterations"].as_u64().unwrap();
    assert!(iterations(&resumed) < iterations(&fresh), "{resumed} {fresh}");
    // Now there is a proof, which only has to be confirmed.
    assert!(!learned(&run)["constraints"].as_array().unwrap().is_empty());
    let (status, again) = json(&arguments("--resume", "lazy"));
    assert_eq!((status, iterations(&again)), (Some(0), 0), "{again}");
    assert_eq!(again["invariant"], resumed["invariant"]);
}

#[test]
fn a_proof_is_confirmed_again_and_not_looked_for_again() {
    let folder = Folder::new("proof-resume");
    let (file, run) = (program(&folder, COUNT), folder.path("run"));
    let (status, first) = json(&["check", &file, "--run", &run, "--json"]);
    assert_eq!(status, Some(0), "{first}");
    let kept = learned(&run);
    assert!(kept["certificate"].as_str().unwrap().contains("(check-sat)"), "{kept}");
    assert!(!kept["lemmas"].as_object().unwrap().is_empty(), "{kept}");
    let (status, again) = json(&["check", &file, "--resume", &run, "--json"]);
    assert_eq!(status, Some(0), "{again}");
    assert_eq!(again["invariant"], first["invariant"]);
    let elsewhere = folder.write("moved.c", format!("{NONDET}{COUNT}\n"));
    assert_eq!(cubist(&["check", &elsewhere, "--resume", &run]).status, Some(0));
    // Without the proof, what the solver had found out on its way is enough.
    let mut kept = kept;
    kept.as_object_mut().unwrap().remove("certificate");
    forge(&run, &kept);
    let (status, again) = json(&["check", &file, "--resume", &run, "--json"]);
    assert_eq!(status, Some(0), "{again}");
}

/// However well it is signed: a folder that says that nothing can happen hides no violation and proves nothing.
#[test]
fn nothing_in_a_folder_is_believed() {
    let folder = Folder::new("forged-program");
    let file = program(&folder, &CLAMP.replace("if (n > 9)", "if (n > 8)"));
    for engine in [[].as_slice(), &["--engine", "slam"]] {
        let run = folder.path(&format!("run{}", engine.len()));
        let arguments = |option| [&["check", &file, option, &run], engine].concat();
        let first = cubist(&arguments("--run"));
        assert_eq!(first.status, Some(10), "{first:?}");
        let mut kept = learned(&run);
        let nowhere = json!(["=>", ["=", ["apply", "location"], ["apply", "location"]], false]);
        kept["lemmas"] = json!({ "linear, 8 calls": [nowhere, false] });
        let never = json!({ "place": ["states", null], "not": [] });
        kept["constraints"] = json!([never]);
        kept["predicates"] = json!([]);
        forge(&run, &kept);
        let resumed = cubist(&arguments("--resume"));
        // The loop of SLAM has a proof then that nobody confirms.
        let expected = if engine.is_empty() { 10 } else { 20 };
        assert_eq!(resumed.status, Some(expected), "{engine:?} {resumed:?}");
    }
    // A certificate of another program, in which nothing goes wrong.
    let right = folder.write("right.c", format!("{NONDET}{CLAMP}\n"));
    let (run, other) = (folder.path("run0"), folder.path("other"));
    assert_eq!(cubist(&["check", &right, "--run", &other]).status, Some(0));
    let mut kept = learned(&run);
    kept["certificate"] = learned(&other)["certificate"].clone();
    forge(&run, &kept);
    let resumed = cubist(&["check", &file, "--resume", &run]);
    assert_eq!(resumed.status, Some(10), "{resumed:?}");
}

#[test]
fn damaged_and_foreign_folders_are_refused() {
    let folder = Folder::new("damaged-program");
    let (file, run) = (program(&folder, CLAMP), folder.path("run"));
    assert_eq!(cubist(&["check", &file, "--run", &run]).status, Some(0));
    let again = cubist(&["check", &file, "--run", &run]);
    assert_eq!(again.status, Some(2), "{again:?}");
    assert!(again.stderr.contains("holds a run already"), "{again:?}");
    let mut whole = learned(&run);
    whole.as_object_mut().unwrap().remove("certificate");
    let step = |way: Value| json!([{ "place": way, "not": [["predicate", 0, false, true]] }]);
    let cases = [
        (
            "lemmas",
            json!({ "linear, 8 calls": [["apply", "nobody"]] }),
            [].as_slice(),
        ),
        ("lemmas", json!({ "linear, 8 calls": 5 }), &[]),
        ("lemmas", json!([]), &[]),
        ("predicates", json!([["apply", "nobody"]]), &["--engine", "slam"]),
        ("predicates", json!({}), &["--engine", "slam"]),
        ("constraints", step(json!(["step", 1])), &["--engine", "slam"]),
        ("constraints", json!([["step"]]), &["--engine", "slam"]),
    ];
    for (word, value, engine) in cases {
        let mut contents = whole.clone();
        contents["predicates"] = json!([]);
        contents["constraints"] = json!([]);
        contents[word] = value;
        forge(&run, &contents);
        let refused = cubist(&[&["check", &file, "--resume", &run], engine].concat());
        assert_eq!(refused.status, Some(2), "{contents}: {refused:?}");
        assert!(refused.stderr.contains("is damaged"), "{refused:?}");
    }
    // Of constraints about statements that there are not, nothing is said.
    whole["predicates"] = json!([true]);
    whole["constraints"] = step(json!(["results", 99, 99, 99, 99, 99]));
    forge(&run, &whole);
    let resumed = cubist(&["check", &file, "--resume", &run, "--engine", "slam"]);
    assert_eq!(resumed.status, Some(0), "{resumed:?}");
    let file = program(&folder, &CLAMP.replace("> 9", "> 10"));
    for arguments in [
        ["check", &file, "--resume", &run].as_slice(),
        &["check", "models/counter.m", "--resume", &run],
    ] {
        let refused = cubist(arguments);
        assert_eq!(refused.status, Some(2), "{refused:?}");
        assert!(
            refused.stderr.contains("as it was, or with other options"),
            "{refused:?}"
        );
    }
}

#[test]
fn a_run_that_is_killed_can_be_resumed() {
    let folder = Folder::new("kill-program");
    for (name, engine) in [("horn", [].as_slice()), ("slam", &["--engine", "slam"])] {
        let run = folder.path(name);
        let arguments = |option| {
            let file = [
                "check",
                "programs/uart.c",
                "--rule",
                "rules/spin-lock.rule",
                option,
                &run,
            ];
            [&file, engine].concat()
        };
        let option = || match Path::new(&run).join("learned.json").exists() {
            true => "--resume",
            false => "--run",
        };
        for round in 1..=5_u64 {
            let mut child = common::command(&arguments(option()))
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(60 * round));
            // SIGKILL.
            child.kill().unwrap();
            child.wait().unwrap();
        }
        folder.write(&format!("{name}/.learned.json.1.part"), "cubist run 1 sha");
        let last = cubist(&arguments(option()));
        assert_eq!(last.status, Some(0), "{last:?}");
        let left = std::fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(left.collect::<Vec<_>>(), ["learned.json"]);
    }
}

/// The sum of the first squares, by a polynomial: nobody proves that in a second.
#[test]
fn a_run_without_a_proof_says_how_to_go_on() {
    let folder = Folder::new("hint-program");
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), i, sum = 0; if (n < 0 || n > 30000) return 0;
        for (i = 0; i < n; i++) sum += i * i; if (6 * sum != n * (n - 1) * (2 * n - 1)) reach_error(); return 0; }";
    let (file, run) = (program(&folder, text), folder.path("run"));
    let first = cubist(&["check", &file, "--timeout", "1", "--run", &run]);
    assert_eq!(first.status, Some(20), "{first:?}");
    assert!(first.stdout.contains(&format!("`--resume {run}` goes on")), "{first:?}");
    let without = cubist(&["check", &file, "--timeout", "1"]);
    assert!(
        without.stdout.contains("`--run DIR` keeps what is learned"),
        "{without:?}"
    );
    let resumed = cubist(&["check", &file, "--timeout", "1", "--resume", &run]);
    assert_eq!(resumed.status, Some(20), "{resumed:?}");
}
