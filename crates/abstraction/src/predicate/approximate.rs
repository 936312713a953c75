//! Successive approximation of the abstract transition relation (Das, chapter 4, figure 4.2).
//!
//! Names of the thesis: `R` is the approximate relation, one for each rule (section 4.4.1);
//! `PROVE_VERIFICATION_CONDITION` is [`Abstraction::prove`], `REFINE_TRANS_REL` is [`Abstraction::refine`]. What is
//! seen without a check is put into the relation at once: a predicate that the rule does not touch keeps its value, one
//! that it makes true or false has that value.
//!
//! Limits: a solver's `unknown` lets a transition stand.

use super::machine::{AbstractTrace, Machine, Search, after, before};
use super::query::{Literal, Possible, Query, literals};
use crate::goal::Goal;
use bdd::{Bdd, Manager};
use logic::hashing::FastMap;
use logic::simplify::simplify;
use logic::{Kind, Sort, Term, term};
use smt::{SolverError, Solvers};
use system::TransitionSystem;
use system::transition::Rule;

/// So many traces are refined in their steps alone, before the last state of one is asked about first.
const PATIENCE: usize = 9;

pub enum ReachabilityResult {
    /// The reached abstract states; none of them is bad.
    Proved(Bdd),
    /// Every step is possible by itself.
    Trace(AbstractTrace),
    /// The sets became too large, or there was an interrupt.
    Exhausted,
}

/// A rule with what is known of its abstract relation.
pub(crate) struct Relation {
    pub(crate) query: Query,
    /// When the rule can be taken, over the state before it.
    pub(crate) guard: Term,
    pub(crate) bdd: Bdd,
}

/// The abstraction of a system for one goal; predicates are added as they are found.
pub struct Abstraction {
    pub manager: Manager,
    pub predicates: Vec<Term>,
    pub(crate) starts: Vec<Relation>,
    pub(crate) rules: Vec<Relation>,
    bad: Relation,
    anywhere: Query,
    /// Whether each predicate is seen by itself first.
    pub cartesian: bool,
    /// The constraints that refinement added, in order.
    pub(crate) learned: Vec<(Which, Vec<Literal>)>,
    pub refinements: usize,
    /// How many traces were refined since the end of one was asked about.
    unasked: usize,
}

/// What holds in every state.
pub fn facts(system: &TransitionSystem, goal: &Goal) -> Vec<Term> {
    let mut facts: Vec<Term> = system
        .axioms
        .iter()
        .chain(&system.type_facts)
        .map(|fact| fact.formula)
        .collect();
    facts.extend(goal.hypotheses.iter().chain(&goal.known));
    facts
}

/// States of which nothing is asked but to exist: what cannot hold together here cannot anywhere.
fn anywhere(system: &TransitionSystem, goal: &Goal, solvers: &Solvers) -> Result<Query, SolverError> {
    Query::new(solvers, &facts(system, goal), logic::Substitution::default())
}

/// The bad states, as a step that goes nowhere.
fn bad_relation(system: &TransitionSystem, goal: &Goal, solvers: &Solvers) -> Result<Relation, SolverError> {
    let mut facts = facts(system, goal);
    facts.push(goal.bad);
    Ok(Relation {
        query: Query::new(solvers, &facts, logic::Substitution::default())?,
        guard: goal.bad,
        bdd: Manager::TRUE,
    })
}

impl Abstraction {
    pub fn new(system: &TransitionSystem, goal: &Goal, solvers: &Solvers) -> Result<Abstraction, SolverError> {
        let facts = facts(system, goal);
        let axioms: Vec<Term> = system
            .axioms
            .iter()
            .map(|fact| fact.formula)
            .chain(goal.hypotheses.iter().copied())
            .collect();
        let relation = |facts: &[Term], rule: &Rule| {
            let step = rule.substitution();
            let guard = term::and([rule.guard, step.apply(rule.constraint)]);
            let facts: Vec<Term> = facts.iter().copied().chain([guard]).collect();
            Ok::<_, SolverError>(Relation {
                query: Query::new(solvers, &facts, step)?,
                guard,
                bdd: Manager::TRUE,
            })
        };
        let before: Vec<Term> = facts.iter().copied().chain([goal.property]).collect();
        Ok(Abstraction {
            manager: Manager::interruptible(solvers.cancellation()),
            predicates: Vec::new(),
            starts: system
                .starts
                .iter()
                .map(|rule| relation(&axioms, rule))
                .collect::<Result<_, _>>()?,
            rules: system
                .rules
                .iter()
                .map(|rule| relation(&before, rule))
                .collect::<Result<_, _>>()?,
            bad: bad_relation(system, goal, solvers)?,
            anywhere: anywhere(system, goal, solvers)?,
            cartesian: false,
            learned: Vec::new(),
            refinements: 0,
            unasked: 0,
        })
    }

