//! Regression tests of earlier findings. The first line of each model states the truth about it.

#![allow(clippy::unwrap_used)]

use explore::{Deadlock, SearchOptions, SearchVerdict, SilentObserver};
use fuzz::confirmation::{Batch, Confirmation, cvc5};
use fuzz::engine::{Claim, ENGINES};
use fuzz::isolation::Ended;
use fuzz::oracle::{ExplorationLimits, Truth, explore_sizes};
use fuzz::source::Source;
use fuzz::systems::{ask, verdict_on};
use logic::Cancellation;
use murphi::model::TypeKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// States of the declared instance that are compared with the system.
const AS_DECLARED: usize = 20;

#[test]
fn what_was_wrong_is_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    // Most of the time is spent on engines that do not terminate.
    let (first, second) = paths.split_at(paths.len() / 2);
    let (mut wrong, proved) = std::thread::scope(|scope| {
        let other = scope.spawn(|| all_that_is_wrong(second));
        let mut found = all_that_is_wrong(first);
        let other = other.join().unwrap();
        found.0.extend(other.0);
        found.1.extend(other.1);
        found
    });
    let mut certificates = Batch::new();
    proved.into_iter().for_each(|(name, text)| certificates.add(name, text));
    if let Some(cvc5) = cvc5() {
        let judged = certificates.confirm(&cvc5).into_iter();
        let bad =
            judged.filter(|(.., opinion)| matches!(opinion, Confirmation::Refuted(_) | Confirmation::Rejected(_)));
        wrong.extend(bad.map(|(name, _, opinion)| format!("{name}: certificate {opinion:?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The certificates of proofs, by engine.
type Certificates = Vec<(String, String)>;

fn all_that_is_wrong(paths: &[PathBuf]) -> (Vec<String>, Certificates) {
    let mut certificates = Vec::new();
    let wrong = paths.iter().filter_map(|path| what_is_wrong(path, &mut certificates));
    (wrong.collect(), certificates)
}

/// The first line of a model.
struct Expected {
    is_unsafe: bool,
    /// Some engine must prove it: giving up is no fix.
    is_proved: bool,
    /// A diagnostic instead of a system is acceptable, too.
    may_be_refused: bool,
}

impl Expected {
    fn read(text: &str) -> Option<Expected> {
        let line = text.lines().next()?;
        let mut words = line.trim_start_matches(['-', '(', '*', ' ']).split(';').map(str::trim);
        let is_unsafe = match words.next()? {
            "unsafe" => true,
            "safe" => false,
            _ => return None,
        };
        let second = words.next();
        Some(Expected {
            is_unsafe,
            is_proved: second == Some("proved"),
            may_be_refused: second == Some("refused"),
        })
    }

    /// The time limit of an engine. Wrong proofs of these models took much less.
    fn time(&self) -> Duration {
        Duration::from_millis(if self.is_unsafe { 300 } else { 1000 })
    }
}

/// The first error in the results for a model.
fn what_is_wrong(path: &Path, certificates: &mut Certificates) -> Option<String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let Some(expected) = Expected::read(&text) else {
        return Some(format!("{name} does not say what it is"));
    };
    let source = Source::new(name.as_str(), text);
    let truth = truth_of(&source);
    if truth.violated.is_some() != expected.is_unsafe {
        return Some(format!("{name}: exploration says {truth:?}"));
    }
    if expected.may_be_refused && source.system().is_err() {
        return None;
    }
    if let Err(difference) = agreement(&source) {
        return Some(format!("{name}: {difference}"));
    }
    let mut is_proved = false;
    for (engine_name, engine) in ENGINES {
        let Ended::Well(answer) = ask(&source, engine, expected.time(), false) else {
            return Some(format!("{name}: {engine_name} panics or hangs"));
        };
        let fits = match answer.claim {
            Claim::Proved(_) => !expected.is_unsafe,
            Claim::Refuted(_) => expected.is_unsafe,
            Claim::Unknown(_) => true,
        };
        if let Some(wrong) = verdict_on(&answer.claim, &source, &truth) {
            return Some(format!("{name}: {engine_name}: {wrong}"));
        } else if !fits {
            return Some(format!("{name}: {engine_name} says {}", answer.claim.word()));
        }
        if let Claim::Proved(Ok(text)) = answer.claim {
            is_proved = true;
            certificates.push((format!("{name}: {engine_name}"), text));
        }
    }
    (expected.is_proved && !is_proved).then(|| format!("{name}: no engine proves it"))
}

/// Compares system and instance: with two elements, and at the declared sizes, which the guards of many of these models
/// require.
fn agreement(source: &Source) -> Result<(), String> {
    if !names_elements(source) {
        source.agreement(2, 1000).map_err(|refused| refused.0)??;
    }
    let Some(model) = as_declared(source) else {
        return Ok(());
    };
    let Ok(lowered) = murphi::lower(&model) else {
        // With a type at its declared size.
        let found = source
            .agreement_at(BTreeMap::new(), AS_DECLARED)
            .map_err(|refused| refused.0)?;
        return found
            .map(|_| ())
            .map_err(|difference| format!("as declared: {difference}"));
    };
    let options = murphi::CompileOptions { integer_window: (0, 2) };
    let (instance, _) = murphi::compile(&model, &options);
    let correspondence = lowered.correspondence(&model, &instance);
    let found = explore::check_agreement(&instance, &lowered.system, &correspondence, AS_DECLARED);
    found
        .map(|_| ())
        .map_err(|difference| format!("as declared: {difference}"))
}

/// The result of exploring small sizes and, if these have no violation, the declared sizes.
fn truth_of(source: &Source) -> Truth {
    let mut truth = Truth::default();
    if !names_elements(source) {
        truth = explore_sizes(source, ExplorationLimits::default());
    }
    if let (None, Some(model)) = (&truth.violated, as_declared(source)) {
        let (instance, _) = murphi::compile(&model, &murphi::CompileOptions::default());
        let options = SearchOptions {
            deadlock: Deadlock::Off,
            max_states: Some(10_000),
            ..SearchOptions::default()
        };
        let outcome = explore::explore(&instance, &options, &Cancellation::new(), &mut SilentObserver);
        if let SearchVerdict::Violation(violation) = outcome.verdict {
            truth.violated = Some((0, violation.message));
        }
    }
    truth
}

/// The model at its declared sizes, unless these are explored anyway.
fn as_declared(source: &Source) -> Option<murphi::model::Model> {
    let model = declared(source)?;
    let is_gated = ["four", "five"]
        .iter()
        .any(|name| model.rules.iter().any(|rule| rule.name == *name));
    (is_gated || names_elements(source)).then_some(model)
}

fn declared(source: &Source) -> Option<murphi::model::Model> {
    let file = system::SourceFile::new(source.name.as_str(), source.text.as_str());
    let (program, _) = murphi::parse(&file);
    source
        .is_murphi()
        .then(|| murphi::check(&program, &murphi::CheckOptions::default()).0)
}

/// Whether the text names elements of a parametric type, so that there is no instance with one element.
fn names_elements(source: &Source) -> bool {
    let Some(model) = declared(source) else { return false };
    model.types.iter().any(|ty| match (&ty.parametric, &ty.kind) {
        (Some(parametric), TypeKind::Range { low, .. }) => parametric.literals.iter().any(|literal| literal > low),
        (Some(parametric), _) => parametric.literals.iter().any(|literal| *literal > 0),
        _ => false,
    })
}

/// On one thread, a violating initial state was reported at depth 1 and not counted as initial.
#[test]
fn a_violation_in_an_initial_state_is_counted_the_same_by_any_number_of_threads() {
    let text = "var x: boolean; startstate havoc x; end; rule x := !x; end; invariant \"off\" !x;";
    let instance = Source::new("off.m", text).instance(1).unwrap();
    let counts = |jobs: usize| {
        let options = SearchOptions {
            deadlock: Deadlock::Off,
            jobs,
            ..SearchOptions::default()
        };
        let outcome = explore::explore(&instance, &options, &Cancellation::new(), &mut SilentObserver);
        let statistics = outcome.statistics;
        (statistics.states, statistics.starts, statistics.max_depth)
    };
    assert_eq!(counts(1), counts(4));
    assert_eq!(counts(1).2, 0);
}
