//! The C front end: GNU C11, from text to [`system::program::Program`].
//!
//! preprocess (the installed preprocessor) → lex → parse ([`syntax`]) → check (types, layout, conversions: a tree) →
//! lower (control-flow automata). Each step returns what it made, and diagnostics.

mod check;
mod compatible;
mod constant;
mod layout;
mod lex;
mod library;
mod lower;
pub mod options;
mod outline;
pub mod parse;
mod places;
pub mod preprocess;
mod rules;
mod specification;
pub mod syntax;
mod tree;
mod types;

pub use lower::Assumed;
pub use options::{DataModel, Options, RuleFile};
pub use outline::{Outline, outline};
pub use specification::{Specification, specification};

use std::collections::BTreeMap;
use std::path::Path;
use system::program::Program;
use system::{Diagnostic, Rejected, Role, Severity, SourceFile, Sources};

/// A program that was read.
#[derive(Clone, Debug)]
pub struct Unit {
    pub program: Program,
    pub sources: Sources,
    /// Warnings and notes.
    pub diagnostics: Vec<Diagnostic>,
    /// Assumptions about code outside of the file.
    pub assumed: Vec<Assumed>,
    /// Its functions with bodies.
    pub defined: Vec<String>,
    /// The linker symbols of functions that declare one.
    pub symbols: BTreeMap<String, String>,
    /// The entry function.
    pub entry: String,
    /// Labels that must not be reached.
    pub error_labels: Vec<String>,
}

/// The stack of the reading thread, large enough for the deepest tree that the checker allows.
const STACK_BYTES: usize = 512 << 20;

/// Reads a file: `.i` is taken as preprocessed, all else goes through the preprocessor.
pub fn read_file(path: &Path, options: &Options) -> Result<Unit, Rejected> {
    let (sources, mut found) = preprocess::read(path, &options.preprocessing())?;
    match read(&sources, options) {
        Ok(mut unit) => {
            found.append(&mut unit.diagnostics);
            Ok(Unit {
                diagnostics: found,
                ..unit
            })
        }
        Err(mut rejected) => {
            found.append(&mut rejected.diagnostics);
            Err(Rejected {
                diagnostics: found,
                ..rejected
            })
        }
    }
}

/// Reads a preprocessed program.
pub fn read(sources: &Sources, options: &Options) -> Result<Unit, Rejected> {
    let outcome = std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK_BYTES);
        let reading = reader.spawn_scoped(scope, || read_here(sources, options)).ok()?;
        Some(reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    outcome.unwrap_or_else(|| {
        let message = "there is not enough memory to read this program";
        Err(rejected(
            sources,
            vec![Diagnostic::error(system::Span::default(), message)],
        ))
    })
}

fn read_here(sources: &Sources, options: &Options) -> Result<Unit, Rejected> {
    let mut read = read_with_rules(sources, options);
    let diagnostics = match &mut read {
        Ok(unit) => &mut unit.diagnostics,
        Err(rejected) => &mut rejected.diagnostics,
    };
    rules::in_own_names(diagnostics, options.rules.len());
    read
}

fn read_with_rules(sources: &Sources, options: &Options) -> Result<Unit, Rejected> {
    let (sources, mut rules, mut diagnostics) = rules::add(sources, &options.rules);
    if !diagnostics.is_empty() {
        return Err(rejected(&sources, diagnostics));
    }
    let pieces: Vec<rules::Piece> = rules.iter().flat_map(|rule| rule.pieces.clone()).collect();
    let mut parsed = parse::parse_with(&sources, &pieces);
    diagnostics.append(&mut parsed.diagnostics);
    diagnostics.extend(rules::declare(&mut parsed.unit, &mut rules));
    let with_library = sources.with_file(Role::Included, SourceFile::new("the C library", library::TEXT));
    let library = parse::parse_file(&with_library, with_library.last(), &[]).unit;
    let (unit, found) = check::check(&library, &parsed.unit, options);
    diagnostics.extend(found);
    if diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return Err(rejected(&sources, diagnostics));
    }
    let names = rules::Names::new(&unit);
    names.refuse_lost(&unit, &rules, &mut diagnostics);
    if diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return Err(rejected(&sources, diagnostics));
    }
    let events = rules.iter().flat_map(|rule| &rule.events);
    let of_rules = lower::RuleFunctions {
        handlers: events.map(|event| event.handler.clone()).collect(),
        watched: names.watched(&unit, &rules),
        variables: rules.iter().flat_map(|rule| rule.variables.clone()).collect(),
    };
    let ids = (0..).map(tree::FunctionId).zip(&unit.functions);
    let defined = ids.filter(|(id, function)| function.definition.is_some() && !unit.is_of_library(*id));
    let symbols = unit
        .functions
        .iter()
        .filter_map(|function| Some((function.name.clone(), function.symbol.clone()?)));
    match lower::lower(&unit, options, &of_rules, &with_library) {
        Ok(mut lowered) => {
            diagnostics.extend(lowered.diagnostics);
            outline::name_parameters(&mut lowered.program, &parsed.unit);
            diagnostics.extend(rules::weave(&mut lowered.program, &rules, &names, &lowered.functions));
            if diagnostics.iter().any(|found| found.severity == Severity::Error) {
                return Err(rejected(&sources, diagnostics));
            }
            let uses_library = lowered.program.procedures.iter().any(|procedure| procedure.is_library);
            Ok(Unit {
                program: lowered.program,
                sources: if uses_library { with_library } else { sources },
                diagnostics,
                assumed: lowered.assumed,
                defined: defined.map(|(_, function)| function.name.clone()).collect(),
                symbols: symbols.collect(),
                entry: options.entry.clone(),
                error_labels: options.error_labels.clone(),
            })
        }
        Err(errors) => {
            diagnostics.extend(errors);
            Err(rejected(&sources, diagnostics))
        }
    }
}

/// Builds the rejection with all diagnostics.
fn rejected(sources: &Sources, diagnostics: Vec<Diagnostic>) -> Rejected {
    Rejected {
        sources: sources.clone(),
        diagnostics,
    }
}
