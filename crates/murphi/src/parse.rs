//! Recursive-descent parser: from tokens to the syntax tree.
//!
//! The grammar is the union of those that CMurphi (`mu.y`) and Rumur (`parser.yy`) accept, plus our extensions; it is
//! documented in docs/language.md. On texts that both tools accept, their trees agree, and so does this parser (see
//! `expressions.rs` for the operators).
//!
//! Parsing never fails. Every function returns a tree; unreadable parts are reported and become `Error` nodes. Two
//! mechanisms keep one mistake from producing two messages: a message about the current token is dropped if another was
//! already given there, and every list (of statements, declarations, rules) skips to a point where parsing can resume.
//! `recovery.rs` contains the heuristics about what the user meant.

mod assignments;
mod blocks;
mod declarations;
mod expressions;
mod recovery;
mod rules;
mod statements;
mod types;
mod words;

use std::collections::HashSet;

use system::{Diagnostic, Severity, SourceFile, Span};

use crate::lex::{Quotes, Token, TokenKind, lex, unquote};
use crate::syntax::{Identifier, Item, Program};
use blocks::OpenBlock;
use recovery::Lines;

/// The maximum nesting of expressions, statements, types and rulesets (each counted separately).
pub(crate) const MAXIMUM_NESTING: usize = 200;

/// Parses a file. The tree contains everything that could be parsed.
pub fn parse(file: &SourceFile) -> (Program, Vec<Diagnostic>) {
    parse_with(file, |parser| parser.program())
}

/// Parses a single formula, possibly after `index` declarations, as a predicate.
pub(crate) fn parse_formula(file: &SourceFile) -> (Program, Vec<Diagnostic>) {
    parse_with(file, |parser| parser.formula_alone())
}

fn parse_with(file: &SourceFile, read: fn(&mut Parser) -> Program) -> (Program, Vec<Diagnostic>) {
    let first = parse_text(file, Quotes::ManyLines, read);
    let errors = |diagnostics: &[Diagnostic]| {
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        diagnostics.iter().filter(is_error).count()
    };
    if errors(&first.diagnostics) == 0 {
        return (first.program, first.diagnostics);
    }
    // An unterminated quote swaps text and program from there on. Restricting texts to one line reveals its place.
    let second = parse_text(file, Quotes::OneLine, read);
    let better = match first.unclosed_text || errors(&second.diagnostics) <= errors(&first.diagnostics) {
        true => second,
        false => first,
    };
    (better.program, better.diagnostics)
}

struct Parsed {
    program: Program,
    diagnostics: Vec<Diagnostic>,
    unclosed_text: bool,
}

fn parse_text(file: &SourceFile, quotes: Quotes, read: fn(&mut Parser) -> Program) -> Parsed {
    let (tokens, diagnostics) = lex(file.id(), &file.text, quotes);
    let mut parser = Parser::new(&file.text, tokens, diagnostics);
    let program = read(&mut parser);
    parser.diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    let is_unclosed = |token: &Token| token.kind == TokenKind::UnclosedText;
    Parsed {
        program,
        unclosed_text: parser.tokens.iter().any(is_unclosed),
        diagnostics: parser.diagnostics,
    }
}

struct Parser<'a> {
    text: &'a str,
    lines: Lines,
    /// Never empty: the last token is `EndOfFile`.
    tokens: Vec<Token>,
    position: usize,
    diagnostics: Vec<Diagnostic>,
    /// The token at which the last message about an unexpected token was given.
    last_error: Option<usize>,
    /// Blocks that still need their `end`.
    open: Vec<OpenBlock>,
    /// Whether the last block was closed by `}`, after which `;` is unusual.
    after_brace: bool,
    /// Hints about a missing `end`, from the current item.
    hints: blocks::Hints,
    /// Context-dependent keywords that the file declares as names.
    declared_words: HashSet<String>,
    /// Declarations among statements: reported, and kept so that their names are known.
    misplaced: Vec<Item>,
    /// Declarations inside a ruleset: reported, and kept for the same reason.
    lifted: Vec<Item>,
    /// Inside the guard of a rule, where `=>` may be meant as `==>`.
    in_guard: bool,
    /// `:=` here can only be meant as `=`.
    comparing: bool,
    depth: Depth,
}

