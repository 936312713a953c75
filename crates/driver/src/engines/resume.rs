//! A proof that another run finished.

use crate::account::Account;
use crate::certify::{Invariant, certify};
use crate::error::Result;
use crate::event::{Event, Phase};
use crate::further;
use crate::model::ModelTask;
use crate::portfolio::engine_named;
use crate::subject::ProofAttempt;
use crate::verdict::Proved;
use deduction::sufficient_facts;
use logic::Term;
use system::certificate::Certificate;

/// The proof by the invariant in the run folder, where it shows the properties that are asked for now. It is
/// confirmed as any other is. Whoever names an engine wants to see it at work, and abstract states are of its making.
pub(super) fn finished(task: &ModelTask) -> Result<Option<Proved>> {
    let Some(folder) = task.folder else { return Ok(None) };
    if task.question.engine.is_some() || task.question.abstract_states {
        return Ok(None);
    }
    let Some((engine, facts)) = folder.invariant(task.system())? else {
        return Ok(None);
    };
    let context = &task.context;
    context.tell(Event::Phase(Phase::LookingAtAnotherRun));
    let formulas: Vec<Term> = facts.iter().map(|fact| fact.formula).collect();
    for property in &task.subject.properties {
        let core = sufficient_facts(task.system(), &formulas, property.formula, &context.solvers)?;
        if core.is_none() {
            let useless = format!("\"{}\" is not implied by the invariant of another run", property.name);
            context.tell(Event::Useless(useless));
            return Ok(None);
        }
    }
    let further = further::results(task, &further::implied(task, &facts)?);
    let account = Account {
        engine: engine_named(&engine).map(|engine| engine.name()),
        ..Account::together("", &task.subject.properties)
    };
    let certificate = Certificate {
        facts,
        ..Certificate::default()
    };
    match certify(task, Invariant { certificate, further }, account) {
        ProofAttempt::Proved(proved) => Ok(Some(*proved)),
        _ => {
            context.tell(Event::Useless(
                "the invariant of another run is not confirmed".to_owned(),
            ));
            Ok(None)
        }
    }
}
