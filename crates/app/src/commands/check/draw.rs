//! `--graph`: the abstract states of a property, as a drawing.

use super::Task;
use super::prove::{Proof, solver_options};
use crate::files::Drawing;
use crate::report::check_report;
use crate::terminal::counted;
use abstraction::cegar::{GoalReport, GoalVerdict};
use abstraction::goal::Goal;
use abstraction::graph::{Subject, abstract_graph};
use smt::Statistics;
use std::sync::Arc;

/// Draws the first goal that is not proved, or else the first one, and says where; `None` where there is nothing to draw.
pub(super) fn draw(task: &Task, proof: &Proof, drawing: &Drawing) -> anyhow::Result<Option<String>> {
    let goals: Vec<&(Goal, GoalReport)> = proof.results.iter().flat_map(|result| &result.goals).collect();
    let is_proved = |report: &GoalReport| matches!(report.verdict, GoalVerdict::Proved { .. });
    let looked_at = |report: &GoalReport| !report.predicates.is_empty();
    let unproved = goals.iter().find(|(_, report)| !is_proved(report) && looked_at(report));
    let Some((goal, report)) = unproved.or_else(|| goals.iter().find(|(_, report)| looked_at(report))) else {
        return Ok(None);
    };
    task.progress.phase("drawing", "");
    let formula = |predicate: &logic::Term| check_report::formula(task.system, goal, *predicate);
    let texts: Vec<String> = report.predicates.iter().map(formula).collect();
    let subject = Subject {
        system: &proof.system,
        goal,
        predicates: &report.predicates,
        texts: &texts,
        trace: match &report.verdict {
            GoalVerdict::Unknown { trace, .. } => trace.as_ref(),
            GoalVerdict::Real { trace, .. } => Some(trace),
            GoalVerdict::Proved { .. } => None,
        },
    };
    // Not counted among the checks of the proof.
    let statistics = Arc::new(Statistics::default());
    let graph = abstract_graph(&subject, &solver_options(task.control), &statistics)?;
    drawing.write(&graph)?;
    let (states, path) = (counted(graph.states(), "state"), drawing.path.display());
    Ok(Some(format!(
        "\nThe abstract state graph of \"{}\" ({states}) is in {path}.\n",
        goal.name
    )))
}
