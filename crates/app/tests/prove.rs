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

/// Every step of those that are not the paper's is one of those that are suggested before it.
#[test]
fn every_script_ends_in_a_certificate_that_is_confirmed() {
    let scripts = scripts();
    assert_eq!(scripts.len(), 9);
    let folder = Folder::new("prove-scripts");
    for (number, (model, script)) in scripts.iter().enumerate() {
        let text = std::fs::read_to_string(script).unwrap();
        let steps: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(steps.len() < 15, "{script}");
        let asked: String = steps.iter().map(|line| format!("suggest\n{line}\n")).collect();
        let asking = folder.path(&format!("{number}.script"));
        std::fs::write(&asking, asked).unwrap();
        let certificate = folder.path(&format!("{number}.smt2"));
        let run = cubist(&["prove", model, "--script", &asking, "--certificate", &certificate]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(run.stdout.contains("\nSafe"), "{run:?}");
        if FURTHER.iter().any(|name| model.ends_with(&further(name, ".m"))) {
            every_step_is_suggested(model, &run);
        }
        let run = cubist(&["validate", &certificate, "--model", model]);
        assert_eq!(run.status, Some(0), "{run:?}");
    }
}

fn every_step_is_suggested(model: &str, run: &Run) {
    for pair in steps_of(run).windows(2) {
        let step = pair[1].lines().next().unwrap();
        // `   1. conjecture c1   because`
        let is_it = |line: &str| {
            let rest = line.trim_start().split_once(". ").map_or("", |(_, rest)| rest);
            rest.strip_prefix(step).is_some_and(|rest| rest.starts_with("  "))
        };
        let is_suggested = step == "suggest" || pair[0].lines().any(is_it);
        assert!(is_suggested, "{model}: `{step}` is not among {}", pair[0]);
    }
}

#[test]
fn no_session_proves_what_is_false() {
    for (model, _) in scripts() {
        let bug = model.replace(".m", "-bug.m");
        assert_eq!(cubist(&["check", &bug, "-q"]).status, Some(10), "{bug}");
        let by_itself = session(&bug, &["-q", "--timeout", "3s"], &["auto", "qed"]);
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

/// Those that are not the paper's.
const FURTHER: [&str; 6] = [
    "alternating-bit-channels",
    "consensus",
    "queue",
    "register",
    "replicated-log",
    "ring-channels",
];

fn further(name: &str, ending: &str) -> String {
    format!("models/prove/{name}{ending}")
}

/// The script of a proof, on the twin with a bug, stops where the proof rests on what is no longer so.
#[test]
fn a_proof_fails_where_the_bug_is() {
    for (name, expected) in [
        // What is in the queue of acknowledgements no longer says what was received.
        ("alternating-bit-channels", "nothing is called `c1`"),
        // A vote is not the last one.
        ("consensus", "goals are open"),
        // What is taken out was not put in.
        ("queue", "goals are open"),
        // A value that is written is not kept by a quorum.
        ("register", "goals are open"),
        ("replicated-log", "nothing is called `c1`"),
        ("ring", "nothing is called `c1`"),
        ("ring-channels", "nothing is called `c1`"),
        ("ticket-two", "nothing is called `c1`"),
        ("alternating-bit-lists", "goals are open"),
    ] {
        let run = cubist(&["prove", &further(name, "-bug.m"), "--script", &further(name, ".script")]);
        assert_eq!(run.status, Some(2), "{name}: {run:?}");
        assert!(run.stderr.contains(expected), "{name}: {run:?}");
        assert!(!run.stdout.contains("Safe"), "{name}: {run:?}");
    }
}

#[test]
#[ignore = "takes six minutes: `check` has one for each of them"]
fn check_alone_does_not_prove_them_in_a_minute() {
    for name in FURTHER {
        let run = cubist(&["check", &further(name, ".m"), "-q", "--timeout", "60s"]);
        let is_for_every_size = run.status == Some(0) && !run.stdout.contains("as written");
        assert!(!is_for_every_size, "{name}: {run:?}");
    }
}

/// A model, and a session with these lines about it.
fn session_about(text: &str, options: &[&str], lines: &[&str]) -> Run {
    let folder = Folder::new(&format!("prove-about-{}", common::sha256(text)));
    let model = folder.path("model.m");
    std::fs::write(&model, text).unwrap();
    session(&model, options, lines)
}

const COUNTER: &str = "var x: integer;
startstate \"one\" x := 0; end;
rule \"up\" x < 3 ==> x := x + 1; end;
rule \"down\" x > 0 ==> x := x - 1; end;
";

#[test]
fn models_of_which_everything_follows_are_refused() {
    let contradictory = "type N: scalarset(3);
uninterpreted f(n: N): boolean;
axiom \"all\" forall n: N do f(n) end;
axiom \"none\" forall n: N do !f(n) end;
var x: integer;
startstate x := 0; end;
rule x := x + 1; end;
invariant \"small\" x < 3;
";
    let run = session_about(contradictory, &[], &["auto", "qed"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("contradict each other"), "{run:?}");
    let no_start = "var x: integer;
startstate havoc x where x > 3 & x < 2; end;
rule x := x + 1; end;
invariant \"small\" x < 3;
";
    let run = session_about(no_start, &[], &["auto", "qed"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("there is no initial state"), "{run:?}");
    let run = session_about(COUNTER, &[], &["auto", "qed"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(run.stderr.contains("there is nothing to prove"), "{run:?}");
}

#[test]
fn what_is_refuted_is_given_up_and_proves_nothing() {
    let two_starts = format!(
        "{COUNTER}startstate \"two\" x := 7; end;\ninvariant \"small\" x <= 3;\ninvariant \"no less\" x >= 0;\n\
         invariant \"trivial\" true;\n"
    );
    let run = session_about(&two_starts, &[], &["auto", "status", "suggest", "qed"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(run.stdout.contains("\"small\" does not hold"), "{run:?}");
    assert!(run.stdout.contains("2 of 3 goals are proved"), "{run:?}");
    assert!(run.stderr.contains("1 goals are open"), "{run:?}");
    // Assertions of rules are goals as well.
    let assertion = "var x: integer;
startstate x := 0; end;
rule \"up\" x := x + 1; assert x < 5 \"five\"; end;
invariant \"no less\" x >= 0;
";
    let run = session_about(assertion, &[], &["auto", "qed"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(run.stdout.contains("does not hold"), "{run:?}");
    // With four elements there is a violation: `qed` says so, whatever is true of three.
    let four = "type N: scalarset(3);
var busy: array [N] of boolean; bad: boolean;
startstate for n: N do busy[n] := false; end; bad := false; end;
ruleset n: N do rule \"begin\" true ==> busy[n] := true; end; end;
rule \"four\"
  exists a: N do exists b: N do exists c: N do exists d: N do
    a != b & a != c & a != d & b != c & b != d & c != d & busy[a] & busy[b] & busy[c] & busy[d] end end end end
==> bad := true; end;
invariant \"never\" !bad;
";
    let run = session_about(
        four,
        &["--timeout", "30s"],
        &["conjecture forall n: N do !busy[n] end", "auto", "qed"],
    );
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(!run.stdout.contains("for every number"), "{run:?}");
}

#[test]
fn false_conjectures_are_refused_and_circular_ones_prove_nothing() {
    let bug = format!("{COUNTER}invariant \"small\" x <= 2;\n");
    let run = session_about(&bug, &[], &["conjecture x >= 0", "auto", "qed"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(
        run.stderr
            .contains("exploration finds a violation (invariant \"small\" is violated)"),
        "{run:?}"
    );
    let model = format!("{COUNTER}invariant \"small\" x <= 3 | x = 50;\n");
    let run = session_about(
        &model,
        &[],
        &[
            "conjecture x = 0",
            "conjecture false",
            "conjecture x <= 2 | x > 100",
            "qed",
        ],
    );
    assert_eq!(run.status, Some(20), "{run:?}");
    let refused = "does not hold in a state that exploration reaches";
    assert_eq!(run.stderr.matches(refused).count(), 3, "{run:?}");
    assert!(!run.stdout.contains("Safe"), "{run:?}");
    // Circular, and true: they are proved together or not at all.
    let swap = "var x: integer; y: integer;
startstate x := 0; y := 0; end;
rule \"x\" x := y; end;
rule \"y\" y := x; end;
invariant \"x\" x = 0;
";
    let run = session_about(swap, &[], &["induct", "conjecture y = 0", "induct", "qed"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("are inductive together, and proved"), "{run:?}");
}

#[test]
fn a_lemma_that_is_taken_back_proves_nothing() {
    let model = "models/prove/ticket-two.m";
    let text = std::fs::read_to_string(root().join("models/prove/ticket-two.script")).unwrap();
    let steps: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#') && *line != "qed")
        .collect();
    let proved = session(model, &[], &[&steps[..], &["status"]].concat());
    assert!(proved.stdout.contains("2 of 2 goals are proved"), "{proved:?}");
    // Back to where the conjecture was not yet proved.
    let undone: Vec<&str> = steps
        .iter()
        .map(|step| if *step == "conjecture c1" { "undo" } else { "" })
        .collect();
    let back = 1 + undone.iter().rev().position(|step| *step == "undo").unwrap();
    let lines = [&steps[..], &vec!["undo"; back][..], &["status", "qed"]].concat();
    let run = session(model, &[], &lines);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(run.stdout.contains("0 of 1 goals are proved"), "{run:?}");
    assert!(run.stderr.contains("1 goals are open"), "{run:?}");
}

#[test]
fn edited_sessions_and_folders_prove_nothing() {
    let folder = Folder::new("prove-edited");
    let kept = folder.path("kept.session");
    let bug = "models/prove/ticket-two-bug.m";
    // The steps of the proof, for another model.
    std::fs::copy(root().join("models/prove/ticket-two.script"), &kept).unwrap();
    let run = session(bug, &["--session", &kept], &["qed"]);
    assert_ne!(run.status, Some(0), "{run:?}");
    // What is no step is refused, with its line.
    for (text, expected) in [
        ("induct\nproved 1\n", "there is no command `proved`"),
        ("qed\n", "is not a matter of the session"),
        ("conjecture a = 0 & a = 1\n", "exploration reaches"),
        (
            "analyze\nstrengthen 1 # proved\nlemma t1 = t2\n",
            "there is no command `lemma`",
        ),
    ] {
        std::fs::write(&kept, text).unwrap();
        let run = session("models/prove/ticket-two.m", &["--session", &kept], &["qed"]);
        assert_eq!(run.status, Some(2), "{text}: {run:?}");
        assert!(run.stderr.contains(expected), "{text}: {run:?}");
    }
    // A run of the correct model does for no other; nor does a fact that somebody wrote into it.
    let left = folder.path("run");
    let model = folder.path("model.m");
    let text = format!("{COUNTER}invariant \"small\" x <= 2;\n");
    std::fs::write(&model, &text).unwrap();
    let checked = cubist(&["check", &model, "--run", &left, "--timeout", "20s", "-q"]);
    assert_eq!(checked.status, Some(10), "{checked:?}");
    let file = std::path::Path::new(&left).join("learned.json");
    let written = std::fs::read_to_string(&file).unwrap();
    let (_, body) = written.split_once('\n').unwrap();
    let mut learned: serde_json::Value = serde_json::from_str(body).unwrap();
    let small = serde_json::json!(["<=", ["apply", "x"], ["int", "2"]]);
    learned["invariant"] = serde_json::json!({
        "engine": "indexed",
        "facts": [{ "name": "small", "formula": small, "text": "x <= 2" }],
    });
    learned["shared"] = learned["invariant"].clone();
    let body = learned.to_string();
    std::fs::write(&file, &body).unwrap();
    let damaged = session(&model, &["--resume", &left], &["auto", "qed"]);
    assert_eq!(damaged.status, Some(2), "{damaged:?}");
    let sealed = format!("cubist run 1 sha256 {}\n{body}", common::sha256(&body));
    std::fs::write(&file, sealed).unwrap();
    let forged = session(&model, &["--resume", &left], &["auto", "qed"]);
    assert_ne!(forged.status, Some(0), "{forged:?}");
    assert!(!forged.stdout.contains("Safe"), "{forged:?}");
    let foreign = session(bug, &["--resume", &left], &["auto", "qed"]);
    assert_eq!(foreign.status, Some(2), "{foreign:?}");
}

#[test]
fn who_stops_a_session_gets_no_proof() {
    let model = "models/prove/alternating-bit-channels.m";
    let script = "models/prove/alternating-bit-channels.script";
    let run = cubist(&["prove", model, "--script", script, "--timeout", "300ms"]);
    assert!(matches!(run.status, Some(2 | 20)), "{run:?}");
    assert!(!run.stdout.contains("Safe"), "{run:?}");
}

/// Steps that `auto` took before it was stopped are in the file.
#[test]
fn what_auto_did_before_it_was_stopped_is_kept() {
    let folder = Folder::new("prove-auto-kept");
    let kept = folder.path("kept.session");
    let options = ["--session", &kept, "--timeout", "4s"];
    let run = session("models/prove/consensus-bug.m", &options, &["auto"]);
    assert_ne!(run.status, Some(0), "{run:?}");
    let steps = std::fs::read_to_string(&kept).unwrap();
    assert!(steps.contains("\nanalyze\n"), "{steps}");
}
