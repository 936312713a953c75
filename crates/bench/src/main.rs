//! `cubist-bench`: measures the `cubist` binary beside it against papers and peers, prints tables, and regenerates
//! docs/results.md.

mod arguments;
mod cbmc;
mod cmurphi;
mod das;
mod explored;
mod files;
mod growth;
mod indexed;
mod load;
mod magic;
mod measure;
mod page;
mod peers;
mod plot;
mod programs;
mod rumur;
mod table;

use anyhow::Context as _;
use arguments::{Bench, BenchName};
use clap::Parser as _;
use driver::write_whole;
use logic::Cancellation;
use page::{page, table_text};
use serde::Serialize;
use serde_json::json;
use std::io::Write as _;
use std::process::ExitCode;

const ALL: &[BenchName] = &[
    BenchName::Rumur,
    BenchName::Cmurphi,
    BenchName::Das,
    BenchName::Indexed,
    BenchName::Peers,
    BenchName::Growth,
    BenchName::Files,
    BenchName::C,
    BenchName::Magic,
];

/// In a run of all benches, the limit of each tool for a Cubicle file, in seconds: most answer at once or not at all.
const PEERS_AMONG_ALL: f64 = 20.0;

fn main() -> ExitCode {
    let arguments = Bench::parse();
    let cancellation = Cancellation::default();
    let interrupted = cancellation.clone();
    // Without a handler, Ctrl-C still ends the program, but less cleanly.
    let _ = ctrlc::set_handler(move || interrupted.cancel());
    let done = run(&arguments, &cancellation);
    children::finish();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn as_json(object: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(object)? + "\n")
}

fn run(arguments: &Bench, cancellation: &Cancellation) -> anyhow::Result<()> {
    let names = match arguments.name {
        Some(ref name) if !arguments.all => std::slice::from_ref(name),
        _ => ALL,
    };
    let smoke = arguments.smoke;
    let timeout = arguments.timeout.as_secs_f64();
    let mut tables = Vec::new();
    for name in names {
        let mut progress = |what: &str| complain(&format!("measuring {what}"));
        tables.push(match name {
            BenchName::Rumur => rumur::run(cancellation, smoke, &mut progress)?,
            BenchName::Cmurphi => {
                let peer = cmurphi::Peer::find(arguments.mu.as_deref(), arguments.mu_include.as_deref());
                cmurphi::run(cancellation, (smoke, peer), &mut progress)?
            }
            BenchName::Das => das::run(cancellation, timeout, smoke, &mut progress)?,
            BenchName::Indexed => indexed::run(cancellation, timeout, smoke, &mut progress)?,
            BenchName::Growth => growth::run(cancellation, timeout, smoke, &mut progress)?,
            BenchName::Files => files::run(cancellation, timeout, smoke, &mut progress)?,
            BenchName::Load => load::run(cancellation, timeout, smoke, &mut progress)?,
            BenchName::Magic => magic::run(cancellation, timeout, smoke, &mut progress)?,
            BenchName::C => programs::run(cancellation, timeout, (smoke, arguments.cbmc.as_deref()), &mut progress)?,
            BenchName::Peers => {
                let most = if arguments.all { PEERS_AMONG_ALL } else { f64::INFINITY };
                let cubicle = arguments.cubicle.as_deref();
                peers::run(cancellation, timeout.min(most), (smoke, cubicle), &mut progress)?
            }
        });
    }
    let text = match tables.as_slice() {
        [table] if arguments.json && !arguments.all => as_json(table)?,
        tables if arguments.json => as_json(&json!({ "benches": tables }))?,
        tables => tables.iter().map(table_text).collect(),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    if let Some(path) = &arguments.output {
        write_whole(path, &page(&tables)).with_context(|| format!("cannot write {}", path.display()))?;
        for table in &tables {
            let (name, drawing) = match table.bench {
                "growth" => ("growth.svg", growth::svg(table)),
                "magic" => ("components.svg", magic::svg(table)),
                "c" => ("locks.svg", programs::svg(table)),
                _ => continue,
            };
            let path = path.with_file_name(name);
            write_whole(&path, &drawing).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}
