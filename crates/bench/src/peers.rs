//! Proofs for every size, against Cubicle and Z3's Spacer, on models that others wrote for Cubicle.
//!
//! All three run in sequence on the same file, each in a process of its own: `cubist check`, `cubicle -brab 2`, and
//! `z3` on the output of `cubist export --to chc`. Cubicle is not part of the project: an installed one is used.

use crate::measure::{self, Usage, cubist, is_installed, temporary_folder};
use crate::table::{Row, Table, rounded};
use anyhow::Context as _;
use logic::Cancellation;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Models of others, used if present.
const CORPUS: &str = "../shared/corpus/cubicle";

/// The smallest of them.
const SMOKE: &str = "mutex.cub";

/// Smaller differences are due to process start.
const ALIKE: f64 = 1.0;

/// The result of one tool on a model.
#[derive(Clone, Debug, PartialEq)]
struct Figures {
    /// `safe`, `unsafe` or `unknown`.
    verdict: &'static str,
    processor_s: f64,
    clock_s: f64,
    calls: Option<u64>,
    /// The wall-clock time that other solvers took to confirm the answer.
    confirming_s: Option<f64>,
}

impl Figures {
    fn new(verdict: &'static str, usage: &Usage, calls: Option<u64>) -> Figures {
        Figures {
            verdict,
            processor_s: usage.processor_s,
            clock_s: usage.clock_s,
            calls,
            confirming_s: None,
        }
    }

    fn json(&self) -> Value {
        json!({
            "verdict": self.verdict,
            "processor_s": rounded(self.processor_s),
            "time_s": rounded(self.clock_s),
            "solver_calls": self.calls,
            "confirming_s": self.confirming_s.map(rounded),
        })
    }

    fn answers(&self) -> bool {
        self.verdict != "unknown"
    }
}

/// The result for a file with errors, such as one without an initial state, where every claim holds vacuously.
const REFUSED: &str = "refused";

/// The installed tools to compare with.
struct Peers {
    cubicle: Option<PathBuf>,
    z3: Option<PathBuf>,
}

impl Peers {
    fn find(cubicle: Option<&Path>) -> anyhow::Result<Peers> {
        let cubicle = match cubicle {
            Some(path) => Some(
                path.canonicalize()
                    .with_context(|| format!("no Cubicle at {}", path.display()))?,
            ),
            None => has_cubicle("cubicle").then(|| PathBuf::from("cubicle")),
        };
        let unpacked = Path::new("third-party/solvers/bin/z3").canonicalize().ok();
        let z3 = unpacked.or_else(|| is_installed("z3").then(|| PathBuf::from("z3")));
        Ok(Peers { cubicle, z3 })
    }

    fn notes(&self) -> Vec<String> {
        let absent = |program: &str, option: &str| format!("`{program}` is absent{option}: its columns are empty.");
        let cubicle = self
            .cubicle
            .is_none()
            .then(|| absent("cubicle", " (`--cubicle PATH` says where it is)"));
        let z3 = self.z3.is_none().then(|| absent("z3", ""));
        cubicle.into_iter().chain(z3).collect()
    }
}

/// It only knows `-version`.
fn has_cubicle(program: &str) -> bool {
    let output = Command::new(program).arg("-version").output();
    output.is_ok_and(|output| output.status.success())
}

/// Runs the bench; reports progress to `progress`. No run takes more than `timeout` seconds.
pub(crate) fn run(
    cancellation: &Cancellation,
    timeout: f64,
    (smoke, cubicle): (bool, Option<&Path>),
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    let peers = Peers::find(cubicle)?;
    let folder = temporary_folder()?;
    let mut table = Table {
        bench: "peers",
        rows: Vec::new(),
        notes: peers.notes(),
    };
    table.notes.push(format!(
        "No tool got more than {timeout} wall-clock seconds for a file."
    ));
    let mut models = models();
    if smoke {
        models.retain(|model| model.ends_with(SMOKE));
    }
    if models.is_empty() {
        table
            .notes
            .push(format!("`{CORPUS}` is not part of the project and not present."));
    }
    for model in models {
        let name = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
        progress(&name);
        let bench = Measured {
            model: &model,
            folder: folder.path(),
            timeout,
            cancellation,
        };
        let ours = bench.ours()?;
        let cubicle = peers
            .cubicle
            .as_deref()
            .map(|program| bench.cubicle(program))
            .transpose()?;
        let spacer = peers.z3.as_deref().map(|program| bench.spacer(program)).transpose()?;
        table.rows.push(row(name, &ours, cubicle.as_ref(), spacer.as_ref()));
    }
    table.notes.extend(measure::busy());
    Ok(table)
}

