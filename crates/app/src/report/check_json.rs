//! What `check` found out, for programs. Fields are added, never changed, without a new `schema`.

use super::check_report::Counts;
use super::explore_json::{changes, peak_memory_mb};
use super::explore_text::message;
use super::trace::firing;
use super::{Header, agreement};
use crate::arguments::EngineName;
use crate::commands::check::{
    Confirmation, Found, Further, NO_INVARIANT, Proof, PropertyResult, Task, user_predicates,
};
use crate::input::{Input, TypeSize};
use crate::status::Status;
use abstraction::cegar::GoalVerdict;
use explore::ViolationKind;
use serde_json::{Map, Value, json};
use smt::Statistics;
use std::path::Path;
use system::transition::Fact;

/// Why nothing more is known where a violation was found.
const ANOTHER: &str = "not decided, since another property is violated";

/// A proof, or why there is none.
pub(crate) fn proof(task: &Task, proof: &Proof, status: Status, seconds: f64) -> Value {
    let of_property = |result: &PropertyResult| property(task, proof, result);
    let properties = proof.results.iter().map(of_property).collect();
    let mut object = object(task, task.input, (proof.engine, status), properties, seconds);
    let fact = |fact: &Fact| {
        let formula = super::check_report::closed_formula(task.system, fact.formula);
        json!({ "name": fact.name, "formula": formula })
    };
    if proof.is_safe() {
        object["invariant"] = proof.facts.iter().map(fact).collect();
    }
    object["confirmations"] = proof.confirmations.iter().map(confirmation).collect();
    object["also"] = also(&proof.further);
    object["agreement"] = proof.agreement.as_ref().map_or(Value::Null, agreement::json);
    object["others"] = agreement::others_json(task, proof.agreement.as_ref());
    object["checks"] = checks(task, proof.beside.as_deref());
    object
}

/// What another solver says of the proof.
fn confirmation(confirmation: &Confirmation) -> Value {
    json!({
        "solver": confirmation.solver,
        "obligations": confirmation.total,
        "undecided": confirmation.undecided,
        "time_s": confirmation.time.as_secs_f64(),
    })
}

/// The checks of those whose answer this is, by purpose, and those of an engine that it stopped.
fn checks(task: &Task, beside: Option<&Statistics>) -> Value {
    let counts = Counts::new(&task.statistics, beside);
    json!({
        "total": counts.total,
        "abstraction": counts.abstraction,
        "trace": counts.trace,
        "discovery": counts.discovery,
        "other": counts.other(),
        "stopped": counts.stopped,
    })
}

/// The further properties: whether the invariant shows them.
fn also(further: &[Further]) -> Value {
    let entry = |further: &Further| {
        let verdict = if further.holds() { "safe" } else { "unknown" };
        json!({ "name": further.name, "verdict": verdict, "reason": further.doubt })
    };
    further.iter().map(entry).collect()
}

/// Nothing is known of any property yet.
pub(crate) fn undecided(task: &Task, seconds: f64) -> Value {
    let entries = task.properties.iter().map(|property| entry(&property.name)).collect();
    let engine = task.arguments.engine.map_or("automatic", EngineName::name);
    object(task, task.input, (engine, Status::Incomplete), entries, seconds)
}

/// A violation in an instance: of the properties one is violated, and nothing is known of the others.
pub(crate) fn violation(task: &Task, found: &Found, seconds: f64) -> Value {
    let violated = found.violation().and_then(|violation| match violation.kind {
        ViolationKind::Invariant { property } => found.instance.properties.get(property),
        _ => None,
    });
    let violated = violated.map(|property| property.name.clone());
    let asked_for = task.properties.iter().map(|property| property.name.clone());
    let mut names: Vec<String> = asked_for.collect();
    let violated = violated.unwrap_or_else(|| {
        // An assertion or another error in a rule.
        let name = found.violation().map(|violation| message(&found.input, violation));
        names.extend(name.clone());
        name.unwrap_or_default()
    });
    let entry = |name: &String| {
        let mut entry = entry(name);
        if *name == violated {
            entry["verdict"] = json!("unsafe");
            entry["reason"] = json!(found.violation().map(|violation| message(&found.input, violation)));
            entry["trace"] = trace(found);
            entry["instance"] = instance(&found.input);
        } else {
            entry["reason"] = json!(ANOTHER);
        }
        entry
    };
    let entries = names.iter().map(entry).collect();
    let mut report = object(task, &found.input, ("explore", Status::Violated), entries, seconds);
    report["also"] = also(&Further::unchecked(task, ANOTHER));
    report["checks"] = checks(task, found.beside.as_deref());
    report
}

