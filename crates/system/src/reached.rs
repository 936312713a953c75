//! Sampled reachable states of a finite instance, as plain vectors: examples for engines that learn.

use std::collections::BTreeMap;

/// Reachable states of one instance, one vector of slots each. With symmetry reduction, a state represents its orbit.
#[derive(Clone, Debug, Default)]
pub struct ReachedStates {
    /// Slots per state.
    pub width: usize,
    /// The concatenated state vectors.
    pub slots: Vec<i64>,
    /// The elements of interned lists, by number.
    pub lists: BTreeMap<i64, Vec<i64>>,
    /// Whether these are all reachable states.
    pub complete: bool,
    /// Whether a limit of the search omitted some.
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

/// Computes successors, for engines that want more examples of some kind.
pub trait Successors {
    /// For each state, which must come from this object or its search, the successors by one rule, without violating
    /// ones.
    fn successors(&self, states: &[&[i64]]) -> Vec<ReachedStates>;
}
