//! Parallel search, level by level, with the same result as the sequential search.
//!
//! A level is processed in batches, and a batch in chunks. First, threads take chunks and expand their states. The
//! stores are read-only in this phase; each thread gathers its new successors with their place in the search order.
//! Then each store, on a thread of its own, inserts its successors in that order: the first occurrence of a state is
//! the one that the sequential search would find. States therefore get the same origins, and levels the same order,
//! regardless of the number of threads and the size of batches. A batch with a failure is repeated on one thread, which
//! stops exactly where the sequential search would. There are no locks.

use super::sequential::{Clock, limit_reached};
use super::visit::{Sink, States, Tally, Visitor};
use super::{Found, Incomplete, Observer, Run, SearchProgress};
use crate::recent::Recent;
use crate::stack;
use crate::store::{NONE, Origin, Store};
use crate::worker::Worker;
use hashbrown::HashTable;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// States expanded between two accesses to the shared counter.
const CHUNK: usize = 64;
/// The target duration of a batch.
const BATCH_TIME: Duration = Duration::from_millis(60);
/// Levels smaller than this are not worth waking threads.
const WORTH_THREADS: usize = 256;

/// New states that one thread gathered for one store.
#[derive(Default)]
struct Gathered {
    keys: Vec<u8>,
    states: Vec<Candidate>,
}

struct Candidate {
    hash: u64,
    origin: Origin,
    /// The place in the search order: the chunk, and the number of earlier finds in it.
    order: u64,
}

/// The working data of one thread, on cache lines of its own to avoid false sharing.
#[repr(align(128))]
struct Lane<'r> {
    worker: Worker<'r>,
    /// One for each store.
    gathered: Vec<Gathered>,
    /// The store and position of each gathered state.
    seen: HashTable<(u32, u32)>,
    /// Successors that this thread has processed; their states are stored or gathered.
    recent: Recent,
    tally: Tally,
    halted: bool,
}

impl<'r> Lane<'r> {
    fn new(run: &Run<'r>, stores: usize) -> Lane<'r> {
        Lane {
            worker: Worker::new(run.context),
            gathered: (0..stores).map(|_| Gathered::default()).collect(),
            seen: HashTable::new(),
            recent: Recent::new(run.context.layout.words),
            tally: Tally::new(run.context.program.instance),
            halted: false,
        }
    }

    fn clear(&mut self) {
        for gathered in &mut self.gathered {
            gathered.keys.clear();
            gathered.states.clear();
        }
        self.seen.clear();
        self.tally.clear();
        self.halted = false;
    }

    fn memory(&self) -> usize {
        let gathered = |g: &Gathered| g.keys.len() + g.states.len() * size_of::<Candidate>();
        let tables = self.seen.capacity() * 10 + self.recent.memory() as usize;
        self.gathered.iter().map(gathered).sum::<usize>() + tables
    }

    /// Whether an event occurred that depends on the search order.
    fn failed(&self) -> bool {
        !self.tally.failures.is_empty()
    }

    /// Expands states, or runs the starts if none are given.
    fn gather(&mut self, run: &Run, states: &States, chunk: usize, part: Option<&[u32]>) {
        let mut gatherer = Gatherer {
            states,
            width: run.context.layout.bytes,
            gathered: &mut self.gathered,
            seen: &mut self.seen,
            recent: &mut self.recent,
            order: (chunk as u64) << 32,
        };
        let mut visitor = Visitor {
            worker: &mut self.worker,
            sink: &mut gatherer,
            tally: &mut self.tally,
            run,
        };
        self.halted = match part {
            None => visitor.starts().is_err(),
            Some(part) => part.iter().any(|state| {
                visitor.worker.load(states.get(*state));
                visitor.expand(*state).is_err()
            }),
        };
    }
}

/// Gathers the new states of a chunk.
struct Gatherer<'g> {
    states: &'g States,
    width: usize,
    gathered: &'g mut Vec<Gathered>,
    seen: &'g mut HashTable<(u32, u32)>,
    recent: &'g mut Recent,
    order: u64,
}

/// The number of stores is a power of two; hash bits that the tables do not use select the store.
fn store_of(hash: u64, stores: usize) -> usize {
    (hash >> 40) as usize & (stores - 1)
}

