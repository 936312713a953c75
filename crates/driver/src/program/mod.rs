//! C programs: from a program to a verdict.
//!
//! The program is unfolded into a transition system. Engines look for an invariant of it, whose certificate must be
//! confirmed as any other; beside them the solver looks at longer and longer runs of the system, and the interpreter at
//! runs on small inputs and random ones. A run counts when the interpreter reproduces it, and gcc's program does not
//! contradict.
//!
//! Where a procedure may call itself more often than is inlined, a second system takes its calls by contracts, and
//! beside it more calls are inlined. What engines learn may be kept in a `run_folder`.

mod compiled;
mod crosscheck;
mod hazards;
pub mod recursion;
mod run_folder;
mod search;
#[cfg(test)]
mod tests;
mod verdict;

pub use crosscheck::{CrossChecked, cross_check};
pub use hazards::{Exclusion, HazardSite};
pub use run_folder::RunFolder;
pub use verdict::{Compiled, LocatedFact, Proved, ProvedContract, Unsafe, Verdict};

use crate::account::Account;
use crate::blackboard::Blackboard;
use crate::context::Context;
use crate::engine::{Claim, SuspectedRun, Task};
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::lanes::Lane;
use crate::mistake::{Mistake, MistakeKind};
use crate::portfolio::{Engines, PORTFOLIO, Row};
use crate::reason::{Kind, Reason, RecursionFailure};
use crate::solvers::solvers;
use crate::subject::{self, Answer, ProofAttempt, ProofAttemptOf, Subject};
use crate::verdict::Unknown;
use abstraction::horn::{Called, Flow};
use analysis::points_to::PointsTo;
use interpret::{Executable, RunLimits};
use search::{Search, UnrollingOutcome};
use system::Sources;
use system::certificate::Certificate;
use system::program::{ProcedureId, Program};
use system::transition::Fact;
use unfold::contracts::recursive;
use unfold::{Contract, Node, Options, Undefinedness, UnfoldError, Unfolded, unfold};
use validate::Confirmed;

/// With one thread, long runs that are looked at after so many rules are looked at before a proof.
const LONG_FIRST: usize = 4;
/// Programs with more locations are proved by contracts first, where procedures call themselves.
const SMALL: usize = 20_000;
/// How many calls of a procedure in each other are looked at for a violation, where there is no proof.
const DEPTHS: [usize; 5] = [2, 4, 8, 16, 32];

/// How the loop of SLAM works.
#[derive(Clone, Copy, Debug)]
pub struct SlamOptions {
    pub mode: slam::Mode,
    /// The greatest length of cubes.
    pub longest: usize,
}

impl Default for SlamOptions {
    fn default() -> SlamOptions {
        SlamOptions {
            mode: slam::Mode::default(),
            longest: slam::LONGEST,
        }
    }
}

/// A program, and what is asked about it.
pub struct Question<'q> {
    pub program: &'q Program,
    /// What the program was read from.
    pub sources: &'q Sources,
    /// The engine that is to be used alone, by its name.
    pub engine: Option<&'static str>,
    pub slam: SlamOptions,
    pub undefined: Undefinedness,
    /// Whether there is memory behind the end of each object in runs. Proofs are about programs without: then there is
    /// none.
    pub memory_behind: bool,
    /// What the header of a certificate says of what was read.
    pub about: Vec<(&'static str, String)>,
    /// Of runs.
    pub memory: Option<u64>,
    pub seed: u64,
    /// The program as gcc compiles it, where runs are to be made by gcc, too.
    pub source: Option<harness::Source>,
    /// Where what is learned is kept.
    pub folder: Option<RunFolder>,
}

