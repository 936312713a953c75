//! Models: what is asked of them, their instances, and what proofs see of them.

use crate::context::Context;
use crate::error::Result;
use crate::front_end::FrontEnds;
use crate::input::Input;
use crate::properties;
use crate::run_folder::RunFolder;
use crate::vacuity;
use logic::{Cancellation, Term};
use smt::Solvers;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use system::frontend::{SizeOrigin, TypeSize};
use system::instance::{Instance, PropertyKind};
use system::transition::{Predicate, Property};
use system::{ReadOptions, Rejected, Role, Span, TransitionSystem};

/// What the user wants to know.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// What reads files.
    pub front_ends: FrontEnds,
    /// The model, and how it is to be read.
    pub file: PathBuf,
    pub reading: ReadOptions,
    /// Files with further properties to prove, with predicates to use, and with properties that are only checked
    /// against the invariant.
    pub properties: Option<PathBuf>,
    pub predicates: Option<PathBuf>,
    pub also: Option<PathBuf>,
    /// Names of the properties to check; all where none is named.
    pub only: Vec<String>,
    /// The engine that is to be used alone, by its name.
    pub engine: Option<&'static str>,
    pub ignore_predicates: bool,
    /// After this many cycles of finding predicates an engine gives up; none means that no predicates are found.
    pub cycles: Option<usize>,
    pub cartesian: bool,
    /// Abstract states are wanted, which not every engine has.
    pub abstract_states: bool,
    /// A new folder to keep what is learned in, or one to go on from.
    pub run: Option<PathBuf>,
    pub resume: Option<PathBuf>,
}

impl Question {
    /// The files that add something to what is to be proved.
    pub(crate) fn additions(&self) -> Vec<(Role, &Path)> {
        let properties = self.properties.as_deref().map(|path| (Role::Properties, path));
        let predicates = self.predicates.as_deref().map(|path| (Role::Predicates, path));
        properties.into_iter().chain(predicates).collect()
    }
}

/// A model as it is written, and what is asked of it.
pub struct ParsedModel {
    pub input: Input,
    /// Without further properties: what is explored.
    explored: Input,
    /// The instance that the file declares, or why there is none.
    pub(crate) declared: std::result::Result<Instance, Rejected>,
    /// The names of the further properties.
    pub further: Vec<String>,
}

impl ParsedModel {
    pub fn read(question: &Question) -> Result<ParsedModel> {
        let mut explored = Input::read_with(
            question.front_ends,
            &question.file,
            &question.reading,
            &question.additions(),
        )?;
        let input = match &question.also {
            Some(path) => {
                let with = explored.with_file(Role::Further, path)?;
                properties::expect_same_sizes(&explored, &with)?;
                with
            }
            None => explored.clone(),
        };
        let declared = explored.instance();
        if let Ok(instance) = &declared {
            let stated = instance.properties.iter();
            let stated = stated.filter(|property| property.kind == PropertyKind::Invariant);
            properties::expect_known(&question.only, stated.map(|property| property.name.as_str()))?;
        }
        let further = match &question.also {
            Some(_) => further(&input),
            None => Vec::new(),
        };
        Ok(ParsedModel {
            input,
            explored,
            declared,
            further,
        })
    }

    /// As proofs see it.
    pub(crate) fn lowered(&self, only: &[String], cancellation: &Cancellation) -> Result<LoweredModel> {
        LoweredModel::new(&self.explored, &self.input, only, cancellation)
    }

    /// The properties to check, as far as instances know them: their names and places.
    pub fn stated(&self, only: &[String]) -> Vec<(String, Span)> {
        let properties = self.declared.iter().flat_map(|instance| &instance.properties);
        let is_asked_for = |property: &&system::instance::Property| {
            property.kind == PropertyKind::Invariant && (only.is_empty() || only.contains(&property.name))
        };
        let properties = properties.filter(is_asked_for);
        properties
            .map(|property| (property.name.clone(), property.span))
            .collect()
    }

