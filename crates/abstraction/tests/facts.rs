//! Facts for every size from examples of a small instance.

#![allow(clippy::unwrap_used, clippy::panic)]

use abstraction::strengthening::{Known, StrengtheningResult, prove};
use deduction::GroundSolver;
use deduction::generalisation::variable;
use deduction::{Cube, Samples};
use explore::{Sampler, SearchOptions, reached_states};
use logic::Cancellation;
use logic::substitute::functions_of;
use logic::{Function, Name, Sort, Variable, term};
use smt::{Answer, Purpose, Solvers};
use system::correspondence::Correspondence;
use system::instance::Instance;
use system::{SourceFile, Successors, TransitionSystem};

/// Who has the token may enter.
const TOKEN: &str = "
type place = Out | In
var Token : proc
array Place[proc] : place
init (p) { Place[p] = Out }
unsafe (p q) { Place[p] = In && Place[q] = In }
transition enter (p) requires { Token = p GUARD } { Place[p] := In }
transition leave (p) requires { Place[p] = In } { Place[p] := Out; Token := . }
";

/// Much happens on the side while one variable goes a long way.
const LONG: &str = "
type stage = S0 | S1 | S2 | S3 | S4 | S5
var Stage : stage
var Ready : bool
array Noise[proc] : bool
init (p) { Stage = S0 && Ready = False && Noise[p] = False }
unsafe () { Stage = S5 && Ready = False }
transition noise (p) requires { Noise[p] = False } { Noise[p] := True }
transition one () requires { Stage = S0 } { Stage := S1 }
transition two () requires { Stage = S1 } { Stage := S2 }
transition three () requires { Stage = S2 } { Stage := S3 }
transition four () requires { Stage = S3 } { Stage := S4; Ready := True }
transition five () requires { Stage = S4 } { Stage := S5 }
";

fn parsed(text: &str, processes: u32) -> (TransitionSystem, Correspondence, Instance) {
    let file = SourceFile::new("token.cub", text);
    let (model, found) = cubicle::check(&cubicle::parse(&file).0);
    assert!(found.iter().all(|d| d.severity != system::Severity::Error), "{found:?}");
    let options = cubicle::CompileOptions {
        processes,
        ..cubicle::CompileOptions::default()
    };
    let (instance, _) = cubicle::compile(&model, &options);
    let lowered = cubicle::lower(&model).ok().unwrap();
    let correspondence = lowered.correspondence(&model, &instance);
    (lowered.system, correspondence, instance)
}

fn prepared(text: &str, processes: u32) -> (TransitionSystem, Samples) {
    let (system, correspondence, instance) = parsed(text, processes);
    let reached = reached_states(&instance, &SearchOptions::default(), &Cancellation::new());
    assert!(!reached.is_empty());
    let samples = Samples::new(&system, &correspondence, reached);
    (system, samples)
}

fn outcome(text: &str, processes: u32) -> StrengtheningResult {
    let (system, samples) = prepared(text, processes);
    proved(&system, samples, None)
}

fn proved(system: &TransitionSystem, samples: Samples, explorer: Option<&dyn Successors>) -> StrengtheningResult {
    proof(system, samples, explorer, &Solvers::default())
}

fn proof(
    system: &TransitionSystem,
    mut samples: Samples,
    explorer: Option<&dyn Successors>,
    solvers: &Solvers,
) -> StrengtheningResult {
    let properties: Vec<_> = system.properties.iter().map(|p| p.formula).collect();
    let known = Known {
        further: &[],
        properties: &properties,
        hints: &[],
        explorer,
        conjectures: 100,
        last_checks: 100,
    };
    prove(system, &known, &mut samples, solvers, &mut |_| ()).unwrap()
}

#[test]
fn the_missing_fact_is_found() {
    let StrengtheningResult::Proved(invariant) = outcome(&TOKEN.replace("GUARD", ""), 3) else {
        panic!("not proved");
    };
    // The property, and that only who has the token is in.
    assert_eq!(invariant.facts.len(), 2, "{:?}", invariant.facts);
    // Nobody is in where somebody enters, as nobody else has the token.
    assert!(invariant.premises[&0].contains(&1));
}

