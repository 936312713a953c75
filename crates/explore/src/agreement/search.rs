//! Search for choices of a system rule that reproduce a step of the instance.

use super::world::World;
use logic::evaluate::{EvaluateError, Evaluator};
use logic::{Environment, Function, Kind, Sort, Term, Value};
use std::cell::Cell;

/// A term and the value that it must have.
pub(super) struct Goal {
    pub(super) name: String,
    pub(super) term: Term,
    pub(super) bindings: Vec<(logic::Variable, Value)>,
    pub(super) wanted: Value,
}

impl Goal {
    pub(super) fn truth(name: &str, term: Term) -> Goal {
        Goal::is(name, term, true)
    }

    pub(super) fn is(name: &str, term: Term, wanted: bool) -> Goal {
        Goal {
            name: name.to_owned(),
            term,
            bindings: Vec::new(),
            wanted: Value::Bool(wanted),
        }
    }
}

/// The result of a search for choices that satisfy all goals.
pub(super) enum Found {
    Yes,
    /// The goal that was satisfied least often, and whether an undefined value was read.
    No {
        why: String,
        unknown: bool,
    },
    /// The budget was exhausted, or the instance does not define a value that was needed.
    Unknown,
}

/// The maximum number of goals evaluated in one search.
const ONE_SEARCH: usize = 20_000;
/// The minimum budget, regardless of what is left.
const LEAST: usize = 60;

/// The remaining budget of goals: in a rule with many choices, most searches are short.
pub(super) struct Budget {
    goals: Cell<usize>,
    /// Whether "not found" counts even if only some values were tried, as for integers.
    trusts_guesses: bool,
}

impl Budget {
    pub(super) fn new(goals: usize) -> Budget {
        Budget {
            goals: Cell::new(goals),
            trusts_guesses: true,
        }
    }

    /// "Not found" counts only if all values were tried.
    pub(super) fn without_guesses(goals: usize) -> Budget {
        Budget {
            trusts_guesses: false,
            ..Budget::new(goals)
        }
    }
}

/// Searches for values of a rule's choices that satisfy all goals.
pub(super) fn search(
    goals: &[Goal],
    environment: &Environment,
    world: &World,
    choices: &[Function],
    budget: &Budget,
) -> Found {
    let allowed = ONE_SEARCH.min(LEAST + goals.len() + budget.goals.get() / 8);
    let mut search = ChoiceSearch {
        goals,
        world,
        evaluator: Evaluator::new(environment, world),
        choices,
        furthest: 0,
        why: String::new(),
        budget: allowed,
        guessed: false,
    };
    let is_met = search.satisfy(0);
    let left = budget.goals.get().saturating_sub(allowed - search.budget);
    budget.goals.set(left);
    if is_met {
        return Found::Yes;
    } else if search.budget == 0 || (search.guessed && !budget.trusts_guesses) {
        return Found::Unknown;
    }
    let name = goals.get(search.furthest).map_or("", |goal| goal.name.as_str());
    Found::No {
        why: format!("{name} {}", search.why),
        unknown: world.unknown.get(),
    }
}

struct ChoiceSearch<'g> {
    goals: &'g [Goal],
    world: &'g World<'g>,
    /// Memoised results depend on the current choices.
    evaluator: Evaluator<'g>,
    choices: &'g [Function],
    furthest: usize,
    why: String,
    budget: usize,
    /// Whether a choice may have untried values.
    guessed: bool,
}

impl ChoiceSearch<'_> {
    fn satisfy(&mut self, number: usize) -> bool {
        let Some(goal) = self.goals.get(number) else {
            return true;
        };
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        match self.evaluator.evaluate_where(&goal.bindings, goal.term) {
            Ok(value) if value == goal.wanted => self.satisfy(number + 1),
            Err(EvaluateError::NoInterpretation { function, arguments }) if self.choices.contains(&function) => {
                let mut candidates = vec![goal.wanted.clone()];
                candidates.extend(self.world.candidates(function.result()));
                candidates.retain(|value| value.has_sort(function.result()));
                // The choice that the goal names gets the wanted value.
                let is_goal = matches!(goal.term.kind(), Kind::Apply(goal, _) if *goal == function);
                let is_finite = matches!(function.result(), Sort::Bool | Sort::Enum(_) | Sort::Index(_));
                self.guessed |= !is_goal && !is_finite;
                candidates.into_iter().any(|candidate| {
                    self.choose(function, &arguments, Some(candidate));
                    let is_met = self.satisfy(number);
                    if !is_met {
                        self.choose(function, &arguments, None);
                    }
                    is_met
                })
            }
            other => {
                if number >= self.furthest {
                    self.furthest = number;
                    self.why = format!("is {other:?} in the system, not {:?}", goal.wanted);
                }
                false
            }
        }
    }

    fn choose(&mut self, function: Function, arguments: &[Value], value: Option<Value>) {
        let key = (function, arguments.to_vec());
        let mut choices = self.world.choices.borrow_mut();
        match value {
            Some(value) => choices.insert(key, value),
            None => choices.remove(&key),
        };
        self.evaluator.forget();
    }
}
