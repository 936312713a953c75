//! From a path to a checked model, whichever language it is in.
//!
//! Whatever is wrong with the file or with what the options say about it comes back as [`Rejected`]: all diagnostics of
//! one run, each with its place.

mod additions;

pub use additions::{Addition, Content};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use system::correspondence::Correspondence;
use system::instance::Instance;
use system::transition::Predicate;
use system::{Diagnostic, Severity, SourceFile, Span, TransitionSystem};

/// Far beyond any model; spans count bytes in 32 bits.
const LARGEST_FILE: u64 = 64 << 20;

/// How many processes a Cubicle model gets when nobody says.
const DEFAULT_PROCESSES: i64 = 3;

/// Which file is to be read, and how.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    pub file: PathBuf,
    /// By the name of the type, or of the constant that is its size.
    pub sizes: Vec<(String, i64)>,
    pub constants: Vec<(String, i64)>,
    /// Types that a proof must take at any size, and such that it takes at theirs.
    pub parametric: Vec<String>,
    pub fixed: Vec<String>,
    /// The values of an unbounded integer in finite instances.
    pub integers: Option<(i64, i64)>,
}

/// A model without errors.
pub struct Input {
    pub file: SourceFile,
    /// Warnings and notes.
    pub diagnostics: Vec<Diagnostic>,
    pub model: Model,
    /// The types whose size is a parameter of the model, in the order of the file.
    pub sizes: Vec<TypeSize>,
    /// What other files add to the model.
    pub additions: Vec<Addition>,
    integers: Option<(i64, i64)>,
}

pub enum Model {
    Murphi(Box<murphi::model::Model>),
    Cubicle {
        model: Box<cubicle::model::Model>,
        processes: i64,
    },
}

/// The size at which a type is taken, and what a proof does with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeSize {
    pub name: String,
    pub size: i64,
    pub origin: Origin,
    pub in_proofs: InProofs,
    /// The least size at which the type has all elements that the model names.
    pub least: i64,
    /// The greatest size that the model allows, where it says so.
    pub most: Option<i64>,
    pub span: Span,
}

impl TypeSize {
    /// Whether a proof is about every size of the type.
    pub fn is_any(&self) -> bool {
        matches!(self.in_proofs, InProofs::AnySize { .. })
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
pub enum Origin {
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

/// Why there is no model, or no instance of it.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {} problems", diagnostics.len(), file = file.name)]
pub struct Rejected {
    pub file: SourceFile,
    pub diagnostics: Vec<Diagnostic>,
}

impl Input {
    pub fn read(reading: &Reading) -> Result<Input, Rejected> {
        Input::read_with(reading, &[])
    }

    /// Reads a model, and files that add something to it.
    pub fn read_with(reading: &Reading, files: &[(Content, &Path)]) -> Result<Input, Rejected> {
        let name = reading.file.to_string_lossy().into_owned();
        let reject = |diagnostic: Diagnostic| Rejected {
            file: SourceFile::new(name.clone(), ""),
            diagnostics: vec![diagnostic],
        };
        let language = language(&reading.file).map_err(reject)?;
        let text = read_text(&reading.file).map_err(reject)?;
        let file = SourceFile::new(name.clone(), text);
        let repeated = repeated_options(reading);
        if !repeated.is_empty() {
            return Err(Rejected {
                file,
                diagnostics: repeated,
            });
        }
        let read = match language {
            Language::Murphi => read_murphi,
            Language::Cubicle => read_cubicle,
        };
        let input = read(file, reading, Vec::new())?;
        if files.is_empty() {
            return Ok(input);
        }
        // Only now: mistakes of the model are not to be told twice.
        let mut offset = input.file.text.len();
        let mut additions = Vec::new();
        for (content, path) in files {
            let addition = Addition::read(*content, path, offset)?;
            offset = addition.end();
            additions.push(addition);
        }
        read(input.file, reading, additions)
    }

    /// The file that a place lies in, and the place in it.
    pub fn locate(&self, span: Span) -> (&SourceFile, Span) {
        match self.additions.iter().find(|addition| addition.is_here(span)) {
            Some(addition) => (&addition.file, addition.shift(span)),
            None => (&self.file, span),
        }
    }

    /// Warnings and notes, with the file that they are about.
    pub fn diagnostics_by_file(&self) -> Vec<(&SourceFile, Vec<Diagnostic>)> {
        let mut of_model = self.diagnostics.clone();
        let take = |addition: &Addition| addition.take(&mut of_model, &self.file);
        let others: Vec<Vec<Diagnostic>> = self.additions.iter().map(take).collect();
        let files = self.additions.iter().map(|addition| &addition.file);
        std::iter::once((&self.file, of_model))
            .chain(files.zip(others))
            .collect()
    }

    /// A type that is taken at any size, and could be taken at its own.
    pub fn can_be_fixed(&self) -> Option<&TypeSize> {
        let is_murphi = matches!(self.model, Model::Murphi(_));
        self.sizes.iter().find(|size| size.is_any() && is_murphi)
    }

    /// Whether this is part of a file of further properties.
    pub fn is_further(&self, span: Span) -> bool {
        let mut further = self.additions.iter().filter(|a| a.content == Content::Further);
        further.any(|addition| addition.is_here(span))
    }

    pub fn language(&self) -> &'static str {
        match self.model {
            Model::Murphi(_) => "Murphi",
            Model::Cubicle { .. } => "Cubicle",
        }
    }

    /// The predicates that the user wants to be used: those of the model unless they are to be ignored, and those of a file.
    pub(crate) fn user_predicates<'s>(&self, system: &'s TransitionSystem, ignore: bool) -> &'s [Predicate] {
        let all = &system.predicates;
        let of_predicates = |addition: &&Addition| addition.content == Content::Predicates;
        let additions = self.additions.iter().filter(of_predicates);
        let in_file: usize = additions.map(|addition| addition.count).sum();
        let skipped = if ignore { all.len().saturating_sub(in_file) } else { 0 };
        &all[skipped..]
    }

