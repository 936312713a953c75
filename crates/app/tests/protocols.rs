//! Verdicts on protocols whose meaning enumeration decides: counts over several types, multisets, undefined values.
//! Each has a twin that goes the other way. `explore` at unequal sizes, without symmetry, is the reference.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, command, cubist, json};
use std::time::{Duration, Instant};

const TWO_TYPES: &str = "\
type P: scalarset(2); Q: scalarset(2); U: union { P, Q };
var n: integer; m: integer; done: boolean; a: array [P] of boolean; b: array [Q] of boolean;
function count_p(): integer; var k: integer; begin k := 0; for x: P do k := k + 1; end; return k; end;
function count_q(): integer; var k: integer; begin k := 0; for x: Q do k := k + 1; end; return k; end;
startstate begin
  n := 0; m := 0; done := false; for p: P do a[p] := true; end; for q: Q do b[q] := true; end;
end;
invariant \"same\" n = m;
";

/// Whether a run at these sizes violates something, with symmetry and without.
fn is_violated(model: &str, sizes: &[&str]) -> bool {
    let sizes: Vec<&str> = sizes.iter().flat_map(|size| ["--size", size]).collect();
    let explore = |more: &[&str]| cubist(&[&["explore", model, "-q", "--deadlock", "off"][..], &sizes, more].concat());
    let (with, without) = (explore(&[]), explore(&["--no-symmetry"]));
    assert_eq!(with.status, without.status, "{with:?} {without:?}");
    assert!(matches!(with.status, Some(0 | 10)), "{with:?}");
    with.status == Some(10)
}

#[test]
fn counts_over_two_types_are_two_numbers() {
    let bodies = [
        ("for x: P do n := n + 1; end; for x: Q do m := m + 1; end;", true),
        (
            "for x: U do if ismember(x, P) then n := n + 1; else m := m + 1; end; end;",
            true,
        ),
        ("n := count_p(); m := count_q();", true),
        (
            "for x: P do if a[x] then n := n + 1; end; end; for x: Q do if b[x] then m := m + 1; end; end;",
            true,
        ),
        ("for x: P do n := n + 1; end; for x: P do m := m + 1; end;", false),
        ("for x: U do n := n + 1; m := m + 1; end;", false),
        ("n := count_q(); m := count_q();", false),
    ];
    let folder = Folder::new("two-types");
    for (body, differs) in bodies {
        let rule = format!("rule \"count\" !done ==> begin {body} done := true; end;\n");
        let model = folder.write("counts.m", format!("{TWO_TYPES}{rule}"));
        assert_eq!(is_violated(&model, &["P=3", "Q=2"]), differs, "{body}");
        let run = cubist(&["check", &model, "-q", "--timeout", "60s"]);
        let proved = run.stdout.starts_with("Safe for every number of P and Q.");
        assert_eq!(proved, !differs, "{body}: {run:?}");
    }
}

const BAGS: &str = "\
const N: 2;
type P: scalarset(2); M: record a: boolean; p: P; end; BAG: multiset [N] of M;
var net: BAG; flags: multiset [N] of boolean; each: array [P] of multiset [N] of boolean; seen: boolean;
startstate begin clear net; clear flags; clear each; seen := false; end;
rule \"add\" multisetcount(i: flags, true) < N ==> begin multisetadd(false, flags); end;
ruleset p: P do
  rule \"send\" multisetcount(i: net, true) < N ==> var m: M; begin m.a := true; m.p := p; multisetadd(m, net); end;
  rule \"put\" multisetcount(i: each[p], true) < N ==> begin multisetadd(false, each[p]); end;
end;
invariant \"not seen\" !seen;
";

/// That an element is there is not that it is true.
#[test]
fn multisets_of_booleans() {
    let folder = Folder::new("bags");
    let rules = [
        (
            "choose i: flags do rule flags[i] = true ==> begin seen := true; end; end;",
            false,
        ),
        (
            "choose i: flags do rule flags[i] = false ==> begin seen := true; end; end;",
            true,
        ),
        (
            "ruleset p: P do choose i: each[p] do rule each[p][i] ==> begin seen := true; end; end; end;",
            false,
        ),
        (
            "ruleset p: P do choose i: each[p] do rule !each[p][i] ==> begin seen := true; end; end; end;",
            true,
        ),
        (
            "choose i: net do rule !net[i].a ==> begin seen := true; end; end;",
            false,
        ),
        ("choose i: net do rule net[i].a ==> begin seen := true; end; end;", true),
    ];
    for (rule, differs) in rules {
        let model = folder.write("bags.m", format!("{BAGS}{rule}\n"));
        assert_eq!(is_violated(&model, &["P=1"]), differs, "{rule}");
        let run = cubist(&["check", &model, "-q", "--timeout", "90s"]);
        let proved = run.stdout.starts_with("Safe for every number of P.");
        assert_eq!(
            (proved, run.status),
            (!differs, Some(if differs { 10 } else { 0 })),
            "{rule}: {run:?}"
        );
    }
}

