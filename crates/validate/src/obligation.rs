//! From an invariant to proof obligations.
//!
//! Let `A` be the axioms, `T` the type facts and `I` the facts of the certificate; `[r]` puts the updates of a rule
//! or start `r` in place. The invariant is `T and I`. The obligations are, each for itself:
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
//! Parameters and choices are free: they stand for arbitrary values. Functions that a start does not update are
//! arbitrary in the state that it makes, within their types: what of `T` the start does not touch may be assumed.
//!
//! Why type facts may be assumed: by induction on the length of a run. They hold in initial states, since a start
//! breaks none; and where they and the facts hold, the assertions of a rule do, so the rule breaks no type fact. The
//! assertions that this leans on (a value stays in its range) are obligations of their own, under the same
//! assumptions.
//!
//! The first obligation is no luxury: where there are no initial states, all the others may hold and prove nothing.
//!
//! Only substitution is used here, no simplifier: a mistake of one must not be on both sides. Terms fold by
//! themselves, though, so that much of what holds trivially is no more than `false` here. In a certificate (`text`)
//! the updates of a step are definitions, and every obligation is written as it was before anything was substituted.

use crate::names::is_same_name;
use crate::small_instance::in_small_instance;
use logic::substitute::functions_of;
use logic::{Function, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::certificate::Certificate;
use system::transition::{Fact, Rule, TransitionSystem};

/// Formulas together with the answer that a solver must give to them.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What is shown by it, in a sentence with the user's names.
    pub name: String,
    pub kind: ObligationKind,
    pub expected: Expected,
    /// What is to be asserted.
    pub parts: Vec<Part>,
    /// The same as formulas, with the updates of the step substituted. Free variables are constants.
    pub formulas: Vec<Term>,
}

/// Something that an obligation asserts. Numbers are positions in the system or certificate; what depends on a start
/// or rule is of the one that the obligation is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Axioms,
    Types,
    /// The types and all facts.
    Invariant,
    Type(usize),
    Fact(usize),
    Guard,
    /// Of the state that a start makes.
    Constraint,
    Assertions,
    NotAssertion(usize),
    /// In the state after the step.
    NotTypeAfter(usize),
    NotFactAfter(usize),
    NotProperty(usize),
    Formula(Term),
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
    #[error("{0}: one name must not stand for two things")]
    DeclaredTwice(String),
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

/// The properties that the certificate names, by position. One name may stand for several: then it is about all of
/// them.
fn properties(system: &TransitionSystem, certificate: &Certificate) -> Result<Vec<usize>, ObligationError> {
    let mut found = Vec::new();
    for name in &certificate.properties {
        let before = found.len();
        let named = |position: &usize| is_same_name(&system.properties[*position].name, name);
        found.extend((0..system.properties.len()).filter(named));
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

/// A start or rule, and what it makes of formulas over the state after it.
struct Taken<'a> {
    step: Step,
    rule: &'a Rule,
    changed: BTreeSet<Function>,
    types: Vec<Term>,
    facts: Vec<Term>,
    constraint: Term,
}

impl Taken<'_> {
    /// By what the formula speaks of: its bound variables may have to be renamed where nothing else changes.
    fn touches(&self, formula: Term) -> bool {
        !functions_of(formula).is_disjoint(&self.changed)
    }
}

