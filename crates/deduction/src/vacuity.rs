//! Vacuous proofs: axioms that contradict each other, starts that make no state, rules that never fire.
//!
//! Quantifiers are instantiated (Das, section 4.6), so that only `unsat` counts: what is found is vacuous, and what is
//! not found may still be. Certificates have an obligation of their own that initial states exist.

use crate::ground_solver::GroundSolver;
use logic::Term;
use smt::{Purpose, SolverError, Solvers};
use system::TransitionSystem;
use system::transition::Rule;

/// What is vacuous, by positions in the system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vacuity {
    /// Axioms that contradict each other, none of them superfluous.
    pub axioms: Vec<usize>,
    /// Starts that make no state.
    pub starts: Vec<usize>,
    /// Rules whose guard holds in no state that fits the types.
    pub rules: Vec<usize>,
}

pub fn vacuity(system: &TransitionSystem, solvers: &Solvers) -> Result<Vacuity, SolverError> {
    let contradiction = |formulas: &[Term]| {
        let core = GroundSolver::new(solvers)?.contradiction(Purpose::Other, "formula", formulas)?;
        Ok::<Vec<usize>, SolverError>(core.unwrap_or_default())
    };
    let formulas = |facts: &[system::transition::Fact]| facts.iter().map(|fact| fact.formula).collect::<Vec<_>>();
    let axioms = formulas(&system.axioms);
    let mut found = Vacuity {
        axioms: contradiction(&axioms)?,
        ..Vacuity::default()
    };
    if !found.axioms.is_empty() {
        return Ok(found);
    }
    let types = formulas(&system.type_facts);
    let impossible = |assumed: &[&[Term]], rule: &Rule, constraint: Term| {
        let mut formulas = assumed.concat();
        formulas.extend([rule.guard, constraint]);
        Ok::<bool, SolverError>(!contradiction(&formulas)?.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Function, Sort, term};
    use system::transition::Fact;

    #[test]
    fn contradictory_axioms_and_dead_rules_are_found() -> Result<(), SolverError> {
        let x = Function::constant("x", Sort::Int).apply([]);
        let fact = |formula: Term| Fact {
            name: String::new(),
            formula,
            span: system::Span::default(),
        };
        let guarded = |guard: Term| Rule {
            guard,
            ..Rule::identity()
        };
        let positive = term::less(term::int(0), x);
        let mut system = TransitionSystem {
            type_facts: vec![fact(positive)],
            starts: vec![guarded(term::not(positive))],
            rules: vec![guarded(positive), guarded(term::less(x, term::int(1)))],
            ..TransitionSystem::default()
        };
        let found = vacuity(&system, &Solvers::default())?;
        let expected = Vacuity {
            rules: vec![1],
            ..Vacuity::default()
        };
        assert_eq!(found, expected, "types do not hold before a start");
        system.axioms = vec![
            fact(positive),
            fact(term::less(x, term::int(9))),
            fact(term::not(positive)),
        ];
        assert_eq!(vacuity(&system, &Solvers::default())?.axioms, [0, 2]);
        Ok(())
    }
}
