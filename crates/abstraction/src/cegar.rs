//! The loop of counterexample-guided abstraction refinement (Das, figure 5.1).

use crate::approximate::{AbstractTrace, Abstraction, Outcome};
use crate::discovery::{Analysis, Discovery};
use crate::goal::Goal;
use logic::Term;
use smt::{SolverError, Statistics, Z3Options};
use std::sync::Arc;
use system::TransitionSystem;

/// What is known of a goal in the end.
pub enum GoalVerdict {
    /// Formulas over the goal's constants; closed by the goal, their conjunction is inductive.
    Proved { invariant: Vec<Term>, abstract_states: f64 },
    /// An abstract trace with a concrete run.
    Real(AbstractTrace),
    Unknown {
        reason: String,
        trace: Option<AbstractTrace>,
    },
}

pub struct GoalReport {
    pub verdict: GoalVerdict,
    pub predicates: Vec<Term>,
    pub cycles: usize,
    pub refinements: usize,
}

/// Proves or refutes a goal, finding predicates on the way; `found` hears of each.
pub fn check_goal(
    system: &TransitionSystem,
    goal: &Goal,
    declared: &[Term],
    options: &Z3Options,
    statistics: &Arc<Statistics>,
    maximal_cycles: usize,
    found: &mut dyn FnMut(Term),
) -> Result<GoalReport, SolverError> {
    let mut abstraction = Abstraction::new(system, goal, options, statistics)?;
    for predicate in goal.atoms().iter().chain(declared) {
        abstraction.add_predicate(*predicate)?;
    }
    let discovery = Discovery {
        system,
        goal,
        options,
        statistics,
    };
    let mut cycles = 0;
    let verdict = loop {
        let trace = match abstraction.prove()? {
            Outcome::Proved(reached) => {
                let abstract_states = abstraction.manager.count(reached, abstraction.predicates.len() as u32);
                break GoalVerdict::Proved {
                    invariant: abstraction.formula(reached),
                    abstract_states,
                };
            }
            Outcome::Trace(trace) => trace,
        };
        if cycles == maximal_cycles {
            break GoalVerdict::Unknown {
                reason: format!("no proof after {cycles} discovery cycles"),
                trace: Some(trace),
            };
        }
        cycles += 1;
        let new = match discovery.analyse(&abstraction.predicates, &trace)? {
            Analysis::Real => break GoalVerdict::Real(trace),
            Analysis::Unclear(reason) => {
                break GoalVerdict::Unknown {
                    reason,
                    trace: Some(trace),
                };
            }
            Analysis::Predicates(new) => new,
        };
        let mut added = false;
        for predicate in &new {
            if abstraction.add_predicate(*predicate)? {
                found(*predicate);
                added = true;
            }
        }
        if !added {
            let reason = "the predicates found are there already".to_owned();
            break GoalVerdict::Unknown {
                reason,
                trace: Some(trace),
            };
        }
    };
    Ok(GoalReport {
        verdict,
        predicates: abstraction.predicates.clone(),
        cycles,
        refinements: abstraction.refinements,
    })
}
