//! The program `cubist`: reads the command line, runs a command, and turns what comes back into an exit status.
//!
//! Only this crate prints, serialises and knows about terminals and signals.

mod arguments;
mod boolean;
mod commands;
mod export;
mod files;
mod narrator;
mod outcomes;
mod outputs;
mod programs;
mod progress;
mod prompt;
mod serve;
mod supervise;
mod terminal;

use arguments::{Arguments, Command};
use clap::Parser as _;
use outcomes::diagnostics;
use outputs::Outputs;
use report::outcome::Message;
use report::{Finished, Outcome, Status};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use supervise::{Control, LastWords, Limits, Overrun};
use system::{Rejected, Severity};
use terminal::Paint;

fn main() -> ExitCode {
    let started = Instant::now();
    std::panic::set_hook(Box::new(report_internal_error));
    let Arguments { mut command } = Arguments::parse();
    let outputs = command.take_outputs();
    let mut control = Control::default();
    if outputs.is_wanted() {
        control = control.keeping_report();
    }
    if let Some(part) = &outputs.part {
        command.keep_file(part.number);
        control = control.of_parent(part.parent);
    }
    let control = Arc::new(control);
    supervise::catch_interrupts(&control);
    let status = match command.files() {
        [_, _, ..] => several(&command, &outputs, &control),
        _ => single(command, &outputs, &control, started),
    };
    // Threads may still be at work, with programs and files of theirs.
    children::finish();
    status.into()
}

/// A command that is about several models.
fn several(command: &Command, outputs: &Outputs, control: &Control) -> Status {
    let done = command.expect_one_standard_input();
    let done = done.and_then(|()| commands::several::run(command, outputs, control));
    done.unwrap_or_else(|error| {
        complain(&error);
        Status::Rejected
    })
}

/// A command that is about one file, or about none.
fn single(command: Command, outputs: &Outputs, control: &Arc<Control>, started: Instant) -> Status {
    let limits = limits(&command, started);
    let (json, file) = (command.json(), command.name());
    let name = file.clone();
    let work = move |control: &Control| run(&command, &limits, control);
    let overrun = |overrun| {
        let words = control.last_words().map(|words| words.at(started.elapsed()));
        report_overrun(overrun, words, json, file, control)
    };
    let status = supervise::supervise(control, &limits, work, overrun);
    if !outputs.is_wanted() {
        return status;
    }
    let finished = Finished::new(name, status, control.report(), started.elapsed());
    outputs.write(&[finished]).map_or_else(
        |error| {
            complain(&error);
            Status::Rejected
        },
        |()| status,
    )
}

fn limits(command: &Command, started: Instant) -> Limits {
    let (time, memory) = match command {
        Command::Check(check) => (check.timeout, check.memory),
        Command::Prove(prove) => (prove.timeout, None),
        Command::Explore(explore) => (explore.timeout, explore.memory),
        Command::Conform(conform) => (conform.timeout, conform.memory),
        Command::Validate(validate) => (validate.timeout, None),
        Command::Serve(_) | Command::Show(_) | Command::Export(_) => (None, None),
    };
    Limits {
        started,
        time,
        memory: memory.map(|megabytes| megabytes.saturating_mul(1 << 20)),
        counts_itself: matches!(command, Command::Explore(_)),
    }
}

fn run(command: &Command, limits: &Limits, control: &Control) -> Status {
    let result = command.expect_one_standard_input().and_then(|()| match command {
        Command::Check(check) => commands::check::run(check, limits, control),
        Command::Prove(prove) => commands::prove::run(prove, limits, control),
        Command::Serve(serve) => serve::run(serve, control),
        Command::Explore(explore) => commands::explore::run(explore, limits, control),
        Command::Conform(conform) => commands::conform::run(conform, limits, control),
        Command::Validate(validate) => commands::validate::run(validate, limits, control),
        Command::Show(show) => commands::show::run(show),
        Command::Export(export) => commands::export::run(export),
    });
    result.unwrap_or_else(|error| {
        // Words before anything else: until they are there, limits and Ctrl-C are obeyed.
        let failed = Failed::new(command, &error);
        if control.begin_report() {
            failed.report(command, control);
        } else if error.chain().any(|cause| cause.is::<std::io::Error>()) {
            // The report itself could not be written.
            complain(&error);
        }
        Status::Rejected
    })
}

