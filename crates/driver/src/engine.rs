//! What every engine has in common: it looks at a task, with what is known on the blackboard, and makes a claim. The
//! subject validates the claim.

use crate::account::Account;
use crate::blackboard::Blackboard;
use crate::boolean::BooleanTask;
use crate::certify::Invariant;
use crate::components::ComponentsTask;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::model::ModelTask;
use crate::program::ProgramTask;
use crate::reason::{Kind, Reason};
use crate::verdict::Unknown;
use system::TransitionSystem;
use system::transition::Fact;

/// An engine. Its name is the one that the command line, JSON, progress and run folders use.
pub trait Engine: Sync {
    fn name(&self) -> &'static str;

    /// What it does, in a line of help.
    fn summary(&self) -> &'static str;

    /// The kinds of subjects that it may be asked about.
    fn kinds(&self) -> &'static [Kind];

    /// Whether it can work on this task.
    fn applies(&self, task: &Task) -> bool;

    fn run(&self, task: &Task, blackboard: &Blackboard) -> Result<Claim>;
}

/// What is to be proved, or refuted.
#[derive(Clone)]
pub enum Task<'t> {
    Model(ModelTask<'t>),
    Program(ProgramTask<'t>),
    Boolean(BooleanTask<'t>),
    Components(ComponentsTask<'t>),
}

impl<'t> Task<'t> {
    /// The system as rules over state functions, for engines that do not ask where it comes from. A Boolean program
    /// whose calls need contracts has none, and components have one each.
    pub fn transitions(&self) -> Option<&TransitionSystem> {
        match self {
            Task::Model(task) => Some(task.system()),
            Task::Program(task) => task.unfolded.map(|unfolded| &unfolded.system),
            Task::Boolean(task) => task.transitions(),
            Task::Components(_) => None,
        }
    }

    /// The model that it is about.
    pub(crate) fn model(&self) -> Result<&ModelTask<'t>> {
        match self {
            Task::Model(task) => Ok(task),
            _ => Err(Error::refused("the task is not about a model")),
        }
    }

    pub fn context(&self) -> &Context<'t> {
        match self {
            Task::Model(task) => &task.context,
            Task::Program(task) => &task.context,
            Task::Boolean(task) => &task.context,
            Task::Components(task) => &task.context,
        }
    }

    /// The same task in another context.
    #[must_use]
    pub fn in_context(&self, context: Context<'t>) -> Task<'t> {
        let mut task = self.clone();
        match &mut task {
            Task::Model(task) => task.context = context,
            Task::Program(task) => task.context = context,
            Task::Boolean(task) => task.context = context,
            Task::Components(task) => task.context = context,
        }
        task
    }
}

/// What an engine says of a task.
pub enum Claim {
    /// These facts are an inductive invariant that excludes every violation.
    Invariant(Box<Invariant>, Account),
    /// What Bebop proves, which a second routine of it has confirmed; as facts, where there are any.
    PathEdges(Option<Vec<Fact>>, Account),
    /// Every trace of the components is one of the specification.
    Contained(Box<conformance::verify::ConformanceProof>, Account),
    Run(SuspectedRun),
    /// What the engine found, a second routine of its own contradicts.
    Mistake(String),
    Unknown(Box<Unknown>),
}

impl Claim {
    /// Facts, without anything else to tell.
    pub fn facts(engine: &'static str, facts: Vec<Fact>) -> Claim {
        let account = Account {
            engine: Some(engine),
            ..Account::default()
        };
        Claim::Invariant(Box::new(Invariant::of(facts)), account)
    }

    /// That there is no answer.
    pub fn unknown(engine: &'static str, reason: Reason) -> Claim {
        let account = Account {
            engine: Some(engine),
            ..Account::default()
        };
        Claim::Unknown(Box::new(Unknown::without_proof(reason, account)))
    }
}

/// A run of the system into a violation, which no other semantics has reproduced yet.
pub enum SuspectedRun {
    /// The solver says that there is one.
    Somewhere,
    /// Of a program, with these inputs.
    Inputs(Vec<i128>),
    Boolean(boolean::Trace),
    Components(Box<conformance::verify::TraceViolation>),
}
