//! Components and labelled transition systems, briefly; `cubist-fuzz conform` and `cubist-fuzz lts` run at length.

use fuzz::tally::Campaign;
use std::path::PathBuf;

fn run(kind: &'static str, count: u64) -> Campaign {
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    Campaign::new(kind, 1, cases.unwrap_or(count), folder)
}

#[test]
fn lts() {
    let mut run = run("lts", 1000);
    fuzz::lts::run(&mut run);
    assert!(run.wrong.is_empty(), "{}", run.summary());
    let enough = |name: &str| run.count_of(name) > run.tried / 10;
    assert!(
        enough("violated") && enough("contained") && enough("refinements"),
        "{}",
        run.summary()
    );
}

#[test]
fn conform() {
    let mut run = run("conform", 100);
    fuzz::conform::run(&mut run);
    assert!(run.wrong.is_empty(), "{}", run.summary());
    // Without gcc nothing is tested.
    let enough = |name: &str| run.tried == 0 || run.count_of(name) > run.tried / 2;
    assert!(enough("violated") && enough("conforms"), "{}", run.summary());
}
