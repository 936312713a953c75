//! Locations split by what variables hold there.
//!
//! A protocol in C keeps its state in a variable: `while (1) switch (state) { ... state = 8464; break; ... }`. Where
//! such variables get constants, they say where the program is as the control does, and so they are made part of it: a
//! location becomes one for each value of each, and rules lead from values to values. What is known is substituted, so
//! that most of a rule falls away.
//!
//! `(k, v = a) -> (l, v = b)` for each rule from `k` to `l` and each constant `b` that it may give `v`, under
//! `guard[v := a] and update(v)[v := a] = b`.
//!
//! Where a rule gives `v` what is not known, there is a rule for each constant that `v` is compared with, and one for
//! all other values. Where `v` does not matter, nothing is said of it.

use super::control::{Edge, Flow, Held, Known, Place, Possible};
use logic::substitute::functions_of;
use logic::traverse::post_order;
use logic::{Cancellation, Function, Kind, Sort, Term, simplify, term};
use smt::{SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};

/// The greatest number of locations in the end: in a certificate, each is a part of a formula.
const MOST: usize = 300;
/// The greatest number of variables.
const VARIABLES: usize = 4;
/// Truth values are not worth it: solvers are good at these.
const LEAST_CONSTANTS: usize = 3;
/// The greatest number of values that one rule gives a variable.
const LEAVES: usize = 64;

impl<'s> Flow<'s> {
    /// The same program, with more locations: by as many variables as there may be.
    pub fn split(self, solvers: &Solvers) -> Result<Flow<'s>, SolverError> {
        let mut variables = self.like_control();
        variables.truncate(VARIABLES);
        let mut possible = Possible::new(self.system, solvers)?;
        while !variables.is_empty() {
            if let Some(split) = self.split_by(&variables, &mut possible)? {
                return Ok(split);
            }
            variables.pop();
        }
        Ok(self)
    }

    /// Variables that guards test and that get constants, or what other variables hold: those with most constants
    /// first.
    fn like_control(&self) -> Vec<Function> {
        let tested: BTreeSet<Function> = self.edges.iter().flat_map(|edge| functions_of(edge.guard)).collect();
        let mut values: BTreeMap<Function, Option<BTreeSet<Term>>> = BTreeMap::new();
        for (function, value) in self.edges.iter().flat_map(|edge| &edge.updates) {
            if function.result() != Sort::Int || !tested.contains(function) {
                continue;
            }
            let known = values.entry(*function).or_insert_with(|| Some(BTreeSet::new()));
            *known = match (known.take(), leaves(*value)) {
                (Some(known), Some(leaves)) => Some(known.union(&leaves).copied().collect()),
                _ => None,
            };
        }
        let constants = |leaves: &BTreeSet<Term>| leaves.iter().filter(|leaf| constant(**leaf).is_some()).count();
        let is_held = |leaf: &Term| matches!(leaf.kind(), Kind::Int(_) | Kind::Apply(..));
        let mut ranked: Vec<(usize, Function)> = Vec::new();
        for (function, leaves) in values {
            let leaves = leaves.filter(|leaves| leaves.iter().all(is_held));
            ranked.extend(leaves.map(|leaves| (constants(&leaves), function)));
        }
        ranked.retain(|(count, _)| *count >= LEAST_CONSTANTS);
        ranked.sort_by_key(|(count, function)| (std::cmp::Reverse(*count), *function));
        ranked.into_iter().map(|(_, function)| function).collect()
    }

    /// The constants that guards compare a variable with.
    fn compared(&self, variable: Function) -> BTreeSet<i128> {
        let held = variable.apply([]);
        let parts = self.edges.iter().flat_map(|edge| post_order(edge.guard, false));
        let constants = parts.filter_map(|part| match part.kind() {
            Kind::Equal(a, b) if *a == held => constant(*b),
            Kind::Equal(a, b) if *b == held => constant(*a),
            _ => None,
        });
        constants.collect()
    }

    /// None where there would be too many locations, and after an interrupt.
    fn split_by(&self, variables: &[Function], possible: &mut Possible) -> Result<Option<Flow<'s>>, SolverError> {
        let compared = variables.iter().map(|variable| (*variable, self.compared(*variable)));
        let split = Split {
            variables: compared.collect(),
            live: &self.live,
        };
        let cancellation = possible.cancellation().clone();
        self.relocated(&cancellation, |edge, known| split.instances(edge, known, possible))
    }

    /// The same program, with a location for each assignment known at one of these: `instances` makes of an edge and
    /// the assignment before it edges with the assignments after them. None where there would be too many locations,
    /// and after an interrupt.
    pub(super) fn relocated(
        &self,
        cancellation: &Cancellation,
        mut instances: impl FnMut(&Edge, &Known) -> Result<Vec<(Edge, Known)>, SolverError>,
    ) -> Result<Option<Flow<'s>>, SolverError> {
        let mut reached = Reached::default();
        let mut numbered = |reached: &mut Reached, edge: &Edge, known: &Known| {
            let instances = instances(edge, known)?.into_iter();
            let numbered = instances.map(|(instance, known)| Edge {
                to: reached.number(edge.to, known),
                ..instance
            });
            Ok::<Vec<Edge>, SolverError>(numbered.collect())
        };
        let (mut starts, mut edges) = (Vec::new(), Vec::new());
        for start in &self.starts {
            starts.extend(numbered(&mut reached, start, &Known::new())?);
        }
        let mut next = 0;
        while let Some((old, known)) = reached.places.get(next).cloned() {
            if reached.places.len() > MOST || cancellation.is_cancelled() {
                return Ok(None);
            }
            for edge in self.edges.iter().filter(|edge| edge.from == old) {
                let instances = numbered(&mut reached, edge, &known)?.into_iter();
                edges.extend(instances.map(|edge| Edge { from: next, ..edge }));
            }
            next += 1;
        }
        let places = reached.places.into_iter().map(|(old, known)| {
            let put = |given: &Term| {
                known
                    .iter()
                    .fold(*given, |given, (function, held)| held.put(given, *function))
            };
            Place {
                control: self.value(old),
                given: self.places[old]
                    .given
                    .iter()
                    .map(|given| simplify(put(given)))
                    .collect(),
                known: self.places[old].known.clone().into_iter().chain(known).collect(),
            }
        });
        let mut flow = Flow {
            places: places.collect(),
            edges,
            starts,
            ..self.clone()
        };
        flow.look();
        Ok(Some(flow))
    }
}

