//! Certificates as SMT-LIB 2 text: everything that a stranger's solver needs, and comments for people.
//!
//! The text is a function of the system and of what the certificate states (facts and premises), and of nothing else:
//! it can be made again from the model and compared with a file (`against`).

use crate::names::{Group, Names, StepNames, one_line, symbols};
use crate::obligation::{Obligation, ObligationError, ObligationKind, Part, Step, facts, obligations};
use crate::query::{Label, QueryKind, TITLE, sealed};
use deduction::reading::read_formula;
use logic::Term;
use logic::pretty::{Patterns, pretty_with};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use system::certificate::Certificate;
use system::transition::{Fact, Rule, TransitionSystem};

/// How to check a certificate by hand.
const EXPLANATION: &str = "\
;
; This file proves that the properties named above hold in every reachable state of the system that it defines, and that no
; assertion of it fails. It does so by an invariant, the conjunction of the types and facts defined below: initial states
; exist; they satisfy the invariant; each rule keeps it; it implies the properties.
;
; To check it, give it to any solver that reads SMT-LIB 2, such as `z3 FILE` or `cvc5 --incremental FILE`. The proof is
; confirmed if every answer is the expected one, and there is no error. `unknown` confirms nothing.
; That the file is whole: grep -v '^; sha256:' FILE | sha256sum
; Whoever changes the file can write a new digest, too: it tells of accidents only.
;
; That the system is the one of a model, with all of its rules, no solver can tell: `cubist validate FILE --model MODEL` reads
; the model again, makes this text again from the facts alone, and refuses any difference.
;
; What is defined for a rule as `rule-1.x` is `x` after the rule. The parameters and choices of a rule are constants. A rule
; keeps a fact that mentions nothing that the rule changes.
";

/// The program that writes certificates.
pub const MADE_BY: &str = concat!("cubist ", env!("CARGO_PKG_VERSION"));

