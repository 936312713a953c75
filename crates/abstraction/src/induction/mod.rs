//! Counterexamples to induction, for people.
//!
//! A formula that holds initially and that every rule preserves, given the known invariants, is an invariant. Otherwise
//! a person wants to see a step that breaks it: a rule, the state before and the state after it, in the names of the
//! model, as small as possible, and of the states only what matters.
//!
//! Whether a rule keeps a formula is asked about every size. Where it may not, a step is looked for in universes of a
//! few elements, the smallest first, with small numbers. What matters of the state before is an unsatisfiable core:
//! with these values the guard holds, and the formula cannot hold after the rule; of the state after, another: with
//! these values the formula is false.

mod implied;
mod largest_subset;
mod like;
mod matters;
mod pending;
mod steps;
mod whole;

use crate::finite::Unsuited;
use crate::predicate::Taken;
use crate::strengthening::{Conjecture, Decision, Step as RuleCheck};
pub use implied::{Implied, State, implied};
pub use largest_subset::largest_inductive_subset;
use logic::{Sort, Term};
pub use pending::{Pending, pending};
use smt::{SolverError, Solvers, UnknownReason};
use std::collections::BTreeSet;
use steps::{Looked, Steps};
use system::transition::{Property, Rule};
use system::{Span, TransitionSystem};
pub use whole::is_contradiction;

/// What is asked.
pub struct Settings<'s> {
    pub solvers: &'s Solvers,
    /// How many elements index sorts have in the universes in which steps are looked for, the smallest first.
    pub sizes: &'s [u32],
}

/// What became of one formula.
#[derive(Clone, Debug)]
pub struct Induction {
    pub name: String,
    pub span: Span,
    pub verdict: Inductiveness,
    /// Starts and rules that are not known to keep it.
    pub failures: Vec<Failure>,
    /// The other formulas, by position, that hold before where the rules are known to keep this one.
    pub needs: BTreeSet<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inductiveness {
    /// It holds initially, and every rule keeps it where it, what is known, and what it needs hold before; and all that
    /// it needs is inductive as well.
    Inductive,
    /// The same, but what it needs is not all inductive.
    WithOthers,
    /// There is an initial state in which it does not hold.
    NotInitial,
    /// There is a step that breaks it.
    NotKept,
    /// Nothing was found, and nothing is known.
    Unknown,
}

/// A start or a rule that is not known to keep a formula.
#[derive(Clone, Debug)]
pub struct Failure {
    pub by: Taken,
    pub is_start: bool,
    pub found: StepSearch,
}

/// What is known of it.
#[derive(Clone, Debug)]
pub enum StepSearch {
    Step(Box<BreakingStep>),
    /// There may be a step, but none with so few elements.
    NoStep,
    /// Steps cannot be looked for in this system.
    Unsuited(Unsuited),
    /// The solver does not know.
    Undecided(UnknownReason),
}

/// A step that breaks a formula; of a start, the state that it makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BreakingStep {
    /// How many elements there are of each index sort.
    pub sizes: Vec<(Sort, u64)>,
    /// Of the rule: names and values.
    pub parameters: Vec<(String, String)>,
    /// What matters, in the order of the declarations.
    pub places: Vec<PlaceValues>,
    /// The states that agree with the one before (of a start: with the one that it makes) in what matters, up to
    /// renaming of elements: a closed formula of the system. Explored states can be cross-checked against it; where no
    /// such state is reachable, its negation is a lemma that excludes this step.
    pub like: Term,
    /// Whether a state like the one before is initial: then the formula is not only unproved but false. Else the state
    /// before may be unreachable.
    pub is_initial: bool,
    /// Whether the model certainly has the step. It may not where an axiom about all integers was instantiated for a
    /// few only, or where the system over-approximates the rule.
    pub is_certain: bool,
}

/// A place of the state and what is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceValues {
    /// In the user's way of writing.
    pub text: String,
    /// None where there is no state before.
    pub before: Option<String>,
    pub after: String,
}

impl PlaceValues {
    pub fn is_changed(&self) -> bool {
        self.before.as_ref().is_some_and(|before| *before != self.after)
    }
}

impl StepSearch {
    /// Whether there is a step for certain.
    fn is_certain(&self) -> bool {
        matches!(self, StepSearch::Step(step) if step.is_certain)
    }

