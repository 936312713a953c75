//! Static analysis (2.2): invariants without any goal.
//!
//! ```text
//! local invariant of a location l:   pc = l  =>  the disjunction of post_t(true), over all transitions t into l
//! ```
//!
//! Of `post_t(true)` what the guard says is kept, and the values that the rule gives, as far as the state after the
//! rule tells what it was before. What the disjunction has in common is tried conjunct by conjunct, at its location and
//! everywhere; the largest inductive subset of the candidates is kept.

use crate::cases::{is_about_state, is_control};
use crate::reply::{Block, Named, Reply};
use crate::session::{World, fact};
use crate::state::State;
use abstraction::induction::largest_inductive_subset;
use abstraction::predicate::linear_invariants;
use deduction::combinations::distinct_tuples;
use driver::notation;
use logic::simplify::simplify;
use logic::substitute::{free_variables, functions_of};
use logic::term::conjuncts;
use logic::{Function, Kind, Lambda, Sort, Substitution, Term, Variable, term};
use smt::SolverError;
use std::collections::{BTreeMap, BTreeSet};
use system::TransitionSystem;
use system::transition::{Rule, Update};

/// More candidates than this are not looked at.
const CANDIDATES: usize = 400;

/// Finds invariants and adds them to what is proved.
pub(crate) fn analyze(world: &World, state: &mut State) -> Result<Reply, SolverError> {
    let mut candidates = local_invariants(world.system);
    candidates.extend(linear_invariants(world.system, world.solvers)?);
    candidates.extend(comparisons_of_indices(world.system));
    let known = state.known();
    let mut seen: BTreeSet<Term> = known.iter().copied().collect();
    candidates.retain(|candidate| !candidate.is_value() && seen.insert(*candidate));
    candidates.truncate(CANDIDATES);
    let all: Vec<Term> = known.iter().chain(&candidates).copied().collect();
    let inductive = largest_inductive_subset(world.system, &all, true, world.solvers)?;
    state.analysed = true;
    let found: Vec<Term> = all
        .iter()
        .zip(inductive)
        .skip(known.len())
        .filter(|(_, i)| *i)
        .map(|(f, _)| *f)
        .collect();
    let first = state.facts.len();
    let facts = found.iter().enumerate().map(|(number, formula)| {
        let name = format!("static {}", first + number + 1);
        fact(&name, *formula)
    });
    state.prove(facts.collect::<Vec<_>>());
    state.go_on();
    let named = state.facts[first..].iter().map(|fact| Named {
        name: fact.name.clone(),
        text: notation::closed_formula(world.system, fact.formula),
        note: String::new(),
    });
    let formulas: Vec<Named> = named.collect();
    let title = match formulas.len() {
        0 => "Static analysis finds nothing.".to_owned(),
        1 => "Static analysis finds one invariant.".to_owned(),
        count => format!("Static analysis finds {count} invariants."),
    };
    let heading = "proved".to_owned();
    Ok(Reply::new(title).with(Block::Formulas { heading, formulas }))
}

/// Which of two numbers is the larger one, where places of arrays are numbers: what lies between them is often all that
/// can be said of an array.
fn comparisons_of_indices(system: &TransitionSystem) -> Vec<Term> {
    let functions = || system.state.iter().map(|symbol| symbol.function);
    if !functions().any(|function| function.parameters().contains(&Sort::Int)) {
        return Vec::new();
    }
    let numbers = functions().filter(|function| function.parameters().is_empty() && function.result() == Sort::Int);
    let numbers: Vec<Term> = numbers.map(|function| function.apply([])).collect();
    let pairs = numbers.iter().flat_map(|a| numbers.iter().map(|b| (*a, *b)));
    pairs
        .filter(|(a, b)| a != b)
        .map(|(a, b)| term::less_equal(a, b))
        .collect()
}

/// Where control can be: a variable of an enumeration or a flag, or an array of such, and one of its values.
type Location = (Function, Term);

/// The candidates of all locations.
fn local_invariants(system: &TransitionSystem) -> Vec<Term> {
    let mut into: BTreeMap<Location, Vec<Vec<Term>>> = BTreeMap::new();
    for rule in &system.rules {
        for update in &rule.updates {
            for (location, elements) in targets(update, rule) {
                into.entry(location).or_default().push(post(rule, &elements));
            }
        }
    }
    let mut candidates = Vec::new();
    for ((control, value), posts) in into {
        let indices: Vec<Variable> = indices(control.parameters());
        let place = control.apply(indices.iter().map(|index| index.term()).collect::<Vec<Term>>());
        let here = term::equal(place, value);
        let mut add = |formula: Term| {
            if is_about_state(system, formula) {
                candidates.push(simplify(term::forall(indices.clone(), term::implies(here, formula))));
                candidates.push(simplify(term::forall(indices.clone(), formula)));
            }
        };
        let common = posts[0]
            .iter()
            .filter(|literal| posts.iter().all(|post| post.contains(literal)));
        common.copied().for_each(&mut add);
        if posts.len() > 1 {
            add(term::or(posts.iter().map(|post| term::and(post.iter().copied()))));
        }
    }
    candidates
}

