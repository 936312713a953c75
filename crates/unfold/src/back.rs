//! From a run of the system back to the program: which inputs make it.
//!
//! The steps between two cut points are taken once more, along one path, with the values that the run has for all that
//! was chosen. What the program asks for on the way are its inputs. Whether they do what the run says is for an
//! interpreter to find out.

use crate::Options;
use crate::contexts::Node;
use crate::contracts::Contract;
use crate::following;
use crate::machine::{Machine, Replay, State, Walk};
use crate::numbers::constant;
use crate::system_of::{Unfolded, machine};
use logic::{Function, term};
use std::collections::BTreeSet;
use system::program::PropertyId;

/// The values that a step of a run has for what was chosen.
pub type Values<'r> = Box<dyn Fn(Function) -> Option<i128> + 'r>;

/// Longer paths between two cut points are not followed.
const LONGEST: usize = 1_000_000;

/// The inputs of a run, in the order in which the program asks for them. None where the run is not one of the program.
pub fn inputs(unfolded: &Unfolded, run: &[Values]) -> Option<Vec<i128>> {
    let mut state: State = unfolded.initial.iter().copied().collect();
    let mut node = *unfolded.nodes.first()?;
    let (mut inputs, mut unwritten) = (Vec::new(), BTreeSet::new());
    for step in run {
        let given = |function: Function| step(function).unwrap_or(0);
        let mut machine = walker(
            unfolded,
            std::mem::take(&mut state),
            Walk {
                given: &given,
                inputs: std::mem::take(&mut inputs),
                unwritten: std::mem::take(&mut unwritten),
                is_quiet: false,
                replay: None,
            },
        );
        let cut = unfolded.order.cuts.iter().position(|cut| *cut == node)?;
        node = machine.follow(unfolded, cut)?;
        let walk = machine.walk.take()?;
        (inputs, unwritten) = (walk.inputs, walk.unwritten);
        state = machine.state;
        if !matches!(node, Node::At(..)) {
            break;
        }
    }
    matches!(node, Node::Violated(_)).then_some(inputs)
}

/// How a run of the program goes in its system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Followed {
    Ended,
    Violated(PropertyId),
    /// No step can be taken from here, or none that a contract allows.
    Stuck(Node),
    /// Nothing follows: the run rests on what is beyond the encoding, or is too long or too deep.
    NotFollowed,
}

/// Follows the run that these inputs make, step by step, as the system of the program has it, with these contracts.
pub fn replay(unfolded: &Unfolded, contracts: &[Contract], inputs: &[i128], longest: usize) -> Followed {
    let nothing = |_: Function| 0;
    let walk = Walk {
        given: &nothing,
        inputs: Vec::new(),
        unwritten: BTreeSet::new(),
        is_quiet: false,
        replay: Some(Replay {
            inputs: inputs.to_vec(),
            ..Replay::default()
        }),
    };
    let mut machine = walker(unfolded, unfolded.initial.iter().copied().collect(), walk);
    match unfolded.nodes.first() {
        Some(first) => following::follow(&mut machine, *first, contracts, longest),
        None => Followed::NotFollowed,
    }
}

/// The same for one that was unfolded step by step.
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
        tells_calls: known.tells_calls,
        ..machine(known.program, known.contexts.points_to, options)
    }
}

/// A machine that knows the contexts and objects of the unfolded program.
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
        for _ in 0..LONGEST {
            node = self.next(cut, node)??;
            if unfolded.order.cuts.contains(&node) || !matches!(node, Node::At(..)) {
                return Some(node);
            }
        }
        None
    }

    /// Where the program goes from a node: nowhere where it ends. None where no edge can be taken.
    pub(crate) fn next(&mut self, cut: usize, node: Node) -> Option<Option<Node>> {
        let Node::At(context, location) = node else { return None };
        if self.contexts.is_exit(context, location) {
            self.place(cut, node, 0);
            return Some(self.give_back(context));
        }
        let before = self.state.clone();
        let mut is_approximate = false;
        let edges = self.contexts.edges(context, location).len();
        for number in 0..edges {
            for (way, callee) in self.ways(context, location, number).into_iter().enumerate() {
                let walk = self.walk.as_ref()?;
                let asked = (walk.inputs.len(), walk.unwritten.clone(), walk.replay.clone());
                self.place(cut, node, number * 100 + way);
                let taken = self.take(context, location, number, callee);
                if logic::simplify(taken.condition).is_true() {
                    return Some(taken.to);
                }
                let walk = self.walk.as_mut()?;
                // What the condition read has been asked for, whichever way is taken.
                let edge = &self.contexts.edges(context, location)[number];
                if !matches!(edge.step, system::program::Step::Assume { .. }) {
                    walk.inputs.truncate(asked.0);
                    is_approximate |= walk.replay.as_ref().is_some_and(|replay| replay.is_approximate);
                    (walk.unwritten, walk.replay) = (asked.1, asked.2);
                    self.state.clone_from(&before);
                }
            }
        }
        if let Some(replay) = self.walk.as_mut().and_then(|walk| walk.replay.as_mut()) {
            replay.is_approximate |= is_approximate;
        }
        None
    }

    /// In a walk: memory that a procedure nobody knows has filled, as inputs, in the order of the type.
    pub(crate) fn ask_for_filled(&mut self, pointer: logic::Term, type_id: system::program::TypeId) {
        let place = constant(pointer).and_then(|address| self.objects.at(address));
        let Some((object, start)) = place else { return };
        let Ok(start) = u64::try_from(start) else { return };
        let mut parts = Vec::new();
        crate::places::filled(self.program, type_id, start, &mut parts);
        for (offset, bits) in parts {
            let first = bits.map_or(0, |bits: system::program::Bits| bits.first);
            let cell = self.objects.objects[object.0 as usize]
                .cells
                .get(&(offset, first))
                .copied();
            let value = cell
                .and_then(|cell| self.state.get(&cell))
                .copied()
                .unwrap_or(term::int(0));
            if let Some(walk) = &mut self.walk {
                walk.inputs.push(constant(value).unwrap_or(0));
                cell.map(|cell| walk.unwritten.remove(&cell));
            }
        }
    }
}
