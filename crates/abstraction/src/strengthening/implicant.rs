//! From a model of a formula to a cube: literals about the state that make the formula true.
//!
//! Index terms with the same value in the model become one variable of the cube, those with different values different
//! variables. A universal formula is looked at for the elements that have a name, and is a literal itself. Whether the
//! cube says all that the formula needs does not matter much: what comes of it is proved in the end, so that may cost a
//! proof but never makes a wrong one.

use deduction::generalisation::{Cube, variable};
use logic::Cancellation;
use logic::hashing::{FastMap, FastSet};
use logic::substitute::{functions_of, rebuild};
use logic::{Function, Kind, Lambda, Quantifier, Sort, Substitution, Term, Value, Variable, term};
use smt::Model;
use std::collections::{BTreeMap, BTreeSet};

/// Reads a model.
pub(super) struct Implicant<'m> {
    model: &'m dyn Model,
    /// The functions of the state, and rigid symbols.
    global: &'m BTreeSet<Function>,
    /// What stands for an element in the cube: a variable, or a rigid constant.
    elements: BTreeMap<Value, Term>,
    /// A term of the query for the element.
    names: BTreeMap<Value, Term>,
    /// Constants for what the query says to exist.
    witnesses: Vec<Term>,
    counts: BTreeMap<Sort, usize>,
    literals: BTreeSet<Term>,
    /// Terms of the state that stand for elements, and which.
    pointers: BTreeMap<Term, Value>,
    /// Formulas whose literals are there already.
    collected: FastSet<(Term, bool)>,
    cancellation: &'m Cancellation,
}

