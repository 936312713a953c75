//! The search in finite instances, beside the proof, until there is an answer: of the file as it is written, and of
//! other sizes for bugs.
//!
//! Work is measured in states: whatever else the machine does, the states up to [`FLOOR`] are looked at, unless there
//! is an answer before.

use crate::account::Account;
use crate::crosscheck::unequal;
use crate::event::Event;
use crate::exploration;
use crate::input::Input;
use crate::model::{Instances, ModelContext};
use abstraction::predicate::{Concrete, GoalVerdict};
use explore::{
    Budget, ConfirmedExploration, Deadlock, FollowOptions, FollowOutcome, Observer, SearchOptions, SearchOutcome,
    SearchVerdict, SilentObserver, Unconfirmed, Violation, Waypoint,
};
use logic::{Cancellation, Sort, Term};
use smt::Statistics;
use std::sync::Arc;
use system::TransitionSystem;
use system::frontend::{SizeOrigin, TypeSize};
use system::instance::{Instance, Type};

/// Types of any size are explored with at most this many elements first: there are bugs that need few.
pub(crate) const SMALL: [i64; 3] = [3, 2, 1];
/// This many instances with unequal sizes are explored, too: there are bugs that need more of one type than of another.
const UNEQUAL: usize = 4;
/// Then with these numbers, whatever the file declares.
const LARGER: [i64; 4] = [3, 4, 5, 6];
/// This many states of each small instance, and of the one that the file declares, are looked at in any case.
pub(crate) const FLOOR: u64 = 300_000;
/// The states of each instance that are looked at in the rounds after that.
const ROUNDS: [u64; 2] = [2_000_000, 20_000_000];
/// Where another size has a bug, this many states of the file as it is written are looked at before that is the
/// answer.
pub(crate) const PATIENCE: u64 = 2_000_000;
/// Integers up to these are looked at where nothing else is known of them.
const WINDOWS: [i64; 4] = [32, 128, 512, 2_048];
/// The states that are looked at where a constant has another value.
const OTHER_CONSTANTS: u64 = 100_000;
/// Numbers that the model mentions make no window beyond this.
const FAR: u64 = 1_000_000;
/// How often rules are tried with other choices, for each state.
const CHOICES: u64 = 10;
/// The sizes at which a run is looked for when a proof attempt says that there is one, and how many states.
const WITH_RUN: [i64; 4] = [2, 3, 4, 5];
const WITH_RUN_STATES: u64 = 1_000_000;
/// How many such runs are followed, through how many states.
const RUNS: usize = 3;
const FOLLOWED_STATES: usize = 200_000;
/// The integers that such an instance has at least, where those of the run alone do not do.
const NUMBERS: (i64, i64) = (-8, 8);
/// For the states of one instance, in bytes.
const MEMORY: u64 = 2 << 30;

/// A violation that exploration found.
pub(crate) struct SearchedInstance {
    /// The model at the sizes of the instance.
    pub(crate) input: Input,
    pub(crate) instance: Instance,
    pub(crate) outcome: SearchOutcome,
    /// The checks of a proof that went on beside the search.
    pub(crate) beside: Option<Arc<Statistics>>,
}

impl SearchedInstance {
    /// Of what was found, only what matters for safety.
    pub(crate) fn new(input: Input, instance: Instance, mut outcome: SearchOutcome) -> SearchedInstance {
        if let Some(violation) = outcome.unsafe_violation().cloned() {
            outcome.verdict = SearchVerdict::Violation(Box::new(violation));
            outcome.further = Vec::new();
        }
        SearchedInstance {
            input,
            instance,
            outcome,
            beside: None,
        }
    }

    pub(crate) fn violation(&self) -> Option<&Violation> {
        self.outcome.unsafe_violation()
    }
}

/// This many states of a safe file are looked at by the other interpreter, or all.
pub(crate) const AGAIN: Budget = Budget {
    states: 100_000,
    attempts: 1_000_000,
};

/// How the exploration of the file as it is written ended.
pub(crate) struct DeclaredExploration {
    pub(crate) found: SearchedInstance,
    /// Where all states were seen and none is unsafe: what another interpreter says of that.
    pub(crate) again: Option<Result<ConfirmedExploration, Unconfirmed>>,
}

impl DeclaredExploration {
    pub(crate) fn is_safe(&self) -> bool {
        self.again.is_some()
    }

    pub(crate) fn is_violated(&self) -> bool {
        self.found.violation().is_some()
    }
}

