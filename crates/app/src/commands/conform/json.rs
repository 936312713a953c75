//! The outcome of `cubist conform`, which JSON is a rendering of.

use super::answers::{Done, Report};
use crate::arguments::Conform;
use crate::outcomes::explore_json::peak_memory_mb;
use conformance::verify::TraceViolation;
use driver::components::Verdict;
use report::Status;
use report::outcome::{Outcome, Place, Property, Step, fields};
use serde_json::{Map, Value, json};

impl Report<'_> {
    pub(super) fn outcome(&self, arguments: &Conform, status: Status, seconds: f64) -> Outcome {
        Outcome {
            language: Some("C".to_owned()),
            engine: Some("magic".to_owned()),
            verdict: status.verdict(),
            properties: (0..self.answers.len()).map(|number| self.property(number)).collect(),
            time_s: Some(seconds),
            peak_memory_mb: peak_memory_mb(),
            ..Outcome::new(&self.subject.specification.sources.model().name)
        }
        .with(json!({ "certificate": self.certificate(arguments).map(|path| path.display().to_string()) }))
    }

    /// An action of a trace, and where each component does it.
    fn step(&self, number: usize, done: &Done) -> Step {
        let system = &self.systems[number];
        let mut places = Map::new();
        let mut first = None;
        for (position, component) in system.components.iter().enumerate() {
            let sources = &self.subject.units[number][position].sources;
            let span = done.places[position];
            let Some(place) = span.and_then(|span| Place::of(sources, span)) else {
                continue;
            };
            let mut shown = json!(place);
            shown["shown"] = self.place(number, position, span).into();
            places.insert(component.name.clone(), shown);
            first.get_or_insert(place);
        }
        let action = system.actions.name(done.action);
        Step {
            rule: action.to_owned(),
            place: first,
            details: fields(json!({ "action": action, "specified": !done.is_aside, "places": places })),
            ..Step::default()
        }
    }

    fn property(&self, number: usize) -> Property {
        let (question, answered) = (&self.subject.questions[number], &self.answers[number]);
        let statistics = &answered.statistics;
        let (violation, inputs) = match &answered.verdict {
            Verdict::Unsafe(found) => (Some(&found.violation), Some(&found.inputs)),
            _ => (None, None),
        };
        let steps = |violation: &TraceViolation| -> Vec<Step> {
            let done = self.done(number, violation);
            done.iter().map(|done| self.step(number, done)).collect()
        };
        let confirmed = match &answered.verdict {
            Verdict::Safe(proved) => json!({
                "by": self.confirmed_by, "obligations": proved.confirmed.obligations(), "runs": proved.confirmed.runs,
            }),
            _ => Value::Null,
        };
        Property {
            name: question.name.clone(),
            verdict: Self::status_of(&answered.verdict).verdict(),
            reason: self.reason(&answered.verdict),
            trace: violation.map(&steps),
            instance: None,
            place: Place::of(&self.subject.specification.sources, question.span),
            details: fields(json!({
                "components": question.components.iter().map(|component| component.text.as_str()).collect::<Vec<_>>(),
                "specification": question.process.text,
                "qualified": self.qualified(number),
                "provided": self.provisos(number).into_iter().flat_map(|(all, _)| all).collect::<Vec<_>>(),
                "suspected": answered.suspected.as_deref().map(steps),
                "inputs": inputs,
                "confirmed": confirmed,
                "assumed": self.assumed(number),
                "iterations": { "predicates": statistics.predicate_iterations, "actions": statistics.action_iterations },
                "predicates": {
                    "expressions": statistics.predicates.0,
                    "predicates": statistics.predicates.1,
                    "branches": statistics.predicates.2,
                },
                "states": {
                    "together": statistics.states,
                    "abstract": statistics.abstract_states,
                    "models": statistics.model_states,
                },
                "eliminating": { "sets": statistics.eliminating.0, "largest": statistics.eliminating.1 },
                "questions": statistics.questions,
            })),
        }
    }
}
