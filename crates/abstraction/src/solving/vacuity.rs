//! What makes a proof say nothing: axioms that no model satisfies, starts that make no state, rules that never fire.
//!
//! Quantifiers are instantiated (Das, section 4.6), so only `unsat` is believed: what is found here is so, and what is
//! not found may still be so. Certificates have an obligation of their own that initial states exist.

use crate::solving::GroundSolver;
use logic::{Function, Sort, Term, term};
use smt::{Answer, Purpose, SolverError, Solvers};
use system::TransitionSystem;
use system::transition::Rule;

/// Positions in the system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vacuity {
    /// Axioms that contradict each other, none of them superfluous.
    pub axioms: Vec<usize>,
    /// Starts that make no state.
    pub starts: Vec<usize>,
    /// Rules whose guard holds in no state that fits the types.
    pub rules: Vec<usize>,
}

/// Looks for it.
pub fn vacuity(system: &TransitionSystem, solvers: &Solvers) -> Result<Vacuity, SolverError> {
    let ask = |formulas: &[Term]| contradictory(formulas, solvers);
    let formulas = |facts: &[system::transition::Fact]| facts.iter().map(|fact| fact.formula).collect::<Vec<_>>();
    let axioms = formulas(&system.axioms);
    let mut found = Vacuity {
        axioms: ask(&axioms)?,
        ..Vacuity::default()
    };
    if !found.axioms.is_empty() {
        return Ok(found);
    }
    let types = formulas(&system.type_facts);
    let impossible = |assumed: &[&[Term]], rule: &Rule, constraint: Term| {
        let mut formulas = assumed.concat();
        formulas.extend([rule.guard, constraint]);
        Ok::<bool, SolverError>(!ask(&formulas)?.is_empty())
    };
    for (number, start) in system.starts.iter().enumerate() {
        // A value outside of its type is not an absent state but an error of the start.
        if impossible(&[&axioms], start, start.substitution().apply(start.constraint))? {
            found.starts.push(number);
        }
    }
    for (number, rule) in system.rules.iter().enumerate() {
        if impossible(&[&axioms, &types], rule, rule.constraint)? {
            found.rules.push(number);
        }
    }
    Ok(found)
}

/// The positions of formulas that cannot hold together, none of them superfluous; empty where nothing is known.
fn contradictory(formulas: &[Term], solvers: &Solvers) -> Result<Vec<usize>, SolverError> {
    let mut solver = GroundSolver::new(solvers)?;
    let names: Vec<Term> = (0..formulas.len())
        .map(|number| Function::constant(format!("formula#{number}").as_str(), Sort::Bool).apply([]))
        .collect();
    for (name, formula) in names.iter().zip(formulas) {
        solver.assert(term::implies(*name, *formula))?;
    }
    if solver.check_assuming(Purpose::Other, &names)? != Answer::Unsat {
        return Ok(Vec::new());
    }
    let core = solver.least_core(Purpose::Other)?;
    Ok((0..names.len())
        .filter(|number| core.contains(&names[*number]))
        .collect())
}
