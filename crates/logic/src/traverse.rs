//! Traversal of terms without recursion.
//!
//! Lowered models can nest terms thousands of levels deep, and a stack overflow cannot be caught. Memoising algorithms
//! are written as plain recursion, but visit the [`deep_subterms`] first: each of those finds memoised results a few
//! levels below, so the stack stays shallow.

use crate::hashing::{FastMap, FastSet};
use crate::term::{Kind, Term};

/// The maximum depth of recursion between memoised results.
const STRIDE: u32 = 32;

/// All sub-terms in post-order, each once, the term itself last. `enter_quantifiers` says whether to include bodies of
/// quantifiers.
pub fn post_order(term: Term, enter_quantifiers: bool) -> Vec<Term> {
    let enter = |term: Term| enter_quantifiers || !matches!(term.kind(), Kind::Quantified(..));
    walk(term, |_| false, enter)
}

/// Sub-terms in post-order, each once, except those that `leave_out` excludes; `enter` says whether to descend.
fn walk(term: Term, leave_out: impl Fn(Term) -> bool, enter: impl Fn(Term) -> bool) -> Vec<Term> {
    enum Step {
        Enter(Term),
        Leave(Term),
    }
    let mut order = Vec::new();
    let mut seen = FastSet::default();
    let mut steps = vec![Step::Enter(term)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Leave(term) => order.push(term),
            Step::Enter(term) => {
                if leave_out(term) || !seen.insert(term) {
                    continue;
                }
                steps.push(Step::Leave(term));
                if enter(term) {
                    let first = steps.len();
                    term.for_each_child(|child| steps.push(Step::Enter(child)));
                    steps[first..].reverse();
                }
            }
        }
    }
    order
}

/// The number of sub-terms, counting each occurrence.
pub fn occurrences(term: Term) -> u64 {
    let mut counts: FastMap<Term, u64> = FastMap::default();
    let mut all = 0;
    for term in post_order(term, true) {
        all = 1;
        term.for_each_child(|child| all = u64::saturating_add(all, counts[&child]));
        counts.insert(term, all);
    }
    all
}

/// The sub-terms outside of quantifiers to visit before the term, in order; none for a shallow term.
pub fn deep_subterms(term: Term) -> Vec<Term> {
    deep_subterms_until(term, |_| false)
}

/// Like [`deep_subterms`], without known sub-terms and everything below them.
pub fn deep_subterms_until(term: Term, is_known: impl Fn(Term) -> bool) -> Vec<Term> {
    if term.depth() <= 2 * STRIDE {
        return Vec::new();
    }
    let mut order = walk(term, is_known, |term| !matches!(term.kind(), Kind::Quantified(..)));
    order.retain(|inner| inner.depth() % STRIDE == 0 && *inner != term);
    order
}
