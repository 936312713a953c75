//! The search on one thread: no locks, and the store itself is the queue.

use super::visit::{Sink, States, Tally, Visitor};
use super::{Found, Incomplete, Observer, Run, SearchEvent, SearchProgress};
use crate::recent::Recent;
use crate::store::{Origin, Store};
use crate::worker::Worker;
use std::time::{Duration, Instant};

/// Limits are checked after this many states.
const TICK: u32 = 256;

/// The stored states, and recently seen successors.
pub(super) struct Kept {
    pub(super) store: Store,
    recent: Recent,
}

impl Kept {
    pub(super) fn new(run: &Run) -> Kept {
        let layout = &run.context.layout;
        Kept {
            store: Store::new(layout.bytes, run.options.traces),
            recent: Recent::new(layout.words),
        }
    }

    pub(super) fn memory(&self) -> u64 {
        self.store.memory() + self.recent.memory()
    }
}

impl Sink for Kept {
    #[inline]
    fn knows(&self, hash: u64, key: &[u8]) -> bool {
        self.store.find(hash, key).is_some()
    }

    fn take(&mut self, hash: u64, key: &[u8], origin: Origin) -> bool {
        self.store.insert(hash, key, origin).is_some()
    }

    #[inline]
    fn remembers(&self, hash: u64, packed: &[u64]) -> bool {
        self.recent.contains(hash, packed)
    }

    fn remember(&mut self, hash: u64, packed: &[u64]) {
        self.recent.add(hash, packed);
    }

    fn size(&self) -> (u64, u64) {
        (u64::from(self.store.len()), self.memory())
    }
}

pub(super) fn search(run: &Run, observer: &mut dyn Observer) -> Found {
    let mut worker = Worker::new(run.context);
    let mut kept = Kept::new(run);
    let mut tally = Tally::new(run.context.program.instance);
    let mut clock = Clock::new(run);
    let mut depth = 0;
    let mut expanded = 0;
    let halted = visitor(run, &mut worker, &mut kept, &mut tally).starts().is_err();
    let starts = u64::from(kept.store.len());
    let mut level_end = kept.store.len();
    while !halted && expanded < kept.store.len() {
        if expanded == level_end {
            depth += 1;
            level_end = kept.store.len();
        }
        if run.options.max_depth.is_some_and(|limit| depth >= limit) {
            tally.cut(Incomplete::DepthLimit(depth));
            break;
        }
        if let Some(why) = limit_reached(run, u64::from(kept.store.len())) {
            tally.incomplete = Some(why);
            break;
        }
        if expanded % TICK == 0 {
            if expanded > 0 {
                run.cancellation.count_states(u64::from(TICK));
            }
            let progress = || SearchProgress {
                states: u64::from(kept.store.len()),
                rules_fired: tally.fired.iter().sum(),
                depth,
                queue: u64::from(kept.store.len() - expanded),
                bytes: kept.memory(),
                elapsed: Duration::ZERO,
            };
            if let Some(why) = clock.tick(run, observer, progress) {
                tally.incomplete = Some(why);
                break;
            }
        }
        worker.load(kept.store.get(expanded));
        if visitor(run, &mut worker, &mut kept, &mut tally)
            .expand(expanded)
            .is_err()
        {
            break;
        }
        expanded += 1;
    }
    let bytes = kept.memory();
    // The last level is never empty, except that states after the one being expanded belong to the next level.
    let max_depth = if kept.store.len() > level_end { depth + 1 } else { depth };
    let Kept { store, recent } = kept;
    run.options.finish((worker, recent));
    Found {
        tally,
        states: States { stores: vec![store] },
        starts,
        max_depth,
        bytes,
    }
}

pub(super) fn visitor<'v, 's>(
    run: &'v Run<'v>,
    worker: &'v mut Worker<'s>,
    sink: &'v mut Kept,
    tally: &'v mut Tally,
) -> Visitor<'v, 's, Kept> {
    Visitor {
        worker,
        sink,
        tally,
        run,
    }
}

pub(super) fn limit_reached(run: &Run, states: u64) -> Option<Incomplete> {
    let limit = run.options.max_states.filter(|limit| states >= *limit)?;
    Some(Incomplete::StateLimit(limit))
}

/// Checks the limits periodically and reports progress.
pub(super) struct Clock {
    told: Instant,
}

impl Clock {
    pub(super) fn new(run: &Run) -> Clock {
        Clock { told: run.started }
    }

    pub(super) fn tick(
        &mut self,
        run: &Run,
        observer: &mut dyn Observer,
        progress: impl Fn() -> SearchProgress,
    ) -> Option<Incomplete> {
        if let Some(why) = run.expired() {
            return Some(why);
        }
        let now = Instant::now();
        let elapsed = now - run.started;
        let limit = run.options.memory_limit;
        let tell = now - self.told >= Duration::from_millis(250);
        if tell || limit.is_some() {
            let progress = SearchProgress { elapsed, ..progress() };
            if let Some(limit) = limit.filter(|limit| progress.bytes > *limit) {
                return Some(Incomplete::MemoryLimit(limit));
            }
            if tell {
                self.told = now;
                observer.event(&SearchEvent::Progress(progress));
            }
        }
        None
    }
}
