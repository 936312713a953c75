//! What a system is like before it is unrolled: its cells, whether it has numbers, and which integers it mentions.

use super::encode::tuples;
use super::{Cell, Unsuited, Window};
use logic::normal_forms::constant_bounds;
use logic::traverse::post_order;
use logic::{Function, Kind, Sort, Term};
use system::TransitionSystem;
use system::transition::Symbol;

/// The integers that indices and quantifiers range over at least, and at most.
const WINDOW: Window = (0, 4);
const WIDEST: Window = (-4, 20);
/// States with more cells are not written.
const CELLS: usize = 4_000;

/// All formulas and terms of the system.
fn all_terms(system: &TransitionSystem) -> Vec<Term> {
    let rules = system.starts.iter().chain(&system.rules);
    let of_rules = rules.flat_map(|rule| {
        let updates = rule.updates.iter().map(|update| update.value);
        let assertions = rule.assertions.iter().map(|assertion| assertion.condition);
        updates.chain(assertions).chain([rule.guard, rule.constraint])
    });
    let facts = system.axioms.iter().chain(&system.type_facts).map(|fact| fact.formula);
    let properties = system.properties.iter().map(|property| property.formula);
    of_rules.chain(facts).chain(properties).collect()
}

pub(super) fn has_numbers(system: &TransitionSystem) -> bool {
    let terms = all_terms(system).into_iter().flat_map(|term| post_order(term, true));
    let mut sorts = terms.map(Term::sort);
    let symbols = system.rigid.iter().chain(&system.state).map(|symbol| symbol.function);
    sorts.any(Sort::is_numeric) || symbols.map(Function::result).any(Sort::is_numeric)
}

pub(super) fn has_list(function: Function) -> bool {
    let is_list = |sort: &Sort| matches!(sort, Sort::List(_));
    is_list(&function.result()) || function.parameters().iter().any(is_list)
}

pub(super) fn cells(symbols: &[Symbol], window: Window) -> Result<Vec<Cell>, Unsuited> {
    let mut cells = Vec::new();
    for symbol in symbols {
        let function = symbol.function;
        let all = tuples(function.parameters(), window)?.into_iter();
        cells.extend(all.map(|arguments| Cell { function, arguments }));
        if cells.len() > CELLS {
            return Err(Unsuited::TooLarge);
        }
    }
    Ok(cells)
}

/// The integers that quantifiers and indices range over: a few, and those that the system itself mentions there.
pub(super) fn window(system: &TransitionSystem) -> Window {
    let mut window = WINDOW;
    let mut meet = |number: i128| {
        if (WIDEST.0..=WIDEST.1).contains(&number) {
            window = (window.0.min(number), window.1.max(number));
        }
    };
    for formula in all_terms(system) {
        for inner in post_order(formula, true) {
            match inner.kind() {
                Kind::Apply(_, arguments) => arguments.iter().for_each(|argument| {
                    if let Kind::Int(number) = argument.kind() {
                        meet(*number);
                    }
                }),
                Kind::Quantified(_, variables, body) => {
                    let premise = match body.kind() {
                        Kind::Implies(premise, _) => *premise,
                        _ => *body,
                    };
                    for (low, high) in variables.iter().filter_map(|v| constant_bounds(premise, *v)) {
                        meet(low);
                        meet(high);
                    }
                }
                _ => {}
            }
        }
    }
    window
}
