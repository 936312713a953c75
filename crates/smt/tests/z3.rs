//! What the embedded Z3 promises: cores, models, limits, interruption, errors.
#![allow(clippy::unwrap_used)]

mod support;

use logic::Cancellation;
use logic::term::{self, add, and, empty_list, equal, exists, forall, int, less, multiply, not, or};
use logic::testing::{Choices, Vocabulary, colour, node};
use logic::{Function, Sort, Term, Value, Variable};
use smt::{Answer, Fault, FaultySolver, Purpose, Solver, SolverError, Statistics, UnknownReason};
use smt::{Z3Options, Z3Solver};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{z3, z3_with};

const OTHER: Purpose = Purpose::Other;

fn flag(name: &str) -> Term {
    Function::constant(name, Sort::Bool).apply([])
}

fn number(name: &str) -> Term {
    Function::constant(name, Sort::Int).apply([])
}

/// `holes + 1` pigeons in `holes` holes: unsatisfiable, and hard from a dozen on.
fn pigeons(solver: &mut dyn Solver, holes: usize) {
    let at = |pigeon: usize, hole: usize| flag(&format!("pigeon {pigeon} in {hole}"));
    for pigeon in 0..=holes {
        solver.assert(or((0..holes).map(|hole| at(pigeon, hole)))).unwrap();
    }
    for hole in 0..holes {
        for pigeon in 0..=holes {
            for other in 0..pigeon {
                solver
                    .assert(or([not(at(pigeon, hole)), not(at(other, hole))]))
                    .unwrap();
            }
        }
    }
}

/// Levels, cores, models, limits and the switch, where nothing but truth values occurs; numbers are not decided.
#[test]
fn the_propositional_solver_keeps_the_same_promises() {
    let cancellation = Cancellation::new();
    let mut solver = z3_with(Z3Options {
        propositional: true,
        cancellation: cancellation.clone(),
        ..Z3Options::default()
    });
    let (p, q, r) = (flag("p"), flag("q"), flag("r"));
    solver.assert(or([not(p), q])).unwrap();
    assert_eq!(solver.check_assuming(OTHER, &[r, p]), Ok(Answer::Sat));
    assert_eq!(solver.model().unwrap().value(and([q, r])), Ok(Value::Bool(true)));
    assert_eq!(solver.check_assuming(OTHER, &[r, p, not(q)]), Ok(Answer::Unsat));
    let core = solver.unsat_core().unwrap();
    assert!(
        core.contains(&p) && core.contains(&not(q)) && !core.contains(&r),
        "{core:?}"
    );
    assert_eq!(
        solver.check_assuming(OTHER, &[or([p, r]), not(q), not(r)]),
        Ok(Answer::Unsat)
    );
    solver.push().unwrap();
    pigeons(&mut solver, 4);
    assert_eq!(solver.check(OTHER), Ok(Answer::Unsat));
    solver.pop().unwrap();
    assert_eq!(solver.check(OTHER), Ok(Answer::Sat));
    cancellation.cancel();
    assert_eq!(solver.check(OTHER), Ok(Answer::Unknown(UnknownReason::Interrupted)));
}

#[test]
fn cores_are_assumptions_whether_literals_or_not() {
    let mut solver = z3();
    let (n, p, q) = (number("n"), flag("p"), flag("q"));
    solver.assert(or([not(p), less(n, int(3))])).unwrap();
    let large = less(int(5), n);
    let assumptions = [q, p, large, not(flag("r"))];
    assert_eq!(solver.check_assuming(OTHER, &assumptions), Ok(Answer::Unsat));
    let mut core = solver.unsat_core().unwrap();
    core.sort();
    let mut expected = vec![p, large];
    expected.sort();
    assert_eq!(core, expected);
    assert_eq!(solver.check_assuming(OTHER, &[large]), Ok(Answer::Sat));
    assert_eq!(solver.unsat_core(), Err(SolverError::NoCore));
    assert_eq!(solver.check_assuming(OTHER, &[term::bool(false), q]), Ok(Answer::Unsat));
    assert_eq!(solver.unsat_core(), Ok(vec![term::bool(false)]));
    assert_eq!(solver.model().err(), Some(SolverError::NoModel));
}

