//! Simplification beyond the smart constructors. Every rule keeps the term equivalent; each is one small function
//! with its formula above it.
//!
//! Terms are rewritten from the leaves up, each once. A rule that applies may make room for others, so its result is
//! simplified again; a budget bounds the total, and where it ends the term is merely less simple.

mod arithmetic;
mod booleans;
mod lists;
mod quantifiers;
mod replace;

use crate::hashing::FastMap;
use crate::substitute::rebuild;
use crate::term::{Kind, Term};
use crate::traverse::deep_subterms;

/// How many rewrites a simplifier may do.
const REWRITES: usize = 100_000;

/// How many sub-terms a simplifier may look at in order to put known values in their place.
const REPLACEMENTS: usize = 1_000_000;

/// How deeply rewriting the result of a rewrite may nest, for the sake of the stack.
const NESTING: usize = 60;

/// An equivalent term that is simpler, or the same.
pub fn simplify(term: Term) -> Term {
    Simplifier::default().simplify(term)
}

/// What may still be spent.
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

/// Gives an equivalent term, or nothing where it does not fit. May give the same term.
type Rule = fn(Term, &mut Effort) -> Option<Term>;

/// In the order in which they are tried.
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

/// Simplifies several terms: what they have in common, once, and for as much effort in all as one of them may take.
#[derive(Default)]
pub struct Simplifier {
    done: FastMap<Term, Term>,
    effort: Effort,
    nesting: usize,
}

impl Simplifier {
    /// An equivalent term that is simpler, or the same.
    pub fn simplify(&mut self, term: Term) -> Term {
        let mut shallow = true;
        term.for_each_child(|child| shallow &= self.done.contains_key(&child));
        if !shallow {
            for inner in deep_subterms(term) {
                self.one(inner);
            }
        }
        self.one(term)
    }

    fn one(&mut self, term: Term) -> Term {
        if let Some(result) = self.done.get(&term) {
            return *result;
        }
        let rebuilt = match term.kind() {
            Kind::Quantified(..) => rebuild(term, |body| self.simplify(body)),
            _ => rebuild(term, |child| self.one(child)),
        };
        let result = if rebuilt == term {
            self.rewrite(term)
        } else {
            self.again(rebuilt)
        };
        self.done.insert(term, result);
        self.done.insert(result, result);
        result
    }

    /// Applies the first rule that fits a term whose sub-terms are simple already.
    fn rewrite(&mut self, term: Term) -> Term {
        let change = |rule: &Rule| rule(term, &mut self.effort).filter(|result| *result != term);
        match RULES.iter().find_map(change) {
            Some(result) if self.effort.rewrites > 0 => {
                self.effort.rewrites -= 1;
                self.again(result)
            }
            _ => term,
        }
    }

    fn again(&mut self, term: Term) -> Term {
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
