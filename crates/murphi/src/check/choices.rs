//! Properties and predicates are evaluated in one state and must not depend on a choice.

use std::collections::BTreeSet;

use system::{Diagnostic, Span};

use super::Checker;
use crate::model::{Model, StatementKind, SubprogramId};
use crate::visit;

impl Checker {
    /// Reports calls in properties and predicates that may reach a `havoc`.
    pub(super) fn refuse_choices_in_formulas(&mut self) {
        let choosing = choosing(&self.model);
        if choosing.is_empty() {
            return;
        }
        let mut calls: Vec<(SubprogramId, Span)> = Vec::new();
        for property in &self.model.properties {
            calls.extend(visit::calls_in_formula(&property.context, &property.condition));
        }
        for predicate in &self.model.predicates {
            calls.extend(visit::calls_in_formula(&[], &predicate.condition));
        }
        for (id, span) in calls.into_iter().filter(|(id, _)| choosing.contains(id)) {
            let subprogram = &self.model.subprograms[id.0];
            let message = format!(
                "`{}` chooses a value, which a formula about a state must not",
                subprogram.name
            );
            let diagnostic = Diagnostic::error(span, message).label("leads to a `havoc`");
            let declared = subprogram.span;
            self.report(diagnostic.related(declared, "declared here"));
        }
    }
}

/// The subprograms that choose values, directly or through calls.
fn choosing(model: &Model) -> BTreeSet<SubprogramId> {
    let mut found = BTreeSet::new();
    for (number, subprogram) in model.subprograms.iter().enumerate() {
        visit::statements_in(&subprogram.body, &mut |statement| {
            if matches!(statement.kind, StatementKind::Havoc { .. }) {
                found.insert(SubprogramId(number));
            }
        });
    }
    let mut size = 0;
    while size < found.len() {
        size = found.len();
        for (number, subprogram) in model.subprograms.iter().enumerate() {
            if visit::called_by(&subprogram.body)
                .iter()
                .any(|callee| found.contains(callee))
            {
                found.insert(SubprogramId(number));
            }
        }
    }
    found
}
