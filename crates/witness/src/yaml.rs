//! YAML, as far as witnesses need it: block mappings and sequences, scalars plain and quoted, lists of scalars in
//! brackets.

use system::{Diagnostic, SourceFile, Span};

/// Deeper texts are no witnesses.
const DEEPEST: usize = 32;

/// A value, and where it stands.
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

/// Reads a whole text.
pub(crate) fn parse(file: &SourceFile) -> Parsed<Node> {
    let mut parser = Parser {
        file,
        lines: lines(&file.text),
        position: 0,
    };
    let Some(first) = parser.lines.first().cloned() else {
        return Err(parser.error(0, 0, "this file is empty"));
    };
    let node = parser.block(first.indent, 0)?;
    match parser.line() {
        None => Ok(node),
        Some(line) => Err(parser.error(line.start, line.end, "this does not belong to what stands before it")),
    }
}

/// What stands in a line, without comments and blanks around it.
#[derive(Clone, Debug)]
struct Line {
    indent: usize,
    start: usize,
    end: usize,
}

fn lines(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let content = content.trim_end();
        if !content.is_empty() && !content.starts_with('#') && content != "---" {
            found.push(Line {
                indent,
                start: start + indent,
                end: start + indent + content.len(),
            });
        }
        start += line.len();
    }
    found
}

