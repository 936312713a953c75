//! The Murphi implementation of the front-end interface.

use crate::check::{CheckOptions, check, has_something_to_check};
use crate::compile::{CompileOptions, compile};
use crate::lower::{Lowered, Refusal, lower_predicate, lower_until};
use crate::model::{self, Obstacle, ProofSize, PropertyKind, TypeKind};
use crate::parse::{parse, parse_formula};
use crate::syntax::{Item, Program, RuleItem};
use logic::Cancellation;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use system::correspondence::Correspondence;
use system::frontend::{InProofs, NonSafetyProperties, SizeOrigin, TypeSize, Words, addition, formula, has_errors};
use system::instance::Instance;
use system::transition::Predicate;
use system::{
    Diagnostic, FileId, Language, Model, ReadOptions, Rejected, Role, Severity, SourceFile, Sources, Span,
    TransitionSystem,
};

/// The language of `.m` files.
pub struct Murphi;

const WORDS: Words = Words {
    rule: "rule",
    invariant: "invariant",
    violated: None,
    hold: |count| match count {
        0 => "In every reachable state no assertion fails".to_owned(),
        1 => "The invariant holds in every reachable state, no assertion fails".to_owned(),
        2 => "Both invariants hold in every reachable state, no assertion fails".to_owned(),
        count => format!("All {count} invariants hold in every reachable state, no assertion fails"),
    },
};

impl Language for Murphi {
    fn name(&self) -> &'static str {
        "Murphi"
    }

    fn extension(&self) -> &'static str {
        "m"
    }

    fn words(&self) -> &'static Words {
        &WORDS
    }

    fn has_deadlocks(&self) -> bool {
        true
    }

    fn read(&self, file: SourceFile, reading: &ReadOptions) -> Result<Box<dyn Model>, Rejected> {
        let sources = Sources::new(file);
        let contradictions = reading.contradictions();
        if !contradictions.is_empty() {
            return Err(Rejected::new(sources, contradictions));
        }
        let (program, diagnostics) = parse(sources.model());
        let text = Text {
            sources,
            program,
            diagnostics,
            declared: OnceLock::new(),
        };
        let how = How {
            reading: reading.clone(),
            ..How::default()
        };
        Ok(Box::new(Checked::new(Arc::new(text), how, None)?))
    }
}

/// The parsed text, independent of sizes.
struct Text {
    sources: Sources,
    program: Program,
    /// Diagnostics of the parser.
    diagnostics: Vec<Diagnostic>,
    /// The sizes that the file declares.
    declared: OnceLock<Vec<TypeSize>>,
}

/// How a text is checked.
#[derive(Clone, Default)]
struct How {
    reading: ReadOptions,
    /// Types that are parametric although they are instantiated with a single element.
    any_size: Vec<String>,
    /// Types that lowering takes at their declared size, by the span of their declaration.
    obstacles: BTreeMap<Span, Obstacle>,
}

/// The transition system, computed on demand.
type Lowering = OnceLock<Result<Lowered, Vec<Refusal>>>;

/// A text without errors, at given sizes.
#[derive(Clone)]
struct Checked {
    text: Arc<Text>,
    how: How,
    model: model::Model,
    diagnostics: Vec<Diagnostic>,
    sizes: Vec<TypeSize>,
    /// Shared with the same model at other sizes.
    lowered: Arc<Lowering>,
    /// Reads of possibly undefined values.
    open_reads: Arc<OnceLock<Vec<Span>>>,
}

impl Checked {
    /// Checks a text. `without` is the model before an addition.
    fn new(text: Arc<Text>, how: How, without: Option<&Checked>) -> Result<Checked, Rejected> {
        let (model, found) = check(&text.program, &how.options());
        let mut diagnostics = text.diagnostics.clone();
        diagnostics.extend(found);
        if without.is_some_and(|without| without.model.is_cmurphi_only() != model.is_cmurphi_only()) {
            diagnostics.push(other_dialect());
        }
        diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
        if has_errors(&diagnostics) {
            // Warnings about the model as a whole may be due to parts that could not be read.
            diagnostics.retain(|found| found.severity == Severity::Error || found.span != Span::default());
            return Err(Rejected::new(text.sources.clone(), diagnostics));
        }
        diagnostics.retain(|found| found.span.file == FileId::MODEL || found.severity != Severity::Note);
        diagnostics.extend(how.notes(&model));
        diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
        let sizes = text.sizes(&model, &how.reading);
        Ok(Checked {
            text,
            how,
            model,
            diagnostics,
            sizes,
            lowered: Arc::default(),
            open_reads: Arc::default(),
        })
    }

