//! The interface of a front end to the rest of the program.
//!
//! A [`Language`] reads a text into a [`Model`]. Everything downstream is independent of the language: a model can be
//! instantiated at other sizes, extended by properties and predicates, compiled to a finite instance and lowered to a
//! transition system, and it supplies the wording of reports.

use crate::TransitionSystem;
use crate::correspondence::Correspondence;
use crate::instance::Instance;
use crate::source::{Diagnostic, Role, Severity, SourceFile, Sources, Span};
use crate::transition::Predicate;
use logic::Cancellation;
use logic::substitute::functions_of;
use std::path::Path;

/// Options for reading a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Sizes of types, by the name of the type or of the constant that defines its size.
    pub sizes: Vec<(String, i64)>,
    pub constants: Vec<(String, i64)>,
    /// Types that a proof must cover at every size.
    pub parametric: Vec<String>,
    /// Types that a proof must cover at their declared size only.
    pub fixed: Vec<String>,
    /// The range of integers in an instance of a model with unbounded integers.
    pub integers: Option<(i64, i64)>,
    /// Whether a proof must show that no undefined value is read, in languages that have such values.
    pub asserts_reads: bool,
    /// The name of the language, overriding the file extension.
    pub language: Option<String>,
}

impl ReadOptions {
    /// Reports names that are given two different values.
    pub fn contradictions(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (option, pairs) in [("--size", &self.sizes), ("--const", &self.constants)] {
            for (number, (name, value)) in pairs.iter().enumerate() {
                if let Some((_, earlier)) = pairs[..number].iter().find(|(n, v)| n == name && v != value) {
                    let message = format!("{option} gives `{name}` both {earlier} and {value}");
                    found.push(Diagnostic::error(Span::default(), message));
                }
            }
        }
        found
    }

    /// These options with some sizes replaced.
    #[must_use]
    pub fn with_sizes(&self, sizes: &[(String, i64)]) -> ReadOptions {
        let mut reading = self.clone();
        let is_replaced = |name: &String| sizes.iter().any(|(other, _)| other == name);
        reading.sizes.retain(|(name, _)| !is_replaced(name));
        reading.sizes.extend_from_slice(sizes);
        reading
    }
}

/// Why a model was rejected, or has no instance or transition system.
#[derive(Clone, Debug)]
pub struct Rejected {
    pub sources: Sources,
    pub diagnostics: Vec<Diagnostic>,
}

impl Rejected {
    /// If a file added to the model is wrong, reports only that file: the model itself was reported before.
    pub fn new(sources: Sources, mut diagnostics: Vec<Diagnostic>) -> Rejected {
        let is_wrong = |file: &&SourceFile| {
            let mut errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
            errors.any(|error| error.span.file == file.id())
        };
        if let Some(id) = sources.additions().find(is_wrong).map(SourceFile::id) {
            diagnostics.retain(|found| found.span.file == id && found.severity != Severity::Note);
        }
        Rejected { sources, diagnostics }
    }
}

impl std::fmt::Display for Rejected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} problems", self.sources.last().name, self.diagnostics.len())
    }
}

impl std::error::Error for Rejected {}

/// A modelling language.
pub trait Language: Sync {
    fn name(&self) -> &'static str;

    /// The file extension, without the dot.
    fn extension(&self) -> &'static str;

    fn words(&self) -> &'static Words;

    /// Whether models are meant to run forever, so that a deadlock is worth reporting.
    fn has_deadlocks(&self) -> bool;

    /// Reads a model, or returns all errors in the file and in the options.
    fn read(&self, file: SourceFile, reading: &ReadOptions) -> Result<Box<dyn Model>, Rejected>;
}

/// The wording of reports, which differs between languages.
#[derive(Debug)]
pub struct Words {
    pub rule: &'static str,
    pub invariant: &'static str,
    /// The description of a state that violates an invariant whose name does not help.
    pub violated: Option<&'static str>,
    /// The first half of a sentence: what holds if this many invariants are never violated.
    pub hold: fn(usize) -> String,
}

/// A model without errors, at given sizes.
pub trait Model: Send + Sync {
    fn language(&self) -> &'static dyn Language;

