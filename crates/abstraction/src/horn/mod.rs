//! Invariants by constrained Horn clauses: one unknown relation for each location, and a solver that finds them all.
//!
//! N. Bjørner, A. Gurfinkel, K. McMillan and A. Rybalchenko, *Horn clause solvers for program verification*, 2015; the
//! solver is Z3's Spacer (A. Komuravelli, A. Gurfinkel and S. Chaki, *SMT-based model checking for recursive programs*,
//! 2014).
//!
//! Let `c` be the control of the system, a state variable whose value every rule tests and sets; `P_l(x)` says that the
//! program can be at `l` with these values of the variables that matter there.
//!
//! | clause | for each |
//! | --- | --- |
//! | `guard -> P_l(start)` | start that leads to `l` |
//! | `P_k(x) and types and guard -> P_l(updates)` | rule from `k` to `l` |
//! | `P_l(x) and types and not property -> false` | property that may fail at `l` |
//!
//! | `P_k(x) and types -> P_entry(given)` | call at `k` of a procedure that stands by itself |
//!
//! Where a procedure is called at `k`, the rules from there also have `P_exit(returned)` among their premises: these
//! clauses are not linear, and `P_entry` and `P_exit` are the summary of the procedure.
//!
//! Where variables count and the solver finds nothing soon, their [`bounds`] and [`relations`] between them are put in
//! place, and [`remainders`] are unknowns at first.
//!
//! The solver's answer is validated: its relations become the lemmas `c = l -> P_l` of a certificate. The engine works
//! on systems without types of any size, whose variables are all scalars.

mod affine;
mod bounds;
mod clauses;
mod constants;
mod control;
mod knowing;
mod lemmas;
mod relations;
mod remainders;
mod simplification;
mod split;
#[cfg(test)]
mod testing;
mod unrolling;

pub use control::{Called, Control, Flow};
pub use unrolling::{Run, RunStep, Unrolling, UnrollingResult};

use clauses::Clauses;
use deduction::reading::read_definitions;
use lemmas::Lemmas;
use logic::{Cancellation, Term, term};
use smt::{Answer, SolverCommand, SolverError, Solvers, UnknownReason, model_of_script};
use std::collections::BTreeMap;
use std::time::Instant;
use system::Span;
use system::transition::Fact;

/// In Z3's units: a few seconds, and a part of one.
const SOON: u32 = 4_000_000;
const AT_ONCE: u32 = 400_000;

/// How the solver is asked.
pub struct Settings<'a> {
    pub solver: &'a SolverCommand,
    /// For relations between variables.
    pub solvers: &'a Solvers,
    pub deadline: Option<Instant>,
    pub cancellation: &'a Cancellation,
    /// Candidate invariants over the state: the mutually inductive ones are substituted.
    pub believed: &'a [Term],
    /// Receives the progress of the search.
    pub observer: &'a dyn Fn(Event),
}

/// The solver has looked at all runs of one step more.
pub struct Event<'a> {
    pub level: usize,
    /// Its lemmas so far, not validated.
    pub facts: &'a dyn Fn() -> Vec<Fact>,
}

#[derive(Clone, Debug)]
pub enum HornResult {
    /// Facts that together are inductive and imply all properties, if the solver is right.
    Invariant(Vec<Fact>),
    /// There is a run into a violation, if the solver is right.
    Refuted,
    Unknown(UnknownReason),
}

/// Looks for an invariant: of the clauses as they are; then with all constants that are known; and where variables
/// count, with relations between them.
pub fn solve(flow: &Flow, settings: &Settings) -> Result<HornResult, SolverError> {
    let knowing = flow.knowing(settings.believed, settings.solvers)?;
    let flow = knowing.as_ref().unwrap_or(flow);
    let with_constants = flow.with_constants(settings.cancellation)?;
    let plain = Clauses::new(flow);
    if with_constants.is_none() && !flow.counts() {
        return ask(&plain, settings, None);
    }
    if let Some(flow) = with_constants {
        for (clauses, limit) in [(&plain, AT_ONCE), (&Clauses::new(&flow), SOON)] {
            let outcome = ask(clauses, settings, Some(limit))?;
            if is_over(&outcome, settings) {
                return Ok(outcome);
            }
        }
    }
    let outcome = ask(&plain, settings, Some(SOON))?;
    if is_over(&outcome, settings) {
        return Ok(outcome);
    }
    by_relations(flow, settings)
}

