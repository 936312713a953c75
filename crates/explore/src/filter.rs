//! Determines which rules may be enabled: one bit set of units for each value of each tested slot.
//!
//! Most guards begin with tests of single slots, such as `P[i] = L3 & i != Home`. Each such slot and value has a bit
//! set of the units whose test it satisfies; the intersection over a state leaves few units. This must not hide faults:
//! if a test fails instead of answering (the slot is undefined), its unit is forced and its whole guard is evaluated in
//! order, unless a test before everything that may fail shows that the guard is false (`Count > 0 & Head = Ack`:
//! without messages there is no head). For a unit that passes unforced, all tested conjuncts are true, and only the
//! rest of its guard is evaluated.

use crate::code::Expression;
use crate::inspect::{self, Use};
use crate::lists::Lists;
use crate::packing::Layout;
use crate::program::{Program, Unit};
use crate::vm::Machine;
use std::collections::{BTreeMap, BTreeSet};
use system::instance::UNDEFINED;

/// The maximum total size of bit sets, in words; further slots are left to the guards.
const ROOM: usize = 4 << 20;

#[derive(Default, Debug)]
pub(crate) struct Filter {
    /// Words per bit set.
    words: usize,
    /// Units that no constant guard rules out.
    base: Vec<u64>,
    tests: Vec<SlotTests>,
}

#[derive(Debug)]
struct SlotTests {
    slot: usize,
    low: i64,
    count: u64,
    /// Bit sets for undefined, for each value, and for values outside the type.
    rows: Vec<u64>,
    /// Units whose test fails, with the same indices; `None` if there are none.
    forced: Vec<Option<Box<[u64]>>>,
    /// Units whose guard is false regardless of later tests, likewise.
    settled: Vec<Option<Box<[u64]>>>,
}

/// The result of a test for one value of the slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Holds,
    Fails,
    Stops,
}

struct Test {
    unit: usize,
    slot: usize,
    /// For undefined and each value.
    answers: Vec<Answer>,
    /// Whether no earlier test can fail.
    decides: bool,
}

impl Filter {
    /// The filter, and the remaining guard of each unit.
    pub(crate) fn new(program: &Program, layout: &Layout) -> (Filter, Vec<Option<Expression>>) {
        let lists = Lists::default();
        let words = program.rules.len().div_ceil(64);
        let mut base = vec![0; words];
        let mut residuals = Vec::with_capacity(program.rules.len());
        let mut analyst = Analyst {
            machine: program.machine(&lists),
            layout,
            words,
            room: ROOM,
            tests: Vec::new(),
            slots: BTreeSet::new(),
        };
        for (number, unit) in program.rules.iter().enumerate() {
            let (impossible, residual) = analyst.analyse(number, unit);
            if !impossible {
                set(&mut base, number);
            }
            residuals.push(residual);
        }
        let tests = analyst.tests;
        let mut by_slot: BTreeMap<usize, SlotTests> = BTreeMap::new();
        for test in tests {
            let Some((low, count)) = layout.small_domain(test.slot) else {
                continue;
            };
            let codes = count as usize + 2;
            let entry = by_slot.entry(test.slot).or_insert_with(|| SlotTests {
                slot: test.slot,
                low,
                count,
                rows: vec![u64::MAX; codes * words],
                forced: vec![None; codes],
                settled: vec![None; codes],
            });
            entry.add(&test, words);
        }
        let tests = by_slot.into_values().collect();
        (Filter { words, base, tests }, residuals)
    }

    /// Sets the bits of units that may be enabled, and of those whose guards must be evaluated in full. `settled` is
    /// scratch space.
    pub(crate) fn apply(&self, state: &[i64], candidates: &mut [u64], forced: &mut [u64], settled: &mut [u64]) {
        candidates.copy_from_slice(&self.base);
        forced.fill(0);
        // Narrow bit sets are kept in registers.
        let some_forced = match self.words {
            1 => self.keep::<1>(state, candidates, forced),
            2 => self.keep::<2>(state, candidates, forced),
            3 => self.keep::<3>(state, candidates, forced),
            4 => self.keep::<4>(state, candidates, forced),
            words => {
                let mut some_forced = false;
                for test in &self.tests {
                    let code = test.code(state[test.slot]);
                    let row = &test.rows[code * words..(code + 1) * words];
                    for (candidate, keep) in candidates.iter_mut().zip(row) {
                        *candidate &= keep;
                    }
                    some_forced |= add(&test.forced[code], forced);
                }
                some_forced
            }
        };
        if !some_forced {
            return;
        }
        settled.fill(0);
        for test in &self.tests {
            add(&test.settled[test.code(state[test.slot])], settled);
        }
        for ((candidate, forced), settled) in candidates.iter_mut().zip(forced).zip(settled) {
            *forced &= !*settled;
            *candidate |= *forced;
        }
    }

