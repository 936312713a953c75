//! Functions of the C library that Cubist does not model, but whose results are determined by their arguments. A run
//! may take any result, so it is inconclusive unless gcc's program, with the real functions, agrees.

use interpret::RunEnvironment;
use system::program::{Program, is_determined};

/// The first called library function whose result is unspecified.
pub fn unspecified<'p>(program: &'p Program, run: &RunEnvironment) -> Option<&'p str> {
    let called = run
        .calls
        .iter()
        .map(|id| &program[*id])
        .find(|called| called.is_library);
    called.map(|called| called.name.as_str())
}

/// The first called library function whose result is determined by its arguments.
pub fn determined<'p>(program: &'p Program, run: &RunEnvironment) -> Option<&'p str> {
    let mut called = run.calls.iter().map(|id| program[*id].name.as_str());
    called.find(|name| is_determined(name))
}
