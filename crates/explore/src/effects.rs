//! Memoises the effects of rules, keyed by the slots that they read.
//!
//! A rule reads few slots, and in most states it reads values that it has read before; its effect is then the same. For
//! each unit, a decision tree holds the recorded runs: an inner node tests the value of the slot that the unit reads
//! next, and a leaf holds what the run writes (see [`crate::vm::Machine::begin_trace`]). Runs that fail or choose are
//! not recorded. Units with a low hit rate lose their trees.

use crate::packing::Patch;
use crate::vm::{MADE, Write};
use system::instance::UNDEFINED;

/// The maximum number of nodes and writes of all trees together.
const ROOM: usize = 1 << 19;
/// The hit rate of a unit is checked after every `TRIAL` runs: its tree is kept if at least one in `WORTH` runs hit.
/// The first trial is exempt.
const TRIAL: u32 = 256;
const WORTH: u32 = 4;

/// No node: this run was not recorded yet.
const MISSING: u32 = u32::MAX;
/// Marks a leaf in place of a slot. Runs that read a slot from here on are not recorded.
const LEAF: u16 = u16::MAX;

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
    /// For leaves that hold patches.
    parts: usize,
    /// The number of runs since the last trial, and how many of them hit.
    runs: u32,
    known: u32,
}

/// Tests a slot for a value; on success, the next node follows. Nodes are small, since lookups are bound by memory
/// latency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    slot: u16,
    value: Small,
    /// The node that tests for another value, or [`MISSING`]; at a leaf, the index of the leaf.
    otherwise: u32,
}

/// A small value; the least one represents undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Small(i16);

impl Small {
    const UNDEFINED: Small = Small(i16::MIN);

    /// `None` for a value that does not fit.
    fn new(value: i64) -> Option<Small> {
        match value {
            UNDEFINED => Some(Small::UNDEFINED),
            value => i16::try_from(value)
                .ok()
                .map(Small)
                .filter(|small| *small != Small::UNDEFINED),
        }
    }

    #[inline]
    fn value(self) -> i64 {
        match self {
            Small::UNDEFINED => UNDEFINED,
            Small(value) => i64::from(value),
        }
    }
}

/// The effect of a run: a range of writes, or a patch for packed states if one is known.
#[derive(Debug)]
enum Leaf {
    Writes { start: u32, end: u32 },
    Patch(Patch),
}

/// The effect of a unit.
pub(crate) enum Effect<'e> {
    Writes(&'e [Write]),
    /// Applies to packed states.
    Patch(&'e Patch),
}

impl Effects {
    pub(crate) fn new(units: usize) -> Effects {
        Effects {
            units: std::iter::repeat_with(Tree::default).take(units).collect(),
            room: ROOM,
        }
    }

    /// Whether the runs of a unit are recorded.
    pub(crate) fn follows(&self, unit: usize) -> bool {
        self.units.get(unit).is_some_and(|tree| !tree.given_up)
    }

    /// The recorded effect of a unit in a state.
    #[inline]
    pub(crate) fn find(&mut self, unit: usize, state: &[i64]) -> Option<Effect<'_>> {
        let tree = self.units.get_mut(unit)?;
        tree.runs += 1;
        // A leaf tests no slot of the state.
        let state = &state[..state.len().min(usize::from(LEAF))];
        let mut at = 0;
        let mut node = tree.nodes.first()?;
        while let Some(value) = state.get(usize::from(node.slot)) {
            at = match *value == node.value.value() {
                true => at + 1,
                false => node.otherwise as usize,
            };
            node = tree.nodes.get(at)?;
        }
        tree.known += 1;
        Some(match tree.leaves.get(node.otherwise as usize)? {
            Leaf::Writes { start, end } => Effect::Writes(&tree.writes[*start as usize..*end as usize]),
            Leaf::Patch(patch) => Effect::Patch(patch),
        })
    }

    /// Records a run of a unit: its reads in order, and its writes or a patch for packed states.
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

    /// Stops recording the runs of a unit.
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

    /// The number of reads that existing nodes cover, and the node after which the rest branches off, if any; `None` if
    /// the run is already recorded.
    fn follow(&self, reads: &[(u32, i64)]) -> Option<(usize, Option<usize>)> {
        let (mut at, mut from) = (0, None);
        for (known, &(slot, value)) in reads.iter().enumerate() {
            loop {
                let Some(node) = self.nodes.get(at) else {
                    return Some((known, from));
                };
                // After the same values, the run reads the same slot next.
                if u32::from(node.slot) != slot {
                    return None;
                }
                if node.value.value() == value {
                    break;
                }
                (at, from) = (node.otherwise as usize, Some(at));
            }
            // Only a complete run ends in a leaf.
            at += 1;
        }
        self.nodes.is_empty().then_some((0, None))
    }

    fn add(&mut self, reads: &[(u32, i64)], writes: &[Write], patch: Option<Patch>) {
        let Some((known, from)) = self.follow(reads) else {
            return;
        };
        let first = self.nodes.len();
        for &(slot, value) in &reads[known..] {
            let Some(node) = Node::new(slot, value) else {
                return self.nodes.truncate(first);
            };
            self.nodes.push(node);
        }
        if let Some(from) = from {
            self.nodes[from].otherwise = first as u32;
        }
        self.nodes.push(Node {
            slot: LEAF,
            value: Small::UNDEFINED,
            otherwise: self.leaves.len() as u32,
        });
        self.leaves.push(match patch {
            Some(patch) => {
                self.parts += patch.size();
                Leaf::Patch(patch)
            }
            None => {
                let start = self.writes.len() as u32;
                self.writes.extend_from_slice(writes);
                let end = self.writes.len() as u32;
                Leaf::Writes { start, end }
            }
        });
    }
}