    fn sources(&self) -> &Sources;

    /// Warnings and notes, in source order.
    fn diagnostics(&self) -> &[Diagnostic];

    /// The types whose size is a parameter of the model, in source order.
    fn sizes(&self) -> &[TypeSize];

    /// The model with other sizes of types. The source is not parsed again.
    fn with_sizes(&self, sizes: &[(String, i64)]) -> Result<Box<dyn Model>, Rejected>;

    /// The model extended by the predicates or properties of another file, which may use everything that the model
    /// declares.
    fn with_file(&self, role: Role, file: SourceFile) -> Result<Box<dyn Model>, Rejected>;

    /// A single formula in the scope of the model, such as `exists p: P do busy[p] end`. The language defines its index
    /// variables.
    fn formula(&self, file: SourceFile) -> Result<Predicate, Rejected>;

    /// Compiles the finite instance; returns warnings with it.
    fn instance(&self) -> Result<(Instance, Vec<Diagnostic>), Rejected>;

    /// The model as a proof takes it: it has a transition system, and types that cannot be parametric get their current
    /// size, with a note. On a model that is not the result of this method, sizes and notes may still change in this
    /// way. An error if no choice of sizes helps, or if the options demand that such a type is parametric.
    fn for_proof(&self, cancellation: &Cancellation) -> Result<Box<dyn Model>, Rejected>;

    /// The transition system that proofs are about. It is computed once.
    fn system(&self) -> Result<&TransitionSystem, Rejected>;

    /// Reads of possibly undefined values, which exploration reports as errors and the transition system does not
    /// assert; a default span if the place is unknown. Empty if the language has no undefined values.
    fn possible_undefined_reads(&self, _: &Cancellation) -> Vec<Span> {
        Vec::new()
    }

    /// The model whose transition system asserts that no undefined value is read.
    fn with_read_assertions(&self) -> Result<Box<dyn Model>, Rejected> {
        Err(Rejected::new(self.sources().clone(), Vec::new()))
    }

    /// The correspondence between the transition system and an instance of this model.
    fn correspondence(&self, instance: &Instance) -> Option<Correspondence>;

    /// Whether the model states anything that must not happen.
    fn has_something_to_check(&self) -> bool;

    /// The properties of the model that are not safety properties.
    fn non_safety_properties(&self) -> NonSafetyProperties;
}

/// Properties that no invariant proves, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NonSafetyProperties {
    /// Some reachable state must satisfy it.
    pub covers: Vec<String>,
    pub liveness: Vec<String>,
}

/// The size of a type, and how a proof treats it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeSize {
    pub name: String,
    pub size: i64,
    pub origin: SizeOrigin,
    pub in_proofs: InProofs,
    /// The smallest size at which the type has all elements that the model names.
    pub least: i64,
    /// The largest size that the model permits, if it limits it.
    pub most: Option<i64>,
    /// Whether the user can name the type in options.
    pub has_name: bool,
    /// The constant that determines the size, if there is one: `N` of `scalarset(N)` and of `1..N`.
    pub constant: Option<String>,
    /// Whether a proof covers only its current size.
    pub can_be_fixed: bool,
    pub span: Span,
}

impl TypeSize {
    /// Whether a proof covers every size of the type.
    pub fn is_any(&self) -> bool {
        matches!(self.in_proofs, InProofs::AnySize { .. })
    }

    /// The type restricted to its current size in proofs. A type of fixed size stays as it is.
    #[must_use]
    pub fn as_written(&self) -> TypeSize {
        let in_proofs = match &self.in_proofs {
            InProofs::AnySize { .. } => InProofs::Fixed {
                reason: "as written".to_owned(),
                span: self.span,
            },
            fixed @ InProofs::Fixed { .. } => fixed.clone(),
        };
        TypeSize {
            in_proofs,
            ..self.clone()
        }
    }

    /// The type with the range of sizes that a proof covers, if that is restricted: `P (from 3 on)`.
    pub fn range(&self) -> String {
        let name = &self.name;
        match (self.least, self.most) {
            (..=1, None) => name.clone(),
            (least, None) => format!("{name} (from {least} on)"),
            (..=1, Some(most)) => format!("{name} (up to {most})"),
            (least, Some(most)) if least == most => format!("{name} (exactly {most})"),
            (least, Some(most)) => format!("{name} (from {least} to {most})"),
        }
    }
}

