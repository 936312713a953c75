//! Boolean programs: the loop of SLAM, and facts about the unfolded program of what it finds.

use crate::blackboard::Blackboard;
use crate::engine::{Claim, Engine, SuspectedRun, Task};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::program::{ProgramTask, stopped};
use crate::reason::{Kind, Reason};
use slam::invariant::facts;
use slam::knowledge::Knowledge;
use slam::statements::Steps;
use slam::{Settings, SlamResult};
use unfold::frames::Frames;

const NAME: &str = "slam";

pub(crate) struct Slam;

impl Engine for Slam {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "Of C programs: by Boolean programs, as SLAM does"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Program]
    }

    fn applies(&self, task: &Task) -> bool {
        matches!(task, Task::Program(_))
    }

    fn run(&self, task: &Task, board: &Blackboard) -> Result<Claim> {
        match task {
            Task::Program(task) => find(task, board),
            _ => Err(Error::refused("SLAM is about programs")),
        }
    }
}

/// Runs the loop, beginning with what another run has learned, and keeping what this one learns.
fn find(task: &ProgramTask, board: &Blackboard) -> Result<Claim> {
    let (question, context) = (task.question, &task.context);
    let steps = Steps::new(Frames::new(question.program, task.points_to, &task.options));
    let vocabulary = steps.frames.vocabulary();
    let keep = |event: slam::Event| {
        context.tell(Event::Slam(event));
        if let (
            Some(folder),
            slam::Event::Searched {
                predicates,
                constraints,
                ..
            },
        ) = (&question.folder, event)
        {
            folder.keep_knowledge(false, &vocabulary, &|| Knowledge::of(predicates, constraints));
        }
    };
    let settings = Settings {
        solvers: &context.solvers,
        mode: question.slam.mode,
        longest: question.slam.longest,
        observer: &keep,
    };
    let mut engine = slam::Slam::new(steps, &settings).map_err(refused)?;
    if let Some(folder) = &question.folder {
        engine.begin_with(&folder.knowledge(&vocabulary)?).map_err(refused)?;
    }
    let outcome = engine.run().map_err(refused)?;
    *board.slam() = Some(engine.statistics);
    if let Some(folder) = &question.folder {
        let knowledge = || Knowledge::of(&engine.predicates, &engine.constraints);
        folder.keep_knowledge(true, &vocabulary, &knowledge);
    }
    let unknown = |reason| Ok(Claim::unknown(NAME, reason));
    match outcome {
        SlamResult::Safe(proved) => {
            // Without an unfolded program there is no certificate: the subject says why.
            let Some(unfolded) = task.unfolded else {
                return unknown(Reason::NoRun);
            };
            let (precision, cancellation) = (engine.precision(), context.cancellation());
            let (steps, cubes) = (&engine.steps, &mut engine.cubes);
            let facts = facts(steps, unfolded, cubes, precision, &proved, cancellation).map_err(refused)?;
            *board.slam() = Some(engine.statistics);
            match facts {
                Some(facts) => Ok(Claim::facts(NAME, facts)),
                None => unknown(Reason::TooWeak),
            }
        }
        SlamResult::Inputs(inputs) => Ok(Claim::Run(SuspectedRun::Inputs(inputs))),
        SlamResult::Interrupted => unknown(stopped(context)),
        SlamResult::NoDifference => unknown(Reason::NoDifference),
        SlamResult::Unclear => unknown(Reason::Unclear),
        SlamResult::TooLarge => unknown(Reason::TooLarge),
    }
}

fn refused(error: slam::Error) -> Error {
    match error {
        slam::Error::Solver(error) => Error::from(error),
        slam::Error::Boolean(error) => Error::refused(format!("the Boolean program of this program: {error}")),
    }
}
