//! From a program to a verdict.
//!
//! The program is unfolded into a transition system. Then three look at it: Horn clauses for an invariant, whose
//! certificate must be confirmed as any other; the solver at longer and longer runs of the system; and the interpreter
//! at runs on small inputs and random ones. A run is believed when the interpreter has made it, and gcc's program does
//! not contradict.
//!
//! Where a procedure may call itself more often than is inlined, `contracts` proves the program without inlining it,
//! and beside it more calls are inlined.
//!
//! `by_slam` is another way, by Boolean programs: what it finds is believed for the same reasons. What either learns
//! may be kept in a `run_folder`.

mod by_slam;
mod compiled;
mod contracts;
mod crosscheck;
mod hazards;
pub mod recursion;
mod run_folder;
mod search;
mod verdict;

pub use by_slam::{How, check_by_slam};
pub use crosscheck::{CrossChecked, cross_check};
pub use hazards::{Exclusion, Provided};
pub use run_folder::RunFolder;
pub use verdict::{Compiled, Deep, Placed, Promised, Proved, Reason, Safe, Unknown, Unsafe, Verdict};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::lanes::STACK;
use crate::solvers::solvers;
use abstraction::horn::{self, Flow};
use analysis::points_to::PointsTo;
use interpret::{Executable, RunLimits};
use logic::Term;
use search::{Looked, Search};
use system::certificate::Certificate;
use system::program::Program;
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

/// A program, and what is asked about it.
pub struct Question<'q> {
    pub program: &'q Program,
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

impl Question<'_> {
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

/// What Cubist says of a program.
pub fn check(question: &Question, context: &Context) -> Result<Verdict> {
    said(question, decide(question, context)?, context)
}

/// A run is shown to gcc. Where nobody knows more than before, what was learned must have been kept.
fn said(question: &Question, verdict: Verdict, context: &Context) -> Result<Verdict> {
    let verdict = match verdict {
        Verdict::Unsafe(found) => compiled::confirmed(question, found, context),
        verdict => verdict,
    };
    if let (Verdict::Unknown(_), Some(folder)) = (&verdict, &question.folder) {
        folder.failure()?;
    }
    Ok(verdict)
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
    if let Some(proved) = finished(question, &search, &points_to, context)? {
        return Ok(search.believed(proved, context));
    }
    let [linear, exact] = question.options();
    let (verdict, has_products) = with(question, &search, &points_to, &linear, context)?;
    // Products may have been anything: then a run that nobody can make says little.
    let verdict = match verdict {
        Verdict::Unknown(unknown) if has_products && matches!(unknown.reason, Reason::Unreal { .. }) => {
            with(question, &search, &points_to, &exact, context)?.0
        }
        verdict => verdict,
    };
    Ok(match search.believed(verdict, context) {
        verdict @ Verdict::Unknown(_) => match search.all_long_runs(context) {
            Some(found) => Verdict::Unsafe(Box::new(found)),
            None => verdict,
        },
        verdict => verdict,
    })
}

