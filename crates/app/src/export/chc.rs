//! Constrained Horn clauses in the format of Z3's Spacer and of the CHC competition.
//!
//! One relation, `reachable`, holds of rigid symbols and state, as constants and arrays:
//!
//!     guard and updates and constraint        =>  reachable(rigid, state)           for each start
//!     reachable(rigid, state) and guard       =>  reachable(rigid, state')          for each rule
//!     reachable(rigid, state) and not property =>  false
//!     reachable(rigid, state) and guard and not assertion  =>  false
//!
//! Rigid symbols are arguments, too, since a clause has no constants that all clauses share; their axioms stand in
//! the clauses of the starts.

use super::encoder::{Encoder, next, steps};
use super::{conjunction, one_line, quantified};
use logic::{Function, Kind, Quantifier, Term, Variable, term};
use std::fmt::Write as _;
use system::TransitionSystem;
use system::transition::Rule;

pub(super) fn text(system: &TransitionSystem) -> String {
    let mut encoder = Encoder::of_arrays(system);
    let mut text = format!("(set-logic HORN)\n{}", encoder.sorts());
    let state = system.state.iter().map(|symbol| symbol.function);
    let rigid = system.rigid.iter().map(|symbol| symbol.function);
    let arguments: Vec<Function> = rigid.chain(state).collect();
    let mut clauses = Clauses {
        relation: encoder.name("reachable"),
        axioms: encoder.terms(system.axioms.iter().map(|axiom| axiom.formula)),
        encoder,
        arguments,
        text: String::new(),
    };
    let symbols = clauses.encoder.declarations.symbols_mut();
    let sort = |function: &Function| symbols.array_sort(function.parameters(), function.result());
    let sorts: Vec<String> = clauses.arguments.iter().map(sort).collect();
    let _ = writeln!(text, "(declare-fun {} ({}) Bool)", clauses.relation, sorts.join(" "));
    for start in &system.starts {
        clauses.start(start);
    }
    for rule in &system.rules {
        clauses.rule(rule);
    }
    for property in &system.properties {
        clauses.property(&property.name, property.formula);
    }
    text.push_str(&clauses.text);
    text.push_str("\n(check-sat)\n");
    debug_assert!(steps(system).all(|step| step.updates.iter().all(|u| clauses.arguments.contains(&u.function))));
    text
}

struct Clauses<'a> {
    encoder: Encoder<'a>,
    relation: String,
    arguments: Vec<Function>,
    axioms: Vec<String>,
    text: String,
}

impl Clauses<'_> {
    fn comment(&mut self, kind: &str, name: &str) {
        let _ = write!(self.text, "\n; {kind}: {}\n", one_line(name));
    }

    fn clause(&mut self, bound: &[String], body: &[String], head: &str) {
        let clause = quantified("forall", bound, &format!("(=> {} {head})", conjunction(body)));
        let _ = writeln!(self.text, "(assert {clause})");
    }

    /// The relation of the state, with other texts for some of its parts.
    fn reachable(&mut self, changed: &[(Function, String)]) -> String {
        let mut arguments = Vec::new();
        for function in &self.arguments {
            let change = changed.iter().find(|(changed, _)| changed == function);
            arguments.push(match change {
                Some((_, text)) => text.clone(),
                None => self.encoder.symbol(*function),
            });
        }
        match arguments.as_slice() {
            [] => self.relation.clone(),
            arguments => format!("({} {})", self.relation, arguments.join(" ")),
        }
    }

    fn start(&mut self, start: &Rule) {
        self.comment("start", &start.name);
        let mut bound = self.encoder.bound_functions(&self.arguments);
        bound.extend(self.encoder.bound_by(start));
        let mut body = self.axioms.clone();
        let known = [self.encoder.term(start.guard)];
        self.failures(start, &bound, &[&body[..], &known[..]].concat());
        body.extend(self.encoder.start(start));
        let head = self.reachable(&[]);
        self.clause(&bound, &body, &head);
    }

    fn rule(&mut self, rule: &Rule) {
        self.comment("rule", &rule.name);
        let mut bound = self.encoder.bound_functions(&self.arguments);
        bound.extend(self.encoder.bound_by(rule));
        let mut body = vec![self.reachable(&[]), self.encoder.term(rule.guard)];
        self.failures(rule, &bound, &body);
        let mut changed = Vec::new();
        for update in &rule.updates {
            let value = match self.encoder.array(update) {
                Some(value) => value,
                None => {
                    let after = next(update.function);
                    bound.extend(self.encoder.bound_functions(&[after]));
                    body.push(self.encoder.assignment(after, update));
                    self.encoder.symbol(after)
                }
            };
            changed.push((update.function, value));
        }
        let head = self.reachable(&changed);
        self.clause(&bound, &body, &head);
    }

    fn failures(&mut self, rule: &Rule, bound: &[String], known: &[String]) {
        for assertion in &rule.assertions {
            let _ = writeln!(self.text, "; never: {}", one_line(&assertion.message));
            let mut body = known.to_vec();
            body.push(self.encoder.term(term::not(assertion.condition)));
            self.clause(bound, &body, "false");
        }
    }

    fn property(&mut self, name: &str, formula: Term) {
        self.comment("property", name);
        let (variables, inner) = universal(formula);
        let mut bound = self.encoder.bound_functions(&self.arguments);
        bound.extend(self.encoder.bound_variables(&variables));
        let body = [self.reachable(&[]), self.encoder.term(term::not(inner))];
        self.clause(&bound, &body, "false");
    }
}

/// The outermost universal quantifier: negated, its variables are variables of the clause.
fn universal(formula: Term) -> (Vec<Variable>, Term) {
    match formula.kind() {
        Kind::Quantified(Quantifier::Forall, variables, body) => (variables.clone(), *body),
        _ => (Vec::new(), formula),
    }
}
