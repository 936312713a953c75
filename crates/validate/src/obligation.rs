//! From an invariant to proof obligations.
//!
//! Let `A` be the axioms, `T` the type facts and `I` the facts of the certificate; `[r]` puts the updates of a rule or start
//! `r` in place. The invariant is `T and I`. The obligations are, each for itself:
//!
//! | kind | formulas | answer |
//! | --- | --- | --- |
//! | initial states exist (in a small instance) | `A`, and for some start: guard, `constraint[start]`, `T[start]` | sat |
//! | a start establishes a fact | `A`, guard, `constraint[start]`, untouched `T`, `not fact[start]` | unsat |
//! | a rule keeps a fact | `A`, `T`, `I` or as much of it as is said to be enough, guard, `not fact[rule]` | unsat |
//! | a type fact is kept | as the two above, and the assertions of the start or rule | unsat |
//! | an assertion holds | `A`, `T`, `I`, guard, `not condition`; without `T`, `I` for a start | unsat |
//! | a property follows | `A`, `T`, `I`, `not property` | unsat |
//!
//! Parameters and choices are free: they stand for arbitrary values. Functions that a start does not update are arbitrary
//! in the state that it makes, within their types: what of `T` the start does not touch may be assumed.
//!
//! Why type facts may be assumed: by induction on the length of a run. They hold in initial states, since a start breaks
//! none; and where they and the facts hold, the assertions of a rule do, so the rule breaks no type fact. The assertions
//! that this leans on (a value stays in its range) are obligations of their own, under the same assumptions.
//!
//! The first obligation is no luxury: where there are no initial states, all the others may hold and prove nothing.
//!
//! Only substitution is used here, no simplifier: a mistake of one must not be on both sides.

use crate::small_instance::in_small_instance;
use logic::substitute::functions_of;
use logic::{Function, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::certificate::Certificate;
use system::transition::{Fact, Property, Rule, TransitionSystem};

/// Formulas together with the answer that a solver must give to them.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What is shown by it, in a sentence with the user's names.
    pub name: String,
    pub kind: ObligationKind,
    pub expected: Expected,
    /// All to be asserted. Free variables are constants.
    pub formulas: Vec<Term>,
}

/// The answer that confirms an obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    Sat,
    Unsat,
}

impl Expected {
    /// As solvers write it.
    pub fn word(self) -> &'static str {
        match self {
            Expected::Sat => "sat",
            Expected::Unsat => "unsat",
        }
    }
}

/// A start or a rule, by its position in the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    Start(usize),
    Rule(usize),
}

/// What an obligation is about. Numbers are positions in the system or certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObligationKind {
    InitialExists,
    Initial { start: usize, fact: usize },
    Inductive { rule: usize, fact: usize },
    TypeFact { step: Step, fact: usize },
    Assertion { step: Step, number: usize },
    Property { name: String },
}

/// Why there are no proof obligations: the system or the certificate does not make sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ObligationError {
    #[error("the system has no start: there are no initial states, and nothing is proved")]
    NoStart,
    #[error("the certificate names no property, and there are no assertions: nothing is proved")]
    NothingToProve,
    #[error("there is no property `{0}`")]
    UnknownProperty(String),
    #[error("{place} is not closed: `{variable}` is free")]
    NotClosed { place: String, variable: String },
    #[error("{place} mentions `{symbol}`, which is not allowed there")]
    SymbolOutOfPlace { place: String, symbol: String },
    #[error("{place} updates `{symbol}`, which is not part of the state, or updates it twice")]
    WrongUpdate { place: String, symbol: String },
    #[error("{place} restricts the state that it makes, which only starts may do")]
    ConstraintOfRule { place: String },
}

/// The obligations that together show that the properties of the certificate hold in every reachable state and that no
/// assertion fails.
///
/// A fact that a rule does not touch needs no obligation, except that each rule has one at least.
pub fn obligations(system: &TransitionSystem, certificate: &Certificate) -> Result<Vec<Obligation>, ObligationError> {
    let properties = properties(system, certificate)?;
    check(system, certificate)?;
    let makers = Maker {
        system,
        facts: facts(certificate),
        premises: &certificate.premises,
    };
    let mut made = vec![makers.initial_exists()];
    for start in 0..system.starts.len() {
        makers.start(start, &mut made);
    }
    for rule in 0..system.rules.len() {
        makers.rule(rule, &mut made);
    }
    made.extend(properties.into_iter().map(|property| makers.property(property)));
    Ok(made)
}

/// The properties that the certificate names. One name may stand for several.
fn properties<'s>(
    system: &'s TransitionSystem,
    certificate: &Certificate,
) -> Result<Vec<&'s Property>, ObligationError> {
    let mut found = Vec::new();
    for name in &certificate.properties {
        let before = found.len();
        found.extend(system.properties.iter().filter(|property| property.name == *name));
        if found.len() == before {
            return Err(ObligationError::UnknownProperty(name.clone()));
        }
    }
    let steps = system.starts.iter().chain(&system.rules);
    if found.is_empty() && steps.clone().all(|step| step.assertions.is_empty()) {
        return Err(ObligationError::NothingToProve);
    }
    Ok(found)
}

