//! Exploration against the checkers that Rumur generates: speed on one thread, memory per state, and what a second
//! thread brings.
//!
//! Both read the same file and search all of its states without symmetry reduction and without looking for deadlocks;
//! they must agree on the numbers of states and rules fired. Rumur generates C: the time to generate and compile it
//! is left out.

use crate::explored::{self, Figures, ratio};
use crate::measure::{self, Usage, is_installed, temporary_folder};
use crate::table::rounded;
use crate::table::{Row, Table};
use anyhow::{Context as _, bail};
use driver::notation::grouped;
use logic::Cancellation;
use murphi::syntax::Item;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use system::SourceFile;

/// The best of this many runs counts: what else the machine does only ever slows a run down.
const ROUNDS: usize = 3;

/// Promised: at most this many times slower than Rumur, and this many times its memory per state.
const SLOWER: f64 = 3.0;
const LARGER: f64 = 2.0;

/// Models of others, which are not part of the project: used where they are present.
const CORPUS: &str = "../shared/corpus/murphi";

struct Case {
    model: &'static str,
    text: Option<&'static str>,
    constants: &'static [(&'static str, i64)],
}

/// Sizes at which each takes a few seconds.
const CASES: &[Case] = &[
    Case {
        model: "german.m",
        text: Some(include_str!("../../../models/german.m")),
        constants: &[("PROCESSES", 4)],
    },
    Case {
        model: "mutex-ring.m",
        text: Some(include_str!("../../../models/mutex-ring.m")),
        constants: &[("STATIONS", 12)],
    },
    Case {
        model: "german_baukus.m",
        text: None,
        constants: &[("PROC_NUM", 4)],
    },
    Case {
        model: "mcslock1.m",
        text: None,
        constants: &[],
    },
    Case {
        model: "n_peterson.m",
        text: None,
        constants: &[("N", 5)],
    },
    Case {
        model: "pv_flash_nodata.m",
        text: None,
        constants: &[("NODE_NUM", 2)],
    },
    Case {
        model: "szymanski_at.m",
        text: None,
        constants: &[("PROC_NUM", 7)],
    },
];

/// The smallest of them.
const SMOKE: &[Case] = &[Case {
    model: "german.m",
    text: Some(include_str!("../../../models/german.m")),
    constants: &[("PROCESSES", 2)],
}];

fn states_per_second(figures: &Figures) -> f64 {
    figures.states as f64 / figures.processor_s.max(0.01)
}

fn bytes_per_state(figures: &Figures) -> f64 {
    figures.peak_bytes as f64 / figures.states.max(1) as f64
}

fn json(figures: &Figures) -> Value {
    json!({
        "states": figures.states,
        "rules_fired": figures.rules_fired,
        "processor_s": figures.processor_s,
        "states_per_second": states_per_second(figures).round(),
        "peak_memory_mb": (figures.peak_bytes as f64 / 1048576.0 * 10.0).round() / 10.0,
        "bytes_per_state": bytes_per_state(figures).round(),
    })
}

