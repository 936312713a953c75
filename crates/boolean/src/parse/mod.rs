//! Tokens to the syntax tree, by recursive descent.
//!
//! After an error the parser goes on at the next statement or procedure, so that one run reports all it can.

mod expression;
mod statement;

use crate::lex::{self, Token, TokenKind, describe};
use crate::syntax::{File, Identifier, Procedure};
use std::collections::BTreeSet;
use system::{Diagnostic, SourceFile, Span};

/// Expressions and blocks may be nested this deep: a stack overflow could not be caught.
pub(crate) const MAXIMAL_DEPTH: usize = 250;

/// More results than this are not believed.
const MOST_RESULTS: usize = 10_000;

/// An error that has been reported; whoever can go on after it does.
pub(crate) struct Reported;

pub(crate) type Parsed<T> = Result<T, Reported>;

/// Reads a file. The tree holds everything that could be read.
pub(crate) fn parse(file: &SourceFile) -> (File, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lex::tokens(file.id(), &file.text, &mut diagnostics);
    let mut parser = Parser {
        text: &file.text,
        tokens,
        position: 0,
        depth: 0,
        skipped_to: None,
        unread: BTreeSet::new(),
        diagnostics,
    };
    let mut tree = parser.file();
    tree.unread = std::mem::take(&mut parser.unread);
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    (tree, diagnostics)
}