impl Sink for Gatherer<'_> {
    fn knows(&self, hash: u64, key: &[u8]) -> bool {
        let store = store_of(hash, self.states.stores.len());
        if self.states.stores[store].find(hash, key).is_some() {
            return true;
        }
        let gathered = &self.gathered[store];
        let same = |entry: &(u32, u32)| {
            let start = entry.1 as usize * self.width;
            entry.0 as usize == store && &gathered.keys[start..start + self.width] == key
        };
        self.seen.find(hash, same).is_some()
    }

    fn take(&mut self, hash: u64, key: &[u8], origin: Origin) -> bool {
        let store = store_of(hash, self.states.stores.len());
        let gathered = &mut self.gathered[store];
        let entry = (store as u32, gathered.states.len() as u32);
        gathered.keys.extend_from_slice(key);
        gathered.states.push(Candidate {
            hash,
            origin,
            order: self.order,
        });
        self.order += 1;
        let gathered = &self.gathered;
        let rehash = |entry: &(u32, u32)| gathered[entry.0 as usize].states[entry.1 as usize].hash;
        self.seen.insert_unique(hash, entry, rehash);
        true
    }

    fn remembers(&self, hash: u64, packed: &[u64]) -> bool {
        self.recent.contains(hash, packed)
    }

    fn remember(&mut self, hash: u64, packed: &[u64]) {
        self.recent.add(hash, packed);
    }

    fn size(&self) -> (u64, u64) {
        let states = self
            .gathered
            .iter()
            .map(|gathered| gathered.states.len())
            .sum::<usize>();
        let bytes = states * (self.width + size_of::<Candidate>());
        (self.states.len() + states as u64, self.states.memory() + bytes as u64)
    }
}

pub(super) fn search(run: &Run, observer: &mut dyn Observer) -> Found {
    let jobs = run.options.jobs.min(64);
    let stores = jobs.next_power_of_two();
    let new_store = |_| Store::new(run.context.layout.bytes, run.options.traces);
    let mut search = Search {
        run,
        lanes: (0..jobs).map(|_| Lane::new(run, stores)).collect(),
        states: States {
            stores: (0..stores).map(new_store).collect(),
        },
        tally: Tally::new(run.context.program.instance),
        frontier: Vec::new(),
        next: Vec::new(),
        bytes: 0,
    };
    search.lanes[0].gather(run, &search.states, 0, None);
    let halted = search.merge();
    let starts = search.next.len() as u64;
    let max_depth = if halted { 0 } else { search.levels(observer) };
    Found {
        tally: search.tally,
        states: search.states,
        starts,
        max_depth,
        bytes: search.bytes,
    }
}

struct Search<'r> {
    run: &'r Run<'r>,
    lanes: Vec<Lane<'r>>,
    states: States,
    tally: Tally,
    frontier: Vec<u32>,
    next: Vec<u32>,
    bytes: u64,
}

impl Search<'_> {
    /// Processes the levels; returns the depth of the last.
    fn levels(&mut self, observer: &mut dyn Observer) -> u32 {
        let mut depth = 0;
        let mut clock = Clock::new(self.run);
        let mut batch = 1024;
        loop {
            self.frontier = std::mem::take(&mut self.next);
            if self.frontier.is_empty() {
                return depth.max(1) - 1;
            }
            if self.run.options.max_depth.is_some_and(|limit| depth >= limit) {
                self.tally.cut(Incomplete::DepthLimit(depth));
                return depth;
            }
            depth += 1;
            let mut done = 0;
            while done < self.frontier.len() {
                if let Some(why) = self.limits(&mut clock, observer, depth - 1, done) {
                    self.tally.incomplete = Some(why);
                    return if self.next.is_empty() { depth - 1 } else { depth };
                }
                let started = Instant::now();
                let size = batch.min(self.frontier.len() - done).min(self.room(done));
                if self.batch(done, size) {
                    return if self.next.is_empty() { depth - 1 } else { depth };
                }
                done += size;
                batch = next_batch(batch, size, started.elapsed());
            }
        }
    }

    fn limits(&self, clock: &mut Clock, observer: &mut dyn Observer, depth: u32, done: usize) -> Option<Incomplete> {
        let progress = || SearchProgress {
            states: self.states.len(),
            rules_fired: self.tally.fired.iter().sum(),
            depth,
            queue: (self.frontier.len() - done + self.next.len()) as u64,
            bytes: self.bytes,
            elapsed: Duration::ZERO,
        };
        limit_reached(self.run, self.states.len()).or_else(|| clock.tick(self.run, observer, progress))
    }

    /// The number of states to expand without passing the limit of states by much, if they have as many successors as
    /// those before.
    fn room(&self, done: usize) -> usize {
        let Some(limit) = self.run.options.max_states else {
            return usize::MAX;
        };
        let seen = self.states.len();
        let waiting = (self.frontier.len() - done + self.next.len()) as u64;
        let share = (seen - waiting) as f64 / seen as f64;
        ((limit.saturating_sub(seen) as f64 * share) as usize).max(CHUNK)
    }

    /// Expands part of the frontier; returns whether the search ends here.
    fn batch(&mut self, start: usize, size: usize) -> bool {
        let part = &self.frontier[start..start + size];
        let threads = if size < WORTH_THREADS { 1 } else { self.lanes.len() };
        if threads > 1 {
            let (run, states) = (self.run, &self.states);
            let next = AtomicUsize::new(0);
            in_parallel(&mut self.lanes, |lane| take_chunks(run, states, lane, part, &next));
        }
        if threads == 1 || self.lanes.iter().any(Lane::failed) {
            // Successors of a discarded batch are no longer known.
            for lane in self.lanes.iter_mut().filter(|_| threads > 1) {
                lane.clear();
                lane.recent.clear();
            }
            self.lanes[0].gather(self.run, &self.states, 0, Some(part));
        }
        self.merge()
    }

    /// Inserts gathered states. Returns whether the search ends here.
    fn merge(&mut self) -> bool {
        let width = self.run.context.layout.bytes;
        let stores = self.states.stores.len();
        let lanes = &self.lanes;
        let mut takers: Vec<Taker> = (0..).zip(&mut self.states.stores).map(Taker::new).collect();
        let gathered: usize = lanes
            .iter()
            .flat_map(|lane| &lane.gathered)
            .map(|g| g.states.len())
            .sum();
        if gathered < WORTH_THREADS {
            takers.iter_mut().for_each(|taker| taker.take(lanes, stores, width));
        } else {
            in_parallel(&mut takers, |taker| taker.take(lanes, stores, width));
        }
        let complete = takers.iter().all(|taker| !taker.full);
        let mut order: Vec<(u64, u32)> = takers.into_iter().flat_map(|taker| taker.added).collect();
        // One sorted run per store, which the library's stable sort merges quickly.
        order.sort();
        self.next.extend(order.into_iter().map(|(_, number)| number));
        let queue = 4 * (self.frontier.len() + self.next.len());
        let buffers: usize = self.lanes.iter().map(Lane::memory).sum();
        self.bytes = self.bytes.max(self.states.memory() + (queue + buffers) as u64);
        let mut end = !complete;
        for lane in &mut self.lanes {
            end |= lane.halted;
            end |= self.tally.absorb(&lane.tally, self.run.options);
            lane.clear();
        }
        if !complete {
            self.tally.cut(Incomplete::StateLimit(u64::from(NONE)));
        }
        end
    }
}

