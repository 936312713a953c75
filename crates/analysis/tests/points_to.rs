//! Published small cases and some of our own, as C programs. Their first lines say what pointers may point at: lines
//! `//= PART -> TARGETS`, as `cubist show --points-to` prints them. A part that has no line there points at nothing.

#![allow(clippy::unwrap_used)]

use analysis::PointsTo;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use system::{Sources, Span};

fn named(sources: &Sources, span: Span) -> Option<String> {
    let file = sources.file(span);
    let line = file.position(span.start).0;
    let (name, line) = file.origin(span.start).unwrap_or((&file.name, line));
    Some(format!("{}:{line}", name.rsplit('/').next()?))
}

fn targets(listed: &str) -> BTreeSet<String> {
    let listed = listed.split(',').map(str::trim).filter(|target| !target.is_empty());
    listed.map(str::to_owned).collect()
}

fn differences(path: &Path) -> Vec<String> {
    let unit = c::read_file(path, &c::Options::new(c::DataModel::Lp64)).unwrap();
    let shown = PointsTo::of(&unit.program).shown(&unit.program, &|span| named(&unit.sources, span));
    let shown: BTreeMap<String, BTreeSet<String>> = shown
        .into_iter()
        .map(|(part, held)| (part, held.into_iter().collect()))
        .collect();
    let text = std::fs::read_to_string(path).unwrap();
    let expected = text.lines().filter_map(|line| line.strip_prefix("//= "));
    let expected: Vec<(&str, &str)> = expected.filter_map(|line| line.split_once(" ->")).collect();
    assert!(!expected.is_empty(), "{} expects nothing", path.display());
    let mut wrong = Vec::new();
    for (part, listed) in expected {
        let found = shown.get(part).cloned().unwrap_or_default();
        if found != targets(listed) {
            wrong.push(format!("{}: {part} -> {found:?}, not {listed}", path.display()));
        }
    }
    wrong
}

#[test]
fn small_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/points_to");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 20);
    let wrong: Vec<String> = paths.iter().flat_map(|path| differences(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
