//! Shared by the exploration benches: generated checkers of other tools, and their results on `model.m`.

use crate::measure::{self, Usage, cubist};
use anyhow::{Context as _, bail};
use logic::Cancellation;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// The result of one checker on a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    pub(crate) states: u64,
    pub(crate) rules_fired: u64,
    pub(crate) processor_s: f64,
    pub(crate) clock_s: f64,
    pub(crate) peak_bytes: u64,
}

impl Figures {
    pub(crate) fn new(usage: &Usage, (states, rules_fired): (u64, u64)) -> Figures {
        Figures {
            states,
            rules_fired,
            processor_s: usage.processor_s,
            clock_s: usage.clock_s,
            peak_bytes: usage.peak_bytes,
        }
    }

    pub(crate) fn better(self, other: Option<Figures>) -> Figures {
        match other {
            Some(other) if other.processor_s <= self.processor_s => other,
            _ => self,
        }
    }

    /// Whether both report the same counts.
    pub(crate) fn agrees(&self, other: &Figures) -> bool {
        (self.states, self.rules_fired) == (other.states, other.rules_fired)
    }
}

/// Explores all states with our own explorer, ignoring deadlocks.
pub(crate) fn ours(folder: &Path, options: &[&str], cancellation: &Cancellation) -> anyhow::Result<Figures> {
    let mut command = cubist()?;
    command.args(["explore", "model.m", "--deadlock", "off", "--json"]);
    command.args(options);
    let usage = measure::run(&mut command, folder, cancellation)?;
    let report: Value = serde_json::from_str(&usage.output).context("cubist printed no report")?;
    match (report["states"].as_u64(), report["rules_fired"].as_u64(), usage.code) {
        (Some(states), Some(rules_fired), Some(0)) => Ok(Figures::new(&usage, (states, rules_fired))),
        _ => bail!("cubist explore ended with {:?}: {}", usage.code, report["message"]),
    }
}

/// Generates and compiles a checker by a sequence of commands.
pub(crate) fn build(folder: &Path, commands: impl IntoIterator<Item = Command>) -> anyhow::Result<()> {
    for mut command in commands {
        let program = command.get_program().to_string_lossy().into_owned();
        let output = command
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot run {program}"))?;
        if !output.status.success() {
            bail!("{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
    }
    Ok(())
}

/// States and rule firings in the output format of all descendants of Murphi: `58104 states, 235872 rules fired in 0s.`
pub(crate) fn counts(usage: &Usage) -> Option<(u64, u64)> {
    usage.output.lines().find_map(|line| {
        let (states, rest) = line.trim().split_once(" states, ")?;
        let (rules_fired, _) = rest.split_once(" rules fired")?;
        Some((states.parse().ok()?, rules_fired.parse().ok()?))
    })
}

/// A ratio as shown in tables; empty if there is none.
pub(crate) fn ratio(value: &Value) -> String {
    value.as_f64().map_or(String::new(), |ratio| format!("{ratio:.2}"))
}
