//! Both engines at once, on threads of their own: whichever proves everything first ends the other.

use super::Task;
use super::indexed::{self, Attempt};
use super::lanes::{Lane, PERIOD, allowed};
use super::prove::{Proof, by_abstraction, say, share};
use abstraction::knowledge::News;
use smt::Z3Options;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use system::TransitionSystem;

/// Facts about every size are looked for so long before predicate abstraction begins beside it: most proofs are over then.
const HEAD_START: Duration = Duration::from_secs(2);

/// The proof of whoever is first; of facts about every size where both are there. When the search for such facts ends without
/// a proof, what it knows goes to the other engine, at work or not.
pub(super) fn race(task: &Task, prepared: &TransitionSystem, options: &Z3Options) -> anyhow::Result<Proof> {
    let (first, second, news) = (task.part(), task.part(), News::default());
    let may_begin = || allowed(task) > 2 || !task.searching.load(Ordering::Relaxed);
    let outer = &options.cancellation;
    let with = |solver: &Z3Options| Z3Options {
        cancellation: solver.cancellation.clone(),
        ..options.clone()
    };
    let attempt = |solver: &Z3Options| indexed::attempt(&first, prepared, &with(solver));
    let abstraction = |solver: &Z3Options| by_abstraction(&second, prepared, &news, &with(solver));
    let started = Instant::now();
    std::thread::scope(|scope| {
        let indexed = Lane::start(scope, outer, attempt)?;
        let mut beside = None;
        let mut unproved: Option<Proof> = None;
        while !indexed.is_over() {
            if beside.is_none() && unproved.is_none() && started.elapsed() >= HEAD_START && may_begin() {
                say(
                    task,
                    "predicate abstraction begins beside the search for facts about every size",
                );
                beside = Some(Lane::start(scope, outer, abstraction)?);
            }
            if let Some(lane) = beside.take_if(|lane| lane.is_over() && !indexed.is_over()) {
                let mut proof = lane.result()?;
                if proof.is_safe() {
                    indexed.stop();
                    proof.beside = Some(Arc::clone(&first.statistics));
                    return Ok(proof);
                }
                unproved = Some(proof);
            }
            std::thread::sleep(PERIOD);
        }
        match indexed.result()? {
            Attempt::Proved(mut proof) => {
                if let Some(lane) = beside {
                    lane.stop();
                }
                proof.beside = Some(Arc::clone(&second.statistics));
                Ok(proof)
            }
            Attempt::Failed { reason, facts } => {
                let is_news = !facts.is_empty();
                share(task, &reason, facts, &news)?;
                match (beside, unproved) {
                    (Some(lane), _) => lane.result(),
                    (None, Some(proof)) if !is_news => Ok(proof),
                    (None, _) => by_abstraction(task, prepared, &news, options),
                }
            }
        }
    })
}
