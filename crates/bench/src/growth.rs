//! The cost of irrelevant predicates: German's protocol and the bakery algorithm, with more and more of them.

use crate::measure::{self, cubist, temporary_folder};
use crate::plot::{Panel, Series, plot};
use crate::table::{Row, Table, aligned, rounded};
use logic::Cancellation;
use serde_json::{Value, json};
use std::path::Path;

/// The numbers of added predicates.
const ADDED: [usize; 5] = [0, 2, 4, 8, 16];

/// The promise: at most this many times slower than without them, where times below a second count as one.
const SLOWER: f64 = 2.0;
const ALIKE: f64 = 1.0;

/// A model, an engine, and a family of predicates to add.
struct Case {
    name: &'static str,
    model: &'static str,
    text: &'static str,
    engine: &'static str,
    property: &'static str,
    predicate: fn(usize) -> Option<String>,
}

/// The cheapest case.
const SMOKE: &str = "bakery, implicit";

const GERMAN: &str = include_str!("../../../models/german.m");
const BAKERY: &str = include_str!("../../../models/bakery.m");
const ANY_BAKERY: &str = include_str!("../../../models/bakery-non-atomic.m");

const CASES: &[Case] = &[
    Case {
        name: "German, indexed, about data",
        model: "german.m",
        text: GERMAN,
        engine: "strengthening",
        property: "a writer is alone",
        predicate: about_data,
    },
    Case {
        name: "German, indexed, about requests",
        model: "german.m",
        text: GERMAN,
        engine: "strengthening",
        property: "a writer is alone",
        predicate: about_requests,
    },
    Case {
        name: "bakery of any size, indexed",
        model: "bakery-non-atomic.m",
        text: ANY_BAKERY,
        engine: "strengthening",
        property: "mutual exclusion",
        predicate: about_any_tickets,
    },
    Case {
        name: "bakery, implicit",
        model: "bakery.m",
        text: BAKERY,
        engine: "implicit",
        property: "mutual exclusion",
        predicate: about_tickets,
    },
    Case {
        name: "bakery, approximate",
        model: "bakery.m",
        text: BAKERY,
        engine: "approximate",
        property: "mutual exclusion",
        predicate: about_tickets,
    },
];

/// Who may write does not depend on the written values.
fn about_data(number: usize) -> Option<String> {
    let places = [
        "cache[i].copy",
        "cache[j].copy",
        "cache[i].ordered",
        "cache[j].ordered",
        "cache[i].result",
        "cache[j].result",
    ];
    let values = ["latest", "home.memory", "cache[i].copy"];
    let pairs = values
        .iter()
        .flat_map(|value| places.iter().map(move |place| (place, value)));
    let (place, value) = pairs.filter(|(place, value)| place != value).nth(number)?;
    Some(format!("{place} = {value}"))
}

/// Any process may send a request, so no invariant needs to mention the sender; but requests determine the next steps.
fn about_requests(number: usize) -> Option<String> {
    let atoms = [
        "cache[i].asks = ask_read",
        "cache[j].asks = ask_read",
        "cache[i].asks = ask_write",
        "cache[j].asks = ask_write",
        "home.client = i",
        "home.client = j",
        "cache[i].asks = no_request",
        "cache[j].asks = no_request",
    ];
    atoms.get(number).map(|atom| (*atom).to_owned())
}

/// Only the order of tickets matters.
fn about_tickets(number: usize) -> Option<String> {
    Some(format!("ticket{} <= {}", 1 + number % 2, 5 + number / 2))
}

/// The same for two arbitrary processes.
fn about_any_tickets(number: usize) -> Option<String> {
    let process = if number.is_multiple_of(2) { "i" } else { "j" };
    Some(format!("ticket[{process}] <= {}", 5 + number / 2))
}

impl Case {
    fn predicates(&self, count: usize) -> Option<String> {
        let declaration = |number: usize| {
            let formula = (self.predicate)(number)?;
            Some(format!("predicate \"added {}\" {formula};\n", number + 1))
        };
        (0..count).map(declaration).collect()
    }
}