/// The variables that stand for the element of a location: `n` for a NODE, and `n2` for another.
fn indices(sorts: &[Sort]) -> Vec<Variable> {
    let mut variables: Vec<Variable> = Vec::new();
    for sort in sorts {
        let letter = sort.to_string().chars().find(char::is_ascii_alphabetic).unwrap_or('i');
        let letter = letter.to_ascii_lowercase().to_string();
        let names = (1..).map(|number| {
            if number == 1 {
                letter.clone()
            } else {
                format!("{letter}{number}")
            }
        });
        let mut fresh = names.filter(|name| variables.iter().all(|other| other.name.as_str() != name));
        let name = fresh.next().unwrap_or_default();
        variables.push(Variable::new(name.as_str(), *sort));
    }
    variables
}

/// The locations that an update leads to, each with the parameters of the rule that are its element.
fn targets(update: &Update, rule: &Rule) -> Vec<(Location, Vec<Variable>)> {
    if !matches!(update.function.result(), Sort::Enum(_) | Sort::Bool) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let of_sort = |sort: Sort| rule.parameters.iter().copied().filter(|v| v.sort == sort).collect();
    for elements in distinct_tuples(update.function.parameters().iter().copied(), of_sort) {
        let value = value_at(update, &elements);
        if value.is_value() {
            found.push(((update.function, value), elements));
        }
    }
    found
}

/// What an update gives an element, over the state before the rule.
fn value_at(update: &Update, elements: &[Variable]) -> Term {
    let values = update
        .parameters
        .iter()
        .copied()
        .zip(elements.iter().map(|element| element.term()));
    simplify(Substitution::of_variables(values.collect::<Vec<_>>()).apply(update.value))
}

/// Conjuncts of `post(true)` over the element of the location; what they say of other parameters holds of some.
fn post(rule: &Rule, elements: &[Variable]) -> Vec<Term> {
    let (back, lost) = backwards(rule);
    let is_kept = |formula: &Term| functions_of(*formula).is_disjoint(&lost);
    let mut literals: Vec<Term> = conjuncts(rule.guard)
        .into_iter()
        .filter(is_kept)
        .map(|literal| simplify(back.apply(literal)))
        .collect();
    let sorts: Vec<Sort> = elements.iter().map(|element| element.sort).collect();
    for update in &rule.updates {
        let is_of_element = update.parameters.is_empty() || update.function.parameters() == sorts;
        if !is_of_element || back.functions.contains_key(&update.function) {
            continue;
        }
        let of = if update.parameters.is_empty() { &[] } else { elements };
        let place = update
            .function
            .apply(of.iter().map(|element| element.term()).collect::<Vec<Term>>());
        let value = value_at(update, of);
        let equation = term::equal(place, back.apply(value));
        if is_kept(&value) && !is_control(equation) {
            literals.push(simplify(equation));
        }
    }
    let indices = indices(&sorts);
    let renaming = elements.iter().copied().zip(indices.iter().map(|index| index.term()));
    let renaming = Substitution::of_variables(renaming.collect::<Vec<_>>());
    let foreign: BTreeSet<Function> = rule.choices.iter().copied().collect();
    let literals = literals.into_iter().map(|literal| renaming.apply(literal));
    let literals = literals.filter(|literal| functions_of(*literal).is_disjoint(&foreign));
    let is_own = |literal: &Term| {
        free_variables(*literal)
            .iter()
            .all(|variable| indices.contains(variable))
    };
    let (mut own, others): (Vec<Term>, Vec<Term>) = literals.partition(is_own);
    // Equations of numbers often hold only one way round.
    let halves: Vec<Term> = own.iter().flat_map(|literal| halves(*literal)).collect();
    own.extend(halves);
    if !others.is_empty() {
        let others = term::and(others);
        let free: Vec<Variable> = free_variables(others)
            .into_iter()
            .filter(|v| !indices.contains(v))
            .collect();
        own.push(simplify(term::exists(free, others)));
    }
    own
}

/// What the state before a rule was, in terms of the state after it, as far as it is not lost: a number that grows was
/// so much smaller.
fn backwards(rule: &Rule) -> (Substitution, BTreeSet<Function>) {
    let mut lost: BTreeSet<Function> = rule.updates.iter().map(|update| update.function).collect();
    let mut back = Vec::new();
    for update in rule.updates.iter().filter(|update| update.parameters.is_empty()) {
        let place = update.function.apply([]);
        if update.function.result() != Sort::Int {
            continue;
        }
        let grown = simplify(term::subtract(update.value, place));
        if term::as_number(grown).is_some() {
            let body = term::subtract(place, grown);
            let parameters = Vec::new();
            back.push((update.function, Lambda { parameters, body }));
            lost.remove(&update.function);
        }
    }
    (Substitution::of_functions(back), lost)
}

fn halves(literal: Term) -> Vec<Term> {
    match literal.kind() {
        Kind::Equal(a, b) if a.sort() == Sort::Int => {
            vec![term::less_equal(*a, *b), term::less_equal(*b, *a)]
        }
        _ => Vec::new(),
    }
}
