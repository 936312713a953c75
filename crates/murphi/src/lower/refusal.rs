//! What lowering cannot take as it is, and whether a type at its declared size would help; and how much work it may be.

use crate::model::TypeId;
use logic::Cancellation;
use std::cell::Cell;
use system::Diagnostic;

/// Why there is no transition system.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) diagnostic: Diagnostic,
    /// The types of any size of which one is to blame, the likeliest first. None where no other size would help.
    pub(crate) types: Vec<TypeId>,
}

impl Refusal {
    pub(crate) fn new(diagnostic: Diagnostic, types: Vec<TypeId>) -> Refusal {
        Refusal { diagnostic, types }
    }
}

/// Adds what was refused in one piece of code. What follows the first refusal may only follow from it, so no type is
/// to blame for that yet.
pub(super) fn append(refusals: &mut Vec<Refusal>, mut more: Vec<Refusal>) {
    for refusal in more.iter_mut().skip(1) {
        refusal.types.clear();
    }
    refusals.append(&mut more);
}

/// One message for each place, however often the code there was put in line.
pub(super) fn deduplicated(mut refusals: Vec<Refusal>) -> Vec<Refusal> {
    // Of equal messages, the one with a type to blame.
    refusals.sort_by_key(|refusal| (refusal.diagnostic.span, refusal.types.is_empty()));
    refusals.dedup_by(|a, b| a.diagnostic.span == b.diagnostic.span && a.diagnostic.message == b.diagnostic.message);
    refusals
}

/// How much lowering may do: calls are put in line and loops are unrolled, so a page of source may become more than
/// any machine can hold.
pub(crate) struct Effort {
    left: Cell<u64>,
    cancellation: Cancellation,
    stopped: Cell<bool>,
}

/// Statements that are run, each counted with the depth of what it reads. The largest models that people have written
/// take four millions. What comes out is bounded, too: terms share their parts, and there were never more than two
/// hundred thousand different ones.
const MOST: u64 = 20_000_000;

impl Effort {
    pub(crate) fn new(cancellation: Cancellation) -> Effort {
        Effort {
            left: Cell::new(MOST),
            cancellation,
            stopped: Cell::new(false),
        }
    }

    /// Takes this much from what is left.
    pub(crate) fn spend(&self, work: u64) {
        self.left.set(self.left.get().saturating_sub(work));
        if self.left.get() == 0 || self.cancellation.is_cancelled() {
            self.stopped.set(true);
        }
    }

    /// Whether nothing more is to be done. It stays so.
    pub(crate) fn is_over(&self) -> bool {
        self.stopped.get()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_has_an_end() {
        let effort = Effort::new(Cancellation::new());
        effort.spend(MOST - 1);
        assert!(!effort.is_over());
        effort.spend(1);
        assert!(effort.is_over() && !effort.is_cancelled());
    }

    #[test]
    fn work_that_is_cancelled_is_over() {
        let cancellation = Cancellation::new();
        let effort = Effort::new(cancellation.clone());
        effort.spend(1);
        assert!(!effort.is_over());
        cancellation.cancel();
        effort.spend(1);
        assert!(effort.is_over() && effort.is_cancelled());
    }
}
