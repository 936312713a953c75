//! The proof for every size from facts that a small instance suggests, where there are types of any size.

use super::certify::certify;
use super::examples::Example;
use super::prove::{Proof, PropertyResult, say, user_predicates};
use super::{Task, also};
use crate::report::check_report;
use abstraction::cone::relevant;
use abstraction::indexed::backward::{self, Event, Invariant, Outcome};
use abstraction::indexed::cube::Cube;
use abstraction::indexed::reachability::{Reachability, Reached};
use abstraction::indexed::samples::Samples;
use logic::Term;
use smt::Z3Options;
use system::transition::{Fact, Predicate, Property};
use system::{Successors, TransitionSystem};

/// A size at which types of any size are explored for examples, as far as so many states, and with how many conjectures.
struct Trial {
    size: i64,
    states: u64,
    /// Whether examples that are not all states will do: they are chosen to differ, and more are looked for where a conjecture is doubtful.
    diverse: bool,
    conjectures: usize,
}

/// All states with three elements where they are few, else with two, which are often enough. Else some states with three.
const TRIALS: [Trial; 3] = [
    Trial {
        size: 3,
        states: 20_000,
        diverse: false,
        conjectures: 2000,
    },
    Trial {
        size: 2,
        states: 300_000,
        diverse: false,
        conjectures: 300,
    },
    Trial {
        size: 3,
        states: 60_000,
        diverse: true,
        conjectures: 2000,
    },
];
/// How many checks may be spent on what every rule keeps where there is no proof.
const LAST_CHECKS: usize = 5_000;

/// A proof of all properties, or why there is none.
pub(super) enum Attempt {
    Proved(Proof),
    /// With facts that hold in every state up to the first in which a property fails.
    Failed {
        reason: String,
        facts: Vec<Term>,
    },
}

pub(super) fn attempt(task: &Task, prepared: &TransitionSystem, options: &Z3Options) -> anyhow::Result<Attempt> {
    let is_indexed = |predicate: &Predicate| !predicate.indices.is_empty();
    if task.system.index_sorts.is_empty() && !user_predicates(task).iter().any(is_indexed) {
        return Ok(Attempt::Failed {
            reason: "no type has any size".to_owned(),
            facts: Vec::new(),
        });
    }
    let formulas = |properties: &[Property]| properties.iter().map(|p| p.formula).collect::<Vec<Term>>();
    let (properties, further) = (formulas(task.properties), formulas(task.further));
    let mut count = 0;
    let mut tell = |event: Event| {
        count += 1;
        task.progress
            .phase("proving", &format!(", {count} conjectures about every size"));
        let fact = |cube: &Cube| check_report::closed_formula(task.system, cube.fact());
        say(
            task,
            &match event {
                Event::Conjecture(cube) => format!("  conjecture: {}", fact(cube)),
                Event::Withdrawn(cube, because) => format!("  withdrawn: {}; it needs {}", fact(cube), fact(because)),
            },
        );
    };
    let reached = declared(task, prepared, options)?;
    let mut prove =
        |samples: &mut Samples, explorer: Option<&dyn Successors>, conjectures: usize, last_checks: usize| {
            let known = backward::Known {
                properties: &properties,
                hints: &reached.facts,
                further: &further,
                explorer,
                conjectures,
                last_checks,
            };
            backward::prove(prepared, &known, samples, options, &task.statistics, &mut tell)
        };
    if !reached.facts.is_empty() {
        // They may be enough.
        if let Outcome::Proved(invariant) = prove(&mut Samples::default(), None, 0, 0)? {
            return certified(task, prepared, &reached, invariant, options);
        }
    }
    let (mut reason, mut facts) = (String::new(), Vec::new());
    for (number, trial) in TRIALS.iter().enumerate() {
        task.progress.phase("looking for examples in a small instance", "");
        let example = Example::at_size(task, trial.size);
        let sampler = example
            .as_ref()
            .and_then(|example| example.sampler(trial.states, options));
        let mut samples = match (&example, &sampler) {
            (Some(example), Some(sampler)) => example.samples(task, sampler, trial.diverse),
            _ => Samples::default(),
        };
        if !trial.diverse && samples.is_cut() {
            continue;
        }
        let explorer = sampler.as_ref().filter(|_| samples.is_cut());
        let explorer = explorer.map(|sampler| sampler as &dyn Successors);
        // Another trial follows the second one.
        let last_checks = if number == 1 { 0 } else { LAST_CHECKS };
        match prove(&mut samples, explorer, trial.conjectures, last_checks)? {
            Outcome::Proved(invariant) => return certified(task, prepared, &reached, invariant, options),
            Outcome::Unknown { reason: why, inductive } => {
                (reason, facts) = (why, inductive);
            }
        }
        say(
            task,
            &format!("no proof with examples of size {}: {reason}", trial.size),
        );
        if number == 0 || options.cancellation.is_cancelled() {
            break;
        }
    }
    Ok(Attempt::Failed { reason, facts })
}

fn certified(
    task: &Task,
    system: &TransitionSystem,
    reached: &Reached,
    invariant: Invariant,
    options: &Z3Options,
) -> anyhow::Result<Attempt> {
    let mut proof = Proof {
        engine: "indexed",
        system: system.clone(),
        results: results(task),
        iterations: reached.iterations,
        abstract_states: reached.abstract_states,
        facts: named(task, &invariant.facts),
        premises: invariant.premises,
        further: also::results(task, &invariant.implied),
        ..Proof::default()
    };
    certify(task, options, &mut proof)?;
    Ok(Attempt::Proved(proof))
}

/// What the predicates say that the user declared with index variables; nothing where there are none.
fn declared(task: &Task, prepared: &TransitionSystem, options: &Z3Options) -> anyhow::Result<Reached> {
    let predicates = user_predicates(task);
    if predicates.iter().all(|predicate| predicate.indices.is_empty()) {
        return Ok(Reached::default());
    }
    let formulas = task
        .properties
        .iter()
        .chain(task.further)
        .map(|property| property.formula);
    let predicates = relevant(prepared, formulas, predicates);
    let mut reachability = Reachability::new(prepared, &predicates, options, &task.statistics);
    let mut tell = |iteration: usize, states: f64| {
        let counts = format!("iteration {iteration}, {states} abstract states");
        task.progress.phase("proving", &format!(", {counts}"));
        say(task, &counts);
    };
    let reached = reachability.fixpoint(&mut tell)?.unwrap_or_default();
    for fact in &reached.facts {
        say(
            task,
            &format!("  fact: {}", check_report::closed_formula(task.system, *fact)),
        );
    }
    Ok(reached)
}

/// All properties stand or fall together.
pub(super) fn results(task: &Task) -> Vec<PropertyResult> {
    let result = |property: &Property| PropertyResult {
        name: property.name.clone(),
        goals: Vec::new(),
    };
    task.properties.iter().map(result).collect()
}

/// The first facts are the properties themselves.
fn named(task: &Task, facts: &[Term]) -> Vec<Fact> {
    let names = task.properties.iter().map(|property| property.name.clone());
    let lemmas = (1..).map(|number| format!("lemma {number}"));
    let span = task
        .properties
        .first()
        .map(|property| property.span)
        .unwrap_or_default();
    let fact = |(formula, name): (&Term, String)| Fact {
        name,
        formula: *formula,
        span,
    };
    facts.iter().zip(names.chain(lemmas)).map(fact).collect()
}
