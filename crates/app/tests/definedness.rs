//! Where values are defined is found by templates; each model has a twin that reads an undefined value, with three
//! elements only. `explore`, without symmetry as well, is the reference.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, cubist};

/// A value is defined where a state says so, where an integer is in a queue, and where two states say so.
const MODELS: [(&str, &str); 3] = [
    (
        "\
type P: scalarset(3); S: enum { idle, asks, busy };
var state: S; owner: P; done: array [P] of boolean; last: P;
startstate begin state := idle; undefine owner; undefine last; for p: P do done[p] := false; end; end;
ruleset p: P do
  rule \"take\" state = idle & !done[p] ==> begin state := asks; owner := p; end;
  rule \"begin\" state = asks & owner = p ==> begin state := busy; end;
  rule \"end\" state = busy ==> begin done[owner] := true; state := idle; undefine owner; end;
end;
invariant \"one that is not done\" state = asks -> !done[owner];
",
        "ruleset p: P; q: P; r: P do rule \"twin\" p != q & q != r & p != r & done[p] & done[q]
         & state = asks & owner = r ==> begin undefine owner; end; end;",
    ),
    (
        "\
type P: scalarset(3);
var box: array [integer] of P; first, next: integer; got: array [P] of boolean; sent: array [P] of boolean;
startstate begin first := 0; next := 0; for p: P do got[p] := false; sent[p] := false; end; end;
ruleset p: P do rule \"send\" !sent[p] ==> begin box[next] := p; next := next + 1; sent[p] := true; end; end;
rule \"receive\" first < next ==> begin got[box[first]] := true; undefine box[first]; first := first + 1; end;
invariant \"in order\" first <= next;
",
        "ruleset p: P; q: P; r: P do rule \"twin\" p != q & q != r & p != r & got[p] & got[q] & first < next & !got[r]
         ==> begin undefine box[first]; end; end;",
    ),
    (
        "\
type P: scalarset(3);
var used: array [P] of boolean; loaded: array [P] of boolean; content: array [P] of P; seen: array [P] of boolean;
startstate begin for p: P do used[p] := false; loaded[p] := false; undefine content[p]; seen[p] := false; end; end;
ruleset p: P; q: P do
  rule \"use\" !used[p] ==> begin used[p] := true; loaded[p] := false; undefine content[p]; end;
  rule \"load\" used[p] & !loaded[p] ==> begin content[p] := q; loaded[p] := true; end;
  rule \"mark\" !used[p] ==> begin loaded[p] := true; end;
  rule \"leave\" used[p] ==> begin used[p] := false; undefine content[p]; end;
  rule \"read\" used[p] & loaded[p] ==> begin seen[content[p]] := true; end;
end;
invariant \"seen\" forall p: P do used[p] | !used[p] end;
",
        "ruleset p: P; q: P; r: P do rule \"twin\" p != q & q != r & p != r & seen[p] & seen[q]
         & used[r] & loaded[r] & seen[r] ==> begin undefine content[r]; end; end;",
    ),
];

/// Integers without bounds have a window only: what is outside of it is not explored.
fn is_violated(model: &str, size: &str) -> bool {
    let explore = |more: &[&str]| {
        let arguments = [&["explore", model, "-q", "--deadlock", "off", "--size", size][..], more].concat();
        cubist(&arguments)
    };
    let (with, without) = (explore(&[]), explore(&["--no-symmetry"]));
    assert_eq!(with.status, without.status, "{with:?} {without:?}");
    assert!(matches!(with.status, Some(0 | 10 | 20)), "{with:?}");
    with.status == Some(10)
}

#[test]
fn what_is_defined_is_proved_and_what_is_not_is_told() {
    let folder = Folder::new("definedness");
    for (model, twin) in MODELS {
        let safe = folder.write("safe.m", model);
        assert!(!is_violated(&safe, "P=2") && !is_violated(&safe, "P=3"), "{model}");
        let run = cubist(&["check", &safe, "-q", "--timeout", "120s"]);
        assert_eq!(run.stdout, "Safe for every number of P.\n", "{model}: {run:?}");
        let violated = folder.write("violated.m", format!("{model}{twin}\n"));
        assert!(
            !is_violated(&violated, "P=2") && is_violated(&violated, "P=3"),
            "{twin}"
        );
        let run = cubist(&["check", &violated, "-q", "--timeout", "120s"]);
        let is_named = run.stdout.contains("provided that no undefined value is read");
        assert!(run.status == Some(10) || is_named, "{twin}: {run:?}");
    }
}
