//! Implicit predicate abstraction (Das, chapter 3): exactly the reachable abstract states, without an abstract
//! relation.
//!
//! `ABSTRACT_NEXT_STATES` of figure 3.1 divides the abstract states by one predicate after the other and asks of each
//! half whether it holds a successor. Here the solver is asked for a successor that is not yet reached, and its model
//! tells which: every satisfiable check finds a new abstract state, and an unsatisfiable one ends the image. The first
//! check of an image asks whether the guard can hold at all, as the thesis proposes (section 3.4). What follows from
//! the text of a rule needs no check: a predicate whose image is a Boolean combination of predicates, and a guard that
//! is one. `tests/implicit.rs` has the algorithm of figure 3.1 and compares the two.
//!
//! Limits: where the solver answers `unknown`, all the successors in question count as reached.

use super::approximate::{Abstraction, ReachabilityResult, Relation, known_image};
use super::machine::{AbstractTrace, Machine, Search, cube, image};
use super::query::{Example, literal_symbol};
use bdd::{Bdd, Manager};
use logic::{Kind, Term};
use smt::SolverError;

/// Reaches all abstract states, or some bad one.
pub fn prove(abstraction: &mut Abstraction) -> Result<ReachabilityResult, SolverError> {
    let mut exploration = Exploration::new(abstraction);
    for start in 0..exploration.found.starts.len() {
        while exploration.next_states(Command::Start(start))? {}
    }
    loop {
        exploration.reach()?;
        match exploration.outcome() {
            ReachabilityResult::Trace(trace) if exploration.is_not_bad(&trace)? => {}
            outcome => return Ok(outcome),
        }
    }
}

/// `lambda t. exists s. states(s) and R_A(s, t)` for one rule (definition 5), of states that each have a concrete one.
pub fn abstract_next_states(abstraction: &mut Abstraction, rule: usize, states: Bdd) -> Result<Bdd, SolverError> {
    let mut exploration = Exploration::new(abstraction);
    let mut next = Manager::FALSE;
    while let Some(more) = exploration.step(Command::Rule(rule), states, next)? {
        next = exploration.abstraction.manager.or(next, more);
    }
    Ok(next)
}

#[derive(Clone, Copy)]
enum Command {
    Start(usize),
    Rule(usize),
}

struct Exploration<'e> {
    abstraction: &'e mut Abstraction,
    /// The transitions found so far, and the states that they lead to.
    found: Machine,
    reached: Bdd,
    /// Of each rule, whether there is nothing to ask about it. Of starts there always is: that a state exists.
    exact: Vec<bool>,
}

