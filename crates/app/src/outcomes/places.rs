//! Where properties and the rules of a run stand in the source.

use driver::{Decided, Verdict};
use report::outcome::{self, Outcome, Place};
use std::collections::HashMap;
use system::{Sources, Span};

/// Gives each property the place where it is stated.
pub(crate) fn add_to_properties(outcome: &mut Outcome, sources: &Sources, stated: &[(String, Span)]) {
    // Where several have the same name, the first one counts.
    let places = stated.iter().rev().map(|(name, span)| (name.as_str(), *span));
    let places: HashMap<&str, Span> = places.collect();
    for property in &mut outcome.properties {
        let span = places.get(property.name.as_str());
        property.place = span.and_then(|span| Place::of(sources, *span));
    }
}

/// The same, and gives the violated property and each step of the run their places.
pub(crate) fn add(outcome: &mut Outcome, decided: &Decided, only: &[String]) {
    add_to_properties(outcome, decided.input().sources(), &decided.stated(only));
    let Verdict::Unsafe(found) = &decided.verdict else {
        return;
    };
    let (sources, violation) = (found.input.sources(), found.run().violation());
    let violated = |property: &&mut outcome::Property| property.verdict == outcome::Verdict::Unsafe;
    for property in outcome.properties.iter_mut().filter(violated) {
        property.place = Place::of(sources, violation.span);
        let fired = violation.trace.iter().flat_map(|trace| {
            let steps = trace.steps.iter().map(|step| &step.firing);
            steps.chain(&trace.failing)
        });
        for (step, firing) in property.trace.iter_mut().flatten().zip(fired) {
            step.place = Place::of(sources, firing.span);
        }
    }
}
