//! Walking through terms without recursion.
//!
//! Lowered models can nest terms thousands of levels deep, and a stack overflow cannot be caught. Algorithms that
//! remember their result for each term are written as plain recursion, but visit the [`deep_subterms`] first: each of
//! those then finds results a few levels below itself, and the stack stays shallow.

use crate::hashing::{FastMap, FastSet};
use crate::term::{Kind, Term};

/// Recursion between remembered results goes at most this deep.
const STRIDE: u32 = 32;

/// All sub-terms, the term itself last, each after its own sub-terms and only once. Bodies of quantifiers are left out
/// where `enter_quantifiers` is false.
pub fn post_order(term: Term, enter_quantifiers: bool) -> Vec<Term> {
    let enter = |term: Term| enter_quantifiers || !matches!(term.kind(), Kind::Quantified(..));
    walk(term, |_| false, enter)
}

/// Sub-terms, each after its own and only once, without what is to be left out; of others, those below where `enter`
/// says so.
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

/// How many sub-terms there are where each is counted as often as it occurs.
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

/// Sub-terms outside of quantifiers that are worth visiting before the term, in this order; none for a shallow term.
pub fn deep_subterms(term: Term) -> Vec<Term> {
    deep_subterms_until(term, |_| false)
}

/// The same without those of which everything is known, and what is below them.
pub fn deep_subterms_until(term: Term, is_known: impl Fn(Term) -> bool) -> Vec<Term> {
    if term.depth() <= 2 * STRIDE {
        return Vec::new();
    }
    let mut order = walk(term, is_known, |term| !matches!(term.kind(), Kind::Quantified(..)));
    order.retain(|inner| inner.depth() % STRIDE == 0 && *inner != term);
    order
}
