//! Further properties, held against the invariant that proves the others. Nothing is searched for them: one implication
//! each says whether they hold by the invariant, and it becomes part of the certificate.

use crate::model::ModelTask;
use deduction::sufficient_facts;
use logic::Term;
use smt::SolverError;
use std::fmt;
use system::transition::{Fact, Property};

/// What the invariant says of a further property.
#[derive(Clone, Debug)]
pub struct Further {
    pub name: String,
    pub standing: Standing,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It follows from the invariant.
    Holds,
    /// It does not follow, which refutes nothing.
    NotImplied,
    /// That it follows is not confirmed.
    Unconfirmed,
    /// There is no invariant.
    Unchecked,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Standing::Holds => "holds by the invariant",
            Standing::NotImplied => "not implied by the invariant",
            Standing::Unconfirmed => "that the invariant implies it was not confirmed",
            Standing::Unchecked => "not looked at: there is no invariant",
        })
    }
}

impl Further {
    pub fn holds(&self) -> bool {
        self.standing == Standing::Holds
    }

    pub(crate) fn unchecked(task: &ModelTask) -> Vec<Further> {
        let result = |property: &Property| Further {
            name: property.name.clone(),
            standing: Standing::Unchecked,
        };
        task.subject.further.iter().map(result).collect()
    }
}

/// The further properties, given which of them the invariant implies.
pub(crate) fn results(task: &ModelTask, implied: &[bool]) -> Vec<Further> {
    let result = |(property, implied): (&Property, &bool)| Further {
        name: property.name.clone(),
        standing: if *implied {
            Standing::Holds
        } else {
            Standing::NotImplied
        },
    };
    task.subject.further.iter().zip(implied).map(result).collect()
}

/// Which of the further properties follow from the facts.
pub(crate) fn implied(task: &ModelTask, facts: &[Fact]) -> Result<Vec<bool>, SolverError> {
    let facts: Vec<Term> = facts.iter().map(|fact| fact.formula).collect();
    let context = &task.context;
    let follows = |property: &Property| {
        let core = sufficient_facts(task.system(), &facts, property.formula, &context.solvers)?;
        Ok(core.is_some())
    };
    task.subject.further.iter().map(follows).collect()
}
