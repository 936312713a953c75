//! The answers as text.

use super::answers::Report;
use crate::arguments::Conform;
use crate::outcomes::chart::ChartFile;
use crate::terminal::{Paint, counted};
use conformance::verify::TraceViolation;
use driver::components::{Decided, Verdict};
use std::fmt::Write as _;
use unfold::Undefinedness;

impl Report<'_> {
    pub(super) fn text(&self, arguments: &Conform, chart: Option<&ChartFile>, paint: Paint) -> String {
        let mut text = String::new();
        if !arguments.style.quiet {
            let undefined = match self.subject.undefined {
                Undefinedness::Wraps | Undefinedness::Unbounded => "numbers that overflow wrap around",
                Undefinedness::Absent => "runs end where their behaviour is undefined",
            };
            let name = paint.bold(&self.subject.specification.sources.model().name);
            let questions = counted(self.answers.len(), "question");
            let _ = writeln!(text, "{name}: a specification with {questions} ({undefined})");
        }
        for (number, answered) in self.answers.iter().enumerate() {
            if !arguments.style.quiet {
                text.push('\n');
            }
            let _ = writeln!(text, "{}", self.headline(number, paint));
            if arguments.style.quiet {
                self.assumptions(number, &mut text);
            } else {
                self.details(number, answered, arguments.style.verbose, &mut text);
            }
        }
        if let (Some(path), false) = (self.certificate(arguments), arguments.style.quiet) {
            let _ = writeln!(text, "\nThe certificate is in {}.", path.display());
        }
        if let (Some(chart), false) = (chart, arguments.style.quiet) {
            let is_drawn = self
                .answers
                .iter()
                .any(|answered| matches!(answered.verdict, Verdict::Unsafe(_)));
            text.push_str(&chart.words(is_drawn));
        }
        text
    }

    /// The answer to a question, in a line.
    pub(super) fn headline(&self, number: usize, paint: Paint) -> String {
        let question = &self.subject.questions[number];
        let (components, process, name) = (self.components(number), &question.process.text, &question.name);
        match &self.answers[number].verdict {
            Verdict::Safe(_) => match self.qualified(number) {
                None => format!("{} {components} to {process} ({name}).", paint.good("Conforms:")),
                Some(qualified) => {
                    let conforms = paint.doubtful("Conforms:");
                    format!("{conforms} {components} to {process} ({name}), {qualified}.")
                }
            },
            Verdict::Unsafe(_) => {
                let violated = paint.bad("Violated:");
                format!("{violated} {components} does what {process} does not allow ({name}).")
            }
            answer => format!(
                "{} {components} against {process} ({name}): {}.",
                paint.doubtful("Unknown:"),
                self.reason(answer).unwrap_or_default()
            ),
        }
    }

    pub(super) fn details(&self, number: usize, answered: &Decided, verbose: bool, text: &mut String) {
        let statistics = &answered.statistics;
        match &answered.verdict {
            Verdict::Safe(proved) => {
                let (obligations, runs) = (proved.confirmed.obligations(), proved.confirmed.runs);
                let _ = writeln!(
                    text,
                    "{} confirms {obligations} of {obligations} proof obligations; {} of the components conform, too.",
                    self.confirmed_by,
                    counted(runs, "run"),
                );
            }
            Verdict::Unsafe(found) => self.violation(number, &found.violation, &found.inputs, text),
            Verdict::Unknown(_) => {
                if let Some(suspected) = &answered.suspected {
                    let actions = counted(suspected.trace.len(), "action");
                    let _ = writeln!(text, "\nA trace that they may have, {actions}:\n");
                    self.trace(number, suspected, text);
                }
            }
        }
        self.assumptions(number, text);
        if verbose {
            let (expressions, predicates, branches) = statistics.predicates;
            let sizes = |sizes: &[usize]| sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ");
            let _ = writeln!(
                text,
                "  iterations  {} by predicates, {} by actions\n  predicates  {expressions} expressions, {predicates} \
                 predicates, {branches} branches\n  states      {} side by side; of components {}, before the second \
                 level {}",
                statistics.predicate_iterations,
                statistics.action_iterations,
                statistics.states,
                sizes(&statistics.abstract_states),
                sizes(&statistics.model_states),
            );
        }
    }

    fn assumptions(&self, number: usize, text: &mut String) {
        for line in self.assumed(number) {
            let _ = writeln!(text, "  assumed: {line}");
        }
    }

    fn violation(&self, number: usize, violation: &TraceViolation, inputs: &[Vec<i128>], text: &mut String) {
        let actions = counted(violation.trace.len(), "action");
        let _ = writeln!(text, "\nA shortest trace, {actions}:\n");
        self.trace(number, violation, text);
        for (component, inputs) in self.systems[number].components.iter().zip(inputs) {
            let given: Vec<String> = inputs.iter().map(ToString::to_string).collect();
            let given = if given.is_empty() {
                "no inputs".to_owned()
            } else {
                given.join(", ")
            };
            let _ = writeln!(
                text,
                "  the interpreter has made the run of {} (inputs: {given})",
                component.name
            );
        }
    }

    /// A trace, with the line of each component beside each action.
    fn trace(&self, number: usize, violation: &TraceViolation, text: &mut String) {
        let system = &self.systems[number];
        let done = self.done(number, violation);
        let mut rows: Vec<Vec<String>> = Vec::new();
        let heads = system.components.iter().map(|component| component.name.clone());
        rows.push(std::iter::once(String::new()).chain(heads).collect());
        for one in &done {
            let name = system.actions.name(one.action);
            let name = if one.is_aside {
                format!("({name})")
            } else {
                name.to_owned()
            };
            let places = one.places.iter().enumerate();
            let places = places.map(|(position, span)| self.place(number, position, *span));
            rows.push(std::iter::once(name).chain(places).collect());
        }
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
            .collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            let line = cells.collect::<Vec<_>>().join("   ");
            let _ = writeln!(text, "  {}", line.trim_end());
        }
        let last = violation.trace.last().map_or("", |action| system.actions.name(*action));
        let process = &self.subject.questions[number].process.text;
        let _ = writeln!(text, "\n{process} does not allow `{last}` there.");
    }
}
