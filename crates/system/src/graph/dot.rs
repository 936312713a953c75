//! State graphs for Graphviz.

use super::Graph;
use std::fmt::Write;

pub(super) fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph states {\n    node [shape=circle];\n");
    for (number, node) in graph.nodes.iter().enumerate() {
        let shape = if node.start { ", shape=doublecircle" } else { "" };
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
        let mark = match node.mark.as_str() {
            "" => String::new(),
            mark => format!("\\n{}", escape(mark)),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "    s{number} [label=\"{number}{mark}\"{shape}{colour}, tooltip=\"{tooltip}\"];"
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
        let legend = escape(&graph.legend.join("\n"));
        // Graphviz ends a line that stands to the left by `\l`.
        let _ = writeln!(out, "    label=\"{}\\l\";", legend.replace("\\n", "\\l"));
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
