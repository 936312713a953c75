//! The lines of a run of a program, of the interpreter's trace.

use super::matters::matters;
use super::place;
use interpret::inputs::OUTSIDE_START;
use interpret::trace::{ChangedPlace, Member, TraceChange, TraceEvent, TraceValue};
use interpret::{MemoryOrigin, Trace};
use report::run::Line;
use std::fmt::Write as _;
use system::Sources;
use system::program::{ProcedureId, Program, Step, Type, TypeId, VariableKind};

/// How many parts of a record are shown that a step changed.
const MEMBERS: usize = 8;

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
