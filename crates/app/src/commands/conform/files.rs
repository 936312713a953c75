//! The answers as files: a chart, a page of HTML, systems for other tools.

use super::answers::{Done, Report};
use crate::arguments::Conform;
use crate::outcomes::chart::ChartFile;
use crate::terminal::Paint;
use anyhow::Context as _;
use conformance::aut;
use conformance::verify::TraceViolation;
use driver::components::Verdict;
use driver::write_whole;
use report::Status;
use report::chart::{Chart, Lifeline, Row};
use report::page::{self, Page};
use std::path::Path;
use system::Role;

impl Report<'_> {
    fn violation_of(&self, number: usize) -> Option<&TraceViolation> {
        match &self.answers[number].verdict {
            Verdict::Unsafe(found) => Some(&found.violation),
            _ => None,
        }
    }

    /// The first violation as a picture.
    pub(super) fn draw(&self, file: &ChartFile) -> anyhow::Result<()> {
        let Some(chart) = (0..self.answers.len()).find_map(|number| self.chart(number)) else {
            return Ok(());
        };
        write_whole(&file.path, &chart.svg()).with_context(|| format!("cannot write {}", file.path.display()))
    }

    /// Where the certificate is, if there is one: of all questions together.
    pub(super) fn certificate<'a>(&self, arguments: &'a Conform) -> Option<&'a Path> {
        let path = arguments.certificate.as_deref();
        path.filter(|_| self.status() == Status::Done)
    }

    /// Writes the texts that were confirmed.
    pub(super) fn certify(&self, arguments: &Conform) -> anyhow::Result<()> {
        let Some(path) = self.certificate(arguments) else {
            return Ok(());
        };
        let texts = self.answers.iter().filter_map(|answered| match &answered.verdict {
            Verdict::Safe(proved) => Some(proved.confirmed.certificate.text()),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        let text = validate::conformance::joined(&texts);
        write_whole(path, &text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// The systems of all questions, for other tools.
    pub(super) fn exchange(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for (number, answered) in self.answers.iter().enumerate() {
            let (question, system) = (&self.subject.questions[number], &self.systems[number]);
            let mut systems = vec![(&question.process.text, &system.specification)];
            if let Verdict::Safe(proved) = &answered.verdict {
                let names = question.components.iter().map(|component| &component.text);
                systems.extend(names.zip(&proved.confirmed.systems));
            }
            for (name, lts) in systems {
                let path = folder.join(format!("{}-{name}.aut", question.name));
                let text = aut::write(lts, &system.actions);
                write_whole(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        Ok(())
    }

    fn chart(&self, number: usize) -> Option<Chart> {
        let violation = self.violation_of(number)?;
        let system = &self.systems[number];
        let question = &self.subject.questions[number];
        let row = |one: &Done| {
            let at: Vec<usize> = (0..one.places.len())
                .filter(|position| one.places[*position].is_some())
                .collect();
            let name = system.actions.name(one.action).to_owned();
            Row {
                label: name.clone(),
                detail: name,
                changes: at
                    .iter()
                    .map(|position| self.place(number, *position, one.places[*position]))
                    .collect(),
                at,
                ..Row::default()
            }
        };
        let lifeline = |name: &str| Lifeline {
            name: name.to_owned(),
            is_shared: false,
        };
        Some(Chart {
            title: format!("{}: a violation of {}", self.components(number), question.process.text),
            subtitle: self.subject.specification.sources.model().name.clone(),
            lifelines: system
                .components
                .iter()
                .map(|component| lifeline(&component.name))
                .collect(),
            rows: self.done(number, violation).iter().map(row).collect(),
            end: Some(format!("{} does not allow this", question.process.text)),
        })
    }

    /// The answers as a page of HTML that needs nothing else.
    pub(super) fn page(&self, status: Status) -> String {
        let specification = &self.subject.specification.sources;
        let units = self.subject.units.iter().flatten().map(|unit| &unit.sources);
        let files = std::iter::once(specification)
            .chain(units)
            .flat_map(|sources| std::iter::once(sources.model()).chain(sources.additions()));
        let mut page = Page {
            name: &specification.model().name,
            verdict: status.verdict(),
            files: files.filter(|file| file.role() != Role::Preprocessed).collect(),
            ..Page::default()
        };
        for (number, answered) in self.answers.iter().enumerate() {
            let mut details = String::new();
            self.details(number, answered, true, &mut details);
            page.answers.push(page::Answer {
                headline: self.headline(number, Paint::none()),
                details,
                chart: self.chart(number).map(|chart| chart.svg()),
            });
            for done in self
                .violation_of(number)
                .iter()
                .flat_map(|violation| self.done(number, violation))
            {
                let places = done.places.iter().enumerate();
                page.mark(places.map(|(position, span)| self.place(number, position, *span)));
            }
        }
        page.html()
    }
}
