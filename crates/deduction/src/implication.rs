//! Which facts imply a formula in every state of a system.

use crate::cores::{labelled, positions};
use crate::ground_solver::GroundSolver;
use logic::{Term, term};
use smt::{Answer, Purpose, SolverError, Solvers};
use system::TransitionSystem;

/// The positions of facts that imply the formula in every state of the system, of any size; none where all facts are
/// not known to.
///
/// ```text
/// axioms and types and facts and not formula     is unsatisfiable
/// ```
pub fn sufficient_facts(
    system: &TransitionSystem,
    facts: &[Term],
    formula: Term,
    solvers: &Solvers,
) -> Result<Option<Vec<usize>>, SolverError> {
    let mut solver = GroundSolver::new(solvers)?;
    let background = system.axioms.iter().chain(&system.type_facts);
    let (labels, implications) = labelled("fact", facts);
    let all = background.map(|fact| fact.formula).chain([term::not(formula)]);
    for formula in all.chain(implications) {
        solver.assert(formula)?;
    }
    match solver.check_assuming(Purpose::Other, &labels)? {
        Answer::Unsat => Ok(Some(positions(&labels, &solver.unsat_core()?))),
        Answer::Sat | Answer::Unknown(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Function, Sort, Variable};

    #[test]
    fn the_facts_of_a_core_are_named_and_types_count() -> Result<(), SolverError> {
        let node = Sort::Index("NODE".into());
        let [p, q, r] = ["p", "q", "r"].map(|name| Function::new(name, vec![node], Sort::Bool));
        let n = Variable::new("n", node);
        let of = |function: Function| function.apply([n.term()]);
        let all = |body: Term| term::forall([n], body);
        let system = TransitionSystem {
            axioms: vec![system::transition::Fact {
                name: "axiom".to_owned(),
                formula: all(term::implies(of(q), of(r))),
                span: system::Span::default(),
            }],
            ..TransitionSystem::default()
        };
        let facts = [all(of(p)), all(term::implies(of(p), of(q))), term::exists([n], of(r))];
        let solvers = Solvers::default();
        let core = sufficient_facts(&system, &facts, all(of(r)), &solvers)?;
        assert_eq!(core, Some(vec![0, 1]));
        assert_eq!(sufficient_facts(&system, &facts[1..], all(of(r)), &solvers)?, None);
        Ok(())
    }
}
