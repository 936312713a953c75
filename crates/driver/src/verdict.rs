//! What Cubist can say of a model, and nothing else. *Safe* takes a confirmed certificate and explored states that
//! agree with it, *unsafe* a confirmed run: both are made only where they are confirmed. Nothing is safe by default.

use crate::account::Account;
use crate::context::Stopped;
use crate::further::Further;
use crate::input::Input;
use crate::meet::Agreement;
use crate::subject::Task;
use abstraction::induction::Induction;
use explore::{ConfirmedExploration, ConfirmedRun, SearchOutcome};
use smt::Statistics;
use std::fmt;
use std::sync::Arc;
use system::frontend::TypeSize;
use system::instance::Instance;
use system::transition::Fact;
use system::{Rejected, Severity, Span};
use validate::{Confirmed, ObligationError, Opinion, Unconfirmed};

pub enum Verdict {
    Safe(Box<Safe>),
    Unsafe(Box<Unsafe>),
    Unknown(Box<Unknown>),
}

impl Verdict {
    /// Where something is unknown: which rules keep the properties.
    pub(crate) fn explain(&mut self, induction: Vec<Induction>) {
        let unknown = match self {
            Verdict::Unknown(unknown) => Some(&mut **unknown),
            Verdict::Safe(safe) => match &mut safe.evidence {
                Evidence::Exploration(exploration) => exploration.beyond.as_mut(),
                Evidence::Proof(_) => None,
            },
            Verdict::Unsafe(_) => None,
        };
        if let Some(unknown) = unknown {
            unknown.induction = induction;
        }
    }
}

/// Nothing can go wrong, at the sizes that the scope names.
pub struct Safe {
    evidence: Evidence,
    scope: Scope,
    /// Where undefined values may be read, which the proof does not exclude; the default place where none is known.
    open_reads: Vec<Span>,
}

/// Why a model is safe.
pub enum Evidence {
    Proof(Box<Proof>),
    Exploration(Box<Exploration>),
}

/// An invariant that solvers have confirmed, which no explored state contradicts.
pub struct Proof {
    proved: Proved,
    agreement: Agreement,
}

/// An invariant that solvers have confirmed. It is no verdict before explored states agree.
pub struct Proved {
    pub account: Account,
    pub facts: Vec<Fact>,
    /// What the facts say of the further properties.
    pub further: Vec<Further>,
    pub certificate: Confirmed,
    /// Whether it also proves that no undefined value is read, where that is not plain to see.
    pub excludes_reads: bool,
}

impl Proved {
    /// The second proof of the same, with what is to be told of how the first was found.
    pub(crate) fn excluding_reads(self, second: Proved) -> Proved {
        Proved {
            account: self.account,
            excludes_reads: true,
            ..second
        }
    }
}

impl Proof {
    pub fn account(&self) -> &Account {
        &self.proved.account
    }

    pub fn facts(&self) -> &[Fact] {
        &self.proved.facts
    }

    pub fn further(&self) -> &[Further] {
        &self.proved.further
    }

    pub fn certificate(&self) -> &Confirmed {
        &self.proved.certificate
    }

    pub fn agreement(&self) -> &Agreement {
        &self.agreement
    }
}

/// All states of the file as it is written, seen by two interpreters.
pub struct Exploration {
    pub instance: Instance,
    confirmed: ConfirmedExploration,
    /// The text that says what was explored.
    pub certificate: String,
    /// Why nothing is known of other sizes, where there are any.
    pub beyond: Option<Unknown>,
}

impl Exploration {
    pub fn confirmed(&self) -> &ConfirmedExploration {
        &self.confirmed
    }
}

impl Safe {
    pub(crate) fn by_proof(proved: Proved, agreement: Agreement, scope: Scope, open_reads: Vec<Span>) -> Safe {
        Safe {
            evidence: Evidence::Proof(Box::new(Proof { proved, agreement })),
            scope,
            open_reads,
        }
    }

    /// Where undefined values may be read: the verdict is about the runs in which that does not happen. Exploration
    /// sees all of them.
    pub fn open_reads(&self) -> &[Span] {
        &self.open_reads
    }

    pub(crate) fn excludes_reads(&self) -> bool {
        matches!(&self.evidence, Evidence::Proof(proof) if proof.proved.excludes_reads)
    }

    pub(crate) fn by_exploration(
        input: &Input,
        instance: Instance,
        confirmed: ConfirmedExploration,
        certificate: String,
        beyond: Option<Unknown>,
    ) -> Safe {
        let scope = Scope {
            sizes: input.sizes().iter().map(TypeSize::as_written).collect(),
        };
        let exploration = Exploration {
            instance,
            confirmed,
            certificate,
            beyond,
        };
        Safe {
            evidence: Evidence::Exploration(Box::new(exploration)),
            scope,
            open_reads: Vec::new(),
        }
    }

    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// What qualifies the verdict beside its scope, in words for its first line: what was proved is cross-checked
    /// against explored states, and where there are none, nothing would notice a mistake of ours.
    pub fn qualification(&self) -> Option<&'static str> {
        match &self.evidence {
            Evidence::Proof(proof) if proof.agreement.states() == 0 => {
                Some("not cross-checked: no instance could be explored")
            }
            Evidence::Proof(_) | Evidence::Exploration(_) => None,
        }
    }

    /// Whether it is all that one can ask for: every size, and nothing that qualifies it.
    pub fn is_plain(&self) -> bool {
        self.scope.is_every_size() && self.qualification().is_none() && self.open_reads.is_empty()
    }
}

/// What a verdict is about: the types whose size is a parameter of the model.
#[derive(Clone, Debug)]
pub struct Scope {
    pub sizes: Vec<TypeSize>,
}

