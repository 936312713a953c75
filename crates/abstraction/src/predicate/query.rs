//! One incremental solver for each rule, with every predicate as a literal before and after it.
//!
//! For a predicate `phi` the solver holds `b => phi(x)`, `not b => not phi(x)`, and the same for `a` and `phi(F(x))`,
//! where `F` is the rule. Every later question is a check under assumptions on these literals, without quantifiers, and
//! its unsat core is the constraint that was wanted.

use deduction::GroundSolver;
use deduction::Grounding;
use logic::Cancellation;
use logic::{Function, Sort, Substitution, Term, simplify::simplify, term};
use smt::{Answer, Purpose, SolverError, Solvers, UnknownReason};
use std::collections::HashSet;

/// A predicate before (`after` false) or after the rule, with a truth value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    pub predicate: usize,
    pub after: bool,
    pub value: bool,
}

/// What the literals can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Possible {
    Yes,
    /// These literals cannot hold together.
    No(Vec<Literal>),
    /// The solver does not know, so they may.
    Maybe(UnknownReason),
}

/// The values of all predicates in a state.
pub(super) fn literals(state: &[bool], after: bool) -> Vec<Literal> {
    let literal = |(predicate, value): (usize, &bool)| Literal {
        predicate,
        after,
        value: *value,
    };
    state.iter().enumerate().map(literal).collect()
}

/// A step of the rule, as the predicates see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Example {
    Step {
        before: Vec<bool>,
        after: Vec<bool>,
    },
    /// There is no such step.
    None,
    /// The solver does not know.
    Maybe,
}

pub struct Query {
    solver: GroundSolver,
    step: Substitution,
    /// What the rule makes of each predicate, simplified.
    pub images: Vec<Term>,
    /// Literals that were found possible since the last predicate was added.
    possible: HashSet<Vec<Literal>>,
    /// States before the step that models had since then, by the values of the predicates.
    states: Vec<Vec<bool>>,
    /// How many examples were asked for.
    examples: usize,
    cancellation: Cancellation,
}

/// The symbol that stands for a predicate before or after the rule.
pub(crate) fn literal_symbol(predicate: usize, after: bool) -> Term {
    let name = format!("{}{predicate}", if after { "after#" } else { "before#" });
    Function::constant(name.as_str(), Sort::Bool).apply([])
}

impl Query {
    /// `facts` hold before the step, which is taken by `step`.
    pub fn new(solvers: &Solvers, facts: &[Term], step: Substitution) -> Result<Query, SolverError> {
        let mut query = Query {
            solver: GroundSolver::with(solvers, Grounding::where_applied(""))?,
            step,
            images: Vec::new(),
            possible: HashSet::new(),
            states: Vec::new(),
            examples: 0,
            cancellation: solvers.cancellation().clone(),
        };
        for fact in facts {
            query.assert(*fact)?;
        }
        Ok(query)
    }

    /// After an interrupt nothing is said any more, which is weaker, so that large formulas do not delay the end.
    pub fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        if self.cancellation.is_cancelled() {
            return Ok(());
        }
        // What was possible need not be any more.
        self.forget();
        self.solver.assert(formula).map(drop)
    }

    /// The same with a formula about the state before the step of which `follows` says whether it follows from
    /// literals: what was possible and satisfies it still is.
    pub(crate) fn assert_keeping(
        &mut self,
        formula: Term,
        mut follows: impl FnMut(&[Literal]) -> bool,
    ) -> Result<(), SolverError> {
        let mut possible = std::mem::take(&mut self.possible);
        let mut states = std::mem::take(&mut self.states);
        possible.retain(|literals| follows(literals));
        states.retain(|state| follows(&literals(state, false)));
        self.assert(formula)?;
        (self.possible, self.states) = (possible, states);
        Ok(())
    }

    /// Names the next predicate; after an interrupt it is a name of nothing.
    pub fn add_predicate(&mut self, formula: Term) -> Result<(), SolverError> {
        let number = self.images.len();
        if self.cancellation.is_cancelled() {
            self.images.push(literal_symbol(number, true));
            return Ok(());
        }
        let image = simplify(self.step.apply(formula));
        for (symbol, meaning) in [
            (literal_symbol(number, false), formula),
            (literal_symbol(number, true), image),
        ] {
            self.assert(term::implies(symbol, meaning))?;
            self.assert(term::or([symbol, term::not(meaning)]))?;
        }
        self.images.push(image);
        self.forget();
        Ok(())
    }

    fn forget(&mut self) {
        self.possible.clear();
        self.states.clear();
    }

    /// Whether a model had these literals, which are about the state before the step.
    pub(crate) fn has_seen(&self, literals: &[Literal]) -> bool {
        let agrees = |state: &Vec<bool>| {
            literals
                .iter()
                .all(|literal| state.get(literal.predicate) == Some(&literal.value))
        };
        self.states.iter().any(agrees)
    }

    /// The values of the predicates in the last model.
    fn state(&mut self, after: bool) -> Result<Vec<bool>, SolverError> {
        let model = self.solver.model()?;
        let value = |number| Ok(model.value(literal_symbol(number, after))?.as_bool().unwrap_or(false));
        (0..self.images.len()).map(value).collect()
    }

    /// Whether the literals can hold together.
    pub fn possible(&mut self, literals: &[Literal]) -> Result<Possible, SolverError> {
        if self.possible.contains(literals) {
            return Ok(Possible::Yes);
        }
        let symbol = |l: &Literal| {
            let symbol = literal_symbol(l.predicate, l.after);
            if l.value { symbol } else { term::not(symbol) }
        };
        let terms: Vec<Term> = literals.iter().map(symbol).collect();
        match self.solver.check_assuming(Purpose::Abstraction, &terms)? {
            Answer::Sat => {
                self.possible.insert(literals.to_vec());
                let state = self.state(false)?;
                self.states.push(state);
                Ok(Possible::Yes)
            }
            Answer::Unknown(reason) => Ok(Possible::Maybe(reason)),
            Answer::Unsat => {
                let core = self.solver.unsat_core()?;
                Ok(Possible::No(
                    literals.iter().filter(|l| core.contains(&symbol(l))).copied().collect(),
                ))
            }
        }
    }

    /// Some step that satisfies a formula over the symbols of the literals. A name is assumed that implies the formula:
    /// what the solver learns stays, other than after a `pop`.
    pub fn example(&mut self, formula: Term) -> Result<Example, SolverError> {
        let asked = Function::constant(format!("asked#{}", self.examples).as_str(), Sort::Bool).apply([]);
        self.examples += 1;
        self.solver.assert_ground(term::implies(asked, formula))?;
        let example = match self.solver.check_assuming(Purpose::Abstraction, &[asked])? {
            Answer::Unsat => Example::None,
            Answer::Unknown(_) => Example::Maybe,
            Answer::Sat => Example::Step {
                before: self.state(false)?,
                after: self.state(true)?,
            },
        };
        self.solver.assert_ground(term::not(asked))?;
        Ok(example)
    }
}
