//! The lexer for preprocessed text.
//!
//! Tokens are ranges of text; the values of numbers, characters and strings are decoded on use. Lines that begin with
//! `#` are no tokens: markers give the origin of the following line, pragmas are kept with their location.

pub(crate) mod literals;
mod words;

use std::ops::Range;
use words::Tables;
pub(crate) use words::{Mark, Word};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Identifier,
    Word(Word),
    Mark(Mark),
    /// Starts with a digit; may be malformed.
    Number,
    Character,
    Text,
    /// A quote that is not closed on its line.
    UnclosedCharacter,
    UnclosedText,
    UnclosedComment,
    /// Characters that are not part of C.
    Stray,
    /// A line that begins with `#` and is neither a marker nor a pragma.
    Directive,
    End,
}

/// A piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// `# 12 "file.c" 1`: the line that begins at `offset` is line 12 of that file.
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    pub(crate) offset: u32,
    pub(crate) line: u32,
    /// None: the same file as before.
    pub(crate) file: Option<String>,
    /// The file is entered by an `#include`.
    pub(crate) enters: bool,
    /// An included file has ended.
    pub(crate) returns: bool,
}

/// `#pragma` with the text after it.
#[derive(Clone, Debug)]
pub(crate) struct Pragma {
    pub(crate) text: String,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// `#define NAME`, in text before preprocessing.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) has_parameters: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// The last one is the end of the file.
    pub(crate) tokens: Vec<Token>,
    pub(crate) markers: Vec<Marker>,
    pub(crate) pragmas: Vec<Pragma>,
    pub(crate) definitions: Vec<Definition>,
}

/// The stage of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// After preprocessing: only markers and pragmas are left.
    Preprocessed,
    /// Before preprocessing: lines may be continued, and there are directives of all kinds.
    Written,
}

pub(crate) fn lex(text: &str, stage: Stage) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        position: 0,
        stage,
        tables: Tables::new(),
        lexed: Lexed::default(),
        is_line_start: true,
    };
    lexer.lexed.tokens.reserve(text.len() / 4);
    while lexer.step() {}
    let end = lexer.bytes.len();
    lexer.push(Kind::End, end..end);
    lexer.lexed
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    stage: Stage,
    tables: Tables,
    lexed: Lexed,
    /// Only blanks since the beginning of the line.
    is_line_start: bool,
}

pub(crate) fn is_identifier_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$'
}

