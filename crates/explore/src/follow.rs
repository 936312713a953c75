//! Replays an abstract run: searches for parameters and choices with which the given rules, in order, lead to a
//! violation.
//!
//! Breadth first within each step: the search keeps all states after the previous step, and fires all instances and
//! choices of the rule in each. States that are equal up to symmetry are followed once.

use crate::fault::Fault;
use crate::program::Unit;
use crate::search::{Incomplete, Violation, ViolationKind};
use crate::simulate::violation;
use crate::stack::on_large_stack;
use crate::symmetry::Symmetry;
use crate::trace::{Firing, Trace};
use crate::worker::{Attempt, Check, Identity, SearchContext, Worker};
use logic::Cancellation;
use std::collections::BTreeSet;
use system::Span;
use system::instance::{Instance, Rule};

/// A start or rule to fire. If it matches several, any of them will do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Waypoint {
    Named(String),
    /// By its place in the source.
    At(Span),
}

impl Waypoint {
    fn matches(&self, rule: &Rule) -> bool {
        match self {
            Waypoint::Named(name) => rule.name == *name,
            Waypoint::At(span) => rule.span == *span,
        }
    }
}

/// The run to follow, and limits.
#[derive(Clone, Debug)]
pub struct FollowOptions<'o> {
    /// A start, followed by rules.
    pub waypoints: &'o [Waypoint],
    /// The properties to check, as indices into those of the instance. Run-time errors always count.
    pub properties: &'o [usize],
    pub max_states: usize,
}

/// The result of a replay.
#[derive(Clone, Debug)]
pub enum FollowOutcome {
    /// The last step leads to a violation, or otherwise an earlier one does.
    Violated(Box<Violation>),
    /// The search was exhaustive. This many steps can be taken in sequence.
    Nothing { steps: usize },
    /// Nothing was found, and the search was not exhaustive.
    Incomplete(Incomplete),
}

/// Searches for a run that fires the given rules in order and ends in a violation.
pub fn follow(instance: &Instance, options: &FollowOptions, cancellation: &Cancellation) -> FollowOutcome {
    on_large_stack(&mut || {
        let Ok(mut context) = SearchContext::concrete(instance) else {
            return FollowOutcome::Incomplete(Incomplete::TooManyRuleInstances);
        };
        context.symmetry = Symmetry::new(instance);
        let mut follower = Follower {
            context: &context,
            worker: Worker::new(&context),
            options,
            cancellation,
            nodes: Vec::new(),
            found: None,
            incomplete: None,
        };
        follower.follow()
    })
}

/// A state on one of the runs.
struct Node {
    before: Option<usize>,
    firing: Firing,
    state: Vec<i64>,
    output: Vec<String>,
}

/// A violation: in the state of a node, or in a step from there.
struct Found {
    node: Option<usize>,
    failing: Option<Firing>,
    violation: Violation,
}

/// Enough violations, or too many states.
struct Halt;

struct Follower<'s, 'o> {
    context: &'s SearchContext<'s>,
    worker: Worker<'s>,
    options: &'o FollowOptions<'o>,
    cancellation: &'o Cancellation,
    nodes: Vec<Node>,
    found: Option<Found>,
    incomplete: Option<Incomplete>,
}

