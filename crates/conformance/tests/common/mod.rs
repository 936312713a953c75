//! What tests about components share: a specification with its programs.
#![allow(dead_code)]

use conformance::assembly::{Making, Opened, Question, System, questions};
use conformance::specification::{self, Specification};
use smt::Solvers;
use std::path::{Path, PathBuf};
use system::{Diagnostic, SourceFile};
use unfold::Undefinedness;

pub(crate) fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/conformance")
}

/// A specification, and the programs that its components are in.
pub(crate) struct Subject {
    pub(crate) specification: Specification,
    pub(crate) questions: Vec<Question>,
    pub(crate) opened: Vec<Vec<Opened>>,
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
        let questions = questions(&specification, &|name| defining(name).is_some());
        let open = |name: &str| {
            let options = c::Options {
                entry: name.to_owned(),
                ..c::Options::default()
            };
            let unit = c::read_file(defining(name).unwrap(), &options)
                .map_err(|e| e.diagnostics)
                .unwrap();
            Opened::new(name, &unit.program, &specification).unwrap()
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
        let making = Making {
            undefined: Undefinedness::Wraps,
            predicates: 32,
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
