//! `cubist check FILE.c`: a proof that no run violates a property, or a run that does.

use super::explore::violation;
use super::formula::formula;
use super::run::{self, Line};
use super::{Head, ask, assumed, introduction, place, refuse};
use crate::arguments::{Check, ConstrainName, EngineName, Meaning, Reading, Specified, UndefinedName};
use crate::progress::ProofProgress;
use crate::report::validate_report::Subject;
use crate::report::{self, check_json, check_report, diagnostics, places};
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint, counted, grouped};
use analysis::points_to::PointsTo;
use anyhow::{Context as _, bail};
use c::{DataModel, Unit};
use clap::Parser as _;
use driver::program::{Placed, Question, Verdict};
use driver::{Context, Event, Observer, Phase, about, write_whole};
use serde::Serialize;
use serde_json::json;
use smt::{Purpose, Solvers, Statistics};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system::{Diagnostic, Role};
use unfold::Undefinedness;
use validate::{ParsedCertificate, Refusal};

pub(crate) fn run(arguments: &Check, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let (meaning, specified) = asked(arguments)?;
    let question = ask(arguments.file(), &meaning, &arguments.reading, &specified)?;
    if question
        .specification
        .is_some_and(|specification| !specification.undefined.is_empty())
    {
        bail!(
            "the property is about undefined behaviour: `cubist explore` looks for it, proofs are about calls so far"
        );
    }
    let unit = question.unit;
    let (style, paint) = (&arguments.style, Paint::stdout());
    if !style.json && !style.quiet {
        terminal::complain(&diagnostics::text(&unit.diagnostics, &unit.sources, Paint::stderr()));
        terminal::print(&format!("{}\n", introduction(&unit, &meaning, paint)))?;
    }
    let statistics = Arc::new(Statistics::default());
    let narrator = Narrator {
        is_told: style.verbose && !style.quiet,
        progress: ProofProgress::new(!style.quiet && !style.verbose, limits.started, &statistics),
    };
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let context = Context {
        solvers: Solvers::default()
            .with_seed(arguments.seed)
            .counting(&statistics)
            .under(&control.cancellation),
        deadline: limits.deadline(),
        observer: &narrator,
        jobs: arguments.jobs.unwrap_or_else(cores),
    };
    let asked = Question {
        program: &unit.program,
        undefined: undefinedness(&meaning),
        about: about(&unit, &options(&meaning, &specified)),
        memory: limits.memory,
        seed: u64::from(arguments.seed),
    };
    let verdict = match arguments.engine {
        Some(EngineName::Slam) => {
            let mode = arguments.constrain.map(ConstrainName::mode).unwrap_or_default();
            let checked = driver::program::check_by_slam(&asked, mode, &context);
            checked.map(|(verdict, work)| (verdict, Some(work)))
        }
        _ => driver::program::check(&asked, &context).map(|verdict| (verdict, None)),
    };
    narrator.progress.finish();
    let (verdict, slam) = verdict?;
    if let (Some(path), Verdict::Safe(safe)) = (&arguments.certificate, &verdict) {
        write_whole(path, safe.proved().certificate.text())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let answer = Answer {
        unit: &unit,
        arguments,
        meaning: &meaning,
        verdict: &verdict,
        slam,
        statistics: &statistics,
        seconds: limits.started.elapsed().as_secs_f64(),
    };
    if !control.begin_report() {
        return Ok(answer.status());
    }
    if control.keeps_report() {
        control.keep_report(&answer.report());
    }
    terminal::print(&report::written(style.json, || answer.report(), || answer.text(paint))?)?;
    Ok(answer.status())
}

/// How the program is taken. Options that only models have are refused.
fn asked(arguments: &Check) -> anyhow::Result<(Meaning, Specified)> {
    refuse(&arguments.of_models())?;
    if arguments.constrain.is_some() && arguments.engine != Some(EngineName::Slam) {
        bail!("--constrain is about the engine slam");
    }
    let mut meaning = arguments.meaning.clone();
    match meaning.undefined {
        None => meaning.undefined = Some(UndefinedName::Wrap),
        Some(UndefinedName::Report) => {
            bail!("proofs are not about undefined behaviour; `cubist explore` looks for it")
        }
        Some(UndefinedName::Wrap | UndefinedName::AssumeAbsent) => {}
    }
    let property = match arguments.property.as_slice() {
        [] => None,
        [file] if file.ends_with(".prp") => Some(file.into()),
        _ => bail!("--property names a property of a model; of a C program it is a file that ends in .prp"),
    };
    Ok((meaning, Specified { property }))
}

fn undefinedness(meaning: &Meaning) -> Undefinedness {
    match meaning.undefined() {
        UndefinedName::Wrap => Undefinedness::Wraps,
        UndefinedName::Report | UndefinedName::AssumeAbsent => Undefinedness::Absent,
    }
}

/// What a certificate says of what was read: the digests of all files, and the options that decide what they mean.
fn about(unit: &Unit, options: &[String]) -> Vec<(&'static str, String)> {
    let file = |word: &'static str, file: &system::SourceFile| {
        let digest = validate::sha256(file.text.as_bytes());
        (word, format!("sha256 {digest} of {}", file.name))
    };
    let mut lines = vec![file("model", unit.sources.model())];
    // What the preprocessor makes of these says where they lie.
    let read = unit
        .sources
        .additions()
        .filter(|added| added.role() != Role::Preprocessed);
    lines.extend(read.map(|added| file("included", added)));
    lines.extend(options.iter().map(|option| ("option", option.clone())));
    lines
}

