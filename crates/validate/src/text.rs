//! Certificates as SMT-LIB 2 text: everything that a stranger's solver needs, and comments for people.

use crate::obligation::{Obligation, ObligationError, ObligationKind, Step, facts, obligations};
use crate::query::{Label, QueryKind, TITLE, sealed};
use logic::pretty::{Patterns, pretty_with};
use logic::smtlib::Declarations;
use logic::{Kind, Term};
use std::collections::HashMap;
use std::fmt::Write as _;
use system::certificate::Certificate;
use system::transition::{Fact, Rule, Symbol, TransitionSystem};

/// How to check a certificate by hand.
const EXPLANATION: &str = "\
;
; This file proves that the properties named above hold in every reachable state of the system, and that no assertion of
; it fails. It does so by an invariant, the conjunction of the types and facts defined below: initial states exist; they
; satisfy the invariant; each rule keeps it; it implies the properties.
;
; To check it, give it to any solver that reads SMT-LIB 2, such as `z3 FILE` or `cvc5 --incremental FILE`. The proof is
; confirmed if every answer is the expected one, and there is no error. `unknown` confirms nothing.
; That the file is whole: grep -v '^; sha256:' FILE | sha256sum
;
; The formulas after `(push 1)` are over the state before the rule: the updates of the rule have been put in place of what
; they change. The parameters and choices of a rule are constants.
";

/// The certificate as SMT-LIB 2, with the obligations that it stands for. Notes, such as the name of the source file and
/// its digest, are shown in the header.
pub fn certificate_text(
    system: &TransitionSystem,
    certificate: &Certificate,
    notes: &[String],
) -> Result<String, ObligationError> {
    let obligations = obligations(system, certificate)?;
    let writer = Writer::new(system, facts(certificate), &obligations);
    let mut text = writer.header(certificate, &obligations, notes);
    text.push_str(EXPLANATION);
    writer.prelude(&mut text);
    writer.queries(&obligations, &mut text);
    Ok(sealed(&text))
}

/// Text on one line: nothing in a name may end a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Longer formulas are cut off where they stand in a comment.
const SHOWN: usize = 2_000;

struct Writer<'a> {
    system: &'a TransitionSystem,
    facts: Vec<Fact>,
    notation: Patterns,
    /// The SMT-LIB text of every formula.
    texts: HashMap<Term, String>,
    /// Of the rigid symbols, of the state, and of whatever else occurs.
    declared: [String; 3],
    axioms: Group,
    types: Group,
    invariant: Group,
    steps: Vec<StepNames<'a>>,
}

/// Formulas that have names, and the name of their conjunction.
struct Group {
    formulas: Vec<Term>,
    names: Vec<String>,
    all: String,
}

/// What is defined for a rule or start: its guard, and the conditions of its assertions.
struct StepNames<'a> {
    step: Step,
    rule: &'a Rule,
    guard: String,
    assertions: Group,
}

impl<'a> Writer<'a> {
    fn new(system: &'a TransitionSystem, facts: Vec<Fact>, obligations: &[Obligation]) -> Writer<'a> {
        let mut declarations = Declarations::default();
        let rigid = declare(&mut declarations, &system.rigid);
        let state = declare(&mut declarations, &system.state);
        let (mut others, mut texts) = (String::new(), HashMap::new());
        let defined = system.axioms.iter().chain(&system.type_facts).chain(&facts);
        let asserted = obligations.iter().flat_map(|obligation| &obligation.formulas);
        let conditions = steps(system).flat_map(|(_, rule)| conditions(rule));
        let formulas = defined
            .map(|fact| fact.formula)
            .chain(asserted.copied())
            .chain(conditions);
        for formula in formulas {
            texts.entry(formula).or_insert_with(|| {
                others.push_str(&declarations.declare(formula));
                declarations.term(formula)
            });
        }
        // After all symbols of the model have got theirs.
        let name = |base: String| {
            let mut name = base;
            while declarations.symbols().meaning(&name).is_some() {
                name.push('_');
            }
            name
        };
        let group = |word: &str, all: &str, formulas: Vec<Term>| Group {
            names: (1..=formulas.len())
                .map(|number| name(format!("{word}-{number}")))
                .collect(),
            all: name(all.to_owned()),
            formulas,
        };
        let types = group("type", "types", formulas_of(&system.type_facts));
        let mut invariant = group("fact", "invariant", formulas_of(&facts));
        invariant.formulas.splice(0..0, types.formulas.iter().copied());
        invariant.names.splice(0..0, types.names.iter().cloned());
        let step_names = |(step, rule): (Step, &'a Rule)| {
            let of = match step {
                Step::Start(position) => format!("start-{}", position + 1),
                Step::Rule(position) => format!("rule-{}", position + 1),
            };
            let conditions = rule.assertions.iter().map(|assertion| assertion.condition).collect();
            let assertions = group(&format!("{of}-assertion"), &format!("{of}-assertions"), conditions);
            let guard = name(format!("{of}-guard"));
            StepNames {
                step,
                rule,
                guard,
                assertions,
            }
        };
        Writer {
            system,
            notation: symbols(system)
                .map(|symbol| (symbol.function, symbol.display.clone()))
                .collect(),
            texts,
            declared: [rigid, state, others],
            axioms: group("axiom", "axioms", formulas_of(&system.axioms)),
            types,
            invariant,
            steps: steps(system).map(step_names).collect(),
            facts,
        }
    }

    fn header(&self, certificate: &Certificate, obligations: &[Obligation], notes: &[String]) -> String {
        let mut text = format!("{TITLE}\n");
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(text, "; {key}: {}", one_line(value));
        };
        line("system", &self.system.name);
        line("made by", concat!("cubist ", env!("CARGO_PKG_VERSION")));
        notes.iter().for_each(|note| line("note", note));
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
        text
    }

