//! Large blocks: all paths from a cut point to the next ones, as one transition for each target.
//!
//! Cut points are the start and the loop heads. The locations between them form an acyclic graph and are visited in
//! topological order; where paths meet, their states merge by if-then-else. This is the large-block encoding of D.
//! Beyer, A. Cimatti, A. Griggio, M. E. Keremoglu and R. Sebastiani, *Software model checking via large-block
//! encoding*, 2009.

use crate::UnfoldError;
use crate::contexts::{ContextId, Node};
use crate::machine::{Machine, State};
use crate::steps::Taken;
use logic::{Term, term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A topological order of the unfolded program.
pub(crate) struct Order {
    /// The position of each node: smaller than those of all its successors, except loop heads.
    pub(crate) position: FxHashMap<Node, usize>,
    /// The start and the loop heads, in order.
    pub(crate) cuts: Vec<Node>,
}

/// A transition from a cut point to another, or to an end.
pub(crate) struct Transition {
    pub(crate) to: Node,
    pub(crate) condition: Term,
    pub(crate) state: State,
}

/// Orders the unfolded program by a depth-first search.
pub(crate) fn order(machine: &mut Machine, most: usize, is_cancelled: &dyn Fn() -> bool) -> Result<Order, UnfoldError> {
    let Some(start) = machine.contexts.start() else {
        return Err(UnfoldError::NoStart);
    };
    let mut finished: Vec<Node> = Vec::new();
    let mut heads: FxHashSet<Node> = FxHashSet::default();
    let mut open: FxHashMap<Node, bool> = FxHashMap::default();
    // Postorder: the root that is searched last comes first.
    let mut starts = machine.contexts.entries();
    starts.push(start);
    for start in starts {
        open.insert(start, true);
        heads.extend(machine.contexts.is_cut(start).then_some(start));
        let successors = machine.contexts.successors(start);
        let mut stack: Vec<(Node, Vec<Node>)> = vec![(start, successors)];
        while let Some((node, pending)) = stack.last_mut() {
            let Some(next) = pending.pop() else {
                open.insert(*node, false);
                finished.push(*node);
                stack.pop();
                continue;
            };
            match open.get(&next) {
                Some(true) => {
                    heads.insert(next);
                }
                Some(false) => {}
                None => {
                    if open.len() >= most {
                        return Err(UnfoldError::TooLarge { locations: most });
                    }
                    if open.len().is_multiple_of(1024) && is_cancelled() {
                        return Err(UnfoldError::Stopped);
                    }
                    open.insert(next, true);
                    heads.extend(machine.contexts.is_cut(next).then_some(next));
                    let successors = machine.contexts.successors(next);
                    stack.push((next, successors));
                }
            }
        }
    }
    finished.reverse();
    let cuts = finished.iter().filter(|node| **node == start || heads.contains(node));
    Ok(Order {
        cuts: cuts.copied().collect(),
        position: finished
            .iter()
            .enumerate()
            .map(|(position, node)| (*node, position))
            .collect(),
    })
}

/// The paths that have reached a node.
#[derive(Default)]
struct Arrived {
    paths: Vec<(Term, State)>,
}

/// All transitions out of a cut point.
pub(crate) fn block(
    machine: &mut Machine,
    order: &Order,
    cut: usize,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Transition>, UnfoldError> {
    block_by_nodes(machine, order, cut, is_cancelled, &mut |_, _| {})
}

/// As [`block`], and reports the condition under which each node on the way is reached.
pub(crate) fn block_by_nodes(
    machine: &mut Machine,
    order: &Order,
    cut: usize,
    is_cancelled: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Node, Term),
) -> Result<Vec<Transition>, UnfoldError> {
    let cuts: FxHashSet<Node> = order.cuts.iter().copied().collect();
    let from = order.cuts[cut];
    let mut waiting: BTreeMap<usize, (Node, Arrived)> = BTreeMap::new();
    let mut ends: BTreeMap<Node, Arrived> = BTreeMap::new();
    let mut first = Arrived::default();
    first.paths.push((term::bool(true), State::new()));
    waiting.insert(order.position[&from], (from, first));
    while let Some((_, (node, arrived))) = waiting.pop_first() {
        if is_cancelled() {
            return Err(UnfoldError::Stopped);
        }
        let (condition, state) = machine.merge(arrived);
        if condition.is_false() {
            continue;
        }
        tell(node, condition);
        let mut arrive = |to: Node, condition: Term, state: State| {
            if condition.is_false() {
                return;
            }
            let is_end = cuts.contains(&to) || !matches!(to, Node::At(..));
            let arrived = match is_end {
                true => ends.entry(to).or_default(),
                false => {
                    let position = order.position.get(&to).copied().unwrap_or(usize::MAX);
                    &mut waiting.entry(position).or_insert_with(|| (to, Arrived::default())).1
                }
            };
            arrived.paths.push((condition, state));
        };
        if machine.contexts.has_single_successor(node) {
            machine.set_position(cut, node, 0);
            machine.state = state;
            let passed = machine.step_through(node);
            machine.keep_hazards(cut, condition, machine.span_of_call(node));
            if let Some((to, required)) = passed {
                arrive(to, term::and([condition, required]), std::mem::take(&mut machine.state));
            }
            continue;
        }
        let Node::At(context, location) = node else { continue };
        let edges = machine.contexts.edges(context, location).len();
        for number in 0..edges {
            for (way, callee) in machine.ways(context, location, number).into_iter().enumerate() {
                machine.set_position(cut, node, number * 100 + way);
                machine.state = state.clone();
                let Taken { condition: taken, to } = machine.take(context, location, number, callee);
                machine.keep_hazards(cut, condition, machine.contexts.span(context, location, number));
                if let Some(to) = to {
                    arrive(to, term::and([condition, taken]), std::mem::take(&mut machine.state));
                }
            }
        }
    }
    let mut transitions = Vec::new();
    for (to, arrived) in ends {
        let (condition, state) = machine.merge(arrived);
        if !condition.is_false() {
            transitions.push(Transition { to, condition, state });
        }
    }
    Ok(transitions)
}

impl Machine<'_, '_> {
    /// Sets the position after which choices are named.
    pub(crate) fn set_position(&mut self, cut: usize, node: Node, way: usize) {
        self.position = match node {
            Node::At(ContextId(context), location) => format!("{cut}.{context}.{}.{way}", location.0),
            _ => format!("{cut}"),
        };
        self.counter = 0;
        self.begin_hazards(node);
    }

    /// Merges paths: the disjunction of their conditions, and a state with if-then-else between theirs.
    fn merge(&self, arrived: Arrived) -> (Term, State) {
        let mut paths = arrived.paths.into_iter();
        let Some((mut condition, mut state)) = paths.next() else {
            return (term::bool(false), State::new());
        };
        for (other_condition, other) in paths {
            let apart = apart(condition, other_condition);
            let cells: Vec<_> = state.keys().chain(other.keys()).copied().collect();
            for cell in cells {
                let before = || self.objects[cell].function.apply([]);
                let held = state.get(&cell).copied().unwrap_or_else(before);
                let other_held = other.get(&cell).copied().unwrap_or_else(before);
                if held != other_held {
                    state.insert(cell, term::ite(apart, held, other_held));
                }
            }
            condition = either(condition, other_condition);
        }
        (condition, state)
    }
}

/// The conjuncts of the first condition that the second does not have. At most one of the two conditions holds.
fn apart(first: Term, second: Term) -> Term {
    let known: FxHashSet<Term> = term::conjuncts(second).into_iter().collect();
    let rest = term::conjuncts(first).into_iter().filter(|part| !known.contains(part));
    term::and(rest)
}

/// `first or second`, with common conjuncts factored out.
fn either(first: Term, second: Term) -> Term {
    let in_second: FxHashSet<Term> = term::conjuncts(second).into_iter().collect();
    let (common, rest): (Vec<Term>, Vec<Term>) = term::conjuncts(first)
        .into_iter()
        .partition(|part| in_second.contains(part));
    let in_common: FxHashSet<Term> = common.iter().copied().collect();
    let other = term::conjuncts(second)
        .into_iter()
        .filter(|part| !in_common.contains(part));
    let either = term::or([term::and(rest), term::and(other)]);
    term::and(common.into_iter().chain([either]))
}
