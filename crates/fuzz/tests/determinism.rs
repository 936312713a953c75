//! Like `short`, for the attack that measures the memory of the process: alone in it.

use fuzz::tally::Campaign;
use std::path::PathBuf;

#[test]
fn determinism() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    let mut run = Campaign::new("determinism", 1, 10, folder);
    fuzz::determinism::run(&mut run);
    assert!(run.tried > 0 && run.wrong.is_empty(), "{}", run.summary());
}