#[test]
fn what_depends_on_the_order_of_elements_is_refused() {
    let folder = Folder::new("order");
    let rules = [
        "rule true ==> begin multisetremovepred(i: net, multisetcount(j: net, net[j].p = net[i].p) > 1); end;",
        "choose i: net do rule true ==> var m: M; begin m.a := false; m.p := net[i].p;
           multisetremove(i, net); multisetadd(m, net); seen := net[i].a; end; end;",
        "ruleset p: P do choose i: each[p] do rule true ==> begin for q: P do seen := each[q][i]; end; end; end; end;",
    ];
    for rule in rules {
        let model = folder.write("order.m", format!("{BAGS}{rule}\n"));
        for command in ["check", "explore"] {
            let run = cubist(&[command, &model]);
            assert_eq!(run.status, Some(2), "{rule}: {run:?}");
            assert!(
                run.stderr.contains("a multiset has no order") && run.stderr.contains(" ^"),
                "{rule}: {run:?}"
            );
        }
    }
    let twin = "choose i: net do rule true ==> var m: M; begin m := net[i]; seen := !net[i].a;
        multisetremove(i, net); multisetadd(m, net); end; end;";
    let model = folder.write("twin.m", format!("{BAGS}{twin}\n"));
    let run = cubist(&["check", &model, "-q", "--timeout", "90s"]);
    assert!(run.stdout.starts_with("Safe for every number of P."), "{run:?}");
}

/// A token that is passed on: who has read it, and whether it was there.
const UNDEFINED: &str = "\
type P: scalarset(3);
var token: P; held: boolean; a: array [P] of boolean; set: array [P] of boolean; x: boolean; done: array [P] of boolean;
startstate begin
  held := false; x := false; undefine token; for p: P do set[p] := false; done[p] := false; end;
end;
ruleset p: P do
  rule \"take\" !held ==> begin held := true; token := p; end;
  rule \"give\" held & token = p ==> begin held := false; undefine token; end;
  rule \"set\" !set[p] ==> begin a[p] := true; set[p] := true; end;
end;
invariant \"not x\" !x;
";

#[test]
fn reads_of_undefined_values_are_excluded_or_told() {
    let folder = Folder::new("undefined");
    let safe = [
        // Plain to see, and by an invariant: what is set is defined.
        "",
        "ruleset p: P do rule set[p] & !a[p] ==> begin x := true; end; end;",
        "rule exists p: P do set[p] & !a[p] end ==> begin x := true; end;",
        "rule !isundefined(token) & !held ==> begin x := true; end;",
    ];
    for rule in safe {
        let model = folder.write("safe.m", format!("{UNDEFINED}{rule}\n"));
        assert!(!is_violated(&model, &["P=3"]), "{rule}");
        let run = cubist(&["check", &model, "-q", "--timeout", "120s"]);
        assert_eq!(run.stdout, "Safe for every number of P.\n", "{rule}: {run:?}");
    }
    let violated = [
        "ruleset p: P do rule !set[p] & a[p] ==> begin x := false; end; end;",
        "rule !held & token = token ==> begin x := false; end;",
        "rule true ==> begin for p: P do undefine a[p]; end; end; ",
    ];
    for rule in violated {
        let more = "ruleset p: P do rule set[p] & !a[p] ==> begin x := false; end; end;";
        let model = folder.write("violated.m", format!("{UNDEFINED}{rule}{more}\n"));
        assert!(is_violated(&model, &["P=2"]), "{rule}");
        let run = cubist(&["check", &model, "-q", "--timeout", "60s"]);
        assert_eq!(run.status, Some(10), "{rule}: {run:?}");
    }
}

/// The read needs nine elements, so that no small instance has it.
const FAR: &str = "\
type P: scalarset(3);
var n: 0..20; a: array [P] of boolean; was: array [P] of boolean; y: boolean; x: boolean;
startstate begin n := 0; x := false; for p: P do was[p] := false; a[p] := true; end; undefine y; end;
ruleset p: P do rule \"count\" !was[p] & n < 20 ==> begin was[p] := true; n := n + 1; end; end;
invariant \"not x\" !x;
";

