//! What must be shown of the statements of a component, made from the steps of the unfolded program one by one.
//!
//! For each statement, and for each abstraction that a call may begin: where the component is in a state, takes the
//! statement, and is in none of the states that the claim says, there is a contradiction. For each step that is said
//! never to be undefined: where it is taken, it is defined.

use super::claim::ComponentClaim;
use crate::component::Component;
use crate::component::abstraction::{ControlState, Via};
use crate::lts::Action;
use deduction::constants::substitute;
use logic::{Function, Term, term};
use std::collections::{BTreeMap, BTreeSet};

pub use hazards::open;

/// What a query is about: a component by its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    Statement {
        component: usize,
    },
    /// The step with this number is defined.
    Defined {
        component: usize,
        hazard: usize,
    },
}

/// What is taken: an edge of the automaton, or the beginning of an abstraction at the edge of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    Edge(usize),
    Enter(usize, usize),
}

/// Where a statement may lead, as the claim says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    /// It is enough that it is taken.
    Taken,
    /// The values of the predicates are those of this state.
    State(usize),
    /// The component returns with this action.
    Ended(Action),
}

/// All that is claimed of what is taken: for each state, where it may lead.
pub(super) struct Statement {
    pub(super) key: Key,
    pub(super) rows: Vec<(usize, Vec<After>)>,
}

/// What can be taken at a place.
pub(super) fn ways(component: &Component, place: ControlState) -> BTreeSet<Key> {
    let mut ways = BTreeSet::new();
    match place {
        ControlState::At(node) => {
            for edge in &component.automaton.nodes[node].edges {
                match component.sites.get(edge) {
                    Some(site) => ways.extend((0..site.guards.len()).map(|one| Key::Enter(*edge, one))),
                    None => drop(ways.insert(Key::Edge(*edge))),
                }
            }
        }
        ControlState::Inside(edge, abstraction, inside) => {
            let site = &component.sites[&edge];
            let machine = &component.routines[site.routine].abstractions[abstraction].machine;
            let after = machine.lts.from(inside).iter();
            let after = after.filter_map(|(action, _)| site.after[abstraction].get(action));
            ways.extend(after.map(|edge| Key::Edge(*edge)));
        }
        ControlState::Stop => {}
    }
    ways
}

/// The statements of a component whose claim fits it.
pub(super) fn statements(component: &Component, claim: &ComponentClaim) -> Vec<Statement> {
    let mut all: BTreeMap<Key, Vec<(usize, Vec<After>)>> = BTreeMap::new();
    for (number, (state, moves)) in claim.states.iter().zip(&claim.moves).enumerate() {
        let ways = ways(component, state.place);
        let mut taken: BTreeMap<Key, Vec<After>> = ways.into_iter().map(|key| (key, Vec::new())).collect();
        for step in moves {
            let (key, after) = match step.via {
                Via::Edge(edge) | Via::Leave(edge) => (Key::Edge(edge), After::State(step.to)),
                Via::Enter(edge, one) => (Key::Enter(edge, one), After::Taken),
                Via::Return(edge, action) => (Key::Edge(edge), After::Ended(action)),
                Via::Astray(edge) => (Key::Edge(edge), After::Taken),
                Via::Inside(..) => continue,
            };
            taken.entry(key).or_default().push(after);
        }
        for (key, after) in taken {
            all.entry(key).or_default().push((number, after));
        }
    }
    all.into_iter().map(|(key, rows)| Statement { key, rows }).collect()
}

/// The steps of an edge, one after the other, with names of their own for what they choose.
pub(super) struct Executed {
    pub(super) conditions: Vec<Term>,
    pub(super) state: BTreeMap<Function, Term>,
}

pub(super) fn execute(component: &Component, edge: usize) -> Executed {
    let taken = &component.automaton.edges[edge];
    let mut executed = Executed {
        conditions: Vec::new(),
        state: BTreeMap::new(),
    };
    if taken.from == 0 {
        executed.state = component.flow.initial.iter().copied().collect();
    }
    for number in &taken.steps {
        let step = &component.flow.steps[*number];
        executed.conditions.push(substitute(&executed.state, step.condition));
        executed.conditions.extend(step.choices.iter().map(|(_, range)| *range));
        let updates: Vec<(Function, Term)> = step
            .updates
            .iter()
            .map(|(function, value)| (*function, substitute(&executed.state, *value)))
            .collect();
        executed.state.extend(updates);
    }
    if component.begins(edge) {
        executed.conditions.push(substitute(&executed.state, component.guard));
    }
    executed
}

