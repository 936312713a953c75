//! `cubist check`: prove every property for every size, or find a violation.
//!
//! Small instances are searched for a bug first. Then each property, and each assertion of a rule, is a goal for predicate
//! abstraction. Nothing is called safe before solvers that did not find the proof have confirmed the certificate.

mod also;
mod certify;
mod contradiction;
mod draw;
mod examples;
mod indexed;
mod lanes;
mod meet;
mod others;
mod properties;
mod prove;
mod race;
mod refute;
mod resume;
mod tidy;
mod vacuity;

pub(crate) use also::{Further, NO_INVARIANT};
pub(crate) use certify::{Confirmation, solvers};
pub(crate) use meet::{Agreement, Extent, Met};
pub(crate) use others::{Other, others};
pub(crate) use prove::{Proof, PropertyResult, Stopped, solver_options, user_predicates};
pub(crate) use refute::Found;

use crate::arguments::{Check, Style};
use crate::files::Drawing;
use crate::input::{Input, TypeSize};
use crate::internal;
use crate::progress::ProofProgress;
use crate::report::{self, check_json, check_report, diagnostics};
use crate::run_folder::{About, RunFolder};
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use lanes::Lane;
use meet::Verdicts;
use smt::{Statistics, Z3Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use system::TransitionSystem;
use system::transition::Property;

/// Types of any size are explored with at most so many elements before a proof is tried: there are bugs that need few.
const SMALL: [i64; 3] = [3, 2, 1];
/// A search that takes longer goes on beside the proof.
const PATIENCE: Duration = Duration::from_millis(300);
const SEARCHING: &str = "looking for a bug in small instances";
/// The sizes at which a run is looked for when a proof attempt says that there is one.
const FURTHER: [i64; 4] = [2, 3, 4, 5];

/// What is to be done, and what all its steps share.
#[derive(Clone)]
pub(crate) struct Task<'t> {
    pub(crate) arguments: &'t Check,
    pub(crate) input: &'t Input,
    pub(crate) system: &'t TransitionSystem,
    /// What is to be proved: properties and assertions.
    pub(crate) properties: &'t [Property],
    /// What is held against the invariant that proves them.
    pub(crate) further: &'t [Property],
    pub(crate) limits: &'t Limits,
    pub(crate) control: &'t Control,
    /// Whether bugs are looked for beside the proof.
    pub(crate) searching: &'t AtomicBool,
    pub(crate) statistics: Arc<Statistics>,
    pub(crate) progress: &'t ProofProgress,
    /// Where the abstract states are drawn.
    pub(crate) drawing: Option<&'t Drawing>,
    /// Where what is learned is kept.
    pub(crate) folder: Option<&'t RunFolder>,
}

impl Task<'_> {
    /// The same for one of several that work at once: its checks are counted by themselves, too.
    fn part(&self) -> Self {
        Task {
            statistics: Arc::new(Statistics::part_of(&self.statistics)),
            ..self.clone()
        }
    }
}

pub(crate) fn run(arguments: &Check, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let drawing = arguments.graph.as_deref().map(Drawing::new).transpose()?;
    let files: Vec<_> = arguments.additions().into_iter().chain(arguments.further()).collect();
    let mut input = Input::read_with(&arguments.reading, &files)?;
    properties::expect_same_sizes(arguments, &input)?;
    let style = &arguments.style;
    let mut system = input.system()?;
    system.name.clone_from(&input.file.name);
    let properties = properties::chosen(arguments, &input, &system)?;
    let further = properties::further(&input, &system);
    let warnings = vacuity::look(&input, &system, &solver_options(control))?;
    input.diagnostics.extend(warnings);
    warn(&mut input, style);
    let statistics = Arc::new(Statistics::default());
    let progress = ProofProgress::new(!style.quiet && !style.verbose, limits.started, &statistics);
    let folder = run_folder(arguments, &input)?;
    let task = Task {
        arguments,
        input: &input,
        system: &system,
        properties: &properties,
        further: &further,
        limits,
        control,
        searching: &AtomicBool::new(false),
        progress: &progress,
        statistics,
        drawing: drawing.as_ref(),
        folder: folder.as_ref(),
    };
    decide(&task)
}

fn run_folder(arguments: &Check, input: &Input) -> anyhow::Result<Option<RunFolder>> {
    let reading = &arguments.reading;
    let options = (&reading.sizes, &reading.constants, &reading.parametric, &reading.fixed);
    let about = About {
        file: input.file.name.clone(),
        digest: validate::sha256(format!("{options:?}\n{}", input.file.text).as_bytes()),
    };
    match (&arguments.run, &arguments.resume) {
        (Some(path), _) => RunFolder::create(path, about).map(Some),
        (None, Some(path)) => RunFolder::resume(path, about).map(Some),
        (None, None) => Ok(None),
    }
}

fn has_any_size(task: &Task) -> bool {
    task.input.sizes.iter().any(TypeSize::is_any)
}

/// What the search in small instances, and the proof, come to.
enum Answer {
    Violation(Box<Found>),
    Proof(Box<Proof>),
}

