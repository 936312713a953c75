//! Refusals: what cannot be lowered, and whether a type at its declared size would help; and the budget of lowering.

use crate::model::TypeId;
use logic::Cancellation;
use std::cell::Cell;
use system::Diagnostic;

/// Why there is no transition system.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) diagnostic: Diagnostic,
    /// The parametric types of which one is to blame, the likeliest first. Empty if no other size would help.
    pub(crate) types: Vec<TypeId>,
}

impl Refusal {
    pub(crate) fn new(diagnostic: Diagnostic, types: Vec<TypeId>) -> Refusal {
        Refusal { diagnostic, types }
    }
}

/// Appends the refusals of one piece of code. Those after the first may be consequences of it, so no type is blamed for
/// them yet.
pub(super) fn append(refusals: &mut Vec<Refusal>, mut more: Vec<Refusal>) {
    for refusal in more.iter_mut().skip(1) {
        refusal.types.clear();
    }
    refusals.append(&mut more);
}

/// One message per place, however often the code there was inlined.
pub(super) fn deduplicated(mut refusals: Vec<Refusal>) -> Vec<Refusal> {
    // Of equal messages, keeps the one that blames a type.
    refusals.sort_by_key(|refusal| (refusal.diagnostic.span, refusal.types.is_empty()));
    refusals.dedup_by(|a, b| a.diagnostic.span == b.diagnostic.span && a.diagnostic.message == b.diagnostic.message);
    refusals
}

/// The budget of lowering: inlining and unrolling may expand a page of source beyond the capacity of any machine.
pub(crate) struct Effort {
    left: Cell<u64>,
    cancellation: Cancellation,
    stopped: Cell<bool>,
}

/// The maximum number of executed statements, each weighted by the depth of the terms that it reads. The largest
/// real-world models take four million. The output is bounded as well: terms share sub-terms, and never were there more
/// than two hundred thousand distinct ones.
const MOST: u64 = 20_000_000;

impl Effort {
    pub(crate) fn new(cancellation: Cancellation) -> Effort {
        Effort {
            left: Cell::new(MOST),
            cancellation,
            stopped: Cell::new(false),
        }
    }

    /// Consumes budget.
    pub(crate) fn spend(&self, work: u64) {
        self.left.set(self.left.get().saturating_sub(work));
        if self.left.get() == 0 || self.cancellation.is_cancelled() {
            self.stopped.set(true);
        }
    }

    /// Whether the budget is exhausted. It stays so.
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
