//! The verdicts of `cubist conform` on the models of models/conformance, with one level and with two, and with the
//! three predicate selections: figures 12 and 16 to 18 of the paper, in our format.
//!
//! Each run is a process of its own, as users run it.

use crate::measure::{self, cubist, temporary_folder};
use crate::plot::{Panel, Series, plot};
use crate::table::{Row, Table, rounded};
use anyhow::{Context as _, bail};
use logic::Cancellation;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const MODELS: &str = "models/conformance";
/// The promise: two levels take at most this many times as long as one, and at most this much memory.
const MOST_TIME: f64 = 1.2;
const MOST_MB: u64 = 500;

/// Two configurations run concurrently. Those only for comparison get a lower wall-clock limit.
const MOST_SECONDS: f64 = 60.0;
const MOST_SECONDS_TO_COMPARE: f64 = 20.0;

/// A configuration of the verification, with its time limit in seconds.
type Way = (&'static str, &'static [&'static str], f64);

const WAYS: [[Way; 2]; 2] = [
    [
        ("two", &[], MOST_SECONDS),
        ("none", &["--minimise", "none"], MOST_SECONDS_TO_COMPARE),
    ],
    [
        ("one", &["--levels", "one"], MOST_SECONDS),
        ("greedy", &["--minimise", "greedy"], MOST_SECONDS_TO_COMPARE),
    ],
];

/// Runs the bench; reports progress to `progress`.
pub(crate) fn run(
    cancellation: &Cancellation,
    timeout: f64,
    smoke: bool,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    let folders = [temporary_folder()?, temporary_folder()?];
    let mut table = Table {
        bench: "magic",
        rows: Vec::new(),
        notes: vec![format!(
            "Two levels with a minimum set of branches; predicates alone (`one`); two levels with other choices of\n\
             branches. `gain` is the number of states with predicates alone by that with two levels. No run got more\n\
             than {} wall-clock seconds, and {} with other choices of branches; behind `>`, that was not enough.",
            MOST_SECONDS.min(timeout),
            MOST_SECONDS_TO_COMPARE.min(timeout),
        )],
    };
    let mut models: Vec<PathBuf> = std::fs::read_dir(MODELS)
        .with_context(|| format!("cannot read {MODELS}"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    models.sort();
    for path in models {
        let Some((expected, arguments)) = expected(&path) else {
            continue;
        };
        let name = path
            .file_stem()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if smoke && name != "example" {
            continue;
        }
        progress(&name);
        let mut ours = measured(&arguments, timeout, &folders, cancellation)?;
        let is_known = |way: &str| ours[way]["verdict"] != "unknown";
        let states = |way: &str| ours[way]["states"].as_f64().filter(|_| is_known(way));
        let gain = states("one").zip(states("two")).map(|(one, two)| one / two);
        ours["gain"] = gain.map(|gain| (gain * 10.0).round() / 10.0).into();
        // Times below one second count as one.
        let seconds = |way: &str| ours[way]["processor_s"].as_f64().map(|seconds| seconds.max(1.0));
        let ratio = seconds("two").zip(seconds("one")).map(|(two, one)| two / one);
        ours["ratio"] = ratio.map(rounded).into();
        let is_cheap =
            ratio.is_some_and(|ratio| ratio <= MOST_TIME) && ours["two"]["memory_mb"].as_u64() < Some(MOST_MB);
        let met = Some(ours["two"]["verdict"] == expected && is_cheap);
        table.rows.push(Row {
            name,
            ours,
            reference: json!({ "verdict": expected }),
            met,
        });
    }
    Ok(table)
}

/// All configurations, two at a time.
fn measured(
    files: &[PathBuf],
    timeout: f64,
    folders: &[children::Folder; 2],
    cancellation: &Cancellation,
) -> anyhow::Result<Value> {
    let one_after_the_other = |ways: &[Way], folder: &children::Folder| -> anyhow::Result<Vec<Value>> {
        let measure = |(_, options, seconds): &Way| {
            let seconds = seconds.min(timeout);
            conform(files, options, seconds, folder.path(), cancellation)
        };
        ways.iter().map(measure).collect()
    };
    let [first, second] = &WAYS;
    let (first_found, second_found) = std::thread::scope(|scope| {
        let aside = scope.spawn(|| one_after_the_other(second, &folders[1]));
        (one_after_the_other(first, &folders[0]), aside.join())
    });
    let Ok(second_found) = second_found else {
        bail!("a measurement failed");
    };
    let mut ours = json!({});
    let ways = first.iter().chain(second);
    for ((way, ..), found) in ways.zip(first_found?.into_iter().chain(second_found?)) {
        ours[*way] = found;
    }
    Ok(ours)
}

/// The expected verdict and the other files, from the first line of a specification.
fn expected(path: &Path) -> Option<(&'static str, Vec<PathBuf>)> {
    let text = std::fs::read_to_string(path).ok()?;
    let first = text.lines().next()?.strip_prefix("// expect: ")?;
    let (verdict, with) = first.strip_suffix(')')?.split_once(" (")?;
    let folder = path.parent()?.canonicalize().ok()?;
    let files = with.split(' ').map(|file| folder.join(file));
    let all = std::iter::once(path.canonicalize().ok()?).chain(files).collect();
    Some((if verdict == "conforms" { "safe" } else { "unsafe" }, all))
}

fn conform(
    files: &[PathBuf],
    options: &[&str],
    timeout: f64,
    folder: &Path,
    cancellation: &Cancellation,
) -> anyhow::Result<Value> {
    let mut command = cubist()?;
    command.arg("conform");
    for file in files {
        if file.extension().is_some_and(|extension| extension == "spec") {
            command.arg("--spec");
        }
        command.arg(file);
    }
    command
        .args(options)
        .args(["--json", "--timeout", &timeout.to_string()]);
    // It ends by itself, with a more informative report.
    let limit = Duration::from_secs_f64(timeout + 10.0);
    let usage = measure::run_within(&mut command, folder, cancellation, Some(limit))?;
    let report: Value = serde_json::from_str(&usage.output).unwrap_or_default();
    let properties = report["properties"].as_array().cloned().unwrap_or_default();
    let sum = |value: &dyn Fn(&Value) -> &Value| -> u64 {
        properties.iter().filter_map(|property| value(property).as_u64()).sum()
    };
    Ok(json!({
        "verdict": report["verdict"].as_str().unwrap_or("unknown"),
        "states": sum(&|property| &property["states"]["together"]),
        "iterations": sum(&|property| &property["iterations"]["predicates"]),
        "action_iterations": sum(&|property| &property["iterations"]["actions"]),
        "expressions": sum(&|property| &property["predicates"]["expressions"]),
        "predicates": sum(&|property| &property["predicates"]["predicates"]),
        "branches": sum(&|property| &property["predicates"]["branches"]),
        "processor_s": rounded(usage.processor_s),
        "memory_mb": usage.peak_bytes >> 20,
    }))
}

/// The table in Markdown.
pub(crate) fn markdown(table: &Table) -> String {
    let head = [
        "model",
        "verdict",
        "PIt",
        "LIt",
        "predicates",
        "states",
        "s",
        "MB",
        "one: PIt",
        "states",
        "s",
        "gain",
        "ratio",
        "greedy: PIt",
        "predicates",
        "s",
        "MB",
        "none: PIt",
        "predicates",
        "s",
        "MB",
        "met",
    ];
    table.markdown(&head, |row| {
        let ours = &row.ours;
        let text = |way: &str, field: &str| match &ours[way][field] {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let seconds = |way: &str| match ours[way]["verdict"].as_str() {
            Some("unknown") => format!("> {}", text(way, "processor_s")),
            _ => text(way, "processor_s"),
        };
        let predicates = |way: &str| {
            let fields = ["expressions", "predicates", "branches"].map(|field| text(way, field));
            fields.join("/")
        };
        let mut cells = vec![
            text("two", "verdict"),
            text("two", "iterations"),
            text("two", "action_iterations"),
        ];
        cells.extend([
            predicates("two"),
            text("two", "states"),
            seconds("two"),
            text("two", "memory_mb"),
        ]);
        cells.extend([text("one", "iterations"), text("one", "states"), seconds("one")]);
        cells.extend([ours["gain"].to_string(), ours["ratio"].to_string()]);
        for way in ["greedy", "none"] {
            let memory = text(way, "memory_mb");
            cells.extend([text(way, "iterations"), predicates(way), seconds(way), memory]);
        }
        cells
    })
}

/// Plots the growth for a ring of components: states and time, with both levels and with predicates alone.
pub(crate) fn svg(table: &Table) -> String {
    let series = |name: &str, way: &str, figure: &str| {
        let point = |row: &Row| {
            let count: f64 = row.name.strip_prefix("ring-")?.parse().ok()?;
            Some((count, row.ours[way][figure].as_f64()?))
        };
        Series {
            name: name.to_owned(),
            points: table.rows.iter().filter_map(point).collect(),
        }
    };
    let nothing = |name: &str| Series {
        name: name.to_owned(),
        points: Vec::new(),
    };
    let (both, alone) = ("both levels", "predicates alone");
    let panels = [
        Panel {
            title: "states, both levels",
            series: vec![series(both, "two", "states"), nothing(alone)],
        },
        Panel {
            title: "states, predicates alone",
            series: vec![nothing(both), series(alone, "one", "states")],
        },
        Panel {
            title: "seconds",
            series: vec![series(both, "two", "processor_s"), series(alone, "one", "processor_s")],
        },
    ];
    plot("processes in a ring", &panels)
}
