//! The invariants of a correctness witness, woven into the program as tests.

use super::super::check::{Checked, checked};
use super::{Answer, Reject, loop_word, offset};
use crate::files::Folder;
use crate::supervise::{Control, Limits};
use anyhow::Context as _;
use c::{Options, Unit};
use std::path::Path;
use system::program::{BinaryOperator, Program, Root, Selector, Step, Value, VariableKind};
use system::{Role, Span};
use witness::Invariant;

/// A program that gets a test for each invariant.
pub(super) struct Weaving<'a> {
    pub(super) unit: &'a Unit,
    pub(super) model: &'a Path,
    pub(super) options: &'a Options,
    pub(super) reject: Reject<'a>,
}

impl Weaving<'_> {
    /// Invariants hold, and the program is safe without them.
    pub(super) fn correctness(
        &self,
        invariants: &[Invariant],
        limits: &Limits,
        control: &Control,
    ) -> anyhow::Result<Answer> {
        if !invariants.is_empty() {
            let woven = self.woven(invariants)?;
            let checked = checked(&woven, limits, control)?;
            match &checked {
                Checked::Safe(_) => {
                    if let Some(doubt) = self.doubt(&woven) {
                        return Ok(doubt);
                    }
                }
                Checked::Violated(name) => {
                    let number = name
                        .strip_prefix(NAME)
                        .and_then(|rest| rest.strip_suffix("()")?.parse().ok());
                    let number: Option<usize> = number;
                    let Some(invariant) = number.and_then(|number| invariants.get(number)) else {
                        return Ok(Answer::Refused(Span::default(), "the program is unsafe".to_owned()));
                    };
                    return Ok(Answer::Refused(invariant.span, "this does not hold there".to_owned()));
                }
                Checked::Unknown(reason) => return Ok(Answer::Unknown(reason.clone())),
            }
        }
        // What stands in a witness must not decide what the program does.
        Ok(match checked(self.unit, limits, control)? {
            Checked::Safe(qualified) => Answer::Confirmed(format!(
                "{} and the program has the property{}",
                match invariants.len() {
                    0 => "there are no invariants,".to_owned(),
                    1 => "the invariant holds,".to_owned(),
                    many => format!("all {many} invariants hold,"),
                },
                qualified.map_or(String::new(), |qualified| format!(", {qualified}")),
            )),
            Checked::Violated(_) => Answer::Refused(Span::default(), "the program is unsafe".to_owned()),
            Checked::Unknown(reason) => Answer::Unknown(reason),
        })
    }

    /// Why it says nothing that the program with the tests is safe. A test that changes something, or in which runs
    /// end, would hide from the others what they are there to find.
    fn doubt(&self, woven: &Unit) -> Option<Answer> {
        let (own, tested) = (Work::of(&self.unit.program), Work::of(&woven.program));
        if own.effects != tested.effects {
            let message = "an invariant changes something or calls something";
            return Some(Answer::Refused(Span::default(), message.to_owned()));
        }
        (own.partial != tested.partial).then(|| {
            let message = "whether the invariants have values is not known: they divide, or read through pointers or at \
                           indices, which is undefined in some states";
            Answer::Unknown(message.to_owned())
        })
    }

    /// The program with an error for each invariant where it does not hold.
    fn woven(&self, invariants: &[Invariant]) -> anyhow::Result<Unit> {
        let model = self.unit.sources.model();
        let mut insertions: Vec<(usize, String)> = Vec::new();
        for (number, invariant) in invariants.iter().enumerate() {
            let wrong = |message: &str| (self.reject)(invariant.span, message.to_owned());
            if let Err(message) = expression(&invariant.value) {
                return Err(wrong(message).into());
            }
            let start =
                offset(model, &invariant.location).ok_or_else(|| wrong("there is no such place in the program"))?;
            let test = format!("(({}) ? (void)0 : {NAME}{number}())", invariant.value);
            let insertion = insertion(&model.text, start as usize, invariant.is_of_loop, &test);
            insertions.push(insertion.map_err(wrong)?);
        }
        insertions.sort();
        let declared: String = (0..invariants.len())
            .map(|number| format!("extern void {NAME}{number}(void);\n"))
            .collect();
        let (mut text, mut copied) = (declared, 0);
        for (place, inserted) in &insertions {
            text.push_str(model.text.get(copied..*place).unwrap_or(""));
            text.push_str(inserted);
            copied = *place;
        }
        text.push_str(model.text.get(copied..).unwrap_or(""));
        let folder = Folder::new()?;
        let file = folder.path.join(self.model.file_name().unwrap_or_default());
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        let mut options = self.options.clone();
        let own = self.model.parent().filter(|parent| !parent.as_os_str().is_empty());
        options
            .include_paths
            .insert(0, own.unwrap_or(Path::new(".")).to_owned());
        options
            .error_functions
            .extend((0..invariants.len()).map(|number| format!("{NAME}{number}")));
        let woven = c::read_file(&file, &options).map_err(|rejected| {
            let first = rejected.diagnostics.first().map(|first| first.message.clone());
            let message = format!(
                "with these invariants the program cannot be read: {}",
                first.unwrap_or_default()
            );
            (self.reject)(invariants[0].span, message)
        })?;
        let preprocessed = woven.sources.additions().find(|file| file.role() == Role::Preprocessed);
        let seen = preprocessed.map_or(&woven.sources.model().text, |file| &file.text);
        for (number, invariant) in invariants.iter().enumerate() {
            // Once where it is declared, and then where it stands.
            if seen.matches(&format!("{NAME}{number}(")).count() < 2 {
                let message = "the preprocessor removes this place from the program".to_owned();
                return Err((self.reject)(invariant.span, message).into());
            }
        }
        Ok(woven)
    }
}