    /// Whether there are other sizes than the declared ones.
    pub fn has_any_size(&self) -> bool {
        has_any_size(&self.input)
    }
}

/// The names of the properties that are only checked against an invariant.
fn further(input: &Input) -> Vec<String> {
    let properties = input.model.instance().map(|(instance, _)| instance.properties);
    let properties = properties.into_iter().flatten();
    let further = properties.filter(|property| input.sources().role(property.span) == Role::Further);
    further.map(|property| property.name).collect()
}

fn has_any_size(input: &Input) -> bool {
    input.sizes().iter().any(TypeSize::is_any)
}

/// A model as proofs see it: its system, and what is to be shown of it.
pub struct LoweredModel {
    /// With the sizes at which a proof takes its types.
    pub input: Input,
    /// The same without further properties: what is explored.
    explored: Input,
    pub system: TransitionSystem,
    /// What is to be proved: properties and assertions, each as a closed formula.
    pub properties: Vec<Property>,
    /// What is checked against the invariant that proves them.
    pub further: Vec<Property>,
    /// What is known to hold in every reachable state, and to be inductive: a proof may begin with it.
    pub(crate) known: Vec<Term>,
    /// The system with rules split by their finite parameters, as engines take it.
    prepared: OnceLock<TransitionSystem>,
}

impl LoweredModel {
    /// What a question is about, for whoever proves it step by step. It is refused where everything would follow.
    pub fn read(question: &Question, solvers: &Solvers) -> Result<LoweredModel> {
        ParsedModel::read(question)?
            .lowered(&question.only, solvers.cancellation())?
            .not_vacuous(solvers)
    }

    /// With warnings about what says nothing.
    pub(crate) fn not_vacuous(mut self, solvers: &Solvers) -> Result<LoweredModel> {
        let warnings = vacuity::look(&self.input, &self.system, solvers)?;
        self.input.diagnostics.extend(warnings);
        Ok(self)
    }

    /// A model of which everything is to be shown.
    pub fn of(input: Input) -> Result<LoweredModel> {
        LoweredModel::new(&input, &input, &[], &Cancellation::new())
    }

    fn new(explored: &Input, input: &Input, only: &[String], cancellation: &Cancellation) -> Result<LoweredModel> {
        let is_one = Arc::ptr_eq(&explored.model, &input.model);
        let explored = explored.for_proof(cancellation)?;
        let input = match is_one {
            true => explored.clone(),
            false => {
                let input = input.for_proof(cancellation)?;
                properties::expect_same_sizes(&explored, &input)?;
                input
            }
        };
        let mut system = input.model.system()?.clone();
        system.name.clone_from(&input.file().name);
        Ok(LoweredModel {
            properties: properties::chosen(only, &input, &system)?,
            further: properties::further(&input, &system),
            known: Vec::new(),
            prepared: OnceLock::new(),
            input,
            explored,
            system,
        })
    }

    /// The same, where reads of undefined values are errors.
    pub(crate) fn with_read_assertions(&self, only: &[String], cancellation: &Cancellation) -> Result<LoweredModel> {
        let explored = self.explored.with_read_assertions()?;
        let input = match Arc::ptr_eq(&self.explored.model, &self.input.model) {
            true => explored.clone(),
            false => self.input.with_read_assertions()?,
        };
        LoweredModel::new(&explored, &input, only, cancellation)
    }

    /// What is to be proved: names and places.
    pub fn stated(&self) -> Vec<(String, Span)> {
        let properties = self.properties.iter();
        properties
            .map(|property| (property.name.clone(), property.span))
            .collect()
    }

    /// The predicates that the user wants to be used: those of the model unless they are to be ignored, and those of
    /// a file.
    pub fn user_predicates(&self, ignore: bool) -> &[Predicate] {
        let all = &self.system.predicates;
        // What is added comes last.
        let is_of_model = |predicate: &&Predicate| self.input.sources().role(predicate.span) == Role::Model;
        let ignored = all.iter().filter(|_| ignore);
        &all[ignored.take_while(is_of_model).count()..]
    }

