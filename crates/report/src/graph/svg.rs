//! State graphs as pictures that need no other program. What does not fit is shown where the pointer rests.

use super::layout::{Places, places};
use super::{Edge, Graph, Node};
use crate::drawing::escape;
use std::fmt::Write;

const RADIUS: f64 = 18.0;
/// With more edges than this, labels show only where the pointer rests.
const LABELLED: usize = 150;

const HEAD: &str = r##"<style>
  text { font: 11px sans-serif; text-anchor: middle; }
  .edge { fill: none; stroke: #5b6b7b; }
  .label { fill: #44515e; font-size: 9px; paint-order: stroke; stroke: #fff; stroke-width: 3px; }
  .state { fill: #eef3f8; stroke: #2f5d8a; }
  .start { stroke-width: 3; }
  .run { fill: #fbe3c0; stroke: #d9822b; }
  .bad { fill: #f4a6a0; stroke: #a3231a; }
  .edge.run { fill: none; stroke-width: 2.5; }
  .legend { text-anchor: start; }
  .quiet .label { display: none; }
  .quiet g:hover > .label { display: inline; }
  g:hover > .edge { stroke: #d9822b; stroke-width: 2.5; }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#5b6b7b"/></marker></defs>
"##;

/// Writing to a string cannot fail, so its results are dropped.
pub(super) fn svg(graph: &Graph) -> String {
    let places = places(graph);
    let legend = legend(graph, places.height);
    let width = places.width.max(legend.width);
    let height = places.height + legend.height;
    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}">"#
    );
    out.push_str(HEAD);
    let quiet = if graph.edges.len() > LABELLED { "quiet" } else { "full" };
    let _ = writeln!(out, r#"<g class="{quiet}">"#);
    for edge in &graph.edges {
        draw_edge(&mut out, edge, &places);
    }
    for (number, node) in graph.nodes.iter().enumerate() {
        draw_node(&mut out, number, node, places.points[number]);
    }
    out.push_str("</g>\n");
    out.push_str(&legend.text);
    out.push_str("</svg>\n");
    out
}

struct Legend {
    text: String,
    width: f64,
    height: f64,
}

/// Lines below the picture.
fn legend(graph: &Graph, below: f64) -> Legend {
    const LINE: f64 = 16.0;
    const CHARACTER: f64 = 6.2;
    let mut text = String::new();
    for (number, line) in graph.legend.iter().enumerate() {
        let y = below + LINE * number as f64;
        let _ = writeln!(
            text,
            r#"<text class="legend" x="20" y="{y:.1}">{}</text>"#,
            escape(line)
        );
    }
    let longest = graph.legend.iter().map(|line| line.chars().count()).max();
    Legend {
        text,
        width: longest.map_or(0.0, |longest| 40.0 + CHARACTER * longest as f64),
        height: LINE * graph.legend.len() as f64,
    }
}

fn draw_node(out: &mut String, number: usize, node: &Node, (x, y): (f64, f64)) {
    let kind = match (&node.violation, node.highlighted) {
        (Some(_), _) => " bad",
        (None, true) => " run",
        (None, false) => "",
    };
    let start = if node.start { " start" } else { "" };
    let note = node
        .violation
        .as_ref()
        .map_or(String::new(), |violation| format!("{violation}\n"));
    let title = escape(&format!("state {number}\n{note}{}", node.text));
    let _ = write!(
        out,
        r#"<g><title>{title}</title><circle class="state{start}{kind}" cx="{x:.1}" cy="{y:.1}" r="{RADIUS}"/><text x="{x:.1}" y="{:.1}">{number}</text>"#,
        y + 4.0
    );
    out.push_str("</g>\n");
}

fn draw_edge(out: &mut String, edge: &Edge, places: &Places) {
    let (path, (x, y)) = if edge.from == edge.to {
        loop_path(places.points[edge.from])
    } else {
        curve(places.points[edge.from], places.points[edge.to])
    };
    let label = match edge.labels.as_slice() {
        [] => String::new(),
        [label] => shorten(label),
        [label, rest @ ..] => format!("{} +{}", shorten(label), rest.len()),
    };
    let run = if edge.highlighted { " run" } else { "" };
    let _ = writeln!(
        out,
        r#"<g><title>{}</title><path class="edge{run}" d="{path}" marker-end="url(#tip)"/><text class="label" x="{x:.1}" y="{y:.1}">{}</text></g>"#,
        escape(&edge.labels.join("\n")),
        escape(&label)
    );
}

/// From rim to rim, bent to one side so that the way back is another line. Also gives the place of the label.
fn curve(from: (f64, f64), to: (f64, f64)) -> (String, (f64, f64)) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let bend = 14.0 + length * 0.06;
    let middle = (
        (from.0 + to.0) / 2.0 - dy / length * bend,
        (from.1 + to.1) / 2.0 + dx / length * bend,
    );
    let rim = |centre: (f64, f64)| {
        let (dx, dy) = (middle.0 - centre.0, middle.1 - centre.1);
        let length = dx.hypot(dy).max(1.0);
        (centre.0 + dx / length * RADIUS, centre.1 + dy / length * RADIUS)
    };
    let (start, end) = (rim(from), rim(to));
    let path = format!(
        "M{:.1},{:.1} Q{:.1},{:.1} {:.1},{:.1}",
        start.0, start.1, middle.0, middle.1, end.0, end.1
    );
    // A point of the curve nearer to where it comes from: there fewer curves meet.
    let along = |a: f64, b: f64, c: f64| 0.42 * a + 0.46 * b + 0.12 * c;
    (path, (along(start.0, middle.0, end.0), along(start.1, middle.1, end.1)))
}

fn loop_path(centre: (f64, f64)) -> (String, (f64, f64)) {
    let (x, y) = (centre.0 + RADIUS * 0.7, centre.1 - RADIUS * 0.7);
    let path = format!("M{:.1},{:.1} c4,-26 34,-8 {:.1},{:.1}", x, y, 4.0, 10.0);
    (path, (x + 22.0, y - 10.0))
}

fn shorten(label: &str) -> String {
    const LONGEST: usize = 24;
    if label.chars().count() <= LONGEST {
        return label.to_owned();
    }
    label.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_shortened() {
        assert_eq!(shorten("short"), "short");
        assert_eq!(shorten(&"x".repeat(40)).chars().count(), 24);
    }
}