#[test]
fn models_have_values_of_every_sort() {
    let mut solver = z3();
    let (a, b) = (
        Variable::new("a", node()).term(),
        Function::constant("b", node()).apply([]),
    );
    let paint = Function::new("paint", vec![node()], Sort::Enum(colour()));
    let queue = Function::constant("queue", Sort::list(Sort::Real)).apply([]);
    let half = term::real(logic::Rational::new(-1, 2).unwrap());
    solver.assert(term::distinct(a, b)).unwrap();
    solver
        .assert(equal(paint.apply([a]), term::enumerator(colour(), 2)))
        .unwrap();
    solver
        .assert(equal(
            queue,
            term::append(term::append(empty_list(Sort::Real), half), half),
        ))
        .unwrap();
    let x = Variable::new("x", node());
    solver
        .assert(forall([x], or([equal(x.term(), a), equal(x.term(), b)])))
        .unwrap();
    assert_eq!(solver.check(OTHER), Ok(Answer::Sat));
    let model = solver.model().unwrap();
    assert_ne!(model.value(a), model.value(b));
    assert_eq!(model.value(paint.apply([a])), Ok(Value::Enumerator(colour(), 2)));
    let half = Value::Real(logic::Rational::new(-1, 2).unwrap());
    assert_eq!(model.value(queue), Ok(Value::List(vec![half.clone(), half])));
    assert_eq!(model.domain(node()).unwrap().len(), 2);
    // Quantifiers are evaluated over the two nodes, and what Z3 leaves open has a value.
    assert_eq!(model.value(exists([x], equal(x.term(), b))), Ok(Value::Bool(true)));
    assert!(model.value(number("never mentioned")).is_ok());
}

#[test]
fn symbols_of_one_name_are_different() {
    let mut solver = z3();
    let constant = Function::constant("x", Sort::Bool).apply([]);
    let variable = Variable::new("x", Sort::Bool).term();
    solver.assert(and([constant, not(variable)])).unwrap();
    let one = Sort::enumeration("E".into(), vec!["x".into(), "y".into()]);
    let other = Sort::enumeration("E".into(), vec!["y".into(), "z".into(), "nul\0 |\\".into()]);
    for (sort, values) in [(one, 2), (other, 3)] {
        let Sort::Enum(enumeration) = sort else { unreachable!() };
        let e = Function::constant("x", sort).apply([]);
        solver
            .assert(equal(e, term::enumerator(enumeration, values - 1)))
            .unwrap();
    }
    assert_eq!(solver.check(OTHER), Ok(Answer::Sat));
}

#[test]
fn misuse_is_an_error() {
    let mut solver = z3();
    assert_eq!(solver.pop(), Err(SolverError::PopWithoutPush));
    assert_eq!(solver.assert(int(1)), Err(SolverError::NotAFormula(int(1))));
    assert_eq!(solver.model().err(), Some(SolverError::NoModel));
    let empty = Variable::new("e", Sort::enumeration("Empty".into(), Vec::new())).term();
    let about_nothing = not(equal(empty, Variable::new("f", empty.sort()).term()));
    assert!(matches!(solver.assert(about_nothing), Err(SolverError::IllSorted(_))));
    let mixed = less(number("n"), Variable::new("r", Sort::Real).term());
    assert!(matches!(solver.assert(mixed), Err(SolverError::IllSorted(_))));
    assert_eq!(solver.check(OTHER), Ok(Answer::Sat));
}

#[test]
fn deep_terms_are_translated() {
    let step = Function::new("step", vec![Sort::Int], Sort::Int);
    let deep = (0..50_000).fold(number("n"), |term, _| step.apply([term]));
    let mut solver = z3();
    solver.assert(less(deep, int(0))).unwrap();
    assert_eq!(solver.check(OTHER), Ok(Answer::Sat));
}