/// New locations, as they are met.
#[derive(Default)]
struct Reached {
    numbers: BTreeMap<(usize, Known), usize>,
    /// The old location of each, and what is known.
    places: Vec<(usize, Known)>,
}

impl Reached {
    fn number(&mut self, old: usize, known: Known) -> usize {
        *self.numbers.entry((old, known)).or_insert_with_key(|place| {
            self.places.push(place.clone());
            self.places.len() - 1
        })
    }
}

struct Split<'f> {
    /// By old location.
    live: &'f [BTreeSet<Function>],
    /// With the constants that each is compared with.
    variables: Vec<(Function, BTreeSet<i128>)>,
}

impl Split<'_> {
    /// What becomes of an edge where so much is known: an edge for each choice of values that may be known afterwards.
    fn instances(
        &self,
        edge: &Edge,
        known: &Known,
        possible: &mut Possible,
    ) -> Result<Vec<(Edge, Known)>, SolverError> {
        let put = |formula: Term| {
            let known = known.iter();
            simplify(known.fold(formula, |formula, (function, held)| held.put(formula, *function)))
        };
        let mut first = edge.clone();
        first.guard = put(edge.guard);
        first.updates.values_mut().for_each(|update| *update = put(*update));
        if !possible.is(first.guard)? {
            return Ok(Vec::new());
        }
        let mut instances = vec![(first, Known::new())];
        for (variable, compared) in &self.variables {
            for (mut instance, after) in std::mem::take(&mut instances) {
                if !self.live[edge.to].contains(variable) {
                    instances.push((instance, after));
                    continue;
                }
                let (held, before) = (variable.apply([]), known.get(variable));
                let update = match (instance.updates.remove(variable), before) {
                    (Some(update), _) => update,
                    (None, Some(Held::Is(value))) => term::int(*value),
                    (None, _) => held,
                };
                let is = |value: &i128| (Held::Is(*value), term::equal(update, term::int(*value)));
                let cases: Vec<(Held, Term)> = match constants(update) {
                    Some(values) => values.iter().map(is).collect(),
                    None => {
                        instance.updates.insert(*variable, update);
                        let others = compared.iter().map(|value| term::not(is(value).1));
                        let other = (Held::IsNone(compared.clone()), term::and(others));
                        // Nothing has changed.
                        let is_kept = update == held && matches!(before, Some(Held::IsNone(_)));
                        let cases = compared.iter().filter(|_| !is_kept).map(is);
                        cases.chain([other]).collect()
                    }
                };
                for (held, holds) in cases {
                    let mut instance = instance.clone();
                    if !holds.is_true() {
                        instance.guard = simplify(term::and([instance.guard, holds]));
                        if !possible.is(instance.guard)? {
                            continue;
                        }
                    }
                    let mut after = after.clone();
                    after.insert(*variable, held);
                    instances.push((instance, after));
                }
            }
        }
        Ok(instances)
    }
}

fn constant(term: Term) -> Option<i128> {
    match term.kind() {
        Kind::Int(value) => Some(*value),
        _ => None,
    }
}

/// The values that a term may have, where they are all known.
fn constants(term: Term) -> Option<BTreeSet<i128>> {
    leaves(term)?.into_iter().map(constant).collect()
}

/// The terms that nested conditionals choose between; none where there are too many.
pub(super) fn leaves(term: Term) -> Option<BTreeSet<Term>> {
    deduction::conditionals::leaves(term, LEAVES)
}
