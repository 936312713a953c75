//! Locations split by all constants that variables hold there: where the counter of a loop is known, its rounds are put
//! one behind the other.
//!
//! D. Beyer and S. Löwe, *Explicit-state software model checking based on CEGAR and interpolation*, 2013, look at
//! programs in this way; here it is no proof, but another graph of the same program, and what holds of it is proved
//! by the solver, as it is for any other.
//!
//! `(k, known) -> (l, known')` for each rule from `k` to `l` whose guard is not false by what is known. `known'` is
//! `v = update(v)[known]` for each variable that matters at `l` and gets a constant so. Where it gets one constant or
//! another, there is a rule for each case. Where a program has no inputs, nothing is left to be proved: the places are
//! its states.

use super::control::{Edge, Flow, Held, Place};
use super::split::leaves;
use logic::substitute::replace;
use logic::{Cancellation, Function, Kind, Lambda, Substitution, Term, simplify, term};
use std::collections::BTreeMap;

/// The greatest number of places: in a certificate, each is a part of a formula.
const MOST: usize = 300;
/// The greatest number of cases of a rule.
const CASES: usize = 16;

type Known = BTreeMap<Function, i128>;

impl<'s> Flow<'s> {
    /// The same program, with a location for all that is known at one of these. None where there would be too many, or
    /// nothing is known, or nobody waits any more.
    pub(super) fn with_constants(&self, cancellation: &Cancellation) -> Option<Flow<'s>> {
        [CASES, 1]
            .into_iter()
            .find_map(|cases| self.with_constants_by(cases, cancellation))
    }

    fn with_constants_by(&self, cases: usize, cancellation: &Cancellation) -> Option<Flow<'s>> {
        if !self.calls.is_empty() {
            return None;
        }
        let mut places = Places {
            cases,
            ..Places::default()
        };
        let (mut starts, mut edges) = (Vec::new(), Vec::new());
        for start in &self.starts {
            starts.extend(places.instances(self, start, &Known::new()));
        }
        let mut next = 0;
        while let Some((old, known)) = places.reached.get(next).cloned() {
            if places.reached.len() > MOST || cancellation.is_cancelled() {
                return None;
            }
            for edge in self.edges.iter().filter(|edge| edge.from == old) {
                let instances = places.instances(self, edge, &known).into_iter();
                edges.extend(instances.map(|edge| Edge { from: next, ..edge }));
            }
            next += 1;
        }
        let places = places.reached.into_iter().map(|(old, known)| Place {
            control: self.value(old),
            known: self.known_with(old, known),
            given: Vec::new(),
        });
        let mut flow = Flow {
            places: places.collect(),
            edges,
            starts,
            ..self.clone()
        };
        flow.look();
        (flow.locations() > self.locations()).then_some(flow)
    }

    /// What was known at a location before, and what is known now.
    fn known_with(&self, location: usize, known: Known) -> BTreeMap<Function, Held> {
        let mut all = self.places[location].known.clone();
        all.extend(known.into_iter().map(|(function, value)| (function, Held::Is(value))));
        all
    }
}

#[derive(Default)]
struct Places {
    numbers: BTreeMap<(usize, Known), usize>,
    /// By new location: the old one, and what is known.
    reached: Vec<(usize, Known)>,
    /// The greatest number of cases of a rule.
    cases: usize,
}

impl Places {
    fn number(&mut self, old: usize, known: Known) -> usize {
        *self.numbers.entry((old, known)).or_insert_with_key(|place| {
            self.reached.push(place.clone());
            self.reached.len() - 1
        })
    }

    /// What becomes of an edge where so much is known: an edge for each case in which other constants are known then.
    fn instances(&mut self, flow: &Flow, edge: &Edge, known: &Known) -> Vec<Edge> {
        let put = Put::new(known);
        let values = flow.live[edge.to].iter().map(|function| {
            let value = edge.updates.get(function).copied();
            (*function, put.in_place(value.unwrap_or_else(|| function.apply([]))))
        });
        let first = Case {
            guard: put.in_place(edge.guard),
            values: values.collect(),
        };
        let (mut pending, mut instances) = (vec![first], Vec::new());
        while let Some(case) = pending.pop() {
            if case.guard.is_false() {
                continue;
            }
            let is_room = pending.len() + instances.len() + 1 < self.cases;
            match case.condition().filter(|_| is_room) {
                Some(condition) => pending.extend([false, true].map(|holds| case.where_it(condition, holds))),
                None => instances.push(self.instance(edge, case)),
            }
        }
        instances
    }

    fn instance(&mut self, edge: &Edge, case: Case) -> Edge {
        let (mut updates, mut known) = (BTreeMap::new(), Known::new());
        for (function, value) in case.values {
            match value.kind() {
                Kind::Int(number) => {
                    known.insert(function, *number);
                }
                _ if value != function.apply([]) => {
                    updates.insert(function, value);
                }
                _ => {}
            }
        }
        Edge {
            to: self.number(edge.to, known),
            guard: case.guard,
            updates,
            ..edge.clone()
        }
    }
}

/// A rule in one case: its guard, and what the variables that matter after it get.
struct Case {
    guard: Term,
    values: BTreeMap<Function, Term>,
}

impl Case {
    /// One on which it depends whether a variable gets a constant, or which.
    fn condition(&self) -> Option<Term> {
        let is_known = |leaf: &Term| matches!(leaf.kind(), Kind::Int(_));
        self.values.values().find_map(|value| match value.kind() {
            Kind::Ite(condition, ..) if leaves(*value)?.iter().any(is_known) => Some(*condition),
            _ => None,
        })
    }

    fn where_it(&self, condition: Term, holds: bool) -> Case {
        let put = |formula: Term| simplify(replace(formula, condition, term::bool(holds)));
        let holding = if holds { condition } else { term::not(condition) };
        Case {
            guard: simplify(term::and([put(self.guard), holding])),
            values: self
                .values
                .iter()
                .map(|(function, value)| (*function, put(*value)))
                .collect(),
        }
    }
}

/// What is known, put in place.
struct Put(Substitution);

impl Put {
    fn new(known: &Known) -> Put {
        Put(Substitution::of_functions(known.iter().map(|(function, value)| {
            let lambda = Lambda {
                parameters: Vec::new(),
                body: term::int(*value),
            };
            (*function, lambda)
        })))
    }

    fn in_place(&self, formula: Term) -> Term {
        simplify(self.0.apply(formula))
    }
}
