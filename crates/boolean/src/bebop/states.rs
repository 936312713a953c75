//! Reachable states by location, with summaries for calls.
//!
//! Procedures are processed top-down, so that all entry states of a procedure are known when it is processed.

use super::Statistics;
use super::encode::Encoded;
use super::paths::Paths;
use crate::program::{ProcedureId, StatementId};
use bdd::{Bdd, Manager};
use std::collections::BTreeSet;

/// The fixed point, or a part of it once an assertion can fail.
pub(super) struct States {
    /// By procedure and location.
    pub(super) reached: Vec<Vec<Bdd>>,
    pub(super) failing: Option<StatementId>,
}

struct Search<'e, 'p> {
    encoded: &'e mut Encoded<'p>,
    paths: &'e Paths,
    reached: Vec<Vec<Bdd>>,
    /// The states not processed yet.
    fresh: Vec<Vec<Bdd>>,
    /// Ordered by procedure, then by location.
    pending: BTreeSet<(usize, usize, usize, usize)>,
    order: Vec<usize>,
}

/// All reachable states, or a failing assertion; `None` where the work was cancelled.
pub(super) fn states(encoded: &mut Encoded<'_>, paths: &Paths, statistics: &mut Statistics) -> Option<States> {
    let order = super::graph::callees_first(&encoded.graphs, encoded.program.entry);
    let nothing = encoded.nothing();
    let mut search = Search {
        encoded,
        paths,
        reached: nothing.clone(),
        fresh: nothing,
        pending: BTreeSet::new(),
        order: order.iter().map(|place| usize::MAX - place).collect(),
    };
    search.enter(search.encoded.program.entry.0, Manager::TRUE);
    let mut failing = None;
    while let Some((_, _, procedure, location)) = search.pending.pop_first() {
        let set = std::mem::replace(&mut search.fresh[procedure][location], Manager::FALSE);
        if search.fails(procedure, location, set) {
            failing = Some(StatementId {
                procedure: ProcedureId(procedure),
                number: location,
            });
            break;
        }
        search.process(procedure, location, set);
        statistics.count(&search.encoded.manager);
        if search.encoded.manager.is_exhausted() {
            return None;
        }
        search.collect();
    }
    let is_whole = !search.encoded.manager.is_exhausted();
    is_whole.then_some(States {
        reached: search.reached,
        failing,
    })
}

impl Search<'_, '_> {
    fn collect(&mut self) {
        if self.encoded.manager.is_crowded() {
            let sets = self
                .reached
                .iter()
                .chain(&self.fresh)
                .chain(&self.paths.edges)
                .flatten();
            let sets = sets.chain(&self.paths.summaries).copied();
            let kept: Vec<Bdd> = sets.chain(self.encoded.kept()).collect();
            self.encoded.manager.collect(kept);
        }
    }

    fn fails(&mut self, procedure: usize, location: usize, set: Bdd) -> bool {
        match self.encoded.failing[procedure][location] {
            Some(failing) => self.encoded.manager.and(set, failing) != Manager::FALSE,
            None => false,
        }
    }

    fn add(&mut self, procedure: usize, location: usize, set: Bdd) {
        let known = self.reached[procedure][location];
        let new = self.encoded.manager.without(set, known);
        if new == Manager::FALSE {
            return;
        }
        self.reached[procedure][location] = self.encoded.manager.or(known, new);
        let fresh = &mut self.fresh[procedure][location];
        *fresh = self.encoded.manager.or(*fresh, new);
        let rank = self.encoded.graphs[procedure].rank[location];
        self.pending.insert((self.order[procedure], rank, procedure, location));
    }

    /// Adds entry states of a procedure.
    fn enter(&mut self, procedure: usize, entries: Bdd) {
        let first = self.encoded.first_states(procedure, entries);
        self.add(procedure, self.encoded.graphs[procedure].entry, first);
    }

    fn process(&mut self, procedure: usize, location: usize, set: Bdd) {
        for number in self.encoded.graphs[procedure].outgoing[location].clone() {
            let to = self.encoded.graphs[procedure].edges[number].to;
            let image = match self.encoded.called(procedure, number) {
                Some(call) => {
                    let entries = self.encoded.begun(&call, set);
                    self.enter(call.procedure, entries);
                    let summary = self.paths.summaries[call.procedure];
                    self.encoded.returned(procedure, &call, set, summary)
                }
                None => self.encoded.image(procedure, number, set),
            };
            // Callers resume by the summary.
            if to != self.encoded.graphs[procedure].exit {
                self.add(procedure, to, image);
            }
        }
    }
}
