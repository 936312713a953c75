//! Random simulation: a quick look into state spaces that are too large to search.

use crate::fault::Fault;
use crate::lists::Lists;
use crate::program::Unit;
use crate::random::Random;
use crate::search::{Deadlock, Incomplete, Observer, SearchEvent, SearchProgress, Violation, ViolationKind};
use crate::stack::on_large_stack;
use crate::trace::Trace;
use crate::worker::{Attempt, Check, Identity, SearchContext, Worker};
use logic::Cancellation;
use std::time::{Duration, Instant};
use system::Span;
use system::instance::Instance;

/// Options of a simulation.
#[derive(Clone, Debug)]
pub struct SimulateOptions {
    pub runs: u64,
    /// The maximum number of rules in a run.
    pub length: u64,
    /// The same seed gives the same runs.
    pub seed: u64,
    pub deadlock: Deadlock,
}

impl Default for SimulateOptions {
    fn default() -> SimulateOptions {
        SimulateOptions {
            runs: 1,
            length: 1000,
            seed: 0,
            deadlock: Deadlock::Off,
        }
    }
}

/// The result of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    /// The first violation; the simulation ends there.
    pub violation: Option<Violation>,
    pub runs: u64,
    /// The number of rules fired in all runs.
    pub steps: u64,
    /// The number of rules fired in the longest run.
    pub longest: u64,
    /// The last run.
    pub last: Option<Trace>,
    /// Whether the caller cancelled it.
    pub stopped: bool,
    pub elapsed: Duration,
}

/// Makes random runs until one violates a property.
pub fn simulate(
    instance: &Instance,
    options: &SimulateOptions,
    cancellation: &Cancellation,
    observer: &mut dyn Observer,
) -> Simulation {
    on_large_stack(&mut || simulate_with(instance, options, cancellation, observer, &mut |_, _| true))
}

/// Makes random runs as long as `inspect`, which sees each state, returns true.
pub(crate) fn simulate_with(
    instance: &Instance,
    options: &SimulateOptions,
    cancellation: &Cancellation,
    observer: &mut dyn Observer,
    look: &mut dyn FnMut(&Lists, &[i64]) -> bool,
) -> Simulation {
    let started = Instant::now();
    let mut simulation = Simulation::default();
    // Without numbers for all rule instances there is nothing to choose from.
    let Ok(context) = SearchContext::concrete(instance) else {
        return simulation;
    };
    let mut random = Random::new(options.seed);
    let mut told = started;
    while simulation.runs < options.runs && simulation.violation.is_none() {
        if cancellation.is_cancelled() {
            simulation.stopped = true;
            break;
        }
        let mut walk = Walk::new(&context, Random::new(random.next()), options);
        let violation = walk.run(cancellation);
        let steps = walk.run.len().saturating_sub(1) as u64;
        simulation.runs += 1;
        simulation.steps += steps;
        simulation.longest = simulation.longest.max(steps);
        // A state that violates a property is not inspected.
        let is_last_bad = violation.as_ref().is_some_and(|failed| failed.1.is_none());
        let fine = walk.run.len().saturating_sub(usize::from(is_last_bad));
        let enough = !walk.run[..fine]
            .iter()
            .all(|stride| look(&context.lists, &stride.state));
        if violation.is_some() || enough || simulation.runs == options.runs || cancellation.is_cancelled() {
            let choices = walk.worker.machine.chosen();
            let mut trace = walk.trace();
            if let Some(failed) = violation {
                let (mut violation, failing) = *failed;
                trace.failing = failing.map(|(unit, within)| {
                    let start = trace.steps.is_empty();
                    context.program.firing(unit, within, start, choices)
                });
                violation.trace = Some(trace.clone());
                observer.event(&SearchEvent::Violation {
                    message: violation.message.clone(),
                });
                simulation.violation = Some(violation);
            }
            simulation.last = Some(trace);
        }
        if enough {
            break;
        }
        if told.elapsed() >= Duration::from_millis(250) {
            told = Instant::now();
            let (states, rules_fired) = (simulation.runs + simulation.steps, simulation.steps);
            let elapsed = started.elapsed();
            observer.event(&SearchEvent::Progress(SearchProgress {
                states,
                rules_fired,
                elapsed,
                ..SearchProgress::default()
            }));
        }
    }
    simulation.elapsed = started.elapsed();
    simulation
}

