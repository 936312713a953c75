//! Successive approximation of the abstract transition relation (Das, chapter 4, figure 4.2).
//!
//! Names of the thesis: `R` is the approximate relation, one for each rule (section 4.4.1); `PROVE_VERIFICATION_CONDITION`
//! is [`Abstraction::prove`], `REFINE_TRANS_REL` is [`Abstraction::refine`]. What is seen without a check is put into the relation at once: a predicate
//! that the rule does not touch keeps its value, one that it makes true or false has that value.
//!
//! Limits: a solver's `unknown` lets a transition stand.

use crate::bdd::{Bdd, Manager};
use crate::goal::Goal;
use crate::query::{Literal, Possible, Query};
use logic::{Kind, Sort, Term, term};
use smt::{SolverError, Statistics, Z3Options};
use std::collections::HashMap;
use std::sync::Arc;
use system::TransitionSystem;
use system::transition::Rule;

/// A truth value for each predicate.
pub type AbstractState = Vec<bool>;

/// An abstract run into a bad state: `rules[i]` leads to `states[i]`, and `rules[0]` is a start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractTrace {
    pub start: usize,
    pub rules: Vec<usize>,
    pub states: Vec<AbstractState>,
}

pub enum Outcome {
    /// The reached abstract states; none of them is bad.
    Proved(Bdd),
    /// Every step is possible by itself.
    Trace(AbstractTrace),
}

/// A rule with what is known of its abstract relation.
struct Relation {
    query: Query,
    bdd: Bdd,
}

/// The abstraction of a system for one goal; predicates are added as they are found.
pub struct Abstraction {
    pub manager: Manager,
    pub predicates: Vec<Term>,
    starts: Vec<Relation>,
    rules: Vec<Relation>,
    bad: Relation,
    bad_formula: Term,
    pub refinements: usize,
}

fn before(predicate: usize) -> u32 {
    2 * predicate as u32
}

fn after(predicate: usize) -> u32 {
    2 * predicate as u32 + 1
}

/// What holds in every state before a rule.
pub fn facts(system: &TransitionSystem, goal: &Goal) -> Vec<Term> {
    let mut facts: Vec<Term> = system
        .axioms
        .iter()
        .chain(&system.type_facts)
        .map(|fact| fact.formula)
        .collect();
    facts.extend(&goal.hypotheses);
    facts
}

impl Abstraction {
    pub fn new(
        system: &TransitionSystem,
        goal: &Goal,
        options: &Z3Options,
        statistics: &Arc<Statistics>,
    ) -> Result<Abstraction, SolverError> {
        let facts = facts(system, goal);
        let axioms: Vec<Term> = system
            .axioms
            .iter()
            .map(|fact| fact.formula)
            .chain(goal.hypotheses.iter().copied())
            .collect();
        let relation = |facts: &[Term], rule: &Rule| {
            let mut facts = facts.to_vec();
            facts.push(rule.guard);
            let step = rule.substitution();
            facts.push(step.apply(rule.constraint));
            Ok::<_, SolverError>(Relation {
                query: Query::new(options, statistics, &facts, step)?,
                bdd: Manager::TRUE,
            })
        };
        let mut bad_facts = facts.clone();
        bad_facts.push(goal.bad);
        Ok(Abstraction {
            manager: Manager::new(),
            predicates: Vec::new(),
            starts: system
                .starts
                .iter()
                .map(|rule| relation(&axioms, rule))
                .collect::<Result<_, _>>()?,
            rules: system
                .rules
                .iter()
                .map(|rule| relation(&facts, rule))
                .collect::<Result<_, _>>()?,
            bad: Relation {
                query: Query::new(options, statistics, &bad_facts, logic::Substitution::default())?,
                bdd: Manager::TRUE,
            },
            bad_formula: goal.bad,
            refinements: 0,
        })
    }

    /// Adds a predicate; false where it (or its negation) is there already.
    pub fn add_predicate(&mut self, formula: Term) -> Result<bool, SolverError> {
        let formula = if let Kind::Not(inner) = formula.kind() {
            *inner
        } else {
            formula
        };
        if formula.is_true() || formula.is_false() || self.predicates.contains(&formula) {
            return Ok(false);
        }
        let number = self.predicates.len();
        self.predicates.push(formula);
        let manager = &mut self.manager;
        for relation in self.starts.iter_mut().chain(&mut self.rules) {
            relation.query.add_predicate(formula)?;
        }
        self.bad.query.add_predicate(formula)?;
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
        if let Some(exact) = known_image(manager, self.bad_formula, &self.predicates) {
            self.bad.bdd = manager.and(self.bad.bdd, exact);
        }
        Ok(true)
    }

