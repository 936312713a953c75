//! The proof of all goals, and the certificate that comes of it.

use super::Task;
use super::also::{self, Further, NO_INVARIANT};
use super::certify::{Confirmation, certify};
use super::indexed::{self, Attempt};
use super::lanes::allowed;
use super::meet::Agreement;
use super::race::race;
use super::tidy::Facts;
use crate::arguments::EngineName;
use crate::input::{Addition, Content, Model};
use crate::report::{check_json, check_report};
use crate::run_folder::RunFolder;
use crate::supervise::{Control, LastWords};
use crate::terminal;
use abstraction::cegar::{Engine, Event, GoalReport, GoalVerdict, Prover, Settings};
use abstraction::goal::{Goal, goals};
use abstraction::knowledge::{Knowledge, News};
use logic::{Term, term};
use smt::{Statistics, Z3Options};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use system::TransitionSystem;
use system::transition::{Fact, Predicate, Property};

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

    /// An abstract run has a concrete one, as far as the solver can tell.
    pub(crate) fn is_refuted(&self) -> bool {
        self.goals
            .iter()
            .any(|(_, goal)| matches!(goal.verdict, GoalVerdict::Real { .. }))
    }

    /// The first goal that is not proved, and why.
    pub(crate) fn failure(&self) -> Option<(&Goal, &GoalReport, String)> {
        self.goals.iter().find_map(|(goal, report)| {
            let reason = match &report.verdict {
                GoalVerdict::Unknown { reason, .. } => reason.clone(),
                GoalVerdict::Real { .. } => {
                    "an abstract run into a bad state seems to have a concrete one, but none was found in small instances"
                        .to_owned()
                }
                GoalVerdict::Proved { .. } => return None,
            };
            Some((goal, report, reason))
        })
    }

    /// Why it is not proved.
    pub(crate) fn reason(&self) -> Option<String> {
        self.failure().map(|(_, _, reason)| reason)
    }
}

/// Why a proof was given up before its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopped {
    Interrupted,
    OutOfTime,
}

impl Stopped {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Stopped::Interrupted => "interrupted",
            Stopped::OutOfTime => "the time limit was reached",
        }
    }
}

/// Everything there is to report about a proof.
#[derive(Default)]
pub(crate) struct Proof {
    /// Which engine it comes from.
    pub(crate) engine: &'static str,
    /// Of the reachability with indexed predicates, where there was one.
    pub(crate) iterations: usize,
    pub(crate) abstract_states: f64,
    /// The system that the abstract runs are about: rules are split by their finite parameters.
    pub(crate) system: TransitionSystem,
    pub(crate) results: Vec<PropertyResult>,
    pub(crate) facts: Vec<Fact>,
    /// As in certificates.
    pub(crate) premises: BTreeMap<usize, BTreeSet<usize>>,
    /// What the facts say of the further properties.
    pub(crate) further: Vec<Further>,
    pub(crate) confirmations: Vec<Confirmation>,
    /// The checks of an engine that was stopped when this one answered.
    pub(crate) beside: Option<Arc<Statistics>>,
    /// The explored states that it agrees with.
    pub(crate) agreement: Option<Agreement>,
    /// Why the proof does not count.
    pub(crate) doubt: Option<String>,
    pub(crate) stopped: Option<Stopped>,
    /// The certificate, confirmed or not.
    pub(crate) certificate: Option<String>,
}

impl Proof {
    pub(crate) fn is_safe(&self) -> bool {
        self.doubt.is_none() && self.results.iter().all(PropertyResult::proved)
    }

    /// There was no time to hold it against explored states.
    pub(super) fn give_up(&mut self, task: &Task) {
        self.doubt = Some("the proof was not held against explored states".to_owned());
        self.stopped = stopped(task);
    }
}

/// How solvers are made that stop with the command.
pub(crate) fn solver_options(control: &Control) -> Z3Options {
    Z3Options {
        cancellation: control.cancellation.clone(),
        ..Z3Options::default()
    }
}

pub(super) fn prove(task: &Task, options: &Z3Options) -> anyhow::Result<Proof> {
    let options = Z3Options {
        seed: task.arguments.seed,
        ..options.clone()
    };
    let prepared = abstraction::prepare::instantiate_finite_parameters(task.system, &options.cancellation);
    let news = News::default();
    if !is_indexed(task) {
        if let Some(folder) = task.folder {
            news.tell(folder.shared(task.system)?);
        }
        return by_abstraction(task, &prepared, &news, &options);
    }
    if task.arguments.engine.is_none() && allowed(task) > 1 {
        return race(task, &prepared, &options);
    }
    match indexed::attempt(task, &prepared, &options)? {
        Attempt::Proved(proof) => Ok(proof),
        Attempt::Failed { reason, .. } if task.arguments.engine == Some(EngineName::Indexed) => Ok(Proof {
            engine: "indexed",
            results: indexed::results(task),
            further: Further::unchecked(task, NO_INVARIANT),
            doubt: Some(reason),
            stopped: stopped(task),
            ..Proof::default()
        }),
        Attempt::Failed { reason, facts } => {
            share(task, &reason, facts, &news)?;
            by_abstraction(task, &prepared, &news, &options)
        }
    }
}

