//! Mistakes of Cubist that it notices itself. They are never a verdict: for every subject, the program ends with
//! exit status 70, and everything that is needed to find the mistake is kept in a folder.

use crate::crosscheck::ContradictedFact;
use crate::input::{Input, shown_name};
use crate::model::LoweredModel;
use crate::non_safety::sizes_text;
use crate::notation;
use crate::step_check::StepDisagreement;
use crate::verdict::{Proved, Unknown};
use explore::{Unconfirmed, Violation};
use std::fmt::Write as _;
use std::path::Path;
use system::Sources;
use system::instance::Instance;

/// What kind of answer is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MistakeKind {
    /// A run, or an explored state, contradicts a proof.
    ContradictedProof,
    /// The proof is about a system that does not do what the subject does.
    WrongSystem,
    /// A run into a violation that another semantics does not reproduce.
    UnconfirmedRun,
    /// What an engine hands over as a proof is not one.
    WrongProof,
}

/// A wrong answer that was not given, with everything that is needed to find out why.
#[derive(Debug)]
pub struct Mistake {
    pub kind: MistakeKind,
    /// One sentence without a full stop.
    pub message: String,
    /// What was read, each with the name of its copy; the report is about the first.
    pub sources: Vec<(String, Sources)>,
    /// Other files to keep: names and texts.
    pub files: Vec<(&'static str, String)>,
}

impl Mistake {
    /// A mistake about one file and what it includes.
    pub fn about(sources: &Sources, kind: MistakeKind, message: String) -> Mistake {
        Mistake {
            kind,
            message,
            sources: vec![(file_name(&sources.model().name), sources.clone())],
            files: Vec::new(),
        }
    }

    /// The same with one more file to keep.
    #[must_use]
    pub fn with_file(mut self, name: &'static str, text: String) -> Mistake {
        self.files.push((name, text));
        self
    }

    /// A solver refutes what an engine claims to have proved.
    pub(crate) fn refuted(sources: &Sources, unknown: &Unknown) -> Mistake {
        let engine = unknown.account.engine.unwrap_or("none");
        let message = format!("the engine {engine} claims a proof, and {}", unknown.reason);
        let mistake = Mistake::about(sources, MistakeKind::WrongProof, message);
        match &unknown.certificate {
            Some(text) => mistake.with_file("certificate.smt2", text.clone()),
            None => mistake,
        }
    }

    fn about_model(input: &Input, kind: MistakeKind, message: String) -> Mistake {
        let mut mistake = Mistake::about(input.sources(), kind, message);
        if input.file().name == shown_name(Path::new("-"))
            && let Some((name, _)) = mistake.sources.first_mut()
        {
            *name = format!("model.{}", input.language().extension());
        }
        mistake
    }

    /// The other interpreter does not reproduce the run of a violation.
    pub fn unconfirmed_run(input: &Input, instance: &Instance, violation: &Violation, reason: &Unconfirmed) -> Mistake {
        let message = format!(
            "a violation ({}) is not confirmed by the other interpreter: {reason}",
            violation.message
        );
        Mistake::about_model(input, MistakeKind::UnconfirmedRun, message)
            .with_file("run.txt", run_text(input, instance, violation, reason))
    }

    /// The other interpreter finds other states than the search did.
    pub(crate) fn unconfirmed_states(input: &Input, reason: &Unconfirmed) -> Mistake {
        let message = format!("no violation was found, and the other interpreter disagrees: {reason}");
        Mistake::about_model(input, MistakeKind::ContradictedProof, message)
    }

    /// What was proved is false in a state that the explorer reaches.
    pub(crate) fn contradicted(subject: &LoweredModel, proved: &Proved, found: &ContradictedFact) -> Mistake {
        let (sizes, name) = (shown_sizes(&found.sizes), &found.claim.name);
        let message = format!("the proof says \"{name}\", and an explored state with {sizes} contradicts it");
        let failing = format!(
            "instance: {sizes}\nproved, and false in the state below: {name}\n{}\n\n{}\n",
            notation::closed_formula(&subject.system, found.claim.formula),
            found.contradiction.state.join("\n")
        );
        Mistake::about_model(&subject.input, MistakeKind::ContradictedProof, message)
            .with_proof(subject, proved)
            .with_file("contradiction.txt", failing)
    }

    /// From a state behind a guard the explorer makes a step that the system does not.
    pub(crate) fn disagreed(subject: &LoweredModel, proved: &Proved, found: &StepDisagreement) -> Mistake {
        let (sizes, at) = (shown_sizes(&found.sizes), &found.disagreement.at);
        let message = format!("a step by {at} from a state with {sizes} is none of the system that the proof is about");
        Mistake::about_model(&subject.input, MistakeKind::WrongSystem, message)
            .with_proof(subject, proved)
            .with_file("step.txt", format!("instance: {sizes}\n{}\n", found.disagreement))
    }

    fn with_proof(self, subject: &LoweredModel, proved: &Proved) -> Mistake {
        let engine = proved.account.engine.unwrap_or("none");
        let mut invariant = format!("found by the engine {engine}\n");
        for fact in &proved.facts {
            let formula = notation::closed_formula(&subject.system, fact.formula);
            let _ = writeln!(invariant, "{}: {formula}", fact.name);
        }
        self.with_file("invariant.txt", invariant)
            .with_file("certificate.smt2", proved.certificate.text().to_owned())
    }
}

/// The last part of a path.
pub fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn shown_sizes(sizes: &[(String, i64)]) -> String {
    match sizes.is_empty() {
        true => "the sizes of the file".to_owned(),
        false => sizes_text(sizes),
    }
}

/// The run as far as it is known, with everything that could be the reason.
fn run_text(input: &Input, instance: &Instance, violation: &Violation, reason: &Unconfirmed) -> String {
    let mut run = format!("{}\n{reason}\n\n", violation.message);
    for (number, step) in violation.trace.iter().flat_map(|trace| trace.steps.iter().enumerate()) {
        let _ = writeln!(run, "{number}  {} choices {:?}", step.firing, step.firing.choices);
        for (slot, text) in step.texts.iter().enumerate() {
            let _ = writeln!(run, "    {} = {text}", instance.slot_name(slot));
        }
    }
    let failing = violation.trace.as_ref().and_then(|trace| trace.failing.as_ref());
    if let Some(firing) = failing {
        let _ = writeln!(run, "fails: {firing} choices {:?}", firing.choices);
    }
    let sizes: Vec<(String, i64)> = input.sizes().iter().map(|ty| (ty.name.clone(), ty.size)).collect();
    let _ = writeln!(run, "sizes: {}", sizes_text(&sizes));
    run
}
