//! Searches for runs that violate a property.
//!
//! Inputs are lazy: one gets its value when the program uses it. A run begins with a prefix of given values and
//! continues with zeros. Every run whose path differs from all earlier ones is expanded: its variants keep the values
//! up to some input and change that one. Few values are tried: small ones, those that the input was compared with,
//! constants of the program, and extremes of the type. The queue prefers variants with few changes, and variants of
//! runs that covered a new edge. Once the queue is empty or half of the budget is used, inputs are random. Finally, a
//! few runs that hit the step limit are repeated with more and more steps.

use crate::coverage::Coverage;
use crate::inputs::{FixedInputs, Inputs, OUTSIDE, RandomInputs, Request};
use crate::outcome::{End, Limit, RunLimits, RunOutcome};
use crate::plan::SearchPlan;
use crate::run::{Executable, Lazy};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use system::Span;
use system::program::{Argument, Body, Place, Program, Root, Scalar, Selector, Step, Undefined, Value};

/// The budget of a search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Of each run.
    pub limits: RunLimits,
    pub runs: u64,
    /// Of all runs together.
    pub steps: u64,
    /// Of all repeated long runs together.
    pub further_steps: u64,
    pub seed: u64,
    /// Whether undefined behaviour ends the search like a violation.
    pub undefined_counts: bool,
    /// Whether input pointers point at objects of their own by default.
    pub has_objects: bool,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            limits: RunLimits {
                steps: 100_000,
                depth: 10_000,
                memory: 1 << 26,
                ..RunLimits::default()
            },
            runs: 100_000,
            steps: 2_000_000_000,
            further_steps: 500_000_000,
            seed: 1,
            undefined_counts: false,
            has_objects: false,
        }
    }
}

/// A run that the search found; its inputs reproduce it.
#[derive(Clone, Debug)]
pub struct FoundRun {
    pub end: End,
    pub span: Span,
    pub inputs: Vec<i128>,
    pub steps: u64,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The shortest violating run, by its inputs and then by its steps.
    pub violation: Option<FoundRun>,
    /// Undefined behaviour, once for each location and kind.
    pub undefined: Vec<FoundRun>,
    pub runs: u64,
    pub steps: u64,
    /// The number of steps of the longest run.
    pub longest: u64,
    /// Whether a run hit the step limit even when repeated.
    pub is_cut: bool,
    pub coverage: Coverage,
}

/// Values that are tried first; the index is the cost.
const CHEAP: [i128; 3] = [0, 1, -1];
/// Inputs beyond this position are left at zero.
const LONGEST: usize = 200;
/// The maximum length of the queue.
const MOST_WAITING: usize = 400_000;
/// Near a plan: the maximum number of values in the queue, and the maximum cost of a value.
const MOST_PLANNED: usize = 4_000_000;
const MOST_NEAR: u64 = 4;
/// The maximum number of repeated long runs, and the factor by which their step limit grows.
const MOST_LONG: usize = 4;
const LONGER: u64 = 8;
/// The maximum number of constants of the program that are tried.
const MOST_CONSTANTS: usize = 100;

/// Searches for a run of the program that violates a property. Polls `is_over` and stops early when it returns true.
pub fn search(executable: &Executable, options: &SearchOptions, is_over: &dyn Fn() -> bool) -> SearchResult {
    let mut search = Search::new(executable, options, is_over);
    search.systematic();
    search.random();
    search.longer();
    search.result
}

/// Searches for a violating run near an abstract counterexample. The first run takes the values of the plan. Where it
/// leaves the plan or ends early, its variants change one of the inputs used so far, the last ones first; runs that
/// followed the plan longest are expanded first.
pub fn search_near(
    executable: &Executable,
    plan: &SearchPlan,
    options: &SearchOptions,
    is_over: &dyn Fn() -> bool,
) -> Near {
    let mut search = Search::new(executable, options, is_over);
    search.plan = Some(plan);
    let undefined = search.near(plan.length());
    Near {
        violation: search.result.violation,
        undefined,
    }
}

/// The result of a search near a plan.
#[derive(Clone, Debug)]
pub struct Near {
    pub violation: Option<FoundRun>,
    /// The run that followed the plan furthest, if its behaviour became undefined.
    pub undefined: Option<FoundRun>,
}

/// A queued run: its cost, its sequence number, and its input prefix.
type Waiting = Reverse<(u64, u64, Vec<i128>)>;

