//! What Cubist can say, and nothing else. *Safe* takes a confirmed certificate and explored states that
//! agree with it, *unsafe* a confirmed run: both are made only where they are confirmed. Nothing is safe by default.

use crate::account::{Account, Accounted};
use crate::crosscheck::Agreement;
use crate::further::FurtherProperty;
use crate::input::Input;
use crate::model::ModelTask;
use crate::reason::Reason;
use abstraction::induction::Induction;
use explore::{ConfirmedExploration, ConfirmedRun, SearchOutcome};
use smt::Statistics;
use std::sync::Arc;
use system::Span;
use system::frontend::TypeSize;
use system::instance::Instance;
use system::transition::Fact;
use validate::{Confirmed, Opinion};

/// What is said of a subject: models have the proofs and runs that are named here, other subjects have their own.
pub enum Verdict<Proof = Safe, Run = Unsafe> {
    Safe(Box<Proof>),
    Unsafe(Box<Run>),
    Unknown(Box<Unknown>),
}

impl<Proof, Run> Verdict<Proof, Run> {
    pub fn unknown(reason: Reason) -> Verdict<Proof, Run> {
        Verdict::Unknown(Box::new(Unknown::without_proof(reason, Account::default())))
    }
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
    pub further: Vec<FurtherProperty>,
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

impl Accounted for Proved {
    fn account_mut(&mut self) -> &mut Account {
        &mut self.account
    }
}

impl Proof {
    pub fn account(&self) -> &Account {
        &self.proved.account
    }

    pub fn facts(&self) -> &[Fact] {
        &self.proved.facts
    }

    pub fn further(&self) -> &[FurtherProperty] {
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
    pub further: Vec<FurtherProperty>,
    /// What solvers say of an invariant that is not confirmed, and its certificate.
    pub opinions: Vec<Opinion>,
    pub certificate: Option<String>,
    /// How far the file as it is written was explored, where not all states were seen; and the instance.
    pub explored: Option<(Instance, SearchOutcome)>,
    /// Which rules keep the properties, where that is known.
    pub induction: Vec<Induction>,
}

impl Unknown {
    pub(crate) fn of(task: &ModelTask, reason: Reason, account: Account) -> Unknown {
        Unknown {
            further: FurtherProperty::unchecked(task),
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
