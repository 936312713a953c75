//! The proof by predicate abstraction, goal by goal.

use super::minimise::Facts;
use crate::account::{Account, PropertyResult};
use crate::blackboard::Blackboard;
use crate::certify::{Invariant, certified_properties};
use crate::engine::{Claim, Engine, Task};
use crate::error::Result;
use crate::event::{Event, Phase};
use crate::further;
use crate::model::ModelTask;
use crate::reason::{Kind, Reason};
use crate::verdict::Unknown;
use abstraction::goal::{Goal, goals};
use abstraction::induction;
use abstraction::predicate::{self, GoalReport, GoalVerdict, Knowledge, Prover, Settings};
use logic::{Term, term};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::Property;

/// Discovery gives up after this many cycles.
const CYCLES: usize = 60;
/// More properties and assertions than this are not taken together.
const MOST_TOGETHER: usize = 500;

/// Predicate abstraction, which finds its predicates by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PredicateAbstraction {
    /// By an abstract relation that is refined where a counterexample needs it.
    Approximate,
    /// By images of sets of abstract states.
    Implicit,
}

impl Engine for PredicateAbstraction {
    fn name(&self) -> &'static str {
        match self {
            PredicateAbstraction::Approximate => "approximate",
            PredicateAbstraction::Implicit => "implicit",
        }
    }

    fn summary(&self) -> &'static str {
        match self {
            PredicateAbstraction::Approximate => {
                "In an abstract relation that is refined where a counterexample needs it"
            }
            PredicateAbstraction::Implicit => "Exactly, by images of sets of abstract states",
        }
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Model]
    }

    fn applies(&self, task: &Task) -> bool {
        matches!(task, Task::Model(_))
    }

    fn run(&self, task: &Task, board: &Blackboard) -> Result<Claim> {
        find(*self, task.model()?, board)
    }
}

fn find(engine: PredicateAbstraction, task: &ModelTask, board: &Blackboard) -> Result<Claim> {
    let (question, prepared) = (task.question, task.prepared());
    let settings = Settings {
        engine: match engine {
            PredicateAbstraction::Approximate => predicate::Engine::Approximate,
            PredicateAbstraction::Implicit => predicate::Engine::Implicit,
        },
        solvers: task.context.solvers.clone(),
        cartesian: question.cartesian,
        maximal_cycles: question.cycles.unwrap_or(CYCLES),
        news: board.facts().clone(),
    };
    if let Some(folder) = task.folder {
        folder.begin();
    }
    let mut prover = Prover::new(prepared, settings);
    let together = Together::find(task, prepared)?;
    together.facts.iter().for_each(|fact| prover.proved(*fact));
    let mut account = Account {
        engine: Some(engine.name()),
        system: prepared.clone(),
        ..Account::default()
    };
    let mut facts = Facts::default();
    for property in &task.subject.properties {
        let result = prove_property(task, prepared, property, &mut prover, &together)?;
        if result.is_proved() {
            prover.proved(property.formula);
        }
        for (goal, report) in &result.goals {
            if let GoalVerdict::Proved { invariant, .. } = &report.verdict {
                facts.add(goal, invariant, property);
            }
        }
        account.results.push(result);
    }
    if !account.results.iter().all(PropertyResult::is_proved) {
        let reason = task.context.stopped().map_or(Reason::NotProved, Reason::Stopped);
        return Ok(Claim::Unknown(Box::new(Unknown::of(task, reason, account))));
    }
    task.context.tell(Event::Phase(Phase::Minimising));
    let further = further::results(task, &further::implied(task, &facts.found)?);
    let properties = certified_properties(task, &further);
    let context = &task.context;
    let certificate = facts.certificate(task.system(), properties, &context.solvers)?;
    Ok(Claim::Invariant(Box::new(Invariant { certificate, further }), account))
}

/// What is inductive without any predicate, if all that is to be proved is taken together.
#[derive(Default)]
struct Together {
    facts: BTreeSet<Term>,
}

