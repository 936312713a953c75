//! The steps of refinement (Das, figure 5.1), one at a time: the caller decides what comes next.
//!
//! ```text
//! search:    the abstract system is safe, or has a run into a bad state
//! analyse:   the run has a concrete one, or predicates rule it out, or its end is not bad, or nothing is known
//! add:       a predicate          assume: a fact          exclude: a bad state          and on with the search
//! ```

use super::approximate::{Abstraction, ReachabilityResult, Which};
use super::discovery::lookahead::lookahead;
use super::discovery::{Analysis, Discovery};
use super::knowledge::Knowledge;
use super::machine::AbstractTrace;
use super::prover::{Engine, Settings};
use super::query::{Literal, Possible};
use super::{implicit, linear};
use crate::Reason;
use crate::goal::Goal;
use bdd::Bdd;
use logic::Term;
use smt::SolverError;
use system::TransitionSystem;

/// The first cycles look for the weakest predicates, later ones for specific ones.
const GENERAL: usize = 2;

/// What the abstract system is like.
pub enum Searched {
    /// No bad state is reached. Formulas over the goal's constants; closed by the goal, their conjunction is inductive.
    Proved { invariant: Vec<Term>, abstract_states: f64 },
    /// A shortest run into a bad state, each step of which is possible by itself.
    Run(AbstractTrace),
    /// There is no answer; with a run where one was found before the work was cut off.
    Unknown(Reason, Option<AbstractTrace>),
}

/// A goal on its way to a proof: its abstraction, and what has been learned so far.
pub struct Refinement<'r> {
    system: &'r TransitionSystem,
    settings: Settings,
    goal: Goal,
    abstraction: Abstraction,
    cycles: usize,
    /// How many refinements of the relation were made for other goals, or by another run.
    earlier: usize,
}

impl<'r> Refinement<'r> {
    /// Begins with the predicates of the goal itself.
    pub fn new(system: &'r TransitionSystem, goal: &Goal, settings: &Settings) -> Result<Refinement<'r>, SolverError> {
        let mut abstraction = Abstraction::new(system, goal, &settings.solvers)?;
        abstraction.cartesian = settings.cartesian;
        let mut refinement = Refinement {
            system,
            settings: settings.clone(),
            goal: goal.clone(),
            abstraction,
            cycles: 0,
            earlier: 0,
        };
        refinement.add_all(&goal.atoms())?;
        Ok(refinement)
    }

    /// Turns to another goal about the same constants, keeping predicates and constraints. These rest on the property
    /// of this goal: it must be the same, or proved by now and among what is `known` for the other.
    pub(super) fn turn_to(mut self, goal: &Goal) -> Result<Refinement<'r>, SolverError> {
        let last = &self.goal.known;
        let new: Vec<Term> = goal.known.iter().filter(|f| !last.contains(f)).copied().collect();
        self.abstraction.assume(&new)?;
        self.abstraction.aim(self.system, goal, &self.settings.solvers)?;
        self.goal = goal.clone();
        self.add_all(&goal.atoms())?;
        self.cycles = 0;
        self.earlier = self.abstraction.refinements;
        Ok(self)
    }

    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    pub fn predicates(&self) -> &[Term] {
        &self.abstraction.predicates
    }

    /// How many runs were analysed.
    pub fn cycles(&self) -> usize {
        self.cycles
    }

    /// How often the abstract relation was refined for this goal.
    pub fn refinements(&self) -> usize {
        self.abstraction.refinements - self.earlier
    }

    /// Predicates and constraints, for another run to go on from.
    pub fn knowledge(&self) -> Knowledge {
        self.abstraction.knowledge(self.system)
    }

    /// Takes over what another run learned.
    pub fn recall(&mut self, learned: &Knowledge) -> Result<(), SolverError> {
        self.abstraction.recall(self.system, learned)?;
        self.earlier = self.abstraction.refinements;
        Ok(())
    }

