//! Constant propagation: what variables are where their values are known.
//!
//! Two ways. [`propagate`] finds the constants that hold at a node whichever path leads there (G. Kildall, *A unified
//! approach to global program optimization*, 1973). [`cases`] takes a guarded update apart so that one side knows more
//! constants than the join would: callers split nodes by what is known there.

use crate::conditionals::leaves;
use logic::substitute::{functions_of, replace};
use logic::{Function, Kind, Substitution, Term, simplify, term};
use std::collections::BTreeMap;

/// Variables with the terms that are substituted for them, mostly constants.
pub type Assignment = BTreeMap<Function, Term>;

/// The term with the values of the variables.
pub fn substitute(values: &Assignment, term: Term) -> Term {
    if values.is_empty() {
        return term;
    }
    let mentioned = functions_of(term);
    let needed = values.iter().filter(|(function, _)| mentioned.contains(function));
    Substitution::of_constants(needed.map(|(function, value)| (*function, *value))).apply(term)
}

/// The same, simplified.
pub fn evaluate(values: &Assignment, term: Term) -> Term {
    simplify(substitute(values, term))
}

/// An edge of a control-flow graph: parallel assignments.
pub struct Edge<'e> {
    pub from: usize,
    pub to: usize,
    pub updates: &'e Assignment,
}

/// By node, the variables that hold the same constant on all paths from node 0; none at nodes that no path reaches.
pub fn propagate(nodes: usize, edges: &[Edge]) -> Vec<Option<Assignment>> {
    let mut at: Vec<Option<Assignment>> = vec![None; nodes];
    let mut leaving: Vec<Vec<&Edge>> = vec![Vec::new(); nodes];
    for edge in edges {
        leaving[edge.from].push(edge);
    }
    let mut pending = Vec::new();
    if let Some(first) = at.first_mut() {
        *first = Some(Assignment::new());
        pending.push(0);
    }
    while let Some(node) = pending.pop() {
        let Some(known) = at[node].clone() else { continue };
        for edge in &leaving[node] {
            let mut after = known.clone();
            for (function, value) in edge.updates {
                match evaluate(&known, *value) {
                    value if value.is_value() => after.insert(*function, value),
                    _ => after.remove(function),
                };
            }
            let there = &mut at[edge.to];
            if let Some(held) = there {
                after.retain(|function, value| held.get(function) == Some(value));
            }
            if there.as_ref() != Some(&after) {
                *there = Some(after);
                pending.push(edge.to);
            }
        }
    }
    at
}

/// The greatest number of values that a conditional is looked at for.
const LEAVES: usize = 64;

/// A guarded update in one case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub guard: Term,
    pub values: Assignment,
}

/// The update by the conditions on which it depends whether a variable gets a number, or which: at most `most` cases,
/// without those whose guard is false.
pub fn cases(guard: Term, values: Assignment, most: usize) -> Vec<Case> {
    let (mut pending, mut found) = (vec![Case { guard, values }], Vec::new());
    while let Some(case) = pending.pop() {
        if case.guard.is_false() {
            continue;
        }
        let has_room = pending.len() + found.len() + 1 < most;
        match case.condition().filter(|_| has_room) {
            Some(condition) => pending.extend([false, true].map(|holds| case.assuming(condition, holds))),
            None => found.push(case),
        }
    }
    found
}

impl Case {
    /// One on which it depends whether a variable gets a number.
    fn condition(&self) -> Option<Term> {
        let is_number = |leaf: &Term| matches!(leaf.kind(), Kind::Int(_));
        self.values.values().find_map(|value| match value.kind() {
            Kind::Ite(condition, ..) if leaves(*value, LEAVES)?.iter().any(is_number) => Some(*condition),
            _ => None,
        })
    }

    fn assuming(&self, condition: Term, holds: bool) -> Case {
        let decide = |formula: Term| simplify(replace(formula, condition, term::bool(holds)));
        let literal = if holds { condition } else { term::not(condition) };
        Case {
            guard: simplify(term::and([decide(self.guard), literal])),
            values: self
                .values
                .iter()
                .map(|(function, value)| (*function, decide(*value)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Sort;

    fn variables() -> [Function; 3] {
        ["x", "y", "z"].map(|name| Function::constant(name, Sort::Int))
    }

    /// `x := 1; while (*) { y := x + 1; z := z + 1 }`, entered with `z` unknown.
    #[test]
    fn constants_hold_on_all_paths() {
        let [x, y, z] = variables();
        let plus_one = |function: Function| term::add([function.apply([]), term::int(1)]);
        let first = Assignment::from([(x, term::int(1)), (y, term::int(2)), (z, term::int(0))]);
        let body = Assignment::from([(y, plus_one(x)), (z, plus_one(z))]);
        let nothing = Assignment::new();
        let edge = |from, to, updates| Edge { from, to, updates };
        let edges = [
            edge(0, 1, &first),
            edge(1, 1, &body),
            edge(1, 2, &nothing),
            edge(3, 2, &first),
        ];
        let found = propagate(4, &edges);
        let known = Assignment::from([(x, term::int(1)), (y, term::int(2))]);
        assert_eq!(found, [Some(nothing.clone()), Some(known.clone()), Some(known), None]);
        assert_eq!(propagate(0, &[]), []);
    }

    #[test]
    fn parallel_assignments_read_what_was_before() {
        let [x, y, _] = variables();
        let first = Assignment::from([(x, term::int(1)), (y, term::int(2))]);
        let swap = Assignment::from([(x, y.apply([])), (y, x.apply([]))]);
        let edges = [
            Edge {
                from: 0,
                to: 1,
                updates: &first,
            },
            Edge {
                from: 1,
                to: 2,
                updates: &swap,
            },
        ];
        let swapped = Assignment::from([(x, term::int(2)), (y, term::int(1))]);
        assert_eq!(propagate(3, &edges)[2], Some(swapped));
    }

    #[test]
    fn cases_know_which_number_a_variable_gets() {
        let [x, y, z] = variables();
        let p = term::less(z.apply([]), term::int(0));
        let choice = term::ite(p, term::int(1), term::ite(term::not(p), term::int(2), y.apply([])));
        let values = Assignment::from([(x, choice), (y, term::ite(p, y.apply([]), z.apply([])))]);
        let found = cases(term::bool(true), values.clone(), 4);
        let numbers: Vec<Option<Term>> = found.iter().map(|case| case.values.get(&x).copied()).collect();
        assert_eq!(numbers, [Some(term::int(1)), Some(term::int(2))]);
        assert!(found[0].guard == simplify(p) && found[1].guard == simplify(term::not(p)));
        assert_eq!(
            cases(term::bool(true), values.clone(), 1),
            [Case {
                guard: term::bool(true),
                values: values.clone()
            }]
        );
        // A case that cannot be is none.
        assert_eq!(cases(p, values, 4).len(), 1);
    }
}