impl<'q> Question<'q> {
    /// Everything as it is where the user says nothing, without gcc.
    pub fn new(program: &'q Program, sources: &'q Sources, undefined: Undefinedness) -> Question<'q> {
        Question {
            program,
            sources,
            engine: None,
            slam: SlamOptions::default(),
            undefined,
            memory_behind: false,
            about: Vec::new(),
            memory: None,
            seed: 0,
            source: None,
            folder: None,
        }
    }

    /// How the interpreter runs the program. To read what nobody gave a value is to read an input.
    pub fn limits(&self) -> RunLimits {
        let undefined = match self.undefined {
            Undefinedness::Wraps => interpret::UndefinedMode::Wrap,
            Undefinedness::Absent => interpret::UndefinedMode::Report,
            Undefinedness::Unbounded => interpret::UndefinedMode::Unbounded,
        };
        let defaults = interpret::search::SearchOptions::default().limits;
        RunLimits {
            undefined,
            uninitialised: interpret::Uninitialized::Input,
            memory: self.memory.unwrap_or(defaults.memory),
            fixed_memory: true,
            memory_behind: self.memory_behind,
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

/// What is known of a program.
pub struct Decided {
    pub verdict: Verdict,
    /// How much work the loop of SLAM was, where the user names it.
    pub slam: Option<slam::Statistics>,
}

/// Whether no run of a program violates a property, by the engines of this portfolio.
pub fn check_by(question: &Question, portfolio: &[Row], context: &Context) -> Result<Answer<Decided>> {
    let executable = Executable::new(question.program);
    let check = ProgramCheck {
        question,
        search: &Search::new(question, &executable),
        points_to: &PointsTo::of(question.program),
        context: context.clone(),
        board: Blackboard::default(),
    };
    subject::check(check, Engines::new(portfolio, question.engine))
}

/// Whether no run of a program violates a property.
pub fn check(question: &Question, context: &Context) -> Result<Answer<Decided>> {
    check_by(question, &PORTFOLIO, context)
}

/// A program while it is checked.
struct ProgramCheck<'c> {
    question: &'c Question<'c>,
    search: &'c Search<'c>,
    points_to: &'c PointsTo,
    context: Context<'c>,
    board: Blackboard,
}

/// What engines look at.
#[derive(Clone)]
pub struct ProgramTask<'t> {
    pub question: &'t Question<'t>,
    /// The program as a transition system; none for engines that only need the program.
    pub unfolded: Option<&'t Unfolded<'t>>,
    /// The same for solvers of Horn clauses.
    pub(crate) flow: Option<&'t Flow<'t>>,
    pub(crate) points_to: &'t PointsTo,
    pub(crate) options: Options,
    pub context: Context<'t>,
}

type ProgramAttempt = ProofAttempt<Proved, Unsafe>;

/// The engine that works on procedures, and searches for runs by itself.
const BY_PROCEDURES: &str = "slam";