    /// Reaches the abstract states, refining the relation on the way: all of them, or a bad one.
    pub fn search(&mut self) -> Result<Searched, SolverError> {
        let outcome = match self.settings.engine {
            Engine::Implicit => implicit::prove(&mut self.abstraction)?,
            Engine::Approximate => self.abstraction.prove()?,
        };
        Ok(match outcome {
            ReachabilityResult::Proved(reached) => self.proved(reached),
            // Solvers let transitions stand once they are stopped.
            ReachabilityResult::Trace(run) if self.is_cancelled() => Searched::Unknown(Reason::Cancelled, Some(run)),
            ReachabilityResult::Trace(run) => Searched::Run(run),
            ReachabilityResult::Exhausted => Searched::Unknown(self.exhausted(), None),
        })
    }

    /// What was reached is an invariant, together with what was known.
    fn proved(&mut self, reached: Bdd) -> Searched {
        let Abstraction {
            manager, predicates, ..
        } = &self.abstraction;
        let abstract_states = manager.count(reached, predicates.len() as u32);
        let mut invariant = self.abstraction.formula(reached);
        if self.abstraction.manager.is_exhausted() {
            return Searched::Unknown(self.exhausted(), None);
        }
        invariant.extend(&self.goal.known);
        Searched::Proved {
            invariant,
            abstract_states,
        }
    }

    /// Whether a run has a concrete one, or what would rule it out. The predicates are those that the run asks for, and
    /// then those that the next one would ask for.
    pub fn analyse(&mut self, run: &AbstractTrace) -> Result<Analysis, SolverError> {
        self.cycles += 1;
        let solvers = &self.settings.solvers;
        let discovery = Discovery {
            system: self.system,
            goal: &self.goal,
            solvers,
            specific: self.cycles > GENERAL,
        };
        let mut analysis = discovery.analyse(&self.abstraction.predicates, run)?;
        if let Analysis::Spurious(predicates) = &mut analysis {
            let next = lookahead(self.system, &self.goal, predicates, solvers.cancellation());
            predicates.extend(next);
        }
        Ok(analysis)
    }

    /// Takes states out of those that are bad: these values of predicates contradict it, by what is known.
    pub fn exclude(&mut self, values: Vec<Literal>) {
        self.abstraction.constrain(Possible::No(values), Which::Bad);
    }

    /// Adds a predicate over the goal's constants; false where it (or its negation) is there already.
    pub fn add(&mut self, predicate: Term) -> Result<bool, SolverError> {
        self.abstraction.add_predicate(predicate)
    }

    pub(super) fn add_all(&mut self, predicates: &[Term]) -> Result<bool, SolverError> {
        let mut added = false;
        for predicate in predicates {
            added |= self.add(*predicate)?;
        }
        Ok(added)
    }

    /// Facts that hold in every state up to the first in which a property fails. They are not proved here, and
    /// become part of the invariant.
    pub fn assume(&mut self, facts: &[Term]) -> Result<(), SolverError> {
        self.abstraction.assume(facts)?;
        self.goal.known.extend(facts);
        Ok(())
    }

    /// What static analysis knows of the integers: facts to assume, which are returned, and predicates, which are
    /// added. True where there was anything new.
    pub fn analyse_integers(&mut self) -> Result<(Vec<Term>, bool), SolverError> {
        let linear = linear::analyse(self.system, &self.settings.solvers)?;
        self.assume(&linear.invariants)?;
        let added = self.add_all(&linear.candidates)?;
        let new = added || !linear.invariants.is_empty();
        Ok((linear.invariants, new))
    }

    fn is_cancelled(&self) -> bool {
        self.settings.solvers.cancellation().is_cancelled()
    }

    /// Why the diagrams were given up.
    fn exhausted(&self) -> Reason {
        match self.is_cancelled() {
            true => Reason::Cancelled,
            false => Reason::TooManyAbstractStates,
        }
    }
}
