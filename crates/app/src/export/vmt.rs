//! VMT-LIB (A. Cimatti, A. Griggio, S. Tonetta, The VMT-LIB language and tools, SMT 2022).
//!
//! A state variable of VMT-LIB is a constant with a partner, its value after the step. So state functions are arrays,
//! and rigid symbols are state variables that keep their value. Parameters and choices of rules are inputs. The
//! language says nothing of assertions inside a rule: they are invariant properties of the form `guard => condition`.
//! Enumerations are datatypes, and what a rule does to all elements of a type of any size may take a quantifier: not
//! every reader of VMT-LIB has them.

use super::encoder::{Encoder, next};
use super::{conjunction, disjunction, one_line, quantified};
use logic::{Function, Term, term};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use system::TransitionSystem;
use system::transition::Rule;

pub(super) fn text(system: &TransitionSystem) -> String {
    let mut encoder = Encoder::of_arrays(system);
    let mut text = format!("(set-logic ALL)\n{}", encoder.sorts());
    text.push_str(&encoder.declare(&system.rigid, |function| function));
    text.push_str(&encoder.declare(&system.state, |function| function));
    text.push_str(&encoder.declare(&system.rigid, next));
    text.push_str(&encoder.declare(&system.state, next));
    let functions: Vec<Function> = system
        .rigid
        .iter()
        .chain(&system.state)
        .map(|symbol| symbol.function)
        .collect();
    text.push_str("\n; State variables: their values before and after a step.\n");
    for (number, function) in functions.iter().enumerate() {
        let sort = encoder
            .declarations
            .symbols_mut()
            .array_sort(function.parameters(), function.result());
        let name = encoder.name(&format!("state-{}", number + 1));
        let (before, after) = (encoder.symbol(*function), encoder.symbol(next(*function)));
        let _ = writeln!(text, "(define-fun {name} () {sort} (! {before} :next {after}))");
    }
    text.push_str("\n; Inputs: parameters and choices of the rules.\n");
    for rule in &system.rules {
        for parameter in &rule.parameters {
            encoder.declarations.declare_variable(*parameter, &mut text);
        }
        for choice in &rule.choices {
            encoder.declarations.declare_function(*choice, &mut text);
        }
    }
    text.push_str(&initial(&mut encoder));
    text.push_str(&transitions(&mut encoder, &functions));
    text.push_str(&properties(&mut encoder));
    text
}

fn initial(encoder: &mut Encoder) -> String {
    let mut starts = Vec::new();
    for start in &encoder.system.starts {
        let parts = encoder.start(start);
        let bound = encoder.bound_by(start);
        starts.push(quantified("exists", &bound, &conjunction(&parts)));
    }
    let mut parts = encoder.terms(encoder.system.axioms.iter().map(|axiom| axiom.formula));
    parts.push(disjunction(&starts));
    let name = encoder.name("init");
    format!("\n(define-fun {name} () Bool (! {} :init true))\n", conjunction(&parts))
}

fn transitions(encoder: &mut Encoder, functions: &[Function]) -> String {
    let mut text = String::new();
    let mut names = Vec::new();
    for (number, rule) in encoder.system.rules.iter().enumerate() {
        let name = encoder.name(&format!("rule-{}", number + 1));
        let body = step(encoder, rule, functions);
        let _ = writeln!(
            text,
            "\n; rule: {}\n(define-fun {name} () Bool {body})",
            one_line(&rule.name)
        );
        names.push(name);
    }
    let name = encoder.name("step");
    let _ = writeln!(
        text,
        "\n(define-fun {name} () Bool (! {} :trans true))",
        disjunction(&names)
    );
    text
}

fn step(encoder: &mut Encoder, rule: &Rule, functions: &[Function]) -> String {
    let mut parts = vec![encoder.term(rule.guard)];
    for update in &rule.updates {
        parts.push(encoder.assignment(next(update.function), update));
    }
    let updated: BTreeSet<Function> = rule.updates.iter().map(|update| update.function).collect();
    for function in functions.iter().filter(|function| !updated.contains(function)) {
        let (after, before) = (encoder.symbol(next(*function)), encoder.symbol(*function));
        parts.push(format!("(= {after} {before})"));
    }
    conjunction(&parts)
}

fn properties(encoder: &mut Encoder) -> String {
    let mut found: Vec<(String, String)> = Vec::new();
    for property in &encoder.system.properties {
        found.push((property.name.clone(), encoder.term(property.formula)));
    }
    for rule in encoder.system.starts.iter().chain(&encoder.system.rules) {
        let bound = encoder.bound_by(rule);
        for assertion in &rule.assertions {
            let condition: Term = term::implies(rule.guard, assertion.condition);
            let body = encoder.term(condition);
            found.push((
                format!("in {} never: {}", rule.name, assertion.message),
                quantified("forall", &bound, &body),
            ));
        }
    }
    let mut text = String::new();
    for (number, (title, body)) in found.into_iter().enumerate() {
        let name = encoder.name(&format!("property-{}", number + 1));
        let _ = writeln!(text, "\n; {}", one_line(&title));
        let _ = writeln!(text, "(define-fun {name} () Bool (! {body} :invar-property {number}))");
    }
    text
}
