//! Static analysis (2.2): invariants without any goal.
//!
//! ```text
//! local invariant of a location l:   pc = l  =>  the disjunction of post_t(true), over all transitions t into l
//! ```
//!
//! Of `post_t(true)` what the guard says is kept, and the values that the rule gives, as far as the state after the rule
//! tells what it was before. What the disjunction has in common is tried conjunct by conjunct, at its location and everywhere; those
//! candidates stay that are inductive together, whatever other processes do meanwhile.

use crate::cases::{atom, cases, conjuncts, is_about_state, is_control};
use crate::reply::{Block, Named, Reply};
use crate::session::World;
use crate::state::State;
use abstraction::induction::together;
use abstraction::predicate::linear_invariants;
use driver::notation;
use logic::simplify::simplify;
use logic::substitute::{free_variables, functions_of};
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
    let known = state.known();
    let mut seen: BTreeSet<Term> = known.iter().copied().collect();
    candidates.retain(|candidate| !candidate.is_value() && seen.insert(*candidate));
    candidates.truncate(CANDIDATES);
    let all: Vec<Term> = known.iter().chain(&candidates).copied().collect();
    let inductive = together(world.system, &all, world.solvers)?;
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
        world.fact(&name, *formula)
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

/// Where control can be: a variable of an enumeration, or an array of such, and one of its values.
type Location = (Function, Term);

/// The candidates of all locations.
fn local_invariants(system: &TransitionSystem) -> Vec<Term> {
    let mut into: BTreeMap<Location, Vec<Vec<Term>>> = BTreeMap::new();
    for rule in &system.rules {
        for update in &rule.updates {
            for (location, element) in targets(update, rule) {
                into.entry(location).or_default().push(post(rule, element));
            }
        }
    }
    let mut candidates = Vec::new();
    for ((control, value), posts) in into {
        let indices: Vec<Variable> = (0..)
            .zip(control.parameters())
            .map(|(n, sort)| index(n, *sort))
            .collect();
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

fn index(number: usize, sort: Sort) -> Variable {
    Variable::new(format!("i{number}").as_str(), sort)
}

/// The locations that an update leads to, for the element of an array that is a parameter of the rule.
fn targets(update: &Update, rule: &Rule) -> Vec<(Location, Option<Variable>)> {
    let control = update.function;
    if !matches!(control.result(), Sort::Enum(_)) {
        return Vec::new();
    }
    let is_value = |value: Term| matches!(value.kind(), Kind::Enumerator(..));
    match (&update.parameters[..], update.value.kind()) {
        ([], _) if is_value(update.value) => vec![((control, update.value), None)],
        ([at], Kind::Ite(condition, then, _)) if is_value(*then) => {
            let is_element = |parameter: &&Variable| term::equal(at.term(), parameter.term()) == *condition;
            let element = rule.parameters.iter().find(is_element);
            element
                .map(|element| ((control, *then), Some(*element)))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Literals of `post(true)`, over the element of the location alone.
fn post(rule: &Rule, element: Option<Variable>) -> Vec<Term> {
    let (back, lost) = backwards(rule);
    let is_kept = |formula: &Term| functions_of(*formula).is_disjoint(&lost);
    let mut literals: Vec<Term> = conjuncts(rule.guard)
        .into_iter()
        .filter(is_kept)
        .map(|literal| simplify(back.apply(literal)))
        .collect();
    for update in rule.updates.iter().filter(|update| update.parameters.is_empty()) {
        let place = update.function.apply([]);
        let is_new = !back.functions.contains_key(&update.function);
        if is_new && is_kept(&update.value) && !is_control(term::equal(place, update.value)) {
            literals.push(simplify(term::equal(place, back.apply(update.value))));
        }
    }
    let renaming = element.map(|element| (element, index(0, element.sort).term()));
    let renaming = Substitution::of_variables(renaming);
    let foreign: BTreeSet<Function> = rule.choices.iter().copied().collect();
    let literals = literals.into_iter().map(|literal| renaming.apply(literal));
    let mut literals: Vec<Term> = literals
        .filter(|literal| functions_of(*literal).is_disjoint(&foreign))
        .filter(|literal| {
            free_variables(*literal)
                .iter()
                .all(|v| element.is_some_and(|e| *v == index(0, e.sort)))
        })
        .collect();
    // Equations of numbers often hold only one way round.
    let halves: Vec<Term> = literals.iter().flat_map(|literal| halves(*literal)).collect();
    literals.extend(halves);
    literals.retain(|literal| cases(*literal, 1).len() == 1);
    literals
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
    match atom(literal).kind() {
        Kind::Equal(a, b) if atom(literal) == literal && a.sort() == Sort::Int => {
            vec![term::less_equal(*a, *b), term::less_equal(*b, *a)]
        }
        _ => Vec::new(),
    }
}
