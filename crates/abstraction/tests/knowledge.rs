//! A run that goes on from what another learned needs fewer checks, and finds the same.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use abstraction::goal::goals;
use abstraction::predicate::{Engine, GoalReport, GoalVerdict, Prover, Refinement, Searched, Settings};
use abstraction::predicate::{Knowledge, News, QueryPlace};
use logic::{Sort, Variable, term};
use smt::{Purpose, Solvers};
use system::TransitionSystem;

fn system() -> TransitionSystem {
    common::lowered(common::LOCK)
}

/// The report, what was learned in the end, and the checks that it took.
fn check(system: &TransitionSystem, known: &Knowledge, maximal_cycles: usize) -> (GoalReport, Knowledge, u64) {
    check_with(system, known, maximal_cycles, News::default())
}

fn check_with(
    system: &TransitionSystem,
    known: &Knowledge,
    maximal_cycles: usize,
    news: News,
) -> (GoalReport, Knowledge, u64) {
    let solvers = Solvers::default();
    let settings = Settings {
        engine: Engine::Approximate,
        cartesian: false,
        solvers: solvers.clone(),
        maximal_cycles,
        news,
    };
    let property = &system.properties[0];
    let goal = &goals(&property.name, property.formula, system)[0];
    let mut learned = Knowledge::default();
    let mut keep = |knowledge: &Knowledge| learned = knowledge.clone();
    let report = Prover::new(system, settings)
        .check_from(goal, &[], known, &mut |_| {}, &mut keep)
        .unwrap();
    let statistics = solvers.statistics();
    let checks = statistics.checks(Purpose::Abstraction) + statistics.checks(Purpose::Discovery);
    (report, learned, checks)
}

#[test]
fn a_run_goes_on_from_what_another_learned() {
    let system = system();
    let (whole, learned, checks) = check(&system, &Knowledge::default(), 20);
    assert!(matches!(whole.verdict, GoalVerdict::Proved { .. }));
    assert!(whole.cycles > 0, "the test needs a model with a predicate to be found");
    assert!(
        learned
            .constraints
            .iter()
            .any(|c| matches!(c.place, QueryPlace::Rule(_)))
    );
    let (again, same, fewer) = check(&system, &learned, 20);
    assert!(matches!(again.verdict, GoalVerdict::Proved { .. }));
    assert_eq!((again.cycles, again.refinements), (0, 0));
    assert_eq!(again.predicates, whole.predicates);
    assert_eq!(same.constraints.len(), learned.constraints.len());
    assert!(fewer < checks, "{fewer} checks instead of {checks}");
}

#[test]
fn a_run_that_was_cut_off_is_continued() {
    let system = system();
    let (cut, learned, _) = check(&system, &Knowledge::default(), 0);
    assert!(matches!(cut.verdict, GoalVerdict::Unknown { .. }));
    let (whole, ..) = check(&system, &learned, 20);
    assert!(matches!(whole.verdict, GoalVerdict::Proved { .. }));
}

/// A fact of another engine takes the place of predicates, and is part of the invariant then.
#[test]
fn a_fact_of_another_engine_is_used() {
    let system = system();
    let nothing = Knowledge::default();
    let (alone, _, _) = check(&system, &nothing, 0);
    assert!(matches!(alone.verdict, GoalVerdict::Unknown { .. }));
    let symbol = |name: &str| {
        let symbol = system.state.iter().find(|s| s.function.name().as_str() == name);
        symbol.unwrap().function
    };
    let p = Variable::new("p", symbol("place").parameters()[0]);
    let place = symbol("place").apply([p.term()]);
    let Sort::Enum(places) = place.sort() else { panic!() };
    let busy = term::equal(place, term::enumerator(places, 2));
    // Who is busy has taken what was free.
    let fact = term::forall(vec![p], term::implies(busy, term::not(symbol("free").apply([]))));
    let news = News::default();
    news.tell(vec![fact]);
    let (report, _, _) = check_with(&system, &nothing, 0, news);
    let GoalVerdict::Proved { invariant, .. } = report.verdict else {
        panic!("not proved");
    };
    assert!(invariant.contains(&fact), "{invariant:?}");
}

/// What is learned of the integers between two searches refutes the bad state that the first one saw: it must not be
/// asked for again.
const FIBONACCI: &str = "\
var a, b: integer;
startstate begin a := 0; b := 1; end;
rule \"next\" true ==> var sum: integer; begin sum := a + b; a := b; b := sum; end;
invariant \"positive\" a + b >= 1;
";

#[test]
fn what_is_known_excludes_bad_states() {
    let system = common::lowered(FIBONACCI);
    let property = &system.properties[0];
    for engine in [Engine::Approximate, Engine::Implicit] {
        let settings = Settings {
            engine,
            cartesian: false,
            solvers: Solvers::default(),
            maximal_cycles: 20,
            news: News::default(),
        };
        let goal = &goals(&property.name, property.formula, &system)[0];
        let report = Prover::new(&system, settings).check(goal, &[], &mut |_| {}).unwrap();
        assert!(matches!(report.verdict, GoalVerdict::Proved { .. }), "{engine:?}");
    }
}

/// A fact that is told while the work goes on takes bad states away, though they were possible before.
#[test]
fn a_bad_state_that_was_possible_is_asked_about_again_after_news() {
    let system = system();
    let settings = Settings {
        engine: Engine::Approximate,
        cartesian: false,
        solvers: Solvers::default(),
        maximal_cycles: 20,
        news: News::default(),
    };
    let property = &system.properties[0];
    let goal = &goals(&property.name, property.formula, &system)[0];
    for settings in [Engine::Approximate, Engine::Implicit].map(|engine| Settings {
        engine,
        ..settings.clone()
    }) {
        let mut refinement = Refinement::new(&system, goal, &settings).unwrap();
        assert!(matches!(refinement.search().unwrap(), Searched::Run(_)));
        refinement.assume(&[property.formula]).unwrap();
        let searched = refinement.search().unwrap();
        assert!(matches!(searched, Searched::Proved { .. }), "{:?}", settings.engine);
    }
}