/// The options that decide what is proved, in one order, a word and its value each.
fn options(meaning: &Meaning, specified: &Specified) -> Vec<String> {
    let data_model = match meaning.data_model() {
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    };
    let undefined = match undefinedness(meaning) {
        Undefinedness::Wraps => "wrap",
        Undefinedness::Absent => "assume-absent",
    };
    let mut options = vec![format!("--data-model {data_model}"), format!("--undefined {undefined}")];
    let paths = |word: &str, paths: &[PathBuf]| -> Vec<String> {
        let each = paths.iter().map(|path| format!("--{word} {}", path.display()));
        each.collect()
    };
    let words = |word: &str, values: &[String]| -> Vec<String> {
        let each = values.iter().map(|value| format!("--{word} {value}"));
        each.collect()
    };
    options.extend(meaning.entry.iter().map(|entry| format!("--entry {entry}")));
    options.extend(words("error-function", &meaning.error_function));
    options.extend(words("error-label", &meaning.error_label));
    options.extend(paths("rule", &meaning.rule));
    options.extend(paths("include", &meaning.include));
    options.extend(words("define", &meaning.define));
    let property = specified.property.iter();
    options.extend(property.map(|path| format!("--property {}", path.display())));
    options
}

/// How a program was taken, as a certificate says.
#[derive(clap::Parser)]
struct Recorded {
    #[command(flatten)]
    meaning: Meaning,
    #[command(flatten)]
    specified: Specified,
}

