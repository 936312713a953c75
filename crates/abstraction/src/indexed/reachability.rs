//! Abstract reachability with indexed predicates (Lahiri and Bryant, "Constructing quantified invariants via predicate
//! abstraction", VMCAI 2004).
//!
//! Predicates `phi_b` speak of the state `V` and of index symbols `X`. One concrete state has one abstract state, a truth value for each
//! predicate, for every value of the indices:
//!
//! ```text
//! alpha(s) = { phi(s, x) : x any values of X }          gamma(A) = { s : for all x, phi(s, x) in A }
//! ```
//!
//! `gamma` does not distribute over union, so there is no abstract transition relation, and the image of the newest abstract
//! states alone would miss concrete ones: every step takes the image of the whole set.
//!
//! Steps of the paper and where they are: the quantifier in `gamma` is instantiated ([`Reachability::instances`], its section on
//! quantifier instantiation); the existential ones are projected on the predicates by enumerating models ([`Reachability::project`]).
//!
//! Limitations: axioms of the system take the place of axioms among the predicates; the set of substitutions is made of the index
//! terms of the query, not more.

use crate::bdd::{Bdd, Manager};
use crate::ground::Grounding;
use crate::lift::lift_conditionals;
use logic::{Function, Sort, Substitution, Term, Variable, simplify::simplify, term};
use smt::{Answer, Purpose, Solver, SolverError, Statistics, Z3Options, Z3Solver};
use std::collections::BTreeSet;
use std::sync::Arc;
use system::TransitionSystem;
use system::transition::{Predicate, Rule};

/// More substitutions than this are not tried.
const SUBSTITUTIONS: usize = 2000;

/// Literals of predicates, by number, that no reachable state satisfies together for any values of the indices.
type Excluded = Vec<(u32, bool)>;

/// What was reached.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// `forall X. not c`, for each cube `c` of a cover of what is not reached: their conjunction is `gamma` of the reached set.
    pub facts: Vec<Term>,
    pub iterations: usize,
    pub abstract_states: f64,
}

/// The predicates and the set of abstract states so far.
pub struct Reachability<'r> {
    system: &'r TransitionSystem,
    options: &'r Z3Options,
    statistics: &'r Arc<Statistics>,
    /// `X`
    indices: Vec<Variable>,
    /// `phi`
    predicates: Vec<Term>,
    pub manager: Manager,
}

/// The symbol `b` of a predicate after the step.
fn symbol(predicate: usize) -> Term {
    Function::constant(format!("b#{predicate}").as_str(), Sort::Bool).apply([])
}

