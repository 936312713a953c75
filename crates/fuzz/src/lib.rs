//! The test harness that tries to break Cubist (docs/reliability.md has the results).
//!
//! Each attack is a module with one function, which takes a [`Campaign`](tally::Campaign) and records its results.
//! They share machine-independent [`random`] numbers, a [`source`] that goes through the front end, the [`oracle`] that
//! explores small instances, the list of engines and their claims ([`engine`]), [`confirmation`] of proofs in batches,
//! and [`isolation`] of each case on a thread, so that a panic or a hang is a finding and not the end.

pub mod boolean;
pub mod c;
pub mod certificates;
pub mod checks;
pub mod confirmation;
pub mod conform;
pub mod constructed;
pub mod determinism;
pub mod engine;
pub mod faults;
pub mod forgeries;
pub mod gated;
pub mod generate;
pub mod induction;
pub mod inputs;
pub mod isolation;
pub mod language;
pub mod limits;
pub mod lts;
pub mod metamorphic;
pub mod minimise;
pub mod mutants;
pub mod oracle;
pub mod program;
pub mod programs;
pub mod random;
pub mod readers;
pub mod sessions;
pub mod source;
pub mod systems;
pub mod tally;