/// What cells hold at a node whichever way led there.
pub(super) fn constants(component: &Component, node: usize) -> Term {
    let constants = component.constants[node].iter();
    term::and(constants.map(|(function, value)| term::equal(function.apply([]), *value)))
}

/// What holds of the result where a component returns with an action.
pub(super) fn ended(component: &Component, action: Action) -> Term {
    let returns = &component.ending.returns;
    match returns.iter().find(|(known, _)| *known == action) {
        Some((_, condition)) => *condition,
        None => term::not(term::or(returns.iter().map(|(_, condition)| *condition))),
    }
}

/// The guard of an abstraction at a call, made from the arguments, where the call is made at all.
pub(super) fn guard(component: &Component, edge: usize, abstraction: usize) -> Term {
    let routine = &component.routines[component.sites[&edge].routine];
    let steps = component.automaton.edges[edge].steps.first();
    let call = steps.and_then(|step| component.flow.steps[*step].call.as_ref());
    let arguments = call.map_or(&[][..], |call| &call.arguments);
    let pairs = routine.parameters.iter().zip(arguments);
    let arguments = pairs.filter_map(|(parameter, argument)| Some(((*parameter)?, (*argument)?)));
    let guard = substitute(&arguments.collect(), routine.abstractions[abstraction].guard);
    let condition = steps.map(|step| component.flow.steps[*step].condition);
    term::and(condition.into_iter().chain([guard]))
}

/// What a return of a routine says of the value that the edge takes.
pub(super) fn returned(component: &Component, edge: usize) -> Option<Term> {
    let first = *component.automaton.edges[edge].steps.first()?;
    let wanted = component.flow.steps[first].call.as_ref()?.result?;
    for site in component.sites.values() {
        let routine = &component.routines[site.routine];
        for (assumption, after) in routine.abstractions.iter().zip(&site.after) {
            if let Some((action, _)) = after.iter().find(|(_, number)| **number == edge) {
                let condition = *assumption.returns.get(action)?;
                return Some(substitute(
                    &BTreeMap::from([(routine.result?, wanted.apply([]))]),
                    condition,
                ));
            }
        }
    }
    None
}

/// Which steps of a component may be undefined, as far as the claim knows.
///
/// The automaton ends runs at some steps without defined behaviour, and goes on in its own way at others. A step is
/// excluded where no state of the claim at its node, with all steps before it on the edge, leads to one in which it is
/// undefined.
pub(super) mod hazards {
    use super::{ComponentClaim, constants, returned};
    use crate::component::Component;
    use crate::confirm::ConfirmationError;
    use deduction::constants::substitute;
    use deduction::formulas::literal;
    use logic::substitute::functions_of;
    use logic::{Function, Term, term};
    use smt::{Answer, Purpose, Solver, SolverError, Solvers};
    use std::collections::{BTreeMap, BTreeSet};
    use system::Span;
    use system::program::Undefined;

    type Step = (Span, Undefined);

    /// One way to take a step that may be undefined.
    pub(in super::super) struct Hazard {
        /// The edge that the step is on, and its node. What is on no edge ends the program: nothing is known before it.
        pub(in super::super) at: Option<(usize, usize)>,
        /// It is taken, and undefined.
        pub(in super::super) formula: Term,
    }

    /// All steps that may be undefined, with the ways to take them. They are numbered in this order.
    pub(in super::super) fn all(component: &Component) -> BTreeMap<Step, Vec<Hazard>> {
        let mut found: BTreeMap<Step, Vec<Hazard>> = BTreeMap::new();
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        for (number, edge) in component.automaton.edges.iter().enumerate() {
            taken.extend(&edge.steps);
            along(component, Some((number, edge.from)), &edge.steps, &mut found);
        }
        for (number, step) in component.flow.steps.iter().enumerate() {
            if !taken.contains(&number) && step.to.is_none() {
                along(component, None, &[number], &mut found);
            }
        }
        found
    }

