//! Proofs with the user in the loop (V. Rusu, E. Singerman: Interactive Abstractions, INRIA RR-3726, 1999; section and
//! figure numbers are of that).
//!
//! A [`Session`] is about one model. It takes a [`Command`] at a time and answers with a [`Reply`]: static analysis
//! ([`statics`], 2.2), induction and strengthening ([`induct`], 2.3), abstraction with wishes ([`abstracting`], 2.4)
//! and the analysis of abstract runs ([`analysis`], 2.5), combined as in figure 3. A failed command leaves something to
//! go on with: subgoals, predicates, conjectures, each with a name, and [`suggest`] ranks what to do with them.
//!
//! A session proves nothing in a way of its own. Its steps are those of the engines in `abstraction`; what it calls
//! proved is a list of facts that are inductive together, and only the driver can make a verdict of them.

mod abstracting;
mod analysis;
mod cases;
mod command;
mod generalise;
mod induct;
mod reply;
mod session;
mod state;
mod statics;
mod suggest;
mod view;

pub use command::{Command, HELP, Operand};
pub use reply::{Block, Named, Reply, Row, Sequent};
pub use session::{Error, Finished, Session};
pub use state::{Offer, Offered, State, Statement};
pub use suggest::Suggestion;
pub use view::{Concrete, GoalView, Picture, RunView, View};
