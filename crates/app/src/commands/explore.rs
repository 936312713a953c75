//! `cubist explore`: search a finite instance, or simulate it.

use super::check::CONFORM;
use crate::arguments::{self, Explore};
use crate::files::Drawing;
use crate::outcomes::chart::ChartFile;
use crate::outcomes::{self, diagnostics, explore_json, explore_text, mistake};
use crate::programs;
use crate::progress::Spinner;
use crate::supervise::{Control, LastWords, Limits};
use crate::terminal::{self, Paint};
use anyhow::bail;
use driver::{Input, Kind, Mistake, kind_of};
use explore::{
    Deadlock, GraphError, GraphOptions, SearchOptions, SearchOutcome, SearchVerdict, SimulateOptions, Simulation,
    Violation,
};
use report::Status;
use std::mem::ManuallyDrop;
use system::graph::Graph;
use system::instance::Instance;

pub(crate) fn run(arguments: &Explore, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    match kind_of(arguments.file()) {
        Kind::Model => model(arguments, limits, control),
        Kind::Program => programs::explore::run(arguments, limits, control),
        Kind::BooleanProgram => bail!("`explore` is not about Boolean programs: `cubist check` decides them"),
        Kind::Components => bail!(CONFORM),
    }
}

fn model(arguments: &Explore, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    arguments.meaning.refuse()?;
    let drawing = arguments.graph.as_deref().map(Drawing::new).transpose()?;
    let chart = arguments.chart.as_deref().map(ChartFile::new).transpose()?;
    // The program ends with this command: what is freed would be freed in vain.
    let mut input = ManuallyDrop::new(Input::read(arguments.file(), &arguments.reading.how())?);
    let instance = ManuallyDrop::new(input.instance()?);
    let deadlock = deadlock(arguments, &input);
    let style = &arguments.style;
    let paint = Paint::stdout();
    if !style.json && !style.quiet {
        terminal::complain(&diagnostics::text(&input.diagnostics, input.sources(), Paint::stderr()));
        terminal::print(&format!("{}\n", explore_text::introduction(&input, &instance, paint)))?;
    }
    let found = look(arguments, &instance, deadlock, limits, control);
    if let Some(status) = unconfirmed(&input, &instance, found.violation(), control, style.json) {
        return status;
    }
    let status = found.status();
    let charted = chart
        .map(|chart| draw_run(&chart, &input, &instance, &found))
        .transpose()?;
    let full = arguments.full_states;
    let detail = explore_text::Detail {
        quiet: style.quiet,
        verbose: style.verbose,
        full_states: full,
        deadlock: deadlock != Deadlock::Off,
    };
    // If the report takes longer than the limits allow, the supervisor prints the verdict alone.
    control.set_last_words(verdict_alone(&input, &instance, &found, detail, paint)?);
    let object = || match &found {
        Found::Runs(result) => explore_json::simulation(&input, &instance, result, full, status),
        Found::States(outcome) => explore_json::outcome(&input, &instance, outcome, full, status),
    };
    let object = (style.json || control.keeps_report()).then(object);
    let plain = (!style.json).then(|| found.text(&input, &instance, detail, paint));
    // From here on the supervisor does not report: a limit may still cut the drawing short.
    if !control.begin_report() {
        return Ok(status);
    }
    let graph = drawing.as_ref().map(|_| state_graph(&instance, arguments, control));
    let object = object.map(|object| object.with_graph(drawing.as_ref().zip(graph.as_ref())));
    if let Some(object) = &object {
        control.keep_report(object);
    }
    let as_json = object.map(|object| outcomes::json(&object)).filter(|_| style.json);
    terminal::print(&as_json.transpose()?.or(plain).unwrap_or_default())?;
    let terse = style.json || style.quiet;
    if let Some(words) = charted.filter(|_| !terse) {
        terminal::print(&words)?;
    }
    if let (Some(drawing), Some(graph)) = (drawing, graph) {
        return Ok(draw(&drawing, &graph, terse, status));
    }
    Ok(status)
}

/// All states, or random runs.
fn look(arguments: &Explore, instance: &Instance, deadlock: Deadlock, limits: &Limits, control: &Control) -> Found {
    let mut spinner = Spinner::new(arguments.style.quiet);
    let found = match arguments.simulate {
        Some(runs) => {
            let options = SimulateOptions {
                runs,
                length: arguments.steps,
                seed: arguments.seed,
                deadlock,
            };
            let result = explore::simulate(instance, &options, &control.cancellation, &mut spinner);
            Found::Runs(result)
        }
        None => {
            let options = options(arguments, deadlock, limits);
            let outcome = explore::explore(instance, &options, &control.cancellation, &mut spinner);
            Found::States(outcome)
        }
    };
    spinner.finish();
    found
}

