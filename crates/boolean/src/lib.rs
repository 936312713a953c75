//! Boolean programs: the language of SLAM's Bebop, and its model checker.
//!
//! - [`program`]: programs as data; [`well_formed`]: whether one that was built holds together;

pub mod program;
pub mod well_formed;
