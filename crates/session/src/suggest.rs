//! What to do next, the likeliest first, each with its reason.

use crate::command::{Command, Operand, ROUNDS};
use crate::state::State;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    pub command: Command,
    pub reason: String,
}

/// What can be tried in this state; nothing that was tried before while no more was known than now.
pub(crate) fn suggestions(state: &State) -> Vec<Suggestion> {
    let mut list = Vec::new();
    let mut suggest = |command: Command, reason: &str| {
        let tried = (command.to_string(), state.facts.len(), state.offers.len());
        // The others are suggested only where they are due.
        let is_repeated =
            matches!(command, Command::Strengthen(_) | Command::Abstract(_)) && state.tried.contains(&tried);
        let is_listed = list.iter().any(|listed: &Suggestion| listed.command == command);
        if !is_repeated && !is_listed {
            list.push(Suggestion {
                command,
                reason: reason.to_owned(),
            });
        }
    };
    if state.is_finished() {
        suggest(Command::Qed, "everything is proved");
        return list;
    }
    if !state.analysed {
        suggest(Command::Analyze, "what holds wherever control is costs nothing to know");
    }
    let Some(_) = &state.subgoals else {
        suggest(
            Command::Induct,
            "a goal that every rule keeps is proved; one that is not leaves subgoals",
        );
        return list;
    };
    if state.run.is_none() {
        suggest(
            Command::Strengthen(ROUNDS),
            "a few preconditions may close the subgoals",
        );
        suggest(
            abstraction(state, &predicates(state)),
            "the predicates of the subgoals are relevant",
        );
        return list;
    }
    if !state.explained {
        suggest(
            Command::Why,
            "the abstract run is real, or shows what the abstraction does not know",
        );
        return list;
    }
    let is_new = |label: &&String| {
        let offer = state.offers.iter().find(|offer| offer.label == **label);
        let is_stated = |formula| state.statements.iter().any(|statement| statement.formula == formula);
        offer.is_some_and(|offer| !is_stated(offer.offered.formula))
    };
    for label in state
        .latest
        .iter()
        .filter(|label| label.starts_with('c'))
        .filter(is_new)
    {
        let offer = state.offers.iter().find(|offer| offer.label == *label);
        if offer.is_some_and(|offer| offer.reason == "strengthening proves it") {
            let command = Command::Conjecture(Operand::Label(label.clone()));
            suggest(command, "it rules the run out, and strengthening proves it");
        }
    }
    if state.latest.iter().any(|label| label.starts_with('p')) {
        suggest(
            abstraction(state, &state.latest),
            "with what is unknown now the run is gone",
        );
    }
    for label in state
        .latest
        .iter()
        .filter(|label| label.starts_with('c'))
        .filter(is_new)
    {
        let command = Command::Conjecture(Operand::Label(label.clone()));
        suggest(command, "it would rule the run out, if it holds");
    }
    suggest(
        Command::Strengthen(ROUNDS),
        "a few preconditions may close the subgoals",
    );
    list
}

/// The predicates that subgoals have brought up.
fn predicates(state: &State) -> Vec<String> {
    let labels = state.offers.iter().map(|offer| offer.label.clone());
    labels.filter(|label| label.starts_with('p')).collect()
}

/// The abstraction with the predicates in use and these.
fn abstraction(state: &State, more: &[String]) -> Command {
    let mut labels = state.predicates.clone();
    for label in more.iter().filter(|label| label.starts_with('p')) {
        if !labels.contains(label) {
            labels.push(label.clone());
        }
    }
    Command::Abstract(labels.into_iter().map(Operand::Label).collect())
}
