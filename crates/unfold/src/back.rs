//! Concretization: from a run of the system to inputs of the program.
//!
//! The steps between two cut points are executed again along one path, with the values that the run assigns to the
//! choices; the values that the program reads on the way are its inputs. The result is a candidate: an interpreter must
//! replay it.

use crate::Options;
use crate::contexts::Node;
use crate::contracts::Contract;
use crate::following;
use crate::machine::{ChoiceKind, Machine, Replay, State, Step, Walk, WalkRecord};
use crate::numbers::constant;
use crate::objects::ObjectOrigin;
use crate::system_of::{Unfolded, machine};
use logic::{Function, term};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::program::PropertyId;

/// The values that a step of a run assigns to the choices.
pub type Values = BTreeMap<Function, i128>;

/// The maximum number of steps between two cut points.
const MAX_STEPS: usize = 1_000_000;

/// The concretization of a run.
#[derive(Clone, Default, Debug)]
pub struct Concretization {
    /// The inputs, in the order in which the program reads them. None where the run is spurious.
    pub inputs: Option<Vec<i128>>,
    /// The inputs up to the point where the walk stopped.
    pub asked: Vec<i128>,
    /// The branches up to that point: a step, and the index of the edge that it takes.
    pub branches: Vec<(Step, usize)>,
    /// The inputs and the values beyond the encoding, by the step that reads them. An example of the latter is the
    /// content of memory outside of the program.
    pub values: Vec<(Step, i128)>,
    /// The first step that depends on a value beyond the encoding.
    pub approximated: Option<Span>,
}

/// Follows a run of the system in the program.
pub fn concretize(unfolded: &Unfolded, run: &[Values]) -> Concretization {
    let mut state: State = unfolded.initial.iter().copied().collect();
    let mut node = unfolded.nodes.first().copied();
    let (mut inputs, mut uninitialized, mut record) = (Vec::new(), BTreeSet::new(), WalkRecord::default());
    for step in run {
        let walk = Walk {
            inputs: std::mem::take(&mut inputs),
            uninitialized: std::mem::take(&mut uninitialized),
            record: std::mem::take(&mut record),
            ..Walk::new(step)
        };
        let mut machine = walker(unfolded, std::mem::take(&mut state), walk);
        let cut = unfolded.order.cuts.iter().position(|cut| Some(*cut) == node);
        node = cut.and_then(|cut| machine.follow(unfolded, cut));
        if let Some(walk) = machine.walk.take() {
            (inputs, uninitialized, record) = (walk.inputs, walk.uninitialized, walk.record);
        }
        state = machine.state;
        if !matches!(node, Some(Node::At(..))) {
            break;
        }
    }
    Concretization {
        asked: inputs.clone(),
        inputs: matches!(node, Some(Node::Violated(_))).then_some(inputs),
        branches: record.branches,
        approximated: record.approximated,
        values: record.values.into_iter().map(|(at, value, _)| (at, value)).collect(),
    }
}

/// The result of replaying a program run in its system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplayOutcome {
    Ended,
    Violated(PropertyId),
    /// No step is possible from here, or none that a contract allows.
    Stuck(Node),
    /// The first steps agree with the program. The rest is unknown: it depends on values beyond the encoding, or is too
    /// long or too deep.
    Prefix(usize),
}

/// Replays the run with these inputs step by step in the system of the program with these contracts.
pub fn replay(unfolded: &Unfolded, contracts: &[Contract], inputs: &[i128], longest: usize) -> ReplayOutcome {
    let nothing = Values::new();
    let walk = Walk {
        replay: Some(Replay {
            inputs: inputs.to_vec(),
            ..Replay::default()
        }),
        ..Walk::new(&nothing)
    };
    let mut machine = walker(unfolded, unfolded.initial.iter().copied().collect(), walk);
    match unfolded.nodes.first() {
        Some(first) => following::follow(&mut machine, *first, contracts, longest),
        None => ReplayOutcome::Prefix(0),
    }
}

/// As [`walker`], for a machine instead of an unfolded program.
pub(crate) fn walker_from<'p, 'g>(
    known: &Machine<'p, '_>,
    options: &Options,
    state: State,
    walk: Walk<'g>,
) -> Machine<'p, 'g> {
    Machine {
        contexts: known.contexts.clone(),
        objects: known.objects.clone(),
        allocated: known.allocated.clone(),
        state,
        walk: Some(walk),
        records_calls: known.records_calls,
        ..machine(known.program, known.contexts.points_to, options)
    }
}

