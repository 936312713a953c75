//! The sessions in README.md and docs/ are what the program prints.
//!
//! In a block fenced as `console`, a line that starts with `$ cubist ` is run from the root of the project, and the
//! lines up to the next `$` are what it prints. Times and memory may differ; a line `...` stands for any lines.
#![allow(clippy::unwrap_used)]

mod common;

use common::{cubist, root};

#[test]
fn sessions_in_the_documentation_are_true() {
    let mut pages = vec![root().join("README.md")];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    let mut run = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for (command, expected) in sessions(&text) {
            let arguments: Vec<&str> = command.split_whitespace().collect();
            let printed = cubist(&arguments);
            let actual = printed.stderr + &printed.stdout;
            assert!(
                matches(&lines(&expected), &lines(&actual)),
                "{}: `cubist {command}` printed\n{actual}",
                page.display()
            );
            run += 1;
        }
    }
    assert!(run >= 3, "only {run} sessions");
}

/// The commands and what they are said to print.
fn sessions(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    let mut running = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
            running = false;
        } else if inside && line.starts_with("$ ") {
            let command = line.strip_prefix("$ cubist ");
            running = command.is_some();
            found.extend(command.map(|command| (command.to_owned(), String::new())));
        } else if running && let Some((_, expected)) = found.last_mut() {
            expected.push_str(line);
            expected.push('\n');
        }
    }
    found
}

/// Without what differs from run to run, blanks at line ends, and empty lines at the end.
fn lines(text: &str) -> Vec<String> {
    let blank = |line: &str| match ["  time ", "  memory ", " rules fired, "]
        .iter()
        .find(|word| line.contains(**word))
    {
        Some(word) => format!("{word}varies"),
        None => line.trim_end().to_owned(),
    };
    let mut lines: Vec<String> = text.lines().map(blank).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn matches(expected: &[String], actual: &[String]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((first, rest)) if first.trim() == "..." => (0..=actual.len()).any(|skip| matches(rest, &actual[skip..])),
        Some((first, rest)) => actual.first() == Some(first) && matches(rest, &actual[1..]),
    }
}

#[test]
fn sessions_are_found() {
    let text = "```console\n$ make demo\nx\n$ cubist show a.m\nyes\n...\n```\n```text\n$ cubist no\n```\n";
    assert_eq!(sessions(text), [("show a.m".to_owned(), "yes\n...\n".to_owned())]);
    let line = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(matches(&line(&["a", "...", "d"]), &line(&["a", "b", "c", "d"])));
    assert!(!matches(&line(&["a", "d"]), &line(&["a", "b", "d"])));
    assert_eq!(lines("  time         3 ms\nx \n\n"), ["  time varies", "x"]);
}
