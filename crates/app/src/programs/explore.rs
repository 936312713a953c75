//! `cubist explore FILE.c`: runs on small inputs and random ones, until one of them violates a property.

use super::rules::{complaints, unheard};
use super::run;
use super::{Head, Question, ask, assumed, assumed_by, introduction, place, refuse};
use crate::arguments::{Explore, UndefinedName};
use crate::outcomes::{self, diagnostics};
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint, grouped};
use c::Unit;
use interpret::search::{FoundRun, SearchOptions, SearchResult, search};
use interpret::{End, Executable, FixedInputs, RunLimits, Trace, UndefinedMode, Uninitialized};
use report::Status;
use report::outcome::Message;
use report::run::Line;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Instant;
use system::Diagnostic;
use system::program::{Property, PropertyKind, Undefined};

/// How many steps of a run are shown, the last ones.
const SHOWN: usize = 20_000;

/// Steps of all runs together, unless the user sets a limit of time.
const STEPS: u64 = 2_000_000_000;

pub(crate) fn run(arguments: &Explore, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    refuse(&[
        ("--no-symmetry", arguments.no_symmetry),
        ("--deadlock", arguments.deadlock.is_some()),
        ("--max-states", arguments.max_states.is_some()),
        ("--max-depth", arguments.max_depth.is_some()),
        ("--full-states", arguments.full_states),
        ("--graph", arguments.graph.is_some()),
        ("--chart", arguments.chart.is_some()),
    ])?;
    let started = Instant::now();
    let question = ask(
        arguments.file(),
        &arguments.meaning,
        &arguments.reading,
        &arguments.specified,
    )?;
    let Question { unit, specification } = &question;
    let style = &arguments.style;
    let paint = Paint::stdout();
    if !style.json && !style.quiet {
        terminal::complain(&diagnostics::text(
            &complaints(unit, &arguments.meaning),
            &unit.sources,
            Paint::stderr(),
        ));
        terminal::print(&format!("{}\n", introduction(unit, &arguments.meaning, paint)))?;
    }
    let executable = Executable::new(&unit.program);
    let options = options(arguments, limits);
    let deadline = limits.deadline();
    let is_over = || control.cancellation.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let mut searched = search(&executable, &options, &is_over);
    if let Some(specification) = specification {
        let is_meant = |found: &FoundRun| {
            found
                .undefined()
                .is_some_and(|kind| specification.undefined.contains(&kind))
        };
        searched.undefined.retain(is_meant);
    }
    let answer = Answer::new(unit, &executable, &options, searched, arguments, is_over());
    if !control.begin_report() {
        return Ok(answer.status());
    }
    let json = || answer.report(started);
    if control.keeps_report() {
        control.keep_report(&json());
    }
    terminal::print(&outcomes::written(style.json, json, || answer.text(paint))?)?;
    Ok(answer.status())
}

fn options(arguments: &Explore, limits: &Limits) -> SearchOptions {
    let defaults = SearchOptions::default();
    let undefined = match arguments.meaning.undefined() {
        _ if arguments.meaning.is_unbounded() => UndefinedMode::Unbounded,
        UndefinedName::Report | UndefinedName::AssumeAbsent => UndefinedMode::Report,
        UndefinedName::Wrap => UndefinedMode::Wrap,
    };
    // Where nothing is undefined, a pointer that is followed points at an object.
    let has_objects = arguments.meaning.undefined() == UndefinedName::AssumeAbsent;
    SearchOptions {
        limits: RunLimits {
            undefined,
            fixed_memory: has_objects,
            memory_behind: arguments.meaning.is_logical(),
            uninitialised: Uninitialized::Input,
            memory: limits.memory.unwrap_or(defaults.limits.memory),
            steps: if arguments.simulate.is_some() {
                arguments.steps
            } else {
                defaults.limits.steps
            },
            ..defaults.limits
        },
        runs: arguments
            .simulate
            .unwrap_or(if limits.time.is_some() { u64::MAX } else { defaults.runs }),
        steps: if limits.time.is_some() { u64::MAX } else { STEPS },
        further_steps: match (arguments.simulate, limits.time) {
            (Some(_), _) => 0,
            (None, Some(_)) => u64::MAX,
            (None, None) => defaults.further_steps,
        },
        seed: arguments.seed,
        undefined_counts: false,
        has_objects,
    }
}

/// The result of the search.
struct Answer<'a> {
    unit: &'a Unit,
    arguments: &'a Explore,
    searched: SearchResult,
    violation: Option<Shown>,
    /// Undefined behaviour, where it is a finding.
    undefined: Vec<Shown>,
    /// All runs were made: the program asks for no input.
    is_complete: bool,
    is_over: bool,
}

