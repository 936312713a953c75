//! What the rest of the program knows of a language: how to read a model, and what to ask it.
//!
//! A [`Language`] reads a text into a [`Model`]. From then on nobody needs to know which language it was: a model can
//! be had at other sizes, with further properties and predicates, as a finite instance and as a transition system,
//! and it says in its own words what reports are about.

use crate::TransitionSystem;
use crate::correspondence::Correspondence;
use crate::instance::Instance;
use crate::source::{Diagnostic, Role, Severity, SourceFile, Sources, Span};
use crate::transition::Predicate;
use logic::Cancellation;
use logic::substitute::functions_of;
use std::path::Path;

/// How a model is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Sizes of types, by name of the type or of the constant behind it.
    pub sizes: Vec<(String, i64)>,
    pub constants: Vec<(String, i64)>,
    /// Types that a proof must take at any size.
    pub parametric: Vec<String>,
    /// Types that a proof must take at the size that they have.
    pub fixed: Vec<String>,
    /// The integers that an instance has, where the model has no bounds for them.
    pub integers: Option<(i64, i64)>,
    /// Whether a proof is to show that no undefined value is read, where the language has such values.
    pub asserts_reads: bool,
    /// The language, by its name, where the name of the file is not to tell it.
    pub language: Option<String>,
}

impl ReadOptions {
    /// The same name given twice with different values: one of them is a slip.
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

    /// The same with these sizes, instead of others of the same names.
    #[must_use]
    pub fn with_sizes(&self, sizes: &[(String, i64)]) -> ReadOptions {
        let mut reading = self.clone();
        let is_replaced = |name: &String| sizes.iter().any(|(other, _)| other == name);
        reading.sizes.retain(|(name, _)| !is_replaced(name));
        reading.sizes.extend_from_slice(sizes);
        reading
    }
}

/// Why there is no model, or no instance or transition system of it.
#[derive(Clone, Debug)]
pub struct Rejected {
    pub sources: Sources,
    pub diagnostics: Vec<Diagnostic>,
}

impl Rejected {
    /// Where something is wrong with a file that was added to the model, only that is told: all else was told before.
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

/// A language that models are written in.
pub trait Language: Sync {
    fn name(&self) -> &'static str;

    /// How the names of its files end, without the dot.
    fn extension(&self) -> &'static str;

    fn words(&self) -> &'static Words;

    /// Whether models are meant to run on, so that one that does not is worth a word.
    fn has_deadlocks(&self) -> bool;

    /// The model, or all that is wrong with the file and with what is said about how to read it.
    fn read(&self, file: SourceFile, reading: &ReadOptions) -> Result<Box<dyn Model>, Rejected>;
}

/// What reports call the things that languages have different words for.
#[derive(Debug)]
pub struct Words {
    pub rule: &'static str,
    pub invariant: &'static str,
    /// What is said of a state that violates an invariant, where its name is of no help.
    pub violated: Option<&'static str>,
    /// What is known where this many invariants are never violated: the first half of a sentence.
    pub hold: fn(usize) -> String,
}

/// A model without errors, at certain sizes.
pub trait Model: Send + Sync {
    fn language(&self) -> &'static dyn Language;

    fn sources(&self) -> &Sources;

    /// Warnings and notes, in the order of their places.
    fn diagnostics(&self) -> &[Diagnostic];

    /// The types whose size is a parameter of the model, in the order of the file.
    fn sizes(&self) -> &[TypeSize];

    /// The same with these sizes of types. What was read is not read again.
    fn with_sizes(&self, sizes: &[(String, i64)]) -> Result<Box<dyn Model>, Rejected>;

    /// The same with the predicates or properties of one more file, in the language and in the scope of the model.
    fn with_file(&self, role: Role, file: SourceFile) -> Result<Box<dyn Model>, Rejected>;

    /// A single formula in the scope of the model, such as `exists p: P do busy[p] end`. What its index variables are
    /// the language says.
    fn formula(&self, file: SourceFile) -> Result<Predicate, Rejected>;

    /// The finite instance, with warnings about it.
    fn instance(&self) -> Result<(Instance, Vec<Diagnostic>), Rejected>;