impl Maker<'_> {
    fn taken(&self, step: Step) -> Taken<'_> {
        let rule = match step {
            Step::Start(number) => &self.system.starts[number],
            Step::Rule(number) => &self.system.rules[number],
        };
        let after = rule.substitution();
        let all = |facts: &[Fact]| facts.iter().map(|fact| after.apply(fact.formula)).collect();
        Taken {
            step,
            rule,
            changed: rule.updates.iter().map(|update| update.function).collect(),
            types: all(&self.system.type_facts),
            facts: all(&self.facts),
            constraint: after.apply(rule.constraint),
        }
    }

    fn obligation(&self, name: String, kind: ObligationKind, parts: Vec<Part>, taken: Option<&Taken>) -> Obligation {
        let formulas = parts.iter().flat_map(|part| self.formulas(*part, taken)).collect();
        Obligation {
            name,
            kind,
            expected: Expected::Unsat,
            parts,
            formulas,
        }
    }

    fn formulas(&self, part: Part, taken: Option<&Taken>) -> Vec<Term> {
        let of_step = |get: &dyn Fn(&Taken) -> Vec<Term>| taken.map(get).unwrap_or_default();
        let conditions = |taken: &Taken| taken.rule.assertions.iter().map(|a| a.condition).collect::<Vec<_>>();
        match part {
            Part::Axioms => formulas(&self.system.axioms),
            Part::Types => formulas(&self.system.type_facts),
            Part::Invariant => formulas(self.system.type_facts.iter().chain(&self.facts)),
            Part::Type(position) => vec![self.system.type_facts[position].formula],
            Part::Fact(position) => vec![self.facts[position].formula],
            Part::Guard => of_step(&|taken| vec![taken.rule.guard]),
            Part::Constraint => of_step(&|taken| vec![taken.constraint]),
            Part::Assertions => of_step(&conditions),
            Part::NotAssertion(number) => of_step(&|taken| vec![term::not(conditions(taken)[number])]),
            Part::NotTypeAfter(position) => of_step(&|taken| vec![term::not(taken.types[position])]),
            Part::NotFactAfter(position) => of_step(&|taken| vec![term::not(taken.facts[position])]),
            Part::NotProperty(position) => vec![term::not(self.system.properties[position].formula)],
            Part::Formula(formula) => vec![formula],
        }
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
        let mut formulas = formulas(&self.system.axioms);
        match made.as_slice() {
            [only] => formulas.extend(only),
            several => formulas.push(term::or(several.iter().map(|parts| term::and(parts.iter().copied())))),
        }
        let (formulas, size) = in_small_instance(self.system, &formulas).unwrap_or((formulas, None));
        let limit = size.map_or(String::new(), |size| {
            format!(" where index sorts have up to {size} elements")
        });
        let name = format!("there is an initial state{limit}");
        let parts = formulas.into_iter().map(Part::Formula).collect();
        Obligation {
            expected: Expected::Sat,
            ..self.obligation(name, ObligationKind::InitialExists, parts, None)
        }
    }

    fn start(&self, number: usize, made: &mut Vec<Obligation>) {
        let taken = self.taken(Step::Start(number));
        let mut known = vec![Part::Axioms, Part::Guard];
        self.assertions(&taken, &known, made);
        if !taken.rule.constraint.is_true() {
            known.push(Part::Constraint);
        }
        let types = self.system.type_facts.iter().enumerate();
        let untouched = types.filter(|(_, fact)| !taken.touches(fact.formula));
        known.extend(untouched.map(|(position, _)| Part::Type(position)));
        self.types(&taken, &known, made);
        for (fact, Fact { name, .. }) in self.facts.iter().enumerate() {
            let name = format!("start `{}` establishes `{name}`", taken.rule.name);
            let kind = ObligationKind::Initial { start: number, fact };
            let parts = with(&known, Part::NotFactAfter(fact));
            made.push(self.obligation(name, kind, parts, Some(&taken)));
        }
    }

    fn rule(&self, number: usize, made: &mut Vec<Obligation>) {
        let taken = self.taken(Step::Rule(number));
        let known = [Part::Axioms, Part::Invariant, Part::Guard];
        self.assertions(&taken, &known, made);
        self.types(&taken, &known, made);
        let touched = |position: usize| taken.touches(self.facts[position].formula);
        let touches_any = (0..self.facts.len()).any(touched);
        for (position, fact) in self.facts.iter().enumerate() {
            if !touched(position) && (position > 0 || touches_any) {
                continue;
            }
            let mut parts = match self.premises.get(&position).filter(|_| touches_any) {
                None => known.to_vec(),
                Some(premises) => {
                    let facts = premises.iter().filter(|premise| **premise < self.facts.len());
                    let facts = facts.map(|premise| Part::Fact(*premise));
                    [Part::Axioms, Part::Types]
                        .into_iter()
                        .chain(facts)
                        .chain([Part::Guard])
                        .collect()
                }
            };
            parts.push(Part::NotFactAfter(position));
            let name = format!("rule `{}` keeps `{}`", taken.rule.name, fact.name);
            let kind = ObligationKind::Inductive {
                rule: number,
                fact: position,
            };
            made.push(self.obligation(name, kind, parts, Some(&taken)));
        }
    }

    fn assertions(&self, taken: &Taken, known: &[Part], made: &mut Vec<Obligation>) {
        let step = taken.step;
        for (number, assertion) in taken.rule.assertions.iter().enumerate() {
            let name = format!("in {} never: {}", place(step, taken.rule), assertion.message);
            let kind = ObligationKind::Assertion { step, number };
            let parts = with(known, Part::NotAssertion(number));
            made.push(self.obligation(name, kind, parts, Some(taken)));
        }
    }

    fn types(&self, taken: &Taken, known: &[Part], made: &mut Vec<Obligation>) {
        let step = taken.step;
        let known = with(known, Part::Assertions);
        for (position, fact) in self.system.type_facts.iter().enumerate() {
            if taken.touches(fact.formula) {
                let name = format!("{} keeps `{}`", place(step, taken.rule), fact.name);
                let kind = ObligationKind::TypeFact { step, fact: position };
                let parts = with(&known, Part::NotTypeAfter(position));
                made.push(self.obligation(name, kind, parts, Some(taken)));
            }
        }
    }

    fn property(&self, position: usize) -> Obligation {
        let name = self.system.properties[position].name.clone();
        let parts = vec![Part::Axioms, Part::Invariant, Part::NotProperty(position)];
        let shown = format!("the invariant implies `{name}`");
        self.obligation(shown, ObligationKind::Property { name }, parts, None)
    }
}

fn formulas<'f>(facts: impl IntoIterator<Item = &'f Fact>) -> Vec<Term> {
    facts.into_iter().map(|fact| fact.formula).collect()
}

fn with(known: &[Part], more: Part) -> Vec<Part> {
    known.iter().copied().chain([more]).collect()
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
    if let Some(twice) = system.declared_twice() {
        return Err(ObligationError::DeclaredTwice(twice));
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
