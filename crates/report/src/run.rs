//! A run of a program by the lines of its source: as text, and as steps of an outcome.

use crate::outcome::{Place, Step};
use crate::words::grouped;
use serde::Serialize;
use serde_json::{Map, json};
use std::fmt::Write as _;

/// Of a run that takes more rows than this, the terminal shows the beginning and the end.
const LONG: usize = 200;

/// How many inputs of a run are shown.
const INPUTS: usize = 100;

/// A line of the source that was run, and what it did.
#[derive(Serialize, Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    pub depth: usize,
    pub procedure: String,
    /// `driver.c:12`.
    pub place: Option<String>,
    /// The line as it is written.
    pub text: String,
    /// `x = 3`, `lock(2)`, one after the other.
    pub effects: Vec<String>,
    /// The end of the run depends on it.
    pub matters: bool,
}

impl Line {
    /// `driver.c`, 12
    pub fn file_and_line(&self) -> Option<(&str, usize)> {
        let (file, line) = self.place.as_deref()?.rsplit_once(':')?;
        Some((file, line.parse().ok()?))
    }

    /// The line as a step of an outcome.
    pub fn step(&self) -> Step {
        let place = self.file_and_line().map(|(file, line)| Place::at_line(file, line));
        let details = [
            ("procedure", json!(self.procedure)),
            ("depth", json!(self.depth)),
            ("matters", json!(self.matters)),
        ];
        Step {
            rule: match self.effects.is_empty() {
                true => self.text.clone(),
                false => format!("{}  -- {}", self.text, self.effects.join(", ")),
            },
            changes: Map::new(),
            place,
            details: details
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect(),
        }
    }
}

/// A line of the file itself goes by its number.
fn short<'a>(line: &'a Line, file: &str) -> &'a str {
    let place = line.place.as_deref().unwrap_or_default();
    place
        .strip_prefix(file)
        .and_then(|rest| rest.strip_prefix(':'))
        .unwrap_or(place)
}

/// What is shown: a line of the run, how many are left out, or the procedure that the next lines are in.
struct Row {
    text: String,
    /// The procedure, as it is shown.
    heading: String,
    /// The number of lines of the run that it represents.
    lines: usize,
}

/// The width of the column of places.
pub fn width(lines: &[Line], file: &str) -> usize {
    let widths = lines.iter().map(|line| short(line, file).chars().count());
    widths.max().unwrap_or(0)
}

fn rows(lines: &[Line], file: &str, is_whole: bool) -> Vec<Row> {
    let width = width(lines, file);
    let places: Vec<&str> = lines.iter().map(|line| short(line, file)).collect();
    let mut rows: Vec<Row> = Vec::new();
    let (mut procedure, mut heading) = (String::new(), String::new());
    let mut folded = 0;
    for (number, (line, place)) in lines.iter().zip(places).enumerate() {
        if !is_whole && !line.matters {
            folded += 1;
            if lines.get(number + 1).is_some_and(|next| !next.matters) {
                continue;
            }
            // One line says more than that it is left out.
            if folded > 1 {
                rows.push(Row {
                    text: format!("  {:width$}  {}... {folded} lines", "", "  ".repeat(line.depth + 1)),
                    heading: heading.clone(),
                    lines: folded,
                });
                folded = 0;
                continue;
            }
        }
        folded = 0;
        let indent = "  ".repeat(line.depth);
        let name = format!("{}:{}", line.depth, line.procedure);
        if name != procedure {
            heading = format!("  {:width$}  {indent}in {}", "", line.procedure);
            rows.push(Row {
                text: heading.clone(),
                heading: heading.clone(),
                lines: 0,
            });
            procedure = name;
        }
        let effects = match line.effects.is_empty() {
            true => String::new(),
            false => format!("    -- {}", line.effects.join(", ")),
        };
        rows.push(Row {
            text: format!("  {place:>width$}  {indent}  {}{effects}", line.text),
            heading: heading.clone(),
            lines: 1,
        });
    }
    rows
}

/// The text: `line  source  effects`, calls indented; `file` is the program. Unless all is wanted, lines that do not
/// matter are only counted, and so is the middle of a long run; `all` names the options that show it.
pub fn text(lines: &[Line], left_out: u64, file: &str, is_whole: bool, all: &str) -> String {
    let mut text = String::new();
    if left_out > 0 {
        let _ = writeln!(text, "  ... {left_out} steps before");
    }
    let rows = rows(lines, file, is_whole);
    let is_long = !is_whole && rows.len() > LONG;
    let (first, rest) = rows.split_at(if is_long { LONG / 2 } else { rows.len() });
    let (middle, last) = rest.split_at(rest.len().saturating_sub(LONG / 2));
    let mut write = |row: &str| text.extend([row, "\n"]);
    first.iter().for_each(|row| write(&row.text));
    if let (true, [next, ..]) = (is_long, last) {
        let count: usize = middle.iter().map(|row| row.lines).sum();
        write(&format!("\n  ... {} lines; {all} shows all\n", grouped(count as u64)));
        if next.lines > 0 {
            write(&next.heading);
        }
    }
    last.iter().for_each(|row| write(&row.text));
    text
}

/// The inputs of a run, the first ones where there are many, unless all are wanted.
pub fn inputs(values: &[i128], is_whole: bool) -> String {
    let shown = if is_whole {
        values.len()
    } else {
        INPUTS.min(values.len())
    };
    let mut text: Vec<String> = values.iter().take(shown).map(ToString::to_string).collect();
    if values.len() > shown {
        let more = grouped((values.len() - shown) as u64);
        text.push(format!("... and {more} more, which --verbose and --json show"));
    }
    text.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: usize) -> Line {
        Line {
            depth: 1,
            procedure: "main".to_owned(),
            place: Some(format!("a.c:{number}")),
            text: format!("step {number};"),
            effects: Vec::new(),
            matters: (1..9).contains(&(number % 10)),
        }
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let lines: Vec<Line> = (1..=1000).map(line).collect();
        let shown = text(&lines, 0, "a.c", false, "--verbose");
        let counted = |line: &str| {
            let number = line.split_once("... ").and_then(|(_, rest)| rest.split_once(" lines"));
            number.map_or(usize::from(line.contains("step ")), |(number, _)| {
                number.parse().unwrap_or_default()
            })
        };
        assert_eq!(shown.lines().map(counted).sum::<usize>(), 1000, "{shown}");
        // With the empty lines around the middle, and the procedure once more.
        assert_eq!(shown.lines().count(), LONG + 4);
        let whole = text(&lines, 0, "a.c", true, "--verbose");
        assert_eq!(whole.lines().count(), 1001);
        let short = text(&lines[..200], 0, "a.c", false, "--verbose");
        assert!(!short.contains("--verbose"), "{short}");
    }

    #[test]
    fn many_inputs_are_counted() {
        let values: Vec<i128> = (0..150).collect();
        assert!(inputs(&values, false).ends_with("99, ... and 50 more, which --verbose and --json show"));
        assert!(inputs(&values, true).ends_with(", 149"));
        assert_eq!(inputs(&values[..2], false), "0, 1");
    }
}
