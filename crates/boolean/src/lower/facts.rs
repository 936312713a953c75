//! What Bebop found as facts, and facts as a proof that others confirm.

use super::blocks::composed;
use super::{Contract, Lowered, NoContract, Node};
use crate::bebop::{Relations, Vocabulary};
use crate::program::{Action, ProcedureId, Variable};
use crate::trace::Control;
use logic::{Function, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::certificate::Certificate;
use system::transition::{Fact, TransitionSystem};

/// Certificates have a question for each rule and fact. With more of them there is one fact only, which makes each
/// question larger.
const MOST_QUESTIONS: usize = 4_000;

/// A certificate says for each rule of each location what holds there after it: the product of their numbers. Of
/// programs of `random::large`, one with 2,800 such pairs has 0.8 MB and takes cvc5 0.7 s; one with 81,000 has 26 MB
/// and takes 105 s.
const MOST_PAIRS: usize = 30_000;

/// A system by contracts, and an invariant of it.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Its assertions and contracts are what the certificate is about. Its rules are large steps, and have other
    /// positions than those of [`Lowered::system`].
    pub system: TransitionSystem,
    pub certificate: Certificate,
    pub contracts: Vec<Contract>,
    /// At how many locations there are facts.
    pub locations: usize,
}

impl Vocabulary for Lowered<'_> {
    fn now(&self, procedure: ProcedureId, variable: Variable) -> Function {
        self.symbols.variable(procedure, variable)
    }

    fn before(&self, procedure: ProcedureId, variable: Variable) -> Option<Function> {
        let is_called = self.symbols.is_called[procedure.0];
        is_called.then(|| match variable {
            Variable::Global(number) => self.symbols.old_global(procedure, number),
            Variable::Local(number) => self.symbols.old_parameter(procedure, number),
        })
    }

    fn result(&self, procedure: ProcedureId, number: usize) -> Function {
        self.symbols.results[procedure.0][number]
    }
}

impl Lowered<'_> {
    /// What Bebop found, a fact for each location: `location = l -> formula`.
    pub fn facts(&self, relations: &Relations) -> Vec<Fact> {
        let facts = self.nodes.iter().enumerate().filter_map(|(number, node)| {
            let formula = self.found(relations, *node);
            let here = self.at(*node)?;
            let statement = self.statement(*node);
            (!formula.is_true()).then(|| Fact {
                name: format!("at {}", self.node_name(number)),
                formula: term::implies(here, formula),
                span: statement.map_or(Span::default(), |id| self.span(id)),
            })
        });
        facts.collect()
    }

    /// The formula of a location.
    fn found(&self, relations: &Relations, node: Node) -> Term {
        let formula = match node {
            Node::Entry(procedure) => relations.entries.get(procedure.0),
            Node::At(procedure, control) => relations.locations.get(procedure.0).and_then(|found| match control {
                Control::Before(number) => found.get(number),
                Control::End => found.last(),
            }),
            Node::Exit(procedure) => relations.exits.get(procedure.0),
            Node::Failed(_) => None,
        };
        let unknown = term::bool(!matches!(node, Node::Failed(_)));
        formula.copied().unwrap_or(unknown)
    }

    /// Whether a certificate of the program is of a size that a solver confirms soon. Where it is not, what Bebop has
    /// confirmed by itself is all the evidence.
    pub fn is_certifiable(&self) -> bool {
        let (system, left) = composed(self, self.system.clone());
        left.len().saturating_mul(system.rules.len()) <= MOST_PAIRS
    }

    /// What facts prove, if they are right: with the contracts that they say at exits. Bebop's facts, or those of
    /// whichever engine.
    pub fn proof(&self, facts: &[Fact]) -> Result<Proof, NoContract> {
        let contracts = self.contracts(facts)?;
        let (system, left) = composed(self, self.with_contracts(&contracts));
        // Facts of a certificate that is read again are conjunctions of these.
        let single = facts.iter().flat_map(|fact| {
            let parts = term::conjuncts(fact.formula).into_iter();
            parts.map(|formula| Fact {
                formula,
                ..fact.clone()
            })
        });
        let located = |fact: &Fact| self.located(fact.formula).is_none_or(|(node, _)| left.contains(&node));
        let facts: Vec<Fact> = single.filter(located).collect();
        let mut certificate = self.grouped(&facts, system.rules.len());
        certificate.properties = system.properties.iter().map(|property| property.name.clone()).collect();
        Ok(Proof {
            system,
            certificate,
            contracts,
            locations: left.len(),
        })
    }

    /// One fact for each procedure, or for all: fewer questions than with one for each location. What a procedure
    /// rests on is known of itself and of its callers.
    fn grouped(&self, facts: &[Fact], rules: usize) -> Certificate {
        let mut groups: BTreeMap<Option<ProcedureId>, Vec<Term>> = BTreeMap::new();
        for fact in facts {
            let procedure = self.located(fact.formula).map(|(node, _)| procedure_of(node));
            groups.entry(procedure).or_default().push(fact.formula);
        }
        if groups.len().saturating_mul(rules) > MOST_QUESTIONS {
            let all = facts.iter().map(|fact| fact.formula);
            return Certificate {
                facts: vec![Fact {
                    name: "at all locations".to_owned(),
                    formula: term::and(all),
                    span: Span::default(),
                }],
                ..Certificate::default()
            };
        }
        let positions: Vec<Option<ProcedureId>> = groups.keys().copied().collect();
        let mut premises = BTreeMap::new();
        // What is at no location rests on everything, and everything on it.
        if !groups.contains_key(&None) {
            for (number, procedure) in positions.iter().enumerate() {
                let rests_on = |other: &Option<ProcedureId>| match (other, procedure) {
                    (Some(other), Some(procedure)) => other == procedure || self.calls_directly(*other, *procedure),
                    _ => true,
                };
                let those = positions.iter().enumerate().filter(|(_, other)| rests_on(other));
                let those: BTreeSet<usize> = those.map(|(number, _)| number).collect();
                premises.insert(number, those);
            }
        }
        let named = groups.into_iter().map(|(procedure, formulas)| Fact {
            name: match procedure {
                Some(procedure) => format!("in {}", self.program.procedures[procedure.0].name),
                None => "everywhere".to_owned(),
            },
            formula: term::and(formulas),
            span: procedure
                .and_then(|procedure| self.program.procedures[procedure.0].origin)
                .unwrap_or_default(),
        });
        Certificate {
            facts: named.collect(),
            premises,
            ..Certificate::default()
        }
    }

    fn calls_directly(&self, caller: ProcedureId, callee: ProcedureId) -> bool {
        let statements = self.program.statements(caller);
        let is_call = |action: &Action| matches!(action, Action::Call { procedure, .. } if *procedure == callee);
        statements.iter().any(|statement| is_call(&statement.action))
    }
}

fn procedure_of(node: Node) -> ProcedureId {
    match node {
        Node::Entry(procedure) | Node::At(procedure, _) | Node::Exit(procedure) => procedure,
        Node::Failed(id) => id.procedure,
    }
}
