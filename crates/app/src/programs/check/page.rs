//! The answer as a page of HTML.

use super::super::explore::violation;
use super::super::formula::formula;
use super::super::graph::automaton;
use super::super::{place, run};
use super::answer::{Answer, compiled, words};
use crate::outcomes::check_report;
use driver::program::Verdict;
use report::page::Page;
use report::run::Line;
use std::collections::BTreeSet;
use system::Role;
use system::program::{ProcedureId, Program};

/// Larger automata are not readable as a picture.
const MAX_LOCATIONS: usize = 250;

impl Answer<'_> {
    /// The answer as a page of HTML.
    pub(super) fn page(&self) -> Page<'_> {
        let sources = &self.unit.sources;
        let mut page = Page {
            name: &sources.model().name,
            verdict: self.word(),
            ..Page::default()
        };
        match self.verdict {
            Verdict::Safe(safe) => {
                page.message = match self.qualified() {
                    None => "No run violates a property.".to_owned(),
                    Some(qualified) => format!("No run violates a property, {qualified}."),
                };
                let mut opinions = String::new();
                check_report::opinions(&mut opinions, safe.certificate.opinions(), true);
                page.facts.extend(opinions.lines().map(str::to_owned));
                let promised = safe.contracts.iter().filter_map(|promised| {
                    let said = format!("{}: {}", promised.procedure, words(promised));
                    Some((place(sources, promised.span)?, said))
                });
                page.invariants.extend(promised);
                let facts = safe.invariant().iter();
                let facts: Vec<(String, String)> = facts
                    .filter_map(|fact| {
                        let calls = match fact.calls.len() {
                            1 => String::new(),
                            _ => format!("in {}: ", fact.calls.join(" > ")),
                        };
                        Some((place(sources, fact.span)?, format!("{calls}{}", formula(fact.formula))))
                    })
                    .collect();
                page.invariants.extend(facts);
            }
            Verdict::Unsafe(found) => {
                page.message = violation(&self.unit.program[found.property()]);
                let inputs: Vec<String> = found.outcome().inputs.iter().map(ToString::to_string).collect();
                page.facts.push(match inputs.is_empty() {
                    true => "without inputs".to_owned(),
                    false => format!("inputs: {}", inputs.join(", ")),
                });
                page.facts.push(compiled(found));
                let trace = &found.outcome().trace;
                page.lines = run::lines(&self.unit.program, sources, trace, true);
                page.left_out = trace.left_out;
            }
            Verdict::Unknown(unknown) => page.message = self.why(&unknown.reason),
        }
        page.facts
            .extend(self.assumed().iter().map(|line| format!("assumed: {line}")));
        let named = page.named_files();
        let others = sources.additions();
        let others = others.filter(|file| file.role() != Role::Preprocessed && named.contains(&file.name));
        page.files = std::iter::once(sources.model()).chain(others).collect();
        page.control_flow = control_flow(&self.unit.program, &page.lines);
        page
    }
}

/// The control flow of the procedures that the run goes through, or of all where there is no run.
fn control_flow(program: &Program, lines: &[Line]) -> Vec<(String, Result<String, usize>)> {
    let named: BTreeSet<&str> = lines.iter().map(|line| line.procedure.as_str()).collect();
    let mut pictures = Vec::new();
    for (procedure, number) in program.procedures.iter().zip(0..) {
        let id = ProcedureId(number);
        let own = procedure.body.automaton();
        let Some(own) = own.filter(|own| id != program.start && own.locations.len() > 2) else {
            continue;
        };
        if named.is_empty() || named.contains(procedure.name.as_str()) {
            let picture = match own.locations.len() {
                locations if locations > MAX_LOCATIONS => Err(locations),
                _ => Ok(report::graph::svg(&automaton(program, id))),
            };
            pictures.push((procedure.name.clone(), picture));
        }
    }
    pictures
}
