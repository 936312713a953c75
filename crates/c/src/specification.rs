//! Property files of SV-COMP: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.
//!
//! Each `CHECK` names the entry function and a formula. The supported formulas state that a function is never called,
//! that a label is never reached, or that behaviour of some kind is never undefined.

use system::program::Undefined;
use system::{Diagnostic, Rejected, SourceFile, Sources, Span};

/// A parsed property file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Specification {
    /// The entry function.
    pub entry: String,
    /// Functions that must not be called.
    pub functions: Vec<String>,
    /// Labels that must not be reached.
    pub labels: Vec<String>,
    /// Kinds of undefined behaviour that must not occur.
    pub undefined: Vec<Undefined>,
}

/// The undefined behaviour that `G valid-deref` and similar properties exclude.
const ACCESSES: [Undefined; 4] = [
    Undefined::NullPointer,
    Undefined::InvalidPointer,
    Undefined::OutOfBounds,
    Undefined::DeadObject,
];

/// Parses a property file.
pub fn specification(file: SourceFile) -> Result<Specification, Rejected> {
    let sources = Sources::new(file);
    let mut reader = Reader::new(sources.model());
    match reader.specification() {
        Ok(specification) => Ok(specification),
        Err(error) => Err(Rejected::new(sources, vec![*error])),
    }
}

type Read<T> = Result<T, Box<Diagnostic>>;

/// The tokens of a file: names, which may contain hyphens, and single characters.
struct Reader<'a> {
    file: &'a SourceFile,
    words: Vec<(usize, usize)>,
    position: usize,
}

fn is_in_name(each: char) -> bool {
    each.is_alphanumeric() || matches!(each, '_' | '-' | '$')
}

impl<'a> Reader<'a> {
    fn new(file: &'a SourceFile) -> Reader<'a> {
        let text = &file.text;
        let mut words: Vec<(usize, usize)> = Vec::new();
        for (start, each) in text.char_indices() {
            let end = start + each.len_utf8();
            match words.last_mut() {
                _ if each.is_whitespace() => {}
                Some(last) if last.1 == start && is_in_name(each) && text[last.0..last.1].chars().all(is_in_name) => {
                    last.1 = end;
                }
                _ => words.push((start, end)),
            }
        }
        Reader {
            file,
            words,
            position: 0,
        }
    }

    fn word(&self) -> &'a str {
        let range = self.words.get(self.position);
        range
            .and_then(|(start, end)| self.file.text.get(*start..*end))
            .unwrap_or("")
    }

    fn span(&self) -> Span {
        let end = self.file.text.len();
        let (start, end) = self.words.get(self.position).copied().unwrap_or((end, end));
        Span::new(self.file.id(), start, end)
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.word() {
            "" => "the end of the file".to_owned(),
            word => format!("`{word}`"),
        };
        let message = format!("expected {what}, found {found}");
        let help = "such as `CHECK( init(main()), LTL(G ! call(reach_error())) )`";
        Box::new(Diagnostic::error(self.span(), message).help(help))
    }

    fn expect(&mut self, words: &[&str]) -> Read<()> {
        for word in words {
            if self.word() != *word {
                return Err(self.expected(&format!("`{word}`")));
            }
            self.position += 1;
        }
        Ok(())
    }

    fn name(&mut self, what: &str) -> Read<String> {
        let word = self.word();
        let starts = word.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'));
        if !starts || word.contains('-') {
            return Err(self.expected(what));
        }
        self.position += 1;
        Ok(word.to_owned())
    }

    fn specification(&mut self) -> Read<Specification> {
        let mut found = Specification::default();
        let mut first: Option<Span> = None;
        loop {
            if self.word() == "COVER" {
                return Err(self.unsupported("test goals"));
            }
            self.expect(&["CHECK", "(", "init", "("])?;
            let span = self.span();
            let entry = self.name("the function that runs begin with")?;
            match first {
                Some(first) if entry != found.entry => {
                    let error = Diagnostic::error(span, "runs begin with another function than before");
                    return Err(Box::new(error.related(first, "the first one")));
                }
                _ => first = first.or(Some(span)),
            }
            found.entry = entry;
            self.expect(&["(", ")", ")", ",", "LTL", "("])?;
            self.formula(&mut found)?;
            self.expect(&[")", ")"])?;
            if self.position >= self.words.len() {
                return Ok(found);
            }
        }
    }

    fn formula(&mut self, found: &mut Specification) -> Read<()> {
        match self.word() {
            "G" => self.position += 1,
            "F" => return Err(self.unsupported("whether programs end")),
            _ => return Err(self.expected("`G`")),
        }
        let is_never = self.word() == "!";
        self.position += usize::from(is_never);
        match (is_never, self.word()) {
            (true, "call") => {
                self.expect(&["call", "("])?;
                found.functions.push(self.name("a function")?);
                self.expect(&["(", ")", ")"])?;
            }
            (true, "label") => {
                self.expect(&["label", "("])?;
                found.labels.push(self.name("a label")?);
                self.expect(&[")"])?;
            }
            (true, "overflow") => self.kinds(found, &[Undefined::Overflow]),
            (false, "valid-deref") => self.kinds(found, &ACCESSES),
            (false, "valid-free") => self.kinds(found, &[Undefined::Free]),
            (false, "valid-memtrack" | "valid-memcleanup") => {
                return Err(self.unsupported("memory that is never freed"));
            }
            (true, "data-race") => return Err(self.unsupported("threads")),
            (true, _) => return Err(self.expected("`call`, `label` or `overflow`")),
            (false, _) => return Err(self.expected("`!`, `valid-deref` or `valid-free`")),
        }
        Ok(())
    }

    fn kinds(&mut self, found: &mut Specification, kinds: &[Undefined]) {
        self.position += 1;
        found.undefined.extend(kinds);
    }

    fn unsupported(&self, what: &str) -> Box<Diagnostic> {
        let error = Diagnostic::error(
            self.span(),
            format!("this property is about {what}, which is not supported"),
        );
        Box::new(
            error
                .help("supported are `G ! call(f())`, `G ! label(l)`, `G ! overflow`, `G valid-deref`, `G valid-free`"),
        )
    }
}
