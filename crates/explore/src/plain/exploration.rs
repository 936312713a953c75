//! A second exploration by the plain interpreter: breadth first, without symmetry, packing or filters. It shares only
//! the instance with the search.

use super::machine::{Choices, ListTable, Stop};
use super::{Replay, Unconfirmed, all_values};
use crate::search::SearchOutcome;
use crate::stack::on_large_stack;
use logic::Cancellation;
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use system::instance::{Instance, PropertyKind, Rule, UNDEFINED};

/// Limits of the second exploration.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub states: u64,
    /// The maximum number of guard evaluations.
    pub attempts: u64,
}

/// For a large instance, this many states suffice.
const ENOUGH: u64 = 1_000;

impl Budget {
    pub const UNLIMITED: Budget = Budget {
        states: u64::MAX,
        attempts: u64::MAX,
    };
}

/// A search that saw all states without a violation, confirmed by the plain interpreter. Only [`confirm_exploration`]
/// creates one.
#[derive(Clone, Debug)]
pub struct ConfirmedExploration {
    outcome: SearchOutcome,
    again: SecondExploration,
}

/// The statistics of the second exploration, which does not use symmetry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecondExploration {
    pub states: u64,
    /// Whether it saw all states.
    pub is_all: bool,
}

impl ConfirmedExploration {
    pub fn outcome(&self) -> &SearchOutcome {
        &self.outcome
    }

    pub fn again(&self) -> SecondExploration {
        self.again
    }

    /// Whether enough states were confirmed: fewer than the budget allows are too few if the work was cancelled.
    pub fn is_enough(&self) -> bool {
        self.again.is_all || self.again.states >= ENOUGH
    }
}

/// Explores the states of an instance a second time, up to the budget.
pub fn confirm_exploration(
    instance: &Instance,
    outcome: SearchOutcome,
    budget: Budget,
    cancellation: &Cancellation,
) -> Result<ConfirmedExploration, Unconfirmed> {
    if !outcome.is_safe() || instance.windowed {
        return Err(Unconfirmed("not all states were seen".to_owned()));
    }
    let again = on_large_stack(&mut || {
        let replay = Replay {
            instance,
            lists: ListTable::default(),
        };
        Search {
            replay,
            budget,
            seen: HashSet::new(),
            queue: VecDeque::new(),
        }
        .run(cancellation)
    })
    .map_err(Unconfirmed)?;
    let (states, statistics) = (again.states, &outcome.statistics);
    let fits = match (again.is_all, statistics.symmetric) {
        (true, false) => states == statistics.states,
        // Each state of the search represents at least one.
        (true, true) => states >= statistics.states,
        (false, _) => true,
    };
    match fits {
        true => Ok(ConfirmedExploration { outcome, again }),
        false => Err(Unconfirmed(format!(
            "there are {states} states, and the search has seen {}",
            statistics.states
        ))),
    }
}

struct Search<'i> {
    replay: Replay<'i>,
    budget: Budget,
    seen: HashSet<Rc<[i64]>>,
    queue: VecDeque<Rc<[i64]>>,
}

impl Search<'_> {
    fn run(mut self, cancellation: &Cancellation) -> Result<SecondExploration, String> {
        let instance = self.replay.instance;
        let nothing = vec![UNDEFINED; instance.slots.len()];
        for start in &instance.starts {
            self.fire(start, &nothing, cancellation)?;
        }
        let are_all_starts = self.budget.attempts > 0;
        while let Some(state) = self.queue.front().cloned() {
            // The missing successors of the last state do not matter: it does not count as explored.
            if self.seen.len() as u64 >= self.budget.states || cancellation.is_cancelled() {
                break;
            }
            let first = self.first_priority(&state)?;
            for rule in instance.rules.iter().filter(|rule| rule.priority <= first) {
                self.fire(rule, &state, cancellation)?;
            }
            if self.budget.attempts == 0 {
                break;
            }
            self.queue.pop_front();
        }
        Ok(SecondExploration {
            states: self.seen.len() as u64,
            is_all: are_all_starts && self.queue.is_empty(),
        })
    }

    /// The least priority of an enabled rule; rules with a larger number must wait. Evaluates all guards.
    fn first_priority(&mut self, state: &[i64]) -> Result<i64, String> {
        let instance = self.replay.instance;
        let mut first = i64::MAX;
        if instance
            .rules
            .windows(2)
            .all(|pair| pair[0].priority == pair[1].priority)
        {
            return Ok(first);
        }
        for rule in &instance.rules {
            for values in all_values(&rule.parameters) {
                self.budget.attempts = self.budget.attempts.saturating_sub(1);
                match self.replay.is_enabled(rule, &values, state) {
                    Ok(true) => first = first.min(rule.priority),
                    Ok(false) => {}
                    Err(stop) => return Err(format!("the guard of \"{}\" ends with {stop:?}", rule.name)),
                }
            }
        }
        Ok(first)
    }

    /// Fires a rule with all parameters and choices until cancelled, and checks the successors.
    fn fire(&mut self, rule: &Rule, state: &[i64], cancellation: &Cancellation) -> Result<(), String> {
        for values in all_values(&rule.parameters) {
            let mut choices = Choices::default();
            while self.budget.attempts > 0 {
                if cancellation.is_cancelled() {
                    // The state does not count as explored from here on.
                    self.budget.attempts = 0;
                    return Ok(());
                }
                self.budget.attempts -= 1;
                match self.replay.fire(rule, &values, state, &mut choices) {
                    Ok(Some(next)) => self.add_state(next)?,
                    Ok(None) | Err(Stop::Assumption) => {}
                    Err(stop) => return Err(format!("the rule \"{}\" ends with {stop:?}", rule.name)),
                }
                if !choices.next() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn add_state(&mut self, state: Vec<i64>) -> Result<(), String> {
        if self.seen.contains(&state[..]) {
            return Ok(());
        }
        let instance = self.replay.instance;
        let of_kind = |kind: PropertyKind| instance.properties.iter().filter(move |p| p.kind == kind);
        for property in of_kind(PropertyKind::Assumption) {
            match self.replay.holds(property, &state) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(stop) => return Err(format!("the assumption \"{}\" ends with {stop:?}", property.name)),
            }
        }
        for property in of_kind(PropertyKind::Invariant) {
            if self.replay.holds(property, &state) != Ok(true) {
                return Err(format!(
                    "\"{}\" does not hold in a state that is reached",
                    property.name
                ));
            }
        }
        let state: Rc<[i64]> = state.into();
        self.seen.insert(Rc::clone(&state));
        self.queue.push_back(state);
        Ok(())
    }
}
