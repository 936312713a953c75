//! Confirms violations by a second interpreter, independent of the search, before they are reported.
//!
//! The search runs specialised code on packed states, with symmetry and filters; a bug in any of these could produce a
//! spurious run. The run is therefore replayed: each step starts from the state that the previous step produced, by
//! walking the instance's own trees, and must produce the state in the trace. Both only share the instance, that is,
//! the front end's reading of the source.

mod exploration;
mod machine;

use crate::fault::FaultKind;
use crate::search::{Violation, ViolationKind};
use crate::stack::on_large_stack;
use crate::trace::{Firing, Trace, TraceStep};
pub use exploration::{Budget, ConfirmedExploration, SecondExploration, confirm_exploration};
use machine::{Choices, ListTable, Machine, Stop, limits};
use system::instance::{Instance, Parameter, Property, PropertyKind, Rule, UNDEFINED};

/// Why the run is not confirmed: one sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unconfirmed(String);

/// A violation whose run the plain interpreter has replayed. Only [`confirm`] creates one.
#[derive(Clone, Debug)]
pub struct ConfirmedRun {
    violation: Violation,
}

impl ConfirmedRun {
    pub fn violation(&self) -> &Violation {
        &self.violation
    }
}

/// Replays the run of a violation and checks its end. An unsatisfied `cover` property has no run and is accepted as it
/// is.
pub fn confirm(instance: &Instance, violation: &Violation) -> Result<ConfirmedRun, Unconfirmed> {
    let confirmed = || ConfirmedRun {
        violation: violation.clone(),
    };
    if matches!(violation.kind, ViolationKind::Uncovered { .. }) {
        return Ok(confirmed());
    }
    let Some(trace) = &violation.trace else {
        return Err(Unconfirmed("there is no run to confirm".to_owned()));
    };
    on_large_stack(&mut || {
        let mut replay = Replay {
            instance,
            lists: ListTable::default(),
        };
        replay.confirm(violation.kind, trace).map_err(Unconfirmed)
    })
    .map(|()| confirmed())
}

struct Replay<'i> {
    instance: &'i Instance,
    lists: ListTable,
}

/// The successor, or `None` if the guard is false.
type Fired = Result<Option<Vec<i64>>, Stop>;

