//! Breadth-first search of all reachable states.
//!
//! States, rule firings and their order are as in Rumur: starts in order, rules in declaration order with all instances
//! of one before the next, invariants on each new state before it is counted. Several threads preserve this order (see
//! [`parallel`]), so counts, verdict and trace do not depend on their number.

mod diverse;
mod parallel;
mod reached;
mod retrace;
mod sequential;
mod visit;

use crate::fault::{Fault, FaultKind};
use crate::lists::Lists;
use crate::packing::Layout;
use crate::program::Program;
use crate::stack::on_large_stack;
use crate::symmetry::Symmetry;
use crate::trace::Trace;
use crate::vm::{CALL_DEPTH, FUEL};
use crate::worker::{Beyond, SearchContext};
use logic::Cancellation;
pub use reached::{Sampler, reached_states};
use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};
use system::Span;
use system::instance::{Instance, PropertyKind, Rule};
use visit::{Failure, FailureKind, Tally};

/// What counts as a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deadlock {
    Off,
    /// No rule is enabled.
    Stuck,
    /// No rule leads to a different state.
    Stuttering,
}

/// Options of a search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Merge states that are equal up to renaming of symmetric scalarset elements.
    pub symmetry: bool,
    pub deadlock: Deadlock,
    pub max_states: Option<u64>,
    /// The maximum number of executions with further choices; each thread counts separately.
    pub max_choices: Option<u64>,
    pub max_depth: Option<u32>,
    pub time_limit: Option<Duration>,
    /// The memory limit for states, hash table and origins, in bytes.
    pub memory_limit: Option<u64>,
    /// The number of threads.
    pub jobs: usize,
    /// The number of violations to find, at most one for each property, or for each rule and kind of fault.
    pub max_violations: usize,
    /// Whether a deadlock is a violation. If not, the search continues after it.
    pub deadlocks_count: bool,
    /// Record the origin of each state (8 bytes per state). Without it, violations have no trace.
    pub traces: bool,
    /// Omit successors with a number outside its window.
    pub confine_integers: bool,
    /// Omit successors with longer lists.
    pub max_list_length: Option<usize>,
    /// Leave memory to the end of the process: for the last search.
    pub is_last: bool,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            symmetry: true,
            deadlock: Deadlock::Stuttering,
            max_states: None,
            max_choices: None,
            max_depth: None,
            time_limit: None,
            memory_limit: None,
            jobs: 1,
            max_violations: 1,
            deadlocks_count: true,
            traces: true,
            confine_integers: true,
            max_list_length: None,
            is_last: false,
        }
    }
}

