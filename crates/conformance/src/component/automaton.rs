//! The control flow automaton of a component, section 5.1.
//!
//! A node is a statement: a branch, a call, a return, or a sequence of assignments. Steps without effect (jumps, ends
//! of scopes) are no nodes.

use deduction::constants::substitute;
use logic::substitute::functions_of;
use logic::term::conjuncts;
use logic::{Function, Kind, Sort, Term, simplify, term};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use unfold::{ContextId, Flow, FlowStep, Node};

/// The automaton. Node 0 is INIT, before the first statement.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub nodes: Vec<CfaNode>,
    pub edges: Vec<CfaEdge>,
    /// The entry of the procedure.
    pub entry: usize,
    /// FINAL: the procedure has returned.
    pub last: usize,
    /// The ranges of the choices on edges.
    pub ranges: BTreeMap<Function, Term>,
}

#[derive(Clone, Debug, Default)]
pub struct CfaNode {
    pub edges: Vec<usize>,
    /// The source location of the statement.
    pub span: Span,
    /// Before the entry of the procedure, where its arguments are chosen.
    pub is_before: bool,
}

/// An edge: where the condition holds, the updates are applied simultaneously.
#[derive(Clone, Debug)]
pub struct CfaEdge {
    pub from: usize,
    pub to: usize,
    pub condition: Term,
    pub updates: BTreeMap<Function, Term>,
    /// The steps of the unfolded program that the edge combines.
    pub steps: Vec<usize>,
    /// A call of an external routine; such an edge has no other step.
    pub call: Option<unfold::Call>,
    /// A call through a pointer to an external procedure; such an edge has no other step.
    pub is_astray: bool,
}

impl CfaEdge {
    /// `WP[edge]{formula}`, without the condition.
    pub fn before(&self, formula: Term) -> Term {
        simplify(substitute(&self.updates, formula))
    }

    fn is_identity(&self) -> bool {
        self.condition.is_true() && self.updates.is_empty() && !self.is_call()
    }

    fn is_call(&self) -> bool {
        self.call.is_some() || self.is_astray
    }

    /// The sequential composition of two edges.
    fn then(&self, next: &CfaEdge) -> CfaEdge {
        let mut updates = self.updates.clone();
        for (function, value) in &next.updates {
            updates.insert(*function, simplify(substitute(&self.updates, *value)));
        }
        CfaEdge {
            from: self.from,
            to: next.to,
            condition: simplify(term::and([self.condition, self.before(next.condition)])),
            updates,
            steps: self.steps.iter().chain(&next.steps).copied().collect(),
            call: None,
            is_astray: false,
        }
    }
}

impl Automaton {
    /// Builds the automaton of the procedure that the start of the program calls.
    pub fn of(flow: &Flow, component: ContextId) -> Option<Automaton> {
        let entry_of = flow.program()[flow.context(component).procedure].body.automaton()?;
        let number = |node: Node| flow.nodes.iter().position(|known| *known == node);
        let entry = number(Node::At(component, entry_of.entry))?;
        // A component that never returns has no such node.
        let last = number(Node::At(component, entry_of.exit)).unwrap_or(flow.nodes.len());
        let mut edges: Vec<CfaEdge> = Vec::new();
        let mut ranges = BTreeMap::new();
        for (number, step) in flow.steps.iter().enumerate() {
            let is_inside = step.from != last && matches!(flow.nodes[step.from], Node::At(..));
            let to = step.to.filter(|to| matches!(flow.nodes[*to], Node::At(..)));
            if let (true, Some(to)) = (is_inside, to) {
                ranges.extend(step.choices.iter().map(|(choice, range)| (choice.function, *range)));
                edges.push(edge_of(number, step, to));
            }
        }
        // INIT: the initial values of global variables.
        let initial: BTreeMap<Function, Term> = flow.initial.iter().copied().collect();
        for edge in edges.iter_mut().filter(|edge| edge.from == 0) {
            let first = CfaEdge {
                from: 0,
                to: 0,
                condition: term::bool(true),
                updates: initial.clone(),
                steps: Vec::new(),
                call: None,
                is_astray: false,
            };
            *edge = first.then(&*edge);
        }
        let mut builder = Builder {
            edges: edges.into_iter().map(Some).collect(),
            kept: BTreeSet::from([0, entry, last]),
        };
        builder.drop_identities();
        builder.merge_branches();
        builder.merge_sequences();
        Some(builder.finish(flow, entry, last, ranges))
    }

