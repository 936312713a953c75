//! What the loop has learned, as data that another one can begin with.

use crate::constrain::Constraints;
use crate::cubes::Blamed;
use crate::predicates::{PredicateId, Predicates};
use crate::statements::{Bit, Site, Steps};
use crate::{Error, Slam};
use logic::Term;
use std::collections::BTreeMap;
use system::program::ProcedureId;
use unfold::frames::Towards;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Knowledge {
    /// In the order in which they were found.
    pub predicates: Vec<Term>,
    /// Literals that cannot hold together, and where; predicates are meant by their positions.
    pub constraints: Vec<(ConstraintPlace, Vec<Blamed>)>,
}

/// What a constraint is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstraintPlace {
    Statement(Site),
    /// All states of a procedure, or of any.
    States(Option<ProcedureId>),
}

impl Knowledge {
    pub fn of(predicates: &Predicates, constraints: &Constraints) -> Knowledge {
        Knowledge {
            predicates: predicates.all().map(|(_, predicate)| predicate.formula).collect(),
            constraints: constraints
                .all()
                .map(|(place, blamed)| (place, blamed.to_vec()))
                .collect(),
        }
    }
}

impl Slam<'_, '_> {
    /// Begins with what another loop knew of this program. Predicates that say nothing here are left out, and so are
    /// constraints that are about no statement of the program, or not about its variables. That the others hold is not
    /// asked: one that does not costs the proof.
    pub fn begin_with(&mut self, knowledge: &Knowledge) -> Result<(), Error> {
        self.add(&knowledge.predicates)?;
        let numbers: BTreeMap<Term, PredicateId> = self.predicates.all().map(|(id, one)| (one.formula, id)).collect();
        for (place, blamed) in &knowledge.constraints {
            let renumbered = |id: PredicateId| numbers.get(knowledge.predicates.get(id.0)?).copied();
            let literals = blamed.iter().map(|literal| {
                let bit = match literal.bit {
                    Bit::Predicate(id) => Bit::Predicate(renumbered(id)?),
                    Bit::Argument(id) => Bit::Argument(renumbered(id)?),
                    Bit::Result(id) => Bit::Result(renumbered(id)?),
                };
                Some(Blamed { bit, ..*literal })
            });
            let literals: Option<Vec<Blamed>> = literals.collect();
            if let Some(literals) = literals.filter(|literals| fits(&self.steps, &self.predicates, *place, literals)) {
                self.constraints.add(*place, literals);
            }
        }
        self.count_constraints();
        Ok(())
    }
}

/// Whether the literals are about variables that there are in this place.
fn fits(steps: &Steps, predicates: &Predicates, place: ConstraintPlace, literals: &[Blamed]) -> bool {
    let site = match place {
        ConstraintPlace::Statement(site) => site,
        ConstraintPlace::States(owner) => {
            return literals.iter().all(|literal| {
                let scope = match literal.bit {
                    Bit::Predicate(id) => Some(predicates.get(id).scope),
                    Bit::Argument(_) | Bit::Result(_) => None,
                };
                !literal.is_after && scope.is_some_and(|scope| scope.is_none() || scope == owner)
            });
        }
    };
    let is_of_program = match site {
        Site::Start => true,
        Site::Step(way) | Site::Arguments(way) | Site::Results(way) => {
            let is_call = |way| matches!(steps.effect(way).towards, Towards::Call(_));
            let is_there = steps.ways(way.procedure, way.location).contains(&way);
            is_there && is_call(way) != matches!(site, Site::Step(_))
        }
    };
    is_of_program && {
        let meaning = steps.meaning(site, predicates);
        let is_in = |side: &[(Bit, Term)], wanted: Bit| side.iter().any(|(bit, _)| *bit == wanted);
        literals.iter().all(|literal| match literal.is_after {
            true => is_in(&meaning.after, literal.bit),
            false => is_in(&meaning.before, literal.bit),
        })
    }
}
