//! How a certificate labels its queries: what the writer writes and the reader understands.

use crate::obligation::{Expected, ObligationKind, Step};
use crate::sha256::sha256;
use std::fmt;

/// The first line of every certificate.
pub(crate) const TITLE: &str = "; Cubist certificate 2";

/// The line with the digest of all the others.
pub(crate) const DIGEST: &str = "; sha256: ";

/// The text of a certificate without the line of its digest: what the digest is of.
pub(crate) fn unsealed(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.starts_with(DIGEST)).collect()
}

/// The text of a certificate with the digest that fits, behind its first line.
pub fn sealed(text: &str) -> String {
    let rest = unsealed(text);
    let digest = sha256(rest.as_bytes());
    let (title, behind) = rest.split_once('\n').unwrap_or((&rest, ""));
    format!("{title}\n{DIGEST}{digest}\n{behind}")
}

/// The kinds of query.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum QueryKind {
    InitialStates,
    Initial,
    Inductive,
    Types,
    Assertion,
    Property,
    /// Of components: a statement leads nowhere but where the claim says.
    Statement,
    /// Of components: a step is defined wherever it is taken.
    Defined,
}

impl QueryKind {
    /// Those of an invariant.
    pub const ALL: [QueryKind; 6] = [
        QueryKind::InitialStates,
        QueryKind::Initial,
        QueryKind::Inductive,
        QueryKind::Types,
        QueryKind::Assertion,
        QueryKind::Property,
    ];

    /// Those of components that conform to a specification.
    pub const OF_COMPONENTS: [QueryKind; 2] = [QueryKind::Statement, QueryKind::Defined];

    /// The word for it in certificates.
    pub fn word(self) -> &'static str {
        match self {
            QueryKind::InitialStates => "initial-states",
            QueryKind::Initial => "initial",
            QueryKind::Inductive => "inductive",
            QueryKind::Types => "types",
            QueryKind::Assertion => "assertion",
            QueryKind::Property => "property",
            QueryKind::Statement => "statement",
            QueryKind::Defined => "defined",
        }
    }

    pub fn expected(self) -> Expected {
        match self {
            QueryKind::InitialStates => Expected::Sat,
            _ => Expected::Unsat,
        }
    }
}

/// The label of a query: `inductive, rule 2, number 1`. Positions count from 1, as in the names that the certificate
/// defines (`fact-1`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Label {
    pub kind: QueryKind,
    pub step: Option<Step>,
    /// Of the fact, type fact, assertion or property.
    pub number: Option<usize>,
}

impl Label {
    /// The label of an obligation. `properties` is how many obligations about properties came before.
    pub(crate) fn of(kind: &ObligationKind, properties: usize) -> Label {
        let label = |kind, step, number: usize| Label {
            kind,
            step: Some(counted(step)),
            number: Some(number + 1),
        };
        match *kind {
            ObligationKind::InitialExists => Label {
                kind: QueryKind::InitialStates,
                step: None,
                number: None,
            },
            ObligationKind::Initial { start, fact } => label(QueryKind::Initial, Step::Start(start), fact),
            ObligationKind::Inductive { rule, fact } => label(QueryKind::Inductive, Step::Rule(rule), fact),
            ObligationKind::TypeFact { step, fact } => label(QueryKind::Types, step, fact),
            ObligationKind::Assertion { step, number } => label(QueryKind::Assertion, step, number),
            ObligationKind::Property { .. } => Label {
                kind: QueryKind::Property,
                step: None,
                number: Some(properties + 1),
            },
        }
    }

    /// A label of one of these kinds.
    pub(crate) fn parse(text: &str, kinds: &[QueryKind]) -> Option<Label> {
        let mut parts = text.split(", ");
        let word = parts.next()?;
        let kind = kinds.iter().copied().find(|kind| kind.word() == word)?;
        let mut label = Label {
            kind,
            step: None,
            number: None,
        };
        for part in parts {
            let (word, number) = part.split_once(' ')?;
            let number: usize = number.parse().ok().filter(|number| *number > 0)?;
            match word {
                "start" => label.step = Some(Step::Start(number)),
                "rule" => label.step = Some(Step::Rule(number)),
                "number" => label.number = Some(number),
                _ => return None,
            }
        }
        // Nothing twice, nothing in another order.
        (label.to_string() == text).then_some(label)
    }
}

fn counted(step: Step) -> Step {
    match step {
        Step::Start(position) => Step::Start(position + 1),
        Step::Rule(position) => Step::Rule(position + 1),
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.word())?;
        match self.step {
            Some(Step::Start(number)) => write!(f, ", start {number}")?,
            Some(Step::Rule(number)) => write!(f, ", rule {number}")?,
            None => {}
        }
        self.number.map_or(Ok(()), |number| write!(f, ", number {number}"))
    }
}
