//! Expansion of one state, shared by the sequential and the parallel search.

use super::{Deadlock, Incomplete, Run, SearchOptions};
use crate::fault::Fault;
use crate::program::Unit;
use crate::random::Random;
use crate::stack::apart;
use crate::store::{NONE, Origin, Store};
use crate::trace::Trace;
use crate::worker::{Attempt, Check, Identity, Worker};
use system::Span;
use system::instance::Instance;

/// A failure, as the search finds it.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    /// The predecessor; [`NONE`] for starts.
    pub(super) parent: u32,
    /// The rule or start instance; [`NONE`] for deadlocks.
    pub(super) by: u32,
    /// The packed state that violates a property: it is not stored.
    pub(super) key: Option<Box<[u8]>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FailureKind {
    Invariant { property: usize },
    PropertyFault { property: usize, fault: Fault },
    RuleFault { fault: Fault },
    Deadlock,
}

impl FailureKind {
    /// The property that is violated or cannot be evaluated.
    pub(super) fn property(&self) -> Option<usize> {
        match self {
            FailureKind::Invariant { property } | FailureKind::PropertyFault { property, .. } => Some(*property),
            FailureKind::RuleFault { .. } | FailureKind::Deadlock => None,
        }
    }

    pub(super) fn message(&self, instance: &Instance) -> String {
        let property = self.property().and_then(|property| instance.properties.get(property));
        let name = property.map_or("", |property| property.name.as_str());
        match self {
            FailureKind::Invariant { .. } => format!("invariant \"{name}\" is violated"),
            FailureKind::PropertyFault { fault, .. } => format!("{}, in property \"{name}\"", fault.message),
            FailureKind::RuleFault { fault } => fault.message.clone(),
            FailureKind::Deadlock => "deadlock".to_owned(),
        }
    }

    pub(super) fn span(&self, instance: &Instance, trace: Option<&Trace>) -> Span {
        if let FailureKind::PropertyFault { fault, .. } | FailureKind::RuleFault { fault } = self
            && fault.span != Span::default()
        {
            return fault.span;
        }
        let property = self.property().and_then(|property| instance.properties.get(property));
        let failing = trace.and_then(|trace| trace.failing.as_ref());
        let spans = (
            property.map(|property| property.span),
            failing.map(|firing| firing.span),
        );
        spans.0.or(spans.1).unwrap_or_default()
    }
}

impl Failure {
    /// Whether two failures are duplicates.
    fn resembles(&self, other: &Failure) -> bool {
        let same = |a: &Fault, b: &Fault| a.kind == b.kind && a.span == b.span;
        match (&self.kind, &other.kind) {
            (FailureKind::RuleFault { fault: a }, FailureKind::RuleFault { fault: b }) => same(a, b),
            (FailureKind::PropertyFault { fault: a, .. }, FailureKind::PropertyFault { fault: b, .. }) => same(a, b),
            (a, b) => a == b,
        }
    }
}

/// Counters of the expansion.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// By index of the rule.
    pub(super) fired: Vec<u64>,
    /// By index of the property.
    pub(super) covered: Vec<bool>,
    pub(super) failures: Vec<Failure>,
    pub(super) incomplete: Option<Incomplete>,
    /// The number of executions with further choices.
    choices: u64,
}

impl Tally {
    pub(super) fn new(instance: &Instance) -> Tally {
        Tally {
            fired: apart(0, instance.rules.len()),
            covered: apart(false, instance.properties.len()),
            failures: Vec::new(),
            incomplete: None,
            choices: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.fired.fill(0);
        self.covered.fill(false);
        self.failures.clear();
        self.incomplete = None;
    }

    /// Records a failure; true if it is new and the wanted number is reached.
    pub(super) fn fail(&mut self, failure: Failure, options: &SearchOptions) -> bool {
        if self.failures.iter().any(|known| known.resembles(&failure)) {
            return false;
        }
        self.failures.push(failure);
        let counts = |failure: &&Failure| options.deadlocks_count || !matches!(failure.kind, FailureKind::Deadlock);
        self.failures.iter().filter(counts).count() >= options.max_violations.max(1)
    }

    /// Adds the counters of another thread; true if the wanted number of failures is reached.
    pub(super) fn absorb(&mut self, other: &Tally, options: &SearchOptions) -> bool {
        self.fired
            .iter_mut()
            .zip(&other.fired)
            .for_each(|(fired, more)| *fired += more);
        self.covered
            .iter_mut()
            .zip(&other.covered)
            .for_each(|(covered, more)| *covered |= more);
        match other.incomplete {
            Some(
                why @ (Incomplete::IntegerWindow
                | Incomplete::ListLength(_)
                | Incomplete::Rounds(_)
                | Incomplete::Calls(_)),
            ) => self.cut(why),
            Some(limit) => self.incomplete = Some(limit),
            None => {}
        }
        other.failures.iter().any(|failure| self.fail(failure.clone(), options))
    }

    /// Limits of the search take precedence over windows: they tell the user what to do.
    pub(super) fn cut(&mut self, why: Incomplete) {
        self.incomplete.get_or_insert(why);
    }
}

/// The states of a search, in one or several stores. A state's number is its number in its store times the number of
/// stores, plus the index of the store.
#[derive(Debug)]
pub(super) struct States {
    pub(super) stores: Vec<Store>,
}

impl States {
    pub(super) fn len(&self) -> u64 {
        self.stores.iter().map(|store| u64::from(store.len())).sum()
    }

