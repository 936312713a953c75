//! State graphs for Graphviz.

use super::{Graph, Node};
use std::fmt::Write;
use system::printable;

pub(super) fn dot(graph: &Graph) -> String {
    let shape = if graph.predicates.is_empty() { "circle" } else { "box" };
    let mut out = format!("digraph states {{\n    node [shape={shape}];\n");
    for (number, node) in graph.nodes.iter().enumerate() {
        let start = match (node.start, graph.predicates.is_empty()) {
            (false, _) => "",
            (true, true) => ", shape=doublecircle",
            (true, false) => ", penwidth=3",
        };
        let colour = match (&node.violation, node.highlighted) {
            (Some(_), _) => ", style=filled, fillcolor=\"#f4a6a0\"",
            (None, true) => ", style=filled, fillcolor=\"#fbe3c0\"",
            (None, false) => "",
        };
        let note = node
            .violation
            .as_ref()
            .map_or(String::new(), |violation| format!("{violation}\n"));
        let tooltip = escape(&format!("{note}{}", node.text));
        let label = label(graph, number, node);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "    s{number} [label=\"{label}\"{start}{colour}, tooltip=\"{tooltip}\"];"
        );
    }
    for edge in &graph.edges {
        let _ = writeln!(
            out,
            "    s{} -> s{} [label=\"{}\"{}];",
            edge.from,
            edge.to,
            escape(&edge.labels.join("\n")),
            if edge.highlighted {
                ", color=\"#d9822b\", penwidth=2.5"
            } else {
                ""
            }
        );
    }
    if !graph.legend.is_empty() {
        let _ = writeln!(out, "    label=\"{}\";", left(&graph.legend));
    }
    out.push_str("}\n");
    out
}

/// The number of a state; of an abstract one, what holds in it and not in all others.
fn label(graph: &Graph, number: usize, node: &Node) -> String {
    let holds = |node: &Node, predicate: usize| node.facts.get(predicate) == Some(&true);
    let differs = |predicate: usize| !graph.nodes.iter().all(|other| holds(other, predicate));
    let facts = graph.predicates.iter().enumerate();
    let facts = facts.filter(|(predicate, _)| holds(node, *predicate) && differs(*predicate));
    let facts: Vec<String> = facts.map(|(_, text)| text.clone()).collect();
    match facts.is_empty() {
        true => number.to_string(),
        false => left(&facts),
    }
}

/// Graphviz ends a line that stands to the left by `\l`.
fn left(lines: &[String]) -> String {
    lines.iter().map(|line| escape(line) + "\\l").collect()
}

fn escape(text: &str) -> String {
    printable(text)
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_escaped() {
        assert_eq!(escape("say \"a\\b\"\nnow"), "say \\\"a\\\\b\\\"\\nnow");
    }

    #[test]
    fn abstract_states_say_what_holds() {
        let node = |facts: [bool; 3]| Node {
            facts: facts.to_vec(),
            ..Node::default()
        };
        let graph = Graph {
            nodes: vec![node([true, true, false]), node([true, false, false])],
            predicates: ["always", "x = \"1\"", "never"].map(str::to_owned).to_vec(),
            ..Graph::default()
        };
        assert_eq!(label(&graph, 0, &graph.nodes[0]), "x = \\\"1\\\"\\l");
        assert_eq!(label(&graph, 1, &graph.nodes[1]), "1");
    }
}
