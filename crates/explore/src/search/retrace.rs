//! Reconstructs the concrete run that leads to a failure.
//!
//! The search records the predecessor and the rule instance of each state, in canonical form under symmetry. The run is
//! reconstructed forwards: in the current concrete state, fire the recorded rule instance, then the other instances of
//! the rule, until one leads to a state with the recorded canonical form. This also recovers the choices, which are not
//! recorded, and confirms the failure at the end.

use super::visit::{Failure, FailureKind, States};
use crate::fault::Fault;
use crate::program::Unit;
use crate::store::NONE;
use crate::trace::{Firing, Trace};
use crate::worker::{Attempt, Check, Identity, SearchContext, Worker};

/// A recorded path: rule or start instances, and the packed states they lead to.
type Way = Vec<(u32, Box<[u8]>)>;

/// The run, and the failure at its end, which under symmetry may concern other elements than in the search. `None` if
/// the path cannot be replayed.
pub(super) fn trace(context: &SearchContext, states: &States, failure: &Failure) -> Option<(Trace, FailureKind)> {
    let mut way = way(states, failure.parent)?;
    if let Some(key) = &failure.key {
        way.push((failure.by, key.clone()));
    }
    let mut walker = Walker {
        worker: Worker::new(context),
        trace: Trace::default(),
    };
    for (number, (by, key)) in way.iter().enumerate() {
        walker.step(number == 0, *by, key)?;
    }
    let kind = walker.confirm(failure)?;
    Some((walker.trace, kind))
}

fn way(states: &States, last: u32) -> Option<Way> {
    let mut way = Vec::new();
    let mut number = last;
    while number != NONE {
        let origin = states.origin(number)?;
        way.push((origin.by, states.get(number).into()));
        number = origin.parent;
    }
    way.reverse();
    Some(way)
}

struct Walker<'s> {
    worker: Worker<'s>,
    trace: Trace,
}

impl<'s> Walker<'s> {
    /// Advances to a state with the given canonical form.
    fn step(&mut self, start: bool, by: u32, key: &[u8]) -> Option<()> {
        let found = self.try_instances(start, by, |worker, unit, within| {
            let mut found = None;
            worker.machine.output = Some(Vec::new());
            worker.each_attempt(unit, within, start, &mut |worker, attempt| {
                if let Attempt::Successor = attempt {
                    worker.settle();
                    let state = worker.state().to_vec();
                    if matches!(worker.identify(), Identity::Packed(_)) && worker.key == key {
                        found = Some((state, worker.machine.chosen()));
                        return true;
                    }
                }
                worker.machine.output = Some(Vec::new());
                false
            });
            found
        })?;
        let (firing, state) = found;
        self.push(firing, state);
        Some(())
    }

    fn push(&mut self, firing: Firing, state: Vec<i64>) {
        self.worker.load_state(&state);
        let output = self.worker.machine.output.take().unwrap_or_default();
        self.trace.steps.push(self.worker.context.step(firing, state, output));
    }

    /// Confirms the failure and renders it for this run.
    fn confirm(&mut self, failure: &Failure) -> Option<FailureKind> {
        match &failure.kind {
            FailureKind::Invariant { property } | FailureKind::PropertyFault { property, .. } => {
                self.check_state().filter(|found| found.property() == Some(*property))
            }
            FailureKind::RuleFault { fault } => {
                let start = failure.parent == NONE;
                // A loop may visit its elements in a different order here, and fail at a different place.
                let same_place = self.fault(start, failure.by, |seen| {
                    seen.kind == fault.kind && seen.span == fault.span
                });
                let (firing, fault) =
                    same_place.or_else(|| self.fault(start, failure.by, |seen| seen.kind == fault.kind))?;
                self.trace.failing = Some(firing);
                Some(FailureKind::RuleFault { fault })
            }
            FailureKind::Deadlock => Some(FailureKind::Deadlock),
        }
    }

    /// The failure in the current state of the run.
    fn check_state(&mut self) -> Option<FailureKind> {
        match self.worker.check() {
            Check::Violated { property } => Some(FailureKind::Invariant { property }),
            Check::Fault { property, fault } => Some(FailureKind::PropertyFault { property, fault }),
            Check::LeftOut => None,
            Check::Fine => {
                let mut covered = vec![false; self.worker.context.program.instance.properties.len()];
                let (property, fault) = self.worker.mark_covered(&mut covered).err()?;
                Some(FailureKind::PropertyFault { property, fault })
            }
        }
    }

    /// Searches for a fault of a rule or start in the current state of the run.
    fn fault(&mut self, start: bool, by: u32, wanted: impl Fn(&Fault) -> bool) -> Option<(Firing, Fault)> {
        self.try_instances(start, by, |worker, unit, within| {
            let mut found = None;
            worker.each_attempt(unit, within, start, &mut |worker, attempt| {
                let seen = match attempt {
                    Attempt::Fault(seen) => Some(seen),
                    Attempt::Successor => {
                        worker.settle();
                        worker.misfit()
                    }
                    _ => None,
                };
                found = seen.filter(&wanted).map(|seen| (seen, worker.machine.chosen()));
                found.is_some()
            });
            found
        })
    }

    /// Tries the instance `by`, then the other instances of its rule, over all choices, until one succeeds.
    fn try_instances<T>(
        &mut self,
        start: bool,
        by: u32,
        attempt: impl Fn(&mut Worker<'s>, &'s Unit, u32) -> Option<(T, Vec<i64>)>,
    ) -> Option<(Firing, T)> {
        let program = &self.worker.context.program;
        let units = if start { &program.starts } else { &program.rules };
        let (index, within) = if start {
            program.start_unit(by)?
        } else {
            program.rule_unit(by)?
        };
        let source = units[index].source;
        let siblings = units.iter().filter(|unit| unit.source == source);
        let others = siblings.flat_map(|unit| (0..unit.count).map(move |within| (unit, within)));
        for (unit, within) in std::iter::once((&units[index], within)).chain(others) {
            if let Some((found, choices)) = attempt(&mut self.worker, unit, within) {
                let firing = program.firing(unit, within, start, choices);
                return Some((firing, found));
            }
        }
        None
    }
}
