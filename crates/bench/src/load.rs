//! Whether `cubist check` gives the same answers on a busy machine: each file runs normally, and then at lower priority
//! (`nice`) beside busy loops.

use crate::files;
use crate::measure::temporary_folder;
use crate::table::{Row, Table};
use logic::Cancellation;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of busy loops.
const LOOPS: usize = 4;

/// The maximum time limit of one file, and its factor on a busy machine: an answer may come later, but must be the
/// same.
const MOST: f64 = 10.0;
const LATER: f64 = 20.0;

const SMOKE: &str = "models/good-bad.m";

/// All kinds of files: proofs for every size, files that are safe as written, shallow and deep bugs. Those of others
/// are used if present.
const CASES: &[&str] = &[
    "models/alternating-bit.m",
    "models/bakery.m",
    "models/barrier.m",
    "models/bounded-buffer-bug.m",
    "models/credit-flow.m",
    "models/fencing.m",
    "models/flash.m",
    "models/german.m",
    "models/german-bug.m",
    "models/lease.m",
    "models/lock-manager.m",
    "models/majority-election.m",
    "models/mutex-ring.m",
    "models/out-of-order.m",
    "models/page-frames.m",
    "models/peterson.m",
    "models/readers-writers-bug.m",
    "../shared/corpus/cubicle/bakery_lamport.cub",
    "../shared/corpus/cubicle/german_undip.cub",
    "../shared/corpus/cubicle/germanish4.cub",
    "../shared/corpus/cubicle/ricart_abdulla.cub",
    "../shared/corpus/cubicle/futurebus.cub",
    "../shared/corpus/cubicle/szymanski_at.cub",
    "../shared/corpus/murphi/german_buggy.m",
    "../shared/corpus/murphi/list6_sym.m",
    "../shared/corpus/murphi/n_peterson.m",
    "../shared/corpus/murphi-as-written/cache3.m",
    "../shared/corpus/murphi-as-written/list6too.m",
    "../shared/corpus/murphi-as-written/ns.m",
    "../shared/corpus/murphi-as-written/scierr.m",
];

/// Runs the bench; reports progress to `progress`.
pub(crate) fn run(
    cancellation: &Cancellation,
    timeout: f64,
    smoke: bool,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    let timeout = timeout.min(MOST);
    let folder = temporary_folder()?;
    let mut table = Table {
        bench: "load",
        rows: Vec::new(),
        notes: vec![format!(
            "No file got more than {timeout} wall-clock seconds, and {} where the machine was busy.",
            timeout * LATER
        )],
    };
    let cases = if smoke { &[SMOKE][..] } else { CASES };
    for case in cases {
        let name = case.replace("../shared/corpus/", "");
        if !Path::new(case).is_file() {
            table
                .notes
                .push(format!("`{name}` is not part of the project and not present."));
            continue;
        }
        progress(&name);
        let check = |nice| {
            let timeout = if nice { timeout * LATER } else { timeout };
            files::check(Path::new(case), (&[], nice), timeout, folder.path(), cancellation)
        };
        let alone = check(false)?;
        let loaded = beside_busy_loops(|| check(true))?;
        table.rows.push(row(name, alone, loaded));
    }
    Ok(table)
}

/// Runs `work` beside busy loops.
fn beside_busy_loops<T>(work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..LOOPS {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

/// Met if the verdict is the same.
fn row(name: String, alone: Value, loaded: Value) -> Row {
    let met = alone["verdict"] == loaded["verdict"];
    Row {
        name,
        ours: json!({ "alone": alone, "loaded": loaded }),
        reference: Value::Null,
        met: Some(met),
    }
}

/// The table in Markdown.
pub(crate) fn markdown(table: &Table) -> String {
    let head = [
        "model", "verdict", "about", "seconds", "loaded", "about", "seconds", "met",
    ];
    table.markdown(&head, |row| {
        let cells = |answer: &Value| {
            let time = answer["time_s"].to_string();
            [files::word(answer), files::about(&answer["scope"]), time]
        };
        [cells(&row.ours["alone"]), cells(&row.ours["loaded"])].concat()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_met_with_the_same_verdict() {
        let answer = |verdict: &str| json!({ "verdict": verdict, "time_s": 1.0 });
        let met = |alone: &str, loaded: &str| row(String::new(), answer(alone), answer(loaded)).met;
        assert_eq!(met("safe", "safe"), Some(true));
        assert_eq!(met("safe", "unknown"), Some(false));
    }

    #[test]
    fn loops_end_with_the_work() {
        assert_eq!(beside_busy_loops(|| 7), 7);
    }
}
