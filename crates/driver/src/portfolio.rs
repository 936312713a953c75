//! The portfolio: which engines there are, in which order they look at a task, and with which budgets. This is the one
//! place that decides it.
//!
//! ```text
//! for each engine that applies and looks at tasks in turn:      beside them, after a head start:
//!     claim <- engine.run(task, blackboard)                         the same with an engine of its own
//!     attempt <- subject.validate(claim)
//!     if attempt proves or refutes: stop the others, done
//! the last attempt
//! ```

use crate::account::{Account, Accounted};
use crate::blackboard::Blackboard;
use crate::context::Context;
use crate::engine::{Engine, Task};
use crate::engines::{Bebop, Containment, Horn, Indexed, PredicateAbstraction, Slam, Strengthening};
use crate::error::Result;
use crate::event::Event;
use crate::lanes::{self, Lane};
use crate::reason::Reason;
use crate::subject::{ProofAttempt, ProofAttemptOf, Subject};
use crate::verdict::Unknown;
use logic::Turn;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// When an engine begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// When the engines before it have ended without an answer.
    InTurn,
    /// Beside the engines that look at the task in turn, after a head start for these.
    Beside,
    /// Only where the user names it.
    OnRequest,
}

pub struct Row {
    pub engine: &'static dyn Engine,
    pub start: Start,
}

/// The engines. A new one is one row.
pub static PORTFOLIO: [Row; 8] = [
    row(&Indexed, Start::InTurn),
    row(&Strengthening, Start::InTurn),
    row(&PredicateAbstraction::Approximate, Start::Beside),
    row(&PredicateAbstraction::Implicit, Start::OnRequest),
    row(&Horn, Start::InTurn),
    row(&Slam, Start::OnRequest),
    row(&Bebop, Start::InTurn),
    row(&Containment, Start::InTurn),
];

const fn row(engine: &'static dyn Engine, start: Start) -> Row {
    Row { engine, start }
}

/// The engine of this name.
pub fn engine_named(name: &str) -> Option<&'static dyn Engine> {
    let mut engines = PORTFOLIO.iter().map(|row| row.engine);
    engines.find(|engine| engine.name() == name)
}

/// The engines in turn look at a task this long before another one begins beside them: most proofs are over then
/// (docs/results.md). When it begins only matters for speed: it is asked for what the others do not prove.
const HEAD_START: Duration = Duration::from_secs(2);
/// The same where engines take turns, and a check of predicate abstraction may make a long turn: with 10, the proof of
/// out-of-order.m took minutes.
const TURNS_AHEAD: u32 = 1_000;

/// The engines that look at a task.
#[derive(Clone, Copy)]
pub struct Engines<'e> {
    rows: &'e [Row],
    /// The one that the user names.
    requested: Option<&'e str>,
}

impl<'e> Engines<'e> {
    pub fn new(rows: &'e [Row], requested: Option<&'e str>) -> Engines<'e> {
        Engines { rows, requested }
    }

    /// The same where this engine works alone.
    pub(crate) fn only(self, name: &'e str) -> Engines<'e> {
        Engines::new(self.rows, Some(name))
    }

    /// The whole portfolio, also where the user names an engine.
    pub(crate) fn all(self) -> Engines<'e> {
        Engines::new(self.rows, None)
    }

    fn applying(&self, start: Start, task: &Task) -> Vec<&'e dyn Engine> {
        let rows = self.rows.iter();
        let rows = rows.filter(|row| row.start == start && row.engine.applies(task));
        rows.map(|row| row.engine).collect()
    }

    /// What comes of a task: a validated proof or run, or the reason why there is none.
    pub(crate) fn attempt<S: Subject>(
        &self,
        subject: &S,
        task: &Task,
        board: &Blackboard,
    ) -> Result<ProofAttemptOf<S>> {
        let mut attempt = match self.requested {
            Some(name) => {
                let mut engines = self.rows.iter().map(|row| row.engine);
                let engine = engines.find(|engine| engine.name() == name && engine.applies(task));
                one_after_the_other(subject, &Vec::from_iter(engine), task, board)?
            }
            None => {
                let (in_turn, beside) = (self.applying(Start::InTurn, task), self.applying(Start::Beside, task));
                match beside.first() {
                    Some(beside) => race(subject, &in_turn, *beside, task, board)?,
                    None => one_after_the_other(subject, &in_turn, task, board)?,
                }
            }
        };
        if let Some(account) = attempt.account_mut() {
            account.conjectured = board.conjectured().take();
        }
        Ok(attempt)
    }

    /// The same without the engine that works beside the others.
    pub(crate) fn in_turn<S: Subject>(
        &self,
        subject: &S,
        task: &Task,
        board: &Blackboard,
    ) -> Result<ProofAttemptOf<S>> {
        one_after_the_other(subject, &self.applying(Start::InTurn, task), task, board)
    }
}

