//! `cubist check FILE.c`: a proof that no run violates a property, or a run that does.

use super::explore::{undefined, violation};
use super::formula::{beginning, formula};
use super::page::Page;
use super::run::{self, Line};
use super::{Head, ask, assumed, assumed_by, introduction, place, refuse, witness};
use crate::arguments::{Check, ConstrainName, EngineName, Meaning, Reading, Specified, UndefinedName, Validate};
use crate::progress::ProofProgress;
use crate::report::validate_report::Subject;
use crate::report::{self, check_json, check_report, diagnostics, mistake, places};
use crate::status::Status;
use crate::supervise::{Control, LastWords, Limits, cores};
use crate::terminal::{self, Paint, counted, grouped};
use analysis::points_to::PointsTo;
use anyhow::{Context as _, bail};
use c::{DataModel, Unit};
use clap::Parser as _;
use driver::program::{How, Placed, Promised, Question, Reason, Unsafe, Verdict, recursion};
use driver::{Context, Event, Observer, Phase, Stopped, about, write_whole};
use serde::Serialize;
use serde_json::json;
use smt::{Purpose, Solvers, Statistics};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system::program::Undefined;
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
        about: about(&unit, &options(&meaning, &specified), &specified)?,
        memory: limits.memory,
        seed: u64::from(arguments.seed),
        source: Some(source(&unit, &meaning)),
        memory_behind: meaning.is_logical(),
        ..self::question(&unit, undefinedness(&meaning))
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
    let decided = decided(arguments, &asked, &context);
    narrator.progress.finish();
    let (verdict, slam) = decided?;
    if let Verdict::Unknown(unknown) = &verdict
        && let Reason::Elsewhere { harness, .. } = &unknown.reason
    {
        let files = vec![("harness.c", harness.clone())];
        let name = mistake::file_name(&unit.sources.model().name);
        let message = unknown.reason.to_string();
        return mistake::tell_of(&name, &unit.sources, &message, &files, style.json, control);
    }
    let answer = Answer {
        verdict: &verdict,
        slam,
        seconds: limits.started.elapsed().as_secs_f64(),
        ..answer
    };
    answer.write_files(&specified)?;
    if !control.begin_report() {
        return Ok(answer.status());
    }
    if control.keeps_report() {
        control.keep_report(&answer.report());
    }
    terminal::print(&report::written(style.json, || answer.report(), || answer.text(paint))?)?;
    Ok(answer.status())
}

/// By the engine that is wanted, with what slam has to say of its work.
fn decided(
    arguments: &Check,
    asked: &Question,
    context: &Context,
) -> Result<(Verdict, Option<slam::Statistics>), driver::Error> {
    match arguments.engine {
        Some(EngineName::Slam) => {
            let checked = driver::program::check_by_slam(asked, how(arguments), context);
            checked.map(|(verdict, work)| (verdict, Some(work)))
        }
        _ => driver::program::check(asked, context).map(|verdict| (verdict, None)),
    }
}

/// How the loop of SLAM is to work.
fn how(arguments: &Check) -> How {
    let defaults = How::default();
    How {
        mode: arguments.constrain.map_or(defaults.mode, ConstrainName::mode),
        longest: arguments.cube_length.map_or(defaults.longest, usize::from),
    }
}

/// What is asked about a program, where nothing else is said.
pub(super) fn question(unit: &Unit, undefined: Undefinedness) -> Question<'_> {
    Question {
        program: &unit.program,
        undefined,
        memory_behind: false,
        about: Vec::new(),
        memory: None,
        seed: 0,
        source: None,
    }
}

/// What is said of a program, in a word.
pub(super) enum Checked {
    Safe,
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
    Ok(
        match driver::program::check(&question(unit, Undefinedness::Wraps), &context)? {
            Verdict::Safe(_) => Checked::Safe,
            Verdict::Unsafe(found) => Checked::Violated(unit.program[found.property()].name.clone()),
            Verdict::Unknown(unknown) => Checked::Unknown(why(unit, &unknown.reason)),
        },
    )
}

