//! The answers to all questions, and what text, JSON and files share of them.

use super::subject::Subject;
use crate::programs;
use crate::programs::provided::{provided_that, provisos};
use crate::terminal::listed;
use conformance::assembly::System;
use conformance::component::abstraction::Via;
use conformance::lts::Action;
use conformance::verify::TraceViolation;
use driver::components::{Decided, Verdict};
use driver::program::HazardSite;
use report::Status;
use report::outcome::Proviso;
use std::collections::BTreeSet;
use system::program::Undefined;
use system::{Sources, Span};

/// The answers to all questions.
pub(super) struct Report<'r> {
    pub(super) subject: &'r Subject,
    pub(super) systems: &'r [System<'r>],
    pub(super) answers: &'r [Decided],
    pub(super) confirmed_by: &'r str,
    pub(super) is_late: bool,
}

/// An action of a trace, with where each component does it.
pub(super) struct Done {
    pub(super) action: Action,
    pub(super) places: Vec<Option<Span>>,
    /// The specification is not about it.
    pub(super) is_aside: bool,
}

impl Subject {
    /// Steps of the components of a question that a proof does not exclude to be undefined.
    pub(super) fn provisos(
        &self,
        number: usize,
        provided: &[BTreeSet<(Span, Undefined)>],
    ) -> Vec<(Vec<Proviso>, &Sources)> {
        let of_component = |(position, open): (usize, &BTreeSet<(Span, Undefined)>)| {
            let sources = &self.units[number][position].sources;
            let open: Vec<HazardSite> = open
                .iter()
                .map(|(span, kind)| HazardSite {
                    span: *span,
                    kind: *kind,
                })
                .collect();
            (provisos(&open, sources), sources)
        };
        provided.iter().enumerate().map(of_component).collect()
    }
}

/// What these come to, in the words of the first line.
pub(super) fn qualified(each: &[(Vec<Proviso>, &Sources)]) -> Option<String> {
    let mut all: Vec<Proviso> = Vec::new();
    let is_alone = each.len() == 1;
    for (provisos, _) in each {
        let new: Vec<Proviso> = provisos
            .iter()
            .filter(|proviso| !all.contains(proviso))
            .cloned()
            .collect();
        all.extend(new);
    }
    // With several components, every line is named with its file.
    let model = each
        .first()
        .filter(|_| is_alone)
        .map(|(_, sources)| sources.model().name.as_str());
    provided_that(&all, model)
}

impl Report<'_> {
    pub(super) fn status_of(verdict: &Verdict) -> Status {
        match verdict {
            Verdict::Safe(_) => Status::Done,
            Verdict::Unsafe(_) => Status::Violated,
            Verdict::Unknown(_) => Status::Incomplete,
        }
    }

    pub(super) fn status(&self) -> Status {
        Status::worst(self.answers.iter().map(|answered| Self::status_of(&answered.verdict)))
    }

    pub(super) fn reason(&self, verdict: &Verdict) -> Option<String> {
        match verdict {
            Verdict::Unknown(_) if self.is_late => Some("the time limit was reached".to_owned()),
            Verdict::Unknown(unknown) => Some(unknown.reason.to_string()),
            _ => None,
        }
    }

    pub(super) fn components(&self, number: usize) -> String {
        let names = self.subject.questions[number]
            .components
            .iter()
            .map(|component| component.text.as_str());
        names.collect::<Vec<_>>().join(" || ")
    }

    /// The actions of a violation in one order that all components agree with.
    pub(super) fn done(&self, number: usize, violation: &TraceViolation) -> Vec<Done> {
        let system = &self.systems[number];
        let own = |position: usize| {
            let component = &system.components[position];
            let steps = violation.parts[position].path.steps.iter();
            steps.filter_map(|step| {
                let edge = match step.via {
                    Via::Inside(edge, _) | Via::Return(edge, _) => edge,
                    _ => return None,
                };
                let node = component.automaton.edges[edge].from;
                let is_action = step.action != conformance::lts::TAU;
                is_action.then_some((step.action, component.automaton.nodes[node].span))
            })
        };
        let count = system.components.len();
        let mut pending: Vec<std::collections::VecDeque<(Action, Span)>> =
            (0..count).map(|position| own(position).collect()).collect();
        let mut done = Vec::new();
        for action in &violation.trace {
            let mut places = vec![None; count];
            for (position, queue) in pending.iter_mut().enumerate() {
                if !system.components[position].alphabet.contains(action) {
                    continue;
                }
                while let Some((next, span)) = queue.pop_front() {
                    if next == *action {
                        places[position] = Some(span);
                        break;
                    }
                    let mut alone = vec![None; count];
                    alone[position] = Some(span);
                    done.push(Done {
                        action: next,
                        places: alone,
                        is_aside: true,
                    });
                }
            }
            done.push(Done {
                action: *action,
                places,
                is_aside: !system.specification.alphabet.contains(action),
            });
        }
        done
    }

    /// `server.c:12`
    pub(super) fn place(&self, number: usize, position: usize, span: Option<Span>) -> String {
        let unit = &self.subject.units[number][position];
        span.and_then(|span| programs::place(&unit.sources, span))
            .unwrap_or_default()
    }

    /// What an answer is provided that, component by component.
    pub(super) fn provisos(&self, number: usize) -> Vec<(Vec<Proviso>, &Sources)> {
        let Verdict::Safe(proved) = &self.answers[number].verdict else {
            return Vec::new();
        };
        self.subject.provisos(number, &proved.confirmed.provided)
    }

    /// The same, in the words of the first line.
    pub(super) fn qualified(&self, number: usize) -> Option<String> {
        qualified(&self.provisos(number))
    }

    /// What was taken for granted.
    pub(super) fn assumed(&self, number: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for opened in &self.subject.opened[number] {
            lines.extend(opened.assumptions.iter().map(|what| format!("{}: {what}", opened.name)));
        }
        let system = &self.systems[number];
        if !system.ignored.is_empty() {
            let names: Vec<String> = system
                .ignored
                .iter()
                .map(|action| format!("`{}`", system.actions.name(*action)))
                .collect();
            let process = &self.subject.questions[number].process.text;
            lines.push(format!(
                "{} may happen at any time: {process} does not speak of it",
                listed(&names)
            ));
        }
        lines
    }
}
