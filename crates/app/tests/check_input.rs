//! What `cubist check` says about wrong input: predicates from a file, and models that say nothing.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, Run, cubist};

/// Runs `check` on a model (and further arguments) in a folder of its own.
fn check(name: &str, model: &str, arguments: &[&str]) -> Run {
    let folder = Folder::new(&format!("check-{}", name.replace('.', "-")));
    let file = folder.write(name, model);
    let mut all = vec!["check", &file];
    all.extend(arguments);
    cubist(&all)
}

/// The errors stand in this order, each with its place, and nothing is proved.
fn assert_rejected(run: &Run, expected: &[&str]) {
    assert_eq!(run.status, Some(2), "{run:?}");
    assert_eq!(run.stdout, "", "{run:?}");
    let mut rest = run.stderr.as_str();
    for text in expected {
        let Some((_, after)) = rest.split_once(text) else {
            panic!("`{text}` is missing (or out of order) in {}", run.stderr);
        };
        rest = after;
    }
}

const GOOD_BAD: &[&str] = &[
    "check",
    "models/good-bad.m",
    "--ignore-predicates",
    "--no-discovery",
    "--strict",
];

fn good_bad_with(predicates: &str) -> Run {
    let folder = Folder::new(&format!("predicates-{}", predicates.len()));
    let file = folder.write("more.m", predicates);
    cubist(&[GOOD_BAD, &["--predicates", &file]].concat())
}

#[test]
fn predicates_of_a_file_are_used() {
    assert_eq!(cubist(GOOD_BAD).status, Some(20));
    let run = good_bad_with("predicate \"somebody is bad\" exists p: PROC do status[p] = bad end;");
    assert_eq!(run.status, Some(0), "{run:?}");
}

#[test]
fn every_mistake_in_a_file_of_predicates_is_reported_where_it_is() {
    let run = good_bad_with(
        "-- mistakes\npredicate \"one\" exists p: PROC do status[p] = worse end;\npredicate failedd;\nvar x: boolean;\npredicate 5;\n",
    );
    let expected = [
        "unknown name `worse`",
        "more.m:2:47",
        "unknown name `failedd`",
        "more.m:3:11",
        "did you mean `failed`?",
        "declares nothing else",
        "more.m:4:5",
        "must be true or false",
        "more.m:5:11",
        "more.m has 4 errors",
    ];
    assert_rejected(&run, &expected);
    assert_rejected(&good_bad_with("predicate \"one\" failed &;"), &["more.m:1:25"]);
    assert_rejected(&good_bad_with("-- nothing\n"), &["there is no predicate in"]);
    let run = cubist(&[GOOD_BAD, &["--predicates", "nowhere.m"]].concat());
    assert_rejected(&run, &["there is no file `nowhere.m`"]);
}

#[test]
fn a_predicate_cannot_redefine_a_name_of_the_model() {
    let run = good_bad_with("index failed: PROC;\npredicate status[failed] = bad;\n");
    assert_rejected(
        &run,
        &["`failed` is already declared", "more.m:1:7", "models/good-bad.m:"],
    );
}

/// Models are often published without a property.
#[test]
fn properties_of_a_file_are_checked() {
    let model = "type P: scalarset(3);\nvar busy: array [P] of boolean; free: boolean;\n\
        startstate begin for p: P do busy[p] := false; end; free := true; end;\n\
        ruleset p: P do\nrule \"take\" free ==> begin busy[p] := true; free := false; end;\n\
        rule \"give\" busy[p] ==> begin busy[p] := false; free := true; end;\nend;\n";
    let with = |text: &str| {
        let folder = Folder::new(&format!("properties-{}", text.len()));
        let file = folder.write("more.m", text);
        check("lock.m", model, &["--properties", &file])
    };
    let run = check("lock.m", model, &[]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(run.stdout.contains("`--properties FILE`"), "{run:?}");
    let alone = "invariant \"alone\" forall p: P do forall q: P do p != q -> !(busy[p] & busy[q]) end end;\n";
    let run = with(alone);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("- alone: "), "{run:?}");
    let run = with(&format!("{alone}\ninvariant \"nobody\" forall p: P do !busy[p] end;\n"));
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("\"nobody\" is violated"), "{run:?}");
    assert!(run.stdout.contains("more.m:3:1"), "{run:?}");
    let run = with("invariant \"wrong\" fre;\nvar x: boolean;\n");
    let expected = [
        "unknown name `fre`",
        "more.m:1:19",
        "a file with properties declares nothing else",
        "more.m:2:5",
    ];
    assert_rejected(&run, &expected);
    let folder = Folder::new("properties-cubicle");
    let file = folder.write("more.cub", "unsafe (x) { S[x] = Busy && Free = True }\n");
    let run = check("lock.cub", CUBICLE, &["-v", "--properties", &file]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("unsafe 2: proved"), "{run:?}");
}

const CUBICLE: &str = "\
type t = Idle | Busy\narray S[proc] : t\nvar Free : bool\ninit (z) { S[z] = Idle && Free = True }
unsafe (x y) { S[x] = Busy && S[y] = Busy }
transition take (x) requires { Free = True } { S[x] := Busy; Free := False }
transition give (x) requires { S[x] = Busy } { S[x] := Idle; Free := True }\n";

fn cubicle_with(predicates: &str) -> Run {
    let folder = Folder::new(&format!("cubicle-predicates-{}", predicates.len()));
    let file = folder.write("more.cub", predicates);
    check(
        "lock.cub",
        CUBICLE,
        &["--no-discovery", "--strict", "--predicates", &file],
    )
}