impl<'e> Exploration<'e> {
    fn new(abstraction: &'e mut Abstraction) -> Exploration<'e> {
        let Abstraction {
            manager,
            predicates,
            starts,
            rules,
            ..
        } = &mut *abstraction;
        let mut see = |relation: &mut Relation| see_guard(manager, predicates, relation);
        starts.iter_mut().for_each(|start| {
            see(start);
        });
        let exact = rules.iter_mut().map(see).collect();
        let found = Machine {
            starts: vec![Manager::FALSE; starts.len()],
            rules: vec![Manager::FALSE; rules.len()],
            ..abstraction.machine()
        };
        Exploration {
            abstraction,
            found,
            reached: Manager::FALSE,
            exact,
        }
    }

    /// Takes the rules until they lead to nothing new, or to a bad state.
    fn reach(&mut self) -> Result<(), SolverError> {
        let rules = self.found.rules.len();
        let mut quiet = 0;
        for rule in (0..rules).cycle() {
            self.collect();
            while self.next_states(Command::Rule(rule))? {
                quiet = 0;
            }
            quiet += 1;
            if quiet == rules || self.is_bad() {
                break;
            }
        }
        Ok(())
    }

    /// Whether what is known contradicts the end of the trace: images are exact, but facts are about the state before a
    /// rule only, and a state after it may be none. Then it does not count as bad any more.
    fn is_not_bad(&mut self, trace: &AbstractTrace) -> Result<bool, SolverError> {
        let is_not_bad = self.abstraction.refine_bad(trace)?;
        self.found.bad = self.abstraction.machine().bad;
        Ok(is_not_bad)
    }

    fn collect(&mut self) {
        let found = self.found.starts.iter().chain(&self.found.rules);
        let found = found.chain([&self.found.bad, &self.reached]).copied();
        let kept: Vec<Bdd> = found.chain(self.abstraction.functions()).collect();
        self.abstraction.manager.collect(kept);
    }

    fn is_bad(&mut self) -> bool {
        self.abstraction.manager.and(self.reached, self.found.bad) != Manager::FALSE
    }

    /// What was found: all states, or a shortest trace in it.
    fn outcome(&mut self) -> ReachabilityResult {
        let kept = self.abstraction.functions();
        match self.found.search(&mut self.abstraction.manager, &kept) {
            Search::Safe(reached) => ReachabilityResult::Proved(reached),
            Search::Bad(trace) => ReachabilityResult::Trace(trace),
            Search::Exhausted => ReachabilityResult::Exhausted,
        }
    }

    /// Reaches at least one more state by the command; false where there is none.
    fn next_states(&mut self, command: Command) -> Result<bool, SolverError> {
        let Some(new) = self.step(command, self.reached, self.reached)? else {
            return Ok(false);
        };
        self.reached = self.abstraction.manager.or(self.reached, new);
        if !self.is_exact(command) {
            self.close()?;
        }
        Ok(true)
    }

    fn is_exact(&self, command: Command) -> bool {
        matches!(command, Command::Rule(rule) if self.exact[rule])
    }

    /// At least one state of `lambda t. exists s. sources(s) and R_A(s, t)` that is not `known`, where there is one.
    fn step(&mut self, command: Command, sources: Bdd, known: Bdd) -> Result<Option<Bdd>, SolverError> {
        let exact = self.is_exact(command);
        let manager = &mut self.abstraction.manager;
        let (relation, found, sources) = match command {
            Command::Start(n) => (
                &mut self.abstraction.starts[n],
                &mut self.found.starts[n],
                Manager::TRUE,
            ),
            Command::Rule(n) => (&mut self.abstraction.rules[n], &mut self.found.rules[n], sources),
        };
        let candidates = image(manager, sources, relation.bdd);
        let unknown = manager.not(known);
        let candidates = manager.and(candidates, unknown);
        if candidates == Manager::FALSE {
            return Ok(None);
        }
        let targets = manager.shift(candidates, true);
        let steps = manager.and(relation.bdd, targets);
        let steps = manager.and(steps, sources);
        let sources = manager.exists_parity(steps, 1);
        let question = manager.and(sources, targets);
        let example = match exact {
            true => Example::Maybe,
            false => relation.query.example(formula(manager, question))?,
        };
        let new = match example {
            Example::Maybe => steps,
            Example::Step { before, after } => {
                let before = cube(manager, &before, false);
                let after = cube(manager, &after, true);
                manager.and(before, after)
            }
            Example::None => {
                let answer = manager.not(question);
                relation.bdd = manager.and(relation.bdd, answer);
                return Ok(None);
            }
        };
        *found = manager.or(*found, new);
        Ok(Some(image(manager, Manager::TRUE, new)))
    }

    /// Takes the rules about which there is nothing to ask as often as they lead on.
    fn close(&mut self) -> Result<(), SolverError> {
        let exact: Vec<usize> = (0..self.exact.len()).filter(|rule| self.exact[*rule]).collect();
        let mut grew = true;
        while grew {
            grew = false;
            for rule in &exact {
                grew |= self.next_states(Command::Rule(*rule))?;
            }
        }
        Ok(())
    }
}

/// A set of steps as a formula over the symbols of the literals.
fn formula(manager: &Manager, steps: Bdd) -> Term {
    manager.formula(steps, &|variable| {
        literal_symbol(variable as usize / 2, variable % 2 == 1)
    })
}

/// Puts what the predicates tell of the guard into the relation; true where this and the images of the predicates are
/// all that there is to know.
fn see_guard(manager: &mut Manager, predicates: &[Term], relation: &mut Relation) -> bool {
    let parts = match relation.guard.kind() {
        Kind::And(parts) => parts.clone(),
        _ => vec![relation.guard],
    };
    let mut exact = true;
    for part in parts {
        match known_image(manager, part, predicates) {
            Some(known) => relation.bdd = manager.and(relation.bdd, known),
            None => exact = false,
        }
    }
    let mut images = relation.query.images.iter();
    exact && images.all(|image| known_image(manager, *image, predicates).is_some())
}
