//! No answer misleads: each says what it is about, and does not depend on how busy the machine is.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, cubist, json};

/// A lock with a queue of one: right for two processes, as declared, and wrong for three.
const FOR_TWO: &str = "\
type P: scalarset(2);
var st: array [P] of enum { idle, waits, busy }; turn: P; taken: boolean;
startstate begin for p: P do st[p] := idle; end; taken := false; undefine turn; end;
ruleset p: P do
  rule \"enter\" st[p] = idle & !taken ==> begin st[p] := busy; taken := true; end;
  rule \"wait\" st[p] = idle & taken ==> begin st[p] := waits; turn := p; end;
  rule \"leave\" st[p] = busy ==> begin
    st[p] := idle; taken := false;
    for q: P do if st[q] = waits then st[q] := busy; taken := true; end; end;
  end;
end;
invariant \"alone\" forall p: P do forall q: P do p != q -> !(st[p] = busy & st[q] = busy) end end;
";

#[test]
fn a_violation_at_other_sizes_is_part_of_the_answer() {
    let folder = Folder::new("other-sizes");
    let model = folder.write("two.m", FOR_TWO);
    for quiet in [false, true] {
        let run = cubist(&[&["check", &model][..], if quiet { &["-q"] } else { &[] }].concat());
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(
            run.stdout.starts_with("Safe as written (P = 2, all 6 states).\n"),
            "{run:?}"
        );
        assert!(run.stdout.contains("But: with P = 3 there is a violation"), "{run:?}");
    }
    let (status, report) = json(&["check", &model, "--json"]);
    assert_eq!((status, &report["verdict"]), (Some(0), &"safe".into()), "{report}");
    assert_eq!(report["scope"]["fixed"]["P"], 2, "{report}");
    assert_eq!(report["caveats"][0]["sizes"]["P"], 3, "{report}");
    let run = cubist(&["check", &model, "--strict"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(run.stdout.contains("`--strict` asks for every size"), "{run:?}");
    let run = cubist(&["check", &model, "--parametric", "P", "-q"]);
    assert_eq!(run.status, Some(10), "{run:?}");
}

/// A loop whose rounds depend on each other: the rule needs the number of elements.
fn with_dependent_rounds(start: i64, bound: i64) -> String {
    format!(
        "type P: scalarset(2); var a: array[P] of boolean; n: -100..100; bad: boolean; c: 0..{bound};\n\
         startstate begin for p: P do a[p] := true; end; n := {start}; bad := false; c := 0; end;\n\
         rule \"1\" !bad ==> begin n := 5; for p: P do if a[p] & n > 0 then n := n - 1; end; end;\n\
         if n = 0 then bad := true; end; end;\n\
         rule \"2\" c < {bound} ==> begin c := c + 1; end;\n\
         invariant \"x\" !bad & n != 7;\n"
    )
}

#[test]
fn an_impossible_demand_is_an_error_whatever_a_search_finds() {
    let folder = Folder::new("demanded");
    for (name, text) in [
        // A bug at other sizes, one at the start, and none at the declared size, with some states to look at.
        ("elsewhere.m", with_dependent_rounds(5, 1)),
        ("start.m", with_dependent_rounds(7, 1)),
        ("states.m", with_dependent_rounds(5, 20_000)),
    ] {
        let model = folder.write(name, text);
        for jobs in ["1", "2", "5"] {
            for _ in 0..3 {
                let run = cubist(&["check", &model, "--parametric", "P", "--jobs", jobs]);
                assert_eq!(run.status, Some(2), "{name}, {jobs}: {run:?}");
                assert!(run.stderr.contains("`P` cannot be of any size"), "{run:?}");
                assert_eq!(run.stdout, "", "{name}, {jobs}");
            }
        }
        let (status, report) = json(&["check", &model, "--parametric", "P", "--json"]);
        assert_eq!(status, Some(2), "{report}");
        let message = &report["diagnostics"][0]["message"];
        assert_eq!(message, "`P` cannot be of any size, as the option asks", "{report}");
        // Without `--parametric`.
        let run = cubist(&["check", &model, "-q"]);
        let expected = if name == "start.m" { Some(10) } else { Some(0) };
        assert_eq!(run.status, expected, "{name}: {run:?}");
    }
}

#[test]
fn strict_accepts_every_size() {
    let run = cubist(&["check", "models/good-bad.m", "--strict", "-q"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(run.stdout, "Safe for every number of PROC.\n");
}

#[test]
fn warnings_are_in_every_form_of_the_answer() {
    let folder = Folder::new("warnings");
    let text = "type P: scalarset(3); var n: 0..3;\nstartstate begin n := 0; end;\n\
                rule \"never\" n > 3 ==> begin n := 0; end;\nrule \"up\" n < 3 ==> begin n := n + 1; end;\n\
                invariant \"small\" n < 4;\n";
    let model = folder.write("never.m", text);
    let warning = "the rule \"never\" can never fire";
    for quiet in [&[][..], &["-q"]] {
        let run = cubist(&[&["check", &model][..], quiet].concat());
        assert!(run.stderr.contains(warning), "{run:?}");
    }
    let (_, report) = json(&["check", &model, "--json"]);
    assert_eq!(report["diagnostics"][0]["message"], warning, "{report}");
    assert_eq!(report["diagnostics"][0]["line"], 3, "{report}");
}

/// The proof engines have much to do here, and the bug is behind many states: it is found however long they take for
/// it.
#[test]
fn a_bug_behind_many_states_is_found_beside_the_proof() {
    let folder = Folder::new("deep");
    let text = "var x, y: 0..400;\nstartstate begin x := 0; y := 0; end;\n\
                rule \"x\" x < 400 ==> begin x := x + 1; end;\nrule \"y\" y < 400 ==> begin y := y + 1; end;\n\
                invariant \"product\" x * y < 90000 | (x + y) % 7 != 3;\n";
    let model = folder.write("deep.m", text);
    for jobs in ["1", "2"] {
        let run = cubist(&["check", &model, "-q", "--jobs", jobs]);
        assert_eq!(run.status, Some(10), "{run:?}");
    }
}

/// Each invariant needs those that follow it; together they are inductive.
#[test]
fn the_order_of_invariants_decides_nothing() {
    let folder = Folder::new("order-of-invariants");
    let text = std::fs::read_to_string(common::root().join("models/credit-flow.m")).unwrap();
    let (before, invariants) = text.split_once("invariant \"every").unwrap();
    let (first, last) = invariants.split_once("invariant \"no buffer").unwrap();
    let turned = format!("{before}invariant \"no buffer{last}\ninvariant \"every{first}");
    let run = cubist(&["check", &folder.write("turned.m", turned), "-q", "--timeout", "2m"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "Safe for VC = 3.\n"),
        "{run:?}"
    );
}

/// Predicates alone find no proof for a long time; facts about every client do.
#[test]
fn a_picture_keeps_nobody_from_a_proof() {
    let folder = Folder::new("picture");
    let path = folder.path("states.svg");
    let run = cubist(&["check", "models/lease.m", "--graph", &path, "--timeout", "3m"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("Safe for every number of CLIENT."), "{run:?}");
    assert!(
        run.stdout.contains("The abstract state graph of \"one writer\""),
        "{run:?}"
    );
    let picture = std::fs::read_to_string(&path).unwrap();
    assert!(picture.starts_with("<svg ") && !picture.contains("class=\"state bad"));
}

/// No proof is about another number of nodes, since arithmetic is done with it; a run is all the same.
#[test]
fn a_violation_with_another_value_of_a_constant_is_part_of_the_answer() {
    let folder = Folder::new("other-constant");
    let text = std::fs::read_to_string(common::root().join("models/majority-election-bug.m")).unwrap();
    let model = folder.write("three.m", text.replace("NODES: 4", "NODES: 3"));
    let run = cubist(&["check", &model]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("Safe as written (NODE = 3,"), "{run:?}");
    let said = run.stdout.replace('\n', " ");
    assert!(
        said.contains("But: with NODE = 4 there is a violation") && said.contains("`--size NODE=4` shows it"),
        "{run:?}"
    );
    let (_, report) = json(&["check", &model, "--json"]);
    assert_eq!(report["caveats"][0]["sizes"]["NODE"], 4, "{report}");
    assert_eq!(cubist(&["check", &model, "--size", "NODE=4"]).status, Some(10));
    // Whoever fixes the size does not ask for others, and where there is no bug nothing is said.
    for arguments in [
        &["check", model.as_str(), "--fixed", "NODE"][..],
        &["check", "models/majority-election.m"],
    ] {
        let run = cubist(arguments);
        assert!(run.status == Some(0) && !run.stdout.contains("But:"), "{run:?}");
    }
}
