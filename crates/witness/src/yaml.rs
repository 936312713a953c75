//! The YAML of a witness as a tree whose values know where they stand.
//!
//! `saphyr-parser` reads the text and reports events. A witness has no use for anchors, aliases and tags, so these are
//! errors: no text can stand for a larger one.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use system::{Diagnostic, SourceFile, Span};

/// Deeper texts are not witnesses.
const MAX_DEPTH: usize = 32;

/// A value, and where it stands: a collection at its first line.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Scalar(String),
    Sequence(Vec<Node>),
    Mapping(Vec<(String, Node)>),
}

pub(crate) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Reads a whole text, which is one document.
pub(crate) fn parse(file: &SourceFile) -> Parsed<Node> {
    let ends = std::iter::once(file.text.len());
    let mut reader = Reader {
        file,
        offsets: file.text.char_indices().map(|(offset, _)| offset).chain(ends).collect(),
        parser: Parser::new_from_str(&file.text),
    };
    let mut root = None;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => break,
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            _ if root.is_some() => return Err(wrong(span, "a witness is one document")),
            event => root = Some(reader.node(event, span, 0)?),
        }
    }
    root.ok_or_else(|| wrong(Span::new(file.id(), 0, 0), "this file is empty"))
}

fn wrong(span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(span, message))
}

struct Reader<'f, P> {
    file: &'f SourceFile,
    /// The byte at which each character begins: the parser counts characters.
    offsets: Vec<usize>,
    parser: P,
}

impl<'f, P: Iterator<Item = Result<(Event<'f>, saphyr_parser::Span), saphyr_parser::ScanError>>> Reader<'f, P> {
    fn offset(&self, marker: &Marker) -> usize {
        self.offsets
            .get(marker.index())
            .map_or(self.file.text.len(), |offset| *offset)
    }

    fn next(&mut self) -> Parsed<(Event<'f>, Span)> {
        match self.parser.next() {
            Some(Ok((event, span))) => {
                let (start, end) = (self.offset(&span.start), self.offset(&span.end));
                Ok((event, Span::new(self.file.id(), start, end.max(start))))
            }
            Some(Err(error)) => {
                let at = self.offset(error.marker());
                Err(wrong(
                    self.rest_of_line(Span::new(self.file.id(), at, at)),
                    format!("this is not YAML: {}", error.info()),
                ))
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// From the start of a span to the end of the line.
    fn rest_of_line(&self, span: Span) -> Span {
        let start = span.start as usize;
        let line = self.file.text.get(start..).unwrap_or_default().lines().next();
        Span::new(self.file.id(), start, start + line.unwrap_or_default().trim_end().len())
    }

    /// The value that begins with an event.
    fn node(&mut self, event: Event<'f>, span: Span, depth: usize) -> Parsed<Node> {
        if depth > MAX_DEPTH {
            return Err(wrong(self.rest_of_line(span), "this is nested too deeply"));
        }
        match event {
            Event::Scalar(_, ScalarStyle::Plain, 0, None) if span.start == span.end => {
                Err(wrong(self.rest_of_line(span), "a value is missing here"))
            }
            Event::Scalar(text, _, 0, None) => Ok(Node {
                span,
                kind: Kind::Scalar(text.into_owned()),
            }),
            Event::SequenceStart(0, None) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, span) => items.push(self.node(event, span, depth + 1)?),
                    }
                }
                Ok(Node {
                    span: self.rest_of_line(span),
                    kind: Kind::Sequence(items),
                })
            }
            Event::MappingStart(0, None) => self.mapping(span, depth),
            _ => Err(wrong(
                self.rest_of_line(span),
                "anchors, aliases and tags are not understood",
            )),
        }
    }

    fn mapping(&mut self, span: Span, depth: usize) -> Parsed<Node> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        loop {
            let (event, at) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                break;
            }
            let Kind::Scalar(key) = self.node(event, at, depth + 1)?.kind else {
                return Err(wrong(self.rest_of_line(at), "expected a key with a colon behind it"));
            };
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(wrong(at, format!("`{key}` stands here twice")));
            }
            let (event, value) = self.next()?;
            if matches!(&event, Event::Scalar(_, ScalarStyle::Plain, ..)) && value.start == value.end {
                return Err(wrong(self.rest_of_line(at), format!("`{key}` has no value")));
            }
            entries.push((key, self.node(event, value, depth + 1)?));
        }
        Ok(Node {
            span: self.rest_of_line(span),
            kind: Kind::Mapping(entries),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, (String, String)> {
        let file = SourceFile::new("a.yml", text);
        let at = |span: Span| text[span.start as usize..span.end as usize].to_owned();
        parse(&file)
            .map(|node| shown(&node))
            .map_err(|error| (error.message.clone(), at(error.span)))
    }

    fn shown(node: &Node) -> String {
        match &node.kind {
            Kind::Scalar(text) => format!("{text:?}"),
            Kind::Sequence(items) => format!("{:?}", items.iter().map(shown).collect::<Vec<_>>()).replace('\\', ""),
            Kind::Mapping(entries) => entries
                .iter()
                .map(|(key, value)| format!("{key}={}", shown(value)))
                .collect::<Vec<_>>()
                .join(";"),
        }
    }

    #[test]
    fn values_are_read_with_their_places() {
        assert_eq!(
            read("a: \"ä\\n\"  # why\nb: [1, 'x']\n").unwrap(),
            "a=\"ä\\n\";b=[\"\"1\"\", \"\"x\"\"]"
        );
        let text = "- ä: b\n  c:\n  - d\n";
        let file = SourceFile::new("a.yml", text);
        let Kind::Sequence(items) = parse(&file).unwrap().kind else {
            return assert!(text.is_empty(), "a sequence");
        };
        let Kind::Mapping(entries) = &items[0].kind else {
            return assert!(text.is_empty(), "a mapping");
        };
        let at = |span: Span| &text[span.start as usize..span.end as usize];
        assert_eq!((at(items[0].span), at(entries[0].1.span)), ("ä: b", "b"));
    }

    #[test]
    fn what_witnesses_do_not_have_is_an_error_at_its_place() {
        let wrong = |text: &str| read(text).unwrap_err();
        let expect = |message: &str, at: &str| (message.to_owned(), at.to_owned());
        assert_eq!(wrong(""), expect("this file is empty", ""));
        assert_eq!(wrong("a: 1\na: 2\n"), expect("`a` stands here twice", "a"));
        assert_eq!(wrong("a:\nb: 2\n"), expect("`a` has no value", "a:"));
        let refused = "anchors, aliases and tags are not understood";
        assert_eq!(wrong("a: &x 1\nb: *x\n").0, refused);
        assert_eq!(wrong("a: !!int 1\n").0, refused);
        assert_eq!(wrong("a: 1\n---\nb: 2\n").0, "a witness is one document");
        assert_eq!(wrong(&"- ".repeat(100)).0, "this is nested too deeply");
        assert_eq!(wrong(&"[".repeat(100)).0, "this is nested too deeply");
        assert!(wrong("a: [1\n").0.starts_with("this is not YAML: "));
    }
}
