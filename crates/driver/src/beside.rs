//! Three at work at once: the file as it is written is explored to its end, other sizes are searched for bugs, and a
//! proof for every size is looked for. Whoever has an answer ends the others.

use crate::account::Account;
use crate::check::{ModelAttempt, ModelCheck};
use crate::context::Context;
use crate::engines;
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::lanes::{self, Lane};
use crate::model::{LoweredModel, ModelContext, Question};
use crate::portfolio::Engines;
use crate::reason::Reason;
use crate::search::{self, AGAIN, DeclaredExploration, FLOOR, PATIENCE, SearchedInstance};
use crate::subject::ProofAttempt;
use crate::unrolled;
use crate::verdict::Unknown;
use explore::SearchEvent;
use logic::{Cancellation, Turns};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use system::transition::Fact;

/// What was found out, by whomever.
#[derive(Default)]
pub(crate) struct Findings {
    /// How the exploration of the file as it is written ended. None where there is no instance.
    pub(crate) declared: Option<DeclaredExploration>,
    /// A violation at other sizes.
    pub(crate) elsewhere: Option<SearchedInstance>,
    /// What came of the proof. None where it was not waited for.
    pub(crate) proving: Option<Result<ModelAttempt>>,
}

impl Findings {
    /// Whether nobody needs to go on.
    fn are_sufficient(&self, model: &ModelContext) -> bool {
        if let Some(declared) = &self.declared
            && (declared.is_violated() || self.elsewhere.is_some() || is_all(model, declared))
        {
            return true;
        }
        let is_declared = |found: &SearchedInstance| search::other_than_declared(model, &found.input).is_empty();
        self.elsewhere.as_ref().is_some_and(is_declared) || matches!(self.proving, Some(Ok(ProofAttempt::Proved(_))))
    }
}

/// Whether the states of the file as it is written are all there is to see, and no proof is asked for.
pub(crate) fn is_all(model: &ModelContext, declared: &DeclaredExploration) -> bool {
    let parsed = model.parsed;
    let is_all = declared.is_safe() && parsed.input.model.has_something_to_check() && !parsed.has_any_size();
    is_all && !asks_for_proof(model.question)
}

/// Whether the question is about a proof, whatever exploration says.
fn asks_for_proof(question: &Question) -> bool {
    let files = [&question.predicates, &question.also, &question.run, &question.resume];
    let asks = question.engine.is_some() || question.cycles.is_some() || question.cartesian;
    asks || question.abstract_states || files.iter().any(|file| file.is_some())
}

/// These facts are the proof, or there is none.
pub(crate) fn validate_facts(check: &ModelCheck, facts: &[Fact]) -> Result<Findings> {
    let context = &check.context;
    let lowered = check.parsed.lowered(&check.question.only, context.cancellation())?;
    let lowered = lowered.not_vacuous(&context.solvers)?;
    let Some(model) = check.lowered.get_or_init(|| Some(lowered)) else {
        return Err(Error::refused("there is no system"));
    };
    context.tell(Event::Lowered(model));
    Ok(Findings {
        proving: Some(engines::prove_by_facts(&check.task(model, context), facts)),
        ..Findings::default()
    })
}

