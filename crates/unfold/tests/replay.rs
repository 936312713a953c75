//! Programs with one construct each, which gcc and the interpreter agree on, go the same way in their systems.
#![allow(clippy::unwrap_used, clippy::panic)]

use analysis::points_to::PointsTo;
use c::{DataModel, Options};
use interpret::{End, Executable, Limits, Random, UndefinedMode, Uninitialised};
use std::path::Path;
use unfold::back::{Followed, replay};
use unfold::unfold;

/// How a program goes, and how it goes in its system, for some seeds of its inputs.
fn differences(path: &Path, followed: &mut usize) -> Vec<String> {
    let Ok(unit) = c::read_file(path, &Options::new(DataModel::Lp64)) else {
        return Vec::new();
    };
    let points_to = PointsTo::of(&unit.program);
    let unfolded = unfold(&unit.program, &points_to, &unfold::Options::default(), &|| false).unwrap();
    let executable = Executable::new(&unit.program);
    let limits = Limits {
        undefined: UndefinedMode::Wrap,
        uninitialised: Uninitialised::Input,
        steps: 20_000,
        ..Limits::default()
    };
    let mut found = Vec::new();
    for seed in 0..5 {
        let outcome = executable.run(&mut Random::new(seed, Vec::new()), &limits);
        let expected = match outcome.end {
            End::Exited(_) | End::Aborted => Followed::Ended,
            End::Violated(property) => Followed::Violated(property),
            _ => continue,
        };
        match replay(&unfolded, &outcome.inputs, 30_000) {
            Followed::NotFollowed => {}
            other if other == expected => *followed += 1,
            other => found.push(format!(
                "{}: {:?}, in its system {other:?}",
                path.display(),
                outcome.end
            )),
        }
    }
    found
}

#[test]
fn programs_go_the_same_way_in_their_systems() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../c/tests/programs");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut followed = 0;
    let wrong: Vec<String> = paths.iter().flat_map(|path| differences(path, &mut followed)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(followed > 100, "only {followed} runs were followed");
}
