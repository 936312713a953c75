//! The steps of refinement, taken by hand.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use abstraction::goal::{Goal, goals};
use abstraction::predicate::{
    AbstractTrace, Analysis, Concrete, Engine, GoalVerdict, News, Prover, Refinement, Searched, Settings,
};
use logic::Term;
use smt::Solvers;
use system::TransitionSystem;

fn settings() -> Settings {
    Settings {
        engine: Engine::Approximate,
        cartesian: false,
        solvers: Solvers::default(),
        maximal_cycles: 20,
        news: News::default(),
    }
}

fn only_goal(system: &TransitionSystem) -> Goal {
    let property = &system.properties[0];
    goals(&property.name, property.formula, system).remove(0)
}

fn run(refinement: &mut Refinement) -> AbstractTrace {
    match refinement.search().unwrap() {
        Searched::Run(run) => run,
        _ => panic!("no abstract run"),
    }
}

fn spurious(refinement: &mut Refinement, run: &AbstractTrace) -> Vec<Term> {
    match refinement.analyse(run).unwrap() {
        Analysis::Spurious(predicates) => predicates,
        _ => panic!("the run is not spurious"),
    }
}

/// Whoever takes the steps that the loop takes gets what the loop gets, with the same checks.
#[test]
fn the_loop_is_no_more_than_its_steps() {
    let system = common::lowered(common::LOCK);
    let goal = only_goal(&system);

    let automatic = settings();
    let report = Prover::new(&system, automatic.clone())
        .check(&goal, &[], &mut |_| {})
        .unwrap();
    let GoalVerdict::Proved { invariant, .. } = &report.verdict else {
        panic!("not proved");
    };
    assert!(report.cycles > 0, "the test needs a model with a predicate to be found");

    let by_hand = settings();
    let mut refinement = Refinement::new(&system, &goal, &by_hand).unwrap();
    assert_eq!(refinement.predicates(), goal.atoms());
    run(&mut refinement);
    refinement.analyse_integers().unwrap();
    let proved = loop {
        match refinement.search().unwrap() {
            Searched::Proved { invariant, .. } => break invariant,
            Searched::Run(run) => {
                for predicate in spurious(&mut refinement, &run) {
                    refinement.add(predicate).unwrap();
                }
            }
            Searched::Unknown(reason, _) => panic!("{reason}"),
        }
    };
    assert_eq!(&proved, invariant);
    assert_eq!(refinement.predicates(), report.predicates);
    assert_eq!(
        (refinement.cycles(), refinement.refinements()),
        (report.cycles, report.refinements)
    );
    // Nothing was learned of integers, of which there are none, so the second search of the first round asks nothing
    // new.
    let checks = |settings: &Settings| settings.solvers.statistics().total();
    assert_eq!(checks(&by_hand), checks(&automatic));
}

/// One step at a time: a run, what would rule it out, that it is ruled out, and a fact in place of a predicate.
#[test]
fn each_step_can_be_taken_alone() {
    let system = common::lowered(common::LOCK);
    let goal = only_goal(&system);
    let settings = settings();
    let mut refinement = Refinement::new(&system, &goal, &settings).unwrap();
    let first = run(&mut refinement);
    let suggested = spurious(&mut refinement, &first);
    // Whoever does not like the suggestions sees the same run once more.
    assert_eq!(run(&mut refinement), first);
    assert!(refinement.add(suggested[0]).unwrap() && !refinement.add(suggested[0]).unwrap());
    assert!(!matches!(refinement.search().unwrap(), Searched::Run(again) if again.states.len() == first.states.len()));
    // The property itself as a fact leaves no bad state, and is part of what is proved then.
    refinement.assume(&[goal.property]).unwrap();
    let Searched::Proved { invariant, .. } = refinement.search().unwrap() else {
        panic!("not proved");
    };
    assert!(invariant.contains(&goal.property));
}

/// Two processes can be in at once as soon as three tickets were drawn.
const TICKETS: &str = "\
type P: scalarset(2);
var busy: array [P] of boolean; ticket: array [P] of integer; next: integer;
startstate \"begin\" begin for p: P do busy[p] := false; ticket[p] := 0; end; next := 5; end;
ruleset p: P do
  rule \"draw\" !busy[p] ==> begin ticket[p] := next; next := next + 1; end;
  rule \"enter\" ticket[p] >= 7 ==> begin busy[p] := true; end;
end;
invariant \"alone\" forall p: P do forall q: P do p != q -> !(busy[p] & busy[q]) end end;
";

#[test]
fn a_real_run_says_what_an_instance_needs() {
    let system = common::lowered(TICKETS);
    let goal = only_goal(&system);
    let report = Prover::new(&system, settings()).check(&goal, &[], &mut |_| {}).unwrap();
    let GoalVerdict::Real {
        trace,
        concrete,
        is_certain,
    } = report.verdict
    else {
        panic!("no run");
    };
    assert!(is_certain);
    let Concrete {
        sizes,
        numbers,
        start,
        rules,
    } = concrete;
    assert_eq!(sizes.len(), 1);
    assert!((2..=4).contains(&sizes[0].1), "{sizes:?}");
    // Tickets 0 of the beginning, 5, 6, 7 and 8, and the next one.
    assert_eq!(numbers, Some((0, 9)));
    assert_eq!(start.name, "begin");
    let names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names.len(), trace.rules.len());
    let count = |name: &str| names.iter().filter(|taken| **taken == name).count();
    assert_eq!((count("draw"), count("enter")), (4, 2), "{names:?}");
}
