//! `cubist explore`: search a finite instance, or simulate it.

use crate::arguments::{self, Explore};
use crate::input::{Input, Model};
use crate::progress::Spinner;
use crate::report::{self, diagnostics, explore_json, explore_text};
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use anyhow::{Context as _, bail};
use explore::{Deadlock, GraphOptions, Options, Outcome, SimulateOptions, Verdict};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use system::instance::Instance;

pub(crate) fn run(arguments: &Explore, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let graph = arguments.graph.as_deref().map(Graph::new).transpose()?;
    let mut input = Input::read(&arguments.reading)?;
    let instance = input.instance()?;
    let deadlock = deadlock(arguments, &input);
    if let Some(graph) = &graph {
        graph.draw(&instance, arguments, control)?;
    }
    let style = &arguments.style;
    let paint = Paint::stdout();
    if !style.json && !style.quiet {
        terminal::complain(&diagnostics::text(&input.diagnostics, &input.file, Paint::stderr()));
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
        let result = explore::simulate(&instance, &options, &control.stop, &mut spinner);
        spinner.finish();
        let status = if result.violation.is_some() {
            Status::Violated
        } else {
            Status::Incomplete
        };
        let text = if style.json {
            report::json(&explore_json::simulation(
                &input,
                &instance,
                &result,
                arguments.full_states,
                status,
            ))?
        } else {
            explore_text::simulation(&input, &instance, &result, detail, paint)
        };
        (status, text)
    } else {
        let options = options(arguments, deadlock, limits);
        let result = explore::explore(&instance, &options, &control.stop, &mut spinner);
        spinner.finish();
        let status = status(&result);
        let text = if style.json {
            report::json(&explore_json::outcome(
                &input,
                &instance,
                &result,
                arguments.full_states,
                status,
            ))?
        } else {
            explore_text::outcome(&input, &instance, &result, detail, paint)
        };
        (status, text)
    };
    if control.begin_report() {
        terminal::print(&text)?;
        if let Some(graph) = &graph
            && !style.json
            && !style.quiet
        {
            terminal::print(&format!("\nThe state graph is in {}.\n", graph.path.display()))?;
        }
    }
    Ok(status)
}

/// Murphi models are meant to run on; Cubicle has no notion of deadlock.
fn deadlock(arguments: &Explore, input: &Input) -> Deadlock {
    match (arguments.deadlock, &input.model) {
        (Some(arguments::Deadlock::Off), _) => Deadlock::Off,
        (Some(arguments::Deadlock::Stuck), _) => Deadlock::Stuck,
        (Some(arguments::Deadlock::Stuttering), _) => Deadlock::Stuttering,
        // A random run that gets stuck has simply come to its end.
        (None, _) if arguments.simulate.is_some() => Deadlock::Off,
        (None, Model::Murphi(_)) => Deadlock::Stuttering,
        (None, Model::Cubicle { .. }) => Deadlock::Off,
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

/// A drawing of the state graph.
struct Graph {
    path: PathBuf,
    format: Format,
}

#[derive(Clone, Copy)]
enum Format {
    Dot,
    Svg,
}

impl Graph {
    fn new(path: &Path) -> anyhow::Result<Graph> {
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("dot") => Format::Dot,
            Some("svg") => Format::Svg,
            _ => bail!("--graph {}: the name must end in .svg or .dot", path.display()),
        };
        Ok(Graph {
            path: path.to_owned(),
            format,
        })
    }

    fn draw(&self, instance: &Instance, arguments: &Explore, control: &Control) -> anyhow::Result<()> {
        let options = GraphOptions {
            symmetry: !arguments.no_symmetry,
            max_states: explore::GRAPH_LIMIT,
        };
        let graph = explore::state_graph(instance, &options, &control.stop)
            .with_context(|| format!("cannot draw {}", self.path.display()))?;
        let text = match self.format {
            Format::Dot => graph.dot(),
            Format::Svg => graph.svg(),
        };
        write_whole(&self.path, &text).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Writes all of the file or none: under another name first, so that no half of a file is left behind.
pub(crate) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(name);
    let write = || {
        let mut file = std::fs::File::create_new(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    let result = write();
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}
