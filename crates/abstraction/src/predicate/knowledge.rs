//! What a run learned about a goal, so that another can go on from it.
//!
//! A constraint is a core that refinement took out of a relation. It is a fact about the system, independent of the
//! predicates; were it wrong, too few abstract states would be reached, and the certificate would not be validated.

use super::approximate::{Abstraction, Which};
use super::query::{Literal, Possible};
use logic::Term;
use smt::SolverError;
use std::sync::{Arc, Mutex, PoisonError};
use system::TransitionSystem;

/// Facts that another engine tells while a proof is under way. They hold in every state up to the first in which a
/// property fails, so they may be assumed as the properties themselves are. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct News {
    facts: Arc<Mutex<Vec<Term>>>,
}

impl News {
    pub fn tell(&self, facts: Vec<Term>) {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).extend(facts);
    }

    /// What was told, to the first who asks.
    pub fn hear(&self) -> Vec<Term> {
        std::mem::take(&mut *self.facts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Predicates in the order in which they were found, and constraints over them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Knowledge {
    pub predicates: Vec<Term>,
    pub constraints: Vec<Constraint>,
}

/// Literals that cannot hold together; their numbers are positions among the predicates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    pub place: QueryPlace,
    pub literals: Vec<Literal>,
}

/// Where a constraint holds. Rules and starts are named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QueryPlace {
    Start(String),
    Rule(String),
    Bad,
    Everywhere,
}

impl Abstraction {
    /// What has been learned so far.
    pub fn knowledge(&self, system: &TransitionSystem) -> Knowledge {
        let place = |which: &Which| match which {
            Which::Start(number) => QueryPlace::Start(system.starts[*number].name.clone()),
            Which::Rule(number) => QueryPlace::Rule(system.rules[*number].name.clone()),
            Which::Bad => QueryPlace::Bad,
            Which::Everywhere => QueryPlace::Everywhere,
        };
        let constraint = |(which, literals): &(Which, Vec<Literal>)| Constraint {
            place: place(which),
            literals: literals.clone(),
        };
        Knowledge {
            predicates: self.predicates.clone(),
            constraints: self.learned.iter().map(constraint).collect(),
        }
    }

    /// Takes over what another run learned, except where several rules share a name.
    pub fn recall(&mut self, system: &TransitionSystem, knowledge: &Knowledge) -> Result<(), SolverError> {
        for predicate in &knowledge.predicates {
            self.add_predicate(*predicate)?;
        }
        let numbers: Vec<Option<usize>> = knowledge
            .predicates
            .iter()
            .map(|predicate| self.predicates.iter().position(|known| known == predicate))
            .collect();
        let renumbered = |literal: &Literal| {
            let predicate = numbers.get(literal.predicate).copied().flatten()?;
            Some(Literal { predicate, ..*literal })
        };
        let unique = |rules: &[system::transition::Rule], name: &str| {
            let mut named = (0..rules.len()).filter(|number| rules[*number].name == name);
            named.next().filter(|_| named.next().is_none())
        };
        for constraint in &knowledge.constraints {
            let which = match &constraint.place {
                QueryPlace::Start(name) => unique(&system.starts, name).map(Which::Start),
                QueryPlace::Rule(name) => unique(&system.rules, name).map(Which::Rule),
                QueryPlace::Bad => Some(Which::Bad),
                QueryPlace::Everywhere => Some(Which::Everywhere),
            };
            let literals: Option<Vec<Literal>> = constraint.literals.iter().map(renumbered).collect();
            if let (Some(which), Some(literals)) = (which, literals) {
                self.constrain(Possible::No(literals), which);
            }
        }
        // Those were made by the other run.
        self.refinements = 0;
        Ok(())
    }
}
