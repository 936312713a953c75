//! What keeps a wrong verdict from being said: explored states meet the proof, resumed runs search as others do,
//! sizes that cannot exist are not explored, limits are no violations, and what was not looked at is named.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist, json};
use std::path::Path;

const SAFE: &str = "type P: scalarset(2);
var x: boolean; st: array [P] of boolean;
startstate begin x := false; for p: P do st[p] := false; end; end;
ruleset p: P do rule \"set\" !st[p] & (forall q: P do !st[q] end) ==> begin st[p] := true; end; end;
rule \"read\" exists p: P do st[p] end & x ==> begin x := false; end;
invariant \"one\" forall p: P; q: P do st[p] & st[q] -> p = q end;
";

/// A file with these contents, and a checksum that fits them.
fn with_checksum(body: &str) -> String {
    format!("cubist run 1 sha256 {}\n{body}", common::sha256(body))
}

/// An invariant that somebody wrote into the folder is confirmed by every solver, and the model is unsafe all the
/// same: it reads what is undefined, which is arbitrary in proofs.
#[test]
fn a_tampered_folder_turns_nothing_into_safe() {
    let folder = Folder::new("tampered");
    let safe = folder.write("safe.m", SAFE);
    let model = folder.write("model.m", SAFE.replace("begin x := false; for", "begin for"));
    let also = folder.write("also.m", "invariant \"more\" forall p: P do st[p] -> st[p] end;\n");
    let (proved, run) = (folder.path("proved"), folder.path("run"));
    assert_eq!(cubist(&["check", &safe, "--run", &proved]).status, Some(0));
    assert_eq!(cubist(&["check", &model, "--run", &run]).status, Some(10));
    let read = |run: &str| std::fs::read_to_string(Path::new(run).join("learned.json")).unwrap();
    let body = |whole: &str| whole.split_once('\n').unwrap().1.to_owned();
    let digest = |body: &str| body.split_once("\"digest\":\"").unwrap().1[..64].to_owned();
    let (from, to) = (body(&read(&proved)), body(&read(&run)));
    assert!(from.contains("\"invariant\":{"), "{from}");
    let forged = from.replace(&digest(&from), &digest(&to)).replace("safe.m", "model.m");
    std::fs::write(Path::new(&run).join("learned.json"), with_checksum(&forged)).unwrap();
    let resume = ["check", &model, "--resume", &run];
    for options in [&[][..], &["--also", &also], &["--properties", &also], &["--jobs", "1"]] {
        let resumed = cubist(&[&resume, options].concat());
        assert_eq!(resumed.status, Some(10), "{options:?}: {resumed:?}");
        assert!(resumed.stdout.contains("read of undefined x"), "{resumed:?}");
    }
}

/// A resumed proof is held against explored states as any other is.
#[test]
fn a_resumed_proof_meets_explored_states() {
    let folder = Folder::new("resumed");
    let model = folder.write("model.m", SAFE);
    let run = folder.path("run");
    assert_eq!(cubist(&["check", &model, "--run", &run]).status, Some(0));
    let (status, report) = json(&["check", &model, "--resume", &run, "--json"]);
    assert_eq!(status, Some(0), "{report}");
    assert!(report["agreement"]["states"].as_u64().unwrap() > 4, "{report}");
}

#[test]
fn the_report_says_which_states_agree() {
    let (status, report) = json(&["check", "models/german.m", "--json", "--jobs", "1"]);
    assert_eq!(status, Some(0), "{report}");
    let agreement = &report["agreement"];
    let instances = agreement["instances"].as_array().unwrap();
    let size = |met: &serde_json::Value, ty: &str| met["sizes"][ty].as_u64().unwrap();
    let extents: Vec<(u64, u64, &str)> = instances
        .iter()
        .map(|met| (size(met, "PROC"), size(met, "DATA"), met["extent"].as_str().unwrap()))
        .collect();
    let random = "random runs";
    let unequal = [(3, 1, "some"), (1, 3, "all")];
    let equal = [(3, 2, "all"), (2, 2, "all"), (1, 1, "all")];
    let expected = [&equal[..], &unequal, &[(4, 3, random), (5, 4, random)]].concat();
    assert_eq!(extents, expected);
    let behind = &agreement["behind_guards"];
    assert_eq!(behind["rules_fired"], behind["rules"], "{behind}");
    assert!(behind["states"].as_u64().unwrap() >= 20, "{behind}");
    // As many as `explore` counts.
    let (_, explored) = json(&["explore", "models/german.m", "--json", "--deadlock", "off"]);
    assert_eq!(instances[0]["states"], explored["states"], "{explored}");
    let sum: u64 = instances.iter().map(|met| met["states"].as_u64().unwrap()).sum();
    assert_eq!(agreement["states"], sum);
    let text = cubist(&["check", "models/german.m"]).stdout;
    assert!(text.contains("The proof agrees with"), "{text}");
    assert!(text.contains("Behind guards"), "{text}");
    let (_, unproved) = json(&["check", "models/german-bug.m", "--json"]);
    assert!(unproved["agreement"].is_null());
}