/// The proof that another run found, where that is one: it is confirmed as any other.
fn finished(question: &Question, search: &Search, points_to: &PointsTo, context: &Context) -> Result<Option<Verdict>> {
    let Some(text) = question.folder.as_ref().and_then(RunFolder::certificate) else {
        return Ok(None);
    };
    let Ok(certificate) = validate::parse_certificate(&text) else {
        return Ok(None);
    };
    let lines = |word: &str| certificate.header.get(word).map(Vec::as_slice);
    for options in question.options().map(|options| recursion::recorded(options, lines)) {
        let Ok(unfolded) = unfold(question.program, points_to, &options, &|| context.stopped().is_some()) else {
            continue;
        };
        let exclusion = Exclusion::recorded(&unfolded, lines);
        let Ok(facts) = validate::stated_facts(&text, &exclusion.system(&unfolded)) else {
            continue;
        };
        if let Attempt::Proved(proved) = established(question, search, &unfolded, facts, context) {
            return Ok(Some(Verdict::Safe(Box::new(Safe::new(*proved)))));
        }
    }
    Ok(None)
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
    let is_recursive = recursive(question.program, points_to).is_ok_and(|procedures| !procedures.is_empty());
    let limited = Options {
        locations: if is_recursive { SMALL } else { options.locations },
        ..*options
    };
    let unfolded = match unfold(question.program, points_to, &limited, &is_over) {
        Ok(unfolded) => unfolded,
        Err(UnfoldError::Stopped) => return Ok((Verdict::unknown(stopped(context)), false)),
        Err(_) if is_recursive => return only_by_contracts(question, search, points_to, options, context),
        Err(refusal) => return Ok((search.rest(context, Reason::NotUnfolded(refusal)), false)),
    };
    let flow = flow_of(&unfolded, context)?;
    let work = Work {
        question,
        search,
        unfolded: &unfolded,
        flow: &flow,
        points_to,
        options,
    };
    let verdict = match work.beside(context)? {
        Verdict::Unknown(unknown) if matches!(unknown.reason, Reason::Recursion(Deep::Refuted)) => {
            match deeper(question, search, points_to, options, context)? {
                Some(found) => Verdict::Unsafe(found),
                None => search.rest(context, unknown.reason),
            }
        }
        verdict => verdict,
    };
    Ok((verdict, unfolded.has_products))
}

/// The flow of a program for a proof: edges that nobody takes are gone, and locations are told apart by what is known.
fn flow_of<'u>(unfolded: &'u Unfolded, context: &Context) -> Result<Flow<'u>> {
    let Some(mut flow) = Flow::of(&unfolded.system) else {
        return Err(Error::refused("the system of a program has arrays"));
    };
    flow.without_dead_edges(&context.solvers)?;
    Ok(flow.split(&context.solvers)?)
}

/// What is said of a program that is large with all calls inlined, and whether it has products of unknowns.
fn only_by_contracts(
    question: &Question,
    search: &Search,
    points_to: &PointsTo,
    options: &Options,
    context: &Context,
) -> Result<(Verdict, bool)> {
    let is_over = || context.stopped().is_some();
    let (proof, has_products) = match contracts::unfolded(question, points_to, options, &is_over) {
        Ok(unfolded) => (
            contracts::prove(question, search, &unfolded, context)?,
            unfolded.has_products,
        ),
        Err(refusal) => {
            let reason = Reason::Recursion(Deep::Refused(refusal));
            return Ok((search.rest(context, reason), false));
        }
    };
    let verdict = match proof {
        Attempt::Proved(proved) => Verdict::Safe(Box::new(Safe::new(*proved))),
        _ if is_over() => Verdict::unknown(stopped(context)),
        Attempt::Failed(reason) if reason.is_mistake() => Verdict::unknown(reason),
        other => match deeper(question, search, points_to, options, context)? {
            Some(found) => Verdict::Unsafe(found),
            None => search.rest(context, Reason::Recursion(deep(other))),
        },
    };
    Ok((verdict, has_products))
}

/// A run into a violation with more calls in each other than are inlined for a proof, or with fewer where these
/// are too many.
fn deeper(
    question: &Question,
    search: &Search,
    points_to: &PointsTo,
    options: &Options,
    context: &Context,
) -> Result<Option<Box<Unsafe>>> {
    let is_over = || context.stopped().is_some();
    for recursion in DEPTHS {
        let options = Options {
            recursion,
            locations: SMALL,
            ..*options
        };
        let Ok(unfolded) = unfold(question.program, points_to, &options, &is_over) else {
            break;
        };
        let Some(mut flow) = Flow::of(&unfolded.system) else {
            break;
        };
        let rules = &unfolded.system.rules;
        flow.edges
            .retain(|edge| unfolded.end_of(&rules[edge.rule]) != Some(Node::TooDeep));
        flow.without_dead_edges(&context.solvers)?;
        match search.runs(&unfolded, &flow, context)? {
            Looked::Violation(found) => return Ok(Some(found)),
            Looked::TooDeep | Looked::Unreal { .. } | Looked::Nothing => {}
        }
    }
    Ok(None)
}

