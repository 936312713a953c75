//! `cubist-fuzz`: tries to make Cubist give a wrong verdict, crash or hang.

use clap::{Parser, Subcommand, ValueEnum as _};
use fuzz::engine::ENGINES;
use fuzz::isolation::{Ended, HUNG};
use fuzz::source::Source;
use fuzz::systems::{ModelFamily, SystemsOptions, ask, drawn};
use fuzz::tally::Campaign;
use harness::cbmc::Cbmc;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

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

    /// The first case
    #[arg(long, global = true, default_value_t = 0)]
    from: u64,

    /// Begins no further case after this many seconds
    #[arg(long, global = true)]
    seconds: Option<u64>,

    /// Of `systems` and `show`: only such models, instead of half of them simple
    #[arg(long, global = true)]
    only: Option<ModelFamily>,

    /// Of `systems`: compares instances and systems, and asks no engine
    #[arg(long, global = true)]
    compare: bool,

    /// Where failing inputs are written
    #[arg(long, global = true, default_value = "target/fuzz")]
    output: PathBuf,
}

#[derive(Subcommand)]
enum Kind {
    /// Random systems: every engine against exploration of all small sizes
    Systems,
    /// The same systems: `cubist check` as users run it, against exploration of the declared sizes and of others
    Check,
    /// The same systems: sessions of `cubist prove`, by themselves and led astray, against exploration
    Prove,
    /// One-shot models: what `check --induction` says of random formulas, against exploration at unequal sizes
    Induction,
    /// Models with a guard, an update, an initial value or a property changed, against exploration
    Mutants,
    /// Certificates, which cvc5 must confirm, and corrupted ones, which it must not
    Certificates,
    /// Proofs in which one check of the solver fails, for every check; C programs beside solvers that lie, die or hang
    Faults,
    /// Spoilt models, predicates, certificates and run folders: no panic, no hang
    Inputs,
    /// Systems with integers whose verdict is known by construction
    Constructed,
    /// Changes that mean nothing: the verdict must stay
    Metamorphic,
    /// Time and memory limits, kills and resumed runs, full and read-only disks
    Limits,
    /// Everything twice; one thread against four; a thousand solver checks for each case
    Determinism,
    /// C programs, random ones of our own and by Csmith: runs, runs of slices and points-to sets, against gcc
    C {
        /// This many in a hundred by Csmith, where that is installed
        #[arg(long, default_value_t = 50)]
        csmith: usize,
        /// Keeps programs that fail as they are, instead of making them smaller
        #[arg(long)]
        whole: bool,
    },
    /// `cubist check` of random C programs, against gcc's runs on all their inputs
    Programs {
        /// By the loop of SLAM, instead of by Horn clauses
        #[arg(long)]
        slam: bool,
        /// Only programs with such shapes behind a guard, instead of a share of them
        #[arg(long)]
        family: Option<fuzz::programs::Family>,
    },
    /// C programs with an operator, a constant or a statement changed: what is unsafe is executed, what is proved
    /// is explored
    ProgramMutants {
        /// Files and folders [default: programs of the project and of the corpus]
        files: Vec<PathBuf>,
        /// A CBMC, which looks for violations of what is proved, too
        #[arg(long, value_name = "PROGRAM")]
        cbmc: Option<PathBuf>,
    },
    /// Random Boolean programs: the model checker against enumeration of all states, and printed and read again
    Boolean,
    /// Random small components in C with specifications: `conform` against all their runs, which gcc makes
    Conform,
    /// Random labelled transition systems: containment, composition and refinement against enumeration of their traces
    Lts,
    /// Prints the random systems of `systems`
    Show,
    /// Whether instances of models and their systems do the same, at all small sizes
    Compare { files: Vec<PathBuf> },
    /// What one engine says of one model (for the others, which run it as a process of its own)
    #[command(hide = true)]
    Judge {
        file: PathBuf,
        #[arg(long)]
        engine: String,
        /// In milliseconds
        #[arg(long)]
        allowed: u64,
    },
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Kind::Systems => "systems",
            Kind::Check => "check",
            Kind::Prove => "prove",
            Kind::Induction => "induction",
            Kind::Mutants => "mutants",
            Kind::Certificates => "certificates",
            Kind::Faults => "faults",
            Kind::Inputs => "inputs",
            Kind::Constructed => "constructed",
            Kind::Metamorphic => "metamorphic",
            Kind::Limits => "limits",
            Kind::Determinism => "determinism",
            Kind::C { .. } => "c",
            Kind::Programs { .. } => "programs",
            Kind::ProgramMutants { .. } => "program-mutants",
            Kind::Boolean => "boolean",
            Kind::Conform => "conform",
            Kind::Lts => "lts",
            Kind::Show => "show",
            Kind::Compare { .. } => "compare",
            Kind::Judge { .. } => "judge",
        }
    }
}

