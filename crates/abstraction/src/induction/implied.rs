//! Whether formulas imply another one in every state of a system, whether it is reached or not.

use super::Settings;
use super::matters::Matters;
use super::steps::places;
use crate::finite::{Failure, Universe, Unrolling};
use deduction::sufficient_facts;
use logic::{Sort, Term, term};
use smt::{Answer, Purpose, SolverError};
use system::TransitionSystem;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Implied {
    Yes,
    /// There is a state in which the formulas hold and the other one does not.
    No(State),
    /// The solver does not say that they imply it, and no such state was found.
    Unknown,
}

/// What matters of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// How many elements there are of each index sort.
    pub sizes: Vec<(Sort, u64)>,
    /// Places in the user's way of writing, with their values.
    pub places: Vec<(String, String)>,
}

/// Asks about every size; where that is not answered by *yes*, looks for a state in universes of a few elements.
pub fn implied(
    system: &TransitionSystem,
    facts: &[Term],
    formula: Term,
    settings: &Settings,
) -> Result<Implied, SolverError> {
    if sufficient_facts(system, facts, formula, settings.solvers)?.is_some() {
        return Ok(Implied::Yes);
    }
    let sizes = match system.index_sorts.is_empty() {
        true => &[1],
        false => settings.sizes,
    };
    for size in sizes {
        match state_in(system, *size, facts, formula, settings) {
            Ok(Some(state)) => return Ok(Implied::No(state)),
            Ok(None) => {}
            Err(Failure::Solver(error)) => return Err(error),
            Err(Failure::Unsuited(_)) => break,
        }
    }
    Ok(Implied::Unknown)
}

fn state_in(
    system: &TransitionSystem,
    size: u32,
    facts: &[Term],
    formula: Term,
    settings: &Settings,
) -> Result<Option<State>, Failure> {
    let universe = Universe::new(system, size);
    let mut unrolling = Unrolling::new(system, universe, settings.solvers, Purpose::Induction)?;
    unrolling.any_state()?;
    for fact in facts {
        let fact = unrolling.anywhere(*fact, 0)?;
        unrolling.assert(fact)?;
    }
    let fails = unrolling.formula(term::not(formula), 0)?;
    // Where something about all integers was taken to hold for a few only, the state may be none.
    if unrolling.is_cut() || unrolling.check(&[fails])? != Answer::Sat {
        return Ok(None);
    }
    let model = unrolling.small_model(&[fails], 0)?;
    let mut matters = Matters::new(&mut unrolling, settings.solvers, model.as_ref(), 0)?;
    matters.fails(&mut unrolling, formula, 0)?;
    let places = places(system, &matters).into_iter();
    Ok(Some(State {
        sizes: unrolling.universe.sizes(),
        places: places.map(|place| (place.text, place.after)).collect(),
    }))
}
