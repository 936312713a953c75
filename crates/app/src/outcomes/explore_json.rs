//! The report of `explore` for programs. Fields are added, never changed, without a new `schema`.

use super::Header;
use super::diagnostics::messages;
use super::explore_text::{limit, message, names_of};
use super::trace;
use crate::files::Drawing;
use children::usage;
use driver::Input;
use explore::{
    FaultKind, Firing, GraphError, SearchOutcome, SearchVerdict, Simulation, Trace, Violation, ViolationKind,
};
use report::Status;
use report::outcome::{self, Message, Place};
use serde::Serialize;
use serde_json::{Map, Value, json};
use system::graph::Graph;
use system::instance::{Instance, Property, PropertyKind, Rule, Type, TypeId, UNDEFINED};

#[derive(Serialize)]
pub(crate) struct Report {
    #[serde(flatten)]
    header: Header,
    engine: &'static str,
    verdict: outcome::Verdict,
    /// Every reachable state was looked at (or a violation found).
    complete: bool,
    /// The sizes of the types of this instance: the verdict is about no other.
    instance: Map<String, Value>,
    /// The violated property, where it is one that the model states.
    property: Option<String>,
    /// What kind of violation.
    kind: Option<&'static str>,
    /// What is wrong, or which limit was hit.
    message: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    /// What the model states, each with its own verdict.
    properties: Vec<Value>,
    trace: Option<Vec<Step>>,
    /// The rule that could not be run to its end after the trace.
    failing: Option<Step>,
    #[serde(flatten)]
    statistics: Map<String, Value>,
    /// Where the state graph is, or why there is none; only where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<Value>,
    diagnostics: Vec<Message>,
}

#[derive(Serialize)]
struct Step {
    rule: String,
    /// The rule with its parameters.
    #[serde(skip)]
    text: String,
    start: bool,
    /// Where the rule stands.
    place: Option<Place>,
    parameters: Map<String, Value>,
    changes: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    output: Vec<String>,
}

/// The result of a search.
pub(crate) fn outcome(
    input: &Input,
    instance: &Instance,
    outcome: &SearchOutcome,
    full: bool,
    status: Status,
) -> Report {
    let mut report = Report::new(input, instance, status);
    match &outcome.verdict {
        SearchVerdict::Ok => {}
        SearchVerdict::Violation(violation) => report.violation(input, instance, violation, full),
        SearchVerdict::Incomplete(reason) => {
            report.complete = false;
            report.message = Some(limit(reason));
        }
    }
    let statistics = &outcome.statistics;
    let rules: Vec<Value> = instance
        .rules
        .iter()
        .zip(&statistics.fired_by_rule)
        .map(|(rule, fired)| json!({ "name": rule.name, "fired": fired }))
        .collect();
    report.statistics = object(json!({
        "states": statistics.states,
        "initial_states": statistics.starts,
        "rules_fired": statistics.rules_fired,
        "max_depth": statistics.max_depth,
        "symmetry": statistics.symmetric,
        "state_bits": statistics.state_bits,
        "rules": rules,
        "never_fired": matches!(outcome.verdict, SearchVerdict::Ok).then(|| names_of(&statistics.never_fired(instance))),
        "time_s": rounded(statistics.elapsed.as_secs_f64()),
        "states_per_second": rounded(statistics.states_per_second()),
        "bytes_per_state": rounded(statistics.bytes_per_state()),
        "peak_memory_mb": peak_memory_mb(),
    }));
    report
}

/// The result of random runs.
pub(crate) fn simulation(input: &Input, instance: &Instance, run: &Simulation, full: bool, status: Status) -> Report {
    let mut report = Report::new(input, instance, status);
    report.complete = false;
    match &run.violation {
        Some(violation) => report.violation(input, instance, violation, full),
        None => {
            report.message = Some("no violation in the random runs".to_owned());
            report.trace = run.last.as_ref().map(|trace| steps(input, trace, instance, full));
        }
    }
    report.statistics = object(json!({
        "runs": run.runs,
        "rules_fired": run.steps,
        "max_depth": run.longest,
        "time_s": rounded(run.elapsed.as_secs_f64()),
        "peak_memory_mb": peak_memory_mb(),
    }));
    report
}

