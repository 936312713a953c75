//! Predicate inference, figure 5: the predicates of a node are what decides about those of its successors.

use super::Component;
use super::automaton::{CfaEdge, canonical};
use logic::Term;
use logic::traverse::occurrences;
use std::collections::BTreeSet;

/// `P_s` for each node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicates {
    pub at: Vec<BTreeSet<Term>>,
}

/// A predicate with more parts than this is not followed further.
const LARGEST: u64 = 200;

impl Predicates {
    pub fn none(nodes: usize) -> Predicates {
        Predicates {
            at: vec![BTreeSet::new(); nodes],
        }
    }

    /// Inference takes each predicate by itself: so what follows from two sets is what follows from each.
    pub fn add(&mut self, others: &Predicates) {
        for (mine, theirs) in self.at.iter_mut().zip(&others.at) {
            mine.extend(theirs);
        }
    }

    /// `|∪ P_s|`
    pub fn expressions(&self) -> BTreeSet<Term> {
        self.at.iter().flatten().copied().collect()
    }

    pub fn is_empty(&self) -> bool {
        self.at.iter().all(BTreeSet::is_empty)
    }
}

impl Component<'_> {
    /// *PredInfer*: from predicates of nodes to those of the nodes before them, at most so many for each.
    pub fn infer(&self, seeds: impl IntoIterator<Item = (usize, Term)>, most: usize) -> Predicates {
        let automaton = &self.automaton;
        let mut predicates = Predicates::none(automaton.nodes.len());
        let mut pending: Vec<(usize, Term)> = Vec::new();
        let mut add_one = |node: usize, formula: Term, pending: &mut Vec<(usize, Term)>| {
            let (predicate, _) = canonical(formula);
            // INIT has none, and neither has FINAL.
            let is_inside = node != 0 && node != automaton.last;
            if is_inside
                && automaton.is_predicate(predicate)
                && occurrences(predicate) <= LARGEST
                && predicates.at[node].len() < most
                && predicates.at[node].insert(predicate)
            {
                pending.push((node, predicate));
            }
        };
        let mut add = |node: usize, formula: Term, pending: &mut Vec<(usize, Term)>| {
            for part in automaton.without_choices(formula) {
                add_one(node, part, pending);
            }
        };
        for (node, formula) in seeds {
            add(node, formula, &mut pending);
        }
        while let Some((node, predicate)) = pending.pop() {
            for edge in self.edges_into(node) {
                add(edge.from, edge.before(predicate), &mut pending);
            }
        }
        predicates
    }

    /// The edges that lead to a node; of a call, one for each way to return.
    pub fn edges_into(&self, node: usize) -> impl Iterator<Item = &CfaEdge> {
        self.into[node].iter().map(|edge| &self.automaton.edges[*edge])
    }
}
