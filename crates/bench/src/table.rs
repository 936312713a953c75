//! Tables: the results of benchmarks.

use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;

/// The result of one benchmark.
#[derive(Serialize)]
pub(crate) struct Table {
    pub(crate) bench: &'static str,
    pub(crate) rows: Vec<Row>,
    /// Notes about this run for the reader.
    pub(crate) notes: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) ours: Value,
    /// The figures of the peer or the paper, or null.
    pub(crate) reference: Value,
    /// Whether ours meet the promise; null if there is nothing to compare with.
    pub(crate) met: Option<bool>,
}

impl Table {
    /// In Markdown: the name of each row, its cells, and whether it is met; then the notes.
    pub(crate) fn markdown(&self, head: &[&str], cells: impl Fn(&Row) -> Vec<String>) -> String {
        let mut lines = vec![head.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>()];
        lines.extend(self.rows.iter().map(|row| {
            let met = match row.met {
                Some(true) => "yes",
                Some(false) => "**no**",
                None => "",
            };
            [vec![row.name.clone()], cells(row), vec![met.to_owned()]].concat()
        }));
        let notes = self.notes.iter().map(|note| format!("\n{note}\n"));
        [aligned(&lines)].into_iter().chain(notes).collect()
    }
}

/// Rounded to two decimals.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// A table in Markdown, readable on a terminal as well; the first line is its head.
pub(crate) fn aligned(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        for (column, cell) in line.iter().enumerate() {
            let width = width(column);
            let _ = if column == 0 {
                write!(text, "| {cell:<width$} ")
            } else {
                write!(text, "| {cell:>width$} ")
            };
        }
        text.push_str("|\n");
        if number == 0 {
            for column in 0..line.len() {
                let dashes = "-".repeat(width(column));
                let _ = if column == 0 {
                    write!(text, "| {dashes} ")
                } else {
                    write!(text, "| {}: ", &dashes[1..])
                };
            }
            text.push_str("|\n");
        }
    }
    text
}