fn complain(error: &anyhow::Error) {
    let word = Paint::stderr().bad("error:");
    terminal::complain(&format!("{word} {error:#}\n"));
}

/// Input that is wrong, where an error is about that.
fn rejected(error: &anyhow::Error) -> Option<&Rejected> {
    match error.downcast_ref::<driver::Error>() {
        Some(driver::Error::Rejected(rejected)) => Some(rejected),
        _ => error.downcast_ref::<Rejected>(),
    }
}

fn report_to_person(error: &anyhow::Error) {
    terminal::complain(&for_person(error));
}

fn for_person(error: &anyhow::Error) -> String {
    let paint = Paint::stderr();
    match rejected(error) {
        Some(Rejected {
            sources,
            diagnostics: found,
        }) => diagnostics::text(found, sources, paint) + &diagnostics::summary(found, sources, paint),
        None => format!("{} {error:#}\n", paint.bad("error:")),
    }
}

/// What is wrong with the input, or why a file could not be written.
struct Failed {
    text: String,
    failure: Outcome,
}

impl Failed {
    fn new(command: &Command, error: &anyhow::Error) -> Failed {
        let file = command.name();
        let (message, diagnostics) = match rejected(error) {
            Some(Rejected {
                sources,
                diagnostics: found,
            }) => {
                let first = found
                    .iter()
                    .find(|found| found.severity == Severity::Error)
                    .or(found.first());
                let message = first.map(|first| first.message.clone()).unwrap_or_default();
                (message, diagnostics::messages(found, sources))
            }
            None => {
                let message = format!("{error:#}");
                let sources = system::Sources::new(system::SourceFile::new(file.clone(), ""));
                let found = system::Diagnostic::error(system::Span::default(), message.clone());
                (message, diagnostics::messages(&[found], &sources))
            }
        };
        let failure = failure(&file, message, diagnostics);
        Failed {
            text: for_person(error),
            failure,
        }
    }

    fn report(&self, command: &Command, control: &Control) {
        if !command.json() {
            terminal::complain(&self.text);
        }
        report_for_programs(&self.failure, command.json(), control);
    }
}

fn report_overrun(overrun: Overrun, words: Option<LastWords>, json: bool, file: String, control: &Control) -> Status {
    let reason = overrun.message();
    let Some(mut words) = words else {
        let message = format!("{reason} before there was anything to report");
        if !json {
            let title = Paint::stderr().doubtful("Incomplete:");
            terminal::complain(&format!("{title} {message}\n"));
        }
        report_for_programs(&failure(&file, message, Vec::new()), json, control);
        return Status::Incomplete;
    };
    if let Some((path, text)) = &words.certificate
        && let Err(error) = driver::write_whole(path, text)
    {
        complain(&anyhow::Error::new(error).context(format!("cannot write {}", path.display())));
        return Status::Rejected;
    }
    words.json["reason"] = reason.into();
    for property in words.json["properties"].as_array_mut().into_iter().flatten() {
        if property["verdict"] == "unknown" {
            property["reason"] = reason.into();
        }
    }
    control.keep_report(&words.json);
    if json {
        print_or_complain(outcomes::json(&words.json));
    } else {
        print_or_complain(Ok(format!("{} {reason}.\n{}", words.title, words.text)));
    }
    words.status
}

fn print_or_complain(text: anyhow::Result<String>) {
    if let Err(error) = text.and_then(|text| terminal::print(&text)) {
        complain(&error);
    }
}

/// The report of a command that has no verdict.
fn failure(file: &str, message: String, diagnostics: Vec<Message>) -> Outcome {
    Outcome {
        diagnostics,
        ..Outcome::without_verdict(file, message)
    }
}

/// Printed where `json` asks for it.
fn report_for_programs(failure: &Outcome, json: bool, control: &Control) {
    control.keep_report(failure);
    if json {
        print_or_complain(outcomes::json(failure));
    }
}

/// A panic is a bug of ours, on whichever thread: say so, and end with a status that no verdict has.
fn report_internal_error(panic: &std::panic::PanicHookInfo) {
    terminal::complain(&format!(
        "internal error: {panic}\nThis is a bug of Cubist {}. Please report it, with the model and the command line.\n",
        env!("CARGO_PKG_VERSION")
    ));
    children::finish();
    std::process::exit(i32::from(Status::Internal.code()));
}