fn is_identifier_byte(byte: u8) -> bool {
    is_identifier_start(byte) || byte.is_ascii_digit()
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, range: Range<usize>) {
        let offset = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
        self.lexed.tokens.push(Token {
            kind,
            start: offset(range.start),
            end: offset(range.end),
        });
    }

    /// Emits the text up to `end` as a token.
    fn take(&mut self, kind: Kind, end: usize) {
        let start = self.position;
        self.position = end;
        self.push(kind, start..end);
    }

    /// Processes one token, comment, directive or blank; false at the end.
    fn step(&mut self) -> bool {
        let Some(&byte) = self.bytes.get(self.position) else {
            return false;
        };
        match byte {
            b'\n' => {
                self.position += 1;
                self.is_line_start = true;
                return true;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                self.position += 1;
                return true;
            }
            b'\\' if self.continuation(self.position) > 0 => {
                self.position += self.continuation(self.position);
                return true;
            }
            b'/' if matches!(self.peek(1), b'/' | b'*') => {
                self.comment();
                return true;
            }
            b'#' if self.is_line_start => self.directive(),
            b'%' if self.is_line_start && self.peek(1) == b':' => self.directive(),
            b'"' => self.quoted(self.position, Kind::Text),
            b'\'' => self.quoted(self.position, Kind::Character),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            _ if is_identifier_start(byte)
                || byte >= 0x80
                || (byte == b'\\' && matches!(self.peek(1), b'u' | b'U')) =>
            {
                self.identifier();
            }
            _ => match self.tables.mark(&self.bytes[self.position..]) {
                Some((mark, length)) => self.take(Kind::Mark(mark), self.position + length),
                None => self.stray(),
            },
        }
        self.is_line_start = false;
        true
    }

    /// The length of a line continuation, including the newline; 0 where there is none.
    fn continuation(&self, position: usize) -> usize {
        match self.bytes.get(position..) {
            Some([b'\\', b'\n', ..]) => 2,
            Some([b'\\', b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    fn comment(&mut self) {
        let rest = &self.bytes[self.position..];
        if rest.starts_with(b"//") {
            self.position += self.line_length(self.position);
            return;
        }
        match rest[2..].windows(2).position(|pair| pair == b"*/") {
            Some(length) => self.position += length + 4,
            None => self.take(Kind::UnclosedComment, self.bytes.len()),
        }
    }

    /// The distance to the end of the line, across continuations.
    fn line_length(&self, start: usize) -> usize {
        let mut position = start;
        while let Some(&byte) = self.bytes.get(position) {
            match byte {
                b'\n' => break,
                b'\\' if self.continuation(position) > 0 => position += self.continuation(position),
                _ => position += 1,
            }
        }
        position - start
    }

    /// A literal whose prefix begins at `start`.
    fn quoted(&mut self, start: usize, kind: Kind) {
        let quote = if kind == Kind::Text { b'"' } else { b'\'' };
        let mut end = self.position + 1;
        loop {
            match self.bytes.get(end) {
                Some(b'\\') => end += self.continuation(end).max(2),
                Some(b'\n') | None => {
                    let unclosed = match kind {
                        Kind::Text => Kind::UnclosedText,
                        _ => Kind::UnclosedCharacter,
                    };
                    let end = end.min(self.bytes.len());
                    self.position = end;
                    return self.push(unclosed, start..end);
                }
                Some(&byte) => {
                    end += 1;
                    if byte == quote {
                        self.position = end;
                        return self.push(kind, start..end);
                    }
                }
            }
        }
    }

    fn number(&mut self) {
        let mut end = self.position + 1;
        while let Some(&byte) = self.bytes.get(end) {
            let is_sign = matches!(byte, b'+' | b'-') && matches!(self.bytes[end - 1], b'e' | b'E' | b'p' | b'P');
            if !(is_sign || byte == b'.' || is_identifier_byte(byte)) {
                break;
            }
            end += 1;
        }
        // `0x1e+1` is a single preprocessing number, even though it is invalid.
        self.take(Kind::Number, end);
    }

    fn identifier(&mut self) {
        let start = self.position;
        let mut end = start;
        while let Some(&byte) = self.bytes.get(end) {
            if is_identifier_byte(byte) {
                end += 1;
            } else if byte >= 0x80 {
                let Some(character) = self.text.get(end..).and_then(|rest| rest.chars().next()) else {
                    break;
                };
                if !character.is_alphanumeric() {
                    break;
                }
                end += character.len_utf8();
            } else if byte == b'\\' && matches!(self.bytes.get(end + 1), Some(b'u' | b'U')) {
                let digits = if self.bytes[end + 1] == b'u' { 4 } else { 8 };
                let is_digit = |byte: &u8| byte.is_ascii_hexdigit();
                if !(self.bytes.get(end + 2..end + 2 + digits)).is_some_and(|digits| digits.iter().all(is_digit)) {
                    break;
                }
                end += 2 + digits;
            } else {
                break;
            }
        }
        if end == start {
            return self.stray();
        }
        let text = &self.text[start..end];
        let quote = self.bytes.get(end);
        if matches!(text, "L" | "u" | "U" | "u8") && matches!(quote, Some(b'"' | b'\'')) {
            self.position = end;
            let kind = if quote == Some(&b'"') {
                Kind::Text
            } else {
                Kind::Character
            };
            return self.quoted(start, kind);
        }
        let kind = self.tables.word(text).map_or(Kind::Identifier, Kind::Word);
        self.take(kind, end);
    }

    /// Adjacent invalid characters are one error.
    fn stray(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let begins = |character: char| {
            character.is_ascii_whitespace()
                || character.is_alphanumeric()
                || matches!(character, '"' | '\'')
                || u8::try_from(character)
                    .is_ok_and(|byte| is_identifier_start(byte) || self.tables.mark(&[byte]).is_some())
        };
        let length = rest.char_indices().skip(1).find(|(_, character)| begins(*character));
        let end = start + length.map_or(rest.len(), |(offset, _)| offset);
        self.take(Kind::Stray, end);
    }

    fn directive(&mut self) {
        let start = self.position;
        let end = start + self.directive_length(start);
        let text = &self.text[start..end];
        let rest = text.trim_start_matches("%:").trim_start_matches('#').trim();
        self.position = end;
        let (word, behind) = split_word(rest);
        if rest.is_empty() || word == "ident" || word == "sccs" {
            return;
        }
        if word == "pragma" {
            return self.pragma(behind.to_owned(), start, end);
        }
        let next_line = end + usize::from(end < self.bytes.len());
        let marker = if word == "line" { marker(behind) } else { marker(rest) };
        match (marker, self.stage) {
            (Some(found), _) => self.lexed.markers.push(Marker {
                offset: u32::try_from(next_line).unwrap_or(u32::MAX),
                ..found
            }),
            (None, Stage::Preprocessed) => self.push(Kind::Directive, start..end),
            (None, Stage::Written) if word == "define" => {
                let (name, _) = split_word(behind);
                self.lexed.definitions.push(Definition {
                    name: name.to_owned(),
                    has_parameters: behind[name.len()..].starts_with('('),
                });
            }
            (None, Stage::Written) => {}
        }
    }

    /// As `line_length`, but comments may continue on the next line.
    fn directive_length(&self, start: usize) -> usize {
        if self.stage == Stage::Preprocessed {
            return self.line_length(start);
        }
        let mut position = start;
        while let Some(&byte) = self.bytes.get(position) {
            let rest = &self.bytes[position..];
            match byte {
                b'\n' => break,
                b'\\' if self.continuation(position) > 0 => position += self.continuation(position),
                b'/' if rest.starts_with(b"//") => position += self.line_length(position),
                b'/' if rest.starts_with(b"/*") => {
                    let length = rest[2..].windows(2).position(|pair| pair == b"*/");
                    position += length.map_or(rest.len(), |length| length + 4);
                }
                _ => position += 1,
            }
        }
        position - start
    }

    fn pragma(&mut self, text: String, start: usize, end: usize) {
        let offset = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
        self.lexed.pragmas.push(Pragma {
            text,
            start: offset(start),
            end: offset(end),
        });
    }
}

/// The first identifier, and the rest.
fn split_word(text: &str) -> (&str, &str) {
    let end = text
        .bytes()
        .position(|byte| !is_identifier_byte(byte))
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, rest.trim())
}

/// `12 "file.c" 1 3`, without its location.
fn marker(text: &str) -> Option<Marker> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let line = text[..digits].parse().ok()?;
    let rest = text[digits..].trim();
    let (file, flags) = if rest.is_empty() {
        (None, "")
    } else {
        let (name, flags) = file_name(rest)?;
        (Some(name), flags)
    };
    let has_flag = |flag: &str| flags.split_ascii_whitespace().any(|other| other == flag);
    Some(Marker {
        offset: 0,
        line,
        file,
        enters: has_flag("1"),
        returns: has_flag("2"),
    })
}

/// A quoted name with backslash escapes, and the rest.
fn file_name(text: &str) -> Option<(String, &str)> {
    let mut characters = text.strip_prefix('"')?.char_indices();
    let mut name = String::new();
    while let Some((offset, character)) = characters.next() {
        match character {
            '"' => return Some((name, &text[offset + 2..])),
            '\\' => name.push(characters.next()?.1),
            _ => name.push(character),
        }
    }
    None
}

/// The file that a line marker names.
pub(crate) fn marked_file(line: &str) -> Option<String> {
    let rest = line.strip_prefix('#')?.trim();
    let rest = rest.strip_prefix("line").unwrap_or(rest);
    marker(rest.trim())?.file
}
