//! `cubist check`: prove every property for every size, or find a violation. What is tried is up to the driver.

use crate::arguments::Check;
use crate::boolean;
use crate::files::Drawing;
use crate::narrator::Narrator;
use crate::outcomes::chart::ChartFile;
use crate::outcomes::check_report::Report;
use crate::outcomes::{self, check_json, diagnostics, mistake};
use crate::programs;
use crate::serve;
use crate::supervise::{Control, Limits, cores};
use crate::terminal::{self, Paint, counted};
use abstraction::goal::Goal;
use abstraction::predicate::{GoalReport, GoalVerdict, Subject, abstract_graph};
use anyhow::Context as _;
use driver::{Account, Answer, Context, Decided, Evidence, Kind, Verdict, kind_of, notation, write_whole};
use report::Status;
use smt::{Solvers, Statistics};
use std::path::Path;
use std::sync::Arc;
use system::graph::Graph;

/// Where a specification is given as if it were a model.
pub(crate) const CONFORM: &str = "a specification is about components: `cubist conform` takes it with their C files";

pub(crate) fn run(arguments: &Check, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    match kind_of(arguments.file()) {
        Kind::Model => model(arguments, limits, control),
        Kind::Program => programs::check::run(arguments, limits, control),
        Kind::BooleanProgram => boolean::check(arguments, limits, control),
        Kind::Components => anyhow::bail!(CONFORM),
    }
}

fn model(arguments: &Check, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    arguments.meaning.refuse()?;
    if let Some((option, _)) = arguments.of_programs().into_iter().find(|(_, is_given)| *is_given) {
        anyhow::bail!("{option} is about C programs: it means nothing for a model");
    }
    arguments.expect_engine(Kind::Model)?;
    let drawing = arguments.graph.as_deref().map(Drawing::new).transpose()?;
    let chart = arguments.chart.as_deref().map(ChartFile::new).transpose()?;
    let statistics = Arc::new(Statistics::default());
    let narrator = Narrator::new(arguments, limits, control, &statistics);
    let context = Context {
        solvers: Solvers::default()
            .with_seed(arguments.seed)
            .counting(&statistics)
            .under(&control.cancellation),
        deadline: limits.deadline(),
        observer: &narrator,
        jobs: arguments.jobs.unwrap_or_else(cores),
    };
    if let Some(file) = &arguments.induction {
        return induction(arguments, file, &context, control);
    }
    let answer = driver::check(&arguments.question(), &context)?;
    let decided = match answer {
        Answer::Decided(decided) => decided,
        Answer::Mistake(found) => {
            narrator.finish();
            return mistake::report(&found, arguments.style.json, control);
        }
    };
    let meeting_s = narrator.meeting_time();
    let graph = match drawing.is_some() || arguments.report.is_some() {
        true => abstract_states(&decided, &narrator, control)?,
        false => None,
    };
    let drawn = match &drawing {
        Some(drawing) => draw(&decided, drawing, graph.as_ref())?,
        None => None,
    };
    let charted = chart.as_ref().map(|chart| draw_run(chart, &decided)).transpose()?;
    narrator.finish();
    let report = Report {
        arguments,
        decided: &decided,
        statistics: &statistics,
        time: Some(limits.started.elapsed()),
    };
    let written = arguments.report.as_deref().map(|path| {
        let graph = graph
            .as_ref()
            .map(|(_, graph)| graph)
            .filter(|graph| graph.states() > 0);
        write_whole(path, &serve::page(&report, graph)?).with_context(|| format!("cannot write {}", path.display()))?;
        anyhow::Ok(format!("\nThe answer is on a page in {}.\n", path.display()))
    });
    let drawn = drawn.into_iter().chain(charted).chain(written.transpose()?);
    tell(&report, &drawn.collect::<String>(), meeting_s, limits, control)
}

/// Writes the certificate, and reports what was decided; `drawn` says where pictures are.
pub(crate) fn tell(
    report: &Report,
    drawn: &str,
    meeting_s: f64,
    limits: &Limits,
    control: &Control,
) -> anyhow::Result<Status> {
    let Report { arguments, decided, .. } = report;
    write_certificate(arguments, &decided.verdict)?;
    let status = status(arguments, decided);
    if control.begin_report() {
        let seconds = limits.started.elapsed().as_secs_f64();
        let object = || check_json::decided(report, status, seconds, meeting_s);
        if control.keeps_report() {
            control.keep_report(&object());
        }
        let text = if arguments.style.json {
            outcomes::json(&object())?
        } else {
            let drawn = Some(drawn).filter(|_| !arguments.style.quiet);
            report.text(Paint::stdout()) + drawn.unwrap_or_default()
        };
        terminal::print(&text)?;
    }
    Ok(status)
}

/// `--induction`: whether the formulas of a file are an invariant as they are.
fn induction(arguments: &Check, file: &Path, context: &Context, control: &Control) -> anyhow::Result<Status> {
    let answer = driver::check_inductive(&arguments.question(), file, context)?;
    let is_narrow = arguments.strict && !answer.scope.is_every_size();
    let status = match (answer.is_inductive(), answer.is_refuted()) {
        (true, _) if !is_narrow => Status::Done,
        (false, true) => Status::Violated,
        _ => Status::Incomplete,
    };
    if control.begin_report() {
        let input = &answer.subject.input;
        let text = match arguments.style.json {
            true => outcomes::json(&outcomes::induction::json_of(&answer, status))?,
            false => {
                let told = diagnostics::text(&input.diagnostics, input.sources(), Paint::stderr());
                terminal::complain(if arguments.style.quiet { "" } else { &told });
                outcomes::induction::text_of(&answer, arguments.style.quiet, Paint::stdout())
            }
        };
        terminal::print(&text)?;
    }
    Ok(status)
}

