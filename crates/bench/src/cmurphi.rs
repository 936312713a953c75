//! Exploration with symmetry reduction, against the verifiers that CMurphi generates.
//!
//! Both read the same file and search all of its states on one thread, each in its canonical form, without looking for
//! deadlocks; they must agree on the numbers of states and rules fired. CMurphi generates C++: the time to generate
//! and compile it is left out. It is not part of the project, and works in a folder of its own.

use crate::explored::{self, Figures, ratio};
use crate::measure::{self, Usage, temporary_folder};
use crate::table::{Row, Table, rounded};
use anyhow::{Context as _, bail};
use driver::notation::grouped;
use logic::Cancellation;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The two take turns, and the best of this many runs counts: what else the machine does only ever slows a run down.
const ROUNDS: usize = 7;

/// Processor time is counted in steps of this many seconds.
const STEP: f64 = 0.01;

/// Models of others, which are not part of the project: used where they are present.
const CORPUS: &str = "../shared/corpus";

const CASES: &[&str] = &[
    "murphi-as-written/adash.m",
    "murphi-as-written/newcache3.m",
    "murphi-as-written/sci.m",
    "murphi-as-written/ns.m",
    "murphi-as-written/list6too.m",
    "murphi/cache3_sym.m",
    "murphi/mcslock1.m",
];

/// What both can read, for a quick look.
const SMOKE: &str = "type node: scalarset(3);
var at: array [node] of enum { idle, waiting, inside }; last: node;
startstate begin for n: node do at[n] := idle; end; undefine last; end;
ruleset n: node do
  rule \"ask\" at[n] = idle ==> begin at[n] := waiting; end;
  rule \"enter\" at[n] = waiting & forall m: node do at[m] != inside end ==> begin at[n] := inside; end;
  rule \"leave\" at[n] = inside ==> begin at[n] := idle; last := n; end;
end;
invariant \"one\" forall n: node do forall m: node do at[n] = inside & at[m] = inside -> n = m end end;
";

/// Where CMurphi is.
pub(crate) struct Peer {
    mu: PathBuf,
    /// The folder with `mu_prolog.hpp`.
    include: PathBuf,
}

impl Peer {
    /// The given program and folder; by default the program `mu`, and the folder `include` beside that of the program.
    /// `None` where they are not there.
    pub(crate) fn find(mu: Option<&Path>, include: Option<&Path>) -> Option<Peer> {
        let mu = match mu {
            Some(mu) => mu.to_owned(),
            None => {
                let path = std::env::var_os("PATH")?;
                let programs = std::env::split_paths(&path).map(|folder| folder.join("mu"));
                programs.into_iter().find(|program| program.is_file())?
            }
        };
        let mu = mu.canonicalize().ok()?;
        let include = match include {
            Some(include) => include.to_owned(),
            None => mu.parent()?.parent()?.join("include"),
        };
        let include = include.canonicalize().ok()?;
        include.join("mu_prolog.hpp").is_file().then_some(Peer { mu, include })
    }

    /// Generates and compiles the verifier of `model.m`.
    fn build(&self, folder: &Path) -> anyhow::Result<()> {
        let mut generate = Command::new(&self.mu);
        generate.arg("model.m");
        let mut compile = Command::new("g++");
        compile.args(["-O3", "-w", "-fpermissive", "model.cpp", "-o", "verifier", "-lm", "-I"]);
        compile.arg(&self.include);
        explored::build(folder, [generate, compile])
    }
}

fn json(figures: &Figures) -> Value {
    json!({
        "states": figures.states,
        "rules_fired": figures.rules_fired,
        "processor_s": figures.processor_s,
    })
}