impl Scope {
    pub fn is_every_size(&self) -> bool {
        self.sizes.iter().all(TypeSize::is_any)
    }

    /// Such as `for every number of NODE, and DATA = 2`; empty where no type has a size.
    pub fn words(&self) -> String {
        let any = self.sizes.iter().filter(|size| size.is_any());
        let any: Vec<String> = any.map(TypeSize::range).collect();
        let fixed = self.sizes.iter().filter(|size| !size.is_any());
        let fixed: Vec<String> = fixed.map(|size| format!("{} = {}", size.name, size.size)).collect();
        match (any.is_empty(), fixed.is_empty()) {
            (true, true) => String::new(),
            (true, false) => format!("for {}", fixed.join(", ")),
            (false, true) => format!("for every number of {}", listed(&any)),
            (false, false) => format!("for every number of {}, and {}", listed(&any), fixed.join(", ")),
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        few => few.concat(),
    }
}

/// A run into a violation, which another interpreter has made once more.
pub struct Unsafe {
    /// The model at the sizes of the instance.
    pub input: Input,
    pub instance: Instance,
    pub outcome: SearchOutcome,
    run: ConfirmedRun,
    /// The checks of a proof that went on beside the search.
    pub beside: Option<Arc<Statistics>>,
}

impl Unsafe {
    pub(crate) fn new(input: Input, instance: Instance, outcome: SearchOutcome, run: ConfirmedRun) -> Unsafe {
        Unsafe {
            input,
            instance,
            outcome,
            run,
            beside: None,
        }
    }

    pub fn run(&self) -> &ConfirmedRun {
        &self.run
    }
}

/// There is no answer, for a reason.
pub struct Unknown {
    pub reason: Reason,
    pub account: Account,
    pub further: Vec<Further>,
    /// What solvers say of an invariant that is not confirmed, and its certificate.
    pub opinions: Vec<Opinion>,
    pub certificate: Option<String>,
    /// How far the file as it is written was explored, where not all states were seen; and the instance.
    pub explored: Option<(Instance, SearchOutcome)>,
    /// Which rules keep the properties, where that is known.
    pub induction: Vec<Induction>,
}

impl Unknown {
    pub(crate) fn of(task: &Task, reason: Reason, account: Account) -> Unknown {
        Unknown {
            further: Further::unchecked(task),
            ..Unknown::without_proof(reason, account)
        }
    }

    /// Before there was anything to prove.
    pub(crate) fn without_proof(reason: Reason, account: Account) -> Unknown {
        Unknown {
            reason,
            account,
            further: Vec::new(),
            opinions: Vec::new(),
            certificate: None,
            explored: None,
            induction: Vec::new(),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Reason {
    Stopped(Stopped),
    /// Everything is proved, and there was no time to hold it against explored states.
    NotMet(Stopped),
    NothingToCheck,
    /// There is no transition system of the model.
    NotLowered(Rejected),
    /// The account says why, for each property.
    NotProved,
    /// The search for facts about every size ended without a proof, and no other was allowed.
    NoFacts(abstraction::Reason),
    /// There is nothing of which such facts could speak.
    NothingOfAnySize,
    /// The invariant cannot be put as proof obligations.
    NotCertifiable(ObligationError),
    Unconfirmed(Unconfirmed),
}

impl Reason {
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Reason::NothingToCheck)
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stopped::Interrupted => "interrupted",
            Stopped::OutOfTime => "the time limit was reached",
        })
    }
}

/// The one place where reasons become words.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(stopped) => write!(f, "{stopped}"),
            Reason::NotMet(stopped) => write!(f, "{stopped} before the proof was held against explored states"),
            Reason::NothingToCheck => f.write_str("the model has nothing to check"),
            Reason::NotLowered(rejected) => write!(f, "{}", first_error(rejected)),
            Reason::NotProved => f.write_str("not every property is proved"),
            Reason::NoFacts(reason) => write!(f, "{reason}"),
            Reason::NothingOfAnySize => f.write_str("no type has any size"),
            Reason::NotCertifiable(error) => write!(f, "the proof cannot be certified: {error}"),
            Reason::Unconfirmed(unconfirmed) => write!(f, "{}", words(unconfirmed)),
        }
    }
}

/// What a front end cannot put into a transition system.
fn first_error(rejected: &Rejected) -> String {
    let errors = rejected.diagnostics.iter();
    let error = errors.min_by_key(|found| found.severity != Severity::Error);
    error.map_or_else(
        || "the model cannot be put as a transition system".to_owned(),
        |error| {
            let (line, _) = rejected.sources.position(error.span);
            format!("line {line} cannot be put into a proof: {}", error.message)
        },
    )
}

pub(crate) fn words(unconfirmed: &Unconfirmed) -> String {
    let judgement = match unconfirmed {
        Unconfirmed::Unreadable(error) => return format!("the certificate just made cannot be read: {error}"),
        Unconfirmed::NoSolver => {
            return "no solver is installed that could confirm the proof; `make setup` installs them".to_owned();
        }
        Unconfirmed::Judged(judgement) => judgement,
    };
    let solver = judgement.against.as_deref().unwrap_or("a solver");
    if let Some(error) = &judgement.report.error {
        return format!("{solver} rejects the certificate: {error}");
    }
    if let Some(query) = judgement.report.refuted().next() {
        return format!("{solver} refutes the certificate: {}", query.name);
    }
    match judgement.report.unknown().count() {
        1 => "1 proof obligation was confirmed by no solver".to_owned(),
        open => format!("{open} proof obligations were confirmed by no solver"),
    }
}