    /// The conditions of the edges out of a node, split into literals.
    pub fn conditions(&self, node: usize) -> BTreeSet<Term> {
        let edges = self.nodes[node].edges.iter().map(|edge| &self.edges[*edge]);
        let mut found = BTreeSet::new();
        for edge in edges {
            for conjunct in conjuncts(edge.condition) {
                let parts = self.without_choices(conjunct);
                found.extend(parts.into_iter().map(|part| canonical(part).0));
            }
        }
        found
    }

    /// The formula, or its parts that do not depend on choices, such as the target of a pointer.
    pub fn without_choices(&self, formula: Term) -> BTreeSet<Term> {
        if formula.sort() == Sort::Bool && self.is_predicate(formula) {
            return BTreeSet::from([formula]);
        }
        let (mut found, mut seen, mut pending) = (BTreeSet::new(), BTreeSet::from([formula]), vec![formula]);
        while let Some(term) = pending.pop() {
            for child in case_by_case(term).unwrap_or_else(|| term.children()) {
                if child.sort() == Sort::Bool && self.is_predicate(child) {
                    found.insert(child);
                } else if seen.insert(child) {
                    pending.push(child);
                }
            }
        }
        found
    }

    /// Whether a formula is a nontrivial state formula.
    pub fn is_predicate(&self, formula: Term) -> bool {
        let functions = functions_of(formula);
        !functions.is_empty() && !functions.iter().any(|function| self.ranges.contains_key(function))
    }
}

/// Splits a comparison of an if-then-else: its condition, and the comparison in either case.
fn case_by_case(formula: Term) -> Option<Vec<Term>> {
    let (left, right, compare): (Term, Term, fn(Term, Term) -> Term) = match formula.kind() {
        Kind::Equal(left, right) => (*left, *right, term::equal),
        Kind::LessEqual(left, right) => (*left, *right, term::less_equal),
        _ => return None,
    };
    match (left.kind(), right.kind()) {
        (Kind::Ite(condition, then, otherwise), _) => {
            Some(vec![*condition, compare(*then, right), compare(*otherwise, right)])
        }
        (_, Kind::Ite(condition, then, otherwise)) => {
            Some(vec![*condition, compare(left, *then), compare(left, *otherwise)])
        }
        _ => None,
    }
}

/// Maps a formula and its negation to the same formula, and returns whether it is the original.
pub fn canonical(formula: Term) -> (Term, bool) {
    let negation = simplify(term::not(formula));
    match negation < formula {
        true => (negation, false),
        false => (formula, true),
    }
}

fn edge_of(number: usize, step: &FlowStep, to: usize) -> CfaEdge {
    let changed = step
        .updates
        .iter()
        .filter(|(function, value)| function.apply([]) != **value);
    CfaEdge {
        from: step.from,
        to,
        condition: simplify(step.condition),
        updates: changed.map(|(function, value)| (*function, simplify(*value))).collect(),
        steps: vec![number],
        call: step.call.clone(),
        is_astray: step.is_astray,
    }
}

struct Builder {
    edges: Vec<Option<CfaEdge>>,
    /// Nodes that must be kept even without effect.
    kept: BTreeSet<usize>,
}

impl Builder {
    fn from(&self, node: usize) -> Vec<usize> {
        let edges = self.edges.iter().enumerate();
        let from = edges.filter(|(_, edge)| edge.as_ref().is_some_and(|edge| edge.from == node));
        from.map(|(number, _)| number).collect()
    }

    fn leading_to(&self, node: usize) -> Vec<usize> {
        let edges = self.edges.iter().enumerate();
        let into = edges.filter(|(_, edge)| edge.as_ref().is_some_and(|edge| edge.to == node));
        into.map(|(number, _)| number).collect()
    }

