//! From a run of the system back to the program: which inputs make it.
//!
//! The steps between two cut points are taken once more, along one path, with the values that the run has for all that
//! was chosen. What the program asks for on the way are its inputs. Whether they do what the run says is for an
//! interpreter to find out.

use crate::contexts::Node;
use crate::machine::{Machine, State, Walk};
use crate::numbers::constant;
use crate::system_of::{Unfolded, machine};
use logic::{Function, term};
use std::collections::BTreeSet;

/// The values that a step of a run has for what was chosen.
pub type Values<'r> = Box<dyn Fn(Function) -> Option<i128> + 'r>;

/// Longer paths between two cut points are not followed.
const LONGEST: usize = 1_000_000;

/// The inputs of a run, in the order in which the program asks for them. None where the run is not one of the program.
pub fn inputs(unfolded: &Unfolded, run: &[Values]) -> Option<Vec<i128>> {
    let mut state: State = State::new();
    for update in &unfolded.system.starts.first()?.updates {
        if let Some(cell) = unfolded.cells.get(&update.function) {
            state.insert(*cell, update.value);
        }
    }
    let mut node = *unfolded.nodes.first()?;
    let (mut inputs, mut unwritten) = (Vec::new(), BTreeSet::new());
    for step in run {
        let given = |function: Function| step(function).unwrap_or(0);
        let mut machine = machine(unfolded.program, unfolded.points_to, &unfolded.options);
        machine.contexts.clone_from(&unfolded.contexts);
        machine.objects.clone_from(&unfolded.objects);
        machine.allocated.clone_from(&unfolded.allocated);
        machine.walk = Some(Walk {
            given: &given,
            inputs: std::mem::take(&mut inputs),
            unwritten: std::mem::take(&mut unwritten),
        });
        machine.state = std::mem::take(&mut state);
        let cut = unfolded.order.cuts.iter().position(|cut| *cut == node)?;
        node = machine.follow(unfolded, cut)?;
        let walk = machine.walk.take()?;
        (inputs, unwritten) = (walk.inputs, walk.unwritten);
        state = machine.state;
        if matches!(node, Node::Violated(_) | Node::TooDeep) {
            break;
        }
    }
    matches!(node, Node::Violated(_)).then_some(inputs)
}

impl Machine<'_, '_> {
    /// Goes from a cut point to the next.
    fn follow(&mut self, unfolded: &Unfolded, cut: usize) -> Option<Node> {
        let mut node = unfolded.order.cuts[cut];
        for _ in 0..LONGEST {
            node = self.next(cut, node)?;
            if unfolded.order.cuts.contains(&node) || !matches!(node, Node::At(..)) {
                return Some(node);
            }
        }
        None
    }

    fn next(&mut self, cut: usize, node: Node) -> Option<Node> {
        let Node::At(context, location) = node else { return None };
        if self.contexts.is_exit(context, location) {
            self.place(cut, node, 0);
            return self.give_back(context);
        }
        let before = self.state.clone();
        let edges = self.contexts.edges(context, location).len();
        for number in 0..edges {
            for (way, callee) in self.ways(context, location, number).into_iter().enumerate() {
                let walk = self.walk.as_ref()?;
                let asked = (walk.inputs.len(), walk.unwritten.clone());
                self.place(cut, node, number * 100 + way);
                let taken = self.take(context, location, number, callee);
                if logic::simplify(taken.condition).is_true() {
                    return taken.to;
                }
                self.state.clone_from(&before);
                let walk = self.walk.as_mut()?;
                // What the condition read has been asked for, whichever way is taken.
                let edge = &self.contexts.edges(context, location)[number];
                if !matches!(edge.step, system::program::Step::Assume { .. }) {
                    walk.inputs.truncate(asked.0);
                    walk.unwritten = asked.1;
                }
            }
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
