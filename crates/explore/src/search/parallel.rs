//! The search on several threads, level by level, with the outcome of the search on one.
//!
//! A level is worked on in batches, a batch in chunks. First, threads take chunks and expand their states: the stores are
//! only read, and successors that are not in them are gathered in the chunk. Then each store, on a thread of its own, takes what
//! belongs to it, chunk by chunk: the first to find a state is the one that would have found it on one thread. So
//! states get the same origins and the levels the same order, whatever the number of threads and the size of batches, and where
//! a chunk ends with a failure, those after it are dropped. Nothing is locked.

use super::sequential::{Clock, announce, limit_reached};
use super::visit::{Sink, States, Tally, Visitor};
use super::{Found, Incomplete, Observer, Progress, Run};
use crate::stack;
use crate::store::{NONE, Origin, Store};
use crate::worker::Worker;
use hashbrown::HashTable;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// States expanded between two looks at a shared counter.
const CHUNK: usize = 64;
/// A batch takes about so long.
const BATCH_TIME: Duration = Duration::from_millis(60);
/// Below so many states threads are not worth waking.
const WORTH_THREADS: usize = 256;

/// New states of one chunk that belong to one store.
#[derive(Default)]
struct Gathered {
    keys: Vec<u8>,
    states: Vec<Candidate>,
}

struct Candidate {
    hash: u64,
    origin: Origin,
    /// Counts the new states of the chunk.
    sequence: u32,
}

/// What came of a chunk.
struct Chunk {
    number: usize,
    gathered: Vec<Gathered>,
    tally: Tally,
    halted: bool,
}

/// Gathers the new states of a chunk.
struct Gatherer<'g> {
    states: &'g States,
    width: usize,
    gathered: Vec<Gathered>,
    /// Store and position of each.
    seen: HashTable<(u32, u32)>,
    sequence: u32,
}

impl Gatherer<'_> {
    fn store_of(&self, hash: u64) -> usize {
        store_of(hash, self.states.stores.len())
    }
}

/// Stores are a power of two; the upper bits of the hash choose one.
fn store_of(hash: u64, stores: usize) -> usize {
    (hash >> 40) as usize & (stores - 1)
}

impl Sink for Gatherer<'_> {
    fn knows(&self, hash: u64, key: &[u8]) -> bool {
        let store = self.store_of(hash);
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
        let store = self.store_of(hash);
        let gathered = &mut self.gathered[store];
        let entry = (store as u32, gathered.states.len() as u32);
        gathered.keys.extend_from_slice(key);
        gathered.states.push(Candidate {
            hash,
            origin,
            sequence: self.sequence,
        });
        self.sequence += 1;
        let gathered = &self.gathered;
        self.seen.insert_unique(hash, entry, |entry| {
            gathered[entry.0 as usize].states[entry.1 as usize].hash
        });
        true
    }
}

pub(super) fn search(run: &Run, observer: &mut dyn Observer) -> Found {
    let jobs = run.options.jobs.min(64);
    let stores = jobs.next_power_of_two();
    let new_store = |_| Store::new(run.setting.layout.bytes, run.options.traces);
    let mut search = Search {
        run,
        workers: (0..jobs).map(|_| Worker::new(run.setting)).collect(),
        states: States {
            stores: (0..stores).map(new_store).collect(),
        },
        tally: Tally::new(run.setting.program.instance),
        frontier: Vec::new(),
        next: Vec::new(),
        bytes: 0,
    };
    let halted = search.starts();
    let starts = search.next.len() as u64;
    let max_depth = if halted { 0 } else { search.levels(observer) };
    announce(&search.tally, run, observer);
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
    workers: Vec<Worker<'r>>,
    states: States,
    tally: Tally,
    frontier: Vec<u32>,
    next: Vec<u32>,
    bytes: u64,
}

impl<'r> Search<'r> {
    /// Returns whether the search ends here.
    fn starts(&mut self) -> bool {
        let chunk = gather(self.run, &self.states, &mut self.workers[0], 0, None);
        self.merge(vec![chunk])
    }

