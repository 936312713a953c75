//! Where properties and the rules of a run stand in the source, for programs.

use driver::{Decided, Subject, Verdict};
use serde_json::{Value, json};
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
pub(crate) fn add_to_properties(report: &mut Value, subject: &Subject) {
    let sources = subject.input.sources();
    for entry in report["properties"].as_array_mut().into_iter().flatten() {
        let mut properties = subject.properties.iter();
        let stated = properties.find(|property| entry["name"] == property.name.as_str());
        entry["place"] = stated.map_or(Value::Null, |property| place(sources, property.span));
    }
}

/// The same, and gives what is violated and each step of the run their places.
pub(crate) fn add(report: &mut Value, decided: &Decided) {
    add_to_properties(report, &decided.subject);
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