impl Subject for ProgramCheck<'_> {
    type Proof = Proved;
    type Run = Unsafe;
    type Findings = ProgramAttempt;
    type Decided = Decided;

    fn first_runs(&self) -> Result<Option<ProgramAttempt>> {
        if self.question.program.properties.is_empty() {
            return Ok(Some(ProofAttempt::unproved(Reason::NothingToCheck(Kind::Program))));
        }
        if self.question.engine != Some(BY_PROCEDURES) {
            self.context.tell(Event::Phase(Phase::Searching));
            // However fast a proof is: these runs come first, and would contradict it.
            if let Some(found) = self.search.first_runs(&self.context) {
                return Ok(Some(ProofAttempt::Violated(Box::new(found))));
            }
        }
        self.resumed()
    }

    fn side_by_side(&self, engines: Engines) -> Result<ProgramAttempt> {
        let [linear, exact] = self.question.options();
        if self.question.engine == Some(BY_PROCEDURES) {
            return self.by_procedures(engines, linear);
        }
        let (attempt, has_products) = self.unfolded_by(engines, &linear)?;
        // Products may have been anything: then a spurious run says little.
        let attempt = match attempt {
            ProofAttempt::Unproved(unknown) if has_products && matches!(unknown.reason, Reason::Spurious { .. }) => {
                self.unfolded_by(engines, &exact)?.0
            }
            attempt => attempt,
        };
        Ok(self.or_long_runs(attempt))
    }

    fn validate(&self, task: &Task, claim: Claim) -> Result<ProofAttemptOf<Self>> {
        let Task::Program(task) = task else {
            return Err(Error::refused("the task is not about a program"));
        };
        Ok(match claim {
            Claim::Invariant(invariant, account) => match task.unfolded {
                Some(unfolded) => {
                    // Facts of a Boolean program may be too weak once calls are inlined. All others are proved.
                    let may_be_wrong = account.engine == Some(BY_PROCEDURES);
                    let facts = invariant.certificate.facts;
                    match self.established(unfolded, facts, account, &task.context) {
                        ProofAttempt::Unproved(unknown) if unknown.reason.is_refuted() && !may_be_wrong => {
                            ProofAttempt::Mistake(Box::new(Mistake::refuted(self.question.sources, &unknown)))
                        }
                        attempt => attempt,
                    }
                }
                None => ProofAttempt::unproved(Reason::NoRun),
            },
            Claim::Run(SuspectedRun::Inputs(inputs)) => {
                let made = self.search.reproduced(inputs.clone());
                // Only the interpreter knows the numbers of addresses: it looks by itself, too.
                match made.or_else(|| self.search.first_runs(&task.context)) {
                    Some(found) => ProofAttempt::Violated(Box::new(found)),
                    None => ProofAttempt::unproved(Reason::Spurious {
                        runs: 1,
                        undefined: self.search.undefined(inputs),
                        approximated: None,
                    }),
                }
            }
            Claim::Unknown(unknown) => ProofAttempt::Unproved(unknown),
            _ => ProofAttempt::unproved(Reason::NoRun),
        })
    }

    fn conclude(self, attempt: ProgramAttempt, _: Engines) -> Result<Answer<Decided>> {
        // A proof takes runs to end at the ends of objects. Where there is memory behind, the interpreter goes on.
        let attempt = match attempt {
            ProofAttempt::Proved(_) if self.question.memory_behind => {
                self.or_long_runs(self.search.rest(&self.context, Reason::Behind))
            }
            attempt => attempt,
        };
        let attempt = match attempt {
            ProofAttempt::Violated(found) => compiled::confirmed(self.question, found, &self.context),
            attempt => attempt,
        };
        let verdict = match attempt.verdict() {
            Ok(verdict) => verdict,
            Err(mistake) => return Ok(Answer::Mistake(mistake)),
        };
        if let (Verdict::Unknown(_), Some(folder)) = (&verdict, &self.question.folder) {
            // Then what was learned must have been kept.
            folder.failure()?;
        }
        let is_wanted = self.question.engine == Some(BY_PROCEDURES);
        let slam = is_wanted.then(|| self.board.slam().unwrap_or_default());
        Ok(Answer::Decided(Box::new(Decided { verdict, slam })))
    }
}

