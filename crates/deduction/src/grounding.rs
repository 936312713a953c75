//! Quantifier instantiation with the index terms of the query (Das, section 4.6).
//!
//! A formula that is asserted loses its quantifiers: what exists gets a Skolem constant, what holds for all is
//! instantiated with every ground term of its sort that occurs in the query (for integers, with those that occur as
//! indices). The result is weaker than the formula or equivalent to it, so `unsat` can be trusted. With index sorts and
//! no functions into them it is equivalent; where it may be weaker, `incomplete` becomes true, and `sat` means "not
//! refuted": for numbers, of which there are more than the query mentions, and where instantiation stops, because
//! functions into index sorts keep making new terms, because there are too many, or because of an interrupt.

use logic::Cancellation;
use logic::hashing::FastSet;
use logic::{Function, Kind, Quantifier, Sort, Substitution, Term, Variable, term};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Terms made by instantiation are used for further instantiation this many times.
const GENERATIONS: u32 = 2;
/// More instances than this of one formula are not made.
const INSTANCES: usize = 4000;
/// Nor more than this of all formulas together: nested pointers have very many terms.
const ALL_INSTANCES: usize = 20_000;

/// `proxy => forall variables. body`
struct Universal {
    proxy: Term,
    variables: Vec<Variable>,
    body: Term,
    /// Where the variables are only ever arguments, all of them in this order: the functions that they are arguments
    /// of.
    pointwise: Option<BTreeSet<Function>>,
    instances: HashSet<Vec<Term>>,
    /// How many terms of its sorts there were when its instances were made: terms are never lost.
    terms_seen: usize,
}

/// All that is asserted in one solver.
#[derive(Default)]
pub struct Grounding {
    prefix: String,
    /// Whether pointwise formulas are instantiated only where one of their functions is applied.
    where_applied: bool,
    universals: Vec<Universal>,
    /// Ground terms by sort, with the generation in which they appeared.
    terms: BTreeMap<Sort, Vec<(Term, u32)>>,
    known_terms: HashSet<Term>,
    /// The arguments that functions are applied to, with the generation in which they appeared.
    known_applications: HashSet<Term>,
    applications: BTreeMap<Function, Vec<(Vec<Term>, u32)>>,
    /// What came of formulas with quantifiers; of their negations where false.
    grounded: HashMap<(Term, bool), Term>,
    /// Quantified formulas inside of atoms, with their names, and these atoms.
    named: HashMap<Term, Term>,
    /// The variables that the Skolem constants stand for.
    pub skolems: BTreeMap<Function, Variable>,
    ready: Vec<Term>,
    names: usize,
    made: usize,
    cancellation: Cancellation,
    /// Whether what was asserted may say more than its instances.
    pub incomplete: bool,
}

impl Grounding {
    /// Symbols that are made begin with `prefix`.
    pub fn new(prefix: &str) -> Grounding {
        Grounding {
            prefix: prefix.to_owned(),
            ..Grounding::default()
        }
    }

    /// The same with fewer instances, for callers that ask models only about terms that formulas mention: a formula
    /// about `f(x, y)` alone, for some functions `f`, is instantiated where one of them is applied.
    pub fn where_applied(prefix: &str) -> Grounding {
        Grounding {
            where_applied: true,
            ..Grounding::new(prefix)
        }
    }

    /// The same, which makes no more instances after an interrupt.
    pub fn listening(self, cancellation: &Cancellation) -> Grounding {
        Grounding {
            cancellation: cancellation.clone(),
            ..self
        }
    }

    /// The quantifier-free formulas that follow from asserting this one after all before it; none after an interrupt.
    pub fn assert(&mut self, formula: Term) -> Vec<Term> {
        if self.is_stopped() {
            return Vec::new();
        }
        let formula = logic::normal_forms::expand_finite(formula);
        let ground = self.ground(formula, true, 0);
        self.add(ground, 0);
        self.close();
        std::mem::take(&mut self.ready)
    }

    /// The quantified formula behind a symbol that stands for one, if it does.
    pub fn meaning(&self, symbol: Term) -> Option<Term> {
        let universal = self.universals.iter().find(|universal| universal.proxy == symbol);
        if let Some(universal) = universal {
            return Some(term::forall(universal.variables.clone(), universal.body));
        }
        self.named
            .iter()
            .find(|(formula, name)| **name == symbol && matches!(formula.kind(), Kind::Quantified(..)))
            .map(|(formula, _)| *formula)
    }

    /// The ground terms of index sorts that formulas mention so far.
    pub fn index_terms(&self) -> impl Iterator<Item = Term> {
        let of_index_sorts = self.terms.iter().filter(|(sort, _)| matches!(sort, Sort::Index(_)));
        of_index_sorts.flat_map(|(_, terms)| terms.iter().map(|(term, _)| *term))
    }

