//! `check --induction` of random formulas on one-shot models, against exploration at unequal sizes.
//!
//! A formula that every start and every rule preserves holds in every state at every size. If all type-correct states
//! are initial, a step that violates a formula is the last one of a run. Each answer is therefore checked against all
//! states of small instances in which the types have different sizes.

mod draw;

use crate::isolation::{Ended, isolated};
use crate::minimise::minimise_program;
use crate::oracle;
use crate::random::Dice;
use crate::source::{Sizes, Source};
use crate::tally::Campaign;
use abstraction::induction::{self, Induction, Inductiveness, PlaceValues, Settings};
use explore::{Deadlock, FaultKind, SearchOptions, SilentObserver, ViolationKind};
use logic::Cancellation;
use smt::Solvers;
use std::collections::BTreeMap;
use std::time::Duration;

/// Sizes of the universes in which violating steps are searched.
const UNIVERSES: [u32; 2] = [1, 2];
/// Sizes of the two types.
const SIZES: [(i64, i64); 12] = [
    (1, 2),
    (2, 1),
    (1, 3),
    (3, 1),
    (2, 3),
    (3, 2),
    (4, 1),
    (1, 4),
    (4, 2),
    (2, 4),
    (3, 3),
    (5, 2),
];
const STATES: u64 = 20_000;
const TIME: Duration = Duration::from_millis(500);
/// The processor time limit for the checks of one case.
const ALLOWED: Duration = Duration::from_secs(2);

pub fn one_shot(dice: Dice) -> Source {
    draw::one_shot(dice).0
}

pub fn run(run: &mut Campaign) {
    for case in run.cases() {
        run.tried += 1;
        let (source, complete) = draw::one_shot(run.begin(case));
        try_source(run, &source, complete);
        if case % 200 == 199 {
            let line = format!("{} cases, {} wrong", case + 1, run.wrong.len());
            run.tell(&line);
        }
    }
}

/// Compares the claims about a model's formulas with its states. In a `complete` model every step is part of a run.
pub fn try_source(run: &mut Campaign, source: &Source, complete: bool) {
    let claims = match claims(source, &UNIVERSES) {
        Ok(claims) => claims,
        Err(Failure::Refused(reason)) => {
            let first = reason.lines().next().unwrap_or_default();
            let reason = first.split('`').step_by(2).collect::<Vec<_>>().join("_");
            return run.add(&format!("not asked because {reason}"), 1);
        }
        Err(failure) => {
            let what = if failure == Failure::Hung { "hang" } else { "panic" };
            run.add(&format!("cause: {what}"), 1);
            // The first few failures are minimised.
            let questions = if run.count_of(&format!("cause: {what}")) > 3 {
                0
            } else {
                100
            };
            let small = minimise_program(&source.text, questions, &mut |text| {
                let smaller = Source::new(source.name.as_str(), text);
                self::claims(&smaller, &UNIVERSES).is_err_and(|again| again == failure)
            });
            run.failure(&format!("{}.m", run.name()), what, small.as_bytes());
            // Without steps to display, there may be answers.
            match self::claims(source, &[]) {
                Ok(claims) => claims,
                Err(_) => return,
            }
        }
    };
    for result in &claims.results {
        run.add(&format!("{:?}", result.verdict), 1);
    }
    let Some(wrong) = contradiction(source, &claims, complete) else {
        return;
    };
    run.tell(&format!("{}: {}; making it smaller", run.name(), wrong.what));
    let small = minimise_program(&source.text, 300, &mut |text| {
        let smaller = Source::new(source.name.as_str(), text);
        let again = self::claims(&smaller, &UNIVERSES)
            .or_else(|_| self::claims(&smaller, &[]))
            .ok()
            .and_then(|claims| contradiction(&smaller, &claims, complete));
        again.is_some_and(|again| again.kind == wrong.kind)
    });
    run.add(&format!("cause: {}", wrong.kind), 1);
    let file = format!("{}.m", run.name());
    run.failure(&file, &wrong.what, small.as_bytes());
}

/// The claims about a model.
struct Claims {
    results: Vec<Induction>,
    /// Whether a note says that the proof is less precise than the source.
    is_abstract: bool,
}

/// The claims about the formulas of a model, or why there are none.
fn claims(source: &Source, universes: &'static [u32]) -> Result<Claims, Failure> {
    let source = source.clone();
    let asked = isolated(ALLOWED, move |cancellation| {
        let subject = source.subject().map_err(|refused| refused.0)?;
        let solvers = Solvers::default().under(cancellation);
        let settings = Settings {
            solvers: &solvers,
            sizes: universes,
        };
        let results = induction::check(&subject.system, &[], &subject.properties, &settings);
        Ok(Claims {
            results: results.map_err(|error| error.to_string())?,
            is_abstract: !subject.input.diagnostics.is_empty(),
        })
    });
    match asked {
        Ended::Well(Ok(claims)) => Ok(claims),
        Ended::Well(Err(reason)) => Err(Failure::Refused(reason)),
        Ended::Panicked => Err(Failure::Panicked),
        Ended::Hung => Err(Failure::Hung),
    }
}

#[derive(PartialEq, Eq)]
enum Failure {
    Refused(String),
    Panicked,
    Hung,
}

struct Wrong {
    kind: &'static str,
    what: String,
}