impl ProgramCheck<'_> {
    /// A violation that takes a long run, where nothing else is known.
    fn or_long_runs(&self, attempt: ProgramAttempt) -> ProgramAttempt {
        match attempt {
            ProofAttempt::Unproved(unknown) => match self.search.all_long_runs(&self.context) {
                Some(found) => ProofAttempt::Violated(Box::new(found)),
                None => ProofAttempt::Unproved(unknown),
            },
            attempt => attempt,
        }
    }

    /// The proof that another run found, where that is one: it is confirmed as any other.
    fn resumed(&self) -> Result<Option<ProgramAttempt>> {
        let (question, context) = (self.question, &self.context);
        let Some(text) = question.folder.as_ref().and_then(RunFolder::certificate) else {
            return Ok(None);
        };
        let Ok(certificate) = validate::parse_certificate(&text) else {
            return Ok(None);
        };
        let lines = |word: &str| certificate.header.get(word).map(Vec::as_slice);
        for options in question.options().map(|options| recursion::recorded(options, lines)) {
            let Ok(unfolded) = self.unfold(&options, context) else {
                continue;
            };
            let exclusion = Exclusion::recorded(&unfolded, lines);
            let Ok(facts) = validate::stated_facts(&text, &exclusion.system(&unfolded)) else {
                continue;
            };
            if let ProofAttempt::Proved(proved) = self.established(&unfolded, facts, Account::default(), context) {
                return Ok(Some(ProofAttempt::Proved(proved)));
            }
        }
        Ok(None)
    }

    fn unfold(&self, options: &Options, context: &Context) -> std::result::Result<Unfolded<'_>, UnfoldError> {
        unfold(self.question.program, self.points_to, options, &|| {
            context.stopped().is_some()
        })
    }

    fn task<'t>(
        &'t self,
        unfolded: Option<&'t Unfolded<'t>>,
        flow: Option<&'t Flow<'t>>,
        options: &Options,
        context: &Context<'t>,
    ) -> Task<'t> {
        Task::Program(ProgramTask {
            question: self.question,
            unfolded,
            flow,
            points_to: self.points_to,
            options: *options,
            context: context.clone(),
        })
    }

    /// What engines make of a system.
    fn prove(
        &self,
        engines: Engines,
        unfolded: &Unfolded<'_>,
        flow: &Flow<'_>,
        context: &Context<'_>,
    ) -> Result<ProgramAttempt> {
        let task = self.task(Some(unfolded), Some(flow), unfolded.options(), context);
        engines.attempt(self, &task, &self.board)
    }

    /// What the engine comes to that works on procedures. The unfolded program is only needed for a certificate.
    fn by_procedures(&self, engines: Engines, options: Options) -> Result<ProgramAttempt> {
        let context = &self.context;
        context.tell(Event::Phase(Phase::Proving));
        let unfolded = self.unfold(&options, context);
        let task = self.task(unfolded.as_ref().ok(), None, &options, context);
        Ok(match (engines.attempt(self, &task, &self.board)?, unfolded) {
            (ProofAttempt::Unproved(_), Err(UnfoldError::Stopped)) => ProofAttempt::unproved(stopped(context)),
            (ProofAttempt::Unproved(unknown), Err(refusal)) if matches!(unknown.reason, Reason::NoRun) => {
                ProofAttempt::unproved(Reason::NotUnfolded(refusal))
            }
            (ProofAttempt::Unproved(_), _) if context.stopped().is_some() => ProofAttempt::unproved(stopped(context)),
            (attempt, _) => attempt,
        })
    }

    /// What comes of the program when it is unfolded by these options, and whether it has products of unknowns.
    fn unfolded_by(&self, engines: Engines, options: &Options) -> Result<(ProgramAttempt, bool)> {
        let (question, context) = (self.question, &self.context);
        let is_recursive = recursive(question.program, self.points_to).is_ok_and(|procedures| !procedures.is_empty());
        let limited = Options {
            locations: if is_recursive { SMALL } else { options.locations },
            ..*options
        };
        let unfolded = match self.unfold(&limited, context) {
            Ok(unfolded) => unfolded,
            Err(UnfoldError::Stopped) => return Ok((ProofAttempt::unproved(stopped(context)), false)),
            Err(_) if is_recursive => return self.only_by_contracts(engines, options),
            Err(refusal) => return Ok((self.search.rest(context, Reason::NotUnfolded(refusal)), false)),
        };
        let flow = flow_of(&unfolded, context)?;
        let inlined = Inlined {
            check: self,
            engines,
            unfolded: &unfolded,
            flow: &flow,
            options,
        };
        let attempt = match inlined.side_by_side()? {
            ProofAttempt::Unproved(unknown)
                if matches!(unknown.reason, Reason::Recursion(RecursionFailure::Refuted)) =>
            {
                match self.deeper(options)? {
                    Some(found) => ProofAttempt::Violated(found),
                    None => self.search.rest(context, unknown.reason),
                }
            }
            attempt => attempt,
        };
        Ok((attempt, unfolded.has_products))
    }

    /// The program as a system whose procedures that call themselves have contracts.
    fn unfold_by_contracts(
        &self,
        options: &Options,
        context: &Context,
    ) -> std::result::Result<Unfolded<'_>, UnfoldError> {
        let options = Options {
            by_contracts: true,
            ..*options
        };
        self.unfold(&options, context)
    }

    /// Looks for contracts and a proof by them. The Horn clauses of such a system are not linear: their solver finds
    /// the contracts together with all other invariants. Put into the system, they make it an ordinary one.
    fn prove_by_contracts(&self, engines: Engines, unfolded: &Unfolded, context: &Context) -> Result<ProgramAttempt> {
        let Some(mut flow) = Flow::with_calls(&unfolded.system, calls(unfolded)) else {
            return Err(Error::refused("the system of a program has arrays"));
        };
        flow.without_dead_edges(&context.solvers)?;
        self.prove(engines, unfolded, &flow, context)
    }

    /// What is said of a program that is too large with all calls inlined, and whether it has products of unknowns.
    fn only_by_contracts(&self, engines: Engines, options: &Options) -> Result<(ProgramAttempt, bool)> {
        let context = &self.context;
        let unfolded = match self.unfold_by_contracts(options, context) {
            Ok(unfolded) => unfolded,
            Err(refusal) => {
                let reason = Reason::Recursion(RecursionFailure::Refused(refusal));
                return Ok((self.search.rest(context, reason), false));
            }
        };
        let attempt = match self.prove_by_contracts(engines, &unfolded, context)? {
            ProofAttempt::Unproved(_) if context.stopped().is_some() => ProofAttempt::unproved(stopped(context)),
            ProofAttempt::Unproved(unknown) => match self.deeper(options)? {
                Some(found) => ProofAttempt::Violated(found),
                None => self.search.rest(context, Reason::Recursion(deep(unknown.reason))),
            },
            attempt => attempt,
        };
        Ok((attempt, unfolded.has_products))
    }

    /// A run into a violation with more calls in each other than are inlined for a proof, or with fewer where these
    /// are too many.
    fn deeper(&self, options: &Options) -> Result<Option<Box<Unsafe>>> {
        let context = &self.context;
        for recursion in DEPTHS {
            let options = Options {
                recursion,
                locations: SMALL,
                ..*options
            };
            let Ok(unfolded) = self.unfold(&options, context) else {
                break;
            };
            let Some(mut flow) = Flow::of(&unfolded.system) else {
                break;
            };
            let rules = &unfolded.system.rules;
            flow.edges
                .retain(|edge| unfolded.end_of(&rules[edge.rule]) != Some(Node::TooDeep));
            flow.without_dead_edges(&context.solvers)?;
            match self.search.runs(&unfolded, &flow, context)? {
                UnrollingOutcome::Violation(found) => return Ok(Some(found)),
                UnrollingOutcome::TooDeep | UnrollingOutcome::Spurious { .. } | UnrollingOutcome::Nothing => {}
            }
        }
        Ok(None)
    }

    /// The facts that an engine claims, once their certificate is confirmed and cross-checked against runs.
    fn established(
        &self,
        unfolded: &Unfolded,
        facts: Vec<Fact>,
        account: Account,
        context: &Context,
    ) -> ProgramAttempt {
        let contracts = match unfolded.signatures.is_empty() {
            true => Ok(Vec::new()),
            false => unfolded.contracts(&facts),
        };
        let contracts = match contracts {
            Ok(contracts) => contracts,
            Err(refused) => return ProofAttempt::unproved(Reason::NotUnfolded(UnfoldError::NoContract(refused))),
        };
        let proof = Proof {
            question: self.question,
            unfolded,
            contracts: &contracts,
        };
        let mut proved = Err(Reason::TooWeak);
        for (facts, exclusion) in hazards::excluded(unfolded, &contracts, facts, context) {
            proved = proof.certified(facts, &exclusion, context);
            // What is not confirmed with all of this may be so with less.
            let is_too_much = matches!(proved, Err(Reason::Unconfirmed(_) | Reason::NotCertifiable(_)));
            if !is_too_much || context.stopped().is_some() {
                break;
            }
        }
        match proved {
            Ok(proved) => self.cross_checked(Proved { account, ..proved }, unfolded, &contracts, context),
            Err(reason) => ProofAttempt::Unproved(Box::new(Unknown::without_proof(reason, account))),
        }
    }

    /// A proof is cross-checked against runs of the program: each must be one of the system.
    fn cross_checked(
        &self,
        proved: Proved,
        unfolded: &Unfolded,
        contracts: &[Contract],
        context: &Context,
    ) -> ProgramAttempt {
        let mistake = |kind, message: String| {
            let mistake = Mistake::about(self.question.sources, kind, message);
            let mistake = mistake.with_file("certificate.smt2", proved.certificate.text().to_owned());
            ProofAttempt::Mistake(Box::new(mistake))
        };
        let system = unfolded.with_contracts(unfolded.system.clone(), contracts);
        let checked = match cross_check(self.question, unfolded, &system, context) {
            Ok(checked) => checked,
            Err(what) => {
                let message = format!(
                    "there is a proof, but the system that it is about does not do what the program does: {what}"
                );
                return mistake(MistakeKind::WrongSystem, message);
            }
        };
        match self.search.agreement(unfolded, contracts) {
            Ok(agreed) => ProofAttempt::Proved(Box::new(Proved {
                runs: agreed.runs,
                prefixes: agreed.prefixes,
                checked,
                contracts: contracts.iter().map(|contract| promised(unfolded, contract)).collect(),
                ..proved
            })),
            Err(inputs) => {
                let message = format!(
                    "there is a proof, but the run of the program with the inputs {inputs:?} is none of the system that it \
                     is about"
                );
                mistake(MistakeKind::ContradictedProof, message)
            }
        }
    }
}