/// The search for bugs looks at three elements at most; the file declares five.
#[test]
fn the_declared_instance_is_looked_at_before_safe_is_said() {
    let folder = Folder::new("declared");
    // What goes wrong needs four elements, and is no matter of proofs.
    let model = folder.write(
        "model.m",
        "type P: scalarset(5);
var x: boolean; st: array [P] of boolean; n: 0..5;
startstate begin n := 0; for p: P do st[p] := false; end; end;
ruleset p: P do rule \"set\" !st[p] & n < 5 ==> begin st[p] := true; n := n + 1; end; end;
rule \"read\" n = 4 & x ==> begin x := false; end;
invariant \"few\" n <= 5;
",
    );
    let run = cubist(&["check", &model]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("read of undefined x"), "{run:?}");
    assert!(run.stdout.contains("P = 5 (as declared)"), "{run:?}");
}

const NAMED: &str = "const N: 4; A: 0; B: 1; C: 2;
type VC: 0..N-1; P: scalarset(2);
var full: array [VC] of boolean; st: array [P] of boolean;
startstate begin for v: VC do full[v] := false; end; for p: P do st[p] := false; end; end;
rule \"a\" !full[A] ==> begin full[A] := true; end;
rule \"b\" full[A] & !full[B] ==> begin full[B] := true; end;
rule \"c\" full[B] & !full[C] ==> begin full[C] := true; end;
ruleset p: P do rule \"p\" !st[p] ==> begin st[p] := true; end; end;
invariant \"order\" full[C] -> full[A];
";

const PROPERTY: &str = "const N: 4;
type Proc: 1..N;
var st: array [Proc] of 0..2;
startstate begin for p: Proc do st[p] := 0; end; end;
ruleset p: Proc do rule \"up\" p != 3 & st[p] < 2 ==> begin st[p] := st[p] + 1; end; end;
invariant \"third\" st[3] = 0;
";