    /// Works through the levels; returns the depth of the last.
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
                let size = batch.min(self.frontier.len() - done);
                if self.batch(done, size) {
                    return if self.next.is_empty() { depth - 1 } else { depth };
                }
                done += size;
                batch = next_batch(batch, size, started.elapsed());
            }
        }
    }

    fn limits(&self, clock: &mut Clock, observer: &mut dyn Observer, depth: u32, done: usize) -> Option<Incomplete> {
        let progress = || Progress {
            states: self.states.len(),
            rules_fired: self.tally.fired.iter().sum(),
            depth,
            queue: (self.frontier.len() - done + self.next.len()) as u64,
            bytes: self.bytes,
            elapsed: Duration::ZERO,
        };
        limit_reached(self.run, self.states.len()).or_else(|| clock.tick(self.run, observer, progress))
    }

    /// Expands part of the frontier; returns whether the search ends here.
    fn batch(&mut self, start: usize, size: usize) -> bool {
        let part = &self.frontier[start..start + size];
        let work = Work {
            next: AtomicUsize::new(0),
            halted: AtomicUsize::new(usize::MAX),
            part,
        };
        let (run, states) = (self.run, &self.states);
        let threads = if size < WORTH_THREADS { 1 } else { self.workers.len() };
        let (own, others) = self.workers[..threads].split_at_mut(1);
        let mut chunks = thread::scope(|scope| {
            let handles: Vec<_> = others
                .iter_mut()
                .map(|worker| stack::spawn(scope, || work.chunks(run, states, worker)))
                .collect();
            let mut chunks = work.chunks(run, states, &mut own[0]);
            for handle in handles.into_iter().flatten() {
                match handle.join() {
                    Ok(more) => chunks.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            chunks
        });
        chunks.sort_by_key(|chunk| chunk.number);
        self.merge(chunks)
    }

    /// Adds what chunks, in order, have gathered. Returns whether the search ends here.
    fn merge(&mut self, mut chunks: Vec<Chunk>) -> bool {
        let end = chunks.iter().position(|chunk| chunk.halted);
        chunks.truncate(end.map_or(chunks.len(), |end| end + 1));
        let width = self.run.setting.layout.bytes;
        let total = self.states.stores.len();
        let buffers: usize = chunks
            .iter()
            .flat_map(|chunk| &chunk.gathered)
            .map(|g| g.keys.capacity())
            .sum();
        let threads = chunks.len() * CHUNK >= WORTH_THREADS;
        let chunks_ref = &chunks;
        let mut added: Vec<Option<Vec<(u64, u32)>>> = thread::scope(|scope| {
            let mut stores = self.states.stores.iter_mut().enumerate();
            let first = stores.next();
            let rest: Vec<_> = stores
                .map(|(number, store)| {
                    let mut work = move || add(store, number, total, width, chunks_ref);
                    if threads {
                        stack::spawn(scope, work).ok_or(None)
                    } else {
                        Err(Some(work()))
                    }
                })
                .collect();
            let first = first.map(|(number, store)| add(store, number, total, width, chunks_ref));
            let rest = rest.into_iter().map(|handle| match handle {
                Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(done) => done.flatten(),
            });
            first.into_iter().chain(rest).collect()
        });
        let complete = added.iter().all(Option::is_some);
        let mut order: Vec<(u64, u32)> = added.iter_mut().filter_map(Option::take).flatten().collect();
        // One sorted run from each store: what the stable sort of the library merges fast.
        order.sort();
        self.next.extend(order.into_iter().map(|(_, number)| number));
        self.bytes = self
            .bytes
            .max(self.states.memory() + 4 * (self.frontier.len() + self.next.len()) as u64 + buffers as u64);
        let mut enough = false;
        for chunk in chunks {
            enough |= self.tally.absorb(chunk.tally, self.run.options.max_violations);
        }
        if !complete {
            self.tally.cut(Incomplete::StateLimit(u64::from(NONE)));
        }
        end.is_some() || enough || !complete
    }
}

/// Chunks of a batch, for threads to take.
struct Work<'w> {
    next: AtomicUsize,
    /// The first chunk that ended the search.
    halted: AtomicUsize,
    part: &'w [u32],
}

impl Work<'_> {
    fn chunks<'r>(&self, run: &Run<'r>, states: &States, worker: &mut Worker<'r>) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let start = number * CHUNK;
            if start >= self.part.len() || number > self.halted.load(Ordering::Relaxed) {
                return chunks;
            }
            let end = self.part.len().min(start + CHUNK);
            let chunk = gather(run, states, worker, number, Some(&self.part[start..end]));
            if chunk.halted {
                self.halted.fetch_min(number, Ordering::Relaxed);
            }
            chunks.push(chunk);
        }
    }
}

/// Expands states, or runs the starts where none are given.
fn gather<'r>(run: &Run<'r>, states: &States, worker: &mut Worker<'r>, number: usize, part: Option<&[u32]>) -> Chunk {
    let mut gatherer = Gatherer {
        states,
        width: run.setting.layout.bytes,
        gathered: (0..states.stores.len()).map(|_| Gathered::default()).collect(),
        seen: HashTable::new(),
        sequence: 0,
    };
    let mut tally = Tally::new(run.setting.program.instance);
    let mut visitor = Visitor {
        worker,
        sink: &mut gatherer,
        tally: &mut tally,
        run,
    };
    let halted = match part {
        None => visitor.starts().is_err(),
        Some(part) => part.iter().any(|state| {
            visitor.worker.load(states.get(*state));
            visitor.expand(*state).is_err()
        }),
    };
    Chunk {
        number,
        gathered: gatherer.gathered,
        tally,
        halted,
    }
}

/// Adds to a store the gathered states that it does not have; returns their order and numbers, or `None` where the
/// numbers do not suffice.
fn add(store: &mut Store, which: usize, stores: usize, width: usize, chunks: &[Chunk]) -> Option<Vec<(u64, u32)>> {
    let mut added = Vec::new();
    for chunk in chunks {
        let gathered = &chunk.gathered[which];
        for (position, candidate) in gathered.states.iter().enumerate() {
            let key = &gathered.keys[position * width..(position + 1) * width];
            if store.find(candidate.hash, key).is_some() {
                continue;
            }
            let local = store.insert(candidate.hash, key, candidate.origin)?;
            let number = u64::from(local) * stores as u64 + which as u64;
            let number = u32::try_from(number).ok().filter(|number| *number < NONE)?;
            added.push(((chunk.number as u64) << 32 | u64::from(candidate.sequence), number));
        }
    }
    Some(added)
}

/// Batches of about [`BATCH_TIME`]; what is gathered in one has to fit in memory.
fn next_batch(batch: usize, size: usize, took: Duration) -> usize {
    let rate = size as f64 / took.as_secs_f64().max(1e-6);
    let wanted = (rate * BATCH_TIME.as_secs_f64()) as usize;
    wanted.clamp(batch / 2, batch * 2).clamp(256, 1 << 17)
}