fn programs(run: &mut Campaign, program: &PathBuf, slam: bool, family: Option<fuzz::programs::Family>) {
    if slam {
        run.options = " --slam".to_owned();
    }
    if let Some(name) = family.and_then(|family| family.to_possible_value()) {
        let _ = write!(run.options, " --family {}", name.get_name());
    }
    let plan = fuzz::programs::ProgramOptions {
        slam,
        family,
        ..fuzz::programs::ProgramOptions::default()
    };
    fuzz::programs::run(run, program, &plan);
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut run = Campaign::new(arguments.kind.name(), arguments.seed, arguments.count, arguments.output);
    run.from = arguments.from;
    run.until = arguments
        .seconds
        .map(|seconds| Instant::now() + Duration::from_secs(seconds));
    if let Some(only) = arguments.only.and_then(|only| only.to_possible_value()) {
        run.options = format!(" --only {}", only.get_name());
    }
    run.progress = Some(|line| say(&mut std::io::stderr(), line));
    match arguments.kind {
        Kind::Systems => {
            let plan = SystemsOptions {
                only: arguments.only,
                engines: !arguments.compare,
                ..SystemsOptions::default()
            };
            fuzz::systems::run(&mut run, &plan);
        }
        Kind::Check => {
            let Some(program) = cubist() else {
                return ExitCode::FAILURE;
            };
            fuzz::checks::run(&mut run, &program, arguments.only);
        }
        Kind::Prove => fuzz::sessions::run(&mut run, arguments.only),
        Kind::Induction => fuzz::induction::run(&mut run),
        Kind::Mutants => fuzz::mutants::run(&mut run, true, fuzz::mutants::FULL),
        Kind::Certificates => fuzz::certificates::run(&mut run),
        Kind::Faults => faults(&mut run),
        Kind::Inputs => fuzz::inputs::run(&mut run),
        Kind::Constructed => fuzz::constructed::run(&mut run),
        Kind::Metamorphic => fuzz::metamorphic::run(&mut run),
        Kind::Limits => fuzz::limits::run(&mut run, fuzz::limits::LATE),
        Kind::Determinism => fuzz::determinism::run(&mut run),
        Kind::C { csmith, whole } => runs_of_c(&mut run, csmith, whole),
        Kind::Programs { slam, family } => {
            let Some(program) = cubist() else {
                return ExitCode::FAILURE;
            };
            programs(&mut run, &program, slam, family);
        }
        Kind::ProgramMutants { files, cbmc } => {
            let Some(program) = cubist() else {
                return ExitCode::FAILURE;
            };
            let found = cbmc.as_deref().map(Cbmc::find);
            if found == Some(None) {
                say(&mut std::io::stderr(), "this CBMC does not run");
                return ExitCode::from(2);
            }
            program_mutants(&mut run, &program, &files, found.flatten().as_ref());
        }
        Kind::Boolean => fuzz::boolean::run(&mut run),
        Kind::Conform => fuzz::conform::run(&mut run),
        Kind::Lts => fuzz::lts::run(&mut run),
        Kind::Show => {
            for case in run.cases() {
                say(
                    &mut std::io::stdout(),
                    &drawn(case, run.begin(case), arguments.only).text,
                );
            }
            return ExitCode::SUCCESS;
        }
        Kind::Compare { files } => compare(&mut run, &files),
        Kind::Judge { file, engine, allowed } => return judge(&file, &engine, Duration::from_millis(allowed)),
    }
    ended(&run)
}

/// The exit status: success, failure, or an error of the environment.
fn ended(run: &Campaign) -> ExitCode {
    say(&mut std::io::stdout(), run.summary().trim_end());
    if let Some(why) = run.broken() {
        say(&mut std::io::stderr(), &format!("cubist-fuzz: stopped: {why}"));
        return ExitCode::from(2);
    }
    if run.wrong.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The program, or an error message.
fn cubist() -> Option<PathBuf> {
    let program = fuzz::program::cubist();
    if program.is_none() {
        say(&mut std::io::stderr(), "there is no `cubist` beside this program");
    }
    program
}

fn runs_of_c(run: &mut Campaign, csmith: usize, whole: bool) {
    run.options = format!(" --csmith {csmith}");
    let plan = fuzz::c::compare::CompareOptions {
        csmith,
        reduce: !whole,
        ..fuzz::c::compare::CompareOptions::default()
    };
    fuzz::c::compare::run(run, &plan);
}

fn faults(run: &mut Campaign) {
    fuzz::faults::run(run);
    fuzz::programs::faults::run(run, fuzz::program::cubist().as_deref());
}

fn program_mutants(run: &mut Campaign, program: &PathBuf, files: &[PathBuf], cbmc: Option<&Cbmc>) {
    let named: Vec<String> = files.iter().map(|file| format!(" {}", file.display())).collect();
    run.options = named.concat();
    let plan = fuzz::programs::ProgramOptions {
        allowed: Duration::from_secs(10),
        ..fuzz::programs::ProgramOptions::default()
    };
    fuzz::programs::mutants::run(run, program, files, &plan, cbmc);
}

fn compare(run: &mut Campaign, files: &[PathBuf]) {
    for file in files {
        run.tried += 1;
        let name = file.to_string_lossy().into_owned();
        let found = match std::fs::read_to_string(file) {
            Ok(text) => fuzz::systems::compare(run, &Source::new(name.as_str(), text)),
            Err(error) => Err(error.to_string()),
        };
        if let Err(what) = found {
            run.wrong.push(format!("{name}: {what}"));
        }
    }
}

fn judge(file: &Path, engine: &str, allowed: Duration) -> ExitCode {
    let found = ENGINES.iter().find(|(name, _)| *name == engine);
    let (Some((_, engine)), Ok(text)) = (found, std::fs::read_to_string(file)) else {
        return ExitCode::FAILURE;
    };
    match ask(&Source::new(file.to_string_lossy(), text), engine, allowed, false) {
        Ended::Well(answer) => {
            // Without a trailing newline: a certificate has a digest.
            let _ = std::io::stdout().write_all(answer.to_text().as_bytes());
            ExitCode::SUCCESS
        }
        Ended::Panicked => ExitCode::FAILURE,
        // The thread is still busy: the process exits without waiting for it.
        Ended::Hung => std::process::exit(HUNG),
    }
}

/// A closed output is no reason to stop.
fn say(stream: &mut dyn std::io::Write, line: &str) {
    let _ = writeln!(stream, "{line}").and_then(|()| stream.flush());
}
