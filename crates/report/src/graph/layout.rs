//! Places for the states of a graph: rows by distance from the starts, and within a row near what they are connected
//! to.

use super::Graph;

const COLUMN: f64 = 136.0;
const ROW: f64 = 110.0;
const MARGIN: f64 = 80.0;
/// Passes that move states near their neighbours.
const PASSES: usize = 8;

pub(super) struct Places {
    /// The centre of each state.
    pub(super) points: Vec<(f64, f64)>,
    pub(super) width: f64,
    pub(super) height: f64,
}

pub(super) fn places(graph: &Graph) -> Places {
    let depth = graph.nodes.iter().map(|node| node.depth + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); depth];
    for (number, node) in graph.nodes.iter().enumerate() {
        rows[node.depth].push(number);
    }
    let mut neighbours = vec![Vec::new(); graph.nodes.len()];
    for edge in graph.edges.iter().filter(|edge| edge.from != edge.to) {
        neighbours[edge.from].push(edge.to);
        neighbours[edge.to].push(edge.from);
    }
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let mut points = vec![(0.0, 0.0); graph.nodes.len()];
    place_rows(&rows, widest, &mut points);
    for pass in 0..PASSES {
        // Down and up in turn, so that changes spread through the whole picture.
        let order: Vec<usize> = if pass % 2 == 0 {
            (0..depth).collect()
        } else {
            (0..depth).rev().collect()
        };
        for row in order {
            let mean = |state: &usize| {
                let near = &neighbours[*state];
                let sum: f64 = near.iter().map(|other| points[*other].0).sum();
                if near.is_empty() {
                    points[*state].0
                } else {
                    sum / near.len() as f64
                }
            };
            let mut keyed: Vec<(f64, usize)> = rows[row].iter().map(|state| (mean(state), *state)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[row] = keyed.into_iter().map(|(_, state)| state).collect();
            place_rows(&rows, widest, &mut points);
        }
    }
    let width = 2.0 * MARGIN + COLUMN * (widest - 1.0).max(0.0);
    let height = 2.0 * MARGIN + ROW * (depth.max(1) - 1) as f64;
    Places { points, width, height }
}

fn place_rows(rows: &[Vec<usize>], widest: f64, points: &mut [(f64, f64)]) {
    for (depth, row) in rows.iter().enumerate() {
        let indent = (widest - row.len() as f64) / 2.0;
        for (column, state) in row.iter().enumerate() {
            points[*state] = (MARGIN + COLUMN * (indent + column as f64), MARGIN + ROW * depth as f64);
        }
    }
}