fn contradiction(source: &Source, claims: &Claims, complete: bool) -> Option<Wrong> {
    let verdicts: BTreeMap<&str, Inductiveness> = claims.results.iter().map(|r| (r.name.as_str(), r.verdict)).collect();
    let is_inductive = |name: &str| verdicts.get(name) == Some(&Inductiveness::Inductive);
    let all = claims
        .results
        .iter()
        .all(|result| result.verdict == Inductiveness::Inductive);
    if claims
        .results
        .iter()
        .any(|result| result.verdict == Inductiveness::Inductive)
    {
        let mut undefined_before = false;
        for (p, q) in SIZES {
            let sizes = sizes(source, p, q);
            for violation in violations(source, &sizes) {
                let wrong = match violation {
                    Seen::Invariant(name) if is_inductive(&name) => {
                        let what = format!("{name} is inductive, and violated with {sizes:?}");
                        Some(Wrong {
                            kind: "inductive, and violated",
                            what,
                        })
                    }
                    Seen::Fault(message) if all => {
                        let what = format!("no assertion can fail, and with {sizes:?}: {message}");
                        Some(Wrong {
                            kind: "an error that no assertion sees",
                            what,
                        })
                    }
                    // The exploration beside a proof finds it at small sizes.
                    Seen::Undefined(_) if p.max(q) <= 3 => {
                        undefined_before = true;
                        None
                    }
                    Seen::Undefined(message) if all && !undefined_before => {
                        let what = format!("all is proved, and with {sizes:?}: {message}");
                        Some(Wrong {
                            kind: "a read of an undefined value",
                            what,
                        })
                    }
                    _ => None,
                };
                if wrong.is_some() {
                    return wrong;
                }
            }
        }
    }
    claims
        .results
        .iter()
        .find_map(|result| step_without_run(source, claims, result, complete))
}

/// A definite violating step that is not part of any run.
fn step_without_run(source: &Source, claims: &Claims, result: &Induction, complete: bool) -> Option<Wrong> {
    let (failure, step) = result.step()?;
    // Starts define everything: a state with an undefined value need not be reachable.
    let is_undefined =
        |place: &PlaceValues| place.text.ends_with(" is defined") && place.before.as_deref() == Some("false");
    if !failure.is_start && step.places.iter().any(is_undefined) {
        return None;
    }
    // Nothing else may end a run before it.
    if claims.is_abstract || !step.is_certain || !(failure.is_start || complete) || !result.name.starts_with('i') {
        return None;
    }
    let sizes: Sizes = step
        .sizes
        .iter()
        .map(|(sort, size)| (sort.to_string(), *size as i64))
        .collect();
    let seen = violations(source, &sizes);
    let is_run = seen
        .iter()
        .any(|seen| matches!(seen, Seen::Invariant(name) if *name == result.name));
    let is_known = !seen
        .iter()
        .any(|seen| matches!(seen, Seen::Undefined(_) | Seen::Fault(_) | Seen::NotAll));
    (!is_run && is_known).then(|| Wrong {
        kind: "a step that is none",
        what: format!(
            "a step breaks {}, and with {sizes:?} there is none: {step:?}",
            result.name
        ),
    })
}

fn sizes(source: &Source, p: i64, q: i64) -> Sizes {
    let types = source.parametric_types().unwrap_or_default();
    let both = [("P", p), ("Q", q)]
        .into_iter()
        .filter(|(name, _)| types.iter().any(|ty| ty == name));
    both.map(|(name, size)| (name.to_owned(), size)).collect()
}

enum Seen {
    Invariant(String),
    Fault(String),
    Undefined(String),
    /// Some states were not explored.
    NotAll,
}

/// All violations of all properties at these sizes.
fn violations(source: &Source, sizes: &Sizes) -> Vec<Seen> {
    let Ok(mut instance) = source.instance_of(sizes.clone()) else {
        return vec![Seen::NotAll];
    };
    let options = SearchOptions {
        deadlock: Deadlock::Off,
        // Symmetry reduction is the subject of another generator.
        symmetry: false,
        max_states: Some(STATES),
        time_limit: Some(TIME),
        max_violations: usize::MAX,
        traces: false,
        ..SearchOptions::default()
    };
    let mut seen = Vec::new();
    // Each state reports only the first violated property; later ones appear once that property is removed.
    loop {
        let outcome = explore::explore(&instance, &options, &Cancellation::new(), &mut SilentObserver);
        let first = match &outcome.verdict {
            explore::SearchVerdict::Violation(first) => Some(&**first),
            explore::SearchVerdict::Incomplete(_) => {
                seen.push(Seen::NotAll);
                None
            }
            explore::SearchVerdict::Ok => None,
        };
        let mut names = Vec::new();
        let mut others = Vec::new();
        for violation in first.into_iter().chain(&outcome.further) {
            match violation.kind {
                ViolationKind::Invariant { property } => names.push(instance.properties[property].name.clone()),
                ViolationKind::Fault(FaultKind::UndefinedRead) => {
                    others.push(Seen::Undefined(violation.message.clone()));
                }
                kind if oracle::is_beside_the_point(kind) => others.push(Seen::NotAll),
                _ => others.push(Seen::Fault(violation.message.clone())),
            }
        }
        if names.is_empty() {
            seen.extend(others);
            return seen;
        }
        instance.properties.retain(|property| !names.contains(&property.name));
        seen.extend(names.into_iter().map(Seen::Invariant));
    }
}
