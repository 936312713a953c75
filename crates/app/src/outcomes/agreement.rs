//! The explored states that agree with a proof, and what a proof is not about.

use crate::terminal::{counted, grouped};
use driver::{Agreement, ExploredInstance, Extent, Input, NonSafetyProperty, StepCheck, non_safety_properties};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// One sentence.
pub(crate) fn text(agreement: &Agreement) -> String {
    let instances: Vec<String> = agreement.instances.iter().map(instance).collect();
    let states = agreement.states();
    let noun = if states == 1 { "state" } else { "states" };
    let mut text = match agreement.instances.as_slice() {
        [] => "The proof was held against no explored state: there is no instance to explore.".to_owned(),
        [only] if only.sizes.is_empty() && only.extent == Extent::Some => {
            format!("The proof agrees with {} explored {noun}.", grouped(states))
        }
        _ => format!(
            "The proof agrees with {} explored {noun}: {}.",
            grouped(states),
            instances.join("; ")
        ),
    };
    if !agreement.left_out.is_empty() {
        let count = counted(agreement.left_out.len(), "formula");
        let _ = write!(text, " {count} could not be evaluated.");
    }
    if let Some(behind) = &agreement.step_check {
        text.push_str(&steps(behind));
    }
    text
}

/// The steps from states that a solver chose.
fn steps(behind: &StepCheck) -> String {
    let states = match behind.states {
        1 => "1 state".to_owned(),
        states => format!("{} states", grouped(states)),
    };
    let sizes = match behind.sizes.is_empty() {
        true => String::new(),
        false => format!(" with {}", super::sizes(&behind.sizes)),
    };
    format!(
        " Behind guards, one step from each of {states} that a solver chose{sizes} agrees ({} of {} fire).",
        behind.rules,
        counted(usize::try_from(behind.of).unwrap_or(usize::MAX), "rule"),
    )
}

fn instance(met: &ExploredInstance) -> String {
    let count = grouped(met.states);
    let states = match met.extent {
        Extent::All => format!("all {count}"),
        Extent::Some => count,
        Extent::RandomRuns => format!("{count} of random runs"),
    };
    match met.sizes.is_empty() {
        true => states,
        false => format!("{states} with {}", super::sizes(&met.sizes)),
    }
}

fn sizes_json(sizes: &[(String, i64)]) -> Value {
    let sizes = sizes.iter().map(|(name, size)| (name.clone(), json!(size)));
    Value::Object(sizes.collect::<Map<String, Value>>())
}

pub(crate) fn json(agreement: &Agreement, processor_s: f64) -> Value {
    let instance = |met: &ExploredInstance| {
        json!({
            "sizes": sizes_json(&met.sizes),
            "states": met.states,
            "extent": match met.extent {
                Extent::All => "all",
                Extent::Some => "some",
                Extent::RandomRuns => "random runs",
            },
        })
    };
    json!({
        "states": agreement.states(),
        "instances": agreement.instances.iter().map(instance).collect::<Vec<Value>>(),
        "left_out": agreement.left_out,
        "behind_guards": agreement.step_check.as_ref().map(|behind| json!({
            "sizes": sizes_json(&behind.sizes),
            "states": behind.states,
            "rules_fired": behind.rules,
            "rules": behind.of,
        })),
        "time_s": agreement.time.as_secs_f64(),
        "processor_s": processor_s,
    })
}

/// What the verdict is not about, a line each.
pub(crate) fn other_lines(input: &Input, explored: &[ExploredInstance]) -> Vec<String> {
    let line = |other: &NonSafetyProperty| {
        let name = match other.kind {
            "deadlock" => other.kind.to_owned(),
            kind => format!("{kind} \"{}\"", other.name),
        };
        format!("{name}: {}: {}", other.verdict.word(), other.what)
    };
    non_safety_properties(input, explored).iter().map(line).collect()
}

pub(crate) fn others_json(input: &Input, explored: &[ExploredInstance]) -> Value {
    let entry = |other: &NonSafetyProperty| {
        json!({
            "kind": other.kind,
            "name": other.name,
            "verdict": other.verdict.word(),
            "reason": other.what,
        })
    };
    non_safety_properties(input, explored).iter().map(entry).collect()
}
