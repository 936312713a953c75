//! What slices keep of small programs. Lines that end in `//+` have a step that matters, lines that end in `//-` have
//! none; a first line `//! output` asks for what matters for the output, else it is the properties.

#![allow(clippy::unwrap_used)]

use analysis::{Criterion, PointsTo, slice};
use std::collections::BTreeSet;
use std::path::Path;
use system::Sources;
use system::program::{Program, Step};

/// The lines of the file with a step that does something.
fn lines(program: &Program, sources: &Sources) -> BTreeSet<usize> {
    let automata = program
        .procedures
        .iter()
        .filter_map(|procedure| procedure.body.automaton());
    let edges = automata.flat_map(|automaton| automaton.locations.iter().flat_map(|location| &location.edges));
    let does_something = |step: &Step| !matches!(step, Step::Skip | Step::Enter(_) | Step::Leave(_));
    let steps = edges.filter(|edge| does_something(&edge.step) && !edge.span.is_nowhere());
    steps.map(|edge| sources.position(edge.span).0).collect()
}

fn differences(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let unit = c::read_file(path, &c::Options::new(c::DataModel::Lp64)).unwrap();
    let criterion = match text.starts_with("//! output") {
        true => Criterion::Output,
        false => Criterion::Properties,
    };
    let slice = slice(&unit.program, &PointsTo::of(&unit.program), criterion);
    assert_eq!(slice.program.malformed(), []);
    let (all, kept) = (
        lines(&unit.program, &unit.sources),
        lines(&slice.program, &unit.sources),
    );
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let is_expected = match () {
            () if line.ends_with("//+") => true,
            () if line.ends_with("//-") => false,
            () => continue,
        };
        let place = format!("{}:{number}", path.display());
        if !all.contains(&number) {
            wrong.push(format!("{place} has no step"));
        } else if kept.contains(&number) != is_expected {
            let what = if is_expected { "left out" } else { "kept" };
            wrong.push(format!("{place} is {what}"));
        }
    }
    wrong
}

#[test]
fn small_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slices");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 10);
    let wrong: Vec<String> = paths.iter().flat_map(|path| differences(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
