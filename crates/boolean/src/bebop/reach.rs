//! Bebop's reachability (Ball and Rajamani, "Bebop: a symbolic model checker for Boolean programs", 2000, section 3).
//!
//! For each location there is a set of *path edges*: pairs of a state at the beginning of the procedure and a state at
//! the location that a run from there may be in. Those at the exit of a procedure are its *summary*, with which calls
//! are done in one step. Procedures are looked at from the callees up, and locations in the order of control flow.

use super::encode::Encoded;
use crate::program::{ProcedureId, StatementId};
use bdd::{Bdd, Manager};
use std::collections::BTreeSet;

/// The fixpoint, or as much of it as there was when an assertion was seen to fail.
pub(super) struct Reached {
    /// By procedure and location.
    pub(super) path: Vec<Vec<Bdd>>,
    pub(super) failing: Option<StatementId>,
    /// Work was cut off: nothing else here can be trusted.
    pub(super) is_cut_off: bool,
    /// How many steps it took.
    pub(super) rounds: u64,
    /// The largest number of nodes at any time.
    pub(super) nodes: usize,
}

struct Search<'e, 'p> {
    encoded: &'e mut Encoded<'p>,
    path: Vec<Vec<Bdd>>,
    /// What was not looked at yet.
    fresh: Vec<Vec<Bdd>>,
    entries: Vec<Bdd>,
    /// As callers use them.
    summaries: Vec<Bdd>,
    /// Procedures with locations that are not looked at yet, by the round in which they are, then by their order.
    pending: BTreeSet<(u64, usize, usize)>,
    /// The round in which a procedure is pending.
    turn: Vec<Option<u64>>,
    /// The round at hand.
    round: u64,
    /// By procedure: the locations that are not looked at yet, in the order of control flow.
    locations: Vec<BTreeSet<(usize, usize)>>,
    /// The place of each procedure in the order.
    order: Vec<usize>,
}

/// All that can be reached.
pub(super) fn reach(encoded: &mut Encoded<'_>) -> Reached {
    let order = super::graph::callees_first(&encoded.graphs, encoded.program.entry);
    let nothing: Vec<Vec<Bdd>> = encoded
        .graphs
        .iter()
        .map(|graph| vec![Manager::FALSE; graph.locations()])
        .collect();
    let count = encoded.graphs.len();
    let mut search = Search {
        encoded,
        path: nothing.clone(),
        fresh: nothing,
        entries: vec![Manager::FALSE; count],
        summaries: vec![Manager::FALSE; count],
        pending: BTreeSet::new(),
        turn: vec![None; count],
        round: 0,
        locations: vec![BTreeSet::new(); count],
        order,
    };
    let mut reached = search.run();
    reached.is_cut_off = search.encoded.manager.is_exhausted();
    reached.path = search.path;
    reached
}

impl Search<'_, '_> {
    fn run(&mut self) -> Reached {
        let mut reached = Reached {
            path: Vec::new(),
            failing: None,
            is_cut_off: false,
            rounds: 0,
            nodes: 0,
        };
        self.enter(self.encoded.program.entry.0, Manager::TRUE);
        while let Some((procedure, location)) = self.next() {
            let set = std::mem::replace(&mut self.fresh[procedure][location], Manager::FALSE);
            if self.fails(procedure, location, set) {
                reached.failing = Some(StatementId {
                    procedure: ProcedureId(procedure),
                    number: location,
                });
                break;
            }
            self.process(procedure, location, set);
            if self.encoded.manager.is_exhausted() {
                break;
            }
            reached.rounds += 1;
            reached.nodes = reached.nodes.max(self.encoded.manager.size());
            self.collect();
        }
        reached
    }

    /// The next place to look at: a procedure is done with before another one has its turn.
    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            let (turn, order, procedure) = *self.pending.first()?;
            self.round = turn;
            if let Some((_, location)) = self.locations[procedure].pop_first() {
                return Some((procedure, location));
            }
            self.pending.remove(&(turn, order, procedure));
            self.turn[procedure] = None;
        }
    }

    fn collect(&mut self) {
        let path = self.path.iter().chain(&self.fresh).flatten().copied();
        let others = self.entries.iter().chain(&self.summaries).copied();
        let kept: Vec<Bdd> = match self.encoded.manager.is_crowded() {
            true => path.chain(others).chain(self.encoded.kept()).collect(),
            false => return,
        };
        self.encoded.manager.collect(kept);
    }

    fn fails(&mut self, procedure: usize, location: usize, set: Bdd) -> bool {
        match self.encoded.failing[procedure][location] {
            Some(failing) => self.encoded.manager.and(set, failing) != Manager::FALSE,
            None => false,
        }
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
        self.locations[procedure].insert((rank, location));
        if self.turn[procedure].is_none() {
            let turn = self.round + 1;
            self.turn[procedure] = Some(turn);
            self.pending.insert((turn, self.order[procedure], procedure));
        }
    }

    /// A procedure is called in these states.
    fn enter(&mut self, procedure: usize, entries: Bdd) {
        let known = self.entries[procedure];
        let new = self.encoded.manager.without(entries, known);
        if new != Manager::FALSE {
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

    /// New pairs at the exit: whoever called goes on.
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
