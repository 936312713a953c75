//! A violation witness, followed by a run of the interpreter.

use super::{Answer, Reject, offset};
use crate::terminal::counted;
use c::Unit;
use driver::program::Question;
use interpret::search::search;
use interpret::trace::{ChangedPlace, TraceValue};
use interpret::{End, Executable, FixedInputs, InputPurpose, Inputs, RandomInputs, Request, RunOutcome};
use std::collections::BTreeMap;
use system::program::{Program, Step};
use system::{Rejected, SourceFile, Span};
use unfold::Undefinedness;
use witness::{Waypoint, WaypointKind};

/// Looks for a run that passes all waypoints.
pub(super) fn violation(unit: &Unit, waypoints: &[Waypoint], reject: Reject) -> Result<Answer, Rejected> {
    let model = unit.sources.model();
    let mut marks: Vec<Mark> = Vec::new();
    for waypoint in waypoints {
        let mark = Mark::new(model, waypoint).map_err(|message| reject(waypoint.span, message))?;
        marks.push(mark);
    }
    let executable = Executable::new(&unit.program);
    let question = Question::new(&unit.program, &unit.sources, Undefinedness::Wraps);
    let limits = interpret::RunLimits {
        trace: 200_000,
        ..question.limits()
    };
    let mut guided = Guided {
        marks: marks.iter().filter(|mark| mark.is_return()).collect(),
        next: 0,
        unguided: 0,
    };
    let outcome = executable.run(&mut guided, &limits);
    let is_determined = guided.unguided == 0;
    let first = passed(unit, &marks, &outcome);
    let confirmed = || {
        let waypoints = counted(marks.len(), "waypoint");
        Ok(Answer::Confirmed(format!(
            "a run of the interpreter passes {waypoints} and violates the property"
        )))
    };
    let Err((mark, reason)) = first else {
        return confirmed();
    };
    if is_determined {
        return Ok(Answer::Refused(marks[mark].waypoint.span, reason));
    }
    // Inputs that the witness leaves open: those that a search finds, and random ones.
    let options = interpret::search::SearchOptions {
        limits: question.limits(),
        runs: 5_000,
        ..interpret::search::SearchOptions::default()
    };
    let searched = search(&executable, &options, &|| false).violation;
    if let Some(found) = searched {
        let outcome = executable.run(&mut FixedInputs::new(found.inputs), &limits);
        if passed(unit, &marks, &outcome).is_ok() {
            return confirmed();
        }
    }
    let suggested: Vec<i128> = marks.iter().flat_map(|mark| mark.numbers.clone()).collect();
    for seed in 0..500 {
        let outcome = executable.run(&mut RandomInputs::new(seed, suggested.clone()), &limits);
        if passed(unit, &marks, &outcome).is_ok() {
            return confirmed();
        }
    }
    Ok(Answer::Unknown(format!(
        "no run was found that passes every waypoint; the first one: {reason}"
    )))
}

/// A waypoint, and what it means for a run.
struct Mark<'w> {
    waypoint: &'w Waypoint,
    /// Where it is in the program's file.
    start: u32,
    /// Of a branch, where its condition ends.
    end: u32,
    /// Numbers of its constraint.
    numbers: Vec<i128>,
    /// `x == 3`: a name, an operator and a number each.
    atoms: Option<Vec<(String, String, i128)>>,
}

