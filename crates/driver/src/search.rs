//! The search for bugs in finite instances. It goes on beside the proof until there is an answer.
//!
//! Work is measured in states: whatever else the machine does, the states up to [`FLOOR`] are looked at, unless there
//! is an answer before.

use crate::account::Account;
use crate::input::Input;
use crate::subject::Task;
use abstraction::predicate::{Concrete, GoalVerdict};
use explore::{Deadlock, FollowOptions, Followed, Options, Outcome, Silent, Verdict, Violation, Waypoint};
use logic::{Cancellation, Sort};
use smt::Statistics;
use std::sync::Arc;
use system::frontend::{Origin, TypeSize};
use system::instance::Instance;

/// Types of any size are explored with at most this many elements first: there are bugs that need few.
pub(crate) const SMALL: [i64; 3] = [3, 2, 1];
/// Then with these numbers, whatever the file declares.
const LARGER: [i64; 4] = [3, 4, 5, 6];
/// This many states of each small instance, and of the one that the file declares, are looked at in any case.
const FLOOR: u64 = 300_000;
/// The states of each instance that are looked at in the rounds after that.
const ROUNDS: [u64; 2] = [2_000_000, 20_000_000];
/// How often rules are tried with other choices, for each state.
const CHOICES: u64 = 10;
/// The sizes at which a run is looked for when a proof attempt says that there is one, and how many states.
const WITH_RUN: [i64; 4] = [2, 3, 4, 5];
const WITH_RUN_STATES: u64 = 1_000_000;
/// How many such runs are followed, through how many states.
const RUNS: usize = 3;
const FOLLOWED_STATES: usize = 200_000;
/// For the states of one instance, in bytes.
const MEMORY: u64 = 2 << 30;

/// A violation that exploration found.
pub(crate) struct Found {
    /// The model at the sizes of the instance.
    pub(crate) input: Input,
    pub(crate) instance: Instance,
    pub(crate) outcome: Outcome,
    /// The checks of a proof that went on beside the search.
    pub(crate) beside: Option<Arc<Statistics>>,
}

impl Found {
    pub(crate) fn violation(&self) -> Option<&Violation> {
        match &self.outcome.verdict {
            Verdict::Violation(violation) => Some(violation),
            _ => None,
        }
    }

    fn is_complete(&self) -> bool {
        matches!(self.outcome.verdict, Verdict::Ok)
    }
}

/// An instance by the sizes of its types, and whether all its states are known.
struct Candidate {
    size: Option<i64>,
    grow: bool,
    seen: bool,
}

/// Searches for a bug: to the floor, and then on until `enough` is cancelled.
pub(crate) fn bug(task: &Task, enough: &Cancellation) -> Option<Found> {
    let any_size = task.subject.has_any_size();
    let candidate = |size, grow| Candidate {
        size,
        grow,
        seen: false,
    };
    let small = SMALL
        .iter()
        .filter(|_| any_size)
        .map(|size| candidate(Some(*size), false));
    let mut candidates: Vec<Candidate> = small.chain([candidate(None, false)]).collect();
    let mut search = Search {
        task,
        tried: Vec::new(),
    };
    if let Some(found) = search.round(&mut candidates, FLOOR, task.context.cancellation()) {
        return Some(found);
    }
    candidates.extend(
        LARGER
            .iter()
            .filter(|_| any_size)
            .map(|size| candidate(Some(*size), true)),
    );
    ROUNDS
        .iter()
        .find_map(|states| search.round(&mut candidates, *states, enough))
}

/// Looks for a run that a proof attempt believes in: first by the rules that it fires, at the sizes and with the
/// numbers of the solver's model, then by searching a few sizes.
pub(crate) fn run(task: &Task, account: &Account) -> Option<Found> {
    let goals = account.results.iter().flat_map(|result| &result.goals);
    let concrete = goals.filter_map(|(_, report)| match &report.verdict {
        GoalVerdict::Real { concrete, .. } => Some(concrete),
        _ => None,
    });
    concrete
        .take(RUNS)
        .find_map(|concrete| followed(task, concrete))
        .or_else(|| with_run(task))
}