    pub fn has_any_size(&self) -> bool {
        has_any_size(&self.input)
    }
}

/// What is asked about a file, as far as it can be answered without a proof: in instances.
#[derive(Clone)]
pub(crate) struct ModelContext<'t> {
    pub(crate) question: &'t Question,
    pub(crate) parsed: &'t ParsedModel,
    pub(crate) context: Context<'t>,
}

impl<'t> ModelContext<'t> {
    pub(crate) fn with(&self, context: Context<'t>) -> Self {
        ModelContext {
            context,
            ..self.clone()
        }
    }

    pub(crate) fn instances(&self) -> Instances<'t> {
        Instances {
            question: self.question,
            explored: &self.parsed.explored,
        }
    }
}

/// So many pairs of types that a proof has narrowed are looked at with unequal sizes.
const PAIRS: usize = 6;

/// The instances of a model.
#[derive(Clone, Copy)]
pub(crate) struct Instances<'t> {
    question: &'t Question,
    explored: &'t Input,
}

impl<'t> Instances<'t> {
    /// The types, and whether an instance may have them at other sizes.
    pub(crate) fn sizes(&self) -> &'t [TypeSize] {
        self.explored.sizes()
    }

    /// The model with types of any size at this size, unless the user chose another; smaller ones stay as they are
    /// unless they are to `grow`.
    pub(crate) fn at_size(&self, size: i64, grow: bool) -> Option<(Input, Instance)> {
        self.with_sizes(|ty| if grow { size } else { ty.size.min(size) })
    }

    /// The model with types of any size at these sizes, unless the user chose others. None is smaller than the
    /// elements that the model names allow, or larger than it says: there is no such instance.
    pub(crate) fn with_sizes(&self, size: impl Fn(&TypeSize) -> i64) -> Option<(Input, Instance)> {
        self.of_explored(self.explored, size)
    }

    /// The same, where integers without bounds have these values.
    pub(crate) fn with_sizes_and_numbers(
        &self,
        size: impl Fn(&TypeSize) -> i64,
        numbers: Option<(i64, i64)>,
    ) -> Option<(Input, Instance)> {
        let question = self.question;
        let Some(numbers) = numbers.filter(|_| question.reading.integers.is_none()) else {
            return self.with_sizes(size);
        };
        let reading = ReadOptions {
            integers: Some(numbers),
            ..question.reading.clone()
        };
        let explored = Input::read_with(question.front_ends, &question.file, &reading, &question.additions()).ok()?;
        self.of_explored(&explored, size)
    }

    /// The model at other numbers of elements of types that a proof takes at the size that they have, where a constant
    /// of the model says how many there are, and of the `narrowed` ones, also at unequal sizes: the types, and the
    /// instance, the likeliest to differ first.
    pub(crate) fn with_constants(
        &self,
        narrowed: &[String],
    ) -> impl Iterator<Item = (Vec<String>, Input, Instance)> + use<'t> {
        let (explored, fixed) = (self.explored, &self.question.reading.fixed);
        let mut constants = BTreeSet::new();
        let mut is_by_constant = |ty: &TypeSize| {
            !ty.is_any()
                && ty
                    .constant
                    .as_ref()
                    .is_some_and(|constant| constants.insert(constant.clone()))
        };
        let is_open = |ty: &&TypeSize| ty.has_name && ty.origin != SizeOrigin::Chosen && !fixed.contains(&ty.name);
        let types: Vec<&TypeSize> = explored.sizes().iter().filter(is_open).collect();
        let is_narrowed = |ty: &&TypeSize| narrowed.contains(&ty.name);
        let narrowed: Vec<&TypeSize> = types.iter().copied().filter(is_narrowed).collect();
        let single = types.iter().copied();
        let single: Vec<&TypeSize> = single.filter(|ty| is_by_constant(ty) || is_narrowed(ty)).collect();
        let one = |more: i64| single.iter().map(move |ty| vec![(*ty, ty.size.saturating_add(more))]);
        let mut wanted: Vec<Vec<(&TypeSize, i64)>> = [1, -1, 2].into_iter().flat_map(one).collect();
        let pairs = narrowed
            .iter()
            .flat_map(|few| narrowed.iter().map(move |many| (*few, *many)));
        let pairs = pairs.filter(|(few, many)| few.name != many.name);
        wanted.extend(pairs.take(PAIRS).map(|(few, many)| vec![(few, 1), (many, 3)]));
        wanted.into_iter().filter_map(move |wanted| {
            let fits = |(ty, size): &(&TypeSize, i64)| {
                let least = if ty.is_any() { ty.least } else { 1 };
                *size >= least.max(1) && ty.most.is_none_or(|most| *size <= most)
            };
            if !wanted.iter().all(fits) {
                return None;
            }
            let sizes: Vec<(String, i64)> = wanted.iter().map(|(ty, size)| (ty.name.clone(), *size)).collect();
            let mut input = explored.with_sizes(&sizes).ok()?;
            let instance = input.instance().ok()?;
            Some((sizes.into_iter().map(|(name, _)| name).collect(), input, instance))
        })
    }

    fn of_explored(&self, explored: &Input, size: impl Fn(&TypeSize) -> i64) -> Option<(Input, Instance)> {
        let mut sizes = Vec::new();
        for ty in self.sizes() {
            // By its own name, or by that of the constant behind it.
            let chosen = ty.origin == SizeOrigin::Chosen;
            let size = size(ty).max(ty.least).min(ty.most.unwrap_or(i64::MAX));
            if ty.is_any() && ty.has_name && !chosen && size != ty.size {
                sizes.push((ty.name.clone(), size));
            }
        }
        let mut input = explored.with_sizes(&sizes).ok()?;
        let instance = input.instance().ok()?;
        Some((input, instance))
    }

    /// Leaves properties out that were not asked for. That something can be reached is not a matter of safety.
    pub(crate) fn keep_asked_for(&self, instance: &mut Instance, with_covers: bool) {
        let only = &self.question.only;
        instance.properties.retain(|property| match property.kind {
            PropertyKind::Invariant => only.is_empty() || only.contains(&property.name),
            PropertyKind::Assumption => true,
            PropertyKind::Cover => with_covers,
        });
    }
}