impl<'s> Follower<'s, '_> {
    fn follow(&mut self) -> FollowOutcome {
        let mut front = vec![None];
        let mut taken = 0;
        for number in 0..self.options.waypoints.len() {
            let last = number + 1 == self.options.waypoints.len();
            // A violation at the end is preferred.
            let on_the_way = if last { self.found.take() } else { None };
            let next = self.step(number, &front, last);
            self.found = self.found.take().or(on_the_way);
            match next {
                Ok(next) if !next.is_empty() => front = next,
                Ok(_) | Err(Halt) => break,
            }
            taken += 1;
        }
        match (self.found.take(), self.incomplete) {
            (Some(found), _) => {
                let mut trace = self.trace(found.node);
                trace.failing = found.failing;
                FollowOutcome::Violated(Box::new(Violation {
                    trace: Some(trace),
                    ..found.violation
                }))
            }
            (None, Some(incomplete)) => FollowOutcome::Incomplete(incomplete),
            (None, None) => FollowOutcome::Nothing { steps: taken },
        }
    }

    /// Fires the rules that match a waypoint in all states of the frontier.
    fn step(&mut self, number: usize, front: &[Option<usize>], last: bool) -> Result<Vec<Option<usize>>, Halt> {
        let start = number == 0;
        let (context, waypoint) = (self.context, &self.options.waypoints[number]);
        let instance = context.program.instance;
        let rules = if start { &instance.starts } else { &instance.rules };
        let units: Vec<(&'s Unit, u32)> = context
            .program
            .instances(start)
            .filter(|(unit, _)| waypoint.matches(&rules[unit.source]))
            .collect();
        let mut next = Vec::new();
        let mut seen = BTreeSet::new();
        for &before in front {
            if let Some(node) = before {
                let state = self.nodes[node].state.clone();
                self.worker.load_state(&state);
            }
            for &(unit, within) in &units {
                for made in self.fire(before, unit, within, start)? {
                    if seen.insert(made.1) {
                        next.push(Some(self.nodes.len()));
                        self.nodes.push(made.0);
                        self.check_state(made.2);
                    }
                }
                if last && self.found.is_some() {
                    return Err(Halt);
                }
            }
        }
        Ok(next)
    }

    /// Fires one instance with all its choices; collects successors with their identities, and violations.
    fn fire(
        &mut self,
        before: Option<usize>,
        unit: &'s Unit,
        within: u32,
        start: bool,
    ) -> Result<Vec<(Node, Vec<u8>, Check)>, Halt> {
        let context = self.context;
        let room = self.options.max_states.saturating_sub(self.nodes.len());
        let mut made: Vec<(Node, Vec<u8>, Check)> = Vec::new();
        let mut keys = BTreeSet::new();
        let (mut fault, mut incomplete) = (None, None);
        let properties = self.options.properties;
        let cancellation = self.cancellation;
        self.worker.machine.output = Some(Vec::new());
        self.worker.each_attempt(unit, within, start, &mut |worker, attempt| {
            let firing = context.program.firing(unit, within, start, worker.machine.chosen());
            let output = worker.machine.output.replace(Vec::new()).unwrap_or_default();
            match attempt {
                Attempt::Fault(seen) => match Incomplete::by(&seen) {
                    Some(limit) => incomplete = Some(limit),
                    None => fault = fault.take().or(Some((firing, seen))),
                },
                Attempt::Cut => incomplete = Some(Incomplete::IntegerWindow),
                Attempt::Disabled | Attempt::Dropped => {}
                Attempt::Successor => {
                    worker.settle();
                    let state = worker.state().to_vec();
                    let misfit = worker.misfit();
                    let checked = worker.check_some(|property| properties.contains(&property));
                    match (misfit, checked, worker.identify()) {
                        (Some(seen), ..) => fault = fault.take().or(Some((firing, seen))),
                        (None, Check::LeftOut, _) => {}
                        (None, checked, Identity::Packed(_)) => {
                            if keys.insert(worker.key.clone()) {
                                let node = Node {
                                    before,
                                    firing,
                                    state,
                                    output,
                                };
                                made.push((node, worker.key.clone(), checked));
                            }
                        }
                        (None, _, Identity::Cut(beyond)) => incomplete = Some(beyond.into()),
                        (None, _, Identity::Fault(seen)) => fault = fault.take().or(Some((firing, seen))),
                    }
                }
            }
            made.len() > room || cancellation.is_cancelled()
        });
        if let (Some((firing, seen)), None) = (fault, &self.found) {
            self.found = Some(self.failed(before, firing, seen));
        }
        self.incomplete = self.incomplete.or(incomplete);
        let limit = match () {
            () if cancellation.is_cancelled() => Incomplete::Stopped,
            () if made.len() > room => Incomplete::StateLimit(self.options.max_states as u64),
            () => return Ok(made),
        };
        self.incomplete = Some(limit);
        Err(Halt)
    }

    fn failed(&self, before: Option<usize>, firing: Firing, fault: Fault) -> Found {
        let place = firing.span;
        let mut violation = violation(fault, "");
        if violation.span == Span::default() {
            violation.span = place;
        }
        Found {
            node: before,
            failing: Some(firing),
            violation,
        }
    }

    /// Records what is wrong with the newest node.
    fn check_state(&mut self, checked: Check) {
        let properties = &self.context.program.instance.properties;
        let violation = match checked {
            Check::Fine | Check::LeftOut => return,
            Check::Fault { fault, .. } if Incomplete::by(&fault).is_some() => {
                self.incomplete = Incomplete::by(&fault);
                return;
            }
            Check::Fault { property, fault } => violation(fault, &properties[property].name),
            Check::Violated { property } => Violation {
                kind: ViolationKind::Invariant { property },
                message: format!("invariant \"{}\" is violated", properties[property].name),
                span: properties[property].span,
                trace: None,
            },
        };
        self.found.get_or_insert(Found {
            node: self.nodes.len().checked_sub(1),
            failing: None,
            violation,
        });
    }

    fn trace(&self, last: Option<usize>) -> Trace {
        let mut steps = Vec::new();
        let mut next = last;
        while let Some(number) = next {
            let node = &self.nodes[number];
            let (firing, state) = (node.firing.clone(), node.state.clone());
            steps.push(self.context.step(firing, state, node.output.clone()));
            next = node.before;
        }
        steps.reverse();
        Trace { steps, failing: None }
    }
}