/// The facts of the certificate, of which there is always one: where the types alone prove everything, it is `true`.
pub(crate) fn facts(certificate: &Certificate) -> Vec<Fact> {
    let nothing = Fact {
        name: "nothing more than the types".to_owned(),
        formula: term::bool(true),
        span: Span::default(),
    };
    if certificate.facts.is_empty() {
        vec![nothing]
    } else {
        certificate.facts.clone()
    }
}

struct Maker<'a> {
    system: &'a TransitionSystem,
    facts: Vec<Fact>,
    premises: &'a BTreeMap<usize, BTreeSet<usize>>,
}

impl Maker<'_> {
    fn axioms(&self) -> Vec<Term> {
        formulas(&self.system.axioms)
    }

    /// What holds in a reachable state.
    fn state(&self) -> Vec<Term> {
        self.state_of(|_| true)
    }

    /// What holds in a reachable state, with some of the facts only.
    fn state_of(&self, is_chosen: impl Fn(usize) -> bool) -> Vec<Term> {
        let mut state = self.axioms();
        state.extend(formulas(&self.system.type_facts));
        let chosen = self
            .facts
            .iter()
            .enumerate()
            .filter(|(position, _)| is_chosen(*position));
        state.extend(chosen.map(|(_, fact)| fact.formula));
        state
    }

    fn initial_exists(&self) -> Obligation {
        let made = self.system.starts.iter().map(|start| {
            let after = start.substitution();
            let types = self.system.type_facts.iter().map(|fact| after.apply(fact.formula));
            let parts: Vec<Term> = [start.guard, after.apply(start.constraint)]
                .into_iter()
                .chain(types)
                .collect();
            parts
        });
        let made: Vec<Vec<Term>> = made.collect();
        let mut formulas = self.axioms();
        match made.as_slice() {
            [only] => formulas.extend(only),
            several => formulas.push(term::or(several.iter().map(|parts| term::and(parts.iter().copied())))),
        }
        let (formulas, size) = in_small_instance(self.system, &formulas).unwrap_or((formulas, None));
        let limit = size.map_or(String::new(), |size| {
            format!(" where index sorts have up to {size} elements")
        });
        let name = format!("there is an initial state{limit}");
        Obligation {
            name,
            kind: ObligationKind::InitialExists,
            expected: Expected::Sat,
            formulas,
        }
    }

    fn start(&self, number: usize, made: &mut Vec<Obligation>) {
        let start = &self.system.starts[number];
        let after = start.substitution();
        let mut known = self.axioms();
        known.push(start.guard);
        self.assertions(Step::Start(number), start, &known, made);
        known.push(after.apply(start.constraint));
        let untouched = self.system.type_facts.iter().map(|fact| fact.formula);
        known.extend(untouched.filter(|formula| after.apply(*formula) == *formula));
        self.types(Step::Start(number), start, &known, made);
        for (fact, Fact { name, formula, .. }) in self.facts.iter().enumerate() {
            made.push(Obligation {
                name: format!("start `{}` establishes `{name}`", start.name),
                kind: ObligationKind::Initial { start: number, fact },
                expected: Expected::Unsat,
                formulas: with(&known, [term::not(after.apply(*formula))]),
            });
        }
    }

    fn rule(&self, number: usize, made: &mut Vec<Obligation>) {
        let rule = &self.system.rules[number];
        let after = rule.substitution();
        let mut known = self.state();
        known.push(rule.guard);
        self.assertions(Step::Rule(number), rule, &known, made);
        self.types(Step::Rule(number), rule, &known, made);
        let after: Vec<Term> = self.facts.iter().map(|fact| after.apply(fact.formula)).collect();
        // By what the fact speaks of: its bound variables may have to be renamed where nothing else changes.
        let changed: BTreeSet<Function> = rule.updates.iter().map(|update| update.function).collect();
        let touched = |position: usize| !functions_of(self.facts[position].formula).is_disjoint(&changed);
        let touches_any = (0..after.len()).any(touched);
        for (position, fact) in self.facts.iter().enumerate() {
            if touched(position) || (position == 0 && !touches_any) {
                let premises = self.premises.get(&position).filter(|_| touches_any);
                let known = self.state_of(|other| premises.is_none_or(|premises| premises.contains(&other)));
                made.push(Obligation {
                    name: format!("rule `{}` keeps `{}`", rule.name, fact.name),
                    kind: ObligationKind::Inductive {
                        rule: number,
                        fact: position,
                    },
                    expected: Expected::Unsat,
                    formulas: with(&known, [rule.guard, term::not(after[position])]),
                });
            }
        }
    }

    fn assertions(&self, step: Step, rule: &Rule, known: &[Term], made: &mut Vec<Obligation>) {
        for (number, assertion) in rule.assertions.iter().enumerate() {
            made.push(Obligation {
                name: format!("in {} never: {}", place(step, rule), assertion.message),
                kind: ObligationKind::Assertion { step, number },
                expected: Expected::Unsat,
                formulas: with(known, [term::not(assertion.condition)]),
            });
        }
    }

    fn types(&self, step: Step, rule: &Rule, known: &[Term], made: &mut Vec<Obligation>) {
        let after = rule.substitution();
        let asserted = rule.assertions.iter().map(|assertion| assertion.condition);
        let known = with(known, asserted);
        for (position, fact) in self.system.type_facts.iter().enumerate() {
            let formula = after.apply(fact.formula);
            if formula != fact.formula {
                made.push(Obligation {
                    name: format!("{} keeps `{}`", place(step, rule), fact.name),
                    kind: ObligationKind::TypeFact { step, fact: position },
                    expected: Expected::Unsat,
                    formulas: with(&known, [term::not(formula)]),
                });
            }
        }
    }

    fn property(&self, property: &Property) -> Obligation {
        Obligation {
            name: format!("the invariant implies `{}`", property.name),
            kind: ObligationKind::Property {
                name: property.name.clone(),
            },
            expected: Expected::Unsat,
            formulas: with(&self.state(), [term::not(property.formula)]),
        }
    }
}

