//! Programs as transition systems: calls are inlined, memory becomes scalar cells, and loop-free blocks become rules.
//!
//! - [`contexts`]: one calling context for each chain of inlined calls;
//! - [`objects`]: the objects of the program and the cells that become state variables;
//! - `values`, `pointers`, `places`, `steps`: symbolic execution of one step;
//! - `blocks`: large-block encoding, all paths between two cut points in one transition;
//! - [`contracts`]: modular encoding of recursive procedures;
//! - `flow`: the inlined program with one transition per edge;
//! - [`back`]: concretization, from a run of the system to inputs of the program;
//! - [`stepwise`]: single steps as terms, for cross-checking against concrete runs;
//! - [`frames`]: steps of single procedures, without inlining.
//!
//! The system over-approximates the program: every run of the program, observed at cut points, is a run of the system,
//! so a proof about the system holds of the program. Constructs beyond the encoding (floats, long arrays, products of
//! two unknowns) are havocked. A counterexample may therefore be spurious and must be replayed on the program.
//!
//! The crate depends on no source language and no solver.

mod allocated;
pub mod back;
mod blocks;
mod constants;
pub mod contexts;
pub mod contracts;
mod flow;
mod following;
pub mod frames;
mod hazards;
mod machine;
mod numbers;
pub mod objects;
mod places;
mod pointers;
mod steps;
pub mod stepwise;
mod system_of;
mod touching;
mod values;

pub use contexts::{Context, ContextId, Node};
pub use contracts::{Contract, NoContract};
pub use flow::{Call, Flow, FlowStep};
pub use hazards::Hazard;
pub use machine::{Choice, ChoiceKind};
pub use objects::{Cell, CellId, Object, ObjectId, ObjectOrigin};
pub use system_of::{Unfolded, unfold};

/// The semantics of arithmetic and of undefined behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undefinedness {
    /// Integers wrap around; runs end at accesses outside of every object and at divisions by zero.
    Wraps,
    /// Runs end where their behaviour is undefined.
    Absent,
    /// Unbounded mathematical integers, as in the papers: no overflow, and unsigned inputs are not negative. Undefined
    /// behaviour is treated as in `Wraps`.
    Unbounded,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub undefined: Undefinedness,
    /// The depth to which recursive calls are inlined.
    pub recursion: usize,
    /// The maximum number of locations of the unfolded program.
    pub locations: usize,
    /// Encode products and quotients of two unknowns exactly; otherwise they are havocked and the system stays linear.
    pub exact_products: bool,
    /// Encode recursive procedures by contracts, instead of inlining them to a bounded depth.
    pub by_contracts: bool,
    /// Input pointers are null or point at unnamed memory, never at an object of the program.
    pub own_pointers: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            undefined: Undefinedness::Wraps,
            recursion: 8,
            locations: 200_000,
            exact_products: false,
            by_contracts: false,
            own_pointers: false,
        }
    }
}

/// Why a program has no transition system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnfoldError {
    #[error("the program has no beginning")]
    NoStart,
    #[error("with all calls inlined, the program has more than {locations} locations")]
    TooLarge { locations: usize },
    #[error(transparent)]
    NoContract(#[from] NoContract),
    #[error("interrupted")]
    Stopped,
}
