//! Explicit-state exploration of finite instances: breadth-first search, random simulation, replay and small state
//! graphs.
//!
//! An instance passes through these modules: [`specialise`] turns its rules into code for each choice of their
//! parameters, [`vm`] executes that code, [`worker`] fires rules on states, and [`search`], `simulate`, `follow` and
//! `graph` drive workers. Nothing here prints; a search reports progress to an [`Observer`].

mod agreement;
mod arithmetic;
mod code;
mod crosscheck;
mod effects;
mod fault;
mod filter;
mod follow;
mod graph;
mod heap;
mod inspect;
mod lists;
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
pub use crosscheck::{
    Contradiction, CrosscheckInput, CrosscheckReport, ProvedFact, explore_and_crosscheck, simulate_and_crosscheck,
};
pub use fault::{Fault, FaultKind};
pub use follow::{FollowOptions, FollowOutcome, Waypoint, follow};
pub use graph::{GRAPH_LIMIT, GraphError, GraphOptions, state_graph};
pub use heap::prepare_heap;
pub use plain::{
    Budget, ConfirmedExploration, ConfirmedRun, SecondExploration, Unconfirmed, confirm, confirm_exploration,
};
pub use search::{
    Deadlock, Incomplete, Observer, Sampler, SearchEvent, SearchOptions, SearchOutcome, SearchProgress,
    SearchStatistics, SearchVerdict, SilentObserver, Violation, ViolationKind, explore, reached_states,
};
pub use simulate::{SimulateOptions, Simulation, simulate};

pub use trace::{Binding, Change, Firing, Trace, TraceStep};