/// How much a program does that the tests of invariants must not do.
#[derive(PartialEq, Eq, Debug, Default)]
struct Work {
    /// Steps that change or ask for something.
    effects: usize,
    /// Operations that are undefined for some values.
    partial: usize,
}

impl Work {
    fn of(program: &Program) -> Work {
        let mut work = Work::default();
        let automata = program
            .procedures
            .iter()
            .filter_map(|procedure| procedure.body.automaton());
        let locations = automata.flat_map(|automaton| &automaton.locations);
        for edge in locations.flat_map(|location| &location.edges) {
            work.effects += usize::from(has_effect(program, &edge.step));
            let mut step = edge.step.clone();
            step.for_each_value_mut(&mut |value| work.partial += usize::from(is_partial(value)));
        }
        work
    }
}

fn has_effect(program: &Program, step: &Step) -> bool {
    match step {
        Step::Skip | Step::Assume { .. } | Step::Violate(_) => false,
        Step::Assign { target, .. } => match target.root {
            Root::Variable(variable) => program[variable].kind != VariableKind::Temporary,
            Root::Dereference { .. } => true,
        },
        Step::Copy { .. } | Step::Choose { .. } | Step::Call { .. } | Step::Enter(_) | Step::Leave(_) => true,
    }
}

/// Whether there are values for which this is undefined, other than by an overflow, which wraps around.
fn is_partial(value: &Value) -> bool {
    match value {
        Value::Read { place, .. } | Value::Address(place) => {
            matches!(place.root, Root::Dereference { .. })
                || place
                    .selectors
                    .iter()
                    .any(|selector| matches!(selector, Selector::Index(_)))
        }
        Value::Binary { operator, right, .. } => {
            let is_known = matches!(**right, Value::Integer { value, .. } if value != 0);
            matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder) && !is_known
        }
        Value::Offset { .. } | Value::Distance { .. } => true,
        Value::Integer { .. }
        | Value::Float { .. }
        | Value::Procedure(_)
        | Value::Unary { .. }
        | Value::Compare { .. }
        | Value::Convert { .. } => false,
    }
}

/// Whether a place in a text is code, and not in a comment or a literal.
fn is_code(text: &str, at: usize) -> bool {
    let mut rest = text.get(..at).unwrap_or("");
    while let Some(place) = rest.find(['/', '"', '\'']) {
        let opened = &rest[place..];
        let (skipped, end) = match opened.as_bytes() {
            [b'/', b'/', ..] => (2, opened[2..].find('\n').map(|end| end + 1)),
            [b'/', b'*', ..] => (2, opened[2..].find("*/").map(|end| end + 2)),
            [b'/', ..] => (1, Some(0)),
            _ => (1, literal_end(&opened[1..], &opened[..1])),
        };
        let Some(end) = end else { return false };
        rest = &opened[skipped + end..];
    }
    true
}

/// Behind the quotation mark that ends a literal.
fn literal_end(text: &str, quote: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(place, each)| {
        let is_end = !is_escaped && quote.starts_with(each);
        is_escaped = !is_escaped && each == '\\';
        is_end.then_some(place + 1)
    })
}

/// What the error functions of invariants are called.
const NAME: &str = "cubist_invariant_";