    /// Model checks and refines until the goal is proved or a trace is found whose every step is possible.
    pub fn prove(&mut self) -> Result<Outcome, SolverError> {
        loop {
            let rings = match self.reach() {
                Ok(reached) => return Ok(Outcome::Proved(reached)),
                Err(rings) => rings,
            };
            let Some(trace) = self.trace(&rings) else {
                return Ok(Outcome::Proved(Manager::FALSE));
            };
            if !self.refine(&trace)? {
                return Ok(Outcome::Trace(trace));
            }
        }
    }

    /// Breadth-first search: all reachable states, or the rings up to the first that holds a bad state.
    fn reach(&mut self) -> Result<Bdd, Vec<Bdd>> {
        let mut initial = Manager::FALSE;
        for start in 0..self.starts.len() {
            let image = self.image_of_start(start);
            initial = self.manager.or(initial, image);
        }
        let mut rings = vec![initial];
        let mut reached = initial;
        loop {
            let newest = rings[rings.len() - 1];
            if self.manager.and(newest, self.bad.bdd) != Manager::FALSE {
                return Err(rings);
            }
            let mut next = Manager::FALSE;
            for rule in 0..self.rules.len() {
                let image = self.image(rule, newest);
                next = self.manager.or(next, image);
            }
            let old = self.manager.not(reached);
            let ring = self.manager.and(next, old);
            if ring == Manager::FALSE {
                return Ok(reached);
            }
            reached = self.manager.or(reached, ring);
            rings.push(ring);
        }
    }

    fn image_of_start(&mut self, start: usize) -> Bdd {
        let image = self.manager.exists_parity(self.starts[start].bdd, 0);
        self.manager.shift(image, false)
    }

    /// `lambda t. exists s. S(s) and R(s, t)`
    fn image(&mut self, rule: usize, states: Bdd) -> Bdd {
        let pairs = self.manager.and(states, self.rules[rule].bdd);
        let image = self.manager.exists_parity(pairs, 0);
        self.manager.shift(image, false)
    }

    /// A shortest abstract run through the rings into a bad state.
    fn trace(&mut self, rings: &[Bdd]) -> Option<AbstractTrace> {
        let last = self.manager.and(*rings.last()?, self.bad.bdd);
        let mut state = self.pick_state(last, None)?;
        let mut states = vec![state.clone()];
        let mut rules = Vec::new();
        for ring in rings[..rings.len() - 1].iter().rev() {
            let target = self.cube(&state, true);
            let mut found = None;
            for rule in 0..self.rules.len() {
                let pairs = self.manager.and(*ring, self.rules[rule].bdd);
                let pairs = self.manager.and(pairs, target);
                let sources = self.manager.exists_parity(pairs, 1);
                if sources != Manager::FALSE {
                    found = Some((rule, sources));
                    break;
                }
            }
            let (rule, sources) = found?;
            state = self.pick_state(sources, Some(&state))?;
            rules.push(rule);
            states.push(state.clone());
        }
        rules.reverse();
        states.reverse();
        let first = self.cube(&states[0], true);
        let start = (0..self.starts.len()).find(|start| {
            let relation = self.starts[*start].bdd;
            self.manager.and(relation, first) != Manager::FALSE
        })?;
        Some(AbstractTrace { start, rules, states })
    }

    /// Some state of a set; where the set leaves a predicate open, the value that it has in `like`.
    fn pick_state(&self, set: Bdd, like: Option<&AbstractState>) -> Option<AbstractState> {
        let path: HashMap<u32, bool> = self.manager.pick(set)?.into_iter().collect();
        let value = |n: usize| {
            path.get(&before(n))
                .copied()
                .unwrap_or_else(|| like.is_some_and(|state| state[n]))
        };
        Some((0..self.predicates.len()).map(value).collect())
    }

