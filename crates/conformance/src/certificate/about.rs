//! What was read, as the header of a certificate says it.

use crate::assembly::ConformanceProblem;
use crate::specification::Specification;
use std::collections::{BTreeMap, BTreeSet};
use system::{Role, SourceFile, Sources};
use validate::{Difference, one_line, sha256};

const SPECIFICATION: &str = "specification";
const PROGRAM: &str = "program";
const INCLUDED: &str = "included";
const OPTION: &str = "option";
const QUESTION: &str = "question";
const PROVES: &str = "proves";

/// The words of such lines.
const WORDS: [&str; 6] = [SPECIFICATION, PROGRAM, INCLUDED, OPTION, QUESTION, PROVES];

/// The lines of a header, by the word before the colon.
pub type Header = BTreeMap<String, Vec<String>>;

fn said<'h>(header: &'h Header, word: &str) -> &'h [String] {
    header.get(word).map(Vec::as_slice).unwrap_or_default()
}

/// What is asked, and what was read for it.
pub struct Asked<'a> {
    pub specification: &'a Specification,
    /// All questions of the specification, and which of them it is.
    pub questions: &'a [ConformanceProblem],
    pub number: usize,
    /// Of each component.
    pub programs: Vec<&'a Sources>,
    /// The options that decide what is proved.
    pub options: &'a [String],
}

impl Asked<'_> {
    /// The lines for a new certificate.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        self.lines_as(&Header::new())
    }

    /// The same where a certificate already gives names to files: where these lie is of no importance.
    pub fn lines_as(&self, header: &Header) -> Vec<(&'static str, String)> {
        let named = |word: &'static str, file: &SourceFile| {
            let digest = format!("sha256 {} of ", sha256(file.text.as_bytes()));
            let recorded = said(header, word).iter().find(|line| line.starts_with(&digest));
            let own = || format!("{digest}{}", one_line(&file.name));
            (word, recorded.cloned().unwrap_or_else(own))
        };
        let sources = &self.specification.sources;
        let mut lines: Vec<(&'static str, String)> = std::iter::once(sources.model())
            .chain(sources.additions())
            .map(|file| named(SPECIFICATION, file))
            .collect();
        let read = |file: &&SourceFile| file.role() != Role::Preprocessed;
        lines.extend(self.programs.iter().map(|sources| named(PROGRAM, sources.model())));
        let included = self
            .programs
            .iter()
            .flat_map(|sources| sources.additions())
            .filter(read);
        lines.extend(included.map(|file| named(INCLUDED, file)));
        lines.extend(self.options.iter().map(|option| (OPTION, one_line(option))));
        let mut seen = BTreeSet::new();
        lines.retain(|line| seen.insert(line.clone()));
        let (number, count) = (self.number + 1, self.questions.len());
        lines.push((QUESTION, format!("{number} of {count}")));
        lines.push((PROVES, self.questions[self.number].claimed()));
        lines
    }
}

impl ConformanceProblem {
    /// `sender || receiver conforms to SPEC (transfer)`
    pub fn claimed(&self) -> String {
        let names: Vec<&str> = self
            .components
            .iter()
            .map(|component| component.text.as_str())
            .collect();
        let (process, name) = (&self.process.text, &self.name);
        one_line(&format!("{} conforms to {process} ({name})", names.join(" || ")))
    }
}

/// Which question of the specification a certificate is about, counted from 0.
pub fn question(header: &Header) -> Option<usize> {
    let [line] = said(header, QUESTION) else { return None };
    let (number, _) = line.split_once(" of ")?;
    number.parse::<usize>().ok()?.checked_sub(1)
}

/// The options that a certificate names, a word and its value each.
pub fn options(header: &Header) -> &[String] {
    said(header, OPTION)
}

/// The digest and the name in a line about a file.
fn digested(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("sha256 ")?.split_once(" of ")
}

/// The given files of the specification, by their texts, in the order in which the certificate names them: positions.
/// Where they are not those of the certificate, or there is no file of a component, what is different.
pub fn ordered(header: &Header, specifications: &[String], programs: &[String]) -> Result<Vec<usize>, Vec<Difference>> {
    let digests = |texts: &[String]| texts.iter().map(|text| sha256(text.as_bytes())).collect::<Vec<_>>();
    let (specifications, programs) = (digests(specifications), digests(programs));
    let (mut order, mut missing): (Vec<usize>, Vec<String>) = (Vec::new(), Vec::new());
    for (word, given) in [(SPECIFICATION, &specifications), (PROGRAM, &programs)] {
        for (digest, name) in said(header, word).iter().filter_map(|line| digested(line)) {
            match given.iter().position(|own| own == digest) {
                Some(position) if word == SPECIFICATION => order.push(position),
                Some(_) => {}
                None => missing.push(format!("none of the files is the {word} {name} (sha256 {digest})")),
            }
        }
    }
    let others = (0..specifications.len()).filter(|position| !order.contains(position));
    missing.extend(others.map(|position| {
        let digest = &specifications[position];
        format!("the specification with sha256 {digest} is none that the certificate names")
    }));
    match missing.is_empty() {
        true => Ok(order),
        false => Err(missing
            .into_iter()
            .map(|message| Difference { line: None, message })
            .collect()),
    }
}

/// Lines of the header of a certificate that are not those of what was read.
pub(super) fn differences(given: &str, about: &validate::About) -> Vec<Difference> {
    let lines = (1..).zip(given.lines()).take_while(|(_, line)| *line != ";");
    let known = lines.filter_map(|(number, line)| {
        let (word, value) = line.strip_prefix("; ")?.split_once(": ")?;
        let word = WORDS.into_iter().find(|known| *known == word)?;
        Some((number, word, value))
    });
    let known: Vec<(usize, &str, &str)> = known.collect();
    if known
        .iter()
        .map(|(_, word, value)| (*word, *value))
        .eq(about.iter().map(|(word, value)| (*word, &**value)))
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, word, value) in &known {
        if !about.iter().any(|(own, said)| own == word && said == value) {
            found.push(Difference {
                line: Some(*line),
                message: format!("`{word}` is `{value}`, which the sources do not give"),
            });
        }
    }
    for (word, value) in about {
        if !known.iter().any(|(_, own, said)| own == word && said == value) {
            found.push(Difference {
                line: None,
                message: format!("missing: `{word}: {value}`"),
            });
        }
    }
    if found.is_empty() {
        found.push(Difference {
            line: known.first().map(|(line, ..)| *line),
            message: "what was read stands there in another order, or twice".to_owned(),
        });
    }
    found
}
