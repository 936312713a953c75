//! The Cubicle implementation of the front-end interface.

use crate::check::check;
use crate::compile::{CompileOptions, compile};
use crate::lower::{Lowered, lower, lower_formula};
use crate::model::{self, Processes};
use crate::parse::{parse, parse_formula};
use crate::syntax::{Block, BlockKind, Item, Program};
use logic::Cancellation;
use std::sync::{Arc, OnceLock};
use system::correspondence::Correspondence;
use system::frontend::{InProofs, NonSafetyProperties, SizeOrigin, TypeSize, Words, addition, formula, has_errors};
use system::instance::Instance;
use system::transition::Predicate;
use system::{
    Diagnostic, FileId, Language, Model, ReadOptions, Rejected, Role, Severity, SourceFile, Sources, Span,
    TransitionSystem,
};

/// The language of `.cub` files.
pub struct Cubicle;

/// The only type with a size.
const PROCESSES: &str = "proc";

/// The default number of processes.
const DEFAULT_PROCESSES: i64 = 3;

const WORDS: Words = Words {
    rule: "transition",
    invariant: "unsafe condition",
    violated: Some("an unsafe state can be reached"),
    hold: |_| "No reachable state is unsafe".to_owned(),
};

impl Language for Cubicle {
    fn name(&self) -> &'static str {
        "Cubicle"
    }

    fn extension(&self) -> &'static str {
        "cub"
    }

    fn words(&self) -> &'static Words {
        &WORDS
    }

    fn has_deadlocks(&self) -> bool {
        false
    }

    fn read(&self, file: SourceFile, reading: &ReadOptions) -> Result<Box<dyn Model>, Rejected> {
        let sources = Sources::new(file);
        let contradictions = reading.contradictions();
        if !contradictions.is_empty() {
            return Err(Rejected::new(sources, contradictions));
        }
        let (program, diagnostics) = parse(sources.model());
        let text = Text::new(sources, program, diagnostics);
        Ok(Box::new(Checked::new(Arc::new(text), reading, None)?))
    }
}

/// The parsed text, independent of the number of processes.
struct Text {
    sources: Sources,
    program: Program,
    model: model::Model,
    diagnostics: Vec<Diagnostic>,
    lowered: OnceLock<Result<Lowered, Vec<Diagnostic>>>,
}

impl Text {
    /// Checks a program; `diagnostics` are those of the parser.
    fn new(sources: Sources, program: Program, mut diagnostics: Vec<Diagnostic>) -> Text {
        let (model, found) = check(&program);
        diagnostics.extend(found);
        Text {
            sources,
            program,
            model,
            diagnostics,
            lowered: OnceLock::new(),
        }
    }
}

/// A text without errors, with a given number of processes.
#[derive(Clone)]
struct Checked {
    text: Arc<Text>,
    reading: ReadOptions,
    diagnostics: Vec<Diagnostic>,
    /// The size of `proc` only.
    sizes: [TypeSize; 1],
}

impl Checked {
    /// `without` is the model before an addition.
    fn new(text: Arc<Text>, reading: &ReadOptions, without: Option<&Checked>) -> Result<Checked, Rejected> {
        let mut diagnostics = text.diagnostics.clone();
        let limit = text.model.processes;
        if without.is_some_and(|without| without.text.model.processes != limit) && !has_errors(&diagnostics) {
            let message = "a property or predicate names a process, which the model itself does not";
            let help = "with a named process the model would be about exactly as many processes as `number_procs` says";
            diagnostics.push(Diagnostic::error(Span::default(), message).help(help));
        }
        let processes = processes(reading, limit).unwrap_or_else(|found| {
            diagnostics.extend(found);
            (DEFAULT_PROCESSES, SizeOrigin::Default)
        });
        diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
        if has_errors(&diagnostics) {
            return Err(Rejected::new(text.sources.clone(), diagnostics));
        }
        // In a file of hints it is obvious that invariants are hints only.
        diagnostics.retain(|found| found.span.file == FileId::MODEL || found.severity != Severity::Note);
        Ok(Checked {
            sizes: [size_of(processes, limit)],
            text,
            reading: reading.clone(),
            diagnostics,
        })
    }