impl Node {
    /// `None` if the slot or the value is too large.
    fn new(slot: u32, value: i64) -> Option<Node> {
        Some(Node {
            slot: u16::try_from(slot).ok().filter(|slot| *slot != LEAF)?,
            value: Small::new(value)?,
            otherwise: MISSING,
        })
    }
}

/// The value that a write stores, given the state before it.
#[inline]
pub(crate) fn written_value(write: &Write, before: &[i64]) -> i64 {
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
        match effects.find(unit, state)? {
            Effect::Writes(writes) => Some(writes.to_vec()),
            Effect::Patch(_) => None,
        }
    }

    #[test]
    fn runs_are_known_by_what_they_read() {
        let mut effects = Effects::new(2);
        assert_eq!(found(&mut effects, 0, &[1, 2]), None);
        effects.add(0, &[(0, 1), (1, 2)], &[made(1, 7)], None);
        // If the first slot is 3, the second is not read.
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
    fn undefined_is_no_number_and_large_numbers_are_not_kept() {
        let mut effects = Effects::new(1);
        effects.add(0, &[(0, UNDEFINED), (1, 5)], &[made(0, 1)], None);
        effects.add(0, &[(0, -32_767), (1, 5)], &[made(0, 2)], None);
        for value in [-32_768, 32_768, i64::from(i32::MIN), i64::MAX] {
            effects.add(0, &[(0, value), (1, 5)], &[made(0, 3)], None);
            assert_eq!(found(&mut effects, 0, &[value, 5]), None);
        }
        // A run that fits only in part leaves nothing behind.
        effects.add(0, &[(0, 7), (1, 40_000)], &[made(0, 4)], None);
        effects.add(0, &[(0, 7), (1, 4)], &[made(0, 5)], None);
        assert_eq!(found(&mut effects, 0, &[UNDEFINED, 5]), Some(vec![made(0, 1)]));
        assert_eq!(found(&mut effects, 0, &[-32_767, 5]), Some(vec![made(0, 2)]));
        assert_eq!(found(&mut effects, 0, &[7, 40_000]), None);
        assert_eq!(found(&mut effects, 0, &[7, 4]), Some(vec![made(0, 5)]));
        assert_eq!(found(&mut effects, 0, &[0, 5]), None);
    }

    #[test]
    fn slots_without_a_node_are_not_kept() {
        let mut effects = Effects::new(1);
        let state = vec![3; 70_000];
        for slot in [u32::from(LEAF), u32::from(LEAF) + 1, 69_999] {
            effects.add(0, &[(slot, 3)], &[], None);
            assert_eq!(found(&mut effects, 0, &state), None);
        }
        effects.add(0, &[(u32::from(LEAF) - 1, 3)], &[made(0, 4)], None);
        assert_eq!(found(&mut effects, 0, &state), Some(vec![made(0, 4)]));
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
        assert_eq!(
            (written_value(&copy, &[3, 8]), written_value(&made(0, 5), &[3, 8])),
            (8, 5)
        );
    }
}
