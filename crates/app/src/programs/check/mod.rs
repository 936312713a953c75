//! `cubist check FILE.c`: a proof that no run violates a property, or a run that does.

mod answer;
mod json;
mod narrator;
mod page;
mod recorded;
mod text;

pub(crate) use recorded::remade;

use super::provided::qualified;
use super::rules::complaints;
use super::{ask, introduction, refuse, specification};
use crate::arguments::{Check, ConstrainName, Meaning, Specified, UndefinedName};
use crate::outcomes::{self, diagnostics, mistake};
use crate::progress::ProofProgress;
use crate::supervise::{Control, Limits, cores};
use crate::terminal::{self, Paint};
use answer::{Answer, why};
use anyhow::bail;
use c::Unit;
use driver::program::{Decided, Question, RunFolder, SlamOptions, Verdict};
use driver::{Context, Kind, Reason, Stopped};
use narrator::Narrator;
use recorded::{about, options};
use report::Status;
use smt::{Solvers, Statistics};
use std::path::PathBuf;
use std::sync::Arc;
use system::Role;
use unfold::Undefinedness;

pub(crate) fn run(arguments: &Check, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let (meaning, specified) = asked(arguments)?;
    let unit = ask(arguments.file(), &meaning, &arguments.reading, &specified)?.unit;
    let (style, paint) = (&arguments.style, Paint::stdout());
    if !style.json && !style.quiet {
        terminal::complain(&diagnostics::text(
            &complaints(&unit, &meaning),
            &unit.sources,
            Paint::stderr(),
        ));
        terminal::print(&format!("{}\n", introduction(&unit, &meaning, paint)))?;
    }
    let statistics = Arc::new(Statistics::default());
    let narrator = Narrator {
        is_told: style.verbose && !style.quiet,
        progress: ProofProgress::new(!style.quiet && !style.verbose, limits.started, &statistics),
    };
    let context = Context {
        solvers: Solvers::default()
            .with_seed(arguments.seed)
            .counting(&statistics)
            .under(&control.cancellation),
        deadline: limits.deadline(),
        observer: &narrator,
        jobs: arguments.jobs.unwrap_or_else(cores),
    };
    let about = about(&unit, &options(&meaning, &specified), &specified)?;
    let folders = (arguments.run.as_deref(), arguments.resume.as_deref());
    let asked = Question {
        folder: RunFolder::open(folders, &unit.sources.model().name, &about)?,
        about,
        memory: limits.memory,
        seed: u64::from(arguments.seed),
        source: Some(source(&unit, &meaning)),
        memory_behind: meaning.is_logical(),
        engine: arguments.engine,
        slam: how(arguments),
        ..Question::new(&unit.program, &unit.sources, undefinedness(&meaning))
    };
    let nothing_yet = Verdict::unknown(Reason::Stopped(Stopped::OutOfTime));
    let answer = Answer {
        unit: &unit,
        arguments,
        meaning: &meaning,
        verdict: &nothing_yet,
        slam: None,
        statistics: &statistics,
        seconds: 0.0,
    };
    control.set_last_words(answer.last_words(paint)?);
    let decided = driver::program::check(&asked, &context);
    narrator.progress.finish();
    let Decided { verdict, slam } = match decided? {
        driver::Answer::Decided(decided) => *decided,
        driver::Answer::Mistake(found) => return mistake::report(&found, style.json, control),
    };
    let answer = Answer {
        verdict: &verdict,
        slam,
        seconds: limits.started.elapsed().as_secs_f64(),
        ..answer
    };
    // The verdict is known: it is reported within the limits, even if the report of a long run takes longer.
    if let Some(words) = control.last_words() {
        control.set_last_words(answer.verdict_alone(words, paint));
    }
    answer.write_files(&specified)?;
    let kept = control.keeps_report().then(|| answer.outcome());
    let text = outcomes::written(style.json, || answer.outcome(), || answer.text(paint))?;
    if !control.begin_report() {
        return Ok(answer.status());
    }
    if let Some(outcome) = kept {
        control.keep_report(&outcome);
    }
    terminal::print(&text)?;
    Ok(answer.status())
}

/// How the loop of SLAM is to work.
fn how(arguments: &Check) -> SlamOptions {
    let defaults = SlamOptions::default();
    SlamOptions {
        mode: arguments.constrain.map_or(defaults.mode, ConstrainName::mode),
        longest: arguments.cube_length.map_or(defaults.longest, usize::from),
    }
}

