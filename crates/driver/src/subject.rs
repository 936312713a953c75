//! What is asked of which model.

use crate::context::Context;
use crate::engine::Engine;
use crate::input::{Content, Input, Reading, TypeSize};
use crate::properties;
use crate::run_folder::RunFolder;
use std::path::{Path, PathBuf};
use system::TransitionSystem;
use system::instance::{Instance, PropertyKind};
use system::transition::{Predicate, Property};

/// What the user wants to know.
#[derive(Clone, Debug, Default)]
pub struct Question {
    pub reading: Reading,
    /// Files with further properties to prove, with predicates to use, and with properties that are only held against the invariant.
    pub properties: Option<PathBuf>,
    pub predicates: Option<PathBuf>,
    pub also: Option<PathBuf>,
    /// Names of the properties to check; all where none is named.
    pub only: Vec<String>,
    pub engine: Option<Engine>,
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
    pub(crate) fn additions(&self) -> Vec<(Content, &Path)> {
        let properties = self.properties.as_deref().map(|path| (Content::Properties, path));
        let predicates = self.predicates.as_deref().map(|path| (Content::Predicates, path));
        properties.into_iter().chain(predicates).collect()
    }

    fn files(&self) -> Vec<(Content, &Path)> {
        let further = self.also.as_deref().map(|path| (Content::Further, path));
        self.additions().into_iter().chain(further).collect()
    }
}

/// A model that was read, its system, and what is to be shown of it.
pub struct Subject {
    pub input: Input,
    pub system: TransitionSystem,
    /// What is to be proved: properties and assertions, each as a closed formula.
    pub properties: Vec<Property>,
    /// What is held against the invariant that proves them.
    pub further: Vec<Property>,
}

impl Subject {
    pub fn read(question: &Question) -> anyhow::Result<Subject> {
        let input = Input::read_with(&question.reading, &question.files())?;
        properties::expect_same_sizes(question, &input)?;
        let mut system = input.system()?;
        system.name.clone_from(&input.file.name);
        Ok(Subject {
            properties: properties::chosen(&question.only, &input, &system)?,
            further: properties::further(&input, &system),
            input,
            system,
        })
    }

    /// The predicates that the user wants to be used: those of the model unless they are to be ignored, and those of a file.
    pub fn user_predicates(&self, ignore: bool) -> &[Predicate] {
        self.input.user_predicates(&self.system, ignore)
    }

    pub fn has_any_size(&self) -> bool {
        self.input.sizes.iter().any(TypeSize::is_any)
    }
}

/// What is to be done, and what all its steps share.
#[derive(Clone)]
pub(crate) struct Task<'t> {
    pub(crate) question: &'t Question,
    pub(crate) subject: &'t Subject,
    pub(crate) context: Context<'t>,
    /// Where what is learned is kept.
    pub(crate) folder: Option<&'t RunFolder>,
}

impl<'t> Task<'t> {
    pub(crate) fn with(&self, context: Context<'t>) -> Self {
        Task {
            context,
            ..self.clone()
        }
    }

    pub(crate) fn system(&self) -> &'t TransitionSystem {
        &self.subject.system
    }

    pub(crate) fn sizes(&self) -> &'t [TypeSize] {
        &self.subject.input.sizes
    }

    pub(crate) fn user_predicates(&self) -> &'t [Predicate] {
        self.subject.user_predicates(self.question.ignore_predicates)
    }

    /// The model with types of any size at this size, unless the user chose another; smaller ones stay as they are unless they are to `grow`.
    pub(crate) fn at_size(&self, size: i64, grow: bool) -> Option<(Input, Instance)> {
        self.with_sizes(|ty| if grow { size } else { ty.size.min(size) })
    }

    /// The model with types of any size at these sizes, unless the user chose others. None is smaller than the elements that the model
    /// names allow, or larger than it says: there is no such instance.
    pub(crate) fn with_sizes(&self, size: impl Fn(&TypeSize) -> i64) -> Option<(Input, Instance)> {
        let mut reading = self.question.reading.clone();
        for ty in self.sizes() {
            let chosen = reading.sizes.iter().any(|(name, _)| *name == ty.name);
            let size = size(ty).max(ty.least).min(ty.most.unwrap_or(i64::MAX));
            if ty.is_any() && !chosen && size != ty.size {
                reading.sizes.push((ty.name.clone(), size));
            }
        }
        let mut input = Input::read_with(&reading, &self.question.additions()).ok()?;
        let instance = input.instance().ok()?;
        Some((input, instance))
    }

    /// Leaves properties out that were not asked for. That something can be reached is not a matter of safety.
    pub(crate) fn keep_asked_for(&self, instance: &mut Instance, with_covers: bool) {
        let is_asked_for = |name: &str| self.subject.properties.iter().any(|property| property.name == name);
        instance.properties.retain(|property| match property.kind {
            PropertyKind::Invariant => is_asked_for(&property.name),
            PropertyKind::Assumption => true,
            PropertyKind::Cover => with_covers,
        });
    }
}
