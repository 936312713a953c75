//! Plain SMT-LIB 2: the system as definitions, for one's own questions to a solver.
//!
//! State functions stay functions; each has a partner with an apostrophe, its meaning after a step. A rule is a
//! predicate over its parameters and choices. A choice of a whole function cannot be a parameter in first-order
//! logic: it is a free symbol, which stands for an arbitrary function wherever the rule is asserted.

use super::encoder::{Encoder, next};
use super::{conjunction, disjunction, one_line, quantified};
use logic::{Function, Term, Variable, term};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use system::TransitionSystem;
use system::transition::Rule;

pub(super) fn text(system: &TransitionSystem) -> String {
    let mut encoder = Encoder::of_functions(system);
    let mut text = format!("(set-logic ALL)\n{}", encoder.sorts());
    if !system.rigid.is_empty() {
        let _ = write!(
            text,
            "\n; What never changes.\n{}",
            encoder.declare(&system.rigid, |function| function)
        );
    }
    let _ = write!(
        text,
        "\n; The state.\n{}",
        encoder.declare(&system.state, |function| function)
    );
    let _ = write!(
        text,
        "\n; The state after a step.\n{}",
        encoder.declare(&system.state, next)
    );
    for choice in system.starts.iter().chain(&system.rules).flat_map(|step| &step.choices) {
        if !choice.parameters().is_empty() {
            encoder.declarations.declare_function(*choice, &mut text);
        }
    }
    for axiom in &system.axioms {
        let body = encoder.term(axiom.formula);
        let _ = writeln!(text, "\n; {}\n(assert {body})", one_line(&axiom.name));
    }
    let types = encoder.terms(system.type_facts.iter().map(|fact| fact.formula));
    let name = encoder.name("types");
    let _ = writeln!(
        text,
        "\n; What the types of the variables say; every reachable state satisfies it."
    );
    let _ = writeln!(text, "(define-fun {name} () Bool {})", conjunction(&types));
    text.push_str(&all(&mut encoder, "start", "init", &system.starts));
    text.push_str(&all(&mut encoder, "rule", "step", &system.rules));
    for (number, property) in system.properties.iter().enumerate() {
        let name = encoder.name(&format!("property-{}", number + 1));
        let body = encoder.term(property.formula);
        let _ = writeln!(
            text,
            "\n; {}\n(define-fun {name} () Bool {body})",
            one_line(&property.name)
        );
    }
    text
}

/// Every start or rule, and their disjunction.
fn all(encoder: &mut Encoder, word: &str, together: &str, rules: &[Rule]) -> String {
    let mut text = String::new();
    let mut some = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let of = format!("{word}-{}", number + 1);
        let bound = bound(encoder, rule);
        let parts = if word == "start" {
            encoder.start(rule)
        } else {
            step(encoder, rule)
        };
        let name = encoder.name(&of);
        let head = format!("({})", bound.join(" "));
        let _ = writeln!(text, "\n; {word}: {}", one_line(&rule.name));
        let _ = writeln!(text, "(define-fun {name} {head} Bool {})", conjunction(&parts));
        for (position, assertion) in rule.assertions.iter().enumerate() {
            let name = encoder.name(&format!("{of}-assertion-{}", position + 1));
            let body = encoder.term(term::implies(rule.guard, assertion.condition));
            let _ = writeln!(text, "; never: {}", one_line(&assertion.message));
            let _ = writeln!(text, "(define-fun {name} {head} Bool {body})");
        }
        let arguments = arguments(encoder, rule);
        let call = match arguments.as_slice() {
            [] => name,
            arguments => format!("({name} {})", arguments.join(" ")),
        };
        some.push(quantified("exists", &bound, &call));
    }
    let name = encoder.name(together);
    let _ = writeln!(text, "\n(define-fun {name} () Bool {})", disjunction(&some));
    text
}

/// What a first-order quantifier can bind of a rule.
fn constants(rule: &Rule) -> Vec<Function> {
    rule.choices
        .iter()
        .copied()
        .filter(|choice| choice.parameters().is_empty())
        .collect()
}

fn bound(encoder: &mut Encoder, rule: &Rule) -> Vec<String> {
    let mut bound = encoder.bound_variables(&rule.parameters);
    bound.extend(encoder.bound_functions(&constants(rule)));
    bound
}

fn arguments(encoder: &mut Encoder, rule: &Rule) -> Vec<String> {
    let mut arguments = encoder.terms(rule.parameters.iter().map(|parameter| parameter.term()));
    arguments.extend(constants(rule).into_iter().map(|choice| encoder.symbol(choice)));
    arguments
}

/// Guard, updates, and that nothing else changes.
fn step(encoder: &mut Encoder, rule: &Rule) -> Vec<String> {
    let mut parts = vec![encoder.term(rule.guard)];
    for update in &rule.updates {
        parts.push(encoder.assignment(next(update.function), update));
    }
    let updated: BTreeSet<Function> = rule.updates.iter().map(|update| update.function).collect();
    for symbol in encoder
        .system
        .state
        .iter()
        .filter(|symbol| !updated.contains(&symbol.function))
    {
        parts.push(encoder.term(unchanged(symbol.function)));
    }
    parts
}

/// `forall u. f'(u) = f(u)`.
fn unchanged(function: Function) -> Term {
    let sorts = function.parameters().iter().enumerate();
    let variables: Vec<Variable> = sorts
        .map(|(number, sort)| Variable::new(format!("u{}", number + 1).as_str(), *sort))
        .collect();
    let arguments: Vec<Term> = variables.iter().map(|variable| variable.term()).collect();
    term::forall(
        variables,
        term::equal(next(function).apply(arguments.clone()), function.apply(arguments)),
    )
}