fn object(task: &Task, input: &Input, (engine, status): (&str, Status), properties: Vec<Value>, seconds: f64) -> Value {
    let header = Header::new(&input.file.name);
    json!({
        "cubist": header.cubist,
        "schema": header.schema,
        "file": header.file,
        "engine": engine,
        "verdict": status.verdict(),
        "properties": properties,
        "invariant": [],
        "confirmations": [],
        "also": also(&Further::unchecked(task, NO_INVARIANT)),
        "agreement": null,
        "others": agreement::others_json(task, None),
        "sizes": claimed_sizes(task.input),
        "checks": checks(task, None),
        "time_s": seconds,
        "peak_memory_mb": peak_memory_mb(),
    })
}

/// An explored state contradicts the proof: nothing is known of any property.
pub(crate) fn contradiction(task: &Task, message: &str, folder: Option<&Path>, seconds: f64) -> Value {
    let mut entries: Vec<Value> = task.properties.iter().map(|property| entry(&property.name)).collect();
    entries.iter_mut().for_each(|entry| entry["reason"] = json!(message));
    let mut object = object(task, task.input, ("explore", Status::Internal), entries, seconds);
    object["internal_error"] = json!({
        "message": message,
        "folder": folder.map(|folder| folder.display().to_string()),
    });
    object
}

/// The sizes that a proof is about: for each type the only one, or the least and the greatest, if there is one.
fn claimed_sizes(input: &Input) -> Value {
    let entry = |ty: &TypeSize| match ty.is_any() {
        true => json!({ "type": ty.name, "from": ty.least, "to": ty.most }),
        false => json!({ "type": ty.name, "from": ty.size, "to": ty.size }),
    };
    input.sizes.iter().map(entry).collect()
}

/// A property of which nothing is known.
fn entry(name: &str) -> Value {
    json!({
        "name": name,
        "verdict": "unknown",
        "reason": null,
        "predicates": [],
        "discovery_cycles": 0,
        "iterations": 0,
        "abstract_states": 0,
        "trace": null,
        "instance": null,
        "certificate": null,
    })
}

fn property(task: &Task, proof: &Proof, result: &PropertyResult) -> Value {
    let goals = &result.goals;
    let states = |verdict: &GoalVerdict| match verdict {
        GoalVerdict::Proved { abstract_states, .. } => *abstract_states,
        _ => 0.0,
    };
    let mut predicates: Vec<String> = Vec::new();
    for (goal, report) in goals {
        for predicate in &report.predicates {
            let text = super::check_report::formula(task.system, goal, *predicate);
            if !predicates.contains(&text) {
                predicates.push(text);
            }
        }
    }
    if proof.iterations > 0 {
        let formulas = user_predicates(task).iter().map(|predicate| predicate.formula);
        predicates.extend(formulas.map(|formula| super::check_report::closed_formula(task.system, formula)));
    }
    let safe = result.proved() && proof.is_safe();
    let mut entry = entry(&result.name);
    entry["verdict"] = json!(if safe { "safe" } else { "unknown" });
    entry["reason"] = json!(result.reason().or_else(|| proof.doubt.clone()));
    entry["predicates"] = json!(predicates);
    entry["discovery_cycles"] = json!(goals.iter().map(|(_, report)| report.cycles).sum::<usize>());
    let refinements: usize = goals.iter().map(|(_, report)| report.refinements).sum();
    entry["iterations"] = json!(refinements + proof.iterations);
    // A whole number, however large.
    let sum = goals.iter().map(|(_, report)| states(&report.verdict)).sum::<f64>() + proof.abstract_states;
    entry["abstract_states"] = if sum < 2f64.powi(53) {
        json!(sum as u64)
    } else {
        json!(sum)
    };
    // A proof for some sizes only says for which.
    let fixed = &task.arguments.reading.fixed;
    let sizes = task.input.sizes.iter().filter(|size| fixed.contains(&size.name));
    let sizes: Map<String, Value> = sizes.map(|size| (size.name.clone(), json!(size.size))).collect();
    if !sizes.is_empty() {
        entry["instance"] = Value::Object(sizes);
    }
    let written = task
        .arguments
        .certificate
        .as_ref()
        .filter(|_| proof.certificate.is_some());
    entry["certificate"] = json!(written.map(|path| path.display().to_string()));
    entry
}

/// The run, a rule with its parameters and what it changed at a time.
fn trace(found: &Found) -> Value {
    let Some(trace) = found.violation().and_then(|violation| violation.trace.as_ref()) else {
        return Value::Null;
    };
    let steps = trace.steps.iter().enumerate();
    let mut steps: Vec<Value> = steps
        .map(|(number, step)| json!({ "rule": firing(&step.firing), "changes": changes(trace, &found.instance, number) }))
        .collect();
    // The rule that fails has no state behind it.
    steps.extend(
        trace
            .failing
            .iter()
            .map(|failing| json!({ "rule": firing(failing), "changes": {} })),
    );
    Value::Array(steps)
}

fn instance(input: &Input) -> Value {
    let sizes = input.sizes.iter().map(|size| (size.name.clone(), json!(size.size)));
    Value::Object(sizes.collect::<Map<String, Value>>())
}
