//! Labelled transition systems: definitions 1 to 4 of the paper.
//!
//! Traces contain observable actions only: `L(M)` is that of the paper with every τ removed.

use std::collections::{BTreeMap, BTreeSet};

/// An action, by its index in [`Actions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action(pub u32);

/// The unobservable action.
pub const TAU: Action = Action(0);

/// The names of the actions of all systems under consideration.
#[derive(Clone, Debug)]
pub struct Actions {
    names: Vec<String>,
    by_name: BTreeMap<String, Action>,
}

impl Default for Actions {
    fn default() -> Actions {
        let mut actions = Actions {
            names: Vec::new(),
            by_name: BTreeMap::new(),
        };
        actions.named("tau");
        actions
    }
}

impl Actions {
    /// The action of this name, created on demand.
    pub fn named(&mut self, name: &str) -> Action {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let action = Action(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), action);
        action
    }

    pub fn find(&self, name: &str) -> Option<Action> {
        self.by_name.get(name).copied()
    }

    pub fn name(&self, action: Action) -> &str {
        self.names.get(action.0 as usize).map_or("?", String::as_str)
    }
}

/// `(S, init, Act, T)`: states are indices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lts {
    pub initial: usize,
    /// Without τ, which is never shared.
    pub alphabet: BTreeSet<Action>,
    transitions: Vec<Vec<(Action, usize)>>,
}

impl Lts {
    /// A system with this number of states and no transitions.
    pub fn new(states: usize, initial: usize, alphabet: impl IntoIterator<Item = Action>) -> Lts {
        Lts {
            initial,
            alphabet: alphabet.into_iter().filter(|action| *action != TAU).collect(),
            transitions: vec![Vec::new(); states],
        }
    }

    pub fn add_state(&mut self) -> usize {
        self.transitions.push(Vec::new());
        self.transitions.len() - 1
    }

    /// Adds a transition, and its action to the alphabet.
    pub fn add(&mut self, from: usize, action: Action, to: usize) {
        if action != TAU {
            self.alphabet.insert(action);
        }
        if !self.transitions[from].contains(&(action, to)) {
            self.transitions[from].push((action, to));
        }
    }

    pub fn states(&self) -> usize {
        self.transitions.len()
    }

    pub fn transitions(&self) -> usize {
        self.transitions.iter().map(Vec::len).sum()
    }

    pub fn from(&self, state: usize) -> &[(Action, usize)] {
        &self.transitions[state]
    }

    /// `Succ(s, a)`
    pub fn successors(&self, state: usize, action: Action) -> impl Iterator<Item = usize> + '_ {
        let from = self.transitions[state].iter();
        from.filter(move |(label, _)| *label == action).map(|(_, to)| *to)
    }

    /// `export(s)`: the enabled actions.
    pub fn export(&self, state: usize) -> BTreeSet<Action> {
        self.transitions[state].iter().map(|(action, _)| *action).collect()
    }

    /// The τ-closure of a set of states.
    pub fn closure(&self, states: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut reached: BTreeSet<usize> = states.into_iter().collect();
        let mut pending: Vec<usize> = reached.iter().copied().collect();
        while let Some(state) = pending.pop() {
            for next in self.successors(state, TAU) {
                if reached.insert(next) {
                    pending.push(next);
                }
            }
        }
        reached
    }

    /// `Reach(M, Q, a)`, with τ before and after.
    pub fn reach(&self, states: &BTreeSet<usize>, action: Action) -> BTreeSet<usize> {
        let from = self.closure(states.iter().copied());
        let after = from.iter().flat_map(|state| self.successors(*state, action));
        self.closure(after)
    }

    /// `π ∈ L(M)`
    pub fn accepts(&self, trace: &[Action]) -> bool {
        let mut states = self.closure([self.initial]);
        for action in trace {
            states = self.reach(&states, *action);
        }
        !states.is_empty()
    }

    /// The system with these actions hidden.
    #[must_use]
    pub fn hiding(&self, hidden: &BTreeSet<Action>) -> Lts {
        let mut lts = Lts::new(self.states(), self.initial, self.alphabet.difference(hidden).copied());
        for (from, transitions) in self.transitions.iter().enumerate() {
            for (action, to) in transitions {
                let action = if hidden.contains(action) { TAU } else { *action };
                lts.add(from, action, *to);
            }
        }
        lts
    }

    /// A trace-equivalent system without τ: `s --a--> t` wherever τ* and then `a` lead from `s` to `t`. Its states are
    /// the initial state and the targets of actions; also returns the original state of each.
    pub fn observable(&self) -> (Lts, Vec<usize>) {
        let mut lts = Lts::new(1, 0, self.alphabet.iter().copied());
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::from([(self.initial, 0)]);
        let mut origins = vec![self.initial];
        let mut next = 0;
        // The last state from which each was reached.
        let mut reached_from = vec![usize::MAX; self.states()];
        while next < origins.len() {
            let mut reached: BTreeSet<(Action, usize)> = BTreeSet::new();
            let mut pending = vec![origins[next]];
            reached_from[origins[next]] = next;
            while let Some(state) = pending.pop() {
                for (action, to) in &self.transitions[state] {
                    match *action {
                        TAU if reached_from[*to] != next => {
                            reached_from[*to] = next;
                            pending.push(*to);
                        }
                        TAU => {}
                        action => {
                            reached.insert((action, *to));
                        }
                    }
                }
            }
            for (action, to) in reached {
                let number = *numbers.entry(to).or_insert_with(|| {
                    origins.push(to);
                    lts.add_state()
                });
                lts.add(next, action, number);
            }
            next += 1;
        }
        (lts, origins)
    }
}

/// `π ↾ Act`: the projection of a trace to an alphabet.
pub fn projection(trace: &[Action], alphabet: &BTreeSet<Action>) -> Vec<Action> {
    trace
        .iter()
        .copied()
        .filter(|action| alphabet.contains(action))
        .collect()
}
