//! Looks for runs that violate a property.
//!
//! An input gets its value when the program uses it. A run begins with given values, and goes on with zeros; from every
//! run that took other branches than all before, further ones are made: the same values up to some input, and another
//! value for that. Values that are tried are few: small ones, what the input was compared with, numbers of the program,
//! extremes of the type. Runs that differ little from the first come before others, those behind a run that took a new
//! edge before others of their kind. When these are used up, or half of the runs, inputs are random. In the end, a few
//! runs that were too long are made again, with more and more steps.

use crate::coverage::Coverage;
use crate::inputs::{Given, Inputs, OUTSIDE, Random, Request};
use crate::outcome::{End, Limit, Limits, Outcome};
use crate::plan::Plan;
use crate::run::{Executable, Lazy};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use system::Span;
use system::program::{Argument, Body, Place, Program, Root, Scalar, Selector, Step, Undefined, Value};

/// How long to look.
#[derive(Clone, Debug)]
pub struct Options {
    /// Of each run.
    pub limits: Limits,
    pub runs: u64,
    /// Of all runs together.
    pub steps: u64,
    /// Of runs that were too long and are made again, all together.
    pub further_steps: u64,
    pub seed: u64,
    /// Whether undefined behaviour ends the search, as a violation does.
    pub undefined_counts: bool,
    /// Whether pointers that are inputs point at objects of their own, unless something else is tried.
    pub has_objects: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limits: Limits {
                steps: 100_000,
                depth: 10_000,
                memory: 1 << 26,
                ..Limits::default()
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

/// A run that was found. The same inputs make it again.
#[derive(Clone, Debug)]
pub struct Found {
    pub end: End,
    pub span: Span,
    pub inputs: Vec<i128>,
    pub steps: u64,
}

/// What the search met.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The shortest run that was found, by its inputs and then by its steps.
    pub violation: Option<Found>,
    /// Undefined behaviour, once for each place and kind.
    pub undefined: Vec<Found>,
    pub runs: u64,
    pub steps: u64,
    /// The steps of the longest run.
    pub longest: u64,
    /// Whether a run that was too long did not come to its end with more steps, either.
    pub is_cut: bool,
    pub coverage: Coverage,
}

/// Values that are worth more than others, and how much they cost.
const CHEAP: [i128; 3] = [0, 1, -1];
/// Inputs further on than this are left at zero.
const LONGEST: usize = 200;
/// Runs that wait.
const MOST_WAITING: usize = 400_000;
/// Near a plan: values of all runs that wait, and what a value may cost.
const MOST_PLANNED: usize = 4_000_000;
const MOST_NEAR: u64 = 4;
/// Runs that were too long and are made again, and how many times the steps that they may have then.
const MOST_LONG: usize = 4;
const LONGER: u64 = 8;
/// Numbers of the program that are tried.
const MOST_CONSTANTS: usize = 100;

/// Looks for a run of the program that violates a property.
/// It asks now and then whether it is to end.
pub fn search(executable: &Executable, options: &Options, is_over: &dyn Fn() -> bool) -> Searched {
    let mut search = Search::new(executable, options, is_over);
    search.systematic();
    search.random();
    search.longer();
    search.result
}

/// Looks for a run of the program that violates a property near one that somebody else believes in. A run has the
/// values of the plan. Where it leaves the plan, or ends before, further ones are made with another value for one of
/// the inputs that it has used by then, the last ones first; those that were longest as planned are varied first.
pub fn search_near(executable: &Executable, plan: &Plan, options: &Options, is_over: &dyn Fn() -> bool) -> Near {
    let mut search = Search::new(executable, options, is_over);
    search.plan = Some(plan);
    let undefined = search.near(plan.length());
    Near {
        violation: search.result.violation,
        undefined,
    }
}

/// What came of a search near a plan.
#[derive(Clone, Debug)]
pub struct Near {
    pub violation: Option<Found>,
    /// The run that went furthest as planned, where its behaviour was undefined then.
    pub undefined: Option<Found>,
}

/// A run that waits: what it costs, when it was made, and its first inputs.
type Waiting = Reverse<(u64, u64, Vec<i128>)>;

struct Search<'a> {
    executable: &'a Executable<'a>,
    options: &'a Options,
    constants: Vec<i128>,
    waiting: BinaryHeap<Waiting>,
    made: u64,
    paths: FxHashSet<u64>,
    /// The first inputs of a few runs that were too long.
    long: Vec<Vec<i128>>,
    result: Searched,
    /// No run is made after so many.
    last_run: u64,
    is_over: &'a dyn Fn() -> bool,
    plan: Option<&'a Plan>,
    /// Of all runs near the plan.
    planned_values: usize,
}

