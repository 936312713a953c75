//! The back ends agree with each other and with our own evaluation, on thousands of random formulas.
#![allow(clippy::unwrap_used)]

mod support;

use logic::testing::{Choices, Vocabulary};
use logic::{Environment, Term, Value, evaluate};
use smt::{Answer, Model, ProcessOptions, Purpose, Solver, Z3Options};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use support::{process_with, programs, z3, z3_with};

const FORMULAS: u64 = 2_000;

/// Formulas of five kinds in turn, and whether quantifiers over integers or the theory of lists are in.
fn formula(seed: u64) -> Term {
    let mut choices = Choices::random(seed, 400);
    let vocabulary = match seed % 5 {
        0 => Vocabulary::decidable().quantifier_free(),
        1 => Vocabulary::decidable(),
        2 => Vocabulary::finite().quantifier_free(),
        3 => Vocabulary::machine(&[1, 3, 8]).quantifier_free(),
        _ => Vocabulary::decidable().closed(),
    };
    let vocabulary = vocabulary.part(&mut choices);
    // Random disjunctions are easily satisfied: several formulas together less so.
    let parts: Vec<Term> = (0..1 + seed % 5).map(|_| vocabulary.formula(4, &mut choices)).collect();
    logic::term::and(parts)
}

/// What came of the checks of one solver.
#[derive(Default)]
struct Tally {
    answers: BTreeMap<&'static str, u64>,
    time: Duration,
}

impl Tally {
    fn count(&mut self, what: &'static str) {
        *self.answers.entry(what).or_default() += 1;
    }
}

/// The value by our own evaluation: the model only tells what symbols mean.
fn evaluated(model: &dyn Model, formula: Term) -> Option<Value> {
    let mut environment = Environment::new();
    for variable in formula.free_variables() {
        environment.bind(*variable, model.value(variable.term()).ok()?);
    }
    evaluate(formula, &environment, model).ok()
}

/// Checks the formula on a level of its own; a model must satisfy it.
fn ask(solver: &mut dyn Solver, formula: Term, tally: &mut Tally) -> Option<bool> {
    let start = Instant::now();
    solver.push().unwrap();
    solver.assert(formula).unwrap();
    let answer = solver.check(Purpose::Other).unwrap();
    tally.time += start.elapsed();
    let answer = match answer {
        Answer::Sat => {
            tally.count("sat");
            match evaluated(&*solver.model().unwrap(), formula) {
                Some(Value::Bool(true)) => tally.count("model confirmed"),
                Some(value) => unreachable!("the model makes it {value}: {formula:?}"),
                None => tally.count("model beyond evaluation"),
            }
            Some(true)
        }
        Answer::Unsat => {
            tally.count("unsat");
            Some(false)
        }
        Answer::Unknown(_) => {
            tally.count("unknown");
            None
        }
    };
    solver.pop().unwrap();
    answer
}

#[test]
fn back_ends_agree_and_models_satisfy() {
    let limited = Z3Options {
        resource_limit: Some(50_000),
        ..Z3Options::default()
    };
    let mut solvers: Vec<(&str, Box<dyn Solver>)> = vec![("embedded z3", Box::new(z3_with(limited)))];
    for (name, command) in programs() {
        let options = ProcessOptions {
            timeout: Some(Duration::from_secs(2)),
            resource_limit: Some(if name == "z3" { 50_000 } else { 5_000 }),
            ..ProcessOptions::new(command)
        };
        solvers.push((name, Box::new(process_with(options))));
    }
    let mut tallies: Vec<Tally> = solvers.iter().map(|_| Tally::default()).collect();
    let mut decided_by_all = 0;
    for seed in 0..FORMULAS {
        let formula = formula(seed);
        let mut answers: Vec<Option<bool>> = Vec::new();
        for ((_, solver), tally) in solvers.iter_mut().zip(&mut tallies) {
            answers.push(ask(solver.as_mut(), formula, tally));
        }
        let clash = answers.contains(&Some(true)) && answers.contains(&Some(false));
        assert!(!clash, "seed {seed}: {answers:?} for {formula:?}");
        decided_by_all += u64::from(!answers.contains(&None));
    }
    for ((name, _), tally) in solvers.iter().zip(&tallies) {
        let unknown = tally.answers.get("unknown").copied().unwrap_or(0);
        let each = tally.time / u32::try_from(FORMULAS).unwrap();
        println!(
            "{name}: {:?}, unknown {:.1}%, {each:?} each",
            tally.answers,
            unknown as f64 * 100.0 / FORMULAS as f64
        );
        assert!(unknown * 5 < FORMULAS, "{name} should decide most of them");
    }
    println!("{decided_by_all} of {FORMULAS} decided by all");
}

