//! From a question to a verdict.

use crate::account::Account;
use crate::context::{Context, Stopped};
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::further::Further;
use crate::input::Input;
use crate::lanes::{self, Lane};
use crate::meet::{self, Contradicted, Met};
use crate::prove::{self, Attempt};
use crate::run_folder::RunFolder;
use crate::search::{self, Found};
use crate::subject::{Question, Subject, Task};
use crate::vacuity;
use crate::verdict::{Proved, Reason, Safe, Scope, Unknown, Unsafe, Verdict};
use explore::Unconfirmed;
use std::sync::Arc;

/// What comes of a question.
pub enum Answer {
    Decided(Box<Decided>),
    /// Something that cannot be: never a verdict.
    Mistake(Box<Mistake>),
}

pub struct Decided {
    pub subject: Subject,
    pub verdict: Verdict,
    /// What the verdict is not about, and should be known all the same.
    pub caveats: Vec<Caveat>,
}

/// There is a violation at other sizes than the file declares, and the verdict is about those.
#[derive(Clone, Debug)]
pub struct Caveat {
    pub violated: Vec<(String, i64)>,
    pub declared: Vec<(String, i64)>,
    pub message: String,
}

/// A mistake of Cubist that it noticed itself, with everything that is needed to find it.
pub enum Mistake {
    /// What was proved is false in a state that the explorer reaches.
    Contradicted {
        subject: Subject,
        proved: Proved,
        found: Contradicted,
    },
    /// The run of a violation is not one by the other interpreter.
    Unconfirmed { found: Box<Refuted>, reason: Unconfirmed },
}

/// A violation that is not confirmed.
pub struct Refuted {
    pub input: Input,
    pub instance: system::instance::Instance,
    pub violation: explore::Violation,
}

/// Proves every property for every size, or finds a violation.
pub fn check(question: &Question, context: &Context) -> Result<Answer> {
    let mut subject = Subject::read(question)?;
    let warnings = vacuity::look(&subject.input, &subject.system, &context.solvers)?;
    subject.input.diagnostics.extend(warnings);
    context.tell(Event::Begun(&subject));
    let folder = RunFolder::open(question, &subject.input)?;
    let task = Task {
        question,
        subject: &subject,
        context: context.clone(),
        folder: folder.as_ref(),
    };
    let (verdict, caveat) = match decide(&task)? {
        End::Verdict(verdict) => (verdict, None),
        End::Contradicted(proved, found) => {
            return Ok(Answer::Mistake(Box::new(Mistake::Contradicted {
                proved,
                found: *found,
                subject,
            })));
        }
        End::Violation(found) => match confirmed(&task, *found)? {
            Confirmation::Mistake(mistake) => return Ok(Answer::Mistake(mistake)),
            Confirmation::Verdict(verdict) => (verdict, None),
            Confirmation::OtherSizes(narrower, caveat) => return narrowed(&narrower, caveat, context),
        },
    };
    Ok(Answer::Decided(Box::new(Decided {
        subject,
        verdict,
        caveats: Vec::from_iter(caveat),
    })))
}

/// The same question about the sizes that the file declares.
fn narrowed(question: &Question, caveat: Caveat, context: &Context) -> Result<Answer> {
    let mut answer = check(question, context)?;
    if let Answer::Decided(decided) = &mut answer {
        decided.caveats.insert(0, caveat);
    }
    Ok(answer)
}

enum End {
    Verdict(Verdict),
    Violation(Box<Found>),
    Contradicted(Proved, Box<Contradicted>),
}

/// Looks for a bug and for a proof, and holds what is proved against explored states. A bug has the first word,
/// whoever comes first: what is undefined is an error of a run, and arbitrary in a proof.
fn decide(task: &Task) -> Result<End> {
    let mut attempt = match both(task)? {
        (Some(found), _) => return Ok(End::Violation(Box::new(found))),
        (None, attempt) => attempt,
    };
    if let Attempt::Unproved(unknown) = &mut attempt
        && unknown.account.results.iter().any(|result| result.is_refuted())
    {
        task.context.tell(Event::Phase(Phase::FollowingRun));
        if let Some(found) = search::run(task, &unknown.account) {
            return Ok(End::Violation(Box::new(found)));
        }
    }
    let proved = match attempt {
        Attempt::Unproved(unknown) => return Ok(End::Verdict(Verdict::Unknown(unknown))),
        Attempt::Proved(proved) => *proved,
    };
    task.context.tell(Event::Phase(Phase::Meeting));
    match meet::meet(task, &proved) {
        Met::Agreed(agreement) => {
            if let Some(folder) = task.folder {
                let engine = proved.account.engine.map_or("", crate::engine::Engine::name);
                folder.finish(task.system(), engine, &proved.facts)?;
            }
            let scope = Scope {
                sizes: task.sizes().to_vec(),
            };
            Ok(End::Verdict(Verdict::Safe(Box::new(Safe::new(
                proved, agreement, scope,
            )))))
        }
        Met::Violation(found) => Ok(End::Violation(found)),
        Met::Contradiction(found) => Ok(End::Contradicted(proved, found)),
        Met::Stopped => Ok(End::Verdict(not_met(task, proved))),
    }
}