/// The current nesting depth of each kind.
#[derive(Default)]
struct Depth {
    expressions: usize,
    operators: usize,
    statements: usize,
    types: usize,
    rules: usize,
    reported: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: Vec<Token>, diagnostics: Vec<Diagnostic>) -> Parser<'a> {
        Parser {
            text,
            lines: Lines::new(text),
            tokens,
            position: 0,
            diagnostics,
            last_error: None,
            open: Vec::new(),
            after_brace: false,
            hints: blocks::Hints::default(),
            declared_words: HashSet::new(),
            misplaced: Vec::new(),
            lifted: Vec::new(),
            in_guard: false,
            comparing: false,
            depth: Depth::default(),
        }
    }

    // The cursor.

    fn token_at(&self, position: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[position.min(last)]
    }

    fn peek(&self) -> TokenKind {
        self.token_at(self.position).kind
    }

    fn peek_at(&self, distance: usize) -> TokenKind {
        self.token_at(self.position + distance).kind
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.peek() == kind
    }

    /// The span of the current token.
    fn span(&self) -> Span {
        self.token_at(self.position).span
    }

    fn previous_span(&self) -> Span {
        match self.position.checked_sub(1) {
            Some(previous) => self.token_at(previous).span,
            // The beginning of the file.
            None => Span {
                start: 0,
                end: 0,
                ..self.span()
            },
        }
    }

    /// From the start of `start` to the end of the last consumed token.
    fn since(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Consumes one token of any kind. Never passes the end of the file.
    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
        span
    }

    /// Consumes the current keyword. A repetition of it is a typo.
    fn keyword(&mut self) -> Span {
        let kind = self.peek();
        let span = self.advance();
        while self.at(kind) {
            let message = format!("{} stands here twice", self.found());
            let diagnostic = Diagnostic::error(self.span(), message)
                .label("once too often")
                .related(span, "the first");
            self.report_here(diagnostic);
            self.advance();
        }
        span
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    fn skip_semicolons(&mut self) {
        while self.eat(TokenKind::Semicolon) {}
    }

    // Messages.

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports an error about the current token, unless that was done already.
    fn report_here(&mut self, diagnostic: Diagnostic) {
        let after_unclosed_text = self.position > 0 && self.token_at(self.position - 1).kind == TokenKind::UnclosedText;
        let known = after_unclosed_text || self.token_at(self.position).after_stray;
        if !self.failed_here() && !known {
            self.report(diagnostic);
        }
        self.last_error = Some(self.position);
    }

    /// Whether a message about the current token was given.
    fn failed_here(&self) -> bool {
        self.last_error == Some(self.position)
    }

    /// The description of the current token in messages.
    fn found(&self) -> String {
        match self.peek() {
            TokenKind::EndOfFile => "the end of the file".to_string(),
            TokenKind::Text | TokenKind::UnclosedText => "a text in quotes".to_string(),
            _ => format!("`{}`", self.slice(self.span())),
        }
    }

    /// "expected ..., found ...", at the current token.
    fn expected(&self, what: &str) -> Diagnostic {
        Diagnostic::error(self.span(), format!("expected {what}, found {}", self.found()))
            .label(format!("expected {what}"))
    }

    /// Like `expected`, for something missing between the last token and the current one: if they are on different
    /// lines, the message points at the end of the earlier line.
    fn missing(&self, what: &str) -> Diagnostic {
        if self.position > 0 && self.first_on_line(self.position) {
            let previous = self.previous_span();
            let span = Span {
                start: previous.end,
                ..previous
            };
            let diagnostic = Diagnostic::error(span, format!("expected {what}, found {}", self.found()))
                .label(format!("expected {what}"));
            if self.at(TokenKind::EndOfFile) {
                return diagnostic;
            }
            return diagnostic.related(self.span(), "unexpected here");
        }
        self.expected(what)
    }

    // Small pieces.

    /// Consumes `kind`, or reports that it is missing. A similar word is taken for it.
    fn expect(&mut self, kind: TokenKind, spelling: &str) -> bool {
        if self.eat(kind) {
            return true;
        }
        if self.at_misspelt(spelling) {
            self.report_misspelt(spelling);
            self.advance();
            return true;
        }
        let diagnostic = self.missing(&format!("`{spelling}`"));
        self.report_here(diagnostic);
        false
    }

    /// Like `expect`; if it is missing, searches for it in the rest of the statement.
    fn expect_soon(&mut self, kind: TokenKind, spelling: &str) -> bool {
        if self.expect(kind, spelling) {
            return true;
        }
        self.find_ahead(kind) && self.eat(kind)
    }

    fn identifier(&mut self, what: &str) -> Option<Identifier> {
        if !self.at(TokenKind::Identifier) {
            let mut diagnostic = self.expected(what);
            if self.at_keyword() {
                diagnostic = diagnostic.help(format!("{} is a keyword and cannot be a name", self.found()));
            }
            self.report_here(diagnostic);
            if self.at_keyword() && self.name_could_stand_here() {
                self.advance();
            }
            return None;
        }
        let span = self.advance();
        let text = self.slice(span).to_string();
        if text.starts_with('_') {
            self.report(
                Diagnostic::error(span, format!("the name `{text}` starts with an underscore"))
                    .label("names start with a letter")
                    .help("neither CMurphi nor Rumur accepts such names"),
            );
        }
        Some(Identifier { text, span })
    }

    fn at_keyword(&self) -> bool {
        let word = self.slice(self.span());
        !self.at(TokenKind::Identifier) && word.starts_with(|first: char| first.is_ascii_alphabetic())
    }

    /// Whether the next token fits after a name.
    fn name_could_stand_here(&self) -> bool {
        use TokenKind::*;
        matches!(
            self.peek_at(1),
            Colon | Comma | LeftParenthesis | RightParenthesis | RightBrace | Assign
        )
    }

    /// A name that is declared here.
    fn declared_identifier(&mut self, what: &str) -> Option<Identifier> {
        let identifier = self.identifier(what)?;
        if words::is_word(&identifier.text) {
            self.declared_words.insert(identifier.text.clone());
        }
        Some(identifier)
    }

    /// `a, b, c`, with an optional trailing comma as in Rumur. Empty if there is no name.
    fn declared_identifiers(&mut self, what: &str) -> Vec<Identifier> {
        let mut names = Vec::new();
        while self.at(TokenKind::Identifier) || (names.is_empty() && !self.at(TokenKind::Colon)) {
            let Some(name) = self.declared_identifier(what) else {
                break;
            };
            names.push(name);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        names
    }

    /// A quoted text, if there is one.
    fn optional_text(&mut self) -> Option<String> {
        matches!(self.peek(), TokenKind::Text | TokenKind::UnclosedText).then(|| {
            let span = self.advance();
            unquote(self.slice(span))
        })
    }
}
