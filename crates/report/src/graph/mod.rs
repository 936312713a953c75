//! Graphs of states as DOT text and as SVG.

mod boxes;
mod dot;
mod layout;
mod page;
mod ranks;
mod svg;

use system::graph::{Edge, Graph, Node};

/// The graph for Graphviz.
pub fn dot(graph: &Graph) -> String {
    dot::dot(graph)
}

/// The graph as a picture, states in rows by their distance from the starts. Abstract states show their predicates and
/// fit a page.
pub fn svg(graph: &Graph) -> String {
    match graph.predicates.is_empty() {
        _ if graph.has_boxes => boxes::svg(graph),
        true => svg::svg(graph),
        false => page::svg(graph),
    }
}