/// What a certificate is about, for its header: words such as `model` and what is to be said under them.
pub type About = [(&'static str, String)];

/// The certificate as SMT-LIB 2, with the obligations that it stands for.
pub fn certificate_text(
    system: &TransitionSystem,
    certificate: &Certificate,
    about: &About,
) -> Result<String, ObligationError> {
    let certificate = readable(system, certificate)?;
    text_made_by(system, &certificate, about, MADE_BY)
}

/// The text for a certificate whose facts are as they are when read again.
pub(crate) fn text_made_by(
    system: &TransitionSystem,
    certificate: &Certificate,
    about: &About,
    made_by: &str,
) -> Result<String, ObligationError> {
    let obligations = obligations(system, certificate)?;
    let facts = facts(certificate);
    let mut writer = Writer {
        system,
        notation: symbols(system)
            .map(|symbol| (symbol.function, symbol.display.clone()))
            .collect(),
        names: Names::new(system, facts.len(), &obligations),
        facts,
    };
    let mut text = writer.header(certificate, &obligations, about, made_by);
    text.push_str(EXPLANATION);
    writer.prelude(&obligations, &mut text);
    writer.queries(&obligations, &mut text);
    Ok(sealed(&text))
}

/// The certificate with its facts as they are when their text is read again: bound variables may have other names
/// then. No fact is said twice.
fn readable(system: &TransitionSystem, certificate: &Certificate) -> Result<Certificate, ObligationError> {
    /// More rounds of reading and writing than names could ever need.
    const ROUNDS: usize = 8;
    let mut certificate = without_repetitions(certificate);
    // Also says whether the certificate makes sense.
    let obligations = obligations(system, &certificate)?;
    for fact in &mut certificate.facts {
        fact.name = one_line(&fact.name);
    }
    for _ in 0..ROUNDS {
        let mut names = Names::new(system, facts(&certificate).len(), &obligations);
        let read = certificate.facts.iter().map(|fact| {
            let text = names.text(fact.formula);
            read_formula(&text, names.declarations.symbols())
        });
        // What is too deep to be read is written all the same: solvers can.
        let Some(read) = read.collect::<Option<Vec<Term>>>() else {
            break;
        };
        let is_stable = read
            .iter()
            .zip(&certificate.facts)
            .all(|(read, fact)| *read == fact.formula);
        for (fact, formula) in certificate.facts.iter_mut().zip(read) {
            fact.formula = formula;
        }
        if is_stable {
            break;
        }
    }
    Ok(certificate)
}

fn without_repetitions(certificate: &Certificate) -> Certificate {
    let mut facts: Vec<Fact> = Vec::new();
    // From old positions to new ones.
    let mut positions = Vec::new();
    for fact in &certificate.facts {
        let known = facts.iter().position(|known| known.formula == fact.formula);
        positions.push(known.unwrap_or(facts.len()));
        if known.is_none() {
            facts.push(fact.clone());
        }
    }
    let mut premises: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (old, new) in positions.iter().enumerate() {
        // The first one counts, also where it says nothing of its premises.
        if let (true, Some(those)) = (seen.insert(*new), certificate.premises.get(&old)) {
            let those = those.iter().filter_map(|premise| positions.get(*premise).copied());
            premises.insert(*new, those.collect());
        }
    }
    Certificate {
        properties: certificate.properties.clone(),
        facts,
        premises,
    }
}

/// Longer formulas are cut off where they stand in a comment.
const SHOWN: usize = 2_000;

struct Writer<'a> {
    system: &'a TransitionSystem,
    facts: Vec<Fact>,
    notation: Patterns,
    names: Names<'a>,
}

impl Writer<'_> {
    fn header(&self, certificate: &Certificate, obligations: &[Obligation], about: &About, made_by: &str) -> String {
        let mut text = format!("{TITLE}\n");
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(text, "; {key}: {}", one_line(value));
        };
        line("system", &self.system.name);
        line("made by", made_by);
        about.iter().for_each(|(key, value)| line(key, value));
        certificate.properties.iter().for_each(|name| line("proves", name));
        line("starts", &self.system.starts.len().to_string());
        line("rules", &self.system.rules.len().to_string());
        line("facts", &self.facts.len().to_string());
        line("queries", &obligations.len().to_string());
        for kind in QueryKind::ALL {
            let count = obligations
                .iter()
                .filter(|o| Label::of(&o.kind, 0).kind == kind)
                .count();
            line(&format!("queries of kind {}", kind.word()), &count.to_string());
        }
        for (position, fact) in self.facts.iter().enumerate() {
            line(&format!("fact {}", position + 1), &fact.name);
            if let Some(premises) = certificate.premises.get(&position) {
                let premises: Vec<String> = premises.iter().map(|premise| (premise + 1).to_string()).collect();
                line(&format!("premises of fact {}", position + 1), &premises.join(" "));
            }
        }
        text
    }

    fn prelude(&mut self, obligations: &[Obligation], text: &mut String) {
        text.push_str("\n(set-info :smt-lib-version 2.6)\n(set-logic ALL)\n");
        let titles = [
            "What never changes",
            "The state",
            "Sorts, parameters and choices that remain",
        ];
        let declared = titles.iter().zip(&self.names.declared);
        for (title, declared) in declared.filter(|(_, declared)| !declared.is_empty()) {
            let _ = write!(text, "\n; {title}.\n{declared}");
        }
        // Facts first: then what their bound variables are called depends on nothing else.
        let (system, facts) = (self.system, self.facts.clone());
        let facts = self.definitions("The invariant", self.names.facts.clone(), &facts);
        let axioms = self.definitions("Axioms", self.names.axioms.names.clone(), &system.axioms);
        let types = self.definitions("What the types say", self.names.types.names.clone(), &system.type_facts);
        let parts = [&self.names.types.names[..], &self.names.facts[..]].concat();
        let invariant = conjunction(&parts, &self.names.invariant);
        let (all_axioms, all_types) = (conjunction_of(&self.names.axioms), conjunction_of(&self.names.types));
        for piece in [axioms, all_axioms, types, all_types, facts, invariant] {
            text.push_str(&piece);
        }
        for number in 0..self.names.steps.len() {
            self.step(number, text);
        }
        self.properties(obligations, text);
    }

    /// Those that are proved.
    fn properties(&mut self, obligations: &[Obligation], text: &mut String) {
        let parts = obligations.iter().flat_map(|obligation| &obligation.parts);
        let proved: BTreeSet<usize> = parts
            .filter_map(|part| match part {
                Part::NotProperty(position) => Some(*position),
                _ => None,
            })
            .collect();
        let stated = |position: &usize| {
            let property = &self.system.properties[*position];
            Fact {
                name: property.name.clone(),
                formula: property.formula,
                span: property.span,
            }
        };
        let properties: Vec<Fact> = proved.iter().map(stated).collect();
        let names = proved
            .iter()
            .map(|position| self.names.properties[*position].clone())
            .collect();
        text.push_str(&self.definitions("The properties", names, &properties));
    }

    fn definitions(&mut self, title: &str, names: Vec<String>, facts: &[Fact]) -> String {
        let mut text = String::new();
        if !facts.is_empty() {
            let _ = write!(text, "\n; {title}.\n");
        }
        for (name, fact) in names.iter().zip(facts) {
            let _ = writeln!(text, "; {}: {}", one_line(&fact.name), self.shown(fact.formula));
            self.define(name, fact.formula, &mut text);
        }
        text
    }

    fn define(&mut self, name: &str, formula: Term, text: &mut String) {
        let _ = writeln!(text, "(define-fun {name} () Bool {})", self.names.text(formula));
    }

    fn step(&mut self, number: usize, text: &mut String) {
        let StepNames { step, rule, .. } = self.names.steps[number];
        let word = if matches!(step, Step::Start(_)) {
            "Start"
        } else {
            "Rule"
        };
        let parameters = rule.parameters.iter().map(|v| format!("{}: {}", v.name, v.sort));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "\n; {word} {}({})", one_line(&rule.name), one_line(&parameters));
        let _ = writeln!(text, "; enabled where: {}", self.shown(rule.guard));
        let guard = self.names.steps[number].guard.clone();
        self.define(&guard, rule.guard, text);
        self.updates(number, rule, text);
        if !rule.constraint.is_true() {
            let _ = writeln!(text, "; such that: {}", self.shown(rule.constraint));
            let constraint = self.names.steps[number].constraint.clone();
            let after = self.names.steps[number].afterwards(rule.constraint);
            self.define(&constraint, after, text);
        }
        for (position, assertion) in rule.assertions.iter().enumerate() {
            let _ = writeln!(text, "; never: {}", one_line(&assertion.message));
            let name = self.names.steps[number].assertions.names[position].clone();
            self.define(&name, assertion.condition, text);
        }
        text.push_str(&conjunction_of(&self.names.steps[number].assertions));
    }

    /// What the state is after the step.
    fn updates(&mut self, number: usize, rule: &Rule, text: &mut String) {
        for (position, update) in rule.updates.iter().enumerate() {
            let arguments: Vec<Term> = update.parameters.iter().map(|parameter| parameter.term()).collect();
            let place = update.function.apply(arguments);
            let _ = writeln!(text, "; {} := {}", self.shown(place), self.shown(update.value));
            let symbol = self.names.steps[number].after[position].1.clone();
            let names = self.names.declarations.symbols_mut();
            let parameters = update.parameters.iter().map(|parameter| {
                let symbol = names.variable(*parameter);
                format!("({symbol} {})", names.sort(parameter.sort))
            });
            let parameters = parameters.collect::<Vec<_>>().join(" ");
            let result = names.sort(update.function.result());
            let value = self.names.text(update.value);
            let _ = writeln!(text, "(define-fun {symbol} ({parameters}) {result} {value})");
        }
    }

    /// A formula as the user would write it, on one line.
    fn shown(&self, formula: Term) -> String {
        let text = one_line(&pretty_with(formula, &self.notation));
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{} ...", &text[..end]),
            None => text,
        }
    }

    fn queries(&mut self, obligations: &[Obligation], text: &mut String) {
        let (mut properties, mut rule) = (0, None);
        for (number, obligation) in (1..).zip(obligations) {
            let label = Label::of(&obligation.kind, properties);
            properties += usize::from(label.kind == QueryKind::Property);
            if let ObligationKind::Inductive { rule: current, .. } = obligation.kind
                && rule != Some(current)
            {
                rule = Some(current);
                self.untouched(current, obligations, text);
            }
            let expected = obligation.expected.word();
            let _ = write!(text, "\n; query {number}: {label}\n; {}\n", one_line(&obligation.name));
            let _ = write!(text, "(push 1)\n(set-info :status {expected})\n");
            for part in &obligation.parts {
                if let Some(assertion) = self.part(*part, step_of(&obligation.kind)) {
                    let _ = writeln!(text, "(assert {assertion})");
                }
            }
            let _ = write!(text, "(check-sat) ; expected {expected}\n(pop 1)\n");
        }
    }

    /// Says which facts need no query for the rule.
    fn untouched(&self, rule: usize, obligations: &[Obligation], text: &mut String) {
        let asked = |fact: usize| {
            obligations
                .iter()
                .any(|o| o.kind == ObligationKind::Inductive { rule, fact })
        };
        let skipped: Vec<String> = (0..self.facts.len())
            .filter(|fact| !asked(*fact))
            .map(|fact| (fact + 1).to_string())
            .collect();
        let Rule { name, .. } = &self.system.rules[rule];
        if !skipped.is_empty() {
            let _ = write!(text, "\n; rule {} does not touch: {}\n", rule + 1, skipped.join(" "));
            let _ = writeln!(
                text,
                "; (by number, the facts that are the same before and after `{}`)",
                one_line(name)
            );
        }
    }

    /// The text of what is asserted; `None` where there is nothing.
    fn part(&mut self, part: Part, step: Option<Step>) -> Option<String> {
        let group = |group: &Group| (!group.names.is_empty()).then(|| group.all.clone());
        let not = |name: &str| Some(format!("(not {name})"));
        let at = self.names.steps.iter().position(|names| Some(names.step) == step);
        let names = at.map(|at| &self.names.steps[at]);
        match part {
            Part::Axioms => group(&self.names.axioms),
            Part::Types => group(&self.names.types),
            Part::Invariant => Some(self.names.invariant.clone()),
            Part::Type(position) => Some(self.names.types.names[position].clone()),
            Part::Fact(position) => Some(self.names.facts[position].clone()),
            Part::Guard => Some(names?.guard.clone()),
            Part::Constraint => Some(names?.constraint.clone()),
            Part::Assertions => group(&names?.assertions),
            Part::NotAssertion(number) => not(&names?.assertions.names[number]),
            Part::NotTypeAfter(position) => {
                let after = names?.afterwards(self.system.type_facts[position].formula);
                Some(format!("(not {})", self.names.text(after)))
            }
            Part::NotFactAfter(position) => {
                let fact = self.facts[position].formula;
                match names?.afterwards(fact) {
                    after if after == fact => not(&self.names.facts[position]),
                    after => Some(format!("(not {})", self.names.text(after))),
                }
            }
            Part::NotProperty(position) => not(&self.names.properties[position]),
            Part::Formula(formula) if formula.is_true() => None,
            Part::Formula(formula) => Some(self.names.text(formula)),
        }
    }
}

fn step_of(kind: &ObligationKind) -> Option<Step> {
    match *kind {
        ObligationKind::InitialExists | ObligationKind::Property { .. } => None,
        ObligationKind::Initial { start, .. } => Some(Step::Start(start)),
        ObligationKind::Inductive { rule, .. } => Some(Step::Rule(rule)),
        ObligationKind::TypeFact { step, .. } | ObligationKind::Assertion { step, .. } => Some(step),
    }
}

fn conjunction_of(group: &Group) -> String {
    conjunction(&group.names, &group.all)
}

/// The definition of a conjunction, where there is anything to say.
fn conjunction(names: &[String], all: &str) -> String {
    let body = match names {
        [] => return String::new(),
        [only] => only.clone(),
        several => format!("(and {})", several.join(" ")),
    };
    format!("(define-fun {all} () Bool {body})\n")
}
