//! The predicates of an abstraction: formulas over cells, each with the procedure that it belongs to.

use logic::substitute::functions_of;
use logic::{Function, Term};
use std::collections::BTreeSet;
use system::program::{ProcedureId, VariableId, VariableKind};
use unfold::frames::{Frames, Owner};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PredicateId(pub usize);

#[derive(Clone, Debug)]
pub struct Predicate {
    pub formula: Term,
    /// The procedure whose own variables it speaks of; none where it speaks of memory only.
    pub scope: Option<ProcedureId>,
    pub cells: BTreeSet<Function>,
    /// It speaks of parameters and of memory: its value is an argument of a call.
    pub is_parameter: bool,
    /// It speaks of the result, of parameters that no step changes, and of memory: its value is returned.
    pub is_returned: bool,
}

/// In the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    all: Vec<Predicate>,
    known: BTreeSet<Term>,
}

impl Predicates {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn get(&self, id: PredicateId) -> &Predicate {
        &self.all[id.0]
    }

    pub fn all(&self) -> impl Iterator<Item = (PredicateId, &Predicate)> {
        (0..).map(PredicateId).zip(&self.all)
    }

    /// Of no procedure.
    pub fn global(&self) -> impl Iterator<Item = (PredicateId, &Predicate)> {
        self.all().filter(|(_, predicate)| predicate.scope.is_none())
    }

    pub fn of(&self, procedure: ProcedureId) -> impl Iterator<Item = (PredicateId, &Predicate)> {
        self.all()
            .filter(move |(_, predicate)| predicate.scope == Some(procedure))
    }

    pub fn knows(&self, formula: Term) -> bool {
        self.known.contains(&formula)
    }

    /// Adds a predicate, unless it is known. False where it is, or speaks of the variables of several procedures.
    pub fn add(&mut self, frames: &Frames, changed: &dyn Fn(ProcedureId, Function) -> bool, formula: Term) -> bool {
        if self.knows(formula) {
            return false;
        }
        let Some(predicate) = Predicate::new(frames, changed, formula) else {
            return false;
        };
        self.known.insert(formula);
        self.all.push(predicate);
        true
    }
}

impl Predicate {
    fn new(frames: &Frames, changed: &dyn Fn(ProcedureId, Function) -> bool, formula: Term) -> Option<Predicate> {
        let cells = functions_of(formula);
        let scope = match procedures(frames, formula)?.as_slice() {
            [] => None,
            [only] => Some(*only),
            _ => return None,
        };
        let own: Vec<(Function, VariableId)> = cells
            .iter()
            .filter_map(|cell| match frames.owner(*cell) {
                Some(Owner::Procedure(_, variable)) => Some((*cell, variable)),
                _ => None,
            })
            .collect();
        let is_kind = |variable: &VariableId, kind| frames.kind(*variable) == kind;
        let is_fixed = |(cell, variable): &(Function, VariableId)| {
            is_kind(variable, VariableKind::Parameter) && scope.is_some_and(|scope| !changed(scope, *cell))
        };
        let is_result = |(_, variable): &(Function, VariableId)| is_kind(variable, VariableKind::Result);
        Some(Predicate {
            formula,
            scope,
            is_parameter: scope.is_some()
                && own
                    .iter()
                    .all(|(_, variable)| is_kind(variable, VariableKind::Parameter)),
            is_returned: scope.is_some() && own.iter().all(|cell| is_fixed(cell) || is_result(cell)),
            cells,
        })
    }
}

/// The procedures of whose own variables a formula speaks. None where it speaks of what is no cell.
pub(crate) fn procedures(frames: &Frames, formula: Term) -> Option<Vec<ProcedureId>> {
    let mut found = BTreeSet::new();
    for function in functions_of(formula) {
        match frames.owner(function)? {
            Owner::Procedure(procedure, _) => {
                found.insert(procedure);
            }
            Owner::Memory => {}
        }
    }
    Some(found.into_iter().collect())
}
