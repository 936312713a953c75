//! The proof of all goals, and the certificate that comes of it.

use super::certify::{Confirmation, certify};
use crate::arguments::Check;
use crate::input::{Input, Model};
use crate::report::check_report;
use crate::supervise::{Control, Limits};
use crate::terminal;
use abstraction::cegar::{Engine, Event, GoalReport, GoalVerdict, Settings, check_goal};
use abstraction::goal::{Goal, goals};
use logic::{Term, term};
use smt::{Interrupt, Statistics, Z3Options};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use system::TransitionSystem;
use system::certificate::Certificate;
use system::transition::{Fact, Property};

/// Discovery gives up after so many cycles.
const CYCLES: usize = 60;

/// What became of one property, or of the assertions of the rules.
pub(crate) struct PropertyResult {
    pub(crate) name: String,
    pub(crate) goals: Vec<(Goal, GoalReport)>,
}

impl PropertyResult {
    pub(crate) fn proved(&self) -> bool {
        self.goals
            .iter()
            .all(|(_, goal)| matches!(goal.verdict, GoalVerdict::Proved { .. }))
    }

    /// Why it is not proved.
    pub(crate) fn reason(&self) -> Option<String> {
        self.goals.iter().find_map(|(_, goal)| match &goal.verdict {
            GoalVerdict::Unknown { reason, .. } => Some(reason.clone()),
            GoalVerdict::Real(_) => Some("an abstract run into a bad state has a concrete one".to_owned()),
            GoalVerdict::Proved { .. } => None,
        })
    }
}

/// Everything there is to report about a proof.
pub(crate) struct Proof {
    pub(crate) results: Vec<PropertyResult>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) confirmations: Vec<Confirmation>,
    /// Why the proof does not count.
    pub(crate) doubt: Option<String>,
    pub(crate) statistics: Arc<Statistics>,
    pub(crate) certificate: Option<PathBuf>,
}

/// Runs a proof whose solvers stop at Ctrl-C and at the time limit.
pub(crate) fn interruptible<T>(limits: &Limits, control: &Control, work: impl FnOnce(&Z3Options) -> T) -> T {
    let options = Z3Options {
        interrupt: Interrupt::new(),
        ..Z3Options::default()
    };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let late = limits.time_left().is_some_and(|left| left.is_zero());
                if late || control.stop.load(Ordering::Relaxed) {
                    options.interrupt.trigger();
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let result = work(&options);
        done.store(true, Ordering::Relaxed);
        result
    })
}

pub(super) fn prove(
    arguments: &Check,
    input: &Input,
    system: &TransitionSystem,
    properties: &[Property],
    options: &Z3Options,
) -> anyhow::Result<Proof> {
    let options = Z3Options {
        seed: arguments.seed,
        ..options.clone()
    };
    let prepared = abstraction::prepare::instantiate_finite_parameters(system);
    let statistics = Arc::new(Statistics::default());
    let declared = declared_predicates(arguments, input, system);
    let settings = Settings {
        engine: Engine::default(),
        solver: options.clone(),
        statistics: Arc::clone(&statistics),
        maximal_cycles: if arguments.no_discovery { 0 } else { CYCLES },
    };
    let mut results = Vec::new();
    let mut certificate = Certificate::default();
    for property in properties {
        let mut of_property = Vec::new();
        for goal in goals(&property.name, property.formula, &prepared) {
            let mut tell = |event: Event| {
                if let Event::Predicate(predicate) = event
                    && arguments.style.verbose
                {
                    terminal::complain(&format!(
                        "predicate: {}\n",
                        check_report::formula(system, &goal, predicate)
                    ));
                }
            };
            let report = check_goal(&prepared, &goal, &declared, &settings, &mut tell)?;
            if let GoalVerdict::Proved { invariant, .. } = &report.verdict {
                add_facts(&mut certificate, &goal, invariant, property);
            }
            of_property.push((goal, report));
        }
        if system.properties.iter().any(|p| p.name == property.name) {
            certificate.properties.push(property.name.clone());
        }
        results.push(PropertyResult {
            name: property.name.clone(),
            goals: of_property,
        });
    }
    let mut proof = Proof {
        results,
        facts: certificate.facts.clone(),
        confirmations: Vec::new(),
        doubt: None,
        statistics,
        certificate: None,
    };
    if properties.is_empty() {
        proof.doubt = Some("the model has nothing to check".to_owned());
    } else if proof.results.iter().all(PropertyResult::proved) {
        certify(arguments, input, system, &certificate, &options, &mut proof)?;
    }
    Ok(proof)
}

/// The predicates that the user wants to be used: those of the model unless they are to be ignored, and those of `--predicates`.
fn declared_predicates(arguments: &Check, input: &Input, system: &TransitionSystem) -> Vec<Term> {
    let all = &system.predicates;
    let in_file = input.predicates.as_ref().map_or(0, |predicates| predicates.count);
    let skipped = if arguments.ignore_predicates {
        all.len().saturating_sub(in_file)
    } else {
        0
    };
    // A hint of a Cubicle model is a claim about all processes.
    let is_claim = matches!(input.model, Model::Cubicle { .. });
    all.iter()
        .skip(skipped)
        .filter(|predicate| predicate.indices.is_empty() || is_claim)
        .map(|predicate| term::forall(predicate.indices.clone(), predicate.formula))
        .collect()
}

fn add_facts(certificate: &mut Certificate, goal: &Goal, invariant: &[Term], property: &Property) {
    for formula in invariant {
        let formula = goal.close(*formula);
        if certificate.facts.iter().all(|fact| fact.formula != formula) {
            let name = format!("fact {}", certificate.facts.len() + 1);
            certificate.facts.push(Fact {
                name,
                formula,
                span: property.span,
            });
        }
    }
}