/// The claim of one engine, validated.
pub(crate) fn by_engine<S: Subject>(
    subject: &S,
    engine: &dyn Engine,
    task: &Task,
    board: &Blackboard,
) -> Result<ProofAttemptOf<S>> {
    let claim = engine.run(task, board)?;
    subject.validate(task, claim)
}

/// Until one of them has an answer.
fn one_after_the_other<S: Subject>(
    subject: &S,
    engines: &[&dyn Engine],
    task: &Task,
    board: &Blackboard,
) -> Result<ProofAttemptOf<S>> {
    let mut last = None;
    for engine in engines {
        let attempt = by_engine(subject, *engine, task, board)?;
        let is_over = !matches!(attempt, ProofAttempt::Unproved(_)) || task.context().stopped().is_some();
        last = Some(attempt);
        if is_over {
            break;
        }
    }
    Ok(last.unwrap_or_else(|| {
        let unknown = Unknown::without_proof(Reason::DoesNotApply, Account::default());
        ProofAttempt::Unproved(Box::new(unknown))
    }))
}

/// Engines in turn, and one more beside them, on threads of their own: the first answer ends the others. With a single
/// core they take turns. What the engines in turn have found out helps the other one, at work or not.
fn race<S: Subject>(
    subject: &S,
    engines: &[&dyn Engine],
    other: &dyn Engine,
    task: &Task,
    board: &Blackboard,
) -> Result<ProofAttemptOf<S>> {
    let context = task.context();
    let turn = context.cancellation().turn();
    let later = Later(turn.map(|turn| turn.turns().join_after(TURNS_AHEAD)));
    let (first, second) = (
        task.in_context(context.part()),
        task.in_context(context.part().with_turn(later.0.clone())),
    );
    let began = Instant::now();
    std::thread::scope(|scope| {
        let in_turn = Lane::start(scope, first.context().cancellation(), || {
            one_after_the_other(subject, engines, &first, board)
        })?;
        let mut beside = None;
        // What the other engine came to, and how many facts were known when it ended.
        let mut unproved: Option<(ProofAttemptOf<S>, usize)> = None;
        while !in_turn.is_over() {
            let may_begin = turn.is_some() || began.elapsed() >= HEAD_START;
            if beside.is_none() && unproved.is_none() && may_begin {
                let work = || {
                    context.tell(Event::BeginsBeside);
                    by_engine(subject, other, &second, board)
                };
                beside = Some(Lane::start(scope, second.context().cancellation(), work)?);
            }
            if let Some(lane) = beside.take_if(|lane| lane.is_over() && !in_turn.is_over()) {
                let mut attempt = lane.result()?;
                later.leave();
                if !matches!(attempt, ProofAttempt::Unproved(_)) {
                    in_turn.stop();
                    attempt.count_beside(first.context());
                    return Ok(attempt);
                }
                unproved = Some((attempt, board.found()));
            }
            lanes::wait();
        }
        let mut attempt = in_turn.result()?;
        if !matches!(attempt, ProofAttempt::Unproved(_)) {
            if let Some(lane) = beside {
                lane.stop();
            }
            attempt.count_beside(second.context());
            return Ok(attempt);
        }
        match (beside, unproved) {
            (Some(lane), _) => match turn {
                Some(turn) => turn.without_turn(|| lane.result()),
                None => lane.result(),
            },
            (None, Some((attempt, known))) if board.found() == known => Ok(attempt),
            (None, _) => {
                later.leave();
                by_engine(subject, other, task, board)
            }
        }
    })
}

impl<Proof: Accounted, Run> ProofAttempt<Proof, Run> {
    fn account_mut(&mut self) -> Option<&mut Account> {
        match self {
            ProofAttempt::Proved(proof) => Some(proof.account_mut()),
            ProofAttempt::Unproved(unknown) => Some(&mut unknown.account),
            ProofAttempt::Violated(_) | ProofAttempt::Mistake(_) => None,
        }
    }

    /// Counts the checks of an engine that was stopped.
    fn count_beside(&mut self, stopped: &Context) {
        if let Some(account) = self.account_mut() {
            account.beside = Some(Arc::clone(stopped.statistics()));
        }
    }
}

/// The turns of an engine that begins later. However the race ends, the others do not wait for them then.
struct Later(Option<Turn>);

impl Later {
    fn leave(&self) {
        self.0.iter().for_each(Turn::leave);
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        self.leave();
    }
}
