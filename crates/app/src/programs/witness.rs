//! Witnesses of SV-COMP: written of an answer, and held against the program.
//!
//! A violation witness names what every input function returned, and the violation. It is confirmed by a run of the
//! interpreter that passes all its waypoints. The invariants of a correctness witness are woven into the program, each
//! as an error where it does not hold: then no error of this program, and none of the program without them, may be
//! reached.

use super::check::{Checked, checked};
use super::formula;
use crate::arguments::Validate;
use crate::files::Folder;
use crate::report;
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint, counted};
use anyhow::Context as _;
use c::{DataModel, Options, Unit};
use driver::program::{Placed, Unsafe, Verdict};
use interpret::search::search;
use interpret::trace::{Changed, Known};
use interpret::{End, Executable, Given, Inputs, Outcome, Purpose, Random, Request};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;
use system::program::{
    BinaryOperator, Callee, Program, PropertyKind, Root, Scalar, Selector, Step, Value, VariableKind,
};
use system::{Diagnostic, Rejected, Role, SourceFile, Sources, Span};
use unfold::Undefinedness;
use witness::{Content, Invariant, Location, Task, Waypoint, WaypointKind, Witness};

/// Whether a file is a witness, by its name.
pub(crate) fn is_witness(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "yml" || extension == "yaml")
}