impl SearchOptions {
    /// Frees memory that is no longer needed, unless the process ends anyway.
    fn finish<T>(&self, something: T) {
        if self.is_last {
            std::mem::forget(something);
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    pub verdict: SearchVerdict,
    /// Violations after the first.
    pub further: Vec<Violation>,
    pub statistics: SearchStatistics,
}

impl SearchOutcome {
    /// All violations.
    fn violations(&self) -> impl Iterator<Item = &Violation> {
        let first = match &self.verdict {
            SearchVerdict::Violation(first) => Some(&**first),
            _ => None,
        };
        first.into_iter().chain(&self.further)
    }

    /// The first violation of a safety property: neither a deadlock nor an unsatisfied cover property.
    pub fn unsafe_violation(&self) -> Option<&Violation> {
        self.violations()
            .find(|v| !matches!(v.kind, ViolationKind::Deadlock | ViolationKind::Uncovered { .. }))
    }

    pub fn has_deadlock(&self) -> bool {
        self.violations().any(|v| v.kind == ViolationKind::Deadlock)
    }

    /// Whether all states were seen and none is unsafe.
    pub fn is_safe(&self) -> bool {
        let is_complete = !matches!(self.verdict, SearchVerdict::Incomplete(_)) && self.statistics.incomplete.is_none();
        is_complete && self.statistics.starts > 0 && self.unsafe_violation().is_none()
    }
}

#[derive(Clone, Debug)]
pub enum SearchVerdict {
    /// All reachable states were seen, without a violation.
    Ok,
    Violation(Box<Violation>),
    /// No violation was seen, but the search was incomplete.
    Incomplete(Incomplete),
}

/// Why the search was incomplete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Incomplete {
    StateLimit(u64),
    ChoiceLimit(u64),
    DepthLimit(u32),
    TimeLimit(Duration),
    MemoryLimit(u64),
    /// Cancelled by the caller.
    Stopped,
    /// No initial state: there is no start, or the initial condition is unsatisfiable. Every claim would hold
    /// vacuously.
    NoInitialState,
    /// An integer left its window, or the instance has fewer values than its source.
    IntegerWindow,
    ListLength(usize),
    TooManyRuleInstances,
    /// The code of a rule or property exceeded the limit of loop iterations or call depth.
    Rounds(u64),
    Calls(u32),
}

#[derive(Clone, Debug)]
pub struct Violation {
    pub kind: ViolationKind,
    /// One sentence without a full stop.
    pub message: String,
    pub span: Span,
    pub trace: Option<Trace>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViolationKind {
    /// Index into the properties of the instance.
    Invariant {
        property: usize,
    },
    /// A run-time error in a rule, start or property.
    Fault(FaultKind),
    Deadlock,
    /// A `cover` property that no reachable state satisfies.
    Uncovered {
        property: usize,
    },
}

#[derive(Clone, Debug, Default)]
pub struct SearchStatistics {
    pub states: u64,
    pub rules_fired: u64,
    pub max_depth: u32,
    /// The number of distinct initial states.
    pub starts: u64,
    /// By index of the rule.
    pub fired_by_rule: Vec<u64>,
    /// The number of rule instances.
    pub rule_instances: u64,
    /// The size of a packed state.
    pub state_bits: u32,
    /// The peak memory of states, hash table and origins.
    pub bytes: u64,
    /// Whether symmetry reduction was used.
    pub symmetric: bool,
    /// The cover properties, by index, and whether some state satisfies them.
    pub covered: Vec<(usize, bool)>,
    /// Why the search was incomplete, independent of the verdict.
    pub incomplete: Option<Incomplete>,
    pub elapsed: Duration,
}

impl SearchStatistics {
    pub fn bytes_per_state(&self) -> f64 {
        self.bytes as f64 / self.states.max(1) as f64
    }

    /// Rules that never fired, each name once: dead code, or a wrong guard.
    pub fn never_fired<'i>(&self, instance: &'i Instance) -> Vec<&'i Rule> {
        let rules = || instance.rules.iter().zip(&self.fired_by_rule);
        // Rules that the front end split share a name and a place: it suffices that one of them fires.
        let fired = rules().filter(|(_, fired)| **fired > 0);
        let fired: HashSet<(&str, Span)> = fired.map(|(rule, _)| (rule.name.as_str(), rule.span)).collect();
        let never = rules().map(|(rule, _)| rule);
        let never = never.filter(|rule| !fired.contains(&(rule.name.as_str(), rule.span)));
        let mut known: HashSet<&'i str> = HashSet::new();
        never.filter(|rule| known.insert(rule.name.as_str())).collect()
    }

    pub fn states_per_second(&self) -> f64 {
        self.states as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Receives the events of a search.
pub trait Observer: Send {
    fn event(&mut self, event: &SearchEvent);
}

/// Ignores all events.
pub struct SilentObserver;

impl Observer for SilentObserver {
    fn event(&mut self, _: &SearchEvent) {}
}

#[derive(Clone, Debug)]
pub enum SearchEvent {
    Started {
        rule_instances: u64,
        state_bits: u32,
        symmetric: bool,
    },
    /// A few times per second.
    Progress(SearchProgress),
    /// A violation was found and its trace reconstructed.
    Violation { message: String },
    /// A violation found with symmetry has no concrete run: the search is restarted without symmetry.
    SymmetryDropped,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct SearchProgress {
    pub states: u64,
    pub rules_fired: u64,
    pub depth: u32,
    /// States not yet expanded.
    pub queue: u64,
    pub bytes: u64,
    pub elapsed: Duration,
}

/// Searches all reachable states, breadth first.
pub fn explore(
    instance: &Instance,
    options: &SearchOptions,
    cancellation: &Cancellation,
    observer: &mut dyn Observer,
) -> SearchOutcome {
    on_large_stack(&mut || explore_with(instance, options, cancellation, observer, &mut |_| ()))
}

/// The states stored by a search.
pub(crate) struct Visited<'v> {
    pub(crate) layout: &'v Layout,
    pub(crate) lists: &'v Lists,
    states: &'v visit::States,
}

impl Visited<'_> {
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.states.len()).unwrap_or(u32::MAX)
    }

    /// The packed state.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.states.get(number)
    }
}