#[test]
fn a_read_that_only_many_elements_lead_to_qualifies_the_verdict() {
    let folder = Folder::new("far");
    let rule = "rule \"read\" n = 9 ==> begin x := y & x; end;";
    let model = folder.write("far.m", format!("{FAR}{rule}\n"));
    assert!(is_violated(&model, &["P=9"]), "an undefined value is read");
    let run = cubist(&["check", &model, "-q", "--timeout", "60s"]);
    if run.status == Some(0) {
        let first = run.stdout.lines().next().unwrap().to_owned();
        assert!(
            first.contains("provided that no undefined value is read (line 6: not proved)"),
            "{run:?}"
        );
        let (_, report) = json(&["check", &model, "--json", "--timeout", "60s"]);
        assert_eq!(report["provided"][0]["line"], 6, "{report}");
        assert!(report["qualified"].as_str().unwrap().contains("line 6"), "{report}");
        let strict = cubist(&["check", &model, "-q", "--strict", "--timeout", "60s"]);
        assert_eq!(strict.status, Some(20), "{strict:?}");
        let certificate = folder.path("far.smt2");
        cubist(&["check", &model, "--certificate", &certificate, "--timeout", "60s"]);
        let text = std::fs::read_to_string(&certificate).unwrap();
        assert!(text.contains("; provided: no undefined value is read"), "{text}");
        let again = cubist(&["validate", &certificate, "--model", &model]);
        assert_eq!(again.status, Some(0), "{again:?}");
        let words = "provided that no undefined value is read";
        assert!(again.stdout.contains(words), "{again:?}");
    }
    let twin = folder.write(
        "twin.m",
        format!("{FAR}rule \"read\" n = 9 & !isundefined(y) ==> begin x := y & x; end;\n"),
    );
    assert!(!is_violated(&twin, &["P=9"]));
    let run = cubist(&["check", &twin, "-q", "--timeout", "60s"]);
    assert_eq!(run.stdout, "Safe for every number of P.\n", "{run:?}");
}

/// Copied when both places are known, as in Rumur.
#[test]
fn a_subscript_that_changes_what_is_copied() {
    let folder = Folder::new("copies");
    let model = |rule: &str, invariant: &str| {
        format!(
            "type R: record a: 0..3; b: 0..3; end;\n\
             var h: array [0..2] of R; n: 0..3; bags: array [0..1] of multiset [2] of R;\n\
             function g(): 0..1; begin h[1].a := 3; return 0; end;\n\
             startstate begin for i: 0..2 do h[i].a := i; h[i].b := i; end; n := 0; undefine bags; end;\n\
             rule n = 0 ==> begin {rule} n := 1; end;\n\
             invariant {invariant};\n"
        )
    };
    let cases = [
        ("h[g()] := h[1];", "n = 1 -> h[0].a = 3", 0),
        ("h[g()] := h[1];", "n = 1 -> h[0].a = 1", 10),
        (
            "multisetadd(h[1], bags[g()]);",
            "multisetcount(i: bags[0], bags[0][i].a != 3) = 0",
            0,
        ),
        (
            "multisetadd(h[1], bags[g()]);",
            "multisetcount(i: bags[0], bags[0][i].a = 3) = 0",
            10,
        ),
        // The element is copied before the subscript of a simple value is computed.
        ("h[g()].a := h[1].a;", "n = 1 -> h[0].a = 1", 0),
    ];
    for (rule, invariant, status) in cases {
        let file = folder.write("copy.m", model(rule, invariant));
        for command in [&["check"][..], &["explore", "--deadlock", "off"]] {
            let run = cubist(&[command, &[&file, "-q"]].concat());
            assert_eq!(run.status, Some(status), "{rule} {invariant}: {run:?}");
        }
    }
}

#[test]
fn the_least_number_of_64_bits_is_no_step() {
    let folder = Folder::new("steps");
    for range in [
        "5 to 0 by (-9223372036854775807-1)",
        "x to y by (-9223372036854775807-1)",
    ] {
        let text = format!(
            "var x: 0..5; y: 0..1; startstate begin x := 0; y := 1; end;\n\
             rule x < 5 ==> begin for i := {range} do x := i; end; end;\n"
        );
        let model = folder.write("steps.m", &text);
        for command in ["check", "explore"] {
            let run = cubist(&[command, &model, "-q"]);
            assert_eq!(run.status, Some(10), "{range}: {run:?}");
            assert!(run.stdout.contains("number beyond 64 bits"), "{range}: {run:?}");
        }
    }
    let twin = "var x: 0..5; startstate begin x := 0; end;\n\
                rule x < 5 ==> begin for i := 5 to 0 by -9223372036854775807 do x := i; end; end;\n\
                invariant x = 0 | x = 5;\n";
    let model = folder.write("twin.m", twin);
    assert_eq!(cubist(&["check", &model, "-q"]).status, Some(0));
}

