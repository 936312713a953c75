//! Replays runs that others found, step by step, and says what their end violates.
//!
//! A step names a start or rule; parameters that it does not give and choices that the rule makes itself may be anything. So there
//! may be several runs at once: all are followed, and one that ends in a violation is preferred.

use crate::fault::Fault;
use crate::program::Unit;
use crate::search::{Incomplete, Violation, ViolationKind};
use crate::simulate::violation;
use crate::stack::on_large_stack;
use crate::trace::{Firing, Trace};
use crate::worker::{Attempt, Check, Identity, Setting, Worker};
use std::collections::BTreeSet;
use system::instance::{Instance, Rule};

/// Runs that are followed at once.
const BRANCHES: usize = 100_000;

/// A start or rule to fire.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReplayStep {
    pub name: String,
    /// Names and values as the user writes them; any value for those that are missing.
    pub parameters: Vec<(String, String)>,
}

/// A run that was replayed.
#[derive(Clone, Debug)]
pub struct Replay {
    pub trace: Trace,
    /// What the end of the run violates.
    pub violation: Option<Violation>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("there is nothing to replay")]
    NoSteps,
    #[error("there is no start \"{name}\"")]
    UnknownStart { name: String },
    #[error("there is no rule \"{name}\", in step {step}")]
    UnknownRule { step: usize, name: String },
    #[error("\"{name}\" has no parameter {parameter} with the value {value}, in step {step}")]
    UnknownParameter {
        step: usize,
        name: String,
        parameter: String,
        value: String,
    },
    #[error("\"{name}\" cannot be fired, in step {step}")]
    NotEnabled { step: usize, name: String },
    #[error("step {step} has more than {BRANCHES} outcomes")]
    TooManyBranches { step: usize },
    #[error("the instance has too many rules")]
    TooManyRuleInstances,
}

/// Replays a run: the first step names a start, the others rules.
pub fn replay(instance: &Instance, steps: &[ReplayStep]) -> Result<Replay, ReplayError> {
    on_large_stack(&mut || replay_here(instance, steps))
}

fn replay_here(instance: &Instance, steps: &[ReplayStep]) -> Result<Replay, ReplayError> {
    if steps.is_empty() {
        return Err(ReplayError::NoSteps);
    }
    let setting = Setting::concrete(instance).map_err(|_| ReplayError::TooManyRuleInstances)?;
    let mut player = Player {
        setting: &setting,
        worker: Worker::new(&setting),
        nodes: Vec::new(),
        failed: None,
    };
    let mut front = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let units = player.units(number, step)?;
        front = player.advance(number, &units, &front)?;
        let last = number + 1 == steps.len();
        if front.is_empty() && !(last && player.failed.is_some()) {
            return Err(ReplayError::NotEnabled {
                step: number,
                name: step.name.clone(),
            });
        }
    }
    Ok(player.finish(&front))
}

/// A state on one of the runs.
struct Node {
    before: Option<usize>,
    firing: Firing,
    state: Vec<i64>,
    output: Vec<String>,
}

struct Player<'s> {
    setting: &'s Setting<'s>,
    worker: Worker<'s>,
    nodes: Vec<Node>,
    /// A fault of the step played last: where, by what, and which.
    failed: Option<(Option<usize>, Firing, Fault)>,
}

impl<'s> Player<'s> {
    /// The instances that a step may mean.
    fn units(&self, number: usize, step: &ReplayStep) -> Result<Vec<(&'s Unit, u32)>, ReplayError> {
        let program = &self.setting.program;
        let start = number == 0;
        let rules = if start {
            &program.instance.starts
        } else {
            &program.instance.rules
        };
        let name = step.name.clone();
        if !rules.iter().any(|rule| rule.name == name) {
            return Err(if start {
                ReplayError::UnknownStart { name }
            } else {
                ReplayError::UnknownRule { step: number, name }
            });
        }
        for (parameter, value) in &step.parameters {
            let known = |rule: &Rule| rule.name == name && rule.parameters.iter().any(|p| p.name == *parameter);
            if !rules.iter().any(known) {
                let (parameter, value) = (parameter.clone(), value.clone());
                return Err(ReplayError::UnknownParameter {
                    step: number,
                    name,
                    parameter,
                    value,
                });
            }
        }
        let fits = |(unit, within): &(&Unit, u32)| {
            let firing = program.firing(unit, *within, start, Vec::new());
            let given = |name: &str| {
                step.parameters
                    .iter()
                    .find(|(given, _)| given == name)
                    .map(|(_, value)| value)
            };
            firing.parameters.iter().all(|binding| {
                given(&binding.name).is_none_or(|value| *value == binding.text || *value == binding.value.to_string())
            })
        };
        let named = program
            .instances(start)
            .filter(|(unit, _)| rules[unit.source].name == name);
        Ok(named.filter(fits).collect())
    }

