//! The engine `indexed`, as `cubist check --engine indexed` runs it (`app/src/commands/check/indexed.rs`), with the examples of one trial.

use crate::engine::{Effort, Found, fact};
use crate::source::Source;
use abstraction::formulas::relevant;
use abstraction::indexed::{Reachability, Reached};
use abstraction::strengthening::{self, Known, Outcome, Samples};
use logic::Term;
use smt::SolverError;
use system::TransitionSystem;
use system::transition::Property;

/// Of types of any size, in the instance that gives the examples.
const SIZE: i64 = 3;
const STATES: u64 = 20_000;
const CONJECTURES: usize = 2_000;

pub(crate) fn prove(
    source: &Source,
    prepared: &TransitionSystem,
    properties: &[Property],
    effort: &Effort,
) -> Result<Found, SolverError> {
    if prepared.index_sorts.is_empty() && prepared.predicates.iter().all(|predicate| predicate.indices.is_empty()) {
        return Ok(Found::Nothing("no type has any size".to_owned()));
    }
    let formulas: Vec<Term> = properties.iter().map(|property| property.formula).collect();
    let reached = declared(prepared, &formulas, effort)?;
    // Numbers are not explored: their windows would not be examples of every size.
    let mut samples = if prepared.index_sorts.is_empty() {
        Samples::default()
    } else {
        source.samples(prepared, SIZE, STATES)
    };
    let known = Known {
        properties: &formulas,
        hints: &reached.facts,
        further: &[],
        explorer: None,
        conjectures: CONJECTURES,
        last_checks: 0,
    };
    match strengthening::prove(prepared, &known, &mut samples, &effort.solvers, &mut |_| ())? {
        Outcome::Proved(invariant) => {
            let facts = (0..).zip(invariant.facts);
            let facts = facts.map(|(number, formula)| fact(number, formula, properties[0].span));
            Ok(Found::Invariant(facts.collect(), invariant.premises))
        }
        Outcome::Unknown { reason, .. } => Ok(Found::Nothing(reason.to_string())),
    }
}

/// What the declared predicates say that have index variables and can matter.
fn declared(prepared: &TransitionSystem, formulas: &[Term], effort: &Effort) -> Result<Reached, SolverError> {
    let predicates = relevant(prepared, formulas.iter().copied(), &prepared.predicates);
    if !effort.use_predicates || predicates.iter().all(|predicate| predicate.indices.is_empty()) {
        return Ok(Reached::default());
    }
    let mut reachability = Reachability::new(prepared, &predicates, &effort.solvers);
    Ok(reachability.fixpoint(&mut |_, _| ())?.unwrap_or_default())
}
