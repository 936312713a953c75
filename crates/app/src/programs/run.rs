//! A run of a program, as its source shows it: line by line, with what changed, calls indented.

use super::matters::matters;
use super::place;
use crate::terminal::grouped;
use interpret::inputs::OUTSIDE_START;
use interpret::trace::{ChangedPlace, Member, TraceChange, TraceEvent, TraceValue};
use interpret::{MemoryOrigin, Trace};
use serde::Serialize;
use std::fmt::Write as _;
use system::Sources;
use system::program::{ProcedureId, Program, Step, Type, TypeId, VariableKind};

/// How many parts of a record are shown that a step changed.
const MEMBERS: usize = 8;

/// Of a run that takes more rows than this, the terminal shows the beginning and the end.
const LONG: usize = 200;

/// How many inputs of a run are shown.
const INPUTS: usize = 100;

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
    /// The end of the run depends on it.
    pub(super) matters: bool,
}

/// The lines of a run; steps of one line that follow each other are one, and so is a call of the library with all
/// that it does. All of them matter, unless that is judged.
pub(super) fn lines(program: &Program, sources: &Sources, trace: &Trace, is_judged: bool) -> Vec<Line> {
    let matters = match is_judged {
        true => matters(program, trace),
        false => vec![true; trace.events.len()],
    };
    let mut lines: Vec<Line> = Vec::new();
    // How deep in calls the program went into the library.
    let mut library: Option<usize> = None;
    for (number, event) in trace.events.iter().enumerate() {
        if program[event.procedure].is_library {
            let depth = *library.get_or_insert(event.depth);
            if let Some(call) = lines.last_mut() {
                call.matters |= matters[number];
                if event.is_return && event.depth == depth {
                    call.effects.extend(effects(program, event));
                }
            }
            continue;
        }
        library = None;
        let is_last = number + 1 == trace.events.len();
        if event.procedure == program.start || !(is_last || says_something(program, event)) {
            continue;
        }
        let line = Line {
            depth: event.depth,
            procedure: program[event.procedure].name.clone(),
            place: place(sources, event.span),
            text: source_line(sources, event),
            effects: Vec::new(),
            matters: matters[number],
        };
        let effects = effects(program, event);
        let same =
            |last: &&mut Line| (last.depth, &last.procedure, &last.place) == (line.depth, &line.procedure, &line.place);
        match lines.last_mut().filter(same) {
            Some(last) => {
                last.effects.extend(effects);
                last.matters |= line.matters;
            }
            None => lines.push(Line { effects, ..line }),
        }
    }
    lines
}

/// Whether a step is a branch, or changed or called anything that people know.
fn says_something(program: &Program, event: &TraceEvent) -> bool {
    let automaton = program[event.procedure].body.automaton();
    let location = automaton.and_then(|automaton| automaton.locations.get(event.location.index()));
    let edge = event.edge.and_then(|edge| location?.edges.get(edge as usize));
    let is_branch = edge.is_some_and(|edge| matches!(edge.step, Step::Assume { .. }));
    is_branch || !effects(program, event).is_empty()
}

fn source_line(sources: &Sources, event: &TraceEvent) -> String {
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

fn effects(program: &Program, event: &TraceEvent) -> Vec<String> {
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
        let place = changed(program, change);
        match change.value {
            TraceValue::Whole => effects.extend(members(program, change, &place)),
            _ => effects.push(format!("{place} = {}{input}", known(program, &change.value))),
        }
    }
    effects
}

/// What has changed in a record or an array.
fn members(program: &Program, change: &TraceChange, place: &str) -> Vec<String> {
    let changed = change.members.iter().take(MEMBERS);
    let mut shown: Vec<String> = changed
        .map(|(path, value)| {
            let path = member(program, change.type_id, path);
            format!("{place}{path} = {}", known(program, value))
        })
        .collect();
    match change.members.len() {
        0 => shown.push(format!("{place} stays as it is")),
        all if all > MEMBERS => shown.push(format!("{} more in {place}", all - MEMBERS)),
        _ => {}
    }
    shown
}

/// `.next`, `[3].x`.
fn member(program: &Program, mut type_id: TypeId, path: &[Member]) -> String {
    let mut text = String::new();
    for step in path {
        match (step, &program.types[type_id]) {
            (Member::Field(number), Type::Record(record)) => {
                let Some(field) = program.types[*record].fields.get(*number) else {
                    break;
                };
                if !field.name.is_empty() {
                    let _ = write!(text, ".{}", field.name);
                }
                type_id = field.type_id;
            }
            (Member::Element(number), Type::Array { element, .. }) => {
                let _ = write!(text, "[{number}]");
                type_id = *element;
            }
            _ => break,
        }
    }
    text
}

