//! Horn clauses: the invariant that Spacer finds of a program's flow graph.

use crate::blackboard::Blackboard;
use crate::engine::{Claim, Engine, SuspectedRun, Task};
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::program::ProgramTask;
use crate::reason::{Kind, Reason};
use abstraction::horn;
use logic::Term;

const NAME: &str = "horn";

pub(crate) struct Horn;

impl Engine for Horn {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "Of C programs: by constrained Horn clauses and Spacer"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Program]
    }

    fn applies(&self, task: &Task) -> bool {
        matches!(task, Task::Program(task) if task.flow.is_some())
    }

    /// Begins with lemmas of another run, and keeps those of this one.
    fn run(&self, task: &Task, _: &Blackboard) -> Result<Claim> {
        let Task::Program(ProgramTask {
            question,
            unfolded: Some(unfolded),
            flow: Some(flow),
            context,
            ..
        }) = task
        else {
            return Err(Error::refused("Horn clauses are about programs"));
        };
        let Some(solver) = smt::horn_solver() else {
            return Ok(Claim::unknown(NAME, Reason::NoSolver));
        };
        let options = unfolded.options();
        let folder = question.folder.as_ref().filter(|_| !options.by_contracts);
        let lemmas: Vec<Term> = folder.map_or(Ok(Vec::new()), |folder| folder.lemmas(options, flow.system))?;
        context.tell(Event::Phase(Phase::Proving));
        let settings = horn::Settings {
            solver: &solver,
            solvers: &context.solvers,
            deadline: context.deadline,
            cancellation: context.cancellation(),
            believed: &lemmas,
            observer: &|event: horn::Event| {
                if let Some(folder) = folder {
                    folder.keep_lemmas(options, flow.system, event.facts);
                }
                context.tell(Event::Level(event.level));
            },
        };
        Ok(match horn::solve(flow, &settings) {
            Ok(horn::HornResult::Invariant(facts)) => Claim::facts(NAME, facts),
            Ok(horn::HornResult::Refuted) => Claim::Run(SuspectedRun::Somewhere),
            Ok(horn::HornResult::Unknown(reason)) => Claim::unknown(NAME, Reason::Undecided(reason)),
            // It is a process of its own: a run may still be found.
            Err(error) => Claim::unknown(NAME, Reason::SolverFailed(error.to_string())),
        })
    }
}
