//! Where properties and the rules of a run stand in the source, for programs.

use driver::{Decided, Verdict};
use serde_json::{Value, json};
use std::collections::HashMap;
use system::{Sources, Span};

/// A place with its file, lines and columns counted from 1; null where there is none.
pub(crate) fn place(sources: &Sources, span: Span) -> Value {
    if span.is_nowhere() {
        return Value::Null;
    }
    let file = sources.file(span);
    let ((line, column), (end_line, end_column)) = (file.position(span.start), file.position(span.end));
    json!({
        "file": file.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    })
}

/// Gives each entry of `properties` the place where it is stated.
pub(crate) fn add_to_properties(report: &mut Value, sources: &Sources, stated: &[(String, Span)]) {
    // Where several have the same name, the first one counts.
    let places = stated.iter().rev().map(|(name, span)| (name.as_str(), *span));
    let places: HashMap<&str, Span> = places.collect();
    for entry in report["properties"].as_array_mut().into_iter().flatten() {
        let found = entry["name"].as_str().and_then(|name| places.get(name));
        entry["place"] = found.map_or(Value::Null, |span| place(sources, *span));
    }
}

/// The same, and gives what is violated and each step of the run their places.
pub(crate) fn add(report: &mut Value, decided: &Decided, only: &[String]) {
    add_to_properties(report, decided.input().sources(), &decided.stated(only));
    let Verdict::Unsafe(found) = &decided.verdict else {
        return;
    };
    let (sources, violation) = (found.input.sources(), found.run().violation());
    let entries = report["properties"].as_array_mut().into_iter().flatten();
    for entry in entries.filter(|entry| entry["verdict"] == "unsafe") {
        entry["place"] = place(sources, violation.span);
        let fired = violation.trace.iter().flat_map(|trace| {
            let steps = trace.steps.iter().map(|step| &step.firing);
            steps.chain(&trace.failing)
        });
        let steps = entry["trace"].as_array_mut().into_iter().flatten();
        for (step, firing) in steps.zip(fired) {
            step["place"] = place(sources, firing.span);
        }
    }
}
