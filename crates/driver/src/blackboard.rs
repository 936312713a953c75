//! What engines at work on the same task tell each other. Nothing on it is trusted: a fact that is wrong leads to a
//! certificate that no solver confirms.

use crate::account::ConjectureSummary;
use abstraction::indexed::Reached;
use abstraction::predicate::News;
use logic::Term;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct Blackboard {
    /// Facts that hold in every state up to the first in which a property fails, for engines that are at work.
    facts: News,
    /// How many of these an engine has found.
    found: AtomicUsize,
    /// What predicates with index variables say of all states.
    reached: Mutex<Option<Reached>>,
    /// How far the search for facts about every size came, where it ended without a proof.
    conjectured: Mutex<Option<ConjectureSummary>>,
    /// How much work the loop of SLAM was.
    slam: Mutex<Option<slam::Statistics>>,
    bebop: Mutex<Option<boolean::Statistics>>,
    containment: Mutex<Option<conformance::verify::LoopStatistics>>,
}

impl Blackboard {
    /// A blackboard with facts that are known before any engine begins.
    pub(crate) fn with_facts(facts: Vec<Term>) -> Blackboard {
        let board = Blackboard::default();
        board.facts.tell(facts);
        board
    }

    /// Adds facts that an engine has found.
    pub fn post(&self, facts: Vec<Term>) {
        self.found.fetch_add(facts.len(), Ordering::Relaxed);
        self.facts.tell(facts);
    }

    /// The facts, for an engine that asks for them while it works.
    pub(crate) fn facts(&self) -> &News {
        &self.facts
    }

    /// How many facts engines have found.
    pub(crate) fn found(&self) -> usize {
        self.found.load(Ordering::Relaxed)
    }

    pub(crate) fn reached(&self) -> MutexGuard<'_, Option<Reached>> {
        lock(&self.reached)
    }

    pub(crate) fn conjectured(&self) -> MutexGuard<'_, Option<ConjectureSummary>> {
        lock(&self.conjectured)
    }

    pub(crate) fn bebop(&self) -> MutexGuard<'_, Option<boolean::Statistics>> {
        lock(&self.bebop)
    }

    pub(crate) fn containment(&self) -> MutexGuard<'_, Option<conformance::verify::LoopStatistics>> {
        lock(&self.containment)
    }

    pub(crate) fn slam(&self) -> MutexGuard<'_, Option<slam::Statistics>> {
        lock(&self.slam)
    }
}

fn lock<T>(entry: &Mutex<T>) -> MutexGuard<'_, T> {
    entry.lock().unwrap_or_else(PoisonError::into_inner)
}