/// A fired instance and its successor.
struct Stride<'s> {
    unit: &'s Unit,
    within: u32,
    choices: Vec<i64>,
    state: Vec<i64>,
    output: Vec<String>,
}

type Instances<'s> = Vec<(&'s Unit, u32)>;
/// A violation without its trace, and the instance that failed.
type Failed<'s> = Box<(Violation, Option<(&'s Unit, u32)>)>;

struct Walk<'s, 'o> {
    context: &'s SearchContext<'s>,
    worker: Worker<'s>,
    random: Random,
    options: &'o SimulateOptions,
    run: Vec<Stride<'s>>,
    /// Whether a rule exceeded a limit, so that its successors are unknown.
    limited: bool,
}

/// The result of firing an instance.
enum Outcome<'s> {
    Moved,
    /// A self-loop.
    Stayed,
    /// Disabled, or blocked by an assumption.
    Nothing,
    Failed(Failed<'s>),
}

impl<'s> Outcome<'s> {
    fn failed(violation: Violation, by: Option<(&'s Unit, u32)>) -> Outcome<'s> {
        Outcome::Failed(Box::new((violation, by)))
    }
}

impl<'s, 'o> Walk<'s, 'o> {
    fn new(context: &'s SearchContext<'s>, random: Random, options: &'o SimulateOptions) -> Walk<'s, 'o> {
        let mut worker = Worker::new(context);
        let mut random = random;
        worker.machine.random = Some(Random::new(random.next()));
        Walk {
            context,
            worker,
            random,
            options,
            run: Vec::new(),
            limited: false,
        }
    }

    fn run(&mut self, cancellation: &Cancellation) -> Option<Failed<'s>> {
        let starts: Instances = self.context.program.instances(true).collect();
        match self.any_of(starts, true) {
            Outcome::Failed(failed) => return Some(failed),
            Outcome::Nothing => return None,
            Outcome::Moved | Outcome::Stayed => {}
        }
        for _ in 0..self.options.length {
            if cancellation.is_cancelled() {
                return None;
            }
            let enabled = match self.enabled() {
                Ok(enabled) => enabled,
                Err(failed) => return Some(failed),
            };
            match self.any_of(enabled, false) {
                Outcome::Failed(failed) => return Some(failed),
                Outcome::Moved => {}
                Outcome::Stayed if self.options.deadlock != Deadlock::Stuttering => {}
                Outcome::Stayed | Outcome::Nothing => {
                    if self.options.deadlock == Deadlock::Off || self.limited {
                        return None;
                    }
                    let kind = ViolationKind::Deadlock;
                    let message = "deadlock".to_owned();
                    return Some(Box::new((
                        Violation {
                            kind,
                            message,
                            span: Span::default(),
                            trace: None,
                        },
                        None,
                    )));
                }
            }
        }
        None
    }

    /// Tries instances in random order until one changes the state; stays if all enabled ones are self-loops.
    fn any_of(&mut self, mut instances: Instances<'s>, start: bool) -> Outcome<'s> {
        let mut stays = false;
        while !instances.is_empty() {
            let pick = self.random.below(instances.len() as u64) as usize;
            let (unit, within) = instances.swap_remove(pick);
            match self.fire(unit, within, start) {
                Outcome::Nothing => {}
                Outcome::Stayed => stays = true,
                outcome => return outcome,
            }
        }
        if stays { Outcome::Stayed } else { Outcome::Nothing }
    }

    fn enabled(&mut self) -> Result<Instances<'s>, Failed<'s>> {
        let mut enabled = Vec::new();
        for (unit, within) in self.context.program.instances(false) {
            let waits = unit.priority > self.worker.level;
            if unit.traits.impure_guard && !waits {
                enabled.push((unit, within));
                continue;
            }
            match self.worker.guard_holds(unit, within, true) {
                Ok(true) if !waits => enabled.push((unit, within)),
                Err(Attempt::Fault(fault)) if Incomplete::by(&fault).is_none() => {
                    return Err(Box::new((violation(fault, ""), Some((unit, within)))));
                }
                Err(Attempt::Fault(_)) => self.limited = true,
                Ok(_) | Err(_) => {}
            }
        }
        Ok(enabled)
    }

    fn fire(&mut self, unit: &'s Unit, within: u32, start: bool) -> Outcome<'s> {
        self.worker.machine.forget_choices();
        self.worker.machine.output = Some(Vec::new());
        if start {
            self.worker.clear();
        }
        let attempt = self.worker.fire(unit, within, start);
        let outcome = self.classify(attempt, unit, within, start);
        match (&outcome, self.run.last()) {
            (Outcome::Moved, Some(stride)) => self.worker.load_state(&stride.state),
            _ => self.worker.restore_all(),
        }
        outcome
    }

    fn classify(&mut self, attempt: Attempt, unit: &'s Unit, within: u32, start: bool) -> Outcome<'s> {
        match attempt {
            Attempt::Successor => {}
            Attempt::Fault(fault) if Incomplete::by(&fault).is_some() => {
                self.limited = true;
                return Outcome::Nothing;
            }
            Attempt::Fault(fault) => return Outcome::failed(violation(fault, ""), Some((unit, within))),
            Attempt::Disabled | Attempt::Dropped | Attempt::Cut => return Outcome::Nothing,
        }
        let changed = self.worker.settle();
        if !changed && !start {
            return Outcome::Stayed;
        }
        if let Identity::Fault(fault) = self.worker.identify() {
            return Outcome::failed(violation(fault, ""), Some((unit, within)));
        }
        let properties = &self.context.program.instance.properties;
        let checked = self.worker.check();
        if matches!(checked, Check::LeftOut) {
            return Outcome::Nothing;
        }
        self.run.push(Stride {
            unit,
            within,
            choices: self.worker.machine.chosen(),
            state: self.worker.state().to_vec(),
            output: self.worker.machine.output.take().unwrap_or_default(),
        });
        match checked {
            Check::Fine | Check::LeftOut => Outcome::Moved,
            Check::Violated { property } => {
                let message = format!("invariant \"{}\" is violated", properties[property].name);
                let kind = ViolationKind::Invariant { property };
                Outcome::failed(
                    Violation {
                        kind,
                        message,
                        span: properties[property].span,
                        trace: None,
                    },
                    None,
                )
            }
            Check::Fault { fault, .. } if Incomplete::by(&fault).is_some() => Outcome::Moved,
            Check::Fault { property, fault } => Outcome::failed(violation(fault, &properties[property].name), None),
        }
    }

    fn trace(self) -> Trace {
        let mut trace = Trace::default();
        for (number, stride) in self.run.into_iter().enumerate() {
            let firing = self
                .context
                .program
                .firing(stride.unit, stride.within, number == 0, stride.choices);
            trace.steps.push(self.context.step(firing, stride.state, stride.output));
        }
        trace
    }
}

pub(crate) fn violation(fault: Fault, property: &str) -> Violation {
    let place = if property.is_empty() {
        String::new()
    } else {
        format!(", in property \"{property}\"")
    };
    let message = format!("{}{place}", fault.message);
    Violation {
        kind: ViolationKind::Fault(fault.kind),
        message,
        span: fault.span,
        trace: None,
    }
}
