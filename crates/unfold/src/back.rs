//! From a run of the system back to the program: which inputs make it.
//!
//! The steps between two cut points are taken once more, along one path, with the values that the run has for all that
//! was chosen. What the program asks for on the way are its inputs. Whether they do what the run says is for an
//! interpreter to find out.

use crate::Options;
use crate::contexts::Node;
use crate::contracts::Contract;
use crate::following;
use crate::machine::{Chosen, Machine, Planned, Replay, State, Step, Walk};
use crate::numbers::constant;
use crate::objects::Origin;
use crate::system_of::{Unfolded, machine};
use logic::{Function, term};
use std::collections::BTreeSet;
use system::Span;
use system::program::PropertyId;

/// The values that a step of a run has for what was chosen.
pub type Values<'r> = Box<dyn Fn(Function) -> Option<i128> + 'r>;

/// Longer paths between two cut points are not followed.
const LONGEST: usize = 1_000_000;

/// What a run of the system says of the program.
#[derive(Clone, Default, Debug)]
pub struct Walked {
    /// The inputs, in the order in which the program asks for them. None where the run is not one of the program.
    pub inputs: Option<Vec<i128>>,
    /// The inputs as far as the program was followed.
    pub asked: Vec<i128>,
    /// The branches, as far as the program was followed: a step, and the number of the edge that it takes.
    pub branches: Vec<(Step, usize)>,
    /// What steps ask for, and what they read that is beyond the encoding, such as what a pointer leads to that nobody
    /// has determined.
    pub values: Vec<(Step, i128)>,
    /// The first place where it takes what is beyond the encoding.
    pub approximated: Option<Span>,
}

/// Follows a run of the system in the program.
pub fn walked(unfolded: &Unfolded, run: &[Values]) -> Walked {
    let mut state: State = unfolded.initial.iter().copied().collect();
    let mut node = unfolded.nodes.first().copied();
    let (mut inputs, mut unwritten, mut planned) = (Vec::new(), BTreeSet::new(), Planned::default());
    for step in run {
        let given = |function: Function| step(function).unwrap_or(0);
        let walk = Walk {
            inputs: std::mem::take(&mut inputs),
            unwritten: std::mem::take(&mut unwritten),
            planned: std::mem::take(&mut planned),
            ..Walk::new(&given)
        };
        let mut machine = walker(unfolded, std::mem::take(&mut state), walk);
        let cut = unfolded.order.cuts.iter().position(|cut| Some(*cut) == node);
        node = cut.and_then(|cut| machine.follow(unfolded, cut));
        if let Some(walk) = machine.walk.take() {
            (inputs, unwritten, planned) = (walk.inputs, walk.unwritten, walk.planned);
        }
        state = machine.state;
        if !matches!(node, Some(Node::At(..))) {
            break;
        }
    }
    Walked {
        asked: inputs.clone(),
        inputs: matches!(node, Some(Node::Violated(_))).then_some(inputs),
        branches: planned.branches,
        approximated: planned.approximated,
        values: planned.values.into_iter().map(|(at, value, _)| (at, value)).collect(),
    }
}

/// How a run of the program goes in its system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Followed {
    Ended,
    Violated(PropertyId),
    /// No step can be taken from here, or none that a contract allows.
    Stuck(Node),
    /// So many steps go as in the program. Nothing is known of the rest: it depends on what is beyond the encoding, or
    /// is too long or too deep.
    Prefix(usize),
}

/// Follows the run that these inputs make, step by step, as the system of the program has it, with these contracts.
pub fn replay(unfolded: &Unfolded, contracts: &[Contract], inputs: &[i128], longest: usize) -> Followed {
    let nothing = |_: Function| 0;
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
        None => Followed::Prefix(0),
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
        let at = (self.contexts.get(context).procedure, location);
        for number in 0..edges {
            for (way, callee) in self.ways(context, location, number).into_iter().enumerate() {
                let walk = self.walk.as_mut()?;
                walk.planned.at = Some(at);
                let planned = walk.planned.values.len();
                let asked = (walk.inputs.len(), walk.unwritten.clone(), walk.replay.clone());
                self.place(cut, node, number * 100 + way);
                let taken = self.take(context, location, number, callee);
                let walk = self.walk.as_mut()?;
                if logic::simplify(taken.condition).is_true() {
                    if edges > 1 {
                        walk.planned.branches.push((at, number));
                    }
                    let values = &walk.planned.values[planned..];
                    if walk.planned.approximated.is_none() && values.iter().any(|(.., of)| *of == Chosen::Approximation)
                    {
                        walk.planned.approximated = self.contexts.span(context, location, number);
                    }
                    return Some(taken.to);
                }
                let of_edge = walk.planned.values.split_off(planned);
                // What the condition read has been asked for, whichever way is taken.
                let edge = &self.contexts.edges(context, location)[number];
                if matches!(edge.step, system::program::Step::Assume { .. }) {
                    let asked = of_edge
                        .into_iter()
                        .filter(|(.., chosen)| *chosen != Chosen::Approximation);
                    walk.planned.values.extend(asked);
                } else {
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
        // Nothing is written to constants, such as literals.
        if let Origin::Variable(_, variable) = self.objects.objects[object.0 as usize].origin
            && self.program[variable].is_constant
        {
            return;
        }
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