    /// The hazards of steps that follow each other.
    fn along(
        component: &Component,
        at: Option<(usize, usize)>,
        steps: &[usize],
        found: &mut BTreeMap<Step, Vec<Hazard>>,
    ) {
        let mut state: BTreeMap<Function, Term> = BTreeMap::new();
        if at.is_some_and(|(_, node)| node == 0) {
            state = component.flow.initial.iter().copied().collect();
        }
        let mut before: Vec<Term> = at.and_then(|(edge, _)| returned(component, edge)).into_iter().collect();
        let mut ranges: Vec<Term> = Vec::new();
        for number in steps {
            let step = &component.flow.steps[*number];
            ranges.extend(step.choices.iter().map(|(_, range)| *range));
            for (kind, condition) in &step.hazards {
                let hazard = term::and(before.iter().copied().chain([substitute(&state, *condition)]));
                if !hazard.is_false() {
                    let formula = term::and(ranges.iter().copied().chain([hazard]));
                    found
                        .entry((step.span, *kind))
                        .or_default()
                        .push(Hazard { at, formula });
                }
            }
            before.push(substitute(&state, step.condition));
            let updates = step.updates.iter();
            let updates: Vec<(Function, Term)> = updates
                .map(|(function, value)| (*function, substitute(&state, *value)))
                .collect();
            state.extend(updates);
        }
    }

    /// The states of each node.
    pub(in super::super) fn states(component: &Component, claim: &ComponentClaim) -> BTreeMap<usize, Vec<usize>> {
        let mut at: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, state) in claim.states.iter().enumerate() {
            if let Some(node) = component.node(state.place) {
                at.entry(node).or_default().push(number);
            }
        }
        at
    }

    /// The numbers of steps of which a solver says that they are never undefined.
    pub(in super::super) fn excluded(
        component: &Component,
        claim: &ComponentClaim,
        solvers: &Solvers,
    ) -> Result<BTreeSet<usize>, ConfirmationError> {
        let states = states(component, claim);
        let mut heres: BTreeMap<usize, Term> = BTreeMap::new();
        for (node, numbers) in &states {
            let constants = constants(component, *node);
            let here = numbers.iter().map(|number| {
                let values = claim.predicates[*node].iter().zip(&claim.states[*number].valuation);
                term::and([
                    constants,
                    term::and(values.map(|(predicate, value)| literal(*predicate, *value))),
                ])
            });
            heres.insert(*node, term::or(here));
        }
        let mut solver = solvers.solver()?;
        let mut excluded = BTreeSet::new();
        for (number, ways) in all(component).values().enumerate() {
            let reached = ways.iter().filter_map(|hazard| match hazard.at {
                None => Some(hazard.formula),
                Some((_, node)) => Some(term::and([*heres.get(&node)?, hazard.formula])),
            });
            let (mut is_met, mut is_excluded) = (false, true);
            for formula in reached {
                is_met = true;
                is_excluded = is_excluded && (formula.is_false() || is_impossible(component, &mut *solver, formula)?);
            }
            if is_met && is_excluded {
                excluded.insert(number);
            }
        }
        Ok(excluded)
    }

    fn is_impossible(component: &Component, solver: &mut dyn Solver, formula: Term) -> Result<bool, SolverError> {
        solver.push()?;
        solver.assert(formula)?;
        for function in functions_of(formula) {
            if let Some(range) = component.flow.cells.get(&function) {
                solver.assert(*range)?;
            }
        }
        let answer = solver.check(Purpose::Validation)?;
        solver.pop()?;
        Ok(answer == Answer::Unsat)
    }

    /// Steps that the claim does not exclude.
    pub fn open(component: &Component, claim: &ComponentClaim) -> BTreeSet<Step> {
        let states = states(component, claim);
        let is_met = |hazard: &Hazard| hazard.at.is_none_or(|(_, node)| states.contains_key(&node));
        let steps = all(component).into_iter().enumerate();
        let open = steps.filter(|(number, (_, ways))| !claim.excluded.contains(number) && ways.iter().any(is_met));
        open.map(|(_, (step, _))| step).collect()
    }
}