/// Searches, and calls `inspect` with the stored states at the end.
pub(crate) fn explore_with(
    instance: &Instance,
    options: &SearchOptions,
    cancellation: &Cancellation,
    observer: &mut dyn Observer,
    look: &mut dyn FnMut(&Visited),
) -> SearchOutcome {
    let started = Instant::now();
    let context = match search_context(instance, options) {
        Ok(context) => context,
        Err(incomplete) => {
            let statistics = SearchStatistics {
                elapsed: started.elapsed(),
                ..SearchStatistics::default()
            };
            return SearchOutcome {
                verdict: SearchVerdict::Incomplete(incomplete),
                further: Vec::new(),
                statistics,
            };
        }
    };
    observer.event(&SearchEvent::Started {
        rule_instances: u64::from(context.program.rule_instances),
        state_bits: context.layout.bits,
        symmetric: context.symmetry.is_some(),
    });
    let run = Run {
        context: &context,
        options,
        cancellation,
        started,
    };
    let found = if options.jobs > 1 {
        parallel::search(&run, observer)
    } else {
        sequential::search(&run, observer)
    };
    let statistics = statistics(&run, &found);
    let mut violations = Vec::new();
    for failure in &found.tally.failures {
        match violation(&run, &found, failure) {
            Some(violation) => {
                observer.event(&SearchEvent::Violation {
                    message: violation.message.clone(),
                });
                violations.push(violation);
            }
            None => {
                observer.event(&SearchEvent::SymmetryDropped);
                let options = SearchOptions {
                    symmetry: false,
                    ..options.clone()
                };
                return explore_with(instance, &options, cancellation, observer, look);
            }
        }
    }
    violations.extend(uncovered(instance, &found));
    look(&Visited {
        layout: &context.layout,
        lists: &context.lists,
        states: &found.states,
    });
    let mut violations = violations.into_iter();
    let verdict = match (violations.next(), found.tally.incomplete) {
        (Some(violation), _) => SearchVerdict::Violation(Box::new(violation)),
        (None, Some(incomplete)) => SearchVerdict::Incomplete(incomplete),
        (None, None) if found.starts == 0 => SearchVerdict::Incomplete(Incomplete::NoInitialState),
        (None, None) if instance.windowed => SearchVerdict::Incomplete(Incomplete::IntegerWindow),
        (None, None) => SearchVerdict::Ok,
    };
    let further = violations.collect();
    options.finish((found, context));
    SearchOutcome {
        verdict,
        further,
        statistics,
    }
}

/// The shared context of a search.
struct Run<'r> {
    context: &'r SearchContext<'r>,
    options: &'r SearchOptions,
    cancellation: &'r Cancellation,
    started: Instant,
}

impl Run<'_> {
    /// Whether the caller cancelled, or the time limit has passed.
    fn expired(&self) -> Option<Incomplete> {
        // A caller may cancel because the time is up; the reason is then the time limit.
        let limit = self.options.time_limit;
        let over = limit.filter(|limit| self.started.elapsed() >= *limit);
        let stopped = self.cancellation.is_cancelled().then_some(Incomplete::Stopped);
        over.map(Incomplete::TimeLimit).or(stopped)
    }
}

/// The raw result of a search.
struct Found {
    tally: Tally,
    states: visit::States,
    starts: u64,
    max_depth: u32,
    bytes: u64,
}

fn search_context<'i>(instance: &'i Instance, options: &SearchOptions) -> Result<SearchContext<'i>, Incomplete> {
    let layout = Layout::new(instance, options.confine_integers);
    let program = Program::new(instance, &layout).map_err(|_| Incomplete::TooManyRuleInstances)?;
    let symmetry = if options.symmetry {
        Symmetry::new(instance)
    } else {
        None
    };
    Ok(SearchContext {
        program,
        layout,
        lists: Lists::default(),
        symmetry,
        max_list_length: options.max_list_length,
    })
}