    /// Whether a predicate with index variables is a claim about all elements, as a hint of a Cubicle model is.
    pub(crate) fn predicates_are_claims(&self) -> bool {
        matches!(self.model, Model::Cubicle { .. })
    }

    /// Whether a state that no rule leaves is a mistake in this language.
    pub fn has_deadlocks(&self) -> bool {
        matches!(self.model, Model::Murphi(_))
    }

    /// The finite instance, with warnings added to the input's own.
    pub fn instance(&mut self) -> Result<Instance, Rejected> {
        let (instance, mut diagnostics) = match &self.model {
            Model::Murphi(model) => {
                let mut options = murphi::CompileOptions::default();
                options.integer_window = self.integers.unwrap_or(options.integer_window);
                murphi::compile(model, &options)
            }
            Model::Cubicle { model, processes } => {
                let mut options = cubicle::CompileOptions::default();
                options.processes = u32::try_from(*processes).unwrap_or(u32::MAX);
                options.integer_window = self.integers.unwrap_or(options.integer_window);
                cubicle::compile(model, &options)
            }
        };
        if has_errors(&diagnostics) {
            return Err(Rejected {
                file: self.file.clone(),
                diagnostics,
            });
        }
        self.diagnostics.append(&mut diagnostics);
        Ok(instance)
    }

    /// The table between the transition system and an instance of this input.
    pub fn correspondence(&self, instance: &Instance) -> Option<Correspondence> {
        match &self.model {
            Model::Murphi(model) => Some(murphi::lower(model).ok()?.correspondence(model, instance)),
            Model::Cubicle { model, .. } => Some(cubicle::lower(model).ok()?.correspondence(model, instance)),
        }
    }

    /// The transition system that proofs are about.
    pub fn system(&self) -> Result<TransitionSystem, Rejected> {
        let lowered = match &self.model {
            Model::Murphi(model) => murphi::lower(model).map(|lowered| lowered.system),
            Model::Cubicle { model, .. } => cubicle::lower(model).map(|lowered| lowered.system),
        };
        lowered.map_err(|diagnostics| reject(self.file.clone(), &self.additions, diagnostics))
    }
}

enum Language {
    Murphi,
    Cubicle,
}

fn language(path: &Path) -> Result<Language, Diagnostic> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("m") => Ok(Language::Murphi),
        Some("cub") => Ok(Language::Cubicle),
        other => {
            let message = match other {
                Some(extension) => format!("no language has the extension `.{extension}`"),
                None => format!("the name `{}` has no extension that tells its language", path.display()),
            };
            let help = "Murphi models end in `.m`, Cubicle models in `.cub`";
            Err(Diagnostic::error(Span::default(), message).help(help))
        }
    }
}