    fn rejected(&self, diagnostics: Vec<Diagnostic>) -> Rejected {
        Rejected::new(self.text.sources.clone(), diagnostics)
    }

    fn lowered(&self) -> Result<&Lowered, Rejected> {
        let lowered = self.lowered.get_or_init(|| self.lower(&Cancellation::new()));
        lowered.as_ref().map_err(|refusals| self.refused(refusals))
    }

    fn lower(&self, cancellation: &Cancellation) -> Result<Lowered, Vec<Refusal>> {
        let mut lowered = lower_until(&self.model, self.how.reading.asserts_reads, cancellation)?;
        lowered.system.name.clone_from(&self.text.sources.model().name);
        Ok(lowered)
    }

    fn refused(&self, refusals: &[Refusal]) -> Rejected {
        self.rejected(refusals.iter().map(|refusal| refusal.diagnostic.clone()).collect())
    }

    /// The model with a type at its declared size for each refusal, if that helps.
    fn without_refused_types(&self, refusals: &[Refusal]) -> Result<Checked, Rejected> {
        let mut how = self.how.clone();
        for refusal in refusals {
            let place = refusal.diagnostic.span;
            // Predicates help to prove a claim and must not restrict it.
            if self.text.sources.role(place) == Role::Predicates {
                return Err(self.refused(refusals));
            }
            if let Some(ty) = refusal.types.first() {
                how.obstacles.entry(self.model.types[ty.0].span).or_insert(Obstacle {
                    reason: refusal.diagnostic.message.clone(),
                    span: place,
                });
            }
        }
        if how.obstacles.len() == self.how.obstacles.len() {
            return Err(self.refused(refusals));
        }
        Checked::new(Arc::clone(&self.text), how, None)
    }

    /// The text extended by the items of another file.
    fn text_with(&self, sources: Sources, items: Vec<Item>, found: Vec<Diagnostic>) -> Text {
        let mut program = self.text.program.clone();
        program.items.extend(items);
        let mut diagnostics = self.text.diagnostics.clone();
        diagnostics.extend(found);
        Text {
            sources,
            program,
            diagnostics,
            declared: OnceLock::new(),
        }
    }
}

