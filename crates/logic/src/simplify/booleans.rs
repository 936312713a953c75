//! Rules for connectives and conditionals.

use super::Effort;
use super::replace::Facts;
use crate::sort::Sort;
use crate::term::{self, Kind, Term, and, equal, implies, ite, not, or};
use std::collections::{BTreeMap, BTreeSet};

/// `(not a) = b` is `not (a = b)`, and `a = not a` is false.
pub(super) fn equal_booleans(term: Term) -> Option<Term> {
    let Kind::Equal(a, b) = term.kind() else { return None };
    match (a.kind(), b.kind()) {
        (Kind::Not(a), Kind::Not(b)) => Some(equal(*a, *b)),
        (Kind::Not(a), _) => Some(not(equal(*a, *b))),
        (_, Kind::Not(b)) => Some(not(equal(*a, *b))),
        _ => None,
    }
}

/// `ite(c, a, not a)` is `c = a`; `ite(c, ite(d, a, b), b)` is `ite(c and d, a, b)`; and the like.
pub(super) fn equal_branches(term: Term) -> Option<Term> {
    let Kind::Ite(condition, then, otherwise) = term.kind() else {
        return None;
    };
    if term.sort() == Sort::Bool && *then == not(*otherwise) {
        return Some(equal(*condition, *then));
    }
    if let Kind::Ite(inner, a, b) = then.kind() {
        if b == otherwise {
            return Some(ite(and([*condition, *inner]), *a, *b));
        }
        if a == otherwise {
            return Some(ite(and([*condition, not(*inner)]), *b, *a));
        }
    }
    if let Kind::Ite(inner, a, b) = otherwise.kind() {
        if a == then {
            return Some(ite(or([*condition, *inner]), *a, *b));
        }
        if b == then {
            return Some(ite(or([*condition, not(*inner)]), *b, *a));
        }
    }
    None
}

/// `ite(c, a, b) = d` is `ite(c, a = d, b = d)`; likewise `<` and `<=`, on either side. Only if all comparisons but one
/// become constant, so that the term shrinks.
pub(super) fn hoist_conditional(term: Term) -> Option<Term> {
    let (compare, a, b): (fn(Term, Term) -> Term, Term, Term) = match term.kind() {
        Kind::Equal(a, b) => (equal, *a, *b),
        Kind::Less(a, b) => (term::less, *a, *b),
        Kind::LessEqual(a, b) => (term::less_equal, *a, *b),
        _ => return None,
    };
    if a.sort() == Sort::Bool {
        return None;
    }
    hoist(a, |x| compare(x, b)).or_else(|| hoist(b, |x| compare(a, x)))
}

/// Traverses the chain `ite(c1, a1, ite(c2, a2, ...))` iteratively: chains may be long.
fn hoist(mut chain: Term, compare: impl Fn(Term) -> Term) -> Option<Term> {
    let mut branches = Vec::new();
    while let Kind::Ite(condition, then, otherwise) = chain.kind() {
        // A chain may also grow in its other branch.
        if let Kind::Ite(..) = then.kind() {
            branches.push((not(*condition), compare(*otherwise)));
            chain = *then;
        } else {
            branches.push((*condition, compare(*then)));
            chain = *otherwise;
        }
    }
    let last = compare(chain);
    let undecided = branches
        .iter()
        .map(|(_, result)| *result)
        .chain([last])
        .filter(|r| !r.is_value())
        .count();
    if branches.is_empty() || undecided > 1 {
        return None;
    }
    Some(chained(&branches, last))
}

/// `ite(c1, r1, ite(c2, r2, ... last))`; neighbours with the same literal result become one connective.
fn chained(branches: &[(Term, Term)], last: Term) -> Term {
    branches
        .chunk_by(|(_, a), (_, b)| a == b && a.is_value())
        .rev()
        .fold(last, |rest, run| {
            let conditions = run.iter().map(|(condition, _)| *condition);
            match run {
                [(_, result), ..] if result.is_true() => or(conditions.chain([rest])),
                [(_, result), ..] if result.is_false() => and(conditions.map(not).chain([rest])),
                _ => run
                    .iter()
                    .rev()
                    .fold(rest, |rest, (condition, result)| ite(*condition, *result, rest)),
            }
        })
}

