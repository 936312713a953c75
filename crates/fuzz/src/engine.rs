//! The engines, each alone, and what they claim of a model: what `cubist check` does with its goals, without its search for a bug
//! in small instances and without its certification.

use abstraction::cegar::{Engine, GoalVerdict, Settings, check_goal};
use abstraction::goal::goals;
use logic::{Lambda, Substitution, Term, Variable, term};
use smt::{Interrupt, Statistics, Z3Options};
use std::sync::Arc;
use system::TransitionSystem;
use system::certificate::Certificate;
use system::transition::{Fact, Property, Rule};

/// All engines. A new one is one line.
pub const ENGINES: &[(&str, Engine)] = &[("approximate", Engine::Approximate)];

/// What an engine says of a model.
#[derive(Clone, Debug)]
pub enum Claim {
    /// It has an invariant for all properties and assertions.
    Proved(Certificate),
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

/// How an engine is run.
#[derive(Clone, Debug)]
pub struct Effort {
    pub engine: Engine,
    pub solver: Z3Options,
    pub cycles: usize,
    pub use_predicates: bool,
    pub statistics: Arc<Statistics>,
}

impl Effort {
    pub fn new(engine: Engine, interrupt: &Interrupt) -> Effort {
        Effort {
            engine,
            solver: Z3Options {
                interrupt: interrupt.clone(),
                ..Z3Options::default()
            },
            cycles: 30,
            use_predicates: true,
            statistics: Arc::default(),
        }
    }
}

/// Checks every property and every assertion.
pub fn claim(system: &TransitionSystem, effort: &Effort) -> Claim {
    let prepared = abstraction::prepare::instantiate_finite_parameters(system);
    let settings = Settings {
        engine: effort.engine,
        cartesian: false,
        solver: effort.solver.clone(),
        statistics: Arc::clone(&effort.statistics),
        maximal_cycles: effort.cycles,
    };
    let closed = system.predicates.iter().filter(|p| p.indices.is_empty());
    let declared: Vec<Term> = closed.filter(|_| effort.use_predicates).map(|p| p.formula).collect();
    let mut certificate = Certificate {
        properties: system.properties.iter().map(|p| p.name.clone()).collect(),
        facts: Vec::new(),
    };
    let mut unknown = None;
    for property in everything_to_prove(system) {
        for goal in goals(&property.name, property.formula, &prepared) {
            match check_goal(&prepared, &goal, &declared, &settings, &mut |_| ()).map(|report| report.verdict) {
                Ok(GoalVerdict::Proved { invariant, .. }) => {
                    for formula in invariant {
                        add_fact(&mut certificate, goal.close(formula), &property);
                    }
                }
                Ok(GoalVerdict::Real(_)) => return Claim::Refuted(property.name),
                Ok(GoalVerdict::Unknown { reason, .. }) => unknown = Some(reason),
                Err(error) => unknown = Some(error.to_string()),
            }
        }
    }
    match unknown {
        Some(reason) => Claim::Unknown(reason),
        None => Claim::Proved(certificate),
    }
}

fn add_fact(certificate: &mut Certificate, formula: Term, property: &Property) {
    if certificate.facts.iter().all(|fact| fact.formula != formula) {
        certificate.facts.push(Fact {
            name: format!("fact {}", certificate.facts.len() + 1),
            formula,
            span: property.span,
        });
    }
}

/// The properties, and what the rules assert.
fn everything_to_prove(system: &TransitionSystem) -> Vec<Property> {
    let mut properties = system.properties.clone();
    for rule in system.starts.iter().chain(&system.rules) {
        properties.extend(rule.assertions.iter().map(|assertion| Property {
            name: format!("{} in rule \"{}\"", assertion.message, rule.name),
            formula: closed(rule, term::implies(rule.guard, assertion.condition)),
            span: assertion.span,
        }));
    }
    properties
}

/// A formula for all parameters and choices of a rule.
fn closed(rule: &Rule, formula: Term) -> Term {
    let mut variables = rule.parameters.clone();
    let mut lambdas = Vec::new();
    for choice in rule.choices.iter().filter(|choice| choice.parameters().is_empty()) {
        let variable = Variable::new(choice.name(), choice.result());
        variables.push(variable);
        let body = variable.term();
        lambdas.push((
            *choice,
            Lambda {
                parameters: Vec::new(),
                body,
            },
        ));
    }
    term::forall(variables, Substitution::of_functions(lambdas).apply(formula))
}