struct Search<'a> {
    executable: &'a Executable<'a>,
    options: &'a SearchOptions,
    constants: Vec<i128>,
    waiting: BinaryHeap<Waiting>,
    made: u64,
    paths: FxHashSet<u64>,
    /// The input prefixes of a few runs that hit the step limit.
    long: Vec<Vec<i128>>,
    result: SearchResult,
    /// The search stops after this run.
    last_run: u64,
    is_over: &'a dyn Fn() -> bool,
    plan: Option<&'a SearchPlan>,
    /// Of all runs near the plan.
    planned_values: usize,
}

/// FixedInputs values, then those of a plan, then zeros, with default pointers.
struct PlannedInputs<'a> {
    values: std::slice::Iter<'a, i128>,
    has_objects: bool,
    all: Vec<i128>,
}

impl Inputs for PlannedInputs<'_> {
    fn next(&mut self, request: Request<'_>) -> Option<i128> {
        let is_object = self.has_objects && request.scalar == Scalar::Pointer;
        let otherwise = if is_object { OUTSIDE } else { 0 };
        let planned = request.planned.and_then(|value| match request.scalar {
            Scalar::Integer(_) => Some(value),
            Scalar::Pointer if value == 0 => Some(0),
            // Here the pointer points at an object of its own.
            Scalar::Pointer | Scalar::Float(_) => None,
        });
        let value = self.values.next().copied().or(planned).unwrap_or(otherwise);
        self.all.push(value);
        Some(value)
    }
}

