//! A proof that another run finished.

use super::certify::certify;
use super::prove::{Proof, say};
use super::{Task, also, indexed};
use crate::arguments::EngineName;
use abstraction::implication::enough;
use clap::ValueEnum as _;
use logic::Term;
use smt::Z3Options;

/// The proof by the invariant in the run folder, where it shows the properties that are asked for now. It is confirmed as any
/// other is. Whoever names an engine wants to see it at work, and a drawing is about its abstract states.
pub(super) fn finished(task: &Task, options: &Z3Options) -> anyhow::Result<Option<Proof>> {
    let Some(folder) = task.folder else { return Ok(None) };
    if task.arguments.engine.is_some() || task.drawing.is_some() || task.properties.is_empty() {
        return Ok(None);
    }
    let Some((engine, facts)) = folder.invariant(task.system)? else {
        return Ok(None);
    };
    task.progress.phase("looking at the invariant of another run", "");
    let formulas: Vec<Term> = facts.iter().map(|fact| fact.formula).collect();
    for property in task.properties {
        if enough(task.system, &formulas, property.formula, options, &task.statistics)?.is_none() {
            say(
                task,
                &format!("\"{}\" is not implied by the invariant of another run", property.name),
            );
            return Ok(None);
        }
    }
    let mut proof = Proof {
        engine: EngineName::from_str(&engine, false).map_or("", EngineName::name),
        results: indexed::results(task),
        further: also::results(task, &also::implied(task, &facts, options)?),
        facts,
        ..Proof::default()
    };
    certify(task, options, &mut proof)?;
    if !proof.is_safe() {
        say(task, "the invariant of another run is not confirmed");
    }
    Ok(proof.is_safe().then_some(proof))
}
