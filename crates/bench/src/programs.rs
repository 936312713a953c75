//! The verdicts of `cubist check` on C programs: those of software verification competitions, whose names contain the
//! expected verdict, and generated locks of increasing number.
//!
//! Each run is a process of its own, as users run it: by Horn clauses, and by the SLAM loop with Constrain off, lazy
//! and eager, as in Das' table 6.1; then CBMC, if it is installed.

use crate::cbmc;
use crate::measure::{self, Limits, cubist, temporary_folder};
use crate::plot::{Panel, Series, plot};
use crate::table::{Row, Table, aligned, rounded};
use anyhow::Context as _;
use harness::cbmc::Cbmc;
use logic::Cancellation;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Programs of others, with published results of other tools.
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

/// When Constrain is called.
const MODES: [&str; 3] = ["none", "lazy", "eager"];

/// The processor time limit of the SLAM loop in each mode, in seconds.
const SLAM_S: f64 = 20.0;

/// Das' table 6.1: properties of drivers in each mode, in the order of [`MODES`].
const DAS: [(&str, [usize; 3]); 4] = [
    (SAFE, [470, 554, 544]),
    (UNSAFE, [19, 50, 45]),
    (NO_DIFFERENCE, [170, 3, 3]),
    (LIMIT, [55, 107, 122]),
];

/// Part of the reason if a run to a violation does not count.
const UNDEFINED: &str = "has undefined behaviour on the way";

const SAFE: &str = "safe";
const UNSAFE: &str = "unsafe";
const NO_DIFFERENCE: &str = "no difference found";
const LIMIT: &str = "limit";

/// The numbers of locks of the generated programs.
const GROWTH: &[usize] = &[5, 10, 15, 20, 25, 30];

