//! Traces: concrete runs in the user's notation.

use std::fmt;
use system::Span;
use system::instance::Instance;

/// A run; `steps[0]` is a start, each further step a rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    pub steps: Vec<TraceStep>,
    /// The start or rule whose guard or body failed in the last state, if any.
    pub failing: Option<Firing>,
}

/// A fired rule and the state that it led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    pub firing: Firing,
    /// The values of all slots. Lists are numbers without meaning outside the run: see `texts`.
    pub state: Vec<i64>,
    /// The same values in display form.
    pub texts: Vec<String>,
    /// The output of `put` statements.
    pub output: Vec<String>,
}

/// A start or rule with its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Firing {
    pub name: String,
    /// Index into the starts or rules of the instance.
    pub index: usize,
    pub start: bool,
    pub parameters: Vec<Binding>,
    /// The values taken by `choose` statements, in order.
    pub choices: Vec<i64>,
    pub span: Span,
}

/// A parameter and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    pub name: String,
    pub value: i64,
    pub text: String,
}

/// A slot that a step changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub slot: usize,
    pub name: String,
    pub old: String,
    pub new: String,
}

impl Trace {
    /// The changes of step `number`. A start changes every slot that it defines, from `undefined`.
    pub fn changes(&self, instance: &Instance, number: usize) -> Vec<Change> {
        let Some(step) = self.steps.get(number) else {
            return Vec::new();
        };
        let before = number.checked_sub(1).and_then(|before| self.steps.get(before));
        let old = |slot: usize| before.map_or("undefined", |step| step.texts[slot].as_str());
        (0..step.texts.len())
            .filter(|slot| step.texts[*slot] != old(*slot))
            .map(|slot| Change {
                slot,
                name: instance.slot_name(slot),
                old: old(slot).to_owned(),
                new: step.texts[slot].clone(),
            })
            .collect()
    }
}

/// `name` or `name(i = 1, j = NODE_2)`.
impl fmt::Display for Firing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.parameters.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        for (number, binding) in self.parameters.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{} = {}", binding.name, binding.text)?;
        }
        f.write_str(")")
    }
}