/// What was looked at.
enum Found {
    Runs(Simulation),
    States(SearchOutcome),
}

impl Found {
    fn violation(&self) -> Option<&Violation> {
        match self {
            Found::Runs(simulation) => simulation.violation.as_ref(),
            Found::States(outcome) => match &outcome.verdict {
                SearchVerdict::Violation(violation) => Some(violation),
                SearchVerdict::Ok | SearchVerdict::Incomplete(_) => None,
            },
        }
    }

    fn text(&self, input: &Input, instance: &Instance, detail: explore_text::Detail, paint: Paint) -> String {
        match self {
            Found::Runs(result) => explore_text::simulation(input, instance, result, detail, paint),
            Found::States(outcome) => explore_text::outcome(input, instance, outcome, detail, paint),
        }
    }

    fn status(&self) -> Status {
        match self {
            _ if self.violation().is_some() => Status::Violated,
            Found::States(SearchOutcome {
                verdict: SearchVerdict::Ok,
                ..
            }) => Status::Done,
            Found::Runs(_) | Found::States(_) => Status::Incomplete,
        }
    }
}

/// What there is to say if the report does not come: the verdict.
fn verdict_alone(
    input: &Input,
    instance: &Instance,
    found: &Found,
    detail: explore_text::Detail,
    paint: Paint,
) -> anyhow::Result<LastWords> {
    let quiet = explore_text::Detail { quiet: true, ..detail };
    let said = found.text(input, instance, quiet, paint);
    let json = explore_json::verdict_alone(input, instance, found.violation(), found.status());
    Ok(LastWords {
        status: found.status(),
        title: format!("{}\nThere is no report of it:", said.trim_end()),
        text: String::new(),
        json: serde_json::to_value(json)?,
        certificate: None,
    })
}

/// Draws the run of a violation, or else the last random run, and says where.
fn draw_run(chart: &ChartFile, input: &Input, instance: &Instance, found: &Found) -> anyhow::Result<String> {
    let is_drawn = match (found.violation(), found) {
        (Some(violation), _) => chart.write_violation(input, instance, violation)?,
        (None, Found::Runs(Simulation { last: Some(trace), .. })) => {
            chart.write(input, instance, trace, None)?;
            true
        }
        (None, _) => false,
    };
    Ok(chart.words(is_drawn))
}

/// Writes the drawing, or says why there is none: that is a matter of the drawing, not of the verdict. But a file
/// that cannot be written is an error as everywhere.
fn draw(drawing: &Drawing, graph: &Result<Graph, GraphError>, terse: bool, status: Status) -> Status {
    let written = match graph {
        Err(reason) => {
            terminal::complain(&format!("note: no state graph was drawn: {reason}\n"));
            return status;
        }
        Ok(graph) => drawing.write(graph),
    };
    let said = written.and_then(|()| match terse {
        true => Ok(()),
        false => terminal::print(&format!("\nThe state graph is in {}.\n", drawing.path.display())),
    });
    match said {
        Ok(()) => status,
        Err(error) => {
            let word = Paint::stderr().bad("error:");
            terminal::complain(&format!("{word} {error:#}\n"));
            Status::Rejected
        }
    }
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
    let mistake = Mistake::unconfirmed_run(input, instance, violation, &reason);
    Some(mistake::report(&mistake, json, control))
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

fn options(arguments: &Explore, deadlock: Deadlock, limits: &Limits) -> SearchOptions {
    SearchOptions {
        symmetry: !arguments.no_symmetry,
        deadlock,
        max_states: arguments.max_states,
        max_depth: arguments.max_depth,
        time_limit: limits.time_left(),
        memory_limit: limits.memory,
        jobs: arguments.jobs,
        is_last: true,
        ..SearchOptions::default()
    }
}

fn state_graph(instance: &Instance, arguments: &Explore, control: &Control) -> Result<Graph, GraphError> {
    let options = GraphOptions {
        symmetry: !arguments.no_symmetry,
        max_states: explore::GRAPH_LIMIT,
    };
    explore::state_graph(instance, &options, &control.cancellation)
}
