//! Benchmarks: what regenerates the tables in docs/results.md.

pub(crate) mod measure;
pub(crate) mod rumur;

use serde::Serialize;
use serde_json::Value;

/// The result of one benchmark.
#[derive(Serialize)]
pub(crate) struct Table {
    pub(crate) bench: &'static str,
    pub(crate) rows: Vec<Row>,
    /// What the reader should know about this run.
    pub(crate) notes: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) ours: Value,
    /// The peer's or the paper's figures, or null.
    pub(crate) reference: Value,
    /// Whether ours reach what we promise; null where there is nothing to compare with.
    pub(crate) met: Option<bool>,
}