    /// Removes candidates that a test rules out and adds forced ones; true if any remain.
    fn keep<const WORDS: usize>(&self, state: &[i64], candidates: &mut [u64], forced: &mut [u64]) -> bool {
        let Some(kept) = candidates.first_chunk_mut::<WORDS>() else {
            return false;
        };
        let mut some_forced = false;
        let mut keep = *kept;
        for test in &self.tests {
            let code = test.code(state[test.slot]);
            let row = &test.rows.as_chunks::<WORDS>().0[code];
            for (keep, word) in keep.iter_mut().zip(row) {
                *keep &= word;
            }
            some_forced |= add(&test.forced[code], forced);
        }
        *kept = keep;
        some_forced
    }

    pub(crate) fn words(&self) -> usize {
        self.words
    }
}

impl SlotTests {
    #[inline]
    fn code(&self, value: i64) -> usize {
        if value == UNDEFINED {
            return 0;
        }
        let code = value.wrapping_sub(self.low).cast_unsigned();
        code.min(self.count) as usize + 1
    }

    fn add(&mut self, test: &Test, words: usize) {
        for (code, answer) in test.answers.iter().enumerate() {
            match answer {
                Answer::Holds => {}
                Answer::Fails => {
                    clear(&mut self.rows[code * words..], test.unit);
                    if test.decides {
                        let units = self.settled[code].get_or_insert_with(|| vec![0; words].into());
                        set(units, test.unit);
                    }
                }
                Answer::Stops => {
                    let units = self.forced[code].get_or_insert_with(|| vec![0; words].into());
                    set(units, test.unit);
                }
            }
        }
    }
}

/// Finds the tests at the start of guards.
struct Analyst<'a> {
    machine: Machine<'a>,
    layout: &'a Layout,
    /// Words per bit set, and the remaining budget of words.
    words: usize,
    room: usize,
    tests: Vec<Test>,
    /// Slots with bit sets.
    slots: BTreeSet<usize>,
}

impl Analyst<'_> {
    /// Whether a guard can only fail or be false, and its remaining part.
    fn analyse(&mut self, number: usize, unit: &Unit) -> (bool, Option<Expression>) {
        let guard = &unit.code.guard;
        let whole = || Some(guard.clone());
        if unit.count != 1 || !unit.code.prologue.is_empty() {
            return (false, whole());
        }
        let parts = match guard {
            Expression::And(parts) => &parts[..],
            single => std::slice::from_ref(single),
        };
        let mut tested = 0;
        let mut decides = true;
        for part in parts {
            match part {
                Expression::Constant(0) => return (true, whole()),
                Expression::Constant(_) => {}
                part => match self.domain(part) {
                    Some((slot, low, count)) => {
                        let values = (0..count.cast_signed()).map(|value| low + value);
                        let values = std::iter::once(UNDEFINED).chain(values);
                        let answers: Vec<Answer> = values.map(|value| self.evaluate_test(part, slot, value)).collect();
                        let may_fail = answers.contains(&Answer::Stops);
                        self.tests.push(Test {
                            unit: number,
                            slot,
                            answers,
                            decides,
                        });
                        decides &= !may_fail;
                    }
                    None => break,
                },
            }
            tested += 1;
        }
        if unit.traits.impure_guard {
            // If its first tests hold, it is evaluated in full: they precede all its effects and choices.
            return (false, whole());
        }
        match &parts[tested..] {
            [] => (false, None),
            [rest] => (false, Some(rest.clone())),
            rest => (false, Some(Expression::And(rest.into()))),
        }
    }

    /// The slot that a condition depends on, its least value and the number of its values, if it is a single slot with
    /// few values and the budget suffices.
    fn domain(&mut self, part: &Expression) -> Option<(usize, i64, u64)> {
        let slot = single_slot(part)?;
        let (low, count) = self.layout.small_domain(slot)?;
        if !self.slots.contains(&slot) {
            self.room = self.room.checked_sub((count as usize + 2) * self.words)?;
            self.slots.insert(slot);
        }
        Some((slot, low, count))
    }

    fn evaluate_test(&mut self, part: &Expression, slot: usize, value: i64) -> Answer {
        self.machine.rewind();
        self.machine.memory[slot] = value;
        let answer = self.machine.test(part);
        self.machine.memory[slot] = UNDEFINED;
        match answer {
            Ok(true) => Answer::Holds,
            Ok(false) => Answer::Fails,
            Err(_) => Answer::Stops,
        }
    }
}

/// The one slot of the state that an expression depends on, if it is otherwise pure.
fn single_slot(part: &Expression) -> Option<usize> {
    let mut slot = None;
    let mut simple = true;
    inspect::expression(part, &mut |usage| match usage {
        Use::Read(start, 1) if slot.is_none_or(|slot| slot == start) => slot = Some(start),
        _ => simple = false,
    });
    slot.filter(|_| simple).map(|slot| slot as usize)
}

/// Adds a bit set, if there is one.
#[inline]
fn add(row: &Option<Box<[u64]>>, sum: &mut [u64]) -> bool {
    if let Some(row) = row {
        sum.iter_mut().zip(row).for_each(|(sum, word)| *sum |= word);
    }
    row.is_some()
}

fn set(bits: &mut [u64], number: usize) {
    bits[number / 64] |= 1 << (number % 64);
}

fn clear(bits: &mut [u64], number: usize) {
    bits[number / 64] &= !(1 << (number % 64));
}
