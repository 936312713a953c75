//! Runs finite instances: breadth-first search, random simulation, given runs and small state graphs.
//!
//! The way of an instance through this crate: [`specialise`] turns its rules into code for each choice of their
//! parameters, [`vm`] runs that code, [`worker`] fires rules on states, and [`search`], `simulate`, `follow` and
//! `graph` drive workers. Nothing here prints; a search tells an [`Observer`] how it goes.

mod agreement;
mod arithmetic;
mod code;
mod effects;
mod fault;
mod filter;
mod follow;
mod graph;
mod heap;
mod inspect;
mod lists;
mod meeting;
mod packing;
mod plain;
mod program;
mod random;
mod recent;
mod search;
mod simulate;
mod specialise;
mod stack;
mod store;
mod symmetry;
mod trace;
mod vm;
mod worker;

pub use agreement::{
    AgreementReport, ChosenState, Difference, Disagreement, StepsReport, check_agreement, check_steps,
};
pub use fault::{Fault, FaultKind};
pub use follow::{FollowOptions, Followed, Waypoint, follow};
pub use graph::{GRAPH_LIMIT, GraphError, GraphOptions, state_graph};
pub use heap::widen_heap;
pub use meeting::{Claim, Claims, Contradiction, Meeting, explore_and_meet, simulate_and_meet};
pub use plain::{Again, Budget, ConfirmedExploration, ConfirmedRun, Unconfirmed, confirm, confirm_exploration};
pub use search::{
    Deadlock, Event, Incomplete, Observer, Options, Outcome, Progress, Sampler, Silent, Statistics, Verdict, Violation,
    ViolationKind, explore, reached_states,
};
pub use simulate::{SimulateOptions, Simulation, simulate};

pub use trace::{Binding, Change, Firing, Step, Trace};