/// Given values, then those of a plan, then zeros, and pointers as asked for.
struct Planned<'a> {
    values: std::slice::Iter<'a, i128>,
    has_objects: bool,
    all: Vec<i128>,
}

impl Inputs for Planned<'_> {
    fn next(&mut self, request: Request<'_>) -> Option<i128> {
        let is_object = self.has_objects && request.scalar == Scalar::Pointer;
        let otherwise = if is_object { OUTSIDE } else { 0 };
        let planned = request.planned.and_then(|value| match request.scalar {
            Scalar::Integer(_) => Some(value),
            Scalar::Pointer if value == 0 => Some(0),
            // Whatever it points at there: here it is an object of its own.
            Scalar::Pointer | Scalar::Float(_) => None,
        });
        let value = self.values.next().copied().or(planned).unwrap_or(otherwise);
        self.all.push(value);
        Some(value)
    }
}

impl<'a> Search<'a> {
    fn new(executable: &'a Executable<'a>, options: &'a Options, is_over: &'a dyn Fn() -> bool) -> Search<'a> {
        let nothing = Limits {
            steps: 0,
            ..options.limits.clone()
        };
        let empty = executable.run(&mut Given::new(Vec::new()), &nothing);
        Search {
            executable,
            options,
            constants: constants(executable.program()),
            waiting: BinaryHeap::from([Reverse((0, 0, Vec::new()))]),
            made: 0,
            paths: FxHashSet::default(),
            long: Vec::new(),
            result: Searched {
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

    /// The run that went furthest as planned, where its behaviour was undefined then.
    fn near(&mut self, branches: usize) -> Option<Found> {
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
                furthest = Some((far, Found::of(&outcome)));
            }
            if self.paths.insert(lazy.path) {
                let open = branches.saturating_sub(lazy.planned) as u64;
                self.vary(prefix.len(), &values, &lazy, open);
            }
        }
        let found = furthest.map(|(_, found)| found);
        found.filter(|found| found.undefined().is_some())
    }

    /// Plans the runs that have another value for one of the inputs that were used as planned.
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
            let inputs = Random::new(seed, self.constants.clone());
            let mut inputs = inputs.with_objects(self.options.has_objects);
            seed = seed.wrapping_add(1);
            let (outcome, lazy) = self.run(&mut inputs, &self.options.limits);
            self.note(&outcome);
            if lazy.used.is_empty() {
                // Every run is the same.
                break;
            }
        }
    }

    /// Runs that were too long, with more steps each time.
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
                let limits = Limits {
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

    fn run(&self, inputs: &mut dyn Inputs, limits: &Limits) -> (Outcome, Lazy) {
        self.executable.run_lazily(inputs, limits, self.is_over, self.plan)
    }

    fn planned<'v>(&self, values: &'v [i128]) -> Planned<'v> {
        Planned {
            values: values.iter(),
            has_objects: self.options.has_objects,
            all: Vec::new(),
        }
    }

    /// Takes a run into account, and says whether it took an edge that none had taken.
    fn note(&mut self, outcome: &Outcome) -> bool {
        self.result.runs += 1;
        self.result.longest = self.result.longest.max(outcome.steps);
        self.result.steps = self.result.steps.saturating_add(outcome.steps.max(1));
        let found = || Found::of(outcome);
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
                // A shorter one may be near.
                self.last_run = self
                    .last_run
                    .min(self.result.runs.saturating_mul(2).saturating_add(100));
            }
            let size = |found: &Found| (found.inputs.len(), found.steps);
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

    /// Plans the runs that have another value for one of the inputs that were zero because nobody had planned them.
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
            // What points at an object of its own, where there are such, null, and what points at nothing.
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

fn is_too_long(outcome: &Outcome) -> bool {
    outcome.end == End::Limit(Limit::Steps)
}

/// The numbers that a program compares with, and those beside them.
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

impl Found {
    fn of(outcome: &Outcome) -> Found {
        Found {
            end: outcome.end,
            span: outcome.span,
            inputs: outcome.inputs.clone(),
            steps: outcome.steps,
        }
    }

    /// What makes the run again, and notes so many of its last steps.
    pub fn limits(&self, trace: usize, limits: &Limits) -> Limits {
        // Its inputs are asked for earlier than they were.
        let steps = self.steps.saturating_add(self.steps / 8).saturating_add(1_000);
        let shown = u64::try_from(trace).unwrap_or(u64::MAX);
        Limits {
            trace,
            steps: limits.steps.max(steps),
            noted_from: self.steps.saturating_sub(shown.saturating_mul(2)),
            ..limits.clone()
        }
    }

    /// The finding, if it is one of undefined behaviour.
    pub fn undefined(&self) -> Option<Undefined> {
        match self.end {
            End::Undefined(kind) => Some(kind),
            _ => None,
        }
    }
}
