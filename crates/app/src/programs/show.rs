//! `cubist show FILE.c`: procedures, control-flow automata, the call graph, properties, what was assumed.

use super::explore::undefined;
use super::rules::{complaints, unheard};
use super::{Head, Question, ask, assumed, graph, introduction, place};
use crate::arguments::Show;
use crate::files::Drawing;
use crate::outcomes::{self, diagnostics};
use crate::terminal::{self, Paint, counted, listed};
use analysis::points_to::sites;
use analysis::{Criterion, PointsTo, slice};
use anyhow::bail;
use c::{Specification, Unit};
use report::Status;
use report::outcome::Message;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use system::program::{Body, ProcedureId, Program};

pub(crate) fn run(arguments: &Show) -> anyhow::Result<Status> {
    let drawing = arguments.graph.as_deref().map(Drawing::new).transpose()?;
    let Question { unit, specification } = ask(
        &arguments.file,
        &arguments.meaning,
        &arguments.reading,
        &arguments.specified,
    )?;
    let points_to = PointsTo::of(&unit.program);
    let shown = Shown {
        unit: &unit,
        points_to: &points_to,
        specification: specification.as_ref(),
        arguments,
    };
    let text = match arguments.json {
        true => outcomes::json(&shown.report())?,
        false => {
            if !arguments.quiet {
                terminal::complain(&diagnostics::text(
                    &complaints(&unit, &arguments.meaning),
                    &unit.sources,
                    Paint::stderr(),
                ));
            }
            shown.text(Paint::stdout())
        }
    };
    terminal::print(&text)?;
    if let Some(drawing) = drawing {
        let graph = match &arguments.procedure {
            Some(name) => graph::automaton(&unit.program, procedure(&unit.program, name)?),
            None => graph::call_graph(&unit.program, &shown.calls()),
        };
        drawing.write(&graph)?;
    }
    Ok(Status::Done)
}

struct Shown<'a> {
    unit: &'a Unit,
    points_to: &'a PointsTo,
    specification: Option<&'a Specification>,
    arguments: &'a Show,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    procedures: Vec<ProcedureReport>,
    properties: Vec<PropertyReport>,
    /// How many steps matter for the properties, of how many.
    slice: SliceReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    points_to: Option<BTreeMap<String, Vec<String>>>,
    diagnostics: Vec<Message>,
}

#[derive(Serialize)]
struct ProcedureReport {
    name: String,
    kind: &'static str,
    locations: usize,
    calls: Vec<String>,
}

#[derive(Serialize)]
struct PropertyReport {
    name: String,
    place: Option<String>,
}

#[derive(Serialize)]
struct SliceReport {
    kept: usize,
    all: usize,
}

impl Shown<'_> {
    fn program(&self) -> &Program {
        &self.unit.program
    }

    fn slice(&self) -> SliceReport {
        let slice = slice(self.program(), self.points_to, Criterion::Properties);
        SliceReport {
            kept: slice.kept,
            all: slice.all,
        }
    }

    fn report(&self) -> Report {
        let calls = self.calls();
        let procedures = self.program().procedures.iter().zip(0..);
        Report {
            head: Head::new(self.unit, &self.arguments.meaning),
            procedures: procedures
                .map(|(procedure, number)| ProcedureReport {
                    name: procedure.name.clone(),
                    kind: kind(&procedure.body),
                    locations: procedure
                        .body
                        .automaton()
                        .map_or(0, |automaton| automaton.locations.len()),
                    calls: self.names(calls.get(&ProcedureId(number))),
                })
                .collect(),
            properties: self
                .program()
                .properties
                .iter()
                .map(|property| PropertyReport {
                    name: property.name.clone(),
                    place: place(&self.unit.sources, property.span),
                })
                .collect(),
            slice: self.slice(),
            points_to: self.arguments.points_to.then(|| self.targets()),
            diagnostics: diagnostics::messages(&self.unit.diagnostics, &self.unit.sources),
        }
    }

    fn text(&self, paint: Paint) -> String {
        if self.arguments.system {
            return self.program().text();
        }
        let mut text = introduction(self.unit, &self.arguments.meaning, paint);
        let heading = |text: &mut String, title: &str| {
            let _ = writeln!(text, "\n{}", paint.bold(title));
        };
        let calls = self.calls();
        heading(&mut text, "procedures");
        for (procedure, number) in self.program().procedures.iter().zip(0..) {
            let Some(automaton) = procedure.body.automaton() else {
                continue;
            };
            let steps: usize = automaton.locations.iter().map(|location| location.edges.len()).sum();
            let called = self.names(calls.get(&ProcedureId(number)));
            let called = match called.is_empty() {
                true => String::new(),
                false => format!(", calls {}", listed(&called)),
            };
            let locations = counted(automaton.locations.len(), "location");
            let _ = writeln!(
                text,
                "  {}: {locations}, {}{called}",
                procedure.name,
                counted(steps, "step")
            );
        }
        heading(&mut text, "properties");
        for property in &self.program().properties {
            let place = place(&self.unit.sources, property.span).map_or(String::new(), |place| format!(", {place}"));
            let _ = writeln!(text, "  {}{place}", property.name);
        }
        let kinds = self
            .specification
            .map_or(&[][..], |specification| &specification.undefined);
        for kind in kinds {
            let _ = writeln!(text, "  never: {}", undefined(*kind));
        }
        if self.program().properties.is_empty() && kinds.is_empty() {
            text.push_str("  none\n");
        }
        let slice = self.slice();
        let _ = writeln!(text, "  {} of {} steps matter for them", slice.kept, slice.all);
        let mut assumed = assumed(self.unit);
        assumed.extend(unheard(self.unit, &self.arguments.meaning));
        if !assumed.is_empty() {
            heading(&mut text, "assumed");
            for line in assumed {
                let _ = writeln!(text, "  {line}");
            }
        }
        if self.arguments.points_to {
            heading(&mut text, "what pointers may point at");
            for (place, targets) in self.targets() {
                let _ = writeln!(text, "  {place} -> {}", targets.join(", "));
            }
        }
        text
    }

    /// For each procedure, those that it calls.
    fn calls(&self) -> BTreeMap<ProcedureId, BTreeSet<ProcedureId>> {
        let mut calls: BTreeMap<ProcedureId, BTreeSet<ProcedureId>> = BTreeMap::new();
        for site in sites(self.program()) {
            let called = self.points_to.callees(self.program(), site);
            calls.entry(site.procedure).or_default().extend(called);
        }
        calls
    }

    fn names(&self, procedures: Option<&BTreeSet<ProcedureId>>) -> Vec<String> {
        let names = procedures
            .into_iter()
            .flatten()
            .map(|id| self.program()[*id].name.clone());
        names.collect()
    }

    fn targets(&self) -> BTreeMap<String, Vec<String>> {
        self.points_to
            .shown(self.program(), &|span| place(&self.unit.sources, span))
    }
}

fn kind(body: &Body) -> &'static str {
    match body {
        Body::Automaton(_) => "defined",
        Body::Library(_) => "library",
        Body::Unknown => "unknown",
    }
}

fn procedure(program: &Program, name: &str) -> anyhow::Result<ProcedureId> {
    let found = (0..)
        .zip(&program.procedures)
        .find(|(_, procedure)| procedure.name == name);
    match found {
        Some((number, procedure)) if procedure.body.automaton().is_some() => Ok(ProcedureId(number)),
        Some(_) => bail!("the procedure `{name}` has no body"),
        None => bail!("there is no procedure `{name}` that can be called"),
    }
}
