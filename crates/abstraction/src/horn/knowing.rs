//! Candidate invariants of a program by location: those that are mutually inductive are substituted, by Houdini.

use super::bounds::tightest;
use super::control::{Edge, Flow};
use deduction::houdini::{Houdini, Preservation, Steps};
use logic::substitute::functions_of;
use logic::{Cancellation, Function, Substitution, Term, Value, simplify, term};
use smt::{Answer, Purpose, Solver, SolverError, Solvers};
use std::collections::BTreeSet;

/// For each check: a candidate that takes longer is dropped.
const RESOURCES: u32 = 500_000;

impl<'s> Flow<'s> {
    /// The same program, with those of these formulas over the state substituted that are mutually inductive. None
    /// where nothing is left of them, and after an interrupt.
    pub(super) fn knowing(&self, believed: &[Term], solvers: &Solvers) -> Result<Option<Flow<'s>>, SolverError> {
        if believed.is_empty() || !self.calls.is_empty() {
            return Ok(None);
        }
        let mut edges = Edges::new(self, believed, solvers)?;
        let obligations: Vec<usize> = edges.obligations();
        let mut houdini = Houdini::new(vec![true; edges.candidates.len()], usize::MAX);
        houdini.run_in_rounds(&mut edges, &obligations)?;
        if solvers.cancellation().is_cancelled() || !houdini.standing.contains(&true) {
            return Ok(None);
        }
        let mut known: Vec<BTreeSet<Term>> = vec![BTreeSet::new(); self.locations()];
        let standing = edges.candidates.iter().zip(&houdini.standing).filter(|(_, is)| **is);
        for ((location, formula), _) in standing {
            known[*location].insert(*formula);
        }
        let known: Vec<Vec<Term>> = known.iter().map(tightest).collect();
        let mut flow = self.clone();
        for (place, known) in flow.places.iter_mut().zip(&known) {
            place.given.extend(known);
        }
        for edge in &mut flow.edges {
            let known = known[edge.from].iter().copied();
            edge.guard = simplify(term::and([edge.guard].into_iter().chain(known)));
        }
        flow.without_dead_edges(&solvers.with_resources(RESOURCES))?;
        Ok(Some(flow))
    }

    /// The weakest precondition of a formula over the updates of an edge.
    pub(super) fn before(&self, edge: &Edge, formula: Term) -> Term {
        let updates = edge.updates.iter().map(|(function, value)| (*function, *value));
        Substitution::of_constants(updates).apply(formula)
    }
}

/// The starts and edges of a program, before a solver that knows its types.
struct Edges<'f, 's> {
    flow: &'f Flow<'s>,
    solver: Box<dyn Solver>,
    cancellation: Cancellation,
    /// By location, in order.
    candidates: Vec<(usize, Term)>,
    /// The positions of those of each location.
    at: Vec<std::ops::Range<usize>>,
}

impl<'f, 's> Edges<'f, 's> {
    fn new(flow: &'f Flow<'s>, believed: &[Term], solvers: &Solvers) -> Result<Edges<'f, 's>, SolverError> {
        let mut solver = solvers.with_resources(RESOURCES).solver()?;
        for fact in flow.system.type_facts.iter().chain(&flow.system.axioms) {
            solver.assert(fact.formula)?;
        }
        let of_state = |formula: Term| -> BTreeSet<Function> {
            let mentioned = functions_of(formula);
            mentioned.intersection(&flow.state).copied().collect()
        };
        let (mut candidates, mut at) = (Vec::new(), Vec::new());
        for location in 0..flow.locations() {
            // A candidate about variables that are dead there would only have to be carried along.
            let is_of_use = |formula: &Term| !formula.is_true() && of_state(*formula).is_subset(&flow.live[location]);
            let here = believed.iter().map(|formula| flow.here(*formula, location));
            let here: BTreeSet<Term> = here.filter(|_| flow.matters(location)).filter(is_of_use).collect();
            let first = candidates.len();
            candidates.extend(here.into_iter().map(|formula| (location, formula)));
            at.push(first..candidates.len());
        }
        Ok(Edges {
            flow,
            solver,
            cancellation: solvers.cancellation().clone(),
            candidates,
            at,
        })
    }