struct Parser<'a> {
    file: &'a SourceFile,
    lines: Vec<Line>,
    position: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, start: usize, end: usize, message: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(Span::new(self.file.id(), start, end), message))
    }

    fn line(&self) -> Option<Line> {
        self.lines.get(self.position).cloned()
    }

    fn text(&self, start: usize, end: usize) -> &'a str {
        self.file.text.get(start..end).unwrap_or("")
    }

    /// What begins at the current line, which is indented so far.
    fn block(&mut self, indent: usize, depth: usize) -> Parsed<Node> {
        let Some(line) = self.line() else {
            let end = self.file.text.len();
            return Err(self.error(end, end, "something is missing at the end"));
        };
        if depth > DEEPEST {
            return Err(self.error(line.start, line.end, "this is nested too deeply"));
        }
        let text = self.text(line.start, line.end);
        match () {
            () if text == "-" || text.starts_with("- ") => self.sequence(indent, depth),
            () if key_end(text).is_some() => self.mapping(indent, depth),
            () => {
                self.position += 1;
                self.scalar(line.start, line.end, indent)
            }
        }
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> Parsed<Node> {
        let mut items = Vec::new();
        let mut span: Option<Span> = None;
        while let Some(line) = self.line() {
            let text = self.text(line.start, line.end);
            if line.indent != indent || !(text == "-" || text.starts_with("- ")) {
                break;
            }
            let dash = Span::new(self.file.id(), line.start, line.end);
            span.get_or_insert(dash);
            let rest = text.get(1..).unwrap_or("");
            let blanks = 1 + rest.len() - rest.trim_start().len();
            if rest.trim_start().is_empty() {
                self.position += 1;
                let inner = self.line().filter(|next| next.indent > indent);
                match inner {
                    Some(next) => items.push(self.block(next.indent, depth + 1)?),
                    None => return Err(self.error(line.start, line.end, "this item is empty")),
                }
                continue;
            }
            // What follows the dash is a block that begins there.
            self.lines[self.position] = Line {
                indent: indent + blanks,
                start: line.start + blanks,
                end: line.end,
            };
            items.push(self.block(indent + blanks, depth + 1)?);
        }
        Ok(Node {
            span: span.unwrap_or_default(),
            kind: Kind::Sequence(items),
        })
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Parsed<Node> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        let mut span: Option<Span> = None;
        while let Some(line) = self.line() {
            let text = self.text(line.start, line.end);
            if line.indent != indent || text.starts_with("- ") {
                break;
            }
            let Some((key_end, colon)) = key_end(text) else {
                return Err(self.error(line.start, line.end, "expected a key with a colon behind it"));
            };
            span.get_or_insert(Span::new(self.file.id(), line.start, line.end));
            let key = text.get(..key_end).unwrap_or("").trim_matches(['"', '\'']).to_owned();
            if entries.iter().any(|(known, _)| *known == key) {
                let message = format!("`{key}` stands here twice");
                return Err(self.error(line.start, line.start + key_end, &message));
            }
            self.position += 1;
            let rest = text.get(colon + 1..).unwrap_or("");
            let start = line.start + colon + 1 + rest.len() - rest.trim_start().len();
            let is_block = rest.trim().is_empty() || rest.trim_start().starts_with('#');
            let value = match is_block {
                false => self.scalar(start, line.end, indent)?,
                true => match self.line() {
                    Some(next) if next.indent > indent || is_item_at(self, &next, indent) => {
                        self.block(next.indent, depth + 1)?
                    }
                    _ => return Err(self.error(line.start, line.end, &format!("`{key}` has no value"))),
                },
            };
            entries.push((key, value));
        }
        Ok(Node {
            span: span.unwrap_or_default(),
            kind: Kind::Mapping(entries),
        })
    }

    /// A scalar that begins here; lines that are indented further go on with it.
    fn scalar(&mut self, start: usize, mut end: usize, indent: usize) -> Parsed<Node> {
        let first = self.text(start, end);
        let quote = first.chars().next().filter(|first| matches!(first, '"' | '\''));
        if let Some(unsupported) = first.chars().next().filter(|first| "|>{&*!%@`".contains(*first)) {
            let message = format!("values that begin with `{unsupported}` are not understood");
            return Err(self.error(start, end, &message));
        }
        let is_open = |text: &str| match quote {
            Some(quote) => closing(text, quote).is_none(),
            None => true,
        };
        let mut text = first.to_owned();
        while is_open(&text) {
            match self.line().filter(|next| next.indent > indent) {
                Some(next) => {
                    text.push(' ');
                    text.push_str(self.text(next.start, next.end));
                    end = next.end;
                    self.position += 1;
                }
                None => break,
            }
        }
        let span = Span::new(self.file.id(), start, end);
        if quote.is_none() && text.starts_with('[') {
            return self.row(&text, span);
        }
        let kind = Kind::Scalar(self.value(&text, quote, span)?);
        Ok(Node { span, kind })
    }

    fn value(&self, text: &str, quote: Option<char>, span: Span) -> Parsed<String> {
        let Some(quote) = quote else {
            let plain = text
                .find(" #")
                .map_or(text, |comment| text.get(..comment).unwrap_or(text));
            return Ok(plain.trim_end().to_owned());
        };
        let wrong = |message: &str| Box::new(Diagnostic::error(span, message));
        let Some(end) = closing(text, quote) else {
            return Err(wrong("this text does not end"));
        };
        let behind = text.get(end + 1..).unwrap_or("").trim();
        if !(behind.is_empty() || behind.starts_with('#')) {
            return Err(wrong("something stands behind the end of this text"));
        }
        let inner = text.get(1..end).unwrap_or("");
        if quote == '\'' {
            return Ok(inner.replace("''", "'"));
        }
        let mut value = String::new();
        let mut characters = inner.chars();
        while let Some(each) = characters.next() {
            if each != '\\' {
                value.push(each);
                continue;
            }
            match characters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(same @ ('\\' | '"' | '/' | ' ')) => value.push(same),
                _ => return Err(wrong("this text has an escape that is not understood")),
            }
        }
        Ok(value)
    }

    /// `[a, "b"]`
    fn row(&self, text: &str, span: Span) -> Parsed<Node> {
        let wrong = || Box::new(Diagnostic::error(span, "expected a list of values in brackets"));
        let inner = text
            .trim_end()
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'));
        let items = inner.ok_or_else(wrong)?.split(',').map(str::trim);
        let items: Parsed<Vec<Node>> = items
            .filter(|item| !item.is_empty())
            .map(|item| {
                let quote = item.chars().next().filter(|first| matches!(first, '"' | '\''));
                let kind = Kind::Scalar(self.value(item, quote, span)?);
                Ok(Node { span, kind })
            })
            .collect();
        Ok(Node {
            span,
            kind: Kind::Sequence(items?),
        })
    }
}

/// Whether a sequence begins at the indentation of the key that it belongs to.
fn is_item_at(parser: &Parser<'_>, line: &Line, indent: usize) -> bool {
    let text = parser.text(line.start, line.end);
    line.indent == indent && (text == "-" || text.starts_with("- "))
}

/// Where the key of a line ends, and its colon.
fn key_end(text: &str) -> Option<(usize, usize)> {
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        let end = closing(text, quote)? + 1;
        let rest = text.get(end..)?;
        return (rest == ":" || rest.starts_with(": ")).then_some((end, end));
    }
    let colon = match text.find(": ") {
        Some(colon) => colon,
        None => text.strip_suffix(':')?.len(),
    };
    let key = text.get(..colon)?;
    let is_plain = !key.is_empty() && !key.contains(['"', '\'', '{', '[', '#']);
    is_plain.then_some((colon, colon))
}

/// Where a quoted text ends.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((place, each)) = characters.next() {
        match each {
            '\\' if quote == '"' => {
                characters.next();
            }
            _ if each == quote => {
                let is_doubled = quote == '\'' && characters.peek().is_some_and(|(_, next)| *next == '\'');
                if !is_doubled {
                    return Some(place);
                }
                characters.next();
            }
            _ => {}
        }
    }
    None
}