impl Together {
    /// A goal that is proved alone may need another one that comes later. Where an engine was asked for, or abstract
    /// states, induction is not what was meant.
    fn find(task: &ModelTask, system: &TransitionSystem) -> Result<Together> {
        let question = task.question;
        let is_asked_for = question.engine.is_some() || question.cycles.is_some() || question.abstract_states;
        let properties = &task.subject.properties;
        if is_asked_for || task.context.stopped().is_some() || properties.len() > MOST_TOGETHER {
            return Ok(Together::default());
        }
        let goals = properties.iter().flat_map(|p| goals(&p.name, p.formula, system));
        let facts: Vec<Term> = goals.map(|goal| stated(&goal)).collect();
        if facts.len() < 2 {
            return Ok(Together::default());
        }
        let inductive = induction::largest_inductive_subset(system, &facts, false, &task.context.solvers)?;
        let facts = facts.into_iter().zip(inductive);
        Ok(Together {
            facts: facts
                .filter(|(_, inductive)| *inductive)
                .map(|(fact, _)| fact)
                .collect(),
        })
    }

    fn holds(&self, goal: &Goal) -> bool {
        self.facts.contains(&stated(goal))
    }
}

/// What a goal says of all states.
fn stated(goal: &Goal) -> Term {
    goal.close(term::not(goal.bad))
}

/// A goal that is its own invariant, together with others.
fn by_induction(goal: &Goal) -> GoalReport {
    GoalReport {
        verdict: GoalVerdict::Proved {
            invariant: vec![term::not(goal.bad)],
            abstract_states: 0.0,
        },
        predicates: Vec::new(),
        cycles: 0,
        refinements: 0,
    }
}

fn prove_property(
    task: &ModelTask,
    system: &TransitionSystem,
    property: &Property,
    prover: &mut Prover,
    together: &Together,
) -> Result<PropertyResult> {
    let stopped = || task.context.stopped();
    let declared = declared_predicates(task);
    let mut reports = Vec::new();
    let goals = match stopped() {
        Some(_) => vec![Goal::undivided(&property.name, property.formula)],
        None => goals(&property.name, property.formula, system),
    };
    for goal in goals {
        let report = match stopped() {
            _ if together.holds(&goal) => by_induction(&goal),
            Some(_) => not_looked_at(),
            None => prove_goal(task, prover, system, &goal, &declared)?,
        };
        reports.push((goal, report));
    }
    Ok(PropertyResult {
        name: property.name.clone(),
        goals: reports,
    })
}

/// Proves a goal. Where one way to reach abstract states gives up and nobody asked for it, the other is tried: exact
/// images show other runs, so that other predicates are found.
fn prove_goal(
    task: &ModelTask,
    prover: &mut Prover,
    system: &TransitionSystem,
    goal: &Goal,
    declared: &[Term],
) -> Result<GoalReport> {
    let report = prove_goal_with(task, prover, system, goal, declared)?;
    let question = task.question;
    let has_choice = question.engine.is_none() && question.cycles.is_none() && !question.abstract_states;
    let gave_up = matches!(&report.verdict, GoalVerdict::Unknown { reason, .. } if reason.is_about_predicates());
    if !has_choice || !gave_up || task.context.stopped().is_some() {
        return Ok(report);
    }
    let mut other = prover.by(predicate::Engine::Implicit);
    let again = other.check(goal, declared, &mut |event| tell(task, goal, event))?;
    Ok(match again.verdict {
        GoalVerdict::Unknown { .. } => report,
        GoalVerdict::Proved { .. } | GoalVerdict::Real { .. } => again,
    })
}

/// Proves a goal, with the help of what another run learned, and keeps what this one learns.
fn prove_goal_with(
    task: &ModelTask,
    prover: &mut Prover,
    system: &TransitionSystem,
    goal: &Goal,
    declared: &[Term],
) -> Result<GoalReport> {
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

fn tell(task: &ModelTask, goal: &Goal, event: predicate::Event) {
    task.context.tell(match event {
        predicate::Event::Predicate(formula) => Event::Predicate { goal, formula },
        predicate::Event::Searched {
            cycle,
            refinements,
            predicates,
        } => Event::Searched {
            goal,
            cycle,
            predicates,
            refinements,
        },
    });
}

/// There was no time for a goal.
fn not_looked_at() -> GoalReport {
    GoalReport {
        verdict: GoalVerdict::Unknown {
            reason: abstraction::Reason::NotLookedAt,
            trace: None,
        },
        predicates: Vec::new(),
        cycles: 0,
        refinements: 0,
    }
}

/// The user's predicates that need no values for index variables, as formulas.
fn declared_predicates(task: &ModelTask) -> Vec<Term> {
    task.user_predicates()
        .iter()
        .filter(|predicate| predicate.indices.is_empty() || predicate.is_claim)
        .map(|predicate| term::forall(predicate.indices.clone(), predicate.formula))
        .collect()
}
