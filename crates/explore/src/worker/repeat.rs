//! Reuses recorded effects of rules and properties that read the same values as in an earlier state.

use super::{Attempt, Worker, region};
use crate::effects::{Effect, written_value};
use crate::program::Unit;
use crate::vm::Stop;
use system::instance::Instance;

impl Worker<'_> {
    /// Whether the effects of a unit are recorded.
    pub(crate) fn follows(&self, index: usize, unit: &Unit) -> bool {
        let is_plain = unit.count == 1 && !unit.traits.impure_guard && self.machine.output.is_none();
        is_plain && self.effects.follows(index)
    }

    /// Fires an enabled rule from its recorded effect. Either memory then holds the settled successor, or the successor
    /// is packed and memory lags behind. Returns whether it differs from the current state; `None` if no effect is
    /// recorded.
    #[inline]
    pub(crate) fn repeat(&mut self, index: usize) -> Option<bool> {
        let writes = match self.effects.find(index, &self.current)? {
            Effect::Writes(writes) => writes,
            Effect::Patch(_) if !self.is_packed => return None,
            Effect::Patch(patch) => {
                self.changed.clear();
                self.lags = patch.apply(&self.current_words, &mut self.words);
                return Some(self.lags);
            }
        };
        self.changed.clear();
        if self.multiset_of.is_empty() {
            for write in writes {
                let (slot, value) = (write.slot as usize, written_value(write, &self.current));
                if value != self.current[slot] {
                    self.machine.memory[slot] = value;
                    self.changed.push(write.slot);
                }
            }
            return Some(!self.changed.is_empty());
        }
        self.writes.clear();
        self.writes.extend_from_slice(writes);
        for write in &self.writes {
            self.machine.memory[write.slot as usize] = written_value(write, &self.current);
        }
        Some(self.settle_writes())
    }

    /// Updates memory to the packed successor.
    pub(crate) fn catch_up(&mut self) {
        if !std::mem::take(&mut self.lags) {
            return;
        }
        let (memory, changed) = (&mut self.machine.memory, &mut self.changed);
        self.context
            .layout
            .each_difference(&self.current_words, &self.words, |slot, value| {
                memory[slot] = value;
                changed.push(slot as u32);
            });
    }

    /// Fires an enabled rule and records its effect.
    pub(crate) fn fire_followed(&mut self, index: usize, unit: &Unit, within: u32) -> Attempt {
        self.machine.begin_trace();
        let attempt = self.fire(unit, within, false);
        let has_chosen = self.machine.has_chosen();
        let reads = self.machine.end_trace(&mut self.writes);
        if has_chosen {
            self.effects.give_up(index);
        } else if matches!(attempt, Attempt::Successor) {
            let is_plain = self.multiset_of.is_empty() && self.context.max_list_length.is_none();
            let patch = is_plain.then(|| self.context.layout.patch_of(&self.writes)).flatten();
            self.effects.add(index, reads, &self.writes, patch);
        }
        attempt
    }

    /// Sorts the multisets of the successor and finds the changes, after `fire_followed`; true if there are any.
    pub(crate) fn settle_writes(&mut self) -> bool {
        self.changed.clear();
        self.touched.clear();
        for write in &self.writes {
            let slot = write.slot as usize;
            match self.multiset_of.get(slot).copied().flatten() {
                Some(number) if self.touched.contains(&number) => {}
                Some(number) => self.touched.push(number),
                None if self.machine.memory[slot] != self.current[slot] => self.changed.push(write.slot),
                None => {}
            }
        }
        for position in 0..self.touched.len() {
            let number = self.touched[position] as usize;
            self.sort_multiset(number);
            let region = region(&self.context.program.instance.multisets[number]);
            let differs = |slot: &usize| self.machine.memory[*slot] != self.current[*slot];
            self.changed.extend(region.filter(differs).map(|slot| slot as u32));
        }
        !self.changed.is_empty()
    }

    /// Whether an invariant is known to hold in the state in memory, because it held for the same values before.
    pub(super) fn held_before(&mut self, index: usize, unit: &Unit) -> bool {
        let is_plain = unit.count == 1 && !unit.traits.impure_guard;
        is_plain && self.truths.follows(index) && self.truths.find(index, &self.machine.memory).is_some()
    }

    /// Evaluates an invariant, and records the values that it read if it holds.
    pub(super) fn check_and_record(&mut self, index: usize, unit: &Unit) -> Result<bool, Stop> {
        if unit.count != 1 || unit.traits.impure_guard || !self.truths.follows(index) {
            return self.holds_everywhere(unit);
        }
        self.machine.begin_trace();
        let holds = self.holds(unit, 0);
        let has_chosen = self.machine.has_chosen();
        let reads = self.machine.end_trace(&mut self.writes);
        if has_chosen {
            self.truths.give_up(index);
        } else if holds == Ok(true) {
            self.truths.add(index, reads, &[], None);
        }
        holds
    }
}

/// By slot: the multiset that contains it; empty if there are none.
pub(super) fn multiset_of(instance: &Instance) -> Vec<Option<u32>> {
    if instance.multisets.is_empty() {
        return Vec::new();
    }
    let mut multisets = vec![None; instance.slots.len()];
    for (number, multiset) in (0..).zip(&instance.multisets) {
        if let Some(slots) = multisets.get_mut(region(multiset)) {
            slots.fill(Some(number));
        }
    }
    multisets
}
