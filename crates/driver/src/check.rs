//! From a question to a verdict.

use crate::behind::Disagreed;
use crate::beside::{self, Findings, Work};
use crate::context::{Context, Stopped};
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::exploration;
use crate::input::Input;
use crate::meet::{self, Contradicted, Explored, Met};
use crate::prove::Attempt;
use crate::reads::{self, Reads};
use crate::run_folder::RunFolder;
use crate::search::{self, Declared, Found};
use crate::subject::{Asked, Question, Subject, Written};
use crate::verdict::{Evidence, Proved, Reason, Safe, Scope, Unknown, Unsafe, Verdict};
use explore::Unconfirmed;
use std::collections::HashSet;
use std::sync::OnceLock;
use system::frontend::TypeSize;
use system::instance::Rule;
use system::transition::Fact;
use system::{Diagnostic, Span};

/// What comes of a question.
pub enum Answer {
    Decided(Box<Decided>),
    /// Something that cannot be: never a verdict.
    Mistake(Box<Mistake>),
}

pub struct Decided {
    pub written: Written,
    /// The model as proofs see it. None where no proof began.
    pub subject: Option<Subject>,
    pub verdict: Verdict,
    /// What the verdict is not about, and should be known all the same.
    pub caveats: Vec<Caveat>,
}

impl Decided {
    /// The instances of which something is known that is no matter of safety.
    pub fn explored(&self) -> Vec<Explored> {
        let of = |instance, outcome| vec![Explored::of(&self.written.input, instance, outcome)];
        match &self.verdict {
            Verdict::Safe(safe) => match safe.evidence() {
                Evidence::Proof(proof) => proof.agreement().instances.clone(),
                Evidence::Exploration(seen) => of(&seen.instance, seen.confirmed().outcome()),
            },
            Verdict::Unknown(unknown) => {
                let explored = unknown.explored.as_ref();
                explored
                    .map(|(instance, outcome)| of(instance, outcome))
                    .unwrap_or_default()
            }
            Verdict::Unsafe(_) => Vec::new(),
        }
    }

    /// What is to be decided: names and places.
    pub fn stated(&self, only: &[String]) -> Vec<(String, Span)> {
        // Whether a proof had begun when a run was found is a matter of time.
        match (&self.subject, &self.verdict) {
            (Some(subject), Verdict::Safe(_) | Verdict::Unknown(_)) => subject.stated(),
            _ => self.written.stated(only),
        }
    }

    /// The model, with all that is known of the sizes at which proofs take its types.
    pub fn input(&self) -> &Input {
        self.subject
            .as_ref()
            .map_or(&self.written.input, |subject| &subject.input)
    }
}

/// There is a violation at other sizes than the file declares, and the verdict is about those.
#[derive(Clone, Debug)]
pub struct Caveat {
    pub violated: Vec<(String, i64)>,
    pub declared: Vec<(String, i64)>,
    /// Whether a proof could be about these sizes, too. Else they are values of a constant.
    pub in_proofs: bool,
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
    /// From a state behind a guard the explorer makes a step that the system does not.
    Disagreed {
        subject: Subject,
        proved: Proved,
        found: Disagreed,
    },
    /// The run of a violation is not one by the other interpreter.
    Unconfirmed { found: Box<Refuted>, reason: Unconfirmed },
    /// The states of a safe file are not, by the other interpreter.
    NotAgain { input: Input, reason: Unconfirmed },
}

/// A violation that is not confirmed.
pub struct Refuted {
    pub input: Input,
    pub instance: system::instance::Instance,
    pub violation: explore::Violation,
}

/// Looks at the file as it is written and at other sizes, and for a proof for every size: see `beside`.
pub fn check(question: &Question, context: &Context) -> Result<Answer> {
    decide(question, context, beside::findings)
}

/// The verdict that facts lead to which somebody believes to be an inductive invariant that proves the properties. They
/// are confirmed and held against explored states as those of any engine are.
pub fn given(question: &Question, facts: &[Fact], context: &Context) -> Result<Answer> {
    decide(question, context, |work| beside::given(work, facts))
}