/// What is looked at, and how.
struct Work<'w, 'p> {
    question: &'w Question<'w>,
    search: &'w Search<'w>,
    unfolded: &'w Unfolded<'p>,
    flow: &'w Flow<'w>,
    points_to: &'w PointsTo,
    options: &'w Options,
}

impl Work<'_, '_> {
    /// The proof and the search for a run, at the same time where there are threads for both.
    fn beside(&self, context: &Context) -> Result<Verdict> {
        let (proving, looking) = (context.part(), context.part());
        let in_place = proving.part();
        if context.jobs == 1 {
            // A proof may take all the time that there is.
            if let Some(found) = (1..=LONG_FIRST).find_map(|depth| self.search.long_runs(depth, &looking)) {
                return Ok(Verdict::Unsafe(Box::new(found)));
            }
            let proof = prove(self.question, self.search, self.unfolded, self.flow, &in_place)?;
            if let Attempt::Proved(_) = proof {
                return Ok(conclude(proof, Looked::Nothing, context));
            }
            let looked = self.search.runs(self.unfolded, self.flow, &looking)?;
            if matches!(looked, Looked::TooDeep)
                && let Some(verdict) = self.with_more_calls(&looking)?
            {
                return Ok(verdict);
            }
            let proof = match looked {
                Looked::Violation(_) => proof,
                _ => self.or_by_contracts(proof, &proving)?,
            };
            return Ok(conclude(proof, looked, context));
        }
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().name("proof".to_owned()).stack_size(STACK);
            let prover = builder.spawn_scoped(scope, || {
                let proof = prove(self.question, self.search, self.unfolded, self.flow, &in_place)?;
                let proof = self.or_by_contracts(proof, &proving);
                if matches!(proof, Ok(Attempt::Proved(_))) {
                    looking.cancellation().cancel();
                }
                proof
            });
            let prover = prover.map_err(|error| Error::refused(format!("no thread can be started: {error}")))?;
            let looked = self.search.runs(self.unfolded, self.flow, &looking);
            let mut deeper = Ok(None);
            match looked {
                Ok(Looked::Violation(_)) => proving.cancellation().cancel(),
                Ok(Looked::TooDeep) => {
                    // So there is no proof with these calls inlined.
                    in_place.cancellation().cancel();
                    deeper = self.with_more_calls(&looking);
                }
                _ => {}
            }
            if let Ok(Some(_)) = deeper {
                proving.cancellation().cancel();
            }
            let proof = prover.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok(match deeper? {
                Some(verdict) => verdict,
                None => conclude(proof, looked?, context),
            })
        })
    }

    /// Proof and search with more and more calls inlined, until there are enough for either.
    fn with_more_calls(&self, context: &Context) -> Result<Option<Verdict>> {
        let is_over = || context.stopped().is_some();
        for recursion in recursion::DEEPER {
            let options = Options {
                recursion,
                locations: SMALL,
                ..*self.options
            };
            let Ok(unfolded) = unfold(self.question.program, self.points_to, &options, &is_over) else {
                break;
            };
            let flow = flow_of(&unfolded, context)?;
            match prove(self.question, self.search, &unfolded, &flow, context)? {
                Attempt::Proved(proved) => return Ok(Some(Verdict::Safe(Box::new(Safe::new(*proved))))),
                Attempt::Failed(_) => break,
                Attempt::Refuted => {}
            }
            if let Looked::Violation(found) = self.search.runs(&unfolded, &flow, context)? {
                return Ok(Some(Verdict::Unsafe(found)));
            }
        }
        Ok(None)
    }

    /// Another proof, where procedures may call themselves more often than is inlined.
    fn or_by_contracts(&self, proof: Attempt, context: &Context) -> Result<Attempt> {
        let is_deep = self.unfolded.nodes.contains(&Node::TooDeep);
        if matches!(proof, Attempt::Proved(_)) || !is_deep || context.stopped().is_some() {
            return Ok(proof);
        }
        let is_over = || context.stopped().is_some();
        Ok(
            match contracts::unfolded(self.question, self.points_to, self.options, &is_over) {
                Ok(unfolded) => match contracts::prove(self.question, self.search, &unfolded, context)? {
                    Attempt::Proved(proved) => Attempt::Proved(proved),
                    Attempt::Failed(reason) if reason.is_mistake() => Attempt::Failed(reason),
                    _ if is_over() => proof,
                    other => Attempt::Failed(Reason::Recursion(deep(other))),
                },
                Err(_) if is_over() => proof,
                Err(refusal) => Attempt::Failed(Reason::Recursion(Deep::Refused(refusal))),
            },
        )
    }
}