impl<'a> Search<'a> {
    fn new(executable: &'a Executable<'a>, options: &'a SearchOptions, is_over: &'a dyn Fn() -> bool) -> Search<'a> {
        let nothing = RunLimits {
            steps: 0,
            ..options.limits.clone()
        };
        let empty = executable.run(&mut FixedInputs::new(Vec::new()), &nothing);
        Search {
            executable,
            options,
            constants: constants(executable.program()),
            waiting: BinaryHeap::from([Reverse((0, 0, Vec::new()))]),
            made: 0,
            paths: FxHashSet::default(),
            long: Vec::new(),
            result: SearchResult {
                violation: None,
                undefined: Vec::new(),
                runs: 0,
                steps: 0,
                longest: 0,
                is_cut: false,
                coverage: empty.coverage,
            },
            last_run: options.runs,
            is_over,
            plan: None,
            planned_values: 0,
        }
    }

    fn may_go_on(&self) -> bool {
        self.result.runs < self.last_run && self.result.steps < self.options.steps && !(self.is_over)()
    }

    fn systematic(&mut self) {
        let half = self.options.runs.div_ceil(2);
        while self.result.runs < half && self.may_go_on() {
            let Some(Reverse((cost, _, prefix))) = self.waiting.pop() else {
                break;
            };
            let mut inputs = self.planned(&prefix);
            let options = self.options;
            let (outcome, lazy) = self.run(&mut inputs, &options.limits);
            let values = inputs.all;
            let is_new = self.note(&outcome);
            if self.paths.insert(lazy.path) {
                if is_too_long(&outcome) && self.long.len() < MOST_LONG {
                    self.long.push(prefix.clone());
                }
                self.expand(prefix.len(), &values, &lazy, cost, is_new);
            }
        }
    }

    /// Runs the queue near the plan; returns the run that followed it furthest, if its behaviour became undefined.
    fn near(&mut self, branches: usize) -> Option<FoundRun> {
        let mut furthest = None;
        while self.result.violation.is_none() && self.may_go_on() {
            let Some(Reverse((_, _, prefix))) = self.waiting.pop() else {
                break;
            };
            let mut inputs = self.planned(&prefix);
            let (outcome, lazy) = self.run(&mut inputs, &self.options.limits);
            let values = inputs.all;
            self.note(&outcome);
            let far = (lazy.planned, outcome.steps);
            if furthest.as_ref().is_none_or(|(known, _)| *known < far) {
                furthest = Some((far, FoundRun::of(&outcome)));
            }
            if self.paths.insert(lazy.path) {
                let open = branches.saturating_sub(lazy.planned) as u64;
                self.vary(prefix.len(), &values, &lazy, open);
            }
        }
        let found = furthest.map(|(_, found)| found);
        found.filter(|found| found.undefined().is_some())
    }

    /// Queues the variants of a run in the inputs that it used while it followed the plan.
    fn vary(&mut self, given: usize, values: &[i128], lazy: &Lazy, open: u64) {
        let used = lazy.left.unwrap_or(values.len()).min(values.len());
        for position in (given..used).rev().take(LONGEST) {
            let Some(scalar) = lazy.used.get(position) else {
                continue;
            };
            let mut tried = vec![values[position]];
            for (value, price) in self.candidates(position, *scalar, lazy) {
                if self.planned_values >= MOST_PLANNED {
                    return;
                }
                if price > MOST_NEAR || tried.contains(&value) {
                    continue;
                }
                tried.push(value);
                self.planned_values += position + 1;
                let mut prefix = values[..position].to_vec();
                prefix.push(value);
                self.made += 1;
                self.waiting.push(Reverse((open, self.made, prefix)));
            }
        }
    }

    fn random(&mut self) {
        let mut seed = self.options.seed;
        while self.may_go_on() {
            let inputs = RandomInputs::new(seed, self.constants.clone());
            let mut inputs = inputs.with_objects(self.options.has_objects);
            seed = seed.wrapping_add(1);
            let (outcome, lazy) = self.run(&mut inputs, &self.options.limits);
            self.note(&outcome);
            if lazy.used.is_empty() {
                // All runs are the same.
                break;
            }
        }
    }

    /// Repeats runs that hit the step limit, with more steps each time.
    fn longer(&mut self) {
        let mut limits = self.options.limits.clone();
        let mut left = self.options.further_steps;
        while self.result.violation.is_none() && !self.long.is_empty() {
            limits.steps = limits.steps.saturating_mul(LONGER);
            for prefix in std::mem::take(&mut self.long) {
                if left == 0 || (self.is_over)() {
                    self.result.is_cut = true;
                    return;
                }
                let limits = RunLimits {
                    steps: limits.steps.min(left),
                    ..limits.clone()
                };
                let mut inputs = self.planned(&prefix);
                let (outcome, _) = self.run(&mut inputs, &limits);
                self.note(&outcome);
                left = left.saturating_sub(outcome.steps);
                if self.result.violation.is_some() {
                    return;
                }
                if is_too_long(&outcome) {
                    self.long.push(prefix);
                }
            }
        }
    }

    fn run(&self, inputs: &mut dyn Inputs, limits: &RunLimits) -> (RunOutcome, Lazy) {
        self.executable.run_lazily(inputs, limits, self.is_over, self.plan)
    }

    fn planned<'v>(&self, values: &'v [i128]) -> PlannedInputs<'v> {
        PlannedInputs {
            values: values.iter(),
            has_objects: self.options.has_objects,
            all: Vec::new(),
        }
    }

    /// Accounts for a run; returns whether it covered a new edge.
    fn note(&mut self, outcome: &RunOutcome) -> bool {
        self.result.runs += 1;
        self.result.longest = self.result.longest.max(outcome.steps);
        self.result.steps = self.result.steps.saturating_add(outcome.steps.max(1));
        let found = || FoundRun::of(outcome);
        let is_undefined = matches!(outcome.end, End::Undefined(_));
        if is_undefined {
            let known = &mut self.result.undefined;
            match known
                .iter_mut()
                .find(|known| (known.end, known.span) == (outcome.end, outcome.span))
            {
                Some(known) if known.steps <= outcome.steps => {}
                Some(known) => *known = found(),
                None => known.push(found()),
            }
        }
        if matches!(outcome.end, End::Violated(_)) || (is_undefined && self.options.undefined_counts) {
            if self.result.violation.is_none() {
                // A shorter violating run may be near.
                self.last_run = self
                    .last_run
                    .min(self.result.runs.saturating_mul(2).saturating_add(100));
            }
            let size = |found: &FoundRun| (found.inputs.len(), found.steps);
            let found = found();
            if self
                .result
                .violation
                .as_ref()
                .is_none_or(|known| size(&found) < size(known))
            {
                self.result.violation = Some(found);
            }
        }
        self.result.coverage.add(&outcome.coverage)
    }

    /// Queues the variants of a run in the inputs that were zero by default.
    fn expand(&mut self, planned: usize, values: &[i128], lazy: &Lazy, cost: u64, is_new: bool) {
        for position in planned..values.len().min(LONGEST) {
            let Some(scalar) = lazy.used.get(position) else { break };
            let mut tried = vec![values[position]];
            for (value, price) in self.candidates(position, *scalar, lazy) {
                if self.waiting.len() >= MOST_WAITING {
                    return;
                }
                if tried.contains(&value) {
                    continue;
                }
                tried.push(value);
                let mut prefix = values[..position].to_vec();
                prefix.push(value);
                self.made += 1;
                let cost = cost + price + if is_new { 0 } else { 2 };
                self.waiting.push(Reverse((cost, self.made, prefix)));
            }
        }
    }

    fn candidates(&self, position: usize, scalar: Scalar, lazy: &Lazy) -> Vec<(i128, u64)> {
        let integer = match scalar {
            Scalar::Integer(integer) => integer,
            Scalar::Float(_) => {
                let floats = [0.0, 1.0, -1.0, 0.5, 1e10];
                return floats
                    .iter()
                    .map(|float: &f64| (i128::from(float.to_bits()), 2))
                    .collect();
            }
            // An object of its own where that is enabled, null, and a dangling pointer.
            Scalar::Pointer => {
                let object = self.options.has_objects.then_some((OUTSIDE, 1));
                return object.into_iter().chain([(0, 1), (1, 4)]).collect();
            }
        };
        let mut values: Vec<(i128, u64)> = CHEAP.iter().map(|value| (*value, 1)).collect();
        let hints = lazy.hints.iter().filter(|(of, _)| *of == position);
        for (_, hint) in hints.take(24) {
            values.extend([(*hint, 1), (hint + 1, 2), (hint - 1, 2)]);
        }
        values.extend([(2, 3), (integer.greatest(), 3), (integer.least(), 3)]);
        values.extend(self.constants.iter().map(|value| (*value, 5)));
        values
            .into_iter()
            .map(|(value, price)| (integer.wrap(value), price))
            .collect()
    }
}

