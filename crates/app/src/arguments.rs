//! The command line, as `clap` reads it.

use crate::duration;
use crate::outputs::Outputs;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use driver::about::assignment;
use driver::{Engine, Question};
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  cubist check models/mutex-server.m                 prove it for any number of clients, or find a bug
  cubist check models/mutex-server.m --graph g.svg   and draw the abstract states
  cubist check models/*.m --timeout 1m               several models, and a table of what came of them
  cubist check models/german-bug.m --chart run.svg   draw the run of a violation
  cubist explore models/german.m                     search the instance that the file describes
  cubist explore models/german.m --size PROC=4       with four elements in the type PROC
  cubist explore model.cub --size proc=3             a Cubicle model with three processes
  cubist explore models/german-bug.m --full-states   show whole states in the counterexample
  cubist explore models/peterson.m --simulate 1 --steps 20
  cubist explore models/peterson.m --graph states.svg
  cubist show models/german.m                        which types a proof takes at any size, and why

Exit status: 0 proved or no violation, 10 a property is violated, 20 unknown or a limit was hit first, 2 bad input or usage,
70 an internal error.";

/// Proves protocols written in Murphi or Cubicle, or finds their bugs.
#[derive(Parser, Debug)]
#[command(name = "cubist", version, about, after_help = EXAMPLES, max_term_width = 100, infer_long_args = false)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Prove the properties for every size, or find a violation
    Check(Box<Check>),
    /// Prove a model step by step: each failure says what to try next
    Prove(Box<Prove>),
    /// Prove a model step by step in a browser, on a page that this machine serves
    Serve(Box<Serve>),
    /// Search all states of a finite instance, or simulate random runs
    Explore(Box<Explore>),
    /// Decide whether components in C, side by side, do only what a state machine allows
    Conform(Box<Conform>),
    /// Have another solver confirm a certificate that `check --certificate` wrote, and hold it against its model
    Validate(Box<Validate>),
    /// Show what was read: types and their sizes, rules, properties, the transition system
    Show(Show),
    /// Write the transition system for other tools
    Export(Export),
    /// Measure Cubist against its peers
    Bench(Bench),
}

/// What decides how a model is read.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct Reading {
    /// The language of the model, whatever its name [default for the standard input: Murphi]
    #[arg(long, value_name = "LANGUAGE", value_parser = languages(), ignore_case = true)]
    pub(crate) language: Option<String>,

    /// Take the type T at size N (its name, or that of the constant behind it; `proc` for Cubicle)
    #[arg(long = "size", value_name = "T=N", value_parser = assignment)]
    pub(crate) sizes: Vec<(String, i64)>,

    /// Give a constant of the model another value
    #[arg(long = "const", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) constants: Vec<(String, i64)>,

    /// Take the type T at any size in proofs; an error where it is used in other ways than a scalarset
    #[arg(long, value_name = "T")]
    pub(crate) parametric: Vec<String>,

    /// Take the type T at the size that it has, in proofs too
    #[arg(long, value_name = "T")]
    pub(crate) fixed: Vec<String>,

    /// The values of an unbounded integer that are tried: further ones are cut off, and the search is then incomplete
    #[arg(long, value_name = "LOW..HIGH", value_parser = range, allow_hyphen_values = true)]
    pub(crate) integers: Option<(i64, i64)>,
}

impl Reading {
    pub(crate) fn how(&self) -> system::Reading {
        system::Reading {
            sizes: self.sizes.clone(),
            constants: self.constants.clone(),
            parametric: self.parametric.clone(),
            fixed: self.fixed.clone(),
            integers: self.integers,
            language: self.language.clone(),
        }
    }
}

/// How a C program is meant.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "C programs")]
pub(crate) struct Meaning {
    /// How wide the types are
    #[arg(long, value_enum, default_value_t = DataModelName::Lp64)]
    pub(crate) data_model: DataModelName,

    /// What becomes of undefined behaviour [default: report, and wrap for check]
    #[arg(long, value_enum)]
    pub(crate) undefined: Option<UndefinedName>,

    /// What integers are
    #[arg(long, value_enum, default_value_t = IntsName::Machine)]
    pub(crate) ints: IntsName,

    /// What lies behind the end of an object
    #[arg(long, value_enum, default_value_t = MemoryModelName::Machine)]
    pub(crate) memory_model: MemoryModelName,

    /// Where runs begin [default: main]
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Option<String>,

    /// A call of this function is an error, beside those of reach_error and __VERIFIER_error
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) error_function: Vec<String>,

    /// To reach this label is an error, also in a Boolean program
    #[arg(long, value_name = "LABEL")]
    pub(crate) error_label: Vec<String>,

    /// A rule about calls that the program must keep: a file that ends in .rule
    #[arg(long, value_name = "FILE")]
    pub(crate) rule: Vec<PathBuf>,

    /// A folder in which the preprocessor looks for files
    #[arg(long, short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,

    /// A macro for the preprocessor
    #[arg(long, short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
}

/// What is to be shown of a C program, instead of all that is an error by itself.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "C programs")]
pub(crate) struct Specified {
    /// Only what this property file of SV-COMP says is an error
    #[arg(long, value_name = "FILE.prp", conflicts_with_all = ["entry", "error_function", "error_label"])]
    pub(crate) property: Option<PathBuf>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DataModelName {
    /// int, long and pointers have 32 bits, as with gcc -m32
    Ilp32,
    /// long and pointers have 64 bits, as with gcc -m64
    #[default]
    Lp64,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum IntsName {
    /// Those of the machine: as wide as their types are
    #[default]
    Machine,
    /// Those of mathematics, as in the papers: none is too large for its type
    Unbounded,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MemoryModelName {
    /// Nothing: an access there is undefined
    #[default]
    Machine,
    /// Memory of its own that nobody has written, as in SLAM: violations are looked for, and nothing is proved
    Logical,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndefinedName {
    /// It is a finding, and the run ends
    Report,
    /// The run ends, and nothing is said
    AssumeAbsent,
    /// Signed numbers wrap around
    Wrap,
}

impl Meaning {
    /// An option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let labels = ("--error-label", !self.error_label.is_empty());
        let given = self.of_c().into_iter().chain([labels]).find(|(_, is_given)| *is_given);
        given.map(|(option, _)| option)
    }

    /// The options that only C programs have, and whether they were given.
    pub(crate) fn of_c(&self) -> [(&'static str, bool); 9] {
        [
            ("--data-model", self.data_model != DataModelName::default()),
            ("--undefined", self.undefined.is_some()),
            ("--ints", self.is_unbounded()),
            ("--memory-model", self.is_logical()),
            ("--entry", self.entry.is_some()),
            ("--error-function", !self.error_function.is_empty()),
            ("--rule", !self.rule.is_empty()),
            ("--include", !self.include.is_empty()),
            ("--define", !self.define.is_empty()),
        ]
    }

    /// An error where an option was given that means nothing for a model.
    pub(crate) fn refuse(&self) -> anyhow::Result<()> {
        match self.given() {
            Some(option) => anyhow::bail!("{option} is about programs: it means nothing for a model"),
            None => Ok(()),
        }
    }

    pub(crate) fn is_unbounded(&self) -> bool {
        self.ints == IntsName::Unbounded
    }

    pub(crate) fn is_logical(&self) -> bool {
        self.memory_model == MemoryModelName::Logical
    }

    pub(crate) fn undefined(&self) -> UndefinedName {
        self.undefined.unwrap_or(UndefinedName::Report)
    }

    pub(crate) fn data_model(&self) -> c::DataModel {
        self.data_model.data_model()
    }
}

impl DataModelName {
    pub(crate) fn data_model(self) -> c::DataModel {
        match self {
            DataModelName::Ilp32 => c::DataModel::Ilp32,
            DataModelName::Lp64 => c::DataModel::Lp64,
        }
    }
}

fn languages() -> PossibleValuesParser {
    PossibleValuesParser::new(driver::language_names())
}

#[derive(Args, Debug, Clone, Default)]
pub(crate) struct Check {
    /// The models: .m is Murphi, .cub is Cubicle, .c and .i are C, .bp is a Boolean program, - is the standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Check this property only; of a C program, what this property file of SV-COMP (.prp) says
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,

    /// How the proof is found [default: indexed where types of any size occur, then approximate]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<EngineName>,

    /// With the engine slam: when steps of abstract runs are looked at by themselves [default: lazy]
    #[arg(long, value_enum, requires = "engine")]
    pub(crate) constrain: Option<ConstrainName>,

    /// With the engine slam: how many literals a cube has at most [default: 1]
    #[arg(long, value_name = "N", requires = "engine", value_parser = clap::value_parser!(u8).range(1..=10))]
    pub(crate) cube_length: Option<u8>,

    /// Do not use the predicates that the model declares
    #[arg(long)]
    pub(crate) ignore_predicates: bool,

    /// Check the properties of this file, too: in the language of the model, and about its names
    #[arg(long, value_name = "FILE")]
    pub(crate) properties: Option<PathBuf>,

    /// Check the properties of this file, too, but only against the invariant that proves the others
    #[arg(long, value_name = "FILE")]
    pub(crate) also: Option<PathBuf>,

    /// Only say whether the properties of this file are an inductive invariant, and show the step where they are not
    #[arg(long, value_name = "FILE", conflicts_with_all = ["properties", "also", "engine", "run", "resume"])]
    pub(crate) induction: Option<PathBuf>,

    /// Use the predicates of this file, too: in the language of the model, and about its names
    #[arg(long, value_name = "FILE")]
    pub(crate) predicates: Option<PathBuf>,

    /// Find no predicates: use only those that are declared, and the atoms of the property
    #[arg(long)]
    pub(crate) no_discovery: bool,

    /// Start from what each rule does to each predicate by itself, instead of from nothing
    #[arg(long)]
    pub(crate) cartesian: bool,

    /// A proof for certain sizes only is not enough: exit status 20 unless it is for every size
    #[arg(long)]
    pub(crate) strict: bool,

    /// Write the invariant and its proof obligations into this SMT-LIB 2 file
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,

    /// Write the run of a violation as a C program that reaches it when it is compiled by gcc
    #[arg(long, value_name = "FILE", help_heading = "C programs")]
    pub(crate) harness: Option<PathBuf>,

    /// Write the answer as a page of HTML: source, run, what was proved; abstract states, or control flow
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Write a witness of SV-COMP (YAML, format 2.0) of the answer
    #[arg(long, value_name = "FILE.yml", help_heading = "C programs")]
    pub(crate) witness: Option<PathBuf>,

    /// Keep what is learned in this folder, whatever ends the run
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub(crate) run: Option<PathBuf>,

    /// Go on from what another run learned, and keep what this one does
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,

    /// Draw the abstract states of a property into this file, ending in .svg or .dot
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,

    /// Draw the run of a violation as a message sequence chart into this file, ending in .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,

    /// Engines that may work at once; with 1, one thing is done after the other [default: the number of cores]
    #[arg(long, short, value_name = "N", value_parser = threads)]
    pub(crate) jobs: Option<usize>,

    /// Where the solver's random choices start from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u32,

    /// Stop after this time: 10s, 2m, 1m30s, 500ms, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when more memory than this is taken
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub(crate) memory: Option<u64>,

    #[command(flatten)]
    pub(crate) outputs: Outputs,

    #[command(flatten)]
    pub(crate) style: Style,

    #[command(flatten)]
    pub(crate) meaning: Meaning,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EngineName {
    /// Exactly, by images of sets of abstract states
    Implicit,
    /// In an abstract relation that is refined where a counterexample needs it
    Approximate,
    /// By facts about every size, from the property backwards, that examples of a small instance suggest
    Indexed,
    /// Of C programs: by Boolean programs, as SLAM does
    Slam,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConstrainName {
    /// Never
    None,
    /// Where no further predicates are found
    Lazy,
    /// Always, from an abstraction on that knows nothing
    Eager,
}

impl ConstrainName {
    pub(crate) fn mode(self) -> slam::Mode {
        match self {
            ConstrainName::None => slam::Mode::None,
            ConstrainName::Lazy => slam::Mode::Lazy,
            ConstrainName::Eager => slam::Mode::Eager,
        }
    }
}

#[derive(Args, Debug, Clone)]
pub(crate) struct Prove {
    /// The model: .m is Murphi, .cub is Cubicle
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Prove this property only
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,

    /// Prove the properties of this file, too: in the language of the model, and about its names
    #[arg(long, value_name = "FILE")]
    pub(crate) properties: Option<PathBuf>,

    /// Take the steps of this file, and end: exit status 0 where they finish the proof
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,

    /// Go on from the steps of this file, if it is there, and keep all steps in it
    #[arg(long, value_name = "FILE", conflicts_with = "script")]
    pub(crate) session: Option<PathBuf>,

    /// Begin with what a run of `check --run DIR` found out
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,

    /// Write the invariant and its proof obligations into this SMT-LIB 2 file, at `qed`
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,

    /// Stop after this time: 10s, 2m, 1m30s, 500ms, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) style: Style,
}

impl Prove {
    /// The question that `qed` answers.
    pub(crate) fn check(&self) -> Check {
        Check {
            files: vec![self.file.clone()],
            reading: self.reading.clone(),
            property: self.property.clone(),
            properties: self.properties.clone(),
            certificate: self.certificate.clone(),
            timeout: self.timeout,
            style: self.style.clone(),
            ..Check::default()
        }
    }
}

#[derive(Args, Debug, Clone)]
pub(crate) struct Serve {
    /// The model: .m is Murphi, .cub is Cubicle
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Prove this property only
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,

    /// Prove the properties of this file, too: in the language of the model, and about its names
    #[arg(long, value_name = "FILE")]
    pub(crate) properties: Option<PathBuf>,

    /// Go on from the steps of this file, if it is there, and keep all steps in it
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,

    /// Begin with what a run of `check --run DIR` found out
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,

    /// Listen on this port of 127.0.0.1 [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
}

impl Serve {
    /// The question that `qed` answers.
    pub(crate) fn check(&self) -> Check {
        Check {
            files: vec![self.file.clone()],
            reading: self.reading.clone(),
            property: self.property.clone(),
            properties: self.properties.clone(),
            ..Check::default()
        }
    }
}

impl Check {
    /// The model, where there is one only.
    pub(crate) fn file(&self) -> &Path {
        first(&self.files)
    }

    /// Options that mean nothing for a model, and whether they were given.
    pub(crate) fn of_programs(&self) -> [(&'static str, bool); 2] {
        [
            ("--harness", self.harness.is_some()),
            ("--witness", self.witness.is_some()),
        ]
    }

    /// Options that mean nothing for a program, and whether they were given.
    pub(crate) fn of_models(&self) -> [(&'static str, bool); 12] {
        [
            ("--engine", self.engine.is_some_and(|engine| engine != EngineName::Slam)),
            ("--ignore-predicates", self.ignore_predicates),
            ("--properties", self.properties.is_some()),
            ("--also", self.also.is_some()),
            ("--induction", self.induction.is_some()),
            ("--predicates", self.predicates.is_some()),
            ("--no-discovery", self.no_discovery),
            ("--cartesian", self.cartesian),
            ("--run", self.run.is_some()),
            ("--resume", self.resume.is_some()),
            ("--graph", self.graph.is_some()),
            ("--chart", self.chart.is_some()),
        ]
    }

    /// What is asked for.
    pub(crate) fn question(&self) -> Question {
        Question {
            file: self.file().to_owned(),
            reading: self.reading.how(),
            properties: self.properties.clone(),
            predicates: self.predicates.clone(),
            also: self.also.clone(),
            only: self.property.clone(),
            engine: self.engine.and_then(EngineName::engine),
            ignore_predicates: self.ignore_predicates,
            cycles: self.no_discovery.then_some(0),
            cartesian: self.cartesian,
            abstract_states: self.graph.is_some(),
            run: self.run.clone(),
            resume: self.resume.clone(),
        }
    }
}

impl EngineName {
    pub(crate) fn name(self) -> &'static str {
        self.engine().map_or("slam", Engine::name)
    }

    /// Of those for models.
    fn engine(self) -> Option<Engine> {
        match self {
            EngineName::Implicit => Some(Engine::Implicit),
            EngineName::Approximate => Some(Engine::Approximate),
            EngineName::Indexed => Some(Engine::Indexed),
            EngineName::Slam => None,
        }
    }
}

#[derive(Args, Debug, Clone)]
pub(crate) struct Explore {
    /// The models: .m is Murphi, .cub is Cubicle, - is the standard input; or programs: .c is C, .i the same after the
    /// preprocessor
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Search all states, also those that differ only by renaming elements of scalarsets
    #[arg(long)]
    pub(crate) no_symmetry: bool,

    /// What counts as a deadlock: `stuck`, no rule can fire; `stuttering`, no rule leads to another state
    /// [default: stuttering for Murphi, off for Cubicle]
    #[arg(long, value_enum)]
    pub(crate) deadlock: Option<Deadlock>,

    /// Stop after this many states
    #[arg(long, value_name = "N")]
    pub(crate) max_states: Option<u64>,

    /// Go no further than this many rules from an initial state
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u32>,

    /// Make this many random runs instead of a search
    #[arg(long, value_name = "RUNS", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["graph", "max_states", "max_depth"])]
    pub(crate) simulate: Option<u64>,

    /// Rules in each random run
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "simulate")]
    pub(crate) steps: u64,

    /// What the random runs start from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Show whole states in traces, not only what changed
    #[arg(long)]
    pub(crate) full_states: bool,

    /// Draw the state graph of a small instance into this file, ending in .svg or .dot
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,

    /// Draw the run of a violation, or a random run, as a message sequence chart into this file, ending in .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,

    /// Threads to search with
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = threads)]
    pub(crate) jobs: usize,

    /// Stop after this time: 10s, 2m, 1m30s, 500ms, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when the search takes more memory than this
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub(crate) memory: Option<u64>,

    #[command(flatten)]
    pub(crate) outputs: Outputs,

    #[command(flatten)]
    pub(crate) style: Style,

    #[command(flatten)]
    pub(crate) specified: Specified,

    #[command(flatten)]
    pub(crate) meaning: Meaning,
}

impl Explore {
    /// The model, where there is one only.
    pub(crate) fn file(&self) -> &Path {
        first(&self.files)
    }
}

fn first(files: &[PathBuf]) -> &Path {
    files.first().map_or(Path::new(""), PathBuf::as_path)
}

#[derive(Args, Debug, Clone)]
pub(crate) struct Validate {
    /// The certificate, or a witness of SV-COMP (.yml); - is the standard input
    pub(crate) file: PathBuf,

    /// Read this model again, and refuse a certificate that is not about it. It is read with the options that the
    /// certificate names; those that are given here must be the same
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,

    /// The language of the model, whatever its name [default for the standard input: Murphi]
    #[arg(long, value_name = "LANGUAGE", value_parser = languages(), ignore_case = true, requires = "model")]
    pub(crate) language: Option<String>,

    /// As in `check`
    #[arg(long = "size", value_name = "T=N", value_parser = assignment, requires = "model")]
    pub(crate) sizes: Vec<(String, i64)>,

    /// As in `check`
    #[arg(long = "const", value_name = "NAME=VALUE", value_parser = assignment, requires = "model")]
    pub(crate) constants: Vec<(String, i64)>,

    /// As in `check`
    #[arg(long, value_name = "T", requires = "model")]
    pub(crate) parametric: Vec<String>,

    /// As in `check`
    #[arg(long, value_name = "T", requires = "model")]
    pub(crate) fixed: Vec<String>,

    /// Where the file of properties is now [default: where it was]
    #[arg(long, value_name = "FILE", requires = "model")]
    pub(crate) properties: Option<PathBuf>,

    /// Where the file of further properties is now [default: where it was]
    #[arg(long, value_name = "FILE", requires = "model")]
    pub(crate) also: Option<PathBuf>,

    /// Where the file of predicates is now [default: where it was]
    #[arg(long, value_name = "FILE", requires = "model")]
    pub(crate) predicates: Option<PathBuf>,

    /// Refuse a witness that is about another property than this property file of SV-COMP says
    #[arg(long, value_name = "FILE.prp", requires = "model", help_heading = "Witnesses")]
    pub(crate) property: Option<PathBuf>,

    /// Refuse a witness that is about another data model
    #[arg(long, value_enum, requires = "model", help_heading = "Witnesses")]
    pub(crate) data_model: Option<DataModelName>,

    /// A folder in which the preprocessor looks for files
    #[arg(
        long,
        short = 'I',
        value_name = "DIR",
        requires = "model",
        help_heading = "Witnesses"
    )]
    pub(crate) include: Vec<PathBuf>,

    /// A macro for the preprocessor
    #[arg(
        long,
        short = 'D',
        value_name = "NAME[=VALUE]",
        requires = "model",
        help_heading = "Witnesses"
    )]
    pub(crate) define: Vec<String>,

    /// The solver: any program that reads SMT-LIB 2 from its standard input [default: cvc5, then z3]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) solver: Option<PathBuf>,

    /// Stop after this time: 10s, 2m, 1m30s, 500ms, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Validate {
    /// Options that mean something for witnesses only, and whether they are given.
    pub(crate) fn of_witnesses(&self) -> [(&'static str, bool); 4] {
        [
            ("--property", self.property.is_some()),
            ("--data-model", self.data_model.is_some()),
            ("--include", !self.include.is_empty()),
            ("--define", !self.define.is_empty()),
        ]
    }

    /// Options that mean something for models only, and whether they are given.
    pub(crate) fn of_models(&self) -> [(&'static str, bool); 8] {
        [
            ("--language", self.language.is_some()),
            ("--size", !self.sizes.is_empty()),
            ("--const", !self.constants.is_empty()),
            ("--parametric", !self.parametric.is_empty()),
            ("--fixed", !self.fixed.is_empty()),
            ("--properties", self.properties.is_some()),
            ("--also", self.also.is_some()),
            ("--predicates", self.predicates.is_some()),
        ]
    }

    /// The model and the files that belong to it, to be read as the command line says.
    pub(crate) fn question(&self, model: &Path) -> Question {
        Question {
            file: model.to_owned(),
            reading: system::Reading {
                sizes: self.sizes.clone(),
                constants: self.constants.clone(),
                parametric: self.parametric.clone(),
                fixed: self.fixed.clone(),
                integers: None,
                language: self.language.clone(),
            },
            properties: self.properties.clone(),
            predicates: self.predicates.clone(),
            also: self.also.clone(),
            ..Question::default()
        }
    }
}

#[derive(Args, Debug, Clone)]
pub(crate) struct Show {
    /// The model: .m is Murphi, .cub is Cubicle, - is the standard input; or a program: .c is C, .i the same after the
    /// preprocessor, .bp is a Boolean program
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Of a program: what pointers may point at
    #[arg(long)]
    pub(crate) points_to: bool,

    /// Of a program: draw which procedures call which into this file, ending in .svg or .dot
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,

    /// Draw the control flow of this procedure instead
    #[arg(long, value_name = "NAME", requires = "graph")]
    pub(crate) procedure: Option<String>,

    /// Print the transition system that proofs are about, or all steps of a program
    #[arg(long)]
    pub(crate) system: bool,

    #[command(flatten)]
    pub(crate) style: Style,

    #[command(flatten)]
    pub(crate) specified: Specified,

    #[command(flatten)]
    pub(crate) meaning: Meaning,
}

#[derive(Args, Debug, Clone)]
pub(crate) struct Conform {
    /// The C files in which the components are: .c, or .i after the preprocessor
    #[arg(required = true, value_name = "FILE.c")]
    pub(crate) files: Vec<PathBuf>,

    /// What they must conform to, and what is assumed of library routines; may be in several files. An `.aut` file is a
    /// process with the name of the file
    #[arg(long, value_name = "FILE.spec", required = true)]
    pub(crate) spec: Vec<PathBuf>,

    /// How branches are chosen whose conditions become predicates
    #[arg(long, value_enum, default_value_t = MinimisationName::Minimum)]
    pub(crate) minimise: MinimisationName,

    /// Predicate abstraction alone, or with states put together by their actions
    #[arg(long, value_enum, default_value_t = LevelsName::Two)]
    pub(crate) levels: LevelsName,

    /// Combinations of branches that are tried for each counterexample
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_subsets: usize,

    /// Combinations that eliminate it, of which the best are put together
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max_eliminating: usize,

    /// Branches in such a combination
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) max_size: usize,

    /// Predicates of a branch at any place of a component
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) max_predicates: usize,

    /// Draw the trace of a violation into this file, ending in .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,

    /// Write the answer as a page of HTML: verdicts, the trace as a chart, and the sources with its lines marked
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Write the specification and, where they conform, what stands for each component in the proof into this folder,
    /// as systems in Aldebaran's format: NAME-PROCESS.aut, NAME-COMPONENT.aut
    #[arg(long, value_name = "FOLDER")]
    pub(crate) aut: Option<PathBuf>,

    /// Stop after this time: 10s, 2m, 1m30s, 500ms, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when more memory than this is taken
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub(crate) memory: Option<u64>,

    #[command(flatten)]
    pub(crate) style: Style,

    /// How wide the types are
    #[arg(long, value_enum, default_value_t = DataModelName::Lp64)]
    pub(crate) data_model: DataModelName,

    /// What becomes of undefined behaviour [default: wrap]
    #[arg(long, value_enum)]
    pub(crate) undefined: Option<UndefinedName>,

    /// A folder in which the preprocessor looks for files
    #[arg(long, short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,

    /// A macro for the preprocessor
    #[arg(long, short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MinimisationName {
    /// Whatever eliminates a counterexample stays
    None,
    /// What can go alone goes
    Greedy,
    /// As few as eliminate all counterexamples
    Minimum,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LevelsName {
    One,
    Two,
}

#[derive(Args, Debug, Clone)]
pub(crate) struct Export {
    /// The model: .m is Murphi, .cub is Cubicle, - is the standard input
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// The language to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: ExportFormat,

    /// Write into this file instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// VMT-LIB, state functions as arrays
    Vmt,
    /// Constrained Horn clauses, for Spacer and its like
    Chc,
    /// SMT-LIB 2: the system as definitions
    Smt2,
}

#[derive(Args, Debug, Clone)]
pub(crate) struct Bench {
    /// Which one
    #[arg(value_enum, required_unless_present = "all")]
    pub(crate) name: Option<BenchName>,

    /// Run every bench
    #[arg(long)]
    pub(crate) all: bool,

    /// What one proof may take
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "60s")]
    pub(crate) timeout: Duration,

    /// The smallest case only, once: whether the bench can be run
    #[arg(long)]
    pub(crate) smoke: bool,

    /// Where Cubicle is, for `peers` [default: `cubicle`, if there is one]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) cubicle: Option<PathBuf>,

    /// Where CBMC is, for `c` [default: `cbmc`, if there is one]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) cbmc: Option<PathBuf>,

    /// Where the compiler of CMurphi is, for `cmurphi` [default: `mu`, if there is one]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) mu: Option<PathBuf>,

    /// The folder of CMurphi's headers [default: `include` beside the folder of `mu`]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) mu_include: Option<PathBuf>,

    /// Write the tables into this Markdown file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BenchName {
    /// Speed and memory of exploration, against the checkers that Rumur generates
    Rumur,
    /// Speed of exploration with symmetry, against the verifiers that CMurphi generates
    Cmurphi,
    /// Predicate abstraction, against the tables of Das's thesis
    Das,
    /// Quantified invariants from indexed predicates, against the paper of Lahiri and Bryant
    Indexed,
    /// Verdict, time and solver calls on the files of Cubicle, against Cubicle and against Z3's Spacer
    Peers,
    /// What predicates cost that a proof does not need, with a drawing beside `--output`
    Growth,
    /// What `check` says about every model, of ours and of others, with and without their predicates
    Files,
    /// Whether `check` says the same where the machine is busy, on thirty files
    Load,
    /// What `check` says about C programs: those of competitions, and locks in growing numbers
    C,
    /// What `conform` says about the components of models/conformance, with one level and two, and as few predicates or
    /// more
    Magic,
}

/// How results are shown.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct Style {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the verdict only
    #[arg(long, short, conflicts_with_all = ["verbose", "json"])]
    pub(crate) quiet: bool,

    /// Print more
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deadlock {
    Off,
    Stuck,
    Stuttering,
}

impl Command {
    /// The files that the command is about.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self {
            Command::Check(check) => &check.files,
            Command::Explore(explore) => &explore.files,
            Command::Conform(conform) => conform.spec.get(..1).unwrap_or_default(),
            Command::Prove(prove) => std::slice::from_ref(&prove.file),
            Command::Serve(serve) => std::slice::from_ref(&serve.file),
            Command::Validate(validate) => std::slice::from_ref(&validate.file),
            Command::Show(show) => std::slice::from_ref(&show.file),
            Command::Export(export) => std::slice::from_ref(&export.file),
            Command::Bench(_) => &[],
        }
    }

    /// The name of the file that the command is about, for reports of failures.
    pub(crate) fn name(&self) -> String {
        self.files()
            .first()
            .map(|file| driver::shown_name(file))
            .unwrap_or_default()
    }

    /// Takes the results that are wanted for other programs out of the command.
    pub(crate) fn take_outputs(&mut self) -> Outputs {
        match self {
            Command::Check(check) => std::mem::take(&mut check.outputs),
            Command::Explore(explore) => std::mem::take(&mut explore.outputs),
            _ => Outputs::default(),
        }
    }

    /// Is about this one of its files only.
    pub(crate) fn keep_file(&mut self, number: usize) {
        let files = match self {
            Command::Check(check) => &mut check.files,
            Command::Explore(explore) => &mut explore.files,
            _ => return,
        };
        *files = files.get(number).cloned().into_iter().collect();
    }

    /// Options that name a file to write: with several models each would write over the one before.
    pub(crate) fn written(&self) -> Vec<&'static str> {
        let options: &[(&str, bool)] = match self {
            Command::Check(check) => &[
                ("--certificate", check.certificate.is_some()),
                ("--harness", check.harness.is_some()),
                ("--witness", check.witness.is_some()),
                ("--report", check.report.is_some()),
                ("--run", check.run.is_some()),
                ("--resume", check.resume.is_some()),
                ("--graph", check.graph.is_some()),
                ("--chart", check.chart.is_some()),
            ],
            Command::Explore(explore) => &[
                ("--graph", explore.graph.is_some()),
                ("--chart", explore.chart.is_some()),
            ],
            _ => &[],
        };
        let given = options.iter().filter(|(_, is_given)| *is_given);
        given.map(|(option, _)| *option).collect()
    }

    pub(crate) fn quiet(&self) -> bool {
        match self {
            Command::Check(check) => check.style.quiet,
            Command::Explore(explore) => explore.style.quiet,
            Command::Conform(conform) => conform.style.quiet,
            _ => false,
        }
    }

    /// The files that are read.
    fn read(&self) -> Vec<&Path> {
        let others: [Option<&PathBuf>; 4] = match self {
            Command::Check(check) => [
                check.properties.as_ref(),
                check.also.as_ref(),
                check.predicates.as_ref(),
                None,
            ],
            Command::Validate(validate) => [
                validate.model.as_ref(),
                validate.properties.as_ref(),
                validate.also.as_ref(),
                validate.predicates.as_ref(),
            ],
            _ => [None; 4],
        };
        let others = others.into_iter().flatten();
        self.files().iter().chain(others).map(PathBuf::as_path).collect()
    }

    /// What standard input says can be had once only.
    pub(crate) fn expect_one_standard_input(&self) -> anyhow::Result<()> {
        let files = self.read();
        match files.iter().filter(|path| driver::is_standard_input(path)).count() {
            0 | 1 => Ok(()),
            _ => anyhow::bail!("only one file can be `-`: what standard input says is read once"),
        }
    }

    pub(crate) fn json(&self) -> bool {
        match self {
            Command::Check(check) => check.style.json,
            Command::Prove(prove) => prove.style.json,
            Command::Explore(explore) => explore.style.json,
            Command::Conform(conform) => conform.style.json,
            Command::Validate(validate) => validate.json,
            Command::Export(_) | Command::Serve(_) => false,
            Command::Show(show) => show.style.json,
            Command::Bench(bench) => bench.json,
        }
    }
}

fn range(text: &str) -> Result<(i64, i64), String> {
    let expected = "expected LOW..HIGH, such as -8..8";
    let (low, high) = text.split_once("..").ok_or(expected)?;
    let low: i64 = low.trim().parse().map_err(|_| expected)?;
    let high: i64 = high.trim().parse().map_err(|_| expected)?;
    if low > high {
        return Err(format!("{low} is greater than {high}"));
    }
    // The least number of 64 bits stands for what is undefined, and values are counted in 64 bits.
    if low == i64::MIN || high.checked_sub(low).is_none_or(|distance| distance == i64::MAX) {
        return Err(format!("{low}..{high} has too many values"));
    }
    Ok((low, high))
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=256) => Ok(threads),
        _ => Err("expected a number from 1 to 256".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn ranges() {
        assert_eq!(range("-8..8"), Ok((-8, 8)));
        assert_eq!(range("0 .. 0"), Ok((0, 0)));
        assert_eq!(range("1..9223372036854775807"), Ok((1, i64::MAX)));
        let too_wide = ["0..9223372036854775807", "-9223372036854775808..-8"];
        for bad in ["3", "5..1", "a..b", "..", "1...3"].iter().chain(&too_wide) {
            assert!(range(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn limits() {
        assert_eq!(threads("2"), Ok(2));
        assert!(threads("0").is_err() && threads("1000000").is_err());
    }
}