fn models() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(CORPUS).into_iter().flatten().flatten();
    let paths = entries.filter_map(|entry| entry.path().canonicalize().ok());
    let mut models: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "cub"))
        .collect();
    models.sort();
    models
}

/// One model, and the measurement options.
struct Measured<'a> {
    model: &'a Path,
    folder: &'a Path,
    timeout: f64,
    cancellation: &'a Cancellation,
}

impl Measured<'_> {
    fn run(&self, command: &mut Command) -> anyhow::Result<Usage> {
        // All programs except Cubicle end by themselves, with a more informative report.
        let limit = Duration::from_secs_f64(self.timeout + 2.0);
        measure::run_within(command, self.folder, self.cancellation, Some(limit))
    }

    fn cubist(&self, command: &str) -> anyhow::Result<Command> {
        let mut cubist = cubist()?;
        cubist.arg(command).arg(self.model);
        Ok(cubist)
    }

    fn ours(&self) -> anyhow::Result<Figures> {
        let mut command = self.cubist("check")?;
        // Sequential: processor time is compared, and checks are counted.
        command.args(["--json", "--jobs", "1", "--timeout", &self.timeout.to_string()]);
        let usage = self.run(&mut command)?;
        let report: Value = serde_json::from_str(&usage.output).unwrap_or_default();
        let verdict = match (report["verdict"].as_str(), usage.code) {
            (Some("safe"), Some(0)) => "safe",
            (Some("unsafe"), Some(10)) => "unsafe",
            (_, Some(2)) => REFUSED,
            _ => "unknown",
        };
        let confirmations = report["confirmations"].as_array().filter(|all| !all.is_empty());
        let times = confirmations.map(|all| all.iter().filter_map(|one| one["time_s"].as_f64()).sum());
        Ok(Figures {
            confirming_s: times,
            ..Figures::new(verdict, &usage, report["checks"]["total"].as_u64())
        })
    }

    fn cubicle(&self, program: &Path) -> anyhow::Result<Figures> {
        let mut command = Command::new(program);
        command.args(["-brab", "2", "-nocolor"]).arg(self.model);
        let limit = Duration::from_secs_f64(self.timeout);
        let usage = measure::run_within(&mut command, self.folder, self.cancellation, Some(limit))?;
        let (verdict, calls) = read_cubicle(&usage.output);
        Ok(Figures::new(verdict, &usage, calls))
    }

    /// Writing the clauses is not measured.
    fn spacer(&self, program: &Path) -> anyhow::Result<Figures> {
        let file = self.folder.join("horn.smt2");
        let mut export = self.cubist("export")?;
        export.args(["--to", "chc", "--output"]).arg(&file);
        self.run(&mut export)?;
        let mut command = Command::new(program);
        command.arg(format!("-T:{}", self.timeout.ceil())).arg(&file);
        let usage = self.run(&mut command)?;
        let verdict = match usage.output.trim() {
            "sat" => "safe",
            "unsat" => "unsafe",
            _ => "unknown",
        };
        Ok(Figures::new(verdict, &usage, None))
    }
}

/// The verdict is its last word; a spurious trace is no verdict.
fn read_cubicle(output: &str) -> (&'static str, Option<u64>) {
    let calls = output.lines().find_map(|line| {
        let (title, number) = line.split_once(':')?;
        (title.trim() == "Number of solver calls").then(|| number.trim().parse().ok())?
    });
    let says = |words: &str| output.lines().any(|line| line.trim().ends_with(words));
    let verdict = if says("The system is SAFE") {
        "safe"
    } else if says("UNSAFE !") {
        "unsafe"
    } else {
        "unknown"
    };
    (verdict, calls)
}

