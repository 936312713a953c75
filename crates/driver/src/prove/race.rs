//! Both engines at once, on threads of their own: whichever proves everything first ends the other. With a single core
//! they take turns.

use super::indexed::{self, Facts};
use super::{Attempt, predicates, share};
use crate::error::Result;
use crate::event::Event;
use crate::lanes::{self, Lane};
use crate::subject::Task;
use abstraction::predicate::News;
use logic::Turn;
use std::sync::Arc;
use std::time::{Duration, Instant};
use system::TransitionSystem;

/// Facts about every size are looked for this long before predicate abstraction begins beside it: most proofs are
/// over then. When it begins is a matter of speed only: whatever the one does not prove, the other is asked to.
const HEAD_START: Duration = Duration::from_secs(2);
/// The same where they take turns, of which a check of predicate abstraction may make a long one: with 10, the proof of
/// out-of-order.m took minutes.
const TURNS_AHEAD: u32 = 1_000;

/// The proof of whoever is first; of facts about every size where both are there. When the search for such facts ends
/// without a proof, what it knows goes to the other engine, at work or not.
pub(super) fn race(task: &Task, prepared: &TransitionSystem) -> Result<Attempt> {
    let (context, news) = (&task.context, News::default());
    news.tell(task.subject.known.clone());
    let turn = context.cancellation().turn();
    let later = Later(turn.map(|turn| turn.turns().join_after(TURNS_AHEAD)));
    let (first, second) = (
        task.with(context.part()),
        task.with(context.part().with_turn(later.0.clone())),
    );
    let started = Instant::now();
    std::thread::scope(|scope| {
        let indexed = Lane::start(scope, first.context.cancellation(), || {
            indexed::attempt(&first, prepared)
        })?;
        let mut beside = None;
        let mut unproved: Option<Attempt> = None;
        while !indexed.is_over() {
            let may_begin = turn.is_some() || started.elapsed() >= HEAD_START;
            if beside.is_none() && unproved.is_none() && may_begin {
                let work = || {
                    context.tell(Event::BeginsBeside);
                    predicates::attempt(&second, prepared, &news)
                };
                beside = Some(Lane::start(scope, second.context.cancellation(), work)?);
            }
            if let Some(lane) = beside.take_if(|lane| lane.is_over() && !indexed.is_over()) {
                let mut attempt = lane.result()?;
                later.leave();
                if matches!(attempt, Attempt::Proved(_)) {
                    indexed.stop();
                    attempt.account_mut().beside = Some(Arc::clone(first.context.statistics()));
                    return Ok(attempt);
                }
                unproved = Some(attempt);
            }
            lanes::wait();
        }
        match indexed.result()? {
            Facts::Enough(mut attempt) => {
                if let Some(lane) = beside {
                    lane.stop();
                }
                attempt.account_mut().beside = Some(Arc::clone(second.context.statistics()));
                Ok(attempt)
            }
            Facts::Failed { tried, facts } => {
                let is_news = !facts.is_empty();
                share(task, &tried.reason, facts, &news)?;
                let attempt = match (beside, unproved) {
                    (Some(lane), _) => match turn {
                        Some(turn) => turn.without_turn(|| lane.result())?,
                        None => lane.result()?,
                    },
                    (None, Some(attempt)) if !is_news => attempt,
                    (None, _) => {
                        later.leave();
                        predicates::attempt(task, prepared, &news)?
                    }
                };
                Ok(attempt.after(tried))
            }
        }
    })
}

/// The turns of whoever begins later. However the race ends, nobody waits for them then.
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