    fn prelude(&self, text: &mut String) {
        text.push_str("\n(set-info :smt-lib-version 2.6)\n(set-logic ALL)\n");
        let titles = [
            "What never changes",
            "The state",
            "Sorts, parameters and choices that remain",
        ];
        for (title, declared) in titles
            .iter()
            .zip(&self.declared)
            .filter(|(_, declared)| !declared.is_empty())
        {
            let _ = write!(text, "\n; {title}.\n{declared}");
        }
        self.definitions("Axioms", &self.axioms.names, &self.system.axioms, text);
        conjunction(&self.axioms, text);
        self.definitions("What the types say", &self.types.names, &self.system.type_facts, text);
        conjunction(&self.types, text);
        let facts = &self.invariant.names[self.types.names.len()..];
        self.definitions("The invariant", facts, &self.facts, text);
        conjunction(&self.invariant, text);
        self.steps.iter().for_each(|step| self.step(step, text));
    }

    fn definitions(&self, title: &str, names: &[String], facts: &[Fact], text: &mut String) {
        if !facts.is_empty() {
            let _ = write!(text, "\n; {title}.\n");
        }
        for (name, fact) in names.iter().zip(facts) {
            let _ = writeln!(text, "; {}: {}", one_line(&fact.name), self.shown(fact.formula));
            let _ = writeln!(text, "(define-fun {name} () Bool {})", self.text(fact.formula));
        }
    }

    fn step(&self, names: &StepNames<'_>, text: &mut String) {
        let StepNames {
            step,
            rule,
            guard,
            assertions,
        } = names;
        let word = if matches!(step, Step::Start(_)) {
            "Start"
        } else {
            "Rule"
        };
        let parameters: Vec<String> = rule
            .parameters
            .iter()
            .map(|v| format!("{}: {}", v.name, v.sort))
            .collect();
        let _ = writeln!(
            text,
            "\n; {word} {}({})",
            one_line(&rule.name),
            one_line(&parameters.join(", "))
        );
        if !rule.guard.is_true() {
            let _ = writeln!(text, "; enabled where: {}", self.shown(rule.guard));
            let _ = writeln!(text, "(define-fun {guard} () Bool {})", self.text(rule.guard));
        }
        for update in &rule.updates {
            let arguments: Vec<Term> = update.parameters.iter().map(|parameter| parameter.term()).collect();
            let place = update.function.apply(arguments);
            let _ = writeln!(text, "; {} := {}", self.shown(place), self.shown(update.value));
        }
        if !rule.constraint.is_true() {
            let _ = writeln!(text, "; such that: {}", self.shown(rule.constraint));
        }
        for (name, assertion) in assertions.names.iter().zip(&rule.assertions) {
            let _ = writeln!(text, "; never: {}", one_line(&assertion.message));
            let _ = writeln!(text, "(define-fun {name} () Bool {})", self.text(assertion.condition));
        }
        conjunction(assertions, text);
    }

