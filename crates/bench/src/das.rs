//! The tables of S. Das, Predicate Abstraction (thesis, Stanford 2003): satisfiability checks with given predicates
//! (table 4.1), predicate discovery without (table 5.1), and the protocols that the thesis reports without figures.
//!
//! Each figure comes from a run of the program as a user would start it, in a process of its own, on a model of
//! models/. Only the checks that find the proof count: simplification and validation are not part of the method.

use crate::measure::{self, Usage, cubist, temporary_folder};
use crate::table::{Row, Table, aligned};
use driver::notation::grouped;
use logic::Cancellation;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// The promise: no run uses more memory than this.
const MEGABYTES: f64 = 1024.0;

/// The smallest model.
const SMOKE: &str = "simple-cache.m";

/// The figures of the thesis for one protocol.
struct Case {
    name: &'static str,
    model: &'static str,
    text: &'static str,
    /// Table 4.1: checks of the implicit and of the approximate engine. For "8000+" in the thesis, 8000.
    checks: Option<(u64, u64)>,
    /// Table 5.1: discovery cycles and predicates.
    discovery: Option<(u64, u64)>,
}

macro_rules! case {
    ($name:literal, $model:literal, $checks:expr, $discovery:expr) => {
        Case {
            name: $name,
            model: $model,
            text: include_str!(concat!("../../../models/", $model)),
            checks: $checks,
            discovery: $discovery,
        }
    };
}

const CASES: &[Case] = &[
    case!("Alternating bit", "alternating-bit.m", Some((237, 153)), Some((13, 18))),
    case!("Bakery", "bakery.m", Some((27, 118)), Some((8, 10))),
    case!(
        "Bounded retransmission",
        "bounded-retransmission.m",
        Some((404, 333)),
        Some((16, 22))
    ),
    case!("Burns", "burns.m", Some((1065, 773)), Some((8, 12))),
    case!("Simple cache coherence", "simple-cache.m", Some((22, 21)), Some((1, 3))),
    case!("Mux-AST", "mux-ast.m", Some((272, 203)), Some((6, 12))),
    case!("Peterson", "peterson.m", Some((269, 256)), Some((4, 7))),
    case!("Semaphore", "semaphore.m", Some((282, 334)), Some((6, 8))),
    case!("Sifakis '79", "sifakis-79.m", Some((1374, 718)), Some((5, 8))),
    case!("Ticket", "ticket.m", Some((3405, 2406)), Some((13, 16))),
    case!("Dijkstra", "dijkstra.m", Some((14535, 3005)), Some((11, 18))),
    case!("Concurrent garbage collection", "gc-fine.m", Some((8000, 2275)), None),
    case!(
        "Secure contract signing",
        "contract-signing.m",
        Some((266_506, 18513)),
        None
    ),
    case!("AODV", "aodv.m", Some((10000, 2134)), Some((14, 19))),
    case!("Collector alone", "gc-collector.m", None, None),
    case!("Collector and coarse mutator", "gc-coarse.m", None, None),
    case!("FLASH", "flash.m", None, None),
];

/// The report of one run of `check`.
struct Run {
    proved: bool,
    checks: Option<u64>,
    cycles: u64,
    predicates: usize,
    seconds: f64,
    megabytes: f64,
}

/// Runs the bench; reports progress to `progress`. No run takes more than `timeout` seconds.
pub(crate) fn run(
    cancellation: &Cancellation,
    timeout: f64,
    smoke: bool,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    let cases = || CASES.iter().filter(|case| !smoke || case.model == SMOKE);
    let folder = temporary_folder()?;
    let mut table = Table {
        bench: "das",
        rows: Vec::new(),
        notes: Vec::new(),
    };
    for case in cases() {
        progress(&format!("{} with its predicates", case.name));
        std::fs::write(folder.path().join(case.model), case.text)?;
        let check = |options: &[&str]| check(case.model, options, timeout, folder.path(), cancellation);
        let implicit = check(&["--no-discovery", "--engine", "implicit"])?;
        let approximate = check(&["--no-discovery", "--engine", "approximate"])?;
        table.rows.push(given_row(case, &implicit, &approximate));
    }
    for case in cases() {
        let Some(reference) = case.discovery else { continue };
        progress(&format!("{} without predicates", case.name));
        let options = ["--ignore-predicates", "--engine", "approximate"];
        let found = check(case.model, &options, timeout, folder.path(), cancellation)?;
        table.rows.push(discovery_row(case, &found, reference));
    }
    Ok(table)
}

