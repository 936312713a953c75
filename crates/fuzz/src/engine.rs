//! The engines, each alone, and what they claim of a model: what `cubist check` does with its goals, without its search for a bug
//! in small instances and without its certification.

use crate::indexed;
use crate::source::Source;
use abstraction::goal::goals;
use abstraction::predicate::{self, GoalVerdict, Prover, Settings};
use logic::Cancellation;
use logic::Term;
use smt::{Purpose, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::certificate::Certificate;
use system::transition::{Fact, Property};
use system::{Span, TransitionSystem};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    Approximate,
    Implicit,
    /// It proves, or does not know: refuting is left to others.
    Indexed,
}

/// All engines. A new one is one line.
pub const ENGINES: &[(&str, Engine)] = &[
    ("approximate", Engine::Approximate),
    ("implicit", Engine::Implicit),
    ("indexed", Engine::Indexed),
];

/// Begins the reason where the engine gave up with an error.
pub const ERROR: &str = "error: ";

/// What an engine says of a model.
#[derive(Clone, Debug)]
pub enum Claim {
    /// It has an invariant for all properties and assertions: the text of its certificate, or why there is none.
    Proved(Result<String, String>),
    /// There is a run into a bad state, at some size.
    Refuted(String),
    Unknown(String),
}

impl Claim {
    pub fn word(&self) -> &'static str {
        match self {
            Claim::Proved(_) => "proved",
            Claim::Refuted(_) => "refuted",
            Claim::Unknown(_) => "unknown",
        }
    }
}

/// A claim, and how it came about.
#[derive(Clone, Debug)]
pub struct Answer {
    pub claim: Claim,
    /// Whether predicates had to be found.
    pub discovery: bool,
}

impl Answer {
    /// As text, for the process that asked.
    pub fn to_text(&self) -> String {
        let (word, detail) = match &self.claim {
            Claim::Proved(Ok(certificate)) => ("proved", certificate),
            Claim::Proved(Err(error)) => ("uncertified", error),
            Claim::Refuted(property) => ("refuted", property),
            Claim::Unknown(reason) => ("unknown", reason),
        };
        format!("{word} {}\n{detail}", self.discovery)
    }

    pub fn from_text(text: &str) -> Option<Answer> {
        let (first, detail) = text.split_once('\n')?;
        let (word, discovery) = first.split_once(' ')?;
        let detail = detail.to_owned();
        let claim = match word {
            "proved" => Claim::Proved(Ok(detail)),
            "uncertified" => Claim::Proved(Err(detail)),
            "refuted" => Claim::Refuted(detail),
            "unknown" => Claim::Unknown(detail),
            _ => return None,
        };
        Some(Answer {
            claim,
            discovery: discovery == "true",
        })
    }
}

/// How an engine is run.
#[derive(Clone, Debug)]
pub struct Effort {
    pub engine: Engine,
    pub solvers: Solvers,
    pub cycles: usize,
    pub use_predicates: bool,
}

impl Effort {
    pub fn new(engine: Engine, cancellation: &Cancellation) -> Effort {
        Effort {
            engine,
            solvers: Solvers::default().under(cancellation),
            cycles: 30,
            use_predicates: true,
        }
    }
}

pub fn answer(source: &Source, effort: &Effort) -> Answer {
    let claim = claim(source, effort);
    let discovery = effort.solvers.statistics().checks(Purpose::Discovery) > 0;
    Answer { claim, discovery }
}

pub fn claim(source: &Source, effort: &Effort) -> Claim {
    let Ok(system) = source.system() else {
        return Claim::Unknown("not lowered".to_owned());
    };
    match prove(source, &system, effort) {
        Proof::Refuted(property) => Claim::Refuted(property),
        Proof::Unknown(reason) => Claim::Unknown(reason),
        Proof::Proved(certificate) => {
            let text = validate::certificate_text(&system, &certificate, &[]);
            Claim::Proved(text.map_err(|error| error.to_string()))
        }
    }
}

