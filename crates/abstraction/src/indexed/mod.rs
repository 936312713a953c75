//! Indexed predicate abstraction (S. K. Lahiri and R. E. Bryant, "Constructing quantified invariants via predicate
//! abstraction", VMCAI 2004).
//!
//! Given predicates over the state and index variables, it computes the strongest conjunction of facts `forall x.
//! phi(x)`, with `phi` a Boolean combination of the predicates, that the abstract fixpoint can show to hold in every
//! reachable state. It finds no predicates, and it refutes nothing: whether the facts are enough for a property is
//! asked elsewhere.
//!
//! [`Reachability`] is the fixpoint; `projection` is one step of a rule, and `arrangement` what a single model of the
//! solver tells about many.

mod arrangement;
mod projection;
mod reachability;

pub use reachability::{Reachability, Reached};
