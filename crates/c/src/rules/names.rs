//! Resolution of the functions that an event names.
//!
//! `int my(int *) asm("spin_lock")` is `spin_lock`, both by its linker symbol and by each name of a function with the
//! same symbol.

use super::{Event, Rule};
use crate::tree::{Function, FunctionId, Unit};
use std::collections::{BTreeMap, BTreeSet};
use system::{Diagnostic, Severity};

/// The names of the functions of a program.
pub(crate) struct Names(BTreeMap<FunctionId, Vec<String>>);

impl Names {
    /// Those of declared functions.
    pub(crate) fn new(unit: &Unit) -> Names {
        fn symbol(function: &Function) -> &str {
            function.symbol.as_deref().unwrap_or(&function.name)
        }
        let functions = || (0..).map(FunctionId).zip(&unit.functions);
        let mut same: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (_, function) in functions().filter(|(id, _)| !unit.is_of_library(*id)) {
            same.entry(symbol(function)).or_default().push(&function.name);
        }
        let names = functions().map(|(id, function)| {
            if unit.is_of_library(id) {
                return (id, vec![function.name.clone()]);
            }
            let others = same.get(symbol(function)).into_iter().flatten().copied();
            let all = [symbol(function), &function.name].into_iter().chain(others);
            (id, all.map(str::to_owned).collect())
        });
        Names(names.collect())
    }

    fn of(&self, function: FunctionId) -> &[String] {
        self.0.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The rule's name for a function: a single one, so that no event happens twice. The linker symbol takes
    /// precedence.
    pub(crate) fn in_rule(&self, function: FunctionId, rule: &Rule) -> Option<&str> {
        let mut names = self.of(function).iter();
        names.find(|name| rule.is_about(name)).map(String::as_str)
    }

    /// The names, in the program, of all functions with events.
    pub(crate) fn watched(&self, unit: &Unit, rules: &[Rule]) -> BTreeSet<String> {
        let has_events = |id: FunctionId| rules.iter().any(|rule| self.in_rule(id, rule).is_some());
        let functions = (0..).map(FunctionId).zip(&unit.functions);
        let watched = functions.filter(|(id, _)| has_events(*id));
        watched.map(|(_, function)| function.name.clone()).collect()
    }

    /// Errors for functions that are used but not declared where rules look for declarations, since their events would
    /// be missed. Replaces the notes about events that never happen.
    pub(crate) fn refuse_lost(&self, unit: &Unit, rules: &[Rule], diagnostics: &mut Vec<Diagnostic>) {
        let left_out = || rules.iter().flat_map(|rule| &rule.left_out);
        let errors: Vec<Diagnostic> = left_out().filter_map(|event| self.lost(unit, event)).collect();
        if !errors.is_empty() {
            let is_told = |note: &Diagnostic| left_out().any(|event| event.span == note.span);
            diagnostics.retain(|note| note.severity != Severity::Note || !is_told(note));
            diagnostics.extend(errors);
        }
    }

    fn lost(&self, unit: &Unit, event: &Event) -> Option<Diagnostic> {
        let name = &event.call()?.function;
        let mut functions = (0..).map(FunctionId).zip(&unit.functions);
        let (_, function) = functions.find(|(id, function)| {
            function.is_used && !unit.is_of_library(*id) && self.of(*id).iter().any(|own| own == name)
        })?;
        let message = match function.name == *name {
            true => format!("`{name}` is used, but is not declared outside of functions"),
            false => format!(
                "`{}`, which is `{name}` by its asm label, is used, but is not declared outside of functions",
                function.name
            ),
        };
        let error = Diagnostic::error(event.span, message).label("this event takes its types from the declaration");
        Some(error.related(function.span, "the function"))
    }
}