/// Where the size of a type comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOrigin {
    Declared,
    Chosen,
    /// Neither the model nor the user gives a size.
    Default,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InProofs {
    /// With distinguished elements, such as a home node.
    AnySize {
        literals: Vec<i64>,
    },
    Fixed {
        reason: String,
        span: Span,
    },
}

pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|found| found.severity == Severity::Error)
}

/// The language of a file, by its extension.
pub fn language_of(path: &Path, languages: &[&'static dyn Language]) -> Result<&'static dyn Language, Diagnostic> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    if let Some(language) = languages.iter().find(|known| Some(known.extension()) == extension) {
        return Ok(*language);
    }
    let message = match extension {
        Some(extension) => format!("no language has the extension `.{extension}`"),
        None => format!("the name `{}` has no extension that tells its language", path.display()),
    };
    let models = languages.iter().enumerate().map(|(number, language)| {
        let end = if number == 0 { " end" } else { "" };
        format!("{} models{end} in `.{}`", language.name(), language.extension())
    });
    let help = models.collect::<Vec<_>>().join(", ") + "; `--language` tells it, too";
    Err(Diagnostic::error(Span::default(), message).help(help))
}

/// Diagnostics about files that extend a model.
pub mod addition {
    use super::{Diagnostic, Role, SourceFile, Span, has_errors};

    /// The singular and the plural of what such a file contains.
    fn words(role: Role) -> (&'static str, &'static str) {
        match role {
            Role::Predicates => ("predicate", "predicates"),
            Role::Model | Role::Properties | Role::Further | Role::Included | Role::Preprocessed => {
                ("property", "properties")
            }
        }
    }

    /// An item that belongs into the model itself.
    pub fn misplaced(file: &SourceFile, span: Span, allowed: &str) -> Diagnostic {
        let (_, what) = words(file.role());
        Diagnostic::error(span, format!("a file with {what} declares nothing else"))
            .label("this belongs into the model")
            .help(format!("only {allowed} may stand here"))
    }

    /// An error if the file adds nothing and no other error explains why.
    pub fn expect_some(file: &SourceFile, count: usize, example: &str, diagnostics: &mut Vec<Diagnostic>) {
        if count == 0 && !has_errors(diagnostics) {
            let (what, _) = words(file.role());
            let message = format!("there is no {what} in {}", file.name);
            let place = Span::new(file.id(), 0, 0);
            diagnostics.push(Diagnostic::error(place, message).help(format!("write `{example}`")));
        }
    }
}

/// Restrictions on a formula that is evaluated in the transition system of the model alone.
pub mod formula {
    use super::{Diagnostic, InProofs, Predicate, TransitionSystem, TypeSize, functions_of};

    /// An error if the formula makes a parametric type fixed, so that it has no meaning in a proof about every size.
    pub fn same_sizes(before: &[TypeSize], after: &[TypeSize], subject: &str) -> Result<(), Diagnostic> {
        let was_any = |name: &str| before.iter().any(|size| size.name == name && size.is_any());
        for size in after {
            if let InProofs::Fixed { reason, span } = &size.in_proofs
                && was_any(&size.name)
            {
                let message = format!("{subject} is about any number of {}, and this is not", size.name);
                return Err(Diagnostic::error(*span, message).label(reason.clone()));
            }
        }
        Ok(())
    }

    /// An error if the formula needs a symbol that the system lacks, such as a definedness mark.
    pub fn known_to(system: &TransitionSystem, predicate: &Predicate) -> Result<(), Diagnostic> {
        let symbols = || system.state.iter().chain(&system.rigid);
        let is_known = |function| symbols().any(|symbol| symbol.function == function);
        if functions_of(predicate.formula).into_iter().all(is_known) {
            return Ok(());
        }
        let message = "this needs more of the state than the model itself does";
        Err(Diagnostic::error(predicate.span, message)
            .label("nothing in the model asks for this")
            .help("write it into the model, or into a file for `--predicates`"))
    }
}
