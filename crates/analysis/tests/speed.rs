//! How long reading, points-to sets and a slice take, of the program that `CUBIST_PROGRAM` names, with the entry
//! `CUBIST_ENTRY`.

#![allow(clippy::unwrap_used)]

use analysis::{Criterion, PointsTo, slice};
use std::path::Path;
use std::time::Instant;

#[test]
#[ignore = "prints times"]
#[allow(clippy::print_stdout)]
fn times() {
    let Ok(program) = std::env::var("CUBIST_PROGRAM") else {
        return;
    };
    let mut options = c::Options::new(c::DataModel::Ilp32);
    if let Ok(entry) = std::env::var("CUBIST_ENTRY") {
        options.entry = entry;
    }
    let start = Instant::now();
    let unit = c::read_file(Path::new(&program), &options).unwrap();
    let read = start.elapsed();
    let points_to = PointsTo::of(&unit.program);
    let solved = start.elapsed();
    let slice = slice(&unit.program, &points_to, Criterion::Properties);
    let sliced = start.elapsed();
    println!(
        "read {read:.2?}, points-to {:.2?}, slice {:.2?}",
        solved - read,
        sliced - solved
    );
    println!("{} of {} steps", slice.kept, slice.all);
}
