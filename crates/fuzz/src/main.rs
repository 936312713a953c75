//! `cubist-fuzz`: tries to make Cubist give a wrong verdict, crash or hang.

use clap::{Parser, Subcommand};
use fuzz::tally::Run;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Tries to make Cubist give a wrong verdict, crash or hang")]
struct Arguments {
    #[command(subcommand)]
    kind: Kind,

    /// How many cases to try
    #[arg(long, global = true, default_value_t = 100)]
    count: u64,

    /// Where the random numbers start
    #[arg(long, global = true, default_value_t = 1)]
    seed: u64,

    /// Where failing inputs are written
    #[arg(long, global = true, default_value = "target/fuzz")]
    output: PathBuf,
}

#[derive(Subcommand, Clone, Copy)]
enum Kind {
    /// Random systems: every engine against exploration of all small sizes
    Systems,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut run = Run::new(arguments.seed, arguments.count, arguments.output);
    run.progress = Some(|line| say(&mut std::io::stderr(), line));
    match arguments.kind {
        Kind::Systems => fuzz::systems::run(&mut run),
    }
    say(&mut std::io::stdout(), run.summary().trim_end());
    if run.wrong.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// A reader that has gone away is no reason to stop.
fn say(stream: &mut dyn std::io::Write, line: &str) {
    let _ = writeln!(stream, "{line}").and_then(|()| stream.flush());
}