/// The part of something at an offset, of a type if that is known: `.next`, `[3].x`. None where there is none.
fn part(program: &Program, whole: TypeId, offset: u64, wanted: Option<TypeId>) -> Option<String> {
    if offset == 0 && wanted.is_none_or(|wanted| wanted == whole) {
        return Some(String::new());
    }
    match &program.types[whole] {
        Type::Array { element, .. } => {
            let size = program.types.size(*element).filter(|size| *size > 0)?;
            let rest = part(program, *element, offset % size, wanted)?;
            Some(format!("[{}]{rest}", offset / size))
        }
        Type::Record(record) => {
            let fields = program.types[*record].fields.iter();
            let mut parts = fields.filter(|field| field.offset <= offset).rev().filter_map(|field| {
                let size = program.types.size(field.type_id);
                let is_inside = size.is_none_or(|size| offset - field.offset < size.max(1));
                let rest = part(program, field.type_id, offset - field.offset, wanted).filter(|_| is_inside)?;
                let dot = if field.name.is_empty() { "" } else { "." };
                Some(format!("{dot}{}{rest}", field.name))
            });
            parts.next()
        }
        _ => None,
    }
}

/// What the front end keeps for itself is not shown, unless it is an input.
fn is_shown(program: &Program, change: &TraceChange) -> bool {
    match change.place {
        ChangedPlace::Variable(variable) => !matches!(program[variable].kind, VariableKind::Temporary),
        // A record that is returned is shown where it arrives.
        ChangedPlace::Object {
            origin: MemoryOrigin::Variable(variable),
            ..
        } => !matches!(program[variable].kind, VariableKind::Temporary | VariableKind::Result),
        ChangedPlace::Object { .. } => true,
    }
}

fn changed(program: &Program, change: &TraceChange) -> String {
    match change.place {
        ChangedPlace::Variable(variable) if program[variable].kind == VariableKind::Result => "returns".to_owned(),
        ChangedPlace::Variable(variable) => program[variable].name.clone(),
        ChangedPlace::Object { origin, offset } => object(program, origin, offset, Some(change.type_id)),
    }
}

fn object(program: &Program, origin: MemoryOrigin, offset: u64, wanted: Option<TypeId>) -> String {
    let name = match origin {
        MemoryOrigin::Variable(variable) => {
            let name = &program[variable].name;
            if let Some(part) = part(program, program[variable].type_id, offset, wanted) {
                return format!("{name}{part}");
            }
            name.clone()
        }
        MemoryOrigin::Allocated => "(allocated)".to_owned(),
        MemoryOrigin::Call => "(of the call)".to_owned(),
        MemoryOrigin::Outside => "(from outside)".to_owned(),
        MemoryOrigin::Fixed => "(at a fixed address)".to_owned(),
    };
    let start = match origin {
        MemoryOrigin::Outside => OUTSIDE_START,
        _ => 0,
    };
    match offset.cast_signed().wrapping_sub(start.cast_signed()) {
        0 => name,
        before @ ..0 => format!("{name} - {} bytes", before.unsigned_abs()),
        offset => format!("{name} + {offset} bytes"),
    }
}

fn known(program: &Program, value: &TraceValue) -> String {
    let procedure = |id: ProcedureId| program[id].name.clone();
    match value {
        TraceValue::Undefined => "no value".to_owned(),
        TraceValue::Integer(number) => number.to_string(),
        TraceValue::Float(number) => number.to_string(),
        TraceValue::Null => "NULL".to_owned(),
        TraceValue::Number(number) => format!("{number:#x}, which points at nothing"),
        TraceValue::Procedure(id) => procedure(*id),
        TraceValue::Object { origin, offset } => format!("&{}", object(program, *origin, *offset, None)),
        TraceValue::Dead => "a pointer to what is gone".to_owned(),
        TraceValue::Whole => "{...}".to_owned(),
    }
}

/// A line of the file itself goes by its number.
fn short<'a>(line: &'a Line, file: &str) -> &'a str {
    let place = line.place.as_deref().unwrap_or_default();
    place
        .strip_prefix(file)
        .and_then(|rest| rest.strip_prefix(':'))
        .unwrap_or(place)
}

/// What is shown: a line of the run, how many are left out, or the procedure that the next lines are in.
struct Row {
    text: String,
    /// The procedure, as it is shown.
    heading: String,
    /// How many lines of the run it stands for.
    lines: usize,
}

