//! Substitution of known values for terms.

use super::Effort;
use crate::hashing::FastMap;
use crate::substitute::rebuild;
use crate::term::{self, Kind, Term};

/// The size and depth limit of one replacement. Occurrences beyond it remain, which is sound: each occurrence may be
/// replaced independently.
const LIMIT: usize = 4_000;
const DEPTH: usize = 60;

/// What holds in a context: terms and the literal values they equal, each with the index of the formula that states it.
#[derive(Clone, Default)]
pub(super) struct Facts {
    values: FastMap<Term, (Term, usize)>,
}

impl Facts {
    /// The facts that follow from a single formula with the given truth value.
    pub(super) fn from_formula(formula: Term, truth: bool) -> Facts {
        let mut facts = Facts::default();
        facts.learn(formula, truth, 0);
        facts
    }

    /// Records that the formula has the given truth value; so has each conjunct of a true conjunction and each disjunct
    /// of a false disjunction.
    pub(super) fn learn(&mut self, formula: Term, truth: bool, source: usize) {
        let mut pending = vec![(formula, truth)];
        while let Some((formula, truth)) = pending.pop() {
            if self
                .values
                .get(&formula)
                .is_some_and(|(known, _)| known.is_true() == truth)
            {
                continue;
            }
            match formula.kind() {
                Kind::Bool(_) => continue,
                Kind::Not(inner) => {
                    pending.push((*inner, !truth));
                    continue;
                }
                Kind::And(operands) if truth => pending.extend(operands.iter().map(|operand| (*operand, true))),
                Kind::Or(operands) if !truth => pending.extend(operands.iter().map(|operand| (*operand, false))),
                // a = value
                Kind::Equal(a, b) if truth && b.is_value() => self.insert(*a, *b, source),
                Kind::Equal(a, b) if truth && a.is_value() => self.insert(*b, *a, source),
                _ => {}
            }
            self.insert(formula, term::bool(truth), source);
        }
    }

    /// The first value wins. If two contradict each other, the context is unsatisfiable and either is sound.
    fn insert(&mut self, term: Term, value: Term, source: usize) {
        self.values.entry(term).or_insert((value, source));
    }

    /// Replaces known terms by their values.
    pub(super) fn apply(&self, term: Term, effort: &mut Effort) -> Term {
        self.apply_to_formula(term, usize::MAX, effort)
    }

    /// Replaces terms in the formula with the given index by values that other formulas state.
    pub(super) fn apply_to_formula(&self, formula: Term, number: usize, effort: &mut Effort) -> Term {
        let limit = LIMIT.min(effort.replacements);
        let mut replacement = Replacement {
            facts: self,
            formula: number,
            done: FastMap::default(),
            limit,
        };
        let result = replacement.replace(formula, DEPTH);
        effort.replacements -= limit - replacement.limit;
        result
    }
}

struct Replacement<'a> {
    facts: &'a Facts,
    formula: usize,
    done: FastMap<Term, Term>,
    limit: usize,
}

impl Replacement<'_> {
    fn replace(&mut self, term: Term, depth: usize) -> Term {
        if let Some((value, source)) = self.facts.values.get(&term)
            && *source != self.formula
        {
            return *value;
        }
        if let Some(result) = self.done.get(&term) {
            return *result;
        }
        if self.limit == 0 || depth == 0 {
            return term;
        }
        self.limit -= 1;
        let result = match term.kind() {
            Kind::Quantified(_, variables, _) => {
                // A fact about a free variable does not apply to a bound variable of the same name.
                let bound = |known: &Term| {
                    variables
                        .iter()
                        .any(|v| known.free_variables().binary_search(v).is_ok())
                };
                let mut facts = self.facts.clone();
                facts.values.retain(|known, _| !bound(known));
                let mut inner = Replacement {
                    facts: &facts,
                    done: FastMap::default(),
                    ..*self
                };
                let result = rebuild(term, |body| inner.replace(body, depth - 1));
                self.limit = inner.limit;
                result
            }
            _ => rebuild(term, |child| self.replace(child, depth - 1)),
        };
        self.done.insert(term, result);
        result
    }
}
