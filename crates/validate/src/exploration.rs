//! The certificate of an exploration: what was explored, and what was counted. It is evidence only together with the
//! model, which can be explored again.

use crate::parse::CertificateError;
use crate::query::sealed;
use crate::text::{About, MADE_BY};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const TITLE: &str = "; Cubist exploration 1";

const EXPLANATION: &str = "\
;
; All reachable states of the model named above, with its types at these sizes, were looked at. In all of them the
; properties hold, and no assertion fails on the way. Nothing is said of other sizes.
;
; There is nothing here that a solver could confirm: `cubist validate FILE --model MODEL` reads the model again and looks
; at all its states again, with an interpreter that the first search does not use.
";

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    pub states: u64,
    pub rules_fired: u64,
    /// Whether states that differ by a symmetry count as one.
    pub symmetric: bool,
}

/// An exploration, as its file tells it.
#[derive(Clone, Debug)]
pub struct ParsedExploration {
    /// All lines of the header, by the word before the colon.
    pub header: BTreeMap<String, Vec<String>>,
    /// The program that wrote it.
    pub made_by: String,
    pub properties: Vec<String>,
    pub counted: Counted,
}

/// The text of such a certificate.
pub fn exploration_text(about: &About, properties: &[String], counted: Counted) -> String {
    exploration_made_by(MADE_BY, about, properties, counted)
}

/// The same, where it says that another program wrote it.
pub fn exploration_made_by(made_by: &str, about: &About, properties: &[String], counted: Counted) -> String {
    let mut text = format!("{TITLE}\n; made by: {made_by}\n");
    for (word, line) in about {
        let _ = writeln!(text, "; {word}: {}", crate::names::one_line(line));
    }
    for property in properties {
        let _ = writeln!(text, "; property: {}", crate::names::one_line(property));
    }
    let symmetric = if counted.symmetric { ", up to symmetry" } else { "" };
    let _ = writeln!(text, "; states: {}{symmetric}", counted.states);
    let _ = writeln!(text, "; rules fired: {}", counted.rules_fired);
    sealed(&(text + EXPLANATION))
}

/// Whether a text calls itself the certificate of an exploration.
pub fn is_exploration(text: &str) -> bool {
    text.lines().next() == Some(TITLE)
}

/// Reads such a certificate.
pub fn parse_exploration(text: &str) -> Result<ParsedExploration, CertificateError> {
    if !is_exploration(text) {
        return Err(CertificateError::NotACertificate);
    }
    if sealed(text) != text {
        return Err(CertificateError::WrongDigest);
    }
    if text.contains(|c: char| c.is_control() && c != '\n') {
        return Err(CertificateError::Syntax("it has control characters".to_owned()));
    }
    let mut header: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines().skip(1).take_while(|line| *line != ";") {
        let (word, rest) = line
            .strip_prefix("; ")
            .and_then(|line| line.split_once(": "))
            .ok_or_else(|| CertificateError::Syntax(format!("`{line}` is no line of its header")))?;
        header.entry(word.to_owned()).or_default().push(rest.to_owned());
    }
    let missing = |word: &str| CertificateError::Header(word.to_owned());
    let number = |word: &str| match header.get(word).map(Vec::as_slice) {
        Some([line]) => {
            let (number, rest) = line
                .split_once(',')
                .map_or((line.as_str(), ""), |(n, rest)| (n, rest.trim()));
            number
                .parse::<u64>()
                .map(|number| (number, rest))
                .map_err(|_| missing(word))
        }
        _ => Err(missing(word)),
    };
    let (states, symmetry) = number("states")?;
    let (rules_fired, _) = number("rules fired")?;
    let counted = Counted {
        states,
        rules_fired,
        symmetric: symmetry == "up to symmetry",
    };
    let properties = header.get("property").cloned().unwrap_or_default();
    let made_by = match header.get("made by").map(Vec::as_slice) {
        Some([program]) => program.clone(),
        _ => return Err(missing("made by")),
    };
    Ok(ParsedExploration {
        header,
        made_by,
        properties,
        counted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let counted = Counted {
            states: 12,
            rules_fired: 30,
            symmetric: true,
        };
        let about = [("model", "sha256 00 of a.m".to_owned())];
        let text = exploration_text(&about, &["few: \"x\"".to_owned()], counted);
        let read = parse_exploration(&text).unwrap();
        assert_eq!(read.counted, counted);
        assert_eq!(read.properties, ["few: \"x\""]);
        assert_eq!(read.header["model"], ["sha256 00 of a.m"]);
        let changed = text.replace("states: 12", "states: 13");
        assert_eq!(parse_exploration(&changed).unwrap_err(), CertificateError::WrongDigest);
        let said_twice = text.replace("; made by", "; made by: nobody\n; made by");
        assert_eq!(
            parse_exploration(&sealed(&said_twice)).unwrap_err(),
            CertificateError::Header("made by".to_owned())
        );
        assert!(matches!(
            parse_exploration(&sealed(&text.replace("; states: 12, up to symmetry\n", ""))),
            Err(CertificateError::Header(_))
        ));
    }
}
