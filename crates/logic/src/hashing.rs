//! Hash tables for interned things.
//!
//! Terms and symbols are hashed by a number or an address, a few words each, and looked up all the time: the standard
//! hasher, made to withstand hostile keys, would be most of the work.

pub(crate) use rustc_hash::FxHasher as WordHasher;
pub use rustc_hash::{FxHashMap as FastMap, FxHashSet as FastSet};