/// Makes an instance of what the solver's model needs, and fires the rules there.
fn followed(task: &Task, concrete: &Concrete) -> Option<Found> {
    let needed = |ty: &TypeSize| {
        let of_type = |sort: &Sort| matches!(sort, Sort::Index(name) if name.as_str() == ty.name);
        let size = concrete
            .sizes
            .iter()
            .find(|(sort, _)| of_type(sort))
            .map(|(_, size)| *size);
        size.and_then(|size| i64::try_from(size).ok()).unwrap_or(ty.size)
    };
    let (input, mut instance) = task.with_sizes_and_numbers(needed, concrete.numbers)?;
    task.keep_asked_for(&mut instance, false);
    let steps = std::iter::once(&concrete.start).chain(&concrete.rules);
    let waypoints: Vec<Waypoint> = steps.map(|taken| Waypoint::At(taken.span)).collect();
    let properties: Vec<usize> = (0..instance.properties.len()).collect();
    let options = FollowOptions {
        waypoints: &waypoints,
        properties: &properties,
        max_states: FOLLOWED_STATES,
    };
    let Followed::Violated(violation) = explore::follow(&instance, &options, task.context.cancellation()) else {
        return None;
    };
    let outcome = Outcome {
        verdict: Verdict::Violation(violation),
        further: Vec::new(),
        statistics: explore::Statistics::default(),
    };
    Some(Found {
        input,
        instance,
        outcome,
        beside: None,
    })
}

fn with_run(task: &Task) -> Option<Found> {
    let mut candidates: Vec<Candidate> = WITH_RUN
        .iter()
        .map(|size| Candidate {
            size: Some(*size),
            grow: true,
            seen: false,
        })
        .collect();
    let mut search = Search {
        task,
        tried: Vec::new(),
    };
    search.round(&mut candidates, WITH_RUN_STATES, task.context.cancellation())
}

struct Search<'s> {
    task: &'s Task<'s>,
    /// The sizes of instances that were explored, and up to how many states.
    tried: Vec<(Vec<i64>, u64)>,
}

impl Search<'_> {
    /// Explores the instances that are not known, up to this many states of each. No instance is explored twice.
    fn round(&mut self, candidates: &mut [Candidate], states: u64, cancellation: &Cancellation) -> Option<Found> {
        for candidate in candidates.iter_mut().filter(|candidate| !candidate.seen) {
            if cancellation.is_cancelled() {
                return None;
            }
            let instance = match candidate.size {
                Some(size) => self.task.at_size(size, candidate.grow),
                None => self.task.with_sizes(|ty| ty.size),
            };
            let Some((input, instance)) = instance else {
                candidate.seen = true;
                continue;
            };
            let sizes: Vec<i64> = input.sizes().iter().map(|ty| ty.size).collect();
            if self
                .tried
                .iter()
                .any(|(tried, up_to)| *tried == sizes && *up_to >= states)
            {
                candidate.seen = true;
                continue;
            }
            self.tried.push((sizes, states));
            let found = explored(self.task, input, instance, Some(states), cancellation);
            if found.violation().is_some() {
                return Some(found);
            }
            candidate.seen = found.is_complete();
        }
        None
    }
}

fn explored(
    task: &Task,
    input: Input,
    mut instance: Instance,
    states: Option<u64>,
    cancellation: &Cancellation,
) -> Found {
    task.keep_asked_for(&mut instance, false);
    let options = Options {
        deadlock: Deadlock::Off,
        max_states: states,
        max_choices: states.map(|states| states.saturating_mul(CHOICES)),
        memory_limit: Some(MEMORY),
        ..Options::default()
    };
    let outcome = explore::explore(&instance, &options, cancellation, &mut Silent);
    Found {
        input,
        instance,
        outcome,
        beside: None,
    }
}

/// The types that a violation needs at another size than the file declares, where there is none at the declared
/// sizes: Peterson's algorithm is one for two processes, and the file says two. Whoever demands any size gets the
/// violation.
pub(crate) fn only_at_other_sizes(task: &Task, taken: &Input) -> Vec<TypeSize> {
    let differs = |ty: &&TypeSize| {
        let taken = taken.sizes().iter().find(|other| other.name == ty.name);
        // Where the file says how many there are at most, it is about fewer, too.
        let is_one = ty.origin == Origin::Declared && ty.most.is_none();
        is_one && taken.is_some_and(|taken| taken.size != ty.size)
    };
    let types: Vec<TypeSize> = task.sizes().iter().filter(differs).cloned().collect();
    let demanded = types
        .iter()
        .any(|ty| task.question.reading.parametric.contains(&ty.name));
    if types.is_empty() || demanded {
        return Vec::new();
    }
    let Some((input, instance)) = task.with_sizes(|ty| ty.size) else {
        return Vec::new();
    };
    let declared = explored(task, input, instance, Some(ROUNDS[0]), task.context.cancellation());
    if declared.is_complete() { types } else { Vec::new() }
}
