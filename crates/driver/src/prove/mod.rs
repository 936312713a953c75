//! The proof of all properties, by the engine that was asked for or by those that are likely to succeed.

mod examples;
mod indexed;
mod minimise;
mod predicates;
mod race;
mod resume;

use crate::account::{Account, Conjectured, PropertyResult};
use crate::certify::{Invariant, certified_properties, certify};
use crate::context::Context;
use crate::engine::Engine;
use crate::error::Result;
use crate::event::{Event, Phase};
use crate::further;
use crate::run_folder::RunFolder;
use crate::subject::{Question, Subject, Task};
use crate::verdict::{Proved, Reason, Unknown};
use abstraction::predicate::News;
use indexed::Facts;
use logic::Term;
use system::TransitionSystem;
use system::certificate::Certificate;
use system::transition::Fact;

/// What an engine finds.
pub(crate) enum Found {
    /// Which nobody has confirmed yet.
    Invariant(Invariant, Account),
    Nothing(Box<Unknown>),
}

impl Found {
    fn certified(self, task: &Task) -> Attempt {
        match self {
            Found::Invariant(invariant, account) => certify(task, invariant, account),
            Found::Nothing(unknown) => Attempt::Unproved(unknown),
        }
    }
}

/// What an engine says of a model. It is no verdict: nobody has confirmed it.
pub enum Claim {
    Invariant(Certificate),
    /// There is a run into a violation of the property of this name.
    Run(String),
    Unknown(Box<Unknown>),
}

/// What comes of an attempt to prove everything.
pub(crate) enum Attempt {
    Proved(Box<Proved>),
    Unproved(Box<Unknown>),
}

impl Attempt {
    pub(crate) fn unproved(task: &Task, reason: Reason, account: Account) -> Attempt {
        Attempt::Unproved(Box::new(Unknown::of(task, reason, account)))
    }

    /// The same where facts about every size were looked for before, or beside it, in vain.
    fn after(mut self, tried: Conjectured) -> Attempt {
        self.account_mut().conjectured = Some(tried);
        self
    }

    fn account_mut(&mut self) -> &mut Account {
        match self {
            Attempt::Proved(proved) => &mut proved.account,
            Attempt::Unproved(unknown) => &mut unknown.account,
        }
    }
}

/// What another run left is something to start from. Else facts about every size are looked for first, and then, or
/// beside it where there are threads for both, predicates.
pub(crate) fn prove(task: &Task) -> Result<Attempt> {
    if task.subject.properties.is_empty() {
        return Ok(Attempt::unproved(task, Reason::NothingToCheck, Account::default()));
    }
    if let Some(proved) = resume::finished(task)? {
        return Ok(Attempt::Proved(Box::new(proved)));
    }
    let context = &task.context;
    let prepared = abstraction::formulas::instantiate_finite_parameters(task.system(), context.cancellation());
    let news = News::default();
    news.tell(task.subject.known.clone());
    if task.question.abstract_states && task.question.engine.is_none() && task.question.cycles.is_none() {
        return with_states(task, &prepared);
    }
    if !begins_indexed(task) {
        if let Some(folder) = task.folder {
            news.tell(folder.shared(task.system())?);
        }
        return predicates::attempt(task, &prepared, &news);
    }
    if task.question.engine.is_none() {
        return race::race(task, &prepared);
    }
    let tried = match indexed::attempt(task, &prepared)? {
        Facts::Enough(attempt) => return Ok(attempt),
        Facts::Failed { tried, .. } => tried,
    };
    let reason = context.stopped().map_or(tried.reason.clone(), Reason::Stopped);
    let account = Account::together(Engine::Indexed, &task.subject.properties);
    Ok(Attempt::unproved(task, reason, account).after(tried))
}

