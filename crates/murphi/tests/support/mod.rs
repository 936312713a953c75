//! Shared by several tests: from a text to an instance and its exploration.

use logic::Cancellation;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use explore::{Deadlock, SearchOptions as ExploreOptions, SearchOutcome, SilentObserver};
use murphi::{CheckOptions, CompileOptions};
use system::instance::Instance;
use system::{Diagnostic, Severity, SourceFile, Sources};

#[allow(dead_code, reason = "not every test reads files")]
pub(crate) fn read(path: &Path) -> SourceFile {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    SourceFile::new(name, std::fs::read_to_string(path).unwrap())
}

/// The models of `tests/semantics`, each with the content of its first line.
#[allow(dead_code, reason = "not every test needs them")]
pub(crate) fn semantics() -> Vec<(SourceFile, Expectation)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/semantics");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let expected = |path: &PathBuf| {
        let file = read(path);
        let expectation = Expectation::read(&file.text);
        (file, expectation)
    };
    paths.iter().map(expected).collect()
}

/// `N=2,M=3`, or `-` for none.
#[allow(dead_code, reason = "not every test has constants")]
pub(crate) fn constants(text: &str) -> BTreeMap<String, i64> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.parse().unwrap()))
        .collect()
}

/// The instance of a valid model, with its warnings and notes.
pub(crate) fn instance(file: &SourceFile, constants: BTreeMap<String, i64>) -> (Instance, Vec<Diagnostic>) {
    let options = CheckOptions {
        constants,
        ..CheckOptions::default()
    };
    let (program, mut diagnostics) = murphi::parse(file);
    let (model, more) = murphi::check(&program, &options);
    diagnostics.extend(more);
    reject_errors(file, &diagnostics);
    let (instance, more) = murphi::compile(&model, &CompileOptions::default());
    diagnostics.extend(more);
    reject_errors(file, &diagnostics);
    (instance, diagnostics)
}

fn reject_errors(file: &SourceFile, diagnostics: &[Diagnostic]) {
    let errors = diagnostics.iter().filter(|message| message.severity == Severity::Error);
    let rendered: Vec<String> = errors
        .map(|message| message.render(&Sources::from(file), false))
        .collect();
    assert!(rendered.is_empty(), "{}", rendered.join("\n"));
}

pub(crate) fn run(instance: &Instance, symmetry: bool, deadlock: Deadlock) -> SearchOutcome {
    let options = ExploreOptions {
        symmetry,
        deadlock,
        ..ExploreOptions::default()
    };
    explore::explore(instance, &options, &Cancellation::new(), &mut SilentObserver)
}

/// A tool's result, as recorded on the first line of a model.
#[derive(Clone, PartialEq, Debug)]
#[allow(dead_code, reason = "only for models with a first line")]
pub(crate) struct Expectation {
    pub(crate) tool: String,
    pub(crate) deadlock: Deadlock,
    pub(crate) verdict: String,
    pub(crate) states: u64,
    pub(crate) rules_fired: u64,
}

#[allow(dead_code, reason = "only for models with a first line")]
impl Expectation {
    pub(crate) fn read(text: &str) -> Expectation {
        let line = text.lines().next().unwrap_or_default();
        let expectation = Expectation::parse(line);
        expectation.unwrap_or_else(|| panic!("`{line}` does not say what to expect"))
    }

    fn parse(line: &str) -> Option<Expectation> {
        let (head, tail) = line.strip_prefix("-- ")?.split_once(": ")?;
        let (tool, deadlock) = match head.split_once(" (deadlock ") {
            None => (head, Deadlock::Off),
            Some((tool, "stuck)")) => (tool, Deadlock::Stuck),
            Some((tool, "stuttering)")) => (tool, Deadlock::Stuttering),
            Some(_) => return None,
        };
        let mut parts = tail.split(", ");
        let expectation = Expectation {
            tool: tool.to_owned(),
            deadlock,
            verdict: parts.next()?.to_owned(),
            states: parts.next()?.strip_suffix(" states")?.parse().ok()?,
            rules_fired: parts.next()?.strip_suffix(" rules fired")?.parse().ok()?,
        };
        parts.next().is_none().then_some(expectation)
    }
}

impl std::fmt::Display for Expectation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Expectation {
            verdict,
            states,
            rules_fired,
            ..
        } = self;
        write!(formatter, "{verdict}, {states} states, {rules_fired} rules fired")
    }
}
