//! The declarations of a file, without semantic analysis.

use crate::options::Options;
use crate::syntax::{Declarator, Derivation, Item, Parameters, Storage, TranslationUnit};
use crate::{parse, preprocess};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use system::program::{Body, Procedure, Program};
use system::{Rejected, Sources, Span};

/// The names in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// Functions with bodies.
    pub defined: BTreeSet<String>,
    /// Those of them with external linkage, with their locations.
    pub offered: BTreeMap<String, String>,
    /// All functions.
    pub functions: BTreeSet<String>,
    /// Variables with external linkage.
    pub shared: BTreeSet<String>,
}

/// Parses only declarations. Errors are left to the full parser.
pub fn outline(path: &Path, options: &Options) -> Result<Outline, Rejected> {
    let (sources, _) = preprocess::read(path, &options.preprocessing())?;
    let mut outline = Outline::default();
    for item in parse::parse(&sources).unit.items {
        match item {
            Item::Function(function) => {
                let is_own = function
                    .specifiers
                    .storage
                    .iter()
                    .any(|(own, _)| *own == Storage::Static);
                if let (Some(name), false) = (&function.declarator.name, is_own) {
                    outline.offered.insert(name.text.clone(), place(&sources, name.span));
                }
                let name = function.declarator.name.map(|name| name.text);
                outline.functions.extend(name.clone());
                outline.defined.extend(name);
            }
            Item::Declaration(declaration) => {
                let has = |storage: Storage| declaration.specifiers.storage.iter().any(|(own, _)| *own == storage);
                if has(Storage::Typedef) {
                    continue;
                }
                for declared in &declaration.declarators {
                    let name = declared.declarator.name.as_ref().map(|name| name.text.clone());
                    match declared.declarator.derivations.last() {
                        Some(Derivation::Function(..)) => outline.functions.extend(name),
                        _ if has(Storage::Static) => {}
                        _ => outline.shared.extend(name),
                    }
                }
            }
            Item::StaticAssertion(_) | Item::Assembler(_) => {}
        }
    }
    Ok(outline)
}

/// `queue.c:12`, in the user's file.
fn place(sources: &Sources, span: Span) -> String {
    let file = sources.file(span);
    let (name, line) = match file.origin(span.start) {
        Some((name, line)) => (name, line),
        None => (file.name.as_str(), file.position(span.start).0),
    };
    format!("{name}:{line}")
}

/// Names the parameters of functions without bodies according to their declarations.
pub(crate) fn name_parameters(program: &mut Program, unit: &TranslationUnit) {
    let is_bodiless = |procedure: &Procedure| !matches!(procedure.body, Body::Automaton(_));
    for item in &unit.items {
        let Item::Declaration(declaration) = item else { continue };
        for declared in &declaration.declarators {
            let Declarator { name, derivations, .. } = &declared.declarator;
            let (Some(name), Some(Derivation::Function(Parameters::Types { parameters, .. }, _))) =
                (name, derivations.last())
            else {
                continue;
            };
            let is_it = |procedure: &&Procedure| procedure.name == name.text && is_bodiless(procedure);
            let Some(procedure) = program.procedures.iter().find(is_it) else {
                continue;
            };
            for (variable, parameter) in procedure.parameters.iter().zip(parameters) {
                if let Some(name) = &parameter.declarator.name {
                    program.variables[variable.index()].name.clone_from(&name.text);
                }
            }
        }
    }
}
