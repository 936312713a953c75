//! Bounded search by the solver: what it finds can be replayed, and what is not there it does not find.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use abstraction::bounded::{BoundedResult, Search, Settings};
use abstraction::finite::Unsuited;
use abstraction::predicate::Concrete;
use explore::{FollowOptions, FollowOutcome, Waypoint};
use logic::{Cancellation, Sort, Term};
use smt::{Purpose, Solvers};
use std::path::Path;
use system::{SourceFile, TransitionSystem};

fn properties(system: &TransitionSystem) -> Vec<Term> {
    let all = system.properties.iter().cloned().chain(system.asserted());
    all.map(|property| property.formula).collect()
}

fn found(system: &TransitionSystem, sizes: &[u32], depth: usize) -> BoundedResult {
    let settings = Settings {
        solvers: &Solvers::default(),
        sizes,
        depth,
    };
    Search::new(system, &properties(system), settings).next_run().unwrap()
}

fn run(system: &TransitionSystem, sizes: &[u32], depth: usize) -> Concrete {
    match found(system, sizes, depth) {
        BoundedResult::Run(concrete) => concrete,
        other => panic!("{other:?}"),
    }
}

/// Fires the rules of a run in an instance that is as large as the run says.
fn is_real(text: &str, concrete: &Concrete) -> bool {
    let file = SourceFile::new("test.m", text.to_owned());
    let size = |(sort, size): &(Sort, u64)| (sort.to_string(), i64::try_from(*size).unwrap());
    let options = murphi::CheckOptions {
        sizes: concrete.sizes.iter().map(size).collect(),
        ..murphi::CheckOptions::default()
    };
    let (model, _) = murphi::check(&murphi::parse(&file).0, &options);
    let mut compile = murphi::CompileOptions::default();
    if let Some(numbers) = concrete.numbers {
        compile.integer_window = numbers;
    }
    let (instance, _) = murphi::compile(&model, &compile);
    let steps = std::iter::once(&concrete.start).chain(&concrete.rules);
    let waypoints: Vec<Waypoint> = steps.map(|taken| Waypoint::At(taken.span)).collect();
    let options = FollowOptions {
        waypoints: &waypoints,
        properties: &(0..instance.properties.len()).collect::<Vec<_>>(),
        max_states: 100_000,
    };
    matches!(
        explore::follow(&instance, &options, &Cancellation::new()),
        FollowOutcome::Violated(_)
    )
}

/// Far from where it begins: no window of exploration would be that wide.
const FAR: &str = "\
var a, b: integer;
startstate \"begin\" begin a := 0; b := 0; end;
rule \"a quarter\" a < 1000 ==> begin a := a + 250; end;
rule \"on\" b < 3 ==> begin b := b + 1; end;
invariant \"not there\" a + b < 1001;
";

#[test]
fn numbers_have_no_bounds() {
    let system = common::lowered(FAR);
    let concrete = run(&system, &[2], 10);
    assert_eq!(concrete.rules.len(), 5);
    assert_eq!(concrete.numbers, Some((0, 1000)));
    assert_eq!(concrete.start.name, "begin");
    let quarters = concrete.rules.iter().filter(|rule| rule.name == "a quarter").count();
    assert_eq!(quarters, 4);
    assert!(is_real(FAR, &concrete));
    // A rule too few, and there is nothing.
    assert!(matches!(found(&system, &[2], 4), BoundedResult::Nothing));
}

/// The next run fires other rules; in the end there is none.
#[test]
fn the_search_goes_on_after_a_run() {
    let system = common::lowered(FAR);
    let solvers = Solvers::default();
    let settings = Settings {
        solvers: &solvers,
        sizes: &[2],
        depth: 5,
    };
    let mut search = Search::new(&system, &properties(&system), settings);
    let mut runs = Vec::new();
    while let BoundedResult::Run(concrete) = search.next_run().unwrap() {
        assert_eq!(search.depth(), 5);
        let names: Vec<String> = concrete.rules.iter().map(|rule| rule.name.clone()).collect();
        assert!(!runs.contains(&names), "{names:?}");
        runs.push(names);
    }
    // The one step of `b` comes first, last, or in between.
    assert_eq!(runs.len(), 5);
    assert!(solvers.statistics().checks(Purpose::Bounded) >= 11);
}