/// Runs the bench; reports progress to `progress`.
pub(crate) fn run(
    cancellation: &Cancellation,
    timeout: f64,
    (smoke, cbmc): (bool, Option<&Path>),
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    let folder = temporary_folder()?;
    let cbmc = cbmc::find(cbmc)?;
    let bench = Measured {
        timeout,
        folder: folder.path(),
        cancellation,
        cbmc: cbmc.as_ref(),
    };
    let mut table = Table {
        bench: "c",
        rows: Vec::new(),
        notes: vec![format!(
            "No program got more than {timeout} wall-clock seconds; slam got no more than {SLAM_S} seconds of\n\
             processor time in each mode, and four times that of wall-clock time; its modes ran side by side. A program\n\
             whose runs into a violation have undefined behaviour on the way was looked at once more, with the\n\
             options that stand beside its verdict, and within the same time; its seconds are those of both."
        )],
    };
    table.notes.push(cbmc::note(cbmc.as_ref(), timeout));
    let growth = if smoke { &GROWTH[..1] } else { GROWTH };
    for count in growth {
        let path = folder.path().join(format!("locks-{count}.c"));
        std::fs::write(&path, locks(*count)).with_context(|| format!("cannot write {}", path.display()))?;
        progress(&format!("{count} locks"));
        let (ours, cbmc) = bench.all(&path)?;
        table.rows.push(row(format!("{count} locks"), ("safe", ""), ours, cbmc));
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
            let (ours, cbmc) = bench.all(&program)?;
            table
                .rows
                .push(row(format!("{name}/{shown}"), (expected, published), ours, cbmc));
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

/// The name without its parts about properties that we do not check.
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

/// Locks that are taken depending on a flag and released in the same order, repeatedly.
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

/// The measurement options.
struct Measured<'a> {
    timeout: f64,
    folder: &'a Path,
    cancellation: &'a Cancellation,
    cbmc: Option<&'a Cbmc>,
}

impl Measured<'_> {
    /// Our results, and those of CBMC.
    fn all(&self, program: &Path) -> anyhow::Result<(Value, Value)> {
        let program = program
            .canonicalize()
            .with_context(|| format!("cannot find {}", program.display()))?;
        let ours = self.ours(&program)?;
        let limit = Duration::from_secs_f64(self.timeout);
        let cbmc = self
            .cbmc
            .map(|cbmc| cbmc::ask(cbmc, &program, limit, (self.folder, self.cancellation)));
        Ok((ours, cbmc.transpose()?.unwrap_or_default()))
    }

    /// By Horn clauses, and then by the SLAM loop in all modes concurrently.
    fn ours(&self, program: &Path) -> anyhow::Result<Value> {
        let limits = (self.timeout, f64::INFINITY);
        let check = |options: &[&str]| check(program, options, limits, self.folder, self.cancellation);
        let mut ours = check(&[])?;
        if is_undefined(&ours) {
            let options = ["--memory-model", "logical"];
            ours = once_more(ours, &options, check(&options)?);
        }
        let by_slam = |mode: &'static str| {
            let own = self.folder.join(mode);
            std::fs::create_dir_all(&own).with_context(|| format!("cannot make {}", own.display()))?;
            let options = ["--engine", "slam", "--constrain", mode];
            self::check(program, &options, (4.0 * SLAM_S, SLAM_S), &own, self.cancellation)
        };
        let found = std::thread::scope(|scope| {
            let threads = MODES.map(|mode| scope.spawn(move || by_slam(mode)));
            threads.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        for (mode, found) in MODES.into_iter().zip(found) {
            ours["slam"][mode] = found?;
        }
        Ok(ours)
    }
}

/// Whether there is no answer because all runs to a violation have undefined behaviour.
fn is_undefined(ours: &Value) -> bool {
    let reason = ours["reason"].as_str().unwrap_or_default();
    ours["verdict"] == "unknown" && reason.contains(UNDEFINED)
}

/// Adds the time of an inconclusive earlier run with other options.
fn once_more(before: Value, options: &[&str], mut ours: Value) -> Value {
    for field in ["processor_s", "time_s"] {
        let seconds = before[field].as_f64().unwrap_or(0.0) + ours[field].as_f64().unwrap_or(0.0);
        ours[field] = json!(rounded(seconds));
    }
    ours["options"] = json!(options.join(" "));
    ours["without_options"] = before;
    ours
}

/// The verdict, and the options that it needed.
fn verdict(ours: &Value) -> String {
    let verdict = ours["verdict"].as_str().unwrap_or_default();
    match ours["options"].as_str() {
        Some(options) => format!("{verdict} with {options}"),
        None => verdict.to_owned(),
    }
}

/// Runs `cubist check` with limits of wall-clock and processor time.
fn check(
    program: &Path,
    options: &[&str],
    (timeout, processor_s): (f64, f64),
    folder: &Path,
    cancellation: &Cancellation,
) -> anyhow::Result<Value> {
    let mut command = cubist()?;
    command.arg("check").arg(program);
    command.args(["--data-model", "ilp32", "--json", "--timeout", &timeout.to_string()]);
    command.args(options);
    // It ends by itself, with a more informative report.
    let limits = Limits {
        clock: Some(Duration::from_secs_f64(timeout + 10.0)),
        processor_s,
        ..Limits::default()
    };
    let usage = measure::run_at_most(&mut command, folder, cancellation, limits)?;
    let report: Value = serde_json::from_str(&usage.output).unwrap_or_default();
    let work = &report["slam"];
    Ok(json!({
        "predicates": work["predicates"],
        "iterations": work["iterations"],
        "constraints": work["constraints"],
        "invariants": work["invariants"],
        "calls": work["calls"],
        "no_difference": work["no_difference"],
        "verdict": report["verdict"].as_str().unwrap_or("unknown"),
        "reason": report["reason"],
        "locations": report["locations"],
        "variables": report["variables"],
        "checks": report["checks"]["total"],
        "processor_s": rounded(usage.processor_s),
        "time_s": rounded(usage.clock_s),
    }))
}

/// Met if Horn clauses give the expected verdict and the SLAM loop no different one; CBMC does not matter.
fn row(name: String, (expected, published): (&str, &str), mut ours: Value, cbmc: Value) -> Row {
    let agrees = |mode: &&str| {
        let verdict = &ours["slam"][*mode]["verdict"];
        verdict == expected || verdict == "unknown"
    };
    let met = Some(ours["verdict"] == expected && MODES.iter().all(agrees));
    let is_decided = |verdict: &Value| ["safe", "unsafe"].iter().any(|word| verdict == word);
    if is_decided(&ours["verdict"]) && is_decided(&cbmc["verdict"]) {
        let seconds = |figures: &Value| figures["processor_s"].as_f64().unwrap_or_default();
        let ratio = seconds(&ours) / seconds(&cbmc).max(0.01);
        ours["time_through_cbmc"] = json!(rounded(ratio));
    }
    Row {
        name,
        ours,
        reference: json!({ "verdict": expected, "published": published, "cbmc": cbmc }),
        met,
    }
}

/// Plots how the work grows with the number of locks: by Horn clauses, and by the SLAM loop.
pub(crate) fn svg(table: &Table) -> String {
    let series = |name: &str, figure: &dyn Fn(&Value) -> Option<f64>| {
        let point = |row: &Row| {
            let count: f64 = row.name.strip_suffix(" locks")?.parse().ok()?;
            Some((count, figure(&row.ours)?))
        };
        Series {
            name: name.to_owned(),
            points: table.rows.iter().filter_map(point).collect(),
        }
    };
    let both = |figure: &'static str| {
        vec![
            series("Horn clauses", &|ours| ours[figure].as_f64()),
            series("slam, lazy", &|ours| ours["slam"]["lazy"][figure].as_f64()),
        ]
    };
    let panels = [
        Panel {
            title: "processor seconds",
            series: both("processor_s"),
        },
        Panel {
            title: "checks",
            series: both("checks"),
        },
    ];
    plot("locks", &panels)
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
        "slam, no Constrain",
        "slam, lazy",
        "slam, eager",
        "predicates",
        "iterations",
        "checks",
        "CBMC",
        "processor s",
        "ratio",
        "met",
    ];
    let number = |value: &Value| match value {
        Value::Null => String::new(),
        value => value.to_string(),
    };
    let mut text = table.markdown(&head, |row| {
        let ours = &row.ours;
        let mut cells = vec![verdict(ours)];
        let fields = ["locations", "variables", "checks", "processor_s", "time_s"];
        cells.extend(fields.iter().map(|field| number(&ours[*field])));
        cells.extend(MODES.iter().map(|mode| {
            let slam = &ours["slam"][mode];
            format!("{} {}", ended(slam), number(&slam["processor_s"]))
        }));
        let lazy = &ours["slam"]["lazy"];
        let fields = ["predicates", "iterations", "checks"];
        cells.extend(fields.iter().map(|field| number(&lazy[*field])));
        let cbmc = &row.reference["cbmc"];
        cells.push(cbmc["verdict"].as_str().unwrap_or_default().to_owned());
        cells.extend([&cbmc["processor_s"], &ours["time_through_cbmc"]].map(number));
        cells
    });
    text.push_str(&constrain(table));
    text.push_str("\nPublished of others on these sets (2015, 60 s of processor time each):\n\n");
    for (name, published) in FOLDERS.iter().filter(|(_, published)| !published.is_empty()) {
        let _ = writeln!(text, "- {name}: {published}");
    }
    text
}

