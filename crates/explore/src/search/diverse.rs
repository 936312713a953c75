//! A search for diverse states, for state spaces too large to explore completely.
//!
//! The novelty of a state is the size of the smallest combination of slot values that no earlier state had: a single
//! value, a pair, or a triple (N. Lipovetzky and H. Geffner, "Width and serialization of classical planning problems",
//! ECAI 2012). States of the smallest size are expanded first, and those without any new combination last. A
//! breadth-first search with the same limit would only see states near the initial ones, and would often miss a
//! reachable combination of few values.

use super::sequential::{Kept, visitor};
use super::visit::{States, Tally};
use super::{Found, Run};
use crate::packing::from_bytes;
use crate::random::Random;
use crate::store::Store;
use crate::worker::Worker;
use std::collections::VecDeque;

/// If there are more initial states than this, a random sample of this size is used.
const STARTS: u64 = 200;
/// The size in bits of the hash table of seen combinations.
const BITS: usize = 1 << 27;
/// One in this many triples of slots is tracked: a state with one new triple usually has many.
const STRIDE: usize = 8;

/// The order in which states are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Breadth,
    Newest,
}

/// Searches up to the limit of states, in the given order.
pub(super) fn search(run: &Run, order: Order) -> Found {
    let mut worker = Worker::new(run.context);
    let mut kept = Kept::new(run);
    let mut tally = Tally::new(run.context.program.instance);
    let limit = match order {
        Order::Newest => STARTS,
        Order::Breadth => run.options.max_states.unwrap_or(u64::MAX),
    };
    let mut halted = visitor(run, &mut worker, &mut kept, &mut tally)
        .some_starts(limit, &mut Random::new(0))
        .is_err();
    let starts = kept.store.len();
    let mut frontier = Frontier::new(run, order);
    (0..starts).for_each(|number| frontier.add(&kept.store, number, None));
    while !halted && let Some(next) = frontier.next() {
        if let Some(why) = super::sequential::limit_reached(run, u64::from(kept.store.len())).or_else(|| run.expired())
        {
            tally.incomplete = Some(why);
            break;
        }
        let known = kept.store.len();
        worker.load(kept.store.get(next));
        halted = visitor(run, &mut worker, &mut kept, &mut tally).expand(next).is_err();
        (known..kept.store.len()).for_each(|number| frontier.add(&kept.store, number, Some(next)));
    }
    let bytes = kept.memory();
    Found {
        tally,
        states: States {
            stores: vec![kept.store],
        },
        starts: u64::from(starts),
        max_depth: 0,
        bytes,
    }
}

/// States to expand, most novel first.
struct Frontier<'r> {
    run: &'r Run<'r>,
    order: Order,
    /// Indexed by the size of the smallest new combination minus 1; states without any are last.
    queues: [VecDeque<u32>; 4],
    seen: Vec<u64>,
    words: Vec<u64>,
    state: Vec<i64>,
    parent: Vec<i64>,
}

impl<'r> Frontier<'r> {
    fn new(run: &'r Run<'r>, order: Order) -> Frontier<'r> {
        let width = run.context.program.instance.slots.len();
        Frontier {
            run,
            order,
            queues: Default::default(),
            seen: match order {
                Order::Breadth => Vec::new(),
                Order::Newest => vec![0; BITS / 64],
            },
            words: vec![0; run.context.layout.words],
            state: vec![0; width],
            parent: vec![0; width],
        }
    }

    fn next(&mut self) -> Option<u32> {
        self.queues.iter_mut().find_map(VecDeque::pop_front)
    }

    fn add(&mut self, store: &Store, number: u32, parent: Option<u32>) {
        if self.order == Order::Breadth {
            return self.queues[0].push_back(number);
        }
        from_bytes(store.get(number), &mut self.words);
        self.run.context.layout.unpack(&self.words, &mut self.state);
        let changed: Vec<usize> = match parent {
            None => (0..self.state.len()).collect(),
            Some(parent) => {
                from_bytes(store.get(parent), &mut self.words);
                self.run.context.layout.unpack(&self.words, &mut self.parent);
                let differs = |slot: &usize| self.state[*slot] != self.parent[*slot];
                (0..self.state.len()).filter(differs).collect()
            }
        };
        let newness = self.mark(&changed);
        self.queues[newness].push_back(number);
    }

    /// Marks the combinations that include a changed slot; the parent had all others. Returns the size of the smallest
    /// new one minus 1.
    fn mark(&mut self, changed: &[usize]) -> usize {
        let code = |(slot, value): (u64, &i64)| mixed(slot << 40 ^ value.cast_unsigned());
        let codes: Vec<u64> = (0..).zip(&self.state).map(code).collect();
        // A combination of several changed slots is visited once, at the last of them.
        let mut others: Vec<usize> = (0..codes.len()).filter(|slot| !changed.contains(slot)).collect();
        let mut newness = 3;
        for &first in changed {
            if self.is_new(codes[first]) {
                newness = 0;
            }
            for (number, &second) in others.iter().enumerate() {
                let pair = codes[first].wrapping_add(codes[second]);
                if self.is_new(mixed(pair)) {
                    newness = newness.min(1);
                }
                for &third in &others[..number] {
                    if (first + second + third) % STRIDE == 0 && self.is_new(mixed(pair.wrapping_add(codes[third]))) {
                        newness = newness.min(2);
                    }
                }
            }
            others.push(first);
        }
        newness
    }

    fn is_new(&mut self, code: u64) -> bool {
        let bit = code as usize % BITS;
        let word = &mut self.seen[bit / 64];
        let is_new = *word >> (bit % 64) & 1 == 0;
        *word |= 1 << (bit % 64);
        is_new
    }
}

/// Scrambles the bits of a number.
fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ number >> 32
}