pub(crate) fn decide(
    question: &Question,
    context: &Context,
    find: impl FnOnce(Work) -> Result<Findings>,
) -> Result<Answer> {
    let written = Written::read(question)?;
    context.tell(Event::Begun(&written));
    let folder = RunFolder::open(question, &written.input)?;
    let (lowered, asserting, induction) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
    let asked = Asked {
        question,
        written: &written,
        context: context.clone(),
    };
    let work = Work {
        asked: &asked,
        folder: folder.as_ref(),
        lowered: &lowered,
        asserting: &asserting,
        induction: &induction,
    };
    let mut end = conclude(work, find(work)?)?;
    // What the verdict is about, where a proof excludes reads of undefined values.
    let is_asserting = matches!(&end, End::Verdict(Verdict::Safe(safe), _) if safe.excludes_reads())
        || matches!(&end, End::Contradicted(proved, _) if proved.excludes_reads);
    if let End::Verdict(Verdict::Safe(safe), None) = &end
        && let Some((names, found)) = search::with_constants(&asked, &narrowed_by(&asked, safe))
    {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match caveat(&asked, found, &names, false)? {
            Ok(found) => {
                if let End::Verdict(_, caveat) = &mut end {
                    *caveat = Some(found);
                }
            }
            Err(mistake) => end = mistake,
        }
    }
    if let (End::Verdict(verdict, _), Some(steps)) = (&mut end, induction.into_inner()) {
        verdict.explain(steps);
    }
    let (verdict, caveats) = match end {
        End::Verdict(verdict, caveat) => (verdict, Vec::from_iter(caveat)),
        End::Narrower(narrower, caveat) => return narrowed(&narrower, caveat, context),
        End::Mistake(mistake) => return Ok(Answer::Mistake(mistake)),
        End::Contradicted(proved, found) => {
            let asserting = asserting.into_inner().filter(|_| is_asserting);
            let Some(subject) = asserting.or(lowered.into_inner().flatten()) else {
                return Err(Error::refused("there is a proof of no system"));
            };
            return Ok(Answer::Mistake(Box::new(match *found {
                Against::State(found) => Mistake::Contradicted { proved, found, subject },
                Against::Step(found) => Mistake::Disagreed { proved, found, subject },
            })));
        }
    };
    let asserting = asserting.into_inner().filter(|_| is_asserting);
    let (mut written, mut subject) = (written, lowered.into_inner().flatten());
    if let Some(mut asserting) = asserting {
        let told = subject.map(|subject| subject.input.diagnostics);
        asserting.input.diagnostics = told.unwrap_or_default();
        subject = Some(asserting);
    }
    let warnings = never_fired(&written, &verdict);
    let lowered = subject.iter_mut().map(|subject| &mut subject.input);
    lowered
        .chain([&mut written.input])
        .for_each(|input| warn(input, &warnings));
    Ok(Answer::Decided(Box::new(Decided {
        subject,
        written,
        verdict,
        caveats,
    })))
}

/// The types of any size that the proof is about one size of.
fn narrowed_by(asked: &Asked, safe: &Safe) -> Vec<String> {
    let Evidence::Proof(_) = safe.evidence() else {
        return Vec::new();
    };
    let types = asked.instances().sizes().iter().filter(|ty| ty.is_any());
    let is_fixed = |name: &str| safe.scope().sizes.iter().any(|ty| ty.name == name && !ty.is_any());
    types
        .filter(|ty| is_fixed(&ty.name))
        .map(|ty| ty.name.clone())
        .collect()
}

/// Warnings about rules that fire in no state, where all there are were seen.
fn never_fired(written: &Written, verdict: &Verdict) -> Vec<Diagnostic> {
    let Verdict::Safe(safe) = verdict else {
        return Vec::new();
    };
    let Evidence::Exploration(seen) = safe.evidence() else {
        return Vec::new();
    };
    if written.has_any_size() {
        return Vec::new();
    }
    let never = seen.confirmed().outcome().statistics.never_fired(&seen.instance);
    let warning = |rule: &&Rule| {
        let message = format!("the rule \"{}\" can never fire", rule.name);
        Diagnostic::warning(rule.span, message).label("its guard holds in no reachable state")
    };
    never.iter().map(warning).collect()
}

/// Adds warnings, except for those that the solver gave before.
fn warn(input: &mut Input, warnings: &[Diagnostic]) {
    let known = input.diagnostics.iter().map(|known| known.message.as_str());
    let known: HashSet<&str> = known.collect();
    let new = warnings
        .iter()
        .filter(|warning| !known.contains(warning.message.as_str()));
    let new: Vec<Diagnostic> = new.cloned().collect();
    input.diagnostics.extend(new);
}