/// Three elements are needed, which nobody says.
const THREE: &str = "\
type P: scalarset(2);
var busy: array [P] of boolean;
startstate begin for p: P do busy[p] := false; end; end;
ruleset p: P do rule \"enter\" true ==> begin busy[p] := true; end; end;
invariant \"not three\" forall p: P do forall q: P do forall r: P do
  !(p != q & q != r & p != r & busy[p] & busy[q] & busy[r]) end end end;
";

#[test]
fn sizes_are_those_that_are_asked_for() {
    let system = common::lowered(THREE);
    assert!(matches!(found(&system, &[1, 2], 5), BoundedResult::Nothing));
    let concrete = run(&system, &[1, 2, 3], 5);
    assert_eq!(concrete.sizes, [(Sort::Index("P".into()), 3)]);
    assert_eq!(concrete.rules.len(), 3);
    assert!(is_real(THREE, &concrete));
}

#[test]
fn a_correct_system_has_no_run() {
    let correct = common::LOCK.replace(
        "rule \"leave\" place[p] = busy",
        "rule \"leave\" place[p] = busy & !free",
    );
    let system = common::lowered(&correct);
    assert!(matches!(found(&system, &[1, 2, 3], 8), BoundedResult::Nothing));
    // Where all runs end, so does the search, however deep it may go.
    let ends = common::lowered(
        "var a: 0..3; startstate begin a := 0; end; rule a < 3 ==> begin a := a + 1; end; invariant a <= 3;",
    );
    let solvers = Solvers::default();
    let settings = Settings {
        solvers: &solvers,
        sizes: &[1],
        depth: 1_000,
    };
    let mut search = Search::new(&ends, &properties(&ends), settings);
    assert!(matches!(search.next_run().unwrap(), BoundedResult::Nothing));
    assert_eq!(search.depth(), 4);
}

/// An assertion of a rule fails, a value leaves its range, and an array holds what nobody wrote.
#[test]
fn errors_and_initial_arrays_are_seen() {
    for text in [
        "var a: integer; startstate begin a := 0; end;
         rule \"on\" true ==> begin a := a + 7; assert a != 21; end; invariant true;",
        "var a: 0..9; startstate begin a := 0; end; rule \"on\" true ==> begin a := a + 4; end; invariant true;",
        "var a: array [integer] of integer; i: integer;
         startstate begin havoc a; i := 0; end;
         rule \"on\" a[i] = i + 1 ==> begin i := i + 1; end; invariant i < 2;",
    ] {
        let system = common::lowered(text);
        let concrete = run(&system, &[2], 6);
        assert_eq!(concrete.rules.len(), 2, "{text}");
    }
}

#[test]
fn lists_and_interrupts_end_it() {
    let lists = common::library("alternating-bit-fifo-bug.m");
    assert!(matches!(
        found(&lists, &[2], 5),
        BoundedResult::Unsuited(Unsuited::Sorts)
    ));
    let solvers = Solvers::default();
    solvers.cancellation().cancel();
    let system = common::lowered(FAR);
    let settings = Settings {
        solvers: &solvers,
        sizes: &[2],
        depth: 5,
    };
    let mut search = Search::new(&system, &properties(&system), settings);
    assert!(matches!(search.next_run().unwrap(), BoundedResult::Cancelled));
}

/// Bugs of the library, with the number of rules that the explorer needs, too. Two of them are out of every default
/// window.
#[test]
fn bugs_of_the_library_are_found_and_replayed() {
    for (name, rules) in [
        ("bakery-bug.m", 4),
        ("burns-bug.m", 8),
        ("counter-bug.m", 56),
        ("german-bug.m", 8),
        ("mutex-ring-bug.m", 6),
        ("selection-sort-bug.m", 4),
        ("ticket-bug.m", 4),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
        let text = std::fs::read_to_string(path).unwrap();
        let concrete = run(&common::lowered(&text), &[2], 60);
        assert_eq!(concrete.rules.len(), rules, "{name}");
        assert!(is_real(&text, &concrete), "{name}");
    }
}