/// Works until there is an answer, or nothing more to do. With a single core all take turns.
pub(crate) fn findings(check: &ModelCheck, engines: Engines) -> Result<Findings> {
    let model = &check.model();
    let demanded = demanded(model)?;
    model.context.tell(Event::Phase(Phase::Searching));
    let turns = (model.context.jobs == 1).then(Turns::default);
    let part = || {
        let turn = turns.as_ref().map(Turns::join);
        model.with(model.context.part().with_turn(turn))
    };
    let (explorer, searcher, prover) = (part(), part(), part());
    let mut watch = Watch::new(&model.context);
    let states = Arc::clone(&watch.states);
    let enough = searcher.context.cancellation().child();
    std::thread::scope(|scope| {
        let explore = || search::declared(&explorer, None, AGAIN, &mut watch);
        let mut exploring = Some(Lane::start(scope, explorer.context.cancellation(), explore)?);
        let search = || searched(check, &searcher, &enough);
        let mut searching = Some(Lane::start(scope, searcher.context.cancellation(), search)?);
        let prove = || prove(check, engines, &prover.context, demanded);
        let mut proving = Some(Lane::start(scope, prover.context.cancellation(), prove)?);
        let mut findings = Findings::default();
        loop {
            // Of those that take turns whoever has ended has the turn until it is known what follows from that.
            let mut ended = None;
            if let Some(lane) = exploring.take_if(|lane| lane.is_over()) {
                findings.declared = lane.result();
                ended = Some(&explorer);
            }
            if let Some(lane) = searching.take_if(|lane| lane.is_over()) {
                findings.elsewhere = findings.elsewhere.or(lane.result());
                ended = Some(&searcher);
            }
            if let Some(lane) = proving.take_if(|lane| lane.is_over()) {
                findings.set_prover_outcome(lane.result());
                ended = Some(&prover);
            }
            let is_over = exploring.is_none() && searching.is_none() && proving.is_none();
            let seen = states.load(Ordering::Relaxed);
            let is_patient = findings.elsewhere.is_none() || (seen < PATIENCE && exploring.is_some());
            if is_over || findings.are_sufficient(model) || !is_patient {
                break;
            }
            let has_failed = matches!(findings.proving, Some(Err(_)));
            if has_failed && seen >= FLOOR {
                explorer.context.cancellation().cancel();
            }
            if proving.is_none() && (exploring.is_none() || has_failed) {
                enough.cancel();
            }
            if let Some(turn) = ended.and_then(|model| model.context.cancellation().turn()) {
                turn.leave();
            }
            lanes::wait();
        }
        for part in [&explorer, &searcher, &prover] {
            part.context.cancellation().cancel();
        }
        if let Some(lane) = exploring {
            lane.stop();
        }
        if let Some(lane) = searching {
            lane.stop();
        }
        if let Some(lane) = proving {
            lane.stop();
            let beside = || Some(Arc::clone(prover.context.statistics()));
            let declared = findings.declared.iter_mut().map(|declared| &mut declared.found);
            let found = declared.chain(&mut findings.elsewhere);
            found.for_each(|found| found.beside = beside());
        }
        Ok(findings)
    })
}

/// Other sizes to the floor, then what the solver sees, and then on until `enough` is cancelled.
fn searched(check: &ModelCheck, model: &ModelContext, enough: &Cancellation) -> Option<SearchedInstance> {
    let mut sizes = search::OtherSizes::new(model);
    if let Some(found) = sizes.floor() {
        return Some(found);
    }
    let cancellation = model.context.cancellation();
    while check.lowered.get().is_none() && !cancellation.is_cancelled() && cancellation.yield_turn() {}
    if let Some(subject) = check.lowered.wait() {
        let found = seen_by_system(check, model, subject);
        if found.is_some() {
            return found;
        }
    }
    search::with_numbers(model, search::wider(), enough).or_else(|| sizes.beyond(enough))
}

/// What the transition system helps to find: violations by numbers that it mentions, and by rules that the solver
/// unrolls.
fn seen_by_system(check: &ModelCheck, model: &ModelContext, subject: &LoweredModel) -> Option<SearchedInstance> {
    let context = &model.context;
    let mentioned = search::mentioned(&subject.system);
    let found = search::with_numbers(model, mentioned, context.cancellation());
    match context.cancellation().turn() {
        // A check may take minutes (out-of-order.m), in which a proof would wait: that comes after the proof.
        Some(_) => found,
        None => found.or_else(|| unrolled::bug(check, subject, context)),
    }
}

impl Findings {
    fn set_prover_outcome(&mut self, proving: Result<ProverOutcome>) {
        match proving {
            Ok(ProverOutcome::Attempt(attempt)) => self.proving = Some(Ok(attempt)),
            Ok(ProverOutcome::Run(found)) => self.elsewhere = Some(found),
            Err(error) => self.proving = Some(Err(error)),
        }
    }
}

