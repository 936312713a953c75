//! `cubist check` of random C programs, against gcc's runs on all their inputs.
//!
//! A program is [drawn](draw), run on all its inputs ([`truth`]), and gets a check of something that it computed: one
//! that holds in all runs, or one that does not in some.

mod cbmc;
pub mod deep;
pub mod draw;
pub mod faults;
pub mod mutants;
pub mod truth;

use crate::c::gcc;
use crate::program::{self, Finished};
use crate::random::Dice;
use crate::tally::Run;
use c::DataModel;
use draw::{CHECK, Drawn};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use truth::{Seen, Useless};

/// How many programs in a hundred go deep.
const DEEP: usize = 20;

/// How long the program may take, and how much later it is killed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub allowed: Duration,
    pub patience: Duration,
    /// By the loop of SLAM, instead of by Horn clauses.
    pub slam: bool,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            allowed: Duration::from_secs(20),
            patience: Duration::from_secs(30),
            slam: false,
        }
    }
}

/// A program with a check, and whether that holds.
#[derive(Clone, Debug)]
pub struct Case {
    pub text: String,
    pub is_safe: bool,
    /// How `cubist check` is to read it.
    pub options: Vec<&'static str>,
}

pub fn run(run: &mut Run, cubist: &PathBuf, plan: &Plan) {
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-programs-{}", std::process::id()));
    for number in run.cases() {
        run.tried += 1;
        let dice = run.begin(number);
        match case(dice, &folder) {
            Ok(case) => {
                if let Some(what) = wrong(run, cubist, &case, &folder, plan) {
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

/// A program with a check that it was decided for.
pub fn case(dice: Dice, folder: &Path) -> Result<Case, Useless> {
    let mut drawing = dice.clone();
    let drawn = match drawing.chance(DEEP) {
        true => deep::draw(drawing),
        false => draw::draw(drawing),
    };
    // Another stream of numbers than the program's.
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
    let (fact, is_safe) = fact(&mut dice, &drawn, &seen);
    let check = match dice.chance(50) {
        true => format!("if (!({fact})) reach_error();"),
        false => format!("__VERIFIER_assert({fact});"),
    };
    Ok(Case {
        text: drawn.text.replace(CHECK, &check),
        is_safe,
        options,
    })
}

/// A formula over one thing that was observed, or over two, and whether it holds in all runs.
fn fact(dice: &mut Dice, drawn: &Drawn, seen: &[Seen]) -> (String, bool) {
    // Something that depends on the inputs says more.
    let differs = |position: &usize| {
        seen.iter()
            .any(|run| run.values[*position] != seen[0].values[*position])
    };
    let of_interest: Vec<usize> = (0..drawn.observed.len()).filter(differs).collect();
    let position = match of_interest.is_empty() || dice.chance(25) {
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
    // Of one run only: all its inputs are named.
    let is_local = dice.chance(35);
    let (local, expected) = (
        &seen[witness],
        values[witness] + i64::from(!wants_safe && values[witness] < i64::MAX),
    );
    if is_local {
        let given = local.inputs.iter().enumerate();
        let given: Vec<String> = given.map(|(number, value)| format!("x{number} == {value}")).collect();
        let fact = format!("!({}) || {name} == {}", given.join(" && "), literal(expected));
        return (fact, expected == values[witness]);
    }
    let holds = |value: &i64| match kind {
        "<=" => *value <= number,
        ">=" => *value >= number,
        "<" => *value < number,
        ">" => *value > number,
        _ => *value != number,
    };
    (format!("{name} {kind} {}", literal(number)), values.iter().all(holds))
}

fn literal(value: i64) -> String {
    match value {
        i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        value => format!("{value}LL"),
    }
}

fn wrong(run: &mut Run, cubist: &PathBuf, case: &Case, folder: &Path, plan: &Plan) -> Option<String> {
    let finished = match asked(cubist, case, folder, plan) {
        Ok(finished) => finished,
        Err(error) => {
            run.stop("cannot run the program", &error);
            return None;
        }
    };
    let truth = if case.is_safe { "safe" } else { "unsafe" };
    if finished.late {
        return Some("does not end".to_owned());
    }
    match finished.verdict() {
        Some("unknown") => {
            let answer: Value = serde_json::from_str(&finished.answer).unwrap_or_default();
            let reason = answer["reason"].as_str().unwrap_or("no reason");
            // Reasons are counted, wherever they are.
            let reason = reason.split("; the first is at").next().unwrap_or(reason);
            run.add(&format!("unknown of a {truth} program"), 1);
            run.add(&format!("unknown: {reason}"), 1);
            None
        }
        Some(verdict) if verdict == truth => {
            run.add(verdict, 1);
            None
        }
        Some(verdict) => Some(format!("{verdict} with {:?}, but gcc says {truth}", case.options)),
        None => Some(format!("no verdict: {:?} {}", finished.status, finished.output)),
    }
}

fn asked(cubist: &PathBuf, case: &Case, folder: &Path, plan: &Plan) -> std::io::Result<Finished> {
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