/// What is said of a program, in a word.
pub(super) enum Checked {
    /// With what qualifies it.
    Safe(Option<String>),
    /// With the name of the property.
    Violated(String),
    Unknown(String),
}

/// Proves a program, or finds a run, without a report.
pub(super) fn checked(unit: &Unit, limits: &Limits, control: &Control) -> anyhow::Result<Checked> {
    let context = Context {
        solvers: Solvers::default().under(&control.cancellation),
        deadline: limits.deadline(),
        observer: &driver::Silent,
        jobs: cores(),
    };
    let decided = match driver::program::check(
        &Question::new(&unit.program, &unit.sources, Undefinedness::Wraps),
        &context,
    )? {
        driver::Answer::Decided(decided) => decided,
        driver::Answer::Mistake(found) => bail!("{}", found.message),
    };
    Ok(match decided.verdict {
        Verdict::Safe(proved) => Checked::Safe(qualified(&proved, &unit.sources)),
        Verdict::Unsafe(found) => Checked::Violated(unit.program[found.property()].name.clone()),
        Verdict::Unknown(unknown) => Checked::Unknown(why(unit, &unknown.reason)),
    })
}

/// The program as gcc compiles it.
fn source(unit: &Unit, meaning: &Meaning) -> harness::Source {
    let mut files = unit.sources.additions();
    let preprocessed = files.find(|file| file.role() == Role::Preprocessed);
    let is_read_as_it_is = |name: &str| name.ends_with(".i");
    let text = match preprocessed {
        Some(file) if !is_read_as_it_is(&unit.sources.model().name) => file.text.clone(),
        _ => unit.sources.model().text.clone(),
    };
    harness::Source {
        name: unit.sources.model().name.clone(),
        text,
        defined: unit.defined.clone(),
        symbols: unit.symbols.clone(),
        entry: unit.entry.clone(),
        labels: unit.error_labels.clone(),
        machine: meaning.data_model().gcc_option(),
    }
}

/// How the program is taken. Options that only models have are refused.
fn asked(arguments: &Check) -> anyhow::Result<(Meaning, Specified)> {
    arguments.expect_engine(Kind::Program)?;
    refuse(&arguments.of_models())?;
    if arguments.witness.is_some() && !arguments.meaning.rule.is_empty() {
        bail!("--witness and --rule do not go together: witnesses cannot speak of rules");
    }
    if arguments.meaning.is_logical() {
        let options = [
            ("--witness", arguments.witness.is_some(), "witnesses cannot speak of it"),
            (
                "--certificate",
                arguments.certificate.is_some(),
                "nothing is proved with it",
            ),
        ];
        if let Some((option, _, reason)) = options.iter().find(|(_, is_given, _)| *is_given) {
            bail!("{option} does not go with --memory-model logical: {reason}");
        }
    }
    if arguments.engine != Some("slam") {
        let options = [
            ("--constrain", arguments.constrain.is_some()),
            ("--cube-length", arguments.cube_length.is_some()),
        ];
        if let Some((option, _)) = options.iter().find(|(_, is_given)| *is_given) {
            bail!("{option} is about the engine slam");
        }
    }
    let mut meaning = arguments.meaning.clone();
    match meaning.undefined {
        Some(UndefinedName::AssumeAbsent) if meaning.is_unbounded() => {
            bail!("--undefined assume-absent does not go with --ints unbounded, where no number overflows")
        }
        None => meaning.undefined = Some(UndefinedName::Wrap),
        Some(UndefinedName::Report) => {
            bail!("proofs are not about undefined behaviour; `cubist explore` looks for it")
        }
        Some(UndefinedName::Wrap | UndefinedName::AssumeAbsent) => {}
    }
    let property = match arguments.property.as_slice() {
        [] => None,
        [file] if file.ends_with(".prp") => Some(PathBuf::from(file)),
        _ => bail!("--property names a property of a model; of a C program it is a file that ends in .prp"),
    };
    if let Some(property) = &property
        && !specification(property)?.undefined.is_empty()
    {
        bail!(
            "the property is about undefined behaviour, which proofs are not about: `cubist explore {} --property {}` \
             looks for it",
            arguments.file().display(),
            property.display()
        );
    }
    Ok((meaning, Specified { property }))
}

fn undefinedness(meaning: &Meaning) -> Undefinedness {
    match meaning.undefined() {
        _ if meaning.is_unbounded() => Undefinedness::Unbounded,
        UndefinedName::Wrap => Undefinedness::Wraps,
        UndefinedName::Report | UndefinedName::AssumeAbsent => Undefinedness::Absent,
    }
}
