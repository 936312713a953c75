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
pub struct FurtherProperty {
    pub name: String,
    pub standing: FurtherStatus,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FurtherStatus {
    /// It follows from the invariant.
    Holds,
    /// It does not follow, which refutes nothing.
    NotImplied,
    /// That it follows is not confirmed.
    Unconfirmed,
    /// There is no invariant.
    Unchecked,
}

impl fmt::Display for FurtherStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FurtherStatus::Holds => "holds by the invariant",
            FurtherStatus::NotImplied => "not implied by the invariant",
            FurtherStatus::Unconfirmed => "that the invariant implies it was not confirmed",
            FurtherStatus::Unchecked => "not looked at: there is no invariant",
        })
    }
}

impl FurtherProperty {
    pub fn holds(&self) -> bool {
        self.standing == FurtherStatus::Holds
    }

    pub(crate) fn unchecked(task: &ModelTask) -> Vec<FurtherProperty> {
        let result = |property: &Property| FurtherProperty {
            name: property.name.clone(),
            standing: FurtherStatus::Unchecked,
        };
        task.subject.further.iter().map(result).collect()
    }
}

/// The further properties, given which of them the invariant implies.
pub(crate) fn results(task: &ModelTask, implied: &[bool]) -> Vec<FurtherProperty> {
    let result = |(property, implied): (&Property, &bool)| FurtherProperty {
        name: property.name.clone(),
        standing: if *implied {
            FurtherStatus::Holds
        } else {
            FurtherStatus::NotImplied
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
