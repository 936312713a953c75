//! The answer as a page of HTML.

use super::super::explore::violation;
use super::super::formula::formula;
use super::super::page::Page;
use super::super::{place, run};
use super::answer::{Answer, compiled, words};
use crate::outcomes::check_report;
use driver::program::Verdict;

impl Answer<'_> {
    /// The answer as a page of HTML.
    pub(super) fn page(&self) -> Page<'_> {
        let sources = &self.unit.sources;
        let mut page = Page {
            unit: self.unit,
            verdict: self.word(),
            message: String::new(),
            facts: Vec::new(),
            lines: Vec::new(),
            left_out: 0,
            invariants: Vec::new(),
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
        page
    }
}