/// The witness of an answer; none where nothing is known.
pub(super) fn text(
    unit: &Unit,
    data_model: DataModel,
    specification: Option<&str>,
    verdict: &Verdict,
) -> Option<String> {
    let content = match verdict {
        Verdict::Safe(safe) => Content::Invariants(invariants(unit, safe.proved().invariant())),
        Verdict::Unsafe(found) => Content::Violation(waypoints(unit, found)),
        Verdict::Unknown(_) => return None,
    };
    let model = unit.sources.model();
    let task = Task {
        file: report::mistake::file_name(&model.name),
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
    Some(witness::write(
        &witness,
        env!("CARGO_PKG_VERSION"),
        &identity,
        SystemTime::now(),
    ))
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
        let is_returned = matches!(asked.purpose, Purpose::Choice { .. } | Purpose::Result { .. });
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
fn invariants(unit: &Unit, placed: &[Placed]) -> Vec<Invariant> {
    let mut found = Vec::new();
    for fact in placed {
        let file = unit.sources.file(fact.span);
        let around = &fact.calls[usize::from(fact.is_any_call)..];
        let (Some(function), true) = (fact.calls.last(), has_one_context(&unit.program, around)) else {
            continue;
        };
        let head = loop_head(&file.text, fact.span.start as usize);
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

fn loop_word(text: &str) -> Option<&'static str> {
    ["while", "for", "do"].into_iter().find(|word| {
        text.strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
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
    let is_seen = variable.kind == VariableKind::Parameter
        || variable.span.file == file.id() && is_open(&file.text, variable.span.start, at);
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

/// What came of a witness.
enum Answer {
    Confirmed(String),
    /// With the place in the witness.
    Refused(Span, String),
    Unknown(String),
}

/// `cubist validate WITNESS.yml --model FILE.c`
pub(crate) fn validate(text: &str, arguments: &Validate, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let name = driver::shown_name(&arguments.file);
    let sources = Sources::new(SourceFile::new(name.clone(), text));
    let witness = witness::read(sources.model().clone())?;
    let model = arguments.model.as_ref();
    let model = model.context("this is a witness: name the program with --model FILE.c")?;
    super::refuse(&arguments.of_models())?;
    let reject = |span: Span, message: String| Rejected::new(sources.clone(), vec![Diagnostic::error(span, message)]);
    let program = std::fs::read(model).with_context(|| format!("cannot read {}", model.display()))?;
    let digest = validate::sha256(&program);
    if digest != witness.task.digest {
        let message = format!(
            "this witness is about another file: {} has the digest {digest}",
            model.display()
        );
        return Err(reject(witness.task.digest_span, message).into());
    }
    let options =
        options(&witness.task, arguments).map_err(|message| reject(witness.task.specification_span, message))?;
    let unit = c::read_file(model, &options)?;
    let answer = match &witness.content {
        Content::Violation(waypoints) => violation(&unit, waypoints, &reject)?,
        Content::Invariants(invariants) => {
            let weaving = Weaving {
                unit: &unit,
                model,
                options: &options,
                reject: &reject,
            };
            weaving.correctness(invariants, limits, control)?
        }
    };
    let (status, word) = match &answer {
        Answer::Confirmed(_) => (Status::Done, "confirmed"),
        Answer::Refused(..) => (Status::Violated, "refused"),
        Answer::Unknown(_) => (Status::Incomplete, "unknown"),
    };
    if !control.begin_report() {
        return Ok(status);
    }
    let (reason, place) = match &answer {
        Answer::Confirmed(reason) | Answer::Unknown(reason) => (reason, None),
        Answer::Refused(span, reason) => (reason, Some(*span)),
    };
    let header = report::Header::new(&name);
    let task = &witness.task;
    let json = || {
        let line = place.map(|span| sources.model().position(span.start).0);
        json!({
            "cubist": header.cubist, "schema": header.schema, "file": header.file,
            "model": model.display().to_string(), "specification": task.specification,
            "data_model": task.data_model, "verdict": word, "reason": reason, "line": line,
        })
    };
    let words = || {
        let paint = Paint::stdout();
        let mut text = match &answer {
            Answer::Confirmed(_) => format!("{} {reason}.\n", paint.good("Confirmed:")),
            Answer::Refused(..) => format!("{} {reason}.\n", paint.bad("Refused:")),
            Answer::Unknown(_) => format!("{} {reason}.\n", paint.doubtful("Not confirmed:")),
        };
        if let Some(span) = place {
            let diagnostic = Diagnostic::error(span, reason.clone());
            let _ = write!(text, "\n{}", report::diagnostics::text(&[diagnostic], &sources, paint));
        }
        // The witness chooses these: whoever reads the answer must see them.
        let _ = writeln!(text, "  program   {} ({})", model.display(), task.data_model);
        let _ = writeln!(text, "  property  {}", task.specification);
        text
    };
    terminal::print(&report::written(arguments.json, json, words)?)?;
    Ok(status)
}

/// How the program was read, as the witness says.
fn options(task: &Task, arguments: &Validate) -> Result<Options, String> {
    let model = match task.data_model.as_str() {
        "ILP32" => DataModel::Ilp32,
        _ => DataModel::Lp64,
    };
    let specification = c::specification(SourceFile::new("specification", task.specification.as_str()));
    let message = |rejected: Rejected| {
        let first = rejected.diagnostics.first();
        first.map_or("this is no property".to_owned(), |first| first.message.clone())
    };
    let specification = specification.map_err(message)?;
    if let Some(path) = &arguments.property {
        let name = path.display().to_string();
        let text = super::text(path).map_err(|error| format!("{error:#}"))?;
        let wanted = c::specification(SourceFile::new(name.clone(), text));
        if wanted.map_err(|rejected| format!("{name}: {}", message(rejected)))? != specification {
            return Err(format!("this witness is about another property than {name}"));
        }
    }
    if arguments.data_model.is_some_and(|wanted| wanted.data_model() != model) {
        return Err(format!("this witness is about another data model: {}", task.data_model));
    }
    if !specification.undefined.is_empty() {
        return Err("witnesses about undefined behaviour are not understood".to_owned());
    }
    let mut options = Options {
        include_paths: arguments.include.clone(),
        definitions: arguments.define.clone(),
        ..Options::new(model)
    };
    options.specify(&specification);
    Ok(options)
}

type Reject<'a> = &'a dyn Fn(Span, String) -> Rejected;

/// Looks for a run that passes all waypoints.
fn violation(unit: &Unit, waypoints: &[Waypoint], reject: Reject) -> Result<Answer, Rejected> {
    let model = unit.sources.model();
    let mut marks: Vec<Mark> = Vec::new();
    for waypoint in waypoints {
        let mark = Mark::new(model, waypoint).map_err(|message| reject(waypoint.span, message))?;
        marks.push(mark);
    }
    let executable = Executable::new(&unit.program);
    let question = super::check::question(unit, Undefinedness::Wraps);
    let limits = interpret::Limits {
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
    let options = interpret::search::Options {
        limits: question.limits(),
        runs: 5_000,
        ..interpret::search::Options::default()
    };
    let searched = search(&executable, &options, &|| false).violation;
    if let Some(found) = searched {
        let outcome = executable.run(&mut Given::new(found.inputs), &limits);
        if passed(unit, &marks, &outcome).is_ok() {
            return confirmed();
        }
    }
    let suggested: Vec<i128> = marks.iter().flat_map(|mark| mark.numbers.clone()).collect();
    for seed in 0..500 {
        let outcome = executable.run(&mut Random::new(seed, suggested.clone()), &limits);
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

fn offset(model: &SourceFile, location: &Location) -> Option<u32> {
    let mut start = 0;
    for _ in 1..location.line {
        start += model.text.get(start..)?.find('\n')? + 1;
    }
    let line = model.text.get(start..)?.split('\n').next()?;
    let column = location
        .column
        .unwrap_or_else(|| line.len() - line.trim_start().len() + 1);
    let (within, _) = line.char_indices().nth(column - 1)?;
    u32::try_from(start + within).ok()
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
            .filter(|(purpose, _)| matches!(purpose, Purpose::Choice { .. } | Purpose::Result { .. }));
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
fn passed(unit: &Unit, marks: &[Mark], outcome: &Outcome) -> Result<(), (usize, String)> {
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
            && let (Changed::Variable(variable), Known::Integer(value)) = (change.place, change.value)
        {
            values.insert(&unit.program[variable].name, value);
        }
        let Some(mark) = marks.get(next) else { continue };
        match &mark.waypoint.kind {
            WaypointKind::FunctionReturn(_) if ends_at(event.span, mark) => {
                let value = event.change.as_ref().and_then(|change| match change.value {
                    Known::Integer(value) => Some(value),
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

fn step<'p>(program: &'p Program, event: &interpret::trace::Event) -> Option<&'p Step> {
    let automaton = program[event.procedure].body.automaton()?;
    let location = automaton.locations.get(event.location.index())?;
    Some(&location.edges.get(event.edge? as usize)?.step)
}

/// Whether an event is part of a statement, and not the beginning of a variable's life.
fn does_something(program: &Program, event: &interpret::trace::Event) -> bool {
    !matches!(
        step(program, event),
        None | Some(Step::Enter(_) | Step::Leave(_) | Step::Skip)
    )
}

/// Which way a branch went.
fn taken(program: &Program, event: &interpret::trace::Event) -> Option<bool> {
    match step(program, event)? {
        Step::Assume { holds, .. } => Some(*holds),
        _ => None,
    }
}

struct Weaving<'a> {
    unit: &'a Unit,
    model: &'a Path,
    options: &'a Options,
    reject: Reject<'a>,
}

impl Weaving<'_> {
    /// Invariants hold, and the program is safe, whatever they say.
    fn correctness(&self, invariants: &[Invariant], limits: &Limits, control: &Control) -> anyhow::Result<Answer> {
        if !invariants.is_empty() {
            let woven = self.woven(invariants)?;
            let checked = checked(&woven, limits, control)?;
            match &checked {
                Checked::Safe => {
                    if let Some(doubt) = self.doubt(&woven) {
                        return Ok(doubt);
                    }
                }
                Checked::Violated(name) => {
                    let number = name
                        .strip_prefix(NAME)
                        .and_then(|rest| rest.strip_suffix("()")?.parse().ok());
                    let number: Option<usize> = number;
                    let Some(invariant) = number.and_then(|number| invariants.get(number)) else {
                        return Ok(Answer::Refused(Span::default(), "the program is unsafe".to_owned()));
                    };
                    return Ok(Answer::Refused(invariant.span, "this does not hold there".to_owned()));
                }
                Checked::Unknown(reason) => return Ok(Answer::Unknown(reason.clone())),
            }
        }
        // What stands in a witness must not decide what the program does.
        Ok(match checked(self.unit, limits, control)? {
            Checked::Safe => Answer::Confirmed(format!(
                "{} and the program has the property",
                match invariants.len() {
                    0 => "there are no invariants,".to_owned(),
                    1 => "the invariant holds,".to_owned(),
                    many => format!("all {many} invariants hold,"),
                }
            )),
            Checked::Violated(_) => Answer::Refused(Span::default(), "the program is unsafe".to_owned()),
            Checked::Unknown(reason) => Answer::Unknown(reason),
        })
    }

    /// Why it says nothing that the program with the tests is safe. A test that changes something, or in which runs
    /// end, would hide from the others what they are there to find.
    fn doubt(&self, woven: &Unit) -> Option<Answer> {
        let (own, tested) = (Work::of(&self.unit.program), Work::of(&woven.program));
        if own.effects != tested.effects {
            let message = "an invariant changes something or calls something";
            return Some(Answer::Refused(Span::default(), message.to_owned()));
        }
        (own.partial != tested.partial).then(|| {
            let message = "whether the invariants have values is not known: they divide, or read through pointers or at \
                           indices, which is undefined in some states";
            Answer::Unknown(message.to_owned())
        })
    }

    /// The program with an error for each invariant where it does not hold.
    fn woven(&self, invariants: &[Invariant]) -> anyhow::Result<Unit> {
        let model = self.unit.sources.model();
        let mut insertions: Vec<(usize, String)> = Vec::new();
        for (number, invariant) in invariants.iter().enumerate() {
            let wrong = |message: &str| (self.reject)(invariant.span, message.to_owned());
            if let Err(message) = expression(&invariant.value) {
                return Err(wrong(message).into());
            }
            let start =
                offset(model, &invariant.location).ok_or_else(|| wrong("there is no such place in the program"))?;
            let test = format!("(({}) ? (void)0 : {NAME}{number}())", invariant.value);
            let insertion = insertion(&model.text, start as usize, invariant.is_of_loop, &test);
            insertions.push(insertion.map_err(wrong)?);
        }
        insertions.sort();
        let declared: String = (0..invariants.len())
            .map(|number| format!("extern void {NAME}{number}(void);\n"))
            .collect();
        let (mut text, mut copied) = (declared, 0);
        for (place, inserted) in &insertions {
            text.push_str(model.text.get(copied..*place).unwrap_or(""));
            text.push_str(inserted);
            copied = *place;
        }
        text.push_str(model.text.get(copied..).unwrap_or(""));
        let folder = Folder::new()?;
        let file = folder.path.join(self.model.file_name().unwrap_or_default());
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        let mut options = self.options.clone();
        let own = self.model.parent().filter(|parent| !parent.as_os_str().is_empty());
        options
            .include_paths
            .insert(0, own.unwrap_or(Path::new(".")).to_owned());
        options
            .error_functions
            .extend((0..invariants.len()).map(|number| format!("{NAME}{number}")));
        let woven = c::read_file(&file, &options).map_err(|rejected| {
            let first = rejected.diagnostics.first().map(|first| first.message.clone());
            let message = format!(
                "with these invariants the program cannot be read: {}",
                first.unwrap_or_default()
            );
            (self.reject)(invariants[0].span, message)
        })?;
        let preprocessed = woven.sources.additions().find(|file| file.role() == Role::Preprocessed);
        let seen = preprocessed.map_or(&woven.sources.model().text, |file| &file.text);
        for (number, invariant) in invariants.iter().enumerate() {
            // Once where it is declared, and then where it stands.
            if seen.matches(&format!("{NAME}{number}(")).count() < 2 {
                let message = "the preprocessor removes this place from the program".to_owned();
                return Err((self.reject)(invariant.span, message).into());
            }
        }
        Ok(woven)
    }
}

/// How much a program does that the tests of invariants must not do.
#[derive(PartialEq, Eq, Debug, Default)]
struct Work {
    /// Steps that change or ask for something.
    effects: usize,
    /// Operations that are undefined for some values.
    partial: usize,
}

impl Work {
    fn of(program: &Program) -> Work {
        let mut work = Work::default();
        let automata = program
            .procedures
            .iter()
            .filter_map(|procedure| procedure.body.automaton());
        let locations = automata.flat_map(|automaton| &automaton.locations);
        for edge in locations.flat_map(|location| &location.edges) {
            work.effects += usize::from(has_effect(program, &edge.step));
            let mut step = edge.step.clone();
            step.for_each_value_mut(&mut |value| work.partial += usize::from(is_partial(value)));
        }
        work
    }
}

fn has_effect(program: &Program, step: &Step) -> bool {
    match step {
        Step::Skip | Step::Assume { .. } | Step::Violate(_) => false,
        Step::Assign { target, .. } => match target.root {
            Root::Variable(variable) => program[variable].kind != VariableKind::Temporary,
            Root::Dereference { .. } => true,
        },
        Step::Copy { .. } | Step::Choose { .. } | Step::Call { .. } | Step::Enter(_) | Step::Leave(_) => true,
    }
}

/// Whether there are values for which this is undefined, other than by an overflow, which wraps around.
fn is_partial(value: &Value) -> bool {
    match value {
        Value::Read { place, .. } | Value::Address(place) => {
            matches!(place.root, Root::Dereference { .. })
                || place
                    .selectors
                    .iter()
                    .any(|selector| matches!(selector, Selector::Index(_)))
        }
        Value::Binary { operator, right, .. } => {
            let is_known = matches!(**right, Value::Integer { value, .. } if value != 0);
            matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder) && !is_known
        }
        Value::Offset { .. } | Value::Distance { .. } => true,
        Value::Integer { .. }
        | Value::Float { .. }
        | Value::Procedure(_)
        | Value::Unary { .. }
        | Value::Compare { .. }
        | Value::Convert { .. } => false,
    }
}

/// Whether a place in a text is code, and not in a comment or a literal.
fn is_code(text: &str, at: usize) -> bool {
    let mut rest = text.get(..at).unwrap_or("");
    while let Some(place) = rest.find(['/', '"', '\'']) {
        let opened = &rest[place..];
        let (skipped, end) = match opened.as_bytes() {
            [b'/', b'/', ..] => (2, opened[2..].find('\n').map(|end| end + 1)),
            [b'/', b'*', ..] => (2, opened[2..].find("*/").map(|end| end + 2)),
            [b'/', ..] => (1, Some(0)),
            _ => (1, literal_end(&opened[1..], &opened[..1])),
        };
        let Some(end) = end else { return false };
        rest = &opened[skipped + end..];
    }
    true
}

/// Behind the quotation mark that ends a literal.
fn literal_end(text: &str, quote: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(place, each)| {
        let is_end = !is_escaped && quote.starts_with(each);
        is_escaped = !is_escaped && each == '\\';
        is_end.then_some(place + 1)
    })
}

/// What the error functions of invariants are called.
const NAME: &str = "cubist_invariant_";

/// A C expression without effects: no calls, no assignments, nothing that ends a statement.
fn expression(text: &str) -> Result<(), &'static str> {
    let mut depth = 0_i64;
    let mut before = ' ';
    let mut word = String::new();
    let characters: Vec<char> = text.chars().collect();
    for (place, each) in characters.iter().copied().enumerate() {
        let next = characters.get(place + 1).copied().unwrap_or(' ');
        match each {
            '(' | '[' => {
                if each == '(' && word.starts_with(|first: char| first.is_alphabetic() || first == '_') {
                    return Err("an invariant calls nothing");
                }
                depth += 1;
            }
            ')' | ']' => depth -= 1,
            '=' if !matches!(before, '=' | '!' | '<' | '>') && next != '=' => {
                return Err("an invariant changes nothing");
            }
            '+' | '-' if before == each => return Err("an invariant changes nothing"),
            ';' | '{' | '}' | ',' | '#' | '"' | '\'' | '\\' | '\n' | '?' | '@' | '`' => {
                return Err("this is no C expression that an invariant can be");
            }
            _ => {}
        }
        if matches!((before, each, next), ('<' | '>', '<' | '>', '=')) {
            return Err("an invariant changes nothing");
        }
        if each == '/' && matches!(next, '/' | '*') {
            return Err("an invariant has no comments");
        }
        if depth < 0 {
            return Err("this has a parenthesis too many");
        }
        if each.is_alphanumeric() || each == '_' {
            if !(before.is_alphanumeric() || before == '_') {
                word.clear();
            }
            word.push(each);
        } else if !each.is_whitespace() {
            word.clear();
        }
        before = each;
    }
    match (depth, text.trim().is_empty()) {
        (0, false) => Ok(()),
        _ => Err("this is no C expression"),
    }
}

/// Where a test goes that is to be made at the head of a loop, or before a statement.
fn insertion(text: &str, start: usize, is_of_loop: bool, test: &str) -> Result<(usize, String), &'static str> {
    if !is_code(text, start) {
        return Err("this place is in a comment or a literal");
    }
    let rest = text.get(start..).unwrap_or("");
    if !is_of_loop {
        let before = text.get(..start).unwrap_or("").trim_end();
        return match before.chars().last() {
            Some(';' | '{' | '}' | ':') => Ok((start, format!("{test}; "))),
            _ => Err("no statement of a block begins here"),
        };
    }
    let word = loop_word(rest).ok_or("no loop begins here")?;
    let behind = |mark: char, from: usize| {
        rest.get(from..)
            .and_then(|rest| rest.find(mark))
            .map(|at| from + at + 1)
    };
    match word {
        "while" => {
            let open = behind('(', 0).ok_or("no loop begins here")?;
            Ok((start + open, format!("{test}, ")))
        }
        "for" => {
            let open = behind('(', 0).ok_or("no loop begins here")?;
            let semicolon = behind(';', open).ok_or("no loop begins here")?;
            let is_empty = rest
                .get(semicolon..)
                .is_some_and(|rest| rest.trim_start().starts_with(';'));
            let condition = if is_empty { "1" } else { "" };
            Ok((start + semicolon, format!(" {test}, {condition}")))
        }
        _ => match rest.get(word.len()..).map(str::trim_start) {
            Some(body) if body.starts_with('{') => {
                let open = behind('{', 0).ok_or("no loop begins here")?;
                Ok((start + open, format!(" {test}; ")))
            }
            _ => Err("the body of this loop is no block"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_no_effects() {
        for good in [
            "x == y && 0 <= x",
            "(long long)x - y <= 3",
            "!(a[2] != 1) || p->q >= -1",
            "x << 2 == 4",
        ] {
            assert_eq!(expression(good), Ok(()), "{good}");
        }
        let bad = [
            "x = 1",
            "f(x)",
            "f (x)",
            "x++",
            "x; y",
            "1) ? 0 : (1",
            "x <<= 2",
            "x += 1",
            "",
            "(x",
            "a, b",
            "\"s\"",
            "x /*(*/ ) || (1 /*)*/",
            "x //",
        ];
        for bad in bad {
            assert!(expression(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn loops_are_found_from_their_conditions() {
        let head = |text: &str, at: &str| loop_head(text, text.find(at).unwrap());
        assert_eq!(head("f(1); while ((x) && y) z;", "(x)"), Some(6));
        assert_eq!(head("for (i = f(0); i < n; i++) z;", "i < n"), Some(0));
        assert_eq!(head("do { z; } while (x);", "do"), Some(0));
        assert_eq!(head("if (x) z;", "x"), None);
        assert_eq!(head("{ a: z; }", "z"), None);
    }

    #[test]
    fn tests_stand_at_the_heads_of_loops() {
        let at = |text: &str| {
            insertion(text, 0, true, "T").map(|(place, test)| format!("{}{test}{}", &text[..place], &text[place..]))
        };
        assert_eq!(at("while (x) y();").unwrap(), "while (T, x) y();");
        assert_eq!(at("for (;;) y();").unwrap(), "for (; T, 1;) y();");
        assert_eq!(
            at("for (i = 0; i < n; i++) y();").unwrap(),
            "for (i = 0; T,  i < n; i++) y();"
        );
        assert_eq!(at("do { y(); } while (x);").unwrap(), "do { T;  y(); } while (x);");
        assert!(at("do y(); while (x);").is_err() && at("whiled (x);").is_err());
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        let text = "a / b; /* c; */ d; \"e; // \\\"; f\"; 'g'; '\\''; h; // i; j\nk;";
        for letter in "abdhk".chars() {
            assert!(is_code(text, text.find(letter).unwrap()), "{letter}");
        }
        for letter in "cefgij".chars() {
            assert!(!is_code(text, text.find(letter).unwrap()), "{letter}");
        }
    }
}
