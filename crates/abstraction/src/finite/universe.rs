//! Index sorts as enumerations.

use logic::hashing::FastMap;
use logic::substitute::rebuild;
use logic::traverse::post_order;
use logic::{EnumSort, Function, Kind, Lambda, Name, Sort, Substitution, Term, Variable, term};
use std::collections::BTreeMap;
use system::TransitionSystem;
use system::transition::{Assertion, Fact, Property, Rule, Symbol, Update};

/// How many elements each index sort has, and the enumerations that stand for them.
#[derive(Clone, Debug)]
pub struct Universe {
    sorts: BTreeMap<Name, EnumSort>,
    /// Distinguished elements and orders, which have a meaning here.
    meanings: Substitution,
}

impl Universe {
    /// This many elements in each index sort, or as many as the elements that it names need.
    pub fn new(system: &TransitionSystem, size: u32) -> Universe {
        let enumeration = |sort: &system::transition::IndexSort| {
            let named = sort.constants.iter().map(|(_, position)| position + 1).max();
            let size = named.unwrap_or(0).max(u64::from(size)).max(1);
            // As a value of an index sort is written.
            let values = (1..=size).map(|number| Name::new(&format!("{}_{number}", sort.name)));
            (sort.name, EnumSort::new(sort.name, values.collect()))
        };
        let mut universe = Universe {
            sorts: system.index_sorts.iter().map(enumeration).collect(),
            meanings: Substitution::default(),
        };
        for sort in &system.index_sorts {
            let Some(values) = universe.sorts.get(&sort.name).copied() else {
                continue;
            };
            for (constant, position) in &sort.constants {
                let body = term::enumerator(values, usize::try_from(*position).unwrap_or_default());
                let lambda = Lambda {
                    parameters: Vec::new(),
                    body,
                };
                universe.meanings.functions.insert(universe.function(*constant), lambda);
            }
            if let Some(less) = sort.order {
                let meaning = order(values);
                universe.meanings.functions.insert(universe.function(less), meaning);
            }
        }
        universe
    }

    /// How many elements each index sort has.
    pub fn sizes(&self) -> Vec<(Sort, u64)> {
        let size = |(name, values): (&Name, &EnumSort)| (Sort::Index(*name), values.values().len() as u64);
        self.sorts.iter().map(size).collect()
    }

    /// The index sort that an enumeration stands for.
    pub(crate) fn index_sort(&self, values: EnumSort) -> Option<Sort> {
        let is_known = self.sorts.get(&values.name()) == Some(&values);
        is_known.then(|| Sort::Index(values.name()))
    }

    fn sort(&self, sort: Sort) -> Sort {
        match sort {
            Sort::Index(name) => self.sorts.get(&name).map_or(sort, |values| Sort::Enum(*values)),
            Sort::List(element) => Sort::list(self.sort(*element)),
            _ => sort,
        }
    }

    fn variable(&self, variable: Variable) -> Variable {
        Variable {
            sort: self.sort(variable.sort),
            ..variable
        }
    }

    fn variables(&self, variables: &[Variable]) -> Vec<Variable> {
        variables.iter().map(|variable| self.variable(*variable)).collect()
    }

    pub(super) fn function(&self, function: Function) -> Function {
        let parameters = function.parameters().iter().map(|sort| self.sort(*sort)).collect();
        Function::new(function.name(), parameters, self.sort(function.result()))
    }

    /// The term here.
    pub(crate) fn term(&self, term: Term) -> Term {
        let mut done: FastMap<Term, Term> = FastMap::default();
        for inner in post_order(term, true) {
            let result = match inner.kind() {
                Kind::Variable(variable) => self.variable(*variable).term(),
                Kind::EmptyList(_) => match self.sort(inner.sort()) {
                    Sort::List(element) => term::empty_list(*element),
                    _ => inner,
                },
                Kind::Apply(function, arguments) => {
                    let arguments: Vec<Term> = arguments.iter().map(|argument| done[argument]).collect();
                    self.function(*function).apply(arguments)
                }
                Kind::Quantified(quantifier, variables, body) => {
                    term::quantified(*quantifier, self.variables(variables), done[body])
                }
                _ => rebuild(inner, |child| done[&child]),
            };
            done.insert(inner, result);
        }
        self.meanings.apply(done[&term])
    }

    /// The system here: without index sorts.
    pub(super) fn system(&self, system: &TransitionSystem) -> TransitionSystem {
        let has_meaning = |symbol: &&Symbol| self.meanings.functions.contains_key(&self.function(symbol.function));
        let symbol = |symbol: &Symbol| Symbol {
            function: self.function(symbol.function),
            ..symbol.clone()
        };
        let fact = |fact: &Fact| Fact {
            formula: self.term(fact.formula),
            ..fact.clone()
        };
        let property = |property: &Property| Property {
            formula: self.term(property.formula),
            ..property.clone()
        };
        TransitionSystem {
            name: system.name.clone(),
            rigid: system.rigid.iter().filter(|s| !has_meaning(s)).map(symbol).collect(),
            axioms: system.axioms.iter().map(fact).collect(),
            state: system.state.iter().map(symbol).collect(),
            type_facts: system.type_facts.iter().map(fact).collect(),
            starts: system.starts.iter().map(|rule| self.rule(rule)).collect(),
            rules: system.rules.iter().map(|rule| self.rule(rule)).collect(),
            properties: system.properties.iter().map(property).collect(),
            ..TransitionSystem::default()
        }
    }

    fn rule(&self, rule: &Rule) -> Rule {
        let update = |update: &Update| Update {
            function: self.function(update.function),
            parameters: self.variables(&update.parameters),
            value: self.term(update.value),
        };
        let assertion = |assertion: &Assertion| Assertion {
            condition: self.term(assertion.condition),
            ..assertion.clone()
        };
        Rule {
            name: rule.name.clone(),
            parameters: self.variables(&rule.parameters),
            choices: rule.choices.iter().map(|choice| self.function(*choice)).collect(),
            guard: self.term(rule.guard),
            updates: rule.updates.iter().map(update).collect(),
            constraint: self.term(rule.constraint),
            assertions: rule.assertions.iter().map(assertion).collect(),
            span: rule.span,
        }
    }
}

/// The order of positions.
fn order(values: EnumSort) -> Lambda {
    let [a, b] = ["a", "b"].map(|name| Variable::new(name, Sort::Enum(values)));
    let is = |variable: Variable, position| term::equal(variable.term(), term::enumerator(values, position));
    let pairs = (0..values.values().len()).flat_map(|high| (0..high).map(move |low| (low, high)));
    Lambda {
        parameters: vec![a, b],
        body: term::or(pairs.map(|(low, high)| term::and([is(a, low), is(b, high)]))),
    }
}
