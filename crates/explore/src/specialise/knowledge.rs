//! Constant propagation for frame slots during specialisation.

/// The known values of frame slots at one program point. Slots are counted from the start of the outermost frame;
/// frames of inlined functions follow it.
#[derive(Clone, Debug)]
pub(super) struct Knowledge {
    values: Vec<Option<i64>>,
    /// False after a `Return`: the following code is unreachable.
    pub(super) reachable: bool,
    /// Slots from here on may be written through an address.
    exposed_from: usize,
}

impl Knowledge {
    pub(super) fn new() -> Knowledge {
        Knowledge {
            values: Vec::new(),
            reachable: true,
            exposed_from: usize::MAX,
        }
    }

    pub(super) fn get(&self, slot: usize) -> Option<i64> {
        self.values.get(slot).copied().flatten()
    }

    pub(super) fn set(&mut self, slot: usize, value: Option<i64>) {
        if slot >= self.values.len() {
            self.values.resize(slot + 1, None);
        }
        self.values[slot] = value;
    }

    pub(super) fn fill(&mut self, start: usize, length: usize, value: Option<i64>) {
        (start..start.saturating_add(length).min(1 << 24)).for_each(|slot| self.set(slot, value));
    }

    pub(super) fn forget(&mut self, start: usize, length: usize) {
        let end = start.saturating_add(length).min(self.values.len());
        if let Some(values) = self.values.get_mut(start..end) {
            values.fill(None);
        }
    }

    pub(super) fn forget_all(&mut self) {
        self.values.fill(None);
    }

    /// The address of this slot, or of a slot before it, escapes.
    pub(super) fn expose(&mut self, slot: usize) {
        self.exposed_from = self.exposed_from.min(slot);
    }

    /// An unknown address may have been written through.
    pub(super) fn forget_exposed(&mut self) {
        let from = self.exposed_from.min(self.values.len());
        self.values[from..].fill(None);
    }

    /// The join of two control-flow paths.
    pub(super) fn join_paths(&mut self, other: &Knowledge) {
        self.exposed_from = self.exposed_from.min(other.exposed_from);
        if !other.reachable {
            return;
        }
        if !self.reachable {
            self.values.clone_from(&other.values);
            self.reachable = true;
            return;
        }
        for (slot, value) in self.values.iter_mut().enumerate() {
            if *value != other.get(slot) {
                *value = None;
            }
        }
    }
}
