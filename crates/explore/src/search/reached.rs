//! Reachable states as plain vectors, for engines that learn from examples.

use super::diverse::{self, Order};
use super::visit::{Sink, Tally, Visitor};
use super::{Found, Incomplete, Run, SearchOptions, search_context};
use crate::packing::from_bytes;
use crate::stack::on_large_stack;
use crate::store::Origin;
use crate::worker::{SearchContext, Worker};
use logic::Cancellation;
use std::time::Instant;
use system::instance::{Instance, Type};
use system::{ReachedStates, Successors};

/// Searches like [`super::explore`] on one thread, and returns the states seen before a limit or the first violation.
pub fn reached_states(instance: &Instance, options: &SearchOptions, cancellation: &Cancellation) -> ReachedStates {
    Sampler::new(instance, options, cancellation).map_or_else(ReachedStates::default, |sampler| sampler.breadth())
}

/// Samples reachable states of an instance.
pub struct Sampler<'i> {
    context: SearchContext<'i>,
    options: SearchOptions,
    cancellation: &'i Cancellation,
}

impl<'i> Sampler<'i> {
    /// `None` for an instance that is too large.
    pub fn new(instance: &'i Instance, options: &SearchOptions, cancellation: &'i Cancellation) -> Option<Sampler<'i>> {
        let options = options.clone();
        let context = search_context(instance, &options).ok()?;
        Some(Sampler {
            context,
            options,
            cancellation,
        })
    }

    /// States near the initial ones.
    pub fn breadth(&self) -> ReachedStates {
        on_large_stack(&mut || self.search(Order::Breadth))
    }

    /// Diverse states (see [`diverse`]).
    pub fn diverse(&self) -> ReachedStates {
        on_large_stack(&mut || self.search(Order::Newest))
    }

    fn run(&self) -> Run<'_> {
        Run {
            context: &self.context,
            options: &self.options,
            cancellation: self.cancellation,
            started: Instant::now(),
        }
    }

    fn search(&self, order: Order) -> ReachedStates {
        let Found { tally, states, .. } = diverse::search(&self.run(), order);
        let numbers = 0..u32::try_from(states.len()).unwrap_or(u32::MAX);
        let mut reached = self.rows(numbers.map(|number| states.get(number)));
        let windowed = self.context.program.instance.windowed;
        reached.complete = tally.incomplete.is_none() && tally.failures.is_empty() && !windowed;
        let is_limit = |why: Incomplete| !matches!(why, Incomplete::IntegerWindow);
        reached.cut = tally.incomplete.is_some_and(is_limit);
        reached
    }

    /// Packed states as vectors.
    fn rows<'k>(&self, keys: impl Iterator<Item = &'k [u8]>) -> ReachedStates {
        let instance = self.context.program.instance;
        let width = instance.slots.len();
        let mut reached = ReachedStates {
            width,
            ..ReachedStates::default()
        };
        let is_list = |slot: &usize| matches!(instance.types[instance.slots[*slot].ty], Type::List { .. });
        let list_slots: Vec<usize> = (0..width).filter(is_list).collect();
        let mut words = vec![0; self.context.layout.words];
        let mut state = vec![0; width];
        for key in keys {
            from_bytes(key, &mut words);
            self.context.layout.unpack(&words, &mut state);
            reached.slots.extend_from_slice(&state);
            for slot in &list_slots {
                let elements = || self.context.lists.elements(state[*slot]);
                reached.lists.entry(state[*slot]).or_insert_with(elements);
            }
        }
        reached
    }
}

impl Successors for Sampler<'_> {
    fn successors(&self, states: &[&[i64]]) -> Vec<ReachedStates> {
        let mut work = || {
            let run = self.run();
            let mut worker = Worker::new(&self.context);
            let mut after = |state: &&[i64]| {
                worker.load_state(state);
                let mut keys = Keys::default();
                let mut tally = Tally::new(self.context.program.instance);
                let mut visitor = Visitor {
                    worker: &mut worker,
                    sink: &mut keys,
                    tally: &mut tally,
                    run: &run,
                };
                // States after a violation are omitted.
                let _ = visitor.expand(0);
                self.rows(keys.0.iter().map(Vec::as_slice))
            };
            states.iter().map(&mut after).collect()
        };
        on_large_stack(&mut work)
    }
}

/// Collects every state.
#[derive(Default)]
struct Keys(Vec<Vec<u8>>);

impl Sink for Keys {
    fn knows(&self, _: u64, _: &[u8]) -> bool {
        false
    }

    fn take(&mut self, _: u64, key: &[u8], _: Origin) -> bool {
        self.0.push(key.to_vec());
        true
    }

    fn size(&self) -> (u64, u64) {
        let bytes = self.0.iter().map(Vec::len).sum::<usize>();
        (self.0.len() as u64, bytes as u64)
    }
}
