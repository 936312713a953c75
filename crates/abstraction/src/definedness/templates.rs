//! Sentences about marks: `forall i. literals -> mark(i)`.
//!
//! The literals are atoms of the state about the same indices (a Boolean, the value of an enumeration, whether an
//! element is another one), conditions under which the mark is read, and, for indices that are integers, intervals
//! between numbers of the state, as of queues. What such intervals rest on is that they are ordered.

use deduction::combinations::distinct_tuples;
use deduction::formulas::collect_atoms;
use logic::substitute::functions_of;
use logic::{Function, Kind, Sort, Substitution, Term, Variable, term, traverse::post_order};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::{Assertion, AssertionKind, Rule};

/// No more candidates than that are made.
const MOST: usize = 2_000;

pub(super) struct Templates<'s> {
    system: &'s TransitionSystem,
    marks: Vec<Mark>,
}

/// A mark of some indices, and what may be said of these.
struct Mark {
    variables: Vec<Variable>,
    mark: Term,
    literals: Vec<Term>,
    /// That other values are defined about the same.
    others: Vec<Term>,
    intervals: Vec<Term>,
}

impl<'s> Templates<'s> {
    pub(super) fn of(system: &'s TransitionSystem) -> Templates<'s> {
        let marks = marks(system);
        let mark = |function: &Function| Mark::of(system, *function, &marks);
        Templates {
            system,
            marks: marks.iter().map(mark).collect(),
        }
    }

    /// With one literal or interval at most.
    pub(super) fn simple(&self) -> Vec<Term> {
        let mut candidates = ordered(self.system);
        for mark in &self.marks {
            let premises = [term::bool(true)].into_iter().chain(mark.intervals.iter().copied());
            candidates.extend(
                premises
                    .chain(mark.literals.iter().chain(&mark.others).copied())
                    .map(|premise| mark.under(premise)),
            );
        }
        candidates.truncate(MOST);
        candidates
    }

    /// With two literals, or, where an index is an integer, one and an interval, as well.
    pub(super) fn pairs(&self) -> Vec<Term> {
        let mut candidates = self.simple();
        for mark in &self.marks {
            let literals = &mark.literals;
            let first = mark.intervals.iter().map(|interval| (interval, 0));
            let alone = literals.iter().zip(1..).filter(|_| mark.intervals.is_empty());
            let first = first.chain(alone);
            for (premise, from) in first {
                let both = literals[from.min(literals.len())..].iter();
                candidates.extend(both.map(|other| mark.under(term::and([*premise, *other]))));
            }
        }
        candidates.retain(|candidate| !candidate.is_true());
        candidates.truncate(MOST);
        candidates
    }
}

impl Mark {
    fn of(system: &TransitionSystem, function: Function, marks: &BTreeSet<Function>) -> Mark {
        let sorts = function.parameters().iter().zip(1..);
        let variables: Vec<Variable> = sorts
            .map(|(sort, number)| Variable::new(format!("i{number}").as_str(), *sort))
            .collect();
        let mark = function.apply(terms(&variables));
        let mut literals: BTreeSet<Term> = read_under(system, function, &variables);
        let mut others = Vec::new();
        for symbol in system.state.iter().chain(&system.rigid).map(|symbol| symbol.function) {
            let applied = applied(symbol, &variables);
            if !marks.contains(&symbol) {
                literals.extend(applied.into_iter().flat_map(|term| atoms(term, &variables)));
            } else if symbol != function && symbol.parameters() == function.parameters() {
                others.extend(applied);
            }
        }
        Mark {
            intervals: intervals(system, &variables),
            literals: literals.into_iter().collect(),
            others,
            variables,
            mark,
        }
    }