/// Why no run into a violation counts.
pub(crate) const UNDEFINED: &str = "has undefined behaviour on the way";

/// Why there is no answer, with the place in the program where that is one.
fn why(unit: &Unit, reason: &Reason) -> String {
    let (runs, (kind, span)) = match reason {
        Reason::Unreal {
            runs,
            undefined: Some(undefined),
            ..
        } => (runs, undefined),
        Reason::Unreal {
            approximated: Some(span),
            ..
        } => {
            let place = place(&unit.sources, *span).map(|place| format!("; the first is at {place}"));
            return format!("{reason}{}", place.unwrap_or_default());
        }
        _ => return reason.to_string(),
    };
    let place = place(&unit.sources, *span).map(|place| format!(" at {place}"));
    let behind = match kind {
        Undefined::OutOfBounds => "; `--memory-model logical` takes it that memory lies behind each object",
        _ => "",
    };
    format!(
        "the solver found runs into a violation ({runs}), and the first {UNDEFINED}{}: {}. C does not say how such a \
         run goes on, so it counts neither as a violation nor as none; `cubist explore --undefined report` finds runs \
         into undefined behaviour{behind}",
        place.unwrap_or_default(),
        undefined(*kind)
    )
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
        entry: unit.entry.clone(),
        labels: unit.error_labels.clone(),
        machine: meaning.data_model().gcc_option(),
    }
}

/// How the program is taken. Options that only models have are refused.
fn asked(arguments: &Check) -> anyhow::Result<(Meaning, Specified)> {
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
    if arguments.engine != Some(EngineName::Slam) {
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
        [file] if file.ends_with(".prp") => Some(file.into()),
        _ => bail!("--property names a property of a model; of a C program it is a file that ends in .prp"),
    };
    Ok((meaning, Specified { property }))
}

fn undefinedness(meaning: &Meaning) -> Undefinedness {
    match meaning.undefined() {
        _ if meaning.is_unbounded() => Undefinedness::Unbounded,
        UndefinedName::Wrap => Undefinedness::Wraps,
        UndefinedName::Report | UndefinedName::AssumeAbsent => Undefinedness::Absent,
    }
}

/// What a certificate says of what was read: the digests of all files, and the options that decide what they mean.
fn about(unit: &Unit, options: &[String], specified: &Specified) -> anyhow::Result<Vec<(&'static str, String)>> {
    let named = |text: &str, name: &str| format!("sha256 {} of {name}", validate::sha256(text.as_bytes()));
    let file = |word: &'static str, file: &system::SourceFile| (word, named(&file.text, &file.name));
    let mut lines = vec![file("model", unit.sources.model())];
    // What the preprocessor makes of these says where they lie.
    let read = unit
        .sources
        .additions()
        .filter(|added| added.role() != Role::Preprocessed);
    lines.extend(read.map(|added| file("included", added)));
    if let Some(path) = &specified.property {
        let line = named(&super::text(path)?, &path.display().to_string());
        lines.push(("property", line));
    }
    lines.extend(options.iter().map(|option| ("option", option.clone())));
    Ok(lines)
}

