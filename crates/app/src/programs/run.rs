//! A run of a program, as its source shows it: line by line, with what changed, calls indented.

use super::place;
use interpret::trace::{Change, Changed, Event, Known};
use interpret::{Origin, Trace};
use serde::Serialize;
use std::fmt::Write as _;
use system::Sources;
use system::program::{ProcedureId, Program, VariableKind};

/// A line of the source that was run, and what it did.
#[derive(Serialize, Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) depth: usize,
    pub(super) procedure: String,
    /// `driver.c:12`.
    pub(super) place: Option<String>,
    /// The line as it is written.
    pub(super) text: String,
    /// `x = 3`, `lock(2)`, one after the other.
    pub(super) effects: Vec<String>,
}

/// The lines of a run; steps of one line that follow each other are one.
pub(super) fn lines(program: &Program, sources: &Sources, trace: &Trace) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for event in &trace.events {
        if event.procedure == program.start {
            continue;
        }
        let line = Line {
            depth: event.depth,
            procedure: program[event.procedure].name.clone(),
            place: place(sources, event.span),
            text: source_line(sources, event),
            effects: Vec::new(),
        };
        let effects = effects(program, event);
        let same =
            |last: &&mut Line| (last.depth, &last.procedure, &last.place) == (line.depth, &line.procedure, &line.place);
        match lines.last_mut().filter(same) {
            Some(last) => last.effects.extend(effects),
            None => lines.push(Line { effects, ..line }),
        }
    }
    lines
}

fn source_line(sources: &Sources, event: &Event) -> String {
    if event.span.is_nowhere() {
        return String::new();
    }
    let text = &sources.file(event.span).text;
    let start = (event.span.start as usize).min(text.len());
    let begin = text
        .get(..start)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |newline| newline + 1);
    let line = text
        .get(begin..)
        .and_then(|rest| rest.lines().next())
        .unwrap_or_default();
    line.trim().to_owned()
}

fn effects(program: &Program, event: &Event) -> Vec<String> {
    let mut effects = Vec::new();
    if let Some((procedure, arguments)) = &event.call {
        let arguments: Vec<String> = arguments.iter().map(|argument| known(program, argument)).collect();
        effects.push(format!("{}({})", program[*procedure].name, arguments.join(", ")));
    }
    if let Some(change) = event.change.as_ref().filter(|change| is_shown(program, change)) {
        let input = event
            .input
            .as_ref()
            .map_or(String::new(), |name| format!(" (input: {name})"));
        effects.push(format!(
            "{} = {}{input}",
            changed(program, change),
            known(program, &change.value)
        ));
    }
    effects
}

/// What the front end keeps for itself is not shown, unless it is an input.
fn is_shown(program: &Program, change: &Change) -> bool {
    match change.place {
        Changed::Variable(variable) => !matches!(program[variable].kind, VariableKind::Temporary),
        Changed::Object { .. } => true,
    }
}

fn changed(program: &Program, change: &Change) -> String {
    match change.place {
        Changed::Variable(variable) if program[variable].kind == VariableKind::Result => "returns".to_owned(),
        Changed::Variable(variable) => program[variable].name.clone(),
        Changed::Object { origin, offset } => object(program, origin, offset),
    }
}

fn object(program: &Program, origin: Origin, offset: u64) -> String {
    let name = match origin {
        Origin::Variable(variable) => program[variable].name.clone(),
        Origin::Allocated => "(allocated)".to_owned(),
        Origin::Call => "(of the call)".to_owned(),
    };
    match offset {
        0 => name,
        _ => format!("{name} + {offset} bytes"),
    }
}

fn known(program: &Program, value: &Known) -> String {
    let procedure = |id: ProcedureId| program[id].name.clone();
    match value {
        Known::Undefined => "no value".to_owned(),
        Known::Integer(number) => number.to_string(),
        Known::Float(number) => number.to_string(),
        Known::Null => "NULL".to_owned(),
        Known::Number(number) => format!("{number:#x}, which points at nothing"),
        Known::Procedure(id) => procedure(*id),
        Known::Object { origin, offset } => format!("&{}", object(program, *origin, *offset)),
        Known::Dead => "a pointer to what is gone".to_owned(),
        Known::Whole => "...".to_owned(),
    }
}

/// For people: `line  source  effects`, calls indented.
pub(super) fn text(lines: &[Line], left_out: u64) -> String {
    let mut text = String::new();
    if left_out > 0 {
        let _ = writeln!(text, "  ... {left_out} steps before");
    }
    let places: Vec<&str> = lines
        .iter()
        .map(|line| line.place.as_deref().unwrap_or_default())
        .collect();
    let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0);
    let mut procedure = String::new();
    for (line, place) in lines.iter().zip(places) {
        let indent = "  ".repeat(line.depth);
        let name = format!("{}:{}", line.depth, line.procedure);
        if name != procedure {
            let _ = writeln!(text, "  {:width$}  {indent}in {}", "", line.procedure);
            procedure = name;
        }
        let effects = match line.effects.is_empty() {
            true => String::new(),
            false => format!("    -- {}", line.effects.join(", ")),
        };
        let _ = writeln!(text, "  {place:width$}  {indent}  {}{effects}", line.text);
    }
    text
}
