//! Whether a user's own invariant is inductive, without any search for a better one.

use crate::context::Context;
use crate::error::{Error, Result};
use crate::model::{LoweredModel, ParsedModel, Question};
use crate::unrolled;
use crate::verdict::Scope;
use abstraction::induction::{self, Implied, Induction};
use logic::Term;
use std::path::Path;
use system::Role;
use system::transition::Property;

/// What became of the formulas of a file, taken together.
pub struct InductionReport {
    pub subject: LoweredModel,
    pub results: Vec<Induction>,
    /// The properties of the model, and whether the formulas imply them.
    pub implied: Vec<(String, Implied)>,
    /// The sizes that all of this is about.
    pub scope: Scope,
}

impl InductionReport {
    pub fn is_inductive(&self) -> bool {
        let is_inductive = |result: &Induction| result.verdict == induction::Inductiveness::Inductive;
        self.results.iter().all(is_inductive)
    }

    /// Whether a formula does not even hold initially.
    pub fn is_refuted(&self) -> bool {
        let is_refuted = |result: &Induction| result.verdict == induction::Inductiveness::NotInitial;
        self.results.iter().any(is_refuted)
    }
}

/// Asks of every rule whether it keeps the formulas of the file where all of them hold before.
pub fn check_inductive(question: &Question, file: &Path, context: &Context) -> Result<InductionReport> {
    let question = Question {
        properties: Some(file.to_owned()),
        ..question.clone()
    };
    let subject = ParsedModel::read(&question)?.lowered(&[], context.cancellation())?;
    let of_file = |property: &&Property| subject.input.sources().role(property.span) == Role::Properties;
    let (formulas, others): (Vec<&Property>, Vec<&Property>) = subject.properties.iter().partition(of_file);
    let formulas: Vec<Property> = formulas.into_iter().cloned().collect();
    let results = unrolled::steps(&subject, &formulas, context)?;
    let facts: Vec<Term> = formulas.iter().map(|property| property.formula).collect();
    let mut implied = Vec::new();
    for property in others {
        implied.push((
            property.name.clone(),
            unrolled::implied(&subject, &facts, property, context)?,
        ));
    }
    if let Some(stopped) = context.stopped() {
        return Err(Error::refused(stopped.to_string()));
    }
    Ok(InductionReport {
        results,
        implied,
        scope: Scope {
            sizes: subject.input.sizes().to_vec(),
        },
        subject,
    })
}
