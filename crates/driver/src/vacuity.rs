//! Models that say nothing: axioms that contradict each other, no initial state, rules that never fire.

use crate::error::Result;
use crate::input::Input;
use deduction::{Vacuity, vacuity};
use smt::Solvers;
use std::collections::HashSet;
use system::{Diagnostic, Rejected, Span, TransitionSystem};

/// Warnings; an error where nothing could be proved of the model, since it has no states.
pub(crate) fn look(input: &Input, system: &TransitionSystem, solvers: &Solvers) -> Result<Vec<Diagnostic>> {
    // Not counted among the checks of the proof.
    let found = vacuity(system, &Solvers::default().under(solvers.cancellation()))?;
    let errors = errors(system, &found);
    if !errors.is_empty() {
        let diagnostics = input.diagnostics.iter().cloned().chain(errors).collect();
        return Err(Rejected::new(input.sources().clone(), diagnostics).into());
    }
    Ok(warnings(system, &found))
}

fn errors(system: &TransitionSystem, found: &Vacuity) -> Vec<Diagnostic> {
    if let Some((last, earlier)) = found.axioms.split_last() {
        let axiom = |number: &usize| &system.axioms[*number];
        let message = if earlier.is_empty() {
            format!("the axiom \"{}\" contradicts itself", axiom(last).name)
        } else {
            "these axioms contradict each other".to_owned()
        };
        let mut error = Diagnostic::error(axiom(last).span, message)
            .label("no model satisfies this")
            .help("everything would follow, and nothing would be proved");
        for number in earlier {
            error = error.related(axiom(number).span, "together with this");
        }
        return vec![error];
    }
    if found.starts.len() < system.starts.len() {
        return Vec::new();
    }
    let nothing = |span: Span| {
        Diagnostic::error(span, "there is no initial state")
            .help("every property of no state is true, so nothing would be proved")
    };
    if system.starts.is_empty() {
        return vec![nothing(Span::default())];
    }
    let no_state = |number: &usize| nothing(system.starts[*number].span).label("no state satisfies this");
    let mut errors: Vec<Diagnostic> = found.starts.iter().map(no_state).collect();
    errors.dedup();
    errors
}

fn warnings(system: &TransitionSystem, found: &Vacuity) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for number in &found.starts {
        let warning = Diagnostic::warning(system.starts[*number].span, "this start makes no state");
        warnings.push(warning.label("its conditions contradict each other"));
    }
    // A rule of the source may be several of the system: it never fires where none of them does.
    let dead: HashSet<usize> = found.rules.iter().copied().collect();
    let alive = system.rules.iter().enumerate();
    let alive = alive.filter(|(number, _)| !dead.contains(number));
    let firing: HashSet<Span> = alive.map(|(_, rule)| rule.span).collect();
    for number in &found.rules {
        let rule = &system.rules[*number];
        if !firing.contains(&rule.span) {
            let message = format!("the rule \"{}\" can never fire", rule.name);
            warnings.push(Diagnostic::warning(rule.span, message).label("its guard holds in no state"));
        }
    }
    warnings.sort_by_key(|warning| warning.span);
    warnings.dedup_by_key(|warning| warning.span);
    warnings
}