/// The certificate made again from the program, read as the certificate says it was read.
pub(crate) fn remade(
    text: &str,
    certificate: &ParsedCertificate,
    model: &Path,
) -> anyhow::Result<(Subject, Result<ParsedCertificate, Refusal>)> {
    let said = certificate.header.get("option").map(Vec::as_slice).unwrap_or_default();
    let words = said.iter().flat_map(|option| option.splitn(2, ' '));
    let recorded = Recorded::try_parse_from(["certificate"].into_iter().chain(words))
        .map_err(|_| anyhow::anyhow!("the certificate names options that decide nothing about a C program"))?;
    let (meaning, specified) = (&recorded.meaning, &recorded.specified);
    let unit = ask(model, meaning, &Reading::default(), specified)?.unit;
    let points_to = PointsTo::of(&unit.program);
    let question = Question {
        program: &unit.program,
        undefined: undefinedness(meaning),
        about: Vec::new(),
        memory: None,
        seed: 0,
    };
    let options = options(meaning, specified);
    let mut about = about(&unit, &options);
    // Where the file lies is of no importance.
    let name = about::model_name(certificate).to_owned();
    if let Some((_, line)) = about.first_mut() {
        *line = format!(
            "sha256 {} of {name}",
            validate::sha256(unit.sources.model().text.as_bytes())
        );
    }
    let [linear, exact] = question.options();
    let unfolded = unfold::unfold(&unit.program, &points_to, &linear, &|| false)?;
    let mut made = validate::against(text, &unfolded.system, &about);
    if made.is_err() && unfolded.has_products {
        let exact = unfold::unfold(&unit.program, &points_to, &exact, &|| false)?;
        made = validate::against(text, &exact.system, &about).or(made);
    }
    let is_proved = |name: &&String| {
        certificate
            .properties
            .iter()
            .any(|proved| validate::is_same_name(proved, name))
    };
    let names = unfolded.system.properties.iter().map(|property| &property.name);
    let subject = Subject {
        model: unit.sources.model().name.clone(),
        digest: validate::sha256(unit.sources.model().text.as_bytes()),
        files: unit.sources.additions().map(|file| file.name.clone()).collect(),
        options,
        sizes: Vec::new(),
        left_out: names.filter(|name| !is_proved(name)).cloned().collect(),
    };
    Ok((subject, made))
}

/// Tells of phases, where that is wanted.
struct Narrator {
    is_told: bool,
    progress: ProofProgress,
}

impl Observer for Narrator {
    fn event(&self, event: &Event) {
        let phase = match event {
            Event::Phase(phase) => phase,
            Event::Slam(event) => return self.slam(event),
            _ => return,
        };
        let words = match phase {
            Phase::Searching => "looking for a violation in runs".to_owned(),
            Phase::Proving => "looking for an invariant".to_owned(),
            Phase::Unrolling => "looking for a violation by the solver".to_owned(),
            Phase::Confirming { solver } => format!("{solver} looks at the certificate"),
            _ => return,
        };
        self.progress.phase(&words, "");
        if self.is_told {
            terminal::complain(&format!("{words}\n"));
        }
    }
}

impl Narrator {
    fn slam(&self, event: &slam::Event) {
        let words = match event {
            slam::Event::Predicate(predicate) => format!("  predicate: {}", formula(*predicate)),
            slam::Event::Searched {
                iteration,
                predicates,
                constraints,
            } => {
                let words = format!("iteration {iteration}, {predicates} predicates, {constraints} constraints");
                self.progress
                    .phase("searching a Boolean program", &format!(", {words}"));
                words
            }
        };
        if self.is_told {
            terminal::complain(&format!("{words}\n"));
        }
    }
}

struct Answer<'a> {
    unit: &'a Unit,
    arguments: &'a Check,
    meaning: &'a Meaning,
    verdict: &'a Verdict,
    /// Of the engine slam.
    slam: Option<slam::Statistics>,
    statistics: &'a Statistics,
    seconds: f64,
}