/// The same question with some types at the sizes that the file declares.
fn narrowed(question: &Question, caveat: Caveat, context: &Context) -> Result<Answer> {
    let mut answer = check(question, context)?;
    if let Answer::Decided(decided) = &mut answer {
        decided.caveats.insert(0, caveat);
    }
    Ok(answer)
}

enum End {
    Verdict(Verdict, Option<Caveat>),
    Narrower(Box<Question>, Caveat),
    Mistake(Box<Mistake>),
    Contradicted(Proved, Box<Against>),
}

/// What a proof is wrong about.
pub(crate) enum Against {
    State(Contradicted),
    Step(Disagreed),
}

/// What follows from what was found out. A bug has the first word, whoever comes first: what is undefined is an error
/// of a run, and arbitrary in a proof.
fn conclude(work: Work, findings: Findings) -> Result<End> {
    let asked = work.asked;
    let Findings {
        declared,
        elsewhere,
        proving,
    } = findings;
    let declared = match (declared, elsewhere) {
        (Some(declared), _) if declared.is_violated() => return violated(declared.found),
        (declared, Some(found)) => return violation_elsewhere(asked, found, declared),
        (Some(declared), None) if beside::is_all(asked, &declared) => return seen_all(asked, declared, None, None),
        (declared, None) => declared,
    };
    let attempt = match proving {
        Some(attempt) => attempt?,
        None => return Err(Error::refused("nobody has an answer")),
    };
    match (attempt, declared) {
        (Attempt::Proved(proved), declared) => met(work, *proved, declared),
        (Attempt::Unproved(unknown), declared) => unproved(asked, *unknown, declared),
    }
}

/// There is no proof for every size, or none that one can be sure of: what is known of the file as it is written stays.
fn unproved(asked: &Asked, unknown: Unknown, declared: Option<Declared>) -> Result<End> {
    match declared {
        Some(declared) if declared.is_safe() && !unknown.reason.is_nothing() => {
            seen_all(asked, declared, Some(unknown), None)
        }
        declared => {
            let unknown = Unknown {
                explored: declared.map(|declared| (declared.found.instance, declared.found.outcome)),
                ..unknown
            };
            Ok(End::Verdict(Verdict::Unknown(Box::new(unknown)), None))
        }
    }
}

/// A proof is held against explored states.
fn met(work: Work, proved: Proved, declared: Option<Declared>) -> Result<End> {
    let asked = work.asked;
    let Some(subject) = work.subject() else {
        return Err(Error::refused("there is a proof of no system"));
    };
    let task = work.task(subject, &asked.context);
    task.context.tell(Event::Phase(Phase::Meeting));
    match meet::meet(&task, &proved) {
        Met::Agreed(agreement) => {
            if let Some(folder) = task.folder {
                let engine = proved.account.engine.map_or("", crate::engine::Engine::name);
                folder.finish(task.system(), engine, &proved.facts)?;
            }
            let scope = Scope {
                sizes: task.sizes().to_vec(),
            };
            let safe = match reads::look(work, subject, &proved)? {
                Reads::None => Safe::by_proof(proved, agreement, scope, Vec::new()),
                Reads::Open(places) => Safe::by_proof(proved, agreement, scope, places),
                Reads::Excluded(excluded) => {
                    let (excluding, agreement) = *excluded;
                    Safe::by_proof(proved.excluding_reads(excluding), agreement, scope, Vec::new())
                }
                Reads::Run(found) => return violation_elsewhere(asked, *found, declared),
                Reads::Contradicted(excluding, found) => {
                    return Ok(End::Contradicted(proved.excluding_reads(*excluding), found));
                }
            };
            Ok(End::Verdict(Verdict::Safe(Box::new(safe)), None))
        }
        Met::Violation(found) => violation_elsewhere(asked, *found, declared),
        Met::Contradiction(found) => Ok(End::Contradicted(proved, Box::new(Against::State(*found)))),
        Met::Disagreement(found) => Ok(End::Contradicted(proved, Box::new(Against::Step(*found)))),
        Met::Stopped => {
            let stopped = task.context.stopped().unwrap_or(Stopped::Interrupted);
            let unknown = Unknown {
                opinions: proved.certificate.opinions().to_vec(),
                ..Unknown::of(&task, Reason::NotMet(stopped), proved.account)
            };
            unproved(asked, unknown, declared)
        }
    }
}