/// What an engine hands over.
#[derive(Clone, Debug)]
pub enum Proof {
    Proved(Certificate),
    Refuted(String),
    Unknown(String),
}

/// Checks every property and every assertion.
pub fn prove(source: &Source, system: &TransitionSystem, effort: &Effort) -> Proof {
    let prepared = abstraction::formulas::instantiate_finite_parameters(system, effort.solvers.cancellation());
    let properties = [system.properties.clone(), system.asserted()].concat();
    if properties.is_empty() {
        return Proof::Unknown("there is nothing to check".to_owned());
    }
    // `cubist check` refuses such a model.
    if system.starts.is_empty() {
        return Proof::Unknown("there is no initial state".to_owned());
    }
    let proof = match effort.engine {
        Engine::Approximate => by_predicates(&prepared, &properties, predicate::Engine::Approximate, effort),
        Engine::Implicit => by_predicates(&prepared, &properties, predicate::Engine::Implicit, effort),
        Engine::Indexed => indexed::prove(source, &prepared, &properties, effort),
    };
    let stated = || system.properties.iter().map(|property| property.name.clone());
    match proof {
        Ok(Found::Invariant(facts, premises)) => Proof::Proved(Certificate {
            properties: stated().collect(),
            facts,
            premises,
        }),
        Ok(Found::Run(property)) => Proof::Refuted(property),
        Ok(Found::Nothing(reason)) => Proof::Unknown(reason),
        Err(error) => Proof::Unknown(format!("{ERROR}{error}")),
    }
}

/// What the engines find.
pub(crate) enum Found {
    /// And the premises of its facts, as certificates have them.
    Invariant(Vec<Fact>, BTreeMap<usize, BTreeSet<usize>>),
    /// Into a violation of the property of this name.
    Run(String),
    /// And why.
    Nothing(String),
}

fn by_predicates(
    prepared: &TransitionSystem,
    properties: &[Property],
    engine: predicate::Engine,
    effort: &Effort,
) -> Result<Found, SolverError> {
    let settings = Settings {
        engine,
        cartesian: false,
        solvers: effort.solvers.clone(),
        maximal_cycles: effort.cycles,
        news: abstraction::predicate::News::default(),
    };
    let closed = prepared.predicates.iter().filter(|p| p.indices.is_empty());
    let declared: Vec<Term> = closed.filter(|_| effort.use_predicates).map(|p| p.formula).collect();
    let mut facts = Vec::new();
    let mut unknown = None;
    let mut prover = Prover::new(prepared, settings);
    for property in properties {
        if effort.solvers.cancellation().is_cancelled() {
            return Ok(Found::Nothing("interrupted".to_owned()));
        }
        let mut is_proved = true;
        for goal in goals(&property.name, property.formula, prepared) {
            match prover.check(&goal, &declared, &mut |_| ())?.verdict {
                GoalVerdict::Proved { invariant, .. } => {
                    for formula in invariant {
                        add_fact(&mut facts, goal.close(formula), property.span);
                    }
                }
                GoalVerdict::Real { is_certain: true, .. } => return Ok(Found::Run(property.name.clone())),
                GoalVerdict::Real { .. } => {
                    is_proved = false;
                    unknown = Some("the abstract run may be real".to_owned());
                }
                GoalVerdict::Unknown { reason, .. } => {
                    is_proved = false;
                    unknown = Some(reason.to_string());
                }
            }
        }
        if is_proved {
            prover.proved(property.formula);
        }
    }
    Ok(match unknown {
        Some(reason) => Found::Nothing(reason),
        None => Found::Invariant(facts, BTreeMap::new()),
    })
}

fn add_fact(facts: &mut Vec<Fact>, formula: Term, span: Span) {
    if facts.iter().all(|fact| fact.formula != formula) {
        facts.push(fact(facts.len(), formula, span));
    }
}

pub(crate) fn fact(number: usize, formula: Term, span: Span) -> Fact {
    Fact {
        name: format!("fact {}", number + 1),
        formula,
        span,
    }
}
