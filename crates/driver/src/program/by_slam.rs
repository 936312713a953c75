//! The loop of SLAM, and what is made of what it finds.
//!
//! *Safe* takes the same certificate as other proofs: what the Boolean program knows at the cut points of the unfolded
//! program. *Unsafe* takes a run of the interpreter, and gcc's program must not contradict.

use super::search::Search;
use super::verdict::{Reason, Safe, Verdict};
use super::{Attempt, Question, established, finished, said, stopped};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use analysis::points_to::PointsTo;
use interpret::Executable;
use slam::invariant::facts;
use slam::knowledge::Knowledge;
use slam::statements::Steps;
use slam::{Outcome, Proved, Settings, Slam, Statistics};
use unfold::frames::Frames;
use unfold::{Options, UnfoldError, unfold};

/// How the loop is to work.
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub mode: slam::Mode,
    /// The greatest length of cubes.
    pub longest: usize,
}

impl Default for How {
    fn default() -> How {
        How {
            mode: slam::Mode::default(),
            longest: slam::LONGEST,
        }
    }
}

/// What Cubist says of a program by Boolean programs alone, and how much work that was.
pub fn check_by_slam(question: &Question, how: How, context: &Context) -> Result<(Verdict, Statistics)> {
    let (verdict, work) = decide(question, how, context)?;
    Ok((said(question, verdict, context)?, work))
}

fn decide(question: &Question, how: How, context: &Context) -> Result<(Verdict, Statistics)> {
    if question.program.properties.is_empty() {
        return Ok((Verdict::unknown(Reason::NothingToCheck), Statistics::default()));
    }
    let executable = Executable::new(question.program);
    let search = Search::new(question, &executable);
    let points_to = PointsTo::of(question.program);
    if let Some(proved) = finished(question, &search, &points_to, context)? {
        return Ok((search.believed(proved, context), Statistics::default()));
    }
    let [options, _] = question.options();
    context.tell(Event::Phase(Phase::Proving));
    let steps = Steps::new(Frames::new(question.program, &points_to, &options));
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
        mode: how.mode,
        longest: how.longest,
        observer: &keep,
    };
    let mut engine = Slam::new(steps, &settings).map_err(refused)?;
    if let Some(folder) = &question.folder {
        engine.begin_with(&folder.knowledge(&vocabulary)?).map_err(refused)?;
    }
    let outcome = engine.run().map_err(refused)?;
    if let Some(folder) = &question.folder {
        let knowledge = || Knowledge::of(&engine.predicates, &engine.constraints);
        folder.keep_knowledge(true, &vocabulary, &knowledge);
    }
    let verdict = match outcome {
        Outcome::Safe(proved) => prove(question, &search, &points_to, &options, &mut engine, &proved, context)?,
        // Numbers that addresses become are known to nobody but the interpreter: it looks by itself, too.
        Outcome::Inputs(inputs) => match search.made(inputs.clone()).or_else(|| search.first_runs(context)) {
            Some(found) => Verdict::Unsafe(Box::new(found)),
            None => Verdict::unknown(Reason::Unreal {
                runs: 1,
                undefined: search.undefined(inputs),
                approximated: None,
            }),
        },
        _ if context.stopped().is_some() => Verdict::unknown(stopped(context)),
        Outcome::Interrupted => Verdict::unknown(stopped(context)),
        Outcome::NoDifference => Verdict::unknown(Reason::NoDifference),
        Outcome::Unclear => Verdict::unknown(Reason::Unclear),
        Outcome::TooLarge => Verdict::unknown(Reason::TooLarge),
    };
    Ok((search.believed(verdict, context), engine.statistics))
}

fn refused(error: slam::Error) -> Error {
    match error {
        slam::Error::Solver(error) => Error::from(error),
        slam::Error::Boolean(error) => Error::refused(format!("the Boolean program of this program: {error}")),
    }
}

fn prove(
    question: &Question,
    search: &Search,
    points_to: &PointsTo,
    options: &Options,
    engine: &mut Slam,
    proved: &Proved,
    context: &Context,
) -> Result<Verdict> {
    let is_over = || context.stopped().is_some();
    let unfolded = match unfold(question.program, points_to, options, &is_over) {
        Ok(unfolded) => unfolded,
        Err(UnfoldError::Stopped) => return Ok(Verdict::unknown(stopped(context))),
        Err(refusal) => return Ok(Verdict::unknown(Reason::NotUnfolded(refusal))),
    };
    let precision = engine.precision();
    let cancellation = context.cancellation();
    let facts = facts(
        &engine.steps,
        &unfolded,
        &mut engine.cubes,
        precision,
        proved,
        cancellation,
    )
    .map_err(refused)?;
    let Some(facts) = facts else {
        let reason = if is_over() { stopped(context) } else { Reason::NoFacts };
        return Ok(Verdict::unknown(reason));
    };
    Ok(match established(question, search, &unfolded, facts, context) {
        Attempt::Proved(proved) => Verdict::Safe(Box::new(Safe::new(*proved))),
        Attempt::Failed(_) if is_over() => Verdict::unknown(stopped(context)),
        Attempt::Failed(reason) => Verdict::unknown(reason),
        Attempt::Refuted => Verdict::unknown(Reason::NoRun),
    })
}
