//! What tests about components share: a specification with its programs.
#![allow(clippy::unwrap_used, clippy::panic, dead_code)]

use conformance::assembly::{ClosedComponent, ConformanceProblem, System, SystemOptions, problems};
use conformance::specification::{self, Specification};
use conformance::verify::Options;
use driver::components::{self, Decided, Verdict};
use driver::{Answer, Context};
use smt::{SolverCommand, Solvers};
use std::path::{Path, PathBuf};
use system::{Diagnostic, SourceFile};
use unfold::Undefinedness;

pub(crate) fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/conformance")
}

/// A specification, and the programs that its components are in.
pub(crate) struct Subject {
    pub(crate) specification: Specification,
    pub(crate) questions: Vec<ConformanceProblem>,
    pub(crate) opened: Vec<Vec<ClosedComponent>>,
}

impl Subject {
    pub(crate) fn read(spec: &Path, files: &[PathBuf]) -> Subject {
        let (further, files): (Vec<PathBuf>, Vec<PathBuf>) = files
            .iter()
            .cloned()
            .partition(|file| file.extension().is_some_and(|extension| extension == "spec"));
        let read = |path: &Path| SourceFile::new(path.display().to_string(), std::fs::read_to_string(path).unwrap());
        let further = further.iter().map(|path| read(path)).collect();
        let specification = match specification::read(read(spec), further) {
            Ok(specification) => specification,
            Err(rejected) => {
                let found: Vec<String> = rejected
                    .diagnostics
                    .iter()
                    .map(|found| found.render(&rejected.sources, false))
                    .collect();
                panic!("{}", found.join("\n"));
            }
        };
        let defining = |name: &str| {
            let mut files = files.iter();
            files.find(|file| c::outline(file, &c::Options::default()).unwrap().defined.contains(name))
        };
        let questions = problems(&specification, &|name| defining(name).is_some());
        let open = |name: &str| {
            let options = c::Options {
                entry: name.to_owned(),
                specified: specification.specified(),
                ..c::Options::default()
            };
            let unit = c::read_file(defining(name).unwrap(), &options)
                .map_err(|e| e.diagnostics)
                .unwrap();
            ClosedComponent::new(name, &unit.program, &specification).unwrap()
        };
        let opened = questions
            .iter()
            .map(|question| {
                question
                    .components
                    .iter()
                    .map(|component| open(&component.text))
                    .collect()
            })
            .collect();
        Subject {
            specification,
            questions,
            opened,
        }
    }

    pub(crate) fn system(&self, number: usize, constants: bool) -> Result<System<'_>, Vec<Diagnostic>> {
        let making = SystemOptions {
            undefined: Undefinedness::Wraps,
            predicates: 64,
            constants,
            solvers: &Solvers::default(),
            is_over: &|| false,
        };
        System::new(
            &self.specification,
            &self.questions[number],
            &self.opened[number],
            &making,
        )
    }
}

/// What the header of a certificate says.
pub(crate) fn about() -> Vec<(&'static str, String)> {
    vec![("proves", "it".to_owned())]
}

/// A solver that runs as another program.
pub(crate) fn confirming() -> Vec<SolverCommand> {
    // The last one is z3, which is the fastest to start.
    let solvers: Vec<SolverCommand> = smt::installed_solvers().pop().into_iter().collect();
    assert!(!solvers.is_empty(), "no solver is installed: `make setup`");
    solvers
}

/// What is said of the first question of a specification: the verdict, or why there is none.
pub(crate) fn verdict(program: &str, text: &str) -> String {
    verdict_where(program, program, text)
}

/// The same where the system is that of one program, and runs are those of another.
pub(crate) fn verdict_where(program: &str, executed: &str, text: &str) -> String {
    let read = |program: &str| std::panic::catch_unwind(|| subject(program, text));
    let (subject, executed) = match (read(program), read(executed)) {
        (Ok(subject), Ok(executed)) => (subject, executed),
        (Err(panic), _) | (_, Err(panic)) => {
            return format!(
                "rejected: {}",
                panic.downcast_ref::<String>().cloned().unwrap_or_default()
            );
        }
    };
    let system = match subject.system(0, true) {
        Ok(system) => system,
        Err(found) => {
            return format!(
                "rejected: {}",
                found
                    .iter()
                    .map(|one| one.message.clone())
                    .collect::<Vec<_>>()
                    .join("; ")
            );
        }
    };
    match check(&system, &executed.opened[0], Options::default()) {
        Answer::Decided(decided) => match decided.verdict {
            Verdict::Safe(_) => "conforms".to_owned(),
            Verdict::Unsafe(_) => "violated".to_owned(),
            Verdict::Unknown(unknown) => format!("unknown: {}", unknown.reason),
        },
        Answer::Mistake(mistake) => format!("mistake: {}", mistake.message),
    }
}

/// What the driver says of a system.
pub(crate) fn check(system: &System, opened: &[ClosedComponent], options: Options) -> Answer<Decided> {
    let question = components::Question {
        system,
        opened,
        undefined: Undefinedness::Wraps,
        options,
        sources: Vec::new(),
        about: about(),
    };
    let context = Context::silent(Solvers::default());
    components::check(&question, &context).unwrap()
}

fn subject(program: &str, text: &str) -> Subject {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("cubist-verdict-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (spec, file) = (folder.join("a.spec"), folder.join("a.c"));
    std::fs::write(&spec, text).unwrap();
    std::fs::write(&file, program).unwrap();
    let subject = std::panic::catch_unwind(|| Subject::read(&spec, &[file]));
    std::fs::remove_dir_all(&folder).unwrap();
    subject.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
