//! Formulas in the user's notation, and numbers as people read them.

use abstraction::goal::Goal;
use logic::pretty::{Patterns, pretty_with};
use logic::{Function, Term};
use system::TransitionSystem;
pub use system::printable::grouped;

/// How the user writes the symbols of the system, and some others.
pub fn notation(system: &TransitionSystem, others: impl IntoIterator<Item = (Function, String)>) -> Patterns {
    let symbols = system.rigid.iter().chain(&system.state);
    let symbols = symbols.map(|symbol| (symbol.function, symbol.display.clone()));
    let facts = system.type_facts.iter().map(|fact| fact.formula);
    symbols.chain(others).collect::<Patterns>().with_facts(facts)
}

/// A formula about a goal, whose constants are its property's variables again.
pub fn formula(system: &TransitionSystem, goal: &Goal, formula: Term) -> String {
    let constants = goal.constants.iter();
    let variables = constants.map(|(constant, variable)| (*constant, variable.name.to_string()));
    pretty_with(formula, &notation(system, variables))
}

/// A closed formula.
pub fn closed_formula(system: &TransitionSystem, formula: Term) -> String {
    pretty_with(formula, &notation(system, []))
}
