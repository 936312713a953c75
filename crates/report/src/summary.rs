//! The verdicts about several models, in a table.

use crate::finished::Finished;
use crate::words::{Paint, counted};
use std::fmt::Write as _;
use std::time::Duration;

/// Longer cells are cut: names at their beginning, which many have in common, and reasons at their end.
const LONGEST_NAME: usize = 48;
const LONGEST_SCOPE: usize = 52;
/// The words of the table, in the order in which they are counted.
const VERDICTS: [&str; 6] = ["safe", "partly safe", "unsafe", "unknown", "rejected", "internal error"];

/// The table, with a line that counts.
pub fn text(all: &[Finished], time: Duration, paint: Paint) -> String {
    let names: Vec<String> = all.iter().map(|finished| tail(&finished.file)).collect();
    let scopes: Vec<String> = all.iter().map(|finished| head(&finished.scope())).collect();
    let width = |title: &str, cells: &[String]| {
        let cells = cells.iter().map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(title.len())
    };
    let (name_width, scope_width) = (width("file", &names), width("scope", &scopes));
    let verdict_width = all.iter().map(|finished| finished.verdict().len()).max();
    let verdict_width = verdict_width.unwrap_or(0).max("verdict".len());
    let head = format!(
        "{:<name_width$}  {:<verdict_width$}  {:<scope_width$}  {:>8}",
        "file", "verdict", "scope", "time"
    );
    let mut text = format!("\n{}\n", paint.bold(&head));
    for ((finished, name), scope) in all.iter().zip(&names).zip(&scopes) {
        let verdict = format!("{:<verdict_width$}", finished.verdict());
        let verdict = match finished.verdict() {
            "safe" => paint.good(&verdict),
            "unknown" | "partly safe" => paint.doubtful(&verdict),
            _ => paint.bad(&verdict),
        };
        let time = format!("{:.1} s", finished.time.as_secs_f64());
        let _ = writeln!(text, "{name:<name_width$}  {verdict}  {scope:<scope_width$}  {time:>8}");
    }
    // What qualifies a verdict is never cut.
    for (finished, name) in all.iter().zip(&names) {
        let scope = finished.scope();
        if finished.verdict().ends_with("safe") && scope.chars().count() > LONGEST_SCOPE {
            let _ = writeln!(text, "{name}: {scope}");
        }
    }
    let count = |verdict: &&str| all.iter().filter(|finished| finished.verdict() == *verdict).count();
    let counts = VERDICTS.iter().map(|verdict| (verdict, count(verdict)));
    let counts: Vec<String> = counts
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    let files = counted(all.len(), "file");
    let _ = writeln!(text, "\n{files}: {}; {:.1} s", counts.join(", "), time.as_secs_f64());
    text
}

/// The first letter as a capital.
pub fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn tail(name: &str) -> String {
    match name.chars().count().checked_sub(LONGEST_NAME) {
        None | Some(0) => name.to_owned(),
        Some(further) => std::iter::once('…').chain(name.chars().skip(further + 1)).collect(),
    }
}

fn head(text: &str) -> String {
    match text.chars().count() > LONGEST_SCOPE {
        false => text.to_owned(),
        true => text.chars().take(LONGEST_SCOPE - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;
    use serde_json::json;

    #[test]
    fn verdicts_stand_in_a_table() {
        let outcome = |file: &str, status, report, seconds| {
            Finished::new(file.to_owned(), status, Some(report), Duration::from_secs_f64(seconds))
        };
        let safe = json!({ "verdict": "safe", "scope": { "every": ["PROC"], "fixed": { "DATA": 2 } } });
        let violated = json!({ "verdict": "unsafe", "properties": [
            { "verdict": "unknown", "instance": null }, { "verdict": "unsafe", "instance": { "PROC": 3 } },
        ] });
        let unknown = json!({ "verdict": "unknown", "reason": "the time limit was reached" });
        let error = json!({ "severity": "error" });
        let rejected = json!({ "verdict": "unknown", "message": "what is this?", "diagnostics": [error, error] });
        let outcomes = [
            outcome("a.m", Status::Done, safe.clone(), 0.123),
            outcome("strict.m", Status::Incomplete, safe, 0.123),
            outcome("long/".repeat(20).as_str(), Status::Violated, violated, 12.0),
            outcome("b.m", Status::Incomplete, unknown, 100.0),
            outcome("c.m", Status::Rejected, rejected, 0.0),
            Finished::new("d.m".to_owned(), Status::Internal, None, Duration::ZERO),
        ];
        let shown = text(&outcomes, Duration::from_secs(113), Paint { colour: false });
        let expected = "
file                                              verdict         scope                                   time
a.m                                               safe            every number of PROC; DATA = 2         0.1 s
strict.m                                          partly safe     every number of PROC; DATA = 2         0.1 s
…g/long/long/long/long/long/long/long/long/long/  unsafe          PROC = 3                              12.0 s
b.m                                               unknown         the time limit was reached           100.0 s
c.m                                               rejected        2 errors, first: what is this?         0.0 s
d.m                                               internal error  its process ended without a report     0.0 s

6 files: 1 safe, 1 partly safe, 1 unsafe, 1 unknown, 1 rejected, 1 internal error; 113.0 s
";
        assert_eq!(shown, expected);
    }
}