/// Explores the file as it is written, to its end or up to this many states. None where there is no instance.
pub(crate) fn declared(
    model: &ModelContext,
    states: Option<u64>,
    budget: Budget,
    observer: &mut dyn Observer,
) -> Option<DeclaredExploration> {
    let cancellation = model.context.cancellation();
    let mut instance = model.parsed.declared.as_ref().ok()?.clone();
    let input = model.parsed.input.clone();
    model.instances().keep_asked_for(&mut instance, true);
    let options = SearchOptions {
        deadlock: deadlock(&input),
        deadlocks_count: false,
        ..options(states)
    };
    let outcome = explore::explore(&instance, &options, cancellation, observer);
    let found = SearchedInstance::new(input, instance, outcome);
    let again = found.outcome.is_safe().then(|| {
        let outcome = found.outcome.clone();
        explore::confirm_exploration(&found.instance, outcome, budget, cancellation)
    });
    if let Some(Ok(confirmed)) = &again
        && confirmed.is_enough()
    {
        let parsed = model.parsed;
        model.context.tell(Event::SafeAsWritten {
            parsed,
            confirmed,
            certificate: exploration::text(model, confirmed),
        });
    }
    Some(DeclaredExploration { found, again })
}

/// As `explore` looks for deadlocks.
pub(crate) fn deadlock(input: &Input) -> Deadlock {
    match input.language().has_deadlocks() {
        true => Deadlock::Stuttering,
        false => Deadlock::Off,
    }
}

/// An instance by the sizes of its types, and whether all its states are known.
struct Candidate {
    wanted: Wanted,
    seen: bool,
}

enum Wanted {
    /// Types of any size have this one, smaller ones only if they may grow.
    Same { size: i64, grow: bool },
    /// One for each type.
    Each(Vec<i64>),
}

impl Candidate {
    fn new(size: i64, grow: bool) -> Candidate {
        Candidate {
            wanted: Wanted::Same { size, grow },
            seen: false,
        }
    }

    fn unequal(sizes: Vec<i64>) -> Candidate {
        Candidate {
            wanted: Wanted::Each(sizes),
            seen: false,
        }
    }

    fn instance(&self, instances: &Instances) -> Option<(Input, Instance)> {
        match &self.wanted {
            Wanted::Same { size, grow } => instances.at_size(*size, *grow),
            Wanted::Each(sizes) => {
                let number = |ty: &TypeSize| instances.sizes().iter().position(|other| other.name == ty.name);
                instances.with_sizes(|ty| number(ty).map_or(ty.size, |number| sizes[number]))
            }
        }
    }
}

/// The search of other sizes for a bug: to the floor, and then on.
pub(crate) struct OtherSizes<'s> {
    search: Search<'s>,
    candidates: Vec<Candidate>,
}

impl<'s> OtherSizes<'s> {
    pub(crate) fn new(model: &'s ModelContext<'s>) -> OtherSizes<'s> {
        let any_size = model.parsed.has_any_size();
        let same = SMALL.iter().map(|size| Candidate::new(*size, false));
        let unequal = unequal(model.instances().sizes()).into_iter().take(UNEQUAL);
        let candidates = same.chain(unequal.map(Candidate::unequal));
        OtherSizes {
            search: Search::new(model),
            candidates: candidates.filter(|_| any_size).collect(),
        }
    }

    pub(crate) fn floor(&mut self) -> Option<SearchedInstance> {
        let cancellation = self.search.model.context.cancellation();
        self.search.round(&mut self.candidates, FLOOR, cancellation)
    }

    /// Goes on until `enough` is cancelled.
    pub(crate) fn beyond(mut self, enough: &Cancellation) -> Option<SearchedInstance> {
        if !self.candidates.is_empty() {
            self.candidates
                .extend(LARGER.iter().map(|size| Candidate::new(*size, true)));
        }
        ROUNDS
            .iter()
            .find_map(|states| self.search.round(&mut self.candidates, *states, enough))
    }
}

/// Searches other numbers of elements of types that no proof takes at any size: where a constant says how many there
/// are, and of those that a proof has narrowed. Returns the types with it.
pub(crate) fn with_constants(model: &ModelContext, narrowed: &[String]) -> Option<(Vec<String>, SearchedInstance)> {
    let cancellation = model.context.cancellation();
    let instances = model.instances();
    instances
        .with_constants(narrowed)
        .find_map(|(names, input, mut instance)| {
            if cancellation.is_cancelled() {
                return None;
            }
            instances.keep_asked_for(&mut instance, false);
            let options = options(Some(OTHER_CONSTANTS));
            let outcome = explore::explore(&instance, &options, cancellation, &mut SilentObserver);
            let found = SearchedInstance::new(input, instance, outcome);
            found.violation().is_some().then_some((names, found))
        })
}

