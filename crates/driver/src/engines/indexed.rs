//! Predicates with index variables that the model declares: what they say of all states, by abstract reachability.

use super::strengthening::{claimed, formulas};
use crate::account::Account;
use crate::blackboard::Blackboard;
use crate::engine::{Claim, Engine, Task};
use crate::error::Result;
use crate::event::{Event, Phase};
use crate::model::ModelTask;
use crate::reason::{Kind, Reason};
use crate::verdict::Unknown;
use abstraction::indexed::{Reachability, Reached};
use abstraction::strengthening::{self, StrengtheningResult};
use deduction::Samples;
use deduction::relevance::relevant_predicates;

const NAME: &str = "indexed";

/// The abstract states that the declared predicates with index variables tell apart.
pub(crate) struct Indexed;

impl Engine for Indexed {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "By the predicates with index variables that the model declares"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Model]
    }

    fn applies(&self, task: &Task) -> bool {
        matches!(task, Task::Model(task) if task.subject.known.is_empty() && has_indexed_predicates(task))
    }

    fn run(&self, task: &Task, board: &Blackboard) -> Result<Claim> {
        let task = task.model()?;
        let context = &task.context;
        context.tell(Event::Phase(Phase::Proving));
        let reached = reached(task)?;
        let known = strengthening::Known {
            properties: &formulas(&task.subject.properties),
            hints: &reached.facts,
            further: &formulas(&task.subject.further),
            explorer: None,
            conjectures: 0,
            last_checks: 0,
        };
        if !reached.facts.is_empty() {
            let (mut samples, solvers) = (Samples::default(), &context.solvers);
            let outcome = strengthening::prove(task.prepared(), &known, &mut samples, solvers, &mut |_| {})?;
            if let StrengtheningResult::Proved(invariant) = outcome {
                return Ok(claimed(NAME, task, &reached, invariant));
            }
        }
        *board.reached() = Some(reached);
        let reason = context.stopped().map_or(Reason::NotProved, Reason::Stopped);
        let account = Account::together(NAME, &task.subject.properties);
        Ok(Claim::Unknown(Box::new(Unknown::of(task, reason, account))))
    }
}

/// Whether the model has predicates with index variables that may be used.
pub(super) fn has_indexed_predicates(task: &ModelTask) -> bool {
    let mut predicates = task.user_predicates().iter();
    predicates.any(|predicate| !predicate.indices.is_empty())
}

/// What the declared predicates say of all states.
fn reached(task: &ModelTask) -> Result<Reached> {
    let (context, subject) = (&task.context, task.subject);
    let properties = subject.properties.iter().chain(&subject.further);
    let properties = properties.map(|property| property.formula);
    let predicates = relevant_predicates(task.prepared(), properties, task.user_predicates());
    let mut reachability = Reachability::new(task.prepared(), &predicates, &context.solvers);
    let mut tell = |number: usize, abstract_states: f64| {
        context.tell(Event::Iteration {
            number,
            abstract_states,
        });
    };
    let reached = reachability.fixpoint(&mut tell)?.unwrap_or_default();
    for fact in &reached.facts {
        context.tell(Event::Reached(*fact));
    }
    Ok(reached)
}
