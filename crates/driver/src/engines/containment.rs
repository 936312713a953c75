//! Containment of traces: predicate abstraction of each component, and abstraction by actions of what comes of it.

use crate::account::Account;
use crate::blackboard::Blackboard;
use crate::engine::{Claim, Engine, SuspectedRun, Task};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::reason::{Kind, Reason};
use conformance::verify::{LoopVerdict, Progress, verify};

const NAME: &str = "containment";

pub(crate) struct Containment;

impl Engine for Containment {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "Of components: by two levels of abstraction and containment of traces"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Components]
    }

    fn applies(&self, task: &Task) -> bool {
        matches!(task, Task::Components(_))
    }

    fn run(&self, task: &Task, board: &Blackboard) -> Result<Claim> {
        let Task::Components(task) = task else {
            return Err(Error::refused("containment of traces is about components"));
        };
        let (question, context) = (task.question, &task.context);
        let mut tell = |progress: Progress| context.tell(Event::Contained(progress));
        let is_over = || context.stopped().is_some();
        let outcome = verify(
            question.system,
            &question.options,
            &context.solvers,
            &mut tell,
            &is_over,
        );
        *board.containment() = Some(outcome.statistics);
        let account = Account {
            engine: Some(NAME),
            ..Account::default()
        };
        Ok(match outcome.verdict {
            LoopVerdict::Conforms(proof) => Claim::Contained(proof, account),
            LoopVerdict::Violates(violation) => Claim::Run(SuspectedRun::Components(violation)),
            LoopVerdict::Unknown(reason) => Claim::unknown(NAME, Reason::Containment(reason)),
        })
    }
}