    fn obligations(&self) -> Vec<usize> {
        let starts = 0..self.flow.starts.len();
        let edges = (starts.end..).zip(&self.flow.edges);
        let edges = edges.filter(|(_, edge)| self.flow.matters(edge.from));
        starts.chain(edges.map(|(number, _)| number)).collect()
    }

    /// The start or edge with this number, and the position of the start.
    fn edge(&self, number: usize) -> (&'f Edge, Option<usize>) {
        let flow = self.flow;
        match number.checked_sub(flow.starts.len()) {
            Some(number) => (&flow.edges[number], None),
            None => (&flow.starts[number], Some(flow.starts[number].rule)),
        }
    }
}

/// An obligation is a start or an edge, for all candidates at its end.
impl Steps for Edges<'_, '_> {
    type Obligation = usize;

    fn candidates(&self, number: usize) -> Vec<usize> {
        self.at[self.edge(number).0.to].clone().collect()
    }

    fn enter(&mut self, number: usize, standing: &[bool]) -> Result<(), SolverError> {
        let (edge, start) = self.edge(number);
        let before = match start {
            Some(start) => {
                let constraint = self.flow.here(self.flow.system.starts[start].constraint, edge.to);
                self.flow.before(edge, constraint)
            }
            None => {
                let standing = self.at[edge.from].clone().filter(|candidate| standing[*candidate]);
                term::and(standing.map(|candidate| self.candidates[candidate].1))
            }
        };
        self.solver.push()?;
        self.solver.assert(term::and([before, edge.guard]))
    }

    fn leave(&mut self) -> Result<(), SolverError> {
        self.solver.pop()
    }

    fn check(&mut self, number: usize, candidates: &[usize], _: &[bool]) -> Result<Preservation, SolverError> {
        let (edge, _) = self.edge(number);
        let after = |candidate: &usize| self.flow.before(edge, self.candidates[*candidate].1);
        let after: Vec<Term> = candidates.iter().map(after).collect();
        self.solver.push()?;
        self.solver.assert(term::not(term::and(after.iter().copied())))?;
        let answer = match self.solver.check(Purpose::Abstraction)? {
            Answer::Unsat => Preservation::Preserved(Vec::new()),
            Answer::Unknown(_) => Preservation::Unknown,
            Answer::Sat => {
                let model = self.solver.model()?;
                let mut broken = Vec::new();
                for (candidate, after) in candidates.iter().zip(after) {
                    if model.value(after)? == Value::Bool(false) {
                        broken.push(*candidate);
                    }
                }
                Preservation::Broken(broken)
            }
        };
        self.solver.pop()?;
        Ok(answer)
    }

    fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{counting, variable};
    use super::*;
    use logic::pretty::pretty;

    fn known(believed: &[Term]) -> Option<Vec<String>> {
        let system = counting();
        let flow = Flow::of(&system)
            .unwrap()
            .knowing(believed, &Solvers::default())
            .unwrap()?;
        Some(
            (0..flow.locations())
                .map(|location| pretty(flow.known(location)))
                .collect(),
        )
    }

    #[test]
    fn mutually_inductive_formulas_are_substituted() {
        let (x, y, ten) = (variable("x"), variable("y"), term::int(10));
        let double = term::equal(y, term::multiply(term::int(2), x));
        // By itself, none of the last two is.
        let believed = [
            term::less(x, ten),
            term::less_equal(x, ten),
            double,
            term::less_equal(y, term::int(20)),
        ];
        assert_eq!(known(&believed).unwrap(), ["x <= 10 & y <= 20 & y = 2 * x", "y <= 20"]);
        assert_eq!(known(&[term::less(x, ten), term::bool(false)]), None);
        assert_eq!(known(&[]), None);
    }

    #[test]
    fn bounds_are_candidates() {
        let system = counting();
        let flow = Flow::of(&system).unwrap();
        let known = known(&flow.bounds()).unwrap();
        assert_eq!(known, ["x <= 10 & x >= 0 & y >= 0", "y >= 0"]);
    }
}
