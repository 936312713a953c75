//! Functions of the C library that Cubist does not know, but gcc's program does: what they do follows from what they
//! are given. In a run they may do anything, so that a run says nothing unless gcc's program, with the functions
//! themselves, goes the same way.

use interpret::RunEnvironment;
use system::program::{Program, is_determined};

/// The first function of the library that a run has called, and that leaves open what it returns.
pub fn unspecified<'p>(program: &'p Program, run: &RunEnvironment) -> Option<&'p str> {
    let called = run
        .calls
        .iter()
        .map(|id| &program[*id])
        .find(|called| called.is_library);
    called.map(|called| called.name.as_str())
}

/// The first such function that a run has called.
pub fn determined<'p>(program: &'p Program, run: &RunEnvironment) -> Option<&'p str> {
    let mut called = run.calls.iter().map(|id| program[*id].name.as_str());
    called.find(|name| is_determined(name))
}
