//! Abstract reachability with indexed predicates (Lahiri and Bryant, "Constructing quantified invariants via predicate
//! abstraction", VMCAI 2004).
//!
//! Predicates `phi_b` speak of the state `V` and of index symbols `X`. One concrete state has one abstract state, a
//! truth value for each predicate, for every value of the indices:
//!
//! ```text
//! alpha(s) = { phi(s, x) : x any values of X }          gamma(A) = { s : for all x, phi(s, x) in A }
//! ```
//!
//! `gamma` does not distribute over union, so there is no abstract transition relation, and the image of the newest
//! abstract states alone would miss concrete ones: every step takes the image of the whole set.
//!
//! Steps of the paper and where they are: the quantifier in `gamma` is instantiated ([`Projection::instantiate`], its
//! section on quantifier instantiation); the existential ones are projected on the predicates
//! ([`Projection::project`]).
//!
//! Limitations: axioms of the system take the place of axioms among the predicates; the set of substitutions is made of
//! the index terms of the query, not more.

use super::projection::{AbstractStates, Excluded, Projection, excluding};
use bdd::{Bdd, Manager};
use deduction::conditionals::lift_conditionals;
use logic::{Term, Variable, simplify::simplify, term};
use smt::{SolverError, Solvers};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::{Predicate, Rule};

/// What was reached.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// `forall X. not c`, for each cube `c` of a cover of what is not reached: their conjunction is `gamma` of the
    /// reached set.
    pub facts: Vec<Term>,
    pub iterations: usize,
    pub abstract_states: f64,
}

/// The predicates and the set of abstract states so far.
pub struct Reachability<'r> {
    system: &'r TransitionSystem,
    solvers: &'r Solvers,
    /// `X`
    indices: Vec<Variable>,
    /// `phi`
    predicates: Vec<Term>,
    /// One for each rule, made when it is first used.
    rules: Vec<Option<Projection>>,
    pub manager: Manager,
}

impl<'r> Reachability<'r> {
    pub fn new(system: &'r TransitionSystem, predicates: &[Predicate], solvers: &'r Solvers) -> Reachability<'r> {
        let indices: BTreeSet<Variable> = predicates.iter().flat_map(|p| p.indices.iter().copied()).collect();
        Reachability {
            system,
            solvers,
            indices: indices.into_iter().collect(),
            predicates: predicates.iter().map(|p| p.formula).collect(),
            rules: system.rules.iter().map(|_| None).collect(),
            manager: Manager::interruptible(solvers.cancellation()),
        }
    }

    /// All that is reached; `None` where the solver does not know, and where work was cut off.
    pub fn fixpoint(&mut self, observe: &mut dyn FnMut(usize, f64)) -> Result<Option<Reached>, SolverError> {
        let Some(mut reached) = self.initial()? else {
            return Ok(None);
        };
        let mut iterations = 0;
        loop {
            let states = self.count(reached);
            observe(iterations, states);
            let Some(next) = self.next(reached)? else {
                return Ok(None);
            };
            iterations += 1;
            if next == reached {
                let excluded = AbstractStates::new(&mut self.manager, reached).excluded;
                let found = Reached {
                    facts: excluded.iter().map(|cube| self.fact(cube)).collect(),
                    iterations,
                    abstract_states: states,
                };
                return Ok(Some(found).filter(|_| !self.manager.is_exhausted()));
            }
            reached = next;
        }
    }

    pub fn count(&self, set: Bdd) -> f64 {
        self.manager.count(set, self.predicates.len() as u32)
    }

    /// ```text
    /// rho_0 = exists J, X.  AND_b ( b <=> phi_b[q0/V] )                                                       (12)
    /// ```
    pub fn initial(&mut self) -> Result<Option<Bdd>, SolverError> {
        let system = self.system;
        let anything = AbstractStates::new(&mut self.manager, Manager::TRUE);
        let mut reached = Manager::FALSE;
        for start in &system.starts {
            let known = AbstractStates::new(&mut self.manager, reached);
            let mut projection = self.step(start, true)?;
            match projection.project(&mut self.manager, &anything, &known)? {
                Some(more) => reached = more,
                None => return Ok(None),
            }
        }
        Ok(Some(reached))
    }

    /// ```text
    /// rho_{k+1} = rho_k  OR  exists V, X, I.
    ///               ( AND_{pi in Pi} rho_k[ phi[pi/X] / B ] )  AND  AND_b ( b <=> phi_b[delta/V] )            (13)
    /// ```
    ///
    /// One rule after the other, each from all that is reached by then: the fixpoint is the same, and comes sooner.
    pub fn next(&mut self, reached: Bdd) -> Result<Option<Bdd>, SolverError> {
        let system = self.system;
        let mut known = AbstractStates::new(&mut self.manager, reached);
        for (number, rule) in system.rules.iter().enumerate() {
            let mut projection = match self.rules[number].take() {
                Some(projection) => projection,
                None => self.step(rule, false)?,
            };
            match projection.project(&mut self.manager, &known, &known)? {
                Some(more) if more == known.set => {}
                Some(more) => known = AbstractStates::new(&mut self.manager, more),
                None => return Ok(None),
            }
            self.rules[number] = Some(projection);
            self.manager.collect([reached, known.set]);
        }
        Ok(Some(known.set))
    }

    /// The step of a rule, or of a start, with the predicates after it.
    fn step(&self, rule: &Rule, is_start: bool) -> Result<Projection, SolverError> {
        let step = rule.substitution();
        let after = |formula: Term| lift_conditionals(simplify(step.apply(formula)));
        let mut formulas: Vec<Term> = self.system.axioms.iter().map(|fact| fact.formula).collect();
        if !is_start {
            formulas.extend(self.system.type_facts.iter().map(|fact| fact.formula));
        }
        formulas.push(lift_conditionals(simplify(rule.guard)));
        formulas.push(after(rule.constraint));
        let after = self.predicates.iter().map(|p| after(*p));
        let mut projection = Projection::new(self.solvers, formulas, after)?;
        if !is_start {
            projection.instantiate(&self.indices, &self.predicates)?;
        }
        Ok(projection)
    }

    /// `forall X. not cube`
    fn fact(&self, cube: &Excluded) -> Term {
        let body = excluding(cube, |predicate| self.predicates[predicate]);
        term::forall(body.free_variables().to_vec(), body)
    }
}
