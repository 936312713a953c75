//! What to do next, the likeliest first, each with its reason.

use crate::command::{Command, Operand, ROUNDS};
use crate::state::{Offer, State, Statement};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    pub command: Command,
    pub reason: String,
}

/// Why a conjecture is offered that needs no more work.
pub(crate) const PROVABLE: &str = "strengthening proves it";

/// Rounds of strengthening for goals about many elements.
const ROUNDS_OF_MANY: usize = 2;

/// Why predicates are offered.
pub(crate) const IN_SUBGOAL: &str = "is part of a subgoal";
pub(crate) const DECLARED: &str = "is declared in the model";

const RELEVANT: &str = "the predicates of the subgoals are relevant";
const RULES_OUT: &str = "it rules a step out that breaks the goal";
const FEW: &str = "a few preconditions may close the subgoals";

/// What can be tried in this state; nothing that was tried before while no more was known than now.
pub(crate) fn suggestions(state: &State) -> Vec<Suggestion> {
    let mut list = Suggestions {
        state,
        list: Vec::new(),
    };
    if state.is_finished() {
        list.add(Command::Qed, "everything is proved");
        return list.list;
    }
    if state.statements.is_empty() {
        return list.list;
    }
    if !state.analysed {
        list.add(Command::Analyze, "what holds wherever control is costs nothing to know");
    }
    match (&state.subgoals, &state.run) {
        _ if state.in_hand().is_some_and(|statement| statement.is_refuted) => {}
        (None, _) => {
            list.add(
                Command::Induct,
                "either every rule keeps the goal, or there are subgoals to look at",
            );
            list.conjectures(|_| true, "it was offered for the same goal");
        }
        (Some(_), None) => {
            // Of many elements, what a step says of a few is more than what predicates say of those that a goal names;
            // and preconditions about many grow soon.
            match state
                .in_hand()
                .is_some_and(|statement| statement.formula.has_quantifier())
            {
                true => {
                    list.conjectures(|_| true, RULES_OUT);
                    list.add(Command::Strengthen(ROUNDS_OF_MANY), FEW);
                    list.abstraction(&offered(state, IN_SUBGOAL), RELEVANT);
                }
                false => {
                    list.conjectures(
                        |offer| offer.reason == PROVABLE,
                        "it rules the case out, and is inductive",
                    );
                    list.add(Command::Strengthen(ROUNDS), FEW);
                    list.abstraction(&offered(state, IN_SUBGOAL), RELEVANT);
                    list.conjectures(|offer| offer.reason != PROVABLE, RULES_OUT);
                }
            }
        }
        (Some(_), Some(_)) if !state.explained => {
            list.add(
                Command::Why,
                "the abstract run is real, or shows what the abstraction does not know",
            );
        }
        (Some(_), Some(_)) => {
            list.conjectures(
                |offer| offer.reason == PROVABLE,
                "it rules the run out, and strengthening proves it",
            );
            list.abstraction(&state.latest, "with what is unknown now the run is gone");
            list.conjectures(
                |offer| offer.reason != PROVABLE,
                "it would rule the run out, if it holds",
            );
            list.add(Command::Strengthen(ROUNDS), FEW);
        }
    }
    if state.subgoals.is_some() && state.in_hand().is_some_and(Statement::is_open) {
        list.abstraction(&offered(state, DECLARED), "the model declares them");
    }
    if list.list.is_empty() {
        let open = state.statements.iter().enumerate().rev();
        let mut open = open.filter(|(number, statement)| statement.is_open() && *number != state.focus);
        if let Some((number, _)) = open.next() {
            list.add(Command::Goal((number + 1).to_string()), "nothing is left to try here");
        }
    }
    list.list
}

struct Suggestions<'s> {
    state: &'s State,
    list: Vec<Suggestion>,
}

impl Suggestions<'_> {
    fn add(&mut self, command: Command, reason: &str) {
        let state = self.state;
        // An explanation is suggested only where it is due.
        if command == Command::Why || !state.tried.contains(&state.trying(&command, state.focus)) {
            let reason = reason.to_owned();
            self.list.push(Suggestion { command, reason });
        }
    }

    /// The abstraction with the predicates in use and these, where there are any.
    fn abstraction(&mut self, more: &[String], reason: &str) {
        let mut labels = self.state.predicates.clone();
        for label in more.iter().filter(|label| label.starts_with('p')) {
            if !labels.contains(label) {
                labels.push(label.clone());
            }
        }
        let is_new = more.iter().any(|label| label.starts_with('p'));
        if is_new {
            self.add(
                Command::Abstract(labels.into_iter().map(Operand::Label).collect()),
                reason,
            );
        }
    }

    /// Conjectures that were brought up last and are no goals yet.
    fn conjectures(&mut self, is_meant: impl Fn(&Offer) -> bool, reason: &str) {
        let state = self.state;
        let is_stated = |offer: &&Offer| {
            let mut statements = state.statements.iter();
            statements.any(|statement| statement.formula == offer.offered.formula)
        };
        let latest = state.latest.iter().filter(|label| label.starts_with('c'));
        let offers = latest.filter_map(|label| state.offers.iter().find(|offer| offer.label == *label));
        for offer in offers.filter(|offer| is_meant(offer) && !is_stated(offer)) {
            let command = Command::Conjecture(Operand::Label(offer.label.clone()));
            let reason = match offer.reason == PROVABLE {
                true => reason.to_owned(),
                false => format!("{reason}; it {}", offer.reason),
            };
            self.add(command, &reason);
        }
    }
}

/// The predicates that were offered for this reason.
fn offered(state: &State, reason: &str) -> Vec<String> {
    let offers = state
        .offers
        .iter()
        .filter(|offer| offer.label.starts_with('p') && offer.reason == reason);
    offers.map(|offer| offer.label.clone()).collect()
}