#[test]
fn interruption_returns_promptly() {
    for delay in [0, 1, 200] {
        let cancellation = Cancellation::new();
        let mut solver = z3_with(Z3Options {
            cancellation: cancellation.clone(),
            ..Z3Options::default()
        });
        pigeons(&mut solver, 13);
        let trigger = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(delay));
            cancellation.cancel();
            Instant::now()
        });
        let answer = solver.check_assuming(OTHER, &[flag("p")]);
        let triggered = trigger.join().unwrap();
        assert_eq!(answer, Ok(Answer::Unknown(UnknownReason::Interrupted)));
        assert!(triggered.elapsed() < Duration::from_secs(5));
        assert_eq!(
            solver.check(OTHER),
            Ok(Answer::Unknown(UnknownReason::Interrupted)),
            "for ever"
        );
    }
}

/// The same questions in a new thread, which has a new context: answers and resources spent.
fn run(resource_limit: Option<u32>, seed: u32) -> (Vec<Answer>, Vec<u64>) {
    let work = move || {
        let mut solver = z3_with(Z3Options {
            resource_limit,
            seed,
            ..Z3Options::default()
        });
        let (mut answers, mut spent) = (Vec::new(), Vec::new());
        for holes in [5, 7, 11] {
            solver.push().unwrap();
            pigeons(&mut solver, holes);
            answers.push(solver.check_assuming(OTHER, &[flag("p")]).unwrap());
            spent.push(solver.resources());
            solver.pop().unwrap();
        }
        (answers, spent)
    };
    std::thread::spawn(work).join().unwrap()
}

#[test]
fn resource_limits_are_reproducible() {
    let first = run(Some(200_000), 1);
    assert_eq!(first, run(Some(200_000), 1), "the same answers for the same price");
    let limited = Answer::Unknown(UnknownReason::ResourceLimit);
    assert_eq!(first.0, [Answer::Unsat, Answer::Unsat, limited]);
}

#[test]
fn time_limits_give_unknown() {
    let mut solver = z3_with(Z3Options {
        timeout: Some(Duration::from_millis(100)),
        ..Z3Options::default()
    });
    pigeons(&mut solver, 13);
    assert_eq!(
        solver.check_assuming(OTHER, &[flag("p")]),
        Ok(Answer::Unknown(UnknownReason::Timeout))
    );
}

#[test]
fn undecided_is_neither() {
    // a^3 + b^3 = c^3 has no positive solution, but who can tell?
    let mut solver = z3_with(Z3Options {
        resource_limit: Some(100_000),
        ..Z3Options::default()
    });
    let [a, b, c] = ["a", "b", "c"].map(number);
    let cube = |n: Term| multiply(n, multiply(n, n));
    for n in [a, b, c] {
        solver.assert(less(int(0), n)).unwrap();
    }
    solver.assert(equal(add([cube(a), cube(b)]), cube(c))).unwrap();
    assert!(matches!(solver.check(OTHER), Ok(Answer::Unknown(_))));
    assert_eq!(solver.model().err(), Some(SolverError::NoModel));
    assert_eq!(solver.unsat_core(), Err(SolverError::NoCore));
}

#[test]
fn a_recycled_solver_is_in_the_same_state() {
    let mut solver = z3();
    let [p, q, r] = ["p", "q", "r"].map(flag);
    solver.assert(or([not(p), q])).unwrap();
    solver.push().unwrap();
    solver.assert(p).unwrap();
    assert_eq!(solver.check_assuming(OTHER, &[and([r, not(q)])]), Ok(Answer::Unsat));
    solver.recycle().unwrap();
    assert_eq!(solver.check_assuming(OTHER, &[and([r, not(q)])]), Ok(Answer::Unsat));
    solver.pop().unwrap();
    assert_eq!(solver.check_assuming(OTHER, &[and([r, not(q)])]), Ok(Answer::Sat));
    assert_eq!(solver.pop(), Err(SolverError::PopWithoutPush));
}

