//! The symbolic step of one rule, projected on the predicates.
//!
//! A model of the step is widened to all abstract states of its [`Arrangement`], with decision diagrams and without
//! further checks; the solver is asked for another one until there is none. What is reached before the step is told to
//! the solver only where a model does not keep to it: of the many instances few are needed, and mostly the same ones
//! again in the next iteration.

use super::arrangement::Arrangement;
use bdd::{Bdd, Manager};
use deduction::GroundSolver;
use logic::hashing::FastMap;
use logic::{Function, Sort, Substitution, Term, Value, Variable, term};
use smt::{Answer, Model, Purpose, SolverError, Solvers};
use std::collections::BTreeSet;

/// More substitutions than this are not tried.
const SUBSTITUTIONS: usize = 2000;

/// Literals of predicates, by their variables, that no reachable state satisfies together for any values of the
/// indices.
pub(super) type Excluded = Vec<(u32, bool)>;

/// One of `Pi`: terms for the index symbols, and what becomes of the predicates.
struct Instance {
    terms: Vec<Term>,
    predicates: Vec<Term>,
}

/// A set of abstract states, and what covers the rest.
pub(super) struct AbstractStates {
    pub set: Bdd,
    pub excluded: Vec<Excluded>,
}

/// A rule with the predicates after it, and with instances of them before it.
pub(super) struct Projection {
    solver: GroundSolver,
    /// All that the step says, without quantifiers.
    formulas: Vec<Term>,
    /// How many there are.
    predicates: usize,
    /// `Pi`
    instances: Vec<Instance>,
    /// Formulas with quantifiers, and the symbols for them.
    named: FastMap<Term, Term>,
    /// By number, the instances that were needed so far, and what they had to exclude.
    needed: BTreeSet<(usize, Excluded)>,
}

/// The symbol `b` of a predicate after the step.
fn symbol(predicate: usize) -> Term {
    Function::constant(format!("b#{predicate}").as_str(), Sort::Bool).apply([])
}

/// Sets of abstract states use the even variables of decision diagrams.
pub(super) fn variable(predicate: usize) -> u32 {
    2 * predicate as u32
}

/// That the cube does not hold, of these predicates.
pub(super) fn excluding(cube: &Excluded, predicate: impl Fn(usize) -> Term) -> Term {
    term::or(cube.iter().map(|(variable, value)| {
        let predicate = predicate(*variable as usize / 2);
        if *value { term::not(predicate) } else { predicate }
    }))
}

impl AbstractStates {
    pub(super) fn new(manager: &mut Manager, set: Bdd) -> AbstractStates {
        let rest = manager.not(set);
        let (excluded, _) = manager.cover(rest, rest);
        AbstractStates { set, excluded }
    }
}

