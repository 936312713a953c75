//! Random programs: compares the interpreter with gcc.

use super::contained::PointsToObserver;
use super::gcc::{self, Failed, Ran};
use super::random_program;
use crate::minimise::minimise_lines;
use crate::tally::Campaign;
use analysis::points_to::Site;
use analysis::{Criterion, PointsTo, slice};
use c::{DataModel, Options};
use interpret::{Access, End, Executable, FixedInputs, RunLimits, Touched};
use std::path::Path;
use system::program::Program;
use system::{Severity, Sources};

/// Programs with more steps are skipped, like those that take gcc too long.
const STEPS: u64 = 30_000_000;
/// The number of steps of each program that are compared with the flat interpreter.
const FLAT_STEPS: u64 = 20_000;

/// The generator of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Writer {
    Csmith,
    Ours,
}

impl Writer {
    fn name(self) -> &'static str {
        match self {
            Writer::Csmith => "csmith",
            Writer::Ours => "ours",
        }
    }
}

/// What to compare.
#[derive(Clone, Copy, Debug)]
pub struct CompareOptions {
    /// Also compare the slice of the program for its output.
    pub slices: bool,
    /// Also check every pointer target against the points-to analysis.
    pub points_to: bool,
    /// The percentage of programs by csmith, if it is installed.
    pub csmith: usize,
    /// Minimise failing programs.
    pub reduce: bool,
}

