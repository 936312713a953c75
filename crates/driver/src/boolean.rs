//! Boolean programs: Bebop, and what confirms its answers.
//!
//! A run is replayed by the interpreter. A proof becomes a certificate of the program as a transition system
//! (`boolean::lower`), which other solvers confirm; where the program is too large for that, it rests on Bebop's own
//! second routine, and the verdict says so.

use crate::account::{Account, Accounted};
use crate::blackboard::Blackboard;
use crate::context::Context;
use crate::engine::{Claim, SuspectedRun, Task};
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::mistake::{Mistake, MistakeKind};
use crate::portfolio::{Engines, PORTFOLIO, Row};
use crate::reason::{Kind, Reason};
use crate::solvers::solvers;
use crate::subject::{self, Answer, ProofAttempt, ProofAttemptOf, Subject};
use crate::verdict::Unknown;
use boolean::interpret::Interpreter;
use boolean::lower::{Lowered, lower_with_names};
use boolean::{Program, StatementId, Statistics, Trace};
use system::Sources;
use system::transition::{Fact, TransitionSystem};
use validate::Confirmed;

/// A Boolean program, and what is asked about it.
pub struct Question<'q> {
    pub program: &'q Program,
    pub sources: &'q Sources,
    /// What assertions are called.
    pub name: &'q (dyn Fn(StatementId) -> String + Sync),
    /// What the header of a certificate says of what was read.
    pub about: Vec<(&'static str, String)>,
    /// The engine that is to be used alone, by its name.
    pub engine: Option<&'static str>,
}

pub type Verdict = crate::verdict::Verdict<Proved, Trace>;

/// That no assertion can fail, and why.
pub struct Proved {
    pub account: Account,
    pub evidence: Evidence,
}

/// What a proof rests on.
pub enum Evidence {
    /// An invariant that solvers have confirmed.
    Certificate(Box<Confirmed>),
    /// Bebop's path edges and states, which a second routine of its own has confirmed: why there is no certificate.
    PathEdges(Reason),
}

impl Accounted for Proved {
    fn account_mut(&mut self) -> &mut Account {
        &mut self.account
    }
}

/// What is known of a Boolean program.
pub struct Decided {
    pub verdict: Verdict,
    /// How much work Bebop had.
    pub statistics: Statistics,
}

impl Decided {
    /// The certificate of a proof that solvers have confirmed.
    pub fn certificate(&self) -> Option<&Confirmed> {
        match &self.verdict {
            Verdict::Safe(proved) => match &proved.evidence {
                Evidence::Certificate(certificate) => Some(certificate),
                Evidence::PathEdges(_) => None,
            },
            Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        }
    }

    /// The engine that has answered, or was at work last.
    pub fn engine(&self) -> &'static str {
        let account = match &self.verdict {
            Verdict::Safe(proved) => Some(&proved.account),
            Verdict::Unknown(unknown) => Some(&unknown.account),
            Verdict::Unsafe(_) => None,
        };
        account.and_then(|account| account.engine).unwrap_or("bebop")
    }
}

/// What engines look at.
#[derive(Clone)]
pub struct BooleanTask<'t> {
    pub program: &'t Program,
    /// The program as a transition system, unless it is too large.
    pub lowered: Option<&'t Lowered<'t>>,
    pub context: Context<'t>,
}

impl BooleanTask<'_> {
    /// The system, where calls need no contracts.
    pub(crate) fn transitions(&self) -> Option<&TransitionSystem> {
        let lowered = self.lowered.filter(|lowered| lowered.calls.is_empty());
        lowered.map(|lowered| &lowered.system)
    }
}

/// Whether an assertion can fail, by the engines of this portfolio.
pub fn check_by(question: &Question, portfolio: &[Row], context: &Context) -> Result<Answer<Decided>> {
    let check = BooleanCheck {
        question,
        context: context.clone(),
        board: Blackboard::default(),
    };
    subject::check(check, Engines::new(portfolio, question.engine))
}

/// Whether an assertion can fail.
pub fn check(question: &Question, context: &Context) -> Result<Answer<Decided>> {
    check_by(question, &PORTFOLIO, context)
}

/// A Boolean program while it is checked.
struct BooleanCheck<'c> {
    question: &'c Question<'c>,
    context: Context<'c>,
    board: Blackboard,
}

type BooleanAttempt = ProofAttempt<Proved, Trace>;

