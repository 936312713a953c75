//! Which rules keep a formula, and the step by which one does not: for people and for programs.

use super::Header;
use super::check_json;
use super::check_report::item;
use crate::terminal::Paint;
use abstraction::induction::{BreakingStep, Failure, Implied, Induction, Inductiveness, State, StepSearch};
use driver::notation::closed_formula;
use driver::{InductionReport, LoweredModel};
use report::Status;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use system::Sources;

/// More places are counted only.
const PLACES: usize = 24;

/// The step that breaks a formula, below a line that says which one.
pub(crate) fn step(text: &mut String, subject: &LoweredModel, found: &Induction, paint: Paint) {
    let sources = subject.input.sources();
    let Some((failure, step)) = found.step() else {
        return;
    };
    let line = sources.position(failure.by.span).0;
    let what = match (failure.is_start, step.is_certain) {
        (true, true) => "does not hold in the initial states of",
        (true, false) => "may not hold in the initial states of",
        (false, true) => "is not inductive: it is broken by",
        (false, false) => "is not known to be inductive: it may be broken by",
    };
    let front = format!("\"{}\" {what} {} (line {line})", found.name, name(failure, step));
    item(text, "  ", &format!("{front}:"));
    let width = step
        .places
        .iter()
        .map(|place| place.text.chars().count())
        .max()
        .unwrap_or(0);
    for place in step.places.iter().take(PLACES) {
        let values = match &place.before {
            None => place.after.clone(),
            Some(before) if place.is_changed() => paint.bold(&format!("{before} -> {}", place.after)),
            Some(before) => before.clone(),
        };
        let _ = writeln!(text, "      {:width$}  {values}", place.text);
    }
    if let Some(more) = step.places.len().checked_sub(PLACES).filter(|more| *more > 0) {
        let _ = writeln!(text, "      and {more} more");
    }
    if !step.is_certain {
        let line = "A proof knows less here than the model says, so this need not be a step of the model.";
        item(text, "      ", line);
    }
    if !failure.is_start {
        let known = match (step.is_initial, step.is_certain) {
            (true, true) => "The state before is initial, so the formula is false.",
            (true, false) => "The state before is initial.",
            (false, _) => {
                let missing = closed_formula(&subject.system, logic::term::not(step.like));
                item(
                    text,
                    "      ",
                    &format!("If the state before cannot be reached, this may be missing: {missing}"),
                );
                return;
            }
        };
        item(text, "      ", known);
    }
}

/// `rule "enter" with p = P_1`
fn name(failure: &Failure, step: &BreakingStep) -> String {
    let kind = if failure.is_start { "the start" } else { "the rule" };
    let parameters: Vec<String> = step
        .parameters
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    match parameters.is_empty() {
        true => format!("{kind} \"{}\"", failure.by.name),
        false => format!("{kind} \"{}\" with {}", failure.by.name, parameters.join(", ")),
    }
}

fn word(verdict: Inductiveness) -> &'static str {
    match verdict {
        Inductiveness::Inductive => "inductive",
        Inductiveness::WithOthers => "kept only together with formulas that are not inductive",
        Inductiveness::NotInitial => "not true initially",
        Inductiveness::NotKept => "not inductive",
        Inductiveness::Unknown => "not known to be inductive",
    }
}

pub(crate) fn json(sources: &Sources, found: &[Induction]) -> Value {
    let entry = |found: &Induction| {
        json!({
            "name": found.name,
            "verdict": word(found.verdict),
            "steps": found.failures.iter().map(|failure| failure_json(sources, failure)).collect::<Vec<Value>>(),
        })
    };
    found.iter().map(entry).collect()
}

fn failure_json(sources: &Sources, failure: &Failure) -> Value {
    let mut entry = json!({
        "rule": failure.by.name,
        "line": sources.position(failure.by.span).0,
        "start": failure.is_start,
        "found": matches!(failure.found, StepSearch::Step(_)),
    });
    if let StepSearch::Step(step) = &failure.found {
        let parameters = step.parameters.iter().map(|(name, value)| (name.clone(), json!(value)));
        entry["parameters"] = Value::Object(parameters.collect::<Map<String, Value>>());
        let place = |place: &abstraction::induction::PlaceValues| json!({ "place": place.text, "before": place.before, "after": place.after });
        entry["places"] = step.places.iter().map(place).collect();
        entry["initial"] = json!(step.is_initial);
        entry["certain"] = json!(step.is_certain);
    }
    entry
}

