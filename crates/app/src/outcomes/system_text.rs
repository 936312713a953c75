//! A transition system for people: state, rules as simultaneous updates, properties.

use super::explore_text::wrapped;
use crate::terminal::Paint;
use driver::notation::notation;
use logic::pretty::{Notation as _, Patterns, pretty_up_to};
use logic::traverse::occurrences;
use logic::{Function, Substitution, Term, Variable};
use std::fmt::Write as _;
use system::TransitionSystem;
use system::transition::{Fact, IndexSort, Rule};

/// Lines longer than this are broken at spaces.
const WIDTH: usize = 110;

/// Formulas with more sub-terms than this are cut: the system shares what is the same in them, text cannot.
const PARTS: usize = 1_000;

struct Writer<'s> {
    system: &'s TransitionSystem,
    /// How the symbols of the system and the choices of the rule at hand are written.
    patterns: Patterns,
    paint: Paint,
    text: String,
    is_cut: bool,
}

pub(crate) fn text(system: &TransitionSystem, paint: Paint) -> String {
    let mut writer = Writer {
        system,
        patterns: notation(system, []),
        paint,
        text: String::new(),
        is_cut: false,
    };
    writer.declarations(system);
    writer.facts("axioms", &system.axioms);
    writer.facts("what the types say", &system.type_facts);
    for start in &system.starts {
        writer.rule("start", start);
    }
    for rule in &system.rules {
        writer.rule("rule", rule);
    }
    for property in &system.properties {
        writer.heading(&format!("property \"{}\"", property.name));
        writer.formula("", property.formula);
    }
    for predicate in &system.predicates {
        writer.heading(&format!(
            "predicate \"{}\"{}",
            predicate.name,
            parameters(&predicate.indices)
        ));
        writer.formula("", predicate.formula);
    }
    if writer.is_cut {
        let note = format!("Formulas of more than {PARTS} parts are cut: `...` stands for the rest.");
        let _ = writeln!(writer.text, "\n{note}");
    }
    writer.text
}

impl Writer<'_> {
    fn heading(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n{}", self.paint.bold(title));
    }

    /// A line, or several that are indented further after the first.
    fn line(&mut self, line: &str) {
        let wrapped = wrapped(line, WIDTH);
        for (number, part) in wrapped.lines().enumerate() {
            let _ = writeln!(self.text, "{}{part}", if number == 0 { "  " } else { "      " });
        }
    }

    fn formula(&mut self, before: &str, term: Term) {
        let text = pretty_up_to(PARTS, term, &self.patterns);
        self.is_cut |= occurrences(term) > PARTS as u64;
        self.line(&format!("{before}{text}"));
    }

    fn declarations(&mut self, system: &TransitionSystem) {
        self.heading("types of any size");
        if system.index_sorts.is_empty() {
            self.line("none");
        }
        for sort in &system.index_sorts {
            let line = index_sort(sort);
            self.line(&line);
        }
        for (title, symbols) in [("state", &system.state), ("constants", &system.rigid)] {
            if symbols.is_empty() {
                continue;
            }
            self.heading(title);
            for symbol in symbols {
                let function = symbol.function;
                let indices: Vec<String> = function.parameters().iter().map(ToString::to_string).collect();
                let name = self.application(function, &indices);
                self.line(&format!("{name}: {}", function.result()));
            }
        }
    }

    fn application(&self, function: Function, arguments: &[String]) -> String {
        let written = self.patterns.application(function, arguments);
        written.unwrap_or_else(|| {
            if arguments.is_empty() {
                function.name().to_string()
            } else {
                format!("{}({})", function.name(), arguments.join(", "))
            }
        })
    }

    fn facts(&mut self, title: &str, facts: &[Fact]) {
        if facts.is_empty() {
            return;
        }
        self.heading(title);
        for fact in facts {
            self.formula("", fact.formula);
        }
    }

    fn rule(&mut self, kind: &str, rule: &Rule) {
        self.heading(&format!("{kind} \"{}\"{}", rule.name, parameters(&rule.parameters)));
        // Names that are unique in the system are clumsy; within a rule, numbers do.
        let choices = rule.choices.iter().enumerate();
        let choices = choices.map(|(number, choice)| (*choice, choice_pattern(*choice, number + 1)));
        self.patterns = notation(self.system, choices);
        for choice in &rule.choices {
            let indices: Vec<String> = choice.parameters().iter().map(ToString::to_string).collect();
            let name = self.application(*choice, &indices);
            self.line(&format!("choose {name}: {}", choice.result()));
        }
        if !rule.guard.is_true() {
            self.formula("when ", rule.guard);
        }
        for update in &rule.updates {
            let names = readable(&update.parameters, update.value);
            let arguments: Vec<String> = names.iter().map(|variable| variable.name.to_string()).collect();
            let renamed = update.parameters.iter().zip(&names);
            let renamed = renamed.map(|(parameter, name)| (*parameter, name.term()));
            let value = Substitution::of_variables(renamed).apply(update.value);
            let target = self.application(update.function, &arguments);
            self.formula(&format!("{target} := "), value);
        }
        if !rule.constraint.is_true() {
            self.formula("such that ", rule.constraint);
        }
        for assertion in &rule.assertions {
            self.formula(&format!("assert \"{}\" ", assertion.message), assertion.condition);
        }
    }
}

/// `any_1`, or `any_1[{}]` for a whole array.
fn choice_pattern(choice: Function, number: usize) -> String {
    let indices = vec!["{}"; choice.parameters().len()];
    if indices.is_empty() {
        format!("any_{number}")
    } else {
        format!("any_{number}[{}]", indices.join(", "))
    }
}

/// Names for the parameters of an update, in place of the generated ones: `u`, `v`, `w`, and on from there.
fn readable(parameters: &[Variable], value: Term) -> Vec<Variable> {
    let taken = logic::free_variables(value);
    let mut names = Vec::new();
    let mut candidates = (0..).flat_map(|round| {
        ["u", "v", "w"].map(|letter| {
            if round == 0 {
                letter.to_owned()
            } else {
                format!("{letter}{round}")
            }
        })
    });
    for parameter in parameters {
        let is_free = |name: &String| taken.iter().all(|variable| variable.name.to_string() != *name);
        let name = candidates.find(is_free).unwrap_or_else(|| parameter.name.to_string());
        names.push(Variable::new(name.as_str(), parameter.sort));
    }
    names
}

fn parameters(variables: &[Variable]) -> String {
    if variables.is_empty() {
        return String::new();
    }
    let list: Vec<String> = variables
        .iter()
        .map(|variable| format!("{}: {}", variable.name, variable.sort))
        .collect();
    format!(" ({})", list.join(", "))
}

fn index_sort(sort: &IndexSort) -> String {
    let mut text = sort.name.to_string();
    if let Some(size) = sort.declared_size {
        let _ = write!(text, ", {size} in the file");
    }
    if !sort.constants.is_empty() {
        let names: Vec<String> = sort
            .constants
            .iter()
            .map(|(constant, _)| constant.name().to_string())
            .collect();
        let _ = write!(text, ", with {}", names.join(", "));
    }
    if let Some(order) = sort.order {
        let _ = write!(text, ", totally ordered by {}", order.name());
    }
    text
}
