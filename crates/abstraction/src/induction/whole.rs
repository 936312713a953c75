//! Checks with quantifiers as they are, for formulas with quantifier alternations: instances do not suffice for those.

use logic::{Function, Substitution, Term, term};
use smt::{Answer, Purpose, SolverError, Solvers};
use system::TransitionSystem;
use system::transition::Rule;

/// For each check, in the solver's units.
const RESOURCES: u32 = 3_000_000;

/// Whether formulas are known to contradict each other in every state of the system.
pub fn is_contradiction(system: &TransitionSystem, formulas: &[Term], solvers: &Solvers) -> Result<bool, SolverError> {
    let mut solver = solvers.with_resources(RESOURCES).solver()?;
    let always = system.axioms.iter().chain(&system.type_facts).map(|fact| fact.formula);
    for formula in always.chain(formulas.iter().copied()) {
        solver.assert(formula)?;
    }
    Ok(solver.check(Purpose::Induction)? == Answer::Unsat)
}

/// Whether a rule keeps a formula where the premises hold before it, or a start makes it hold.
pub(super) fn is_kept(
    system: &TransitionSystem,
    rule: &Rule,
    is_start: bool,
    premises: &[Term],
    formula: Term,
    solvers: &Solvers,
) -> Result<bool, SolverError> {
    if rule.choices.iter().any(|choice| !choice.parameters().is_empty()) {
        return Ok(false);
    }
    let constants = rule.parameters.iter().map(|parameter| {
        let constant = Function::constant(format!("{}@rule", parameter.name).as_str(), parameter.sort);
        (*parameter, constant.apply([]))
    });
    let constants = Substitution::of_variables(constants.collect::<Vec<_>>());
    let after = rule.substitution();
    let step = [
        rule.guard,
        after.apply(rule.constraint),
        term::not(after.apply(formula)),
    ];
    let before = if is_start { &[] } else { premises };
    let formulas: Vec<Term> = before
        .iter()
        .copied()
        .chain(step.map(|part| constants.apply(part)))
        .collect();
    is_contradiction(system, &formulas, solvers)
}
