//! The loop of counterexample-guided abstraction refinement (Das, figure 5.1).

use super::approximate::{Abstraction, Outcome};
use super::discovery::lookahead::lookahead;
use super::discovery::{Analysis, Discovery};
use super::implicit;
use super::knowledge::{Knowledge, News};
use super::linear;
use super::machine::AbstractTrace;
use crate::Reason;
use crate::bdd::Bdd;
use crate::goal::Goal;
use logic::Term;
use smt::{SolverError, Solvers};
use system::TransitionSystem;

/// What is known of a goal in the end.
pub enum GoalVerdict {
    /// Formulas over the goal's constants; closed by the goal, their conjunction is inductive.
    Proved { invariant: Vec<Term>, abstract_states: f64 },
    /// An abstract trace with a concrete run, or one that could not be shown to have none.
    Real { trace: AbstractTrace, is_certain: bool },
    Unknown {
        reason: Reason,
        trace: Option<AbstractTrace>,
    },
}

pub struct GoalReport {
    pub verdict: GoalVerdict,
    pub predicates: Vec<Term>,
    pub cycles: usize,
    pub refinements: usize,
}

impl GoalVerdict {
    fn unknown(reason: Reason) -> GoalVerdict {
        GoalVerdict::Unknown { reason, trace: None }
    }
}

impl GoalReport {
    /// There was no time even to begin.
    fn interrupted() -> GoalReport {
        GoalReport {
            verdict: GoalVerdict::unknown(Reason::NotLookedAt),
            predicates: Vec::new(),
            cycles: 0,
            refinements: 0,
        }
    }
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
    /// Whether a relation starts with what each predicate does by itself, instead of with nothing.
    pub cartesian: bool,
    pub solvers: Solvers,
    /// Discovery gives up after so many cycles; none means no discovery.
    pub maximal_cycles: usize,
    /// What another engine knows, or comes to know.
    pub news: News,
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

/// The first cycles look for the weakest predicates, later ones for specific ones.
const GENERAL: usize = 2;

/// Proves or refutes goals of one system, keeping what one teaches for the next.
pub struct Prover<'p> {
    system: &'p TransitionSystem,
    settings: Settings,
    /// Whether the integers were analysed.
    analysed: bool,
    /// What holds in every state, as far as it was proved.
    known: Vec<Term>,
    /// The abstraction that proved the last goal.
    kept: Option<(Goal, Abstraction)>,
}

/// Proves or refutes a single goal.
pub fn check_goal(
    system: &TransitionSystem,
    goal: &Goal,
    declared: &[Term],
    settings: &Settings,
    observe: &mut dyn FnMut(Event),
) -> Result<GoalReport, SolverError> {
    Prover::new(system, settings.clone()).check(goal, declared, observe)
}

/// Why the diagrams were given up.
fn exhausted(solvers: &Solvers) -> Reason {
    match solvers.cancellation().is_cancelled() {
        true => Reason::Cancelled,
        false => Reason::TooManyAbstractStates,
    }
}

/// What was reached is an invariant, together with what was known.
fn proved(goal: &Goal, abstraction: &mut Abstraction, reached: Bdd, solvers: &Solvers) -> GoalVerdict {
    let mut invariant = abstraction.formula(reached);
    if abstraction.manager.is_exhausted() {
        return GoalVerdict::unknown(exhausted(solvers));
    }
    invariant.extend(&goal.known);
    GoalVerdict::Proved {
        invariant,
        abstract_states: abstraction.manager.count(reached, abstraction.predicates.len() as u32),
    }
}