impl<'w> Mark<'w> {
    fn new(model: &SourceFile, waypoint: &'w Waypoint) -> Result<Mark<'w>, String> {
        let nowhere = || "there is no such place in the program".to_owned();
        let start = offset(model, &waypoint.location).ok_or_else(nowhere)?;
        let rest = model.text.get(start as usize..).unwrap_or("");
        let constraint = match &waypoint.kind {
            WaypointKind::Assumption(text) | WaypointKind::FunctionReturn(text) => text.as_str(),
            _ => "",
        };
        let atoms = atoms(constraint);
        let mut mark = Mark {
            waypoint,
            start,
            end: start,
            numbers: numbers(constraint),
            atoms,
        };
        let has_column = waypoint.location.column.is_some();
        match &waypoint.kind {
            WaypointKind::FunctionReturn(_) | WaypointKind::FunctionEnter if has_column && !rest.starts_with(')') => {
                return Err("there is no call that ends here".to_owned());
            }
            WaypointKind::FunctionReturn(_) => match &mark.atoms {
                Some(atoms) if atoms.len() == 1 && atoms[0].0 == "\\result" => {}
                _ => return Err("expected a constraint such as `\\result == 3`".to_owned()),
            },
            WaypointKind::Branching(value) => {
                if !matches!(value.as_str(), "true" | "false") {
                    return Err("only branches `true` and `false` are understood".to_owned());
                }
                let open = rest.find('(').ok_or_else(nowhere)?;
                let close = closing(rest.get(open..).unwrap_or("")).ok_or_else(nowhere)?;
                mark.start += u32::try_from(open).unwrap_or(0);
                mark.end = mark.start + u32::try_from(close).unwrap_or(0);
            }
            WaypointKind::Assumption(_) if mark.atoms.is_none() => {
                return Err("only assumptions such as `x == 3 && y > 4` are understood".to_owned());
            }
            _ => {}
        }
        Ok(mark)
    }

    fn is_return(&self) -> bool {
        matches!(self.waypoint.kind, WaypointKind::FunctionReturn(_))
    }

    /// A number that the constraint of a returned value allows.
    fn value(&self) -> i128 {
        let Some([(_, operator, number)]) = self.atoms.as_deref() else {
            return 0;
        };
        match operator.as_str() {
            ">" | "!=" => number.saturating_add(1),
            "<" => number.saturating_sub(1),
            _ => *number,
        }
    }

    fn holds(&self, value: impl Fn(&str) -> Option<i128>) -> bool {
        self.atoms.iter().flatten().all(|(name, operator, number)| {
            value(name).is_some_and(|value| match operator.as_str() {
                "==" => value == *number,
                "!=" => value != *number,
                "<" => value < *number,
                "<=" => value <= *number,
                ">" => value > *number,
                _ => value >= *number,
            })
        })
    }
}

/// Where the parenthesis closes that the text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(place, each)| {
        match each {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(place)
    })
}

fn numbers(constraint: &str) -> Vec<i128> {
    let words = constraint.split(|each: char| !(each.is_ascii_digit() || each == '-'));
    words.filter_map(|word| word.parse().ok()).collect()
}

fn atoms(constraint: &str) -> Option<Vec<(String, String, i128)>> {
    let parts = constraint.split("&&");
    parts
        .map(|part| {
            let part = part.trim().trim_start_matches('(').trim_end_matches(')').trim();
            let operator = ["==", "!=", "<=", ">=", "<", ">"]
                .into_iter()
                .find(|operator| part.contains(operator))?;
            let (name, number) = part.split_once(operator)?;
            let name = name.trim();
            let is_name = name.chars().all(|each| each.is_alphanumeric() || "_\\".contains(each)) && !name.is_empty();
            let number = number.trim().trim_matches(['(', ')']).parse().ok()?;
            is_name.then(|| (name.to_owned(), operator.to_owned(), number))
        })
        .collect()
}

/// Gives what waypoints say that calls return, and zero where they say nothing.
struct Guided<'a> {
    marks: Vec<&'a Mark<'a>>,
    next: usize,
    unguided: u64,
}

impl Inputs for Guided<'_> {
    fn next(&mut self, request: Request<'_>) -> Option<i128> {
        let returned = request
            .place
            .filter(|(purpose, _)| matches!(purpose, InputPurpose::Choice { .. } | InputPurpose::Result { .. }));
        match self.marks.get(self.next) {
            Some(mark) if returned.is_some_and(|(_, span)| ends_at(span, mark)) => {
                self.next += 1;
                Some(mark.value())
            }
            _ => {
                self.unguided += 1;
                Some(0)
            }
        }
    }
}

fn ends_at(span: Span, mark: &Mark) -> bool {
    span.end.checked_sub(1) == Some(mark.start)
}

