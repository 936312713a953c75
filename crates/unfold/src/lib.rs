//! Programs as transition systems: calls are inlined, memory becomes cells, and blocks of steps become rules.
//!
//! - [`contexts`]: a context for each chain of calls;
//! - [`objects`]: what is a variable of the system;
//! - `values`, `pointers`, `places`, `steps`: what a step makes of a symbolic state;
//! - `blocks`: all steps between two cut points at once;
//! - [`contracts`]: procedures that call themselves, by what is promised of them;
//! - `flow`: one step at a time, for those who look at each;
//! - [`back`]: from a run of the system to the inputs of the program;
//! - [`stepwise`]: single steps as terms, to be compared with runs;
//! - [`frames`]: steps by themselves, with no calls inlined.
//!
//! The system has every run that the program has, seen at cut points: what is proved of the system holds of the
//! program. It may have more: what is beyond the encoding (floats, long arrays, products of unknowns) may be anything.
//! So a run of the system is believed only when the program has it, too.
//!
//! Nothing here knows a source language or a solver.

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
pub use machine::{Choice, Chosen};
pub use objects::{Cell, CellId, Object, ObjectId, Origin};
pub use system_of::{Unfolded, unfold};

/// What numbers are, and what becomes of undefined behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undefinedness {
    /// Numbers wrap around; runs end where memory is accessed that is no object, and at divisions by zero.
    Wraps,
    /// Runs end where their behaviour is undefined.
    Absent,
    /// Numbers are those of mathematics, as in the papers: none is too large for its type, and those that unsigned
    /// inputs are not negative. Otherwise as the first.
    Unbounded,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub undefined: Undefinedness,
    /// How often a procedure may call itself, directly or not.
    pub recursion: usize,
    /// Of the unfolded program.
    pub locations: usize,
    /// Whether products and quotients of two unknowns are what they are. Else they may be anything: then all is linear.
    pub exact_products: bool,
    /// Whether procedures that call themselves have contracts, instead of being inlined.
    pub by_contracts: bool,
    /// Whether pointers that are chosen are null or point at nothing that the program has a name for.
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

/// Why there is no transition system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the program has no beginning")]
    NoStart,
    #[error("with all calls inlined, the program has more than {locations} locations")]
    TooLarge { locations: usize },
    #[error(transparent)]
    NoContract(#[from] NoContract),
    #[error("interrupted")]
    Stopped,
}
