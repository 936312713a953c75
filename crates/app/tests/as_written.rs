//! The file as it is written decides where no proof does, and its certificate is the exploration itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist, json};

/// Without a predicate about who is busy there is no proof for every size.
const MODEL: &str = "\
type P: scalarset(3);
var busy: array [P] of boolean; free: boolean;
startstate begin for p: P do busy[p] := false; end; free := true; end;
ruleset p: P do
  rule \"take\" free ==> begin busy[p] := true; free := false; end;
  rule \"give\" busy[p] ==> begin busy[p] := false; free := true; end;
  rule \"never\" free & busy[p] ==> begin free := false; end;
end;
invariant \"alone\" forall p: P do forall q: P do p != q -> !(busy[p] & busy[q]) end end;
";

/// No type has another size.
const FINITE: &str = "\
var x: 0..3;
startstate begin x := 0; end;
rule \"up\" x < 3 ==> begin x := x + 1; end;
rule \"down\" x > 0 ==> begin x := x - 1; end;
invariant \"small\" x <= 3;
";

#[test]
fn without_other_sizes_no_solver_is_asked() {
    let folder = Folder::new("as-written-finite");
    let model = folder.write("finite.m", FINITE);
    let (status, report) = json(&["check", &model, "--json", "--strict"]);
    assert_eq!((status, &report["verdict"]), (Some(0), &"safe".into()), "{report}");
    assert_eq!(report["checks"]["total"], 0, "{report}");
    assert_eq!(report["exploration"]["states"], 4, "{report}");
    assert_eq!(report["exploration"]["again"]["all"], true, "{report}");
    let run = cubist(&["check", &model, "-q"]);
    assert_eq!(run.stdout, "Safe (all 4 states).\n", "{run:?}");
}

#[test]
fn all_states_are_an_answer_for_the_declared_size() {
    let folder = Folder::new("as-written");
    let model = folder.write("count.m", MODEL);
    let options = ["--engine", "approximate", "--no-discovery"];
    let (status, report) = json(&[&["check", &model, "--json"], &options[..]].concat());
    assert_eq!((status, &report["verdict"]), (Some(0), &"safe".into()), "{report}");
    if report["engine"] != "explore" {
        panic!("a proof was found, and the test needs a model without one: {report}");
    }
    assert_eq!(report["scope"]["fixed"]["P"], 3, "{report}");
    assert!(report["reason"].is_string(), "{report}");
    let run = cubist(&[&["check", &model, "--strict"], &options[..]].concat());
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(run.stdout.starts_with("Safe as written (P = 3, all "), "{run:?}");
    assert!(
        run.stdout.contains("Rules that never fire in it: \"never\"."),
        "{run:?}"
    );
}