/// The verdict as an exit status. `--strict` asks for a proof for every size, and for nothing that qualifies it.
fn status(arguments: &Check, decided: &Decided) -> Status {
    match &decided.verdict {
        Verdict::Unsafe(_) => Status::Violated,
        Verdict::Unknown(_) => Status::Incomplete,
        Verdict::Safe(safe) => {
            let too_narrow = arguments.strict && !safe.is_plain();
            let unshown = match safe.evidence() {
                Evidence::Proof(proof) => !proof.further().iter().all(driver::FurtherProperty::holds),
                Evidence::Exploration(_) => arguments.also.is_some(),
            };
            if too_narrow || unshown {
                Status::Incomplete
            } else {
                Status::Done
            }
        }
    }
}

/// Writes the certificate into a file, if one is wanted.
fn write_certificate(arguments: &Check, verdict: &Verdict) -> anyhow::Result<()> {
    match (&arguments.certificate, certificate(verdict)) {
        (Some(path), Some(text)) => write_whole(path, text).with_context(|| format!("cannot write {}", path.display())),
        _ => Ok(()),
    }
}

/// The certificate; also one that was not confirmed, so that another solver can be asked.
pub(crate) fn certificate(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Safe(safe) => Some(match safe.evidence() {
            Evidence::Proof(proof) => proof.certificate().text(),
            Evidence::Exploration(exploration) => &exploration.certificate,
        }),
        Verdict::Unknown(unknown) => unknown.certificate.as_deref(),
        Verdict::Unsafe(_) => None,
    }
}

/// `--chart`: draws the run of a violation, and says where, or why there is none.
fn draw_run(chart: &ChartFile, decided: &Decided) -> anyhow::Result<String> {
    let is_drawn = match &decided.verdict {
        Verdict::Unsafe(found) => chart.write_violation(&found.input, &found.instance, found.run().violation())?,
        Verdict::Safe(_) | Verdict::Unknown(_) => false,
    };
    Ok(chart.words(is_drawn))
}

/// `--graph`: says where the abstract states are drawn. Where there is nothing to draw, it says that.
fn draw(decided: &Decided, drawing: &Drawing, graph: Option<&(String, Graph)>) -> anyhow::Result<Option<String>> {
    if let Verdict::Unsafe(_) = &decided.verdict {
        let note = "\nNo abstract states are drawn where a violation is found; `cubist explore --graph` draws concrete ones.\n";
        return Ok(Some(note.to_owned()));
    }
    let Some((goal, graph)) = graph else { return Ok(None) };
    if graph.states() == 0 {
        let note = "\nNo abstract states are drawn: there was no time left for it.\n";
        return Ok(Some(note.to_owned()));
    }
    drawing.write(graph)?;
    let (states, path) = (counted(graph.states(), "state"), drawing.path.display());
    Ok(Some(format!(
        "\nThe abstract state graph of \"{goal}\" ({states}) is in {path}.\n"
    )))
}

/// The abstract states of the first goal that is not proved, or else of the first one, and its name.
fn abstract_states(
    decided: &Decided,
    narrator: &Narrator,
    control: &Control,
) -> anyhow::Result<Option<(String, Graph)>> {
    let account = match &decided.verdict {
        Verdict::Safe(safe) => match safe.evidence() {
            Evidence::Proof(proof) => proof.account(),
            Evidence::Exploration(exploration) => match &exploration.beyond {
                Some(beyond) => &beyond.account,
                None => return Ok(None),
            },
        },
        Verdict::Unknown(unknown) => &unknown.account,
        Verdict::Unsafe(_) => return Ok(None),
    };
    let (Some((goal, report)), Some(drawn)) = (to_draw(account), &decided.subject) else {
        return Ok(None);
    };
    narrator.phase("drawing", "");
    let formula = |predicate: &logic::Term| notation::formula(&drawn.system, goal, *predicate);
    let texts: Vec<String> = report.predicates.iter().map(formula).collect();
    // The invariant may rest on more than what the states of one goal say, such as bounds of integers.
    let known: Vec<logic::Term> = match &decided.verdict {
        Verdict::Safe(safe) => match safe.evidence() {
            Evidence::Proof(proof) => proof.facts().iter().map(|fact| fact.formula).collect(),
            Evidence::Exploration(_) => Vec::new(),
        },
        Verdict::Unknown(_) | Verdict::Unsafe(_) => Vec::new(),
    };
    let subject = Subject {
        system: &account.system,
        goal,
        predicates: &report.predicates,
        texts: &texts,
        known: &known,
        trace: match &report.verdict {
            GoalVerdict::Unknown { trace, .. } => trace.as_ref(),
            GoalVerdict::Real { trace, .. } => Some(trace),
            GoalVerdict::Proved { .. } => None,
        },
    };
    // Not counted among the checks of the proof.
    let graph = abstract_graph(&subject, &Solvers::default().under(&control.cancellation))?;
    Ok(Some((goal.name.clone(), graph)))
}

fn to_draw(account: &Account) -> Option<&(Goal, GoalReport)> {
    let goals: Vec<&(Goal, GoalReport)> = account.results.iter().flat_map(|result| &result.goals).collect();
    let is_proved = |report: &GoalReport| matches!(report.verdict, GoalVerdict::Proved { .. });
    let looked_at = |report: &GoalReport| !report.predicates.is_empty();
    let unproved = goals.iter().find(|(_, report)| !is_proved(report) && looked_at(report));
    unproved
        .or_else(|| goals.iter().find(|(_, report)| looked_at(report)))
        .copied()
}