    /// Learns what holds in every state.
    pub fn assume(&mut self, facts: &[Term]) -> Result<(), SolverError> {
        for fact in facts {
            let known = known_image(&mut self.manager, *fact, &self.predicates);
            let of_rules = self.rules.iter_mut().map(|rule| &mut rule.query);
            for query in of_rules.chain([&mut self.bad.query, &mut self.anywhere]) {
                assert_known(&mut self.manager, query, *fact, known)?;
            }
        }
        Ok(())
    }

    /// Turns to another goal about the same constants.
    pub fn aim(&mut self, system: &TransitionSystem, goal: &Goal, solvers: &Solvers) -> Result<(), SolverError> {
        let known = known_image(&mut self.manager, goal.property, &self.predicates);
        for relation in &mut self.rules {
            assert_known(&mut self.manager, &mut relation.query, goal.property, known)?;
        }
        self.bad = bad_relation(system, goal, solvers)?;
        self.learned.retain(|(which, _)| !matches!(which, Which::Bad));
        for predicate in &self.predicates {
            self.bad.query.add_predicate(*predicate)?;
        }
        self.see_bad();
        Ok(())
    }

    fn see_bad(&mut self) {
        if let Some(exact) = known_image(&mut self.manager, self.bad.guard, &self.predicates) {
            self.bad.bdd = self.manager.and(self.bad.bdd, exact);
        }
    }

    /// Adds a predicate; false where it (or its negation) is there already.
    pub fn add_predicate(&mut self, formula: Term) -> Result<bool, SolverError> {
        let formula = if let Kind::Not(inner) = formula.kind() {
            *inner
        } else {
            formula
        };
        let is_there = |formula: &Term| self.predicates.contains(formula);
        if formula.is_value() || is_there(&formula) || opposite(formula).as_ref().is_some_and(is_there) {
            return Ok(false);
        }
        let number = self.predicates.len();
        self.predicates.push(formula);
        let manager = &mut self.manager;
        for relation in self.starts.iter_mut().chain(&mut self.rules) {
            relation.query.add_predicate(formula)?;
        }
        self.bad.query.add_predicate(formula)?;
        self.anywhere.add_predicate(formula)?;
        for relation in self.starts.iter_mut().chain(&mut self.rules) {
            // An older predicate may turn out to become the new one.
            for older in 0..=number {
                let image = relation.query.images[older];
                if let Some(known) = known_image(manager, image, &self.predicates) {
                    let new = manager.variable(after(older));
                    let constraint = manager.iff(new, known);
                    relation.bdd = manager.and(relation.bdd, constraint);
                }
            }
        }
        self.see_bad();
        self.see_contradictions(number);
        if self.cartesian {
            self.correlate(number)?;
        }
        Ok(true)
    }

    /// What a comparison and an older one cannot be together is seen without a check: `x = 0` and `x = 1`.
    fn see_contradictions(&mut self, number: usize) {
        let literal = |predicate, value| Literal {
            predicate,
            after: false,
            value,
        };
        let said = |predicates: &[Term], (predicate, value): (usize, bool)| match value {
            true => predicates[predicate],
            false => term::not(predicates[predicate]),
        };
        let comparisons: Vec<usize> = (0..=number).filter(|p| is_comparison(self.predicates[*p])).collect();
        let Some((_, older)) = comparisons.split_last().filter(|(last, _)| **last == number) else {
            return;
        };
        for older in older {
            for (one, other) in [(true, true), (true, false), (false, true), (false, false)] {
                let both = [(*older, one), (number, other)].map(|literal| said(&self.predicates, literal));
                if simplify(term::and(both)) == term::bool(false) {
                    self.take_out(&[literal(*older, one), literal(number, other)], Which::Everywhere);
                }
            }
        }
    }

    /// The cartesian start: each rule's effect on a predicate by itself, without regard to the others.
    fn correlate(&mut self, predicate: usize) -> Result<(), SolverError> {
        for rule in 0..self.rules.len() {
            for (before, value) in [(false, false), (false, true), (true, false), (true, true)] {
                let literals = [(false, before), (true, value)].map(|(after, value)| Literal {
                    predicate,
                    after,
                    value,
                });
                let cube = self.cube(&literals);
                if self.manager.and(self.rules[rule].bdd, cube) != Manager::FALSE {
                    let possible = self.rules[rule].query.possible(&literals)?;
                    self.constrain(possible, Which::Rule(rule));
                }
            }
        }
        Ok(())
    }