/// Runs the bench; reports progress to `progress`. No run takes more than `timeout` seconds.
pub(crate) fn run(
    cancellation: &Cancellation,
    timeout: f64,
    smoke: bool,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    let counts = if smoke { &ADDED[..2] } else { &ADDED[..] };
    let folder = temporary_folder()?;
    let mut table = Table {
        bench: "growth",
        rows: Vec::new(),
        notes: Vec::new(),
    };
    for case in CASES.iter().filter(|case| !smoke || case.name == SMOKE) {
        std::fs::write(folder.path().join(case.model), case.text)?;
        let mut without = Value::Null;
        for &added in counts {
            let Some(predicates) = case.predicates(added) else {
                break;
            };
            progress(&format!("{}, {added} predicates added", case.name));
            std::fs::write(folder.path().join("added.m"), predicates)?;
            let ours = check(case, added, timeout, folder.path(), cancellation)?;
            if added == 0 {
                without = ours.clone();
            }
            let met = (added > 0).then(|| is_met(&ours, &without));
            table.rows.push(Row {
                name: case.name.to_owned(),
                ours,
                reference: without.clone(),
                met,
            });
        }
    }
    Ok(table)
}

fn is_met(ours: &Value, without: &Value) -> bool {
    let seconds = |run: &Value| run["processor_s"].as_f64().unwrap_or(f64::INFINITY).max(ALIKE);
    ours["proved"] == true && without["proved"] == true && seconds(ours) <= SLOWER * seconds(without)
}

fn check(case: &Case, added: usize, timeout: f64, folder: &Path, cancellation: &Cancellation) -> anyhow::Result<Value> {
    let mut command = cubist()?;
    command.args([
        "check",
        case.model,
        "--json",
        "--jobs",
        "1",
        "--engine",
        case.engine,
        "--property",
        case.property,
    ]);
    command.args(["--timeout", &timeout.to_string()]);
    if added > 0 {
        command.args(["--predicates", "added.m"]);
    }
    let usage = measure::run(&mut command, folder, cancellation)?;
    let report: Value = serde_json::from_str(&usage.output).unwrap_or_default();
    Ok(json!({
        "added": added,
        "proved": report["verdict"] == "safe" && usage.code == Some(0),
        "checks": report["checks"]["total"],
        "processor_s": rounded(usage.processor_s),
    }))
}

/// The table in Markdown: a line for each case, a column for each number of predicates.
pub(crate) fn markdown(table: &Table) -> String {
    let mut lines = vec![vec!["predicates added".to_owned()]];
    lines[0].extend(ADDED.iter().map(|added| format!("{added}: seconds, checks")));
    lines[0].push("met".to_owned());
    for case in CASES {
        let rows: Vec<&Row> = table.rows.iter().filter(|row| row.name == case.name).collect();
        let mut line = vec![case.name.to_owned()];
        for added in ADDED {
            let row = rows.iter().find(|row| row.ours["added"] == added);
            line.push(row.map_or(String::new(), |row| {
                let open = if row.ours["proved"] == true { "" } else { " (no proof)" };
                format!("{}, {}{open}", row.ours["processor_s"], row.ours["checks"])
            }));
        }
        let met = rows.iter().all(|row| row.met != Some(false));
        line.push(if met { "yes" } else { "**no**" }.to_owned());
        lines.push(line);
    }
    aligned(&lines)
}

/// The same as a plot. Runs without a proof are omitted.
pub(crate) fn svg(table: &Table) -> String {
    let panel = |title, figure: &str| Panel {
        title,
        series: CASES.iter().map(|case| series(table, case, figure)).collect(),
    };
    plot(
        "predicates added",
        &[
            panel("seconds", "processor_s"),
            panel("satisfiability checks", "checks"),
        ],
    )
}

fn series(table: &Table, case: &Case, figure: &str) -> Series {
    let proved = table
        .rows
        .iter()
        .filter(|row| row.name == case.name && row.ours["proved"] == true);
    let point = |row: &Row| Some((row.ours["added"].as_f64()?, row.ours[figure].as_f64()?));
    Series {
        name: case.name.to_owned(),
        points: proved.filter_map(point).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_enough_predicates_and_no_two_alike() {
        for case in CASES {
            let found: Vec<String> = (0..16).map_while(case.predicate).collect();
            let different: std::collections::BTreeSet<&String> = found.iter().collect();
            assert!(
                found.len() >= 4 && different.len() == found.len(),
                "{}: {found:?}",
                case.name
            );
        }
        assert_eq!(
            CASES[0].predicates(1).unwrap(),
            "predicate \"added 1\" cache[i].copy = latest;\n"
        );
    }

    #[test]
    fn twice_the_time_is_allowed() {
        let run = |proved: bool, seconds: f64| json!({ "proved": proved, "processor_s": seconds });
        assert!(is_met(&run(true, 3.9), &run(true, 2.0)));
        assert!(!is_met(&run(true, 4.1), &run(true, 2.0)));
        assert!(is_met(&run(true, 1.9), &run(true, 0.1)));
        assert!(!is_met(&run(false, 1.0), &run(true, 2.0)));
    }
}
