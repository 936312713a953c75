//! The road that every input takes, from a subject to an answer.
//!
//! A subject is what a verdict is about: a model, a program, a Boolean program, or components with a specification.
//! Engines make claims about the systems that a subject lowers to; only the subject makes a proof or a run of a claim,
//! by code that no engine shares.
//!
//! ```text
//! check:  runs that are found at once                       subject.first_runs
//!         search for runs, beside engines:                  subject.side_by_side
//!             claim <- engine.run(task, blackboard)             the portfolio
//!             attempt <- subject.validate(task, claim)
//!         answer <- what follows, cross-checked             subject.conclude
//! ```

use crate::account::{Account, Accounted};
use crate::engine::{Claim, Task};
use crate::error::Result;
use crate::mistake::Mistake;
use crate::portfolio::Engines;
use crate::reason::Reason;
use crate::verdict::{Unknown, Verdict};

/// What a verdict is about.
pub(crate) trait Subject: Sync + Sized {
    /// A validated proof.
    type Proof: Accounted + Send;
    /// A run into a violation, reproduced by another semantics than the one that found it.
    type Run: Send;
    /// What was found out, before it is known what follows from it.
    type Findings;
    /// What is said in the end.
    type Decided;

    /// Runs that are looked for before anything is proved.
    fn first_runs(&self) -> Result<Option<Self::Findings>>;

    /// Searches for a run and, beside it, for a proof of the systems that the subject lowers to.
    fn side_by_side(&self, engines: Engines) -> Result<Self::Findings>;

    /// What follows from the claim of an engine: it is not trusted.
    fn validate(&self, task: &Task, claim: Claim) -> Result<ProofAttemptOf<Self>>;

    /// The answer. A proof is cross-checked against concrete states.
    fn conclude(self, findings: Self::Findings, engines: Engines) -> Result<Answer<Self::Decided>>;
}

/// What comes of the attempt to prove everything.
pub(crate) enum ProofAttempt<Proof, Run> {
    Proved(Box<Proof>),
    Violated(Box<Run>),
    Unproved(Box<Unknown>),
    Mistake(Box<Mistake>),
}

impl<Proof, Run> ProofAttempt<Proof, Run> {
    pub(crate) fn unproved(reason: Reason) -> Self {
        ProofAttempt::Unproved(Box::new(Unknown::without_proof(reason, Account::default())))
    }

    /// What is said of the subject, unless that would be a mistake.
    pub(crate) fn verdict(self) -> std::result::Result<Verdict<Proof, Run>, Box<Mistake>> {
        match self {
            ProofAttempt::Proved(proof) => Ok(Verdict::Safe(proof)),
            ProofAttempt::Violated(run) => Ok(Verdict::Unsafe(run)),
            ProofAttempt::Unproved(unknown) => Ok(Verdict::Unknown(unknown)),
            ProofAttempt::Mistake(mistake) => Err(mistake),
        }
    }
}

pub(crate) type ProofAttemptOf<S> = ProofAttempt<<S as Subject>::Proof, <S as Subject>::Run>;

/// What comes of a check.
pub enum Answer<D> {
    Decided(Box<D>),
    /// A mistake of Cubist that it noticed itself: never a verdict.
    Mistake(Box<Mistake>),
}

/// The way from a subject to an answer.
pub(crate) fn check<S: Subject>(subject: S, engines: Engines) -> Result<Answer<S::Decided>> {
    let findings = match subject.first_runs()? {
        Some(findings) => findings,
        None => subject.side_by_side(engines)?,
    };
    subject.conclude(findings, engines)
}