    /// The ground terms of one sort that universal formulas are instantiated with so far.
    pub fn terms_of(&self, sort: Sort) -> impl Iterator<Item = Term> {
        self.terms.get(&sort).into_iter().flatten().map(|(term, _)| *term)
    }

    fn fresh(&mut self, name: &str, sort: Sort) -> Function {
        self.names += 1;
        Function::constant(format!("{}{name}!{}", self.prefix, self.names).as_str(), sort)
    }

    fn add(&mut self, ground: Term, generation: u32) {
        self.collect(ground, generation);
        if !ground.is_true() {
            self.ready.push(ground);
        }
    }

    /// The formula (negated where not `positive`) without quantifiers.
    fn ground(&mut self, formula: Term, positive: bool, generation: u32) -> Term {
        if !formula.has_quantifier() {
            return if positive { formula } else { term::not(formula) };
        }
        if let Some(known) = self.grounded.get(&(formula, positive)) {
            return *known;
        }
        let ground = match formula.kind() {
            Kind::Not(a) => self.ground(*a, !positive, generation),
            Kind::And(parts) | Kind::Or(parts) => {
                let conjunction = matches!(formula.kind(), Kind::And(_)) == positive;
                let parts: Vec<Term> = parts.iter().map(|p| self.ground(*p, positive, generation)).collect();
                if conjunction { term::and(parts) } else { term::or(parts) }
            }
            Kind::Implies(a, b) => {
                let parts = [
                    self.ground(*a, !positive, generation),
                    self.ground(*b, positive, generation),
                ];
                if positive { term::or(parts) } else { term::and(parts) }
            }
            Kind::Ite(c, a, b) if formula.sort() == Sort::Bool => {
                let yes = [
                    self.ground(*c, false, generation),
                    self.ground(*a, positive, generation),
                ];
                let no = [self.ground(*c, true, generation), self.ground(*b, positive, generation)];
                term::and([term::or(yes), term::or(no)])
            }
            Kind::Quantified(quantifier, variables, body) => {
                let exists = (*quantifier == Quantifier::Exists) == positive;
                if exists {
                    self.skolemise(variables, *body, positive, generation)
                } else {
                    self.universal(variables, *body, positive)
                }
            }
            _ => {
                let named = self.name_quantifiers(formula, generation);
                if positive { named } else { term::not(named) }
            }
        };
        self.grounded.insert((formula, positive), ground);
        ground
    }

    fn skolemise(&mut self, variables: &[Variable], body: Term, positive: bool, generation: u32) -> Term {
        let mut values = Vec::new();
        for variable in variables {
            let constant = self.fresh(variable.name.as_str(), variable.sort);
            self.skolems.insert(constant, *variable);
            values.push((*variable, constant.apply([])));
        }
        let body = Substitution::of_variables(values).apply(body);
        self.ground(body, positive, generation)
    }

    fn universal(&mut self, variables: &[Variable], body: Term, positive: bool) -> Term {
        let proxy = self.fresh("all", Sort::Bool).apply([]);
        let body = if positive { body } else { term::not(body) };
        let pointwise = pointwise(variables, body);
        let is_index = |variable: &Variable| matches!(variable.sort, Sort::Index(_));
        self.incomplete |= pointwise.is_none() && !variables.iter().all(is_index);
        let universal = Universal {
            proxy,
            variables: variables.to_vec(),
            pointwise: pointwise.filter(|_| self.where_applied),
            body,
            instances: HashSet::new(),
            terms_seen: 0,
        };
        self.universals.push(universal);
        proxy
    }

    /// An atom with quantified formulas inside: each gets a name that is equivalent to it.
    fn name_quantifiers(&mut self, atom: Term, generation: u32) -> Term {
        if !atom.has_quantifier() {
            return atom;
        }
        if let Some(named) = self.named.get(&atom) {
            return *named;
        }
        if let Kind::Quantified(..) = atom.kind() {
            let name = self.fresh("name", Sort::Bool).apply([]);
            self.named.insert(atom, name);
            let holds = self.ground(atom, true, generation);
            let fails = self.ground(atom, false, generation);
            self.add(term::implies(name, holds), generation);
            self.add(term::or([name, fails]), generation);
            return name;
        }
        let named = logic::substitute::rebuild(atom, |part| self.name_quantifiers(part, generation));
        self.named.insert(atom, named);
        named
    }

    /// Takes note of the terms that universal formulas can be instantiated with.
    fn collect(&mut self, ground: Term, generation: u32) {
        let mut pending = vec![(ground, false)];
        let mut seen = FastSet::default();
        while let Some((term, is_index)) = pending.pop() {
            let wanted = match term.sort() {
                // A conditional is one of its branches, which are terms, too.
                _ if matches!(term.kind(), Kind::Ite(..)) => false,
                Sort::Index(_) => true,
                Sort::Int => is_index,
                _ => false,
            };
            if wanted && self.known_terms.insert(term) {
                self.terms.entry(term.sort()).or_default().push((term, generation));
            }
            if seen.insert((term, is_index)) {
                let indices = match term.kind() {
                    Kind::Apply(function, arguments) => {
                        if !arguments.is_empty() && self.known_applications.insert(term) {
                            let known = self.applications.entry(*function).or_default();
                            known.push((arguments.clone(), generation));
                        }
                        true
                    }
                    Kind::Ite(..) => is_index,
                    _ => false,
                };
                pending.extend(term.children().into_iter().map(|child| (child, indices)));
            }
        }
    }