/// Met if ours is an answer, no peer has a different one, and none is faster. Without an answer of a peer, or for a
/// rejected file, there is nothing to compare.
fn row(name: String, ours: &Figures, cubicle: Option<&Figures>, spacer: Option<&Figures>) -> Row {
    let answers: Vec<&Figures> = [cubicle, spacer]
        .into_iter()
        .flatten()
        .filter(|peer| peer.answers())
        .collect();
    let reached = |peer: &&Figures| peer.verdict == ours.verdict && ours.processor_s <= peer.processor_s.max(ALIKE);
    let met = (!answers.is_empty() && ours.verdict != REFUSED).then(|| answers.iter().all(reached));
    let mut figures = ours.json();
    for (peer, ratio) in [(cubicle, "time_through_cubicle"), (spacer, "time_through_spacer")] {
        if let Some(peer) = peer.filter(|peer| peer.answers() && ours.answers()) {
            figures[ratio] = json!(rounded(ours.processor_s / peer.processor_s.max(0.01)));
        }
    }
    if let Some(calls) = cubicle
        .filter(|peer| peer.answers() && ours.answers())
        .and_then(|peer| peer.calls)
    {
        figures["calls_through_cubicle"] = json!(rounded(ours.calls.unwrap_or(0) as f64 / calls.max(1) as f64));
    }
    let reference = match (cubicle, spacer) {
        (None, None) => Value::Null,
        _ => json!({ "cubicle": cubicle.map(Figures::json), "spacer": spacer.map(Figures::json) }),
    };
    Row {
        name,
        ours: figures,
        reference,
        met,
    }
}

/// The table in Markdown.
pub(crate) fn markdown(table: &Table) -> String {
    let head = [
        "model",
        "verdict",
        "seconds",
        "confirming",
        "calls",
        "Cubicle",
        "seconds",
        "ratio",
        "calls",
        "ratio",
        "Spacer",
        "seconds",
        "ratio",
        "met",
    ];
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(word) => word.clone(),
        number => number.to_string(),
    };
    table.markdown(&head, |row| {
        let (cubicle, spacer) = (&row.reference["cubicle"], &row.reference["spacer"]);
        let cells = [
            &row.ours["verdict"],
            &row.ours["processor_s"],
            &row.ours["confirming_s"],
            &row.ours["solver_calls"],
            &cubicle["verdict"],
            &cubicle["processor_s"],
            &row.ours["time_through_cubicle"],
            &cubicle["solver_calls"],
            &row.ours["calls_through_cubicle"],
            &spacer["verdict"],
            &spacer["processor_s"],
            &row.ours["time_through_spacer"],
        ];
        cells.map(text).to_vec()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(verdict: &'static str, seconds: f64) -> Figures {
        Figures {
            verdict,
            processor_s: seconds,
            clock_s: seconds,
            calls: Some(10),
            confirming_s: None,
        }
    }

    #[test]
    fn reads_what_cubicle_prints() {
        let safe = "Number of solver calls           : 995\n\n\nThe system is SAFE\n";
        assert_eq!(read_cubicle(safe), ("safe", Some(995)));
        assert_eq!(
            read_cubicle("Error trace: Init -> t(#1) -> unsafe[1]\n\n\nUNSAFE !\n"),
            ("unsafe", None)
        );
        assert_eq!(read_cubicle("Spurious trace: Init -> unsafe[1]\n"), ("unknown", None));
    }

    #[test]
    fn a_row_is_met_with_the_same_verdict_in_no_more_time() {
        let met = |ours, cubicle: Option<Figures>| row(String::new(), &ours, cubicle.as_ref(), None).met;
        assert_eq!(met(figures("safe", 2.0), Some(figures("safe", 3.0))), Some(true));
        assert_eq!(met(figures("safe", 4.0), Some(figures("safe", 3.0))), Some(false));
        assert_eq!(
            met(figures("safe", 0.9), Some(figures("safe", 0.1))),
            Some(true),
            "both start and end"
        );
        assert_eq!(met(figures("unsafe", 1.0), Some(figures("safe", 3.0))), Some(false));
        assert_eq!(met(figures("unknown", 1.0), Some(figures("safe", 3.0))), Some(false));
        assert_eq!(met(figures("safe", 1.0), Some(figures("unknown", 3.0))), None);
        assert_eq!(met(figures("safe", 1.0), None), None);
    }
}