/// The flow of a program for a proof: edges that no run takes are gone, and locations are split by what is known there.
fn flow_of<'u>(unfolded: &'u Unfolded, context: &Context) -> Result<Flow<'u>> {
    let Some(mut flow) = Flow::of(&unfolded.system) else {
        return Err(Error::refused("the system of a program has arrays"));
    };
    flow.without_dead_edges(&context.solvers)?;
    Ok(flow.split(&context.solvers)?)
}

/// The calls of a system by contracts.
fn calls(unfolded: &Unfolded) -> Vec<Called> {
    let signature = |procedure: ProcedureId| unfolded.signatures.iter().find(|known| known.procedure == procedure);
    let called = unfolded.calls.iter().filter_map(|call| {
        let signature = signature(call.procedure)?;
        Some(Called {
            at: call.at,
            entry: signature.entry,
            exit: signature.exit,
            given: call.given.clone(),
            returned: call.returned.clone(),
        })
    });
    called.collect()
}

/// A program with its calls inlined, up to a depth.
struct Inlined<'i, 'c> {
    check: &'i ProgramCheck<'c>,
    engines: Engines<'i>,
    unfolded: &'i Unfolded<'i>,
    flow: &'i Flow<'i>,
    options: &'i Options,
}

impl Inlined<'_, '_> {
    /// The proof and the search for a run, at the same time where there are threads for both.
    fn side_by_side(&self) -> Result<ProgramAttempt> {
        let (check, search, context) = (self.check, self.check.search, &self.check.context);
        let (proving, looking) = (context.part(), context.part());
        let inlining = proving.part();
        if context.jobs == 1 {
            // A proof may take all the time that there is.
            if let Some(found) = (1..=LONG_FIRST).find_map(|depth| search.long_runs(depth, &looking)) {
                return Ok(ProofAttempt::Violated(Box::new(found)));
            }
            let attempt = check.prove(self.engines, self.unfolded, self.flow, &inlining)?;
            if !matches!(attempt, ProofAttempt::Unproved(_)) {
                return Ok(attempt);
            }
            let looked = search.runs(self.unfolded, self.flow, &looking)?;
            if matches!(looked, UnrollingOutcome::TooDeep)
                && let Some(attempt) = self.with_more_calls(&looking)?
            {
                return Ok(attempt);
            }
            let attempt = match looked {
                UnrollingOutcome::Violation(_) => attempt,
                _ => self.or_by_contracts(attempt, &proving)?,
            };
            return Ok(conclude(attempt, looked, context));
        }
        std::thread::scope(|scope| {
            let prove = || {
                let attempt = check.prove(self.engines, self.unfolded, self.flow, &inlining)?;
                let attempt = self.or_by_contracts(attempt, &proving);
                if matches!(attempt, Ok(ProofAttempt::Proved(_) | ProofAttempt::Mistake(_))) {
                    looking.cancellation().cancel();
                }
                attempt
            };
            let prover = Lane::start(scope, proving.cancellation(), prove)?;
            let looked = search.runs(self.unfolded, self.flow, &looking);
            let mut deeper = Ok(None);
            match looked {
                Ok(UnrollingOutcome::Violation(_)) => proving.cancellation().cancel(),
                Ok(UnrollingOutcome::TooDeep) => {
                    // So there is no proof with these calls inlined.
                    inlining.cancellation().cancel();
                    deeper = self.with_more_calls(&looking);
                }
                _ => {}
            }
            if let Ok(Some(_)) = deeper {
                proving.cancellation().cancel();
            }
            let attempt = prover.result()?;
            Ok(match deeper? {
                Some(deeper) => deeper,
                None => conclude(attempt, looked?, context),
            })
        })
    }

