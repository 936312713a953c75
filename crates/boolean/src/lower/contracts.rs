//! Contracts: what every call of a procedure leaves behind.

use super::{Lowered, Node, RuleKind};
use crate::program::{ProcedureId, StatementId};
use logic::substitute::functions_of;
use logic::{Function, Substitution, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use system::transition::{Fact, Property, TransitionSystem};
use thiserror::Error;

/// What holds whenever a call of a procedure ends: over the functions of its [`Signature`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contract {
    pub procedure: ProcedureId,
    pub ensures: Term,
}

/// What the contract of a procedure may speak of.
#[derive(Clone, Debug)]
pub struct Signature {
    pub procedure: ProcedureId,
    pub entry: Node,
    pub exit: Node,
    /// Globals, results, and what was given.
    pub functions: BTreeSet<Function>,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Called {
    pub statement: StatementId,
    pub at: Node,
    pub procedure: ProcedureId,
    /// What the parameters are when it begins. All else is as it is.
    pub given: BTreeMap<Function, Term>,
    /// The choices in that.
    pub entering: Vec<Function>,
    /// What the functions of a contract stand for when it has returned. Others are as they are.
    pub returned: BTreeMap<Function, Term>,
    /// The position of the rule that passes it.
    pub rule: usize,
}

/// Why a formula is no contract.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("what is said of `{procedure}` at its exit speaks of `{symbol}`, which its callers do not see")]
pub struct NoContract {
    pub procedure: String,
    pub symbol: String,
}

impl Lowered<'_> {
    pub(super) fn make_signatures(&mut self) {
        let procedures = (0..self.program.procedures.len()).map(ProcedureId);
        for procedure in procedures.filter(|procedure| self.symbols.is_called[procedure.0]) {
            let mut functions: BTreeSet<Function> = self.symbols.globals.iter().copied().collect();
            functions.extend(&self.symbols.results[procedure.0]);
            functions.extend(
                self.symbols
                    .written_by(procedure)
                    .map(|g| self.symbols.old_global(procedure, g)),
            );
            let parameters = 0..self.program.procedures[procedure.0].parameters.len();
            functions.extend(parameters.map(|parameter| self.symbols.old_parameter(procedure, parameter)));
            self.signatures.push(Signature {
                procedure,
                entry: Node::Entry(procedure),
                exit: Node::Exit(procedure),
                functions,
            });
        }
    }

    /// The contracts that facts are, by what they say at exits.
    pub fn contracts(&self, facts: &[Fact]) -> Result<Vec<Contract>, NoContract> {
        let mut ensured: BTreeMap<Node, Vec<Term>> = BTreeMap::new();
        for fact in facts.iter().flat_map(|fact| term::conjuncts(fact.formula)) {
            if let Some((node, formula)) = self.located(fact) {
                ensured.entry(node).or_default().push(formula);
            }
        }
        let mut contracts = Vec::new();
        for signature in &self.signatures {
            let ensures = term::and(ensured.remove(&signature.exit).unwrap_or_default());
            if let Some(symbol) = functions_of(ensures).difference(&signature.functions).next() {
                return Err(NoContract {
                    procedure: self.program.procedures[signature.procedure.0].name.clone(),
                    symbol: symbol.name().to_string(),
                });
            }
            contracts.push(Contract {
                procedure: signature.procedure,
                ensures,
            });
        }
        Ok(contracts)
    }

    /// The system in which calls are passed by contracts, each of which is one more property, behind the assertions.
    /// Rules have the same positions.
    pub fn with_contracts(&self, contracts: &[Contract]) -> TransitionSystem {
        let mut system = self.system.clone();
        for contract in contracts.iter().filter(|contract| !contract.ensures.is_true()) {
            for call in self.calls.iter().filter(|call| call.procedure == contract.procedure) {
                let Some(here) = self.at(call.at) else { continue };
                let returned = call.returned.iter().map(|(function, value)| (*function, *value));
                let ensures = Substitution::of_constants(returned).apply(contract.ensures);
                let rule = &mut system.rules[call.rule];
                let guard = term::and([rule.guard, ensures]);
                rule.guard = match guard.is_false() {
                    false => guard,
                    true => {
                        rule.choices = self.choices[..1].to_vec();
                        term::and([here, self.never()])
                    }
                };
            }
            if let Some(here) = self.at(Node::Exit(contract.procedure)) {
                let formula = term::implies(here, contract.ensures);
                system.properties.push(self.property(contract.procedure, formula));
            }
        }
        system
    }

    /// The system with the names of all contracts that there may be: for reading the facts of a certificate, from which
    /// [`Lowered::proof`] makes its system again.
    pub fn with_contract_names(&self) -> TransitionSystem {
        let mut system = self.system.clone();
        for signature in &self.signatures {
            system
                .properties
                .push(self.property(signature.procedure, term::bool(true)));
        }
        system
    }

    /// That a contract holds.
    fn property(&self, procedure: ProcedureId, formula: Term) -> Property {
        let found = &self.program.procedures[procedure.0];
        Property {
            name: format!("contract of {}", found.name),
            formula,
            span: found.origin.unwrap_or_default(),
        }
    }

    /// The system in which calls do not begin: for engines that look for contracts themselves, as relations between
    /// what [`Lowered::calls`] says is given and returned. The other rules have the same positions.
    pub fn without_entering(&self) -> TransitionSystem {
        let mut system = self.system.clone();
        let is_entering = |rule: &super::LoweredRule| matches!(rule.kind, RuleKind::Enter(_));
        let others = self.rules.iter().position(is_entering).unwrap_or(self.rules.len());
        system.rules.truncate(others);
        system
    }

    /// The number of a location, as the position in the sort of the control.
    pub fn number(&self, node: Node) -> Option<usize> {
        self.numbers.get(&node).copied()
    }
}
