//! Invariants about uninitialized values, from templates.
//!
//! A system that asserts reads has a mark for each value that may be uninitialized. Such invariants are mostly short
//! (*where a frame is used, its content is defined*): `templates` makes candidates, and Houdini keeps the largest
//! inductive subset of them.

mod templates;

use crate::strengthening::{Conjecture, Step};
use deduction::formulas::is_universal;
use deduction::houdini::{Houdini, Preservation, Steps};
use deduction::sufficient_facts;
use logic::{Cancellation, Term, term};
use smt::{SolverError, Solvers};
use std::collections::{BTreeSet, VecDeque};
use system::TransitionSystem;
use templates::Templates;

/// The greatest number of checks; beyond it nothing is known.
const MAX_CHECKS: usize = 2_000;
/// For each check, in the solver's units.
const RESOURCES: u32 = 1_000_000;

/// Invariants about uninitialized values, inductive together with the known ones.
pub struct Defined {
    pub facts: Vec<Term>,
    /// Whether they and the known ones imply all goals; then superfluous ones are left out.
    pub are_enough: bool,
}

/// Looks for invariants that imply these goals, given `known` inductive ones.
pub fn facts(
    system: &TransitionSystem,
    known: &[Term],
    goals: &[Term],
    solvers: &Solvers,
) -> Result<Defined, SolverError> {
    let solvers = solvers.with_resources(RESOURCES);
    let templates = Templates::of(system);
    // Existential invariants are of little use here, and make checks hard.
    let universal: Vec<Term> = known.iter().copied().filter(|fact| is_universal(*fact)).collect();
    let goals: BTreeSet<Term> = goals.iter().flat_map(|goal| term::conjuncts(*goal)).collect();
    let stated = goals.iter().copied().filter(|goal| is_universal(*goal));
    let mut found: Vec<Term> = Vec::new();
    for candidates in [templates.simple(), templates.pairs()] {
        let all: BTreeSet<Term> = stated.clone().chain(candidates).collect();
        let candidates: Vec<Term> = all.into_iter().filter(|one| !known.contains(one)).collect();
        let mut checker = Checker::new(system, &universal, &candidates, &solvers)?;
        let mut houdini = Houdini::new(vec![true; universal.len() + candidates.len()], MAX_CHECKS);
        let steps = 0..checker.steps.len();
        found = match houdini.run(&mut checker, steps)? {
            true => {
                let standing = candidates.iter().zip(&houdini.standing[universal.len()..]);
                standing.filter(|(_, stands)| **stands).map(|(one, _)| *one).collect()
            }
            false => Vec::new(),
        };
        if let Some(needed) = needed(system, (known, &found), &goals, &solvers)?
            && let Some(facts) = checker.closure(needed, &houdini.standing)?
        {
            let are_enough = true;
            return Ok(Defined { facts, are_enough });
        }
    }
    Ok(Defined {
        facts: found,
        are_enough: false,
    })
}

/// The facts that the goals need; none where all of them do not suffice.
fn needed(
    system: &TransitionSystem,
    (known, found): (&[Term], &[Term]),
    goals: &BTreeSet<Term>,
    solvers: &Solvers,
) -> Result<Option<BTreeSet<Term>>, SolverError> {
    let facts: Vec<Term> = known.iter().chain(found).copied().collect();
    let mut needed = BTreeSet::new();
    for goal in goals.iter().filter(|goal| !known.contains(goal)) {
        if found.contains(goal) {
            needed.insert(*goal);
            continue;
        }
        let Some(core) = sufficient_facts(system, &facts, *goal, solvers)? else {
            return Ok(None);
        };
        needed.extend(
            core.into_iter()
                .filter(|number| *number >= known.len())
                .map(|number| facts[number]),
        );
    }
    Ok(Some(needed))
}

/// The starts and rules of a system, with candidates behind the facts that are known.
struct Checker {
    starts: usize,
    /// Starts, and then rules.
    steps: Vec<Step>,
    conjectures: Vec<Conjecture>,
    candidates: Vec<Term>,
    known: usize,
    checks: usize,
    cancellation: Cancellation,
}

impl Checker {
    fn new(
        system: &TransitionSystem,
        known: &[Term],
        candidates: &[Term],
        solvers: &Solvers,
    ) -> Result<Checker, SolverError> {
        let all = known.iter().chain(candidates);
        let starts = system
            .starts
            .iter()
            .map(|start| Step::new(system, start, true, solvers));
        let rules = system.rules.iter().map(|rule| Step::new(system, rule, false, solvers));
        Ok(Checker {
            starts: system.starts.len(),
            steps: starts.chain(rules).collect::<Result<_, _>>()?,
            conjectures: all.map(|formula| Conjecture::of_formula(*formula)).collect(),
            candidates: candidates.to_vec(),
            known: known.len(),
            checks: 0,
            cancellation: solvers.cancellation().clone(),
        })
    }

    /// These facts with those that they need to be preserved, among those that stand; none where that cannot be told.
    fn closure(&mut self, facts: BTreeSet<Term>, standing: &[bool]) -> Result<Option<Vec<Term>>, SolverError> {
        let number = |fact: &Term| self.candidates.iter().position(|one| one == fact);
        let numbers = facts.iter().filter_map(number);
        let mut pending: VecDeque<usize> = numbers.map(|number| self.known + number).collect();
        let mut needed: BTreeSet<usize> = pending.iter().copied().collect();
        while let Some(number) = pending.pop_front() {
            for rule in self.starts..self.steps.len() {
                if !self.steps[rule].touches(&self.conjectures[number]) {
                    continue;
                }
                let Preservation::Preserved(premises) = self.check(rule, &[number], standing)? else {
                    return Ok(None);
                };
                let new = premises
                    .into_iter()
                    .filter(|premise| *premise >= self.known && needed.insert(*premise));
                pending.extend(new);
            }
            if self.checks >= MAX_CHECKS {
                return Ok(None);
            }
        }
        let facts = needed.into_iter().map(|number| self.candidates[number - self.known]);
        Ok(Some(facts.collect()))
    }
}

/// An obligation is a step with all candidates that it touches: models drop many at once.
impl Steps for Checker {
    type Obligation = usize;

    fn candidates(&self, step: usize) -> Vec<usize> {
        let candidates = self.known..self.conjectures.len();
        candidates
            .filter(|number| self.steps[step].touches(&self.conjectures[*number]))
            .collect()
    }

    fn check(&mut self, step: usize, numbers: &[usize], standing: &[bool]) -> Result<Preservation, SolverError> {
        self.checks += 1;
        self.steps[step].decide_all(&self.conjectures, standing, numbers)
    }

    fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}