    fn under(&self, premise: Term) -> Term {
        term::forall(self.variables.clone(), term::implies(premise, self.mark))
    }
}

fn terms(variables: &[Variable]) -> Vec<Term> {
    variables.iter().map(|variable| variable.term()).collect()
}

/// What reads assert to be defined.
fn marks(system: &TransitionSystem) -> BTreeSet<Function> {
    let state: BTreeSet<Function> = system.state.iter().map(|symbol| symbol.function).collect();
    let mut marks = BTreeSet::new();
    for (_, assertion) in reads(system) {
        let conclusion = match assertion.condition.kind() {
            Kind::Implies(_, conclusion) => *conclusion,
            _ => assertion.condition,
        };
        let is_mark = |function: &Function| function.result() == Sort::Bool && state.contains(function);
        marks.extend(functions_of(conclusion).into_iter().filter(is_mark));
    }
    marks
}

fn reads(system: &TransitionSystem) -> impl Iterator<Item = (&Rule, &Assertion)> {
    let rules = system.starts.iter().chain(&system.rules);
    let assertions = rules.flat_map(|rule| rule.assertions.iter().map(move |assertion| (rule, assertion)));
    assertions.filter(|(_, assertion)| assertion.kind == AssertionKind::UndefinedRead)
}

/// The conditions under which a mark is read where its indices are parameters of the rule, and their negations.
fn read_under(system: &TransitionSystem, mark: Function, variables: &[Variable]) -> BTreeSet<Term> {
    let mut literals = BTreeSet::new();
    for (rule, assertion) in reads(system) {
        let read = post_order(assertion.condition, true)
            .into_iter()
            .filter_map(|part| match part.kind() {
                Kind::Apply(function, arguments) if *function == mark => Some(arguments.clone()),
                _ => None,
            });
        for arguments in read.collect::<BTreeSet<_>>() {
            let parameters: Vec<Variable> = arguments
                .iter()
                .filter_map(|argument| {
                    rule.parameters
                        .iter()
                        .copied()
                        .find(|parameter| parameter.term() == *argument)
                })
                .collect();
            let are_different = parameters.iter().collect::<BTreeSet<_>>().len() == variables.len();
            if parameters.len() < arguments.len() || !are_different {
                continue;
            }
            let renamed = Substitution::of_variables(parameters.iter().copied().zip(terms(variables)));
            let mut found = Vec::new();
            collect_atoms(term::and([rule.guard, assertion.condition]), &mut found);
            let choices: BTreeSet<Function> = rule.choices.iter().copied().collect();
            let is_about_state = |atom: &Term| {
                let functions = functions_of(*atom);
                !functions.contains(&mark) && functions.is_disjoint(&choices) && !atom.has_quantifier()
            };
            let found = found.into_iter().filter(is_about_state).map(|atom| renamed.apply(atom));
            let found = found.filter(|atom| atom.free_variables().iter().all(|v| variables.contains(v)));
            literals.extend(found.flat_map(|atom| [atom, term::not(atom)]));
        }
    }
    literals
}

/// The function with these variables in all ways that their sorts allow, each variable once.
fn applied(function: Function, variables: &[Variable]) -> Vec<Term> {
    let sorts = function.parameters().iter().copied();
    let tuples = distinct_tuples(sorts, |sort| {
        variables.iter().copied().filter(|v| v.sort == sort).collect()
    });
    tuples.iter().map(|tuple| function.apply(terms(tuple))).collect()
}

/// What may be said of a value.
fn atoms(value: Term, variables: &[Variable]) -> Vec<Term> {
    let either = |atom: Term| [atom, term::not(atom)];
    match value.sort() {
        Sort::Bool => either(value).into(),
        Sort::Enum(sort) => {
            let values = (0..sort.values().len()).map(|position| term::enumerator(sort, position));
            values.flat_map(|one| either(term::equal(value, one))).collect()
        }
        Sort::Index(_) => {
            let same = variables.iter().filter(|variable| variable.sort == value.sort());
            same.flat_map(|one| either(term::equal(value, one.term()))).collect()
        }
        _ => Vec::new(),
    }
}

/// Numbers of the state, at these variables or without an index.
fn numbers(system: &TransitionSystem, variables: &[Variable]) -> Vec<Term> {
    let state = system.state.iter().map(|symbol| symbol.function);
    let numbers = state.filter(|function| function.result() == Sort::Int);
    let indices: Vec<Variable> = variables.iter().copied().filter(|v| v.sort != Sort::Int).collect();
    numbers.flat_map(|function| applied(function, &indices)).collect()
}

/// `a <= i & i < b` for each index that is an integer.
fn intervals(system: &TransitionSystem, variables: &[Variable]) -> Vec<Term> {
    let numbers = numbers(system, variables);
    let mut intervals = Vec::new();
    for index in variables.iter().filter(|variable| variable.sort == Sort::Int) {
        for low in numbers.iter().copied().chain([term::int(0)]) {
            let highs = numbers.iter().filter(|high| **high != low);
            let above = term::less_equal(low, index.term());
            intervals.extend(highs.map(|high| term::and([above, term::less(index.term(), *high)])));
        }
    }
    intervals
}

/// That numbers are ordered, which are about the same.
fn ordered(system: &TransitionSystem) -> Vec<Term> {
    let mut seen: BTreeSet<&[Sort]> = BTreeSet::new();
    let has_integers = |sorts: &[Sort]| sorts.contains(&Sort::Int);
    if !marks(system).iter().any(|mark| has_integers(mark.parameters())) {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    for symbol in &system.state {
        let sorts = symbol.function.parameters();
        if has_integers(sorts) || symbol.function.result() != Sort::Int || !seen.insert(sorts) {
            continue;
        }
        let named = sorts.iter().zip(1..);
        let variables: Vec<Variable> = named
            .map(|(sort, n)| Variable::new(format!("i{n}").as_str(), *sort))
            .collect();
        let numbers = numbers(system, &variables);
        for low in numbers.iter().copied().chain([term::int(0)]) {
            let highs = numbers.iter().filter(|high| **high != low);
            candidates.extend(highs.map(|high| term::forall(variables.clone(), term::less_equal(low, *high))));
        }
    }
    candidates
}
