//! The verdicts of `cubist check` on all available models: those of the project, with and without the predicates that
//! they declare, and those of others.
//!
//! Each run is a process of its own, as users run it.

use crate::measure::{self, cubist, temporary_folder};
use crate::table::{Row, Table, rounded};
use anyhow::Context as _;
use logic::Cancellation;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The folders of models; all but the first belong to others and are used if present.
const FOLDERS: &[&str] = &[
    "models",
    "../shared/corpus/cubicle",
    "../shared/corpus/murphi",
    "../shared/corpus/murphi-as-written",
];

const SMOKE: &str = "models/good-bad.m";

/// The time limit of one file, beside the overall limit.
const MOST: f64 = 20.0;

/// Runs the bench; reports progress to `progress`.
pub(crate) fn run(
    cancellation: &Cancellation,
    timeout: f64,
    smoke: bool,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    let timeout = timeout.min(MOST);
    let folder = temporary_folder()?;
    let mut table = Table {
        bench: "files",
        rows: Vec::new(),
        notes: vec![format!("No file got more than {timeout} wall-clock seconds.")],
    };
    for (number, place) in FOLDERS.iter().enumerate() {
        let mut models = models(Path::new(place));
        if smoke {
            models.retain(|model| model.ends_with(SMOKE));
        }
        if models.is_empty() && !smoke {
            table
                .notes
                .push(format!("`{place}` is not part of the project and not present."));
        }
        for model in models {
            let name = model.to_string_lossy().replace("../shared/corpus/", "");
            progress(&name);
            let checked = |options: &[&str]| check(&model, (options, false), timeout, folder.path(), cancellation);
            let as_it_is = checked(&[])?;
            let alone = if number == 0 {
                checked(&["--ignore-predicates"])?
            } else {
                Value::Null
            };
            table.rows.push(row(name, expectation(&model), as_it_is, alone));
        }
    }
    table.notes.extend(measure::busy());
    Ok(table)
}

fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_model = |path: &PathBuf| path.extension().is_some_and(|e| e == "m" || e == "cub");
    let mut models: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_model).collect();
    models.sort();
    models
}

/// The first line of our own models says `expect: safe` or `expect: unsafe`.
fn expectation(model: &Path) -> Option<String> {
    let text = std::fs::read_to_string(model).ok()?;
    let (_, expected) = text.lines().next()?.split_once("expect:")?;
    Some(expected.split_whitespace().next()?.to_owned())
}

/// The report of `cubist check`; with a positive `nice` value, at lower priority.
pub(crate) fn check(
    model: &Path,
    (options, nice): (&[&str], bool),
    timeout: f64,
    folder: &Path,
    cancellation: &Cancellation,
) -> anyhow::Result<Value> {
    let mut command = cubist()?;
    if nice {
        let program = std::mem::replace(&mut command, Command::new("nice"));
        command.args(["-n", "10"]).arg(program.get_program());
    }
    let model = model
        .canonicalize()
        .with_context(|| format!("cannot find {}", model.display()))?;
    command.arg("check").arg(model).args(options);
    command.args(["--json", "--timeout", &timeout.to_string()]);
    // It ends by itself, with a more informative report.
    let limit = Duration::from_secs_f64(timeout + 10.0);
    let usage = measure::run_within(&mut command, folder, cancellation, Some(limit))?;
    let report: Value = serde_json::from_str(&usage.output).unwrap_or_default();
    let time = usage.clock_s;
    Ok(json!({
        "verdict": report["verdict"].as_str().unwrap_or("unknown"),
        "reason": report["reason"],
        "scope": report["scope"],
        "states": report["exploration"]["states"],
        "checks": report["checks"]["total"],
        "time_s": rounded(time),
    }))
}

/// Met if every verdict is the expected one, and the model as written has one.
fn row(name: String, expected: Option<String>, as_it_is: Value, alone: Value) -> Row {
    let expected = expected.map_or(Value::Null, Value::String);
    let fits = |answer: &Value| answer["verdict"] == "unknown" || answer["verdict"] == expected;
    let met = expected
        .is_string()
        .then(|| as_it_is["verdict"] == expected && (alone.is_null() || fits(&alone)));
    Row {
        name,
        ours: json!({ "as_it_is": as_it_is, "ignoring_predicates": alone }),
        reference: expected,
        met,
    }
}

/// The table in Markdown.
pub(crate) fn markdown(table: &Table) -> String {
    let head = [
        "model",
        "verdict",
        "about",
        "states",
        "checks",
        "seconds",
        "without predicates",
        "seconds",
        "met",
    ];
    let number = |value: &Value| {
        if value.is_null() {
            String::new()
        } else {
            value.to_string()
        }
    };
    table.markdown(&head, |row| {
        let (ours, alone) = (&row.ours["as_it_is"], &row.ours["ignoring_predicates"]);
        vec![
            word(ours),
            about(&ours["scope"]),
            number(&ours["states"]),
            number(&ours["checks"]),
            number(&ours["time_s"]),
            word(alone),
            number(&alone["time_s"]),
        ]
    })
}

pub(crate) fn word(answer: &Value) -> String {
    answer["verdict"].as_str().unwrap_or_default().to_owned()
}

/// The parametric types, and the sizes of the others.
pub(crate) fn about(scope: &Value) -> String {
    let every = scope["every"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let fixed = scope["fixed"].as_object().into_iter().flatten();
    let every = every.map(|name| format!("every {name}"));
    let all: Vec<String> = every
        .chain(fixed.map(|(name, size)| format!("{name} = {size}")))
        .collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_met_with_the_expected_verdict() {
        let answer = |verdict: &str| json!({ "verdict": verdict });
        let met =
            |with: &str, without: &str| row(String::new(), Some("safe".to_owned()), answer(with), answer(without)).met;
        assert_eq!(met("safe", "safe"), Some(true));
        assert_eq!(met("safe", "unknown"), Some(true));
        assert_eq!(met("safe", "unsafe"), Some(false));
        assert_eq!(met("unknown", "safe"), Some(false));
        assert_eq!(row(String::new(), None, answer("safe"), Value::Null).met, None);
    }
}
