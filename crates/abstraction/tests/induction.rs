//! Steps that show why a formula is not inductive.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use abstraction::finite::Unsuited;
use abstraction::induction::{BreakingStep, Induction, Inductiveness, Settings, StepSearch, check};
use logic::evaluate::{Environment, Interpretation, Value, holds};
use logic::{Function, Sort, Term};
use smt::{Purpose, Solvers};
use std::collections::BTreeSet;
use system::TransitionSystem;

fn checked(system: &TransitionSystem, known: &[Term]) -> Vec<Induction> {
    let settings = Settings {
        solvers: &Solvers::default(),
        sizes: &[1, 2, 3],
    };
    check(system, known, &system.properties, &settings).unwrap()
}

fn step(induction: &Induction) -> (&str, &BreakingStep) {
    let (failure, step) = induction.step().unwrap();
    (&failure.by.name, step)
}

/// Places as they would be shown.
fn shown(step: &BreakingStep) -> Vec<String> {
    let line = |place: &abstraction::induction::PlaceValues| match &place.before {
        Some(before) if place.is_changed() => format!("{}: {before} -> {}", place.text, place.after),
        _ => format!("{} = {}", place.text, place.after),
    };
    step.places.iter().map(line).collect()
}

/// Two elements are needed, and of five variables two are to blame.
const TOKEN: &str = "\
type P: scalarset(4);
var busy: array [P] of boolean; token: array [P] of boolean; seen: array [P] of boolean; noise: 0..9; calm: boolean;
startstate \"begin\" begin
  for p: P do busy[p] := false; token[p] := false; seen[p] := false; end; noise := 0; calm := true;
end;
ruleset p: P do
  rule \"enter\" token[p] ==> begin busy[p] := true; seen[p] := true; noise := 3; end;
  rule \"leave\" busy[p] ==> begin busy[p] := false; end;
end;
invariant \"alone\" forall p: P do forall q: P do busy[p] & busy[q] -> p = q end end;
";

#[test]
fn a_step_shows_only_what_matters() {
    let system = common::lowered(TOKEN);
    let results = checked(&system, &[]);
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].verdict, Inductiveness::NotKept);
    assert_eq!(results[0].failures.len(), 1, "leaving does no harm");
    let (rule, step) = step(&results[0]);
    assert_eq!(rule, "enter");
    assert_eq!(step.sizes, [(Sort::Index("P".into()), 2)], "one is not enough");
    assert!(step.is_certain && !step.is_initial);
    let [(name, value)] = &step.parameters[..] else {
        panic!("one parameter")
    };
    assert_eq!(name, "p");
    let other = if value == "P_1" { "P_2" } else { "P_1" };
    let mut expected = vec![
        format!("busy[{value}]: false -> true"),
        format!("busy[{other}] = true"),
        format!("token[{value}] = true"),
    ];
    expected[..2].sort_by_key(|line| !line.starts_with("busy[P_1]"));
    assert_eq!(shown(step), expected);
    // Without states that are like the one before, the formula is inductive.
    let known = logic::term::not(step.like);
    assert_eq!(checked(&system, &[known])[0].verdict, Inductiveness::Inductive);
    assert_eq!(known.free_variables(), []);
}

/// An order is part of what the state before is like.
#[test]
fn elements_keep_their_order() {
    let text = "
type place = Out | In
array PlaceValues[proc] : place
init (p) { PlaceValues[p] = Out }
unsafe (p q) { p < q && PlaceValues[p] = In && PlaceValues[q] = In }
transition enter (p q) requires { p < q && PlaceValues[p] = In } { PlaceValues[q] := In }
transition leave (p) requires { PlaceValues[p] = In } { PlaceValues[p] := Out }
";
    let file = system::SourceFile::new("ordered.cub", text);
    let (model, _) = cubicle::check(&cubicle::parse(&file).0);
    let system = cubicle::lower(&model).ok().unwrap().system;
    let results = checked(&system, &[]);
    let (rule, step) = step(&results[0]);
    assert_eq!(rule, "enter");
    let less = system.index_sorts[0].order.unwrap();
    assert!(logic::substitute::functions_of(step.like).contains(&less));
    let known = logic::term::not(step.like);
    assert_eq!(checked(&system, &[known])[0].verdict, Inductiveness::Inductive);
}

/// What else is known may be all that is missing.
#[test]
fn what_is_known_is_taken_into_account() {
    let system = common::lowered(TOKEN);
    let lemma = "invariant \"no token\" forall p: P do !token[p] end;";
    let strengthened = common::lowered(&format!("{TOKEN}{lemma}"));
    let known = strengthened.properties[1].formula;
    let results = checked(&system, &[known]);
    assert_eq!(results[0].verdict, Inductiveness::Inductive);
    assert!(results[0].failures.is_empty());
    // Where it is one of the formulas, it is asked about as well.
    let verdicts: Vec<Inductiveness> = checked(&strengthened, &[])
        .iter()
        .map(|result| result.verdict)
        .collect();
    assert_eq!(verdicts, [Inductiveness::Inductive, Inductiveness::Inductive]);
}

