//! Concrete runs of a component, and their traces.
//!
//! A run is independent of predicates, automata and solvers: its calls, arguments and results come from the
//! interpreter. The actions of routines come from their abstractions.

use crate::assembly::ClosedComponent;
use crate::component::{Component, Routine};
use crate::lts::{Lts, TAU};
use deduction::constants::substitute;
use interpret::trace::TraceValue;
use interpret::{
    End, Executable, FixedInputs, Inputs, RandomInputs, RunLimits, RunOutcome, UndefinedMode, Uninitialized,
};
use logic::substitute::numbers_of;
use logic::{Function, Term, simplify, term};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use unfold::Undefinedness;

/// A call of a routine in a run.
#[derive(Clone, Debug)]
pub struct RoutineCall {
    pub routine: usize,
    arguments: Vec<TraceValue>,
    /// None if it is unused, or if the run ended in the call.
    result: Option<TraceValue>,
    pub is_finished: bool,
    pub span: Span,
}

/// The observable behaviour of a component in a run.
#[derive(Clone, Debug)]
pub struct ComponentRun {
    /// Of the component itself.
    arguments: Vec<TraceValue>,
    pub calls: Vec<RoutineCall>,
    /// The returned value, if it returned.
    pub returned: Option<Option<TraceValue>>,
    pub end: End,
}

/// The maximum number of steps of a run, all of which are traced.
const LONGEST: usize = 100_000;
/// The same for random runs, of which there are many.
const LONGEST_RANDOM: usize = 5_000;

fn limits(undefined: Undefinedness, longest: usize) -> RunLimits {
    RunLimits {
        undefined: match undefined {
            Undefinedness::Wraps => UndefinedMode::Wrap,
            Undefinedness::Absent => UndefinedMode::Report,
            Undefinedness::Unbounded => UndefinedMode::Unbounded,
        },
        uninitialised: Uninitialized::Input,
        steps: longest as u64,
        trace: longest,
        ..RunLimits::default()
    }
}

/// The run with these inputs.
pub fn run(
    component: &Component,
    opened: &ClosedComponent,
    inputs: Vec<i128>,
    undefined: Undefinedness,
) -> ComponentRun {
    run_with(
        component,
        opened,
        &mut FixedInputs::new(inputs),
        &limits(undefined, LONGEST),
    )
}

/// A random run.
pub fn random(component: &Component, opened: &ClosedComponent, seed: u64, undefined: Undefinedness) -> ComponentRun {
    let conditions = component.automaton.edges.iter().map(|edge| edge.condition);
    let conditions: Vec<Term> = conditions.collect();
    let suggested = numbers_of(&conditions)
        .into_iter()
        .flat_map(|number| [number, number + 1]);
    let mut inputs = RandomInputs::new(seed, suggested.collect()).with_objects(seed.is_multiple_of(2));
    run_with(component, opened, &mut inputs, &limits(undefined, LONGEST_RANDOM))
}

fn run_with(
    component: &Component,
    opened: &ClosedComponent,
    inputs: &mut dyn Inputs,
    limits: &RunLimits,
) -> ComponentRun {
    let outcome = Executable::new(&opened.program).run(inputs, limits);
    observed(component, opened, &outcome)
}

fn observed(component: &Component, opened: &ClosedComponent, outcome: &RunOutcome) -> ComponentRun {
    let mut run = ComponentRun {
        arguments: Vec::new(),
        calls: Vec::new(),
        returned: None,
        end: outcome.end,
    };
    let last = outcome.trace.events.len().saturating_sub(1);
    for (number, event) in outcome.trace.events.iter().enumerate() {
        if let Some((callee, arguments)) = &event.call
            && let Some(routine) = component
                .routines
                .iter()
                .position(|routine| routine.procedure == *callee)
        {
            run.calls.push(RoutineCall {
                routine,
                arguments: arguments.clone(),
                result: event.change.as_ref().map(|change| change.value),
                is_finished: number < last,
                span: event.span,
            });
        }
        if let (Some((callee, arguments)), 0) = (&event.call, event.depth)
            && *callee == opened.entry
        {
            run.arguments.clone_from(arguments);
        }
        if event.is_return && event.procedure == opened.entry && event.depth == 1 {
            run.returned = Some(event.change.as_ref().map(|change| change.value));
        }
    }
    run
}

/// The integer of a value; pointers to objects are only known to be different from null.
fn number(known: TraceValue) -> Option<Term> {
    match known {
        TraceValue::Integer(value) => Some(term::int(value)),
        TraceValue::Null => Some(term::int(0)),
        TraceValue::Object { .. } | TraceValue::Procedure(_) => Some(term::int(1)),
        _ => None,
    }
}

/// Evaluates a condition; none where it depends on unknown values.
fn holds(condition: Term, values: &BTreeMap<Function, Term>) -> Option<bool> {
    let value = simplify(substitute(values, condition));
    match (value.is_true(), value.is_false()) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// The known values of parameters.
fn given(parameters: &[Option<Function>], arguments: &[TraceValue]) -> BTreeMap<Function, Term> {
    let pairs = parameters.iter().zip(arguments);
    pairs
        .filter_map(|(parameter, value)| Some(((*parameter)?, number(*value)?)))
        .collect()
}

/// The traces of a run, where routines behave like their abstractions. None if the guard of the component does not
/// hold, or a guard cannot be evaluated.
pub fn traces(component: &Component, run: &ComponentRun) -> Option<Lts> {
    if !holds(component.guard, &given(&component.parameters, &run.arguments))? {
        return None;
    }
    let mut lts = Lts::new(1, 0, component.alphabet.iter().copied());
    let mut here = 0;
    for call in &run.calls {
        let routine = &component.routines[call.routine];
        let arguments = given(&routine.parameters, &call.arguments);
        let mut chosen = None;
        for (position, assumption) in routine.abstractions.iter().enumerate() {
            if holds(assumption.guard, &arguments)? {
                chosen = Some(position);
            }
        }
        here = inside(&mut lts, here, routine, chosen?, call)?;
    }
    if let Some(returned) = run.returned {
        let value = component.result.zip(returned.and_then(number));
        let values: BTreeMap<Function, Term> = value.into_iter().collect();
        let stop = lts.add_state();
        let mut actions = BTreeSet::new();
        for (action, condition) in &component.ending.returns {
            if holds(*condition, &values)? {
                actions.insert(*action);
            }
        }
        if actions.is_empty() {
            actions.insert(component.ending.otherwise);
        }
        actions.into_iter().for_each(|action| lts.add(here, action, stop));
    }
    Some(lts)
}

/// Inlines an abstraction at a call. Returns the state after a return with the result of the run.
fn inside(lts: &mut Lts, here: usize, routine: &Routine, chosen: usize, call: &RoutineCall) -> Option<usize> {
    let assumption = &routine.abstractions[chosen];
    let own = &assumption.machine.lts;
    let first = lts.states();
    (0..own.states()).for_each(|_| {
        lts.add_state();
    });
    let after = lts.add_state();
    lts.add(here, TAU, first + own.initial);
    let value = routine.result.zip(call.result.and_then(number));
    let values: BTreeMap<Function, Term> = value.into_iter().collect();
    for state in 0..own.states() {
        for (action, to) in own.from(state) {
            match assumption.returns.get(action) {
                None => lts.add(first + state, *action, first + to),
                Some(condition) => {
                    let is_so = call.result.is_none() || holds(*condition, &values)?;
                    if call.is_finished && is_so {
                        lts.add(first + state, TAU, after);
                    }
                }
            }
        }
    }
    Some(after)
}