const MANY_STARTS: &str = "\
var a: array [0..40] of boolean;
startstate begin havoc a; end;
rule true ==> begin a[0] := !a[0]; end;
invariant true;
";

#[test]
fn limits_hold_while_initial_states_are_made() {
    let folder = Folder::new("starts");
    let model = folder.write("starts.m", MANY_STARTS);
    let started = Instant::now();
    for jobs in ["1", "2"] {
        let run = cubist(&["explore", &model, "--max-states", "100", "--jobs", jobs]);
        assert_eq!(run.status, Some(20), "{run:?}");
        assert!(run.stdout.contains("the limit of 100 states was reached"), "{run:?}");
        let run = cubist(&["explore", &model, "--timeout", "1s", "--jobs", jobs]);
        assert_eq!(run.status, Some(20), "{run:?}");
        let run = cubist(&["explore", &model, "--memory", "20", "--jobs", jobs]);
        assert_eq!(run.status, Some(20), "{run:?}");
    }
    let run = cubist(&["check", &model, "--timeout", "5s", "-q"]);
    assert!(matches!(run.status, Some(0 | 20)), "{run:?}");
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
    // As many as there are: nothing is cut off.
    let few = folder.write("few.m", MANY_STARTS.replace("40", "3"));
    let run = cubist(&["explore", &few, "--max-states", "100"]);
    assert_eq!(run.status, Some(0), "{run:?}");
}

#[test]
fn an_interrupt_is_heard_while_initial_states_are_made() {
    let folder = Folder::new("interrupted-starts");
    let model = folder.write("starts.m", MANY_STARTS);
    let mut child = command(&["explore", &model, "-q"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let id = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(20));
}

#[test]
fn what_formulas_imply_has_three_answers() {
    let folder = Folder::new("implied");
    let text = "type P: scalarset(2);\n\
                var a: array [P] of boolean; n: integer; b: boolean;\n\
                startstate begin for p: P do a[p] := false; end; n := 0; b := false; end;\n\
                rule true ==> begin n := n; end;\n\
                invariant \"none\" forall p: P do !a[p] end;\n\
                invariant \"square\" n * n != 2;\n\
                invariant \"not b\" !b;\n";
    let model = folder.write("model.m", text);
    let mine = folder.write("mine.m", "invariant \"mine\" forall p: P do !a[p] end;\n");
    let (_, report) = json(&["check", &model, "--induction", &mine, "--json"]);
    let answer = |name: &str| {
        let mut entries = report["implied"].as_array().unwrap().iter();
        entries.find(|entry| entry["name"] == name).unwrap().clone()
    };
    assert_eq!(answer("none")["implied"], true, "{report}");
    assert_eq!(answer("not b")["implied"], false, "{report}");
    assert_eq!(answer("not b")["state"]["places"][0]["place"], "b", "{report}");
    assert_eq!(answer("not b")["state"]["places"][0]["value"], "true", "{report}");
    // No integer is a root of 2: to say no would be wrong.
    assert_ne!(answer("square")["implied"], false, "{report}");
    let run = cubist(&["check", &model, "--induction", &mine]);
    assert!(run.stdout.contains("They imply \"none\"."), "{run:?}");
    assert!(run.stdout.contains("They do not imply \"not b\""), "{run:?}");
}

#[test]
fn the_least_size_is_in_every_output() {
    let folder = Folder::new("least");
    let text = "const N: 3;\ntype P: 1..N;\nvar a: array [P] of boolean; x: boolean;\n\
                startstate begin for p: P do a[p] := false; end; x := false; end;\n\
                ruleset p: P do rule a[p] ==> begin x := true; end; end;\n\
                rule a[2] ==> begin x := true; end;\n\
                invariant \"not x\" !x;\n";
    let model = folder.write("least.m", text);
    let run = cubist(&["check", &model, "-q"]);
    assert!(run.stdout.contains("(from 2 on)"), "{run:?}");
    let (_, report) = json(&["check", &model, "--json"]);
    let name = report["scope"]["every"][0].as_str().unwrap().to_owned();
    assert_eq!(report["scope"]["from"][&name], 2, "{report}");
    let junit = folder.path("report.xml");
    let other = folder.write("other.m", text);
    let run = cubist(&["check", &model, &other, "--junit", &junit]);
    assert!(run.stdout.contains("(from 2 on)"), "{run:?}");
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("(from 2 on)"), "{junit}");
}