#[test]
fn the_certificate_of_an_exploration_is_explored_again() {
    let folder = Folder::new("as-written-certificate");
    let model = folder.write("finite.m", FINITE);
    let certificate = folder.path("finite.cert");
    let run = cubist(&["check", &model, "-q", "--certificate", &certificate]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let run = cubist(&["validate", &certificate, "--model", &model]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("Confirmed: all 4 states"), "{run:?}");
    let run = cubist(&["validate", &certificate]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("--model"), "{run:?}");
    // Of another model.
    let other = folder.write("other.m", FINITE.replace("x <= 3", "x < 3"));
    assert_eq!(cubist(&["validate", &certificate, "--model", &other]).status, Some(10));
    let other = folder.write("wider.m", FINITE.replace("0..3", "0..4"));
    assert_eq!(cubist(&["validate", &certificate, "--model", &other]).status, Some(10));
    // Forged, with the digest that fits.
    let text = std::fs::read_to_string(&certificate).unwrap();
    for (old, new) in [
        ("; states: 4\n", "; states: 5\n"),
        ("; rules fired: 6\n", "; rules fired: 7\n"),
        ("; property: small\n", "; property: large\n"),
        ("; property: small\n", ""),
    ] {
        assert!(text.contains(old), "{text}");
        let forged = folder.write("forged.cert", validate::sealed(&text.replace(old, new)));
        let run = cubist(&["validate", &forged, "--model", &model]);
        assert!(matches!(run.status, Some(2 | 10)), "{new}: {run:?}");
    }
}

/// The proof unrolls the loop, and does not listen while it does.
#[test]
fn a_safe_file_has_its_certificate_also_where_the_proof_does_not_come_back_in_time() {
    let folder = Folder::new("as-written-late");
    let model = "type NODE: scalarset(2); SMALL: -2..2; WIDE: -6..6;\n\
        var v0: boolean; v1: SMALL; v2: WIDE; n: NODE; on: array [NODE] of SMALL;\n\
        startstate begin v0 := false; v1 := 2; v2 := -3; clear n; clear on; end;\n\
        ruleset p: NODE do rule \"r\" !v0 ==> begin\n\
        while v1 > 0 do v1 := v1 - 1; v2 := (v2 * 2 + v1 * on[p]) % 7; on[p] := (v2 * v1 + on[n]) % 3; end;\n\
        v0 := true; end; end;\ninvariant \"small\" forall p: NODE do on[p] <= 2 end;\n";
    let model = folder.write("late.m", model);
    for time in ["0.5", "1"] {
        let certificate = folder.path(&format!("{time}.cert"));
        let run = cubist(&["check", &model, "--timeout", time, "--certificate", &certificate]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(run.stdout.starts_with("Safe as written"), "{run:?}");
        assert_eq!(cubist(&["validate", &certificate, "--model", &model]).status, Some(0));
    }
}

#[test]
fn numbers_that_the_model_mentions_are_tried() {
    let folder = Folder::new("as-written-numbers");
    let model = "var n: integer;\nstartstate begin n := 0; end;\nrule \"up\" n < 400 ==> begin n := n + 1; end;\n\
                 rule \"jump\" n = 400 ==> begin n := n + 50; end;\ninvariant \"never\" n != 450;\n";
    let model = folder.write("far.m", model);
    for jobs in ["1", "2"] {
        let run = cubist(&["check", &model, "-q", "--jobs", jobs, "--timeout", "60"]);
        assert_eq!(run.status, Some(10), "{run:?}");
    }
}

#[test]
fn a_formula_of_ones_own_is_inductive_or_a_step_is_shown() {
    let folder = Folder::new("induction");
    let model = "type P: scalarset(3);\nvar busy: array [P] of boolean; free: boolean;\n\
        startstate begin for p: P do busy[p] := false; end; free := true; end;\n\
        ruleset p: P do\nrule \"take\" free ==> begin busy[p] := true; free := false; end;\n\
        rule \"give\" busy[p] ==> begin busy[p] := false; free := true; end;\nend;\n\
        invariant \"alone\" forall p: P do forall q: P do p != q -> !(busy[p] & busy[q]) end end;\n";
    let model = folder.write("lock.m", model);
    let alone = "invariant \"mine\" forall p: P do forall q: P do p != q -> !(busy[p] & busy[q]) end end;\n";
    let file = folder.write("alone.m", alone);
    let run = cubist(&["check", &model, "--induction", &file]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(
        run.stdout.starts_with("Not inductive for every number of P:"),
        "{run:?}"
    );
    assert!(run.stdout.contains("is broken by the rule \"take\""), "{run:?}");
    assert!(run.stdout.contains("false -> true"), "{run:?}");
    let both = format!("{alone}invariant \"held\" free -> forall p: P do !busy[p] end;\n");
    let file = folder.write("both.m", both);
    let run = cubist(&["check", &model, "--induction", &file]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("They imply \"alone\"."), "{run:?}");
    let file = folder.write("false.m", "invariant \"busy\" exists p: P do busy[p] end;\n");
    let (status, report) = json(&["check", &model, "--induction", &file, "--json"]);
    assert_eq!(status, Some(10), "{report}");
    assert_eq!(report["inductive"], false, "{report}");
}
