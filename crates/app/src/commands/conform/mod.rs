//! `cubist conform`: components in C against state machines.

mod answers;
mod files;
mod json;
pub(crate) mod recorded;
mod subject;
mod text;

use crate::arguments::{Conform, LevelsName, MinimisationName, UndefinedName};
use crate::outcomes::chart::ChartFile;
use crate::outcomes::{self, mistake};
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint, counted, grouped};
use answers::Report;
use anyhow::{Context as _, bail};
use c::DataModel;
use conformance::assembly::SystemOptions;
use conformance::minimise;
use conformance::verify::{Levels, Options, Progress};
use driver::{Answer, Context, Event, Observer, components, write_whole};
use report::{Outcome, Status};
use smt::Solvers;
use std::sync::{Mutex, PoisonError};
use subject::Subject;

pub(crate) fn run(arguments: &Conform, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let chart = arguments.chart.as_deref().map(ChartFile::new).transpose()?;
    let subject = Subject::read(arguments)?;
    let solvers = Solvers::default().under(&control.cancellation);
    let is_over = || control.cancellation.is_cancelled() || limits.time_left().is_some_and(|left| left.is_zero());
    let making = SystemOptions {
        undefined: subject.undefined,
        predicates: arguments.max_predicates,
        constants: true,
        solvers: &solvers,
        is_over: &is_over,
    };
    let systems = match subject.systems(&making) {
        Err(_) if is_over() => return stopped(arguments, limits, control),
        systems => systems?,
    };
    let Some(confirming) = driver::solvers().into_iter().next() else {
        bail!("there is no solver that could confirm a proof: `cubist-cvc5` should lie beside `cubist`");
    };
    let observer = Watch::new(arguments);
    let context = Context {
        solvers: solvers.clone(),
        deadline: limits.deadline(),
        observer: &observer,
        jobs: 1,
    };
    let mut answers = Vec::new();
    for (number, system) in systems.iter().enumerate() {
        let question = components::Question {
            system,
            opened: &subject.opened[number],
            undefined: subject.undefined,
            options: options(arguments),
            sources: subject.read_texts(),
            about: subject.asked(number, &options_of(arguments)).lines(),
        };
        match components::check(&question, &context)? {
            Answer::Decided(decided) => answers.push(*decided),
            Answer::Mistake(found) => {
                observer.finish();
                return mistake::report(&found, arguments.style.json, control);
            }
        }
    }
    observer.finish();
    let report = Report {
        subject: &subject,
        systems: &systems,
        answers: &answers,
        confirmed_by: &confirming.name(),
        is_late: limits.time_left().is_some_and(|left| left.is_zero()),
    };
    let status = report.status();
    if let Some(chart) = &chart {
        report.draw(chart)?;
    }
    if let Some(path) = &arguments.report {
        let page = report.page(status);
        write_whole(path, &page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(folder) = &arguments.aut {
        report.exchange(folder)?;
    }
    report.certify(arguments)?;
    if !control.begin_report() {
        return Ok(status);
    }
    let seconds = limits.started.elapsed().as_secs_f64();
    let style = &arguments.style;
    let object = || report.outcome(arguments, status, seconds);
    if control.keeps_report() {
        control.keep_report(&object());
    }
    let text = || report.text(arguments, chart.as_ref(), Paint::stdout());
    terminal::print(&outcomes::written(style.json, object, text)?)?;
    Ok(status)
}

/// Shows how far the abstraction is.
struct Watch {
    line: Mutex<crate::progress::Line>,
}

impl Watch {
    fn new(arguments: &Conform) -> Watch {
        let style = &arguments.style;
        Watch {
            line: Mutex::new(crate::progress::Line::new(style.quiet || style.json)),
        }
    }

    fn finish(&self) {
        self.line.lock().unwrap_or_else(PoisonError::into_inner).finish();
    }
}

impl Observer for Watch {
    fn event(&self, event: &Event) {
        if let Event::Contained(progress) = event {
            let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
            line.show(&words(progress));
        }
    }
}

/// The time was over, or Ctrl-C pressed, before anything was known.
fn stopped(arguments: &Conform, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let status = Status::Incomplete;
    let reason = match limits.time_left().is_some_and(|left| left.is_zero()) {
        true => "the time limit was reached before the components were read",
        false => "interrupted before the components were read",
    };
    if !control.begin_report() {
        return Ok(status);
    }
    let outcome = || Outcome {
        reason: Some(reason.to_owned()),
        ..Outcome::new(&driver::shown_name(&arguments.spec[0]))
    };
    if control.keeps_report() {
        control.keep_report(&outcome());
    }
    let text = || format!("{} {reason}.\n", Paint::stdout().doubtful("Unknown:"));
    terminal::print(&outcomes::written(arguments.style.json, outcome, text)?)?;
    Ok(status)
}

/// The options that decide what is proved, in one order, a word and its value each.
fn options_of(arguments: &Conform) -> Vec<String> {
    let data_model = match arguments.data_model.data_model() {
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    };
    let undefined = match arguments.undefined {
        Some(UndefinedName::AssumeAbsent) => "assume-absent",
        _ => "wrap",
    };
    let mut options = vec![format!("--data-model {data_model}"), format!("--undefined {undefined}")];
    options.extend(
        arguments
            .include
            .iter()
            .map(|folder| format!("--include {}", folder.display())),
    );
    options.extend(arguments.define.iter().map(|macro_| format!("--define {macro_}")));
    options
}

fn options(arguments: &Conform) -> Options {
    Options {
        levels: match arguments.levels {
            LevelsName::One => Levels::One,
            LevelsName::Two => Levels::Two,
        },
        minimisation: match arguments.minimise {
            MinimisationName::None => minimise::Minimisation::None,
            MinimisationName::Greedy => minimise::Minimisation::Greedy,
            MinimisationName::Minimum => minimise::Minimisation::Minimum,
        },
        limits: minimise::Limits {
            subsets: arguments.max_subsets,
            eliminating: arguments.max_eliminating,
            size: arguments.max_size,
        },
        ..Options::default()
    }
}

fn words(progress: &Progress) -> String {
    format!(
        "verifying: {} by predicates, {} by actions, {}, {}",
        counted(progress.predicate_iterations, "iteration"),
        grouped(progress.action_iterations as u64),
        counted(progress.branches, "branch").replace("branchs", "branches"),
        counted(progress.states, "state"),
    )
}