/// Cores, of random sets of assumptions, are unsatisfiable on their own in a fresh solver.
#[test]
fn cores_are_unsatisfiable_alone() {
    let mut solvers: Vec<(&str, Box<dyn Solver>)> = vec![(
        "embedded z3",
        Box::new(z3_with(Z3Options {
            resource_limit: Some(50_000),
            ..Z3Options::default()
        })),
    )];
    for (name, command) in programs() {
        let options = ProcessOptions {
            timeout: Some(Duration::from_millis(2_000)),
            ..ProcessOptions::new(command)
        };
        solvers.push((name, Box::new(process_with(options))));
    }
    for (name, solver) in &mut solvers {
        let mut cores = 0;
        for seed in 0..200 {
            let mut choices = Choices::random(seed, 400);
            let vocabulary = Vocabulary::decidable().quantifier_free().part(&mut choices);
            let mut assumptions: Vec<Term> = (0..10).map(|_| vocabulary.formula(3, &mut choices)).collect();
            assumptions.push(logic::Function::constant("p", logic::Sort::Bool).apply([]));
            if solver.check_assuming(Purpose::Other, &assumptions).unwrap() != Answer::Unsat {
                continue;
            }
            let core = solver.unsat_core().unwrap();
            assert!(core.iter().all(|term| assumptions.contains(term)));
            let mut fresh = z3();
            for term in &core {
                fresh.assert(*term).unwrap();
            }
            assert_eq!(
                fresh.check(Purpose::Other),
                Ok(Answer::Unsat),
                "{name}, seed {seed}: {core:?}"
            );
            let minimal = deduction::cores::minimise_core(solver.as_mut(), Purpose::Other, core.clone()).unwrap();
            assert!(minimal.len() <= core.len() && minimal.iter().all(|term| core.contains(term)));
            assert_eq!(solver.check_assuming(Purpose::Other, &minimal), Ok(Answer::Unsat));
            cores += 1;
        }
        println!("{name}: {cores} cores");
        assert!(cores > 20, "{name}: too few for a test");
    }
}

/// After any sequence of pushes, pops and assertions, an incremental solver answers as a fresh one does.
#[test]
fn levels_are_kept_as_by_a_fresh_solver() {
    let mut solvers: Vec<(&str, Box<dyn Solver>)> = vec![("embedded z3", Box::new(z3()))];
    for (name, command) in programs() {
        solvers.push((name, Box::new(support::process(command))));
    }
    for (name, solver) in &mut solvers {
        let mut choices = Choices::random(7, 20_000);
        let vocabulary = Vocabulary::decidable().quantifier_free();
        let mut levels: Vec<Vec<Term>> = vec![Vec::new()];
        for step in 0..150 {
            match choices.below(5) {
                0 => {
                    solver.push().unwrap();
                    levels.push(Vec::new());
                }
                1 if levels.len() > 1 => {
                    solver.pop().unwrap();
                    levels.pop();
                }
                _ if levels.len() > 1 => {
                    let formula = vocabulary.formula(2, &mut choices);
                    solver.assert(formula).unwrap();
                    levels.last_mut().unwrap().push(formula);
                }
                _ => {}
            }
            let assumption = vocabulary.formula(2, &mut choices);
            let mut fresh = z3();
            for formula in levels.iter().flatten() {
                fresh.assert(*formula).unwrap();
            }
            fresh.assert(assumption).unwrap();
            let expected = fresh.check(Purpose::Other).unwrap();
            let answer = solver.check_assuming(Purpose::Other, &[assumption]).unwrap();
            let decided = |answer: &Answer| !matches!(answer, Answer::Unknown(_));
            if decided(&expected) && decided(&answer) {
                assert_eq!(answer, expected, "{name}, step {step}");
            }
        }
    }
}