/// How a run of the SLAM loop ended.
fn ended(slam: &Value) -> &'static str {
    let reason = slam["reason"].as_str().unwrap_or_default();
    match slam["verdict"].as_str() {
        Some("safe") => SAFE,
        Some("unsafe") => UNSAFE,
        _ if reason.starts_with(NO_DIFFERENCE) => NO_DIFFERENCE,
        _ if reason.contains("limit") || reason.is_empty() => LIMIT,
        _ => "unknown",
    }
}

/// Table 6.1 in our format, for programs of others.
fn constrain(table: &Table) -> String {
    let rows: Vec<&Row> = table.rows.iter().filter(|row| row.name.contains('/')).collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = ["", "no Constrain", "lazy", "eager"];
    let das = ["Das, no Constrain", "Das, lazy", "Das, eager"];
    let mut lines = vec![head.into_iter().chain(das).map(str::to_owned).collect::<Vec<String>>()];
    let of_mode = |mode: &str| rows.iter().map(|row| &row.ours["slam"][mode]).collect::<Vec<&Value>>();
    let count = |mode: &str, word: &str| of_mode(mode).iter().filter(|slam| ended(slam) == word).count();
    for (word, published) in DAS {
        let ours = MODES.map(|mode| count(mode, word)).into_iter();
        let cells = ours.chain(published).map(|number| number.to_string());
        lines.push([word.to_owned()].into_iter().chain(cells).collect());
    }
    let total = |mode: &str, field: &str| -> f64 {
        let all = of_mode(mode).into_iter();
        all.filter_map(|slam| slam[field].as_f64()).sum()
    };
    let empty = || vec![String::new(); MODES.len()];
    let unknown = MODES.map(|mode| count(mode, "unknown").to_string()).to_vec();
    lines.push([vec!["other reasons".to_owned()], unknown, empty()].concat());
    for (name, field) in [
        ("states where none was found", "no_difference"),
        ("calls of Constrain", "calls"),
        ("constraints", "constraints"),
        ("enforced invariants", "invariants"),
        ("checks", "checks"),
    ] {
        let ours = MODES.map(|mode| format!("{:.0}", total(mode, field))).to_vec();
        lines.push([vec![name.to_owned()], ours, empty()].concat());
    }
    let seconds = MODES.map(|mode| format!("{:.1}", total(mode, "processor_s"))).to_vec();
    lines.push([vec!["processor s".to_owned()], seconds, empty()].concat());
    let recovered: Vec<&str> = rows
        .iter()
        .filter(|row| {
            let is_definite = |mode: &str| matches!(ended(&row.ours["slam"][mode]), SAFE | UNSAFE);
            ended(&row.ours["slam"]["none"]) == NO_DIFFERENCE && is_definite("lazy")
        })
        .map(|row| row.name.as_str())
        .collect();
    let recovered = match recovered.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    format!(
        "\nThe loop of SLAM on these programs, beside Das' table 6.1 (26 drivers with 35 properties each, 1200 s):\n\n{}\n\
         Lost without Constrain, and decided with it where it is lazy: {recovered}.\n",
        aligned(&lines)
    )
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
    fn how_a_run_ended_is_told_from_its_report() {
        let report = |verdict: &str, reason: Value| json!({ "verdict": verdict, "reason": reason });
        let no_difference = driver::Reason::NoDifference.to_string();
        let stopped = driver::Reason::Stopped(driver::Stopped::OutOfTime).to_string();
        for (verdict, reason, expected) in [
            ("safe", Value::Null, SAFE),
            ("unsafe", Value::Null, UNSAFE),
            ("unknown", json!(no_difference), NO_DIFFERENCE),
            ("unknown", json!(stopped), LIMIT),
            ("unknown", json!("something else"), "unknown"),
        ] {
            assert_eq!(ended(&report(verdict, reason)), expected);
        }
    }

    #[test]
    fn what_was_looked_at_once_more_says_so() {
        let reason = format!("the solver found a run into a violation, but it {UNDEFINED}: ...");
        let before = json!({ "verdict": "unknown", "reason": reason, "processor_s": 1.25, "time_s": 1.0 });
        assert!(is_undefined(&before));
        assert!(!is_undefined(&json!({ "verdict": "unsafe", "reason": reason })));
        assert!(!is_undefined(
            &json!({ "verdict": "unknown", "reason": "something else" })
        ));
        assert_eq!(verdict(&before), "unknown");
        let after = json!({ "verdict": "unsafe", "reason": null, "processor_s": 2.5, "time_s": 2.0 });
        let both = once_more(before, &["--memory-model", "logical"], after);
        assert_eq!(verdict(&both), "unsafe with --memory-model logical");
        assert_eq!((&both["processor_s"], &both["time_s"]), (&json!(3.75), &json!(3.0)));
        assert_eq!(both["without_options"]["verdict"], "unknown");
    }

    #[test]
    fn what_cbmc_says_is_shown_and_changes_nothing() {
        let slam = json!({ "verdict": "unknown" });
        let ours = |verdict: &str| {
            let slam = json!({ "none": slam, "lazy": slam, "eager": slam });
            json!({ "verdict": verdict, "processor_s": 0.5, "slam": slam })
        };
        let judged = |verdict: &str, cbmc: &str| {
            let cbmc = json!({ "verdict": cbmc, "processor_s": 2.0 });
            let row = row(String::new(), ("safe", ""), ours(verdict), cbmc);
            (row.met, row.ours["time_through_cbmc"].as_f64())
        };
        assert_eq!(judged("safe", "safe"), (Some(true), Some(0.25)));
        assert_eq!(judged("safe", "unsafe"), (Some(true), Some(0.25)));
        assert_eq!(judged("safe", "unknown"), (Some(true), None));
        assert_eq!(judged("unknown", "safe"), (Some(false), None));
        assert_eq!(judged("unsafe", "unsafe"), (Some(false), Some(0.25)));
        let row = row(String::new(), ("safe", ""), ours("safe"), Value::Null);
        assert_eq!((row.met, &row.ours["time_through_cbmc"]), (Some(true), &Value::Null));
    }

    #[test]
    fn as_many_locks_as_wanted() {
        let text = locks(7);
        assert_eq!(text.matches("reach_error();").count(), 7);
        assert!(text.contains("held6") && !text.contains("held7"));
    }
}
