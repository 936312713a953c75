//! `cubist show FILE.c`: procedures, control-flow automata, the call graph, properties, what was assumed.

use super::explore::undefined;
use super::{Head, Question, ask, assumed, introduction, place};
use crate::arguments::Show;
use crate::files::Drawing;
use crate::report::{self, diagnostics};
use crate::status::Status;
use crate::terminal::{self, Paint, counted, listed};
use analysis::points_to::sites;
use analysis::{Criterion, PointsTo, slice};
use anyhow::bail;
use c::{Specification, Unit};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use system::graph::{Graph, Node};
use system::program::{Body, ProcedureId, Program, Step};

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
    let text = match arguments.style.json {
        true => report::json(&shown.report())?,
        false => {
            if !arguments.style.quiet {
                terminal::complain(&diagnostics::text(&unit.diagnostics, &unit.sources, Paint::stderr()));
            }
            shown.text(Paint::stdout())
        }
    };
    terminal::print(&text)?;
    if let Some(drawing) = drawing {
        let graph = match &arguments.procedure {
            Some(name) => automaton(&unit.program, procedure(&unit.program, name)?),
            None => shown.call_graph(),
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
    diagnostics: Vec<diagnostics::Message>,
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
        let assumed = assumed(self.unit);
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

    fn call_graph(&self) -> Graph {
        let mut graph = Graph::default();
        let calls = self.calls();
        let called: BTreeSet<ProcedureId> = calls
            .values()
            .flatten()
            .copied()
            .chain([self.program().start])
            .collect();
        let numbers: BTreeMap<ProcedureId, usize> = called.iter().copied().zip(0..).collect();
        for id in &called {
            graph.nodes.push(Node {
                start: *id == self.program().start,
                text: self.program()[*id].name.clone(),
                ..Node::default()
            });
        }
        for (from, to) in calls {
            for to in to {
                if let (Some(from), Some(to)) = (numbers.get(&from), numbers.get(&to)) {
                    graph.connect(*from, *to, "");
                }
            }
        }
        by_distance(&mut graph);
        graph
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

/// The control-flow automaton of a procedure.
fn automaton(program: &Program, id: ProcedureId) -> Graph {
    let mut graph = Graph::default();
    let Some(automaton) = program[id].body.automaton() else {
        return graph;
    };
    for (number, location) in automaton.locations.iter().enumerate() {
        let role = match number {
            _ if number == automaton.entry.index() => format!("{} entry", program[id].name),
            _ if number == automaton.exit.index() => "exit".to_owned(),
            _ => location.label.clone().unwrap_or_else(|| number.to_string()),
        };
        let violates = location.edges.iter().find_map(|edge| match edge.step {
            Step::Violate(property) => Some(program[property].name.clone()),
            _ => None,
        });
        graph.nodes.push(Node {
            start: number == automaton.entry.index(),
            text: role,
            violation: violates,
            ..Node::default()
        });
    }
    for (number, location) in automaton.locations.iter().enumerate() {
        for edge in &location.edges {
            graph.connect(number, edge.to.index(), &program.step_text(&edge.step));
        }
    }
    by_distance(&mut graph);
    graph
}

/// Rows of the drawing: steps from the start.
fn by_distance(graph: &mut Graph) {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        next[edge.from].push(edge.to);
    }
    let mut reached: Vec<Option<usize>> = graph.nodes.iter().map(|node| node.start.then_some(0)).collect();
    let mut waiting: std::collections::VecDeque<usize> = (0..graph.nodes.len())
        .filter(|number| graph.nodes[*number].start)
        .collect();
    while let Some(number) = waiting.pop_front() {
        let depth = reached[number].unwrap_or(0) + 1;
        for successor in next[number].clone() {
            if reached[successor].is_none() {
                reached[successor] = Some(depth);
                waiting.push_back(successor);
            }
        }
    }
    for (node, depth) in graph.nodes.iter_mut().zip(reached) {
        node.depth = depth.unwrap_or(0);
    }
}