fn check(
    model: &str,
    options: &[&str],
    timeout: f64,
    folder: &Path,
    cancellation: &Cancellation,
) -> anyhow::Result<Run> {
    let mut command = cubist()?;
    command.args([
        "check",
        model,
        "--json",
        "--jobs",
        "1",
        "--timeout",
        &timeout.to_string(),
    ]);
    command.args(options);
    let usage = measure::run(&mut command, folder, cancellation)?;
    Ok(read(&usage))
}

/// A run without a report (a crash, or a limit enforced by the supervisor) proves nothing.
fn read(usage: &Usage) -> Run {
    let report: Value = serde_json::from_str(&usage.output).unwrap_or_default();
    let properties = report["properties"].as_array().cloned().unwrap_or_default();
    let parts = ["abstraction", "trace", "discovery"].map(|purpose| report["checks"][purpose].as_u64());
    Run {
        proved: report["verdict"] == "safe" && usage.code == Some(0),
        checks: parts.into_iter().sum(),
        cycles: properties.iter().filter_map(|p| p["discovery_cycles"].as_u64()).sum(),
        predicates: properties
            .iter()
            .filter_map(|p| Some(p["predicates"].as_array()?.len()))
            .max()
            .unwrap_or(0),
        seconds: usage.clock_s,
        megabytes: usage.peak_bytes as f64 / 1_048_576.0,
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Met if both engines prove it with no more checks than the thesis.
fn given_row(case: &Case, implicit: &Run, approximate: &Run) -> Row {
    let few = |run: &Run, reference: Option<u64>| {
        let at_most = |limit: u64| run.checks.is_some_and(|checks| checks <= limit);
        run.proved && run.megabytes < MEGABYTES && reference.is_none_or(at_most)
    };
    let megabytes = implicit.megabytes.max(approximate.megabytes);
    Row {
        name: format!("{}, declared predicates", case.name),
        ours: json!({
            "model": case.model,
            "predicates": approximate.predicates,
            "implicit_proved": implicit.proved,
            "implicit_checks": implicit.checks,
            "approximate_proved": approximate.proved,
            "approximate_checks": approximate.checks,
            "time_s": rounded(implicit.seconds + approximate.seconds),
            "peak_memory_mb": rounded(megabytes),
        }),
        reference: case.checks.map_or(
            Value::Null,
            |(implicit, approximate)| json!({ "implicit_checks": implicit, "approximate_checks": approximate }),
        ),
        met: Some(few(implicit, case.checks.map(|c| c.0)) && few(approximate, case.checks.map(|c| c.1))),
    }
}

/// Met if it is proved in no more discovery cycles than the thesis.
fn discovery_row(case: &Case, found: &Run, (cycles, predicates): (u64, u64)) -> Row {
    Row {
        name: format!("{}, no predicates", case.name),
        ours: json!({
            "model": case.model,
            "proved": found.proved,
            "cycles": found.cycles,
            "predicates": found.predicates,
            "checks": found.checks,
            "time_s": rounded(found.seconds),
            "peak_memory_mb": rounded(found.megabytes),
        }),
        reference: json!({ "cycles": cycles, "predicates": predicates }),
        met: Some(found.proved && found.cycles <= cycles && found.megabytes < MEGABYTES),
    }
}

/// The tables in Markdown.
pub(crate) fn markdown(table: &Table) -> String {
    let (found, given): (Vec<&Row>, Vec<&Row>) = table.rows.iter().partition(|row| !row.ours["cycles"].is_null());
    let given_head = [
        "table 4.1",
        "predicates",
        "implicit",
        "thesis",
        "approximate",
        "thesis",
        "seconds",
        "MB",
        "met",
    ];
    let found_head = [
        "table 5.1",
        "proved",
        "cycles",
        "thesis",
        "predicates",
        "thesis",
        "checks",
        "seconds",
        "MB",
        "met",
    ];
    let mut text = String::new();
    for (head, rows, cells) in [
        (&given_head[..], given, given_cells as fn(&Row) -> Vec<String>),
        (&found_head[..], found, found_cells),
    ] {
        let mut lines = vec![head.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>()];
        lines.extend(rows.into_iter().map(cells));
        let _ = writeln!(text, "{}", aligned(&lines));
    }
    text
}

fn number(value: &Value) -> String {
    match (value.as_u64(), value.as_f64()) {
        (Some(whole), _) => grouped(whole),
        (None, Some(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn met(row: &Row) -> String {
    let met = if row.met == Some(true) { "yes" } else { "**no**" };
    met.to_owned()
}

fn short_name(row: &Row) -> String {
    let (name, _) = row.name.rsplit_once(", ").unwrap_or((&row.name, ""));
    name.to_owned()
}

fn given_cells(row: &Row) -> Vec<String> {
    let (ours, reference) = (&row.ours, &row.reference);
    let checks = |engine: &str| match ours[format!("{engine}_proved")].as_bool() {
        Some(true) => number(&ours[format!("{engine}_checks")]),
        _ => "not proved".to_owned(),
    };
    vec![
        short_name(row),
        number(&ours["predicates"]),
        checks("implicit"),
        number(&reference["implicit_checks"]),
        checks("approximate"),
        number(&reference["approximate_checks"]),
        number(&ours["time_s"]),
        number(&ours["peak_memory_mb"]),
        met(row),
    ]
}

fn found_cells(row: &Row) -> Vec<String> {
    let (ours, reference) = (&row.ours, &row.reference);
    vec![
        short_name(row),
        if ours["proved"] == true { "yes" } else { "**no**" }.to_owned(),
        number(&ours["cycles"]),
        number(&reference["cycles"]),
        number(&ours["predicates"]),
        number(&reference["predicates"]),
        number(&ours["checks"]),
        number(&ours["time_s"]),
        number(&ours["peak_memory_mb"]),
        met(row),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(verdict: &str, code: i32, checks: u64) -> Usage {
        let property = json!({ "discovery_cycles": 2, "predicates": ["a", "b", "c"] });
        let checks = json!({ "total": 99, "abstraction": checks, "trace": 0, "discovery": 0, "other": 60 });
        let report = json!({ "verdict": verdict, "properties": [property, property], "checks": checks });
        Usage {
            output: report.to_string(),
            code: Some(code),
            ..Usage::default()
        }
    }

    #[test]
    fn a_row_is_met_only_by_proofs_within_the_figures_of_the_thesis() {
        let case = CASES.iter().find(|case| case.name == "Bakery").unwrap();
        let met = |implicit: Usage, approximate: Usage| given_row(case, &read(&implicit), &read(&approximate)).met;
        assert_eq!(met(usage("safe", 0, 27), usage("safe", 0, 118)), Some(true));
        assert_eq!(met(usage("safe", 0, 28), usage("safe", 0, 118)), Some(false));
        assert_eq!(met(usage("safe", 0, 27), usage("safe", 0, 119)), Some(false));
        assert_eq!(met(usage("unknown", 20, 27), usage("safe", 0, 118)), Some(false));
        assert_eq!(met(Usage::default(), usage("safe", 0, 118)), Some(false));
        let found = read(&usage("safe", 0, 1));
        assert_eq!((found.cycles, found.predicates), (4, 3));
        assert_eq!(discovery_row(case, &found, (4, 1)).met, Some(true));
        assert_eq!(discovery_row(case, &found, (3, 9)).met, Some(false));
    }

    #[test]
    fn every_row_is_in_one_of_the_tables() {
        let case = &CASES[0];
        let run = read(&usage("safe", 0, 5));
        let table = Table {
            bench: "das",
            rows: vec![given_row(case, &run, &run), discovery_row(case, &run, (1, 1))],
            notes: Vec::new(),
        };
        let text = markdown(&table);
        assert_eq!(text.matches("| Alternating bit ").count(), 2, "{text}");
        assert!(text.contains("| table 4.1") && text.contains("| table 5.1"), "{text}");
    }
}
