//! What `check` found out, as text and as JSON.

use super::{Header, explore_text::wrapped};
use crate::arguments::Style;
use crate::commands::check::{Proof, PropertyResult};
use crate::input::{InProofs, Input};
use crate::status::Status;
use crate::terminal::{Paint, grouped};
use abstraction::cegar::GoalVerdict;
use abstraction::goal::Goal;
use logic::pretty::{Patterns, pretty_with};
use logic::{Function, Term};
use serde_json::{Value, json};
use smt::Purpose;
use std::fmt::Write as _;
use system::TransitionSystem;

const WIDTH: usize = 110;

fn patterns(system: &TransitionSystem) -> Vec<(Function, String)> {
    let symbols = system.rigid.iter().chain(&system.state);
    symbols
        .map(|symbol| (symbol.function, symbol.display.clone()))
        .collect()
}

/// A formula in the user's notation; the constants of a goal are its property's variables again.
pub(crate) fn formula(system: &TransitionSystem, goal: &Goal, formula: Term) -> String {
    let mut patterns = patterns(system);
    patterns.extend(
        goal.constants
            .iter()
            .map(|(constant, variable)| (*constant, variable.name.to_string())),
    );
    pretty_with(formula, &patterns.into_iter().collect::<Patterns>())
}

pub(crate) fn text(input: &Input, system: &TransitionSystem, proof: &Proof, style: &Style, paint: Paint) -> String {
    let mut text = String::new();
    let proved = proof.results.iter().all(PropertyResult::proved);
    if let Some(doubt) = &proof.doubt {
        let _ = writeln!(text, "{} {doubt}.", paint.doubtful("Unknown:"));
    } else if proved {
        let _ = writeln!(text, "{}", paint.good("Safe."));
    } else {
        let _ = writeln!(text, "{}", paint.doubtful("Unknown."));
    }
    if style.quiet {
        return text;
    }
    if proof.doubt.is_none() && proved {
        let _ = writeln!(text, "{}", scope(input));
    }
    for result in &proof.results {
        if let Some(reason) = result.reason() {
            let _ = writeln!(text, "  {}: {reason}", paint.bold(&result.name));
            describe_failure(&mut text, system, result);
        } else if result.goals.iter().any(|(_, goal)| goal.cycles > 0) || style.verbose {
            let cycles: usize = result.goals.iter().map(|(_, goal)| goal.cycles).sum();
            let predicates = result
                .goals
                .iter()
                .map(|(_, goal)| goal.predicates.len())
                .max()
                .unwrap_or(0);
            let name = paint.bold(&result.name);
            let _ = writeln!(
                text,
                "  {name}: proved with {predicates} predicates, {cycles} discovery cycles"
            );
        }
    }
    if proof.doubt.is_none() && proved {
        let _ = writeln!(text, "\n{}", paint.bold("The invariant"));
        let notation: Patterns = patterns(system).into_iter().collect();
        for fact in &proof.facts {
            let line = format!("- {}", pretty_with(fact.formula, &notation));
            let _ = writeln!(text, "{}", wrapped(&line, WIDTH).trim_end());
        }
    }
    for confirmation in &proof.confirmations {
        let (confirmed, total) = (confirmation.confirmed, confirmation.total);
        let _ = writeln!(
            text,
            "{} confirms {confirmed} of {total} proof obligations.",
            confirmation.solver
        );
    }
    if let Some(path) = &proof.certificate {
        let _ = writeln!(text, "The certificate is in {}.", path.display());
    }
    let checks = |purpose| grouped(proof.statistics.checks(purpose));
    let _ = writeln!(
        text,
        "\n  solver checks  {} (abstraction {}, traces {}, discovery {})",
        grouped(proof.statistics.total()),
        checks(Purpose::Abstraction),
        checks(Purpose::Trace),
        checks(Purpose::Discovery)
    );
    text
}

/// What the proof is about.
fn scope(input: &Input) -> String {
    let name = |size: &crate::input::TypeSize| size.name.clone();
    let is_any = |size: &&crate::input::TypeSize| matches!(size.in_proofs, InProofs::AnySize { .. });
    let any: Vec<String> = input.sizes.iter().filter(is_any).map(name).collect();
    let fixed: Vec<String> = input
        .sizes
        .iter()
        .filter(|s| !is_any(s))
        .map(|size| format!("{} = {}", size.name, size.size))
        .collect();
    match (any.is_empty(), fixed.is_empty()) {
        (true, true) => "Every reachable state satisfies the properties, and no assertion fails.".to_owned(),
        (true, false) => format!("This holds for {}.", fixed.join(", ")),
        (false, true) => format!("This holds for every number of {}.", any.join(", ")),
        (false, false) => format!(
            "This holds for every number of {}, and {}.",
            any.join(", "),
            fixed.join(", ")
        ),
    }
}

fn describe_failure(text: &mut String, system: &TransitionSystem, result: &PropertyResult) {
    for (goal, report) in &result.goals {
        let (GoalVerdict::Unknown { trace: Some(trace), .. } | GoalVerdict::Real(trace)) = &report.verdict else {
            continue;
        };
        let _ = writeln!(
            text,
            "    the last abstract run had {} steps; the predicates so far:",
            trace.rules.len()
        );
        for predicate in &report.predicates {
            let line = format!("    - {}", formula(system, goal, *predicate));
            let _ = writeln!(text, "{}", wrapped(&line, WIDTH).trim_end());
        }
        let help = "a predicate declared in the model (`predicate \"name\" formula;`) may help";
        let _ = writeln!(text, "    {help}");
        return;
    }
}

/// The object of `--json`.
pub(crate) fn json(input: &Input, proof: &Proof, status: Status, seconds: f64) -> Value {
    let certified = proof.doubt.is_none();
    let properties: Vec<Value> = proof
        .results
        .iter()
        .map(|result| {
            let goals = &result.goals;
            let states = |verdict: &GoalVerdict| match verdict {
                GoalVerdict::Proved { abstract_states, .. } => *abstract_states,
                _ => 0.0,
            };
            let predicates: Vec<String> = goals
                .iter()
                .flat_map(|(_, g)| g.predicates.iter().map(|p| logic::pretty::pretty(*p)))
                .collect();
            json!({
                "name": result.name,
                "verdict": if result.proved() && certified { "safe" } else { "unknown" },
                "reason": result.reason().or_else(|| proof.doubt.clone()),
                "predicates": predicates,
                "discovery_cycles": goals.iter().map(|(_, g)| g.cycles).sum::<usize>(),
                "iterations": goals.iter().map(|(_, g)| g.refinements).sum::<usize>(),
                "abstract_states": goals.iter().map(|(_, g)| states(&g.verdict)).sum::<f64>(),
                "trace": null,
                "instance": null,
                "certificate": proof.certificate.as_ref().map(|path| path.display().to_string()),
            })
        })
        .collect();
    let header = Header::new(&input.file.name);
    let checks = |purpose| proof.statistics.checks(purpose);
    let named = [Purpose::Abstraction, Purpose::Trace, Purpose::Discovery].map(checks);
    json!({
        "cubist": header.cubist,
        "schema": header.schema,
        "file": header.file,
        "engine": "approximate",
        "verdict": status.verdict(),
        "properties": properties,
        "checks": {
            "total": proof.statistics.total(),
            "abstraction": named[0],
            "trace": named[1],
            "discovery": named[2],
            "other": proof.statistics.total() - named.iter().sum::<u64>(),
        },
        "time_s": seconds,
        "peak_memory_mb": super::explore_json::peak_memory_mb(),
    })
}
