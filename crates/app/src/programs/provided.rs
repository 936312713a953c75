//! What a proof about a program assumes: steps that are undefined in some states, and not excluded.

use super::place;
use crate::terminal::listed;
use driver::program::{HazardSite, Proved};
use report::outcome::Proviso;
use std::collections::BTreeSet;
use system::Sources;
use system::program::Undefined;

/// More lines are counted only.
const SHOWN: usize = 3;
/// Where nothing was compared with the proof.
const UNCHECKED: &str = "not cross-checked: no run of the program was compared with the proof";

/// A step that a proof assumes to be defined.
fn proviso(provided: HazardSite, sources: &Sources) -> Proviso {
    let (kind, what) = words(provided.kind);
    let place = place(sources, provided.span);
    let place = place.as_deref().and_then(|place| place.rsplit_once(':'));
    Proviso {
        what: what.to_owned(),
        kind: kind.to_owned(),
        file: place.map(|(file, _)| file.to_owned()),
        line: place.and_then(|(_, line)| line.parse().ok()),
    }
}

/// `11`, or `queue.h:12` in another file.
fn shown_place(proviso: &Proviso, model: Option<&str>) -> String {
    match (&proviso.file, proviso.line) {
        (Some(file), Some(line)) if Some(file.as_str()) != model => format!("{file}:{line}"),
        (_, Some(line)) => line.to_string(),
        _ => "somewhere".to_owned(),
    }
}

/// All of them, each once, in the order of files and lines.
pub(crate) fn provisos(provided: &[HazardSite], sources: &Sources) -> Vec<Proviso> {
    let mut all: Vec<Proviso> = provided.iter().map(|one| proviso(*one, sources)).collect();
    all.sort_by(|a, b| (&a.file, a.line, &a.kind).cmp(&(&b.file, b.line, &b.kind)));
    all.dedup();
    all
}

/// `provided that no access is outside of its object (line 11: not proved)`. None where nothing is taken not to
/// happen. Lines of the model are named without it.
pub(crate) fn provided_that(provisos: &[Proviso], model: Option<&str>) -> Option<String> {
    let mut kinds: Vec<&str> = Vec::new();
    for proviso in provisos {
        if !kinds.contains(&proviso.what.as_str()) {
            kinds.push(&proviso.what);
        }
    }
    let each = kinds.iter().map(|what| {
        let same = provisos.iter().filter(|proviso| proviso.what == *what);
        let places: BTreeSet<(Option<&String>, Option<usize>)> = same
            .clone()
            .map(|proviso| (proviso.file.as_ref(), proviso.line))
            .collect();
        let mut shown: Vec<String> = Vec::new();
        for proviso in same {
            let place = shown_place(proviso, model);
            if shown.len() < SHOWN && !shown.contains(&place) {
                shown.push(place);
            }
        }
        let word = if places.len() == 1 { "line" } else { "lines" };
        if let Some(more @ 1..) = places.len().checked_sub(shown.len()) {
            shown.push(format!("{more} more"));
        }
        format!("{what} ({word} {}: not proved)", listed(&shown))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("provided that {}", listed(&each)))
}

/// What qualifies a proof, in the words of the first line.
pub(crate) fn qualified(proved: &Proved, sources: &Sources) -> Option<String> {
    let provided = provided_that(&provisos(&proved.provided, sources), Some(&sources.model().name));
    let unchecked = (proved.runs + proved.prefixes == 0).then(|| UNCHECKED.to_owned());
    let parts: Vec<String> = provided.into_iter().chain(unchecked).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// A word for programs, and what is taken not to happen.
fn words(kind: Undefined) -> (&'static str, &'static str) {
    match kind {
        Undefined::Overflow => ("overflow", "no signed number overflows"),
        Undefined::DivisionByZero => ("division", "no division is by zero"),
        Undefined::Shift => ("shift", "no shift is by too many bits or by a negative number"),
        Undefined::NullPointer => ("null", "no null pointer is followed"),
        Undefined::InvalidPointer | Undefined::OutOfBounds => ("bounds", "no access is outside of its object"),
        Undefined::DeadObject => ("gone", "no pointer to an object that is gone is used"),
        Undefined::Uninitialised => ("uninitialized", "no value is read that was never written"),
        Undefined::Constant => ("constant", "no constant is written to"),
        Undefined::Free => ("free", "only what was allocated is freed, and only once"),
        Undefined::DifferentObjects => ("order", "only pointers into one object are ordered or subtracted"),
        Undefined::Conversion => ("conversion", "every number fits into the integer that it is made"),
        Undefined::Call => ("call", "every pointer that is called points at a function"),
        Undefined::MissingReturn => ("return", "the value of a function that returned none is not used"),
        Undefined::Unreachable => ("unreachable", "no place is reached that cannot be, as the program says"),
    }
}