impl Replay<'_> {
    fn confirm(&mut self, kind: ViolationKind, trace: &Trace) -> Result<(), String> {
        let mut state = vec![UNDEFINED; self.instance.slots.len()];
        for (number, step) in trace.steps.iter().enumerate() {
            if step.firing.start != (number == 0) {
                return Err(format!("step {number} is out of place"));
            }
            state = self.follow(number, step, &state)?;
        }
        match (kind, &trace.failing) {
            (ViolationKind::Invariant { property }, None) => self.check_violation(property, &state),
            (ViolationKind::Fault(kind), Some(firing)) => self.check_fault(firing, &state, kind),
            (ViolationKind::Fault(kind), None) => self.check_property_fault(&state, kind),
            (ViolationKind::Deadlock, None) => self.check_deadlock(&state),
            _ => Err("the run does not end as the violation says".to_owned()),
        }
    }

    fn rule(&self, firing: &Firing) -> Result<&Rule, String> {
        let rules = match firing.start {
            true => &self.instance.starts,
            false => &self.instance.rules,
        };
        rules
            .get(firing.index)
            .ok_or_else(|| format!("there is no rule \"{}\"", firing.name))
    }

    /// Whether a rule is enabled, for some choices in its guard.
    fn is_enabled(&mut self, rule: &Rule, values: &[i64], state: &[i64]) -> Result<bool, Stop> {
        let mut choices = Choices::default();
        loop {
            let mut machine = Machine::new(self.instance, &mut self.lists, state, (rule.frame, values), choices);
            let enabled = machine.run(&rule.prologue).and_then(|_| machine.test(&rule.guard));
            choices = machine.choices;
            match enabled {
                Ok(false) | Err(Stop::Assumption) if choices.next() => {}
                Err(Stop::Assumption) => return Ok(false),
                enabled => return enabled,
            }
        }
    }

    /// An error if an enabled rule, or one that may be enabled, has a smaller number than `priority`.
    fn check_priority(&mut self, priority: i64, state: &[i64]) -> Result<(), String> {
        let instance = self.instance;
        for rule in instance.rules.iter().filter(|rule| rule.priority < priority) {
            for values in all_values(&rule.parameters) {
                match self.is_enabled(rule, &values, state) {
                    Ok(false) => {}
                    Ok(true) => return Err(format!("the rule \"{}\" has priority", rule.name)),
                    Err(stop) => return Err(format!("the guard of \"{}\" ends with {stop:?}", rule.name)),
                }
            }
        }
        Ok(())
    }

    /// The smallest priority number of a rule that is, or may be, enabled: rules with a larger one wait. Rules with the
    /// largest number need not be evaluated.
    fn first_priority(&mut self, state: &[i64]) -> i64 {
        let instance = self.instance;
        let mut first = instance
            .rules
            .iter()
            .map(|rule| rule.priority)
            .max()
            .unwrap_or(i64::MAX);
        for rule in &instance.rules {
            let mut values = all_values(&rule.parameters);
            if rule.priority < first && values.any(|values| self.is_enabled(rule, &values, state) != Ok(false)) {
                first = rule.priority;
            }
        }
        first
    }

    /// Fires a rule once.
    fn fire(&mut self, rule: &Rule, values: &[i64], state: &[i64], choices: &mut Choices) -> Fired {
        let given = std::mem::take(choices);
        let mut machine = Machine::new(self.instance, &mut self.lists, state, (rule.frame, values), given);
        let fired = (|| {
            machine.run(&rule.prologue)?;
            if !machine.test(&rule.guard)? {
                return Ok(false);
            }
            // If the guard may have changed what the prologue evaluated, the body re-evaluates the prologue.
            machine.run(&rule.body)?;
            Ok(true)
        })();
        *choices = machine.choices;
        let mut next = machine.memory;
        if !fired? {
            return Ok(None);
        }
        next.truncate(state.len());
        self.settle(&mut next);
        for (slot, value) in self.instance.slots.iter().zip(&next) {
            let fits = |(low, high)| (low..=high).contains(value);
            if *value != UNDEFINED && !limits(self.instance, slot.ty).is_none_or(fits) {
                return Err(Stop::Fault(FaultKind::OutOfRange));
            }
        }
        Ok(Some(next))
    }

    /// Normalises multisets: present elements come first, sorted, and the rest is undefined.
    fn settle(&self, state: &mut [i64]) {
        for multiset in &self.instance.multisets {
            let width = multiset.stride + 1;
            let region = multiset.base..multiset.base + multiset.capacity * width;
            let elements = state[region.clone()].chunks(width).filter(|element| element[0] == 1);
            let key = |element: &[i64]| -> Vec<(i64, Vec<i64>)> {
                let slots = (multiset.base..).zip(element);
                let parts = slots.map(|(slot, value)| self.key(slot, *value));
                parts.collect()
            };
            let mut elements: Vec<Vec<i64>> = elements.map(<[i64]>::to_vec).collect();
            elements.sort_by_key(|element| key(element));
            let mut sorted: Vec<i64> = elements.concat();
            sorted.resize(region.len(), UNDEFINED);
            state[region].copy_from_slice(&sorted);
        }
    }

    /// Lists are ordered by their elements.
    fn key(&self, slot: usize, value: i64) -> (i64, Vec<i64>) {
        let ty = self.instance.slots[slot].ty;
        match &self.instance.types[ty] {
            system::instance::Type::List { .. } if value != UNDEFINED => (0, self.lists.elements(value).to_vec()),
            _ => (value, Vec::new()),
        }
    }

    /// Fires a step of the trace; its successor must equal the recorded state.
    fn follow(&mut self, number: usize, step: &TraceStep, state: &[i64]) -> Result<Vec<i64>, String> {
        let firing = &step.firing;
        let rule = self.rule(firing)?.clone();
        let values = values(&rule, firing)?;
        if !firing.start {
            self.check_priority(rule.priority, state)
                .map_err(|why| format!("{firing} has to wait, in step {number}: {why}"))?;
        }
        let mut choices = Choices::new(firing.choices.clone());
        let next = match self.fire(&rule, &values, state, &mut choices) {
            Ok(Some(next)) => next,
            Ok(None) => return Err(format!("{firing} is not enabled, in step {number}")),
            Err(stop) => return Err(format!("{firing} ends with {stop:?}, in step {number}")),
        };
        for (slot, value) in next.iter().enumerate() {
            let text = self.lists.text(self.instance, self.instance.slots[slot].ty, *value);
            if step.texts.get(slot) != Some(&text) {
                let name = self.instance.slot_name(slot);
                return Err(format!("{name} is {text} after {firing}, in step {number}"));
            }
        }
        let assumptions = self
            .instance
            .properties
            .iter()
            .filter(|p| p.kind == PropertyKind::Assumption);
        for property in assumptions {
            // If its evaluation fails, that is a violation by itself.
            if !matches!(self.holds(property, &next), Ok(true) | Err(Stop::Fault(_))) {
                return Err(format!("the assumption \"{}\" leaves step {number} out", property.name));
            }
        }
        Ok(next)
    }

    /// Whether a property holds for all its parameters.
    fn holds(&mut self, property: &Property, state: &[i64]) -> Result<bool, Stop> {
        for values in all_values(&property.parameters) {
            let frame = (property.frame, &values[..]);
            let mut machine = Machine::new(self.instance, &mut self.lists, state, frame, Choices::default());
            machine.run(&property.prologue)?;
            if !machine.test(&property.condition)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn check_violation(&mut self, property: usize, state: &[i64]) -> Result<(), String> {
        let Some(property) = self.instance.properties.get(property) else {
            return Err("there is no such property".to_owned());
        };
        match self.holds(property, state) {
            Ok(false) => Ok(()),
            other => Err(format!("\"{}\" is not violated at the end: {other:?}", property.name)),
        }
    }

    fn check_property_fault(&mut self, state: &[i64], kind: FaultKind) -> Result<(), String> {
        let instance = self.instance;
        for property in &instance.properties {
            // For a cover property, evaluation does not stop at the first satisfying instance.
            for values in all_values(&property.parameters) {
                let frame = (property.frame, &values[..]);
                let mut machine = Machine::new(instance, &mut self.lists, state, frame, Choices::default());
                let result = machine
                    .run(&property.prologue)
                    .and_then(|_| machine.test(&property.condition));
                if result == Err(Stop::Fault(kind)) {
                    return Ok(());
                }
            }
        }
        Err("no property has that error at the end".to_owned())
    }

    /// Whether firing this rule ends in such a fault. Its choices may be missing from the trace.
    fn check_fault(&mut self, firing: &Firing, state: &[i64], kind: FaultKind) -> Result<(), String> {
        let rule = self.rule(firing)?.clone();
        let values = values(&rule, firing)?;
        if !firing.start && self.is_enabled(&rule, &values, state) != Err(Stop::Fault(kind)) {
            // All guards are evaluated; the rest only for rules that need not wait.
            self.check_priority(rule.priority, state)
                .map_err(|why| format!("{firing} has to wait: {why}"))?;
        }
        let mut choices = Choices::new(firing.choices.clone());
        loop {
            let fired = self.fire(&rule, &values, state, &mut choices);
            if fired == Err(Stop::Fault(kind)) {
                return Ok(());
            }
            let last = fired.map(|next| next.is_some());
            if !choices.next() {
                return Err(format!("{firing} does not fail in this way: {last:?}"));
            }
        }
    }

    fn check_deadlock(&mut self, state: &[i64]) -> Result<(), String> {
        let instance = self.instance;
        let first = self.first_priority(state);
        for rule in instance.rules.iter().filter(|rule| rule.priority <= first) {
            for values in all_values(&rule.parameters) {
                let mut choices = Choices::default();
                loop {
                    if let Ok(Some(next)) = self.fire(rule, &values, state, &mut choices)
                        && next != state
                    {
                        return Err(format!("the rule \"{}\" leads on from the end", rule.name));
                    }
                    if !choices.next() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The parameter values of a firing, which must be valid for the rule.
fn values(rule: &Rule, firing: &Firing) -> Result<Vec<i64>, String> {
    let values: Vec<i64> = firing.parameters.iter().map(|binding| binding.value).collect();
    let fits = |(parameter, value): (&Parameter, &i64)| {
        let distance = i128::from(*value) - i128::from(parameter.low);
        let step = i128::from(parameter.step);
        step != 0 && distance % step == 0 && (0..count(parameter)).contains(&(distance / step))
    };
    match values.len() == rule.parameters.len() && rule.parameters.iter().zip(&values).all(fits) {
        true => Ok(values),
        false => Err(format!("{firing} has other parameters")),
    }
}

/// The number of values of a parameter.
fn count(parameter: &Parameter) -> i128 {
    let (low, high, step) = (
        i128::from(parameter.low),
        i128::from(parameter.high),
        i128::from(parameter.step),
    );
    match step.signum() {
        1 if low <= high => (high - low) / step + 1,
        -1 if low >= high => (low - high) / -step + 1,
        _ => 0,
    }
}

/// All values of several parameters, the first varying slowest.
fn all_values(parameters: &[Parameter]) -> impl Iterator<Item = Vec<i64>> {
    let total = parameters.iter().map(count).fold(1, i128::saturating_mul);
    (0..total).map(move |number| {
        let mut number = number;
        let mut values = vec![0; parameters.len()];
        for (value, parameter) in values.iter_mut().zip(parameters).rev() {
            let count = count(parameter).max(1);
            *value = (i128::from(parameter.low) + number % count * i128::from(parameter.step)) as i64;
            number /= count;
        }
        values
    })
}