fn not_met(task: &Task, proved: Proved) -> Verdict {
    let stopped = task.context.stopped().unwrap_or(Stopped::Interrupted);
    Verdict::Unknown(Box::new(Unknown {
        reason: Reason::NotMet(stopped),
        account: proved.account,
        further: Further::unchecked(task),
        opinions: proved.certificate.opinions().to_vec(),
        certificate: None,
    }))
}

/// The search for bugs and the proof: one after the other where one thread is allowed, else both at once. When the
/// proof has failed, the search goes on to its floor; when there is a proof, nothing more is needed of it, since the
/// proof then meets as many states.
fn both(task: &Task) -> Result<(Option<Found>, Attempt)> {
    let context = &task.context;
    context.tell(Event::Phase(Phase::Searching));
    let nothing = || Attempt::Unproved(Box::new(Unknown::of(task, Reason::NotProved, Account::default())));
    if context.jobs == 1 {
        let enough = context.cancellation().child();
        enough.cancel();
        if let Some(found) = search::bug(task, &enough) {
            return Ok((Some(found), nothing()));
        }
        // On a thread of its own, as beside a search: Z3 answers by what its context has seen before.
        return std::thread::scope(|scope| {
            let proving = Lane::start(scope, context.cancellation(), || prove::prove(task))?;
            Ok((None, proving.result()?))
        });
    }
    let (searcher, prover) = (task.with(context.part()), task.with(context.part()));
    let bugs = searcher.context.cancellation();
    let enough = bugs.child();
    std::thread::scope(|scope| {
        let search = Lane::start(scope, bugs, || search::bug(&searcher, &enough))?;
        let proving = Lane::start(scope, prover.context.cancellation(), || prove::prove(&prover))?;
        while !search.is_over() && !proving.is_over() {
            lanes::wait();
        }
        if !proving.is_over() {
            return Ok(match search.result() {
                None => (None, proving.result()?),
                Some(found) => {
                    proving.stop();
                    let beside = Some(Arc::clone(prover.context.statistics()));
                    (Some(Found { beside, ..found }), nothing())
                }
            });
        }
        let attempt = proving.result()?;
        enough.cancel();
        if matches!(attempt, Attempt::Proved(_)) {
            bugs.cancel();
        }
        Ok((search.result(), attempt))
    })
}

enum Confirmation {
    Verdict(Verdict),
    Mistake(Box<Mistake>),
    OtherSizes(Question, Caveat),
}

/// Has a violation confirmed by another interpreter than the one that found it. Where the file as it is has none, the
/// question becomes one about the sizes that it declares.
fn confirmed(task: &Task, found: Found) -> Result<Confirmation> {
    let Some(violation) = found.violation() else {
        return Err(Error::refused("a search that found nothing has no run"));
    };
    let run = match explore::confirm(&found.instance, violation) {
        Ok(run) => run,
        Err(reason) => {
            let violation = violation.clone();
            let found = Box::new(Refuted {
                input: found.input,
                instance: found.instance,
                violation,
            });
            return Ok(Confirmation::Mistake(Box::new(Mistake::Unconfirmed { found, reason })));
        }
    };
    let types = search::only_at_other_sizes(task, &found.input);
    if types.is_empty() {
        let mut verdict = Unsafe::new(found.input, found.instance, found.outcome, run);
        verdict.beside = found.beside;
        return Ok(Confirmation::Verdict(Verdict::Unsafe(Box::new(verdict))));
    }
    let names: Vec<&str> = types.iter().map(|ty| ty.name.as_str()).collect();
    let sizes = |input: &Input| {
        let sizes = input.sizes().iter().filter(|ty| names.contains(&ty.name.as_str()));
        sizes.map(|ty| (ty.name.clone(), ty.size)).collect()
    };
    let caveat = Caveat {
        violated: sizes(&found.input),
        declared: sizes(&task.subject.input),
        message: run.violation().message.clone(),
    };
    let mut narrower = task.question.clone();
    narrower.reading.fixed.extend(types.into_iter().map(|ty| ty.name));
    // What is learned now is of no use for any size.
    (narrower.run, narrower.resume) = (None, None);
    Ok(Confirmation::OtherSizes(narrower, caveat))
}