impl Default for CompareOptions {
    fn default() -> CompareOptions {
        CompareOptions {
            slices: true,
            points_to: true,
            csmith: 50,
            reduce: true,
        }
    }
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Verdict {
    Same,
    /// The front end or the interpreter reports an unsupported feature.
    Refused(String),
    Late,
    /// gcc rejects it.
    NoProgram(String),
    /// A short category that distinguishes this difference from others, and details.
    Different(&'static str, String),
}

pub fn run(run: &mut Campaign, plan: &CompareOptions) {
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-c-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() || !gcc::is_installed("gcc", &folder) {
        run.add("skipped: no gcc here", 1);
        return;
    }
    let has_csmith = plan.csmith > 0 && gcc::is_installed("csmith", &folder);
    if plan.csmith > 0 && !has_csmith {
        run.add("no csmith here: all programs are ours", 1);
    }
    for case in run.cases() {
        run.tried += 1;
        let mut dice = run.begin(case);
        let by_csmith = has_csmith && dice.chance(plan.csmith);
        let (writer, text) = if by_csmith {
            let seed = run.seed.wrapping_mul(1_000_003).wrapping_add(case) % 4_000_000_000;
            (Writer::Csmith, gcc::csmith(seed, &folder))
        } else {
            (Writer::Ours, Some(random_program(dice)))
        };
        let Some(text) = text else {
            run.add("csmith has no program", 1);
            continue;
        };
        try_program(run, writer, &text, plan, &folder);
        if case % 100 == 99 {
            let line = format!("{} programs, {} wrong", case + 1, run.wrong.len());
            run.tell(&line);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

fn try_program(run: &mut Campaign, writer: Writer, text: &str, plan: &CompareOptions, folder: &Path) {
    let mut found = Vec::new();
    for model in DataModel::ALL.into_iter().filter(|model| gcc::has(*model, folder)) {
        let (verdict, figures) = compare(text, model, plan, folder);
        for (name, number) in figures {
            run.add(name, number);
        }
        let of = format!("{} {model:?}", writer.name());
        match &verdict {
            Verdict::Same => run.add(&format!("{of}: same"), 1),
            Verdict::Late => {
                run.add(&format!("{of}: skipped, takes too long"), 1);
                break;
            }
            Verdict::Refused(why) => {
                run.add(&format!("{of}: refused"), 1);
                run.add(&format!("refused because {why}"), 1);
                run.tell(&format!("{}: {model:?}: refused because {why}", run.name()));
            }
            Verdict::NoProgram(why) => found.push((model, "gcc", why.clone())),
            Verdict::Different(kind, what) => found.push((model, kind, what.clone())),
        }
    }
    let Some((model, kind, what)) = found.into_iter().next() else {
        return;
    };
    run.add(&format!("{}: {kind}", writer.name()), 1);
    let mut kept = text.to_owned();
    if plan.reduce && kind != "gcc" {
        run.tell(&format!("{}: {kind}: {what}; making it smaller", run.name()));
        let mut still = |smaller: &str| match compare(smaller, model, plan, folder).0 {
            Verdict::Different(other, _) => other == kind && is_defined(smaller, model, folder),
            _ => false,
        };
        kept = minimise_lines(text, 400, &mut still);
    }
    let name = format!("{}.c", run.name());
    run.failure(
        &name,
        &format!("{}, {model:?}, {kind}: {what}", writer.name()),
        kept.as_bytes(),
    );
}

/// Whether the sanitisers find no undefined behaviour: minimising may have removed what kept the program defined.
fn is_defined(text: &str, model: DataModel, folder: &Path) -> bool {
    let file = folder.join("checked.c");
    if std::fs::write(&file, text).is_err() {
        return false;
    }
    let further = [
        "-fsanitize=undefined,address",
        "-fno-sanitize-recover=all",
        "-Werror=uninitialized",
        "-Werror=return-type",
    ];
    gcc::run(&file, model, &further).is_ok_and(|ran| ran.status != Some(1))
}

type Figures = Vec<(&'static str, u64)>;

fn compare(text: &str, model: DataModel, plan: &CompareOptions, folder: &Path) -> (Verdict, Figures) {
    let file = folder.join("program.c");
    if let Err(error) = std::fs::write(&file, text) {
        return (Verdict::NoProgram(error.to_string()), Vec::new());
    }
    let expected = match gcc::run(&file, model, &[]) {
        Ok(ran) => ran,
        Err(Failed::Late) => return (Verdict::Late, Vec::new()),
        Err(Failed::Compiler(why)) => {
            let line = why.lines().find(|line| line.contains("error")).unwrap_or("").to_owned();
            return (Verdict::NoProgram(line), Vec::new());
        }
    };
    let plan = *plan;
    let thread = std::thread::Builder::new().stack_size(256 << 20);
    let spawned = thread.spawn(move || against(&file, model, &expected, &plan));
    match spawned.map(std::thread::JoinHandle::join) {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => (Verdict::Different("panic", String::new()), Vec::new()),
        Err(error) => (Verdict::NoProgram(error.to_string()), Vec::new()),
    }
}

/// Parses the program, and runs it and its slice.
fn against(file: &Path, model: DataModel, expected: &Ran, plan: &CompareOptions) -> (Verdict, Figures) {
    let options = Options {
        include_paths: gcc::include_paths(),
        ..Options::new(model)
    };
    let unit = match c::read_file(file, &options) {
        Ok(unit) => unit,
        Err(rejected) => {
            let errors = rejected.diagnostics.iter();
            let first = errors
                .filter(|found| found.severity == Severity::Error)
                .map(|found| found.message.as_str());
            return (
                Verdict::Refused(without_names(first.take(1).collect::<String>().as_str())),
                Vec::new(),
            );
        }
    };
    if let Some(wrong) = unit.program.malformed().first() {
        return (Verdict::Different("malformed", format!("{wrong:?}")), Vec::new());
    }
    let verdict = differs("", &unit.program, &unit.sources, expected);
    let mut figures = Vec::new();
    if verdict == Verdict::Same {
        match interpret::flat::agreement(&unit.program, &mut FixedInputs::new(Vec::new()), FLAT_STEPS) {
            Ok(agreed) => figures.push(("steps of the second reading", agreed.steps)),
            Err(what) => return (Verdict::Different("second reading", what), figures),
        }
    }
    if verdict != Verdict::Same || !(plan.slices || plan.points_to) {
        return (verdict, figures);
    }
    let points_to = PointsTo::of(&unit.program);
    if plan.slices {
        let slice = slice(&unit.program, &points_to, Criterion::Output);
        figures.push(("steps kept in slices", slice.kept as u64));
        figures.push(("steps that were sliced", slice.all as u64));
        let verdict = differs("slice", &slice.program, &unit.sources, expected);
        if verdict != Verdict::Same {
            return (verdict, figures);
        }
    }
    if plan.points_to {
        let mut contained = PointsToObserver::new(&unit.program, &points_to);
        let limits = RunLimits {
            steps: STEPS,
            ..RunLimits::default()
        };
        let executable = Executable::new(&unit.program);
        executable.run_observed(&mut FixedInputs::new(Vec::new()), &limits, &mut contained);
        figures.push(("accesses checked", contained.checked));
        if let Some(access) = contained.wrong {
            return (Verdict::Different("points to", described(&unit, &access)), figures);
        }
    }
    (Verdict::Same, figures)
}

fn described(unit: &c::Unit, access: &Access) -> String {
    let site = Site {
        procedure: access.edge.procedure,
        location: access.edge.location,
        edge: access.edge.number as usize,
    };
    let place = analysis::points_to::edge(&unit.program, site)
        .map_or("", |edge| unit.sources.file(edge.span).snippet(edge.span));
    let touched = match access.touched {
        Touched::Variable(variable) => unit.program[variable].name.clone(),
        other => format!("{other:?}"),
    };
    format!(
        "`{place}` touches {touched} at {}, argument {:?}",
        access.offset, access.argument
    )
}

/// The first difference between a run of the program and gcc's.
fn differs(what: &'static str, program: &Program, sources: &Sources, expected: &Ran) -> Verdict {
    let limits = RunLimits {
        steps: STEPS,
        ..RunLimits::default()
    };
    let outcome = Executable::new(program).run(&mut FixedInputs::new(Vec::new()), &limits);
    let (line, column) = sources.position(outcome.span);
    let place = format!(
        "{}:{line}:{column}: {}",
        sources.file(outcome.span).name,
        sources.file(outcome.span).snippet(outcome.span)
    );
    let status = match outcome.end {
        End::Exited(status) => Some(i32::from(status)),
        End::Aborted => None,
        End::Limit(_) => return Verdict::Late,
        End::Unsupported(unsupported) => return Verdict::Refused(unsupported.name().to_owned()),
        End::Undefined(kind) => {
            let end = if what.is_empty() {
                "undefined"
            } else {
                "slice undefined"
            };
            return Verdict::Different(end, format!("{kind:?} at {place}"));
        }
        end => return Verdict::Different("end", format!("{what} {end:?} at {place}")),
    };
    if outcome.output != expected.output {
        let kind = if what.is_empty() { "output" } else { "slice output" };
        return Verdict::Different(kind, first_difference(&outcome.output, &expected.output));
    }
    if status != expected.status {
        let kind = if what.is_empty() { "status" } else { "slice status" };
        return Verdict::Different(kind, format!("{status:?} instead of {:?}", expected.status));
    }
    Verdict::Same
}

fn first_difference(ours: &[u8], expected: &[u8]) -> String {
    let (ours, expected) = (String::from_utf8_lossy(ours), String::from_utf8_lossy(expected));
    let (mut left, mut right) = (ours.lines(), expected.lines());
    loop {
        match (left.next(), right.next()) {
            (None, None) => return "the end of the output".to_owned(),
            (one, other) if one == other => {}
            (one, other) => return format!("{one:?} instead of {other:?}"),
        }
    }
}

/// The message without quoted names, so that it can be counted.
fn without_names(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("_")
}
