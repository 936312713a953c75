//! Pictures of programs: which procedure calls which, and the control flow of one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use system::graph::{Graph, Node};
use system::program::{Automaton, ProcedureId, Program, Step};

/// Which procedures call which, from where the program starts.
pub(super) fn call_graph(program: &Program, calls: &BTreeMap<ProcedureId, BTreeSet<ProcedureId>>) -> Graph {
    let mut graph = Graph {
        has_boxes: true,
        ..Graph::default()
    };
    let mut called: Vec<ProcedureId> = vec![program.start];
    let mut position = 0;
    while let Some(from) = called.get(position).copied() {
        position += 1;
        for to in calls.get(&from).into_iter().flatten() {
            if !called.contains(to) {
                called.push(*to);
            }
        }
    }
    let numbers: BTreeMap<ProcedureId, usize> = called.iter().copied().zip(0..).collect();
    for id in &called {
        graph.nodes.push(Node {
            start: *id == program.start,
            text: program[*id].name.clone(),
            ..Node::default()
        });
    }
    for (from, number) in &numbers {
        for to in calls.get(from).into_iter().flatten() {
            if let Some(to) = numbers.get(to) {
                graph.connect(*number, *to, "");
            }
        }
    }
    by_distance(&mut graph);
    graph
}

/// The control-flow automaton of a procedure. Steps that always follow each other are in one box.
pub(super) fn automaton(program: &Program, id: ProcedureId) -> Graph {
    let mut graph = Graph {
        has_boxes: true,
        ..Graph::default()
    };
    let Some(automaton) = program[id].body.automaton() else {
        return graph;
    };
    let firsts = firsts(automaton);
    let numbers: BTreeMap<usize, usize> = firsts.iter().copied().zip(0..).collect();
    let mut lasts = Vec::new();
    for first in &firsts {
        let (node, last) = block(program, id, automaton, *first, &numbers);
        graph.nodes.push(node);
        lasts.push(last);
    }
    for (number, last) in lasts.into_iter().enumerate() {
        for edge in &automaton.locations[last].edges {
            let label = match edge.step {
                Step::Assume { .. } => program.step_text(&edge.step),
                _ => String::new(),
            };
            if let (Some(to), false) = (numbers.get(&edge.to.index()), matches!(edge.step, Step::Violate(_))) {
                graph.connect(number, *to, &label);
            }
        }
    }
    by_distance(&mut graph);
    graph
}

/// The locations that boxes begin with, the entry first. What cannot be reached is left out.
fn firsts(automaton: &Automaton) -> Vec<usize> {
    let mut ways_in = vec![0_usize; automaton.locations.len()];
    let mut reached = vec![false; automaton.locations.len()];
    let mut pending = vec![automaton.entry.index()];
    reached[automaton.entry.index()] = true;
    while let Some(number) = pending.pop() {
        for edge in &automaton.locations[number].edges {
            ways_in[edge.to.index()] += 1;
            if !matches!(edge.step, Step::Violate(_)) && !std::mem::replace(&mut reached[edge.to.index()], true) {
                pending.push(edge.to.index());
            }
        }
    }
    let mut firsts = BTreeSet::new();
    for (number, location) in automaton
        .locations
        .iter()
        .enumerate()
        .filter(|(number, _)| reached[*number])
    {
        let is_choice = location
            .edges
            .iter()
            .any(|edge| matches!(edge.step, Step::Assume { .. }));
        for edge in &location.edges {
            if is_choice || ways_in[edge.to.index()] > 1 {
                firsts.insert(edge.to.index());
            }
        }
        if number == automaton.exit.index() || location.label.is_some() {
            firsts.insert(number);
        }
    }
    firsts.remove(&automaton.entry.index());
    let behind = firsts.into_iter().filter(|number| reached[*number]);
    std::iter::once(automaton.entry.index()).chain(behind).collect()
}

/// A box, and the location that it ends with.
fn block(
    program: &Program,
    id: ProcedureId,
    automaton: &Automaton,
    first: usize,
    numbers: &BTreeMap<usize, usize>,
) -> (Node, usize) {
    let mut lines = Vec::new();
    if first == automaton.entry.index() {
        lines.push(format!("{} begins", program[id].name));
    }
    if first == automaton.exit.index() {
        lines.push("returns".to_owned());
    }
    lines.extend(automaton.locations[first].label.iter().map(|label| format!("{label}:")));
    let mut violation = None;
    let mut at = first;
    while let [edge] = automaton.locations[at].edges.as_slice() {
        match &edge.step {
            Step::Assume { .. } => break,
            Step::Skip | Step::Enter(_) | Step::Leave(_) => {}
            Step::Violate(property) => {
                violation = Some(program[*property].name.clone());
                break;
            }
            step => lines.push(program.step_text(step)),
        }
        if numbers.contains_key(&edge.to.index()) {
            break;
        }
        at = edge.to.index();
    }
    let node = Node {
        start: first == automaton.entry.index(),
        text: lines.join("\n"),
        violation,
        ..Node::default()
    };
    (node, at)
}

/// Rows of the drawing: steps from the start.
fn by_distance(graph: &mut Graph) {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        next[edge.from].push(edge.to);
    }
    let mut reached: Vec<Option<usize>> = graph.nodes.iter().map(|node| node.start.then_some(0)).collect();
    let mut waiting: VecDeque<usize> = (0..graph.nodes.len())
        .filter(|number| graph.nodes[*number].start)
        .collect();
    while let Some(number) = waiting.pop_front() {
        let depth = reached[number].unwrap_or(0) + 1;
        for successor in next[number].clone() {
            if reached[successor].is_none() {
                reached[successor] = Some(depth);
                waiting.push_back(successor);
            }
        }
    }
    for (node, depth) in graph.nodes.iter_mut().zip(reached) {
        node.depth = depth.unwrap_or(0);
    }
}
