//! Where values are defined: facts of a simple form that are inductive together.
//!
//! A system that asserts reads has a mark for each value that may be undefined. What keeps reads from going wrong is
//! mostly said in a few words (*where a frame is used, its content is defined*), so such sentences are made from a
//! template (`templates`), and those are kept that hold initially and that every rule keeps where all of them, and what
//! else is known, hold before: Houdini (C. Flanagan, K. R. M. Leino, FME 2001), by models that drop many at once.

mod templates;

use crate::solving::enough;
use crate::strengthening::{Conjecture, Fate, Step};
use logic::normal_forms::{expand_finite, negation_normal_form};
use logic::{Kind, Quantifier, Term, traverse::post_order};
use smt::{SolverError, Solvers};
use std::collections::{BTreeSet, VecDeque};
use system::TransitionSystem;
use templates::Templates;

/// More questions than this are not asked: nothing is known then.
const QUESTIONS: usize = 2_000;
/// Nor is a question worth more than this.
const RESOURCES: u32 = 1_000_000;

/// Facts of where values are defined, which are inductive together with those that are known to be inductive.
pub struct Defined {
    pub facts: Vec<Term>,
    /// Whether all goals follow from them and what is known; then there are few of them.
    pub are_enough: bool,
}

/// Looks for facts that are enough for these goals, given facts that are `known` to be inductive.
pub fn facts(
    system: &TransitionSystem,
    known: &[Term],
    goals: &[Term],
    solvers: &Solvers,
) -> Result<Defined, SolverError> {
    let solvers = solvers.with_resources(RESOURCES);
    let templates = Templates::of(system);
    // What says that something exists is of little use here, and makes questions hard.
    let universal: Vec<Term> = known.iter().copied().filter(|fact| is_universal(*fact)).collect();
    let goals: BTreeSet<Term> = goals.iter().flat_map(|goal| conjuncts(*goal)).collect();
    let stated = goals.iter().copied().filter(|goal| is_universal(*goal));
    let mut found: Vec<Term> = Vec::new();
    for candidates in [templates.simple(), templates.pairs()] {
        let all: BTreeSet<Term> = stated.clone().chain(candidates).collect();
        let candidates: Vec<Term> = all.into_iter().filter(|one| !known.contains(one)).collect();
        let mut houdini = Houdini::new(system, &universal, &candidates, &solvers)?;
        found = houdini.run(&solvers)?;
        if let Some(needed) = needed(system, (known, &found), &goals, &solvers)?
            && let Some(facts) = houdini.closure(needed)?
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

fn conjuncts(formula: Term) -> Vec<Term> {
    match formula.kind() {
        Kind::And(parts) => parts.iter().flat_map(|part| conjuncts(*part)).collect(),
        _ => vec![formula],
    }
}

/// Whether a formula says of nothing that it exists.
fn is_universal(formula: Term) -> bool {
    let parts = post_order(negation_normal_form(expand_finite(formula)), true);
    let exists = |part: &Term| matches!(part.kind(), Kind::Quantified(Quantifier::Exists, ..));
    !parts.iter().any(exists)
}

/// Those of the facts that were found that the goals need; none where all of them are not enough.
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
        let Some(core) = enough(system, &facts, *goal, solvers)? else {
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

struct Houdini {
    rules: Vec<Step>,
    starts: Vec<Step>,
    /// What is known, and then the candidates.
    conjectures: Vec<Conjecture>,
    candidates: Vec<Term>,
    believed: Vec<bool>,
    known: usize,
    questions: usize,
}

impl Houdini {
    fn new(
        system: &TransitionSystem,
        known: &[Term],
        candidates: &[Term],
        solvers: &Solvers,
    ) -> Result<Houdini, SolverError> {
        let all = known.iter().chain(candidates);
        let step = |rule, is_start| Step::new(system, rule, is_start, solvers);
        Ok(Houdini {
            starts: system
                .starts
                .iter()
                .map(|start| step(start, true))
                .collect::<Result<_, _>>()?,
            rules: system
                .rules
                .iter()
                .map(|rule| step(rule, false))
                .collect::<Result<_, _>>()?,
            conjectures: all.map(|formula| Conjecture::of_formula(*formula)).collect(),
            candidates: candidates.to_vec(),
            believed: vec![true; known.len() + candidates.len()],
            known: known.len(),
            questions: 0,
        })
    }

    /// Those of the candidates that are inductive together with what is known.
    fn run(&mut self, solvers: &Solvers) -> Result<Vec<Term>, SolverError> {
        let (mut starts, mut rules) = (std::mem::take(&mut self.starts), std::mem::take(&mut self.rules));
        for start in &mut starts {
            self.drop(start)?;
        }
        let mut needs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); rules.len()];
        let mut pending: VecDeque<usize> = (0..rules.len()).collect();
        while let Some(rule) = pending.pop_front() {
            let before = self.believed.clone();
            needs[rule] = self.drop(&mut rules[rule])?;
            if self.questions >= QUESTIONS || solvers.cancellation().is_cancelled() {
                return Ok(Vec::new());
            }
            let is_dropped = |number: &usize| before[*number] && !self.believed[*number];
            let shaken = (0..rules.len()).filter(|other| needs[*other].iter().any(is_dropped));
            let shaken: Vec<usize> = shaken.filter(|other| !pending.contains(other)).collect();
            pending.extend(shaken);
        }
        (self.starts, self.rules) = (starts, rules);
        let numbers = (self.known..).zip(&self.candidates);
        let kept = numbers.filter(|(number, _)| self.believed[*number]);
        Ok(kept.map(|(_, formula)| *formula).collect())
    }

    /// These facts with those that they need to be kept, after `run`; none where that cannot be told.
    fn closure(&mut self, facts: BTreeSet<Term>) -> Result<Option<Vec<Term>>, SolverError> {
        let mut rules = std::mem::take(&mut self.rules);
        let number = |fact: &Term| self.candidates.iter().position(|one| one == fact);
        let numbers = facts.iter().filter_map(number);
        let mut pending: VecDeque<usize> = numbers.map(|number| self.known + number).collect();
        let mut needed: BTreeSet<usize> = pending.iter().copied().collect();
        while let Some(number) = pending.pop_front() {
            for rule in &mut rules {
                if !rule.touches(&self.conjectures[number]) {
                    continue;
                }
                let Fate::Kept(needs) = self.fate(rule, &[number])? else {
                    return Ok(None);
                };
                let new = needs
                    .into_iter()
                    .filter(|need| *need >= self.known && needed.insert(*need));
                pending.extend(new);
            }
            if self.questions >= QUESTIONS {
                return Ok(None);
            }
        }
        Ok(Some(
            needed
                .into_iter()
                .map(|number| self.candidates[number - self.known])
                .collect(),
        ))
    }

    /// Drops what the rule does not keep. Returns what it needs to keep the rest.
    fn drop(&mut self, step: &mut Step) -> Result<BTreeSet<usize>, SolverError> {
        loop {
            let candidates = self.known..self.conjectures.len();
            let touched =
                candidates.filter(|number| self.believed[*number] && step.touches(&self.conjectures[*number]));
            let touched: Vec<usize> = touched.collect();
            if touched.is_empty() || self.questions >= QUESTIONS {
                return Ok(BTreeSet::new());
            }
            match self.fate(step, &touched)? {
                Fate::Kept(needs) => return Ok(needs.into_iter().collect()),
                Fate::Broken(broken) if !broken.is_empty() => {
                    broken.into_iter().for_each(|number| self.believed[number] = false);
                }
                _ => return self.drop_each(step, &touched),
            }
        }
    }

    /// The same, one by one: what is not decided is dropped.
    fn drop_each(&mut self, step: &mut Step, touched: &[usize]) -> Result<BTreeSet<usize>, SolverError> {
        let mut needed = BTreeSet::new();
        for number in touched {
            match self.fate(step, &[*number])? {
                Fate::Kept(needs) => needed.extend(needs),
                _ => self.believed[*number] = false,
            }
        }
        // Others may have been kept by what was dropped after them.
        match needed.iter().all(|number| self.believed[*number]) {
            true => Ok(needed),
            false => self.drop(step),
        }
    }

    fn fate(&mut self, step: &mut Step, numbers: &[usize]) -> Result<Fate, SolverError> {
        self.questions += 1;
        step.decide_all(&self.conjectures, &self.believed, numbers)
    }
}
