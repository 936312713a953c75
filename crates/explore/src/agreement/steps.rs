//! Single steps from given states, which need not be reachable.
//!
//! The states that exploration reaches rarely satisfy a strong guard, so they do not test the system behind it. Here,
//! instance and system each make one step from a state that satisfies the guard.

use super::search::Budget;
use super::{Comparison, Disagreement, Firing, GOALS, GOALS_OF_STATE, search_context};
use crate::program::{self, Unit};
use crate::stack::on_large_stack;
use crate::worker::sort_multiset;
use logic::Cancellation;
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::correspondence::Correspondence;
use system::instance::Instance;

/// A state of an instance, and the rule to fire in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenState {
    /// Index into the rules of the instance.
    pub rule: usize,
    /// The values of its parameters.
    pub parameters: Vec<i64>,
    /// The slots; those that hold lists are ignored.
    pub slots: Vec<i64>,
    /// The elements of lists, by slot.
    pub lists: Vec<(usize, Vec<i64>)>,
}

/// Statistics of a comparison of single steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StepsReport {
    /// The number of states from which instance and system made one step.
    pub states: usize,
    /// The rules that fired in one of them, as indices into those of the instance.
    pub fired: BTreeSet<usize>,
    /// The number of states that type facts or an assumption exclude.
    pub excluded: usize,
    /// The number of steps in which the system over-approximates the instance, which is sound.
    pub looser: usize,
}

/// The maximum number of instances of each start that are compared.
const STARTS: u32 = 4;

/// Compares starts, and single steps from the given states. It reports a disagreement if a proof about the system could
/// miss behaviour of the instance.
pub fn check_steps(
    instance: &Instance,
    system: &TransitionSystem,
    correspondence: &Correspondence,
    states: &[ChosenState],
    cancellation: &Cancellation,
) -> Result<StepsReport, Disagreement> {
    on_large_stack(&mut || {
        let mut report = StepsReport::default();
        let Some(context) = search_context(instance) else {
            return Ok(report);
        };
        let mut comparison = Comparison::new(&context, system, correspondence, states.len());
        comparison.budget = Budget::without_guesses(GOALS + states.len() * GOALS_OF_STATE);
        comparison.starts(STARTS).or_else(|found| report.note(found))?;
        comparison.queue.clear();
        for chosen in states {
            if cancellation.is_cancelled() {
                break;
            }
            comparison.step_from(chosen, &mut report)?;
        }
        Ok(report)
    })
}

impl StepsReport {
    fn note(&mut self, found: Disagreement) -> Result<(), Disagreement> {
        if found.hides {
            return Err(found);
        }
        self.looser += 1;
        Ok(())
    }
}

impl<'c> Comparison<'c> {
    fn step_from(&mut self, chosen: &ChosenState, report: &mut StepsReport) -> Result<(), Disagreement> {
        let (Some((unit, within)), Some(state)) = (self.instance_of(chosen), self.normal_form(chosen)) else {
            return Ok(());
        };
        self.worker.load_state(&state);
        let is_possible = self.facts(&state).is_ok() && matches!(self.worker.assumptions_hold(), Ok(true));
        if !is_possible {
            report.excluded += 1;
            return Ok(());
        }
        report.states += 1;
        self.properties(&state).or_else(|found| report.note(found))?;
        self.worker.load_state(&state);
        let behaviour = self.behaviour(unit, within, false);
        if !behaviour.successors.is_empty() || !behaviour.faults.is_empty() {
            report.fired.insert(unit.source);
        }
        let matching = &self.correspondence.rules[unit.source];
        let firing = Firing {
            unit,
            within,
            state: Some(&state),
            matching,
            rule: &self.system.rules[matching.rule],
            // The step has no successor to compare.
            waits: true,
        };
        self.compare(&firing, behaviour).or_else(|found| report.note(found))
    }

    fn instance_of(&self, chosen: &ChosenState) -> Option<(&'c Unit, u32)> {
        let program = &self.context.program;
        let parameters = &program.instance.rules[chosen.rule].parameters;
        let values = |unit: &Unit, within: u32| -> Vec<i64> {
            match unit.count == 1 && unit.parameters.len() == parameters.len() {
                true => unit.parameters.to_vec(),
                false => program::parameters(parameters, u64::from(within)),
            }
        };
        let mut instances = program.instances(false).filter(|(unit, _)| unit.source == chosen.rule);
        instances.find(|(unit, within)| values(unit, *within) == chosen.parameters)
    }

    /// The state in the explorer's normal form: multisets are sorted.
    fn normal_form(&self, chosen: &ChosenState) -> Option<Vec<i64>> {
        let context = self.context;
        let mut state = chosen.slots.clone();
        for (slot, elements) in &chosen.lists {
            state[*slot] = context.lists.intern(elements)?;
        }
        let instance = context.program.instance;
        let is_list = |slot: usize| chosen.lists.iter().any(|(list, _)| *list == slot);
        for multiset in &instance.multisets {
            sort_multiset(&mut state, multiset, |a, b, slot| match is_list(slot) {
                true => context.lists.compare(a, b),
                false => a.cmp(&b),
            });
        }
        Some(state)
    }
}
