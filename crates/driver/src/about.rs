//! What was read, as the header of a certificate says it: the digests of the files, the options that decide what they
//! mean, and for each type whether it is taken at any size or at which. And such a header read again, to read the
//! same once more.

use crate::error::{Error, Result};
use crate::input::Input;
use crate::model::Question;
use logic::Cancellation;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::frontend::{InProofs, TypeSize};
use system::{ReadOptions, Role};
use validate::ParsedCertificate;

const MODEL: &str = "model";
const OPTION: &str = "option";
const TYPE: &str = "type";
const READS: &str = "reads";
const PROVIDED: &str = "provided";

/// The lines of a certificate's header, by the word before the colon.
pub type Header = BTreeMap<String, Vec<String>>;

fn said<'c>(header: &'c Header, word: &str) -> &'c [String] {
    header.get(word).map(Vec::as_slice).unwrap_or_default()
}

/// The word for a file.
fn word(role: Role) -> &'static str {
    match role {
        Role::Model => MODEL,
        Role::Properties => "properties",
        Role::Predicates => "predicates",
        Role::Further => "also",
        Role::Included => "included",
        Role::Preprocessed => "preprocessed",
    }
}

/// The lines of a header, with files under the names that `name` gives them.
pub fn lines(input: &Input, reading: &ReadOptions, name: impl Fn(&str, &str) -> String) -> Vec<(&'static str, String)> {
    let mut lines = lines_at(input, input.sizes(), reading, name);
    if reading.asserts_reads {
        lines.push((READS, "none is of an undefined value".to_owned()));
    } else if !input.model.possible_undefined_reads(&Cancellation::new()).is_empty() {
        lines.push((PROVIDED, "no undefined value is read".to_owned()));
    }
    lines
}

/// The same, with types at these sizes.
pub fn lines_at(
    input: &Input,
    sizes: &[TypeSize],
    reading: &ReadOptions,
    name: impl Fn(&str, &str) -> String,
) -> Vec<(&'static str, String)> {
    let file = |word: &'static str, file: &system::SourceFile| {
        let digest = validate::sha256(file.text.as_bytes());
        (word, format!("sha256 {digest} of {}", name(word, &file.name)))
    };
    let mut lines = vec![file(MODEL, input.file())];
    lines.extend(input.sources().additions().map(|added| file(word(added.role()), added)));
    lines.extend(options(reading).into_iter().map(|option| (OPTION, option)));
    lines.extend(sizes.iter().map(|size| (TYPE, size_of(size))));
    lines
}

/// At which sizes a proof takes a type.
pub fn size_of(size: &TypeSize) -> String {
    let name = &size.name;
    match &size.in_proofs {
        InProofs::AnySize { .. } => match (size.least, size.most) {
            (..=1, None) => format!("{name}, at any size"),
            (least, None) => format!("{name}, at any size from {least} on"),
            (least, Some(most)) => format!("{name}, at any size from {least} to {most}"),
        },
        InProofs::Fixed { .. } => format!("{name}, at size {}", size.size),
    }
}

/// The options that decide what is proved, in one order whatever order they were given in.
pub fn options(reading: &ReadOptions) -> Vec<String> {
    let sizes = reading.sizes.iter().map(|(name, size)| format!("--size {name}={size}"));
    let constants = reading
        .constants
        .iter()
        .map(|(name, value)| format!("--const {name}={value}"));
    let parametric = reading.parametric.iter().map(|name| format!("--parametric {name}"));
    let fixed = reading.fixed.iter().map(|name| format!("--fixed {name}"));
    let mut options: Vec<String> = sizes.chain(constants).chain(parametric).chain(fixed).collect();
    options.sort();
    options.dedup();
    options
}

/// A model to be read as a certificate says.
pub struct Recorded {
    pub reading: ReadOptions,
    pub files: Vec<(Role, PathBuf)>,
}

