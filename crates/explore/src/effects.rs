//! What rules did, by what they looked at.
//!
//! A rule looks at few slots, and in most states it meets values that it has met before: then it does what it did
//! then. For each unit a tree of tests holds the runs so far: from the root on, each node asks for the value of the
//! slot that the unit looks at next, and a leaf says what the run writes (see [`crate::vm::Machine::begin_trace`]).
//! Runs that fail or choose are not kept. Units whose runs are seldom alike lose their trees.

use crate::packing::Patch;
use crate::vm::{MADE, Write};

/// Nodes and writes of all trees together.
const ROOM: usize = 1 << 19;
/// After so many runs it is seen whether the tree of a unit is worth its while, and again and again after as many: one
/// in so many was known. The first ones never are.
const TRIAL: u32 = 256;
const WORTH: u32 = 4;

/// No node: this run was not met yet.
const MISSING: u32 = 0;
/// The mark of a leaf.
const LEAF: u32 = 1 << 31;

#[derive(Debug)]
pub(crate) struct Effects {
    units: Vec<Tree>,
    room: usize,
}

#[derive(Debug, Default)]
struct Tree {
    given_up: bool,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    writes: Vec<Write>,
    /// Of the patches.
    parts: usize,
    /// Runs since the last trial, and how many of them were known.
    runs: u32,
    known: u32,
}

/// Asks whether a slot has a value.
#[derive(Clone, Copy, Debug)]
struct Node {
    slot: u32,
    then: u32,
    otherwise: u32,
    value: i64,
}

/// Where the writes of a run are, and what they do to packed states, where that is known.
#[derive(Debug)]
struct Leaf {
    start: u32,
    end: u32,
    patch: Option<Patch>,
}

/// What a unit does.
pub(crate) struct Effect<'e> {
    pub(crate) writes: &'e [Write],
    /// The same, done to packed states.
    pub(crate) patch: Option<&'e Patch>,
}

impl Effects {
    pub(crate) fn new(units: usize) -> Effects {
        Effects {
            units: std::iter::repeat_with(Tree::default).take(units).collect(),
            room: ROOM,
        }
    }

    /// Whether the runs of a unit are kept.
    pub(crate) fn follows(&self, unit: usize) -> bool {
        self.units.get(unit).is_some_and(|tree| !tree.given_up)
    }

    /// What a unit writes in a state, where that is known.
    #[inline]
    pub(crate) fn find(&mut self, unit: usize, state: &[i64]) -> Option<Effect<'_>> {
        let tree = self.units.get_mut(unit)?;
        tree.runs += 1;
        let mut at = if tree.nodes.is_empty() {
            MISSING
        } else {
            tree.nodes[0].then
        };
        while at & LEAF == 0 {
            if at == MISSING {
                return None;
            }
            let node = &tree.nodes[at as usize];
            at = match state[node.slot as usize] == node.value {
                true => node.then,
                false => node.otherwise,
            };
        }
        tree.known += 1;
        let leaf = &tree.leaves[(at & !LEAF) as usize];
        Some(Effect {
            writes: &tree.writes[leaf.start as usize..leaf.end as usize],
            patch: leaf.patch.as_ref(),
        })
    }

    /// Keeps a run of a unit: what it has read, in this order, and what it has written.
    pub(crate) fn add(&mut self, unit: usize, reads: &[(u32, i64)], writes: &[Write], patch: Option<Patch>) {
        let Some(tree) = self.units.get_mut(unit).filter(|tree| !tree.given_up) else {
            return;
        };
        if tree.runs >= TRIAL {
            if tree.known < tree.runs / WORTH {
                return self.give_up(unit);
            }
            (tree.runs, tree.known) = (0, 0);
        }
        let before = tree.size();
        let parts = patch.as_ref().map_or(0, Patch::size);
        if reads.len() + writes.len() + parts + 2 <= self.room {
            tree.add(reads, writes, patch);
            self.room -= tree.size() - before;
        }
    }

    /// The runs of a unit are not to be kept.
    pub(crate) fn give_up(&mut self, unit: usize) {
        let Some(tree) = self.units.get_mut(unit) else { return };
        self.room += tree.size();
        *tree = Tree {
            given_up: true,
            ..Tree::default()
        };
    }
}