/// The search for facts about every size has failed: what it found out is good for the other engine.
pub(super) fn share(task: &Task, reason: &str, facts: Vec<Term>, news: &News) -> anyhow::Result<()> {
    say(task, &format!("no proof by facts about every size: {reason}"));
    for fact in &facts {
        let fact = check_report::closed_formula(task.system, *fact);
        say(task, &format!("  known all the same: {fact}"));
    }
    if let (Some(folder), false) = (task.folder, facts.is_empty()) {
        folder.keep_shared(task.system, &facts)?;
    }
    news.tell(facts);
    Ok(())
}

/// The proof by predicate abstraction, to which others may tell what they know meanwhile.
pub(super) fn by_abstraction(
    task: &Task,
    prepared: &TransitionSystem,
    news: &News,
    options: &Z3Options,
) -> anyhow::Result<Proof> {
    let arguments = task.arguments;
    let (engine, name) = match arguments.engine {
        Some(EngineName::Implicit) => (Engine::Implicit, "implicit"),
        _ => (Engine::Approximate, "approximate"),
    };
    let settings = Settings {
        engine,
        solver: options.clone(),
        statistics: Arc::clone(&task.statistics),
        cartesian: arguments.cartesian,
        maximal_cycles: if arguments.no_discovery { 0 } else { CYCLES },
        news: news.clone(),
    };
    if let Some(folder) = task.folder {
        folder.begin();
    }
    let mut prover = Prover::new(prepared, settings);
    let mut proof = Proof {
        engine: name,
        system: prepared.clone(),
        further: Further::unchecked(task, NO_INVARIANT),
        ..Proof::default()
    };
    let mut facts = Facts::default();
    for property in task.properties {
        let result = prove_property(task, prepared, property, &mut prover)?;
        if result.proved() {
            prover.proved(property.formula);
        }
        for (goal, report) in &result.goals {
            if let GoalVerdict::Proved { invariant, .. } = &report.verdict {
                facts.add(goal, invariant, property);
            }
        }
        proof.results.push(result);
    }
    if task.properties.is_empty() {
        proof.doubt = Some("the model has nothing to check".to_owned());
    } else if proof.results.iter().all(PropertyResult::proved) {
        task.progress.phase("looking for the facts that matter", "");
        proof.further = also::results(task, &also::implied(task, &facts.found, options)?);
        let properties = certified_properties(task, &proof.further);
        let certificate = facts.certificate(task.system, properties, options, &task.statistics)?;
        proof.facts = certificate.facts;
        proof.premises = certificate.premises;
        certify(task, options, &mut proof)?;
    }
    if !proof.is_safe() {
        proof.stopped = stopped(task);
    }
    Ok(proof)
}

/// Whether facts about every size are looked for first. Where abstract states are to be drawn, or no predicates are to be
/// found, that is not what was asked for; and a run that left predicates behind has tried it already.
fn is_indexed(task: &Task) -> bool {
    let arguments = task.arguments;
    match arguments.engine {
        Some(engine) => engine == EngineName::Indexed,
        None => {
            let is_new = task.folder.is_none_or(RunFolder::is_empty);
            !arguments.no_discovery && task.drawing.is_none() && !task.properties.is_empty() && is_new
        }
    }
}

/// What a certificate of the proof shows: the names of the properties, without the assertions of rules, and then of the further ones that hold.
pub(super) fn certified_properties(task: &Task, further: &[Further]) -> Vec<String> {
    let stated = |property: &&Property| task.system.properties.iter().any(|p| p.name == property.name);
    let properties = task.properties.iter().filter(stated).map(|p| p.name.clone());
    let further = further.iter().filter(|f| f.holds()).map(|f| f.name.clone());
    properties.chain(further).collect()
}

fn stopped(task: &Task) -> Option<Stopped> {
    if task.control.is_interrupted() {
        return Some(Stopped::Interrupted);
    }
    let left = task.limits.time_left();
    left.is_some_and(|left| left.is_zero()).then_some(Stopped::OutOfTime)
}

