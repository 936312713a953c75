//! Proofs step by step: scripts, sessions, and what each failure leads to.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, Run, command, cubist, root};
use std::io::Write;
use std::process::Stdio;

/// The models whose proof is a script beside them.
fn scripts() -> Vec<(String, String)> {
    let folder = root().join("models/prove");
    let mut scripts: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "script"))
        .map(|path| {
            let model = path.with_extension("m");
            (model.to_str().unwrap().to_owned(), path.to_str().unwrap().to_owned())
        })
        .collect();
    scripts.sort();
    scripts
}

/// A session with these lines.
fn session(model: &str, options: &[&str], lines: &[&str]) -> Run {
    let arguments = [&["prove", model], options].concat();
    let mut child = command(&arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn every_script_ends_in_a_certificate_that_is_confirmed() {
    let scripts = scripts();
    assert!(scripts.len() >= 5);
    let folder = Folder::new("prove-scripts");
    for (number, (model, script)) in scripts.iter().enumerate() {
        let certificate = folder.path(&format!("{number}.smt2"));
        let run = cubist(&["prove", model, "--script", script, "--certificate", &certificate]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(run.stdout.contains("\nSafe"), "{run:?}");
        let run = cubist(&["validate", &certificate, "--model", model]);
        assert_eq!(run.status, Some(0), "{run:?}");
        // Fewer than 15 steps.
        let text = std::fs::read_to_string(script).unwrap();
        assert!(
            text.lines().filter(|line| !line.starts_with('#')).count() < 15,
            "{script}"
        );
    }
}

#[test]
fn no_session_proves_what_is_false() {
    for (model, script) in scripts() {
        let bug = model.replace(".m", "-bug.m");
        assert_eq!(cubist(&["check", &bug, "-q"]).status, Some(10), "{bug}");
        let by_script = cubist(&["prove", &bug, "--script", &script, "-q"]);
        assert_ne!(by_script.status, Some(0), "{bug}: {by_script:?}");
        let by_itself = session(&bug, &["-q", "--timeout", "6s"], &["auto", "qed"]);
        assert_ne!(by_itself.status, Some(0), "{bug}: {by_itself:?}");
    }
}

fn steps_of(run: &Run) -> Vec<&str> {
    run.stdout.split("\n> ").collect()
}

/// Rusu and Singerman, section 4.
#[test]
fn the_ticket_protocol_is_proved_as_in_the_paper() {
    let model = "models/prove/ticket-two.m";
    let run = cubist(&["prove", model, "--script", "models/prove/ticket-two.script"]);
    let steps = steps_of(&run);
    // Static analysis.
    assert!(
        steps[0].contains("pc1 = cs -> a <= t1") && steps[0].contains("pc2 = cs -> b <= t1"),
        "{run:?}"
    );
    // Two subgoals, and the guards as predicates.
    assert!(steps[1].contains("2 subgoals are pending"), "{run:?}");
    assert!(
        steps[1].contains("p1  a <= t1") && steps[1].contains("p2  b <= t1"),
        "{run:?}"
    );
    assert!(steps[2].contains("Wish 1 is not granted"), "{run:?}");
    // The hint about t1 and t2 at the initial locations, and the stronger equation.
    assert!(steps[3].contains("There is no concrete run like it"), "{run:?}");
    assert!(
        steps[3].contains("t1 > t2 can hold when pc2 = init and pc1 = init"),
        "{run:?}"
    );
    assert!(
        steps[3].contains("c1  pc2 = init & pc1 = init -> t1 = t2   (strengthening proves it)"),
        "{run:?}"
    );
    assert!(steps[5].contains("\"conjecture 1\" is proved."), "{run:?}");
    // With the same predicates as before.
    assert!(
        steps[7].contains("abstract with p1 p2\nAll wishes are granted"),
        "{run:?}"
    );
    // Plain strengthening does not come to an end.
    let plain = session(model, &[], &["strengthen 6"]);
    assert!(plain.stdout.contains("has not come to an end"), "{plain:?}");
    assert_eq!(plain.status, Some(20));
}

/// Rusu and Singerman, section 3.
#[test]
fn the_alternating_bit_protocol_is_proved_as_in_the_paper() {
    let model = "models/prove/alternating-bit-lists.m";
    let run = cubist(&["prove", model, "--script", "models/prove/alternating-bit-lists.script"]);
    let steps = steps_of(&run);
    assert!(steps[1].contains("3 subgoals are pending"), "{run:?}");
    for predicate in [
        "p1  sent = append(received, message)",
        "p4  received = sent",
        "p5  sent = append(received, message_data)",
    ] {
        assert!(steps[1].contains(predicate), "{run:?}");
    }
    // A run that a guard does not allow.
    assert!(
        steps[3].contains("its guard does not hold there, for ack_present"),
        "{run:?}"
    );
    assert!(steps[3].contains("p6  ack_present"), "{run:?}");
    assert!(steps[6].contains("All wishes are granted"), "{run:?}");
    // Left to itself the session finds a proof, too.
    let alone = session(model, &["-q"], &["auto", "qed"]);
    assert_eq!(alone.status, Some(0), "{alone:?}");
}

#[test]
fn a_session_is_kept_and_gone_on_with() {
    let folder = Folder::new("prove-session");
    let kept = folder.path("ticket.session");
    let model = "models/prove/ticket-two.m";
    let options = ["--session", &kept];
    let first = session(
        model,
        &options,
        &["analyze", "induct", "strengthen 1", "undo", "nonsense"],
    );
    assert_eq!(first.status, Some(20), "{first:?}");
    assert!(first.stderr.contains("there is no command `nonsense`"), "{first:?}");
    let steps = std::fs::read_to_string(&kept).unwrap();
    assert!(steps.ends_with("\nanalyze\ninduct\n"), "{steps}");
    let second = session(model, &options, &["goals", "abstract with p1 p2", "auto", "qed"]);
    assert_eq!(second.status, Some(0), "{second:?}");
    assert!(second.stdout.contains("1. rule \"in a\""), "{second:?}");
    // What is damaged is refused, with its place.
    std::fs::write(&kept, "analyze\nconjecture pc1 = nowhere\n").unwrap();
    let damaged = session(model, &options, &[]);
    assert_eq!(damaged.status, Some(2), "{damaged:?}");
    assert!(damaged.stderr.contains("nowhere"), "{damaged:?}");
}

#[test]
fn what_is_not_proved_ends_in_no_proof() {
    let model = "models/prove/ticket-two.m";
    let run = session(
        model,
        &[],
        &[
            "conjecture pc1 = init",
            "induct",
            "qed",
            "conjecture a = b",
            "strengthen 2",
            "qed",
        ],
    );
    assert_ne!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.contains("goals are open"), "{run:?}");
    assert!(!run.stdout.contains("Safe"), "{run:?}");
    let bad = session(
        model,
        &[],
        &[
            "abstract with a <= nobody",
            "conjecture a <=",
            "abstract with p7",
            "take 9",
        ],
    );
    for expected in ["nobody", "nothing is called `p7`", "suggestions"] {
        assert!(bad.stderr.contains(expected), "{expected}: {bad:?}");
    }
}

#[test]
fn a_run_of_check_hands_over_what_it_knows() {
    let folder = Folder::new("prove-resume");
    let left = folder.path("run");
    let model = "models/counter-unbounded.m";
    let check = cubist(&[
        "check",
        model,
        "--ignore-predicates",
        "--run",
        &left,
        "--timeout",
        "3s",
        "-q",
    ]);
    assert_eq!(check.status, Some(20), "{check:?}");
    let run = session(model, &["--resume", &left], &["status", "induct", "suggest"]);
    assert!(run.stdout.contains("was found by a run"), "{run:?}");
    // The predicates of the model are enough.
    assert!(run.stdout.contains("the model declares them"), "{run:?}");
}
