//! `--also FILE`: further properties, held against the invariant that proves the others. Nothing is searched for them: one
//! implication each says whether they hold by the invariant, and it becomes part of the certificate.

use super::Task;
use abstraction::implication::enough;
use logic::Term;
use smt::{SolverError, Z3Options};
use system::transition::{Fact, Property};

/// What the invariant says of a further property.
#[derive(Clone, Debug)]
pub(crate) struct Further {
    pub(crate) name: String,
    /// Why the invariant does not show it; this refutes nothing.
    pub(crate) doubt: Option<String>,
}

impl Further {
    pub(crate) fn holds(&self) -> bool {
        self.doubt.is_none()
    }

    /// What is known of the further properties where there is no invariant.
    pub(crate) fn unchecked(task: &Task, reason: &str) -> Vec<Further> {
        let result = |property: &Property| Further {
            name: property.name.clone(),
            doubt: Some(reason.to_owned()),
        };
        task.further.iter().map(result).collect()
    }
}

/// Why nothing is known of a further property.
pub(crate) const NO_INVARIANT: &str = "not looked at: there is no invariant";

const NOT_IMPLIED: &str = "not implied by the invariant";

/// The further properties, given which of them the invariant implies.
pub(super) fn results(task: &Task, implied: &[bool]) -> Vec<Further> {
    let result = |(property, implied): (&Property, &bool)| Further {
        name: property.name.clone(),
        doubt: (!implied).then(|| NOT_IMPLIED.to_owned()),
    };
    task.further.iter().zip(implied).map(result).collect()
}

/// Which of the further properties follow from the facts.
pub(super) fn implied(task: &Task, facts: &[Fact], options: &Z3Options) -> Result<Vec<bool>, SolverError> {
    let facts: Vec<Term> = facts.iter().map(|fact| fact.formula).collect();
    let follows = |property: &Property| {
        let core = enough(task.system, &facts, property.formula, options, &task.statistics)?;
        Ok(core.is_some())
    };
    task.further.iter().map(follows).collect()
}
