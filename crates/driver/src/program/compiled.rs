//! A run that violates a property is made once more, by gcc: whoever finds another end is wrong, and *unsafe* is not
//! said.

use super::ProgramAttempt;
use super::Question;
use super::verdict::{Compiled, Unsafe};
use crate::context::Context;
use crate::event::{Event, Phase};
use crate::mistake::{Mistake, MistakeKind};
use crate::reason::Reason;
use crate::subject::ProofAttempt;
use harness::{Tried, text, try_it};

/// What is said of a run when gcc has made it, or could not.
///
/// Where the run called functions of the C library that gcc's program knows and we do not, only gcc's program can say.
pub(super) fn confirmed(question: &Question, found: Box<Unsafe>, context: &Context) -> ProgramAttempt {
    let guessed = harness::determined(question.program, &found.outcome().from_outside).map(str::to_owned);
    let attempt = compiled(question, found, context);
    let is_reached = matches!(&attempt, ProofAttempt::Violated(found) if found.compiled.is_reached);
    match guessed {
        Some(name) if !is_reached => ProofAttempt::unproved(Reason::Guessed { name }),
        _ => attempt,
    }
}

fn compiled(question: &Question, mut found: Box<Unsafe>, context: &Context) -> ProgramAttempt {
    let Some(source) = &question.source else {
        return ProofAttempt::Violated(found);
    };
    context.tell(Event::Phase(Phase::Compiling));
    let written = match text(question.program, source, found.outcome(), found.property()) {
        Ok(written) => written,
        Err(unwritable) => {
            found.compiled = Compiled::not(unwritable.to_string());
            return ProofAttempt::Violated(found);
        }
    };
    let (is_reached, reason) = match try_it(&written, source.machine, &|| context.stopped().is_some()) {
        Tried::Reached => (true, None),
        Tried::NotRun(reason) => (false, Some(reason)),
        Tried::Elsewhere(how) => {
            if let Some(name) = harness::unspecified(question.program, &found.outcome().from_outside) {
                let name = name.to_owned();
                return ProofAttempt::unproved(Reason::Unspecified { name });
            }
            let inputs = found.outcome().inputs.clone();
            if found.outcome().has_addresses {
                return ProofAttempt::unproved(Reason::Addresses { inputs });
            }
            let message = format!(
                "the run with the inputs {inputs:?} violates a property, and the same program compiled by gcc does not: {how} \
                 (C leaves open in which order operands are evaluated; here it may be another one than gcc's)"
            );
            let mistake = Mistake::about(question.sources, MistakeKind::UnconfirmedRun, message);
            return ProofAttempt::Mistake(Box::new(mistake.with_file("harness.c", written)));
        }
    };
    found.compiled = Compiled {
        is_reached,
        reason,
        harness: Some(written),
    };
    ProofAttempt::Violated(found)
}
