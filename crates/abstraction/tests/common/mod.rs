//! What the tests share.
#![allow(dead_code, clippy::unwrap_used)]

use logic::Cancellation;
use logic::Term;
use std::path::Path;
use system::{SourceFile, TransitionSystem};

/// A model in Murphi, ready for abstraction.
pub(crate) fn lowered(text: &str) -> TransitionSystem {
    let file = SourceFile::new("test.m", text.to_owned());
    let (program, diagnostics) = murphi::parse(&file);
    let (model, more) = murphi::check(&program, &murphi::Options::default());
    let errors = diagnostics.iter().chain(&more).map(|d| d.render(&file, false));
    assert_eq!(errors.collect::<String>(), "", "{text}");
    let system = murphi::lower(&model).ok().unwrap().system;
    abstraction::formulas::instantiate_finite_parameters(&system, &Cancellation::new())
}

/// A model of the library.
pub(crate) fn library(name: &str) -> TransitionSystem {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    lowered(&std::fs::read_to_string(path).unwrap())
}

pub(crate) fn declared(system: &TransitionSystem) -> Vec<Term> {
    system.predicates.iter().map(|predicate| predicate.formula).collect()
}