    fn rejected(&self, diagnostics: Vec<Diagnostic>) -> Rejected {
        Rejected::new(self.text.sources.clone(), diagnostics)
    }

    fn lowered(&self) -> Result<&Lowered, Rejected> {
        let lowered = self.text.lowered.get_or_init(|| {
            let mut lowered = lower(&self.text.model)?;
            lowered.system.name.clone_from(&self.text.sources.model().name);
            Ok(lowered)
        });
        lowered.as_ref().map_err(|found| self.rejected(found.clone()))
    }

    /// The model extended by the items of another file.
    fn with_more(&self, sources: Sources, read: Program, found: Vec<Diagnostic>) -> Result<Checked, Rejected> {
        let mut program = self.text.program.clone();
        program.complete &= read.complete;
        program.unread.extend(read.unread);
        program.items.extend(read.items);
        let text = Text::new(sources, program, found);
        Checked::new(Arc::new(text), &self.reading, Some(self))
    }
}

impl Model for Checked {
    fn language(&self) -> &'static dyn Language {
        &Cubicle
    }

    fn sources(&self) -> &Sources {
        &self.text.sources
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn sizes(&self) -> &[TypeSize] {
        &self.sizes
    }

    fn with_sizes(&self, sizes: &[(String, i64)]) -> Result<Box<dyn Model>, Rejected> {
        let reading = self.reading.with_sizes(sizes);
        Ok(Box::new(Checked::new(Arc::clone(&self.text), &reading, None)?))
    }

    fn with_file(&self, role: Role, file: SourceFile) -> Result<Box<dyn Model>, Rejected> {
        let sources = self.text.sources.with_file(role, file);
        let (program, found) = added(sources.last());
        Ok(Box::new(self.with_more(sources, program, found)?))
    }

    /// Index variables precede the formula and denote different processes: `(x y) { S[x] = Idle || S[y] = Idle }`.
    fn formula(&self, file: SourceFile) -> Result<Predicate, Rejected> {
        let sources = self.text.sources.with_file(Role::Predicates, file);
        let (program, found) = parse_formula(sources.last());
        let with = self.with_more(sources.clone(), program, found)?;
        let reject = |diagnostics| Rejected::new(sources.clone(), diagnostics);
        let Some(last) = with.text.model.invariants.last() else {
            return Err(reject(Vec::new()));
        };
        let mut predicate = lower_formula(&with.text.model, last);
        predicate.name = sources.last().snippet(last.span).to_owned();
        formula::known_to(&self.lowered()?.system, &predicate).map_err(|error| reject(vec![error]))?;
        Ok(predicate)
    }

    fn instance(&self) -> Result<(Instance, Vec<Diagnostic>), Rejected> {
        let mut options = CompileOptions::default();
        options.processes = u32::try_from(self.sizes[0].size).unwrap_or(u32::MAX);
        options.integer_window = self.reading.integers.unwrap_or(options.integer_window);
        let (instance, diagnostics) = compile(&self.text.model, &options);
        if has_errors(&diagnostics) {
            return Err(self.rejected(diagnostics));
        }
        Ok((instance, diagnostics))
    }

    /// The number of processes is always a parameter.
    fn for_proof(&self, _: &Cancellation) -> Result<Box<dyn Model>, Rejected> {
        self.lowered()?;
        Ok(Box::new(self.clone()))
    }

    fn system(&self) -> Result<&TransitionSystem, Rejected> {
        Ok(&self.lowered()?.system)
    }

    fn correspondence(&self, instance: &Instance) -> Option<Correspondence> {
        Some(self.lowered().ok()?.correspondence(&self.text.model, instance))
    }

    fn has_something_to_check(&self) -> bool {
        !self.text.model.unsafes.is_empty()
    }

    fn non_safety_properties(&self) -> NonSafetyProperties {
        NonSafetyProperties::default()
    }
}