/// Why there is no proof by contracts.
fn deep(attempt: Attempt) -> Deep {
    match attempt {
        Attempt::Proved(_) | Attempt::Refuted => Deep::Refuted,
        Attempt::Failed(reason) => Deep::Failed(Box::new(reason)),
    }
}

/// A run has the first word.
fn conclude(proof: Attempt, looked: Looked, context: &Context) -> Verdict {
    let reason = match (looked, proof) {
        (Looked::Violation(found), _) => return Verdict::Unsafe(found),
        (_, Attempt::Proved(proved)) => return Verdict::Safe(Box::new(Safe::new(*proved))),
        (_, Attempt::Failed(reason)) if reason.is_mistake() => reason,
        (Looked::TooDeep | Looked::Nothing, Attempt::Failed(reason @ Reason::Recursion(_)))
            if context.stopped().is_none() =>
        {
            reason
        }
        (Looked::TooDeep, _) if context.stopped().is_some() => stopped(context),
        (Looked::TooDeep, _) => Reason::Recursion(Deep::Refuted),
        (
            Looked::Unreal {
                runs,
                undefined,
                approximated,
            },
            _,
        ) => Reason::Unreal {
            runs,
            undefined,
            approximated,
        },
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
    fn met(self, search: &Search, unfolded: &Unfolded, contracts: &[Contract], context: &Context) -> Attempt {
        let Attempt::Proved(proved) = self else { return self };
        let system = unfolded.with_contracts(unfolded.system.clone(), contracts);
        let checked = match crosscheck::cross_check(search.question, unfolded, &system, context) {
            Ok(checked) => checked,
            Err(what) => return Attempt::Failed(Reason::Disagrees { what }),
        };
        match search.agreement(unfolded, contracts) {
            Ok(agreed) => Attempt::Proved(Box::new(Proved {
                runs: agreed.runs,
                prefixes: agreed.prefixes,
                checked,
                contracts: contracts.iter().map(|contract| promised(unfolded, contract)).collect(),
                ..*proved
            })),
            Err(inputs) => Attempt::Failed(Reason::Contradicted { inputs }),
        }
    }
}

/// Looks for an invariant of a program with all calls inlined.
fn prove(question: &Question, search: &Search, unfolded: &Unfolded, flow: &Flow, context: &Context) -> Result<Attempt> {
    let folder = question.folder.as_ref();
    let believed = folder.map_or(Ok(Vec::new()), |folder| folder.lemmas(unfolded.options(), flow.system))?;
    let keep = |event: &horn::Event| {
        if let Some(folder) = folder {
            folder.keep_lemmas(unfolded.options(), flow.system, event.facts);
        }
    };
    Ok(match solve(flow, &believed, &keep, context) {
        Ok(facts) => established(question, search, unfolded, facts, context),
        Err(attempt) => attempt,
    })
}

/// The invariant that the solver of Horn clauses finds, or else what comes of the attempt.
fn solve(
    flow: &Flow,
    believed: &[Term],
    keep: &dyn Fn(&horn::Event),
    context: &Context,
) -> std::result::Result<Vec<Fact>, Attempt> {
    let solvers = smt::installed_solvers();
    let Some(solver) = solvers.into_iter().find(|solver| solver.name() == "z3") else {
        return Err(Attempt::Failed(Reason::NoSolver));
    };
    context.tell(Event::Phase(Phase::Proving));
    let settings = horn::Settings {
        solver: &solver,
        solvers: &context.solvers,
        deadline: context.deadline,
        cancellation: context.cancellation(),
        believed,
        observer: &|event| {
            keep(&event);
            context.tell(Event::Level(event.level));
        },
    };
    match horn::solve(flow, &settings) {
        Ok(horn::Outcome::Invariant(facts)) => Ok(facts),
        Ok(horn::Outcome::Refuted) => Err(Attempt::Refuted),
        Ok(horn::Outcome::Unknown(reason)) => Err(Attempt::Failed(Reason::Undecided(reason))),
        // It is a process of its own: a run may still be found.
        Err(error) => Err(Attempt::Failed(Reason::SolverFailed(error.to_string()))),
    }
}

/// Facts that an engine believes in, after others have looked at their certificate and at runs of the program.
fn established(
    question: &Question,
    search: &Search,
    unfolded: &Unfolded,
    facts: Vec<Fact>,
    context: &Context,
) -> Attempt {
    let contracts = match unfolded.signatures.is_empty() {
        true => Ok(Vec::new()),
        false => unfolded.contracts(&facts),
    };
    let contracts = match contracts {
        Ok(contracts) => contracts,
        Err(refused) => return Attempt::Failed(Reason::NotUnfolded(UnfoldError::NoContract(refused))),
    };
    let proof = Proof {
        question,
        unfolded,
        contracts: &contracts,
    };
    let mut attempt = Attempt::Failed(Reason::NoFacts);
    for (facts, exclusion) in hazards::excluded(unfolded, &contracts, facts, context) {
        attempt = proof.certified(facts, &exclusion, context);
        // What is not confirmed with all of this may be so with less.
        let is_too_much = matches!(
            attempt,
            Attempt::Failed(Reason::Unconfirmed(_) | Reason::NotCertifiable(_))
        );
        if !is_too_much || context.stopped().is_some() {
            break;
        }
    }
    attempt.met(search, unfolded, &contracts, context)
}

/// What facts are to prove.
struct Proof<'a, 'p> {
    question: &'a Question<'a>,
    unfolded: &'a Unfolded<'p>,
    contracts: &'a [Contract],
}

impl Proof<'_, '_> {
    /// Facts of the system that excludes as much undefined behaviour, after others have looked at their certificate.
    fn certified(&self, facts: Vec<Fact>, exclusion: &Exclusion, context: &Context) -> Attempt {
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
        let text = match validate::certificate_text(&system, &certificate, &about) {
            Ok(text) => text,
            Err(error) => return Attempt::Failed(Reason::NotCertifiable(error)),
        };
        if let Some(folder) = &question.folder {
            folder.keep_certificate(&text);
        }
        let mut tell = |solver: &str| context.tell(Event::Phase(Phase::Confirming { solver }));
        match Confirmed::of(text, &solvers(), context.cancellation(), &mut tell) {
            Ok(confirmed) => Attempt::Proved(Box::new(Proved {
                invariant: certificate
                    .facts
                    .iter()
                    .filter_map(|fact| placed(unfolded, fact))
                    .collect(),
                certificate: confirmed,
                provided: exclusion.open().collect(),
                locations: unfolded.locations,
                contracts: Vec::new(),
                rules: system.rules.len(),
                state: system.state.len(),
                runs: 0,
                prefixes: 0,
                checked: CrossChecked::default(),
            })),
            Err(unconfirmed) => Attempt::Failed(Reason::Unconfirmed(unconfirmed)),
        }
    }
}

/// A contract with the names of its procedure.
fn promised(unfolded: &Unfolded, contract: &Contract) -> Promised {
    Promised {
        procedure: unfolded.program()[contract.procedure].name.clone(),
        span: unfolded.program()[contract.procedure].span,
        requires: contract.requires,
        ensures: contract.ensures,
    }
}

/// A fact of a cut point.
fn placed(unfolded: &Unfolded, fact: &Fact) -> Option<Placed> {
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
    (!calls.is_empty()).then_some(Placed {
        span,
        calls,
        is_any_call,
        formula,
    })
}
