//! Bebop: path edges and states of a Boolean program, by decision diagrams.

use crate::account::Account;
use crate::blackboard::Blackboard;
use crate::engine::{Claim, Engine, SuspectedRun, Task};
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::program::stopped;
use crate::reason::{Kind, Reason};
use boolean::{Verdict, check, check_with_relations};

const NAME: &str = "bebop";

pub(crate) struct Bebop;

impl Engine for Bebop {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "Of Boolean programs: by path edges, as Bebop does"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::BooleanProgram]
    }

    fn applies(&self, task: &Task) -> bool {
        matches!(task, Task::Boolean(_))
    }

    fn run(&self, task: &Task, board: &Blackboard) -> Result<Claim> {
        let Task::Boolean(task) = task else {
            return Err(Error::refused("Bebop is about Boolean programs"));
        };
        task.context.tell(Event::Phase(Phase::Proving));
        let cancellation = task.context.cancellation();
        let answer = match task.lowered {
            Some(lowered) => check_with_relations(task.program, lowered, cancellation),
            None => check(task.program, cancellation).map(|answer| (answer, None)),
        };
        let (answer, relations) = match answer {
            Ok(answer) => answer,
            Err(error) => return Ok(Claim::Mistake(error.to_string())),
        };
        *board.bebop() = Some(answer.statistics);
        let account = Account {
            engine: Some(NAME),
            ..Account::default()
        };
        Ok(match answer.verdict {
            Verdict::Safe => {
                let facts = task.lowered.zip(relations.as_ref());
                let facts = facts.map(|(lowered, relations)| lowered.facts(relations));
                Claim::PathEdges(facts, account)
            }
            Verdict::Unsafe(trace) => Claim::Run(SuspectedRun::Boolean(trace)),
            Verdict::Unknown(reason) => Claim::unknown(
                NAME,
                match reason {
                    boolean::Reason::NothingToCheck => Reason::NothingToCheck(Kind::BooleanProgram),
                    boolean::Reason::NoRun => Reason::NoRunBegins,
                    boolean::Reason::Interrupted => stopped(&task.context),
                    boolean::Reason::TooLarge => Reason::TooLarge,
                },
            ),
        })
    }
}
