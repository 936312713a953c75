//! The engines, each in a file of its own, and how those about models are asked.

mod abstraction;
mod bebop;
mod containment;
mod examples;
mod horn;
mod indexed;
mod minimise;
mod resume;
mod slam;
mod strengthening;

pub(crate) use abstraction::PredicateAbstraction;
pub(crate) use bebop::Bebop;
pub(crate) use containment::Containment;
pub(crate) use horn::Horn;
pub(crate) use indexed::Indexed;
pub(crate) use slam::Slam;
pub(crate) use strengthening::Strengthening;

use crate::account::{Account, PropertyResult};
use crate::blackboard::Blackboard;
use crate::certify::{Invariant, certified_properties, certify, unproved};
use crate::check::{ModelAttempt, ModelCheck};
use crate::context::Context;
use crate::engine::{Claim, Task};
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::further;
use crate::model::{LoweredModel, ModelTask, Question};
use crate::portfolio::{Engines, engine_named};
use crate::reason::{Kind, Reason};
use crate::run_folder::RunFolder;
use crate::subject::ProofAttempt;
use system::transition::Fact;

/// The proof of all properties of a model. What another run left comes first; then the portfolio.
pub(crate) fn prove(check: &ModelCheck, task: &ModelTask, engines: Engines) -> Result<ModelAttempt> {
    if task.subject.properties.is_empty() {
        return Ok(unproved(task, Reason::NothingToCheck(Kind::Model), Account::default()));
    }
    if let Some(proved) = resume::finished(task)? {
        return Ok(ProofAttempt::Proved(Box::new(proved)));
    }
    let board = Blackboard::with_facts(task.subject.known.clone());
    let question = task.question;
    let is_automatic = question.engine.is_none();
    if question.abstract_states && is_automatic && question.cycles.is_none() {
        return with_abstract_states(check, task, engines, &board);
    }
    // Where a run left predicates behind, facts about every size were looked for before, and the user asks for
    // predicates where there is to be no discovery of any.
    let is_new = task.folder.is_none_or(RunFolder::is_empty);
    let begins_with_facts = question.cycles != Some(0) && !question.abstract_states && is_new;
    let engines = match is_automatic && !begins_with_facts {
        true => {
            if let Some(folder) = task.folder {
                board.post(folder.shared(task.system())?);
            }
            engines.only(PREDICATES)
        }
        false => engines,
    };
    engines.attempt(check, &Task::Model(task.clone()), &board)
}

/// The engine whose abstract states can be drawn.
const PREDICATES: &str = "approximate";
/// How many cycles of discovery there are for the sake of a picture.
const CYCLES_OF_PICTURE: usize = 5;

/// A proof with abstract states to draw. Where predicates alone do not lead to a proof soon, the portfolio looks for
/// one: a picture changes no verdict. Then the predicates that were found on the way are drawn.
fn with_abstract_states(
    check: &ModelCheck,
    task: &ModelTask,
    engines: Engines,
    board: &Blackboard,
) -> Result<ModelAttempt> {
    if let Some(folder) = task.folder {
        board.post(folder.shared(task.system())?);
    }
    let limited = Question {
        cycles: Some(CYCLES_OF_PICTURE),
        ..task.question.clone()
    };
    let limited = ModelTask {
        question: &limited,
        ..task.clone()
    };
    let drawn = match engines.only(PREDICATES).attempt(check, &Task::Model(limited), board)? {
        ProofAttempt::Unproved(unknown) if task.context.stopped().is_none() => unknown.account,
        attempt => return Ok(attempt),
    };
    let mut attempt = engines.in_turn(check, &Task::Model(task.clone()), board)?;
    if let ProofAttempt::Proved(proved) = &mut attempt {
        let results = drawn.results.into_iter();
        proved.account.results = results.map(PropertyResult::proved_elsewhere).collect();
        proved.account.system = drawn.system;
    }
    match attempt {
        ProofAttempt::Unproved(_) => engines
            .only(PREDICATES)
            .attempt(check, &Task::Model(task.clone()), board),
        attempt => Ok(attempt),
    }
}

/// The proof by facts that the user brings: as few of them as are needed, confirmed as those of an engine.
pub(crate) fn prove_by_facts(task: &ModelTask, facts: &[Fact]) -> Result<ModelAttempt> {
    let account = Account {
        engine: None,
        ..Account::together("", &task.subject.properties)
    };
    let further = further::results(task, &further::implied(task, facts)?);
    let properties = certified_properties(task, &further);
    task.context.tell(Event::Phase(Phase::Minimising));
    let certificate = minimise::Facts::of(facts).certificate(task.system(), properties, &task.context.solvers)?;
    Ok(certify(task, Invariant { certificate, further }, account))
}

/// What the engine that the question names claims of a model, for tests that compare it with what they know. The
/// certificate of an invariant names the properties.
pub fn claim(question: &Question, subject: &LoweredModel, context: &Context) -> Result<Claim> {
    let task = ModelTask {
        question,
        subject,
        context: context.clone(),
        folder: None,
    };
    let named = question.engine.and_then(engine_named);
    let engine = named.ok_or_else(|| Error::refused("the question names no engine"))?;
    if subject.properties.is_empty() {
        let unknown = crate::verdict::Unknown::of(&task, Reason::NothingToCheck(Kind::Model), Account::default());
        return Ok(Claim::Unknown(Box::new(unknown)));
    }
    let mut claim = engine.run(&Task::Model(task.clone()), &Blackboard::default())?;
    if let Claim::Invariant(invariant, _) = &mut claim {
        invariant.certificate.properties = certified_properties(&task, &invariant.further);
    }
    Ok(claim)
}