impl Answer<'_> {
    fn status(&self) -> Status {
        match self.verdict {
            Verdict::Safe(_) => Status::Done,
            Verdict::Unsafe(_) => Status::Violated,
            Verdict::Unknown(_) => Status::Incomplete,
        }
    }

    fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Safe(_) => "safe",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }

    fn text(&self, paint: Paint) -> String {
        let quiet = self.arguments.style.quiet;
        let mut text = String::new();
        match self.verdict {
            Verdict::Safe(safe) => {
                let _ = writeln!(text, "{}", paint.good("Safe."));
                if !quiet {
                    self.invariant(safe.proved().invariant(), &mut text);
                    check_report::opinions(&mut text, safe.proved().certificate.opinions(), true);
                }
            }
            Verdict::Unsafe(found) => {
                let message = violation(&self.unit.program[found.property()]);
                if quiet {
                    let _ = writeln!(text, "{} {message}", paint.bad("Unsafe:"));
                } else {
                    let _ = writeln!(text, "{} {message}.\n", paint.bad("Unsafe:"));
                    let diagnostic = Diagnostic::error(found.outcome().span, message);
                    text.push_str(&diagnostics::text(&[diagnostic], &self.unit.sources, paint));
                    let inputs: Vec<String> = found.outcome().inputs.iter().map(ToString::to_string).collect();
                    match inputs.is_empty() {
                        true => text.push_str("without inputs\n"),
                        false => {
                            let _ = writeln!(text, "inputs: {}", inputs.join(", "));
                        }
                    }
                    let trace = &found.outcome().trace;
                    let lines = run::lines(&self.unit.program, &self.unit.sources, trace);
                    text.push_str(&run::text(&lines, trace.left_out, &self.unit.sources.model().name));
                    text.push('\n');
                }
            }
            Verdict::Unknown(unknown) => {
                let _ = writeln!(text, "{} {}.", paint.doubtful("Unknown:"), unknown.reason);
            }
        }
        if !quiet {
            self.statistics(&mut text);
        }
        text
    }

    /// What holds at the heads of loops, in C.
    fn invariant(&self, placed: &[Placed], text: &mut String) {
        if placed.is_empty() {
            return;
        }
        text.push_str("\nThe invariant\n");
        for fact in placed {
            let at = place(&self.unit.sources, fact.span).unwrap_or_else(|| "the start".to_owned());
            let _ = writeln!(text, "- {at}, in {}: {}", fact.calls.join(" > "), formula(fact.formula));
        }
    }

    fn statistics(&self, text: &mut String) {
        if let Verdict::Safe(safe) = self.verdict {
            let proved = safe.proved();
            let _ = writeln!(
                text,
                "  {}, {}, {}; checks  {}; random runs that agree  {}",
                counted(proved.locations, "location"),
                counted(proved.rules, "rule"),
                counted(proved.state, "variable"),
                grouped(self.statistics.total()),
                proved.runs,
            );
        }
        if let Some(work) = self.slam {
            let checks = |purpose| grouped(self.statistics.checks(purpose));
            let _ = writeln!(
                text,
                "  slam: {} ({} of no procedure), {}, {}, {}; no difference found  {}",
                counted(work.predicates, "predicate"),
                work.global_predicates,
                counted(work.iterations, "iteration"),
                counted(work.constraints, "constraint"),
                counted(work.invariants, "enforced invariant"),
                work.no_difference,
            );
            let _ = writeln!(
                text,
                "  checks for the abstraction  {}, for runs  {}, for predicates  {}, for constraints  {}",
                checks(Purpose::Abstraction),
                checks(Purpose::Trace),
                checks(Purpose::Discovery),
                checks(Purpose::Constrain),
            );
        }
        for line in assumed(self.unit) {
            let _ = writeln!(text, "  assumed: {line}");
        }
    }

    fn work(&self, work: slam::Statistics) -> SlamReport {
        SlamReport {
            constrain: match self.arguments.constrain {
                Some(ConstrainName::None) => "none",
                Some(ConstrainName::Eager) => "eager",
                Some(ConstrainName::Lazy) | None => "lazy",
            },
            predicates: work.predicates,
            global_predicates: work.global_predicates,
            iterations: work.iterations,
            constraints: work.constraints,
            invariants: work.invariants,
            no_difference: work.no_difference,
            checks_for_constraints: self.statistics.checks(Purpose::Constrain),
        }
    }

    fn report(&self) -> Report {
        let (mut reason, mut inputs, mut trace, mut invariant) = (None, None, None, Vec::new());
        let mut violated = None;
        match self.verdict {
            Verdict::Safe(safe) => {
                let fact = |fact: &Placed| FactReport {
                    place: place(&self.unit.sources, fact.span),
                    calls: fact.calls.clone(),
                    formula: formula(fact.formula),
                };
                invariant = safe.proved().invariant().iter().map(fact).collect();
            }
            Verdict::Unsafe(found) => {
                violated = Some(found.property());
                inputs = Some(found.outcome().inputs.iter().map(ToString::to_string).collect());
                trace = Some(run::lines(
                    &self.unit.program,
                    &self.unit.sources,
                    &found.outcome().trace,
                ));
            }
            Verdict::Unknown(unknown) => reason = Some(unknown.reason.to_string()),
        }
        let properties = self.unit.program.properties.iter().zip(0..).map(|(property, number)| {
            let is_violated = violated.is_some_and(|id| id.0 == number);
            PropertyReport {
                name: property.name.clone(),
                verdict: match self.verdict {
                    Verdict::Safe(_) => "safe",
                    Verdict::Unsafe(_) if is_violated => "unsafe",
                    Verdict::Unsafe(_) | Verdict::Unknown(_) => "unknown",
                },
                reason: match self.verdict {
                    Verdict::Unsafe(_) if is_violated => Some(violation(property)),
                    Verdict::Unknown(unknown) => Some(unknown.reason.to_string()),
                    Verdict::Safe(_) | Verdict::Unsafe(_) => None,
                },
                place: places::place(&self.unit.sources, property.span),
                trace: trace
                    .as_ref()
                    .filter(|_| is_violated)
                    .map(|lines| lines.iter().map(step).collect()),
            }
        });
        let properties: Vec<PropertyReport> = properties.collect();
        let certificate = match (&self.arguments.certificate, self.verdict) {
            (Some(path), Verdict::Safe(_)) => Some(path.display().to_string()),
            _ => None,
        };
        let proved = match self.verdict {
            Verdict::Safe(safe) => Some(safe.proved()),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        };
        Report {
            head: Head::new(self.unit, self.meaning),
            engine: if self.slam.is_some() { "slam" } else { "horn" },
            slam: self.slam.map(|work| self.work(work)),
            verdict: self.word(),
            reason,
            properties,
            invariant,
            locations: proved.map(|proved| proved.locations),
            variables: proved.map(|proved| proved.state),
            runs_followed: proved.map(|proved| proved.runs),
            certificate,
            inputs,
            diagnostics: diagnostics::messages(&self.unit.diagnostics, &self.unit.sources),
            checks: check_json::checks(self.statistics, None),
            time_s: self.seconds,
        }
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    engine: &'static str,
    /// Of the engine slam.
    #[serde(skip_serializing_if = "Option::is_none")]
    slam: Option<SlamReport>,
    verdict: &'static str,
    reason: Option<String>,
    properties: Vec<PropertyReport>,
    invariant: Vec<FactReport>,
    /// With all calls put in place; of proofs.
    locations: Option<usize>,
    /// Of the transition system of a proof.
    variables: Option<usize>,
    /// Random runs of the interpreter that go the same way in that system.
    runs_followed: Option<u64>,
    certificate: Option<String>,
    inputs: Option<Vec<String>>,
    diagnostics: Vec<diagnostics::Message>,
    checks: serde_json::Value,
    time_s: f64,
}