/// What comes of looking for a proof.
enum ProverOutcome {
    Attempt(ModelAttempt),
    /// A run that the proof attempt believed in, and that is one.
    Run(SearchedInstance),
}

/// Lowers the model, proves what is asked for, and follows the runs that stand in the way.
fn prove<'c>(
    check: &'c ModelCheck<'c>,
    engines: Engines,
    context: &Context<'c>,
    demanded: Option<LoweredModel>,
) -> Result<ProverOutcome> {
    let model = check.model().with(context.clone());
    let (subject, failure) = match subject(&model, demanded) {
        Ok(Ok(subject)) => (Some(subject), Ok(Reason::NotProved)),
        Ok(Err(reason)) => (None, Ok(reason)),
        Err(error) => (None, Err(error)),
    };
    let Some(subject) = check.lowered.get_or_init(|| subject) else {
        let unknown = Unknown::without_proof(failure?, Account::default());
        return Ok(ProverOutcome::Attempt(ProofAttempt::Unproved(Box::new(unknown))));
    };
    context.tell(Event::Lowered(subject));
    let attempt = engines::prove(check, &check.task(subject, context), engines)?;
    if let ProofAttempt::Unproved(unknown) = &attempt
        && unknown.account.results.iter().any(|result| result.is_refuted())
    {
        context.tell(Event::Phase(Phase::FollowingRun));
        if let Some(found) = search::run(&model, &unknown.account) {
            return Ok(ProverOutcome::Run(found));
        }
    }
    let is_open = matches!(attempt, ProofAttempt::Unproved(_)) && context.stopped().is_none();
    if is_open && context.cancellation().turn().is_some() {
        let found = unrolled::bug(check, subject, context);
        return Ok(found.map_or(ProverOutcome::Attempt(attempt), ProverOutcome::Run));
    }
    Ok(ProverOutcome::Attempt(attempt))
}

/// The lowered model, where `--parametric` demands that types have any size. It is lowered before any search, so that a
/// rejection does not race with a violation.
fn demanded(model: &ModelContext) -> Result<Option<LoweredModel>> {
    if model.question.reading.parametric.is_empty() {
        return Ok(None);
    }
    let cancellation = model.context.cancellation();
    match model.parsed.lowered(&model.question.only, cancellation) {
        Ok(subject) => Ok(Some(subject)),
        // What follows from that is up to those that are ended by it, too.
        Err(_) if cancellation.is_cancelled() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The model as proofs see it, with warnings about what says nothing; or why there is no such thing.
fn subject(model: &ModelContext, demanded: Option<LoweredModel>) -> Result<std::result::Result<LoweredModel, Reason>> {
    let context = &model.context;
    let lowered = match demanded {
        Some(subject) => Ok(subject),
        None => model.parsed.lowered(&model.question.only, context.cancellation()),
    };
    let subject = match lowered {
        Ok(subject) => subject,
        Err(_) if context.cancellation().is_cancelled() => {
            return Ok(Err(context.stopped().map_or(Reason::NotProved, Reason::Stopped)));
        }
        Err(Error::Rejected(rejected)) => return Ok(Err(Reason::NotLowered(rejected))),
        Err(error) => return Err(error),
    };
    subject.not_vacuous(&context.solvers).map(Ok)
}

/// Hears how the exploration of the file as it is written goes.
struct Watch<'w> {
    context: Context<'w>,
    states: Arc<AtomicU64>,
}

impl<'w> Watch<'w> {
    fn new(context: &Context<'w>) -> Watch<'w> {
        Watch {
            context: context.clone(),
            states: Arc::default(),
        }
    }
}

impl explore::Observer for Watch<'_> {
    fn event(&mut self, event: &SearchEvent) {
        if let SearchEvent::Progress(progress) = event {
            self.states.store(progress.states, Ordering::Relaxed);
            self.context.tell(Event::Explored(progress.states));
        }
    }
}
