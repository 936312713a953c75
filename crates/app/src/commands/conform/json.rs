//! The answers as JSON.

use super::answers::{Done, Report};
use crate::arguments::Conform;
use crate::outcomes::explore_json::peak_memory_mb;
use crate::outcomes::{Header, places};
use crate::status::Status;
use conformance::verify::TraceViolation;
use driver::components::Verdict;
use serde_json::{Value, json};

impl Report<'_> {
    pub(super) fn json(&self, arguments: &Conform, status: Status, seconds: f64) -> Value {
        let header = Header::new(&self.subject.specification.sources.model().name);
        let properties: Vec<Value> = (0..self.answers.len()).map(|number| self.property(number)).collect();
        json!({
            "cubist": header.cubist,
            "schema": header.schema,
            "file": header.file,
            "language": "C",
            "engine": "magic",
            "verdict": status.verdict(),
            "properties": properties,
            "certificate": self.certificate(arguments).map(|path| path.display().to_string()),
            "time_s": seconds,
            "peak_memory_mb": peak_memory_mb(),
        })
    }

    fn property(&self, number: usize) -> Value {
        let (question, answered) = (&self.subject.questions[number], &self.answers[number]);
        let (system, statistics) = (&self.systems[number], &answered.statistics);
        let (violation, inputs) = match &answered.verdict {
            Verdict::Unsafe(found) => (Some(&found.violation), Some(&found.inputs)),
            _ => (None, None),
        };
        let step = |one: &Done| {
            let places: serde_json::Map<String, Value> = system
                .components
                .iter()
                .zip(&one.places)
                .enumerate()
                .filter_map(|(position, (component, span))| {
                    let sources = &self.subject.units[number][position].sources;
                    let mut place = places::place(sources, (*span)?);
                    place["shown"] = self.place(number, position, *span).into();
                    Some((component.name.clone(), place))
                })
                .collect();
            json!({ "action": system.actions.name(one.action), "specified": !one.is_aside, "places": places })
        };
        let steps = |violation: &TraceViolation| self.done(number, violation).iter().map(step).collect::<Vec<_>>();
        let suspected = answered.suspected.as_deref().map(steps);
        let trace = violation.map(steps);
        let confirmed = match &answered.verdict {
            Verdict::Safe(proved) => Some(json!({
                "by": self.confirmed_by, "obligations": proved.confirmed.obligations(), "runs": proved.confirmed.runs,
            })),
            _ => None,
        };
        json!({
            "name": question.name,
            "components": question.components.iter().map(|component| component.text.as_str()).collect::<Vec<_>>(),
            "specification": question.process.text,
            "verdict": Self::status_of(&answered.verdict).verdict(),
            "reason": self.reason(&answered.verdict),
            "qualified": self.qualified(number),
            "provided": self.provisos(number).into_iter().flat_map(|(all, _)| all).collect::<Vec<_>>(),
            "trace": trace,
            "suspected": suspected,
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
            "place": places::place(&self.subject.specification.sources, question.span),
        })
    }
}