    /// A formula as the user would write it, on one line.
    fn shown(&self, formula: Term) -> String {
        let text = one_line(&pretty_with(formula, &self.notation));
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{} ...", &text[..end]),
            None => text,
        }
    }

    fn text(&self, formula: Term) -> &str {
        self.texts.get(&formula).map_or("", String::as_str)
    }

    fn queries(&self, obligations: &[Obligation], text: &mut String) {
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
            self.assertions(obligation, text);
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

    fn assertions(&self, obligation: &Obligation, text: &mut String) {
        let step = step_of(&obligation.kind);
        let names = self.steps.iter().find(|names| Some(names.step) == step);
        let groups = [
            Some(&self.axioms),
            Some(&self.invariant),
            Some(&self.types),
            names.map(|names| &names.assertions),
        ];
        let mut rest = obligation.formulas.as_slice();
        while let Some((formula, behind)) = rest.split_first() {
            let is_next = |group: &&Group| !group.formulas.is_empty() && rest.starts_with(&group.formulas);
            if let Some(group) = groups.into_iter().flatten().find(is_next) {
                let _ = writeln!(text, "(assert {})", group.all);
                rest = &rest[group.formulas.len()..];
            } else {
                if !formula.is_true() {
                    let _ = writeln!(text, "(assert {})", self.named(*formula, names));
                }
                rest = behind;
            }
        }
    }

    /// The name of a formula or of what it negates, or its text.
    fn named(&self, formula: Term, names: Option<&StepNames<'_>>) -> String {
        let name = |formula: Term| {
            let guard = names
                .filter(|names| names.rule.guard == formula)
                .map(|names| &names.guard);
            let groups = [Some(&self.invariant), names.map(|names| &names.assertions)];
            let member = |group: &'_ Group| {
                let position = group.formulas.iter().position(|known| *known == formula)?;
                Some(group.names[position].clone())
            };
            guard.cloned().or_else(|| groups.into_iter().flatten().find_map(member))
        };
        let negated = match formula.kind() {
            Kind::Not(inner) => name(*inner).map(|name| format!("(not {name})")),
            _ => None,
        };
        name(formula)
            .or(negated)
            .unwrap_or_else(|| self.text(formula).to_owned())
    }
}

fn formulas_of(facts: &[Fact]) -> Vec<Term> {
    facts.iter().map(|fact| fact.formula).collect()
}

fn steps(system: &TransitionSystem) -> impl Iterator<Item = (Step, &Rule)> {
    let starts = system
        .starts
        .iter()
        .enumerate()
        .map(|(position, start)| (Step::Start(position), start));
    starts.chain(
        system
            .rules
            .iter()
            .enumerate()
            .map(|(position, rule)| (Step::Rule(position), rule)),
    )
}

/// The formulas of a rule that the certificate defines.
fn conditions(rule: &Rule) -> impl Iterator<Item = Term> {
    [rule.guard]
        .into_iter()
        .chain(rule.assertions.iter().map(|assertion| assertion.condition))
}

fn step_of(kind: &ObligationKind) -> Option<Step> {
    match *kind {
        ObligationKind::InitialExists | ObligationKind::Property { .. } => None,
        ObligationKind::Initial { start, .. } => Some(Step::Start(start)),
        ObligationKind::Inductive { rule, .. } => Some(Step::Rule(rule)),
        ObligationKind::TypeFact { step, .. } | ObligationKind::Assertion { step, .. } => Some(step),
    }
}

fn symbols(system: &TransitionSystem) -> impl Iterator<Item = &Symbol> {
    system.rigid.iter().chain(&system.state)
}

/// Declares the symbols, each with how the user writes it where that is different.
fn declare(declarations: &mut Declarations, symbols: &[Symbol]) -> String {
    let mut text = String::new();
    for symbol in symbols {
        declarations.declare_function(symbol.function, &mut text);
        if symbol.display != symbol.function.name().as_str() && text.ends_with('\n') {
            text.pop();
            let _ = writeln!(text, " ; {}", one_line(&symbol.display));
        }
    }
    text
}

fn conjunction(group: &Group, text: &mut String) {
    let body = match group.names.as_slice() {
        [] => return,
        [only] => only.clone(),
        several => format!("(and {})", several.join(" ")),
    };
    let _ = writeln!(text, "(define-fun {} () Bool {body})", group.all);
}
