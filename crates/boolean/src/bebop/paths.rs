//! Path edges and summaries (Ball and Rajamani, "Bebop: a symbolic model checker for Boolean programs", 2000,
//! section 3).
//!
//! For each location there is a set of *path edges*: pairs of a state at the entry of the procedure and a state at the
//! location that a run from there may reach. Those at the exit of a procedure are its *summary*, by which calls are
//! taken in one step. Procedures are processed bottom-up, and locations in the order of control flow.
//!
//! In the paper a procedure is explored only from states in which it is called. These may arrive in very many portions,
//! one for each path to the call, and each is then explored by itself. So from the [`PATIENCE`]-th portion on, all
//! states count as entry states. Summaries stay exact; reachability is then computed separately ([`super::states`]).

use super::Statistics;
use super::encode::Encoded;
use bdd::{Bdd, Manager};
use std::collections::BTreeSet;

/// After this many portions of entry states, a procedure is explored from all states.
const PATIENCE: usize = 2;

/// The fixed point.
pub(super) struct Paths {
    /// By procedure and location.
    pub(super) edges: Vec<Vec<Bdd>>,
    /// By procedure, renamed for callers.
    pub(super) summaries: Vec<Bdd>,
}

struct Search<'e, 'p> {
    encoded: &'e mut Encoded<'p>,
    path: Vec<Vec<Bdd>>,
    /// The pairs not processed yet.
    fresh: Vec<Vec<Bdd>>,
    entries: Vec<Bdd>,
    /// Renamed for callers.
    summaries: Vec<Bdd>,
    /// Ordered by procedure, then by location.
    pending: BTreeSet<(usize, usize, usize, usize)>,
    /// By procedure: the number of portions of entry states.
    portions: Vec<usize>,
    /// The rank of each procedure.
    order: Vec<usize>,
}

/// All path edges; `None` where the work was cancelled.
pub(super) fn path_edges(encoded: &mut Encoded<'_>, statistics: &mut Statistics) -> Option<Paths> {
    let order = super::graph::callees_first(&encoded.graphs, encoded.program.entry);
    let nothing = encoded.nothing();
    let count = encoded.graphs.len();
    let mut search = Search {
        encoded,
        path: nothing.clone(),
        fresh: nothing,
        entries: vec![Manager::FALSE; count],
        summaries: vec![Manager::FALSE; count],
        pending: BTreeSet::new(),
        portions: vec![0; count],
        order,
    };
    search.enter(search.encoded.program.entry.0, Manager::TRUE);
    while let Some((_, _, procedure, location)) = search.pending.pop_first() {
        let set = std::mem::replace(&mut search.fresh[procedure][location], Manager::FALSE);
        search.process(procedure, location, set);
        statistics.count(&search.encoded.manager);
        if search.encoded.manager.is_exhausted() {
            return None;
        }
        search.collect();
    }
    Some(Paths {
        edges: search.path,
        summaries: search.summaries,
    })
}

impl Search<'_, '_> {
    fn collect(&mut self) {
        let path = self.path.iter().chain(&self.fresh).flatten().copied();
        let others = self.entries.iter().chain(&self.summaries).copied();
        let kept: Vec<Bdd> = match self.encoded.manager.is_crowded() {
            true => path.chain(others).chain(self.encoded.kept()).collect(),
            false => return,
        };
        self.encoded.manager.collect(kept);
    }

    fn add(&mut self, procedure: usize, location: usize, set: Bdd) {
        let known = self.path[procedure][location];
        let new = self.encoded.manager.without(set, known);
        if new == Manager::FALSE {
            return;
        }
        self.path[procedure][location] = self.encoded.manager.or(known, new);
        let fresh = &mut self.fresh[procedure][location];
        *fresh = self.encoded.manager.or(*fresh, new);
        let rank = self.encoded.graphs[procedure].rank[location];
        self.pending.insert((self.order[procedure], rank, procedure, location));
    }

    /// Adds entry states of a procedure.
    fn enter(&mut self, procedure: usize, entries: Bdd) {
        let known = self.entries[procedure];
        let new = self.encoded.manager.without(entries, known);
        if new != Manager::FALSE {
            self.portions[procedure] += 1;
            let new = match self.portions[procedure] < PATIENCE {
                true => new,
                false => self.encoded.manager.not(known),
            };
            self.entries[procedure] = self.encoded.manager.or(known, new);
            let first = self.encoded.first(procedure, new);
            self.add(procedure, self.encoded.graphs[procedure].entry, first);
        }
    }

    fn process(&mut self, procedure: usize, location: usize, set: Bdd) {
        if location == self.encoded.graphs[procedure].exit {
            return self.summarise(procedure, set);
        }
        for number in self.encoded.graphs[procedure].outgoing[location].clone() {
            let to = self.encoded.graphs[procedure].edges[number].to;
            let image = match self.encoded.called(procedure, number) {
                Some(call) => {
                    let entries = self.encoded.begun(&call, set);
                    self.enter(call.procedure, entries);
                    let summary = self.summaries[call.procedure];
                    self.encoded.returned(procedure, &call, set, summary)
                }
                None => self.encoded.image(procedure, number, set),
            };
            self.add(procedure, to, image);
        }
    }

    /// Adds pairs at the exit and resumes the callers.
    fn summarise(&mut self, procedure: usize, exits: Bdd) {
        let summary = self.encoded.summarised(procedure, exits);
        self.summaries[procedure] = self.encoded.manager.or(self.summaries[procedure], summary);
        for (caller, number) in self.encoded.callers[procedure].clone() {
            let edge = &self.encoded.graphs[caller].edges[number];
            let (from, to) = (edge.from, edge.to);
            let set = self.path[caller][from];
            if set == Manager::FALSE {
                continue;
            }
            if let Some(call) = self.encoded.called(caller, number) {
                let returned = self.encoded.returned(caller, &call, set, summary);
                self.add(caller, to, returned);
            }
        }
    }
}