pub(crate) struct Parser<'a> {
    text: &'a str,
    /// The last one is the end of the file.
    tokens: Vec<Token>,
    position: usize,
    depth: usize,
    /// Where the rest of something nested too deeply was skipped to: that its ends are missing is no second mistake.
    skipped_to: Option<usize>,
    /// Names in what was given up.
    unread: BTreeSet<String>,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn token_at(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.position + ahead).min(last)]
    }

    fn token(&self) -> Token {
        self.token_at(0)
    }

    fn peek(&self) -> TokenKind {
        self.token().kind
    }

    fn at(&self, kinds: &[TokenKind]) -> bool {
        kinds.contains(&self.peek())
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::EndOfFile {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// From the start of a construct to the last token read.
    fn span_from(&self, start: Span) -> Span {
        match self.position.checked_sub(1) {
            Some(last) => start.to(self.tokens[last].span),
            None => start,
        }
    }

    fn text_of(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// "expected this, found that" at the current token; where the file ends, right behind its last token.
    fn expected(&self, what: &str) -> Diagnostic {
        let token = self.token();
        let span = match (token.kind, self.position.checked_sub(1)) {
            (TokenKind::EndOfFile, Some(last)) => {
                let span = self.tokens[last].span;
                Span {
                    start: span.end.saturating_sub(1),
                    ..span
                }
            }
            _ => token.span,
        };
        let found = match token.kind {
            TokenKind::Name | TokenKind::Thread | TokenKind::Number => format!("`{}`", self.text_of(token.span)),
            kind => describe(kind).to_owned(),
        };
        Diagnostic::error(span, format!("expected {what}, found {found}")).label(format!("expected {what}"))
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.peek() == kind {
            return Ok(self.advance());
        }
        let diagnostic = self.expected(describe(kind));
        Err(self.report(diagnostic))
    }

    fn name(&mut self, what: &str) -> Parsed<Identifier> {
        if self.peek() == TokenKind::Name {
            let token = self.advance();
            return Ok(Identifier {
                text: self.text_of(token.span).to_owned(),
                span: token.span,
            });
        }
        let mut diagnostic = self.expected(what);
        let text = self.text_of(self.token().span).to_owned();
        if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
            diagnostic = diagnostic.help(format!("`{text}` is a keyword and cannot be a name"));
        }
        Err(self.report(diagnostic))
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Identifier>> {
        let mut names = vec![self.name(what)?];
        while self.eat(TokenKind::Comma) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Runs `parse` one level deeper, or reports that it is nested too deeply.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAXIMAL_DEPTH {
            let span = self.token().span;
            // The rest of the procedure would give one such error after the other.
            while !self.at(&[TokenKind::End, TokenKind::EndOfFile]) {
                self.advance();
            }
            self.skipped_to = Some(self.position);
            let message = format!("this is nested more than {MAXIMAL_DEPTH} levels deep");
            return Err(self.report(Diagnostic::error(span, message).label("too deep here")));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn file(&mut self) -> File {
        let mut file = File::default();
        while self.peek() != TokenKind::EndOfFile {
            let start = self.position;
            let read = match self.peek() {
                TokenKind::Decl => self.declaration().map(|names| file.globals.extend(names)),
                TokenKind::Enforce => self.enforced().map(|invariant| file.enforced.push(invariant)),
                _ => self.procedure().map(|procedure| file.procedures.push(procedure)),
            };
            if read.is_err() {
                self.skip_to_item(start);
            }
        }
        file
    }

    /// Skips to where a declaration or a procedure may begin.
    fn skip_to_item(&mut self, start: usize) {
        if self.position == start {
            self.advance();
        }
        while !self.at(&[TokenKind::EndOfFile, TokenKind::Decl, TokenKind::Void, TokenKind::Bool]) {
            if self.advance().kind == TokenKind::End {
                break;
            }
        }
        self.give_up(start);
    }

    /// Keeps the names since `start`: that they are not declared is no second mistake.
    fn give_up(&mut self, start: usize) {
        let given_up = self.tokens[start..self.position].iter();
        let names = given_up.filter(|token| token.kind == TokenKind::Name);
        let names: Vec<String> = names.map(|token| self.text_of(token.span).to_owned()).collect();
        self.unread.extend(names);
    }

    /// `decl a, b;`
    fn declaration(&mut self) -> Parsed<Vec<Identifier>> {
        self.expect(TokenKind::Decl)?;
        let names = self.names("the name of a variable")?;
        self.expect(TokenKind::Semicolon)?;
        Ok(names)
    }

    /// `enforce e;`
    fn enforced(&mut self) -> Parsed<crate::syntax::Expression> {
        self.expect(TokenKind::Enforce)?;
        let invariant = self.expression()?;
        self.expect(TokenKind::Semicolon)?;
        Ok(invariant)
    }

    /// `bool<2> f(a, b) begin ... end`; without a type it returns nothing, as in the first Bebop.
    fn procedure(&mut self) -> Parsed<Procedure> {
        let results = self.results()?;
        let name = self.name("a procedure or a declaration")?;
        self.expect(TokenKind::LeftParenthesis)?;
        let parameters = match self.peek() {
            TokenKind::RightParenthesis => Vec::new(),
            _ => self.names("the name of a parameter")?,
        };
        self.expect(TokenKind::RightParenthesis)?;
        self.expect(TokenKind::Begin)?;
        let mut locals = Vec::new();
        let mut enforced = Vec::new();
        loop {
            let start = self.position;
            let read = match self.peek() {
                TokenKind::Decl => self.declaration().map(|names| locals.extend(names)),
                TokenKind::Enforce => self.enforced().map(|invariant| enforced.push(invariant)),
                _ => break,
            };
            if read.is_err() {
                self.skip_statement();
                self.give_up(start);
            }
        }
        let body = self.block(&[TokenKind::End]);
        self.expect(TokenKind::End)?;
        self.eat(TokenKind::Semicolon);
        Ok(Procedure {
            name,
            results,
            parameters,
            locals,
            enforced,
            body,
        })
    }

    fn results(&mut self) -> Parsed<usize> {
        match self.peek() {
            TokenKind::Void => {
                self.advance();
                return Ok(0);
            }
            TokenKind::Bool => {}
            _ => return Ok(0),
        }
        self.advance();
        if !self.eat(TokenKind::Less) {
            return Ok(1);
        }
        let token = self.token();
        let number = self.text_of(token.span).parse::<usize>().ok();
        let number = number.filter(|number| *number <= MOST_RESULTS);
        match number {
            Some(number) => {
                self.advance();
                self.expect(TokenKind::Greater)?;
                Ok(number)
            }
            None => {
                let diagnostic = self.expected("how many values are returned");
                Err(self.report(diagnostic))
            }
        }
    }
}
