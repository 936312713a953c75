//! Edge coverage of runs.

use crate::code::EdgeOrigin;
use std::sync::Arc;
use system::program::{LocationId, ProcedureId};

/// Execution counts of edges. A location without edges counts how often it is reached.
#[derive(Clone, Debug)]
pub struct Coverage {
    pub(crate) counts: Vec<u64>,
    pub(crate) origins: Arc<[EdgeOrigin]>,
}

/// An edge of a procedure, or a location without edges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Covered {
    pub procedure: ProcedureId,
    pub location: LocationId,
    /// The index among the edges of the location.
    pub edge: Option<u32>,
}

impl Coverage {
    pub(crate) fn new(origins: Arc<[EdgeOrigin]>) -> Coverage {
        Coverage {
            counts: vec![0; origins.len()],
            origins,
        }
    }

    /// All edges with their counts, in program order.
    pub fn edges(&self) -> impl Iterator<Item = (Covered, u64)> + '_ {
        let covered = |origin: &EdgeOrigin| Covered {
            procedure: origin.procedure,
            location: origin.location,
            edge: origin.edge,
        };
        self.origins.iter().map(covered).zip(self.counts.iter().copied())
    }

    /// The number of times that a location was left.
    pub fn location(&self, procedure: ProcedureId, location: LocationId) -> u64 {
        let of_location = |edge: &Covered| edge.procedure == procedure && edge.location == location;
        self.edges()
            .filter(|(edge, _)| of_location(edge))
            .map(|(_, count)| count)
            .sum()
    }

    /// The number of edges, and the number of covered ones.
    pub fn share(&self) -> (usize, usize) {
        (
            self.counts.len(),
            self.counts.iter().filter(|count| **count > 0).count(),
        )
    }

    /// Adds the counts of another run of the same program. Returns whether it covered a new edge.
    pub fn add(&mut self, other: &Coverage) -> bool {
        let mut is_new = false;
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            is_new |= *sum == 0 && *count > 0;
            *sum = sum.saturating_add(*count);
        }
        is_new
    }
}