/// Processes each item, on as many threads as the system provides.
fn in_parallel<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let left_over: Vec<usize> = thread::scope(|scope| {
        let mut items = items.iter_mut().enumerate();
        let first = items.next();
        let given_away = |(number, item): (usize, _)| match stack::spawn(scope, || work(item)) {
            Some(_) => None,
            None => Some(number),
        };
        let left_over = items.filter_map(given_away).collect();
        first.into_iter().for_each(|(_, item)| work(item));
        left_over
    });
    left_over.into_iter().for_each(|number| work(&mut items[number]));
}

/// Expands chunks of a batch until none is left.
fn take_chunks(run: &Run, states: &States, lane: &mut Lane, part: &[u32], next: &AtomicUsize) {
    while !lane.halted && !lane.failed() {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let start = number * CHUNK;
        if start >= part.len() {
            return;
        }
        let end = part.len().min(start + CHUNK);
        lane.gather(run, states, number, Some(&part[start..end]));
    }
}

/// Inserts the states that belong to one store.
struct Taker<'s> {
    which: usize,
    store: &'s mut Store,
    /// The order and numbers of new states.
    added: Vec<(u64, u32)>,
    /// Whether 32 bits do not suffice to number the states.
    full: bool,
}

impl<'s> Taker<'s> {
    fn new((which, store): (usize, &'s mut Store)) -> Taker<'s> {
        Taker {
            which,
            store,
            added: Vec::new(),
            full: false,
        }
    }

    /// Traverses the gathered states in search order.
    fn take(&mut self, lanes: &[Lane], stores: usize, width: usize) {
        let mut heads = vec![0usize; lanes.len()];
        loop {
            let candidate = |lane: usize| lanes[lane].gathered[self.which].states.get(heads[lane]);
            let first = (0..lanes.len())
                .filter_map(|lane| candidate(lane).map(|c| (c.order, lane)))
                .min();
            let Some((_, lane)) = first else { return };
            let gathered = &lanes[lane].gathered[self.which];
            let position = heads[lane];
            heads[lane] += 1;
            let candidate = &gathered.states[position];
            let key = &gathered.keys[position * width..(position + 1) * width];
            if self.store.find(candidate.hash, key).is_some() {
                continue;
            }
            let local = self.store.insert(candidate.hash, key, candidate.origin);
            let number = local.map(|local| u64::from(local) * stores as u64 + self.which as u64);
            match number
                .and_then(|number| u32::try_from(number).ok())
                .filter(|number| *number < NONE)
            {
                Some(number) => self.added.push((candidate.order, number)),
                None => {
                    self.full = true;
                    return;
                }
            }
        }
    }
}

/// Aims at batches of [`BATCH_TIME`], and bounds the memory of gathered states.
fn next_batch(batch: usize, size: usize, took: Duration) -> usize {
    let rate = size as f64 / took.as_secs_f64().max(1e-6);
    let wanted = (rate * BATCH_TIME.as_secs_f64()) as usize;
    wanted.clamp(batch / 2, batch * 2).clamp(256, 1 << 17)
}