/// With fewer elements than the model names there is no such model: nothing is explored there, and nothing claimed.
#[test]
fn sizes_without_the_named_elements_do_not_exist() {
    let folder = Folder::new("named");
    let named = folder.write("named.m", NAMED);
    let property = folder.write("property.m", PROPERTY);
    for (model, ty, claim) in [
        (&named, "VC", "Safe for every number of VC (from 3 on) and P."),
        (&property, "Proc", "Safe for every number of Proc (from 3 on)."),
    ] {
        let run = cubist(&["check", model]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(run.stdout.contains(claim), "{run:?}");
        assert_eq!(run.stderr, "", "{run:?}");
        let (_, report) = json(&["check", model, "--json"]);
        assert_eq!(report["sizes"][0]["type"], *ty, "{report}");
        assert_eq!(report["sizes"][0]["from"], 3, "{report}");
        assert!(report["sizes"][0]["to"].is_null(), "{report}");
        for met in report["agreement"]["instances"].as_array().unwrap() {
            assert!(met["sizes"][ty].as_i64().unwrap() >= 3, "{report}");
        }
        let shown = cubist(&["show", model]).stdout;
        assert!(shown.contains("any size from 3 on in proofs"), "{shown}");
    }
    let (_, report) = json(&["check", &named, "--json"]);
    assert_eq!(report["sizes"][1]["from"], 1, "{report}");
}

/// A violation that needs a named element is found at a size that has it.
#[test]
fn bugs_at_named_elements_are_found() {
    let folder = Folder::new("named-bug");
    let model = folder.write("model.m", NAMED.replace("full[A] & !full[B]", "!full[B]"));
    let run = cubist(&["check", &model]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("invariant \"order\" is violated"), "{run:?}");
}

#[test]
fn a_loop_without_an_end_is_a_limit() {
    let folder = Folder::new("endless");
    let model = folder.write(
        "model.m",
        "var x: 0..3; b: boolean;
startstate begin x := 0; b := true; end;
rule \"loop\" true ==> begin while b do x := 1 - x; end; end;
invariant \"ok\" x < 3;
",
    );
    let explored = cubist(&["explore", &model]);
    assert_eq!(explored.status, Some(20), "{explored:?}");
    let reason = "a rule has no end after 20000000 rounds of loops and calls";
    assert!(explored.stdout.contains(reason), "{explored:?}");
    let checked = cubist(&["check", &model]);
    assert_eq!(checked.status, Some(20), "{checked:?}");
    assert!(checked.stdout.contains("more than 32 rounds"), "{checked:?}");
}

const OTHERS: &str = "type P: scalarset(2);
var st: array [P] of boolean;
startstate begin for p: P do st[p] := false; end; end;
ruleset p: P do rule \"set\" !st[p] & (forall q: P do !st[q] end) ==> begin st[p] := true; end; end;
invariant \"one\" forall p: P; q: P do st[p] & st[q] -> p = q end;
cover \"some\" exists p: P do st[p] end;
cover \"two\" exists p: P; q: P do p != q & st[p] & st[q] end;
liveness \"later\" exists p: P do st[p] end;
";

/// Nothing is left out without a word.
#[test]
fn what_is_not_safety_is_named() {
    let folder = Folder::new("others");
    let model = folder.write("model.m", OTHERS);
    let (status, report) = json(&["check", &model, "--json"]);
    assert_eq!(status, Some(0), "{report}");
    let others: Vec<(&str, &str, &str)> = report["others"]
        .as_array()
        .unwrap()
        .iter()
        .map(|other| {
            let word = |field: &str| other[field].as_str().unwrap();
            (word("kind"), word("name"), word("verdict"))
        })
        .collect();
    let expected = [
        ("cover", "some", "reached"),
        ("cover", "two", "not decided"),
        ("liveness", "later", "not decided"),
        ("deadlock", "deadlock", "found"),
    ];
    assert_eq!(others, expected);
    let text = cubist(&["check", &model]).stdout;
    for line in [
        "cover \"some\": reached: in an instance with P = 2",
        "cover \"two\": not decided: reached in no state in the instance with P = 2, the instance with P = 1",
        "liveness \"later\": not decided: only safety is checked",
        "deadlock: found: in an instance with P = 2; `cubist explore` shows it",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    // Without other sizes, all states are all there is to see.
    let all = "var n: 0..2;\nstartstate begin n := 0; end;\nrule \"next\" begin n := (n + 1) % 3; end;\n\
               cover \"three\" n = 3;\ninvariant \"small\" n < 3;\n";
    let text = cubist(&["check", &folder.write("all.m", all)]).stdout;
    for line in [
        "cover \"three\": not reached: all states were seen",
        "deadlock: none: all states were seen",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    // Where a violation is found, nothing else is looked at, and that is said.
    let wrong = folder.write("wrong.m", OTHERS.replace("-> p = q", "-> p != q"));
    let run = cubist(&["check", &wrong]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("deadlock: not decided: not looked at"), "{run:?}");
    let (_, report) = json(&["check", &wrong, "--json"]);
    assert_eq!(report["others"][0]["reason"], "not looked at", "{report}");
}

/// At most this many processes are also fewer, and are not any number; a property does not change how many there are.
#[test]
fn the_number_of_processes_is_part_of_the_claim() {
    let folder = Folder::new("processes");
    let limited = |unsafe_state: &str| {
        format!(
            "number_procs 4\nvar X : bool\narray A[proc] : bool\ninit (z) {{ A[z] = False && X = False }}\n\
             unsafe (z) {{ {unsafe_state} }}\ntransition t (x) requires {{ A[x] = False }} {{ A[x] := True }}\n\
             transition u (x y) requires {{ A[x] = True && not (exists_other z. A[z] = A[z]) }} {{ X := True }}\n"
        )
    };
    // Only two processes have no other one beside them.
    let broken = folder.write("broken.cub", limited("X = True"));
    let run = cubist(&["check", &broken]);
    assert_eq!(run.status, Some(10), "{run:?}");
    let model = folder.write("model.cub", limited("X = True && X = False"));
    let (status, report) = json(&["check", &model, "--json"]);
    assert_eq!(status, Some(0), "{report}");
    assert_eq!(report["sizes"][0]["to"], 4, "{report}");
    let run = cubist(&["check", &model]);
    assert!(run.stdout.contains("every number of proc (up to 4)"), "{run:?}");
    let named = folder.write("named.cub", "unsafe (x) { A[#1] = True && X = True }\n");
    for option in ["--properties", "--also"] {
        let run = cubist(&["check", &model, option, &named]);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains("names a process"), "{run:?}");
    }
    assert_eq!(cubist(&["check", &model, "--size", "proc=7"]).status, Some(2));
}

/// A run into a state of which an assumption cannot be evaluated, and one through aliases with effects, are confirmed
/// by the other interpreter.
#[test]
fn odd_runs_are_confirmed() {
    let folder = Folder::new("odd");
    let assumption = folder.write("a.m", "var x: 1..2; startstate end; assume x < 3; rule x := 1; end;\n");
    let alias = "var n: 0..20; done: boolean; function f(): 0..20; begin n := n + 1; return n; end;
startstate n := 0; done := false; end;
alias x: f() do rule \"r\" !done & x > 0 ==> done := true; end; end;
invariant \"twice\" done -> n != 2;
";
    let alias = folder.write("b.m", alias);
    for model in [&assumption, &alias] {
        for command in ["explore", "check"] {
            let run = cubist(&[command, model]);
            assert_eq!(run.status, Some(10), "{run:?}");
        }
    }
}

/// A union in a file of properties or predicates would make the model one for CMurphi: loops would not count down any
/// more.
#[test]
fn additions_cannot_change_the_model() {
    let folder = Folder::new("additions");
    let model = folder.write(
        "model.m",
        "type P: scalarset(2); E: enum {e}; var n: 0..2; x: 0..2; b: boolean;
startstate n := 2; x := 0; b := false; end;
rule \"down\" for i := n to 1 do x := 2; end; b := x = 2; end;
invariant \"i\" !b;
",
    );
    let union = folder.write("union.m", "invariant \"z\" forall v: union {P, E} do true end;\n");
    let predicate = folder.write("predicate.m", "predicate \"z\" forall v: union {P, E} do true end;\n");
    assert_eq!(cubist(&["check", &model]).status, Some(10));
    for (option, file) in [
        ("--properties", &union),
        ("--also", &union),
        ("--predicates", &predicate),
    ] {
        let run = cubist(&["check", &model, option, file]);
        assert_eq!(run.status, Some(2), "{option}: {run:?}");
    }
}

/// The system is one for every size, and no instance is small enough: nothing would notice a mistake in the system.
#[test]
fn a_proof_without_a_net_is_no_plain_safe() {
    let folder = Folder::new("no-net");
    let text = "type P: scalarset(2); A: 0..99999999;
var big: array [A] of boolean; st: array [P] of boolean; bad: boolean;
startstate begin for p: P do st[p] := false; end; bad := false; end;
ruleset p: P do rule \"up\" !st[p] ==> begin st[p] := true; big[7] := true; end; end;
invariant \"ok\" !bad;
";
    let model = folder.write("model.m", text);
    let words = "not cross-checked: no instance could be explored";
    for quiet in [&["check", &model, "-q"][..], &["check", &model]] {
        let run = cubist(quiet);
        assert_eq!(run.status, Some(0), "{run:?}");
        let first = format!("Safe for every number of P, but {words}.");
        assert_eq!(run.stdout.lines().next(), Some(first.as_str()), "{run:?}");
    }
    let (status, report) = json(&["check", &model, "--strict", "--json"]);
    assert_eq!(
        (status, report["qualified"].as_str()),
        (Some(20), Some(words)),
        "{report}"
    );
    // The twin: an array that fits.
    let small = folder.write("small.m", text.replace("99999999", "9"));
    let run = cubist(&["check", &small, "-q", "--strict"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "Safe for every number of P.\n"),
        "{run:?}"
    );
    let (_, report) = json(&["check", &small, "--json"]);
    assert!(report["qualified"].is_null(), "{report}");
}

/// No exploration gets behind this guard, and the report says that a step was made there.
#[test]
fn rules_behind_hard_guards_are_fired() {
    let folder = Folder::new("hard");
    let text = "var x: integer; y: integer; bad: boolean;
startstate begin x := 0; y := 0; bad := false; end;
rule \"hard\" x - y = 98765 & x + 2*y = 949766 ==> begin y := y + 1; end;
invariant \"ok\" !bad;
";
    let model = folder.write("model.m", text);
    let (status, report) = json(&["check", &model, "--json", "--engine", "implicit"]);
    assert_eq!(status, Some(0), "{report}");
    let behind = &report["agreement"]["behind_guards"];
    let fired = (behind["rules_fired"].as_u64(), behind["rules"].as_u64());
    assert_eq!(fired, (Some(1), Some(1)), "{report}");
}