/// The options that decide what is proved, in one order, a word and its value each.
fn options(meaning: &Meaning, specified: &Specified) -> Vec<String> {
    let data_model = match meaning.data_model() {
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    };
    let undefined = match undefinedness(meaning) {
        Undefinedness::Wraps | Undefinedness::Unbounded => "wrap",
        Undefinedness::Absent => "assume-absent",
    };
    let mut options = vec![format!("--data-model {data_model}"), format!("--undefined {undefined}")];
    options.extend(meaning.is_unbounded().then(|| "--ints unbounded".to_owned()));
    options.extend(meaning.is_logical().then(|| "--memory-model logical".to_owned()));
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
    arguments: &Validate,
    model: &Path,
) -> anyhow::Result<(Subject, Result<ParsedCertificate, Refusal>)> {
    refuse(&arguments.of_models())?;
    let said = certificate.header.get("option").map(Vec::as_slice).unwrap_or_default();
    let words = said.iter().flat_map(|option| option.splitn(2, ' '));
    let recorded = Recorded::try_parse_from(["certificate"].into_iter().chain(words))
        .map_err(|_| anyhow::anyhow!("the certificate names options that decide nothing about a C program"))?;
    let (meaning, specified) = (&recorded.meaning, &recorded.specified);
    if meaning.is_logical() {
        bail!("the certificate names --memory-model logical, with which nothing is proved");
    }
    for path in meaning.rule.iter().chain(&specified.property) {
        about::plain_file(path).map_err(anyhow::Error::msg)?;
    }
    let unit = ask(model, meaning, &Reading::default(), specified)?.unit;
    let points_to = PointsTo::of(&unit.program);
    let question = question(&unit, undefinedness(meaning));
    let options = options(meaning, specified);
    let mut about = about(&unit, &options, specified)?;
    // Where the file lies is of no importance.
    let name = about::model_name(certificate).to_owned();
    if let Some((_, line)) = about.first_mut() {
        *line = format!(
            "sha256 {} of {name}",
            validate::sha256(unit.sources.model().text.as_bytes())
        );
    }
    let lines = |word: &str| certificate.header.get(word).map(Vec::as_slice);
    let [linear, exact] = question.options().map(|options| recursion::recorded(options, lines));
    about.extend(recursion::about(&linear));
    let unfolded = unfold::unfold(&unit.program, &points_to, &linear, &|| false)?;
    let mut made = against(text, &unfolded, &about);
    if made.is_err() && unfolded.has_products {
        let exact = unfold::unfold(&unit.program, &points_to, &exact, &|| false)?;
        made = against(text, &exact, &about).or(made);
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

/// The certificate made again from an unfolded program. The contracts of procedures are what its facts say of them.
fn against(
    text: &str,
    unfolded: &unfold::Unfolded,
    about: &[(&'static str, String)],
) -> Result<ParsedCertificate, Refusal> {
    if unfolded.signatures.is_empty() {
        return validate::against(text, &unfolded.system, about);
    }
    let facts = validate::stated_facts(text, &unfolded.system)?;
    let contracts = unfolded
        .contracts(&facts)
        .map_err(|no| Refusal::Contract(no.to_string()))?;
    validate::against(text, &unfolded.with_contracts(&contracts), about)
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
            Phase::Compiling => "gcc compiles the run".to_owned(),
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

/// What gcc says of a run, in a line.
fn compiled(found: &Unsafe) -> String {
    match &found.compiled().reason {
        None => "gcc's program with these inputs reaches it, too".to_owned(),
        Some(reason) => format!("not confirmed by gcc: {reason}"),
    }
}

/// What a run violates, and what it takes for granted.
fn found_violation(unit: &Unit, found: &Unsafe) -> String {
    let (property, assumed) = (&unit.program[found.property()], assumed_by(unit, found.outcome()));
    match assumed.is_empty() {
        true => violation(property),
        false => format!("{}; assumed: {}", violation(property), assumed.join("; ")),
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

    /// What there is to say if the search does not come back.
    fn last_words(&self, paint: Paint) -> anyhow::Result<LastWords> {
        Ok(LastWords {
            status: self.status(),
            title: paint.doubtful("Unknown:"),
            text: String::new(),
            json: serde_json::to_value(self.report())?,
            certificate: None,
        })
    }

    /// Writes what was asked for, as far as this answer has it.
    fn write_files(&self, specified: &Specified) -> anyhow::Result<()> {
        let write = |path: &Path, text: &str| {
            write_whole(path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        if let (Some(path), Verdict::Safe(safe)) = (&self.arguments.certificate, self.verdict) {
            write(path, safe.proved().certificate.text())?;
        }
        if let (Some(path), Verdict::Unsafe(found)) = (&self.arguments.harness, self.verdict)
            && let Some(text) = &found.compiled().harness
        {
            write(path, text)?;
        }
        if let Some(path) = &self.arguments.witness {
            let said = specified.property.as_deref().map(super::text).transpose()?;
            let data_model = self.meaning.data_model();
            if let Some(text) = witness::text(self.unit, data_model, said.as_deref(), self.verdict) {
                write(path, &text)?;
            }
        }
        match &self.arguments.report {
            Some(path) => write(path, &self.page().html()),
            None => Ok(()),
        }
    }

    /// The answer as a page of HTML.
    fn page(&self) -> Page<'_> {
        let sources = &self.unit.sources;
        let mut page = Page {
            unit: self.unit,
            verdict: self.word(),
            message: String::new(),
            facts: Vec::new(),
            lines: Vec::new(),
            left_out: 0,
            invariants: Vec::new(),
        };
        match self.verdict {
            Verdict::Safe(safe) => {
                page.message = "No run violates a property.".to_owned();
                let mut opinions = String::new();
                check_report::opinions(&mut opinions, safe.proved().certificate.opinions(), true);
                page.facts.extend(opinions.lines().map(str::to_owned));
                let promised = safe.proved().contracts.iter().filter_map(|promised| {
                    let said = format!("{}: {}", promised.procedure, words(promised).join("; "));
                    Some((place(sources, promised.span)?, said))
                });
                page.invariants.extend(promised);
                let facts = safe.proved().invariant().iter();
                let facts: Vec<(String, String)> = facts
                    .filter_map(|fact| {
                        let calls = match fact.calls.len() {
                            1 => String::new(),
                            _ => format!("in {}: ", fact.calls.join(" > ")),
                        };
                        Some((place(sources, fact.span)?, format!("{calls}{}", formula(fact.formula))))
                    })
                    .collect();
                page.invariants.extend(facts);
            }
            Verdict::Unsafe(found) => {
                page.message = violation(&self.unit.program[found.property()]);
                let inputs: Vec<String> = found.outcome().inputs.iter().map(ToString::to_string).collect();
                page.facts.push(match inputs.is_empty() {
                    true => "without inputs".to_owned(),
                    false => format!("inputs: {}", inputs.join(", ")),
                });
                page.facts.push(compiled(found));
                let trace = &found.outcome().trace;
                page.lines = run::lines(&self.unit.program, sources, trace, true);
                page.left_out = trace.left_out;
            }
            Verdict::Unknown(unknown) => page.message = why(self.unit, &unknown.reason),
        }
        page.facts
            .extend(self.assumed().iter().map(|line| format!("assumed: {line}")));
        page
    }

    /// What was taken for granted: of the program, and in the run that was found.
    fn assumed(&self) -> Vec<String> {
        let mut lines = assumed(self.unit);
        if let Verdict::Unsafe(found) = self.verdict {
            lines.extend(assumed_by(self.unit, found.outcome()));
        }
        lines
    }

    fn text(&self, paint: Paint) -> String {
        let quiet = self.arguments.style.quiet;
        let mut text = String::new();
        match self.verdict {
            Verdict::Safe(safe) => {
                let _ = writeln!(text, "{}", paint.good("Safe."));
                if !quiet {
                    self.contracts(&safe.proved().contracts, &mut text);
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
                    self.compiled(found, &mut text);
                    let trace = &found.outcome().trace;
                    let lines = run::lines(&self.unit.program, &self.unit.sources, trace, true);
                    let is_whole = self.arguments.style.verbose;
                    let name = &self.unit.sources.model().name;
                    text.push_str(&run::text(&lines, trace.left_out, name, is_whole));
                    if !is_whole && lines.iter().any(|line| !line.matters) {
                        text.push_str("(what the violation depends on; --verbose shows every line)\n");
                    }
                    text.push('\n');
                }
            }
            Verdict::Unknown(unknown) => {
                let _ = writeln!(
                    text,
                    "{} {}.",
                    paint.doubtful("Unknown:"),
                    why(self.unit, &unknown.reason)
                );
            }
        }
        if !quiet {
            self.statistics(&mut text);
        }
        text
    }

    /// What gcc says of a run.
    fn compiled(&self, found: &Unsafe, text: &mut String) {
        let compiled = found.compiled();
        let _ = writeln!(text, "{}", self::compiled(found));
        if let Some(path) = &self.arguments.harness {
            let _ = match compiled.harness.is_some() {
                true => writeln!(text, "the run as a C program: {}", path.display()),
                false => writeln!(
                    text,
                    "there is no C program of this run: {} is not written",
                    path.display()
                ),
            };
        }
    }

    /// What holds whenever procedures are called, and whenever they return.
    fn contracts(&self, contracts: &[Promised], text: &mut String) {
        if contracts.is_empty() {
            return;
        }
        text.push_str("\nContracts\n");
        for promised in contracts {
            let words = words(promised);
            let _ = match words.is_empty() {
                true => writeln!(text, "- {}: nothing is needed of it", promised.procedure),
                false => writeln!(text, "- {}: {}", promised.procedure, words.join("; ")),
            };
        }
    }

    /// What holds at the heads of loops, in C.
    fn invariant(&self, placed: &[Placed], text: &mut String) {
        if placed.is_empty() {
            return;
        }
        text.push_str("\nThe invariant\n");
        for fact in placed {
            let at = place(&self.unit.sources, fact.span).unwrap_or_else(|| "the start".to_owned());
            let (shown, rest) = beginning(formula(fact.formula));
            let _ = writeln!(text, "- {at}, in {}: {shown}", fact.calls.join(" > "));
            if rest > 0 {
                let _ = writeln!(
                    text,
                    "  ... and {} more, which --json shows",
                    counted(rest, "character")
                );
            }
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
        for line in self.assumed() {
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
            cube_length: how(self.arguments).longest,
            predicates: work.predicates,
            global_predicates: work.global_predicates,
            iterations: work.iterations,
            constraints: work.constraints,
            invariants: work.invariants,
            calls: work.calls,
            no_difference: work.no_difference,
            checks_for_constraints: self.statistics.checks(Purpose::Constrain),
        }
    }

    /// What gcc says of a run, and where its program is.
    fn compiled_report(&self, found: &Unsafe) -> (Option<CompiledReport>, Option<String>) {
        let compiled = found.compiled();
        let report = CompiledReport {
            is_reached: compiled.is_reached,
            reason: compiled.reason.clone(),
        };
        let path = self.arguments.harness.as_ref().filter(|_| compiled.harness.is_some());
        (Some(report), path.map(|path| path.display().to_string()))
    }

    fn fact(&self, fact: &Placed) -> FactReport {
        FactReport {
            place: place(&self.unit.sources, fact.span),
            calls: fact.calls.clone(),
            formula: formula(fact.formula),
        }
    }

    /// What becomes of each property; with the lines of the run into the one that is violated.
    fn properties(&self, trace: Option<&[Line]>) -> Vec<PropertyReport> {
        let violated = match self.verdict {
            Verdict::Unsafe(found) => Some(found.property()),
            Verdict::Safe(_) | Verdict::Unknown(_) => None,
        };
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
                    Verdict::Unsafe(found) if is_violated => Some(found_violation(self.unit, found)),
                    Verdict::Unknown(unknown) => Some(why(self.unit, &unknown.reason)),
                    Verdict::Safe(_) | Verdict::Unsafe(_) => None,
                },
                place: places::place(&self.unit.sources, property.span),
                trace: trace
                    .filter(|_| is_violated)
                    .map(|lines| lines.iter().map(step).collect()),
            }
        });
        properties.collect()
    }

    fn report(&self) -> Report {
        let (mut reason, mut inputs, mut trace, mut invariant) = (None, None, None, Vec::new());
        let (mut gcc, mut harness, mut contracts) = (None, None, Vec::new());
        match self.verdict {
            Verdict::Safe(safe) => {
                let facts = safe.proved().invariant().iter();
                invariant = facts.map(|fact| self.fact(fact)).collect();
                contracts = safe.proved().contracts.iter().map(ContractReport::of).collect();
            }
            Verdict::Unsafe(found) => {
                (gcc, harness) = self.compiled_report(found);
                inputs = Some(found.outcome().inputs.iter().map(ToString::to_string).collect());
                trace = Some(run::lines(
                    &self.unit.program,
                    &self.unit.sources,
                    &found.outcome().trace,
                    true,
                ));
            }
            Verdict::Unknown(unknown) => reason = Some(why(self.unit, &unknown.reason)),
        }
        let certificate = match (&self.arguments.certificate, self.verdict) {
            (Some(path), Verdict::Safe(_)) => Some(path.display().to_string()),
            _ => None,
        };
        let proved = match self.verdict {
            Verdict::Safe(safe) => Some(safe.proved()),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        };
        Report {
            head: Head {
                assumed: self.assumed(),
                ..Head::new(self.unit, self.meaning)
            },
            engine: if self.slam.is_some() { "slam" } else { "horn" },
            slam: self.slam.map(|work| self.work(work)),
            verdict: self.word(),
            reason,
            properties: self.properties(trace.as_deref()),
            invariant,
            contracts,
            locations: proved.map(|proved| proved.locations),
            variables: proved.map(|proved| proved.state),
            runs_followed: proved.map(|proved| proved.runs),
            certificate,
            inputs,
            gcc,
            harness,
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
    /// Of procedures that call themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contracts: Vec<ContractReport>,
    /// With all calls put in place; of proofs.
    locations: Option<usize>,
    /// Of the transition system of a proof.
    variables: Option<usize>,
    /// Random runs of the interpreter that go the same way in that system.
    runs_followed: Option<u64>,
    certificate: Option<String>,
    inputs: Option<Vec<String>>,
    /// Of a run that violates a property.
    gcc: Option<CompiledReport>,
    harness: Option<String>,
    diagnostics: Vec<diagnostics::Message>,
    checks: serde_json::Value,
    time_s: f64,
}

/// How much work the loop was.
#[derive(Serialize)]
struct SlamReport {
    constrain: &'static str,
    cube_length: usize,
    predicates: usize,
    /// Of these, those of no procedure.
    global_predicates: usize,
    iterations: usize,
    constraints: usize,
    /// Invariants that are enforced.
    invariants: usize,
    /// How often Constrain was asked.
    calls: usize,
    /// How often no difference was found.
    no_difference: usize,
    checks_for_constraints: u64,
}

/// Whether gcc's program goes the same way.
#[derive(Serialize)]
struct CompiledReport {
    is_reached: bool,
    /// Why nobody knows.
    reason: Option<String>,
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
    json!({
        "rule": rule, "procedure": line.procedure, "depth": line.depth, "matters": line.matters, "changes": {}, "place": place,
    })
}

/// What a contract says, in words and formulas.
fn words(promised: &Promised) -> Vec<String> {
    let mut words = Vec::new();
    if !promised.requires.is_true() {
        words.push(format!("called only where {}", formula(promised.requires)));
    }
    if promised.ensures.is_false() {
        words.push("never returns".to_owned());
    } else if !promised.ensures.is_true() {
        words.push(format!("returns with {}", formula(promised.ensures)));
    }
    words
}

/// What holds whenever a procedure is called, and whenever it returns.
#[derive(Serialize)]
struct ContractReport {
    procedure: String,
    requires: String,
    ensures: String,
}

impl ContractReport {
    fn of(promised: &Promised) -> ContractReport {
        ContractReport {
            procedure: promised.procedure.clone(),
            requires: formula(promised.requires),
            ensures: formula(promised.ensures),
        }
    }
}

/// What holds at a place, whenever it is reached by these calls.
#[derive(Serialize)]
struct FactReport {
    place: Option<String>,
    calls: Vec<String>,
    formula: String,
}