impl Projection {
    /// The step that `formulas` describe, after which the predicates are `after`.
    pub(super) fn new(
        solvers: &Solvers,
        formulas: impl IntoIterator<Item = Term>,
        after: impl IntoIterator<Item = Term>,
    ) -> Result<Projection, SolverError> {
        let mut projection = Projection {
            solver: GroundSolver::new(solvers)?,
            formulas: Vec::new(),
            predicates: 0,
            instances: Vec::new(),
            named: FastMap::default(),
            needed: BTreeSet::new(),
        };
        for formula in formulas {
            projection.assert(formula)?;
        }
        for after in after {
            projection.assert(term::equal(symbol(projection.predicates), after))?;
            projection.predicates += 1;
        }
        Ok(projection)
    }

    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        self.formulas.extend(self.solver.assert(formula)?);
        Ok(())
    }

    /// The index symbols stand for the index terms of the step: `Pi`, and `phi[pi/X]` for each `pi` in it.
    pub(super) fn instantiate(&mut self, indices: &[Variable], predicates: &[Term]) -> Result<(), SolverError> {
        let mut tuples: Vec<Vec<Term>> = vec![Vec::new()];
        for index in indices {
            let others = self
                .solver
                .grounding
                .terms_of(index.sort)
                .filter(|t| *t != index.term());
            // Itself first, for which there is a use in `tell`. So Pi is not empty.
            let terms: Vec<Term> = [index.term()].into_iter().chain(others).collect();
            let longer = |tuple: &Vec<Term>| {
                let tuple = tuple.clone();
                let with = move |t: &Term| [tuple.clone(), vec![*t]].concat();
                terms.iter().map(with).collect::<Vec<_>>()
            };
            tuples = tuples.iter().flat_map(longer).take(SUBSTITUTIONS).collect();
        }
        for terms in tuples {
            let pi = Substitution::of_variables(indices.iter().copied().zip(terms.iter().copied()));
            let named = predicates.iter().map(|predicate| self.named(pi.apply(*predicate)));
            let predicates = named.collect::<Result<_, _>>()?;
            self.instances.push(Instance { terms, predicates });
        }
        Ok(())
    }

    /// A symbol for a formula with quantifiers.
    fn named(&mut self, formula: Term) -> Result<Term, SolverError> {
        if !formula.has_quantifier() {
            return Ok(formula);
        }
        if let Some(name) = self.named.get(&formula) {
            return Ok(*name);
        }
        let name = Function::constant(format!("phi#{}", self.named.len()).as_str(), Sort::Bool).apply([]);
        self.named.insert(formula, name);
        self.assert(term::equal(name, formula))?;
        Ok(name)
    }

    /// The abstract states after the step, and those that are `known`; before it, all are in `reached`. `None` where
    /// the solver does not know, and where work was cut off.
    pub(super) fn project(
        &mut self,
        manager: &mut Manager,
        reached: &AbstractStates,
        known: &AbstractStates,
    ) -> Result<Option<Bdd>, SolverError> {
        self.solver.push()?;
        let found = self.enumerate(manager, reached, known);
        self.solver.pop()?;
        Ok(found?.filter(|_| !manager.is_exhausted()))
    }

    fn enumerate(
        &mut self,
        manager: &mut Manager,
        reached: &AbstractStates,
        known: &AbstractStates,
    ) -> Result<Option<Bdd>, SolverError> {
        self.tell(manager, reached)?;
        let unknown = known.excluded.iter().map(|cube| term::not(excluding(cube, symbol)));
        self.solver.assert_ground(term::or(unknown))?;
        let mut found = known.set;
        loop {
            match self.solver.check(Purpose::Abstraction)? {
                Answer::Unsat => return Ok(Some(found)),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat => {}
            }
            let model = self.solver.model()?;
            let violated = self.violated(model.as_ref(), &reached.excluded)?;
            let states = match self.widen(manager, model.as_ref(), reached.set) {
                Err(SolverError::NoValue(_) | SolverError::CannotEvaluate { .. }) if violated.is_empty() => {
                    self.state(manager, model.as_ref())?
                }
                Err(SolverError::NoValue(_) | SolverError::CannotEvaluate { .. }) => Manager::FALSE,
                states => states?,
            };
            let before = found;
            found = manager.or(found, states);
            if manager.is_exhausted() || found == before && violated.is_empty() {
                // A model that keeps to what is reached is in its own arrangement, so the latter cannot be.
                return Ok(None);
            }
            let old = manager.not(before);
            let new = manager.and(found, old);
            for cube in manager.cover(new, found).0 {
                self.solver.assert_ground(excluding(&cube, symbol))?;
            }
            for (number, cube) in violated {
                let instance = self.instance(number, &cube);
                self.solver.assert_ground(instance)?;
                self.needed.insert((number, cube));
            }
        }
    }

    /// Tells the solver what was reached before the step, in those instances that it will need again.
    fn tell(&mut self, manager: &mut Manager, reached: &AbstractStates) -> Result<(), SolverError> {
        self.needed.retain(|(_, cube)| manager.is_disjoint(reached.set, cube));
        // The first substitution has the index symbols for themselves: most that is not touched stays as it is by that
        // one.
        if !self.instances.is_empty() {
            self.needed
                .extend(reached.excluded.iter().map(|cube| (0, cube.clone())));
        }
        for (number, cube) in &self.needed {
            let instance = self.instance(*number, cube);
            self.solver.assert_ground(instance)?;
        }
        Ok(())
    }

    fn instance(&self, number: usize, cube: &Excluded) -> Term {
        excluding(cube, |predicate| self.instances[number].predicates[predicate])
    }

    /// All abstract states after steps that have the arrangement of the model.
    fn widen(&self, manager: &mut Manager, model: &dyn Model, reached: Bdd) -> Result<Bdd, SolverError> {
        let symbols: Vec<(Term, Bdd)> = (0..self.predicates)
            .map(|number| (symbol(number), manager.variable(variable(number))))
            .collect();
        let mut arrangement = Arrangement::new(model, manager, symbols);
        let mut states = Manager::TRUE;
        let mut seen: BTreeSet<Vec<Value>> = BTreeSet::new();
        for instance in &self.instances {
            let values = instance.terms.iter().map(|term| arrangement.value(*term));
            if seen.insert(values.collect::<Result<_, _>>()?) {
                let functions = instance.predicates.iter().map(|p| arrangement.formula(*p));
                let functions: Vec<Bdd> = functions.collect::<Result<_, _>>()?;
                let before = arrangement.manager.compose(reached, &functions);
                states = arrangement.manager.and(states, before);
            }
        }
        for formula in &self.formulas {
            let holds = arrangement.formula(*formula)?;
            states = arrangement.manager.and(states, holds);
        }
        let pinned = arrangement.pinned;
        Ok(manager.and_exists(states, pinned, 1))
    }

    /// The abstract state after the step of the model.
    fn state(&self, manager: &mut Manager, model: &dyn Model) -> Result<Bdd, SolverError> {
        let mut state = Manager::TRUE;
        for number in 0..self.predicates {
            let value = model.value(symbol(number))?.as_bool() == Some(true);
            let literal = manager.literal(variable(number), value);
            state = manager.and(state, literal);
        }
        Ok(state)
    }

    /// The instances of which the model has an abstract state that is not reached, and what excludes it.
    fn violated(&self, model: &dyn Model, excluded: &[Excluded]) -> Result<Vec<(usize, Excluded)>, SolverError> {
        let mut known: FastMap<Term, bool> = FastMap::default();
        let mut violated = Vec::new();
        for (number, instance) in self.instances.iter().enumerate() {
            let mut values = Vec::new();
            for predicate in &instance.predicates {
                if !known.contains_key(predicate) {
                    known.insert(*predicate, model.value(*predicate)?.as_bool() == Some(true));
                }
                values.push(known[predicate]);
            }
            let holds = |(variable, value): &(u32, bool)| values[*variable as usize / 2] == *value;
            if let Some(cube) = excluded.iter().find(|cube| cube.iter().all(holds)) {
                violated.push((number, cube.clone()));
            }
        }
        Ok(violated)
    }
}
