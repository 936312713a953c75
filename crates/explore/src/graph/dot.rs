//! State graphs for Graphviz.

use super::StateGraph;
use std::fmt::Write;

pub(super) fn dot(graph: &StateGraph) -> String {
    let mut out = String::from("digraph states {\n    node [shape=circle];\n");
    for (number, node) in graph.nodes.iter().enumerate() {
        let shape = if node.start { ", shape=doublecircle" } else { "" };
        let colour = if node.violation.is_some() {
            ", style=filled, fillcolor=\"#f4a6a0\""
        } else {
            ""
        };
        let note = node
            .violation
            .as_ref()
            .map_or(String::new(), |violation| format!("{violation}\n"));
        let tooltip = escape(&format!("{note}{}", node.text));
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "    s{number} [label=\"{number}\"{shape}{colour}, tooltip=\"{tooltip}\"];"
        );
    }
    for edge in &graph.edges {
        let _ = writeln!(
            out,
            "    s{} -> s{} [label=\"{}\"];",
            edge.from,
            edge.to,
            escape(&edge.labels.join("\n"))
        );
    }
    out.push_str("}\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn quotes_are_escaped() {
        assert_eq!(escape("say \"a\\b\"\nnow"), "say \\\"a\\\\b\\\"\\nnow");
    }
}
