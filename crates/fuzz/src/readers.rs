//! All readers of external data, as functions of arbitrary text: for [`inputs`](crate::inputs), which draws texts at
//! random, and for the coverage-guided `cargo fuzz` targets in `fuzz/`.
//!
//! None of them may panic, hang, or exhaust memory on any text.

use abstraction::goal::{Goal, goals};
use analysis::{Criterion, PointsTo, slice};
use interpret::{Executable, RandomInputs, RunLimits, Uninitialized};
use std::sync::OnceLock;
use system::{Diagnostic, Language, Model, ReadOptions, Rejected, Role, SourceFile, Sources, TransitionSystem};
use validate::{against, parse_certificate, sealed};

/// The reader of one kind of text.
pub type Reader = fn(&str);

/// All readers, by the names of their `cargo fuzz` targets.
pub const READERS: &[(&str, Reader)] = &[
    ("murphi", murphi),
    ("cubicle", cubicle),
    ("additions", additions),
    ("certificate", certificate),
    ("run_folder", run_folder),
    ("program", program),
    ("rule", rule),
    ("property", property),
];

/// The model for additions and run folders: it has values of every Murphi type.
pub const MODEL: &str = "\
type NODE: scalarset(3); COLOUR: enum { red, green };
var colour: array [NODE] of COLOUR; count: array [NODE] of integer; queue: list of NODE; owner: NODE; on: boolean;
startstate
  for i: NODE do colour[i] := red; count[i] := 0; end;
  queue := []; on := false; havoc owner;
end;
ruleset p: NODE do rule \"step\" on ==> colour[p] := green; count[p] := count[p] + 1; owner := p; end; end;
invariant \"positive\" forall i: NODE do 0 <= count[i] end;
";

/// The model of [`MODEL`].
fn model() -> Option<&'static dyn Model> {
    static READ: OnceLock<Option<Box<dyn Model>>> = OnceLock::new();
    let read = READ.get_or_init(|| read(&murphi::Murphi, "model.m", MODEL).ok());
    read.as_deref()
}

fn read(language: &dyn Language, name: &str, text: &str) -> Result<Box<dyn Model>, Rejected> {
    let reading = ReadOptions {
        integers: Some((0, 2)),
        ..ReadOptions::default()
    };
    language.read(SourceFile::new(name, text), &reading)
}

/// Exercises the result of reading: the model, or its diagnostics, rendered with source lines up to a reasonable
/// number.
fn use_up(read: Result<Box<dyn Model>, Rejected>) {
    match read {
        Ok(model) => {
            let _ = model.system();
            let _ = model.instance();
            render(model.diagnostics(), model.sources());
        }
        Err(rejected) => render(&rejected.diagnostics, &rejected.sources),
    }
}

fn render(diagnostics: &[Diagnostic], sources: &Sources) {
    for diagnostic in diagnostics.iter().take(100) {
        let _ = diagnostic.render(sources, true);
    }
}

/// Reads a Murphi model.
pub fn murphi(text: &str) {
    use_up(read(&murphi::Murphi, "fuzz.m", text));
}

/// Reads a Cubicle model.
pub fn cubicle(text: &str) {
    use_up(read(&cubicle::Cubicle, "fuzz.cub", text));
}

/// Reads predicates and properties that are added to a model, and a formula about it.
pub fn additions(text: &str) {
    let Some(model) = model() else { return };
    let file = || SourceFile::new("more.m", text);
    use_up(model.with_file(Role::Predicates, file()));
    use_up(model.with_file(Role::Properties, file()));
    if let Err(rejected) = model.formula(file()) {
        render(&rejected.diagnostics, &rejected.sources);
    }
}

/// Reads a certificate, also with a recomputed digest to get beyond the first check, and validates it against a model.
pub fn certificate(text: &str) {
    let _ = parse_certificate(text);
    let sealed = sealed(text);
    let _ = parse_certificate(&sealed);
    if let Some((system, _)) = about() {
        let _ = against(&sealed, system, &[]);
    }
}

/// The system and goal for certificates and run folders.
fn about() -> Option<&'static (TransitionSystem, Goal)> {
    static ABOUT: OnceLock<Option<(TransitionSystem, Goal)>> = OnceLock::new();
    let about = ABOUT.get_or_init(|| {
        let system = model()?.system().ok()?.clone();
        let property = system.properties.first()?.clone();
        let goal = goals(&property.name, property.formula, &system).into_iter().next()?;
        Some((system, goal))
    });
    about.as_ref()
}

/// Reads the JSON of a run folder: the entry of each goal or, if it names none, the text as one entry.
pub fn run_folder(text: &str) {
    // The first line of the file has its format and a checksum.
    let body = match text.split_once('\n') {
        Some((head, body)) if head.starts_with("cubist run ") => body,
        _ => text,
    };
    if let Some((system, goal)) = about() {
        driver::run_folder::read_all(body, system, goal);
    }
}

/// The program for rules.
const PROGRAM: &str = "\
struct lock { int held; };
void spin_lock(struct lock *lock); void spin_unlock(struct lock *lock);
int open(const char *name, int mode, ...); int close(int file); void *malloc(unsigned long size); void free(void *memory);
int main(void) {
  struct lock lock = { 0 }; spin_lock(&lock); int file = open(\"a\", 1); void *memory = malloc(8);
  if (file >= 0) close(file); free(memory); spin_unlock(&lock); return 0;
}
";

/// Reads a preprocessed C program, analyses it, and executes a few steps.
pub fn program(text: &str) {
    read_program(text, c::Options::new(c::DataModel::Lp64));
}

/// Reads a rule about the calls of a program.
pub fn rule(text: &str) {
    let rules = vec![c::RuleFile {
        name: "fuzz.rule".to_owned(),
        text: text.to_owned(),
    }];
    let options = c::Options {
        rules,
        ..c::Options::new(c::DataModel::Ilp32)
    };
    read_program(PROGRAM, options);
}

/// Reads an SV-COMP property file.
pub fn property(text: &str) {
    if let Err(rejected) = c::specification(SourceFile::new("fuzz.prp", text)) {
        render(&rejected.diagnostics, &rejected.sources);
    }
}

fn read_program(text: &str, options: c::Options) {
    let sources = c::preprocess::preprocessed("fuzz.i", text, None);
    let unit = match c::read(&sources, &options) {
        Ok(unit) => unit,
        Err(rejected) => return render(&rejected.diagnostics, &rejected.sources),
    };
    render(&unit.diagnostics, &unit.sources);
    let points_to = PointsTo::of(&unit.program);
    let sliced = slice(&unit.program, &points_to, Criterion::Properties);
    let limits = RunLimits {
        steps: 10_000,
        depth: 1_000,
        memory: 1 << 22,
        uninitialised: Uninitialized::Input,
        trace: 100,
        ..RunLimits::default()
    };
    for program in [&unit.program, &sliced.program] {
        Executable::new(program).run(&mut RandomInputs::new(1, Vec::new()), &limits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_one() {
        let sources = c::preprocess::preprocessed("fuzz.i", PROGRAM, None);
        assert!(c::read(&sources, &c::Options::new(c::DataModel::Ilp32)).is_ok());
    }

    #[test]
    fn the_model_is_one() {
        assert!(model().is_some_and(|model| model.system().is_ok()));
    }
}
