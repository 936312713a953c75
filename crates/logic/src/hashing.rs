//! Hash tables for interned values.
//!
//! Terms and symbols hash in a few words (a number or an address) and are looked up constantly. The standard hasher,
//! hardened against hostile keys, would dominate the cost.

pub(crate) use rustc_hash::FxHasher as WordHasher;
pub use rustc_hash::{FxHashMap as FastMap, FxHashSet as FastSet};
