//! `cubist validate`: have a solver that did not find the proof answer every query of a certificate.

use crate::arguments::Validate;
use crate::commands::check::{interruptible, solvers};
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use anyhow::Context as _;
use smt::SolverCommand;
use std::fmt::Write as _;
use validate::Outcome;

pub(crate) fn run(arguments: &Validate, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let shown = arguments.file.display();
    let text = std::fs::read_to_string(&arguments.file).with_context(|| format!("cannot read {shown}"))?;
    let certificate = validate::parse_certificate(&text).with_context(|| format!("{shown} is refused"))?;
    let solver = match &arguments.solver {
        Some(program) => SolverCommand::new(program),
        None => {
            let first = solvers().into_iter().next();
            first
                .context("no solver is installed; `make setup` installs cvc5, or name one with --solver")?
                .1
        }
    };
    let bounds = validate::Limits {
        total: limits.time_left(),
        ..validate::Limits::default()
    };
    let report = interruptible(limits, control, |options| {
        validate::confirm(&certificate, &solver, bounds, &options.interrupt)
    });
    let paint = Paint::stdout();
    let mut text = String::new();
    let (status, word) = if report.is_confirmed() {
        (Status::Done, paint.good("Confirmed."))
    } else if report.error.is_some() || report.refuted().next().is_some() {
        (Status::Violated, paint.bad("Refused."))
    } else {
        (Status::Incomplete, paint.doubtful("Not confirmed."))
    };
    let program = solver.program.file_name().unwrap_or_default().to_string_lossy();
    let (confirmed, total) = (report.confirmed(), report.outcomes.len());
    let _ = writeln!(
        text,
        "{word} {program} confirms {confirmed} of {total} proof obligations."
    );
    if let Some(error) = &report.error {
        let _ = writeln!(text, "  {error}");
    }
    for (query, outcome) in &report.outcomes {
        match outcome {
            Outcome::Confirmed => {}
            Outcome::Refuted => drop(writeln!(text, "  refuted: {}", query.name)),
            Outcome::Unknown(reason) => drop(writeln!(text, "  undecided: {} ({reason})", query.name)),
        }
    }
    if control.begin_report() {
        terminal::print(&text)?;
    }
    Ok(status)
}
