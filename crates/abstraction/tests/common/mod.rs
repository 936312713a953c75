//! What the tests share.
#![allow(dead_code, clippy::unwrap_used)]

use logic::Cancellation;
use logic::Term;
use std::path::Path;
use system::{SourceFile, Sources, TransitionSystem};

/// Its proof needs a predicate that is to be found.
pub(crate) const LOCK: &str = "\
type P: scalarset(3);
var place: array [P] of enum { idle, wants, busy }; free: boolean;
startstate begin for p: P do place[p] := idle; end; free := true; end;
ruleset p: P do
  rule \"want\" place[p] = idle ==> begin place[p] := wants; end;
  rule \"enter\" place[p] = wants & free ==> begin place[p] := busy; free := false; end;
  rule \"leave\" place[p] = busy ==> begin place[p] := idle; free := true; end;
end;
invariant \"alone\" forall p: P do forall q: P do p != q -> !(place[p] = busy & place[q] = busy) end end;
";

/// A model in Murphi, ready for abstraction.
pub(crate) fn lowered(text: &str) -> TransitionSystem {
    let file = SourceFile::new("test.m", text.to_owned());
    let (program, diagnostics) = murphi::parse(&file);
    let (model, more) = murphi::check(&program, &murphi::CheckOptions::default());
    let errors = diagnostics
        .iter()
        .chain(&more)
        .map(|d| d.render(&Sources::from(&file), false));
    assert_eq!(errors.collect::<String>(), "", "{text}");
    let system = murphi::lower(&model).ok().unwrap().system;
    deduction::parameters::instantiate_finite_parameters(&system, &Cancellation::new())
}

/// A model of the library.
pub(crate) fn library(name: &str) -> TransitionSystem {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    lowered(&std::fs::read_to_string(path).unwrap())
}

pub(crate) fn declared(system: &TransitionSystem) -> Vec<Term> {
    system.predicates.iter().map(|predicate| predicate.formula).collect()
}