    pub(super) fn memory(&self) -> u64 {
        self.stores.iter().map(Store::memory).sum()
    }

    pub(super) fn get(&self, number: u32) -> &[u8] {
        let stores = self.stores.len() as u32;
        self.stores[(number % stores) as usize].get(number / stores)
    }

    pub(super) fn origin(&self, number: u32) -> Option<Origin> {
        let stores = self.stores.len() as u32;
        self.stores[(number % stores) as usize].origin(number / stores)
    }
}

/// Receives successors.
pub(super) trait Sink {
    /// Whether the state packed in `key` is known.
    fn knows(&self, hash: u64, key: &[u8]) -> bool;
    /// Inserts a new state; false if there is no room.
    fn take(&mut self, hash: u64, key: &[u8], origin: Origin) -> bool;
    /// Whether the canonical form of a successor, given as packed before canonicalisation, is known to be stored.
    fn remembers(&self, _hash: u64, _packed: &[u64]) -> bool {
        false
    }
    fn remember(&mut self, _hash: u64, _packed: &[u64]) {}
    /// The number of states and their size in bytes.
    fn size(&self) -> (u64, u64);
}

/// The search ends here: enough failures, or no room.
pub(super) struct Halt;

/// Expands states into a sink.
pub(super) struct Visitor<'v, 's, S> {
    pub(super) worker: &'v mut Worker<'s>,
    pub(super) sink: &'v mut S,
    pub(super) tally: &'v mut Tally,
    pub(super) run: &'v Run<'v>,
}

impl<S: Sink> Visitor<'_, '_, S> {
    /// Runs all starts.
    pub(super) fn starts(&mut self) -> Result<(), Halt> {
        self.run_starts(u64::MAX).map(|_| ())
    }

    /// Runs all starts or, if that takes more attempts than the limit, as many with random choices.
    pub(super) fn some_starts(&mut self, limit: u64, random: &mut Random) -> Result<(), Halt> {
        if self.run_starts(limit)? {
            return Ok(());
        }
        self.tally.cut(Incomplete::StateLimit(limit));
        let units: Vec<&Unit> = self.worker.context.program.starts.iter().collect();
        for _ in 0..limit {
            let Some(unit) = units.get(random.below(units.len() as u64) as usize) else {
                break;
            };
            let within = random.below(u64::from(unit.count)) as u32;
            self.worker.machine.random = Some(Random::new(random.next()));
            self.worker.clear();
            self.worker.machine.forget_choices();
            let result = self.start(unit, within);
            self.worker.machine.random = None;
            result?;
        }
        Ok(())
    }

    /// Runs starts until none is left; false if there are more than the limit.
    fn run_starts(&mut self, limit: u64) -> Result<bool, Halt> {
        let context = self.worker.context;
        let mut attempts = 0;
        for unit in &context.program.starts {
            for within in 0..unit.count {
                self.worker.clear();
                self.worker.machine.forget_choices();
                loop {
                    if attempts == limit {
                        return Ok(false);
                    }
                    attempts += 1;
                    self.start(unit, within)?;
                    self.keep_limits(attempts)?;
                    if !self.worker.machine.next_choices() {
                        break;
                    }
                    self.chose_again()?;
                }
            }
        }
        self.note_window();
        Ok(true)
    }