/// The answer to `--induction`.
pub(crate) fn text_of(answer: &InductionReport, is_quiet: bool, paint: Paint) -> String {
    let about = match answer.scope.words().as_str() {
        "" => ":".to_owned(),
        words => format!(" {words}:"),
    };
    let is_refuted = |result: &Induction| matches!(result.verdict, Inductiveness::NotInitial | Inductiveness::NotKept);
    let mut text = match (answer.is_inductive(), answer.results.iter().any(is_refuted)) {
        (true, _) => format!(
            "{}{about} together, these formulas are an invariant.\n",
            paint.good("Inductive")
        ),
        (false, true) => format!(
            "{}{about} together, these formulas are no inductive invariant.\n",
            paint.doubtful("Not inductive")
        ),
        (false, false) => format!(
            "{}{about} together, these formulas may be an inductive invariant or none.\n",
            paint.doubtful("Not known to be inductive")
        ),
    };
    if is_quiet {
        return text;
    }
    for result in &answer.results {
        item(
            &mut text,
            "- ",
            &format!("\"{}\": {}", result.name, word(result.verdict)),
        );
    }
    for result in &answer.results {
        if result.step().is_some() {
            text.push('\n');
            step(&mut text, &answer.subject, result, paint);
        }
    }
    if !answer.implied.is_empty() {
        text.push('\n');
    }
    for (name, implied) in &answer.implied {
        let line = match implied {
            Implied::Yes => format!("They imply \"{name}\"."),
            Implied::No(_) => format!("They do not imply \"{name}\": they hold in this state, and it does not:"),
            Implied::Unknown => format!("Whether they imply \"{name}\" is not known."),
        };
        item(&mut text, "", &line);
        if let Implied::No(found) = implied {
            state(&mut text, found);
        }
    }
    text
}

fn state(text: &mut String, found: &State) {
    for (sort, size) in &found.sizes {
        let _ = writeln!(text, "      {sort} = {size}");
    }
    let width = found.places.iter().map(|(place, _)| place.chars().count()).max();
    let width = width.unwrap_or(0);
    for (place, value) in found.places.iter().take(PLACES) {
        let _ = writeln!(text, "      {place:width$}  {value}");
    }
    if let Some(more) = found.places.len().checked_sub(PLACES).filter(|more| *more > 0) {
        let _ = writeln!(text, "      and {more} more");
    }
}

fn implied_json((name, implied): &(String, Implied)) -> Value {
    let (answer, state) = match implied {
        Implied::Yes => (Value::Bool(true), Value::Null),
        Implied::No(state) => {
            let sizes = state.sizes.iter().map(|(sort, size)| (sort.to_string(), json!(size)));
            let place = |(place, value): &(String, String)| json!({ "place": place, "value": value });
            let found = json!({
                "sizes": Value::Object(sizes.collect::<Map<String, Value>>()),
                "places": state.places.iter().map(place).collect::<Vec<Value>>(),
            });
            (Value::Bool(false), found)
        }
        Implied::Unknown => (Value::Null, Value::Null),
    };
    json!({ "name": name, "implied": answer, "state": state })
}

pub(crate) fn json_of(answer: &InductionReport, status: Status) -> Value {
    let file = &answer.subject.input;
    let header = Header::new(&file.file().name);
    json!({
        "cubist": header.cubist,
        "schema": header.schema,
        "file": header.file,
        "inductive": answer.is_inductive(),
        "induction": json(file.sources(), &answer.results),
        "implied": answer.implied.iter().map(implied_json).collect::<Vec<Value>>(),
        "scope": check_json::scope(&answer.scope.sizes),
        "exit_status": status.code(),
        "diagnostics": check_json::messages(file),
    })
}