/// Looks for an invariant for a moment: of the clauses, and of those with bounds of variables that count.
pub fn solve_briefly(flow: &Flow, settings: &Settings, limit: u32) -> Result<HornResult, SolverError> {
    let knowing = flow.knowing(settings.believed, settings.solvers)?;
    let flow = knowing.as_ref().unwrap_or(flow);
    let outcome = ask(&Clauses::new(flow), settings, Some(limit))?;
    if is_over(&outcome, settings) || !flow.counts() {
        return Ok(outcome);
    }
    match flow.knowing(&flow.bounds(), settings.solvers)? {
        Some(bounded) => ask(&Clauses::new(&bounded), settings, Some(limit)),
        None => Ok(outcome),
    }
}

fn by_relations(flow: &Flow, settings: &Settings) -> Result<HornResult, SolverError> {
    let related = match flow.counts() {
        true => {
            let bounded = flow.knowing(&flow.bounds(), settings.solvers)?;
            let flow = bounded.as_ref().unwrap_or(flow);
            flow.related(settings.solvers)?.or(bounded)
        }
        false => None,
    };
    let flow = related.as_ref().unwrap_or(flow);
    let (exactly, loosely) = (Clauses::new(flow), Clauses::loosely(flow));
    if loosely.script(None) != exactly.script(None) {
        // A run of these may be none of the program.
        if let HornResult::Invariant(facts) = ask(&loosely, settings, Some(SOON))? {
            return Ok(HornResult::Invariant(facts));
        }
    }
    ask(&exactly, settings, None)
}

/// Whether there is an answer, or no time is left for one.
fn is_over(outcome: &HornResult, settings: &Settings) -> bool {
    let is_late = settings.deadline.is_some_and(|end| end <= Instant::now());
    !matches!(outcome, HornResult::Unknown(_)) || is_late || settings.cancellation.is_cancelled()
}

/// With this limit, in the solver's own units.
fn ask(clauses: &Clauses, settings: &Settings, limit: Option<u32>) -> Result<HornResult, SolverError> {
    let flow = clauses.flow();
    if clauses.relations().is_empty() {
        return Ok(HornResult::Invariant(facts(flow, &BTreeMap::new())));
    }
    let script = clauses.script(limit);
    let left = settings
        .deadline
        .map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let mut lemmas = Lemmas::new(clauses);
    let mut told = |line: &str| {
        if let Some(level) = lemmas.hear(line) {
            let facts = &|| lemmas.facts();
            (settings.observer)(Event { level, facts });
        }
    };
    let (answer, model) = model_of_script(settings.solver, &script, left, settings.cancellation, &mut told)?;
    Ok(match (answer, model) {
        (Answer::Sat, Some(model)) => match read_definitions(&model, clauses.relations()) {
            Some(relations) => HornResult::Invariant(facts(flow, &relations)),
            None => HornResult::Unknown(UnknownReason::Incomplete("its invariant cannot be read".to_owned())),
        },
        (Answer::Sat, None) => HornResult::Unknown(UnknownReason::Incomplete("it gives no invariant".to_owned())),
        (Answer::Unsat, _) => HornResult::Refuted,
        (Answer::Unknown(reason), _) => HornResult::Unknown(reason),
    })
}

/// `c = l -> P_l(x)`, for each value of the control; where locations are split, `P_l` is a choice between what is known
/// and holds in each of its parts. Where nothing leads, a part is false, and from where nothing bad can be reached, it
/// is true.
fn facts(flow: &Flow, relations: &BTreeMap<String, Term>) -> Vec<Fact> {
    let mut parts: BTreeMap<usize, Vec<Term>> = flow.values().map(|value| (value, Vec::new())).collect();
    for location in 0..flow.locations() {
        let relation = match relations.get(&clauses::name(location)) {
            Some(relation) => simplification::join_bounds(*relation),
            None if flow.is_reached(location) => term::bool(true),
            None => term::bool(false),
        };
        let part = term::and([flow.known(location), relation]);
        parts.entry(flow.value(location)).or_default().push(part);
    }
    let mut facts = Vec::new();
    for (value, parts) in parts {
        let relation = simplification::disjunction(&parts);
        let formula = match flow.at(value) {
            Some(here) => term::implies(here, relation),
            None => relation,
        };
        if !formula.is_true() {
            facts.push(Fact {
                name: flow.name(value),
                formula,
                span: Span::default(),
            });
        }
    }
    facts
}
