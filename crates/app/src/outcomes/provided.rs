//! What a proof about a model is provided that: values that are read are defined, where that is not proved.

use driver::Safe;
use report::outcome::Proviso;
use std::collections::BTreeSet;
use system::Sources;

/// More lines are counted only.
const SHOWN: usize = 3;
const WHAT: &str = "no undefined value is read";

/// The lines, by file where it is not the model's; none for a place that is not known.
fn places(safe: &Safe, sources: &Sources) -> BTreeSet<(Option<String>, Option<usize>)> {
    let place = |span: &system::Span| {
        let file = sources.file(*span).name.clone();
        match span.is_nowhere() {
            true => (None, None),
            false => (Some(file), Some(sources.position(*span).0)),
        }
    };
    safe.open_reads().iter().map(place).collect()
}

/// `provided that no undefined value is read (line 11: not proved)`. None where the verdict is about all runs.
pub(crate) fn provided_that(safe: &Safe, sources: &Sources) -> Option<String> {
    let places = places(safe, sources);
    let model = &sources.model().name;
    let text = |(file, line): &(Option<String>, Option<usize>)| match (file, line) {
        (Some(file), Some(line)) if file != model => format!("{file}:{line}"),
        (_, Some(line)) => line.to_string(),
        _ => "somewhere".to_owned(),
    };
    let mut shown: Vec<String> = places.iter().take(SHOWN).map(text).collect();
    let more = places.len().saturating_sub(SHOWN);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    let word = if places.len() == 1 { "line" } else { "lines" };
    let known = places.iter().any(|(_, line)| line.is_some());
    let at = match known {
        true => format!("{word} {}: not proved", crate::terminal::listed(&shown)),
        false => "not proved".to_owned(),
    };
    (!places.is_empty()).then(|| format!("provided that {WHAT} ({at})"))
}

/// One for each line.
pub(crate) fn provisos(safe: &Safe, sources: &Sources) -> Vec<Proviso> {
    let proviso = |(file, line)| Proviso {
        what: WHAT.to_owned(),
        kind: "undefined-read".to_owned(),
        file,
        line,
    };
    places(safe, sources).into_iter().map(proviso).collect()
}