    /// What was seen in small universes, where this is known of every size.
    fn of(looked: Looked, decision: Decision) -> StepSearch {
        match (looked, decision) {
            (Looked::Found(step), _) => StepSearch::Step(step),
            (Looked::Nothing, Decision::Unknown(reason)) => StepSearch::Undecided(reason),
            (Looked::Nothing, _) => StepSearch::NoStep,
            (Looked::Unsuited(unsuited), _) => StepSearch::Unsuited(unsuited),
        }
    }
}

impl Induction {
    fn open(property: &Property) -> Induction {
        Induction {
            name: property.name.clone(),
            span: property.span,
            verdict: Inductiveness::Inductive,
            failures: Vec::new(),
            needs: BTreeSet::new(),
        }
    }

    /// The verdict on the formula by itself.
    fn alone(&self) -> Inductiveness {
        let found = |is_start: bool| {
            let mut failures = self.failures.iter();
            failures.any(|failure| failure.is_start == is_start && failure.found.is_certain())
        };
        match () {
            () if self.failures.is_empty() => Inductiveness::Inductive,
            () if found(true) => Inductiveness::NotInitial,
            () if found(false) => Inductiveness::NotKept,
            () => Inductiveness::Unknown,
        }
    }

    /// The first step that was found, if there is one that is certain.
    pub fn step(&self) -> Option<(&Failure, &BreakingStep)> {
        let steps = || {
            self.failures.iter().filter_map(|failure| match &failure.found {
                StepSearch::Step(step) => Some((failure, &**step)),
                _ => None,
            })
        };
        steps().find(|(_, step)| step.is_certain).or_else(|| steps().next())
    }
}

/// Which rules keep each of the formulas where all of them and all that is `known` hold before.
pub fn check(
    system: &TransitionSystem,
    known: &[Term],
    formulas: &[Property],
    settings: &Settings,
) -> Result<Vec<Induction>, SolverError> {
    let solvers = settings.solvers;
    let mut results: Vec<Induction> = formulas.iter().map(Induction::open).collect();
    let facts = formulas
        .iter()
        .map(|property| property.formula)
        .chain(known.iter().copied());
    let conjectures: Vec<Conjecture> = facts.clone().map(Conjecture::of_formula).collect();
    let believed = vec![true; conjectures.len()];
    let mut steps = Steps::new(system, facts.collect(), settings);
    for (rule, taken, is_start) in starts_and_rules(system) {
        if solvers.cancellation().is_cancelled() {
            let found = StepSearch::Undecided(UnknownReason::Interrupted);
            let by = Taken::new(taken);
            let failure = Failure { by, is_start, found };
            results
                .iter_mut()
                .for_each(|result| result.failures.push(failure.clone()));
            continue;
        }
        let mut question = RuleCheck::new(system, taken, is_start, solvers)?;
        for (number, result) in results.iter_mut().enumerate() {
            if !question.touches(&conjectures[number]) {
                continue;
            }
            let found = match question.decide(&conjectures, &believed, number)? {
                Decision::Kept(needed) => {
                    let others = needed.into_iter().filter(|n| *n != number && *n < formulas.len());
                    result.needs.extend(others);
                    continue;
                }
                Decision::Unknown(UnknownReason::Interrupted) => StepSearch::Undecided(UnknownReason::Interrupted),
                decision => StepSearch::of(steps.look(rule, is_start, number)?, decision),
            };
            let by = Taken::new(taken);
            result.failures.push(Failure { by, is_start, found });
        }
    }
    judge(&mut results);
    Ok(results)
}

/// Starts and rules with their positions, and whether they are starts.
fn starts_and_rules(system: &TransitionSystem) -> impl Iterator<Item = (usize, &Rule, bool)> {
    let starts = system.starts.iter().enumerate();
    let rules = system.rules.iter().enumerate();
    let starts = starts.map(|(number, start)| (number, start, true));
    starts.chain(rules.map(|(number, rule)| (number, rule, false)))
}

/// A formula is inductive only with all formulas that it needs.
fn judge(results: &mut [Induction]) {
    for result in results.iter_mut() {
        result.verdict = result.alone();
    }
    loop {
        let is_inductive: Vec<bool> = results.iter().map(|r| r.verdict == Inductiveness::Inductive).collect();
        let mut weak = results.iter_mut().filter(|result| {
            result.verdict == Inductiveness::Inductive && result.needs.iter().any(|need| !is_inductive[*need])
        });
        let Some(result) = weak.next() else { return };
        result.verdict = Inductiveness::WithOthers;
    }
}