/// A violation, confirmed by another interpreter than the one that found it.
fn violated(found: Found) -> Result<End> {
    let Some(violation) = found.violation() else {
        return Err(Error::refused("a search that found nothing has no run"));
    };
    Ok(match explore::confirm(&found.instance, violation) {
        Ok(run) => {
            let mut verdict = Unsafe::new(found.input, found.instance, found.outcome, run);
            verdict.beside = found.beside;
            End::Verdict(Verdict::Unsafe(Box::new(verdict)), None)
        }
        Err(reason) => {
            let violation = violation.clone();
            let found = Box::new(Refuted {
                input: found.input,
                instance: found.instance,
                violation,
            });
            End::Mistake(Box::new(Mistake::Unconfirmed { found, reason }))
        }
    })
}

/// A violation at other sizes than the file declares. Where the file as it is written has none, the question becomes
/// one about the sizes that it declares.
fn violation_elsewhere(asked: &Asked, found: Found, declared: Option<Declared>) -> Result<End> {
    let types = search::other_than_declared(asked, &found.input);
    if types.is_empty() {
        return violated(found);
    }
    let again = || {
        search::declared(
            asked,
            Some(search::PATIENCE),
            search::AGAIN,
            &mut explore::SilentObserver,
        )
    };
    let is_known = |declared: &Declared| declared.is_safe() || declared.is_violated();
    let declared = match declared.filter(is_known).or_else(again) {
        Some(declared) if declared.is_safe() => declared,
        Some(declared) if declared.is_violated() => return violated(declared.found),
        _ => return violated(found),
    };
    let names: Vec<&str> = types.iter().map(|ty| ty.name.as_str()).collect();
    let caveat = match caveat(asked, found, &names, true)? {
        Ok(caveat) => caveat,
        Err(mistake) => return Ok(mistake),
    };
    let is_left = |ty: &TypeSize| ty.is_any() && !names.contains(&ty.name.as_str());
    if !asked.instances().sizes().iter().any(is_left) {
        return seen_all(asked, declared, None, Some(caveat));
    }
    let mut narrower = asked.question.clone();
    narrower.reading.fixed.extend(types.into_iter().map(|ty| ty.name));
    // What is learned now is of no use for any size.
    (narrower.run, narrower.resume) = (None, None);
    Ok(End::Narrower(Box::new(narrower), caveat))
}

/// What is to be said of a violation at other sizes of these types, where it is confirmed; else what that is.
fn caveat(asked: &Asked, found: Found, names: &[&str], in_proofs: bool) -> Result<std::result::Result<Caveat, End>> {
    let (message, taken) = match violated(found)? {
        End::Verdict(Verdict::Unsafe(other), _) => (other.run().violation().message.clone(), other.input),
        end => return Ok(Err(end)),
    };
    let sizes = |input: &Input| {
        let sizes = input.sizes().iter().filter(|ty| names.contains(&ty.name.as_str()));
        sizes.map(|ty| (ty.name.clone(), ty.size)).collect()
    };
    Ok(Ok(Caveat {
        violated: sizes(&taken),
        declared: sizes(&asked.written.input),
        in_proofs,
        message,
    }))
}

/// The file as it is written is safe: another interpreter than the one that explored it says the same.
fn seen_all(asked: &Asked, declared: Declared, beyond: Option<Unknown>, caveat: Option<Caveat>) -> Result<End> {
    let (context, found) = (&asked.context, declared.found);
    let confirmed = match declared.again {
        Some(Ok(confirmed)) => confirmed,
        Some(Err(reason)) => {
            let input = found.input;
            return Ok(End::Mistake(Box::new(Mistake::NotAgain { input, reason })));
        }
        None => return Err(Error::refused("not all states were seen")),
    };
    if let (Some(stopped), false) = (context.stopped(), confirmed.is_enough()) {
        let account = beyond.map(|beyond| beyond.account).unwrap_or_default();
        let unknown = Unknown {
            explored: Some((found.instance, confirmed.outcome().clone())),
            ..Unknown::without_proof(Reason::NotMet(stopped), account)
        };
        return Ok(End::Verdict(Verdict::Unknown(Box::new(unknown)), caveat));
    }
    // Where there are no other sizes, nothing is unknown.
    let beyond = beyond.filter(|_| asked.written.has_any_size());
    let certificate = exploration::text(asked, &confirmed);
    let safe = Safe::by_exploration(&found.input, found.instance, confirmed, certificate, beyond);
    Ok(End::Verdict(Verdict::Safe(Box::new(safe)), caveat))
}