/// The proof by facts that somebody brings along: as few of them as are needed, confirmed as any other.
pub(crate) fn given(task: &Task, facts: &[Fact]) -> Result<Attempt> {
    let account = Account {
        engine: None,
        ..Account::together(Engine::Indexed, &task.subject.properties)
    };
    let further = further::results(task, &further::implied(task, facts)?);
    let properties = certified_properties(task, &further);
    task.context.tell(Event::Phase(Phase::Minimising));
    let certificate = minimise::Facts::of(facts).certificate(task.system(), properties, &task.context.solvers)?;
    Ok(certify(task, Invariant { certificate, further }, account))
}

/// What the engine that the question names says of a model: for tests, which hold its word against what they know.
pub fn claim(question: &Question, subject: &Subject, context: &Context) -> Result<Claim> {
    let task = Task {
        question,
        subject,
        context: context.clone(),
        folder: None,
    };
    let nothing = |reason| {
        let account = Account::together(Engine::Indexed, &subject.properties);
        Found::Nothing(Box::new(Unknown::of(&task, reason, account)))
    };
    let prepared = abstraction::formulas::instantiate_finite_parameters(task.system(), context.cancellation());
    let found = if subject.properties.is_empty() {
        nothing(Reason::NothingToCheck)
    } else if question.engine == Some(Engine::Indexed) {
        match indexed::find(&task, &prepared)? {
            Facts::Enough(found) => found,
            Facts::Failed { tried, .. } => nothing(tried.reason),
        }
    } else {
        predicates::find(&task, &prepared, &News::default())?
    };
    Ok(match found {
        Found::Invariant(invariant, _) => Claim::Invariant(Certificate {
            properties: certified_properties(&task, &invariant.further),
            ..invariant.certificate
        }),
        Found::Nothing(unknown) => match unknown
            .account
            .results
            .iter()
            .find(|result| result.is_certainly_refuted())
        {
            Some(result) => Claim::Run(result.name.clone()),
            None => Claim::Unknown(unknown),
        },
    })
}

/// How many cycles of discovery there are for the sake of a picture.
const CYCLES_OF_PICTURE: usize = 5;

/// A proof with abstract states to draw. Where predicates alone do not come to a proof soon, one is looked for as ever:
/// a picture changes no verdict. What is drawn then are the predicates that were found on the way.
fn with_states(task: &Task, prepared: &TransitionSystem) -> Result<Attempt> {
    let news = News::default();
    if let Some(folder) = task.folder {
        news.tell(folder.shared(task.system())?);
    }
    let account = match predicates::find_within(CYCLES_OF_PICTURE, task, prepared, &news)? {
        Found::Nothing(unknown) if task.context.stopped().is_none() => unknown.account,
        found => return Ok(found.certified(task)),
    };
    Ok(match indexed::attempt(task, prepared)? {
        Facts::Enough(Attempt::Proved(mut proved)) => {
            proved.account.results = account
                .results
                .into_iter()
                .map(PropertyResult::proved_elsewhere)
                .collect();
            proved.account.system = account.system;
            Attempt::Proved(proved)
        }
        Facts::Enough(attempt) => attempt,
        Facts::Failed { tried, facts } => {
            share(task, &tried.reason, facts, &news)?;
            predicates::attempt(task, prepared, &news)?.after(tried)
        }
    })
}

/// Whether facts about every size are looked for first. Where abstract states are wanted, or no predicates are to be
/// found, that is not what was asked for; and a run that left predicates behind has tried it already.
fn begins_indexed(task: &Task) -> bool {
    let question = task.question;
    match question.engine {
        Some(engine) => engine == Engine::Indexed,
        None => {
            let is_new = task.folder.is_none_or(RunFolder::is_empty);
            question.cycles != Some(0) && !question.abstract_states && is_new
        }
    }
}

/// The search for facts about every size has failed: what it found out is good for the other engine.
fn share(task: &Task, reason: &Reason, facts: Vec<Term>, news: &News) -> Result<()> {
    let known = &facts;
    task.context.tell(Event::NoProof { reason, known });
    if let (Some(folder), false) = (task.folder, facts.is_empty()) {
        folder.keep_shared(task.system(), &facts)?;
    }
    news.tell(facts);
    Ok(())
}
