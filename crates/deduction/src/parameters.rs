//! Instantiation of rule parameters that have only a few values, so that only parameters of any size are left.

use logic::Cancellation;
use logic::{
    Sort, Substitution, Term, Variable,
    normal_forms::{constant_bounds, values_of},
    simplify::Simplifier,
    term,
};
use system::TransitionSystem;
use system::transition::{Assertion, Rule, Update};

/// The greatest number of rules that one is split into.
const INSTANCES: usize = 64;

/// The system with every rule split by its finite parameters, whose values its name tells. At an interrupt the rest of
/// the rules stay as they are.
pub fn instantiate_finite_parameters(system: &TransitionSystem, cancellation: &Cancellation) -> TransitionSystem {
    let split = |rules: &[Rule]| {
        let of = |rule: &Rule| instances(rule, cancellation).unwrap_or_else(|| vec![rule.clone()]);
        rules.iter().flat_map(of).collect()
    };
    TransitionSystem {
        starts: split(&system.starts),
        rules: split(&system.rules),
        ..system.clone()
    }
}

/// None after an interrupt.
fn instances(rule: &Rule, cancellation: &Cancellation) -> Option<Vec<Rule>> {
    let mut assignments: Vec<Vec<(Variable, Term)>> = vec![Vec::new()];
    for parameter in &rule.parameters {
        let Some(values) = values_of_parameter(*parameter, rule.guard) else {
            continue;
        };
        if assignments.len() * values.len() > INSTANCES {
            continue;
        }
        let longer = assignments.iter().flat_map(|assignment| {
            values
                .iter()
                .map(|value| assignment.iter().copied().chain([(*parameter, *value)]).collect())
        });
        assignments = longer.collect();
    }
    let mut instances = Vec::new();
    for assignment in assignments {
        if cancellation.is_cancelled() {
            return None;
        }
        instances.extend(instance(rule, &assignment, cancellation));
    }
    Some(instances)
}

/// The values of a parameter, where they are few: those of its sort, or those between the bounds that the guard gives.
pub fn values_of_parameter(parameter: Variable, guard: Term) -> Option<Vec<Term>> {
    if parameter.sort != Sort::Int {
        return values_of(parameter.sort);
    }
    let (low, high) = constant_bounds(guard, parameter)?;
    (high - low < INSTANCES as i128).then(|| (low..=high).map(term::int).collect())
}

/// None where the guard cannot hold. After an interrupt nothing is simplified.
fn instance(rule: &Rule, assignment: &[(Variable, Term)], cancellation: &Cancellation) -> Option<Rule> {
    if assignment.is_empty() {
        return Some(rule.clone());
    }
    let substitution = Substitution::of_variables(assignment.iter().copied());
    let mut simplifier = Simplifier::default();
    let mut simple = |formula: Term| {
        let formula = substitution.apply(formula);
        if cancellation.is_cancelled() {
            return formula;
        }
        simplifier.simplify(formula)
    };
    let guard = simple(rule.guard);
    if guard.is_false() {
        return None;
    }
    let values: Vec<String> = assignment
        .iter()
        .map(|(v, value)| format!("{} = {}", v.name, logic::pretty::pretty(*value)))
        .collect();
    let update = |u: &Update| Update {
        value: simple(u.value),
        ..u.clone()
    };
    let updates = rule.updates.iter().map(update).collect();
    let assertion = |a: &Assertion| Assertion {
        condition: simple(a.condition),
        ..a.clone()
    };
    Some(Rule {
        name: format!("{} ({})", rule.name, values.join(", ")),
        parameters: rule
            .parameters
            .iter()
            .copied()
            .filter(|p| assignment.iter().all(|(v, _)| v != p))
            .collect(),
        guard,
        updates,
        assertions: rule.assertions.iter().map(assertion).collect(),
        ..rule.clone()
    })
}
