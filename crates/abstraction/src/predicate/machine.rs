//! The abstract machine and its model checker: breadth-first search over sets of abstract states, and shortest traces.
//!
//! A set of abstract states is a function of the variables `before(p)`, a relation one of `before(p)` and `after(p)`.

use bdd::{Bdd, Manager};
use std::collections::HashMap;

/// A truth value for each predicate.
pub type AbstractState = Vec<bool>;

/// An abstract run into a bad state: `rules[i]` leads from `states[i]` to `states[i + 1]`, and `start` to `states[0]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractTrace {
    pub start: usize,
    pub rules: Vec<usize>,
    pub states: Vec<AbstractState>,
}

/// The variable of a predicate before a rule.
pub fn before(predicate: usize) -> u32 {
    2 * predicate as u32
}

/// The variable of a predicate after a rule.
pub fn after(predicate: usize) -> u32 {
    2 * predicate as u32 + 1
}

/// The set that holds just this state, in the variables before or after a rule.
pub fn cube(manager: &mut Manager, state: &AbstractState, is_after: bool) -> Bdd {
    let mut cube = Manager::TRUE;
    for (number, value) in state.iter().enumerate() {
        let variable = if is_after { after(number) } else { before(number) };
        let literal = manager.literal(variable, *value);
        cube = manager.and(cube, literal);
    }
    cube
}

/// `lambda t. exists s. S(s) and R(s, t)`
pub fn image(manager: &mut Manager, states: Bdd, relation: Bdd) -> Bdd {
    let image = manager.and_exists(states, relation, 0);
    manager.shift(image, false)
}

/// Relations over this many predicates. Those of starts ignore the state before them; `bad` is a set.
#[derive(Clone, Debug)]
pub struct Machine {
    pub predicates: usize,
    pub starts: Vec<Bdd>,
    pub rules: Vec<Bdd>,
    pub bad: Bdd,
}

/// What a search found.
pub enum Search {
    /// The reachable states; none of them is bad.
    Safe(Bdd),
    /// A shortest run into a bad state.
    Bad(AbstractTrace),
    /// The diagrams became too large, or there was an interrupt.
    Exhausted,
}

impl Machine {
    /// Breadth-first; of all functions of the manager only the machine and those to be `kept` are there afterwards.
    pub fn search(&self, manager: &mut Manager, kept: &[Bdd]) -> Search {
        let initial = self.images(manager, &self.starts, Manager::TRUE);
        let mut rings = vec![initial];
        let mut reached = initial;
        loop {
            if manager.is_exhausted() {
                return Search::Exhausted;
            }
            let newest = rings[rings.len() - 1];
            if manager.and(newest, self.bad) != Manager::FALSE {
                // What was reached has a trace, unless work was cut off.
                let trace = self.trace(manager, &rings);
                return trace.map_or(Search::Exhausted, Search::Bad);
            }
            let next = self.images(manager, &self.rules, newest);
            let old = manager.not(reached);
            let ring = manager.and(next, old);
            if ring == Manager::FALSE && !manager.is_exhausted() {
                return Search::Safe(reached);
            }
            reached = manager.or(reached, ring);
            rings.push(ring);
            let machine = self.starts.iter().chain(&self.rules).chain([&self.bad, &reached]);
            manager.collect(machine.chain(&rings).chain(kept).copied());
        }
    }

    fn images(&self, manager: &mut Manager, relations: &[Bdd], states: Bdd) -> Bdd {
        relations.iter().fold(Manager::FALSE, |images, relation| {
            let image = image(manager, states, *relation);
            manager.or(images, image)
        })
    }

    /// A run through the rings into a bad state of the last one.
    fn trace(&self, manager: &mut Manager, rings: &[Bdd]) -> Option<AbstractTrace> {
        let last = manager.and(*rings.last()?, self.bad);
        let mut state = self.pick_state(manager, last, None)?;
        let mut states = vec![state.clone()];
        let mut rules = Vec::new();
        for ring in rings[..rings.len() - 1].iter().rev() {
            let target = cube(manager, &state, true);
            let (rule, sources) = self.rules.iter().enumerate().find_map(|(rule, relation)| {
                let steps = manager.and(*relation, target);
                let sources = manager.and_exists(*ring, steps, 1);
                (sources != Manager::FALSE).then_some((rule, sources))
            })?;
            state = self.pick_state(manager, sources, Some(&state))?;
            rules.push(rule);
            states.push(state.clone());
        }
        rules.reverse();
        states.reverse();
        let first = cube(manager, &states[0], true);
        let start = self
            .starts
            .iter()
            .position(|relation| manager.and(*relation, first) != Manager::FALSE)?;
        Some(AbstractTrace { start, rules, states })
    }

    /// Some state of a set; where the set leaves a predicate open, the value that it has in `like`.
    fn pick_state(&self, manager: &Manager, set: Bdd, like: Option<&AbstractState>) -> Option<AbstractState> {
        let path: HashMap<u32, bool> = manager.pick(set)?.into_iter().collect();
        let value = |n: usize| {
            path.get(&before(n))
                .copied()
                .unwrap_or_else(|| like.is_some_and(|state| state[n]))
        };
        Some((0..self.predicates).map(value).collect())
    }
}
