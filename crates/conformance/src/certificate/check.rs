//! What needs no solver: that the claim fits the components, and that it is closed.

use super::claim::{Claim, ComponentClaim};
use super::obligations::{constants, hazards};
use crate::assembly::System;
use crate::component::Component;
use crate::component::abstraction::{AbstractTransition, ControlState, Via};
use crate::compose::Tuple;
use crate::confirm::ConfirmationError;
use crate::lts::{Action, Lts, TAU};
use crate::quotient::Partition;
use std::collections::{BTreeMap, BTreeSet};

/// More pairs of a state and its class are not followed.
const MOST_RELATED: usize = 20_000_000;

/// Why a claim does not fit its component: the state that it is about, and what is wrong.
pub(super) type Misfit = (usize, &'static str);

/// Where a call leads by one of the abstractions of its routine, from a location that makes the call.
fn entry(component: &Component, place: ControlState, edge: usize, abstraction: usize) -> Option<ControlState> {
    let ControlState::At(node) = place else { return None };
    let site = component.sites.get(&edge)?;
    let is_made = component.automaton.nodes[node].edges.contains(&edge) && abstraction < site.guards.len();
    let abstractions = &component.routines[site.routine].abstractions;
    is_made.then(|| ControlState::Inside(edge, abstraction, abstractions[abstraction].machine.lts.initial))
}

impl ComponentClaim {
    /// Whether the claim is about this component: then nothing in it is out of range.
    pub(super) fn fits(&self, component: &Component) -> Result<(), Misfit> {
        let nodes = component.automaton.nodes.len();
        if self.predicates.len() != nodes || self.moves.len() != self.states.len() {
            return Err((0, "there are not as many as there have to be"));
        }
        for (number, state) in self.states.iter().enumerate() {
            if !is_place(component, state.place) {
                return Err((number, "there is no such place"));
            }
            if state.valuation.len() != self.width(component, state.place) {
                return Err((number, "it has not as many values as there are predicates"));
            }
        }
        // Where it begins: INIT is there, and knows nothing.
        let is_init = self
            .states
            .first()
            .is_some_and(|first| first.place == ControlState::At(0));
        if !is_init || !self.predicates[0].is_empty() || !constants(component, 0).is_true() {
            return Err((0, "this is not where the component begins"));
        }
        for (number, moves) in self.moves.iter().enumerate() {
            if !moves.iter().all(|step| self.is_move(component, number, step)) {
                return Err((number, "the component has no such move"));
            }
            if !self.goes_on(component, number) {
                return Err((number, "a move of the routine is missing"));
            }
        }
        let classes = self.classes.iter().flatten();
        for (state, class) in classes {
            if *state >= self.states.len() || *class as usize >= self.states.len() {
                return Err((*state, "there is no such state or class"));
            }
        }
        let steps = hazards::all(component).len();
        match self.excluded.last() {
            Some(last) if *last >= steps => Err((0, "there is no such step to exclude")),
            _ => Ok(()),
        }
    }

    /// Whether a move is one of those that the rules of section 5.4 allow from a state.
    fn is_move(&self, component: &Component, from: usize, step: &AbstractTransition) -> bool {
        let (Some(here), Some(there)) = (self.states.get(from), self.states.get(step.to)) else {
            return false;
        };
        let automaton = &component.automaton;
        let is_same = here.valuation == there.valuation;
        let is_of = |edge: usize| match here.place {
            ControlState::At(node) => {
                automaton.nodes[node].edges.contains(&edge) && !component.sites.contains_key(&edge)
            }
            _ => false,
        };
        let is_result = |edge: usize| match here.place {
            ControlState::Inside(call, abstraction, inside) => {
                let site = &component.sites[&call];
                let machine = &component.routines[site.routine].abstractions[abstraction].machine;
                let after = &site.after[abstraction];
                let mut actions = machine.lts.from(inside).iter();
                actions.any(|(action, _)| after.get(action) == Some(&edge))
            }
            _ => false,
        };
        let ends = |edge: usize| automaton.edges[edge].to == automaton.last;
        match step.via {
            Via::Edge(edge) => {
                is_of(edge)
                    && !ends(edge)
                    && !automaton.edges[edge].is_astray
                    && there.place == ControlState::At(automaton.edges[edge].to)
                    && step.action == TAU
            }
            Via::Enter(edge, abstraction) => {
                entry(component, here.place, edge, abstraction) == Some(there.place) && is_same && step.action == TAU
            }
            Via::Inside(edge, abstraction) => {
                let (ControlState::Inside(call, own, inside), ControlState::Inside(.., to)) = (here.place, there.place)
                else {
                    return false;
                };
                let site = &component.sites[&call];
                let machine = &component.routines[site.routine].abstractions[own].machine;
                (call, own) == (edge, abstraction)
                    && there.place == ControlState::Inside(call, own, to)
                    && is_same
                    && !site.after[own].contains_key(&step.action)
                    && machine.lts.from(inside).contains(&(step.action, to))
            }
            Via::Leave(edge) => {
                is_result(edge)
                    && !ends(edge)
                    && there.place == ControlState::At(automaton.edges[edge].to)
                    && step.action == TAU
            }
            Via::Return(edge, action) => {
                let ending = &component.ending;
                let is_known = ending.returns.iter().any(|(known, _)| *known == action) || ending.otherwise == action;
                let is_here = is_result(edge) || (is_of(edge) && !automaton.edges[edge].is_astray);
                is_here && ends(edge) && is_known && there.place == ControlState::Stop && step.action == action
            }
            Via::Astray(edge) => {
                is_of(edge)
                    && automaton.edges[edge].is_astray
                    && there.place == ControlState::Stop
                    && component.astray == Some(step.action)
            }
        }
    }

    /// Inside of a routine, everything that its abstraction does is a move. No solver is asked about these.
    fn goes_on(&self, component: &Component, number: usize) -> bool {
        let state = &self.states[number];
        let ControlState::Inside(edge, abstraction, inside) = state.place else {
            return true;
        };
        let site = &component.sites[&edge];
        let machine = &component.routines[site.routine].abstractions[abstraction].machine;
        let after = &site.after[abstraction];
        let own = machine
            .lts
            .from(inside)
            .iter()
            .filter(|(action, _)| !after.contains_key(action));
        // That a move is one of the routine is known; here only where it leads matters.
        let is_there = |(action, to): &(Action, usize)| {
            self.moves[number].iter().any(|step| {
                matches!(step.via, Via::Inside(..))
                    && step.action == *action
                    && self.states[step.to].place == ControlState::Inside(edge, abstraction, *to)
            })
        };
        own.clone().all(is_there)
    }

    /// The moves as a system, with these actions hidden.
    pub(super) fn visible(&self, component: &Component, hidden: &BTreeSet<Action>) -> Lts {
        let mut lts = Lts::new(self.states.len(), 0, component.alphabet.difference(hidden).copied());
        for (from, moves) in self.moves.iter().enumerate() {
            for step in moves {
                let action = if hidden.contains(&step.action) {
                    TAU
                } else {
                    step.action
                };
                lts.add(from, action, step.to);
            }
        }
        lts
    }
}

fn is_place(component: &Component, place: ControlState) -> bool {
    match place {
        ControlState::At(node) => node < component.automaton.nodes.len(),
        ControlState::Inside(edge, abstraction, inside) => component.sites.get(&edge).is_some_and(|site| {
            let own = component.routines[site.routine].abstractions.get(abstraction);
            own.is_some_and(|own| inside < own.machine.lts.states())
        }),
        ControlState::Stop => true,
    }
}

/// `L(MP_i) ⊆ L(MA_i)`, and the pairs that were met are closed. Returns the `MA_i`. The claim fits the components.
pub fn systems(system: &System, claim: &Claim, is_over: &dyn Fn() -> bool) -> Result<Vec<Lts>, ConfirmationError> {
    let mut systems: Vec<Lts> = Vec::new();
    for (component, own) in system.components.iter().zip(&claim.components) {
        let visible = own.visible(component, &system.hidden);
        let Some(classes) = &own.classes else {
            systems.push(visible);
            continue;
        };
        let (observable, origins) = visible.observable();
        let class_of: Option<Vec<u32>> = origins.iter().map(|origin| classes.get(origin).copied()).collect();
        let class_of = class_of.ok_or(ConfirmationError::NotClosed)?;
        let last = class_of.iter().max().copied().unwrap_or(0);
        let partition = Partition {
            class_of,
            classes: last as usize + 1,
        };
        let abstraction = partition.abstraction(&observable);
        check_simulation(&visible, &abstraction, &origins, &partition.class_of, is_over)?;
        systems.push(abstraction);
    }
    check_closed(system, &systems, &claim.pairs, is_over)?;
    Ok(systems)
}

/// The abstraction simulates the system: a relation of states, followed as far as it goes.
fn check_simulation(
    concrete: &Lts,
    abstraction: &Lts,
    origins: &[usize],
    class_of: &[u32],
    is_over: &dyn Fn() -> bool,
) -> Result<(), ConfirmationError> {
    let classes: BTreeMap<usize, u32> = origins.iter().copied().zip(class_of.iter().copied()).collect();
    let first = *classes.get(&concrete.initial).ok_or(ConfirmationError::NotClosed)?;
    if first as usize != abstraction.initial {
        return Err(ConfirmationError::NotClosed);
    }
    let mut related = BTreeSet::from([(concrete.initial, first)]);
    let mut pending: Vec<(usize, u32)> = related.iter().copied().collect();
    while let Some((state, class)) = pending.pop() {
        for (action, to) in concrete.from(state) {
            let next = match *action {
                TAU => (*to, class),
                action => {
                    let there = *classes.get(to).ok_or(ConfirmationError::NotClosed)?;
                    let is_there = abstraction.from(class as usize).contains(&(action, there as usize));
                    if !is_there {
                        return Err(ConfirmationError::NotClosed);
                    }
                    (*to, there)
                }
            };
            if related.insert(next) {
                pending.push(next);
            }
        }
        if related.len() % 1024 == 0 && is_over() {
            return Err(ConfirmationError::Interrupted);
        }
        if related.len() > MOST_RELATED {
            return Err(ConfirmationError::TooLarge);
        }
    }
    Ok(())
}

/// Definition 5, taken literally: every step from a pair leads to another pair.
fn check_closed(
    system: &System,
    systems: &[Lts],
    pairs: &[(Tuple, BTreeSet<usize>)],
    is_over: &dyn Fn() -> bool,
) -> Result<(), ConfirmationError> {
    let specification = &system.specification;
    let is_state = |(tuple, set): &(Tuple, BTreeSet<usize>)| {
        let mut each = tuple.iter().zip(systems);
        tuple.len() == systems.len()
            && each.all(|(state, lts)| (*state as usize) < lts.states())
            && set.last().is_some_and(|last| *last < specification.states())
    };
    if !pairs.iter().all(is_state) {
        return Err(ConfirmationError::NotClosed);
    }
    let known: BTreeSet<(&Tuple, &BTreeSet<usize>)> = pairs.iter().map(|(tuple, set)| (tuple, set)).collect();
    let closed = |tuple: &Tuple, set: &BTreeSet<usize>| known.contains(&(tuple, set));
    let number = |state: usize| u32::try_from(state).unwrap_or(u32::MAX);
    let initial: Tuple = systems.iter().map(|lts| number(lts.initial)).collect();
    if !closed(&initial, &specification.closure([specification.initial])) {
        return Err(ConfirmationError::NotClosed);
    }
    for (position, (tuple, set)) in pairs.iter().enumerate() {
        if position % 64 == 0 && is_over() {
            return Err(ConfirmationError::Interrupted);
        }
        let mut actions: BTreeSet<Action> = BTreeSet::new();
        for (position, lts) in systems.iter().enumerate() {
            for (action, to) in lts.from(tuple[position] as usize) {
                actions.insert(*action);
                if *action == TAU {
                    let mut next = tuple.clone();
                    next[position] = number(*to);
                    if !closed(&next, set) {
                        return Err(ConfirmationError::NotClosed);
                    }
                }
            }
        }
        for action in actions.into_iter().filter(|action| *action != TAU) {
            let ways: Vec<Vec<u32>> = systems
                .iter()
                .enumerate()
                .map(|(position, lts)| match lts.alphabet.contains(&action) {
                    true => lts.successors(tuple[position] as usize, action).map(number).collect(),
                    false => vec![tuple[position]],
                })
                .collect();
            let allowed = match specification.alphabet.contains(&action) {
                true => specification.reach(set, action),
                false => set.clone(),
            };
            // One after the other: there are no more than there are pairs before one is missing.
            let mut next = combinations(&ways);
            if next.any(|next| allowed.is_empty() || !closed(&next, &allowed)) {
                return Err(ConfirmationError::NotClosed);
            }
        }
    }
    Ok(())
}

/// All tuples with one of these in each place.
fn combinations(ways: &[Vec<u32>]) -> impl Iterator<Item = Tuple> + '_ {
    let is_possible = ways.iter().all(|own| !own.is_empty());
    let mut positions = is_possible.then(|| vec![0; ways.len()]);
    std::iter::from_fn(move || {
        let now = positions.as_mut()?;
        let tuple = now.iter().zip(ways).map(|(at, own)| own[*at]).collect();
        let mut place = 0;
        while place < ways.len() {
            now[place] += 1;
            if now[place] < ways[place].len() {
                break;
            }
            now[place] = 0;
            place += 1;
        }
        if place == ways.len() {
            positions = None;
        }
        Some(tuple)
    })
}

#[cfg(test)]
mod tests {
    use super::combinations;

    #[test]
    fn all_combinations_come_once() {
        let all = |ways: &[Vec<u32>]| combinations(ways).map(|tuple| tuple.to_vec()).collect::<Vec<_>>();
        assert_eq!(
            all(&[vec![1, 2], vec![3], vec![4, 5]]),
            [[1, 3, 4], [2, 3, 4], [1, 3, 5], [2, 3, 5]]
        );
        assert_eq!(all(&[vec![1], vec![]]), Vec::<Vec<u32>>::new());
        assert_eq!(all(&[vec![7]]), [[7]]);
    }
}