    /// Proof and search with more and more calls inlined, until there are enough for either.
    fn with_more_calls(&self, context: &Context) -> Result<Option<ProgramAttempt>> {
        let check = self.check;
        for recursion in recursion::DEEPER {
            let options = Options {
                recursion,
                locations: SMALL,
                ..*self.options
            };
            let Ok(unfolded) = check.unfold(&options, context) else {
                break;
            };
            let flow = flow_of(&unfolded, context)?;
            match check.prove(self.engines, &unfolded, &flow, context)? {
                // More calls are needed.
                ProofAttempt::Unproved(unknown) if matches!(unknown.reason, Reason::NoRun) => {}
                ProofAttempt::Unproved(_) => break,
                attempt => return Ok(Some(attempt)),
            }
            if let UnrollingOutcome::Violation(found) = check.search.runs(&unfolded, &flow, context)? {
                return Ok(Some(ProofAttempt::Violated(found)));
            }
        }
        Ok(None)
    }

    /// Another proof, where procedures may call themselves more often than is inlined.
    fn or_by_contracts(&self, attempt: ProgramAttempt, context: &Context) -> Result<ProgramAttempt> {
        let is_deep = self.unfolded.nodes.contains(&Node::TooDeep);
        if !matches!(attempt, ProofAttempt::Unproved(_)) || !is_deep || context.stopped().is_some() {
            return Ok(attempt);
        }
        let is_over = || context.stopped().is_some();
        Ok(match self.check.unfold_by_contracts(self.options, context) {
            Ok(unfolded) => match self.check.prove_by_contracts(self.engines, &unfolded, context)? {
                ProofAttempt::Unproved(_) if is_over() => attempt,
                ProofAttempt::Unproved(unknown) => ProofAttempt::unproved(Reason::Recursion(deep(unknown.reason))),
                attempt => attempt,
            },
            Err(_) if is_over() => attempt,
            Err(refusal) => ProofAttempt::unproved(Reason::Recursion(RecursionFailure::Refused(refusal))),
        })
    }
}

