//! Runs that violate a property: by the interpreter alone, and by the solver with the interpreter behind it.

use super::ProgramAttempt;
use super::Question;
use super::verdict::Unsafe;
use crate::context::Context;
use crate::error::Result;
use crate::event::{Event, Phase};
use crate::reason::Reason;
use crate::subject::ProofAttempt;
use abstraction::horn::{Flow, Unrolling, UnrollingResult};
use interpret::search::{Near, SearchOptions, search, search_near};
use interpret::{End, Executable, FixedInputs, InputPurpose, Limit, RandomInputs, RunLimits, RunOutcome, SearchPlan};
use std::sync::atomic::{AtomicUsize, Ordering};
use system::Span;
use system::program::Undefined;
use unfold::back::{Concretization, ReplayOutcome, Values, concretize, replay};
use unfold::{Contract, Node, Unfolded};

/// How many runs are made before anything is proved.
const FIRST_RUNS: u64 = 2_000;
const FIRST_STEPS: u64 = 20_000_000;
/// How many runs are made near a run of the system that is none of the program, and how many steps they may have.
const NEAR_RUNS: u64 = 2_000;
const NEAR_STEPS: u64 = 5_000_000;
/// How many steps a few long runs may have together, and after how many rules of unrolling each of these is spent.
const LONG: [(usize, u64); 4] = [(1, 3_000_000), (4, 30_000_000), (16, 300_000_000), (64, 1_000_000_000)];
const LONG_RUNS: u64 = 8;
/// How many runs of the system may turn out to be none of the program.
const SPURIOUS: usize = 3;
/// The greatest number of rules of a run.
const DEPTH: usize = 500;
/// How many random runs are followed in the system before a proof is believed, and how far.
const FOLLOWED: u64 = 50;
const FOLLOWED_STEPS: u64 = 5_000;
const LONGEST_FOLLOWED: usize = 6_000;
/// How far a run is followed that has not ended then, and how much further it is made where the system ends before.
const LONGEST_CUT: usize = 2_500;
const FURTHER: u64 = 20;
/// Shorter beginnings of runs say nothing.
const SHORTEST_PREFIX: usize = 3;
/// How many steps of a run are kept to be shown.
const SHOWN: usize = 20_000;

pub(super) struct Search<'a> {
    pub(super) question: &'a Question<'a>,
    executable: &'a Executable<'a>,
    /// How many times long runs were looked at.
    long: AtomicUsize,
}

/// How many runs of the program go the same way in its system.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct ReplayCounts {
    /// To their ends.
    pub(super) runs: u64,
    /// Up to where they cannot be followed.
    pub(super) prefixes: u64,
}

/// How a run must end in the system, where it has an end.
fn expected(outcome: &RunOutcome) -> Option<ReplayOutcome> {
    match outcome.end {
        End::Exited(_) | End::Aborted => Some(ReplayOutcome::Ended),
        End::Violated(property) => Some(ReplayOutcome::Violated(property)),
        _ => None,
    }
}

/// What a search came to.
pub(super) enum UnrollingOutcome {
    Violation(Box<Unsafe>),
    /// A procedure calls itself more often than is followed.
    TooDeep,
    /// Only runs that are none of the program.
    Spurious {
        runs: usize,
        undefined: Option<(Undefined, Span)>,
        approximated: Option<Span>,
    },
    Nothing,
}