/// What is to be proved, and what all steps of a proof share.
#[derive(Clone)]
pub struct ModelTask<'t> {
    pub(crate) question: &'t Question,
    pub(crate) subject: &'t LoweredModel,
    pub(crate) context: Context<'t>,
    /// Where what is learned is kept.
    pub(crate) folder: Option<&'t RunFolder>,
}

impl<'t> ModelTask<'t> {
    pub(crate) fn with(&self, context: Context<'t>) -> Self {
        ModelTask {
            context,
            ..self.clone()
        }
    }

    pub(crate) fn system(&self) -> &'t TransitionSystem {
        &self.subject.system
    }

    /// The same system with rules split by their finite parameters.
    pub(crate) fn prepared(&self) -> &'t TransitionSystem {
        let cancellation = self.context.cancellation();
        let prepare = || deduction::parameters::instantiate_finite_parameters(self.system(), cancellation);
        self.subject.prepared.get_or_init(prepare)
    }

    /// The types, and at which sizes a proof takes them.
    pub(crate) fn sizes(&self) -> &'t [TypeSize] {
        self.subject.input.sizes()
    }

    pub(crate) fn instances(&self) -> Instances<'t> {
        Instances {
            question: self.question,
            explored: &self.subject.explored,
        }
    }

    pub(crate) fn user_predicates(&self) -> &'t [Predicate] {
        self.subject.user_predicates(self.question.ignore_predicates)
    }
}