    /// Instantiates until nothing new comes.
    fn close(&mut self) {
        loop {
            let mut instances = Vec::new();
            for number in 0..self.universals.len() {
                instances.extend(self.new_instances(number));
            }
            if instances.is_empty() {
                return;
            }
            for (proxy, instance, generation) in instances {
                if self.is_stopped() {
                    return;
                }
                let ground = self.ground(instance, true, generation);
                self.add(term::implies(proxy, ground), generation);
            }
        }
    }

    /// Whether no more instances are to be made.
    fn is_stopped(&mut self) -> bool {
        let is_stopped = self.cancellation.is_cancelled();
        self.incomplete |= is_stopped;
        is_stopped
    }

    fn new_instances(&mut self, number: usize) -> Vec<(Term, Term, u32)> {
        if self.made >= ALL_INSTANCES || self.is_stopped() {
            self.incomplete = true;
            return Vec::new();
        }
        let sorts: Vec<Sort> = self.universals[number].variables.iter().map(|v| v.sort).collect();
        for sort in &sorts {
            // Sorts are not empty.
            if !self.terms.contains_key(sort) {
                let function = self.fresh("some", *sort);
                // A predicate that mentions it must quantify it, like any other Skolem constant.
                self.skolems.insert(function, Variable::new("some", *sort));
                let some = function.apply([]);
                self.collect(some, 0);
                self.terms.entry(*sort).or_insert_with(|| vec![(some, 0)]);
            }
        }
        let mut tuples = self.applied(number);
        if tuples.is_empty() {
            let terms_seen = sorts.iter().map(|sort| self.terms[sort].len()).sum();
            if std::mem::replace(&mut self.universals[number].terms_seen, terms_seen) == terms_seen {
                return Vec::new();
            }
            tuples = self.all_tuples(&sorts);
        }
        let universal = &mut self.universals[number];
        let mut instances = Vec::new();
        for (tuple, generation) in tuples {
            if universal.instances.insert(tuple.clone()) {
                let values = universal.variables.iter().copied().zip(tuple);
                let instance = Substitution::of_variables(values).apply(universal.body);
                instances.push((universal.proxy, instance, generation + 1));
            }
        }
        self.made += instances.len();
        instances
    }

    /// All tuples of known terms of these sorts.
    fn all_tuples(&mut self, sorts: &[Sort]) -> Vec<(Vec<Term>, u32)> {
        let mut tuples: Vec<(Vec<Term>, u32)> = vec![(Vec::new(), 0)];
        for sort in sorts {
            let (near, far): (Vec<_>, Vec<_>) = self.terms[sort].iter().partition(|(_, of)| *of <= GENERATIONS);
            let longer = tuples.iter().flat_map(|(tuple, generation)| {
                let near = near.iter();
                near.map(move |(term, of)| ([&tuple[..], &[*term]].concat(), *generation.max(of)))
            });
            let mut longer: Vec<_> = longer.take(INSTANCES + 1).collect();
            self.incomplete |= !far.is_empty() || longer.len() > INSTANCES;
            longer.truncate(INSTANCES);
            tuples = longer;
        }
        tuples
    }

    /// A formula that speaks of `f(x, y)` and `g(x, y)` alone says nothing of where neither is applied: the tuples
    /// where one is.
    fn applied(&mut self, number: usize) -> Vec<(Vec<Term>, u32)> {
        let Some(functions) = &self.universals[number].pointwise else {
            return Vec::new();
        };
        let applications = functions.iter().filter_map(|f| self.applications.get(f)).flatten();
        let (near, far): (Vec<_>, Vec<_>) = applications.cloned().partition(|(_, of)| *of <= GENERATIONS);
        self.incomplete |= !far.is_empty();
        near
    }
}

/// The functions whose arguments the variables are, if each occurrence of a variable is in `f(variables)` for some `f`.
fn pointwise(variables: &[Variable], body: Term) -> Option<BTreeSet<Function>> {
    let tuple: Vec<Term> = variables.iter().map(|variable| variable.term()).collect();
    let mut functions = BTreeSet::new();
    let mut seen = FastSet::default();
    let mut pending = vec![body];
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        match term.kind() {
            Kind::Apply(function, arguments) if *arguments == tuple => {
                functions.insert(*function);
            }
            Kind::Quantified(..) => return None,
            _ if tuple.contains(&term) => return None,
            _ => pending.extend(term.children()),
        }
    }
    (!functions.is_empty()).then_some(functions)
}
