//! `cubist check`: prove every property for every size, or find a violation.
//!
//! Small instances are searched for a bug first. Then each property, and each assertion of a rule, is a goal for predicate
//! abstraction. Nothing is called safe before solvers that did not find the proof have confirmed the certificate.

mod certify;
mod properties;
mod prove;
mod refute;
mod vacuity;

pub(crate) use certify::solvers;
pub(crate) use prove::{Proof, PropertyResult, interruptible};

use crate::arguments::{Check, Style};
use crate::input::Input;
use crate::report::{self, check_report, diagnostics};
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use abstraction::cegar::GoalVerdict;

/// Types of any size are explored with at most so many elements before a proof is tried.
const SMALL: i64 = 3;
pub(crate) fn run(arguments: &Check, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let mut input = Input::read_with_predicates(&arguments.reading, arguments.predicates.as_deref())?;
    let style = &arguments.style;
    let paint = Paint::stdout();
    let mut system = input.system()?;
    system.name.clone_from(&input.file.name);
    let properties = properties::chosen(arguments, &system)?;
    let warnings = interruptible(limits, control, |options| vacuity::look(&input, &system, options))?;
    input.diagnostics.extend(warnings);
    warn(&mut input, style);
    if let Some(found) = refute::look_for_bug(arguments, &input, &[SMALL], limits, control) {
        return refute::report_violation(arguments, &found, control);
    }
    let proof = interruptible(limits, control, |options| {
        prove::prove(arguments, &input, &system, &properties, options)
    })?;
    let real = |result: &PropertyResult| {
        result
            .goals
            .iter()
            .any(|(_, g)| matches!(g.verdict, GoalVerdict::Real(_)))
    };
    if proof.results.iter().any(real)
        && let Some(found) = refute::look_for_bug(arguments, &input, &[2, 3, 4, 5], limits, control)
    {
        return refute::report_violation(arguments, &found, control);
    }
    let safe = proof.doubt.is_none() && proof.results.iter().all(PropertyResult::proved);
    let status = if safe { Status::Done } else { Status::Incomplete };
    if control.begin_report() {
        let text = if style.json {
            report::json(&check_report::json(
                &input,
                &proof,
                status,
                limits.started.elapsed().as_secs_f64(),
            ))?
        } else {
            check_report::text(&input, &system, &proof, style, paint)
        };
        terminal::print(&text)?;
    }
    Ok(status)
}

/// Shows the warnings about the model and about the file of predicates.
fn warn(input: &mut Input, style: &Style) {
    let of_predicates = match &input.predicates {
        Some(predicates) => predicates.take_warnings(&mut input.diagnostics, &input.file),
        None => Vec::new(),
    };
    if style.json || style.quiet {
        return;
    }
    let paint = Paint::stderr();
    terminal::complain(&diagnostics::text(&input.diagnostics, &input.file, paint));
    if let Some(predicates) = &input.predicates {
        terminal::complain(&diagnostics::text(&of_predicates, &predicates.file, paint));
    }
}