    /// Model checks and refines until the goal is proved or a trace is found whose every step is possible.
    pub fn prove(&mut self) -> Result<ReachabilityResult, SolverError> {
        loop {
            self.manager.collect(self.functions());
            let trace = match self.machine().search(&mut self.manager, &[]) {
                Search::Safe(reached) => return Ok(ReachabilityResult::Proved(reached)),
                Search::Exhausted => return Ok(ReachabilityResult::Exhausted),
                Search::Bad(trace) => trace,
            };
            if !self.refine(&trace)? {
                return Ok(ReachabilityResult::Trace(trace));
            }
        }
    }

    /// All functions that have to be kept.
    pub(super) fn functions(&self) -> Vec<Bdd> {
        let relations = self.starts.iter().chain(&self.rules).chain([&self.bad]);
        relations.map(|relation| relation.bdd).collect()
    }

    /// The abstract machine as far as it is known: every possible transition, and perhaps others.
    pub(crate) fn machine(&self) -> Machine {
        let bdds = |relations: &[Relation]| relations.iter().map(|relation| relation.bdd).collect();
        Machine {
            predicates: self.predicates.len(),
            starts: bdds(&self.starts),
            rules: bdds(&self.rules),
            bad: self.bad.bdd,
        }
    }

    /// Adds a constraint where no bad state is like the last one of the trace; false where one may be.
    pub(super) fn refine_bad(&mut self, trace: &AbstractTrace) -> Result<bool, SolverError> {
        let last = literals(&trace.states[trace.states.len() - 1], false);
        // Where the predicates say it all, it is bad; what is asked is whether there is such a state at all.
        let is_bad = known_image(&mut self.manager, self.bad.guard, &self.predicates).is_some();
        let refined = if is_bad {
            let possible = self.anywhere.possible(&last)?;
            self.constrain(possible, Which::Everywhere)
        } else {
            let possible = self.bad.query.possible(&last)?;
            self.learn(possible, Which::Bad)?
        };
        self.unasked = 0;
        Ok(refined)
    }

    /// Adds a constraint for every step of the trace that is not possible; false where all are.
    fn refine(&mut self, trace: &AbstractTrace) -> Result<bool, SolverError> {
        // From the end: what leads to the error directly matters most. But the last state is possible as a rule, so
        // that this is asked last, except now and then.
        let asked = self.unasked == PATIENCE;
        let mut refined = asked && self.refine_bad(trace)?;
        self.unasked += usize::from(!asked);
        for step in (1..trace.states.len()).rev() {
            let mut both = literals(&trace.states[step - 1], false);
            both.extend(literals(&trace.states[step], true));
            let rule = trace.rules[step - 1];
            let possible = self.rules[rule].query.possible(&both)?;
            refined |= self.learn(possible, Which::Rule(rule))?;
        }
        let first = self.starts[trace.start]
            .query
            .possible(&literals(&trace.states[0], true))?;
        refined |= self.learn(first, Which::Start(trace.start))?;
        Ok(refined || !asked && self.refine_bad(trace)?)
    }

    fn cube(&mut self, literals: &[Literal]) -> Bdd {
        let mut cube = Manager::TRUE;
        for literal in literals {
            let number = literal.predicate;
            let variable = if literal.after { after(number) } else { before(number) };
            let literal = self.manager.literal(variable, literal.value);
            cube = self.manager.and(cube, literal);
        }
        cube
    }

    /// Takes a core out of a relation, or out of all of them where it is about one state alone and no state is like
    /// that (4.4.2).
    fn learn(&mut self, possible: Possible, which: Which) -> Result<bool, SolverError> {
        // A single predicate is refuted by the guard, as a rule.
        if let Possible::No(core) = &possible
            && core.len() > 1
            && core.iter().all(|literal| literal.after == core[0].after)
        {
            let state: Vec<Literal> = core.iter().map(|l| Literal { after: false, ..*l }).collect();
            // A state that some question has met before need not be asked about.
            let questions = self.rules.iter().chain([&self.bad]).map(|relation| &relation.query);
            if questions.chain([&self.anywhere]).any(|query| query.has_seen(&state)) {
                return Ok(self.constrain(possible, which));
            }
            let anywhere = self.anywhere.possible(&state)?;
            if matches!(anywhere, Possible::No(_)) {
                return Ok(self.constrain(anywhere, Which::Everywhere));
            }
        }
        Ok(self.constrain(possible, which))
    }

    pub(crate) fn constrain(&mut self, possible: Possible, which: Which) -> bool {
        let Possible::No(core) = possible else { return false };
        self.refinements += 1;
        self.take_out(&core, which);
        self.learned.push((which, core));
        true
    }

