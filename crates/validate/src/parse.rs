//! Certificates read again, so that `cubist validate FILE` needs nothing but the file.
//!
//! What can be seen without knowing the system is checked: that the file is whole (its digest), that its queries are
//! as many as its header says, of the kinds that a proof needs, one for each start and fact, one for each rule and
//! fact unless the rule does not touch it, each a plain list of assertions with nothing around that could change its
//! meaning: names of what is defined once, before all queries, and then something that is negated.
//!
//! Limitation: a certificate of another system, or of another property under the same name, cannot be told from the
//! file alone. Where the source is at hand, `against` makes the text again from it.

use crate::obligation::{Expected, Step};
use crate::query::{DIGEST, Label, QueryKind, TITLE, unsealed};
use crate::scan::{Item, beginning, scan};
use crate::sha256::sha256;
use smt::expression::{Expression, parse};
use std::collections::{BTreeMap, BTreeSet};

/// A certificate, as far as it can be understood from its text.
#[derive(Clone, Debug)]
pub struct ParsedCertificate {
    pub system: String,
    /// The program that wrote it.
    pub made_by: String,
    /// All lines of the header, by the word before the colon.
    pub header: BTreeMap<String, Vec<String>>,
    /// The properties that it proves. That no assertion fails is proved as well.
    pub properties: Vec<String>,
    /// Declarations and definitions, ready for a solver.
    pub prelude: String,
    pub queries: Vec<Query>,
    /// The names of the facts.
    pub facts: Vec<String>,
    /// By position, the facts that are said to be enough for one.
    pub premises: BTreeMap<usize, BTreeSet<usize>>,
}

impl ParsedCertificate {
    /// What the header says under a word.
    pub fn about(&self, key: &str) -> &[String] {
        self.header.get(key).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Something that asks a solver for answers.
pub trait Asks {
    /// Declarations and definitions.
    fn prelude(&self) -> &str;
    fn queries(&self) -> &[Query];
}

impl Asks for ParsedCertificate {
    fn prelude(&self) -> &str {
        &self.prelude
    }

    fn queries(&self) -> &[Query] {
        &self.queries
    }
}

/// One query: what to assert, and the answer that confirms it.
#[derive(Clone, Debug)]
pub struct Query {
    pub label: Label,
    /// In words.
    pub name: String,
    pub expected: Expected,
    /// `(assert ...)` commands.
    pub assertions: String,
}

/// Why a file is no certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertificateError {
    #[error("this is not a certificate: its first line should be `{TITLE}`")]
    NotACertificate,
    #[error("the certificate has been changed or cut off: its text does not fit its digest")]
    WrongDigest,
    #[error("the certificate has no line `; {0}: ...`, or more than one, or one without a number")]
    Header(String),
    #[error("the certificate is not well formed: {0}")]
    Syntax(String),
    #[error("the certificate says `{0}` where only declarations, definitions and queries may stand")]
    UnexpectedCommand(String),
    #[error("query {0} does not have the form that a query has")]
    MalformedQuery(usize),
    #[error("the certificate says that there are {said} {what}, but there are {found}")]
    WrongCount { what: String, said: usize, found: usize },
    #[error("the certificate has no query {0}")]
    MissingQuery(String),
    #[error("the certificate asks the same twice: {0}")]
    RepeatedQuery(String),
    #[error("the certificate defines or declares `{0}` twice")]
    RepeatedDefinition(String),
    #[error("the certificate says that rule {rule} does not touch fact {fact}, but the rule changes `{symbol}`")]
    Touched { rule: usize, fact: usize, symbol: String },
    #[error("nothing is proved: no query is about a property or an assertion")]
    NothingProved,
}

/// Reads a certificate and checks its form. Whether it proves anything only a solver can tell.
pub fn parse_certificate(text: &str) -> Result<ParsedCertificate, CertificateError> {
    if text.lines().next() != Some(TITLE) {
        return Err(CertificateError::NotACertificate);
    }
    let Pieces {
        header,
        prelude,
        definitions,
        body,
    } = Pieces::read(text, &QueryKind::ALL)?;
    check_counts(&header, &body)?;
    check_coverage(&header, &body)?;
    definitions.check_queries(&body)?;
    definitions.check_untouched(&body)?;
    Ok(ParsedCertificate {
        system: header.one("system")?.to_owned(),
        made_by: header.one("made by")?.to_owned(),
        properties: header.all("proves"),
        prelude,
        queries: body.queries,
        facts: header.facts()?,
        premises: header.premises()?,
        header: header.whole(),
    })
}

/// What every certificate consists of.
pub(crate) struct Pieces<'t> {
    pub(crate) header: Header<'t>,
    pub(crate) prelude: String,
    pub(crate) definitions: Definitions<'t>,
    pub(crate) body: Body<'t>,
}

