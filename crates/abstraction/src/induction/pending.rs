//! Which rules do not keep a formula, without a step for people to look at.

use super::{starts_and_rules, whole};
use crate::strengthening::{Conjecture, Decision, Step};
use deduction::formulas::has_alternation;
use logic::Term;
use smt::{SolverError, Solvers};
use system::TransitionSystem;

/// A start or a rule that is not known to keep a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// By position.
    pub formula: usize,
    pub rule: usize,
    pub is_start: bool,
    /// Whether the solver did not know.
    pub undecided: bool,
}

/// What is left to show where all formulas and all that is `known`, which are closed, hold before each rule.
pub fn pending(
    system: &TransitionSystem,
    known: &[Term],
    formulas: &[Term],
    solvers: &Solvers,
) -> Result<Vec<Pending>, SolverError> {
    let conjectures: Vec<Conjecture> = formulas
        .iter()
        .chain(known)
        .map(|f| Conjecture::of_formula(*f))
        .collect();
    let believed = vec![true; conjectures.len()];
    let premises: Vec<Term> = formulas.iter().chain(known).copied().collect();
    let is_hard = premises.iter().any(|formula| has_alternation(*formula));
    let mut found = Vec::new();
    for (rule, taken, is_start) in starts_and_rules(system) {
        let mut step = Step::new(system, taken, is_start, solvers)?;
        for formula in 0..formulas.len() {
            if !step.touches(&conjectures[formula]) {
                continue;
            }
            let undecided = match step.decide(&conjectures, &believed, formula)? {
                Decision::Kept(_) => continue,
                Decision::MayBreak => false,
                Decision::Unknown(_) => true,
            };
            if is_hard && whole::is_kept(system, taken, is_start, &premises, formulas[formula], solvers)? {
                continue;
            }
            found.push(Pending {
                formula,
                rule,
                is_start,
                undecided,
            });
        }
    }
    Ok(found)
}
