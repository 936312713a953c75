//! Facts about every size, which examples of a small instance suggest: from the property backwards, clause by clause.

use super::examples::Example;
use super::indexed::has_indexed_predicates;
use crate::account::{Account, ConjectureSummary};
use crate::blackboard::Blackboard;
use crate::certify::Invariant;
use crate::context::Context;
use crate::engine::{Claim, Engine, Task};
use crate::error::Result;
use crate::event::{Event, Phase};
use crate::further;
use crate::model::ModelTask;
use crate::reason::{Kind, Reason};
use crate::verdict::Unknown;
use abstraction::indexed::Reached;
use abstraction::strengthening::{self, StrengtheningResult};
use deduction::Samples;
use logic::Term;
use logic::normal_forms::{expand_finite, negation_normal_form};
use std::cell::Cell;
use system::Successors;
use system::certificate::Certificate;
use system::transition::{Fact, Property};

const NAME: &str = "strengthening";

/// A size at which types of any size are explored for examples, up to how many states, and with how many conjectures.
struct Trial {
    size: i64,
    states: u64,
    /// Whether examples that are not all states will do: they are chosen to differ, and more are looked for where a
    /// conjecture is doubtful.
    diverse: bool,
    conjectures: usize,
}

/// All states with three elements where they are few, else with two, which are often enough. Else some states with
/// three.
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

/// How many conjectures there were.
#[derive(Default)]
struct Tally {
    made: Cell<usize>,
    withdrawn: Cell<usize>,
}

impl Tally {
    fn tell(&self, event: &strengthening::Event, context: &Context) {
        match event {
            strengthening::Event::Conjecture(cube) => {
                self.made.set(self.made.get() + 1);
                let (number, formula) = (self.made.get(), cube.fact());
                context.tell(Event::Conjecture { number, formula });
            }
            strengthening::Event::Withdrawn(cube, because) => {
                self.withdrawn.set(self.withdrawn.get() + 1);
                let (formula, needs) = (cube.fact(), because.fact());
                context.tell(Event::Withdrawn { formula, needs });
            }
        }
    }

    fn after(&self, reason: Reason) -> ConjectureSummary {
        ConjectureSummary {
            made: self.made.get(),
            withdrawn: self.withdrawn.get(),
            reason,
        }
    }
}

/// Facts about every size, from the property backwards.
pub(crate) struct Strengthening;

impl Engine for Strengthening {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "By facts about every size, from the property backwards, that examples of a small instance suggest"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Model]
    }

    fn applies(&self, task: &Task) -> bool {
        matches!(task, Task::Model(_))
    }

    fn run(&self, task: &Task, board: &Blackboard) -> Result<Claim> {
        find(task.model()?, board)
    }
}

/// Tries examples of one size after the other, until the conjectures that they allow prove the properties.
fn find(task: &ModelTask, board: &Blackboard) -> Result<Claim> {
    let reached = board.reached().take().unwrap_or_default();
    if task.system().index_sorts.is_empty() && !has_indexed_predicates(task) {
        let tried = Tally::default().after(Reason::NothingOfAnySize);
        return Ok(failed(task, board, tried, Vec::new()));
    }
    let context = &task.context;
    let prepared = task.prepared();
    let (properties, further) = (formulas(&task.subject.properties), formulas(&task.subject.further));
    context.tell(Event::Phase(Phase::Proving));
    let tally = Tally::default();
    let mut tell = |event: strengthening::Event| tally.tell(&event, context);
    let known = &task.subject.known;
    let hints = if known.is_empty() { &reached.facts } else { known };
    let mut prove =
        |samples: &mut Samples, explorer: Option<&dyn Successors>, conjectures: usize, last_checks: usize| {
            let known = strengthening::Known {
                properties: &properties,
                hints,
                further: &further,
                explorer,
                conjectures,
                last_checks,
            };
            strengthening::prove(prepared, &known, samples, &context.solvers, &mut tell)
        };
    if !known.is_empty() {
        // They may be enough.
        if let StrengtheningResult::Proved(invariant) = prove(&mut Samples::default(), None, 0, 0)? {
            return Ok(claimed(NAME, task, &reached, invariant));
        }
    }
    let (mut reason, mut facts) = (Reason::NotProved, Vec::new());
    for (number, trial) in TRIALS.iter().enumerate() {
        context.tell(Event::Phase(Phase::LookingForExamples));
        let example = Example::at_size(task, trial.size);
        let sampler = example.as_ref().and_then(|example| example.sampler(trial.states, task));
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
            StrengtheningResult::Proved(invariant) => return Ok(claimed(NAME, task, &reached, invariant)),
            StrengtheningResult::Unknown { reason: why, inductive } => {
                (reason, facts) = (Reason::NoFacts(why), inductive);
            }
        }
        let size = trial.size;
        context.tell(Event::NoProofAt { size, reason: &reason });
        if number == 0 || context.cancellation().is_cancelled() {
            break;
        }
    }
    let tried = tally.after(reason);
    if let (Some(folder), false) = (task.folder, facts.is_empty()) {
        folder.keep_shared(task.system(), &facts)?;
    }
    Ok(failed(task, board, tried, facts))
}

/// There is no proof: what was found out helps other engines.
fn failed(task: &ModelTask, board: &Blackboard, tried: ConjectureSummary, facts: Vec<Term>) -> Claim {
    task.context.tell(Event::NoProof {
        reason: &tried.reason,
        known: &facts,
    });
    let reason = task.context.stopped().map_or(tried.reason.clone(), Reason::Stopped);
    let account = Account::together(NAME, &task.subject.properties);
    *board.conjectured() = Some(tried);
    board.post(facts);
    Claim::Unknown(Box::new(Unknown::of(task, reason, account)))
}

pub(super) fn formulas(properties: &[Property]) -> Vec<Term> {
    properties.iter().map(|property| property.formula).collect()
}

/// The claim that an invariant proves all properties.
pub(super) fn claimed(
    engine: &'static str,
    task: &ModelTask,
    reached: &Reached,
    invariant: strengthening::Invariant,
) -> Claim {
    let account = Account {
        system: task.prepared().clone(),
        iterations: reached.iterations,
        abstract_states: reached.abstract_states,
        ..Account::together(engine, &task.subject.properties)
    };
    // What was known before keeps its form.
    let normal = |known: &Term| negation_normal_form(expand_finite(*known));
    let as_known = |fact: &Term| {
        let mut known = task.subject.known.iter();
        known.find(|known| normal(known) == *fact).copied().unwrap_or(*fact)
    };
    let facts: Vec<Term> = invariant.facts.iter().map(as_known).collect();
    let certificate = Certificate {
        facts: named(&task.subject.properties, &facts),
        premises: invariant.premises,
        ..Certificate::default()
    };
    let further = further::results(task, &invariant.implied);
    Claim::Invariant(Box::new(Invariant { certificate, further }), account)
}

/// The first facts are the properties themselves.
fn named(properties: &[Property], facts: &[Term]) -> Vec<Fact> {
    let names = properties.iter().map(|property| property.name.clone());
    let lemmas = (1..).map(|number| format!("lemma {number}"));
    let span = properties.first().map(|property| property.span).unwrap_or_default();
    let fact = |(formula, name): (&Term, String)| Fact {
        name,
        formula: *formula,
        span,
    };
    facts.iter().zip(names.chain(lemmas)).map(fact).collect()
}