/// Searches the declared sizes with integers in these windows, where the instance has any.
pub(crate) fn with_numbers(
    model: &ModelContext,
    windows: impl IntoIterator<Item = (i64, i64)>,
    cancellation: &Cancellation,
) -> Option<SearchedInstance> {
    let has_numbers = |instance: &Instance| {
        let is_number = |ty: &Type| matches!(ty, Type::Integer { .. } | Type::Real { .. });
        instance.windowed || instance.types.iter().any(is_number)
    };
    if !model.parsed.declared.as_ref().is_ok_and(has_numbers) || model.question.reading.integers.is_some() {
        return None;
    }
    windows.into_iter().find_map(|window| {
        if cancellation.is_cancelled() {
            return None;
        }
        let instances = model.instances();
        let (input, mut instance) = instances.with_sizes_and_numbers(|ty| ty.size, Some(window))?;
        instances.keep_asked_for(&mut instance, false);
        let outcome = explore::explore(&instance, &options(Some(FLOOR)), cancellation, &mut SilentObserver);
        let found = SearchedInstance::new(input, instance, outcome);
        found.violation().is_some().then_some(found)
    })
}

/// Ever wider windows.
pub(crate) fn wider() -> impl Iterator<Item = (i64, i64)> {
    WINDOWS.into_iter().map(|bound| (-bound, bound))
}

/// Windows around the numbers that rules and properties mention: just these, and some more.
pub(crate) fn mentioned(system: &TransitionSystem) -> Vec<(i64, i64)> {
    let rules = system.starts.iter().chain(&system.rules);
    let of_rules = rules.flat_map(|rule| {
        let updates = rule.updates.iter().map(|update| update.value);
        updates.chain([rule.guard])
    });
    let of_properties = system.properties.iter().map(|property| property.formula);
    let terms: Vec<Term> = of_rules.chain(of_properties).collect();
    let is_near = |number: &i64| number.unsigned_abs() <= FAR;
    let numbers = logic::substitute::numbers_of(&terms).into_iter();
    let numbers: Vec<i64> = numbers
        .filter_map(|number| i64::try_from(number).ok())
        .filter(is_near)
        .collect();
    let (Some(least), Some(greatest)) = (numbers.first(), numbers.last()) else {
        return Vec::new();
    };
    let (least, greatest) = (*least.min(&0), *greatest.max(&1));
    vec![(least, greatest + 1), (2 * least - 1, 2 * greatest + 1)]
}

/// Looks for a run that a proof attempt believes in: first by the rules that it fires, at the sizes and with the
/// numbers of the solver's model, then by searching a few sizes.
pub(crate) fn run(model: &ModelContext, account: &Account) -> Option<SearchedInstance> {
    let goals = account.results.iter().flat_map(|result| &result.goals);
    let concrete = goals.filter_map(|(_, report)| match &report.verdict {
        GoalVerdict::Real { concrete, .. } => Some(concrete),
        _ => None,
    });
    concrete
        .take(RUNS)
        .find_map(|concrete| followed(model, concrete))
        .or_else(|| with_run(model))
}

/// Makes an instance of what the solver's model needs, and fires the rules there: first with no other integers than the
/// run has, of which an array may have any, then with some more.
pub(crate) fn followed(model: &ModelContext, concrete: &Concrete) -> Option<SearchedInstance> {
    let wider = |(low, high): (i64, i64)| (low.min(NUMBERS.0), high.max(NUMBERS.1));
    let wider = concrete
        .numbers
        .map(wider)
        .filter(|wider| concrete.numbers != Some(*wider));
    followed_within(model, concrete, concrete.numbers)
        .or_else(|| wider.and_then(|wider| followed_within(model, concrete, Some(wider))))
        .map(|found| smallest(model, found))
}

/// The violation at the smallest size that has one, where all types of any size have the same number of elements.
fn smallest(model: &ModelContext, found: SearchedInstance) -> SearchedInstance {
    let sizes = found.input.sizes().iter().filter(|ty| ty.is_any()).map(|ty| ty.size);
    let largest = sizes.max().unwrap_or(1);
    let mut candidates: Vec<Candidate> = (1..largest).map(|size| Candidate::new(size, true)).collect();
    let smaller = Search::new(model).round(&mut candidates, FLOOR, model.context.cancellation());
    smaller.unwrap_or(found)
}