/// The verdict without a run and counts: what there is to say if the report does not come.
pub(crate) fn verdict_alone(input: &Input, instance: &Instance, found: Option<&Violation>, status: Status) -> Report {
    let mut report = Report::new(input, instance, status);
    report.complete = status != Status::Incomplete;
    if let Some(found) = found {
        let found = Violation {
            kind: found.kind,
            message: found.message.clone(),
            span: found.span,
            trace: None,
        };
        report.violation(input, instance, &found, false);
    }
    report
}

impl Report {
    fn new(input: &Input, instance: &Instance, status: Status) -> Report {
        // A violation ends the search: nothing is known of the others.
        let verdict = match status {
            Status::Done => "safe",
            _ => "unknown",
        };
        let stated = instance.properties.iter();
        let stated = stated.filter(|property| property.kind != PropertyKind::Assumption);
        let entry = |property: &Property| {
            json!({
                "name": property.name,
                "verdict": verdict,
                "reason": null,
                "trace": null,
                "place": Place::of(input.sources(), property.span),
            })
        };
        Report {
            header: Header::new(&input.file().name),
            engine: "explore",
            verdict: status.verdict(),
            complete: true,
            instance: input
                .sizes()
                .iter()
                .map(|size| (size.name.clone(), json!(size.size)))
                .collect(),
            property: None,
            kind: None,
            message: None,
            line: None,
            column: None,
            properties: stated.map(entry).collect(),
            trace: None,
            failing: None,
            statistics: Map::new(),
            graph: None,
            diagnostics: messages(&input.diagnostics, input.sources()),
        }
    }

    pub(crate) fn with_graph(mut self, graph: Option<(&Drawing, &Result<Graph, GraphError>)>) -> Report {
        self.graph = graph.map(|(drawing, graph)| match graph {
            Ok(graph) => json!({ "file": drawing.path, "states": graph.states() }),
            Err(reason) => json!({ "file": null, "reason": reason.to_string() }),
        });
        self
    }

    fn violation(&mut self, input: &Input, instance: &Instance, violation: &Violation, full: bool) {
        self.message = Some(message(input, violation));
        self.kind = Some(kind(&violation.kind));
        if let ViolationKind::Invariant { property } | ViolationKind::Uncovered { property } = violation.kind {
            self.property = instance.properties.get(property).map(|property| property.name.clone());
        }
        if !violation.span.is_nowhere() {
            let (line, column) = input.sources().position(violation.span);
            (self.line, self.column) = (Some(line), Some(column));
        }
        if let Some(trace) = &violation.trace {
            self.trace = Some(steps(input, trace, instance, full));
            self.failing = trace.failing.as_ref().map(|firing| step(input, firing, instance));
        }
        self.violated(input, violation);
    }

    /// What is violated, among the properties: also where no property says it, such as a deadlock.
    fn violated(&mut self, input: &Input, violation: &Violation) {
        let message = message(input, violation);
        let name = self.property.as_ref().unwrap_or(&message);
        let known = self.properties.iter().position(|entry| entry["name"] == **name);
        let position = known.unwrap_or_else(|| {
            self.properties.push(json!({ "name": name }));
            self.properties.len() - 1
        });
        let steps = self.trace.iter().flatten().chain(&self.failing);
        let steps = steps.map(|step| json!({ "rule": step.text, "changes": step.changes, "place": step.place }));
        let entry = &mut self.properties[position];
        entry["verdict"] = json!("unsafe");
        entry["reason"] = json!(message);
        entry["trace"] = match violation.trace {
            Some(_) => steps.collect(),
            None => Value::Null,
        };
        entry["place"] = json!(Place::of(input.sources(), violation.span));
    }
}