    /// The same as a proof takes it: types that cannot be taken at any size have the size that they have here, which a
    /// note says, and there is a transition system. Sizes and notes of a model that did not come from here may still
    /// change so. An error where no sizes would help, or where one must be any as the reading says.
    fn for_proof(&self, cancellation: &Cancellation) -> Result<Box<dyn Model>, Rejected>;

    /// The transition system that proofs are about. It is made once.
    fn system(&self) -> Result<&TransitionSystem, Rejected>;

    /// Where values are read that may be undefined, which is an error in exploration, and which the transition system
    /// does not assert; the default place where none is known. Empty where there are no such values.
    fn possible_undefined_reads(&self, _: &Cancellation) -> Vec<Span> {
        Vec::new()
    }

    /// The same, where the transition system asserts that no undefined value is read.
    fn with_read_assertions(&self) -> Result<Box<dyn Model>, Rejected> {
        Err(Rejected::new(self.sources().clone(), Vec::new()))
    }

    /// The table between the transition system and an instance of this model.
    fn correspondence(&self, instance: &Instance) -> Option<Correspondence>;

    /// Whether anything in the model says what must not happen.
    fn has_something_to_check(&self) -> bool;

    /// What the model asks for that is no matter of safety.
    fn non_safety_properties(&self) -> NonSafetyProperties;
}

/// Properties that no invariant proves, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NonSafetyProperties {
    /// That some state is reached.
    pub covers: Vec<String>,
    pub liveness: Vec<String>,
}

/// The size at which a type is taken, and what a proof does with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeSize {
    pub name: String,
    pub size: i64,
    pub origin: SizeOrigin,
    pub in_proofs: InProofs,
    /// The least size at which the type has all elements that the model names.
    pub least: i64,
    /// The greatest size that the model allows, where it says so.
    pub most: Option<i64>,
    /// Whether the user can name it, to choose its size or to say how a proof takes it.
    pub has_name: bool,
    /// The constant that says how many elements there are, where one does: `N` of `scalarset(N)` and of `1..N`.
    pub constant: Option<String>,
    /// Whether a proof can be about its size only.
    pub can_be_fixed: bool,
    pub span: Span,
}

impl TypeSize {
    /// Whether a proof is about every size of the type.
    pub fn is_any(&self) -> bool {
        matches!(self.in_proofs, InProofs::AnySize { .. })
    }

    /// The same, of which something is known at the size that it has. A type without another size stays as it is.
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

    /// The type with the sizes at which a proof takes it, where these are not all: `P (from 3 on)`.
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

/// Who says how large a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOrigin {
    Declared,
    Chosen,
    /// Nobody.
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

/// What a front end says about files that add something to a model.
pub mod addition {
    use super::{Diagnostic, Role, SourceFile, Span, has_errors};

    /// What such a file consists of, as one and as many.
    fn words(role: Role) -> (&'static str, &'static str) {
        match role {
            Role::Predicates => ("predicate", "predicates"),
            Role::Model | Role::Properties | Role::Further | Role::Included | Role::Preprocessed => {
                ("property", "properties")
            }
        }
    }

    /// Something that belongs into the model.
    pub fn misplaced(file: &SourceFile, span: Span, allowed: &str) -> Diagnostic {
        let (_, what) = words(file.role());
        Diagnostic::error(span, format!("a file with {what} declares nothing else"))
            .label("this belongs into the model")
            .help(format!("only {allowed} may stand here"))
    }

    /// An error where the file adds nothing, and no other error says why.
    pub fn expect_some(file: &SourceFile, count: usize, example: &str, diagnostics: &mut Vec<Diagnostic>) {
        if count == 0 && !has_errors(diagnostics) {
            let (what, _) = words(file.role());
            let message = format!("there is no {what} in {}", file.name);
            let place = Span::new(file.id(), 0, 0);
            diagnostics.push(Diagnostic::error(place, message).help(format!("write `{example}`")));
        }
    }
}

/// What a formula must not be about, so that it can be used in the transition system of the model alone.
pub mod formula {
    use super::{Diagnostic, InProofs, Predicate, TransitionSystem, TypeSize, functions_of};

    /// An error where a type has any size only without the formula, so that it says nothing in what is about any size.
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

    /// An error where the formula needs something that the system does not have, such as the mark of values that may
    /// be undefined.
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