/// The predicates or properties in an additional file: predicates without parameters and invariants; predicates with
/// parameters are macros for them.
fn added(file: &SourceFile) -> (Program, Vec<Diagnostic>) {
    let (mut program, mut diagnostics) = parse(file);
    let (wanted, allowed, example) = match file.role() {
        Role::Predicates => (
            BlockKind::Invariant,
            "`predicate` and `invariant`",
            "predicate name() { formula }",
        ),
        Role::Model | Role::Properties | Role::Further | Role::Included | Role::Preprocessed => {
            (BlockKind::Unsafe, "`unsafe` and `predicate`", "unsafe (x) { formula }")
        }
    };
    let mut count = 0;
    for item in std::mem::take(&mut program.items) {
        match item {
            Item::Predicate(predicate) if predicate.parameters.is_empty() && file.role() == Role::Predicates => {
                count += 1;
                program.items.push(Item::Block(Block {
                    kind: BlockKind::Invariant,
                    variables: Vec::new(),
                    formula: predicate.formula,
                    span: predicate.span,
                }));
            }
            Item::Block(block) if block.kind == wanted => {
                count += 1;
                program.items.push(Item::Block(block));
            }
            Item::Predicate(_) => program.items.push(item),
            other => diagnostics.push(addition::misplaced(file, span_of(&other), allowed)),
        }
    }
    addition::expect_some(file, count, example, &mut diagnostics);
    (program, diagnostics)
}

fn span_of(item: &Item) -> Span {
    match item {
        Item::NumberOfProcesses { span, .. } | Item::Type { span, .. } | Item::Symbol { span, .. } => *span,
        Item::Block(block) => block.span,
        Item::Predicate(predicate) => predicate.span,
        Item::Transition(transition) => transition.span,
    }
}

fn size_of((size, origin): (i64, SizeOrigin), limit: Processes) -> TypeSize {
    let (least, most) = match limit {
        Processes::Any => (1, None),
        Processes::AtMost(number) => (1, Some(i64::from(number))),
        Processes::Exactly(number) => (i64::from(number), Some(i64::from(number))),
    };
    TypeSize {
        name: PROCESSES.to_owned(),
        size,
        origin,
        in_proofs: InProofs::AnySize { literals: Vec::new() },
        least,
        most,
        has_name: true,
        constant: None,
        can_be_fixed: false,
        span: Span::default(),
    }
}

/// The number of processes. There are no constants that options could change.
fn processes(reading: &ReadOptions, limit: Processes) -> Result<(i64, SizeOrigin), Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut refuse = |message: String| found.push(Diagnostic::error(Span::default(), message));
    for (name, _) in reading.sizes.iter().filter(|(name, _)| name != PROCESSES) {
        refuse(format!(
            "--size {name}: the only type of a Cubicle model that has a size is `proc`"
        ));
    }
    for (name, _) in &reading.constants {
        refuse(format!(
            "--const {name}: a Cubicle model has no constants with a value to change"
        ));
    }
    for name in reading.parametric.iter().filter(|name| *name != PROCESSES) {
        refuse(format!(
            "--parametric {name}: the only such type of a Cubicle model is `proc`"
        ));
    }
    for name in &reading.fixed {
        refuse(format!(
            "--fixed {name}: Cubicle models are always about any number of processes"
        ));
    }
    let mut sizes = reading.sizes.iter();
    let chosen = sizes.find(|(name, _)| name == PROCESSES).map(|(_, size)| *size);
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
        (Some(size), _) => (size, SizeOrigin::Chosen),
        (None, Processes::Any) => (DEFAULT_PROCESSES, SizeOrigin::Default),
        (None, Processes::AtMost(number) | Processes::Exactly(number)) => (i64::from(number), SizeOrigin::Declared),
    })
}
