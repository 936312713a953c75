//! Certificates of components that conform to a specification, as far as they can be understood without either.
//!
//! Such a file has a claim (comments that the crate `conformance` writes and reads), declarations, and queries that all
//! expect `unsat`. Of a specification with several questions there is one certificate for each, with `(reset)`
//! between them.

use crate::parse::{Asks, CertificateError, Pieces, Query};
use crate::query::QueryKind;
use std::collections::{BTreeMap, BTreeSet};

/// The first line of a certificate.
pub const TITLE: &str = "; Cubist conformance certificate 1";

/// What stands between two certificates in a file.
const RESET: &str = "(reset)\n";

/// Whether a text says that it is a certificate of components.
pub fn is_conformance(text: &str) -> bool {
    text.lines().next() == Some(TITLE)
}

/// Certificates as one text.
pub fn joined(certificates: &[&str]) -> String {
    certificates.join(RESET)
}

/// The certificates of a text: one at least.
pub fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line == RESET {
            parts.push(&text[start..offset]);
            start = offset + line.len();
        }
        offset += line.len();
    }
    parts.push(&text[start..]);
    parts
}

/// A certificate without its claim.
#[derive(Clone, Debug)]
pub struct ParsedConformance {
    /// The program that wrote it.
    pub made_by: String,
    /// All lines of the header, by the word before the colon.
    pub header: BTreeMap<String, Vec<String>>,
    /// What it proves.
    pub proves: String,
    pub prelude: String,
    pub queries: Vec<Query>,
}

impl Asks for ParsedConformance {
    fn prelude(&self) -> &str {
        &self.prelude
    }

    fn queries(&self) -> &[Query] {
        &self.queries
    }
}

/// Reads a certificate and checks its form.
pub fn parse_conformance(text: &str) -> Result<ParsedConformance, CertificateError> {
    if !is_conformance(text) {
        return Err(CertificateError::NotACertificate);
    }
    let pieces = Pieces::read(text, &QueryKind::OF_COMPONENTS)?;
    let (header, body) = (pieces.header, pieces.body);
    let (said, found) = (header.number("queries")?, body.queries.len());
    if said != found {
        let what = "queries".to_owned();
        return Err(CertificateError::WrongCount { what, said, found });
    }
    if body.queries.is_empty() {
        return Err(CertificateError::MissingQuery("about any statement".to_owned()));
    }
    let mut labels = BTreeSet::new();
    for query in &body.queries {
        if !labels.insert(query.label) {
            return Err(CertificateError::RepeatedQuery(query.label.to_string()));
        }
    }
    pieces.definitions.check_queries(&body)?;
    Ok(ParsedConformance {
        made_by: header.one("made by")?.to_owned(),
        proves: header.one("proves")?.to_owned(),
        prelude: pieces.prelude,
        header: header.whole(),
        queries: body.queries,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_comes_apart() {
        for parts in [&["a\n"][..], &["a\n", "b\nc\n"], &["", "x"], &["a\n", "", "b\n"]] {
            assert_eq!(split(&joined(parts)), parts);
        }
        // In a line with anything else it separates nothing.
        assert_eq!(split("a (reset)\n(reset) \n"), ["a (reset)\n(reset) \n"]);
    }
}
