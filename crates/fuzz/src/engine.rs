//! The engines in isolation, and their claims about a model: what `cubist check` does with its goals, without searching
//! finite instances for bugs and without certification.

use crate::source::Source;
use driver::{Context, Question};
use logic::Cancellation;
use smt::{Purpose, Solvers};
use system::TransitionSystem;
use system::certificate::Certificate;

/// The name of an engine.
pub type Engine = &'static str;

/// All engines. A new one is one line.
pub const ENGINES: &[(&str, Engine)] = &[
    ("approximate", "approximate"),
    ("implicit", "implicit"),
    ("strengthening", "strengthening"),
];

/// Prefix of the reason if the engine failed with an error.
pub const ERROR: &str = "error: ";

/// The claim of an engine about a model.
#[derive(Clone, Debug)]
pub enum Claim {
    /// An invariant for all properties and assertions: the text of its certificate, or why there is none.
    Proved(Result<String, String>),
    /// A run to a bad state exists, at some size.
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

/// A claim with statistics.
#[derive(Clone, Debug)]
pub struct Answer {
    pub claim: Claim,
    /// Whether predicates had to be discovered.
    pub discovery: bool,
}

impl Answer {
    /// Serialised for the process that asked.
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

/// Options of an engine run.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    pub engine: Engine,
    pub solvers: Solvers,
    pub cycles: usize,
}

impl EngineOptions {
    pub fn new(engine: Engine, cancellation: &Cancellation) -> EngineOptions {
        EngineOptions {
            engine,
            solvers: Solvers::default().under(cancellation),
            cycles: 30,
        }
    }
}

pub fn answer(source: &Source, effort: &EngineOptions) -> Answer {
    let claim = claim(source, effort);
    let discovery = effort.solvers.statistics().checks(Purpose::Discovery) > 0;
    Answer { claim, discovery }
}

pub fn claim(source: &Source, effort: &EngineOptions) -> Claim {
    match prove(source, effort) {
        Proof::Refuted(property) => Claim::Refuted(property),
        Proof::Unknown(reason) => Claim::Unknown(reason),
        Proof::Proved(system, certificate) => {
            let text = validate::certificate_text(&system, &certificate, &[]);
            Claim::Proved(text.map_err(|error| error.to_string()))
        }
    }
}

/// The result of an engine.
pub enum Proof {
    Proved(Box<TransitionSystem>, Certificate),
    Refuted(String),
    Unknown(String),
}

/// Checks every property and every assertion.
pub fn prove(source: &Source, effort: &EngineOptions) -> Proof {
    let subject = match source.subject() {
        Ok(subject) => subject,
        Err(refused) => return Proof::Unknown(format!("not lowered: {}", refused.0)),
    };
    // `cubist check` rejects such a model.
    if subject.system.starts.is_empty() {
        return Proof::Unknown("there is no initial state".to_owned());
    }
    let question = Question {
        engine: Some(effort.engine),
        cycles: Some(effort.cycles),
        ..Question::default()
    };
    let context = Context::silent(effort.solvers.clone());
    match driver::claim(&question, &subject, &context) {
        Ok(driver::Claim::Invariant(invariant, _)) => Proof::Proved(Box::new(subject.system), invariant.certificate),
        Ok(driver::Claim::Unknown(unknown)) => {
            let mut results = unknown.account.results.iter();
            match results.find(|result| result.is_certainly_refuted()) {
                Some(result) => Proof::Refuted(result.name.clone()),
                None => Proof::Unknown(unknown.reason.to_string()),
            }
        }
        Ok(_) => Proof::Unknown("the engine claims what is not about models".to_owned()),
        Err(error) => Proof::Unknown(format!("{ERROR}{error}")),
    }
}
