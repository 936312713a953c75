//! Protocols that others wrote, proved for every size without a predicate of ours.

#![allow(clippy::unwrap_used, clippy::panic)]

use abstraction::goal::goals;
use abstraction::predicate::{Engine, GoalVerdict, Prover, Settings};
use logic::Cancellation;
use system::{SourceFile, TransitionSystem};
use testing::{Absent, Outcome};

fn system(name: &str) -> Result<TransitionSystem, Absent> {
    let path = testing::corpus(name)?;
    let file = SourceFile::new(name, std::fs::read_to_string(path).unwrap());
    let system = if name.ends_with(".m") {
        let (model, _) = murphi::check(&murphi::parse(&file).0, &murphi::CheckOptions::default());
        murphi::lower(&model).ok().unwrap().system
    } else {
        let (model, _) = cubicle::check(&cubicle::parse(&file).0);
        cubicle::lower(&model).ok().unwrap().system
    };
    Ok(deduction::parameters::instantiate_finite_parameters(
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

fn small_protocols_are_proved() -> Outcome {
    for name in [
        "cubicle/mesi.cub",
        "cubicle/synapse.cub",
        "cubicle/berkeley.cub",
        "cubicle/bakery.cub",
        "cubicle/germanish.cub",
        "murphi/dek.m",
    ] {
        let system = system(name)?;
        let (proved, real, unknown) = verdicts(&system, 20);
        assert!(
            proved > 0 && real == 0 && unknown == 0,
            "{name}: {proved} proved, {real} real, {unknown} unknown"
        );
    }
    Ok(())
}

fn what_is_wrong_is_not_proved() -> Outcome {
    for name in [
        "murphi/german_buggy.m",
        "cubicle/futurebus.cub",
        "cubicle/bakery_lamport_bogus.cub",
        "murphi/2_peterson.m",
    ] {
        let system = system(name)?;
        let mut first = system.clone();
        first.properties.truncate(1);
        let (proved, ..) = verdicts(&first, 3);
        assert_eq!(proved, 0, "{name}");
    }
    Ok(())
}

/// Mutants of a safe protocol: a guard dropped makes two processes meet.
fn dropped_guards_are_noticed() -> Outcome {
    let system = system("cubicle/synapse.cub")?;
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
    Ok(())
}

testing::tests!(
    small_protocols_are_proved,
    what_is_wrong_is_not_proved,
    dropped_guards_are_noticed,
);
