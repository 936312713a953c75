//! A certificate compared with the system of a model.
//!
//! Of the file only the invariant is used: the facts, and which of them suffice for which. From these and the system
//! the whole text is made again, and the file must be equal to it. To confirm the text is then to confirm the
//! obligations of the model.
//!
//! Why facts and premises need no belief: that they hold in initial states and that rules keep them are obligations
//! in the text. All facts are shown by one induction, in which any of them may be assumed before a rule, so that
//! premises cannot be circular.

use crate::names::Names;
use crate::obligation::{ObligationError, obligations};
use crate::parse::{CertificateError, ParsedCertificate, parse_certificate};
use crate::query::DIGEST;
use crate::readable::readable;
use crate::text::{About, MADE_BY, text_made_by};
use deduction::reading::read_formula;
use std::collections::BTreeMap;
use std::fmt;
use system::Span;
use system::certificate::Certificate;
use system::transition::{Fact, TransitionSystem};

/// Why a certificate is not one of a system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Form(#[from] CertificateError),
    #[error("nothing can be proved by it of this model: {0}")]
    Obligations(#[from] ObligationError),
    #[error("line {line}: `{name}` is no formula over the state of this model")]
    UnreadableFact { name: String, line: usize },
    #[error("the certificate does not define `{0}`")]
    MissingFact(String),
    #[error("the facts {first} and {second} say the same")]
    RepeatedFact { first: usize, second: usize },
    /// Of a procedure.
    #[error("it states no contract: {0}")]
    Contract(String),
    #[error("it is not what this model gives{}", written_by(.made_by))]
    Differences {
        differences: Vec<Difference>,
        /// The program that wrote the certificate.
        made_by: String,
    },
}

fn written_by(made_by: &str) -> String {
    match made_by {
        MADE_BY => String::new(),
        other => format!(" (it was made by {other}, and this is {MADE_BY})"),
    }
}

/// Where a certificate is not what the model gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Counted from 1; `None` for what is missing.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// The certificate made again from the system and the facts that the text states, where the text is just that.
/// `about` is what the header has to say of the model.
pub fn against(text: &str, system: &TransitionSystem, about: &About) -> Result<ParsedCertificate, Refusal> {
    let parsed = parse_certificate(text)?;
    let certificate = stated(text, &parsed, system)?;
    let system = TransitionSystem {
        name: parsed.system.clone(),
        ..system.clone()
    };
    let made = text_made_by(&system, &certificate, about, &parsed.made_by)?;
    if made == text {
        return Ok(parse_certificate(&made)?);
    }
    Err(Refusal::Differences {
        differences: differences(text, &made),
        made_by: parsed.made_by,
    })
}

/// The facts that a certificate of the system states. Nothing is said of whether they hold.
pub fn stated_facts(text: &str, system: &TransitionSystem) -> Result<Vec<Fact>, Refusal> {
    let parsed = parse_certificate(text)?;
    Ok(stated(text, &parsed, system)?.facts)
}

/// What the certificate states: all that is taken from it.
fn stated(text: &str, parsed: &ParsedCertificate, system: &TransitionSystem) -> Result<Certificate, Refusal> {
    let mut certificate = Certificate {
        properties: parsed.properties.clone(),
        ..Certificate::default()
    };
    let obligations = obligations(system, &certificate)?;
    let names = Names::new(system, parsed.facts.len(), &obligations);
    for (name, symbol) in parsed.facts.iter().zip(&names.facts) {
        let beginning = format!("(define-fun {symbol} () Bool ");
        let value = (1..).zip(text.lines()).find_map(|(number, line)| {
            let value = line.strip_prefix(&beginning)?.strip_suffix(')')?;
            Some((number, value))
        });
        let (line, value) = value.ok_or_else(|| Refusal::MissingFact(symbol.clone()))?;
        let unreadable = || Refusal::UnreadableFact {
            name: symbol.clone(),
            line,
        };
        let formula = read_formula(value, names.declarations.symbols()).ok_or_else(unreadable)?;
        let second = certificate.facts.len() + 1;
        if let Some(known) = certificate.facts.iter().position(|fact| fact.formula == formula) {
            return Err(Refusal::RepeatedFact {
                first: known + 1,
                second,
            });
        }
        certificate.facts.push(Fact {
            name: name.clone(),
            formula,
            span: Span::default(),
        });
    }
    certificate.premises = parsed.premises.clone();
    Ok(certificate)
}

/// A part of a certificate that has a name.
struct Piece {
    /// What it is, in words.
    key: String,
    line: usize,
    text: String,
}