/// The text without a byte order mark.
fn read_text(path: &Path) -> Result<String, Diagnostic> {
    let shown = path.display();
    let complaint = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file `{shown}`"),
        io::ErrorKind::IsADirectory => format!("`{shown}` is a folder, not a model"),
        io::ErrorKind::PermissionDenied => format!("no permission to read `{shown}`"),
        _ => format!("cannot read `{shown}`: {error}"),
    };
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| Diagnostic::error(Span::default(), complaint(error)))?;
    if bytes.len() as u64 > LARGEST_FILE {
        let message = format!(
            "`{shown}` is larger than {} MB, too large for a model",
            LARGEST_FILE >> 20
        );
        return Err(Diagnostic::error(Span::default(), message));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned)),
        Err(error) => {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
            let byte = error.as_bytes()[valid.len()];
            let message = format!("`{shown}` is not UTF-8 text: line {line} has the byte 0x{byte:02x}");
            Err(Diagnostic::error(Span::default(), message)
                .help("if it is Latin-1, `iconv -f latin1 -t utf-8` converts it"))
        }
    }
}

/// The same name given twice with different values: one of them is a slip.
fn repeated_options(reading: &Reading) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (option, pairs) in [("--size", &reading.sizes), ("--const", &reading.constants)] {
        for (number, (name, value)) in pairs.iter().enumerate() {
            if let Some((_, earlier)) = pairs[..number].iter().find(|(n, v)| n == name && v != value) {
                let message = format!("{option} gives `{name}` both {earlier} and {value}");
                found.push(Diagnostic::error(Span::default(), message));
            }
        }
    }
    found
}

/// What is wrong, in whichever file has the first errors.
fn reject(file: SourceFile, additions: &[Addition], mut diagnostics: Vec<Diagnostic>) -> Rejected {
    for addition in additions {
        let own = addition.take(&mut diagnostics, &file);
        if has_errors(&own) {
            let file = addition.file.clone();
            return Rejected { file, diagnostics: own };
        }
    }
    Rejected { file, diagnostics }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|found| found.severity == Severity::Error)
}

fn read_murphi(file: SourceFile, reading: &Reading, mut additions: Vec<Addition>) -> Result<Input, Rejected> {
    let options = murphi::Options {
        sizes: reading.sizes.iter().cloned().collect(),
        constants: reading.constants.iter().cloned().collect(),
        parametric: reading.parametric.iter().cloned().collect(),
        fixed: reading.fixed.iter().cloned().collect(),
    };
    let (mut program, mut diagnostics) = murphi::parse(&file);
    let alone = (!additions.is_empty()).then(|| murphi::check(&program, &options).0);
    for addition in &mut additions {
        diagnostics.extend(addition.add_to_murphi(&mut program));
    }
    let syntax_is_broken = has_errors(&diagnostics);
    let (model, found) = murphi::check(&program, &options);
    diagnostics.extend(found);
    if alone.is_some_and(|alone| alone.is_cmurphi_only() != model.is_cmurphi_only()) {
        let message = "a property or predicate uses a union or multiset, and the model has none";
        let help =
            "a file with unions or multisets is one for CMurphi, and what it says could mean something else then";
        diagnostics.push(Diagnostic::error(Span::default(), message).help(help));
    }
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
    if syntax_is_broken || has_errors(&diagnostics) {
        return Err(reject(file, &additions, diagnostics));
    }
    // What the file says, to tell it from what the options say.
    let declared = if reading.sizes.is_empty() && reading.constants.is_empty() {
        None
    } else {
        Some(murphi_sizes(&murphi::check(&program, &murphi::Options::default()).0))
    };
    let mut sizes = murphi_sizes(&model);
    for size in &mut sizes {
        let as_declared = |other: &TypeSize| other.span == size.span && other.size == size.size;
        let asked_for = reading.sizes.iter().any(|(name, _)| *name == size.name);
        if asked_for || declared.as_ref().is_some_and(|all| !all.iter().any(as_declared)) {
            size.origin = Origin::Chosen;
        }
    }
    Ok(Input {
        file,
        diagnostics,
        sizes,
        model: Model::Murphi(Box::new(model)),
        additions,
        integers: reading.integers,
    })
}

fn murphi_sizes(model: &murphi::model::Model) -> Vec<TypeSize> {
    use murphi::model::{Outcome, TypeKind};
    // The first element, and how many there are.
    let size_of = |ty: murphi::model::TypeId| match model.kind(ty) {
        TypeKind::Scalarset { size } => Some((0, *size)),
        TypeKind::Range { low, high } => Some((*low, high.saturating_sub(*low).saturating_add(1))),
        _ => None,
    };
    let position = |literal: &i64, low: i64| literal.saturating_sub(low).saturating_add(1);
    let decisions = model.decisions.iter();
    decisions
        .filter_map(|decision| {
            let (low, size) = size_of(*decision.types.first()?)?;
            let named: &[i64] = match &decision.outcome {
                Outcome::Parametric { literals } => literals,
                Outcome::Fixed { .. } => &[],
            };
            Some(TypeSize {
                name: decision.name.clone(),
                size,
                least: named.iter().map(|literal| position(literal, low)).fold(1, i64::max),
                most: None,
                origin: Origin::Declared,
                in_proofs: match &decision.outcome {
                    Outcome::Parametric { literals } => InProofs::AnySize {
                        literals: literals.clone(),
                    },
                    Outcome::Fixed { reason, span } => InProofs::Fixed {
                        reason: reason.clone(),
                        span: *span,
                    },
                },
                span: decision.span,
            })
        })
        .collect()
}

