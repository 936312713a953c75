//! Bugs that no window of exploration holds: a solver says which rules lead there, at which sizes and with which
//! numbers, and the explorer fires them.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist};

/// The property does not speak of the numbers that the run needs, nor do the constants of the model.
const FAR: &str = "\
var n: 0..5; a: integer;
startstate \"begin\" begin n := 0; a := 0; end;
rule \"on\" n < 5 ==> begin n := n + 1; a := 3 * a + 250; end;
invariant \"not there\" n < 5;
";

#[test]
fn a_run_through_numbers_far_away_is_found() {
    let folder = Folder::new("followed");
    let file = folder.write("far.m", FAR);
    let explored = cubist(&["explore", &file]);
    assert_eq!(explored.status, Some(20), "{explored:?}");
    assert!(explored.stdout.contains("outside their window"), "{explored:?}");
    let checked = cubist(&["check", &file, "--timeout", "60"]);
    assert_eq!(checked.status, Some(10), "{checked:?}");
    assert!(checked.stdout.contains("a: 10000 -> 30250"), "{checked:?}");
}

/// It begins with any array: with more numbers than the run needs there are more arrays than anybody can try.
#[test]
fn a_run_from_some_array_is_found() {
    let folder = Folder::new("followed-array");
    let text = "
        var a: array [integer] of integer; i: integer;
        startstate \"any array\" begin havoc a; i := 0; end;
        rule \"on\" a[i] = i + 1 ==> begin i := i + 1; end;
        invariant \"not two\" i < 2;
    ";
    let file = folder.write("array.m", text);
    let checked = cubist(&["check", &file, "--timeout", "60"]);
    assert_eq!(checked.status, Some(10), "{checked:?}");
}