fn statistics(run: &Run, found: &Found) -> SearchStatistics {
    let instance = run.context.program.instance;
    let covers = instance
        .properties
        .iter()
        .enumerate()
        .filter(|(_, p)| p.kind == PropertyKind::Cover);
    SearchStatistics {
        states: found.states.len(),
        rules_fired: found.tally.fired.iter().sum(),
        max_depth: found.max_depth,
        starts: found.starts,
        fired_by_rule: found.tally.fired.clone(),
        rule_instances: u64::from(run.context.program.rule_instances),
        state_bits: run.context.layout.bits,
        bytes: found.bytes,
        symmetric: run.context.symmetry.is_some(),
        covered: covers.map(|(index, _)| (index, found.tally.covered[index])).collect(),
        incomplete: found
            .tally
            .incomplete
            .or(instance.windowed.then_some(Incomplete::IntegerWindow)),
        elapsed: run.started.elapsed(),
    }
}

/// `None` if symmetry hides the concrete run: the model is not as symmetric as its types claim.
fn violation(run: &Run, found: &Found, failure: &Failure) -> Option<Violation> {
    let instance = run.context.program.instance;
    let retraced = match run.options.traces {
        true => retrace::trace(run.context, &found.states, failure),
        false => None,
    };
    if retraced.is_none() && run.options.traces && run.context.symmetry.is_some() {
        return None;
    }
    let (trace, failure) = match retraced {
        Some((trace, kind)) => (Some(trace), kind),
        None => (None, failure.kind.clone()),
    };
    let kind = match &failure {
        FailureKind::Invariant { property } => ViolationKind::Invariant { property: *property },
        FailureKind::PropertyFault { fault, .. } | FailureKind::RuleFault { fault } => ViolationKind::Fault(fault.kind),
        FailureKind::Deadlock => ViolationKind::Deadlock,
    };
    Some(Violation {
        kind,
        message: failure.message(instance),
        span: failure.span(instance, trace.as_ref()),
        trace,
    })
}

/// Unsatisfied cover properties are violations only after a complete search.
fn uncovered(instance: &Instance, found: &Found) -> Vec<Violation> {
    if !found.tally.failures.is_empty() || found.tally.incomplete.is_some() || instance.windowed {
        return Vec::new();
    }
    let properties = instance.properties.iter().enumerate();
    properties
        .filter(|(index, property)| property.kind == PropertyKind::Cover && !found.tally.covered[*index])
        .map(|(index, property)| Violation {
            kind: ViolationKind::Uncovered { property: index },
            message: format!("no reachable state satisfies \"{}\"", property.name),
            span: property.span,
            trace: None,
        })
        .collect()
}

impl Incomplete {
    /// A limit of the explorer is no error of the model.
    pub(crate) fn by(fault: &Fault) -> Option<Incomplete> {
        match fault.kind {
            FaultKind::LoopLimit => Some(Incomplete::Rounds(FUEL)),
            FaultKind::RecursionLimit => Some(Incomplete::Calls(CALL_DEPTH)),
            _ => None,
        }
    }
}

impl From<Beyond> for Incomplete {
    fn from(beyond: Beyond) -> Incomplete {
        match beyond {
            Beyond::Window => Incomplete::IntegerWindow,
            Beyond::ListLength(limit) => Incomplete::ListLength(limit),
        }
    }
}

/// A sentence without a full stop.
impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incomplete::StateLimit(limit) => write!(f, "the limit of {limit} states was reached"),
            Incomplete::ChoiceLimit(limit) => write!(f, "the limit of {limit} choices was reached"),
            Incomplete::DepthLimit(limit) => write!(f, "only runs of up to {limit} rules were followed"),
            Incomplete::TimeLimit(limit) => write!(f, "the time limit of {} s was reached", limit.as_secs_f64()),
            Incomplete::MemoryLimit(limit) => write!(f, "the memory limit of {} MB was reached", limit >> 20),
            Incomplete::Stopped => f.write_str("the search was stopped"),
            Incomplete::NoInitialState => f.write_str("there is no initial state, so there was nothing to see"),
            Incomplete::IntegerWindow => f.write_str("numbers outside their window were left out"),
            Incomplete::ListLength(limit) => write!(f, "lists of more than {limit} elements were left out"),
            Incomplete::Rounds(limit) => write!(f, "a rule has no end after {limit} rounds of loops and calls"),
            Incomplete::Calls(limit) => write!(f, "a rule makes more than {limit} calls inside each other"),
            Incomplete::TooManyRuleInstances => f.write_str("there are too many rule instances"),
        }
    }
}