impl<'a> Search<'a> {
    pub(super) fn new(question: &'a Question<'a>, executable: &'a Executable<'a>) -> Search<'a> {
        Search {
            question,
            executable,
            long: AtomicUsize::new(0),
        }
    }

    /// A few runs on small inputs.
    pub(super) fn first_runs(&self, context: &Context) -> Option<Unsafe> {
        let pointers = [false, true].into_iter();
        let mut found =
            pointers.filter_map(|has_objects| self.by_interpreter(FIRST_RUNS, FIRST_STEPS, has_objects, context));
        found.next()
    }

    /// Pointers that are inputs are null, or point at objects of their own.
    fn by_interpreter(&self, runs: u64, steps: u64, has_objects: bool, context: &Context) -> Option<Unsafe> {
        let options = SearchOptions {
            limits: self.question.limits(),
            runs,
            steps,
            further_steps: 0,
            seed: self.question.seed,
            undefined_counts: false,
            has_objects,
        };
        let searched = search(self.executable, &options, &|| context.stopped().is_some());
        self.reproduced(searched.violation?.inputs)
    }

    /// Runs near one of the system, where pointers that nobody determines point at objects of their own.
    fn near(&self, walked: Concretization, context: &Context) -> Near {
        let plan = SearchPlan::new(walked.branches, walked.values);
        let options = SearchOptions {
            limits: self.question.limits(),
            runs: NEAR_RUNS,
            steps: NEAR_STEPS,
            has_objects: true,
            ..SearchOptions::default()
        };
        search_near(self.executable, &plan, &options, &|| context.stopped().is_some())
    }

    /// A few runs that go on for long, where it is their time.
    pub(super) fn long_runs(&self, depth: usize, context: &Context) -> Option<Unsafe> {
        let number = self.long.load(Ordering::Relaxed);
        let (_, further_steps) = *LONG.get(number).filter(|(after, _)| *after <= depth)?;
        let limits = self.question.limits();
        let options = SearchOptions {
            runs: LONG_RUNS,
            steps: LONG_RUNS.saturating_mul(limits.steps),
            limits,
            further_steps,
            seed: self.question.seed,
            undefined_counts: false,
            has_objects: false,
        };
        let searched = search(self.executable, &options, &|| context.stopped().is_some());
        // Where all came to their ends, there are none that go on for longer.
        let next = if searched.is_cut { number + 1 } else { LONG.len() };
        self.long.store(next, Ordering::Relaxed);
        let found = searched.violation?;
        self.reproduced_within(&found.limits(SHOWN, &options.limits), found.inputs)
    }

    /// All long runs that were not looked at.
    pub(super) fn all_long_runs(&self, context: &Context) -> Option<Unsafe> {
        let mut left = LONG.iter();
        left.find_map(|_| self.long_runs(usize::MAX, context))
    }

    /// The run with these inputs, where it violates a property.
    pub(super) fn reproduced(&self, inputs: Vec<i128>) -> Option<Unsafe> {
        let limits = RunLimits {
            trace: SHOWN,
            ..self.question.limits()
        };
        self.reproduced_within(&limits, inputs)
    }

    fn reproduced_within(&self, limits: &RunLimits, inputs: Vec<i128>) -> Option<Unsafe> {
        let run = |inputs: Vec<i128>| {
            let outcome = self.executable.run(&mut FixedInputs::new(inputs), limits);
            match outcome.end {
                End::Violated(property) => Some(Unsafe::new(property, outcome)),
                _ => None,
            }
        };
        let found = run(inputs)?;
        // What nobody gave a value is zero, if that will do: so gcc's program can have it.
        let asked = found.outcome().from_outside.asked.iter();
        let plain = asked.map(|asked| match asked.purpose {
            InputPurpose::Uninitialized => 0,
            _ => asked.value,
        });
        let plain: Vec<i128> = plain.collect();
        match plain == found.outcome().inputs {
            true => Some(found),
            false => run(plain).or(Some(found)),
        }
    }

    /// Where the run with these inputs has no defined behaviour any more.
    pub(super) fn undefined(&self, inputs: Vec<i128>) -> Option<(Undefined, Span)> {
        let outcome = self
            .executable
            .run(&mut FixedInputs::new(inputs), &self.question.limits());
        match outcome.end {
            End::Undefined(kind) => Some((kind, outcome.span)),
            _ => None,
        }
    }

    /// Makes random runs, and follows them in the system: whether every one goes there as it does in the interpreter,
    /// to its end or as far as it can be followed. How many did, or the inputs of one that did not.
    pub(super) fn agreement(
        &self,
        unfolded: &Unfolded,
        contracts: &[Contract],
    ) -> std::result::Result<ReplayCounts, Vec<i128>> {
        let limits = RunLimits {
            steps: FOLLOWED_STEPS,
            // Of this, the system knows nothing.
            memory_behind: false,
            ..self.question.limits()
        };
        let mut agreed = ReplayCounts::default();
        for seed in 0..FOLLOWED {
            let outcome = self.executable.run(&mut RandomInputs::new(seed, Vec::new()), &limits);
            let is_cut = matches!(outcome.end, End::Limit(Limit::Steps));
            let (expected, longest) = match expected(&outcome) {
                Some(expected) => (Some(expected), LONGEST_FOLLOWED),
                // What the interpreter has not seen is not looked at: one of its steps is a step of the system at
                // least.
                None if is_cut => (None, LONGEST_CUT),
                // Where behaviour is undefined, the system may go on or not.
                None => continue,
            };
            match replay(unfolded, contracts, &outcome.inputs, longest) {
                ReplayOutcome::Prefix(SHORTEST_PREFIX..) => agreed.prefixes += 1,
                ReplayOutcome::Prefix(_) => {}
                followed if Some(followed) == expected => agreed.runs += 1,
                followed => match expected {
                    None if !self.contradicts(seed, followed, &limits) => {}
                    _ => return Err(outcome.inputs),
                },
            }
        }
        Ok(agreed)
    }

    /// Whether a run that was cut off does not come to this end when it goes on.
    fn contradicts(&self, seed: u64, followed: ReplayOutcome, limits: &RunLimits) -> bool {
        let limits = RunLimits {
            steps: limits.steps.saturating_mul(FURTHER),
            ..limits.clone()
        };
        let outcome = self.executable.run(&mut RandomInputs::new(seed, Vec::new()), &limits);
        let is_cut = matches!(outcome.end, End::Limit(Limit::Steps));
        is_cut || expected(&outcome).is_some_and(|expected| expected != followed)
    }

    /// Where there is no system to look at: the interpreter goes on.
    pub(super) fn rest(&self, context: &Context, reason: Reason) -> ProgramAttempt {
        match self.by_interpreter(100_000, 2_000_000_000, false, context) {
            Some(found) => ProofAttempt::Violated(Box::new(found)),
            None => ProofAttempt::unproved(reason),
        }
    }

    /// Longer and longer runs of the system, until one is a run of the program.
    pub(super) fn runs(&self, unfolded: &Unfolded, flow: &Flow, context: &Context) -> Result<UnrollingOutcome> {
        context.tell(Event::Phase(Phase::Unrolling));
        let context = context.uncounted();
        let mut unrolling = Unrolling::new(flow, &context.solvers)?;
        let (mut spurious, mut undefined, mut approximated) = (0, None, None);
        while context.stopped().is_none() && unrolling.depth() < DEPTH {
            if let Some(found) = self.long_runs(unrolling.depth(), &context) {
                return Ok(UnrollingOutcome::Violation(Box::new(found)));
            }
            let Some(found) = unrolling.go_on()? else { continue };
            let run = match found {
                UnrollingResult::Run(run) => run,
                UnrollingResult::None => break,
            };
            let end = run.steps.last().map(|step| &unfolded.system.rules[step.rule]);
            if end.and_then(|rule| unfolded.end_of(rule)) == Some(Node::TooDeep) {
                return Ok(UnrollingOutcome::TooDeep);
            }
            let values: Vec<Values> = run.steps.iter().map(|step| step.values.clone()).collect();
            let walked = concretize(unfolded, &values);
            let made = walked.inputs.clone().and_then(|inputs| self.reproduced(inputs));
            if let Some(found) = made {
                return Ok(UnrollingOutcome::Violation(Box::new(found)));
            }
            approximated = approximated.or(walked.approximated);
            let near = self.near(walked, &context);
            if let Some(found) = near.violation.and_then(|found| self.reproduced(found.inputs)) {
                return Ok(UnrollingOutcome::Violation(Box::new(found)));
            }
            spurious += 1;
            undefined = undefined.or_else(|| near.undefined.and_then(|found| Some((found.undefined()?, found.span))));
            if spurious == SPURIOUS {
                break;
            }
            unrolling.block(&run)?;
        }
        Ok(match spurious {
            0 => UnrollingOutcome::Nothing,
            runs => UnrollingOutcome::Spurious {
                runs,
                undefined,
                approximated,
            },
        })
    }
}
