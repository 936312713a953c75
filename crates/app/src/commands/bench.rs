//! `cubist bench`: measure, print a table, and keep docs/results.md true.

use crate::arguments::{Bench, BenchName};
use crate::bench::{Table, rumur};
use crate::files::write_whole;
use crate::report;
use crate::status::Status;
use crate::supervise::Control;
use crate::terminal;
use anyhow::Context as _;
use serde_json::json;

const ALL: &[BenchName] = &[BenchName::Rumur];

pub(crate) fn run(arguments: &Bench, control: &Control) -> anyhow::Result<Status> {
    let names = match arguments.name {
        Some(ref name) if !arguments.all => std::slice::from_ref(name),
        _ => ALL,
    };
    let mut tables = Vec::new();
    for name in names {
        let mut progress = |what: &str| terminal::complain(&format!("measuring {what}\n"));
        tables.push(match name {
            BenchName::Rumur => rumur::run(control, &mut progress)?,
        });
    }
    if !control.begin_report() {
        return Ok(Status::Incomplete);
    }
    let text = match tables.as_slice() {
        [table] if arguments.json && !arguments.all => report::json(table)?,
        tables if arguments.json => report::json(&json!({ "benches": tables }))?,
        tables => tables.iter().map(table_text).collect(),
    };
    terminal::print(&text)?;
    if let Some(path) = &arguments.output {
        write_whole(path, &page(&tables)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(Status::Done)
}

fn table_text(table: &Table) -> String {
    match table.bench {
        "rumur" => rumur::markdown(table),
        _ => String::new(),
    }
}

/// The page docs/results.md.
fn page(tables: &[Table]) -> String {
    let mut text =
        "# Results\n\n`make bench` writes this page. Figures in one row come from the same minutes of the same \
                    machine: compare within\na row, not between pages.\n"
            .to_owned();
    for table in tables {
        if table.bench == "rumur" {
            text.push_str(RUMUR);
            text.push_str(&rumur::markdown(table));
        }
    }
    text
}

const RUMUR: &str = "
## Exploration, against Rumur

[Rumur](https://github.com/Smattr/rumur) generates a checker in C for one model, which is compiled with `-O3 -march=native`; generating and
compiling are not counted. Both search all states on one thread, without symmetry reduction and without looking for deadlocks, and keep what they need for
a counterexample. A row is met only where both count the same states and rules fired.

- *states/s*: per second of processor time, the best of three runs; *ratio*: ours through Rumur's (promised: at least 0.33).
- *bytes/state*: peak resident memory of the whole process through the number of states; *ratio*: ours through Rumur's
  (promised: at most 2). The program itself, about 5 MB, weighs in small instances.
- *two threads*: time on the clock with `--jobs 1` through that with `--jobs 2`.

";