/// Runs the bench; `progress` is told what is being measured.
pub(crate) fn run(
    cancellation: &Cancellation,
    (smoke, peer): (bool, Option<Peer>),
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Table> {
    let mut table = Table {
        bench: "cmurphi",
        rows: Vec::new(),
        notes: Vec::new(),
    };
    if peer.is_none() {
        let note = "CMurphi is not there: `--mu PROGRAM` and `--mu-include FOLDER` say where it is.";
        table.notes.push(note.to_owned());
    }
    let cases: Vec<(&str, Option<String>)> = match smoke {
        true => vec![("three nodes", Some(SMOKE.to_owned()))],
        false => {
            let text = |case: &&'static str| (*case, std::fs::read_to_string(Path::new(CORPUS).join(case)).ok());
            CASES.iter().map(text).collect()
        }
    };
    let rounds = if smoke { 1 } else { ROUNDS };
    let folder = temporary_folder()?;
    for (name, text) in cases {
        let Some(text) = text else {
            table
                .notes
                .push(format!("`{name}` is not part of the project and not present."));
            continue;
        };
        progress(name);
        std::fs::write(folder.path().join("model.m"), text)?;
        let row = measure_case(name, folder.path(), (peer.as_ref(), rounds), cancellation);
        table.rows.push(row.with_context(|| name.to_owned())?);
    }
    table.notes.extend(measure::busy());
    Ok(table)
}

fn measure_case(
    name: &str,
    folder: &Path,
    (peer, rounds): (Option<&Peer>, usize),
    cancellation: &Cancellation,
) -> anyhow::Result<Row> {
    if let Some(peer) = peer {
        peer.build(folder)?;
    }
    let (mut ours, mut reference) = (None, None);
    for _ in 0..rounds {
        ours = Some(explored::ours(folder, &[], cancellation)?.better(ours));
        if peer.is_some() {
            // Canonical forms as ours are, and a table that all the models fit in.
            let mut verifier = Command::new("./verifier");
            verifier.args(["-ndl", "-permlimit0", "-m16", "-pn"]);
            let usage = measure::run(&mut verifier, folder, cancellation)?;
            reference = Some(read_reference(&usage)?.better(reference));
        }
    }
    let Some(ours) = ours else {
        bail!("nothing was measured");
    };
    Ok(row(name, ours, reference))
}

fn row(name: &str, ours: Figures, reference: Option<Figures>) -> Row {
    let mut figures = json(&ours);
    let met = reference.map(|reference| {
        let ratio = ours.processor_s / reference.processor_s.max(STEP);
        figures["time_ratio"] = json!(rounded(ratio));
        let steps = ((ours.processor_s - reference.processor_s) / STEP).round();
        ours.agrees(&reference) && steps <= 1.0
    });
    Row {
        name: name.to_owned(),
        ours: figures,
        reference: reference.as_ref().map_or(Value::Null, json),
        met,
    }
}

/// It prints `10466 states, 137708 rules fired in 0.15s.`
fn read_reference(usage: &Usage) -> anyhow::Result<Figures> {
    match explored::counts(usage) {
        Some(counts) => Ok(Figures::new(usage, counts)),
        None => bail!("the verifier of CMurphi ended with {:?}", usage.code),
    }
}

/// The table in Markdown, which reads well enough on a terminal.
pub(crate) fn markdown(table: &Table) -> String {
    let head = ["model", "states", "rules fired", "seconds", "CMurphi", "ratio", "met"];
    let number = |value: &Value| value.as_u64().map_or(String::new(), grouped);
    table.markdown(&head, |row| {
        vec![
            number(&row.ours["states"]),
            number(&row.ours["rules_fired"]),
            ratio(&row.ours["processor_s"]),
            ratio(&row.reference["processor_s"]),
            ratio(&row.ours["time_ratio"]),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_verifier_prints() {
        let usage = Usage {
            output: "State Space Explored:\n\n\t10466 states, 137708 rules fired in 0.15s.\n".to_owned(),
            processor_s: 0.15,
            ..Usage::default()
        };
        let figures = read_reference(&usage).unwrap();
        assert_eq!((figures.states, figures.rules_fired), (10466, 137_708));
        assert!(read_reference(&Usage::default()).is_err());
    }

    #[test]
    fn a_row_is_met_with_the_same_counts_in_no_more_time() {
        let figures = |states, processor_s| Figures {
            states,
            rules_fired: 10,
            processor_s,
            clock_s: processor_s,
            peak_bytes: 0,
        };
        let met = |ours, reference| row("", ours, Some(reference)).met;
        assert_eq!(met(figures(100, 0.1), figures(100, 0.1)), Some(true));
        // 0.06 + 0.01 is a little less than 0.07.
        assert_eq!(met(figures(100, 0.07), figures(100, 0.06)), Some(true));
        assert_eq!(met(figures(100, 0.2), figures(100, 0.1)), Some(false));
        assert_eq!(met(figures(101, 0.1), figures(100, 0.1)), Some(false));
        assert_eq!(row("", figures(1, 0.1), None).met, None);
    }

    #[test]
    fn a_folder_without_the_headers_is_none_of_theirs() {
        assert!(Peer::find(Some(Path::new("/bin/sh")), Some(Path::new("/"))).is_none());
    }
}
