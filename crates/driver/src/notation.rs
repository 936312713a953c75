//! Formulas in the user's notation.

use abstraction::goal::Goal;
use logic::pretty::{Patterns, pretty_with};
use logic::{Function, Term};
use system::TransitionSystem;

fn patterns(system: &TransitionSystem) -> Vec<(Function, String)> {
    let symbols = system.rigid.iter().chain(&system.state);
    symbols
        .map(|symbol| (symbol.function, symbol.display.clone()))
        .collect()
}

/// A formula about a goal, whose constants are its property's variables again.
pub fn formula(system: &TransitionSystem, goal: &Goal, formula: Term) -> String {
    let mut patterns = patterns(system);
    patterns.extend(
        goal.constants
            .iter()
            .map(|(constant, variable)| (*constant, variable.name.to_string())),
    );
    pretty_with(formula, &patterns.into_iter().collect::<Patterns>())
}

/// A closed formula.
pub fn closed_formula(system: &TransitionSystem, formula: Term) -> String {
    pretty_with(formula, &patterns(system).into_iter().collect::<Patterns>())
}