impl<'m> Implicant<'m> {
    /// `constants` are the terms of index sorts by which elements have names: rigid constants first.
    pub(super) fn new(
        model: &'m dyn Model,
        global: &'m BTreeSet<Function>,
        constants: &[Term],
        witnesses: Vec<Term>,
        cancellation: &'m Cancellation,
    ) -> Implicant<'m> {
        let mut implicant = Implicant {
            model,
            global,
            elements: BTreeMap::new(),
            names: BTreeMap::new(),
            witnesses,
            counts: BTreeMap::new(),
            literals: BTreeSet::new(),
            pointers: BTreeMap::new(),
            collected: FastSet::default(),
            cancellation,
        };
        for constant in constants {
            if let Ok(value) = model.value(*constant) {
                implicant.names.entry(value.clone()).or_insert(*constant);
                if implicant.is_global(*constant) {
                    implicant.elements.entry(value).or_insert(*constant);
                } else {
                    implicant.element(value, constant.sort());
                }
            }
        }
        implicant
    }

    /// The cube of all that was collected, and of what `relations` say about its elements.
    pub(super) fn cube(mut self, relations: &BTreeSet<Function>) -> Cube {
        let used: BTreeSet<Variable> = self.literals.iter().flat_map(|l| l.free_variables()).copied().collect();
        let mut new = Vec::new();
        for (value, element) in &self.elements {
            let Some(name) = self.names.get(value) else { continue };
            let Kind::Variable(variable) = element.kind() else {
                continue;
            };
            let of_sort = relations.iter().filter(|r| r.parameters() == [variable.sort]);
            let holds = |r: &&Function| self.truth(r.apply([*name])) == Some(true);
            if used.contains(variable) {
                new.extend(of_sort.filter(holds).map(|r| r.apply([*element])));
            }
        }
        self.literals.extend(new);
        self.compare_pointers();
        Cube::new(self.literals.iter().copied())
    }

    /// Says of each pointer whether it points where a variable of the state does: that needs no variable of the cube.
    fn compare_pointers(&mut self) {
        let is_variable = |t: &Term| matches!(t.kind(), Kind::Apply(_, arguments) if arguments.is_empty());
        for (a, to_a) in &self.pointers {
            for (b, to_b) in self
                .pointers
                .iter()
                .filter(|(b, _)| is_variable(b) && b.sort() == a.sort())
            {
                let atom = term::equal(*a, *b);
                let literal = if to_a == to_b { atom } else { term::not(atom) };
                if a != b {
                    self.literals.insert(literal);
                }
            }
        }
    }

    fn is_global(&self, term: Term) -> bool {
        matches!(term.kind(), Kind::Apply(function, _) if self.global.contains(function))
    }

    fn element(&mut self, value: Value, sort: Sort) -> Term {
        let counts = &mut self.counts;
        let new = || {
            let number = counts.entry(sort).or_default();
            *number += 1;
            variable(sort, *number - 1).term()
        };
        *self.elements.entry(value).or_insert_with(new)
    }

    fn truth(&self, formula: Term) -> Option<bool> {
        self.model.value(formula).ok()?.as_bool()
    }

    /// Collects literals that make the formula true (false where not `positive`), as it is in the model. Returns
    /// whether they were found: not where something is said to exist that has no name, and not after an interrupt.
    pub(super) fn collect(&mut self, formula: Term, positive: bool) -> bool {
        if self.collected.contains(&(formula, positive)) {
            return true;
        }
        let found = !self.cancellation.is_cancelled() && self.collect_anew(formula, positive);
        if found {
            self.collected.insert((formula, positive));
        }
        found
    }

    fn collect_anew(&mut self, formula: Term, positive: bool) -> bool {
        match formula.kind() {
            Kind::Bool(value) => *value == positive,
            Kind::Not(a) => self.collect(*a, !positive),
            Kind::And(parts) | Kind::Or(parts) => {
                if matches!(formula.kind(), Kind::And(_)) == positive {
                    self.collect_all(parts, positive)
                } else {
                    self.collect_one(parts, positive)
                }
            }
            Kind::Implies(a, b) if positive => self.collect_one(&[term::not(*a), *b], true),
            Kind::Implies(a, b) => self.collect_all(&[*a, term::not(*b)], true),
            Kind::Equal(a, b) if a.sort() == Sort::Bool => {
                let b = if positive { *b } else { term::not(*b) };
                self.collect_one(&both_ways(*a, b, term::not(b)), true)
            }
            Kind::Ite(condition, then, otherwise) => {
                let [then, otherwise] = [*then, *otherwise].map(|part| if positive { part } else { term::not(part) });
                self.collect_one(&both_ways(*condition, then, otherwise), true)
            }
            Kind::Quantified(quantifier, variables, body) => {
                let named = self.instances(variables, *body, &[]);
                let all = self.instances(variables, *body, &self.witnesses);
                if (*quantifier == Quantifier::Forall) == positive {
                    self.universal(formula, positive);
                    let fails = |instance: &Term| self.truth(*instance) == Some(!positive);
                    !all.iter().any(fails) && self.collect_all(&named, positive)
                } else {
                    self.collect_one(&named, positive) || self.collect_one(&all, positive)
                }
            }
            _ => self.atom(formula, positive),
        }
    }

    fn collect_all(&mut self, parts: &[Term], positive: bool) -> bool {
        let collected: Vec<bool> = parts.iter().map(|part| self.collect(*part, positive)).collect();
        collected.into_iter().all(|part| part)
    }

    /// One of the parts makes it so; one without quantifiers where there is one.
    fn collect_one(&mut self, parts: &[Term], positive: bool) -> bool {
        let mut candidates: Vec<Term> = parts.to_vec();
        candidates.sort_by_key(|part| part.has_quantifier());
        for part in candidates {
            // A model says nothing about quantified formulas: it has elements that no formula was instantiated with.
            let may_be = part.has_quantifier() || self.truth(part) == Some(positive);
            if may_be {
                let before = self.literals.clone();
                if self.collect(part, positive) {
                    return true;
                }
                self.literals = before;
                self.collected.clear();
            }
        }
        false
    }

    /// The body for all values of the variables that have names, or are among others.
    fn instances(&self, variables: &[Variable], body: Term, others: &[Term]) -> Vec<Term> {
        let mut instances = vec![body];
        for variable in variables {
            let names = self.names.values().chain(others).copied();
            let terms: Vec<Term> = names.filter(|t| t.sort() == variable.sort).collect();
            let with = |body: &Term| {
                let body = *body;
                terms
                    .iter()
                    .map(move |t| Substitution::of_variables([(*variable, *t)]).apply(body))
                    .collect::<Vec<_>>()
            };
            instances = instances.iter().flat_map(with).collect();
        }
        instances
    }

    /// A universal formula is a literal as well, for existential facts: where it mentions elements and the
    /// state only.
    fn universal(&mut self, formula: Term, positive: bool) {
        let mut substitution = Substitution::default();
        let mut names: Vec<Term> = formula.free_variables().iter().map(|v| v.term()).collect();
        let symbols = functions_of(formula).into_iter().filter(|f| !self.global.contains(f));
        for symbol in symbols {
            if !symbol.parameters().is_empty() {
                return;
            }
            names.push(symbol.apply([]));
        }
        for name in names {
            let (Sort::Index(_), Ok(value)) = (name.sort(), self.model.value(name)) else {
                return;
            };
            let body = self.element(value, name.sort());
            match name.kind() {
                Kind::Variable(variable) => {
                    substitution.variables.insert(*variable, body);
                }
                Kind::Apply(symbol, _) => {
                    let parameters = Vec::new();
                    substitution.functions.insert(*symbol, Lambda { parameters, body });
                }
                _ => return,
            }
        }
        let literal = substitution.apply(formula);
        self.literals
            .insert(if positive { literal } else { term::not(literal) });
    }

    /// What cannot be said in a cube is left out, which makes the cube larger.
    fn atom(&mut self, atom: Term, positive: bool) -> bool {
        if atom.has_quantifier() {
            return true;
        }
        if self.truth(atom) != Some(positive) {
            return false;
        }
        match atom.kind() {
            Kind::Equal(a, b) if matches!(a.sort(), Sort::Index(_)) => self.index_equality(*a, *b, positive),
            _ => {
                if let Some(atom) = self.normal(atom, &mut FastMap::default()) {
                    self.add(atom, positive);
                }
            }
        }
        true
    }

    fn add(&mut self, atom: Term, positive: bool) {
        let literal = if positive { atom } else { term::not(atom) };
        // Weaker comparisons of numbers make better facts where examples allow them.
        match literal.kind() {
            Kind::Equal(a, b) if a.sort().is_numeric() => {
                self.literals
                    .extend([term::less_equal(*a, *b), term::less_equal(*b, *a)]);
            }
            Kind::Less(a, b) => {
                self.literals.insert(term::less_equal(*a, *b));
            }
            _ => {}
        }
        if !literal.is_true() && !literal.is_false() {
            self.literals.insert(literal);
        }
    }

    fn index_equality(&mut self, a: Term, b: Term, positive: bool) {
        let side = |implicant: &mut Self, side: Term| {
            let value = implicant.model.value(side).ok();
            let known = value.as_ref().and_then(|value| implicant.elements.get(value)).copied();
            if implicant.is_global(side) {
                let normal = implicant.normal_arguments(side, &mut FastMap::default());
                if let (Some(normal), Some(value)) = (normal, value) {
                    implicant.pointers.insert(normal, value);
                }
                (normal, known)
            } else {
                let element = value.map(|value| implicant.element(value, side.sort()));
                (element, element)
            }
        };
        let (Some(a), of_a) = side(self, a) else { return };
        let (Some(b), of_b) = side(self, b) else { return };
        match (positive, of_a.or(of_b)) {
            (true, Some(element)) => {
                self.add(term::equal(a, element), true);
                self.add(term::equal(b, element), true);
            }
            (true, None) => self.add(term::equal(a, b), true),
            (false, _) => self.add(term::equal(a, b), false),
        }
    }

    /// The term over elements and the state; `None` where it speaks of a number that is neither, and after an
    /// interrupt.
    fn normal(&mut self, part: Term, done: &mut FastMap<Term, Option<Term>>) -> Option<Term> {
        if let Some(known) = done.get(&part) {
            return *known;
        }
        let normal = if self.cancellation.is_cancelled() {
            None
        } else {
            self.normal_anew(part, done)
        };
        done.insert(part, normal);
        normal
    }

    fn normal_anew(&mut self, part: Term, done: &mut FastMap<Term, Option<Term>>) -> Option<Term> {
        match part.sort() {
            Sort::Index(_) if matches!(part.kind(), Kind::Apply(..) | Kind::Variable(_)) => {
                let value = self.model.value(part).ok()?;
                self.names.entry(value.clone()).or_insert(part);
                let element = self.element(value.clone(), part.sort());
                if self.is_global(part) {
                    let state = self.normal_arguments(part, done)?;
                    self.pointers.insert(state, value);
                    if state != element {
                        self.literals.insert(term::equal(state, element));
                    }
                }
                Some(element)
            }
            sort if matches!(part.kind(), Kind::Variable(_)) || !self.is_global(part) && is_symbol(part) => {
                match (sort, self.model.value(part).ok()?) {
                    (Sort::Bool, Value::Bool(value)) => Some(term::bool(value)),
                    (Sort::Enum(sort), Value::Enumerator(_, position)) => {
                        Some(term::enumerator(sort, position as usize))
                    }
                    _ => None,
                }
            }
            _ => self.normal_arguments(part, done),
        }
    }

    fn normal_arguments(&mut self, part: Term, done: &mut FastMap<Term, Option<Term>>) -> Option<Term> {
        let mut complete = true;
        let result = rebuild(part, |argument| {
            self.normal(argument, done).unwrap_or_else(|| {
                complete = false;
                argument
            })
        });
        complete.then_some(result)
    }
}

/// The ways in which a conditional can be true.
fn both_ways(condition: Term, then: Term, otherwise: Term) -> [Term; 2] {
    [
        term::and([condition, then]),
        term::and([term::not(condition), otherwise]),
    ]
}

fn is_symbol(part: Term) -> bool {
    matches!(part.kind(), Kind::Apply(..))
}
