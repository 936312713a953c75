//! Components in C against a state machine: the two-level loop, and what confirms its answers.
//!
//! A proof becomes a certificate, which a solver confirms that did not find it; what no solver can say (that the
//! search was closed, that runs of the interpreter have no other traces) is checked on what it claims. A violation
//! counts when the interpreter has made a run of each component that has its part of the trace.

use crate::account::{Account, Accounted};
use crate::blackboard::Blackboard;
use crate::context::Context;
use crate::engine::{Claim, SuspectedRun, Task};
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::mistake::{Mistake, MistakeKind};
use crate::portfolio::{Engines, PORTFOLIO, Row};
use crate::reason::Reason;
use crate::solvers::solvers;
use crate::subject::{self, Answer, ProofAttempt, ProofAttemptOf, Subject};
use conformance::assembly::{ClosedComponent, System};
use conformance::confirm::{self, Confirmation, ConfirmationError, Confirming};
use conformance::verify::{LoopStatistics, Options, TraceViolation};
use std::sync::Mutex;
use system::Sources;
use unfold::Undefinedness;

/// Components side by side, and what they must conform to.
pub struct Question<'q> {
    pub system: &'q System<'q>,
    /// The programs of the components.
    pub opened: &'q [ClosedComponent],
    pub undefined: Undefinedness,
    pub options: Options,
    /// What was read, each file with the name of its copy.
    pub sources: Vec<(String, Sources)>,
    /// What the header of a certificate says of what was read.
    pub about: Vec<(&'static str, String)>,
}

/// A trace that the specification does not have, and the inputs with which the interpreter has made it, component by
/// component.
pub struct Refuted {
    pub violation: TraceViolation,
    pub inputs: Vec<Vec<i128>>,
}

pub struct Proved {
    pub account: Account,
    pub confirmed: Confirmation,
}

impl Accounted for Proved {
    fn account_mut(&mut self) -> &mut Account {
        &mut self.account
    }
}

pub type Verdict = crate::verdict::Verdict<Proved, Refuted>;

/// What is known of components.
pub struct Decided {
    pub verdict: Verdict,
    /// Where the answer is not known: a trace that the specification does not have, of which no run could be made.
    pub suspected: Option<Box<TraceViolation>>,
    pub statistics: LoopStatistics,
}

/// What engines look at.
#[derive(Clone)]
pub struct ComponentsTask<'t> {
    pub question: &'t Question<'t>,
    pub context: Context<'t>,
}

/// Whether every trace of the components is one of the specification, by the engines of this portfolio.
pub fn check_by(question: &Question, portfolio: &[Row], context: &Context) -> Result<Answer<Decided>> {
    let check = ComponentsCheck {
        question,
        context: context.clone(),
        board: Blackboard::default(),
        suspected: Mutex::default(),
    };
    subject::check(check, Engines::new(portfolio, None))
}

/// Whether every trace of the components is one of the specification.
pub fn check(question: &Question, context: &Context) -> Result<Answer<Decided>> {
    check_by(question, &PORTFOLIO, context)
}

/// Components while they are checked.
struct ComponentsCheck<'c> {
    question: &'c Question<'c>,
    context: Context<'c>,
    board: Blackboard,
    suspected: Mutex<Option<Box<TraceViolation>>>,
}

type ComponentsAttempt = ProofAttempt<Proved, Refuted>;

impl Subject for ComponentsCheck<'_> {
    type Proof = Proved;
    type Run = Refuted;
    type Findings = ComponentsAttempt;
    type Decided = Decided;

    fn first_runs(&self) -> Result<Option<ComponentsAttempt>> {
        Ok(None)
    }

    fn side_by_side(&self, engines: Engines) -> Result<ComponentsAttempt> {
        let task = Task::Components(ComponentsTask {
            question: self.question,
            context: self.context.clone(),
        });
        engines.attempt(self, &task, &self.board)
    }

    fn validate(&self, _: &Task, claim: Claim) -> Result<ProofAttemptOf<Self>> {
        Ok(match claim {
            Claim::Contained(proof, account) => match self.confirmed(&proof) {
                Ok(confirmed) => ProofAttempt::Proved(Box::new(Proved { account, confirmed })),
                Err(error) => self.doubted(error),
            },
            Claim::Run(SuspectedRun::Components(violation)) => {
                let Question {
                    system,
                    opened,
                    undefined,
                    ..
                } = self.question;
                match confirm::violates(system, opened, &violation, *undefined) {
                    Ok(inputs) => ProofAttempt::Violated(Box::new(Refuted {
                        violation: *violation,
                        inputs,
                    })),
                    Err(error) => {
                        *self.suspected.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(violation);
                        self.doubted(error)
                    }
                }
            }
            Claim::Unknown(unknown) => ProofAttempt::Unproved(unknown),
            _ => return Err(Error::refused("the claim is not about components")),
        })
    }

    fn conclude(self, attempt: ComponentsAttempt, _: Engines) -> Result<Answer<Decided>> {
        let verdict = match attempt.verdict() {
            Ok(verdict) => verdict,
            Err(mistake) => return Ok(Answer::Mistake(mistake)),
        };
        let statistics = self.board.containment().take().unwrap_or_default();
        Ok(Answer::Decided(Box::new(Decided {
            verdict,
            suspected: self.suspected.into_inner().unwrap_or_default(),
            statistics,
        })))
    }
}

impl ComponentsCheck<'_> {
    fn confirmed(
        &self,
        proof: &conformance::verify::ConformanceProof,
    ) -> std::result::Result<Confirmation, ConfirmationError> {
        let (question, context) = (self.question, &self.context);
        let solvers: Vec<_> = solvers().into_iter().take(1).collect();
        if let [solver] = solvers.as_slice() {
            let solver = solver.name();
            context.tell(Event::Phase(Phase::Confirming { solver: &solver }));
        }
        let confirming = Confirming {
            finding: &context.solvers,
            solvers: &solvers,
            cancellation: context.cancellation(),
            undefined: question.undefined,
            is_over: &|| context.stopped().is_some(),
            about: &question.about,
        };
        confirm::conforms(question.system, question.opened, proof, &confirming)
    }

    /// What follows from a error: a mistake of Cubist is no verdict.
    fn doubted(&self, error: ConfirmationError) -> ComponentsAttempt {
        if !error.is_mistake() {
            return ProofAttempt::unproved(Reason::ConfirmationError(error));
        }
        ProofAttempt::Mistake(Box::new(Mistake {
            kind: match error {
                ConfirmationError::Contradicted => MistakeKind::ContradictedProof,
                ConfirmationError::Accepted => MistakeKind::UnconfirmedRun,
                ConfirmationError::Gap { .. } => MistakeKind::WrongSystem,
                _ => MistakeKind::WrongProof,
            },
            message: error.to_string(),
            sources: self.question.sources.clone(),
            files: Vec::new(),
        }))
    }
}