    /// Enforces the limits within starts and rules with many choices. Reads the clock only every few attempts.
    fn keep_limits(&mut self, attempts: u64) -> Result<(), Halt> {
        let (states, bytes) = self.sink.size();
        let options = self.run.options;
        let states = options.max_states.filter(|limit| states >= *limit);
        let bytes = options.memory_limit.filter(|limit| bytes > *limit);
        let limit = states
            .map(Incomplete::StateLimit)
            .or(bytes.map(Incomplete::MemoryLimit));
        match limit {
            Some(limit) => {
                self.tally.incomplete = Some(limit);
                Err(Halt)
            }
            None if attempts.is_multiple_of(64) => self.interrupt(),
            None => Ok(()),
        }
    }

    /// Runs a start with the machine's choices.
    fn start(&mut self, unit: &Unit, within: u32) -> Result<(), Halt> {
        let origin = Origin {
            parent: NONE,
            by: unit.first + within,
        };
        match self.worker.fire(unit, within, true) {
            Attempt::Successor => {
                self.worker.settle();
                self.successor(origin)?;
            }
            Attempt::Disabled | Attempt::Dropped => {}
            Attempt::Cut => self.tally.cut(Incomplete::IntegerWindow),
            Attempt::Fault(fault) => self.fail(FailureKind::RuleFault { fault }, origin, false)?,
        }
        self.worker.restore_all();
        Ok(())
    }

    /// Fires every rule in the loaded state.
    pub(super) fn expand(&mut self, number: u32) -> Result<(), Halt> {
        let context = self.worker.context;
        let mut moves = false;
        let mut next = 0;
        while let Some((index, full)) = self.worker.next_candidate(next) {
            next = index + 1;
            let alike = self.worker.alike(index);
            if alike == 0 {
                continue;
            }
            let unit = &context.program.rules[index];
            for within in 0..unit.count {
                if within % 1024 == 1023 {
                    self.interrupt()?;
                }
                let origin = Origin {
                    parent: number,
                    by: unit.first + within,
                };
                let waits = unit.priority > self.worker.level;
                if waits || !(unit.traits.impure_guard || unit.passes(full)) {
                    match self.worker.guard_holds(unit, within, full) {
                        Ok(true) if !waits => {}
                        Ok(_) => continue,
                        Err(attempt) => {
                            moves |= self.stopped(attempt, origin)?;
                            self.worker.restore_all();
                            continue;
                        }
                    }
                }
                moves |= self.fire((index, unit, alike), within, origin)?;
            }
        }
        self.note_window();
        if !moves && self.run.options.deadlock != Deadlock::Off {
            self.fail(
                FailureKind::Deadlock,
                Origin {
                    parent: number,
                    by: NONE,
                },
                false,
            )?;
        }
        Ok(())
    }

    /// Fires an enabled rule once for each vector of choices; true if that rules out a deadlock.
    fn fire(&mut self, (index, unit, alike): (usize, &Unit, u64), within: u32, origin: Origin) -> Result<bool, Halt> {
        let mut follows = self.worker.follows(index, unit);
        if follows && let Some(changed) = self.worker.repeat(index) {
            return self.fired((unit, alike), changed, origin);
        }
        let (mut moves, mut attempts) = (false, 0);
        if unit.traits.chooses {
            self.worker.machine.forget_choices();
        }
        loop {
            let attempt = match follows {
                true => self.worker.fire_followed(index, unit, within),
                false => self.worker.fire(unit, within, false),
            };
            match attempt {
                Attempt::Successor => {
                    let changed = match follows {
                        true => self.worker.settle_writes(),
                        false => self.worker.settle_after(unit),
                    };
                    moves |= self.fired((unit, alike), changed, origin)?;
                }
                Attempt::Disabled => self.worker.restore_all(),
                attempt => {
                    moves |= self.stopped(attempt, origin)?;
                    self.worker.restore_all();
                }
            }
            if !unit.traits.chooses || !self.worker.machine.next_choices() {
                return Ok(moves);
            }
            follows = false;
            self.chose_again()?;
            attempts += 1;
            self.keep_limits(attempts)?;
        }
    }

    /// Processes the settled successor of a rule; true if it rules out a deadlock.
    fn fired(&mut self, (unit, alike): (&Unit, u64), changed: bool, origin: Origin) -> Result<bool, Halt> {
        self.tally.fired[unit.source] += alike;
        if changed {
            self.successor(origin)?;
            self.worker.restore();
        }
        Ok(changed || self.run.options.deadlock == Deadlock::Stuck)
    }