    /// Fires instances in all states of the front.
    fn advance(
        &mut self,
        number: usize,
        units: &[(&'s Unit, u32)],
        front: &[usize],
    ) -> Result<Vec<usize>, ReplayError> {
        let start = number == 0;
        let before: Vec<Option<usize>> = if start {
            vec![None]
        } else {
            front.iter().copied().map(Some).collect()
        };
        let mut next = Vec::new();
        let mut seen = BTreeSet::new();
        self.failed = None;
        for before in before {
            if let Some(node) = before {
                let state = self.nodes[node].state.clone();
                self.worker.load_state(&state);
            }
            for &(unit, within) in units {
                let (setting, nodes, failed) = (self.setting, &mut self.nodes, &mut self.failed);
                self.worker.machine.output = Some(Vec::new());
                self.worker.each_attempt(unit, within, start, &mut |worker, attempt| {
                    let firing = || setting.program.firing(unit, within, start, worker.machine.chosen());
                    match attempt {
                        // No error of the model, and no step either.
                        Attempt::Fault(fault) if Incomplete::by(&fault).is_some() => {}
                        Attempt::Fault(fault) => {
                            failed.get_or_insert((before, firing(), fault));
                        }
                        Attempt::Successor => {
                            let firing = firing();
                            worker.settle();
                            let state = worker.state().to_vec();
                            let left_out = matches!(worker.check(), Check::LeftOut);
                            if let Identity::Fault(fault) = worker.identify() {
                                failed.get_or_insert((before, firing, fault));
                            } else if !left_out && seen.insert(state.clone()) {
                                let output = worker.machine.output.take().unwrap_or_default();
                                next.push(nodes.len());
                                nodes.push(Node {
                                    before,
                                    firing,
                                    state,
                                    output,
                                });
                            }
                        }
                        Attempt::Disabled | Attempt::Dropped | Attempt::Cut => {}
                    }
                    worker.machine.output = Some(Vec::new());
                    next.len() > BRANCHES
                });
                if next.len() > BRANCHES {
                    return Err(ReplayError::TooManyBranches { step: number });
                }
            }
        }
        Ok(next)
    }

    fn finish(mut self, front: &[usize]) -> Replay {
        if let Some((before, firing, fault)) = self.failed.take() {
            let mut trace = self.trace(before);
            trace.failing = Some(firing);
            let violation = Violation {
                trace: Some(trace.clone()),
                ..violation(fault, "")
            };
            return Replay {
                trace,
                violation: Some(violation),
            };
        }
        for &node in front {
            if let Some(found) = self.judge(node) {
                let trace = self.trace(Some(node));
                return Replay {
                    violation: Some(Violation {
                        trace: Some(trace.clone()),
                        ..found
                    }),
                    trace,
                };
            }
        }
        Replay {
            trace: self.trace(front.first().copied()),
            violation: None,
        }
    }

    fn judge(&mut self, node: usize) -> Option<Violation> {
        self.worker.load_state(&self.nodes[node].state);
        let properties = &self.setting.program.instance.properties;
        match self.worker.check() {
            Check::Fine | Check::LeftOut => None,
            Check::Fault { fault, .. } if Incomplete::by(&fault).is_some() => None,
            Check::Fault { property, fault } => Some(violation(fault, &properties[property].name)),
            Check::Violated { property } => Some(Violation {
                kind: ViolationKind::Invariant { property },
                message: format!("invariant \"{}\" is violated", properties[property].name),
                span: properties[property].span,
                trace: None,
            }),
        }
    }

    fn trace(&self, last: Option<usize>) -> Trace {
        let mut steps = Vec::new();
        let mut next = last;
        while let Some(number) = next {
            let node = &self.nodes[number];
            steps.push(
                self.setting
                    .step(node.firing.clone(), node.state.clone(), node.output.clone()),
            );
            next = node.before;
        }
        steps.reverse();
        Trace { steps, failing: None }
    }
}