/// A machine that walks in the contexts and objects of an unfolded program.
fn walker<'p, 'g>(unfolded: &Unfolded<'p>, state: State, walk: Walk<'g>) -> Machine<'p, 'g> {
    Machine {
        contexts: unfolded.contexts.clone(),
        objects: unfolded.objects.clone(),
        contracts: unfolded.contracts.clone(),
        allocated: unfolded.allocated.clone(),
        state,
        walk: Some(walk),
        ..machine(unfolded.program, unfolded.points_to, &unfolded.options)
    }
}

impl Machine<'_, '_> {
    /// Goes from a cut point to the next.
    fn follow(&mut self, unfolded: &Unfolded, cut: usize) -> Option<Node> {
        let mut node = unfolded.order.cuts[cut];
        for _ in 0..MAX_STEPS {
            node = self.next(cut, node)??;
            if unfolded.order.cuts.contains(&node) || !matches!(node, Node::At(..)) {
                return Some(node);
            }
        }
        None
    }

    /// The next node, or `Some(None)` where the program ends. None where no edge can be taken.
    pub(crate) fn next(&mut self, cut: usize, node: Node) -> Option<Option<Node>> {
        let Node::At(context, location) = node else { return None };
        if self.contexts.is_exit(context, location) {
            self.set_position(cut, node, 0);
            return Some(self.return_from_call(context));
        }
        let before = self.state.clone();
        let mut is_approximate = false;
        let edges = self.contexts.edges(context, location).len();
        let at = (self.contexts[context].procedure, location);
        for number in 0..edges {
            for (way, callee) in self.ways(context, location, number).into_iter().enumerate() {
                let walk = self.walk.as_mut()?;
                walk.record.at = Some(at);
                let record = walk.record.values.len();
                let asked = (walk.inputs.len(), walk.uninitialized.clone(), walk.replay.clone());
                self.set_position(cut, node, number * 100 + way);
                let taken = self.take(context, location, number, callee);
                let walk = self.walk.as_mut()?;
                if logic::simplify(taken.condition).is_true() {
                    if edges > 1 {
                        walk.record.branches.push((at, number));
                    }
                    let values = &walk.record.values[record..];
                    if walk.record.approximated.is_none()
                        && values.iter().any(|(.., of)| *of == ChoiceKind::Approximation)
                    {
                        walk.record.approximated = self.contexts.span(context, location, number);
                    }
                    return Some(taken.to);
                }
                let of_edge = walk.record.values.split_off(record);
                // The values read by a condition stay recorded whichever edge is taken.
                let edge = &self.contexts.edges(context, location)[number];
                if matches!(edge.step, system::program::Step::Assume { .. }) {
                    let asked = of_edge
                        .into_iter()
                        .filter(|(.., chosen)| *chosen != ChoiceKind::Approximation);
                    walk.record.values.extend(asked);
                } else {
                    walk.inputs.truncate(asked.0);
                    is_approximate |= walk.replay.as_ref().is_some_and(|replay| replay.is_approximate);
                    (walk.uninitialized, walk.replay) = (asked.1, asked.2);
                    self.state.clone_from(&before);
                }
            }
        }
        if let Some(replay) = self.walk.as_mut().and_then(|walk| walk.replay.as_mut()) {
            replay.is_approximate |= is_approximate;
        }
        None
    }

    /// In a walk: memory that an external procedure has filled, as inputs, in the order of the type.
    pub(crate) fn ask_for_filled(&mut self, pointer: logic::Term, type_id: system::program::TypeId) {
        let place = constant(pointer).and_then(|address| self.objects.at(address));
        let Some((object, start)) = place else { return };
        let Ok(start) = u64::try_from(start) else { return };
        // Constants such as literals are never written.
        if let ObjectOrigin::Variable(_, variable) = self.objects[object].origin
            && self.program[variable].is_constant
        {
            return;
        }
        let mut parts = Vec::new();
        crate::places::filled(self.program, type_id, start, &mut parts);
        for (offset, bits) in parts {
            let first = bits.map_or(0, |bits: system::program::Bits| bits.first);
            let cell = self.objects[object].cells.get(&(offset, first)).copied();
            let value = cell
                .and_then(|cell| self.state.get(&cell))
                .copied()
                .unwrap_or(term::int(0));
            if let Some(walk) = &mut self.walk {
                walk.inputs.push(constant(value).unwrap_or(0));
                cell.map(|cell| walk.uninitialized.remove(&cell));
            }
        }
    }
}
