//! `cubist check` of random C programs, against gcc's runs on all their inputs.
//!
//! A program is [drawn](draw) and run on all its inputs ([`truth`]). Then it gets a check of one of its results: either
//! one that holds in all runs, or one that fails in some.

mod behind;
mod cbmc;
pub mod deep;
pub mod draw;
pub mod faults;
pub mod mutants;
mod shapes;
pub mod truth;

use crate::c::gcc;
use crate::program::{self, ProcessResult};
use crate::random::Dice;
use crate::tally::Campaign;
use c::DataModel;
use clap::ValueEnum as _;
use draw::{CHECK, DrawnProgram};
use serde_json::Value;
pub use shapes::Family;
use std::path::{Path, PathBuf};
use std::time::Duration;
use truth::{ObservedRun, Useless};

/// The percentage of deeply recursive programs.
const DEEP: usize = 15;
/// The percentage of programs with shapes that earlier attacks used.
const SHAPED: usize = 40;

/// The time limit of the program, and the grace period before it is killed.
#[derive(Clone, Copy, Debug)]
pub struct ProgramOptions {
    pub allowed: Duration,
    pub patience: Duration,
    /// Use the SLAM loop instead of Horn clauses.
    pub slam: bool,
    /// Only programs of this family.
    pub family: Option<Family>,
}

impl Default for ProgramOptions {
    fn default() -> ProgramOptions {
        ProgramOptions {
            allowed: Duration::from_secs(20),
            patience: Duration::from_secs(30),
            slam: false,
            family: None,
        }
    }
}

/// A program with a check, and whether the check holds.
#[derive(Clone, Debug)]
pub struct Case {
    pub text: String,
    pub is_safe: bool,
    /// Whether it is safe in runs without arguments.
    pub is_safe_alone: bool,
    /// The kind of program.
    pub family: Option<Family>,
    /// Options of `cubist check` for reading it.
    pub options: Vec<&'static str>,
}

