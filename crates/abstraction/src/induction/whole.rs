//! Questions with their quantifiers as they are, for formulas that say for each of something that something exists:
//! instances are not enough for those.

use logic::normal_forms::negation_normal_form;
use logic::{Function, Kind, Quantifier, Substitution, Term, term, traverse::post_order};
use smt::{Answer, Purpose, SolverError, Solvers};
use system::TransitionSystem;
use system::transition::Rule;

/// A question that takes more is given up.
const RESOURCES: u32 = 3_000_000;

/// Whether a formula says for each of something that something exists.
pub fn alternates(formula: Term) -> bool {
    let exists = |part: &Term| matches!(part.kind(), Kind::Quantified(Quantifier::Exists, ..));
    let mut parts = post_order(negation_normal_form(formula), true).into_iter();
    parts.any(|part| match part.kind() {
        Kind::Quantified(Quantifier::Forall, _, body) => post_order(*body, true).iter().any(exists),
        _ => false,
    })
}

/// Whether formulas cannot hold together in a state of the system; false where nobody knows.
pub fn cannot_be(system: &TransitionSystem, formulas: &[Term], solvers: &Solvers) -> Result<bool, SolverError> {
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
    cannot_be(system, &formulas, solvers)
}
