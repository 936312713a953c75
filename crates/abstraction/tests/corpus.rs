//! Protocols that others wrote, proved for every size without a predicate of ours.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use abstraction::goal::goals;
use abstraction::predicate::{Engine, GoalVerdict, Prover, Settings};
use logic::Cancellation;
use std::path::Path;
use system::{SourceFile, TransitionSystem};

fn system(name: &str) -> Option<TransitionSystem> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus")
        .join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is absent", path.display());
        return None;
    };
    let file = SourceFile::new(name, text);
    let system = if name.ends_with(".m") {
        let (model, _) = murphi::check(&murphi::parse(&file).0, &murphi::Options::default());
        murphi::lower(&model).ok().unwrap().system
    } else {
        let (model, _) = cubicle::check(&cubicle::parse(&file).0);
        cubicle::lower(&model).ok().unwrap().system
    };
    Some(abstraction::formulas::instantiate_finite_parameters(
        &system,
        &Cancellation::new(),
    ))
}

/// How every goal of a model ends: (proved, real).
fn verdicts(system: &TransitionSystem, cycles: usize) -> (usize, usize, usize) {
    let settings = Settings {
        engine: Engine::Approximate,
        cartesian: false,
        solvers: smt::Solvers::default(),
        maximal_cycles: cycles,
        news: abstraction::predicate::News::default(),
    };
    let (mut proved, mut real, mut unknown) = (0, 0, 0);
    for property in &system.properties {
        for goal in goals(&property.name, property.formula, system) {
            let report = Prover::new(system, settings.clone())
                .check(&goal, &[], &mut |_| ())
                .unwrap();
            match report.verdict {
                GoalVerdict::Proved { .. } => proved += 1,
                GoalVerdict::Real { .. } => real += 1,
                GoalVerdict::Unknown { .. } => unknown += 1,
            }
        }
    }
    (proved, real, unknown)
}

#[test]
fn small_protocols_are_proved() {
    for name in [
        "cubicle/mesi.cub",
        "cubicle/synapse.cub",
        "cubicle/berkeley.cub",
        "cubicle/bakery.cub",
        "cubicle/germanish.cub",
        "murphi/dek.m",
    ] {
        let Some(system) = system(name) else { return };
        let (proved, real, unknown) = verdicts(&system, 20);
        assert!(
            proved > 0 && real == 0 && unknown == 0,
            "{name}: {proved} proved, {real} real, {unknown} unknown"
        );
    }
}

#[test]
fn what_is_wrong_is_not_proved() {
    for name in [
        "murphi/german_buggy.m",
        "cubicle/futurebus.cub",
        "cubicle/bakery_lamport_bogus.cub",
        "murphi/2_peterson.m",
    ] {
        let Some(system) = system(name) else { return };
        let mut first = system.clone();
        first.properties.truncate(1);
        let (proved, ..) = verdicts(&first, 3);
        assert_eq!(proved, 0, "{name}");
    }
}

/// Mutants of a safe protocol: a guard dropped makes two processes meet.
#[test]
fn dropped_guards_are_noticed() {
    let Some(system) = system("cubicle/synapse.cub") else {
        return;
    };
    let mut broken = system.clone();
    for rule in &mut broken.rules {
        rule.guard = logic::term::bool(true);
        rule.updates.truncate(1);
    }
    let bad_start = &mut broken.starts[0];
    bad_start.updates.clear();
    bad_start.constraint = logic::term::bool(true);
    let (proved, real, _) = verdicts(&broken, 5);
    assert_eq!((proved, real), (0, 1));
}