impl Model for Checked {
    fn language(&self) -> &'static dyn Language {
        &Murphi
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
        let mut how = self.how.clone();
        how.reading = how.reading.with_sizes(sizes);
        // A parametric type stays parametric in an instance with a single element.
        let is_any = |ty: &&TypeSize| ty.is_any() && ty.has_name && sizes.iter().any(|(name, _)| *name == ty.name);
        let any_size = self.sizes.iter().filter(is_any).map(|ty| ty.name.clone());
        how.any_size.extend(any_size);
        let mut other = Checked::new(Arc::clone(&self.text), how, None)?;
        formula::same_sizes(&self.sizes, &other.sizes, "the model").map_err(|error| self.rejected(vec![error]))?;
        if have_one_system(&self.sizes, &other.sizes) {
            other.lowered = Arc::clone(&self.lowered);
        }
        Ok(Box::new(other))
    }

    fn with_file(&self, role: Role, file: SourceFile) -> Result<Box<dyn Model>, Rejected> {
        let sources = self.text.sources.with_file(role, file);
        let (items, found) = added(sources.last());
        let text = self.text_with(sources, items, found);
        Ok(Box::new(Checked::new(Arc::new(text), self.how.clone(), Some(self))?))
    }

    /// Index variables are those of the model, and those declared before the formula: `index p: P; busy[p]`.
    fn formula(&self, file: SourceFile) -> Result<Predicate, Rejected> {
        let sources = self.text.sources.with_file(Role::Predicates, file);
        let (program, found) = parse_formula(sources.last());
        let text = Arc::new(self.text_with(sources.clone(), program.items, found));
        let with = Checked::new(text, self.how.clone(), Some(self))?;
        let reject = |diagnostics| Rejected::new(sources.clone(), diagnostics);
        formula::same_sizes(&self.sizes, &with.sizes, "the model").map_err(|error| reject(vec![error]))?;
        let Some(last) = with.model.predicates.last() else {
            return Err(reject(Vec::new()));
        };
        let mut predicate = lower_predicate(&with.model, last).map_err(|refusals| with.refused(&refusals))?;
        predicate.name = sources.last().snippet(last.span).to_owned();
        formula::known_to(&self.lowered()?.system, &predicate).map_err(|error| reject(vec![error]))?;
        Ok(predicate)
    }

    fn instance(&self) -> Result<(Instance, Vec<Diagnostic>), Rejected> {
        let mut options = CompileOptions::default();
        options.integer_window = self.how.reading.integers.unwrap_or(options.integer_window);
        let (instance, diagnostics) = compile(&self.model, &options);
        if has_errors(&diagnostics) {
            return Err(self.rejected(diagnostics));
        }
        Ok((instance, diagnostics))
    }

    fn for_proof(&self, cancellation: &Cancellation) -> Result<Box<dyn Model>, Rejected> {
        let mut model = self.clone();
        // Each round fixes one more type at its declared size.
        loop {
            if model.lowered.get().is_none() {
                let lowered = model.lower(cancellation);
                if let (Err(refusals), true) = (&lowered, cancellation.is_cancelled()) {
                    return Err(model.refused(refusals));
                }
                // Another thread may have been faster, with the same result.
                let _ = model.lowered.set(lowered);
            }
            match model.lowered.get() {
                Some(Err(refusals)) => model = model.without_refused_types(refusals)?,
                Some(Ok(lowered)) => {
                    let is_new = |note: &&Diagnostic| !model.diagnostics.contains(note);
                    let notes: Vec<Diagnostic> = lowered.notes.iter().filter(is_new).cloned().collect();
                    model.diagnostics.extend(notes);
                    model.diagnostics.sort_by_key(|found| (found.span, found.severity));
                    return Ok(Box::new(model));
                }
                None => {}
            }
        }
    }

    fn system(&self) -> Result<&TransitionSystem, Rejected> {
        Ok(&self.lowered()?.system)
    }

    fn possible_undefined_reads(&self, cancellation: &Cancellation) -> Vec<Span> {
        if self.how.reading.asserts_reads {
            return Vec::new();
        }
        let look = || match lower_until(&self.model, true, cancellation) {
            Ok(lowered) => lowered.reads,
            Err(_) => vec![Span::default()],
        };
        self.open_reads.get_or_init(look).clone()
    }

    fn with_read_assertions(&self) -> Result<Box<dyn Model>, Rejected> {
        let mut how = self.how.clone();
        how.reading.asserts_reads = true;
        Ok(Box::new(Checked::new(Arc::clone(&self.text), how, None)?))
    }

    fn correspondence(&self, instance: &Instance) -> Option<Correspondence> {
        Some(self.lowered().ok()?.correspondence(&self.model, instance))
    }

    fn has_something_to_check(&self) -> bool {
        has_something_to_check(&self.model)
    }

    fn non_safety_properties(&self) -> NonSafetyProperties {
        let properties = self.model.properties.iter();
        let covers = properties.filter(|property| property.kind == PropertyKind::Cover);
        NonSafetyProperties {
            covers: covers.map(|property| property.name.clone()).collect(),
            liveness: self.model.liveness.clone(),
        }
    }
}

impl How {
    fn options(&self) -> CheckOptions {
        CheckOptions {
            sizes: self.reading.sizes.iter().cloned().collect(),
            constants: self.reading.constants.iter().cloned().collect(),
            parametric: self.reading.parametric.iter().cloned().collect(),
            fixed: self.reading.fixed.iter().cloned().collect(),
            any_size: self.any_size.iter().cloned().collect(),
            obstacles: self.obstacles.clone(),
        }
    }

    /// The notes about types that lowering takes at their declared size.
    fn notes(&self, model: &model::Model) -> Vec<Diagnostic> {
        let note = |decision: &model::ParametricDecision| {
            let ProofSize::Fixed(obstacle) = &decision.outcome else {
                return None;
            };
            let is_known = self.obstacles.values().any(|known| known == obstacle);
            let message = format!("a proof takes `{}` at the size that it has here", decision.name);
            let note = Diagnostic::new(Severity::Note, obstacle.span, message).label(obstacle.reason.clone());
            is_known.then(|| note.related(decision.span, "declared here"))
        };
        model.decisions.iter().filter_map(note).collect()
    }
}

fn other_dialect() -> Diagnostic {
    let message = "a property or predicate uses a union or multiset, and the model has none";
    let help = "a file with unions or multisets is one for CMurphi, and what it says could mean something else then";
    Diagnostic::error(Span::default(), message).help(help)
}

