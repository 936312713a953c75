//! What reports say of formulas, of other sizes and of several files names the sizes that it is about, in every output.
//! Nothing is said of a model that is only true of the transition system's approximation of it.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist, json};

/// A proof takes `P` at its declared size, since rounds of the loop depend on each other.
const UP_TO_FIVE: &str = "\
const N: 2; type P: scalarset(N);
var n: 0..60; d: boolean;
startstate begin n := 0; d := false; end;
rule !d ==> begin for p: P do if n < 5 then n := n + 1; end; end; d := true; end;
invariant \"a\" n < 4;
";

/// Not inductive, and violated.
const COUNTER: &str = "\
var n: 0..60;
startstate begin n := 0; end;
rule n < 3 ==> begin n := n + 1; end;
invariant \"never 2\" n != 2;
";

/// What is added is counted in two ways; as many at every size.
const COUNTS: [&str; 3] = [
    "for u: P do for v: Q do n := n + 1; end; end; for p: Q do for q: P do k := k + 1; end; end;",
    "for u: U do n := n + 1; end; for p: P do k := k + 1; end; for q: Q do k := k + 1; end;",
    "for p: P do for u: U do n := n + 1; end; for q: Q do k := k + 1; end; for q: P do k := k + 1; end; end;",
];

fn counting(body: &str, invariant: &str) -> String {
    format!(
        "const NP: 2; NQ: 2; type P: scalarset(NP); Q: scalarset(NQ); U: union{{P,Q}};\nvar n, k: 0..40; d: boolean;\n\
         startstate begin n := 0; k := 0; d := false; end;\nrule !d ==> begin {body} d := true; end;\n{invariant}\n"
    )
}