/// A C expression without effects: no calls, no assignments, nothing that ends a statement.
fn expression(text: &str) -> Result<(), &'static str> {
    let mut depth = 0_i64;
    let mut before = ' ';
    let mut word = String::new();
    let characters: Vec<char> = text.chars().collect();
    for (place, each) in characters.iter().copied().enumerate() {
        let next = characters.get(place + 1).copied().unwrap_or(' ');
        match each {
            '(' | '[' => {
                if each == '(' && word.starts_with(|first: char| first.is_alphabetic() || first == '_') {
                    return Err("an invariant calls nothing");
                }
                depth += 1;
            }
            ')' | ']' => depth -= 1,
            '=' if !matches!(before, '=' | '!' | '<' | '>') && next != '=' => {
                return Err("an invariant changes nothing");
            }
            '+' | '-' if before == each => return Err("an invariant changes nothing"),
            ';' | '{' | '}' | ',' | '#' | '"' | '\'' | '\\' | '\n' | '?' | '@' | '`' => {
                return Err("this is no C expression that an invariant can be");
            }
            _ => {}
        }
        if matches!((before, each, next), ('<' | '>', '<' | '>', '=')) {
            return Err("an invariant changes nothing");
        }
        if each == '/' && matches!(next, '/' | '*') {
            return Err("an invariant has no comments");
        }
        if depth < 0 {
            return Err("this has a parenthesis too many");
        }
        if each.is_alphanumeric() || each == '_' {
            if !(before.is_alphanumeric() || before == '_') {
                word.clear();
            }
            word.push(each);
        } else if !each.is_whitespace() {
            word.clear();
        }
        before = each;
    }
    match (depth, text.trim().is_empty()) {
        (0, false) => Ok(()),
        _ => Err("this is no C expression"),
    }
}

/// Where a test goes that is to be made at the head of a loop, or before a statement.
fn insertion(text: &str, start: usize, is_of_loop: bool, test: &str) -> Result<(usize, String), &'static str> {
    if !is_code(text, start) {
        return Err("this place is in a comment or a literal");
    }
    let rest = text.get(start..).unwrap_or("");
    if !is_of_loop {
        let before = text.get(..start).unwrap_or("").trim_end();
        return match before.chars().last() {
            Some(';' | '{' | '}' | ':') => Ok((start, format!("{test}; "))),
            _ => Err("no statement of a block begins here"),
        };
    }
    let word = loop_word(rest).ok_or("no loop begins here")?;
    let behind = |mark: char, from: usize| {
        rest.get(from..)
            .and_then(|rest| rest.find(mark))
            .map(|at| from + at + 1)
    };
    match word {
        "while" => {
            let open = behind('(', 0).ok_or("no loop begins here")?;
            Ok((start + open, format!("{test}, ")))
        }
        "for" => {
            let open = behind('(', 0).ok_or("no loop begins here")?;
            let semicolon = behind(';', open).ok_or("no loop begins here")?;
            let is_empty = rest
                .get(semicolon..)
                .is_some_and(|rest| rest.trim_start().starts_with(';'));
            let condition = if is_empty { "1" } else { "" };
            Ok((start + semicolon, format!(" {test}, {condition}")))
        }
        _ => match rest.get(word.len()..).map(str::trim_start) {
            Some(body) if body.starts_with('{') => {
                let open = behind('{', 0).ok_or("no loop begins here")?;
                Ok((start + open, format!(" {test}; ")))
            }
            _ => Err("the body of this loop is no block"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_no_effects() {
        for good in [
            "x == y && 0 <= x",
            "(long long)x - y <= 3",
            "!(a[2] != 1) || p->q >= -1",
            "x << 2 == 4",
        ] {
            assert_eq!(expression(good), Ok(()), "{good}");
        }
        let bad = [
            "x = 1",
            "f(x)",
            "f (x)",
            "x++",
            "x; y",
            "1) ? 0 : (1",
            "x <<= 2",
            "x += 1",
            "",
            "(x",
            "a, b",
            "\"s\"",
            "x /*(*/ ) || (1 /*)*/",
            "x //",
        ];
        for bad in bad {
            assert!(expression(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn tests_stand_at_the_heads_of_loops() {
        let at = |text: &str| {
            insertion(text, 0, true, "T").map(|(place, test)| format!("{}{test}{}", &text[..place], &text[place..]))
        };
        assert_eq!(at("while (x) y();").unwrap(), "while (T, x) y();");
        assert_eq!(at("for (;;) y();").unwrap(), "for (; T, 1;) y();");
        assert_eq!(
            at("for (i = 0; i < n; i++) y();").unwrap(),
            "for (i = 0; T,  i < n; i++) y();"
        );
        assert_eq!(at("do { y(); } while (x);").unwrap(), "do { T;  y(); } while (x);");
        assert!(at("do y(); while (x);").is_err() && at("whiled (x);").is_err());
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        let text = "a / b; /* c; */ d; \"e; // \\\"; f\"; 'g'; '\\''; h; // i; j\nk;";
        for letter in "abdhk".chars() {
            assert!(is_code(text, text.find(letter).unwrap()), "{letter}");
        }
        for letter in "cefgij".chars() {
            assert!(!is_code(text, text.find(letter).unwrap()), "{letter}");
        }
    }
}