/// Runs the bench; `progress` is told what is being measured.
pub(crate) fn run(cancellation: &Cancellation, smoke: bool, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Table> {
    let (cases, rounds) = if smoke { (SMOKE, 1) } else { (CASES, ROUNDS) };
    let folder = temporary_folder()?;
    let has_rumur = is_installed("rumur") && is_installed("cc");
    let mut table = Table {
        bench: "rumur",
        rows: Vec::new(),
        notes: Vec::new(),
    };
    if !has_rumur {
        table
            .notes
            .push("`rumur` or `cc` is not installed: there is nothing to compare with.".to_owned());
    }
    for case in cases {
        let text = match case.text {
            Some(text) => text.to_owned(),
            None => match std::fs::read_to_string(Path::new(CORPUS).join(case.model)) {
                Ok(text) => text,
                Err(_) => {
                    table
                        .notes
                        .push(format!("`{}` is not part of the project and not present.", case.model));
                    continue;
                }
            },
        };
        progress(&case.name());
        let text = case.with_constants(&without_predicates(&text))?;
        std::fs::write(folder.path().join("model.m"), text)?;
        let row = measure_case(case.name(), folder.path(), (has_rumur, rounds), cancellation);
        table.rows.push(row.with_context(|| case.name())?);
    }
    table.notes.extend(measure::busy());
    Ok(table)
}

impl Case {
    fn name(&self) -> String {
        let constants: Vec<String> = self
            .constants
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        match constants.as_slice() {
            [] => self.model.to_owned(),
            constants => format!("{}, {}", self.model, constants.join(", ")),
        }
    }

    /// Rumur has no option for them, so both get a file that is changed.
    fn with_constants(&self, text: &str) -> anyhow::Result<String> {
        let mut text = text.to_owned();
        for (name, value) in self.constants {
            text = with_constant(&text, name, *value)
                .with_context(|| format!("{} declares no constant {name}", self.model))?;
        }
        Ok(text)
    }
}

/// Replaces the number in the first `name : number`.
fn with_constant(text: &str, name: &str, value: i64) -> Option<String> {
    for (position, _) in text.match_indices(name) {
        let before = text[..position].chars().next_back();
        let after = &text[position + name.len()..];
        let number = after.trim_start().strip_prefix(':').map(str::trim_start);
        if let Some(number) = number
            && number.starts_with(|c: char| c.is_ascii_digit())
            && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        {
            let start = text.len() - number.len();
            let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
            return Some(format!("{}{value}{rest}", &text[..start]));
        }
    }
    None
}

/// Rumur does not know the predicates that a model may declare for proofs. Everything else stays where it is.
fn without_predicates(text: &str) -> String {
    let (program, _) = murphi::parse(&SourceFile::new("model.m", text));
    let mut bytes = text.as_bytes().to_vec();
    for item in &program.items {
        let (start, end) = match item {
            Item::Predicate { span, .. } => (span.start as usize, span.end as usize),
            Item::Index { names, ty } => {
                let start = names.first().map_or(ty.span.start, |name| name.span.start) as usize;
                let before = text[..start].trim_end();
                let word = before.len().saturating_sub("index".len());
                let has_word = before.get(word..).is_some_and(|end| end.eq_ignore_ascii_case("index"));
                (if has_word { word } else { start }, ty.span.end as usize)
            }
            _ => continue,
        };
        let semicolon = text[end..].find(';').map_or(end, |distance| end + distance + 1);
        let declaration = bytes[start..semicolon].iter_mut();
        declaration.filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn measure_case(
    name: String,
    folder: &Path,
    (has_rumur, rounds): (bool, usize),
    cancellation: &Cancellation,
) -> anyhow::Result<Row> {
    if has_rumur {
        build_reference(folder)?;
    }
    let (mut ours, mut two, mut reference) = (None, None, None);
    for _ in 0..rounds {
        ours = Some(run_ours(folder, "1", cancellation)?.better(ours));
        if has_rumur {
            let usage = measure::run(&mut Command::new("./checker"), folder, cancellation)?;
            reference = Some(read_reference(&usage)?.better(reference));
        }
        let faster = |figures: Figures, other: Option<Figures>| match other {
            Some(other) if other.clock_s <= figures.clock_s => other,
            _ => figures,
        };
        two = Some(faster(run_ours(folder, "2", cancellation)?, two));
    }
    let (Some(ours), Some(two)) = (ours, two) else {
        bail!("nothing was measured");
    };
    Ok(row(name, ours, two, reference))
}

fn row(name: String, ours: Figures, two: Figures, reference: Option<Figures>) -> Row {
    let mut figures = json(&ours);
    figures["speed_up_of_two_threads"] = json!(rounded(ours.clock_s / two.clock_s.max(0.01)));
    let met = reference.map(|reference| {
        let (speed, speed_of_reference) = (states_per_second(&ours), states_per_second(&reference));
        let (memory, memory_of_reference) = (bytes_per_state(&ours), bytes_per_state(&reference));
        figures["speed_ratio"] = json!(rounded(speed / speed_of_reference));
        figures["memory_ratio"] = json!(rounded(memory / memory_of_reference));
        ours.agrees(&reference) && speed_of_reference <= SLOWER * speed && memory <= LARGER * memory_of_reference
    });
    Row {
        name,
        ours: figures,
        reference: reference.as_ref().map_or(Value::Null, json),
        met,
    }
}

/// Generates and compiles Rumur's checker, as its manual says.
fn build_reference(folder: &Path) -> anyhow::Result<()> {
    let generate = [
        "--threads",
        "1",
        "--symmetry-reduction",
        "off",
        "--deadlock-detection",
        "off",
        "-o",
        "checker.c",
        "model.m",
    ];
    let compile = [
        "-std=c11",
        "-march=native",
        "-O3",
        "-mcx16",
        "checker.c",
        "-lpthread",
        "-o",
        "checker",
    ];
    let command = |(program, arguments): (&str, &[&str])| {
        let mut command = Command::new(program);
        command.args(arguments);
        command
    };
    explored::build(folder, [("rumur", &generate[..]), ("cc", &compile[..])].map(command))
}

fn run_ours(folder: &Path, jobs: &str, cancellation: &Cancellation) -> anyhow::Result<Figures> {
    explored::ours(folder, &["--no-symmetry", "--jobs", jobs], cancellation)
}

fn read_reference(usage: &Usage) -> anyhow::Result<Figures> {
    match (explored::counts(usage), usage.code) {
        (Some(counts), Some(0)) => Ok(Figures::new(usage, counts)),
        _ => bail!("the checker of Rumur ended with {:?}", usage.code),
    }
}

/// The table in Markdown, which reads well enough on a terminal.
pub(crate) fn markdown(table: &Table) -> String {
    let head = [
        "model",
        "states",
        "states/s",
        "Rumur",
        "ratio",
        "bytes/state",
        "Rumur",
        "ratio",
        "two threads",
        "met",
    ];
    let number = |value: &Value| value.as_f64().map_or(String::new(), |n| grouped(n as u64));
    table.markdown(&head, |row| {
        vec![
            number(&row.ours["states"]),
            number(&row.ours["states_per_second"]),
            number(&row.reference["states_per_second"]),
            ratio(&row.ours["speed_ratio"]),
            number(&row.ours["bytes_per_state"]),
            number(&row.reference["bytes_per_state"]),
            ratio(&row.ours["memory_ratio"]),
            ratio(&row.ours["speed_up_of_two_threads"]),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_replaced() {
        let text = "const\n  NN: 1;\n  N :  24; -- N: 5\n";
        assert_eq!(
            with_constant(text, "N", 7).unwrap(),
            "const\n  NN: 1;\n  N :  7; -- N: 5\n"
        );
        assert_eq!(with_constant(text, "M", 7), None);
    }

    #[test]
    fn every_case_of_ours_has_its_constants() {
        for case in CASES {
            if let Some(text) = case.text {
                case.with_constants(text).unwrap();
            }
        }
    }

    #[test]
    fn predicates_are_taken_out() {
        let text = "var x: 0..1;\nindex\n  i: P; j: P;\npredicate \"p\" x = 1;\ninvariant x = 0;\n";
        let plain = without_predicates(text);
        assert_eq!(
            plain.split_whitespace().collect::<Vec<_>>().join(" "),
            "var x: 0..1; invariant x = 0;"
        );
        assert_eq!(plain.lines().count(), text.lines().count());
    }

    #[test]
    fn reads_what_rumur_prints() {
        let usage = Usage {
            output: "Status:\n\n\tNo error found.\n\n\t58104 states, 235872 rules fired in 0s.\n".to_owned(),
            code: Some(0),
            ..Usage::default()
        };
        let figures = read_reference(&usage).unwrap();
        assert_eq!((figures.states, figures.rules_fired), (58104, 235_872));
        assert!(read_reference(&Usage::default()).is_err());
    }

    #[test]
    fn a_row_meets_its_promise_only_with_the_same_counts() {
        let figures = |states, seconds| Figures {
            states,
            rules_fired: 10,
            processor_s: seconds,
            clock_s: seconds,
            peak_bytes: 1000,
        };
        let met = |ours, reference| row(String::new(), ours, ours, Some(reference)).met;
        assert_eq!(met(figures(100, 2.0), figures(100, 1.0)), Some(true));
        assert_eq!(met(figures(100, 4.0), figures(100, 1.0)), Some(false));
        assert_eq!(met(figures(101, 1.0), figures(100, 1.0)), Some(false));
    }
}