/// Cubicle has one type with a size, `proc`, and no constants that options could change.
fn cubicle_processes(reading: &Reading, limit: cubicle::model::Processes) -> Result<(i64, Origin), Vec<Diagnostic>> {
    use cubicle::model::Processes;
    let mut found = Vec::new();
    let mut refuse = |message: String| found.push(Diagnostic::error(Span::default(), message));
    for (name, _) in reading.sizes.iter().filter(|(name, _)| name != "proc") {
        refuse(format!(
            "--size {name}: the only type of a Cubicle model that has a size is `proc`"
        ));
    }
    for (name, _) in &reading.constants {
        refuse(format!(
            "--const {name}: a Cubicle model has no constants with a value to change"
        ));
    }
    for name in &reading.parametric {
        if name != "proc" {
            refuse(format!(
                "--parametric {name}: the only such type of a Cubicle model is `proc`"
            ));
        }
    }
    for name in &reading.fixed {
        refuse(format!(
            "--fixed {name}: Cubicle models are always about any number of processes"
        ));
    }
    let chosen = reading
        .sizes
        .iter()
        .find(|(name, _)| name == "proc")
        .map(|(_, size)| *size);
    if let Some(size) = chosen
        && !(1..=64).contains(&size)
    {
        refuse(format!(
            "--size proc={size}: the number of processes must be from 1 to 64"
        ));
    }
    match (chosen, limit) {
        (Some(size), Processes::AtMost(number)) if size > i64::from(number) => {
            refuse(format!(
                "--size proc={size}: this file allows at most {number} processes"
            ));
        }
        (Some(size), Processes::Exactly(number)) if size != i64::from(number) => {
            refuse(format!(
                "--size proc={size}: this file is about exactly {number} processes"
            ));
        }
        _ => {}
    }
    if !found.is_empty() {
        return Err(found);
    }
    Ok(match (chosen, limit) {
        (Some(size), _) => (size, Origin::Chosen),
        (None, Processes::Any) => (DEFAULT_PROCESSES, Origin::Default),
        (None, Processes::AtMost(number) | Processes::Exactly(number)) => (i64::from(number), Origin::Declared),
    })
}

fn read_cubicle(file: SourceFile, reading: &Reading, mut additions: Vec<Addition>) -> Result<Input, Rejected> {
    let (mut program, mut diagnostics) = cubicle::parse(&file);
    let alone = (!additions.is_empty()).then(|| cubicle::check(&program).0);
    for addition in &mut additions {
        diagnostics.extend(addition.add_to_cubicle(&mut program));
    }
    let (model, found) = cubicle::check(&program);
    diagnostics.extend(found);
    if alone.is_some_and(|alone| alone.processes != model.processes) && !has_errors(&diagnostics) {
        let message = "a property or predicate names a process, which the model itself does not";
        let help = "with a named process the model would be about exactly as many processes as `number_procs` says";
        diagnostics.push(Diagnostic::error(Span::default(), message).help(help));
    }
    let processes = cubicle_processes(reading, model.processes);
    if let Err(found) = &processes {
        diagnostics.extend(found.iter().cloned());
    }
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
    let (processes, origin) = match processes {
        Ok(processes) if !has_errors(&diagnostics) => processes,
        _ => return Err(reject(file, &additions, diagnostics)),
    };
    let (least, most) = match model.processes {
        cubicle::model::Processes::Any => (1, None),
        cubicle::model::Processes::AtMost(number) => (1, Some(i64::from(number))),
        cubicle::model::Processes::Exactly(number) => (i64::from(number), Some(i64::from(number))),
    };
    let sizes = vec![TypeSize {
        name: "proc".to_owned(),
        size: processes,
        origin,
        in_proofs: InProofs::AnySize { literals: Vec::new() },
        least,
        most,
        span: Span::default(),
    }];
    Ok(Input {
        file,
        diagnostics,
        sizes,
        model: Model::Cubicle {
            model: Box::new(model),
            processes,
        },
        additions,
        integers: reading.integers,
    })
}