/// What is written may speak of more than what it says: that some colour is not the one that the light shows, or is. A
/// rule that changes nothing but the light keeps such a property because it holds before, which is then a premise.
#[test]
fn premises_are_enough_for_properties_as_they_are_written() {
    let text = "
type colour = Red | Green
var Light : colour
var On : bool
array Place[proc] : bool
init (p) { Light = Red && On = True && Place[p] = False }
unsafe () { On = False }
transition keep () requires { Light = Red } { On := True }
transition shine () requires { Light = Red } { Light := Green }
";
    let (mut system, mut samples) = prepared(text, 2);
    let light = system
        .state
        .iter()
        .find(|s| s.function.name().as_str() == "Light")
        .unwrap();
    let c = Variable::new("c", light.function.result());
    let shown = term::equal(light.function.apply([]), c.term());
    let Sort::Enum(colours) = c.sort else { panic!() };
    let each = [0, 1].map(|position| term::equal(c.term(), term::enumerator(colours, position)));
    let nothing = term::forall([c], term::or([each[0], each[1], shown]));
    let property = &mut system.properties[0].formula;
    *property = term::and([*property, nothing]);
    assert!(functions_of(*property).contains(&light.function));
    let properties = [*property];
    let known = Known {
        further: &[],
        properties: &properties,
        hints: &[],
        explorer: None,
        conjectures: 100,
        last_checks: 100,
    };
    let proof = prove(&system, &known, &mut samples, &Solvers::default(), &mut |_| ()).unwrap();
    let StrengtheningResult::Proved(invariant) = proof else {
        panic!("not proved");
    };
    assert_eq!(invariant.facts[0], properties[0]);
    for rule in &system.rules {
        for (position, fact) in invariant.facts.iter().enumerate() {
            let is_touched = rule.updates.iter().any(|u| functions_of(*fact).contains(&u.function));
            let before = invariant.premises[&position]
                .iter()
                .map(|premise| invariant.facts[*premise]);
            let mut solver = GroundSolver::new(&Solvers::default()).unwrap();
            let after = term::not(rule.substitution().apply(*fact));
            before
                .chain([rule.guard, after])
                .for_each(|formula| drop(solver.assert(formula).unwrap()));
            let answer = solver.check(Purpose::Other).unwrap();
            assert!(
                !is_touched || answer == Answer::Unsat,
                "{} and fact {position}",
                rule.name
            );
        }
    }
}

/// A process that may enter if two others are out: with two processes nobody can, with four two can. What two processes
/// show is not believed.
#[test]
fn too_small_an_instance_makes_no_wrong_proof() {
    let text = TOKEN.replace("Token = p GUARD", "Token <> p");
    let enter = "transition enter (p)";
    let three = text
        .replace(enter, "transition enter (p q r)")
        .replace("{ Token <> p }", "{ Place[q] = Out && Place[r] = Out }");
    assert!(matches!(outcome(&three, 2), StrengtheningResult::Unknown { .. }));
}

/// Without a proof, what every rule keeps all the same is handed over, and only that: here, that who is marked is in.
/// That nobody else has the token is a guess of so small an instance.
#[test]
fn a_search_that_fails_tells_what_is_inductive() {
    let text = TOKEN
        .replace("Token = p GUARD", "Token <> p")
        .replace("array Place", "array Mark[proc] : bool\narray Place")
        .replace("{ Place[p] = Out }", "{ Place[p] = Out && Mark[p] = False }")
        .replace("{ Place[p] := In }", "{ Place[p] := In; Mark[p] := True }")
        .replace("Place[p] := Out;", "Place[p] := Out; Mark[p] := False;");
    let (system, mut samples) = prepared(&text, 1);
    let sort = system.index_sorts[0].name;
    let x = variable(Sort::Index(sort), 0);
    let state = |name: &str| {
        let symbol = system.state.iter().find(|s| s.function.name().as_str() == name);
        symbol.unwrap().function.apply([x.term()])
    };
    let marked = state("Mark");
    let place = state("Place");
    let Sort::Enum(places) = place.sort() else { panic!() };
    let is_in = term::equal(place, term::enumerator(places, 1));
    let kept = term::forall(vec![x], term::implies(marked, is_in));
    let broken = term::forall(vec![x], term::not(is_in));
    let properties: Vec<_> = system.properties.iter().map(|p| p.formula).collect();
    let known = Known {
        further: &[],
        explorer: None,
        properties: &properties,
        hints: &[kept, broken],
        conjectures: 100,
        last_checks: 100,
    };
    let outcome = prove(&system, &known, &mut samples, &Solvers::default(), &mut |_| ()).unwrap();
    let StrengtheningResult::Unknown { inductive, .. } = outcome else {
        panic!("proved");
    };
    // `kept`, without the implication.
    assert_eq!(inductive.len(), 1, "{inductive:?}");
    assert!(functions_of(inductive[0]).len() == 2, "{inductive:?}");
}