#[test]
fn predicates_about_a_cubicle_model() {
    let useless = cubicle_with("predicate all_idle() { forall x. S[x] = Idle }");
    assert_eq!(useless.status, Some(20), "{useless:?}");
    let run = cubicle_with(
        "predicate busy(x) { S[x] = Busy }\npredicate free() { Free = True }\ninvariant (x) { Free = True && busy(x) }\n\
         invariant (x y) { busy(x) && busy(y) }\n",
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let run = cubicle_with("predicate free() { Fre = True }\ninit (x) { true }\n");
    let expected = ["Fre", "more.cub:1:20", "declares nothing else", "more.cub:2:1"];
    assert_rejected(&run, &expected);
}

#[test]
fn a_property_over_an_undefined_name() {
    let model =
        "var x: boolean;\nstartstate begin x := false; end;\nrule x ==> begin x := false; end;\ninvariant !y;\n";
    assert_rejected(
        &check("undefined.m", model, &[]),
        &["unknown name `y`", "undefined.m:4:12"],
    );
    let model = CUBICLE.replace("S[x] = Busy && S[y]", "S[x] = Busy && Q[y]");
    assert_rejected(&check("undefined.cub", &model, &[]), &["`Q`", "undefined.cub:5:31"]);
}

#[test]
fn axioms_that_contradict_themselves() {
    let rest = "var x: boolean;\nstartstate begin x := false; end;\nrule x ==> begin x := true; end;\ninvariant !x;\n";
    let one = format!("uninterpreted c: integer;\naxiom \"odd\" c > 3 & c < 2;\n{rest}");
    let expected = ["\"odd\" contradicts itself", "one.m:2:1"];
    assert_rejected(&check("one.m", &one, &[]), &expected);
    let two = "type P: scalarset(3);\nuninterpreted f(p: P): integer;\naxiom forall p: P do f(p) > 0 end;\n\
               axiom forall p: P do f(p) < 9 end;\naxiom forall p: P do f(p) < 0 end;\n";
    let run = check("two.m", &format!("{two}{rest}"), &[]);
    assert_rejected(&run, &["contradict each other", "two.m:5:1", "together with this"]);
    assert_eq!(run.stderr.matches("together with this").count(), 1, "{run:?}");
}

#[test]
fn no_initial_state() {
    let model = "uninterpreted c: integer;\naxiom c < 10;\nvar x: integer;\n\
                 startstate \"none\" begin havoc x where x < c & x > 20; end;\n\
                 rule x > 0 ==> begin x := x + 1; end;\ninvariant x = 0;\n";
    let expected = ["there is no initial state", "start.m:4:1"];
    assert_rejected(&check("start.m", model, &[]), &expected);
    let model = CUBICLE.replace("Free = True }\nunsafe", "Free = True && Free = False }\nunsafe");
    let expected = ["there is no initial state", "start.cub:4:1"];
    assert_rejected(&check("start.cub", &model, &[]), &expected);
    let model = "var x: integer;\nrule x > 0 ==> begin x := x + 1; end;\ninvariant x = 0;\n";
    assert_rejected(&check("none.m", model, &[]), &["there is no initial state"]);
}

#[test]
fn a_rule_that_never_fires_is_worth_a_warning() {
    let model = "var x: 0..3;\nstartstate begin x := 0; end;\nrule \"up\" x < 3 ==> begin x := x + 1; end;\n\
                 rule \"dead\" x > 3 ==> begin x := 0; end;\ninvariant x <= 3;\n";
    let run = check("dead.m", model, &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout.contains("Rules that never fire in it: \"dead\".\n"),
        "{run:?}"
    );
    let run = check("dead.m", model, &["--engine", "approximate"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stderr.contains("warning: the rule \"dead\" can never fire"),
        "{run:?}"
    );
    assert!(run.stderr.contains("dead.m:4:1"), "{run:?}");
    assert!(!run.stderr.contains("\"up\""), "{run:?}");
}

#[test]
fn a_file_that_cannot_be_read_is_not_blamed_for_what_stands_in_that_part() {
    let folder = Folder::new("no-property");
    // What cannot be read may be the property.
    let file = folder.write("wrong.m", "var x: 0..2;\nstartstate x := 0; end;\nrule x := ; end;\n");
    let run = cubist(&["check", &file]);
    assert_rejected(&run, &["error: expected an expression, found `;`"]);
    assert!(!run.stderr.contains("no property"), "{run:?}");
    let json: serde_json::Value = serde_json::from_str(&cubist(&["check", "--json", &file]).stdout).unwrap();
    assert_eq!(json["message"], "expected an expression, found `;`", "{json}");
}

#[test]
fn the_message_for_programs_is_the_first_error() {
    let folder = Folder::new("first-error");
    // A warning stands before the error.
    let file = folder.write(
        "wrong.m",
        "var x: 0..2;\nstartstate x := 0; end;\nrule false ==> x := 1; end;\nrule x := true; end;\ninvariant x < 2;\n",
    );
    let json: serde_json::Value = serde_json::from_str(&cubist(&["check", "--json", &file]).stdout).unwrap();
    let messages: Vec<&str> = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|found| found["message"].as_str())
        .collect();
    assert_eq!(messages.len(), 2, "{json}");
    assert_eq!(json["message"], messages[1], "{json}");
}
