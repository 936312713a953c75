//! The proof that an engine returns: an inductive invariant.

use crate::transition::Fact;
use std::collections::{BTreeMap, BTreeSet};

/// An inductive invariant and the properties that follow from it. It is not trusted: the crate `validate` generates its
/// proof obligations, and an independent solver discharges them.
#[derive(Clone, Debug, Default)]
pub struct Certificate {
    /// The names of the proved properties. That the assertions of rules never fail is always proved as well.
    pub properties: Vec<String>,
    /// Closed formulas over the state. Together with the type facts of the system, their conjunction is the invariant.
    pub facts: Vec<Fact>,
    /// For each fact, the facts that suffice before any rule for it to hold afterwards; all of them if the list is
    /// empty.
    pub premises: BTreeMap<usize, BTreeSet<usize>>,
}