/// Whether a run violates a property and passes all waypoints; else the first that it does not, and why.
fn passed(unit: &Unit, marks: &[Mark], outcome: &RunOutcome) -> Result<(), (usize, String)> {
    let mut next = 0;
    let mut values: BTreeMap<&str, i128> = BTreeMap::new();
    let model = unit.sources.model().id();
    let events: Vec<_> = outcome.trace.events.iter().collect();
    for (number, event) in events.iter().enumerate() {
        let Some(mark) = marks.get(next).filter(|_| event.span.file == model) else {
            continue;
        };
        let line = unit.sources.model().position(event.span.start).0;
        let is_assumption = matches!(mark.waypoint.kind, WaypointKind::Assumption(_));
        // It holds before the statement: where this one begins.
        let is_there = event.span.start >= mark.start && line == mark.waypoint.location.line;
        if is_assumption && is_there && does_something(&unit.program, event) {
            if !mark.holds(|name| values.get(name).copied()) {
                return Err((next, "the assumption does not hold there".to_owned()));
            }
            next += 1;
        }
        if let Some(change) = &event.change
            && let (ChangedPlace::Variable(variable), TraceValue::Integer(value)) = (change.place, change.value)
        {
            values.insert(&unit.program[variable].name, value);
        }
        let Some(mark) = marks.get(next) else { continue };
        match &mark.waypoint.kind {
            WaypointKind::FunctionReturn(_) if ends_at(event.span, mark) => {
                let value = event.change.as_ref().and_then(|change| match change.value {
                    TraceValue::Integer(value) => Some(value),
                    _ => None,
                });
                if event.input.is_some() || event.is_return || value.is_some() {
                    if !mark.holds(|_| value) {
                        return Err((next, "the call returns something else".to_owned()));
                    }
                    next += 1;
                }
            }
            WaypointKind::FunctionEnter if ends_at(event.span, mark) && event.call.is_some() => next += 1,
            WaypointKind::Branching(wanted) => {
                let is_inside = |span: Span| span.file == model && span.start >= mark.start && span.end <= mark.end + 1;
                let is_last = events.get(number + 1).is_none_or(|next| !is_inside(next.span));
                if is_inside(event.span) && is_last {
                    let taken = taken(&unit.program, event);
                    let text = unit
                        .sources
                        .model()
                        .snippet(Span::new(model, mark.start as usize, mark.end as usize));
                    let is_negated = text.replace("!=", "").contains('!');
                    if !is_negated && taken.is_some_and(|taken| taken != (wanted == "true")) {
                        return Err((next, "the run takes the other branch".to_owned()));
                    }
                    next += 1;
                }
            }
            _ => {}
        }
    }
    let last = marks.len() - 1;
    if next < last {
        return Err((next, "the run does not come to this place".to_owned()));
    }
    let End::Violated(_) = outcome.end else {
        return Err((last, "the run does not violate the property".to_owned()));
    };
    let (line, column) = unit.sources.model().position(outcome.span.start);
    let target = &marks[last].waypoint.location;
    let is_there = outcome.span.file == model
        && line == target.line
        && target
            .column
            .is_none_or(|wanted| wanted == column || marks[last].start <= outcome.span.start);
    match is_there {
        true => Ok(()),
        false => Err((last, format!("the run violates the property in line {line}"))),
    }
}

fn step<'p>(program: &'p Program, event: &interpret::trace::TraceEvent) -> Option<&'p Step> {
    let automaton = program[event.procedure].body.automaton()?;
    let location = automaton.locations.get(event.location.index())?;
    Some(&location.edges.get(event.edge? as usize)?.step)
}

/// Whether an event is part of a statement, and not the beginning of a variable's life.
fn does_something(program: &Program, event: &interpret::trace::TraceEvent) -> bool {
    !matches!(
        step(program, event),
        None | Some(Step::Enter(_) | Step::Leave(_) | Step::Skip)
    )
}

/// Which way a branch went.
fn taken(program: &Program, event: &interpret::trace::TraceEvent) -> Option<bool> {
    match step(program, event)? {
        Step::Assume { holds, .. } => Some(*holds),
        _ => None,
    }
}
