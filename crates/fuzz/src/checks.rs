//! `cubist check` as a user runs it, against exploration of the declared and other sizes: no answer is wrong, and none
//! is missing if the file as written is small.

use crate::oracle::is_beside_the_point;
use crate::program::{self, ProcessResult};
use crate::source::{Sizes, Source};
use crate::systems::{ModelFamily, drawn};
use crate::tally::Campaign;
use explore::{Deadlock, SearchOptions, SearchOutcome, SilentObserver};
use logic::Cancellation;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The time limit of the program, and the grace period before it is killed.
const ALLOWED: Duration = Duration::from_secs(20);
const PATIENCE: Duration = Duration::from_secs(20);
/// A file is small if this many states are all.
const STATES: u64 = 20_000;
/// The maximum size of parametric types.
const LARGEST: i64 = 4;

pub fn run(run: &mut Campaign, program: &PathBuf, only: Option<ModelFamily>) {
    for case in run.cases() {
        run.tried += 1;
        let source = drawn(case, run.begin(case), only);
        if let Some(what) = find_error(run, program, &source) {
            let file = format!("{}.{}", run.name(), if source.is_murphi() { "m" } else { "cub" });
            run.failure(&file, &what, source.text.as_bytes());
        }
        if case % 500 == 499 {
            let line = format!("{} systems, {} wrong", case + 1, run.wrong.len());
            run.tell(&line);
        }
    }
}

/// The error in the answer, if any.
fn find_error(run: &mut Campaign, program: &PathBuf, source: &Source) -> Option<String> {
    let Ok(declared) = explored(source, Sizes::new()) else {
        run.add("no instance", 1);
        return None;
    };
    let finished = match run_check(program, source) {
        Ok(finished) => finished,
        Err(error) => {
            run.stop("cannot run the program", &error);
            return None;
        }
    };
    let is_vacuous = finished.output.contains("there is no initial state");
    if finished.status == Some(2) {
        run.add("refused", 1);
        return (!is_vacuous).then(|| format!("refused: {}", finished.output));
    }
    let answer: Value = match serde_json::from_str(&finished.answer) {
        Ok(answer) => answer,
        Err(_) => return Some(format!("no answer: {finished:?}")),
    };
    let verdict = answer["verdict"].as_str().unwrap_or_default().to_owned();
    let every: Vec<&str> = answer["scope"]["every"]
        .as_array()
        .map(|types| types.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let scope = if every.is_empty() {
        "as written"
    } else {
        "for every size"
    };
    let violation = declared.unsafe_violation().map(|violation| violation.message.clone());
    match (verdict.as_str(), violation) {
        ("safe", Some(violation)) => Some(format!("safe {scope}, but as it is written: {violation}")),
        ("safe", None) => {
            run.add(&format!("safe {scope}"), 1);
            violated_elsewhere(source, &every)
        }
        ("unsafe", _) => {
            run.add("unsafe", 1);
            let has_types = source.parametric_types().is_ok_and(|types| !types.is_empty());
            (declared.is_safe() && !has_types).then(|| "unsafe, and there is no violation".to_owned())
        }
        ("unknown", None) if !declared.is_safe() => {
            run.add("unknown", 1);
            None
        }
        ("unknown", _) if answer["reason"] == "the model has nothing to check" => {
            run.add("nothing to check", 1);
            None
        }
        ("unknown", _) => Some(format!("unknown, and the file is small: {}", answer["reason"])),
        _ => Some(format!("no verdict: {}", finished.output)),
    }
}

fn run_check(program: &PathBuf, source: &Source) -> std::io::Result<ProcessResult> {
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-checks-{}", std::process::id()));
    let file = folder.join(&source.name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(&file, &source.text)?;
    let seconds = ALLOWED.as_secs().to_string();
    let arguments = ["check", &file.to_string_lossy(), "--json", "--timeout", &seconds];
    let finished = program::run(program, &arguments, ALLOWED + PATIENCE);
    let _ = std::fs::remove_dir_all(&folder);
    finished
}

fn explored(source: &Source, sizes: Sizes) -> Result<SearchOutcome, crate::source::Refused> {
    let instance = source.instance_of(sizes)?;
    let options = SearchOptions {
        deadlock: Deadlock::Off,
        symmetry: false,
        max_states: Some(STATES),
        max_choices: Some(10 * STATES),
        traces: false,
        ..SearchOptions::default()
    };
    Ok(explore::explore(
        &instance,
        &options,
        &Cancellation::new(),
        &mut SilentObserver,
    ))
}

/// A violation at a size that the verdict covers.
fn violated_elsewhere(source: &Source, every: &[&str]) -> Option<String> {
    if every.is_empty() {
        return None;
    }
    let sizes = source.sizes(LARGEST).unwrap_or_default();
    let is_claimed = |sizes: &Sizes| sizes.keys().all(|name| every.contains(&name.as_str()));
    sizes.into_iter().filter(is_claimed).find_map(|sizes| {
        let outcome = explored(source, sizes.clone()).ok()?;
        let violation = outcome.unsafe_violation()?;
        (!is_beside_the_point(violation.kind))
            .then(|| format!("safe for every size, but with {sizes:?}: {}", violation.message))
    })
}
