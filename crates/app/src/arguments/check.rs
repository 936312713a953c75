//! The options of `cubist check`.

use super::program::Meaning;
use super::shared::{Reading, Style, first, threads};
use crate::outputs::Outputs;
use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use driver::duration;
use driver::{FrontEnds, Kind, PORTFOLIO, Question, engine_named};
use std::path::{Path, PathBuf};
use std::time::Duration;

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

    /// The engine that is to look for a proof, alone [default: those of the portfolio that apply]
    #[arg(long, value_name = "ENGINE", value_parser = engine_parser())]
    pub(crate) engine: Option<&'static str>,

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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["properties", "also", "engine", "run", "resume", "junit",
        "sarif", "report", "certificate", "graph", "chart"])]
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
    pub(crate) fn of_models(&self) -> [(&'static str, bool); 9] {
        [
            ("--ignore-predicates", self.ignore_predicates),
            ("--properties", self.properties.is_some()),
            ("--also", self.also.is_some()),
            ("--induction", self.induction.is_some()),
            ("--predicates", self.predicates.is_some()),
            ("--no-discovery", self.no_discovery),
            ("--cartesian", self.cartesian),
            ("--graph", self.graph.is_some()),
            ("--chart", self.chart.is_some()),
        ]
    }

    /// An error where the engine is not about such a subject.
    pub(crate) fn expect_engine(&self, kind: Kind) -> anyhow::Result<()> {
        let Some(engine) = self.engine.and_then(engine_named) else {
            return Ok(());
        };
        match engine.kinds() {
            kinds if kinds.contains(&kind) => Ok(()),
            [about, ..] => bail!(
                "the engine {} is about {about}: it means nothing for {kind}",
                engine.name()
            ),
            [] => bail!("the engine {} is about nothing", engine.name()),
        }
    }

    /// How another run can go on from this one.
    pub(crate) fn going_on(&self) -> String {
        match self.run.as_ref().or(self.resume.as_ref()) {
            Some(folder) => format!("`--resume {}` goes on from what was learned", folder.display()),
            None => "`--run DIR` keeps what is learned, and `--resume DIR` goes on from it".to_owned(),
        }
    }

    /// What is asked for.
    pub(crate) fn question(&self) -> Question {
        Question {
            front_ends: FrontEnds::default(),
            file: self.file().to_owned(),
            reading: self.reading.how(),
            properties: self.properties.clone(),
            predicates: self.predicates.clone(),
            also: self.also.clone(),
            only: self.property.clone(),
            engine: self.engine,
            ignore_predicates: self.ignore_predicates,
            cycles: self.no_discovery.then_some(0),
            cartesian: self.cartesian,
            abstract_states: self.graph.is_some(),
            run: self.run.clone(),
            resume: self.resume.clone(),
        }
    }
}

/// The names of the engines, each with what it does.
fn engine_parser() -> impl TypedValueParser<Value = &'static str> {
    let engines = PORTFOLIO.iter().map(|row| row.engine);
    let values = engines.map(|engine| PossibleValue::new(engine.name()).help(engine.summary()));
    let name = |name: String| {
        engine_named(&name)
            .map(|engine| engine.name())
            .ok_or("there is no such engine")
    };
    PossibleValuesParser::new(values).try_map(name)
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
