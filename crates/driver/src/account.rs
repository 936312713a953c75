//! What an engine has to show for its work, whether it proved anything or not.

use crate::reason::Reason;
use abstraction::goal::Goal;
use abstraction::predicate::{GoalReport, GoalVerdict};
use smt::Statistics;
use std::sync::Arc;
use system::TransitionSystem;
use system::transition::Property;

/// What accounts for the work that it took.
pub(crate) trait Accounted {
    fn account_mut(&mut self) -> &mut Account;
}

#[derive(Default)]
pub struct Account {
    /// `None` where no engine began.
    pub engine: Option<&'static str>,
    /// Of the reachability with indexed predicates, where there was one.
    pub iterations: usize,
    pub abstract_states: f64,
    /// The system that abstract runs are about: rules are split by their finite parameters.
    pub system: TransitionSystem,
    pub results: Vec<PropertyResult>,
    /// How far the search for facts about every size came, where it ended without a proof.
    pub conjectured: Option<ConjectureSummary>,
    /// The checks of an engine that was stopped when this one answered.
    pub beside: Option<Arc<Statistics>>,
}

/// What a search for facts about every size tried.
pub struct ConjectureSummary {
    pub made: usize,
    /// Of these, since they need others that are false.
    pub withdrawn: usize,
    pub reason: Reason,
}

impl Account {
    /// All properties stand or fall together.
    pub(crate) fn together(engine: &'static str, properties: &[Property]) -> Account {
        let result = |property: &Property| PropertyResult {
            name: property.name.clone(),
            goals: Vec::new(),
        };
        Account {
            engine: Some(engine),
            results: properties.iter().map(result).collect(),
            ..Account::default()
        }
    }
}

/// What became of one property, or of an assertion of a rule.
pub struct PropertyResult {
    pub name: String,
    /// Empty where the engine has no goals of its own for each property.
    pub goals: Vec<(Goal, GoalReport)>,
}

impl PropertyResult {
    /// Whether no goal is open.
    pub fn is_proved(&self) -> bool {
        self.goals
            .iter()
            .all(|(_, goal)| matches!(goal.verdict, GoalVerdict::Proved { .. }))
    }

    /// The same where another engine has proved it: of its goals only the predicates are of interest.
    pub(crate) fn proved_elsewhere(mut self) -> PropertyResult {
        for (_, report) in &mut self.goals {
            report.verdict = GoalVerdict::Proved {
                invariant: Vec::new(),
                abstract_states: 0.0,
            };
        }
        self
    }

    /// An abstract run has a concrete one, as far as the solver can tell.
    pub fn is_refuted(&self) -> bool {
        self.goals
            .iter()
            .any(|(_, goal)| matches!(goal.verdict, GoalVerdict::Real { .. }))
    }

    /// An abstract run has a concrete one, without any doubt of the solver.
    pub fn is_certainly_refuted(&self) -> bool {
        let is_certain = |report: &GoalReport| matches!(report.verdict, GoalVerdict::Real { is_certain: true, .. });
        self.goals.iter().any(|(_, report)| is_certain(report))
    }

    /// Whether an engine that takes one property after the other did not get to it.
    pub fn is_untouched(&self) -> bool {
        let is_untouched = |report: &GoalReport| {
            matches!(
                &report.verdict,
                GoalVerdict::Unknown {
                    reason: abstraction::Reason::NotLookedAt,
                    ..
                }
            )
        };
        !self.goals.is_empty() && self.goals.iter().all(|(_, report)| is_untouched(report))
    }

    /// The first goal that is not proved, and why.
    pub fn failure(&self) -> Option<(&Goal, &GoalReport, String)> {
        self.goals.iter().find_map(|(goal, report)| {
            let reason = match &report.verdict {
                GoalVerdict::Unknown { reason, .. } => reason.to_string(),
                GoalVerdict::Real { .. } => {
                    "an abstract run into a bad state seems to have a concrete one, but none was found in small instances"
                        .to_owned()
                }
                GoalVerdict::Proved { .. } => return None,
            };
            Some((goal, report, reason))
        })
    }

    /// Why it is not proved.
    pub fn reason(&self) -> Option<String> {
        self.failure().map(|(_, _, reason)| reason)
    }
}