/// Where a text is not the one that was made again, what matters most first.
pub fn differences(given: &str, made: &str) -> Vec<Difference> {
    let (given_pieces, made_pieces) = (pieces(given), pieces(made));
    let by_key = |pieces: &[Piece]| -> BTreeMap<String, String> {
        pieces
            .iter()
            .map(|piece| (piece.key.clone(), piece.text.clone()))
            .collect()
    };
    let (in_given, in_made) = (by_key(&given_pieces), by_key(&made_pieces));
    // What matters most is told first.
    let mut found: Vec<(usize, Difference)> = Vec::new();
    for Piece { key, line, text } in given_pieces {
        let message = match in_made.get(&key) {
            Some(made) if *made == text => continue,
            Some(made) => {
                let [given, made] = match (shown(&text), shown(made)) {
                    // They differ in what is not shown, such as blanks.
                    (same, also) if same == also => parting(&text, made),
                    (given, made) => parting(&given, &made),
                };
                format!("{key} is `{given}`, where the model gives `{made}`")
            }
            None => format!("{key} is nothing that the model gives"),
        };
        let line = Some(line);
        found.push((rank(&key), Difference { line, message }));
    }
    let missing = made_pieces
        .into_iter()
        .filter(|piece| !in_given.contains_key(&piece.key));
    found.extend(missing.map(|piece| {
        let message = format!("missing: {}", piece.key);
        (rank(&piece.key), Difference { line: None, message })
    }));
    found.sort_by_key(|(rank, _)| *rank);
    let mut found: Vec<Difference> = found.into_iter().map(|(_, difference)| difference).collect();
    if found.is_empty() {
        // Another order, or other blanks.
        let same = given
            .lines()
            .zip(made.lines())
            .take_while(|(a, b)| a == b || a.starts_with(DIGEST));
        found.push(Difference {
            line: Some(same.count() + 1),
            message: "the text is arranged in another way".to_owned(),
        });
    }
    found
}

/// What was read; the system; the queries; what is counted; comments.
fn rank(key: &str) -> usize {
    const READ: [&str; 7] = ["model", "properties", "also", "predicates", "option", "type", "proves"];
    match key {
        _ if READ.iter().any(|word| key.starts_with(&format!("`{word}`"))) => 0,
        _ if key.starts_with("the definition") || key.starts_with("the declaration") => 1,
        _ if key.starts_with("the comment") => 4,
        _ if key.starts_with("the ") => 2,
        _ => 3,
    }
}

/// The header by its words, definitions by their names, queries by their labels, and all other lines by what they say.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let (mut in_header, mut query) = (true, None::<Piece>);
    for (line, content) in (1..).zip(text.lines()) {
        if content.starts_with(DIGEST) || content.trim().is_empty() {
            continue;
        }
        in_header &= content != ";";
        if let Some(open) = &mut query {
            open.text.push_str(&format!("{content}\n"));
            if content == "(pop 1)" {
                pieces.extend(query.take());
            }
            continue;
        }
        let numbered = content.strip_prefix("; query ").and_then(|rest| rest.split_once(": "));
        if let Some((_, label)) = numbered {
            query = Some(Piece {
                key: format!("the query `{label}`"),
                line,
                text: String::new(),
            });
            continue;
        }
        let mut key = match content.split_once(": ") {
            Some((word, _)) if in_header || word.ends_with("does not touch") => {
                format!("`{}`", word.trim_start_matches("; "))
            }
            _ if content.starts_with('(') => named(content),
            _ => format!("the comment `{}`", shortened(content)),
        };
        let count = met.entry(key.clone()).or_default();
        *count += 1;
        if *count > 1 {
            key.push_str(&format!(" (number {count})"));
        }
        pieces.push(Piece {
            key,
            line,
            text: content.to_owned(),
        });
    }
    pieces.extend(query);
    pieces
}

/// A command by its first two words.
fn named(command: &str) -> String {
    let mut words = command.trim_start_matches('(').splitn(3, ' ');
    let (head, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match head {
        "declare-sort" | "declare-fun" | "declare-datatypes" => format!("the declaration of `{name}`"),
        "define-fun" => format!("the definition of `{name}`"),
        _ => format!("the command `{}`", shortened(command)),
    }
}

/// How much of a text is shown.
const SHOWN: usize = 100;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A piece for people.
fn shown(text: &str) -> String {
    let of_every_query = ["(push 1)", "(pop 1)", "(check-sat)"];
    let commands = text
        .lines()
        .filter(|line| !of_every_query.iter().any(|command| line.starts_with(command)));
    commands.map(readable).collect::<Vec<_>>().join("; ")
}

/// Two texts from shortly before they part.
fn parting(a: &str, b: &str) -> [String; 2] {
    const BEFORE: usize = 20;
    let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let from = if same > SHOWN / 2 { same - BEFORE } else { 0 };
    [a, b].map(|text| {
        let rest: String = text.chars().skip(from).collect();
        let dots = if from > 0 { "... " } else { "" };
        format!("{dots}{}", shortened(rest.trim()))
    })
}
