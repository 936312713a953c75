//! The outcome of a command as plain data, and its renderings: JSON (its serialisation), JUnit XML, SARIF, a table,
//! pages of HTML, charts and graphs.

pub mod chart;
pub mod drawing;
mod finished;
pub mod graph;
pub mod junit;
pub mod outcome;
pub mod page;
pub mod run;
pub mod sarif;
mod status;
pub mod summary;
pub mod words;

pub use finished::Finished;
pub use outcome::{Header, Outcome};
pub use status::Status;