    /// Records why a rule has no successor; true if it may have one nevertheless.
    fn stopped(&mut self, attempt: Attempt, origin: Origin) -> Result<bool, Halt> {
        match attempt {
            Attempt::Cut => {
                self.tally.cut(Incomplete::IntegerWindow);
                Ok(true)
            }
            Attempt::Fault(fault) => {
                let is_limit = Incomplete::by(&fault).is_some();
                self.fail(FailureKind::RuleFault { fault }, origin, false)?;
                // Rules of other priorities wait for a rule whose guard faults: that is no deadlock.
                Ok(is_limit || self.worker.context.program.prioritised)
            }
            Attempt::Disabled | Attempt::Successor | Attempt::Dropped => Ok(false),
        }
    }

    /// Processes the settled successor in the worker's memory.
    fn successor(&mut self, origin: Origin) -> Result<(), Halt> {
        let packed = match self.worker.pack() {
            Identity::Packed(hash) => hash,
            Identity::Cut(beyond) => {
                self.tally.cut(beyond.into());
                return Ok(());
            }
            Identity::Fault(fault) => return self.fail(FailureKind::RuleFault { fault }, origin, false),
        };
        if !self.worker.has_symmetry() {
            self.worker.take_packed();
            return match self.sink.knows(packed, &self.worker.key) {
                true => Ok(()),
                false => {
                    self.worker.catch_up();
                    self.insert(packed, origin)
                }
            };
        }
        if self.sink.remembers(packed, self.worker.packed()) {
            return Ok(());
        }
        let hash = self.worker.find_canonical();
        if !self.sink.knows(hash, &self.worker.key) {
            self.worker.take_canonical();
            let failures = self.tally.failures.len();
            self.insert(hash, origin)?;
            if self.tally.failures.len() != failures {
                return Ok(());
            }
        }
        self.sink.remember(packed, self.worker.packed());
        Ok(())
    }

    /// Inserts the new state in the worker's memory unless it violates something.
    fn insert(&mut self, hash: u64, origin: Origin) -> Result<(), Halt> {
        match self.worker.check() {
            Check::Fine => {}
            Check::LeftOut => return Ok(()),
            Check::Violated { property } => return self.fail(FailureKind::Invariant { property }, origin, true),
            Check::Fault { property, fault } => {
                return self.fail(FailureKind::PropertyFault { property, fault }, origin, true);
            }
        }
        if let Err((property, fault)) = self.worker.mark_covered(&mut self.tally.covered) {
            return self.fail(FailureKind::PropertyFault { property, fault }, origin, true);
        }
        if self.sink.take(hash, &self.worker.key, origin) {
            Ok(())
        } else {
            self.tally.cut(Incomplete::StateLimit(u64::from(NONE)));
            Err(Halt)
        }
    }

    fn fail(&mut self, kind: FailureKind, origin: Origin, in_successor: bool) -> Result<(), Halt> {
        if let FailureKind::RuleFault { fault } | FailureKind::PropertyFault { fault, .. } = &kind
            && let Some(limit) = Incomplete::by(fault)
        {
            self.tally.cut(limit);
            return self.interrupt();
        }
        let key = in_successor.then(|| self.worker.key.clone().into());
        let failure = Failure {
            kind,
            parent: origin.parent,
            by: origin.by,
            key,
        };
        if self.tally.fail(failure, self.run.options) {
            Err(Halt)
        } else {
            Ok(())
        }
    }

    /// A rule with many choices may take longer than all its successors.
    fn chose_again(&mut self) -> Result<(), Halt> {
        self.tally.choices += 1;
        if let Some(limit) = self.run.options.max_choices.filter(|limit| self.tally.choices > *limit) {
            self.tally.incomplete = Some(Incomplete::ChoiceLimit(limit));
            return Err(Halt);
        }
        self.interrupt()
    }

    /// Checks for cancellation and limits while a single state takes long.
    fn interrupt(&mut self) -> Result<(), Halt> {
        match self.run.expired() {
            Some(why) => {
                self.tally.incomplete = Some(why);
                Err(Halt)
            }
            None => Ok(()),
        }
    }

    fn note_window(&mut self) {
        if self.worker.machine.windowed {
            self.tally.cut(Incomplete::IntegerWindow);
        }
    }
}