impl<'t> Pieces<'t> {
    /// Of a text whose title is known, with queries of these kinds.
    pub(crate) fn read(text: &'t str, kinds: &[QueryKind]) -> Result<Pieces<'t>, CertificateError> {
        check_digest(text)?;
        // They would be shown to people, whose terminals obey some of them.
        if text.contains(|c: char| c.is_control() && c != '\n') {
            return Err(CertificateError::Syntax("it has control characters".to_owned()));
        }
        let items = scan(text).map_err(CertificateError::Syntax)?;
        let first_command = items
            .iter()
            .position(|item| matches!(item, Item::Command { .. }))
            .unwrap_or(items.len());
        let is_push = |item: &Item| matches!(item, Item::Command { head: "push", .. });
        let comment_before = |position: usize| {
            items[..position]
                .iter()
                .rposition(|i| matches!(i, Item::Command { .. }))
        };
        let first_query = items
            .iter()
            .position(is_push)
            .and_then(comment_before)
            .map_or(items.len(), |last| last + 1);
        let before = &items[first_command.min(first_query)..first_query];
        Ok(Pieces {
            header: Header::read(&items[..first_command]),
            prelude: prelude(before)?,
            definitions: Definitions::read(before)?,
            body: Body::read(&items[first_query..], kinds)?,
        })
    }
}

/// The digest is of all lines but its own.
fn check_digest(text: &str) -> Result<(), CertificateError> {
    let lines = text.split_inclusive('\n');
    let mut said = lines.filter_map(|line| line.strip_prefix(DIGEST)).map(str::trim_end);
    match (said.next(), said.next()) {
        (Some(digest), None) if digest == sha256(unsealed(text).as_bytes()) => Ok(()),
        _ => Err(CertificateError::WrongDigest),
    }
}

/// The lines `; key: value` at the beginning.
pub(crate) struct Header<'t> {
    values: BTreeMap<&'t str, Vec<&'t str>>,
}