    /// The set that holds just this state, in the variables before or after a rule.
    fn cube(&mut self, state: &AbstractState, is_after: bool) -> Bdd {
        let mut cube = Manager::TRUE;
        for (number, value) in state.iter().enumerate() {
            let literal = self
                .manager
                .literal(if is_after { after(number) } else { before(number) }, *value);
            cube = self.manager.and(cube, literal);
        }
        cube
    }

    /// Adds a constraint for every step of the trace that is not possible; false where all are.
    fn refine(&mut self, trace: &AbstractTrace) -> Result<bool, SolverError> {
        let mut refined = false;
        let literals = |state: &AbstractState, after: bool| -> Vec<Literal> {
            state
                .iter()
                .enumerate()
                .map(|(predicate, value)| Literal {
                    predicate,
                    after,
                    value: *value,
                })
                .collect()
        };
        let last = trace.states.len() - 1;
        // From the end: what leads to the error directly matters most.
        let bad = self.bad.query.possible(&literals(&trace.states[last], false))?;
        refined |= self.constrain(bad, Which::Bad);
        for step in (1..trace.states.len()).rev() {
            let mut both = literals(&trace.states[step - 1], false);
            both.extend(literals(&trace.states[step], true));
            let rule = trace.rules[step - 1];
            let possible = self.rules[rule].query.possible(&both)?;
            refined |= self.constrain(possible, Which::Rule(rule));
        }
        let first = self.starts[trace.start]
            .query
            .possible(&literals(&trace.states[0], true))?;
        refined |= self.constrain(first, Which::Start(trace.start));
        Ok(refined)
    }

    /// Takes a core out of a relation, or out of all of them where it speaks of the state before alone.
    fn constrain(&mut self, possible: Possible, which: Which) -> bool {
        let Possible::No(core) = possible else { return false };
        self.refinements += 1;
        let mut cube = Manager::TRUE;
        for literal in &core {
            let variable = if literal.after {
                after(literal.predicate)
            } else {
                before(literal.predicate)
            };
            let literal = self.manager.literal(variable, literal.value);
            cube = self.manager.and(cube, literal);
        }
        let clause = self.manager.not(cube);
        let relation = match which {
            Which::Bad => &mut self.bad,
            Which::Start(start) => &mut self.starts[start],
            Which::Rule(rule) => &mut self.rules[rule],
        };
        relation.bdd = self.manager.and(relation.bdd, clause);
        true
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

#[derive(Clone, Copy)]
enum Which {
    Start(usize),
    Rule(usize),
    Bad,
}

/// A formula as a function of the predicates before the rule, where it is a Boolean combination of them.
fn known_image(manager: &mut Manager, formula: Term, predicates: &[Term]) -> Option<Bdd> {
    if let Some(number) = predicates.iter().position(|p| *p == formula) {
        return Some(manager.variable(before(number)));
    }
    match formula.kind() {
        Kind::Bool(value) => Some(if *value { Manager::TRUE } else { Manager::FALSE }),
        Kind::Not(a) => {
            let a = known_image(manager, *a, predicates)?;
            Some(manager.not(a))
        }
        Kind::And(parts) | Kind::Or(parts) => {
            let conjunction = matches!(formula.kind(), Kind::And(_));
            let mut result = if conjunction { Manager::TRUE } else { Manager::FALSE };
            for part in parts {
                let part = known_image(manager, *part, predicates)?;
                result = if conjunction {
                    manager.and(result, part)
                } else {
                    manager.or(result, part)
                };
            }
            Some(result)
        }
        Kind::Implies(a, b) => {
            let a = known_image(manager, *a, predicates)?;
            let b = known_image(manager, *b, predicates)?;
            Some(manager.ite(a, b, Manager::TRUE))
        }
        Kind::Ite(c, a, b) if formula.sort() == Sort::Bool => {
            let c = known_image(manager, *c, predicates)?;
            let a = known_image(manager, *a, predicates)?;
            let b = known_image(manager, *b, predicates)?;
            Some(manager.ite(c, a, b))
        }
        Kind::Equal(a, b) if a.sort() == Sort::Bool => {
            let a = known_image(manager, *a, predicates)?;
            let b = known_image(manager, *b, predicates)?;
            Some(manager.iff(a, b))
        }
        _ => None,
    }
}