fn kind(kind: &ViolationKind) -> &'static str {
    match kind {
        ViolationKind::Invariant { .. } => "invariant",
        ViolationKind::Deadlock => "deadlock",
        ViolationKind::Uncovered { .. } => "cover",
        ViolationKind::Fault(fault) => match fault {
            FaultKind::UndefinedRead => "undefined-read",
            FaultKind::OutOfRange => "out-of-range",
            FaultKind::IndexOutOfBounds => "index-out-of-bounds",
            FaultKind::Assertion => "assertion",
            FaultKind::Error => "error-statement",
            FaultKind::DivisionByZero => "division-by-zero",
            FaultKind::Overflow => "overflow",
            FaultKind::EmptyList => "empty-list",
            FaultKind::NoResult => "no-result",
            FaultKind::LoopLimit => "loop-limit",
            FaultKind::RecursionLimit => "recursion-limit",
            FaultKind::MultisetFull => "multiset-full",
            FaultKind::MultisetAbsent => "multiset-absent",
            FaultKind::Malformed => "malformed",
        },
    }
}

fn steps(input: &Input, trace: &Trace, instance: &Instance, full: bool) -> Vec<Step> {
    let convert = |(number, taken): (usize, &explore::TraceStep)| {
        let mut step = step(input, &taken.firing, instance);
        step.changes = changes(trace, instance, number);
        if full {
            let slots = 0..instance.slots.len();
            let value = |slot| (instance.slot_name(slot), slot_value(instance, taken, slot));
            step.state = Some(slots.map(value).collect());
        }
        step.output = taken.output.clone();
        step
    };
    trace.steps.iter().enumerate().map(convert).collect()
}

/// What a step of a run changed.
pub(crate) fn changes(trace: &Trace, instance: &Instance, number: usize) -> Map<String, Value> {
    let changes = trace.changes(instance, number).into_iter();
    changes
        .map(|change| (change.name, slot_value(instance, &trace.steps[number], change.slot)))
        .collect()
}

fn slot_value(instance: &Instance, step: &explore::TraceStep, slot: usize) -> Value {
    let text = step.texts.get(slot).map_or("", String::as_str);
    let number = step.state.get(slot).copied().unwrap_or(UNDEFINED);
    value(instance, instance.slots[slot].ty, number, text)
}

fn step(input: &Input, firing: &Firing, instance: &Instance) -> Step {
    let rules: &[Rule] = if firing.start {
        &instance.starts
    } else {
        &instance.rules
    };
    let types = rules.get(firing.index).map_or(&[][..], |rule| &rule.parameters);
    let parameter = |(position, binding): (usize, &explore::Binding)| {
        let value = match types.get(position) {
            Some(parameter) => value(instance, parameter.ty, binding.value, &binding.text),
            None => json!(binding.text),
        };
        (binding.name.clone(), value)
    };
    Step {
        rule: firing.name.clone(),
        text: trace::firing(firing),
        start: firing.start,
        place: Place::of(input.sources(), firing.span),
        parameters: firing.parameters.iter().enumerate().map(parameter).collect(),
        changes: Map::new(),
        state: None,
        output: Vec::new(),
    }
}

/// Numbers and Booleans as such, undefined as null, the rest as it is written in the model.
fn value(instance: &Instance, ty: TypeId, value: i64, text: &str) -> Value {
    match &instance.types[ty] {
        _ if value == UNDEFINED => Value::Null,
        Type::Boolean => json!(value != 0),
        Type::Range { .. } | Type::Integer { .. } => json!(value),
        _ => json!(text),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// To six decimals, which is beyond what is measured.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

pub(crate) fn peak_memory_mb() -> Option<f64> {
    usage::peak().map(|bytes| rounded(bytes as f64 / f64::from(1 << 20)))
}
