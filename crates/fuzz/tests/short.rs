//! Each kind of attack for a short while; `make soak` does so at length.

use fuzz::tally::Run;
use std::path::PathBuf;

fn run(count: u64) -> Run {
    Run::new(1, count, PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz"))
}

#[test]
fn systems() {
    let mut run = run(500);
    fuzz::systems::run(&mut run);
    println!("{}", run.summary());
    assert_eq!(run.wrong, [""; 0]);
    assert!(run.count_of("approximate: proved") > 100 && run.count_of("approximate: refuted") > 100);
    assert!(run.share("approximate: unknown", "approximate: tried") < 20.0);
    assert!(run.count_of("not lowered") < 50);
}
