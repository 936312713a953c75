//! The witness of an answer.

use super::super::formula;
use super::loop_word;
use super::macros::Macros;
use c::{DataModel, Unit};
use driver::program::{LocatedFact, Unsafe, Verdict};
use interpret::InputPurpose;
use std::collections::BTreeMap;
use std::time::SystemTime;
use system::program::{Callee, Program, PropertyKind, Scalar, Step, Value, VariableKind};
use system::{SourceFile, Span};
use witness::{Content, Invariant, Location, Task, Waypoint, WaypointKind, Witness};

/// The witness of an answer; none where nothing is known.
pub(in crate::programs) fn text(
    unit: &Unit,
    data_model: DataModel,
    specification: Option<&str>,
    verdict: &Verdict,
    qualified: Option<String>,
) -> Option<String> {
    let content = match verdict {
        Verdict::Safe(safe) => Content::Invariants(invariants(unit, safe.invariant())),
        Verdict::Unsafe(found) => Content::Violation(waypoints(unit, found)),
        Verdict::Unknown(_) => return None,
    };
    let model = unit.sources.model();
    let task = Task {
        file: driver::file_name(&model.name),
        digest: validate::sha256(model.text.as_bytes()),
        specification: specification.map_or_else(
            || said(unit),
            |text| text.split_whitespace().collect::<Vec<_>>().join(" "),
        ),
        data_model: match data_model {
            DataModel::Ilp32 => "ILP32".to_owned(),
            DataModel::Lp64 => "LP64".to_owned(),
        },
        ..Task::default()
    };
    let identity = validate::sha256(format!("{task:?}{content:?}").as_bytes());
    let witness = Witness { task, content };
    let text = witness::write(&witness, env!("CARGO_PKG_VERSION"), &identity, SystemTime::now());
    // The format has no field for it.
    Some(match qualified {
        None => text,
        Some(qualified) => format!("# safe, {qualified}\n{text}"),
    })
}

/// What was checked, as property files have it.
fn said(unit: &Unit) -> String {
    let mut formulas: Vec<String> = Vec::new();
    for property in &unit.program.properties {
        let formula = match property.kind {
            PropertyKind::ErrorCall => format!("G ! call({})", property.name),
            PropertyKind::Assertion => "G ! call(__assert_fail())".to_owned(),
            PropertyKind::Label => continue,
            PropertyKind::Rule => continue,
        };
        if !formulas.contains(&formula) {
            formulas.push(formula);
        }
    }
    formulas.extend(unit.error_labels.iter().map(|label| format!("G ! label({label})")));
    let checks = formulas
        .iter()
        .map(|formula| format!("CHECK( init({}()), LTL({formula}) )", unit.entry));
    checks.collect::<Vec<_>>().join(" ")
}

/// A place of the program's own file.
fn location(unit: &Unit, file: &SourceFile, offset: u32, function: Option<String>) -> Option<Location> {
    if file.id() != unit.sources.model().id() {
        return None;
    }
    let (line, column) = file.position(offset);
    Some(Location {
        line,
        column: Some(column),
        function,
    })
}

/// What input functions returned, and the violation.
fn waypoints(unit: &Unit, found: &Unsafe) -> Vec<Waypoint> {
    let outcome = found.outcome();
    let mut waypoints = Vec::new();
    for asked in &outcome.from_outside.asked {
        let is_returned = matches!(asked.purpose, InputPurpose::Choice { .. } | InputPurpose::Result { .. });
        let file = unit.sources.file(asked.span);
        let Some(end) = call_end(file, asked.span).filter(|_| is_returned) else {
            continue;
        };
        let (Scalar::Integer(integer), Some(procedure)) = (asked.scalar, asked.procedure) else {
            continue;
        };
        let function = unit.program[procedure].name.clone();
        if let Some(location) = location(unit, file, end, Some(function)) {
            let value = integer.wrap(asked.value);
            waypoints.push(Waypoint {
                kind: WaypointKind::FunctionReturn(format!("\\result == {value}")),
                location,
                span: Span::default(),
            });
        }
    }
    let function = outcome
        .calls
        .first()
        .map(|procedure| unit.program[*procedure].name.clone());
    let file = unit.sources.file(outcome.span);
    if let Some(location) = location(unit, file, outcome.span.start, function) {
        waypoints.push(Waypoint {
            kind: WaypointKind::Target,
            location,
            span: Span::default(),
        });
    }
    waypoints
}

/// The closing parenthesis of a call.
fn call_end(file: &SourceFile, span: Span) -> Option<u32> {
    file.snippet(span).ends_with(')').then(|| span.end - 1)
}