#[test]
fn an_initial_state_may_be_to_blame() {
    let text = "
        var x, y: integer;
        startstate \"begin\" begin x := 3; y := 5; end;
        rule \"on\" x < 10 ==> begin x := x + 1; y := y + 1; end;
        invariant \"small\" x < 3;
        invariant \"reached at once\" x < 4;
        invariant \"ordered\" x < y;
    ";
    let results = checked(&common::lowered(text), &[]);
    let verdicts: Vec<Inductiveness> = results.iter().map(|result| result.verdict).collect();
    // The second needs the first, which is false: that is no proof.
    assert_eq!(
        verdicts,
        [
            Inductiveness::NotInitial,
            Inductiveness::WithOthers,
            Inductiveness::Inductive
        ]
    );
    assert_eq!(results[1].needs, BTreeSet::from([0]));
    let (start, step) = step(&results[0]);
    assert_eq!((start, shown(step)), ("begin", vec!["x = 3".to_owned()]));
    assert!(step.is_initial && step.places[0].before.is_none());
}

/// The rule can be taken at once: the formula is false, not only unproved.
#[test]
fn a_state_before_that_is_initial_is_told() {
    let text = "
        var x: 0..9;
        startstate \"begin\" begin x := 0; end;
        ruleset n: 1..3 do rule \"on\" x + n <= 9 ==> begin x := x + n; end; end;
        invariant \"below\" x < 2;
    ";
    let results = checked(&common::lowered(text), &[]);
    assert_eq!(results[0].verdict, Inductiveness::NotKept);
    assert!(results[0].failures.iter().any(|failure| match &failure.found {
        StepSearch::Step(step) => step.is_initial && shown(step).iter().all(|line| line.starts_with("x: 0 -> ")),
        _ => false,
    }));
}

/// A state of a few places, for those who look whether a step is one.
struct State<'s>(&'s TransitionSystem, Vec<(&'s str, i128)>);

impl Interpretation for State<'_> {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        let symbol = self.0.state.iter().find(|symbol| symbol.function == function)?;
        assert!(arguments.is_empty());
        let value = self.1.iter().find(|(name, _)| *name == symbol.display)?;
        Some(Value::Int(value.1))
    }

    fn domain(&self, _: Sort) -> Option<Vec<Value>> {
        None
    }
}

/// What is shown is enough: guard and failure can be evaluated with it, and are as claimed.
#[test]
fn the_places_shown_decide_the_step() {
    let text = "
        var a, b, c, other: integer;
        startstate \"begin\" begin a := 0; b := 0; c := 0; other := 0; end;
        rule \"sum\" a > 2 & b > a ==> begin c := a + b; other := 7; end;
        invariant \"sum is small\" c <= 9;
    ";
    let system = common::lowered(text);
    let results = checked(&system, &[]);
    let (_, step) = step(&results[0]);
    let state = |after: bool| {
        let value = |place: &abstraction::induction::PlaceValues| {
            let text = if after {
                &place.after
            } else {
                place.before.as_ref().unwrap()
            };
            text.parse::<i128>().unwrap()
        };
        let places = step.places.iter().map(|place| (place.text.as_str(), value(place)));
        State(&system, places.collect())
    };
    assert!(step.places.iter().all(|place| place.text != "other"));
    let is_true = |formula: Term, after: bool| holds(formula, &Environment::new(), &state(after)).unwrap();
    let rule = &system.rules[0];
    assert!(is_true(rule.guard, false));
    assert!(!is_true(system.properties[0].formula, true));
    assert!(!is_true(rule.substitution().apply(system.properties[0].formula), false));
}

/// Lists are beyond what steps are looked for in, and nothing is made up.
#[test]
fn what_cannot_be_shown_is_unknown() {
    let system = common::library("alternating-bit-fifo-bug.m");
    let results = checked(&system, &[]);
    let failures: Vec<_> = results.iter().flat_map(|result| &result.failures).collect();
    assert!(!failures.is_empty());
    assert!(
        failures
            .iter()
            .all(|failure| matches!(failure.found, StepSearch::Unsuited(Unsuited::Sorts)))
    );
    assert!(results.iter().any(|result| result.verdict == Inductiveness::Unknown));
}

#[test]
fn an_interrupt_makes_it_unknown_and_checks_are_counted() {
    let system = common::lowered(TOKEN);
    let solvers = Solvers::default();
    let settings = Settings {
        solvers: &solvers,
        sizes: &[2],
    };
    check(&system, &[], &system.properties, &settings).unwrap();
    assert!(solvers.statistics().checks(Purpose::Induction) > 0);
    solvers.cancellation().cancel();
    let results = check(&system, &[], &system.properties, &settings).unwrap();
    assert_eq!(results[0].verdict, Inductiveness::Unknown);
}
