//! Reads of undefined values, which exploration reports and a proof does not see: its values are arbitrary there. Where
//! the model may have such reads, a second proof is looked for, of a system that asserts that there are none.

use crate::check::{ModelAttempt, ModelCheck, ProofContradiction};
use crate::context::Context;
use crate::crosscheck::{self, Agreement, CrosscheckOutcome};
use crate::engines;
use crate::error::Result;
use crate::lanes::{self, Lane};
use crate::model::{LoweredModel, ModelTask, Question};
use crate::portfolio::Engines;
use crate::search::{self, SearchedInstance};
use crate::subject::ProofAttempt;
use crate::verdict::Proved;
use abstraction::definedness::{self, Defined};
use logic::Term;
use std::time::{Duration, Instant};
use system::transition::Fact;
use system::{ReadOptions, Span};

/// Predicates for the second proof are looked for in this many cycles: most are found in the first, and the first proof
/// stands without them.
const CYCLES: usize = 4;
/// The second proof may take this many checks where facts from templates are not enough, and each of them so much: no
/// time, so that the verdict does not depend on the machine. A verdict that says what it is provided that is worth more
/// than one that comes late.
const CHECKS: u64 = 400;
const RESOURCES: u32 = 1_000_000;
/// What comes between checks may take long, so there is a limit of time, too.
const PATIENCE: Duration = Duration::from_secs(8);

/// What is known of reads of undefined values where everything else is proved.
pub(crate) enum Reads {
    /// There are none, and lowering sees it.
    None,
    /// There are none: a proof of that and of everything else, and what it is about.
    Excluded(Box<(Proved, Agreement)>),
    /// A run reads one.
    Run(Box<SearchedInstance>),
    /// An explored state contradicts the second proof.
    Contradicted(Box<Proved>, Box<ProofContradiction>),
    /// There may be some, at these places; at the default place where none is known.
    Open(Vec<Span>),
}

/// Looks for the second proof, of what the first one proves and that no undefined value is read.
pub(crate) fn look(check: &ModelCheck, engines: Engines, subject: &LoweredModel, proved: &Proved) -> Result<Reads> {
    let context = &check.context;
    let open = subject.input.model.possible_undefined_reads(context.cancellation());
    if open.is_empty() {
        return Ok(Reads::None);
    }
    let asked = check.question;
    let question = Question {
        reading: ReadOptions {
            asserts_reads: true,
            ..asked.reading.clone()
        },
        engine: None,
        cycles: Some(asked.cycles.map_or(CYCLES, |cycles| cycles.clamp(1, CYCLES))),
        cartesian: false,
        abstract_states: false,
        run: None,
        resume: None,
        ..asked.clone()
    };
    let Ok(mut asserting) = subject.with_read_assertions(&question.only, context.cancellation()) else {
        return Ok(Reads::Open(open));
    };
    if !has_same_sizes(&asserting, subject) {
        return Ok(Reads::Open(open));
    }
    asserting.known = proved.facts.iter().map(|fact| fact.formula).collect();
    let defined = definedness::facts(
        &asserting.system,
        &asserting.known,
        &goals(&asserting),
        &context.uncounted().solvers,
    )?;
    asserting.known.extend(&defined.facts);
    let asserting = check.asserting.get_or_init(|| asserting);
    let task = ModelTask {
        question: &question,
        subject: asserting,
        context: context.uncounted().part(),
        folder: None,
    };
    let proved = match attempt(check, engines, &task, proved, &defined)? {
        None => return Ok(Reads::Open(open)),
        Some(ProofAttempt::Proved(proved)) => proved,
        Some(ProofAttempt::Violated(found)) => return Ok(Reads::Run(found)),
        Some(ProofAttempt::Mistake(_)) => return Ok(Reads::Open(open)),
        Some(ProofAttempt::Unproved(unknown)) => {
            let asked = check.model().with(context.uncounted());
            let is_refuted = unknown.account.results.iter().any(|result| result.is_refuted());
            let run = is_refuted.then(|| search::run(&asked, &unknown.account)).flatten();
            return Ok(run.map_or(Reads::Open(open), |found| Reads::Run(Box::new(found))));
        }
    };
    Ok(match crosscheck::crosscheck(&task, &proved) {
        CrosscheckOutcome::Agreed(agreement) => Reads::Excluded(Box::new((*proved, agreement))),
        CrosscheckOutcome::Violation(found) => Reads::Run(found),
        CrosscheckOutcome::Contradiction(found) => {
            Reads::Contradicted(proved, Box::new(ProofContradiction::State(*found)))
        }
        CrosscheckOutcome::Disagreement(found) => {
            Reads::Contradicted(proved, Box::new(ProofContradiction::Step(*found)))
        }
        // The first proof has met them.
        CrosscheckOutcome::Stopped => Reads::Open(open),
    })
}

/// What is asserted beside what is known.
fn goals(asserting: &LoweredModel) -> Vec<Term> {
    let goals = asserting.properties.iter().map(|property| property.formula);
    goals.filter(|goal| !asserting.known.contains(goal)).collect()
}

/// The second proof: by facts that are known to be enough, or by whatever engine finds one soon.
fn attempt(
    check: &ModelCheck,
    engines: Engines,
    task: &ModelTask,
    first: &Proved,
    defined: &Defined,
) -> Result<Option<ModelAttempt>> {
    if defined.are_enough {
        let span = task.subject.properties.first().map(|property| property.span);
        let span = span.unwrap_or_default();
        let named = (1..).zip(&defined.facts).map(|(number, formula)| Fact {
            name: format!("defined {number}"),
            formula: *formula,
            span,
        });
        let facts: Vec<Fact> = first.facts.iter().cloned().chain(named).collect();
        let proved = engines::prove_by_facts(task, &facts)?;
        if matches!(proved, ProofAttempt::Proved(_)) {
            return Ok(Some(proved));
        }
    }
    let context = &task.context;
    let solvers = context.solvers.with_resources(RESOURCES);
    within(
        check,
        engines,
        &task.with(Context {
            solvers,
            ..context.clone()
        }),
        CHECKS,
    )
}

/// What comes of looking for a proof with at most about so many checks; none where that was too few.
fn within(check: &ModelCheck, engines: Engines, task: &ModelTask, checks: u64) -> Result<Option<ModelAttempt>> {
    let (context, started) = (&task.context, Instant::now());
    std::thread::scope(|scope| {
        let lane = Lane::start(scope, context.cancellation(), || {
            engines::prove(check, task, engines.all())
        })?;
        let mut is_over = false;
        while !lane.is_over() {
            if context.statistics().total() > checks || started.elapsed() > PATIENCE {
                is_over = true;
                context.cancellation().cancel();
            }
            lanes::wait();
        }
        let attempt = lane.result();
        match attempt {
            Ok(proved @ ProofAttempt::Proved(_)) => Ok(Some(proved)),
            _ if is_over => Ok(None),
            attempt => attempt.map(Some),
        }
    })
}

fn has_same_sizes(one: &LoweredModel, other: &LoweredModel) -> bool {
    let sizes = |subject: &LoweredModel| -> Vec<(String, bool, i64)> {
        let sizes = subject.input.sizes().iter();
        sizes.map(|size| (size.range(), size.is_any(), size.size)).collect()
    };
    sizes(one) == sizes(other)
}
