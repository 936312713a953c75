//! `cubist explore`: search a finite instance, or simulate it.

use crate::arguments::{self, Explore};
use crate::files::Drawing;
use crate::progress::Spinner;
use crate::report::{self, diagnostics, explore_json, explore_text, mistake};
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use anyhow::Context as _;
use driver::Input;
use explore::{Deadlock, GraphOptions, Options, Outcome, SimulateOptions, Verdict, Violation};
use system::instance::Instance;

pub(crate) fn run(arguments: &Explore, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let drawing = arguments.graph.as_deref().map(Drawing::new).transpose()?;
    let mut input = Input::read(&arguments.reading.file, &arguments.reading.how())?;
    let instance = input.instance()?;
    let deadlock = deadlock(arguments, &input);
    if let Some(drawing) = &drawing {
        drawing.write(&state_graph(&instance, arguments, control)?)?;
    }
    let style = &arguments.style;
    let paint = Paint::stdout();
    if !style.json && !style.quiet {
        terminal::complain(&diagnostics::text(&input.diagnostics, input.sources(), Paint::stderr()));
        terminal::print(&format!("{}\n", explore_text::introduction(&input, &instance, paint)))?;
    }
    let detail = explore_text::Detail {
        quiet: style.quiet,
        verbose: style.verbose,
        full_states: arguments.full_states,
        deadlock: deadlock != Deadlock::Off,
    };
    let mut spinner = Spinner::new(style.quiet);
    let (status, text) = if let Some(runs) = arguments.simulate {
        let options = SimulateOptions {
            runs,
            length: arguments.steps,
            seed: arguments.seed,
            deadlock,
        };
        let result = explore::simulate(&instance, &options, &control.cancellation, &mut spinner);
        spinner.finish();
        if let Some(status) = unconfirmed(&input, &instance, result.violation.as_ref(), control, style.json) {
            return status;
        }
        let status = if result.violation.is_some() {
            Status::Violated
        } else {
            Status::Incomplete
        };
        let json = || explore_json::simulation(&input, &instance, &result, arguments.full_states, status);
        let plain = || explore_text::simulation(&input, &instance, &result, detail, paint);
        (status, report::written(style.json, json, plain)?)
    } else {
        let options = options(arguments, deadlock, limits);
        let result = explore::explore(&instance, &options, &control.cancellation, &mut spinner);
        spinner.finish();
        let violation = match &result.verdict {
            Verdict::Violation(violation) => Some(&**violation),
            _ => None,
        };
        if let Some(status) = unconfirmed(&input, &instance, violation, control, style.json) {
            return status;
        }
        let status = status(&result);
        let json = || explore_json::outcome(&input, &instance, &result, arguments.full_states, status);
        let plain = || explore_text::outcome(&input, &instance, &result, detail, paint);
        (status, report::written(style.json, json, plain)?)
    };
    if control.begin_report() {
        terminal::print(&text)?;
        if let Some(drawing) = &drawing
            && !style.json
            && !style.quiet
        {
            terminal::print(&format!("\nThe state graph is in {}.\n", drawing.path.display()))?;
        }
    }
    Ok(status)
}

/// Has a violation confirmed by another interpreter than the one that found it.
fn unconfirmed(
    input: &Input,
    instance: &Instance,
    violation: Option<&Violation>,
    control: &Control,
    json: bool,
) -> Option<anyhow::Result<Status>> {
    let violation = violation?;
    let reason = explore::confirm(instance, violation).err()?;
    Some(mistake::unconfirmed(input, instance, violation, &reason, json, control))
}

/// As the user says, or as the language has it.
fn deadlock(arguments: &Explore, input: &Input) -> Deadlock {
    match arguments.deadlock {
        Some(arguments::Deadlock::Off) => Deadlock::Off,
        Some(arguments::Deadlock::Stuck) => Deadlock::Stuck,
        Some(arguments::Deadlock::Stuttering) => Deadlock::Stuttering,
        // A random run that gets stuck has simply come to its end.
        None if arguments.simulate.is_some() => Deadlock::Off,
        None if input.language().has_deadlocks() => Deadlock::Stuttering,
        None => Deadlock::Off,
    }
}

fn options(arguments: &Explore, deadlock: Deadlock, limits: &Limits) -> Options {
    Options {
        symmetry: !arguments.no_symmetry,
        deadlock,
        max_states: arguments.max_states,
        max_depth: arguments.max_depth,
        time_limit: limits.time_left(),
        memory_limit: limits.memory,
        jobs: arguments.jobs,
        ..Options::default()
    }
}

fn status(outcome: &Outcome) -> Status {
    match outcome.verdict {
        Verdict::Ok => Status::Done,
        Verdict::Violation(_) => Status::Violated,
        Verdict::Incomplete(_) => Status::Incomplete,
    }
}

fn state_graph(instance: &Instance, arguments: &Explore, control: &Control) -> anyhow::Result<system::graph::Graph> {
    let options = GraphOptions {
        symmetry: !arguments.no_symmetry,
        max_states: explore::GRAPH_LIMIT,
    };
    let graph = explore::state_graph(instance, &options, &control.cancellation);
    graph.context("cannot draw the state graph")
}