/// `ite(c, a, b)` is `ite(c, a[true for c], b[false for c])`, and likewise for consequences of `c`.
pub(super) fn branches_know_the_condition(term: Term, effort: &mut Effort) -> Option<Term> {
    let Kind::Ite(condition, then, otherwise) = term.kind() else {
        return None;
    };
    let (holds, fails) = (
        Facts::from_formula(*condition, true),
        Facts::from_formula(*condition, false),
    );
    Some(ite(
        *condition,
        holds.apply(*then, effort),
        fails.apply(*otherwise, effort),
    ))
}

/// `a and p` is `a and p[true for a]`; `x = v and p` is `x = v and p[v for x]`, for a literal value `v`.
pub(super) fn facts_of_conjunction(term: Term, effort: &mut Effort) -> Option<Term> {
    let Kind::And(operands) = term.kind() else { return None };
    Some(and(each_knows_the_others(operands, true, effort)))
}

/// `a or p` is `a or p[false for a]`; `x != v or p` is `x != v or p[v for x]`.
pub(super) fn facts_of_disjunction(term: Term, effort: &mut Effort) -> Option<Term> {
    let Kind::Or(operands) = term.kind() else { return None };
    Some(or(each_knows_the_others(operands, false, effort)))
}

/// Simplifies each operand under the assumption that all other operands have the given truth value. Doing this
/// simultaneously is sound: an operand only replaces proper sub-terms, and each fact has one operand as its witness, so
/// the uses cannot be circular.
fn each_knows_the_others(operands: &[Term], truth: bool, effort: &mut Effort) -> Vec<Term> {
    let mut facts = Facts::default();
    for (number, operand) in operands.iter().enumerate() {
        facts.learn(*operand, truth, number);
    }
    operands
        .iter()
        .enumerate()
        .map(|(number, operand)| facts.apply_to_formula(*operand, number, effort))
        .collect()
}

/// `p -> q` is `p -> q[true for p]` and `p[false for q] -> q`.
pub(super) fn facts_of_implication(term: Term, effort: &mut Effort) -> Option<Term> {
    let Kind::Implies(condition, conclusion) = term.kind() else {
        return None;
    };
    let conclusion = Facts::from_formula(*condition, true).apply(*conclusion, effort);
    Some(implies(
        Facts::from_formula(conclusion, false).apply(*condition, effort),
        conclusion,
    ))
}

/// For an enumeration with the values `v1 ... vn`: `x = v1 or ... or x = vn` is true, and `x = v1 or ... or x = vk` is
/// `x != vn` if only `vn` is missing. Dually for conjunctions.
pub(super) fn exhausted_enumeration(term: Term) -> Option<Term> {
    let (operands, disjunction) = match term.kind() {
        Kind::Or(operands) => (operands, true),
        Kind::And(operands) => (operands, false),
        _ => return None,
    };
    let compared = |operand: Term| {
        let atom = if disjunction { operand } else { not(operand) };
        let Kind::Equal(a, b) = atom.kind() else { return None };
        match (a.kind(), b.kind()) {
            (Kind::Enumerator(_, position), _) => Some((*b, *position)),
            (_, Kind::Enumerator(_, position)) => Some((*a, *position)),
            _ => None,
        }
    };
    let mut seen: BTreeMap<Term, BTreeSet<u32>> = BTreeMap::new();
    for (subject, position) in operands.iter().filter_map(|operand| compared(*operand)) {
        seen.entry(subject).or_default().insert(position);
    }
    for (subject, positions) in seen {
        let Sort::Enum(sort) = subject.sort() else { continue };
        let missing: Vec<usize> = (0..sort.values().len())
            .filter(|n| u32::try_from(*n).is_ok_and(|n| !positions.contains(&n)))
            .collect();
        if missing.len() > 1 || (missing.len() == 1 && positions.len() < 2) {
            continue;
        }
        let others = operands
            .iter()
            .copied()
            .filter(|o| compared(*o).is_none_or(|(other, _)| other != subject));
        // If no value is missing, some comparison holds.
        let rest = missing
            .first()
            .map_or(term::bool(true), |n| not(equal(subject, term::enumerator(sort, *n))));
        return Some(if disjunction {
            or(others.chain([rest]))
        } else {
            and(others.chain([not(rest)]))
        });
    }
    None
}