impl Recorded {
    /// What the certificate says, under the names that the command line gives. An error where the two contradict each
    /// other.
    pub fn of(certificate: &Header, given: &Question) -> Result<Recorded> {
        let asked = &given.reading;
        let mut reading = ReadOptions {
            sizes: Vec::new(),
            constants: Vec::new(),
            parametric: Vec::new(),
            fixed: Vec::new(),
            asserts_reads: !said(certificate, READS).is_empty(),
            ..asked.clone()
        };
        for option in said(certificate, OPTION) {
            add(&mut reading, option)
                .map_err(|what| Error::refused(format!("the certificate says `option: {option}`: {what}")))?;
        }
        let (asked, recorded) = (options(asked), options(&reading));
        if !asked.is_empty() && asked != recorded {
            let shown = |options: &[String]| match options {
                [] => "no option".to_owned(),
                some => format!("`{}`", some.join(" ")),
            };
            return Err(Error::refused(format!(
                "the certificate was made with {}, and you ask for {}",
                shown(&recorded),
                shown(&asked)
            )));
        }
        let files = [
            (Role::Properties, &given.properties),
            (Role::Predicates, &given.predicates),
            (Role::Further, &given.also),
        ];
        let mut named = Vec::new();
        for (role, given) in files {
            let word = word(role);
            match (recorded_name(certificate, word), given) {
                (Some(_), Some(path)) => named.push((role, path.clone())),
                (Some(name), None) => named.push((role, recorded_file(name, word)?)),
                (None, Some(path)) => {
                    return Err(Error::refused(format!(
                        "the certificate was made without `--{word} {}`",
                        path.display()
                    )));
                }
                (None, None) => {}
            }
        }
        Ok(Recorded { reading, files: named })
    }

    /// What the header has to say of what was read. Where files lie is of no importance: there the certificate is
    /// believed.
    pub fn lines(&self, certificate: &Header, input: &Input) -> Vec<(&'static str, String)> {
        lines(input, &self.reading, |word, name| {
            recorded_name(certificate, word).unwrap_or(name).to_owned()
        })
    }
}

/// A file that a certificate names and the command line does not. A stranger may have written the name: nothing but a
/// plain file is read, since others may have no end, or wait for ever.
fn recorded_file(name: &str, word: &str) -> Result<PathBuf> {
    plain_file(Path::new(name))
        .map_err(|what| Error::refused(format!("{what}; `--{word} FILE` says where it is now")))?;
    Ok(PathBuf::from(name))
}

/// An error, in a sentence without a full stop, where a path that a certificate names is no plain file.
pub fn plain_file(path: &Path) -> std::result::Result<(), String> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(format!(
            "the certificate names `{}`, which is no plain file",
            path.display()
        )),
        Err(_) => Err(format!(
            "the certificate names `{}`, and there is no such file",
            path.display()
        )),
    }
}

/// The name of a file in the header.
pub fn recorded_name<'c>(certificate: &'c Header, word: &str) -> Option<&'c str> {
    let line = said(certificate, word).first()?;
    line.split_once(" of ").map(|(_, name)| name)
}

/// The name that the model had.
pub fn model_name(certificate: &ParsedCertificate) -> &str {
    recorded_name(&certificate.header, MODEL).unwrap_or(&certificate.system)
}

fn add(reading: &mut ReadOptions, option: &str) -> std::result::Result<(), String> {
    let (word, value) = option.split_once(' ').ok_or("it has no value")?;
    let assignment = || assignment(value);
    match word {
        "--size" => reading.sizes.push(assignment()?),
        "--const" => reading.constants.push(assignment()?),
        "--parametric" => reading.parametric.push(value.to_owned()),
        "--fixed" => reading.fixed.push(value.to_owned()),
        _ => return Err("that is no option that decides what is proved".to_owned()),
    }
    Ok(())
}

/// `NAME=NUMBER`, as options have it.
pub fn assignment(text: &str) -> std::result::Result<(String, i64), String> {
    let expected = "expected NAME=NUMBER, such as NODE=3";
    let (name, value) = text.split_once('=').ok_or(expected)?;
    let value = value.trim().parse().map_err(|_| expected)?;
    match name.trim() {
        "" => Err(expected.to_owned()),
        name => Ok((name.to_owned(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments() {
        assert_eq!(assignment("NODE=3"), Ok(("NODE".to_owned(), 3)));
        assert_eq!(assignment("N = -1"), Ok(("N".to_owned(), -1)));
        for bad in ["NODE", "=3", "NODE=", "NODE=x", "NODE=99999999999999999999"] {
            assert!(assignment(bad).is_err(), "{bad}");
        }
    }
}