impl<'r> Reachability<'r> {
    pub fn new(
        system: &'r TransitionSystem,
        predicates: &[Predicate],
        options: &'r Z3Options,
        statistics: &'r Arc<Statistics>,
    ) -> Reachability<'r> {
        let indices: BTreeSet<Variable> = predicates.iter().flat_map(|p| p.indices.iter().copied()).collect();
        Reachability {
            system,
            options,
            statistics,
            indices: indices.into_iter().collect(),
            predicates: predicates.iter().map(|p| p.formula).collect(),
            manager: Manager::new(),
        }
    }

    /// All that is reached; `None` where the solver does not know.
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
                let facts = self.excluded(reached).iter().map(|cube| self.fact(cube)).collect();
                return Ok(Some(Reached {
                    facts,
                    iterations,
                    abstract_states: states,
                }));
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
        let mut reached = Manager::FALSE;
        for start in &system.starts {
            let Some(more) = self.project(start, None, reached)? else {
                return Ok(None);
            };
            reached = self.manager.or(reached, more);
        }
        Ok(Some(reached))
    }

    /// ```text
    /// rho_{k+1} = rho_k  OR  exists V, X, I.
    ///               ( AND_{pi in Pi} rho_k[ phi[pi/X] / B ] )  AND  AND_b ( b <=> phi_b[delta/V] )            (13)
    /// ```
    pub fn next(&mut self, reached: Bdd) -> Result<Option<Bdd>, SolverError> {
        let system = self.system;
        let excluded = self.excluded(reached);
        let mut next = reached;
        for rule in &system.rules {
            let Some(more) = self.project(rule, Some(&excluded), next)? else {
                return Ok(None);
            };
            next = self.manager.or(next, more);
        }
        Ok(Some(next))
    }

    /// The abstract states after a rule, or a start, that are not in `known`: models are enumerated until there is no other. Before a rule the
    /// state is in `gamma` of what is not `excluded`.
    fn project(&mut self, rule: &Rule, excluded: Option<&[Excluded]>, known: Bdd) -> Result<Option<Bdd>, SolverError> {
        let step = rule.substitution();
        let mut solver = Z3Solver::new(self.options.clone(), Arc::clone(self.statistics))?;
        let mut grounding = Grounding::new("");
        let mut formulas: Vec<Term> = self.system.axioms.iter().map(|fact| fact.formula).collect();
        if excluded.is_some() {
            formulas.extend(self.system.type_facts.iter().map(|fact| fact.formula));
        }
        formulas.push(lift_conditionals(simplify(rule.guard)));
        formulas.push(lift_conditionals(simplify(step.apply(rule.constraint))));
        for (number, predicate) in self.predicates.iter().enumerate() {
            let after = lift_conditionals(simplify(step.apply(*predicate)));
            formulas.push(term::equal(symbol(number), after));
        }
        let new = self.manager.not(known);
        formulas.push(self.formula(new));
        for formula in formulas {
            for ground in grounding.assert(formula) {
                solver.assert(ground)?;
            }
        }
        for instance in self.instances(&grounding, excluded.unwrap_or_default()) {
            for ground in grounding.assert(instance) {
                solver.assert(ground)?;
            }
        }
        let mut found = Manager::FALSE;
        loop {
            match solver.check(Purpose::Abstraction)? {
                Answer::Unsat => return Ok(Some(found)),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat => {}
            }
            let model = solver.model()?;
            let mut state = Manager::TRUE;
            let mut literals = Vec::new();
            for number in 0..self.predicates.len() {
                let value = model.value(symbol(number))?.as_bool() == Some(true);
                let literal = self.manager.literal(variable(number), value);
                state = self.manager.and(state, literal);
                literals.push(if value {
                    symbol(number)
                } else {
                    term::not(symbol(number))
                });
            }
            found = self.manager.or(found, state);
            solver.assert(term::not(term::and(literals)))?;
        }
    }

    /// `rho[phi[pi/X]/B]` for all `pi` in `Pi`: the index symbols stand for the index terms of the query.
    fn instances(&self, grounding: &Grounding, excluded: &[Excluded]) -> Vec<Term> {
        let mut instances = Vec::new();
        for cube in excluded {
            let literals: Vec<Term> = cube
                .iter()
                .map(|(predicate, value)| self.literal(*predicate, *value))
                .collect();
            let body = term::not(term::and(literals));
            let mut tuples: Vec<Vec<(Variable, Term)>> = vec![Vec::new()];
            for index in body.free_variables().iter().filter(|v| self.indices.contains(v)) {
                let mut terms: Vec<Term> = grounding.terms_of(index.sort).collect();
                // Pi must not be empty.
                if terms.is_empty() {
                    terms.push(index.term());
                }
                let longer = |tuple: &Vec<(Variable, Term)>| {
                    let tuple = tuple.clone();
                    let with = move |t: &Term| [tuple.clone(), vec![(*index, *t)]].concat();
                    terms.iter().map(with).collect::<Vec<_>>()
                };
                tuples = tuples.iter().flat_map(longer).take(SUBSTITUTIONS).collect();
            }
            instances.extend(tuples.into_iter().map(|pi| Substitution::of_variables(pi).apply(body)));
        }
        instances
    }

    fn literal(&self, variable: u32, value: bool) -> Term {
        let predicate = self.predicates[variable as usize / 2];
        if value { predicate } else { term::not(predicate) }
    }

    /// Cubes that cover what is not reached.
    fn excluded(&mut self, reached: Bdd) -> Vec<Excluded> {
        let rest = self.manager.not(reached);
        self.manager.cover(rest, rest).0
    }

    /// The set as a formula over the symbols of the predicates.
    fn formula(&mut self, set: Bdd) -> Term {
        let cubes = self.manager.cover(set, set).0;
        let literal = |(variable, value): &(u32, bool)| {
            let symbol = symbol(*variable as usize / 2);
            if *value { symbol } else { term::not(symbol) }
        };
        term::or(cubes.iter().map(|cube| term::and(cube.iter().map(literal))))
    }

    /// `forall X. not cube`
    fn fact(&self, cube: &Excluded) -> Term {
        let literals = cube.iter().map(|(predicate, value)| self.literal(*predicate, *value));
        let body = term::not(term::and(literals));
        let used: Vec<Variable> = body.free_variables().to_vec();
        term::forall(used, body)
    }
}

/// Sets of abstract states use the even variables of decision diagrams.
fn variable(predicate: usize) -> u32 {
    2 * predicate as u32
}