impl Tree {
    fn size(&self) -> usize {
        self.nodes.len() + self.leaves.len() + self.writes.len() + self.parts
    }

    fn add(&mut self, reads: &[(u32, i64)], writes: &[Write], patch: Option<Patch>) {
        if self.nodes.is_empty() {
            // The first only leads to the root.
            self.nodes.push(Node {
                slot: 0,
                then: MISSING,
                otherwise: MISSING,
                value: 0,
            });
        }
        // The node whose `then` comes next.
        let mut last = 0;
        for &(slot, value) in reads {
            let mut from = last;
            let mut next = self.nodes[from as usize].then;
            let mut is_then = true;
            loop {
                if next == MISSING {
                    next = self.nodes.len() as u32;
                    self.nodes.push(Node {
                        slot,
                        then: MISSING,
                        otherwise: MISSING,
                        value,
                    });
                    let node = &mut self.nodes[from as usize];
                    match is_then {
                        true => node.then = next,
                        false => node.otherwise = next,
                    }
                    break;
                }
                // The same values were met before, so the same slot comes next.
                match self.nodes.get(next as usize) {
                    Some(node) if node.slot == slot && node.value == value => break,
                    Some(node) if node.slot == slot => (from, next, is_then) = (next, node.otherwise, false),
                    _ => return,
                }
            }
            last = next;
        }
        let node = &mut self.nodes[last as usize];
        if node.then == MISSING {
            node.then = LEAF | self.leaves.len() as u32;
            let start = self.writes.len() as u32;
            self.writes.extend_from_slice(writes);
            let end = self.writes.len() as u32;
            self.parts += patch.as_ref().map_or(0, Patch::size);
            self.leaves.push(Leaf { start, end, patch });
        }
    }
}

/// What a write stores in a state that was this before.
#[inline]
pub(crate) fn written(write: &Write, before: &[i64]) -> i64 {
    match write.origin {
        MADE => write.value,
        origin => before[origin as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(slot: u32, value: i64) -> Write {
        Write {
            slot,
            origin: MADE,
            value,
        }
    }

    fn found(effects: &mut Effects, unit: usize, state: &[i64]) -> Option<Vec<Write>> {
        effects.find(unit, state).map(|effect| effect.writes.to_vec())
    }

    #[test]
    fn runs_are_known_by_what_they_read() {
        let mut effects = Effects::new(2);
        assert_eq!(found(&mut effects, 0, &[1, 2]), None);
        effects.add(0, &[(0, 1), (1, 2)], &[made(1, 7)], None);
        // Where the first slot is 3, the second is not looked at.
        effects.add(0, &[(0, 3)], &[], None);
        assert_eq!(found(&mut effects, 0, &[1, 2]), Some(vec![made(1, 7)]));
        assert_eq!(found(&mut effects, 0, &[1, 3]), None);
        assert_eq!(found(&mut effects, 0, &[3, 9]), Some(vec![]));
        assert_eq!(found(&mut effects, 0, &[2, 2]), None);
        assert_eq!(found(&mut effects, 1, &[1, 2]), None);
        effects.add(0, &[(0, 1), (1, 3)], &[made(0, 2)], None);
        assert_eq!(found(&mut effects, 0, &[1, 3]), Some(vec![made(0, 2)]));
    }

    #[test]
    fn runs_that_read_nothing_are_all_alike() {
        let mut effects = Effects::new(1);
        effects.add(0, &[], &[made(0, 4)], None);
        assert_eq!(found(&mut effects, 0, &[9]), Some(vec![made(0, 4)]));
    }

    #[test]
    fn what_is_seldom_known_is_given_up() {
        let mut effects = Effects::new(1);
        for value in 0..1000 {
            assert_eq!(found(&mut effects, 0, &[value]), None);
            effects.add(0, &[(0, value)], &[], None);
        }
        assert!(!effects.follows(0));
        assert_eq!(effects.room, ROOM);
    }

    #[test]
    fn copies_take_the_value_of_their_origin() {
        let copy = Write {
            slot: 0,
            origin: 1,
            value: 5,
        };
        assert_eq!((written(&copy, &[3, 8]), written(&made(0, 5), &[3, 8])), (8, 5));
    }
}