/// The predicates or properties in an additional file.
fn added(file: &SourceFile) -> (Vec<Item>, Vec<Diagnostic>) {
    let (read, mut diagnostics) = parse(file);
    let (allowed, example) = match file.role() {
        Role::Predicates => ("`predicate` and `index`", "predicate \"name\" formula;"),
        Role::Model | Role::Properties | Role::Further | Role::Included | Role::Preprocessed => {
            ("`invariant`", "invariant \"name\" formula;")
        }
    };
    let mut items = Vec::new();
    let mut count = 0;
    for item in read.items {
        let is_allowed = match (file.role() == Role::Predicates, &item) {
            (true, Item::Predicate { .. }) => {
                count += 1;
                true
            }
            (true, Item::Index { .. }) => true,
            (false, Item::Rule(RuleItem::Property { kind, .. })) if *kind == PropertyKind::Invariant => {
                count += 1;
                true
            }
            _ => false,
        };
        if is_allowed {
            items.push(item);
        } else {
            diagnostics.push(addition::misplaced(file, span_of(&item), allowed));
        }
    }
    addition::expect_some(file, count, example, &mut diagnostics);
    (items, diagnostics)
}

fn span_of(item: &Item) -> Span {
    match item {
        Item::Constant { name, .. } | Item::Type { name, .. } => name.span,
        Item::Variables { names, .. } | Item::Uninterpreted { names, .. } | Item::Index { names, .. } => {
            names.first().map(|name| name.span).unwrap_or_default()
        }
        Item::Subprogram(subprogram) => subprogram.name.span,
        Item::Axiom { span, .. } | Item::Predicate { span, .. } => *span,
        Item::Rule(
            RuleItem::Rule { span, .. }
            | RuleItem::Start { span, .. }
            | RuleItem::Property { span, .. }
            | RuleItem::Ruleset { span, .. }
            | RuleItem::Alias { span, .. }
            | RuleItem::Choose { span, .. },
        ) => *span,
    }
}

/// Whether a model has the same transition system at both sizes: they differ only in parametric types.
fn have_one_system(one: &[TypeSize], other: &[TypeSize]) -> bool {
    let same = |(a, b): (&TypeSize, &TypeSize)| {
        let is_same_type = (&a.name, &a.in_proofs, a.least) == (&b.name, &b.in_proofs, b.least);
        is_same_type && (a.is_any() || a.size == b.size)
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

impl Text {
    /// The sizes of the model, and their origins.
    fn sizes(&self, model: &model::Model, reading: &ReadOptions) -> Vec<TypeSize> {
        let mut sizes = sizes_of(model);
        if reading.sizes.is_empty() && reading.constants.is_empty() {
            return sizes;
        }
        let declared = self
            .declared
            .get_or_init(|| sizes_of(&check(&self.program, &CheckOptions::default()).0));
        for size in &mut sizes {
            let as_declared = |other: &TypeSize| other.span == size.span && other.size == size.size;
            let asked_for = reading.sizes.iter().any(|(name, _)| *name == size.name);
            if asked_for || !declared.iter().any(as_declared) {
                size.origin = SizeOrigin::Chosen;
            }
        }
        sizes
    }
}

fn sizes_of(model: &model::Model) -> Vec<TypeSize> {
    // The first element and the number of elements.
    let size_of = |ty: model::TypeId| match model.kind(ty) {
        TypeKind::Scalarset { size } => Some((0, *size)),
        TypeKind::Range { low, high } => Some((*low, high.saturating_sub(*low).saturating_add(1))),
        _ => None,
    };
    let position = |literal: &i64, low: i64| literal.saturating_sub(low).saturating_add(1);
    let size = |decision: &model::ParametricDecision| {
        let (low, size) = size_of(*decision.types.first()?)?;
        let named: &[i64] = match &decision.outcome {
            ProofSize::Parametric { literals } => literals,
            ProofSize::Fixed(_) => &[],
        };
        Some(TypeSize {
            name: decision.name.clone(),
            size,
            least: named.iter().map(|literal| position(literal, low)).fold(1, i64::max),
            most: None,
            origin: SizeOrigin::Declared,
            in_proofs: match &decision.outcome {
                ProofSize::Parametric { literals } => InProofs::AnySize {
                    literals: literals.clone(),
                },
                ProofSize::Fixed(Obstacle { reason, span }) => InProofs::Fixed {
                    reason: reason.clone(),
                    span: *span,
                },
            },
            has_name: decision.has_name,
            constant: decision.constant.clone(),
            can_be_fixed: true,
            span: decision.span,
        })
    };
    model.decisions.iter().filter_map(size).collect()
}
