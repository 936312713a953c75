//! `cubist check --also FILE`: further properties, held against the invariant that proves the others.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist, json};
use serde_json::Value;

const SERVER: &str = "models/mutex-server.m";

/// The first holds by what mutual exclusion rests on, in whatever words; the second is false.
const ABOUT_SERVER: &str = "\
invariant \"who is inside keeps the server busy\" busy | forall c: CELL do place[c] != critical end;
invariant \"nobody is ever inside\" forall c: CELL do place[c] != critical end;\n";

/// What is said of each further property.
fn verdicts(report: &Value) -> Vec<(&str, &str)> {
    let further = report["also"].as_array().unwrap().iter();
    further
        .map(|entry| (entry["name"].as_str().unwrap(), entry["verdict"].as_str().unwrap()))
        .collect()
}

#[test]
fn every_engine_says_what_its_invariant_implies() {
    let folder = Folder::new("also-engines");
    let file = folder.write("more.m", ABOUT_SERVER);
    for engine in ["strengthening", "approximate", "implicit"] {
        let (status, report) = json(&["check", SERVER, "--engine", engine, "--also", &file, "--json"]);
        assert_eq!(status, Some(20), "{engine}: {report}");
        assert_eq!(report["properties"][0]["verdict"], "safe", "{engine}: {report}");
        let expected = [
            ("who is inside keeps the server busy", "safe"),
            ("nobody is ever inside", "unknown"),
        ];
        assert_eq!(verdicts(&report), expected, "{engine}");
        assert_eq!(report["also"][0]["reason"], Value::Null, "{engine}");
        assert_eq!(report["also"][1]["reason"], "not implied by the invariant", "{engine}");
    }
    let run = cubist(&["check", SERVER, "--also", &file]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(
        run.stdout
            .starts_with("Safe for every number of CELL and MESSAGE. Of 2 further properties, 1 cannot be shown"),
        "{run:?}"
    );
    assert!(
        run.stdout
            .contains("- nobody is ever inside: not implied by the invariant\n"),
        "{run:?}"
    );
    assert!(
        run.stdout.contains("`--properties FILE` instead of `--also FILE`"),
        "{run:?}"
    );
    let one = ABOUT_SERVER.lines().next().unwrap();
    let file = folder.write("one.m", one);
    assert_eq!(cubist(&["check", SERVER, "--also", &file]).status, Some(0));
    let file = folder.write(
        "more.cub",
        "unsafe (x) { S[x] = Busy && Free = True }\nunsafe (x) { S[x] = Busy }\n",
    );
    let model = folder.write("lock.cub", LOCK);
    let (status, report) = json(&["check", &model, "--also", &file, "--json"]);
    assert_eq!(status, Some(20), "{report}");
    assert_eq!(verdicts(&report), [("unsafe 2", "safe"), ("unsafe 3", "unknown")]);
}

const LOCK: &str = "\
type t = Idle | Busy\narray S[proc] : t\nvar Free : bool\ninit (z) { S[z] = Idle && Free = True }
unsafe (x y) { S[x] = Busy && S[y] = Busy }
transition take (x) requires { Free = True } { S[x] := Busy; Free := False }
transition give (x) requires { S[x] = Busy } { S[x] := Idle; Free := True }\n";

/// That nobody ends who did not begin is nothing that `alone` needs: only the strongest invariant over the predicates
/// says it.
const JOBS: &str = "\
type P: scalarset(3);\nvar busy, begun, ended: array [P] of boolean; free: boolean;
index p: P;\npredicate begun[p];\npredicate ended[p];\npredicate busy[p];
startstate begin for p: P do busy[p] := false; begun[p] := false; ended[p] := false; end; free := true; end;
ruleset p: P do
rule \"take\" free ==> begin busy[p] := true; free := false; begun[p] := true; end;
rule \"give\" busy[p] & begun[p] ==> begin busy[p] := false; free := true; ended[p] := true; end;
end;
invariant \"alone\" forall p: P do forall q: P do p != q -> !(busy[p] & busy[q]) end end;\n";

#[test]
fn the_strongest_invariant_over_declared_predicates_is_kept_as_far_as_needed() {
    let folder = Folder::new("also-declared");
    let model = folder.write("jobs.m", JOBS);
    let further = folder.write(
        "more.m",
        "invariant \"begun\" forall p: P do ended[p] -> begun[p] end;\n",
    );
    let check = |options: &[&str]| cubist(&[&["check", &model], options].concat());
    let alone = check(&[]);
    assert_eq!(alone.status, Some(0), "{alone:?}");
    assert!(!alone.stdout.contains("ended["), "{alone:?}");
    let run = check(&["--also", &further]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("- begun: holds by the invariant\n"), "{run:?}");
    assert!(run.stdout.contains("ended["), "{run:?}");
    let run = cubist(&[
        "check",
        &model,
        "--engine",
        "strengthening",
        "--also",
        &further,
        "--ignore-predicates",
    ]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(
        run.stdout.contains("- begun: not implied by the invariant\n"),
        "{run:?}"
    );
}

#[test]
fn what_holds_is_part_of_the_certificate() {
    let folder = Folder::new("also-certificate");
    let file = folder.write("more.m", ABOUT_SERVER);
    for engine in ["strengthening", "approximate"] {
        let path = folder.path(&format!("{engine}.smt2"));
        let options = ["--engine", engine, "--also", &file, "--certificate", &path];
        let run = cubist(&[&["check", SERVER], &options[..]].concat());
        assert_eq!(run.status, Some(20), "{run:?}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("; proves: who is inside keeps the server busy\n"),
            "{engine}"
        );
        assert!(!text.contains("nobody is ever inside"), "{engine}");
        let confirmed = cubist(&["validate", &path]);
        assert_eq!(confirmed.status, Some(0), "{confirmed:?}");
    }
}

#[test]
fn mistakes_in_a_file_of_further_properties_are_reported_where_they_are() {
    let folder = Folder::new("also-mistakes");
    let rejected = |text: &str, expected: &[&str]| {
        let file = folder.write("more.m", text);
        let run = cubist(&["check", SERVER, "--also", &file]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        for text in expected {
            assert!(run.stderr.contains(text), "`{text}` is missing in {run:?}");
        }
    };
    rejected(
        "-- mistakes\ninvariant \"one\" busyy;\nvar x: boolean;\n",
        &[
            "unknown name `busyy`",
            "more.m:2:17",
            "^^^^^",
            "declares nothing else",
            "more.m:3:5",
        ],
    );
    rejected("-- nothing\n", &["there is no property in"]);
    let run = cubist(&["check", SERVER, "--also", "nowhere.m"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("there is no file `nowhere.m`"), "{run:?}");
}

/// The proof is about every size. A property that makes sense at one size only cannot change that.
#[test]
fn a_further_property_does_not_change_what_the_proof_is_about() {
    let folder = Folder::new("also-sizes");
    let model = "const N: 3;\ntype P: 1..N;\nvar busy: array [P] of boolean; free: boolean;\n\
        startstate begin for p: P do busy[p] := false; end; free := true; end;\n\
        ruleset p: P do\nrule \"take\" free ==> begin busy[p] := true; free := false; end;\n\
        rule \"give\" busy[p] ==> begin busy[p] := false; free := true; end;\nend;\n\
        invariant \"alone\" forall p: P do forall q: P do p != q -> !(busy[p] & busy[q]) end end;\n";
    let model = folder.write("lock.m", model);
    let alone = cubist(&["check", &model]);
    assert!(alone.stdout.contains("for every number of P"), "{alone:?}");
    let text = "invariant \"in order\" forall p: P do forall q: P do busy[p] & p + 1 = q -> !busy[q] end end;\n";
    let file = folder.write("more.m", text);
    let run = cubist(&["check", &model, "--also", &file]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(
        run.stderr.contains("is about any number of P, and this is not"),
        "{run:?}"
    );
    assert!(run.stderr.contains("more.m:1:"), "{run:?}");
}

#[test]
fn without_an_invariant_nothing_is_said_of_further_properties() {
    let folder = Folder::new("also-unsafe");
    let file = folder.write("more.m", "invariant \"true\" true;\n");
    let (status, report) = json(&["check", "models/good-bad-bug.m", "--also", &file, "--json"]);
    assert_eq!(status, Some(10), "{report}");
    assert_eq!(verdicts(&report), [("true", "unknown")]);
    let options = ["--ignore-predicates", "--no-discovery", "--json", "--also", &file];
    let (status, report) = json(&[&["check", "models/good-bad.m"], &options[..]].concat());
    assert_eq!(status, Some(20), "{report}");
    assert_eq!(verdicts(&report), [("true", "unknown")]);
    assert_eq!(report["also"][0]["reason"], "not looked at: there is no invariant");
}

#[test]
fn a_finished_proof_is_held_against_further_properties_without_another_search() {
    let folder = Folder::new("also-resume");
    let run = folder.path("run");
    let (status, first) = json(&["check", SERVER, "--run", &run, "--json"]);
    assert_eq!(status, Some(0), "{first}");
    assert!(first["checks"]["abstraction"].as_u64().unwrap() > 0, "{first}");
    let file = folder.write("more.m", ABOUT_SERVER);
    let (status, again) = json(&["check", SERVER, "--resume", &run, "--also", &file, "--json"]);
    assert_eq!(status, Some(20), "{again}");
    assert_eq!(again["properties"][0]["verdict"], "safe");
    assert_eq!(again["engine"], first["engine"]);
    let expected = [
        ("who is inside keeps the server busy", "safe"),
        ("nobody is ever inside", "unknown"),
    ];
    assert_eq!(verdicts(&again), expected);
    // One for each property, and nothing else.
    assert_eq!(again["checks"]["total"], 3, "{again}");
}

/// Whatever stands in the folder, a solver that knows nothing of it confirms the invariant.
#[test]
fn an_invariant_in_a_run_folder_is_not_believed() {
    let folder = Folder::new("also-wrong");
    let run = folder.path("run");
    assert_eq!(cubist(&["check", SERVER, "--run", &run]).status, Some(0));
    let path = std::path::Path::new(&run).join("learned.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    let mut content: Value = serde_json::from_str(whole.split_once('\n').unwrap().1).unwrap();
    content["invariant"]["facts"][0]["formula"] = Value::Bool(false);
    let body = format!("{content}\n");
    let signed = format!("cubist run 1 sha256 {}\n{body}", common::sha256(&body));
    std::fs::write(&path, signed).unwrap();
    let file = folder.write("more.m", ABOUT_SERVER);
    let (status, report) = json(&["check", SERVER, "--resume", &run, "--also", &file, "--json"]);
    assert_eq!(status, Some(20), "{report}");
    assert_eq!(verdicts(&report)[1], ("nobody is ever inside", "unknown"));
    assert!(
        report["checks"]["abstraction"].as_u64().unwrap() > 0,
        "a search was needed: {report}"
    );
}
