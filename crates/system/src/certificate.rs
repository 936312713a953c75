//! What an engine hands over as its proof: an inductive invariant.

use crate::transition::Fact;
use std::collections::{BTreeMap, BTreeSet};

/// An inductive invariant and what follows from it. Nothing here is believed: the crate `validate` makes proof
/// obligations of it, and a solver that did not find it confirms them.
#[derive(Clone, Debug, Default)]
pub struct Certificate {
    /// The names of the properties that are proved. That the assertions of rules never fail is always proved as well.
    pub properties: Vec<String>,
    /// Closed formulas over the state. Their conjunction, together with the type facts of the system, is the invariant.
    pub facts: Vec<Fact>,
    /// By position: facts that are enough before any rule for this one to hold after it. All of them where nothing is
    /// said.
    pub premises: BTreeMap<usize, BTreeSet<usize>>,
}
