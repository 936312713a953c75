//! Proofs by contracts, of programs whose procedures call themselves.
//!
//! The Horn clauses of the system by contracts are not linear: their solver finds the contracts together with all other
//! invariants. Put into the system, they make it an ordinary one, whose certificate is confirmed as any other.

use super::search::Search;
use super::{Attempt, Question, established, solve};
use crate::context::Context;
use crate::error::{Error, Result};
use abstraction::horn::{Called, Flow};
use analysis::points_to::PointsTo;
use system::program::ProcedureId;
use unfold::{Options, UnfoldError, Unfolded, unfold};

/// Unfolds the program by contracts.
pub(super) fn unfolded<'p>(
    question: &Question<'p>,
    points_to: &'p PointsTo,
    options: &Options,
    is_over: &dyn Fn() -> bool,
) -> std::result::Result<Unfolded<'p>, UnfoldError> {
    let options = Options {
        by_contracts: true,
        ..*options
    };
    unfold(question.program, points_to, &options, is_over)
}

/// Looks for contracts and a proof by them. The proof is held against runs of the program.
pub(super) fn prove(question: &Question, search: &Search, unfolded: &Unfolded, context: &Context) -> Result<Attempt> {
    let Some(mut flow) = Flow::with_calls(&unfolded.system, calls(unfolded)) else {
        return Err(Error::refused("the system of a program has arrays"));
    };
    flow.without_dead_edges(&context.solvers)?;
    Ok(match solve(&flow, &[], &|_| {}, context) {
        Ok(facts) => established(question, search, unfolded, facts, context),
        Err(attempt) => attempt,
    })
}

fn calls(unfolded: &Unfolded) -> Vec<Called> {
    let signature = |procedure: ProcedureId| unfolded.signatures.iter().find(|known| known.procedure == procedure);
    let called = unfolded.calls.iter().filter_map(|call| {
        let signature = signature(call.procedure)?;
        Some(Called {
            at: call.at,
            entry: signature.entry,
            exit: signature.exit,
            given: call.given.clone(),
            returned: call.returned.clone(),
        })
    });
    called.collect()
}
