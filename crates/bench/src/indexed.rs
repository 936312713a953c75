//! The applications of S. Lahiri and R. Bryant, Constructing quantified invariants via predicate abstraction (VMCAI
//! 2004): with the indexed predicates that the models declare, and without.
//!
//! Each figure comes from a run of the program as a user would start it, in a process of its own, on a model of
//! models/.

use crate::measure::{self, cubist, temporary_folder};
use crate::table::{Row, Table, aligned, rounded};
use logic::Cancellation;
use serde_json::{Value, json};
use std::path::Path;

/// The time limit for a proof without predicates, in seconds; it may not terminate.
const TIMEOUT: f64 = 20.0;

/// The promise: at most this many seconds with the declared predicates.
const PROMISED: f64 = 60.0;

/// One application, and the figures of the paper.
struct Case {
    name: &'static str,
    model: &'static str,
    text: &'static str,
    property: Option<&'static str>,
    reference: Option<Reference>,
}

/// On a machine with 2.1 GHz and 1 GB.
struct Reference {
    predicates: u64,
    iterations: u64,
    seconds: f64,
}

macro_rules! case {
    ($name:literal, $model:literal, $property:expr, $reference:expr) => {
        Case {
            name: $name,
            model: $model,
            text: include_str!(concat!("../../../models/", $model)),
            property: $property,
            reference: $reference,
        }
    };
}

const CASES: &[Case] = &[
    case!("Running example", "running-example.m", None, None),
    case!(
        "German, single-entry channels",
        "german.m",
        Some("a writer is alone"),
        Some(Reference {
            predicates: 17,
            iterations: 9,
            seconds: 85.0,
        })
    ),
    case!("German, with data", "german.m", None, None),
    case!(
        "German, unbounded channels",
        "german-fifo.m",
        None,
        Some(Reference {
            predicates: 29,
            iterations: 19,
            seconds: 263.0 * 60.0,
        })
    ),
    case!("Out-of-order execution", "out-of-order.m", None, None),
    case!("Bakery, non-atomic", "bakery-non-atomic.m", None, None),
    case!("Selection sort", "selection-sort.m", None, None),
];

/// Runs the bench; reports progress to `progress`. No run takes more than `timeout` seconds.
pub(crate) fn run(
    cancellation: &Cancellation,
    timeout: f64,
    smoke: bool,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    // The first case is the smallest.
    let cases = if smoke { &CASES[..1] } else { CASES };
    let folder = temporary_folder()?;
    let mut table = Table {
        bench: "indexed",
        rows: Vec::new(),
        notes: Vec::new(),
    };
    for case in cases {
        progress(case.name);
        std::fs::write(folder.path().join(case.model), case.text)?;
        let declared = check(case, &[], timeout, folder.path(), cancellation)?;
        let none = check(
            case,
            &["--ignore-predicates"],
            timeout.min(TIMEOUT),
            folder.path(),
            cancellation,
        )?;
        table.rows.push(row(case, declared, &none));
    }
    Ok(table)
}

/// The report of one run of `check`.
fn check(
    case: &Case,
    options: &[&str],
    timeout: f64,
    folder: &Path,
    cancellation: &Cancellation,
) -> anyhow::Result<Value> {
    let mut command = cubist()?;
    command.args(["check", case.model, "--json", "--jobs", "1"]);
    command.args(["--timeout", &timeout.to_string()]);
    command.args(options);
    if let Some(property) = case.property {
        command.args(["--property", property]);
    }
    let usage = measure::run(&mut command, folder, cancellation)?;
    let report: Value = serde_json::from_str(&usage.output).unwrap_or_default();
    let property = &report["properties"][0];
    Ok(json!({
        "proved": report["verdict"] == "safe" && usage.code == Some(0),
        "engine": report["engine"],
        "predicates": property["predicates"].as_array().map_or(0, Vec::len),
        "iterations": property["iterations"],
        "abstract_states": property["abstract_states"],
        "checks": report["checks"]["total"],
        "time_s": rounded(usage.processor_s),
    }))
}

/// Met if the declared predicates give a certified proof, within the time of the paper and the promised time.
fn row(case: &Case, declared: Value, none: &Value) -> Row {
    let proved = declared["proved"] == true;
    let most = case.reference.as_ref().map_or(PROMISED, |r| r.seconds.min(PROMISED));
    let in_time = declared["time_s"].as_f64().is_some_and(|seconds| seconds <= most);
    let mut ours = declared.clone();
    ours["without_predicates"] = none.clone();
    Row {
        name: case.name.to_owned(),
        met: Some(proved && in_time),
        reference: case.reference.as_ref().map_or(Value::Null, |reference| {
            json!({
                "predicates": reference.predicates,
                "iterations": reference.iterations,
                "time_s": reference.seconds,
            })
        }),
        ours,
    }
}

/// The table in Markdown.
pub(crate) fn markdown(table: &Table) -> String {
    let head = [
        "application",
        "predicates",
        "paper",
        "iterations",
        "paper",
        "abstract states",
        "checks",
        "seconds",
        "paper",
        "seconds without predicates",
        "met",
    ];
    let mut lines = vec![head.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>()];
    for row in &table.rows {
        let text = |value: &Value| {
            if value.is_null() {
                String::new()
            } else {
                value.to_string()
            }
        };
        let none = &row.ours["without_predicates"];
        let unknown = || "unknown".to_owned();
        lines.push(vec![
            row.name.clone(),
            text(&row.ours["predicates"]),
            text(&row.reference["predicates"]),
            text(&row.ours["iterations"]),
            text(&row.reference["iterations"]),
            text(&row.ours["abstract_states"]),
            text(&row.ours["checks"]),
            text(&row.ours["time_s"]),
            text(&row.reference["time_s"]),
            if none["proved"] == true {
                text(&none["time_s"])
            } else {
                unknown()
            },
            if row.met == Some(true) { "yes" } else { "no" }.to_owned(),
        ]);
    }
    aligned(&lines)
}
