//! Fires rules on one state after another; shared by all searches and simulations.
//!
//! The machine's memory holds the current state. Firing a rule turns it into a successor; `settle` finds the changes,
//! `identify` packs it by patching the packed current state, and `restore` undoes it. Most rules change few slots, so
//! each of these costs little more than the change.

mod repeat;

use crate::effects::Effects;
use crate::fault::{Fault, FaultKind};
use crate::lists::Lists;
use crate::packing::{self, Layout, Misfit};
use crate::program::{self, Program, TooMany, Unit};
use crate::stack::apart;
use crate::store;
use crate::symmetry::{Alike, Canonicaliser, Symmetry};
use crate::trace::{Firing, TraceStep};
use crate::vm::{Machine, Stop, Write};
use system::instance::{Instance, Multiset, Parameter, Slot, Type, UNDEFINED};

/// The result of firing a rule.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// The guard is false.
    Disabled,
    /// The memory holds the successor.
    Successor,
    /// An assumption within the rule is false.
    Dropped,
    /// An integer left its window.
    Cut,
    Fault(Fault),
}

/// The result of checking the properties in a state.
#[derive(Debug)]
pub(crate) enum Check {
    Fine,
    /// An assumption is false: the state is ignored.
    LeftOut,
    Violated {
        property: usize,
    },
    Fault {
        property: usize,
        fault: Fault,
    },
}

/// The identity of the successor in memory.
#[derive(Clone, Debug)]
pub(crate) enum Identity {
    /// Packed in `key`, with this hash.
    Packed(u64),
    /// Outside a window.
    Cut(Beyond),
    Fault(Fault),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Beyond {
    Window,
    ListLength(usize),
}

/// The data shared by all workers.
pub(crate) struct SearchContext<'i> {
    pub(crate) program: Program<'i>,
    pub(crate) layout: Layout,
    pub(crate) lists: Lists,
    pub(crate) symmetry: Option<Symmetry>,
    pub(crate) max_list_length: Option<usize>,
}

impl SearchContext<'_> {
    /// For concrete runs: no symmetry, and numbers may leave their windows.
    pub(crate) fn concrete(instance: &Instance) -> Result<SearchContext<'_>, TooMany> {
        let layout = Layout::new(instance, false);
        let program = Program::new(instance, &layout)?;
        Ok(SearchContext {
            program,
            layout,
            lists: Lists::default(),
            symmetry: None,
            max_list_length: None,
        })
    }

    pub(crate) fn texts(&self, state: &[i64]) -> Vec<String> {
        let instance = self.program.instance;
        let text = |(slot, value): (&Slot, &i64)| self.lists.text(instance, slot.ty, *value);
        instance.slots.iter().zip(state).map(text).collect()
    }

    /// The display form of a state and of the firing that led to it.
    pub(crate) fn step(&self, firing: Firing, state: Vec<i64>, output: Vec<String>) -> TraceStep {
        TraceStep {
            firing,
            texts: self.texts(&state),
            state,
            output,
        }
    }
}

pub(crate) struct Worker<'s> {
    pub(crate) context: &'s SearchContext<'s>,
    pub(crate) machine: Machine<'s>,
    canonicaliser: Option<Canonicaliser<'s>>,
    /// The interchangeable elements of the current state.
    alike: Option<Alike<'s>>,
    current: Vec<i64>,
    current_words: Vec<u64>,
    /// The packed current state.
    is_packed: bool,
    /// The packed successor, before canonicalisation.
    words: Vec<u64>,
    /// Whether memory lags behind the packed successor.
    lags: bool,
    /// Its canonical form, unpacked and packed.
    canonical: Vec<i64>,
    canonical_words: Vec<u64>,
    /// The packed successor, in canonical form under symmetry.
    pub(crate) key: Vec<u8>,
    changed: Vec<u32>,
    /// Whether memory differs from the current state beyond the recorded changes.
    displaced: bool,
    /// Units that may be enabled in the current state, those whose whole guard must be tested, and scratch space for
    /// the filter.
    candidates: Vec<u64>,
    forced: Vec<u64>,
    settled: Vec<u64>,
    /// The least priority number of the rules enabled in the current state: rules with a larger one do not fire.
    pub(crate) level: i64,
    list_slots: Vec<usize>,
    /// The recorded effects of rules and invariants, and scratch space for the writes of one rule.
    effects: Effects,
    truths: Effects,
    writes: Vec<Write>,
    /// By slot: the multiset that contains it, if any; and scratch space for changed multisets.
    multiset_of: Vec<Option<u32>>,
    touched: Vec<u32>,
    /// Scratch space for saving the state.
    scratch: Vec<i64>,
}

