//! What the solver sees of the rules, one after the other: runs into a violation at every size at once, with integers
//! far away from where they begin, and the steps by which a property fails to be inductive.

use crate::check::ModelCheck;
use crate::context::Context;
use crate::event::{Event, Phase};
use crate::model::LoweredModel;
use crate::search::{self, SearchedInstance};
use abstraction::bounded::{self, BoundedResult, Search};
use abstraction::induction::{self, Implied, Induction};
use logic::Term;
use smt::SolverError;
use system::transition::Property;

/// How many elements types of any size have, one universe after the other.
const SIZES: [u32; 3] = [1, 2, 3];
/// The greatest number of rules of a run.
const DEPTH: usize = 12;
/// This many runs are tried to be made real.
const RUNS: usize = 5;

/// Looks for a run into a violation, and at the steps that break properties. That a solver does not answer here is of
/// no importance: nothing rests on it.
pub(crate) fn bug(check: &ModelCheck, subject: &LoweredModel, context: &Context) -> Option<SearchedInstance> {
    context.tell(Event::Phase(Phase::Unrolling));
    let context = &context.uncounted();
    if let Ok(Some(found)) = run(check, subject, context) {
        return Some(found);
    }
    if context.stopped().is_none()
        && let Ok(steps) = steps(subject, &subject.properties, context)
    {
        check.induction.get_or_init(|| steps);
    }
    None
}

fn run(check: &ModelCheck, subject: &LoweredModel, context: &Context) -> Result<Option<SearchedInstance>, SolverError> {
    let properties: Vec<Term> = subject.properties.iter().map(|property| property.formula).collect();
    let settings = bounded::Settings {
        solvers: &context.solvers,
        sizes: &SIZES,
        depth: DEPTH,
    };
    let model = check.model().with(context.clone());
    let mut search = Search::new(&subject.system, &properties, settings);
    for _ in 0..RUNS {
        let BoundedResult::Run(concrete) = search.next_run()? else {
            return Ok(None);
        };
        if let Some(found) = search::followed(&model, &concrete) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Which rules keep the formulas, where all of them hold before.
pub(crate) fn steps(
    subject: &LoweredModel,
    formulas: &[Property],
    context: &Context,
) -> Result<Vec<Induction>, SolverError> {
    let settings = induction::Settings {
        solvers: &context.solvers,
        sizes: &SIZES,
    };
    induction::check(&subject.system, &[], formulas, &settings)
}

/// Whether formulas imply a property in every state, at every size.
pub(crate) fn implied(
    subject: &LoweredModel,
    facts: &[Term],
    property: &Property,
    context: &Context,
) -> Result<Implied, SolverError> {
    let settings = induction::Settings {
        solvers: &context.solvers,
        sizes: &SIZES,
    };
    let implied = induction::implied(&subject.system, facts, property.formula, &settings)?;
    Ok(match implied {
        // What a loop counts, say, may be less than the system takes it for.
        Implied::No(_) if subject.system.is_assertion_approximate(property.span) => Implied::Unknown,
        implied => implied,
    })
}