fn prove_property(
    task: &Task,
    system: &TransitionSystem,
    property: &Property,
    prover: &mut Prover,
) -> anyhow::Result<PropertyResult> {
    let declared = declared_predicates(task);
    let mut reports = Vec::new();
    let goals = match stopped(task) {
        Some(_) => vec![Goal::undivided(&property.name, property.formula)],
        None => goals(&property.name, property.formula, system),
    };
    for goal in goals {
        let mut report = match stopped(task) {
            Some(stopped) => not_looked_at(stopped),
            None => prove_goal(task, prover, system, &goal, &declared)?,
        };
        // The engine only sees that its solver was interrupted.
        if let (GoalVerdict::Unknown { reason, trace: Some(_) }, Some(stopped)) = (&mut report.verdict, stopped(task)) {
            *reason = stopped.message().to_owned();
        }
        reports.push((goal, report));
    }
    Ok(PropertyResult {
        name: property.name.clone(),
        goals: reports,
    })
}

/// Proves a goal, with the help of what another run learned, and keeps what this one learns.
fn prove_goal(
    task: &Task,
    prover: &mut Prover,
    system: &TransitionSystem,
    goal: &Goal,
    declared: &[Term],
) -> anyhow::Result<GoalReport> {
    let mut observe = |event| tell(task, goal, event);
    let Some(folder) = task.folder else {
        return Ok(prover.check(goal, declared, &mut observe)?);
    };
    let key = folder.key(goal);
    let known = folder.known(&key, system, goal)?;
    let (mut last, mut failed) = (known.clone(), None);
    let mut keep = |knowledge: &Knowledge| {
        last = knowledge.clone();
        failed = failed
            .take()
            .or(folder.keep(&key, system, goal, knowledge, false).err());
    };
    let report = prover.check_from(goal, declared, &known, &mut observe, &mut keep)?;
    folder.keep(&key, system, goal, &last, true)?;
    match failed {
        Some(error) => Err(error),
        None => Ok(report),
    }
}

/// There was no time for a goal.
fn not_looked_at(stopped: Stopped) -> GoalReport {
    GoalReport {
        verdict: GoalVerdict::Unknown {
            reason: format!("not looked at: {}", stopped.message()),
            trace: None,
        },
        predicates: Vec::new(),
        cycles: 0,
        refinements: 0,
    }
}

/// What there is to say if the engine does not come back.
pub(super) fn last_words(task: &Task, goal: &str, counts: &str) -> LastWords {
    let folder = task.folder.map(|folder| folder.path.display());
    let hint = folder.map_or_else(
        || "`--run DIR` keeps what is learned, and `--resume DIR` goes on from it".to_owned(),
        |path| format!("`--resume {path}` goes on from what was learned"),
    );
    let seconds = task.limits.started.elapsed().as_secs_f64();
    LastWords {
        text: format!("  {goal}: no proof yet ({counts})\n\nWhat to try\n- {hint}\n"),
        json: check_json::undecided(task, seconds),
    }
}

/// What happens, for the line on the terminal and, with `-v`, as lines.
fn tell(task: &Task, goal: &Goal, event: Event) {
    let line = match event {
        Event::Predicate(predicate) => {
            format!("  predicate: {}", check_report::formula(task.system, goal, predicate))
        }
        Event::Searched {
            cycle,
            refinements,
            predicates,
        } => {
            let counts = format!("cycle {cycle}, {predicates} predicates, {refinements} refinements");
            task.progress.phase("proving", &format!(", {counts}: {}", goal.name));
            task.control.set_last_words(last_words(task, &goal.name, &counts));
            format!("proving \"{}\": {counts}", goal.name)
        }
    };
    say(task, &line);
}

/// A line for who wants to know more.
pub(super) fn say(task: &Task, line: &str) {
    if task.arguments.style.verbose {
        terminal::complain(&format!("{line}\n"));
    }
}

/// The predicates that the user wants to be used: those of the model unless they are to be ignored, and those of `--predicates`.
pub(crate) fn user_predicates<'t>(task: &'t Task) -> &'t [Predicate] {
    let (all, input) = (&task.system.predicates, task.input);
    let of_predicates = |addition: &&Addition| addition.content == Content::Predicates;
    let in_file: usize = input
        .additions
        .iter()
        .filter(of_predicates)
        .map(|addition| addition.count)
        .sum();
    let skipped = if task.arguments.ignore_predicates {
        all.len().saturating_sub(in_file)
    } else {
        0
    };
    &all[skipped..]
}

/// Those that need no values for index variables, as formulas.
fn declared_predicates(task: &Task) -> Vec<Term> {
    // A hint of a Cubicle model is a claim about all processes.
    let is_claim = matches!(task.input.model, Model::Cubicle { .. });
    user_predicates(task)
        .iter()
        .filter(|predicate| predicate.indices.is_empty() || is_claim)
        .map(|predicate| term::forall(predicate.indices.clone(), predicate.formula))
        .collect()
}