    /// Takes a cube out of a relation, or out of all.
    fn take_out(&mut self, literals: &[Literal], which: Which) {
        let cube = self.cube(literals);
        let clause = self.manager.not(cube);
        let manager = &mut self.manager;
        let mut add = |relation: &mut Relation, clause: Bdd| relation.bdd = manager.and(relation.bdd, clause);
        match which {
            Which::Bad => add(&mut self.bad, clause),
            Which::Start(start) => add(&mut self.starts[start], clause),
            Which::Rule(rule) => add(&mut self.rules[rule], clause),
            Which::Everywhere => {
                add(&mut self.bad, clause);
                self.rules.iter_mut().for_each(|rule| add(rule, clause));
                let clause = self.manager.shift(clause, true);
                let manager = &mut self.manager;
                for relation in self.starts.iter_mut().chain(&mut self.rules) {
                    relation.bdd = manager.and(relation.bdd, clause);
                }
            }
        }
    }

    /// The states of a set as a formula: clauses, each the negation of a cube outside of the set.
    pub fn formula(&mut self, set: Bdd) -> Vec<Term> {
        let outside = self.manager.not(set);
        let (cubes, _) = self.manager.cover(outside, outside);
        let literal = |(variable, value): (u32, bool)| {
            let predicate = self.predicates[variable as usize / 2];
            if value { predicate } else { term::not(predicate) }
        };
        cubes
            .into_iter()
            .map(|cube| term::not(term::and(cube.into_iter().map(literal))))
            .collect()
    }
}

/// Tells a query what holds before the step, which is `known` as a function of the predicates where it is one: what was
/// possible and satisfies it need not be asked about again.
fn assert_known(manager: &mut Manager, query: &mut Query, fact: Term, known: Option<Bdd>) -> Result<(), SolverError> {
    let Some(known) = known else {
        return query.assert(fact);
    };
    let fails = manager.not(known);
    query.assert_keeping(fact, |literals| {
        let mut failing = fails;
        for literal in literals.iter().filter(|literal| !literal.after) {
            let value = manager.literal(before(literal.predicate), literal.value);
            failing = manager.and(failing, value);
        }
        failing == Manager::FALSE
    })
}

/// The relation that a constraint is about.
#[derive(Clone, Copy)]
pub(crate) enum Which {
    Start(usize),
    Rule(usize),
    Bad,
    Everywhere,
}

fn is_comparison(predicate: Term) -> bool {
    matches!(predicate.kind(), Kind::Equal(..) | Kind::Less(..) | Kind::LessEqual(..))
}

/// The comparison that holds where this one does not.
fn opposite(comparison: Term) -> Option<Term> {
    match comparison.kind() {
        Kind::Less(a, b) => Some(term::less_equal(*b, *a)),
        Kind::LessEqual(a, b) => Some(term::less(*b, *a)),
        _ => None,
    }
}

/// A formula as a function of the predicates before the rule, where it is a Boolean combination of them.
pub(crate) fn known_image(manager: &mut Manager, formula: Term, predicates: &[Term]) -> Option<Bdd> {
    known_part(manager, formula, predicates, &mut FastMap::default())
}

/// The same for a part of the formula; `done` has the parts that are such functions.
fn known_part(manager: &mut Manager, formula: Term, predicates: &[Term], done: &mut FastMap<Term, Bdd>) -> Option<Bdd> {
    if let Some(known) = done.get(&formula) {
        return Some(*known);
    }
    if let Some(number) = predicates.iter().position(|p| *p == formula) {
        return Some(manager.variable(before(number)));
    }
    let negated = opposite(formula).and_then(|opposite| predicates.iter().position(|p| *p == opposite));
    if let Some(number) = negated {
        return Some(manager.literal(before(number), false));
    }
    let mut part = |manager: &mut Manager, part: &Term| known_part(manager, *part, predicates, done);
    let known = match formula.kind() {
        Kind::Bool(true) => Manager::TRUE,
        Kind::Bool(false) => Manager::FALSE,
        Kind::Not(a) => {
            let a = part(manager, a)?;
            manager.not(a)
        }
        Kind::And(parts) => parts.iter().try_fold(Manager::TRUE, |all, next| {
            let next = part(manager, next)?;
            Some(manager.and(all, next))
        })?,
        Kind::Or(parts) => parts.iter().try_fold(Manager::FALSE, |any, next| {
            let next = part(manager, next)?;
            Some(manager.or(any, next))
        })?,
        Kind::Implies(a, b) => {
            let (a, b) = (part(manager, a)?, part(manager, b)?);
            manager.ite(a, b, Manager::TRUE)
        }
        Kind::Ite(c, a, b) if formula.sort() == Sort::Bool => {
            let (c, a, b) = (part(manager, c)?, part(manager, a)?, part(manager, b)?);
            manager.ite(c, a, b)
        }
        Kind::Equal(a, b) if a.sort() == Sort::Bool => {
            let (a, b) = (part(manager, a)?, part(manager, b)?);
            manager.iff(a, b)
        }
        _ => return None,
    };
    done.insert(formula, known);
    Some(known)
}