    fn sources(&self) -> BTreeSet<usize> {
        self.edges.iter().flatten().map(|edge| edge.from).collect()
    }

    /// Redirects the predecessors of nodes without effect to their successors.
    fn drop_identities(&mut self) {
        for node in self.sources() {
            let [only] = self.from(node)[..] else { continue };
            let Some(edge) = self.edges[only].clone() else { continue };
            if self.kept.contains(&node) || edge.to == node || !edge.is_identity() {
                continue;
            }
            for before in self.leading_to(node) {
                if let Some(before) = &mut self.edges[before] {
                    before.to = edge.to;
                    before.steps.extend(&edge.steps);
                }
            }
            self.edges[only] = None;
        }
    }

    /// Merges a branch into the branch that leads to it: `switch`, and conditions with `&&` and `||`, become one
    /// statement.
    fn merge_branches(&mut self) {
        for node in self.sources() {
            let (ways, before) = (self.from(node), self.leading_to(node));
            let ([before], true) = (&before[..], ways.len() > 1 && !self.kept.contains(&node)) else {
                continue;
            };
            let Some(first) = self.edges[*before].clone() else {
                continue;
            };
            let is_branch = first.updates.is_empty() && !first.is_call() && self.from(first.from).len() > 1;
            let own: Vec<CfaEdge> = ways.iter().filter_map(|way| self.edges[*way].clone()).collect();
            if !is_branch || own.iter().any(|edge| edge.is_call() || edge.to == node) || first.from == node {
                continue;
            }
            self.edges[*before] = None;
            for way in ways {
                self.edges[way] = None;
            }
            self.edges.extend(own.iter().map(|edge| Some(first.then(edge))));
        }
    }

    /// Merges sequences of assignments.
    fn merge_sequences(&mut self) {
        for node in self.sources() {
            let [only] = self.from(node)[..] else { continue };
            let [before] = self.leading_to(node)[..] else { continue };
            let (Some(first), Some(next)) = (&self.edges[before], &self.edges[only]) else {
                continue;
            };
            let is_simple = !first.is_call() && !next.is_call() && first.from != node && next.to != node;
            if !is_simple || self.kept.contains(&node) || self.from(first.from).len() != 1 {
                continue;
            }
            self.edges[before] = Some(first.then(next));
            self.edges[only] = None;
        }
    }

    /// Renumbers the reachable nodes.
    fn finish(self, flow: &Flow, entry: usize, last: usize, ranges: BTreeMap<Function, Term>) -> Automaton {
        let edges: Vec<CfaEdge> = self.edges.into_iter().flatten().collect();
        let mut from: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for edge in &edges {
            from.entry(edge.from).or_default().push(edge.to);
        }
        let (mut reached, mut pending) = (BTreeSet::from([0]), vec![0]);
        while let Some(node) = pending.pop() {
            for to in from.get(&node).into_iter().flatten() {
                if reached.insert(*to) {
                    pending.push(*to);
                }
            }
        }
        reached.extend([entry, last]);
        let numbers: BTreeMap<usize, usize> = reached.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        let is_before = |node: &usize| match flow.nodes.get(*node) {
            Some(Node::At(context, _)) => flow.context(*context).caller.is_none(),
            _ => false,
        };
        let node = |old: &usize| CfaNode {
            is_before: is_before(old),
            ..CfaNode::default()
        };
        let mut nodes: Vec<CfaNode> = reached.iter().map(node).collect();
        let mut made = Vec::new();
        for edge in edges {
            let (Some(from), Some(to)) = (numbers.get(&edge.from), numbers.get(&edge.to)) else {
                continue;
            };
            nodes[*from].edges.push(made.len());
            let own = edge.steps.iter().map(|step| flow.steps[*step].span);
            if nodes[*from].span.is_nowhere() {
                nodes[*from].span = own.into_iter().find(|span| !span.is_nowhere()).unwrap_or_default();
            }
            made.push(CfaEdge {
                from: *from,
                to: *to,
                ..edge
            });
        }
        Automaton {
            nodes,
            edges: made,
            entry: numbers[&entry],
            last: numbers[&last],
            ranges,
        }
    }
}