#[test]
fn an_inductive_invariant_is_one_for_the_sizes_that_are_named() {
    let folder = Folder::new("scope-induction");
    let model = folder.write("a.m", UP_TO_FIVE);
    let mine = folder.write("mine.m", "invariant \"F\" n <= 2 & (!d -> n = 0);\n");
    let run = cubist(&["check", &model, "--induction", &mine, "-q"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("Inductive for P = 2:"), "{run:?}");
    let (status, report) = json(&["check", &model, "--induction", &mine, "--json"]);
    assert_eq!(
        (status, &report["scope"]["fixed"]["P"]),
        (Some(0), &2.into()),
        "{report}"
    );
    assert_eq!(report["diagnostics"].as_array().unwrap().len(), 1, "{report}");
    let run = cubist(&["check", &model, "--induction", &mine, "--strict"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    let processes = "number_procs 2\narray A[proc] : bool\ninit (z) { A[z] = False }\n\
        transition t (i) requires { A[i] = False } { A[i] := True; }\nunsafe (z) { A[z] = True && A[z] = False }\n";
    let model = folder.write("k.cub", processes);
    let mine = folder.write(
        "mine.cub",
        "unsafe (x y z) { A[x] = True && A[y] = True && A[z] = True }\n",
    );
    let run = cubist(&["check", &model, "--induction", &mine]);
    assert!(
        run.stdout.starts_with("Inductive for every number of proc (up to 2):"),
        "{run:?}"
    );
}

#[test]
fn formulas_are_no_verdict_on_a_model() {
    let folder = Folder::new("scope-formulas");
    let (model, other) = (folder.write("a.m", COUNTER), folder.write("b.m", COUNTER));
    let mine = folder.write("mine.m", "invariant \"F\" n >= 0;\n");
    let several = cubist(&["check", &model, &other, "--induction", &mine, "--json"]);
    assert_eq!(several.status, Some(2), "{several:?}");
    assert!(!several.stdout.contains("\"safe\""), "{several:?}");
    for option in ["--junit", "--sarif", "--report", "--certificate", "--chart"] {
        let path = folder.path("out.html");
        let run = cubist(&["check", &model, "--induction", &mine, option, &path]);
        assert_eq!(run.status, Some(2), "{option}: {run:?}");
        assert!(!run.stdout.contains("safe"), "{option}: {run:?}");
    }
}

#[test]
fn steps_that_the_model_need_not_make_are_no_counterexamples() {
    let folder = Folder::new("scope-steps");
    for (number, body) in COUNTS.into_iter().enumerate() {
        let model = folder.write(&format!("{number}.m"), counting(body, "invariant \"eq\" n = k;"));
        let mine = folder.write("mine.m", "invariant \"F\" n = k & (!d -> n = 0);\n");
        let (status, report) = json(&["check", &model, "--induction", &mine, "--json"]);
        assert_eq!(status, Some(20), "{body}: {report}");
        assert_ne!(report["induction"][0]["verdict"], "not inductive", "{body}: {report}");
        let run = cubist(&["check", &model, "--induction", &mine]);
        assert!(!run.stdout.contains("so the formula is false"), "{body}: {run:?}");
        let asserting = counting(&format!("{body} assert n = k;"), "invariant \"true\" true;");
        let model = folder.write(&format!("{number}-asserting.m"), asserting);
        let mine = folder.write("mine.m", "invariant \"F\" !d -> n = 0 & k = 0;\n");
        let (_, report) = json(&["check", &model, "--induction", &mine, "--json"]);
        for implied in report["implied"].as_array().unwrap() {
            assert_ne!(implied["implied"], false, "{body}: {report}");
        }
    }
    // What is certain is said as before.
    let model = folder.write("counter.m", COUNTER);
    let mine = folder.write("mine.m", "invariant \"F\" n != 1;\n");
    let run = cubist(&["check", &model, "--induction", &mine]);
    assert!(
        run.stdout
            .contains("The state before is initial, so the formula is false."),
        "{run:?}"
    );
}

/// Where a proof takes types at one size, others are looked at, also unequal ones.
#[test]
fn violations_at_other_sizes_are_told() {
    let folder = Folder::new("scope-caveats");
    let functions = "function fp(): 0..20; var n: 0..20; begin n := 0; for p: P do n := n + 1; end; return n; end;\n\
        function fq(): 0..20; var n: 0..20; begin n := 0; for p: Q do n := n + 1; end; return n; end;\n";
    let types = "const NP: 2; NQ: 2; type P: scalarset(NP); Q: scalarset(NQ);\n";
    let sums = "var n: -20..40; w: array[P] of boolean; d: boolean;\n\
        startstate begin n := 0; d := false; for p: P do w[p] := false; end; end;\n\
        ruleset p: P do rule begin w[p] := !w[p]; end; end;\n\
        rule !d ==> begin for p: P do if w[p] then n := n + 1; else n := n - 1; end; end; d := true; end;\n\
        invariant n >= -3;\n";
    let unequal = "var d: boolean; startstate begin d := false; end; rule begin d := !d; end; invariant fp() = fq();\n";
    let arrays = "var n: array[P] of 0..20; k: array[Q] of 0..20; d: boolean;\n\
        startstate begin for p: P do n[p] := 0; end; for q: Q do k[q] := 0; end; d := false; end;\n\
        rule !d ==> begin for p: P do for q: Q do n[p] := n[p] + 1; k[q] := k[q] + 1; end; end; d := true; end;\n\
        invariant \"eq\" forall p: P; q: Q do n[p] = k[q] end;\n";
    for (name, text) in [
        ("sums", format!("{types}{sums}")),
        ("functions", format!("{types}{functions}{unequal}")),
        ("arrays", format!("{types}{arrays}")),
    ] {
        let model = folder.write(&format!("{name}.m"), text);
        for jobs in ["1", "2"] {
            let run = cubist(&["check", &model, "-q", "-j", jobs]);
            assert!(run.stdout.contains("But: with"), "{name}, {jobs} jobs: {run:?}");
        }
        let junit = folder.path("junit.xml");
        let run = cubist(&["check", &model, &model, "--junit", &junit]);
        assert!(run.stdout.contains("but violated with"), "{name}: {run:?}");
        let junit = std::fs::read_to_string(junit).unwrap();
        assert!(junit.contains("but violated with"), "{name}: {junit}");
    }
}

#[test]
fn one_rule_that_chooses_keeps_the_limits() {
    let folder = Folder::new("scope-limits");
    for (name, text) in [
        (
            "array",
            "type T: 0..40; var a: array[T] of boolean; s: boolean;\nstartstate begin for t: T do a[t] := false; end; s \
             := false; end;\nrule begin havoc a; end;\ninvariant true;\n",
        ),
        (
            "number",
            "var n: 0..1000000000000; startstate begin n := 0; end; rule begin havoc n; end; invariant true;\n",
        ),
    ] {
        let model = folder.write(&format!("{name}.m"), text);
        for jobs in ["1", "2"] {
            let limits = ["--max-states", "100", "--timeout", "60s"];
            let (status, report) = json(&[&["explore", &model, "--json", "-j", jobs], &limits[..]].concat());
            assert_eq!(status, Some(20), "{name}, {jobs} jobs: {report}");
            let text = report.to_string();
            assert!(text.contains("100 states"), "{name}, {jobs} jobs: {report}");
        }
    }
}