/// Whichever check has no answer: a proof may be lost, and none is made of a wrong property.
#[test]
fn an_unknown_answer_makes_no_wrong_proof() {
    let safe = TOKEN.replace("GUARD", "");
    let wrong = TOKEN.replace("Token = p GUARD", "Place[p] = Out");
    for (text, is_safe) in [(safe, true), (wrong, false)] {
        let solvers = Solvers::default();
        // One process shows nothing wrong.
        let processes = if is_safe { 3 } else { 1 };
        let (system, samples) = prepared(&text, processes);
        let without = proof(&system, samples, None, &solvers);
        assert_eq!(matches!(without, StrengtheningResult::Proved(_)), is_safe);
        let checks = solvers.statistics().total();
        assert!(checks > 0);
        for failing in 1..=checks {
            for fault in [smt::Fault::Unknown, smt::Fault::Timeout] {
                let solvers = Solvers::default().failing(smt::SharedFault::new(fault, failing));
                let (system, samples) = prepared(&text, processes);
                match proof(&system, samples, None, &solvers) {
                    StrengtheningResult::Proved(invariant) => {
                        assert!(is_safe && invariant.facts.len() >= 2, "check {failing}")
                    }
                    StrengtheningResult::Unknown { .. } => {}
                }
            }
        }
    }
}

#[test]
fn cubes_that_differ_by_names_are_equal() {
    let sort = Sort::Index(Name::new("proc"));
    let [x, y, z] = [0, 1, 2].map(|n| variable(sort, n).term());
    let place = Function::new("Place", vec![sort], Sort::Bool);
    let less = Function::new("less", vec![sort, sort], Sort::Bool);
    let cube = |a: logic::Term, b: logic::Term| Cube::new([place.apply([a]), term::not(less.apply([a, b]))]);
    assert_eq!(cube(x, y), cube(z, x));
    assert_eq!(cube(z, y).variables.len(), 2);
}

#[test]
fn examples_that_differ_go_a_long_way() {
    let (_, _, instance) = parsed(LONG, 10);
    let options = SearchOptions {
        max_states: Some(200),
        symmetry: false,
        ..SearchOptions::default()
    };
    let cancellation = Cancellation::new();
    let sampler = Sampler::new(&instance, &options, &cancellation).unwrap();
    let stages = |reached: system::ReachedStates| {
        assert!(reached.cut && reached.len() < 250, "{}", reached.len());
        reached.states().map(|state| state[0]).max()
    };
    assert_eq!(stages(sampler.diverse()), Some(5));
    assert!(stages(sampler.breadth()) < Some(5));
}

/// With the states near the beginning alone, no stage but the first seems possible.
#[test]
fn a_short_search_saves_wrong_conjectures() {
    let (system, correspondence, instance) = parsed(LONG, 3);
    let options = SearchOptions {
        max_states: Some(4),
        ..SearchOptions::default()
    };
    let cancellation = Cancellation::new();
    let sampler = Sampler::new(&instance, &options, &cancellation).unwrap();
    let withdrawn = |explorer| {
        let samples = Samples::new(&system, &correspondence, sampler.breadth());
        match proved(&system, samples, explorer) {
            StrengtheningResult::Proved(invariant) => invariant.withdrawn,
            StrengtheningResult::Unknown { reason, .. } => panic!("{reason}"),
        }
    };
    assert_eq!(withdrawn(Some(&sampler)), 0);
    assert!(withdrawn(None) > 0);
}
