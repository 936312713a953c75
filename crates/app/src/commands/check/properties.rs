//! What is to be proved.

use crate::arguments::Check;
use anyhow::bail;
use logic::{Lambda, Substitution, Term, Variable, term};
use system::TransitionSystem;
use system::transition::{Property, Rule};

/// The properties that were asked for, and what the rules assert, each as a closed formula.
pub(super) fn chosen(arguments: &Check, system: &TransitionSystem) -> anyhow::Result<Vec<Property>> {
    let mut properties = system.properties.clone();
    if !arguments.property.is_empty() {
        for name in &arguments.property {
            if properties.iter().all(|p| p.name != *name) {
                let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
                bail!("there is no property `{name}`; the model has: {}", names.join(", "));
            }
        }
        properties.retain(|p| arguments.property.contains(&p.name));
    }
    for rule in system.starts.iter().chain(&system.rules) {
        for assertion in &rule.assertions {
            let name = format!("{} in rule \"{}\"", assertion.message, rule.name);
            let formula = closed(rule, term::implies(rule.guard, assertion.condition));
            properties.push(Property {
                name,
                formula,
                span: assertion.span,
            });
        }
    }
    Ok(properties)
}

/// A formula for all parameters and choices of a rule.
fn closed(rule: &Rule, formula: Term) -> Term {
    let mut variables = rule.parameters.clone();
    let mut lambdas = Vec::new();
    for choice in rule.choices.iter().filter(|choice| choice.parameters().is_empty()) {
        let variable = Variable::new(choice.name(), choice.result());
        variables.push(variable);
        lambdas.push((
            *choice,
            Lambda {
                parameters: Vec::new(),
                body: variable.term(),
            },
        ));
    }
    term::forall(variables, Substitution::of_functions(lambdas).apply(formula))
}