fn is_too_long(outcome: &RunOutcome) -> bool {
    outcome.end == End::Limit(Limit::Steps)
}

/// The constants that a program compares with, and their neighbours.
fn constants(program: &Program) -> Vec<i128> {
    let mut found = Vec::new();
    let automata = program.procedures.iter().filter_map(|procedure| match &procedure.body {
        Body::Automaton(automaton) => Some(automaton),
        Body::Library(_) | Body::Unknown => None,
    });
    let locations = automata.flat_map(|automaton| &automaton.locations);
    for edge in locations.flat_map(|location| &location.edges) {
        compared(&edge.step, &mut found);
    }
    let mut all: Vec<i128> = found
        .into_iter()
        .flat_map(|value| [value, value + 1, value - 1])
        .collect();
    let mut seen = FxHashSet::default();
    all.retain(|value| seen.insert(*value));
    all.truncate(MOST_CONSTANTS);
    all
}

fn compared(step: &Step, found: &mut Vec<i128>) {
    let mut values: Vec<&Value> = Vec::new();
    match step {
        Step::Assume { condition, .. } => values.push(condition),
        Step::Assign { target, value } => {
            values.push(value);
            inside(target, &mut values);
        }
        Step::Call { arguments, .. } => {
            for argument in arguments {
                match argument {
                    Argument::Scalar(value) => values.push(value),
                    Argument::Record(place) => inside(place, &mut values),
                }
            }
        }
        _ => {}
    }
    while let Some(value) = values.pop() {
        match value {
            Value::Compare { left, right, .. } => {
                for side in [left, right] {
                    match number_of(side) {
                        Some(number) => found.push(number),
                        None => values.push(side),
                    }
                }
            }
            Value::Unary { operand: value, .. } | Value::Convert { value, .. } => values.push(value),
            Value::Binary { left, right, .. } | Value::Distance { left, right, .. } => {
                values.extend([&**left, &**right])
            }
            Value::Offset { pointer, index, .. } => values.extend([&**pointer, &**index]),
            Value::Read { place, .. } | Value::Address(place) => inside(place, &mut values),
            Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => {}
        }
    }
}

fn number_of(value: &Value) -> Option<i128> {
    match value {
        Value::Integer { value, .. } => Some(*value),
        Value::Convert { value, .. } => match &**value {
            Value::Integer { value, .. } => Some(*value),
            _ => None,
        },
        _ => None,
    }
}

fn inside<'a>(place: &'a Place, values: &mut Vec<&'a Value>) {
    if let Root::Dereference { pointer, .. } = &place.root {
        values.push(pointer);
    }
    for selector in &place.selectors {
        if let Selector::Index(index) = selector {
            values.push(index);
        }
    }
}

impl FoundRun {
    fn of(outcome: &RunOutcome) -> FoundRun {
        FoundRun {
            end: outcome.end,
            span: outcome.span,
            inputs: outcome.inputs.clone(),
            steps: outcome.steps,
        }
    }

    /// The limits under which the run can be repeated with a trace of its last steps.
    pub fn limits(&self, trace: usize, limits: &RunLimits) -> RunLimits {
        // A repeated run requests its inputs earlier, which takes more steps.
        let steps = self.steps.saturating_add(self.steps / 8).saturating_add(1_000);
        let shown = u64::try_from(trace).unwrap_or(u64::MAX);
        RunLimits {
            trace,
            steps: limits.steps.max(steps),
            noted_from: self.steps.saturating_sub(shown.saturating_mul(2)),
            ..limits.clone()
        }
    }

    /// The finding, if it is undefined behaviour.
    pub fn undefined(&self) -> Option<Undefined> {
        match self.end {
            End::Undefined(kind) => Some(kind),
            _ => None,
        }
    }
}