impl<'s> Worker<'s> {
    pub(crate) fn new(context: &'s SearchContext<'s>) -> Worker<'s> {
        let instance = context.program.instance;
        let slots = instance.slots.len();
        let is_list = |slot: &usize| matches!(instance.types[instance.slots[*slot].ty], Type::List { .. });
        Worker {
            context,
            machine: context.program.machine(&context.lists),
            canonicaliser: context
                .symmetry
                .as_ref()
                .map(|symmetry| symmetry.canonicaliser(&context.lists, &context.layout)),
            alike: context
                .symmetry
                .as_ref()
                .and_then(|symmetry| Alike::new(symmetry, &context.program)),
            current: apart(UNDEFINED, slots),
            current_words: apart(0, context.layout.words),
            is_packed: false,
            words: apart(0, context.layout.words),
            lags: false,
            canonical: apart(UNDEFINED, slots),
            canonical_words: apart(0, context.layout.words),
            key: apart(0, context.layout.bytes),
            changed: Vec::with_capacity(slots + 128),
            displaced: false,
            candidates: apart(0, context.program.filter.words()),
            forced: apart(0, context.program.filter.words()),
            settled: apart(0, context.program.filter.words()),
            level: i64::MAX,
            list_slots: (0..slots).filter(is_list).collect(),
            effects: Effects::new(context.program.rules.len()),
            truths: Effects::new(context.program.invariants.len()),
            writes: Vec::new(),
            multiset_of: repeat::multiset_of(instance),
            touched: Vec::new(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn state(&self) -> &[i64] {
        &self.machine.memory[..self.current.len()]
    }

    /// Makes a packed state the current one.
    pub(crate) fn load(&mut self, key: &[u8]) {
        let layout = &self.context.layout;
        if std::mem::replace(&mut self.is_packed, true) {
            // Consecutive states are similar.
            layout.change(&mut self.current_words, key, &mut self.current);
        } else {
            packing::from_bytes(key, &mut self.current_words);
            layout.unpack(&self.current_words, &mut self.current);
        }
        self.restore_all();
        self.find_candidates();
    }

    /// Makes a state current that need not fit the layout; if it does not, `identify` must not be used on its
    /// successors.
    pub(crate) fn load_state(&mut self, state: &[i64]) {
        self.current.copy_from_slice(state);
        self.is_packed = false;
        self.restore_all();
        // A state that does not fit makes its successors misfits as well, which `identify` then reports.
        if self.context.layout.pack(state, &mut self.current_words).is_err() {
            self.current_words.fill(0);
        }
        self.find_candidates();
    }

    fn find_candidates(&mut self) {
        let program = &self.context.program;
        program
            .filter
            .apply(&self.current, &mut self.candidates, &mut self.forced, &mut self.settled);
        if program.prioritised {
            self.find_level();
        }
        if let Some(alike) = &mut self.alike {
            alike.find(&self.current, &self.context.lists);
        }
    }

    /// The number of rule instances with the same successor as this unit up to symmetry: itself and equivalent later
    /// ones. 0 if an earlier one represents it.
    #[inline]
    pub(crate) fn alike(&self, unit: usize) -> u64 {
        self.alike.as_ref().map_or(1, |alike| alike.count(unit))
    }

    /// A guard that cannot be evaluated keeps lower-priority rules from firing: their successors may not exist, and the
    /// search is already marked incomplete.
    #[cold]
    fn find_level(&mut self) {
        let program = &self.context.program;
        let random = self.machine.random.take();
        let output = self.machine.output.take();
        self.level = i64::MAX;
        let mut next = 0;
        while let Some((index, full)) = self.next_candidate(next) {
            next = index + 1;
            let unit = &program.rules[index];
            let enabled = |this: &mut Self, within| match this.guard_holds(unit, within, full) {
                Ok(holds) => holds,
                Err(attempt) => !matches!(attempt, Attempt::Dropped),
            };
            if unit.priority < self.level && (0..unit.count).any(|within| enabled(self, within)) {
                self.level = unit.priority;
            }
        }
        self.machine.random = random;
        self.machine.output = output;
    }

    /// Whether a rule is enabled, for some choices in its guard. Preserves the state.
    pub(crate) fn guard_holds(&mut self, unit: &Unit, within: u32, full: bool) -> Result<bool, Attempt> {
        if !unit.traits.impure_guard {
            return self.enabled(unit, within, full);
        }
        let parameters = &self.context.program.instance.rules[unit.source].parameters;
        self.machine.forget_choices();
        loop {
            self.machine.rewind();
            self.prepare_frame(unit, within, parameters);
            let outcome = match self.machine.run(&unit.code.prologue) {
                Ok(_) => self.machine.test(&unit.code.guard),
                Err(stop) => Err(stop),
            };
            let outcome = outcome.map_err(|stop| self.attempt(stop));
            self.restore_all();
            match outcome {
                // These choices are blocked.
                Ok(false) | Err(Attempt::Dropped) if self.machine.next_choices() => {}
                Err(Attempt::Dropped) => return Ok(false),
                outcome => return outcome,
            }
        }
    }

    /// The pre-state of a start: everything is undefined.
    pub(crate) fn clear(&mut self) {
        self.current.fill(UNDEFINED);
        self.is_packed = false;
        self.current_words.fill(0);
        let _ = self.context.layout.pack(&self.current, &mut self.current_words);
        self.restore_all();
    }

    pub(crate) fn restore_all(&mut self) {
        self.machine.memory[..self.current.len()].copy_from_slice(&self.current);
    }

    /// Undoes the last successor, after `settle`.
    pub(crate) fn restore(&mut self) {
        self.lags = false;
        if std::mem::take(&mut self.displaced) {
            return self.restore_all();
        }
        for &slot in &self.changed {
            self.machine.memory[slot as usize] = self.current[slot as usize];
        }
    }

    /// The next unit from `unit` on that may be enabled, and whether its guard must be tested in full.
    pub(crate) fn next_candidate(&self, unit: usize) -> Option<(usize, bool)> {
        let mut index = unit / 64;
        let mut word = *self.candidates.get(index)? & (u64::MAX << (unit % 64));
        while word == 0 {
            index += 1;
            word = *self.candidates.get(index)?;
        }
        let bit = word.trailing_zeros();
        Some((index * 64 + bit as usize, self.forced[index] >> bit & 1 == 1))
    }

    /// Whether a rule with a pure guard is enabled. Preserves the state.
    pub(crate) fn enabled(&mut self, unit: &Unit, within: u32, full: bool) -> Result<bool, Attempt> {
        let guard = match (full, &unit.residual) {
            (true, _) => &unit.code.guard,
            (false, Some(residual)) => residual,
            (false, None) => return Ok(true),
        };
        self.machine.rewind();
        let parameters = &self.context.program.instance.rules[unit.source].parameters;
        if unit.traits.guard_frame {
            self.prepare_frame(unit, within, parameters);
        }
        let outcome = match self.machine.run(&unit.code.prologue) {
            Ok(_) => self.machine.test(guard),
            Err(stop) => Err(stop),
        };
        outcome.map_err(|stop| self.attempt(stop))
    }

    /// Runs the body of an enabled rule, or of a start, with the machine's vector of choices; an impure guard runs as
    /// well.
    pub(crate) fn fire(&mut self, unit: &Unit, within: u32, start: bool) -> Attempt {
        self.machine.rewind();
        let with_guard = start || unit.traits.impure_guard;
        if unit.traits.body_frame || (with_guard && unit.traits.guard_frame) {
            let instance = self.context.program.instance;
            let rules = if start { &instance.starts } else { &instance.rules };
            self.prepare_frame(unit, within, &rules[unit.source].parameters);
        }
        match self.run_rule(unit, with_guard) {
            Ok(true) => Attempt::Successor,
            Ok(false) => Attempt::Disabled,
            Err(stop) => self.attempt(stop),
        }
    }

    fn run_rule(&mut self, unit: &Unit, with_guard: bool) -> Result<bool, Stop> {
        self.machine.run(&unit.code.prologue)?;
        if with_guard && !self.machine.test(&unit.code.guard)? {
            return Ok(false);
        }
        // If the guard may have changed what the prologue evaluated, the body re-evaluates the prologue.
        self.machine.run(&unit.code.body)?;
        Ok(true)
    }

    fn attempt(&mut self, stop: Stop) -> Attempt {
        match stop {
            Stop::Fault => Attempt::Fault(self.machine.take_fault()),
            Stop::Assumption => Attempt::Dropped,
            Stop::Cut => Attempt::Cut,
        }
    }

    fn prepare_frame(&mut self, unit: &Unit, within: u32, of: &[Parameter]) {
        let start = self.current.len();
        let frame = &mut self.machine.memory[start..start + unit.code.frame];
        if unit.count == 1 && unit.parameters.len() == of.len() {
            let (parameters, rest) = frame.split_at_mut(of.len());
            parameters.copy_from_slice(&unit.parameters);
            rest.fill(UNDEFINED);
        } else {
            frame.fill(UNDEFINED);
            let values = program::parameters(of, u64::from(within));
            frame.iter_mut().zip(values).for_each(|(slot, value)| *slot = value);
        }
    }

    /// Fires an instance of a rule or start in the current state, once for each vector of choices, until `done` returns
    /// true. Restores the memory afterwards.
    pub(crate) fn each_attempt(
        &mut self,
        unit: &Unit,
        within: u32,
        start: bool,
        done: &mut dyn FnMut(&mut Worker<'s>, Attempt) -> bool,
    ) {
        if !start && unit.priority > self.level {
            // It waits, but a fault in its guard is reported now.
            if let Err(attempt) = self.guard_holds(unit, within, true) {
                done(self, attempt);
                self.restore_all();
            }
            return;
        }
        self.machine.forget_choices();
        if start {
            self.clear();
        } else if !unit.traits.impure_guard {
            match self.enabled(unit, within, true) {
                Ok(true) => {}
                Ok(false) => return,
                Err(attempt) => {
                    done(self, attempt);
                    return self.restore_all();
                }
            }
        }
        loop {
            let attempt = self.fire(unit, within, start);
            let end = done(self, attempt);
            self.restore_all();
            if end || !self.machine.next_choices() {
                return;
            }
        }
    }

    /// Sorts the multisets of the successor and finds the changes; true if there are any.
    pub(crate) fn settle(&mut self) -> bool {
        for number in 0..self.context.program.instance.multisets.len() {
            self.sort_multiset(number);
        }
        self.changed.clear();
        let changed = &mut self.changed;
        each_difference(&self.current, &self.machine.memory[..self.current.len()], &mut |slot| {
            changed.push(slot)
        });
        !self.changed.is_empty()
    }

    /// Like `settle`, but faster after a rule that is known to change little.
    pub(crate) fn settle_after(&mut self, unit: &Unit) -> bool {
        let Some(writes) = &unit.writes else {
            return self.settle();
        };
        for &number in &writes.multisets {
            self.sort_multiset(number);
        }
        let differs = |slot: &&u32| self.machine.memory[**slot as usize] != self.current[**slot as usize];
        self.changed.clear();
        self.changed.extend(writes.slots.iter().filter(differs));
        !self.changed.is_empty()
    }

    fn sort_multiset(&mut self, number: usize) {
        let multiset = &self.context.program.instance.multisets[number];
        let region = region(multiset);
        // The current state is sorted.
        if self.machine.memory.get(region.clone()) == self.current.get(region) {
            return;
        }
        let order = |a: i64, b: i64, slot: usize| match self.list_slots.binary_search(&slot) {
            Ok(_) => self.context.lists.compare(a, b),
            Err(_) => a.cmp(&b),
        };
        match self.list_slots.is_empty() {
            true => sort_multiset(&mut self.machine.memory, multiset, |a, b, _| a.cmp(&b)),
            false => sort_multiset(&mut self.machine.memory, multiset, order),
        }
    }

    /// Packs the settled successor; under symmetry in canonical form, which then replaces it in memory.
    pub(crate) fn identify(&mut self) -> Identity {
        let identity = self.pack();
        match identity {
            Identity::Packed(_) if self.canonicaliser.is_some() => {
                let hash = self.find_canonical();
                self.take_canonical();
                Identity::Packed(hash)
            }
            Identity::Packed(_) => {
                self.take_packed();
                identity
            }
            Identity::Cut(_) | Identity::Fault(_) => identity,
        }
    }

    /// Packs the settled successor as it is.
    pub(crate) fn pack(&mut self) -> Identity {
        if self.lags {
            return Identity::Packed(store::hash_words(&self.words));
        }
        if let Some(limit) = self.context.max_list_length {
            let state = &self.machine.memory;
            let too_long = |slot: &usize| {
                let list = state[*slot];
                list != UNDEFINED && usize::try_from(self.context.lists.length(list)).is_ok_and(|n| n > limit)
            };
            if self.list_slots.iter().any(too_long) {
                return Identity::Cut(Beyond::ListLength(limit));
            }
        }
        self.words.copy_from_slice(&self.current_words);
        let packed = self.changed.iter().try_for_each(|&slot| {
            self.context
                .layout
                .patch(&mut self.words, slot as usize, self.machine.memory[slot as usize])
        });
        match packed {
            Ok(()) => Identity::Packed(store::hash_words(&self.words)),
            Err(Misfit::Window) => Identity::Cut(Beyond::Window),
            Err(Misfit::Type { slot }) => Identity::Fault(self.foreign_value(slot)),
        }
    }

    /// The result of `pack`.
    pub(crate) fn packed(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn has_symmetry(&self) -> bool {
        self.canonicaliser.is_some()
    }

    /// Makes the packed successor the key.
    pub(crate) fn take_packed(&mut self) {
        packing::to_bytes(&self.words, &mut self.key);
    }

    /// Makes the canonical form of the packed successor the key, and returns its hash.
    pub(crate) fn find_canonical(&mut self) -> u64 {
        if self.canonicaliser.as_ref().is_some_and(Canonicaliser::compares_states) {
            self.catch_up();
        }
        match &mut self.canonicaliser {
            Some(canonicaliser) if canonicaliser.is_packed() => {
                let state = &self.machine.memory[..self.current.len()];
                canonicaliser.canonicalise_packed(&self.words, state, &mut self.canonical_words);
            }
            _ => self.find_canonical_state(),
        }
        packing::to_bytes(&self.canonical_words, &mut self.key);
        store::hash_words(&self.canonical_words)
    }

    /// Packs the canonical form of the successor in memory.
    fn find_canonical_state(&mut self) {
        self.catch_up();
        let slots = self.current.len();
        self.canonical.copy_from_slice(&self.machine.memory[..slots]);
        self.canonical_words.copy_from_slice(&self.words);
        if let Some(canonicaliser) = &mut self.canonicaliser
            && canonicaliser.canonicalise(&mut self.canonical)
        {
            let (layout, words) = (&self.context.layout, &mut self.canonical_words);
            let canonical = &self.canonical;
            each_difference(&self.machine.memory[..slots], canonical, &mut |slot| {
                layout.repack(words, slot as usize, canonical[slot as usize]);
            });
        }
    }

    /// Replaces the successor in memory by its canonical form.
    pub(crate) fn take_canonical(&mut self) {
        if !self.canonicaliser.as_ref().is_some_and(Canonicaliser::is_packed) {
            self.machine.memory[..self.current.len()].copy_from_slice(&self.canonical);
            self.displaced = true;
            return;
        }
        let lags = std::mem::take(&mut self.lags);
        let words = if lags { &self.current_words } else { &self.words };
        let (memory, changed) = (&mut self.machine.memory, &mut self.changed);
        self.context
            .layout
            .each_difference(words, &self.canonical_words, |slot, value| {
                memory[slot] = value;
                changed.push(slot as u32);
            });
    }

    /// The fault of a successor with a value outside its type, named before canonicalisation.
    pub(crate) fn misfit(&mut self) -> Option<Fault> {
        match self
            .context
            .layout
            .pack(&self.machine.memory[..self.current.len()], &mut self.words)
        {
            Err(Misfit::Type { slot }) => Some(self.foreign_value(slot)),
            Ok(()) | Err(Misfit::Window) => None,
        }
    }

    fn foreign_value(&self, slot: usize) -> Fault {
        let instance = self.context.program.instance;
        let name = instance.slot_name(slot);
        let value = instance.value_name(instance.slots[slot].ty, self.machine.memory[slot]);
        let message = format!("{name} was given the value {value}, which its type does not have");
        Fault::new(FaultKind::OutOfRange, system::Span::default(), message)
    }

    /// Evaluates assumptions and invariants in the state in memory.
    pub(crate) fn check(&mut self) -> Check {
        self.check_some(|_| true)
    }

    /// Evaluates assumptions and the wanted invariants.
    pub(crate) fn check_some(&mut self, wanted: impl Fn(usize) -> bool) -> Check {
        let program = &self.context.program;
        for unit in &program.assumptions {
            match self.holds_everywhere(unit) {
                Ok(true) => {}
                Ok(false) | Err(Stop::Cut | Stop::Assumption) => return Check::LeftOut,
                Err(Stop::Fault) => {
                    return Check::Fault {
                        property: unit.source,
                        fault: self.machine.take_fault(),
                    };
                }
            }
        }
        let invariants = program.invariants.iter().enumerate();
        for (index, unit) in invariants.filter(|(_, unit)| wanted(unit.source)) {
            if self.held_before(index, unit) {
                continue;
            }
            match self.check_and_record(index, unit) {
                // The machine records that a window was left: this property is undetermined here.
                Ok(true) | Err(Stop::Cut | Stop::Assumption) => {}
                Ok(false) => return Check::Violated { property: unit.source },
                Err(Stop::Fault) => {
                    return Check::Fault {
                        property: unit.source,
                        fault: self.machine.take_fault(),
                    };
                }
            }
        }
        Check::Fine
    }

    /// Whether all assumptions hold in the state in memory; an error, with the fault if there is one, if that is
    /// undetermined.
    pub(crate) fn assumptions_hold(&mut self) -> Result<bool, Option<FaultKind>> {
        for unit in &self.context.program.assumptions {
            if !self.truth(unit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a property holds in the state in memory; an error, with the fault if there is one, if that is
    /// undetermined.
    pub(crate) fn truth(&mut self, unit: &Unit) -> Result<bool, Option<FaultKind>> {
        self.holds_everywhere(unit).map_err(|stop| match stop {
            Stop::Fault => Some(self.machine.take_fault().kind),
            Stop::Cut | Stop::Assumption => None,
        })
    }

    /// Marks the cover properties that the state in memory satisfies.
    pub(crate) fn mark_covered(&mut self, covered: &mut [bool]) -> Result<(), (usize, Fault)> {
        for unit in &self.context.program.covers {
            if covered[unit.source] {
                continue;
            }
            for within in 0..unit.count {
                match self.holds(unit, within) {
                    Ok(true) => covered[unit.source] = true,
                    Ok(false) | Err(Stop::Cut | Stop::Assumption) => {}
                    Err(Stop::Fault) => return Err((unit.source, self.machine.take_fault())),
                }
            }
        }
        Ok(())
    }

    fn holds_everywhere(&mut self, unit: &Unit) -> Result<bool, Stop> {
        for within in 0..unit.count {
            if !self.holds(unit, within)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&mut self, unit: &Unit, within: u32) -> Result<bool, Stop> {
        self.machine.rewind();
        if unit.traits.guard_frame {
            let parameters = &self.context.program.instance.properties[unit.source].parameters;
            self.prepare_frame(unit, within, parameters);
        }
        if !unit.traits.impure_guard {
            self.machine.run(&unit.code.prologue)?;
            return self.machine.test(&unit.code.guard);
        }
        // Effects of a property on the state must not persist.
        let slots = self.current.len();
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.machine.memory[..slots]);
        self.machine.forget_choices();
        let result = match self.machine.run(&unit.code.prologue) {
            Ok(_) => self.machine.test(&unit.code.guard),
            Err(stop) => Err(stop),
        };
        self.machine.memory[..slots].copy_from_slice(&self.scratch);
        result
    }
}

/// The slots of a multiset.
fn region(multiset: &Multiset) -> std::ops::Range<usize> {
    multiset.base..multiset.base + multiset.capacity * (multiset.stride + 1)
}

/// Reports the slots in which two states of equal length differ.
#[inline]
fn each_difference(old: &[i64], new: &[i64], tell: &mut impl FnMut(u32)) {
    let (old, old_rest) = old.as_chunks::<8>();
    let (new, new_rest) = new.as_chunks::<8>();
    let mut start = 0u32;
    for (old, new) in old.iter().zip(new) {
        // In vectors: most are equal.
        let difference = old.iter().zip(new).fold(0, |sum, (old, new)| sum | (old ^ new));
        if difference != 0 {
            for (slot, (old, new)) in (start..).zip(old.iter().zip(new)) {
                if old != new {
                    tell(slot);
                }
            }
        }
        start += 8;
    }
    for (slot, (old, new)) in (start..).zip(old_rest.iter().zip(new_rest)) {
        if old != new {
            tell(slot);
        }
    }
}

/// Moves the present elements of a multiset to the front, sorts them, and makes the rest undefined.
pub(crate) fn sort_multiset(
    memory: &mut [i64],
    multiset: &Multiset,
    compare: impl Fn(i64, i64, usize) -> std::cmp::Ordering,
) {
    let width = multiset.stride + 1;
    let Some(region) = memory.get_mut(multiset.base..multiset.base + multiset.capacity * width) else {
        return;
    };
    let less = |a: &[i64], b: &[i64]| {
        let orders = (0..width).map(|offset| compare(a[offset], b[offset], multiset.base + offset));
        orders.into_iter().find(|order| order.is_ne()) == Some(std::cmp::Ordering::Less)
    };
    // Insertion sort: a rule adds or removes few elements, and the others are sorted already.
    let mut present = 0;
    for number in 0..multiset.capacity {
        if region[number * width] != 1 {
            continue;
        }
        let mut place = number;
        let (before, element) = region.split_at_mut(number * width);
        let last = before
            .chunks_exact(width)
            .take(present)
            .rposition(|other| !less(&element[..width], other));
        let wanted = last.map_or(0, |last| last + 1);
        if wanted != place {
            // Everything in between is sorted or absent.
            place = wanted;
            region[place * width..(number + 1) * width].rotate_right(width);
        }
        present += 1;
    }
    region[present * width..].fill(UNDEFINED);
}