#[test]
fn checks_are_counted_by_purpose() {
    let statistics = Arc::new(Statistics::default());
    let mut solver = Z3Solver::new(Z3Options::default(), Arc::clone(&statistics)).unwrap();
    for purpose in [Purpose::Trace, Purpose::Discovery, Purpose::Trace] {
        assert_eq!(solver.check(purpose), Ok(Answer::Sat));
    }
    let _ = solver.check_assuming(OTHER, &[int(0)]);
    assert_eq!(
        Purpose::ALL.map(|purpose| statistics.checks(purpose)),
        [0, 2, 1, 0, 0, 0, 0, 1]
    );
    assert_eq!(
        (statistics.total(), statistics.unknown(), statistics.errors()),
        (4, 0, 1)
    );
}

#[test]
fn faults_strike_at_the_given_check() {
    for (fault, expected) in [
        (Fault::Unknown, Ok(Answer::Unknown(UnknownReason::Injected))),
        (Fault::Timeout, Ok(Answer::Unknown(UnknownReason::Timeout))),
        (Fault::Error, Err(SolverError::Injected)),
    ] {
        let mut solver = FaultySolver::new(z3(), fault, 2);
        solver.assert(flag("p")).unwrap();
        assert_eq!(solver.check(OTHER), Ok(Answer::Sat));
        assert_eq!(solver.check(OTHER), expected);
        assert!(solver.model().is_err() && solver.unsat_core().is_err());
        assert_eq!(solver.check(OTHER), Ok(Answer::Sat));
        assert!(solver.model().is_ok());
        assert_eq!(solver.checks(), 3);
    }
}

/// Simplification must not change what Z3 says: `formula` and its simple form differ nowhere.
#[test]
fn simplified_formulas_are_equivalent_for_z3() {
    let mut solver = z3_with(Z3Options {
        resource_limit: Some(50_000),
        ..Z3Options::default()
    });
    let mut confirmed = 0;
    for seed in 0..400 {
        let mut choices = Choices::random(seed, 300);
        // With quantifiers over integers and division by zero, beyond what finite interpretations show.
        let formula = Vocabulary::decidable().part(&mut choices).formula(4, &mut choices);
        let simple = logic::simplify(formula);
        if simple == formula {
            continue;
        }
        solver.push().unwrap();
        solver.assert(not(equal(formula, simple))).unwrap();
        let answer = solver.check(OTHER).unwrap();
        assert_ne!(answer, Answer::Sat, "{formula:?} became {simple:?}");
        confirmed += u32::from(answer == Answer::Unsat);
        solver.pop().unwrap();
    }
    assert!(confirmed > 100, "{confirmed}");
}

/// Z3 simplifies what is asserted at once: of powers whose remainders are taken, it makes products of many factors.
#[test]
fn an_assertion_can_be_interrupted_and_spoils_no_other_solver() {
    let cancellation = Cancellation::new();
    let mut solver = z3_with(Z3Options {
        cancellation: cancellation.clone(),
        ..Z3Options::default()
    });
    let mut power = number("n");
    for _ in 0..40 {
        let cube = multiply(power, multiply(power, power));
        power = term::modulo(cube, int(7));
    }
    let other = cancellation.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        other.cancel();
    });
    let begun = Instant::now();
    solver.assert(less(power, int(3))).unwrap();
    assert_eq!(solver.check(OTHER), Ok(Answer::Unknown(UnknownReason::Interrupted)));
    canceller.join().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    // In the same context, under another switch.
    let mut solver = z3();
    let n = number("n");
    solver.assert(less(n, int(3))).unwrap();
    assert_eq!(solver.check(OTHER), Ok(Answer::Sat));
    solver.assert(less(int(5), n)).unwrap();
    assert_eq!(solver.check(OTHER), Ok(Answer::Unsat));
}
