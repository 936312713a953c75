//! Systems whose verdict is known by construction, with unbounded integers and nodes, beyond the reach of exploration.
//!
//! Every rule keeps a chain of levels in order, each a number or a number per node: `l0 <= l1 <= ... <= ln`. Then `l0
//! <= ln + c` holds, but is not inductive: a proof must find the levels in between. In unsafe systems one guard is
//! missing, and a violating run is known: the lowest level rises above the highest.

use crate::confirmation::Batch;
use crate::engine::{Claim, ENGINES};
use crate::isolation::Ended;
use crate::random::Dice;
use crate::source::Source;
use crate::systems::{ask, confirm};
use crate::tally::Campaign;
use std::time::Duration;

/// Longer chains are beyond the engines anyway.
const ALLOWED: Duration = Duration::from_secs(2);

pub fn run(run: &mut Campaign) {
    let mut batch = Batch::new();
    for case in run.cases() {
        let (source, safe) = constructed(&mut run.begin(case));
        run.add(if safe { "safe" } else { "unsafe" }, 1);
        let name = run.name();
        for (engine_name, engine) in ENGINES {
            run.tried += 1;
            let wrong = match ask(&source, engine, ALLOWED, false) {
                Ended::Panicked => "panic".to_owned(),
                Ended::Hung => "hangs".to_owned(),
                Ended::Well(answer) => {
                    run.add(&format!("{engine_name}: {} is {}", word(safe), answer.claim.word()), 1);
                    match (answer.claim, safe) {
                        (Claim::Proved(_), false) => "proved, but a run is known".to_owned(),
                        (Claim::Refuted(_), true) => "refuted, but an invariant is known".to_owned(),
                        (Claim::Proved(Err(error)), true) => format!("proved without a certificate: {error}"),
                        (Claim::Proved(Ok(text)), true) => {
                            batch.add(format!("{name}-{engine_name}"), text);
                            continue;
                        }
                        _ => continue,
                    }
                }
            };
            run.failure(
                &format!("{name}.m"),
                &format!("{engine_name}: {wrong}"),
                source.text.as_bytes(),
            );
        }
        if batch.is_full() {
            confirm(run, &mut batch);
        }
    }
    confirm(run, &mut batch);
}

fn word(safe: bool) -> &'static str {
    if safe { "safe" } else { "unsafe" }
}

/// A level of the chain.
struct Level {
    name: String,
    /// Whether it has a number for each node.
    array: bool,
}

impl Level {
    /// Its value, at node `p` if it has one for each node.
    fn at(&self, node: &str) -> String {
        if self.array {
            format!("{}[{node}]", self.name)
        } else {
            self.name.clone()
        }
    }

    /// `self <= value`, for all nodes.
    fn at_most(&self, value: &str) -> String {
        if self.array {
            format!("(forall i: NODE do {}[i] <= {value} end)", self.name)
        } else {
            format!("{} <= {value}", self.name)
        }
    }

    /// `value <= self`, for all nodes.
    fn at_least(&self, value: &str) -> String {
        if self.array {
            format!("(forall j: NODE do {value} <= {}[j] end)", self.name)
        } else {
            format!("{value} <= {}", self.name)
        }
    }
}

/// A system, and whether it is safe.
pub fn constructed(dice: &mut Dice) -> (Source, bool) {
    let safe = dice.chance(60);
    let length = 2 + dice.roll(3);
    let levels: Vec<Level> = (0..length)
        .map(|number| Level {
            name: format!("l{number}"),
            array: dice.chance(35),
        })
        .collect();
    let mut text = String::from("type\n  NODE: scalarset(3);\nvar\n");
    for level in &levels {
        let array = if level.array { "array [NODE] of " } else { "" };
        text.push_str(&format!("  {}: {array}integer;\n", level.name));
    }
    text.push_str("  flag: boolean;\nstartstate\n  flag := false;\n");
    let base = dice.roll(4);
    for (number, level) in levels.iter().enumerate() {
        let value = base + number * dice.roll(2);
        let value = if number == 0 { base } else { value.max(base + number) };
        text.push_str(&if level.array {
            format!("  for i: NODE do {}[i] := {value}; end;\n", level.name)
        } else {
            format!("  {} := {value};\n", level.name)
        });
    }
    text.push_str("end;\nrule \"toggle\" flag := !flag; end;\n");
    for number in 0..levels.len() {
        for kind in 0..2 + dice.roll(2) {
            text.push_str(&rule(&levels, number, kind, dice));
        }
    }
    if !safe {
        let lowest = levels[0].at("p");
        text.push_str(&format!(
            "ruleset p: NODE do rule \"rise\" {lowest} := {lowest} + {}; end; end;\n",
            1 + dice.roll(3)
        ));
    }
    text.push_str(&property(&levels, dice));
    (Source::new("constructed.m", text), safe)
}

/// A rule that changes one level and preserves the order.
fn rule(levels: &[Level], number: usize, kind: usize, dice: &mut Dice) -> String {
    let level = &levels[number];
    let place = level.at("p");
    let step = 1 + dice.roll(3);
    let above = levels.get(number + 1);
    let below = number.checked_sub(1).map(|below| &levels[below]);
    let (guard, value) = match kind {
        // Increase, but not above the next level.
        0 => {
            let value = format!("{place} + {step}");
            (above.map(|above| above.at_least(&value)), value)
        }
        // Decrease, but not below the previous level.
        1 => {
            let value = format!("{place} - {step}");
            (below.map(|below| below.at_most(&value)), value)
        }
        // Set to the next level.
        _ => match above {
            Some(above) => (Some(above.at_least(&above.at("p"))), above.at("p")),
            None => (None, format!("{place} + {step}")),
        },
    };
    let guard = guard.unwrap_or_else(|| "true".to_owned());
    let extra = if dice.chance(30) { " & flag" } else { "" };
    format!(
        "ruleset p: NODE do rule \"{}-{kind}\" {guard}{extra} ==> {place} := {value}; end; end;\n",
        level.name
    )
}

fn property(levels: &[Level], dice: &mut Dice) -> String {
    let (lowest, highest) = (&levels[0], &levels[levels.len() - 1]);
    let slack = dice.roll(3);
    let body = format!("{} <= {} + {slack}", lowest.at("a"), highest.at("b"));
    format!("invariant \"order\" forall a: NODE do forall b: NODE do {body} end end;\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_models() {
        for case in 0..200 {
            let (source, _) = constructed(&mut Dice::new(1, case));
            assert!(source.system().is_ok(), "{:?}\n{}", source.system().err(), source.text);
        }
    }

    /// Where exploration is possible, it agrees.
    #[test]
    fn they_are_what_they_say() {
        let effort = crate::oracle::ExplorationLimits {
            largest: 2,
            states: 5_000,
            ..crate::oracle::ExplorationLimits::default()
        };
        for case in 0..60 {
            let (source, safe) = constructed(&mut Dice::new(2, case));
            let truth = crate::oracle::explore_sizes(&source, effort);
            assert!(!safe || truth.violated.is_none(), "{truth:?}\n{}", source.text);
        }
    }
}
