//! States that a search of a finite instance met, as plain rows: what engines learn from examples.

use std::collections::BTreeMap;

/// Reachable states of one instance, one row of slots for each. With symmetry they stand for all states that differ
/// from them by renaming only.
#[derive(Clone, Debug, Default)]
pub struct ReachedStates {
    /// Slots of a state.
    pub width: usize,
    /// The rows, one behind the other.
    pub slots: Vec<i64>,
    /// The elements behind the numbers in slots that hold lists.
    pub lists: BTreeMap<i64, Vec<i64>>,
    /// Whether these are all reachable states.
    pub complete: bool,
    /// Whether a limit of the search left some out.
    pub cut: bool,
}

impl ReachedStates {
    pub fn states(&self) -> impl Iterator<Item = &[i64]> {
        self.slots.chunks(self.width.max(1))
    }

    pub fn len(&self) -> usize {
        self.slots.len() / self.width.max(1)
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

/// Finds the states after others, for engines that want more examples of some kind.
pub trait Successors {
    /// For each of the states, which its own search or this met, those after it by one rule, without violations.
    fn successors(&self, states: &[&[i64]]) -> Vec<ReachedStates>;
}