fn rows(lines: &[Line], file: &str, is_whole: bool) -> Vec<Row> {
    let places: Vec<&str> = lines.iter().map(|line| short(line, file)).collect();
    let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0);
    let mut rows: Vec<Row> = Vec::new();
    let (mut procedure, mut heading) = (String::new(), String::new());
    let mut folded = 0;
    for (number, (line, place)) in lines.iter().zip(places).enumerate() {
        if !is_whole && !line.matters {
            folded += 1;
            if lines.get(number + 1).is_some_and(|next| !next.matters) {
                continue;
            }
            // One line says more than that it is left out.
            if folded > 1 {
                rows.push(Row {
                    text: format!("  {:width$}  {}... {folded} lines", "", "  ".repeat(line.depth + 1)),
                    heading: heading.clone(),
                    lines: folded,
                });
                folded = 0;
                continue;
            }
        }
        folded = 0;
        let indent = "  ".repeat(line.depth);
        let name = format!("{}:{}", line.depth, line.procedure);
        if name != procedure {
            heading = format!("  {:width$}  {indent}in {}", "", line.procedure);
            rows.push(Row {
                text: heading.clone(),
                heading: heading.clone(),
                lines: 0,
            });
            procedure = name;
        }
        let effects = match line.effects.is_empty() {
            true => String::new(),
            false => format!("    -- {}", line.effects.join(", ")),
        };
        rows.push(Row {
            text: format!("  {place:>width$}  {indent}  {}{effects}", line.text),
            heading: heading.clone(),
            lines: 1,
        });
    }
    rows
}

/// For people: `line  source  effects`, calls indented; `file` is the program. Unless all is wanted, lines that do not
/// matter are only counted, and so is the middle of a long run; `all` names the options that show it.
pub(super) fn text(lines: &[Line], left_out: u64, file: &str, is_whole: bool, all: &str) -> String {
    let mut text = String::new();
    if left_out > 0 {
        let _ = writeln!(text, "  ... {left_out} steps before");
    }
    let rows = rows(lines, file, is_whole);
    let is_long = !is_whole && rows.len() > LONG;
    let (first, rest) = rows.split_at(if is_long { LONG / 2 } else { rows.len() });
    let (middle, last) = rest.split_at(rest.len().saturating_sub(LONG / 2));
    let mut write = |row: &str| text.extend([row, "\n"]);
    first.iter().for_each(|row| write(&row.text));
    if let (true, [next, ..]) = (is_long, last) {
        let count: usize = middle.iter().map(|row| row.lines).sum();
        write(&format!("\n  ... {} lines; {all} shows all\n", grouped(count as u64)));
        if next.lines > 0 {
            write(&next.heading);
        }
    }
    last.iter().for_each(|row| write(&row.text));
    text
}

/// The inputs of a run, the first ones where there are many, unless all are wanted.
pub(super) fn inputs(values: &[i128], is_whole: bool) -> String {
    let shown = if is_whole {
        values.len()
    } else {
        INPUTS.min(values.len())
    };
    let mut text: Vec<String> = values.iter().take(shown).map(ToString::to_string).collect();
    if values.len() > shown {
        let more = grouped((values.len() - shown) as u64);
        text.push(format!("... and {more} more, which --verbose and --json show"));
    }
    text.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: usize) -> Line {
        Line {
            depth: 1,
            procedure: "main".to_owned(),
            place: Some(format!("a.c:{number}")),
            text: format!("step {number};"),
            effects: Vec::new(),
            matters: (1..9).contains(&(number % 10)),
        }
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let lines: Vec<Line> = (1..=1000).map(line).collect();
        let shown = text(&lines, 0, "a.c", false, "--verbose");
        let counted = |line: &str| {
            let number = line.split_once("... ").and_then(|(_, rest)| rest.split_once(" lines"));
            number.map_or(usize::from(line.contains("step ")), |(number, _)| {
                number.parse().unwrap_or_default()
            })
        };
        assert_eq!(shown.lines().map(counted).sum::<usize>(), 1000, "{shown}");
        // With the empty lines around the middle, and the procedure once more.
        assert_eq!(shown.lines().count(), LONG + 4);
        let whole = text(&lines, 0, "a.c", true, "--verbose");
        assert_eq!(whole.lines().count(), 1001);
        let short = text(&lines[..200], 0, "a.c", false, "--verbose");
        assert!(!short.contains("--verbose"), "{short}");
    }

    #[test]
    fn many_inputs_are_counted() {
        let values: Vec<i128> = (0..150).collect();
        assert!(inputs(&values, false).ends_with("99, ... and 50 more, which --verbose and --json show"));
        assert!(inputs(&values, true).ends_with(", 149"));
        assert_eq!(inputs(&values[..2], false), "0, 1");
    }
}
