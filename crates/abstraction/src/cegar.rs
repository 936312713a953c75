//! The loop of counterexample-guided abstraction refinement (Das, figure 5.1).

use crate::approximate::{Abstraction, Outcome};
use crate::discovery::{Analysis, Discovery};
use crate::goal::Goal;
use crate::implicit;
use crate::knowledge::Knowledge;
use crate::machine::AbstractTrace;
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

/// How the abstract states are reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Exact images, one satisfiability check at a time (chapter 3).
    Implicit,
    /// A relation that is refined where a counterexample needs it (chapter 4).
    #[default]
    Approximate,
}

/// How a goal is to be checked.
#[derive(Clone)]
pub struct Settings {
    pub engine: Engine,
    pub solver: Z3Options,
    pub statistics: Arc<Statistics>,
    /// Discovery gives up after so many cycles; none means no discovery.
    pub maximal_cycles: usize,
}

/// What the loop tells while it works.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A predicate was found.
    Predicate(Term),
    /// The abstract states were searched once more.
    Searched {
        cycle: usize,
        refinements: usize,
        predicates: usize,
    },
}

/// Proves or refutes a goal, finding predicates on the way; `observe` hears of each step.
pub fn check_goal(
    system: &TransitionSystem,
    goal: &Goal,
    declared: &[Term],
    settings: &Settings,
    observe: &mut dyn FnMut(Event),
) -> Result<GoalReport, SolverError> {
    let nothing = Knowledge::default();
    check_goal_from(system, goal, declared, &nothing, settings, observe, &mut |_| {})
}

/// The same, going on from what another run learned; `keep` is given what this one has learned, after every cycle.
pub fn check_goal_from(
    system: &TransitionSystem,
    goal: &Goal,
    declared: &[Term],
    known: &Knowledge,
    settings: &Settings,
    observe: &mut dyn FnMut(Event),
    keep: &mut dyn FnMut(&Knowledge),
) -> Result<GoalReport, SolverError> {
    let (options, statistics) = (&settings.solver, &settings.statistics);
    let maximal_cycles = settings.maximal_cycles;
    let mut abstraction = Abstraction::new(system, goal, options, statistics)?;
    for predicate in goal.atoms().iter().chain(declared) {
        abstraction.add_predicate(*predicate)?;
    }
    abstraction.recall(system, known)?;
    let discovery = Discovery {
        system,
        goal,
        options,
        statistics,
    };
    let mut cycles = 0;
    let verdict = loop {
        keep(&abstraction.knowledge(system));
        observe(Event::Searched {
            cycle: cycles,
            refinements: abstraction.refinements,
            predicates: abstraction.predicates.len(),
        });
        let outcome = match settings.engine {
            Engine::Implicit => implicit::prove(&mut abstraction)?,
            Engine::Approximate => abstraction.prove()?,
        };
        let trace = match outcome {
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
                observe(Event::Predicate(*predicate));
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
    keep(&abstraction.knowledge(system));
    Ok(GoalReport {
        verdict,
        predicates: abstraction.predicates.clone(),
        cycles,
        refinements: abstraction.refinements,
    })
}
