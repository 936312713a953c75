//! The parser, by recursive descent.
//!
//! Constructs that grow with the length of the text (sums, `else if`, labels, lists) are parsed iteratively. Nesting is
//! counted and limited, since the tree is traversed recursively.
//!
//! After an error, parsing resumes at the next statement, member or declaration. There is no backtracking, so no error
//! is reported twice.

mod attributes;
mod builtins;
mod declarations;
mod declarators;
mod expressions;
mod initialisers;
mod literals;
mod pragmas;
mod records;
mod recovery;
mod scopes;
mod specifiers;
mod statements;

use crate::lex::{self, Kind, Mark, Stage, Token, Word};
use crate::places::Places;
use crate::rules::Piece;
use crate::syntax::{Attribute, Name, TranslationUnit};
use pragmas::Packing;
use rustc_hash::FxHashSet;
use scopes::Scopes;
use system::{Diagnostic, Role, SourceFile, Sources, Span};

/// The syntax tree of the whole text, and the errors.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub unit: TranslationUnit,
    pub diagnostics: Vec<Diagnostic>,
}

/// The maximum nesting of expressions, statements, declarators and lists.
const DEEPEST: usize = 256;
/// The maximum length of a sum, a comma list, a sequence of labels or of `else if`.
const LONGEST: usize = 10_000;
/// The maximum number of errors reported.
const MOST_ERRORS: usize = 100;

/// A syntax error that has been reported.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

/// Parses preprocessed text.
pub fn parse(sources: &Sources) -> Parsed {
    parse_with(sources, &[])
}

/// As [`parse`], for text with pieces of known origin.
pub(crate) fn parse_with(sources: &Sources, pieces: &[Piece]) -> Parsed {
    let preprocessed = sources
        .additions()
        .filter(|file| file.role() == Role::Preprocessed)
        .last();
    parse_file(sources, preprocessed.unwrap_or(sources.model()), pieces)
}

/// Parses one of the files.
pub(crate) fn parse_file(sources: &Sources, file: &SourceFile, pieces: &[Piece]) -> Parsed {
    let lexed = lex::lex(&file.text, Stage::Preprocessed);
    let mut places = Places::new(sources, file, lexed.markers);
    let mut spans = places.map(&lexed.tokens);
    for (token, span) in lexed.tokens.iter().zip(&mut spans) {
        let (start, end) = (token.start as usize, token.end as usize);
        let number = pieces.partition_point(|piece| piece.end <= start);
        if let Some(piece) = pieces.get(number).filter(|piece| piece.start <= start && start < end) {
            *span = piece.place(start, end);
        }
    }
    let mut parser = Parser {
        text: &file.text,
        spans,
        tokens: lexed.tokens,
        position: 0,
        depth: 0,
        scopes: Scopes::default(),
        unknown_types: FxHashSet::default(),
        packing: Packing::default(),
        inferred: None,
        declarator_attributes: Vec::new(),
        strays: Vec::new(),
        last_error: None,
        is_silent: false,
        diagnostics: Vec::new(),
    };
    parser.read_pragmas(&lexed.pragmas, |start, end| places.line(start, end));
    parser.remove_strays();
    let unit = parser.translation_unit();
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|found| found.span);
    // Errors in a file that is included twice are reported once.
    diagnostics.dedup();
    Parsed { unit, diagnostics }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// The displayed location of each token.
    spans: Vec<Span>,
    position: usize,
    depth: usize,
    scopes: Scopes<'a>,
    /// Names that were reported as unknown types, and count as types since.
    unknown_types: FxHashSet<&'a str>,
    packing: Packing,
    /// Whether the specifiers parsed last contain `__auto_type`.
    inferred: Option<Span>,
    /// Attributes inside of the current declarator.
    declarator_attributes: Vec<Attribute>,
    /// Tokens that follow invalid characters, which were reported.
    strays: Vec<usize>,
    /// The token of the last error.
    last_error: Option<usize>,
    /// The error limit is reached.
    is_silent: bool,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn kind(&self) -> Kind {
        self.peek(0)
    }

    fn peek(&self, ahead: usize) -> Kind {
        self.tokens
            .get(self.position + ahead)
            .map_or(Kind::End, |token| token.kind)
    }

    fn at(&self, mark: Mark) -> bool {
        self.kind() == Kind::Mark(mark)
    }

    fn next_is(&self, mark: Mark) -> bool {
        self.peek(1) == Kind::Mark(mark)
    }

    fn at_word(&self, word: Word) -> bool {
        self.kind() == Kind::Word(word)
    }

    fn at_end(&self) -> bool {
        self.kind() == Kind::End
    }

    /// Consumes a token, unless it is the end; returns its index.
    fn bump(&mut self) -> usize {
        let taken = self.position;
        if !self.at_end() {
            self.position += 1;
        }
        taken
    }

    fn eat(&mut self, mark: Mark) -> bool {
        let is_there = self.at(mark);
        if is_there {
            self.position += 1;
        }
        is_there
    }

    fn eat_word(&mut self, word: Word) -> bool {
        let is_there = self.at_word(word);
        if is_there {
            self.position += 1;
        }
        is_there
    }

    fn token_text(&self, number: usize) -> &'a str {
        let token = self.tokens.get(number).or(self.tokens.last());
        token.and_then(|token| self.text.get(token.range())).unwrap_or("")
    }

    /// The location of a token.
    fn span(&self, number: usize) -> Span {
        self.spans
            .get(number)
            .or(self.spans.last())
            .copied()
            .unwrap_or_default()
    }

    fn here(&self) -> Span {
        self.span(self.position)
    }

    /// From a token to the last one consumed.
    fn since(&self, start: usize) -> Span {
        self.span(start)
            .to(self.span(self.position.saturating_sub(1).max(start)))
    }

    /// Consumes an identifier of any kind.
    fn name(&mut self, what: &str) -> Parse<Name> {
        if self.kind() != Kind::Identifier {
            return Err(self.expected(what));
        }
        let number = self.bump();
        Ok(self.name_at(number))
    }

    fn name_at(&self, number: usize) -> Name {
        Name {
            text: self.token_text(number).to_owned(),
            span: self.span(number),
        }
    }

    /// Parses a nested construct.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.deeper(1)?;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Enters this many levels; the caller leaves them.
    fn deeper(&mut self, levels: usize) -> Parse<()> {
        if self.depth + levels > DEEPEST {
            let message = "this is nested too deeply";
            let error = Diagnostic::error(self.here(), message).label(format!("level {}", DEEPEST + 1));
            return Err(self.give_up(error.help(format!("at most {DEEPEST} levels are read"))));
        }
        self.depth += levels;
        Ok(())
    }

    /// Reports a list that is too long, since its tree would be too deep.
    fn check_length(&mut self, length: usize) -> Parse<()> {
        if length <= LONGEST {
            return Ok(());
        }
        let error = Diagnostic::error(self.here(), "this is too long a chain");
        Err(self.give_up(error.label("here").help(format!("at most {LONGEST} links are read"))))
    }

    /// Reports an error after which parsing stops.
    fn give_up(&mut self, error: Diagnostic) -> Failed {
        let failed = self.report(error);
        self.is_silent = true;
        self.position = self.tokens.len().saturating_sub(1);
        failed
    }
}
