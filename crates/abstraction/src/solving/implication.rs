//! What follows from an invariant.

use crate::solving::GroundSolver;
use logic::{Function, Sort, Term, term};
use smt::{Answer, Purpose, SolverError, Solvers};
use system::TransitionSystem;

/// Facts, by number, that are enough for a formula in every state of the system; `None` where not even all of them are
/// known to be.
///
/// ```text
/// A and T and facts and not formula     is unsatisfiable
/// ```
pub fn enough(
    system: &TransitionSystem,
    facts: &[Term],
    formula: Term,
    solvers: &Solvers,
) -> Result<Option<Vec<usize>>, SolverError> {
    let mut solver = GroundSolver::new(solvers)?;
    let literal = |number: usize| Function::constant(format!("fact#{number}").as_str(), Sort::Bool).apply([]);
    let background = system.axioms.iter().chain(&system.type_facts);
    let facts = facts.iter().enumerate();
    let literals: Vec<Term> = facts.clone().map(|(number, _)| literal(number)).collect();
    let facts = facts.map(|(number, fact)| term::implies(literal(number), *fact));
    let all = background.map(|fact| fact.formula).chain([term::not(formula)]);
    for formula in all.chain(facts) {
        solver.assert(formula)?;
    }
    match solver.check_assuming(Purpose::Other, &literals)? {
        Answer::Unsat => {
            let core = solver.unsat_core()?;
            let is_used = |number: &usize| core.contains(&literals[*number]);
            Ok(Some((0..literals.len()).filter(is_used).collect()))
        }
        Answer::Sat | Answer::Unknown(_) => Ok(None),
    }
}
