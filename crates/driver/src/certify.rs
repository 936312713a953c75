//! From an invariant to a confirmed certificate.

use crate::about;
use crate::account::Account;
use crate::check::ModelAttempt;
use crate::event::{Event, Phase};
use crate::further::{FurtherProperty, FurtherStatus};
use crate::model::ModelTask;
use crate::reason::Reason;
use crate::solvers::solvers;
use crate::subject::ProofAttempt;
use crate::verdict::{Proved, Unknown};
use system::certificate::Certificate;
use system::transition::{Fact, Property};
use validate::{Confirmed, Judgement, ObligationError, QueryResult, Unconfirmed};

/// An invariant as an engine hands it over.
pub struct Invariant {
    pub certificate: Certificate,
    pub(crate) further: Vec<FurtherProperty>,
}

impl Invariant {
    /// Facts alone.
    pub fn of(facts: Vec<Fact>) -> Invariant {
        let certificate = Certificate {
            facts,
            ..Certificate::default()
        };
        Invariant {
            certificate,
            further: Vec::new(),
        }
    }
}

/// There is no proof.
pub(crate) fn unproved(task: &ModelTask, reason: Reason, account: Account) -> ModelAttempt {
    ProofAttempt::Unproved(Box::new(Unknown::of(task, reason, account)))
}

/// Has every obligation confirmed by a solver that runs as another program. A further property that is not confirmed
/// is taken out of the certificate, and harms nothing else.
pub(crate) fn certify(task: &ModelTask, mut invariant: Invariant, account: Account) -> ModelAttempt {
    loop {
        let text = match text(task, &invariant) {
            Ok(text) => text,
            Err(error) => return unproved(task, Reason::NotCertifiable(error), account),
        };
        let mut tell = |solver: &str| task.context.tell(Event::Phase(Phase::Confirming { solver }));
        let confirmed = Confirmed::of(text.clone(), &solvers(), task.context.cancellation(), &mut tell);
        let unconfirmed = match confirmed {
            Ok(certificate) => {
                return ProofAttempt::Proved(Box::new(Proved {
                    account,
                    facts: invariant.certificate.facts,
                    further: invariant.further,
                    certificate,
                    excludes_reads: false,
                }));
            }
            Err(unconfirmed) => unconfirmed,
        };
        if let Unconfirmed::Judged(judgement) = &unconfirmed
            && task.context.stopped().is_none()
            && withdraw(&mut invariant.further, judgement)
        {
            continue;
        }
        // Which facts a fact rests on is there to make the questions smaller, and may be told wrongly: all of them
        // will do.
        if matches!(unconfirmed, Unconfirmed::Judged(_))
            && task.context.stopped().is_none()
            && !std::mem::take(&mut invariant.certificate.premises).is_empty()
        {
            continue;
        }
        let opinions = match &unconfirmed {
            Unconfirmed::Judged(judgement) => judgement.opinions.clone(),
            _ => Vec::new(),
        };
        let reason = match task.context.stopped() {
            Some(stopped) => Reason::Stopped(stopped),
            None => Reason::Unconfirmed(unconfirmed),
        };
        return ProofAttempt::Unproved(Box::new(Unknown {
            opinions,
            certificate: Some(text),
            ..Unknown::of(task, reason, account)
        }));
    }
}

/// Takes back that further properties hold where nothing but they is in doubt: the last obligations are about them.
/// False where something else is.
fn withdraw(further: &mut [FurtherProperty], judgement: &Judgement) -> bool {
    let holding = further.iter_mut().filter(|further| further.holds()).collect::<Vec<_>>();
    let outcomes = &judgement.report.outcomes;
    let first = outcomes.len().saturating_sub(holding.len());
    let is_doubtful = |position: &usize| outcomes[*position].1 != QueryResult::Confirmed;
    if judgement.report.error.is_some() || (0..first).any(|position| is_doubtful(&position)) {
        return false;
    }
    for (further, position) in holding.into_iter().zip(first..) {
        if is_doubtful(&position) {
            further.standing = FurtherStatus::Unconfirmed;
        }
    }
    true
}

fn text(task: &ModelTask, invariant: &Invariant) -> Result<String, ObligationError> {
    let about = about::lines(&task.subject.input, &task.question.reading, |_, name| name.to_owned());
    let certificate = Certificate {
        properties: certified_properties(task, &invariant.further),
        ..invariant.certificate.clone()
    };
    validate::certificate_text(task.system(), &certificate, &about)
}

/// What a certificate shows: the names of the properties, without the assertions of rules, and then of the further
/// ones that hold.
pub(crate) fn certified_properties(task: &ModelTask, further: &[FurtherProperty]) -> Vec<String> {
    let stated = |property: &&Property| task.system().properties.iter().any(|p| p.name == property.name);
    let properties = task.subject.properties.iter().filter(stated).map(|p| p.name.clone());
    let further = further.iter().filter(|f| f.holds()).map(|f| f.name.clone());
    properties.chain(further).collect()
}
