//! The proof for every size from facts that a small instance suggests, where there are types of any size.

use super::examples::Example;
use super::{Attempt, Found};
use crate::account::{Account, Conjectured};
use crate::certify::Invariant;
use crate::context::Context;
use crate::engine::Engine;
use crate::error::Result;
use crate::event::{Event, Phase};
use crate::further;
use crate::subject::Task;
use crate::verdict::Reason;
use abstraction::formulas::relevant;
use abstraction::indexed::{Reachability, Reached};
use abstraction::strengthening::Samples;
use abstraction::strengthening::{self, Outcome};
use logic::Term;
use logic::normal_forms::{expand_finite, negation_normal_form};
use std::cell::Cell;
use system::certificate::Certificate;
use system::transition::{Fact, Predicate, Property};
use system::{Successors, TransitionSystem};

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

/// What comes of the search for facts about every size.
pub(super) enum Facts<T> {
    Enough(T),
    /// With facts that hold in every state up to the first in which a property fails.
    Failed {
        tried: Conjectured,
        facts: Vec<Term>,
    },
}

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

    fn after(&self, reason: Reason) -> Conjectured {
        Conjectured {
            made: self.made.get(),
            withdrawn: self.withdrawn.get(),
            reason,
        }
    }
}

/// Looks for an invariant, and has it certified.
pub(super) fn attempt(task: &Task, prepared: &TransitionSystem) -> Result<Facts<Attempt>> {
    Ok(match find(task, prepared)? {
        Facts::Enough(found) => Facts::Enough(found.certified(task)),
        Facts::Failed { tried, facts } => Facts::Failed { tried, facts },
    })
}

/// Looks for an invariant.
pub(super) fn find(task: &Task, prepared: &TransitionSystem) -> Result<Facts<Found>> {
    let is_indexed = |predicate: &Predicate| !predicate.indices.is_empty();
    if task.system().index_sorts.is_empty() && !task.user_predicates().iter().any(is_indexed) {
        let tried = Tally::default().after(Reason::NothingOfAnySize);
        return Ok(Facts::Failed {
            tried,
            facts: Vec::new(),
        });
    }
    let context = &task.context;
    let formulas = |properties: &[Property]| properties.iter().map(|p| p.formula).collect::<Vec<Term>>();
    let (properties, further) = (formulas(&task.subject.properties), formulas(&task.subject.further));
    context.tell(Event::Phase(Phase::Proving));
    let tally = Tally::default();
    let mut tell = |event: strengthening::Event| tally.tell(&event, context);
    let reached = declared(task, prepared)?;
    let mut prove =
        |samples: &mut Samples, explorer: Option<&dyn Successors>, conjectures: usize, last_checks: usize| {
            let known = strengthening::Known {
                properties: &properties,
                hints: &reached.facts,
                further: &further,
                explorer,
                conjectures,
                last_checks,
            };
            strengthening::prove(prepared, &known, samples, &context.solvers, &mut tell)
        };
    if !reached.facts.is_empty() {
        // They may be enough.
        if let Outcome::Proved(invariant) = prove(&mut Samples::default(), None, 0, 0)? {
            return Ok(Facts::Enough(found(task, prepared, &reached, invariant)));
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
            Outcome::Proved(invariant) => return Ok(Facts::Enough(found(task, prepared, &reached, invariant))),
            Outcome::Unknown { reason: why, inductive } => {
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
    Ok(Facts::Failed { tried, facts })
}

fn found(task: &Task, system: &TransitionSystem, reached: &Reached, invariant: strengthening::Invariant) -> Found {
    let account = Account {
        system: system.clone(),
        iterations: reached.iterations,
        abstract_states: reached.abstract_states,
        ..Account::together(Engine::Indexed, &task.subject.properties)
    };
    // What was known before is said as it was.
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
    Found::Invariant(Invariant { certificate, further }, account)
}

/// What the predicates say that the user declared with index variables; nothing where there are none.
fn declared(task: &Task, prepared: &TransitionSystem) -> Result<Reached> {
    let predicates = task.user_predicates();
    let known = &task.subject.known;
    if !known.is_empty() || predicates.iter().all(|predicate| predicate.indices.is_empty()) {
        return Ok(Reached {
            facts: known.clone(),
            ..Reached::default()
        });
    }
    let (context, subject) = (&task.context, task.subject);
    let properties = subject.properties.iter().chain(&subject.further);
    let predicates = relevant(prepared, properties.map(|property| property.formula), predicates);
    let mut reachability = Reachability::new(prepared, &predicates, &context.solvers);
    let mut tell = |number: usize, abstract_states: f64| {
        context.tell(Event::Iteration {
            number,
            abstract_states,
        });
    };
    let reached = reachability.fixpoint(&mut tell)?.unwrap_or_default();
    reached
        .facts
        .iter()
        .for_each(|fact| context.tell(Event::Reached(*fact)));
    Ok(reached)
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
