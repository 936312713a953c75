//! Runs the interpreter and the flat interpreter on the same inputs and compares edges and integers step by step.

use super::memory::BlockOrigin;
use super::{Flat, FlatOptions, FlatValue, Stop, TakenStep};
use crate::inputs::{FixedInputs, Inputs};
use crate::outcome::{End, RunLimits, UndefinedMode};
use crate::run::Executable;
use crate::trace::{ChangedPlace, TraceEvent, TraceValue};
use system::program::{Program, Scalar, VariableId};

/// The agreement of the two interpreters, up to the step where one of them stops.
#[derive(Clone, Copy, Default, Debug)]
pub struct Agreement {
    pub steps: u64,
    /// The number of equal integers that both wrote.
    pub values: u64,
    /// Why the flat interpreter stopped.
    pub stop: Option<Stop>,
}

/// Runs a program in both interpreters for a number of steps. Describes the first difference.
pub fn agreement(program: &Program, inputs: &mut dyn Inputs, steps: u64) -> Result<Agreement, String> {
    let limits = RunLimits {
        undefined: UndefinedMode::Wrap,
        steps,
        // One more for the end.
        trace: usize::try_from(steps).unwrap_or(usize::MAX).saturating_add(2),
        ..RunLimits::default()
    };
    let outcome = Executable::new(program).run(inputs, &limits);
    let mut given = FixedInputs::new(outcome.inputs);
    let mut agreed = Agreement::default();
    let mut flat = match Flat::new(program, &mut given, FlatOptions::default()) {
        Ok(flat) => flat,
        Err(stop) => {
            agreed.stop = Some(stop);
            return Ok(agreed);
        }
    };
    let mut events = outcome.trace.events.iter().enumerate().peekable();
    let mut last: Option<&TraceEvent> = None;
    while let Some((number, event)) = events.next() {
        // A deep value is computed in parts, which are events at the same place.
        let is_part = |known: &&TraceEvent| {
            (known.procedure, known.location, known.edge, known.depth)
                == (event.procedure, event.location, event.edge, event.depth)
        };
        let here = flat.frames.last().map(|frame| (frame.procedure, frame.location));
        if here != Some((event.procedure, event.location)) {
            if last.as_ref().is_some_and(is_part) {
                continue;
            }
            return Err(format!(
                "step {number}: the interpreter is at {:?}, not at {here:?}",
                place(event)
            ));
        }
        last = Some(event);
        let depth = flat.frames.len();
        let taken = match flat.step() {
            Ok(taken) => taken,
            Err(stop) => {
                agreed.stop = Some(stop);
                let is_last = events.peek().is_none_or(|(_, next)| place(next) == place(event));
                return match (stop, outcome.end) {
                    (Stop::Violated(one), End::Violated(other)) if one == other && is_last => Ok(agreed),
                    (Stop::Violated(_), _) => Err(format!(
                        "step {number}: {stop:?}, and the interpreter {:?}",
                        outcome.end
                    )),
                    (Stop::Exited, _) if !is_last => Err(format!("step {number}: the interpreter goes on")),
                    _ => Ok(agreed),
                };
            }
        };
        if flat.saw_addresses {
            return Ok(agreed);
        }
        agreed.steps += 1;
        let edge = taken.edge.and_then(|edge| u32::try_from(edge).ok());
        if !event.is_return && event.edge != edge {
            // The interpreter may have ended there.
            if events.peek().is_none() {
                return Ok(agreed);
            }
            return Err(format!(
                "step {number}: edge {:?} at {:?}, not {edge:?}",
                event.edge,
                place(event)
            ));
        }
        agreed.values += u64::from(
            same_value(program, &flat, event, &taken, depth)
                .map_err(|what| format!("step {number} at {:?}: {what}", place(event)))?,
        );
    }
    Ok(agreed)
}

fn place(event: &TraceEvent) -> (u32, u32, Option<u32>) {
    (event.procedure.0, event.location.0, event.edge)
}

/// Compares the integer that a step wrote; returns whether there was one.
fn same_value(
    program: &Program,
    flat: &Flat,
    event: &TraceEvent,
    taken: &TakenStep,
    depth: usize,
) -> Result<bool, String> {
    let (Some(change), true) = (&event.change, flat.frames.len() == depth || taken.edge.is_none()) else {
        return Ok(false);
    };
    let (ChangedPlace::Variable(variable), TraceValue::Integer(expected)) = (change.place, change.value) else {
        return Ok(false);
    };
    let Some(Scalar::Integer(integer)) = program.types.scalar(program[variable].type_id) else {
        return Ok(false);
    };
    match held(program, flat, variable) {
        Some(number) if integer.wrap(i128::from(number)) == expected => Ok(true),
        Some(number) => {
            let found = FlatValue::Integer(integer.wrap(i128::from(number)));
            Err(format!("{} is {found:?}, not {expected}", program[variable].name))
        }
        None => Ok(false),
    }
}

/// The content of a variable of the current call.
fn held(program: &Program, flat: &Flat, variable: VariableId) -> Option<u64> {
    let origin = match program[variable].procedure {
        None => BlockOrigin::Global(variable),
        Some(_) => BlockOrigin::Local(flat.frames.last()?.serial, variable),
    };
    let size = program.types.size(program[variable].type_id)?;
    flat.memory
        .look(flat.memory.base_of(origin)?, size)
        .map(|(number, _)| number)
}