impl<'p> Prover<'p> {
    pub fn new(system: &'p TransitionSystem, settings: Settings) -> Prover<'p> {
        Prover {
            system,
            settings,
            analysed: false,
            known: Vec::new(),
            kept: None,
        }
    }

    /// Tells what was proved: it holds in every state from now on.
    pub fn proved(&mut self, property: Term) {
        self.known.push(property);
    }

    /// Proves or refutes a goal, finding predicates on the way; `observe` hears of each step.
    pub fn check(
        &mut self,
        goal: &Goal,
        declared: &[Term],
        observe: &mut dyn FnMut(Event),
    ) -> Result<GoalReport, SolverError> {
        self.check_from(goal, declared, &Knowledge::default(), observe, &mut |_| {})
    }

    /// The same, going on from what another run learned; `keep` is given what this one has learned, after every cycle.
    pub fn check_from(
        &mut self,
        goal: &Goal,
        declared: &[Term],
        learned: &Knowledge,
        observe: &mut dyn FnMut(Event),
        keep: &mut dyn FnMut(&Knowledge),
    ) -> Result<GoalReport, SolverError> {
        if self.settings.solvers.cancellation().is_cancelled() {
            return Ok(GoalReport::interrupted());
        }
        let mut goal = goal.clone();
        self.known.extend(self.settings.news.hear());
        let mut abstraction = self.abstraction(&mut goal)?;
        for predicate in goal.atoms().iter().chain(declared) {
            abstraction.add_predicate(*predicate)?;
        }
        if !learned.constraints.is_empty() {
            // They may rest on it.
            self.assume_linear(&mut goal, &mut abstraction)?;
        }
        abstraction.recall(self.system, learned)?;
        let refinements = abstraction.refinements;
        let mut cycles = 0;
        let verdict = loop {
            self.assume(&self.settings.news.hear(), &mut goal, &mut abstraction)?;
            keep(&abstraction.knowledge(self.system));
            observe(Event::Searched {
                cycle: cycles,
                refinements: abstraction.refinements,
                predicates: abstraction.predicates.len(),
            });
            let outcome = match self.settings.engine {
                Engine::Implicit => implicit::prove(&mut abstraction)?,
                Engine::Approximate => abstraction.prove()?,
            };
            let trace = match outcome {
                Outcome::Proved(reached) => break proved(&goal, &mut abstraction, reached, &self.settings.solvers),
                Outcome::Trace(trace) => trace,
                Outcome::Exhausted => break GoalVerdict::unknown(exhausted(&self.settings.solvers)),
            };
            let unknown = |reason: Reason| GoalVerdict::Unknown {
                reason,
                trace: Some(trace.clone()),
            };
            if self.settings.solvers.cancellation().is_cancelled() {
                break unknown(Reason::Cancelled);
            }
            if cycles == self.settings.maximal_cycles {
                break unknown(Reason::NoProofAfter { cycles });
            }
            if self.assume_linear(&mut goal, &mut abstraction)? {
                continue;
            }
            cycles += 1;
            let mut new = match self.discovery(&goal, cycles).analyse(&abstraction.predicates, &trace)? {
                Analysis::Real { is_certain } => break GoalVerdict::Real { trace, is_certain },
                Analysis::Unclear(reason) => break unknown(reason),
                Analysis::Predicates(new) => new,
            };
            new.extend(lookahead(
                self.system,
                &goal,
                &new,
                self.settings.solvers.cancellation(),
            ));
            let mut added = false;
            for predicate in &new {
                if abstraction.add_predicate(*predicate)? {
                    observe(Event::Predicate(*predicate));
                    added = true;
                }
            }
            if !added {
                break unknown(Reason::PredicatesKnown { found: new });
            }
        };
        keep(&abstraction.knowledge(self.system));
        let report = GoalReport {
            predicates: abstraction.predicates.clone(),
            cycles,
            refinements: abstraction.refinements - refinements,
            verdict,
        };
        if matches!(report.verdict, GoalVerdict::Proved { .. }) {
            self.kept = Some((goal, abstraction));
        }
        Ok(report)
    }

    /// The abstraction of the last goal, where it is about the same constants, else a new one.
    fn abstraction(&mut self, goal: &mut Goal) -> Result<Abstraction, SolverError> {
        goal.known.extend(&self.known);
        if let Some((last, mut abstraction)) = self.kept.take() {
            // Its constraints rest on its property, which must be the same or proved by now.
            let holds = last.property == goal.property || self.known.contains(&last.property);
            if holds && last.constants == goal.constants && last.hypotheses == goal.hypotheses {
                let new: Vec<Term> = goal.known.iter().filter(|f| !last.known.contains(f)).copied().collect();
                abstraction.assume(&new)?;
                abstraction.aim(self.system, goal, &self.settings.solvers)?;
                return Ok(abstraction);
            }
        }
        let mut abstraction = Abstraction::new(self.system, goal, &self.settings.solvers)?;
        abstraction.cartesian = self.settings.cartesian;
        Ok(abstraction)
    }

    /// Facts that hold in every state from now on.
    fn assume(&mut self, facts: &[Term], goal: &mut Goal, abstraction: &mut Abstraction) -> Result<(), SolverError> {
        abstraction.assume(facts)?;
        goal.known.extend(facts);
        self.known.extend(facts);
        Ok(())
    }

    /// Before the first discovery: what can be known of the integers without a trace. False where there is nothing new.
    fn assume_linear(&mut self, goal: &mut Goal, abstraction: &mut Abstraction) -> Result<bool, SolverError> {
        if self.analysed {
            return Ok(false);
        }
        self.analysed = true;
        let linear = linear::analyse(self.system, &self.settings.solvers)?;
        self.assume(&linear.invariants, goal, abstraction)?;
        let mut new = !linear.invariants.is_empty();
        for candidate in &linear.candidates {
            new |= abstraction.add_predicate(*candidate)?;
        }
        Ok(new)
    }

    fn discovery<'d>(&'d self, goal: &'d Goal, cycle: usize) -> Discovery<'d> {
        Discovery {
            system: self.system,
            goal,
            solvers: &self.settings.solvers,
            specific: cycle > GENERAL,
        }
    }
}
