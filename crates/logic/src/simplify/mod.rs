//! Simplification beyond the smart constructors. Every rule preserves equivalence and is one small function with its
//! formula above it.
//!
//! Terms are rewritten bottom-up, each once. A rule may enable others, so its result is simplified again. A budget
//! bounds the total work; when it is exhausted, the term is merely less simple.

mod arithmetic;
mod booleans;
mod lists;
mod quantifiers;
mod replace;

use crate::hashing::FastMap;
use crate::substitute::rebuild;
use crate::term::{Kind, Term};
use crate::traverse::deep_subterms;

/// The maximum number of rewrites of one simplifier.
const REWRITES: usize = 100_000;

/// The maximum number of sub-terms that one simplifier visits to substitute known values.
const REPLACEMENTS: usize = 1_000_000;

/// The maximum nesting of rewrites of rewritten terms, to protect the stack.
const NESTING: usize = 60;

/// An equivalent, simpler term, or the same term.
pub fn simplify(term: Term) -> Term {
    Simplifier::default().simplify(term)
}

/// The remaining budget.
struct Effort {
    rewrites: usize,
    replacements: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            rewrites: REWRITES,
            replacements: REPLACEMENTS,
        }
    }
}

/// Returns an equivalent term, possibly the same, or `None` if the rule does not apply.
type Rule = fn(Term, &mut Effort) -> Option<Term>;

/// In the order of application.
const RULES: &[Rule] = &[
    |term, _| booleans::equal_booleans(term),
    |term, _| booleans::equal_branches(term),
    |term, _| booleans::hoist_conditional(term),
    booleans::branches_know_the_condition,
    booleans::facts_of_conjunction,
    booleans::facts_of_disjunction,
    booleans::facts_of_implication,
    |term, _| booleans::exhausted_enumeration(term),
    |term, _| arithmetic::collect_sum(term),
    |term, _| arithmetic::normalise_comparison(term),
    |term, _| lists::head_or_tail_of_append(term),
    |term, _| lists::equal_lists(term),
    |term, _| lists::compare_length(term),
    |term, _| quantifiers::one_point(term),
    |term, _| quantifiers::narrow_scope(term),
];

/// Simplifies several terms with shared memoisation and one budget for all.
#[derive(Default)]
pub struct Simplifier {
    done: FastMap<Term, Term>,
    effort: Effort,
    nesting: usize,
}

impl Simplifier {
    /// An equivalent, simpler term, or the same term.
    pub fn simplify(&mut self, term: Term) -> Term {
        let mut shallow = true;
        term.for_each_child(|child| shallow &= self.done.contains_key(&child));
        if !shallow {
            for inner in deep_subterms(term) {
                self.simplify_one(inner);
            }
        }
        self.simplify_one(term)
    }

    fn simplify_one(&mut self, term: Term) -> Term {
        if let Some(result) = self.done.get(&term) {
            return *result;
        }
        let rebuilt = match term.kind() {
            Kind::Quantified(..) => rebuild(term, |body| self.simplify(body)),
            _ => rebuild(term, |child| self.simplify_one(child)),
        };
        let result = if rebuilt == term {
            self.rewrite(term)
        } else {
            self.simplify_result(rebuilt)
        };
        self.done.insert(term, result);
        self.done.insert(result, result);
        result
    }

    /// Applies the first applicable rule to a term whose sub-terms are already simplified.
    fn rewrite(&mut self, term: Term) -> Term {
        let change = |rule: &Rule| rule(term, &mut self.effort).filter(|result| *result != term);
        match RULES.iter().find_map(change) {
            Some(result) if self.effort.rewrites > 0 => {
                self.effort.rewrites -= 1;
                self.simplify_result(result)
            }
            _ => term,
        }
    }

    fn simplify_result(&mut self, term: Term) -> Term {
        if self.nesting == NESTING {
            return term;
        }
        self.nesting += 1;
        let result = self.simplify(term);
        self.nesting -= 1;
        result
    }
}

#[cfg(test)]
mod tests;