/// How much work the loop was.
#[derive(Serialize)]
struct SlamReport {
    constrain: &'static str,
    predicates: usize,
    /// Of these, those of no procedure.
    global_predicates: usize,
    iterations: usize,
    constraints: usize,
    /// Invariants that are enforced.
    invariants: usize,
    /// How often no difference was found.
    no_difference: usize,
    checks_for_constraints: u64,
}

#[derive(Serialize)]
struct PropertyReport {
    name: String,
    verdict: &'static str,
    reason: Option<String>,
    place: serde_json::Value,
    trace: Option<Vec<serde_json::Value>>,
}

/// A line of a run, as a step of any other run: what happened, and where.
fn step(line: &Line) -> serde_json::Value {
    let rule = match line.effects.is_empty() {
        true => line.text.clone(),
        false => format!("{}  -- {}", line.text, line.effects.join(", ")),
    };
    let place = line.place.as_deref().and_then(|place| {
        let (file, number) = place.rsplit_once(':')?;
        Some(json!({ "file": file, "line": number.parse::<u64>().ok()?, "column": 1 }))
    });
    json!({ "rule": rule, "procedure": line.procedure, "depth": line.depth, "changes": {}, "place": place })
}

/// What holds at a place, whenever it is reached by these calls.
#[derive(Serialize)]
struct FactReport {
    place: Option<String>,
    calls: Vec<String>,
    formula: String,
}