fn followed_within(model: &ModelContext, concrete: &Concrete, numbers: Option<(i64, i64)>) -> Option<SearchedInstance> {
    let needed = |ty: &TypeSize| {
        let of_type = |sort: &Sort| matches!(sort, Sort::Index(name) if name.as_str() == ty.name);
        let size = concrete
            .sizes
            .iter()
            .find(|(sort, _)| of_type(sort))
            .map(|(_, size)| *size);
        size.and_then(|size| i64::try_from(size).ok()).unwrap_or(ty.size)
    };
    let (input, mut instance) = model.instances().with_sizes_and_numbers(needed, numbers)?;
    model.instances().keep_asked_for(&mut instance, false);
    let steps = std::iter::once(&concrete.start).chain(&concrete.rules);
    let waypoints: Vec<Waypoint> = steps.map(|taken| Waypoint::At(taken.span)).collect();
    let properties: Vec<usize> = (0..instance.properties.len()).collect();
    let options = FollowOptions {
        waypoints: &waypoints,
        properties: &properties,
        max_states: FOLLOWED_STATES,
    };
    let FollowOutcome::Violated(violation) = explore::follow(&instance, &options, model.context.cancellation()) else {
        return None;
    };
    let outcome = SearchOutcome {
        verdict: SearchVerdict::Violation(violation),
        further: Vec::new(),
        statistics: explore::SearchStatistics::default(),
    };
    Some(SearchedInstance::new(input, instance, outcome))
}

fn with_run(model: &ModelContext) -> Option<SearchedInstance> {
    let mut candidates: Vec<Candidate> = WITH_RUN.iter().map(|size| Candidate::new(*size, true)).collect();
    Search::new(model).round(&mut candidates, WITH_RUN_STATES, model.context.cancellation())
}

struct Search<'s> {
    model: &'s ModelContext<'s>,
    /// The sizes of instances that were explored, and up to how many states.
    tried: Vec<(Vec<i64>, u64)>,
}

impl<'s> Search<'s> {
    /// The file as it is written is explored elsewhere.
    fn new(model: &'s ModelContext<'s>) -> Search<'s> {
        let declared = model.instances().sizes().iter().map(|ty| ty.size).collect();
        Search {
            model,
            tried: vec![(declared, u64::MAX)],
        }
    }

    /// Explores the instances that are not known, up to this many states of each. No instance is explored twice.
    fn round(
        &mut self,
        candidates: &mut [Candidate],
        states: u64,
        cancellation: &Cancellation,
    ) -> Option<SearchedInstance> {
        for candidate in candidates.iter_mut().filter(|candidate| !candidate.seen) {
            if cancellation.is_cancelled() {
                return None;
            }
            let instances = self.model.instances();
            let Some((input, mut instance)) = candidate.instance(&instances) else {
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
            instances.keep_asked_for(&mut instance, false);
            let outcome = explore::explore(&instance, &options(Some(states)), cancellation, &mut SilentObserver);
            let found = SearchedInstance::new(input, instance, outcome);
            if found.violation().is_some() {
                return Some(found);
            }
            candidate.seen = found.outcome.is_safe();
        }
        None
    }
}

/// Up to this many states, without looking for deadlocks.
fn options(states: Option<u64>) -> SearchOptions {
    SearchOptions {
        deadlock: Deadlock::Off,
        max_states: states,
        max_choices: states.map(|states| states.saturating_mul(CHOICES)),
        memory_limit: Some(MEMORY),
        ..SearchOptions::default()
    }
}

/// The types that a violation needs at another size than the file declares: Peterson's algorithm is one for two
/// processes, and the file says two. Whoever demands any size gets the violation.
pub(crate) fn other_than_declared(model: &ModelContext, taken: &Input) -> Vec<TypeSize> {
    let differs = |ty: &&TypeSize| {
        let taken = taken.sizes().iter().find(|other| other.name == ty.name);
        // Where the file says how many there are at most, it is about fewer, too.
        let is_one = ty.origin == SizeOrigin::Declared && ty.most.is_none();
        is_one && taken.is_some_and(|taken| taken.size != ty.size)
    };
    let types: Vec<TypeSize> = model.instances().sizes().iter().filter(differs).cloned().collect();
    let demanded = &model.question.reading.parametric;
    match types.iter().any(|ty| demanded.contains(&ty.name)) {
        true => Vec::new(),
        false => types,
    }
}
