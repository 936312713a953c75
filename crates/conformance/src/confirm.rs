//! Independent confirmation of the answers of the loop.
//!
//! *Conforms* is checked in four parts, which share only the claims with the loop:
//!
//! 1. every step of the unfolded program is part of the automaton ([`Gap`]);
//! 2. `MP` omits no feasible transition: one obligation for each edge, built from single steps of the unfolded program
//!    and discharged by an external solver;
//! 3. `MA` simulates `MP`, and the explored pairs are closed and never violate the specification;
//! 4. runs of the interpreter have only traces that the specification allows.
//!
//! *Violates* requires a run of the interpreter for each component with its projection of the trace.

use crate::assembly::{ClosedComponent, System};
use crate::component::Component;
use crate::component::abstraction::{AbstractionError, ControlState, Model, Via};
use crate::component::automaton::{CfaEdge, substitute};
use crate::compose::Tuple;
use crate::containment::trace_containment;
use crate::hazards;
use crate::lts::{Action, Lts, TAU, projection};
use crate::runs;
use crate::verify::{ConformanceProof, TraceViolation};
use logic::substitute::functions_of;
use logic::{Function, Term, term};
use smt::{Answer, Purpose, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::program::Undefined;
use unfold::Undefinedness;

/// The evidence for a confirmed proof.
#[derive(Clone, Debug)]
pub struct Confirmation {
    /// The number of obligations that the external solver discharged.
    pub obligations: usize,
    /// The number of runs of the interpreter that the specification allows.
    pub runs: usize,
    /// The abstraction of each component, whose traces include those of the component.
    pub systems: Vec<Lts>,
    /// The steps of each component whose undefined behaviour the proof does not exclude.
    pub provided: Vec<BTreeSet<(Span, Undefined)>>,
}

/// Why an answer of the loop is rejected.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConfirmationError {
    #[error("another solver does not confirm the abstraction of `{component}` ({reason})")]
    Unconfirmed { component: String, reason: String },
    #[error("a step of `{component}` is not part of its automaton")]
    Gap { component: String },
    #[error("the states that were searched are not closed under what the components do")]
    NotClosed,
    #[error("interrupted")]
    Interrupted,
    #[error("a run of the interpreter contradicts the proof")]
    Contradicted,
    #[error("the specification has the trace that was found")]
    Accepted,
    #[error("no run of `{component}` could be made that has its part of the trace")]
    NoRun { component: String },
    #[error(transparent)]
    Solver(#[from] SolverError),
}

impl ConfirmationError {
    /// Whether the reason is an error in Cubist itself, which is no verdict.
    pub fn is_mistake(&self) -> bool {
        matches!(
            self,
            ConfirmationError::Gap { .. }
                | ConfirmationError::NotClosed
                | ConfirmationError::Contradicted
                | ConfirmationError::Accepted
        )
    }
}

/// Confirms that components conform. `solvers` must not be those that found the proof.
pub fn conforms(
    system: &System,
    opened: &[ClosedComponent],
    proof: &ConformanceProof,
    solvers: &Solvers,
    undefined: Undefinedness,
    is_over: &dyn Fn() -> bool,
) -> Result<Confirmation, ConfirmationError> {
    let mut obligations = 0;
    for (component, model) in system.components.iter().zip(&proof.models) {
        covers(component)?;
        obligations += check_model(component, model, solvers)?;
    }
    let systems = check_containment(system, proof)?;
    let runs = check_runs(system, opened, undefined, is_over)?;
    let mut provided = Vec::new();
    for (component, model) in system.components.iter().zip(&proof.models) {
        provided.push(hazards::open(component, model, solvers)?);
    }
    Ok(Confirmation {
        obligations,
        runs,
        systems,
        provided,
    })
}

/// Checks that every step out of a node begins an edge, and that edges do not branch.
fn covers(component: &Component) -> Result<(), ConfirmationError> {
    let gap = || ConfirmationError::Gap {
        component: component.name.clone(),
    };
    let (flow, automaton) = (&component.flow, &component.automaton);
    let mut from: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (number, step) in flow.steps.iter().enumerate() {
        let leads_on = step.to.is_some_and(|to| matches!(flow.nodes[to], unfold::Node::At(..)));
        if leads_on {
            from.entry(step.from).or_default().insert(number);
        }
    }
    // The location of each node of the automaton in the program.
    let mut places: BTreeMap<usize, usize> = BTreeMap::from([(0, 0)]);
    for node in &automaton.nodes {
        let edges: Vec<&CfaEdge> = node.edges.iter().map(|number| &automaton.edges[*number]).collect();
        for edge in &edges {
            let (Some(first), Some(last)) = (edge.steps.first(), edge.steps.last()) else {
                return Err(gap());
            };
            let place = flow.steps[*first].from;
            let end = flow.steps[*last].to.ok_or_else(gap)?;
            if *places.entry(edge.from).or_insert(place) != place || *places.entry(edge.to).or_insert(end) != end {
                return Err(gap());
            }
        }
        let steps: Vec<&[usize]> = edges.iter().map(|edge| edge.steps.as_slice()).collect();
        if let Some(place) = edges.first().and_then(|edge| places.get(&edge.from))
            && !is_every_way(component, &from, *place, &steps)
        {
            return Err(gap());
        }
    }
    // A node without edges has no steps.
    for (number, node) in automaton.nodes.iter().enumerate() {
        let has_ways = places.get(&number).is_some_and(|place| from.contains_key(place));
        if node.edges.is_empty() && has_ways && number != automaton.last {
            return Err(gap());
        }
    }
    Ok(())
}

/// Whether sequences of steps cover all steps from a location on.
fn is_every_way(
    component: &Component,
    from: &BTreeMap<usize, BTreeSet<usize>>,
    place: usize,
    rows: &[&[usize]],
) -> bool {
    if rows.iter().any(|row| row.is_empty()) {
        return rows.len() == 1;
    }
    let mut ways: BTreeMap<usize, Vec<&[usize]>> = BTreeMap::new();
    for row in rows {
        ways.entry(row[0]).or_default().push(&row[1..]);
    }
    let known: BTreeSet<usize> = ways.keys().copied().collect();
    from.get(&place) == Some(&known)
        && ways.iter().all(|(step, rest)| {
            let to = component.flow.steps[*step].to;
            to.is_some_and(|to| is_every_way(component, from, to, rest))
        })
}

/// The composed steps of an edge, with renamed choices.
struct Executed {
    conditions: Vec<Term>,
    state: BTreeMap<Function, Term>,
}

fn execute(component: &Component, edge: usize) -> Executed {
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

/// `Γ(V)`, and the constants of the node.
pub(crate) fn concretization(component: &Component, model: &Model, node: usize, valuation: &[bool]) -> Term {
    let constants = component.constants[node].iter();
    let constants = constants.map(|(function, value)| term::equal(function.apply([]), *value));
    term::and(constants.chain([model.predicates.concretization(node, valuation)]))
}

/// The obligations of a model, each to be unsatisfiable: a state, the statement, and none of its successor states.
fn obligations(component: &Component, model: &Model) -> Vec<Term> {
    let automaton = &component.automaton;
    // Keyed by the edge: the states before it, each with the possible states after it.
    let mut rows: BTreeMap<Key, Vec<(Term, Vec<Term>)>> = BTreeMap::new();
    let executed: Vec<Executed> = (0..automaton.edges.len())
        .map(|edge| execute(component, edge))
        .collect();
    for (state, moves) in model.states.iter().zip(&model.moves) {
        let Some(node) = component.node(state.place) else {
            continue;
        };
        let here = concretization(component, model, node, &state.valuation);
        let mut taken: BTreeMap<Key, Vec<Term>> = BTreeMap::new();
        match state.place {
            ControlState::At(node) => {
                for edge in &automaton.nodes[node].edges {
                    match component.sites.get(edge) {
                        Some(site) => taken.extend((0..site.guards.len()).map(|one| (Key::Enter(*edge, one), vec![]))),
                        None => taken.extend([(Key::Edge(*edge), vec![])]),
                    }
                }
            }
            ControlState::Inside(edge, abstraction, inside) => {
                let site = &component.sites[&edge];
                let machine = &component.routines[site.routine].abstractions[abstraction].machine;
                for (action, _) in machine.lts.from(inside) {
                    if let Some(after) = site.after[abstraction].get(action) {
                        taken.insert(Key::Edge(*after), vec![]);
                    }
                }
            }
            ControlState::Stop => {}
        }
        for step in moves {
            let to = &model.states[step.to];
            match step.via {
                // Returns lead to the end, and nothing else does.
                Via::Edge(edge) | Via::Leave(edge) if automaton.edges[edge].to == automaton.last => {}
                Via::Edge(edge) | Via::Leave(edge) => {
                    let there = automaton.edges[edge].to;
                    let after = concretization(component, model, there, &to.valuation);
                    let after = substitute(&executed[edge].state, after);
                    taken.entry(Key::Edge(edge)).or_default().push(after);
                }
                Via::Enter(edge, one) => taken.entry(Key::Enter(edge, one)).or_default().push(term::bool(true)),
                Via::Return(edge, action) => {
                    let after = substitute(&executed[edge].state, ended(component, action));
                    taken.entry(Key::Edge(edge)).or_default().push(after);
                }
                Via::Astray(edge) => taken.entry(Key::Edge(edge)).or_default().push(term::bool(true)),
                Via::Inside(..) => {}
            }
        }
        for (key, after) in taken {
            rows.entry(key).or_default().push((here, after));
        }
    }
    let obligation = |(key, rows): (Key, Vec<(Term, Vec<Term>)>)| {
        let taken = match key {
            Key::Edge(edge) => {
                let returned = returned(component, edge);
                term::and(executed[edge].conditions.iter().copied().chain(returned))
            }
            Key::Enter(edge, one) => guard(component, edge, one),
        };
        let escape = rows
            .into_iter()
            .map(|(here, after)| term::and([here, term::not(term::or(after))]));
        term::and([taken, term::or(escape)])
    };
    rows.into_iter().map(obligation).collect()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Edge(usize),
    Enter(usize, usize),
}

/// The condition on the result of a return action.
fn ended(component: &Component, action: Action) -> Term {
    let returns = &component.ending.returns;
    match returns.iter().find(|(known, _)| *known == action) {
        Some((_, condition)) => *condition,
        None => term::not(term::or(returns.iter().map(|(_, condition)| *condition))),
    }
}

/// The guard of an abstraction at a call, over the arguments, conjoined with the condition of the call.
fn guard(component: &Component, edge: usize, abstraction: usize) -> Term {
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

/// The condition on the returned value that the edge of a return implies.
pub(crate) fn returned(component: &Component, edge: usize) -> Option<Term> {
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

fn check_model(component: &Component, model: &Model, solvers: &Solvers) -> Result<usize, ConfirmationError> {
    // INIT is the initial state, without predicates.
    let is_init = model
        .states
        .first()
        .is_some_and(|first| first.place == ControlState::At(0) && first.valuation.is_empty());
    if !is_init || !model.predicates.at[0].is_empty() || !component.constants[0].is_empty() {
        return Err(ConfirmationError::NotClosed);
    }
    let obligations = obligations(component, model);
    let mut solver = solvers.solver()?;
    let mut count = 0;
    for obligation in obligations {
        count += 1;
        solver.push()?;
        solver.assert(obligation)?;
        let mentioned: BTreeSet<Function> = functions_of(obligation);
        for range in mentioned
            .iter()
            .filter_map(|function| component.flow.cells.get(function))
        {
            solver.assert(*range)?;
        }
        let answer = solver.check(Purpose::Validation)?;
        solver.pop()?;
        let reason = match answer {
            Answer::Unsat => continue,
            Answer::Sat => "it finds a transition that is missing".to_owned(),
            Answer::Unknown(reason) => reason.to_string(),
        };
        return Err(ConfirmationError::Unconfirmed {
            component: component.name.clone(),
            reason,
        });
    }
    Ok(count)
}

/// Checks `L(MP_i) ⊆ L(MA_i)`, and that the explored pairs are closed.
fn check_containment(system: &System, proof: &ConformanceProof) -> Result<Vec<Lts>, ConfirmationError> {
    let mut systems: Vec<Lts> = Vec::new();
    for (position, model) in proof.models.iter().enumerate() {
        let visible = visible(model, &system.hidden);
        match &proof.partitions[position] {
            None => systems.push(visible),
            Some(partition) => {
                let (observable, origins) = visible.observable();
                let abstraction = partition.abstraction(&observable);
                check_simulation(&visible, &abstraction, &origins, &partition.class_of)?;
                systems.push(abstraction);
            }
        }
    }
    check_closed(system, &systems, &proof.contained.pairs)?;
    Ok(systems)
}

fn visible(model: &Model, hidden: &BTreeSet<Action>) -> Lts {
    let mut lts = Lts::new(model.states.len(), 0, model.lts.alphabet.difference(hidden).copied());
    for (from, moves) in model.moves.iter().enumerate() {
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

/// Checks that the abstraction simulates a system, by the map of its states to classes.
fn check_simulation(
    concrete: &Lts,
    abstraction: &Lts,
    origins: &[usize],
    class_of: &[u32],
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
    }
    Ok(())
}

/// Definition 5, literally: every transition from a pair leads to another pair.
fn check_closed(system: &System, systems: &[Lts], pairs: &[(Tuple, BTreeSet<usize>)]) -> Result<(), ConfirmationError> {
    let specification = &system.specification;
    let known: BTreeSet<(&Tuple, &BTreeSet<usize>)> = pairs.iter().map(|(tuple, set)| (tuple, set)).collect();
    let closed = |tuple: &Tuple, set: &BTreeSet<usize>| known.contains(&(tuple, set));
    let number = |state: usize| u32::try_from(state).unwrap_or(u32::MAX);
    let initial: Tuple = systems.iter().map(|lts| number(lts.initial)).collect();
    if !closed(&initial, &specification.closure([specification.initial])) {
        return Err(ConfirmationError::NotClosed);
    }
    for (tuple, set) in pairs {
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
            let mut after: Vec<Vec<u32>> = vec![Vec::new()];
            for (position, lts) in systems.iter().enumerate() {
                let own: Vec<u32> = match lts.alphabet.contains(&action) {
                    true => lts.successors(tuple[position] as usize, action).map(number).collect(),
                    false => vec![tuple[position]],
                };
                let longer = |start: &Vec<u32>| {
                    own.iter()
                        .map(|to| [start.as_slice(), &[*to]].concat())
                        .collect::<Vec<_>>()
                };
                after = after.iter().flat_map(longer).collect();
            }
            let allowed = match specification.alphabet.contains(&action) {
                true => specification.reach(set, action),
                false => set.clone(),
            };
            for next in after {
                if allowed.is_empty() || !closed(&next.into(), &allowed) {
                    return Err(ConfirmationError::NotClosed);
                }
            }
        }
    }
    Ok(())
}

/// The number of runs of each component.
const RUNS: u64 = 60;
/// The maximum number of states explored of one product of runs, and of all together: components that do not terminate
/// have large ones.
const MOST_STATES: usize = 20_000;
const MOST_OF_ALL: usize = 200_000;

fn check_runs(
    system: &System,
    opened: &[ClosedComponent],
    undefined: Undefinedness,
    is_over: &dyn Fn() -> bool,
) -> Result<usize, ConfirmationError> {
    let (mut met, mut states) = (0, 0);
    for seed in 0..RUNS {
        if is_over() {
            return Err(ConfirmationError::Interrupted);
        }
        if states >= MOST_OF_ALL {
            break;
        }
        let made = system
            .components
            .iter()
            .zip(opened)
            .enumerate()
            .map(|(position, (component, opened))| {
                let run = runs::random(component, opened, seed * 31 + position as u64, undefined);
                runs::traces(component, &run)
            });
        let Some(systems) = made.collect::<Option<Vec<Lts>>>() else {
            continue;
        };
        let systems: Vec<Lts> = systems.iter().map(|lts| lts.hiding(&system.hidden)).collect();
        let systems: Vec<&Lts> = systems.iter().collect();
        match trace_containment(&systems, &system.specification, MOST_STATES, is_over) {
            Ok(found) if found.counterexample.is_some() => return Err(ConfirmationError::Contradicted),
            Ok(found) => {
                met += 1;
                states += found.states;
            }
            Err(_) => states += MOST_STATES,
        }
    }
    Ok(met)
}

/// Searches runs of all components that together have the trace of a violation; returns their inputs.
pub fn violates(
    system: &System,
    opened: &[ClosedComponent],
    violation: &TraceViolation,
    undefined: Undefinedness,
) -> Result<Vec<Vec<i128>>, ConfirmationError> {
    let mut all = Vec::new();
    let own = projection(&violation.trace, &system.specification.alphabet);
    if system.specification.accepts(&own) {
        return Err(ConfirmationError::Accepted);
    }
    for ((component, part), opened) in system.components.iter().zip(&violation.parts).zip(opened) {
        let no_run = || ConfirmationError::NoRun {
            component: component.name.clone(),
        };
        let values: Vec<unfold::back::Values> = part
            .values
            .iter()
            .map(|values| -> unfold::back::Values { Box::new(|function| values.get(&function).copied()) })
            .collect();
        let inputs = component.flow.inputs(&part.steps, &values).ok_or_else(no_run)?;
        let run = runs::run(component, opened, inputs.clone(), undefined);
        let traces = runs::traces(component, &run).ok_or_else(no_run)?;
        let alphabet: BTreeSet<Action> = component.alphabet.difference(&system.hidden).copied().collect();
        let trace = projection(&violation.trace, &alphabet);
        if !traces.hiding(&system.hidden).accepts(&trace) {
            return Err(no_run());
        }
        all.push(inputs);
    }
    Ok(all)
}

impl From<ConfirmationError> for AbstractionError {
    fn from(doubt: ConfirmationError) -> AbstractionError {
        AbstractionError::Doubted(doubt.to_string())
    }
}
