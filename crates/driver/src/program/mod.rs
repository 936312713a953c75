//! From a program to a verdict.
//!
//! The program is unfolded into a transition system. Then three look at it: Horn clauses for an invariant, whose
//! certificate must be confirmed as any other; the solver at longer and longer runs of the system; and the interpreter
//! at runs on small inputs and random ones. A run is believed when the interpreter has made it, and gcc's program does
//! not contradict.
//!
//! `by_slam` is another way, by Boolean programs: what it finds is believed for the same reasons.

mod by_slam;
mod compiled;
mod search;
mod verdict;

pub use by_slam::{How, check_by_slam};
pub use verdict::{Compiled, Placed, Proved, Reason, Safe, Unknown, Unsafe, Verdict};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::lanes::STACK;
use crate::solvers::solvers;
use abstraction::horn::{self, Flow};
use analysis::points_to::PointsTo;
use interpret::{Executable, Limits};
use search::{Looked, Search};
use system::certificate::Certificate;
use system::program::Program;
use system::transition::Fact;
use unfold::{Options, Refusal, Undefinedness, Unfolded, unfold};
use validate::Confirmed;

/// With one thread, long runs that are looked at after so many rules are looked at before a proof.
const LONG_FIRST: usize = 4;

/// A program, and what is asked about it.
pub struct Question<'q> {
    pub program: &'q Program,
    pub undefined: Undefinedness,
    /// What the header of a certificate says of what was read.
    pub about: Vec<(&'static str, String)>,
    /// Of runs.
    pub memory: Option<u64>,
    pub seed: u64,
    /// The program as gcc compiles it, where runs are to be made by gcc, too.
    pub source: Option<harness::Source>,
}

impl Question<'_> {
    /// How the interpreter runs the program. To read what nobody gave a value is to read an input.
    pub fn limits(&self) -> Limits {
        let undefined = match self.undefined {
            Undefinedness::Wraps => interpret::UndefinedMode::Wrap,
            Undefinedness::Absent => interpret::UndefinedMode::Report,
            Undefinedness::Unbounded => interpret::UndefinedMode::Unbounded,
        };
        let defaults = interpret::search::Options::default().limits;
        Limits {
            undefined,
            uninitialised: interpret::Uninitialised::Input,
            memory: self.memory.unwrap_or(defaults.memory),
            ..defaults
        }
    }

    /// The ways in which the program is unfolded: a proof is about one of them.
    pub fn options(&self) -> [Options; 2] {
        [false, true].map(|exact_products| Options {
            undefined: self.undefined,
            exact_products,
            ..Options::default()
        })
    }
}

/// What Cubist says of a program.
pub fn check(question: &Question, context: &Context) -> Result<Verdict> {
    Ok(match decide(question, context)? {
        Verdict::Unsafe(found) => compiled::confirmed(question, found, context),
        verdict => verdict,
    })
}

fn decide(question: &Question, context: &Context) -> Result<Verdict> {
    if question.program.properties.is_empty() {
        return Ok(Verdict::unknown(Reason::NothingToCheck));
    }
    let executable = Executable::new(question.program);
    let search = Search::new(question, &executable);
    context.tell(Event::Phase(Phase::Searching));
    // However fast a proof is: these runs are made first, and would contradict it.
    if let Some(found) = search.first_runs(context) {
        return Ok(Verdict::Unsafe(Box::new(found)));
    }
    let points_to = PointsTo::of(question.program);
    let [linear, exact] = question.options();
    let (verdict, has_products) = with(question, &search, &points_to, &linear, context)?;
    // Products may have been anything: then a run that nobody can make says little.
    let verdict = match verdict {
        Verdict::Unknown(unknown) if has_products && matches!(unknown.reason, Reason::Unreal { .. }) => {
            with(question, &search, &points_to, &exact, context)?.0
        }
        verdict => verdict,
    };
    Ok(match verdict {
        Verdict::Unknown(_) => match search.all_long_runs(context) {
            Some(found) => Verdict::Unsafe(Box::new(found)),
            None => verdict,
        },
        verdict => verdict,
    })
}

/// What is said of the program when it is unfolded so, and whether it has products of unknowns.
fn with(
    question: &Question,
    search: &Search,
    points_to: &PointsTo,
    options: &Options,
    context: &Context,
) -> Result<(Verdict, bool)> {
    let is_over = || context.stopped().is_some();
    let unfolded = match unfold(question.program, points_to, options, &is_over) {
        Ok(unfolded) => unfolded,
        Err(Refusal::Stopped) => return Ok((Verdict::unknown(stopped(context)), false)),
        Err(refusal) => return Ok((search.rest(context, Reason::NotUnfolded(refusal)), false)),
    };
    let Some(mut flow) = Flow::of(&unfolded.system) else {
        return Err(Error::refused("the system of a program has arrays"));
    };
    flow.without_dead_edges(&context.solvers)?;
    let flow = flow.split(&context.solvers)?;
    let verdict = beside(question, search, &unfolded, &flow, context)?;
    Ok((verdict, unfolded.has_products))
}

