//! A run that violates a property is made once more, by gcc: whoever finds another end is wrong, and *unsafe* is not
//! said.

use super::Question;
use super::verdict::{Compiled, Reason, Unsafe, Verdict};
use crate::context::Context;
use crate::event::{Event, Phase};
use harness::{Tried, text, try_it};

/// What is said of a run when gcc has made it, or could not.
///
/// Where the run called functions of the C library that gcc's program knows and we do not, only gcc's program can say.
pub(super) fn confirmed(question: &Question, found: Box<Unsafe>, context: &Context) -> Verdict {
    let guessed = harness::determined(question.program, &found.outcome().from_outside).map(str::to_owned);
    let verdict = compiled(question, found, context);
    let is_reached = matches!(&verdict, Verdict::Unsafe(found) if found.compiled.is_reached);
    match guessed {
        Some(name) if !is_reached => Verdict::unknown(Reason::Guessed { name }),
        _ => verdict,
    }
}

fn compiled(question: &Question, mut found: Box<Unsafe>, context: &Context) -> Verdict {
    let Some(source) = &question.source else {
        return Verdict::Unsafe(found);
    };
    context.tell(Event::Phase(Phase::Compiling));
    let written = match text(question.program, source, found.outcome(), found.property()) {
        Ok(written) => written,
        Err(unwritable) => {
            found.compiled = Compiled::not(unwritable.to_string());
            return Verdict::Unsafe(found);
        }
    };
    let (is_reached, reason) = match try_it(&written, source.machine, &|| context.stopped().is_some()) {
        Tried::Reached => (true, None),
        Tried::NotRun(reason) => (false, Some(reason)),
        Tried::Elsewhere(how) => {
            if let Some(name) = harness::unspecified(question.program, &found.outcome().from_outside) {
                let name = name.to_owned();
                return Verdict::unknown(Reason::Unspecified { name });
            }
            let inputs = found.outcome().inputs.clone();
            return Verdict::unknown(match found.outcome().has_addresses {
                true => Reason::Addresses { inputs },
                false => Reason::Elsewhere {
                    how,
                    harness: written,
                    inputs,
                },
            });
        }
    };
    found.compiled = Compiled {
        is_reached,
        reason,
        harness: Some(written),
    };
    Verdict::Unsafe(found)
}
