//! The initial states. If `init` determines the value of a variable, or of all cells of an array, that becomes an
//! update; the rest becomes the constraint.

use super::Lowering;
use super::formula::Scope;
use crate::check::covers_all_cells;
use crate::model::*;
use logic::{Variable, term};
use std::collections::BTreeSet;
use system::transition::{Rule, Update as SystemUpdate};

impl Lowering<'_> {
    pub(super) fn start(&mut self) {
        let block = &self.model.init;
        let scope = Scope::new(self, &block.locals, block.variables);
        let mut updates: Vec<SystemUpdate> = Vec::new();
        let mut constraint = Vec::new();
        let mut updated = BTreeSet::new();
        for conjunct in block.formula.conjuncts() {
            match self.start_update(&scope, conjunct) {
                Some((symbol, update)) if updated.insert(symbol) => updates.push(update),
                _ => constraint.push(self.for_all_processes(&scope, scope.formula(conjunct))),
            }
        }
        let start = Rule {
            name: "init".to_owned(),
            parameters: Vec::new(),
            choices: Vec::new(),
            guard: term::bool(true),
            updates,
            constraint: term::and(constraint),
            assertions: Vec::new(),
            span: block.span,
        };
        self.lowered.system.starts.push(start);
    }

    /// The formula for all values of the block's variables, which may be equal.
    fn for_all_processes(&self, scope: &Scope<'_, '_>, formula: logic::Term) -> logic::Term {
        let free = |variable: &&Variable| formula.free_variables().contains(variable);
        let variables: Vec<Variable> = scope.parameters().iter().filter(free).copied().collect();
        let range = term::and(variables.iter().map(|variable| self.is_process(*variable)));
        term::forall(variables, term::implies(range, formula))
    }

    /// `X = value` or `A[x, y] = value`, in either orientation.
    fn start_update(&self, scope: &Scope<'_, '_>, conjunct: &Formula) -> Option<(SymbolId, SystemUpdate)> {
        let FormulaKind::Compare(Comparison::Equal, left, right) = &conjunct.kind else {
            return None;
        };
        [(left, right), (right, left)].into_iter().find_map(|(cell, value)| {
            let TermKind::Read(symbol, indices) = &cell.kind else {
                return None;
            };
            if self.model.symbol(*symbol).rigid || !covers_all_cells(indices) || !self.is_fixed(value, indices) {
                return None;
            }
            let variable = |index: &Process| match index {
                Process::Local(id) => Some(scope.variable(*id)),
                Process::Constant(_) => None,
            };
            let update = SystemUpdate {
                function: self.function(*symbol),
                parameters: indices.iter().map(variable).collect::<Option<Vec<Variable>>>()?,
                value: scope.term(value),
            };
            Some((*symbol, update))
        })
    }

    /// Whether the value of a cell depends only on its indices and constants.
    fn is_fixed(&self, value: &Term, indices: &[Process]) -> bool {
        match &value.kind {
            TermKind::Boolean(_) | TermKind::Constructor(_) | TermKind::Number(_) | TermKind::Multiple(..) => true,
            TermKind::Process(Process::Constant(_)) => true,
            TermKind::Process(local) => indices.contains(local),
            TermKind::Read(symbol, _) => self.model.symbol(*symbol).rigid,
            TermKind::Sum(base, addend) => self.is_fixed(base, indices) && self.is_fixed(addend, indices),
            TermKind::Error => false,
        }
    }
}
