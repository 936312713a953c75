//! The lowered systems of small models, formula by formula.

#![allow(clippy::unwrap_used)]

mod support;

use logic::pretty::{Patterns, pretty_with};
use std::fmt::Write;
use std::path::PathBuf;
use support::{model, read, stem};
use system::transition::{Rule, TransitionSystem};

/// The whole system as text.
// One block for each part of a system, in order.
#[allow(clippy::too_many_lines)]
fn text(system: &TransitionSystem) -> String {
    let symbols = system.state.iter().chain(&system.rigid);
    let patterns: Patterns = symbols
        .map(|symbol| (symbol.function, symbol.display.clone()))
        .collect();
    let show = |term: logic::Term| pretty_with(term, &patterns);
    let mut out = String::new();
    for sort in &system.index_sorts {
        let constants: Vec<String> = sort.constants.iter().map(|(f, n)| format!("{f:?} at {n}")).collect();
        let order = sort.order.map(|f| format!(", ordered by {f:?}")).unwrap_or_default();
        writeln!(
            out,
            "sort {}, size {:?}, [{}]{order}",
            sort.name,
            sort.declared_size,
            constants.join(", ")
        )
        .unwrap();
    }
    for (kind, symbols) in [("rigid", &system.rigid), ("state", &system.state)] {
        for symbol in symbols {
            let function = symbol.function;
            let parameters: Vec<String> = function.parameters().iter().map(|sort| sort.to_string()).collect();
            let result = function.result();
            writeln!(
                out,
                "{kind} {function:?}({}): {result}, written {}",
                parameters.join(", "),
                symbol.display
            )
            .unwrap();
        }
    }
    for axiom in &system.axioms {
        writeln!(out, "axiom \"{}\": {}", axiom.name, show(axiom.formula)).unwrap();
    }
    let mut rule = |kind: &str, rule: &Rule| {
        let parameters: Vec<&str> = rule
            .parameters
            .iter()
            .map(|parameter| parameter.name.as_str())
            .collect();
        writeln!(
            out,
            "{kind} {}({}), choices {:?}",
            rule.name,
            parameters.join(", "),
            rule.choices
        )
        .unwrap();
        writeln!(out, "  guard {}", show(rule.guard)).unwrap();
        for update in &rule.updates {
            writeln!(
                out,
                "  {:?}{:?} := {}",
                update.function,
                update.parameters,
                show(update.value)
            )
            .unwrap();
        }
        if !rule.constraint.is_true() {
            writeln!(out, "  constraint {}", show(rule.constraint)).unwrap();
        }
    };
    system.starts.iter().for_each(|start| rule("start", start));
    system.rules.iter().for_each(|transition| rule("rule", transition));
    for property in &system.properties {
        writeln!(out, "property \"{}\": {}", property.name, show(property.formula)).unwrap();
    }
    for predicate in &system.predicates {
        writeln!(
            out,
            "predicate \"{}\"{:?}: {}",
            predicate.name,
            predicate.indices,
            show(predicate.formula)
        )
        .unwrap();
    }
    out
}

/// The only test of this file: the sides of an equality depend on the terms created before.
#[test]
fn systems_are_as_recorded() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lower");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cub"));
    files.sort();
    assert_eq!(files.len(), 5);
    for path in files {
        let model = model(&read(&path));
        let lowered = cubicle::lower(&model).expect("a system");
        insta::with_settings!({ snapshot_path => "lower", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(stem(&path), text(&lowered.system));
        });
    }
}