pub fn run(run: &mut Campaign, cubist: &PathBuf, plan: &ProgramOptions) {
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-programs-{}", std::process::id()));
    for number in run.cases() {
        run.tried += 1;
        let dice = run.begin(number);
        match case(dice, &folder, plan.family) {
            Ok(case) => {
                if let Some(what) = check_case(run, cubist, &case, &folder, plan) {
                    let file = format!("{}.c", run.name());
                    run.failure(&file, &what, case.text.as_bytes());
                }
            }
            Err(Useless::NotCompiled(message)) => {
                let file = format!("{}.c", run.name());
                run.failure(&file, &format!("gcc: {message}"), b"");
            }
            Err(Useless::NotWritten(error)) => run.stop("cannot write the program", &error),
            Err(Useless::Undefined) => run.add("undefined", 1),
            Err(Useless::Late) => run.add("late", 1),
        }
        if number % 20 == 19 {
            let line = format!("{} programs, {} wrong", number + 1, run.wrong.len());
            run.tell(&line);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// A program with a check whose truth is known.
pub fn case(dice: Dice, folder: &Path, only: Option<Family>) -> Result<Case, Useless> {
    let mut drawing = dice.clone();
    let roll = drawing.roll(100);
    let family = only.or_else(|| {
        let family = *drawing.pick(Family::value_variants());
        (roll < SHAPED).then_some(family)
    });
    let drawn = match family {
        Some(family) => behind::draw(drawing, family),
        None if roll < SHAPED + DEEP => deep::draw(drawing),
        None => draw::draw(drawing),
    };
    // A random stream independent of the program's.
    let mut dice = dice;
    dice.roll(7);
    let (model, name) = match dice.chance(30) && gcc::has(DataModel::Ilp32, folder) {
        true => (DataModel::Ilp32, "ilp32"),
        false => (DataModel::Lp64, "lp64"),
    };
    let (seen, is_defined) = truth::all(&drawn, model, folder)?;
    let mut options = vec!["--data-model", name];
    if is_defined && dice.chance(40) {
        options.extend(["--undefined", "assume-absent"]);
    }
    let (fact, holds) = fact(&mut dice, &drawn, &seen);
    let check = match dice.chance(50) {
        true => format!("if (!({fact})) reach_error();"),
        false => format!("__VERIFIER_assert({fact});"),
    };
    Ok(Case {
        text: drawn.text.replace(CHECK, &check),
        is_safe: seen.iter().all(&holds),
        is_safe_alone: seen.iter().filter(|run| !run.has_argument).all(&holds),
        family,
        options,
    })
}

/// Whether a check holds in a run.
type Holds = Box<dyn Fn(&ObservedRun) -> bool>;

/// A formula over one or two observed values, and its evaluation in a run.
fn fact(dice: &mut Dice, drawn: &DrawnProgram, seen: &[ObservedRun]) -> (String, Holds) {
    // A value that depends on the inputs is more informative.
    let differs = |position: &usize| {
        seen.iter()
            .any(|run| run.values[*position] != seen[0].values[*position])
    };
    let of_interest: Vec<usize> = (0..drawn.observed.len()).filter(differs).collect();
    let position = match of_interest.is_empty() || dice.chance(35) {
        true => dice.roll(drawn.observed.len()),
        false => *dice.pick(&of_interest),
    };
    let values: Vec<i64> = seen.iter().map(|run| run.values[position]).collect();
    let name = format!("(long long)({})", drawn.observed[position]);
    let (least, greatest) = values.iter().fold((i64::MAX, i64::MIN), |(low, high), value| {
        (low.min(*value), high.max(*value))
    });
    let wants_safe = dice.chance(55);
    let witness = dice.roll(seen.len());
    let (kind, number) = match (wants_safe, dice.roll(3)) {
        (true, 0) => ("<=", greatest),
        (true, 1) => (">=", least),
        (true, _) => ("!=", (0..).find(|number| !values.contains(number)).unwrap_or(0)),
        (false, 0) => ("<", greatest),
        (false, 1) => (">", least),
        (false, _) => ("!=", values[witness]),
    };
    // For one run only: the check names all its inputs.
    let is_local = dice.chance(35);
    if is_local {
        let local = seen[witness].inputs.clone();
        // A lost store leaves a different value: this hides from `==`, but not from `!=`.
        let is_other = !wants_safe && dice.chance(60);
        let expected = values[witness] + i64::from(!wants_safe && !is_other && values[witness] < i64::MAX);
        let given = local.iter().enumerate();
        let given: Vec<String> = given
            .map(|(number, value)| format!("{} == {value}", name_of_input(drawn, number)))
            .collect();
        let equality = if is_other { "!=" } else { "==" };
        let fact = format!("!({}) || {name} {equality} {}", given.join(" && "), literal(expected));
        let holds = move |run: &ObservedRun| run.inputs != local || (run.values[position] == expected) != is_other;
        return (fact, Box::new(holds));
    }
    let holds = move |run: &ObservedRun| {
        let value = run.values[position];
        match kind {
            "<=" => value <= number,
            ">=" => value >= number,
            "<" => value < number,
            ">" => value > number,
            _ => value != number,
        }
    };
    (format!("{name} {kind} {}", literal(number)), Box::new(holds))
}

/// An input that may be an address has a name of its own.
fn name_of_input(drawn: &DrawnProgram, number: usize) -> String {
    match drawn.inputs[number].names().is_empty() {
        true => format!("x{number}"),
        false => "n".to_owned(),
    }
}

fn literal(value: i64) -> String {
    match value {
        i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        value => format!("{value}LL"),
    }
}

fn check_case(
    run: &mut Campaign,
    cubist: &PathBuf,
    case: &Case,
    folder: &Path,
    plan: &ProgramOptions,
) -> Option<String> {
    let finished = match run_check(cubist, case, folder, plan) {
        Ok(finished) => finished,
        Err(error) => {
            run.stop("cannot run the program", &error);
            return None;
        }
    };
    let truth = if case.is_safe { "safe" } else { "unsafe" };
    let family = case
        .family
        .map_or("general".to_owned(), |family| format!("{family:?}").to_lowercase());
    if finished.late {
        return Some("does not end".to_owned());
    }
    match finished.verdict() {
        Some("unknown") => {
            let answer: Value = serde_json::from_str(&finished.answer).unwrap_or_default();
            let reason = answer["reason"].as_str().unwrap_or("no reason");
            // Reasons are counted, regardless of the place.
            let reason = reason.split("; the first is at").next().unwrap_or(reason);
            run.add(&format!("unknown of a {truth} program"), 1);
            run.add(&format!("{family}: unknown"), 1);
            run.add(&format!("unknown: {reason}"), 1);
            None
        }
        Some(verdict) if verdict == truth => {
            run.add(verdict, 1);
            run.add(&format!("{family}: {verdict}"), 1);
            None
        }
        // The scope that a verdict states is part of it.
        Some("safe") if case.is_safe_alone && is_about_no_arguments(&finished.answer) => {
            run.add("safe without arguments, as it says", 1);
            None
        }
        Some(verdict) => Some(format!("{verdict} with {:?}, but gcc says {truth}", case.options)),
        None => Some(format!("no verdict: {:?} {}", finished.status, finished.output)),
    }
}

/// Whether the answer assumes that `main` gets no arguments.
fn is_about_no_arguments(answer: &str) -> bool {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    let assumed = answer["assumed"].as_array().cloned().unwrap_or_default();
    assumed
        .iter()
        .any(|line| line.as_str().is_some_and(|line| line.contains("arg")))
}

fn run_check(cubist: &PathBuf, case: &Case, folder: &Path, plan: &ProgramOptions) -> std::io::Result<ProcessResult> {
    let file = folder.join("program.c");
    std::fs::write(&file, &case.text)?;
    let (file, seconds) = (file.to_string_lossy(), plan.allowed.as_secs().to_string());
    let mut arguments = vec!["check", &file, "--json", "--timeout", &seconds];
    arguments.extend(&case.options);
    if plan.slam {
        arguments.extend(["--engine", "slam"]);
    }
    program::run(cubist, &arguments, plan.allowed + plan.patience)
}