/// Why there is no proof by contracts.
fn deep(reason: Reason) -> RecursionFailure {
    match reason {
        Reason::NoRun => RecursionFailure::Refuted,
        reason => RecursionFailure::Failed(Box::new(reason)),
    }
}

/// A run has the first word, and then what Cubist notices of its own mistakes.
fn conclude(attempt: ProgramAttempt, looked: UnrollingOutcome, context: &Context) -> ProgramAttempt {
    let reason = match (looked, attempt) {
        (UnrollingOutcome::Violation(found), _) => return ProofAttempt::Violated(found),
        (looked, ProofAttempt::Unproved(unknown)) => match (looked, unknown.reason) {
            (UnrollingOutcome::TooDeep | UnrollingOutcome::Nothing, reason @ Reason::Recursion(_))
                if context.stopped().is_none() =>
            {
                reason
            }
            (UnrollingOutcome::TooDeep, _) if context.stopped().is_some() => stopped(context),
            (UnrollingOutcome::TooDeep, _) => Reason::Recursion(RecursionFailure::Refuted),
            (
                UnrollingOutcome::Spurious {
                    runs,
                    undefined,
                    approximated,
                },
                _,
            ) => Reason::Spurious {
                runs,
                undefined,
                approximated,
            },
            (_, _) if context.stopped().is_some() => stopped(context),
            (_, reason) => reason,
        },
        (_, attempt) => return attempt,
    };
    ProofAttempt::unproved(reason)
}

