//! Graphs whose nodes are boxes with their text in them, as large as they are.

use super::page::{Drawn, LINE, MARGIN, STYLE, draw_way, label_size, ports};
use super::ranks::{Line, Ranks, Size, places};
use super::{Graph, Node};
use crate::drawing::{escape, width, wrapped};
use std::fmt::Write;

/// Letters in a line of a box, and of a label.
const BOX: usize = 64;
const LABEL: usize = 40;
/// Lines of a box, and of a label.
const LINES: usize = 24;
const LABELS: usize = 3;

fn cut(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        lines.truncate(most);
        lines.push("…".to_owned());
    }
    lines
}

fn box_lines(node: &Node) -> Vec<String> {
    let violation = node.violation.iter().map(|violation| format!("✗ {violation}"));
    let lines = node.text.lines().map(str::to_owned).chain(violation);
    cut(lines.flat_map(|line| wrapped(&line, BOX)).collect(), LINES)
}

fn box_size(lines: &[String]) -> Size {
    let widest = lines.iter().map(|line| width(line) * 11.0 / 12.0).fold(0.0, f64::max);
    Size {
        // Programs have many signs that are wider than letters.
        width: widest * 1.05 + 16.0,
        height: lines.len() as f64 * LINE + 8.0,
    }
}

/// Writing to a string cannot fail, so its results are dropped.
pub(super) fn svg(graph: &Graph) -> String {
    let texts: Vec<Vec<String>> = graph.nodes.iter().map(box_lines).collect();
    let labels: Vec<Vec<String>> = graph
        .edges
        .iter()
        .map(|edge| {
            let shown = edge.labels.iter().filter(|label| !label.is_empty());
            let lines = shown.flat_map(|label| wrapped(label, LABEL)).collect();
            cut(lines, LABELS)
        })
        .collect();
    let boxes: Vec<Size> = texts.iter().map(|lines| box_size(lines)).collect();
    let rows: Vec<usize> = graph.nodes.iter().map(|node| node.depth).collect();
    let lines: Vec<Line> = graph
        .edges
        .iter()
        .zip(&labels)
        .map(|(edge, label)| Line {
            from: edge.from,
            to: edge.to,
            label: label_size(label),
        })
        .collect();
    let ranks = places(&boxes, &rows, &lines);
    let mut body = String::new();
    let ends = ports(&ranks, boxes.len());
    for (number, edge) in graph.edges.iter().enumerate() {
        let drawn = Drawn {
            title: edge.labels.join("\n"),
            lines: labels[number].clone(),
            is_run: edge.highlighted,
        };
        draw_way(&mut body, &drawn, &ranks.paths[number], ends[number], &ranks);
    }
    for (number, node) in graph.nodes.iter().enumerate() {
        draw_box(&mut body, node, &texts[number], number, &ranks);
    }
    let legend = graph.legend.iter().map(|line| width(line)).fold(0.0, f64::max);
    let (total, height) = (ranks.width.max(legend) + 2.0 * MARGIN, ranks.height + 2.0 * MARGIN);
    let below = height + LINE * graph.legend.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total:.0} {below:.0}\" width=\"{total:.0}\" \
         height=\"{below:.0}\">\n{STYLE}<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let _ = writeln!(out, "<g transform=\"translate({MARGIN},{MARGIN})\">\n{body}</g>");
    for (number, line) in graph.legend.iter().enumerate() {
        let y = height + LINE * number as f64;
        let _ = writeln!(out, r#"<text x="{MARGIN}" y="{y:.1}">{}</text>"#, escape(line));
    }
    out.push_str("</svg>\n");
    out
}

fn draw_box(out: &mut String, node: &Node, lines: &[String], number: usize, ranks: &Ranks) {
    let item = ranks.items[number];
    let kind = match (&node.violation, node.highlighted) {
        (Some(_), _) => " bad",
        (None, true) => " run",
        (None, false) => "",
    };
    let start = if node.start { " start" } else { "" };
    let (x, y) = (item.x - item.size.width / 2.0, item.top);
    let Size { width, height } = item.size;
    let _ = writeln!(out, "<g><title>{}</title>", escape(&node.text));
    let _ = writeln!(
        out,
        r#"<rect class="state{start}{kind}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="6"/>"#
    );
    for (position, line) in lines.iter().enumerate() {
        let y = y + 14.0 + LINE * position as f64;
        let _ = writeln!(out, r#"<text x="{:.1}" y="{y:.1}">{}</text>"#, x + 8.0, escape(line));
    }
    out.push_str("</g>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_show_their_text_and_lines_their_labels() {
        let mut graph = Graph {
            has_boxes: true,
            ..Graph::default()
        };
        for (depth, text) in ["x = 1", "y = 2\nz < 3", "end"].iter().enumerate() {
            graph.nodes.push(Node {
                depth,
                text: (*text).to_owned(),
                ..Node::default()
            });
        }
        graph.connect(0, 1, "if a & b");
        graph.connect(1, 0, "");
        graph.connect(1, 1, "again");
        graph.connect(1, 2, "");
        let drawn = svg(&graph);
        for expected in ["x = 1", "z &lt; 3", "if a &amp; b", "again"] {
            assert!(drawn.contains(&format!(">{expected}</text>")), "{expected}: {drawn}");
        }
        assert_eq!(drawn.matches("<rect class=\"state").count(), 3);
    }
}