fn formulas(facts: &[Fact]) -> Vec<Term> {
    facts.iter().map(|fact| fact.formula).collect()
}

fn with(known: &[Term], more: impl IntoIterator<Item = Term>) -> Vec<Term> {
    known.iter().copied().chain(more).collect()
}

fn place(step: Step, rule: &Rule) -> String {
    match step {
        Step::Start(_) => format!("start `{}`", rule.name),
        Step::Rule(_) => format!("rule `{}`", rule.name),
    }
}

/// That the system and the certificate are of the form on which the obligations rest.
fn check(system: &TransitionSystem, certificate: &Certificate) -> Result<(), ObligationError> {
    if system.starts.is_empty() {
        return Err(ObligationError::NoStart);
    }
    let rigid: BTreeSet<Function> = system.rigid.iter().map(|symbol| symbol.function).collect();
    let state: BTreeSet<Function> = system.state.iter().map(|symbol| symbol.function).collect();
    let either: BTreeSet<Function> = rigid.union(&state).copied().collect();
    for axiom in &system.axioms {
        closed(&format!("the axiom `{}`", axiom.name), axiom.formula, &rigid)?;
    }
    for fact in &system.type_facts {
        closed(&format!("the type fact `{}`", fact.name), fact.formula, &either)?;
    }
    for fact in &certificate.facts {
        closed(&format!("the fact `{}`", fact.name), fact.formula, &either)?;
    }
    for property in &system.properties {
        closed(&format!("the property `{}`", property.name), property.formula, &either)?;
    }
    for (number, start) in system.starts.iter().enumerate() {
        check_step(&place(Step::Start(number), start), start, &either, &state)?;
        check_start(&place(Step::Start(number), start), start, &state)?;
    }
    for (number, rule) in system.rules.iter().enumerate() {
        check_step(&place(Step::Rule(number), rule), rule, &either, &state)?;
        if !rule.constraint.is_true() {
            return Err(ObligationError::ConstraintOfRule {
                place: place(Step::Rule(number), rule),
            });
        }
    }
    Ok(())
}

fn closed(place: &str, formula: Term, allowed: &BTreeSet<Function>) -> Result<(), ObligationError> {
    if let Some(variable) = formula.free_variables().first() {
        return Err(ObligationError::NotClosed {
            place: place.to_owned(),
            variable: variable.name.to_string(),
        });
    }
    match functions_of(formula).difference(allowed).next() {
        Some(symbol) => Err(out_of_place(place, *symbol)),
        None => Ok(()),
    }
}

fn out_of_place(place: &str, symbol: Function) -> ObligationError {
    ObligationError::SymbolOutOfPlace {
        place: place.to_owned(),
        symbol: symbol.name().to_string(),
    }
}

/// A choice that were also a symbol of the system would not be free; an update that got lost would change nothing.
fn check_step(
    place: &str,
    rule: &Rule,
    symbols: &BTreeSet<Function>,
    state: &BTreeSet<Function>,
) -> Result<(), ObligationError> {
    if let Some(choice) = rule.choices.iter().find(|choice| symbols.contains(choice)) {
        return Err(out_of_place(place, *choice));
    }
    let mut updated = BTreeSet::new();
    for update in &rule.updates {
        if !state.contains(&update.function) || !updated.insert(update.function) {
            let symbol = update.function.name().to_string();
            return Err(ObligationError::WrongUpdate {
                place: place.to_owned(),
                symbol,
            });
        }
    }
    Ok(())
}

/// There is no state before a start, so nothing but its constraint may speak of one.
fn check_start(place: &str, start: &Rule, state: &BTreeSet<Function>) -> Result<(), ObligationError> {
    let values = start.updates.iter().map(|update| update.value);
    let conditions = start.assertions.iter().map(|assertion| assertion.condition);
    for formula in [start.guard].into_iter().chain(values).chain(conditions) {
        if let Some(symbol) = functions_of(formula).intersection(state).next() {
            return Err(out_of_place(place, *symbol));
        }
    }
    Ok(())
}