impl<'t> Header<'t> {
    fn read(items: &[Item<'t>]) -> Header<'t> {
        let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for item in items {
            // The explanation for people begins with an empty line.
            let Item::Comment(line) = item else { break };
            if *line == ";" {
                break;
            }
            let line = line.strip_prefix("; ").unwrap_or(line);
            // A value may be empty, and then the blank before it is gone.
            let pair = line.split_once(": ").or_else(|| Some((line.strip_suffix(':')?, "")));
            if let Some((key, value)) = pair {
                values.entry(key).or_default().push(value);
            }
        }
        Header { values }
    }

    pub(crate) fn all(&self, key: &str) -> Vec<String> {
        self.values
            .get(key)
            .into_iter()
            .flatten()
            .map(|value| (*value).to_owned())
            .collect()
    }

    pub(crate) fn one(&self, key: &str) -> Result<&'t str, CertificateError> {
        match self.values.get(key).map(Vec::as_slice) {
            Some([value]) => Ok(value),
            _ => Err(CertificateError::Header(key.to_owned())),
        }
    }

    pub(crate) fn number(&self, key: &str) -> Result<usize, CertificateError> {
        self.one(key)?
            .parse()
            .map_err(|_| CertificateError::Header(key.to_owned()))
    }

    pub(crate) fn whole(&self) -> BTreeMap<String, Vec<String>> {
        self.values
            .keys()
            .map(|key| ((*key).to_owned(), self.all(key)))
            .collect()
    }

    /// The names of the facts, each on a line.
    fn facts(&self) -> Result<Vec<String>, CertificateError> {
        let name = |fact: usize| self.one(&format!("fact {fact}")).map(str::to_owned);
        (1..=self.number("facts")?).map(name).collect()
    }

    /// `; premises of fact 2: 1 3`
    fn premises(&self) -> Result<BTreeMap<usize, BTreeSet<usize>>, CertificateError> {
        let mut premises = BTreeMap::new();
        let count = self.number("facts")?;
        for fact in 1..=count {
            let key = format!("premises of fact {fact}");
            if !self.values.contains_key(key.as_str()) {
                continue;
            }
            let number = |word: &str| word.parse().ok().filter(|number| (1..=count).contains(number));
            let those: Option<Vec<usize>> = self.one(&key)?.split_whitespace().map(number).collect();
            let those = those.ok_or(CertificateError::Header(key))?;
            premises.insert(fact - 1, those.into_iter().map(|number| number - 1).collect());
        }
        Ok(premises)
    }
}

/// The commands before the first query: nothing that asserts or answers anything.
fn prelude(items: &[Item<'_>]) -> Result<String, CertificateError> {
    let mut prelude = String::new();
    for item in items {
        let Item::Command { head, text } = item else { continue };
        let is_known = match *head {
            "set-info" => *text == "(set-info :smt-lib-version 2.6)",
            "set-logic" => *text == "(set-logic ALL)",
            "declare-sort" | "declare-datatypes" | "declare-fun" | "define-fun" => true,
            _ => false,
        };
        if !is_known {
            return Err(CertificateError::UnexpectedCommand(beginning(text)));
        }
        prelude.push_str(text);
        prelude.push('\n');
    }
    Ok(prelude)
}

/// The queries, and what needs none.
#[derive(Default)]
pub(crate) struct Body<'t> {
    pub(crate) queries: Vec<Query>,
    /// What queries assume by name, with the number of the query.
    assumed: Vec<(usize, &'t str)>,
    /// Pairs of a rule and a fact.
    untouched: BTreeSet<(usize, usize)>,
}

impl<'t> Body<'t> {
    fn read(items: &[Item<'t>], kinds: &[QueryKind]) -> Result<Body<'t>, CertificateError> {
        let mut body = Body::default();
        let mut rest = items;
        let mut comments: Vec<&str> = Vec::new();
        while let Some((item, behind)) = rest.split_first() {
            rest = behind;
            match item {
                Item::Comment(line) => {
                    body.read_untouched(line);
                    comments.push(line);
                }
                Item::Command { head: "push", .. } => {
                    let number = body.queries.len() + 1;
                    let length = rest
                        .iter()
                        .position(|item| matches!(item, Item::Command { head: "pop", .. }));
                    let (inside, behind) = rest.split_at(length.map_or(rest.len(), |length| length + 1));
                    let malformed = || CertificateError::MalformedQuery(number);
                    let query = query(number, &comments, inside, kinds).ok_or_else(malformed)?;
                    if query.expected == Expected::Unsat {
                        let assumed = assumed(inside).ok_or_else(malformed)?;
                        body.assumed.extend(assumed.into_iter().map(|name| (number, name)));
                    }
                    body.queries.push(query);
                    rest = behind;
                    comments.clear();
                }
                Item::Command { text, .. } => return Err(CertificateError::UnexpectedCommand(beginning(text))),
            }
        }
        Ok(body)
    }

    /// `; rule 2 does not touch: 1 3`
    fn read_untouched(&mut self, line: &str) {
        let Some((rule, facts)) = line.split_once(" does not touch: ") else {
            return;
        };
        let rule = rule.strip_prefix("; rule ").and_then(|number| number.parse().ok());
        for fact in facts.split_whitespace().filter_map(|number| number.parse().ok()) {
            self.untouched.extend(rule.map(|rule: usize| (rule, fact)));
        }
    }
}

/// A query from the comments before it and all after its `(push 1)`; `None` where anything is not as it is written.
fn query(number: usize, comments: &[&str], items: &[Item<'_>], kinds: &[QueryKind]) -> Option<Query> {
    let beginning = format!("; query {number}: ");
    let (name, labels) = comments.split_last()?;
    let label = Label::parse(labels.last()?.strip_prefix(&beginning)?, kinds)?;
    let expected = label.kind.expected();
    let (status, rest) = items.split_first()?;
    let [assertions @ .., check, comment, pop] = rest else {
        return None;
    };
    let is = |item: &Item, wanted: &str| matches!(item, Item::Command { text, .. } if *text == wanted);
    let is_annotated = *comment == Item::Comment(&format!("; expected {}", expected.word()));
    let is_framed = is(status, &format!("(set-info :status {})", expected.word()))
        && is(check, "(check-sat)")
        && is_annotated
        && is(pop, "(pop 1)");
    let mut texts = String::new();
    for item in assertions {
        let Item::Command { head: "assert", text } = item else {
            return None;
        };
        texts.push_str(text);
        texts.push('\n');
    }
    let name = name.trim_start_matches("; ").to_owned();
    is_framed.then_some(Query {
        label,
        name,
        expected,
        assertions: texts,
    })
}

/// All but the last assertion of a query that expects `unsat` are names, and the last one says that something does
/// not hold.
fn assumed<'t>(items: &[Item<'t>]) -> Option<Vec<&'t str>> {
    let commands = items.iter().filter_map(|item| match item {
        Item::Command { head: "assert", text } => Some(asserted(text)),
        _ => None,
    });
    let mut all = commands.collect::<Option<Vec<&str>>>()?;
    let is_negation = all.pop()?.starts_with("(not ");
    (is_negation && all.iter().all(|name| is_symbol(name))).then_some(all)
}

fn check_counts(header: &Header<'_>, body: &Body<'_>) -> Result<(), CertificateError> {
    let same = |what: &str, said: usize, found: usize| {
        let wrong = || CertificateError::WrongCount {
            what: what.to_owned(),
            said,
            found,
        };
        if said == found { Ok(()) } else { Err(wrong()) }
    };
    same("queries", header.number("queries")?, body.queries.len())?;
    let count = |kind: QueryKind| body.queries.iter().filter(|query| query.label.kind == kind).count();
    for kind in QueryKind::ALL {
        let key = format!("queries of kind {}", kind.word());
        same(&key, header.number(&key)?, count(kind))?;
    }
    if count(QueryKind::InitialStates) != 1 {
        return Err(CertificateError::MissingQuery("that initial states exist".to_owned()));
    }
    if header.all("proves").len() > count(QueryKind::Property) {
        return Err(CertificateError::MissingQuery(
            "that the invariant implies the property".to_owned(),
        ));
    }
    if count(QueryKind::Property) + count(QueryKind::Assertion) == 0 {
        return Err(CertificateError::NothingProved);
    }
    Ok(())
}

/// What the prelude defines, by name without bars, with the text of each command.
pub(crate) struct Definitions<'t> {
    commands: BTreeMap<&'t str, &'t str>,
}

impl<'t> Definitions<'t> {
    fn read(items: &[Item<'t>]) -> Result<Definitions<'t>, CertificateError> {
        let mut commands = BTreeMap::new();
        let mut names = BTreeSet::new();
        for item in items {
            let Item::Command { head, text } = item else { continue };
            if !matches!(*head, "declare-fun" | "define-fun") {
                continue;
            }
            let name = second_word(head, text).ok_or_else(|| CertificateError::UnexpectedCommand(beginning(text)))?;
            if !names.insert(name) {
                return Err(CertificateError::RepeatedDefinition(name.to_owned()));
            }
            if *head == "define-fun" {
                commands.insert(name, *text);
            }
        }
        Ok(Definitions { commands })
    }

    /// What a query assumes are names of definitions.
    pub(crate) fn check_queries(&self, body: &Body<'_>) -> Result<(), CertificateError> {
        let is_strange = |(_, name): &&(usize, &str)| !self.commands.contains_key(name.trim_matches('|'));
        match body.assumed.iter().find(is_strange) {
            Some((number, _)) => Err(CertificateError::MalformedQuery(*number)),
            None => Ok(()),
        }
    }

    /// A fact mentions nothing that a rule changes which is said not to touch it.
    fn check_untouched(&self, body: &Body<'_>) -> Result<(), CertificateError> {
        // What is too deep to be read here is for `against`.
        let read = |fact: usize| parse(self.commands.get(format!("fact-{fact}").as_str())?).ok();
        let facts: BTreeSet<usize> = body.untouched.iter().map(|(_, fact)| *fact).collect();
        let facts: BTreeMap<usize, Expression> =
            facts.into_iter().filter_map(|fact| Some((fact, read(fact)?))).collect();
        for (rule, fact) in &body.untouched {
            let mut mentioned = BTreeSet::new();
            if let Some(expression) = facts.get(fact) {
                mentions(expression, &mut mentioned);
            }
            let changed = |symbol: &&&str| self.commands.contains_key(format!("rule-{rule}.{symbol}").as_str());
            if let Some(symbol) = mentioned.iter().find(changed) {
                return Err(CertificateError::Touched {
                    rule: *rule,
                    fact: *fact,
                    symbol: (*symbol).to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// The word behind the first one, without bars.
fn second_word<'t>(head: &str, command: &'t str) -> Option<&'t str> {
    let rest = command.strip_prefix('(')?.strip_prefix(head)?.trim_start();
    match rest.strip_prefix('|') {
        Some(quoted) => quoted.split_once('|').map(|(name, _)| name),
        None => rest.split(|c: char| c.is_whitespace() || "()|\";".contains(c)).next(),
    }
}

/// What `(assert ...)` asserts.
fn asserted(command: &str) -> Option<&str> {
    Some(command.strip_prefix("(assert ")?.strip_suffix(')')?.trim())
}

/// Whether this is one symbol.
fn is_symbol(text: &str) -> bool {
    match text.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')) {
        Some(name) => !name.contains('|'),
        None => !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || "()|\";".contains(c)),
    }
}

/// The symbols of an expression that are no sorts.
fn mentions<'e>(expression: &'e Expression, found: &mut BTreeSet<&'e str>) {
    match expression {
        Expression::Symbol(symbol) => drop(found.insert(symbol)),
        Expression::List(parts) => match parts.as_slice() {
            [word, _, body] if matches!(word.symbol(), Some("forall" | "exists")) => mentions(body, found),
            parts => parts.iter().for_each(|part| mentions(part, found)),
        },
        Expression::Number(_) | Expression::Text(_) => {}
    }
}

/// Each start establishes each fact, and each rule keeps it.
fn check_coverage(header: &Header<'_>, body: &Body<'_>) -> Result<(), CertificateError> {
    let (starts, rules, facts) = (
        header.number("starts")?,
        header.number("rules")?,
        header.number("facts")?,
    );
    let mut labels = BTreeSet::new();
    for query in &body.queries {
        if !labels.insert(query.label) {
            return Err(CertificateError::RepeatedQuery(query.label.to_string()));
        }
    }
    if starts == 0 || facts == 0 {
        return Err(CertificateError::MissingQuery(
            "that initial states satisfy the invariant".to_owned(),
        ));
    }
    let has = |kind, step, fact| {
        labels.contains(&Label {
            kind,
            step: Some(step),
            number: Some(fact),
        })
    };
    for fact in 1..=facts {
        if let Some(start) = (1..=starts).find(|start| !has(QueryKind::Initial, Step::Start(*start), fact)) {
            return Err(CertificateError::MissingQuery(format!(
                "that start {start} establishes fact {fact}"
            )));
        }
        let kept =
            |rule: usize| has(QueryKind::Inductive, Step::Rule(rule), fact) || body.untouched.contains(&(rule, fact));
        if let Some(rule) = (1..=rules).find(|rule| !kept(*rule)) {
            return Err(CertificateError::MissingQuery(format!(
                "that rule {rule} keeps fact {fact}"
            )));
        }
    }
    for rule in 1..=rules {
        if !(1..=facts).any(|fact| has(QueryKind::Inductive, Step::Rule(rule), fact)) {
            return Err(CertificateError::MissingQuery(format!(
                "that rule {rule} keeps the invariant"
            )));
        }
    }
    Ok(())
}