/// The proof and the search for a run, at the same time where there are threads for both.
fn beside(
    question: &Question,
    search: &Search,
    unfolded: &Unfolded,
    flow: &Flow,
    context: &Context,
) -> Result<Verdict> {
    let (proving, looking) = (context.part(), context.part());
    if context.jobs == 1 {
        // A proof may take all the time that there is.
        if let Some(found) = (1..=LONG_FIRST).find_map(|depth| search.long_runs(depth, &looking)) {
            return Ok(Verdict::Unsafe(Box::new(found)));
        }
        let proof = prove(question, unfolded, flow, &proving)?.met(search, unfolded);
        let looked = match proof {
            Attempt::Proved(_) => Looked::Nothing,
            Attempt::Refuted | Attempt::Failed(_) => search.runs(unfolded, flow, &looking)?,
        };
        return Ok(conclude(proof, looked, context));
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("proof".to_owned()).stack_size(STACK);
        let prover = builder.spawn_scoped(scope, || {
            let proof = prove(question, unfolded, flow, &proving);
            if matches!(proof, Ok(Attempt::Proved(_))) {
                looking.cancellation().cancel();
            }
            proof
        });
        let prover = prover.map_err(|error| Error::refused(format!("no thread can be started: {error}")))?;
        let looked = search.runs(unfolded, flow, &looking);
        if matches!(looked, Ok(Looked::Violation(_))) {
            proving.cancellation().cancel();
        }
        let proof = prover.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(conclude(proof.met(search, unfolded), looked?, context))
    })
}

/// A run has the first word.
fn conclude(proof: Attempt, looked: Looked, context: &Context) -> Verdict {
    let reason = match (looked, proof) {
        (Looked::Violation(found), _) => return Verdict::Unsafe(found),
        (_, Attempt::Proved(proved)) => return Verdict::Safe(Box::new(Safe::new(*proved))),
        (Looked::TooDeep, _) => Reason::Recursion,
        (Looked::Unreal { runs }, _) => Reason::Unreal { runs },
        (Looked::Nothing, _) if context.stopped().is_some() => stopped(context),
        (Looked::Nothing, Attempt::Failed(reason)) => reason,
        (Looked::Nothing, Attempt::Refuted) => Reason::NoRun,
    };
    Verdict::unknown(reason)
}

fn stopped(context: &Context) -> Reason {
    Reason::Stopped(context.stopped().unwrap_or(crate::context::Stopped::Interrupted))
}

/// What comes of an attempt to prove everything.
enum Attempt {
    Proved(Box<Proved>),
    /// The solver says that there is a run.
    Refuted,
    Failed(Reason),
}

impl Attempt {
    /// A proof is held against runs of the program: each must be one of the system.
    fn met(self, search: &Search, unfolded: &Unfolded) -> Attempt {
        match self {
            Attempt::Proved(proved) => match search.agreement(unfolded) {
                Ok(runs) => Attempt::Proved(Box::new(Proved { runs, ..*proved })),
                Err(inputs) => Attempt::Failed(Reason::Contradicted { inputs }),
            },
            other => other,
        }
    }
}

fn prove(question: &Question, unfolded: &Unfolded, flow: &Flow, context: &Context) -> Result<Attempt> {
    let Some(solver) = smt::installed_solvers()
        .into_iter()
        .find(|solver| solver.name() == "z3")
    else {
        return Ok(Attempt::Failed(Reason::NoSolver));
    };
    context.tell(Event::Phase(Phase::Proving));
    let settings = horn::Settings {
        solver: &solver,
        timeout: context
            .deadline
            .map(|deadline| deadline.saturating_duration_since(std::time::Instant::now())),
        cancellation: context.cancellation(),
    };
    Ok(match horn::solve(flow, &settings) {
        Ok(horn::Outcome::Invariant(facts)) => certified(question, unfolded, facts, context),
        Ok(horn::Outcome::Refuted) => Attempt::Refuted,
        Ok(horn::Outcome::Unknown(reason)) => Attempt::Failed(Reason::Undecided(reason)),
        // It is a process of its own: a run may still be found.
        Err(error) => Attempt::Failed(Reason::SolverFailed(error.to_string())),
    })
}

/// Facts that an engine believes in, after others have looked at their certificate.
fn certified(question: &Question, unfolded: &Unfolded, facts: Vec<Fact>, context: &Context) -> Attempt {
    let certificate = Certificate {
        properties: unfolded.system.properties.iter().map(|p| p.name.clone()).collect(),
        facts,
        ..Certificate::default()
    };
    let text = match validate::certificate_text(&unfolded.system, &certificate, &question.about) {
        Ok(text) => text,
        Err(error) => return Attempt::Failed(Reason::NotCertifiable(error)),
    };
    let mut tell = |solver: &str| context.tell(Event::Phase(Phase::Confirming { solver }));
    match Confirmed::of(text, &solvers(), context.cancellation(), &mut tell) {
        Ok(confirmed) => Attempt::Proved(Box::new(Proved {
            invariant: certificate
                .facts
                .iter()
                .filter_map(|fact| placed(unfolded, fact))
                .collect(),
            certificate: confirmed,
            locations: unfolded.locations,
            rules: unfolded.system.rules.len(),
            state: unfolded.system.state.len(),
            runs: 0,
        })),
        Err(unconfirmed) => Attempt::Failed(Reason::Unconfirmed(unconfirmed)),
    }
}

/// A fact of a cut point.
fn placed(unfolded: &Unfolded, fact: &Fact) -> Option<Placed> {
    let (node, formula) = unfolded.located(fact.formula)?;
    let (span, calls) = unfolded.place(node)?;
    // Before the user's first procedure there is nothing to say.
    (!calls.is_empty()).then_some(Placed { span, calls, formula })
}