/// Looks for a bug, and then for a proof. A search that takes long goes on beside the proof, where there are threads for both. Its word counts
/// first all the same, so that nothing depends on who is faster: what is undefined is an error of a run, and arbitrary in a
/// proof.
fn answer(task: &Task) -> anyhow::Result<Answer> {
    let search = |options: &Z3Options| {
        let sizes = if has_any_size(task) { &SMALL[..] } else { &SMALL[..1] };
        refute::look_for_bug(task, sizes, false, &options.cancellation)
    };
    let prove = |task: &Task, options: &Z3Options| {
        // What another run left is something to start from: the search for bugs goes on beside it as ever.
        let proof = match resume::finished(task, options)? {
            Some(proof) => proof,
            None => prove::prove(task, options)?,
        };
        Ok(Answer::Proof(Box::new(proof)))
    };
    let worker = task.part();
    task.progress.phase(SEARCHING, "");
    std::thread::scope(|scope| {
        let search = Lane::start(scope, &task.control.cancellation, search)?;
        if lanes::allowed(task) == 1 || search.is_over_within(PATIENCE) {
            return match search.result() {
                Some(found) => Ok(Answer::Violation(Box::new(found))),
                // On a thread of its own, as beside a search: Z3 answers by what its context has seen before.
                None => Lane::start(scope, &task.control.cancellation, |options| prove(task, options))?.result(),
            };
        }
        task.searching.store(true, Ordering::Relaxed);
        let proof = Lane::start(scope, &task.control.cancellation, |options| {
            let answer = prove(&worker, options);
            task.progress.phase(SEARCHING, "");
            answer
        })?;
        let found = search.result();
        task.searching.store(false, Ordering::Relaxed);
        match found {
            Some(found) => {
                proof.stop();
                let beside = Some(Arc::clone(&worker.statistics));
                Ok(Answer::Violation(Box::new(Found { beside, ..found })))
            }
            None => proof.result(),
        }
    })
}

fn decide(task: &Task) -> anyhow::Result<Status> {
    task.control.set_last_words(prove::last_words(
        task,
        "all properties",
        "small instances were searched",
    ));
    let mut proof = match answer(task)? {
        Answer::Violation(found) => return violated(task, &found),
        Answer::Proof(proof) => proof,
    };
    if has_any_size(task) && proof.results.iter().any(PropertyResult::is_refuted) {
        task.progress.phase("looking for a run that violates a property", "");
        if let Some(found) = refute::look_for_bug(task, &FURTHER, true, &task.control.cancellation) {
            return violated(task, &found);
        }
    }
    if proof.is_safe() {
        let met = meet::meet(task, &proof, &task.control.cancellation);
        match met {
            Verdicts::Agreed(agreement) => proof.agreement = Some(agreement),
            Verdicts::Violation(found) => return violated(task, &found),
            Verdicts::Contradiction(found) => return contradiction::report(task, &proof, &found),
            Verdicts::Stopped => proof.give_up(task),
        }
    }
    if let (true, Some(folder)) = (proof.is_safe(), task.folder) {
        folder.finish(task.system, proof.engine, &proof.facts)?;
    }
    report_proof(task, &proof)
}

/// Reports a proof, or why there is none.
fn report_proof(task: &Task, proof: &Proof) -> anyhow::Result<Status> {
    certify::write(task, proof)?;
    let drawn = match task.drawing {
        Some(drawing) => draw::draw(task, proof, drawing)?,
        None => None,
    };
    let status = match proof.is_safe() && proof.further.iter().all(Further::holds) {
        true => Status::Done,
        false => Status::Incomplete,
    };
    task.progress.finish();
    if task.control.begin_report() {
        let text = if task.arguments.style.json {
            let seconds = task.limits.started.elapsed().as_secs_f64();
            report::json(&check_json::proof(task, proof, status, seconds))?
        } else {
            let drawn = drawn.filter(|_| !task.arguments.style.quiet).unwrap_or_default();
            check_report::text(task, proof, Paint::stdout()) + &drawn
        };
        terminal::print(&text)?;
    }
    Ok(status)
}

/// Reports a violation, confirmed by another interpreter than the one that found it; or, where the file as it is has none, goes on with the sizes that it declares.
fn violated(task: &Task, found: &Found) -> anyhow::Result<Status> {
    if let Some(violation) = found.violation()
        && let Err(reason) = explore::confirm(&found.instance, violation)
    {
        task.progress.finish();
        let (control, json) = (task.control, task.arguments.style.json);
        let what = (&found.instance, violation);
        return Ok(internal::unconfirmed(&found.input, what, &reason, control, json));
    }
    let types = refute::only_at_other_sizes(task, found);
    if types.is_empty() {
        return refute::report_violation(task, found);
    }
    task.progress.finish();
    let style = &task.arguments.style;
    if !style.json && !style.quiet {
        let names: Vec<&str> = types.iter().map(|ty| ty.name.as_str()).collect();
        let sizes = |input: &Input| {
            let size = |ty: &&TypeSize| names.contains(&ty.name.as_str());
            let sizes = input
                .sizes
                .iter()
                .filter(size)
                .map(|ty| format!("{} = {}", ty.name, ty.size));
            sizes.collect::<Vec<_>>().join(", ")
        };
        terminal::complain(&format!(
            "{} there is a violation with {}; what follows is about {}, as declared. `--parametric {}` shows it.\n",
            Paint::stderr().doubtful("warning:"),
            sizes(&found.input),
            sizes(task.input),
            names[0]
        ));
    }
    let mut arguments = task.arguments.clone();
    arguments.reading.fixed.extend(types.into_iter().map(|ty| ty.name));
    // What is learned now is of no use for any size.
    (arguments.run, arguments.resume) = (None, None);
    run(&arguments, task.limits, task.control)
}

/// Shows the warnings about the model and about the files that add something to it.
fn warn(input: &mut Input, style: &Style) {
    let paint = Paint::stderr();
    let mut text = String::new();
    for addition in &input.additions {
        let own = addition.take(&mut input.diagnostics, &input.file);
        text.push_str(&diagnostics::text(&own, &addition.file, paint));
    }
    if !style.json && !style.quiet {
        terminal::complain(&(diagnostics::text(&input.diagnostics, &input.file, paint) + &text));
    }
}