/// A run that was found, made again to be shown.
struct Shown {
    found: FoundRun,
    message: String,
    lines: Vec<Line>,
    left_out: u64,
    /// Inputs that point at objects of their own.
    outside: u64,
    /// What it takes for granted.
    assumed: Vec<String>,
}

impl<'a> Answer<'a> {
    fn new(
        unit: &'a Unit,
        executable: &Executable,
        options: &SearchOptions,
        searched: SearchResult,
        arguments: &'a Explore,
        is_over: bool,
    ) -> Answer<'a> {
        let show = |found: &FoundRun| {
            let limits = found.limits(SHOWN, &options.limits);
            let outcome = executable.run(&mut FixedInputs::new(found.inputs.clone()), &limits);
            // The same inputs make the same run.
            debug_assert_eq!(outcome.end, found.end);
            let trace: &Trace = &outcome.trace;
            Shown {
                message: message(unit, found),
                lines: run::lines(&unit.program, &unit.sources, trace, false),
                left_out: trace.left_out,
                outside: outcome.outside,
                assumed: assumed_by(unit, &outcome),
                found: found.clone(),
            }
        };
        let violation = searched.violation.as_ref().map(show);
        let is_finding = arguments.meaning.undefined() != UndefinedName::AssumeAbsent;
        let undefined = searched.undefined.iter().filter(|_| is_finding).map(show).collect();
        let limits = RunLimits {
            steps: options.limits.steps.max(searched.longest),
            ..options.limits.clone()
        };
        let nothing = executable.run(&mut FixedInputs::new(Vec::new()), &limits);
        // Memory behind objects is havoc, also where no option asks for it.
        let is_complete =
            nothing.behind.is_empty() && matches!(nothing.end, End::Exited(_) | End::Aborted | End::AssumptionFailed);
        Answer {
            unit,
            arguments,
            searched,
            violation,
            undefined,
            is_complete,
            is_over,
        }
    }

    fn status(&self) -> Status {
        match () {
            () if self.violation.is_some() || !self.undefined.is_empty() => Status::Violated,
            () if self.is_complete => Status::Done,
            () => Status::Incomplete,
        }
    }

    fn text(&self, paint: Paint) -> String {
        let quiet = self.arguments.style.quiet;
        let mut text = String::new();
        let findings = self.violation.iter().chain(
            self.violation
                .is_none()
                .then_some(&self.undefined)
                .into_iter()
                .flatten(),
        );
        for shown in findings {
            if quiet {
                let word = match shown.found.undefined() {
                    Some(_) => "Undefined behaviour:",
                    None => "Violation:",
                };
                let _ = writeln!(text, "{} {}", paint.bad(word), shown.message);
                continue;
            }
            let diagnostic = Diagnostic::error(shown.found.span, shown.message.clone());
            text.push_str(&diagnostics::text(&[diagnostic], &self.unit.sources, paint));
            text.push_str(&inputs(&shown.found, self.arguments.style.verbose));
            for line in &shown.assumed {
                let _ = writeln!(text, "assumed: {line}");
            }
            text.push_str(&report::run::text(
                &shown.lines,
                shown.left_out,
                &self.unit.sources.model().name,
                self.arguments.style.verbose,
                "--verbose or --json",
            ));
            text.push('\n');
        }
        if let (Some(_), [_, ..], false) = (&self.violation, self.undefined.as_slice(), quiet) {
            let _ = writeln!(text, "{}", paint.bold("Undefined behaviour was met, too:"));
            for shown in &self.undefined {
                let place = place(&self.unit.sources, shown.found.span).unwrap_or_default();
                let _ = writeln!(text, "  {place}: {}", shown.message);
            }
            text.push('\n');
        }
        if text.is_empty() {
            text.push_str(&self.nothing(paint));
        }
        if !quiet {
            self.statistics(&mut text);
        }
        text
    }

    fn nothing(&self, paint: Paint) -> String {
        if self.is_complete {
            return format!(
                "{}\n",
                paint.good("No violation: the program has no inputs, and its one run is fine.")
            );
        }
        let reason = if self.is_over {
            "the time is over"
        } else {
            "not all inputs were tried"
        };
        format!(
            "{} {reason}.\nNo violation in {}.\n",
            paint.doubtful("Incomplete:"),
            match self.searched.runs {
                1 => "1 run".to_owned(),
                many => format!("{} runs", grouped(many)),
            }
        )
    }

    fn statistics(&self, text: &mut String) {
        let (all, taken) = self.searched.coverage.share();
        let _ = writeln!(
            text,
            "  runs  {}, steps  {}, taken  {taken} of {all} edges",
            grouped(self.searched.runs),
            grouped(self.searched.steps),
        );
        for line in assumed(self.unit) {
            let _ = writeln!(text, "  assumed: {line}");
        }
        for line in unheard(self.unit, &self.arguments.meaning) {
            let _ = writeln!(text, "  {line}");
        }
    }

    fn report(&self, started: Instant) -> Report {
        let (edges, taken) = self.searched.coverage.share();
        let finding = |shown: &Shown| Finding {
            message: shown.message.clone(),
            place: place(&self.unit.sources, shown.found.span),
            inputs: shown.found.inputs.iter().map(ToString::to_string).collect(),
            steps: shown.found.steps,
            objects_from_outside: shown.outside,
            assumed: shown.assumed.clone(),
            trace: shown.lines.clone(),
        };
        let violated = self.searched.violation.as_ref().map(|found| found.end);
        let properties = self.unit.program.properties.iter().zip(0..).map(|(property, number)| {
            let is_violated = matches!(violated, Some(End::Violated(id)) if id.0 == number);
            PropertyReport {
                name: property.name.clone(),
                verdict: match () {
                    () if is_violated => "unsafe",
                    () if self.is_complete => "safe",
                    () => "unknown",
                },
                place: place(&self.unit.sources, property.span),
            }
        });
        Report {
            head: Head::new(self.unit, &self.arguments.meaning),
            verdict: match self.status() {
                Status::Violated => "unsafe",
                Status::Done => "safe",
                _ => "unknown",
            },
            properties: properties.collect(),
            violation: self.violation.as_ref().map(finding),
            findings: self.undefined.iter().map(finding).collect(),
            runs: self.searched.runs,
            steps: self.searched.steps,
            edges,
            edges_taken: taken,
            diagnostics: diagnostics::messages(&self.unit.diagnostics, &self.unit.sources),
            time_s: started.elapsed().as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    verdict: &'static str,
    properties: Vec<PropertyReport>,
    violation: Option<Finding>,
    /// Undefined behaviour.
    findings: Vec<Finding>,
    runs: u64,
    steps: u64,
    edges: usize,
    edges_taken: usize,
    diagnostics: Vec<Message>,
    time_s: f64,
}

#[derive(Serialize)]
struct PropertyReport {
    name: String,
    verdict: &'static str,
    place: Option<String>,
}

#[derive(Serialize)]
struct Finding {
    message: String,
    place: Option<String>,
    /// As text: they may be wider than JSON's numbers.
    inputs: Vec<String>,
    steps: u64,
    /// How many inputs are pointers to objects of their own: their value is -1.
    objects_from_outside: u64,
    /// What the run takes for granted.
    assumed: Vec<String>,
    trace: Vec<Line>,
}

fn inputs(found: &FoundRun, is_whole: bool) -> String {
    match found.inputs.as_slice() {
        [] => String::new(),
        values => format!("inputs: {}\n", report::run::inputs(values, is_whole)),
    }
}

fn message(unit: &Unit, found: &FoundRun) -> String {
    match found.end {
        End::Violated(property) => violation(&unit.program[property]),
        End::Undefined(kind) => undefined(kind).to_owned(),
        _ => "the program ends here".to_owned(),
    }
}

pub(super) fn violation(property: &Property) -> String {
    let Property { name, kind, .. } = property;
    match kind {
        PropertyKind::ErrorCall => format!("{name} is called"),
        PropertyKind::Assertion => format!("{name} fails"),
        PropertyKind::Label => format!("{name} is reached"),
        PropertyKind::Rule => name.clone(),
    }
}

pub(super) fn undefined(kind: Undefined) -> &'static str {
    match kind {
        Undefined::Overflow => "signed overflow",
        Undefined::DivisionByZero => "division by zero",
        Undefined::Shift => "a shift by a negative number or by too many bits, or of a negative number to the left",
        Undefined::NullPointer => "a null pointer is followed",
        Undefined::InvalidPointer => "a pointer that points at nothing is followed",
        Undefined::OutOfBounds => "outside of the object that the pointer points at",
        Undefined::DeadObject => "the object that the pointer points at is gone",
        Undefined::Uninitialised => "a value is read that nobody has written",
        Undefined::Constant => "a constant is written to",
        Undefined::Free => "what is freed was not allocated, or was freed before",
        Undefined::DifferentObjects => "pointers into different objects are compared by order or subtracted",
        Undefined::Conversion => "a number does not fit into the integer that it is made",
        Undefined::Call => "a procedure is called with other types than it has",
        Undefined::MissingReturn => "the value of a procedure is used that returned none",
        Undefined::Unreachable => "a place is reached that cannot be, as the program says",
    }
}
