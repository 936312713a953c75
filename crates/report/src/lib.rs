//! What Cubist reports: an outcome as plain data, and its renderings.

pub mod chart;
pub mod drawing;
pub mod graph;
