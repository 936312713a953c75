//! Facts that somebody believes in, held against the program: those that are inductive together are known from then on.
//!
//! C. Flanagan and K. R. M. Leino, *Houdini, an annotation assistant for ESC/Java*, 2001: all are taken to hold, and as
//! long as a rule leads from where they do to where one does not, that one is dropped.

use super::bounds::tightest;
use super::control::{Edge, Flow};
use logic::substitute::functions_of;
use logic::{Cancellation, Function, Substitution, Term, Value, simplify, term};
use smt::{Answer, Purpose, Solver, SolverError, Solvers};
use std::collections::BTreeSet;

/// For each check: what takes longer is dropped.
const RESOURCES: u32 = 500_000;

impl<'s> Flow<'s> {
    /// The same program, with those of these formulas over the state substituted that are mutually inductive. None
    /// where nothing is left of them, or nobody waits any more.
    pub(super) fn knowing(&self, believed: &[Term], solvers: &Solvers) -> Result<Option<Flow<'s>>, SolverError> {
        if believed.is_empty() || !self.calls.is_empty() {
            return Ok(None);
        }
        let mut houdini = Houdini::new(self, believed, solvers)?;
        while houdini.round()? {}
        let is_over = solvers.cancellation().is_cancelled();
        if is_over || houdini.candidates.iter().all(BTreeSet::is_empty) {
            return Ok(None);
        }
        let known: Vec<Vec<Term>> = houdini.candidates.iter().map(tightest).collect();
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

    /// What becomes of a formula at the end of an edge, said before it.
    pub(super) fn before(&self, edge: &Edge, formula: Term) -> Term {
        let updates = edge.updates.iter().map(|(function, value)| (*function, *value));
        Substitution::of_constants(updates).apply(formula)
    }
}

struct Houdini<'f, 's> {
    flow: &'f Flow<'s>,
    solver: Box<dyn Solver>,
    cancellation: Cancellation,
    /// By location: what nobody has contradicted yet.
    candidates: Vec<BTreeSet<Term>>,
}

impl<'f, 's> Houdini<'f, 's> {
    fn new(flow: &'f Flow<'s>, believed: &[Term], solvers: &Solvers) -> Result<Houdini<'f, 's>, SolverError> {
        let mut solver = solvers.with_resources(RESOURCES).solver()?;
        for fact in flow.system.type_facts.iter().chain(&flow.system.axioms) {
            solver.assert(fact.formula)?;
        }
        let of_state = |formula: Term| -> BTreeSet<Function> {
            let mentioned = functions_of(formula);
            mentioned.intersection(&flow.state).copied().collect()
        };
        let candidates = |location: usize| -> BTreeSet<Term> {
            // What does not matter there would only have to be carried along.
            let is_of_use = |formula: &Term| !formula.is_true() && of_state(*formula).is_subset(&flow.live[location]);
            let here = believed.iter().map(|formula| flow.here(*formula, location));
            here.filter(|_| flow.matters(location)).filter(is_of_use).collect()
        };
        Ok(Houdini {
            candidates: (0..flow.locations()).map(candidates).collect(),
            flow,
            solver,
            cancellation: solvers.cancellation().clone(),
        })
    }

    /// Looks at all rules once. Whether something was dropped.
    fn round(&mut self) -> Result<bool, SolverError> {
        let flow = self.flow;
        let mut is_less = false;
        for start in &flow.starts {
            let constraint = flow.here(flow.system.starts[start.rule].constraint, start.to);
            is_less |= self.drop(start, flow.before(start, constraint))?;
        }
        for edge in flow.edges.iter().filter(|edge| flow.matters(edge.from)) {
            let before = term::and(self.candidates[edge.from].iter().copied());
            is_less |= self.drop(edge, before)?;
        }
        Ok(is_less && !self.cancellation.is_cancelled())
    }

    /// Drops what does not hold after the rule where this holds before it. Whether there was anything.
    fn drop(&mut self, edge: &Edge, before: Term) -> Result<bool, SolverError> {
        let count = self.candidates[edge.to].len();
        if count == 0 {
            return Ok(false);
        }
        self.solver.push()?;
        self.solver.assert(term::and([before, edge.guard]))?;
        while !self.cancellation.is_cancelled() {
            let candidates = self.candidates[edge.to].iter();
            let after: Vec<(Term, Term)> = candidates.map(|one| (*one, self.flow.before(edge, *one))).collect();
            let failing = self.failing(&after)?;
            if failing.is_empty() {
                break;
            }
            self.candidates[edge.to].retain(|candidate| !failing.contains(candidate));
        }
        self.solver.pop()?;
        Ok(self.candidates[edge.to].len() < count)
    }

    /// Some of those that do not hold after a rule, where there are any; each comes with what it says before the rule.
    fn failing(&mut self, after: &[(Term, Term)]) -> Result<BTreeSet<Term>, SolverError> {
        self.solver.push()?;
        self.solver
            .assert(term::not(term::and(after.iter().map(|(_, after)| *after))))?;
        let answer = self.solver.check(Purpose::Abstraction)?;
        let mut failing = BTreeSet::new();
        if answer == Answer::Sat {
            let model = self.solver.model()?;
            for (candidate, after) in after {
                if model.value(*after)? == Value::Bool(false) {
                    failing.insert(*candidate);
                }
            }
        }
        self.solver.pop()?;
        match answer {
            Answer::Unsat => {}
            Answer::Sat if !failing.is_empty() => {}
            // What nobody knows is dropped, too.
            _ if after.len() == 1 => failing.extend(after.iter().map(|(candidate, _)| *candidate)),
            _ => {
                for one in after {
                    failing.extend(self.failing(std::slice::from_ref(one))?);
                }
            }
        }
        Ok(failing)
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
    fn what_is_inductive_together_is_known() {
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
    fn bounds_are_guessed() {
        let system = counting();
        let flow = Flow::of(&system).unwrap();
        let known = known(&flow.bounds()).unwrap();
        assert_eq!(known, ["x <= 10 & x >= 0 & y >= 0", "y >= 0"]);
    }
}
