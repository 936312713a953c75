//! Predicate inference, figure 5: the predicates of a node determine those of its successors.

use super::Component;
use super::atoms;
use super::automaton::{CfaEdge, canonical};
use deduction::formulas::literal;
use logic::traverse::occurrences;
use logic::{Term, term};
use std::collections::{BTreeSet, VecDeque};

/// `P_s` for each node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicates {
    pub at: Vec<BTreeSet<Term>>,
}

/// Larger predicates are not propagated.
const LARGEST: u64 = 200;

impl Predicates {
    pub fn none(nodes: usize) -> Predicates {
        Predicates {
            at: vec![BTreeSet::new(); nodes],
        }
    }

    /// The union. Inference treats each predicate separately, so it distributes over unions.
    pub fn add(&mut self, others: &Predicates) {
        for (mine, theirs) in self.at.iter_mut().zip(&others.at) {
            mine.extend(theirs);
        }
    }

    /// `|∪ P_s|`
    pub fn expressions(&self) -> BTreeSet<Term> {
        self.at.iter().flatten().copied().collect()
    }

    /// `Γ_s(V)`: each predicate of a node, negated where its value is false.
    pub fn concretization(&self, node: usize, valuation: &[bool]) -> Term {
        let pairs = self.at[node].iter().zip(valuation);
        term::and(pairs.map(|(predicate, value)| literal(*predicate, *value)))
    }

    pub fn is_empty(&self) -> bool {
        self.at.iter().all(BTreeSet::is_empty)
    }
}

impl Component<'_> {
    /// *PredInfer*: propagates predicates backwards, at most `most` for each node.
    pub fn infer(&self, seeds: impl IntoIterator<Item = (usize, Term)>, most: usize) -> Predicates {
        let automaton = &self.automaton;
        let mut predicates = Predicates::none(automaton.nodes.len());
        // Breadth first: each iteration of a loop before the next one.
        let mut pending: VecDeque<(usize, Term)> = VecDeque::new();
        let mut add_one = |node: usize, formula: Term, pending: &mut VecDeque<(usize, Term)>| {
            let (predicate, _) = canonical(formula);
            // INIT has no predicates, and neither has FINAL.
            let is_inside = node != 0 && node != automaton.last;
            if is_inside
                && automaton.is_predicate(predicate)
                && occurrences(predicate) <= LARGEST
                && predicates.at[node].len() < most
                && predicates.at[node].insert(predicate)
            {
                pending.push_back((node, predicate));
            }
        };
        let mut add = |node: usize, formula: Term, pending: &mut VecDeque<(usize, Term)>| {
            for part in automaton.without_choices(formula) {
                for atom in atoms::apart(part, &self.bounds) {
                    add_one(node, atom, pending);
                }
            }
        };
        for (node, formula) in seeds {
            add(node, formula, &mut pending);
        }
        while let Some((node, predicate)) = pending.pop_front() {
            for edge in self.edges_into(node) {
                add(edge.from, edge.before(predicate), &mut pending);
            }
        }
        predicates
    }

    /// The edges into a node; for a call, one for each return.
    pub fn edges_into(&self, node: usize) -> impl Iterator<Item = &CfaEdge> {
        self.into[node].iter().map(|edge| &self.automaton.edges[*edge])
    }
}