/// The invariants that C can say where they hold: about variables that are in scope there.
fn invariants(unit: &Unit, placed: &[LocatedFact]) -> Vec<Invariant> {
    let mut found = Vec::new();
    let macros = Macros::of(&unit.sources);
    for fact in placed {
        let file = unit.sources.file(fact.span);
        let here = file.text.get(fact.span.start as usize..).unwrap_or_default();
        let around = &fact.calls[usize::from(fact.is_any_call)..];
        let (Some(function), true) = (fact.calls.last(), has_one_context(&unit.program, around)) else {
            continue;
        };
        let head = loop_head(&file.text, fact.span.start as usize);
        // Within a macro, the file has no place for it.
        if macros.begins(here, head.is_some()) {
            continue;
        }
        let start = head
            .and_then(|head| u32::try_from(head).ok())
            .unwrap_or(fact.span.start);
        let Some(location) = location(unit, file, start, Some(function.clone())) else {
            continue;
        };
        let is_of_loop = head.is_some();
        let names = |name: &str| in_scope(unit, file, fact.span.start, function, name);
        let Some(value) = formula::expression(fact.formula, &names) else {
            continue;
        };
        found.push(Invariant {
            is_of_loop,
            location,
            value,
            span: Span::default(),
        });
    }
    found
}

/// Where the loop begins whose head is at a place: at its first word, or in its parentheses.
fn loop_head(text: &str, at: usize) -> Option<usize> {
    if loop_word(text.get(at..)?).is_some() {
        return Some(at);
    }
    let before = text.get(..at)?;
    let mut depth = 0_usize;
    let open = before.char_indices().rev().find_map(|(place, each)| match each {
        ')' => {
            depth += 1;
            None
        }
        '(' if depth == 0 => Some(Some(place)),
        '(' => {
            depth -= 1;
            None
        }
        '{' | '}' => Some(None),
        _ => None,
    })??;
    let word = before.get(..open)?.trim_end();
    ["while", "for"].into_iter().find_map(|each| {
        let start = word.strip_suffix(each)?.len();
        // The `while` of `do` stands behind the body.
        loop_word(text.get(start..)?).map(|_| start)
    })
}

/// Whether these procedures are called in one place each: then a fact about this chain of calls is one about the last.
fn has_one_context(program: &Program, calls: &[String]) -> bool {
    let mut called: BTreeMap<&str, usize> = BTreeMap::new();
    for procedure in &program.procedures {
        let locations = procedure
            .body
            .automaton()
            .map(|automaton| automaton.locations.as_slice());
        for edge in locations
            .unwrap_or_default()
            .iter()
            .flat_map(|location| &location.edges)
        {
            let mut step = edge.step.clone();
            if let Step::Call {
                callee: Callee::Procedure(callee),
                ..
            } = &step
            {
                *called.entry(&program[*callee].name).or_default() += 1;
            }
            step.for_each_value_mut(&mut |value| {
                if let Value::Procedure(procedure) = value {
                    *called.entry(&program[*procedure].name).or_default() += 2;
                }
            });
        }
    }
    calls
        .iter()
        .all(|name| called.get(name.as_str()).is_none_or(|count| *count <= 1))
}

/// The C name and the width of a variable of the system, where a place of the function sees it.
fn in_scope(unit: &Unit, file: &SourceFile, at: u32, function: &str, full: &str) -> Option<formula::Name> {
    let (owner, name) = match full.split_once(':') {
        Some((owner, name)) => (Some(owner), name),
        None => (None, full),
    };
    if owner.is_some_and(|owner| owner != function) || name.contains(['#', '.', '[', ' ', '!', '$']) {
        return None;
    }
    let program = &unit.program;
    let is_same = |variable: &&system::program::Variable| {
        let of = variable.procedure.map(|procedure| program[procedure].name.as_str());
        let kinds = [VariableKind::Global, VariableKind::Local, VariableKind::Parameter];
        variable.name == name && kinds.contains(&variable.kind) && of.is_none_or(|of| of == function)
    };
    let mut all = program.variables.iter().filter(is_same);
    let (Some(variable), None) = (all.next(), all.next()) else {
        return None;
    };
    let Some(Scalar::Integer(integer)) = program.types.scalar(variable.type_id) else {
        return None;
    };
    // What a macro declares stands where that is used, and is not known there.
    let is_before = variable.span.end <= at;
    let is_seen = variable.kind == VariableKind::Parameter
        || is_before && variable.span.file == file.id() && is_open(&file.text, variable.span.start, at);
    is_seen.then(|| formula::Name {
        text: name.to_owned(),
        integer,
    })
}

/// Whether the block that a place is in goes on until another place.
fn is_open(text: &str, from: u32, to: u32) -> bool {
    let Some(between) = text.get(from as usize..to as usize) else {
        return false;
    };
    let mut depth = 0_i64;
    let mut quote = None;
    let mut before = ' ';
    for each in between.chars() {
        match (quote, each) {
            (Some(open), _) if each == open && before != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(each),
            (None, '{') => depth += 1,
            (None, '}') => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
        before = each;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_found_from_their_conditions() {
        let head = |text: &str, at: &str| loop_head(text, text.find(at).unwrap());
        assert_eq!(head("f(1); while ((x) && y) z;", "(x)"), Some(6));
        assert_eq!(head("for (i = f(0); i < n; i++) z;", "i < n"), Some(0));
        assert_eq!(head("do { z; } while (x);", "do"), Some(0));
        assert_eq!(head("if (x) z;", "x"), None);
        assert_eq!(head("{ a: z; }", "z"), None);
    }
}
