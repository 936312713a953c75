//! Transitions as rules.

use super::Lowering;
use super::formula::Scope;
use crate::model::*;
use logic::{Function, Variable, term};
use system::transition::{Rule, Update as SystemUpdate};

impl Lowering<'_> {
    pub(super) fn rules(&mut self) {
        for transition in &self.model.transitions {
            let rule = self.rule(transition);
            self.lowered.system.rules.push(rule);
        }
    }

    fn rule(&mut self, transition: &Transition) -> Rule {
        let mut choices = Vec::new();
        for update in &transition.updates {
            if matches!(update.kind, UpdateKind::Arbitrary) {
                choices.push((update.symbol, self.choice(update.symbol)));
            }
        }
        let scope = Scope::new(self, &transition.locals, transition.parameters);
        let parameters = scope.parameters().to_vec();
        let guard = term::and([self.distinct_processes(&parameters), scope.formula(&transition.guard)]);
        let update = |update: &Update| {
            let choice = choices.iter().find(|(symbol, _)| *symbol == update.symbol);
            self.update(&scope, update, choice.map(|(_, choice)| *choice))
        };
        Rule {
            name: transition.name.clone(),
            parameters,
            guard,
            updates: transition.updates.iter().map(update).collect(),
            choices: choices.iter().map(|(_, choice)| *choice).collect(),
            constraint: term::bool(true),
            assertions: Vec::new(),
            span: transition.span,
        }
    }

    /// A symbol for an arbitrary new value of the variable.
    fn choice(&mut self, symbol: SymbolId) -> Function {
        self.choices += 1;
        let function = self.function(symbol);
        let name = format!("{}!{}", function.name(), self.choices);
        Function::constant(name.as_str(), function.result())
    }

    fn update(&self, scope: &Scope<'_, '_>, update: &Update, choice: Option<Function>) -> SystemUpdate {
        let function = self.function(update.symbol);
        let (parameters, value) = match &update.kind {
            UpdateKind::Arbitrary => {
                let value = choice.unwrap_or(function).apply([]);
                (Vec::new(), value)
            }
            UpdateKind::Variable(value) => (Vec::new(), scope.value(value)),
            UpdateKind::Cell(indices, value) => {
                let parameters: Vec<Variable> = (0..indices.len()).map(|number| scope.fresh(number)).collect();
                let terms: Vec<logic::Term> = parameters.iter().map(|parameter| parameter.term()).collect();
                let here = terms
                    .iter()
                    .zip(scope.processes(indices))
                    .map(|(a, b)| term::equal(*a, b));
                let value = term::ite(term::and(here), scope.term(value), function.apply(terms.clone()));
                (parameters, value)
            }
            UpdateKind::All(variables, value) => {
                let parameters = variables.iter().map(|id| scope.variable(*id)).collect();
                (parameters, scope.value(value))
            }
        };
        SystemUpdate {
            function,
            parameters,
            value,
        }
    }
}
