//! What `cubist check` says about C programs: those of software verification competitions, whose names say what is
//! expected of them, and locks in growing numbers.
//!
//! Each runs in a process of its own, as users run it.

use super::measure;
use super::{Folder, Row, Table};
use crate::supervise::Control;
use anyhow::Context as _;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Programs of others, and what is published of others' tools on them.
const FOLDERS: &[(&str, &str)] = &[
    ("locks", "CPAchecker 13 of 13, median 3 s"),
    ("loops", ""),
    ("ntdrivers-simplified", "CPAchecker 10 of 10, median 12 s"),
    (
        "ssh-simplified",
        "CPAchecker 9 of 13 safe, median 34 s; 10 of 11 unsafe, median 15 s",
    ),
    ("ntdrivers", "CPAchecker 6 of 10"),
];

const CORPUS: &str = "../shared/corpus/c";

/// How many locks a program has, as ours grow.
const GROWTH: &[usize] = &[5, 10, 15, 20, 25, 30];

/// Runs the bench; `progress` is told what is being measured.
pub(crate) fn run(
    control: &Control,
    timeout: f64,
    smoke: bool,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    let folder = Folder::new()?;
    let mut table = Table {
        bench: "c",
        rows: Vec::new(),
        notes: vec![format!("No program got more than {timeout} seconds on the clock.")],
    };
    let growth = if smoke { &GROWTH[..1] } else { GROWTH };
    for count in growth {
        let path = folder.path.join(format!("locks-{count}.c"));
        std::fs::write(&path, locks(*count)).with_context(|| format!("cannot write {}", path.display()))?;
        progress(&format!("{count} locks"));
        let ours = check(&path, timeout, &folder.path, control)?;
        table.rows.push(row(format!("{count} locks"), "safe", ours, ""));
    }
    for (name, published) in FOLDERS.iter().filter(|_| !smoke) {
        let programs = programs(&Path::new(CORPUS).join(name));
        if programs.is_empty() {
            table
                .notes
                .push(format!("`{CORPUS}/{name}` is not part of the project and not present."));
        }
        for program in programs {
            let file = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let shown = short(&file);
            progress(&format!("{name}/{shown}"));
            let expected = if file.contains("_false-unreach-call") {
                "unsafe"
            } else {
                "safe"
            };
            let ours = check(&program, timeout, &folder.path, control)?;
            table
                .rows
                .push(row(format!("{name}/{shown}"), expected, ours, published));
        }
    }
    table.notes.extend(measure::busy());
    Ok(table)
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_program = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c");
    let mut programs: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_program).collect();
    programs.sort();
    programs
}

/// The name without what it says of properties that we do not look at.
fn short(file: &str) -> String {
    let name = file
        .trim_end_matches(".c")
        .trim_end_matches(".cil")
        .trim_end_matches(".i");
    name.replace("_true-termination", "")
        .replace("_false-termination", "")
        .replace("-unreach-call", "")
        .replace(".cil", "")
        .replace(".i", "")
}

/// Locks that are taken where a flag says so, and given back in the same order, again and again.
fn locks(count: usize) -> String {
    let mut text =
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\nint main(void)\n{\n".to_owned();
    text.push_str("    while (__VERIFIER_nondet_int()) {\n");
    for number in 0..count {
        let _ = writeln!(
            text,
            "        int wanted{number} = __VERIFIER_nondet_int(), held{number} = 0;"
        );
    }
    for number in 0..count {
        let _ = writeln!(text, "        if (wanted{number}) held{number} = 1;");
    }
    for number in 0..count {
        let _ = writeln!(text, "        if (wanted{number}) {{");
        let _ = writeln!(text, "            if (held{number} != 1) reach_error();");
        let _ = writeln!(text, "            held{number} = 0;\n        }}");
    }
    text.push_str("    }\n    return 0;\n}\n");
    text
}

fn check(program: &Path, timeout: f64, folder: &Path, control: &Control) -> anyhow::Result<Value> {
    let ours = std::env::current_exe().context("cannot find this program itself")?;
    let program = program
        .canonicalize()
        .with_context(|| format!("cannot find {}", program.display()))?;
    let mut command = Command::new(ours);
    command.arg("check").arg(program);
    command.args(["--data-model", "ilp32", "--json", "--timeout", &timeout.to_string()]);
    // It ends by itself, and then says more.
    let limit = Duration::from_secs_f64(timeout + 10.0);
    let usage = measure::run_within(&mut command, folder, control, Some(limit))?;
    let report: Value = serde_json::from_str(&usage.output).unwrap_or_default();
    let rounded = |number: f64| (number * 100.0).round() / 100.0;
    Ok(json!({
        "verdict": report["verdict"].as_str().unwrap_or("unknown"),
        "reason": report["reason"],
        "locations": report["locations"],
        "variables": report["variables"],
        "checks": report["checks"]["total"],
        "processor_s": rounded(usage.processor_s),
        "time_s": rounded(usage.clock_s),
    }))
}

fn row(name: String, expected: &str, ours: Value, published: &str) -> Row {
    let met = Some(ours["verdict"] == expected);
    Row {
        name,
        ours,
        reference: json!({ "verdict": expected, "published": published }),
        met,
    }
}

/// The table in Markdown.
pub(crate) fn markdown(table: &Table) -> String {
    let head = [
        "program",
        "verdict",
        "locations",
        "variables",
        "checks",
        "processor s",
        "clock s",
        "met",
    ];
    let number = |value: &Value| match value {
        Value::Null => String::new(),
        value => value.to_string(),
    };
    let mut text = table.markdown(&head, |row| {
        let ours = &row.ours;
        let mut cells = vec![ours["verdict"].as_str().unwrap_or_default().to_owned()];
        let fields = ["locations", "variables", "checks", "processor_s", "time_s"];
        cells.extend(fields.iter().map(|field| number(&ours[*field])));
        cells
    });
    text.push_str("\nPublished of others on these sets (2015, 60 s of processor time each):\n\n");
    for (name, published) in FOLDERS.iter().filter(|(_, published)| !published.is_empty()) {
        let _ = writeln!(text, "- {name}: {published}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short() {
        assert_eq!(
            short("s3_clnt_3.cil_true-unreach-call_true-termination.c"),
            "s3_clnt_3_true"
        );
        assert_eq!(short("kbfiltr_false-unreach-call.i.cil.c"), "kbfiltr_false");
    }

    #[test]
    fn as_many_locks_as_wanted() {
        let text = locks(7);
        assert_eq!(text.matches("reach_error();").count(), 7);
        assert!(text.contains("held6") && !text.contains("held7"));
    }
}
