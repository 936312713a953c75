//! What a proof claims. Everything else in a certificate follows from this and from the components.

use super::obligations::hazards;
use super::text::symbols;
use crate::assembly::System;
use crate::component::Component;
use crate::component::abstraction::{AbstractState, AbstractTransition, ControlState};
use crate::compose::Tuple;
use crate::confirm::ConfirmationError;
use crate::verify::ConformanceProof;
use deduction::reading::read_formula;
use logic::Term;
use smt::Solvers;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
pub struct Claim {
    /// Of each component of the system.
    pub components: Vec<ComponentClaim>,
    /// States of the `MA_i`, with sets of states of the specification: closed under what the components do.
    pub pairs: Vec<(Tuple, BTreeSet<usize>)>,
}

#[derive(Clone, Debug, Default)]
pub struct ComponentClaim {
    /// Of each node.
    pub predicates: Vec<Vec<Term>>,
    /// `MP_i`. State 0 is INIT.
    pub states: Vec<AbstractState>,
    pub moves: Vec<Vec<AbstractTransition>>,
    /// Where there is a second level: which state of `MA_i` states of `MP_i` are.
    pub classes: Option<BTreeMap<usize, u32>>,
    /// Steps that are never undefined, by their numbers.
    pub excluded: BTreeSet<usize>,
}

impl Claim {
    /// What a proof claims; `solvers` say which steps may be undefined.
    pub fn of(system: &System, proof: &ConformanceProof, solvers: &Solvers) -> Result<Claim, ConfirmationError> {
        let mut claim = Claim {
            components: Vec::new(),
            pairs: proof.contained.pairs.clone(),
        };
        for (position, (component, model)) in system.components.iter().zip(&proof.models).enumerate() {
            let mut own = ComponentClaim {
                predicates: model
                    .predicates
                    .at
                    .iter()
                    .map(|at| at.iter().copied().collect())
                    .collect(),
                states: model.states.clone(),
                moves: model.moves.clone(),
                ..ComponentClaim::default()
            };
            fits(component, &own)?;
            if let Some(partition) = &proof.partitions[position] {
                let (_, origins) = own.visible(component, &system.hidden).observable();
                own.classes = Some(origins.into_iter().zip(partition.class_of.iter().copied()).collect());
            }
            own.excluded = hazards::excluded(component, &own, solvers)?;
            claim.components.push(own);
        }
        claim.make_readable(system);
        Ok(claim)
    }

    /// Whether this is about these components: only then it has a text.
    pub fn fits(&self, system: &System) -> Result<(), ConfirmationError> {
        if self.components.len() != system.components.len() {
            return Err(ConfirmationError::NotClosed);
        }
        let mut pairs = system.components.iter().zip(&self.components);
        pairs.try_for_each(|(component, own)| fits(component, own))
    }

    /// Predicates become what their text is when it is read again: that is what is confirmed. What cannot be read
    /// stays as it is; solvers can.
    fn make_readable(&mut self, system: &System) {
        /// More rounds of writing and reading than any formula needs.
        const ROUNDS: usize = 8;
        let mut declarations = symbols(system);
        let all = self
            .components
            .iter_mut()
            .flat_map(|own| own.predicates.iter_mut().flatten());
        for predicate in all {
            for _ in 0..ROUNDS {
                let text = declarations.term(*predicate);
                match read_formula(&text, declarations.symbols()) {
                    Some(read) if read != *predicate => *predicate = read,
                    _ => break,
                }
            }
        }
    }
}

fn fits(component: &Component, claim: &ComponentClaim) -> Result<(), ConfirmationError> {
    claim.fits(component).map_err(|(_, reason)| ConfirmationError::Misfit {
        component: component.name.clone(),
        reason,
    })
}

impl ComponentClaim {
    /// The values of how many predicates a state has at a place.
    pub(super) fn width(&self, component: &Component, place: ControlState) -> usize {
        component.node(place).map_or(0, |node| self.predicates[node].len())
    }
}