pub(crate) fn stopped(context: &Context) -> Reason {
    Reason::Stopped(context.stopped().unwrap_or(crate::context::Stopped::Interrupted))
}

/// What facts are to prove.
struct Proof<'a, 'p> {
    question: &'a Question<'a>,
    unfolded: &'a Unfolded<'p>,
    contracts: &'a [Contract],
}

impl Proof<'_, '_> {
    /// Facts of the system that excludes this undefined behaviour, once their certificate is confirmed.
    fn certified(
        &self,
        facts: Vec<Fact>,
        exclusion: &Exclusion,
        context: &Context,
    ) -> std::result::Result<Proved, Reason> {
        let (question, unfolded) = (self.question, self.unfolded);
        let system = unfolded.with_contracts(exclusion.system(unfolded), self.contracts);
        let certificate = Certificate {
            properties: system.properties.iter().map(|p| p.name.clone()).collect(),
            facts,
            ..Certificate::default()
        };
        let mut about = question.about.clone();
        about.extend(recursion::about(unfolded.options()));
        about.extend(exclusion.about());
        let text = validate::certificate_text(&system, &certificate, &about).map_err(Reason::NotCertifiable)?;
        if let Some(folder) = &question.folder {
            folder.keep_certificate(&text);
        }
        let mut tell = |solver: &str| context.tell(Event::Phase(Phase::Confirming { solver }));
        let confirmed = Confirmed::of(text, &solvers(), context.cancellation(), &mut tell);
        let facts = certificate.facts.iter();
        Ok(Proved {
            certificate: confirmed.map_err(Reason::Unconfirmed)?,
            account: Account::default(),
            invariant: facts.filter_map(|fact| placed(unfolded, fact)).collect(),
            provided: exclusion.open().collect(),
            locations: unfolded.locations,
            contracts: Vec::new(),
            rules: system.rules.len(),
            state: system.state.len(),
            runs: 0,
            prefixes: 0,
            checked: CrossChecked::default(),
        })
    }
}

/// A contract with the names of its procedure.
fn promised(unfolded: &Unfolded, contract: &Contract) -> ProvedContract {
    ProvedContract {
        procedure: unfolded.program()[contract.procedure].name.clone(),
        span: unfolded.program()[contract.procedure].span,
        requires: contract.requires,
        ensures: contract.ensures,
    }
}

/// A fact of a cut point.
fn placed(unfolded: &Unfolded, fact: &Fact) -> Option<LocatedFact> {
    let (node, formula) = unfolded.located(fact.formula)?;
    // That is a contract.
    if unfolded
        .signatures
        .iter()
        .any(|known| unfolded.nodes.get(known.exit) == Some(&node))
    {
        return None;
    }
    let (span, calls) = unfolded.place(node)?;
    // Before the user's first procedure there is nothing to say.
    let is_any_call = matches!(node, Node::At(context, _) if unfolded.is_any_call(context));
    (!calls.is_empty()).then_some(LocatedFact {
        span,
        calls,
        is_any_call,
        formula,
    })
}