impl Subject for BooleanCheck<'_> {
    type Proof = Proved;
    type Run = Trace;
    type Findings = BooleanAttempt;
    type Decided = Decided;

    fn first_runs(&self) -> Result<Option<BooleanAttempt>> {
        let is_nothing = self.question.program.assertions().is_empty();
        Ok(is_nothing.then(|| ProofAttempt::unproved(Reason::NothingToCheck(Kind::BooleanProgram))))
    }

    fn side_by_side(&self, engines: Engines) -> Result<BooleanAttempt> {
        let lowered = lower_with_names(self.question.program, self.question.name).ok();
        let task = Task::Boolean(BooleanTask {
            program: self.question.program,
            lowered: lowered.as_ref(),
            context: self.context.clone(),
        });
        engines.attempt(self, &task, &self.board)
    }

    fn validate(&self, task: &Task, claim: Claim) -> Result<ProofAttemptOf<Self>> {
        let Task::Boolean(task) = task else {
            return Err(Error::refused("the task is not about a Boolean program"));
        };
        Ok(match claim {
            Claim::Invariant(invariant, account) => match task.lowered {
                Some(lowered) => self.certified(lowered, &invariant.certificate.facts, account, &task.context),
                None => ProofAttempt::unproved(Reason::TooLarge),
            },
            Claim::PathEdges(facts, account) => self.confirmed(task, facts.as_deref(), account),
            Claim::Run(SuspectedRun::Boolean(trace)) => match Interpreter::new(self.question.program).replay(&trace) {
                Ok(()) => ProofAttempt::Violated(Box::new(trace)),
                Err(error) => {
                    let message = format!("the run that was found is none: {error}");
                    self.mistake(MistakeKind::UnconfirmedRun, message)
                }
            },
            Claim::Run(_) => ProofAttempt::unproved(Reason::NoRun),
            Claim::Contained(..) => return Err(Error::refused("a Boolean program is not a set of components")),
            Claim::Unknown(unknown) => ProofAttempt::Unproved(unknown),
            Claim::Mistake(message) => self.mistake(MistakeKind::WrongProof, message),
        })
    }

    fn conclude(self, attempt: BooleanAttempt, _: Engines) -> Result<Answer<Decided>> {
        let verdict = match attempt.verdict() {
            Ok(verdict) => verdict,
            Err(mistake) => return Ok(Answer::Mistake(mistake)),
        };
        let statistics = self.board.bebop().unwrap_or_default();
        Ok(Answer::Decided(Box::new(Decided { verdict, statistics })))
    }
}

impl BooleanCheck<'_> {
    fn mistake(&self, kind: MistakeKind, message: String) -> BooleanAttempt {
        let mistake = Mistake::about(self.question.sources, kind, message);
        ProofAttempt::Mistake(Box::new(
            mistake.with_file("program.txt", self.question.program.to_string()),
        ))
    }

    /// The facts of an engine that is not trusted, once their certificate is confirmed.
    fn certified(&self, lowered: &Lowered, facts: &[Fact], account: Account, context: &Context) -> BooleanAttempt {
        match self.certificate(lowered, facts, context) {
            Ok(certificate) => ProofAttempt::Proved(Box::new(Proved {
                account,
                evidence: Evidence::Certificate(Box::new(certificate)),
            })),
            Err(reason) if reason.is_refuted() => {
                let unknown = Unknown::without_proof(reason, account);
                ProofAttempt::Mistake(Box::new(Mistake::refuted(self.question.sources, &unknown)))
            }
            Err(reason) => ProofAttempt::unproved(reason),
        }
    }

    fn certificate(
        &self,
        lowered: &Lowered,
        facts: &[Fact],
        context: &Context,
    ) -> std::result::Result<Confirmed, Reason> {
        let proof = lowered.proof(facts).map_err(|_| Reason::TooWeak)?;
        let text = validate::certificate_text(&proof.system, &proof.certificate, &self.question.about);
        let text = text.map_err(Reason::NotCertifiable)?;
        let mut tell = |solver: &str| context.tell(Event::Phase(Phase::Confirming { solver }));
        Confirmed::of(text, &solvers(), context.cancellation(), &mut tell).map_err(Reason::Unconfirmed)
    }

    /// What Bebop has confirmed by itself, confirmed by solvers, too, where they can. A solver that refutes it has
    /// found a mistake.
    fn confirmed(&self, task: &BooleanTask, facts: Option<&[Fact]>, account: Account) -> BooleanAttempt {
        let lowered = task.lowered.filter(|lowered| lowered.is_certifiable());
        let certificate = match lowered.zip(facts) {
            Some((lowered, facts)) => self.certificate(lowered, facts, &task.context),
            None => Err(Reason::TooLargeToCertify),
        };
        let evidence = match certificate {
            Ok(certificate) => Evidence::Certificate(Box::new(certificate)),
            Err(reason) if reason.is_refuted() => {
                let message = format!("Bebop proves the program safe, and {reason}");
                return self.mistake(MistakeKind::WrongProof, message);
            }
            Err(reason) => Evidence::PathEdges(reason),
        };
        ProofAttempt::Proved(Box::new(Proved { account, evidence }))
    }
}
