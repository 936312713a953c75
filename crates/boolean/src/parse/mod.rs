//! The parser, by recursive descent.
//!
//! After an error it resumes at the next statement or procedure, to report as many errors as possible.

mod expression;
mod statement;

use crate::lex::{self, TokenKind};
use crate::syntax::{File, Identifier, Procedure};
use std::collections::BTreeSet;
use system::tokens::{Cursor, Reported};
use system::{Diagnostic, SourceFile};

/// The maximum nesting of expressions and blocks, which protects the stack.
pub(crate) const MAXIMAL_DEPTH: usize = 250;

/// The maximum number of results of a procedure.
const MOST_RESULTS: usize = 10_000;

pub(crate) type Parsed<T> = Result<T, Reported>;

/// Parses a file. The tree holds everything that could be parsed.
pub(crate) fn parse(file: &SourceFile) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser {
        tokens: lex::tokens(file),
        depth: 0,
        skipped_to: None,
        unread: BTreeSet::new(),
    };
    let mut tree = parser.file();
    tree.unread = parser.unread;
    (tree, parser.tokens.into_diagnostics())
}

pub(crate) struct Parser<'a> {
    tokens: Cursor<'a, TokenKind>,
    depth: usize,
    /// The end of text that was skipped because of its nesting; its missing ends are not reported.
    skipped_to: Option<usize>,
    /// Names in skipped text.
    unread: BTreeSet<String>,
}

impl Parser<'_> {
    fn name(&mut self, what: &str) -> Parsed<Identifier> {
        if self.tokens.peek() == TokenKind::Name {
            let token = self.tokens.advance();
            return Ok(Identifier {
                text: self.tokens.text_of(token.span).to_owned(),
                span: token.span,
            });
        }
        let mut diagnostic = self.tokens.expected(what);
        let text = self.tokens.text_of(self.tokens.token().span).to_owned();
        if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
            diagnostic = diagnostic.help(format!("`{text}` is a keyword and cannot be a name"));
        }
        Err(self.tokens.report(diagnostic))
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Identifier>> {
        let mut names = vec![self.name(what)?];
        while self.tokens.eat(TokenKind::Comma) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Runs `parse` one level deeper, or reports excessive nesting.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAXIMAL_DEPTH {
            let span = self.tokens.token().span;
            // Skips the rest of the procedure, which would repeat the error.
            while !self.tokens.at(&[TokenKind::End, TokenKind::EndOfFile]) {
                self.tokens.advance();
            }
            self.skipped_to = Some(self.tokens.position());
            let message = format!("this is nested more than {MAXIMAL_DEPTH} levels deep");
            return Err(self
                .tokens
                .report(Diagnostic::error(span, message).label("too deep here")));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn file(&mut self) -> File {
        let mut file = File::default();
        while self.tokens.peek() != TokenKind::EndOfFile {
            let start = self.tokens.position();
            let read = match self.tokens.peek() {
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
        if self.tokens.position() == start {
            self.tokens.advance();
        }
        while !self
            .tokens
            .at(&[TokenKind::EndOfFile, TokenKind::Decl, TokenKind::Void, TokenKind::Bool])
        {
            if self.tokens.advance().kind == TokenKind::End {
                break;
            }
        }
        self.give_up(start);
    }

    /// Records the names since `start`, so that missing declarations of them are not reported.
    fn give_up(&mut self, start: usize) {
        let given_up = self.tokens.read_since(start).iter();
        let names = given_up.filter(|token| token.kind == TokenKind::Name);
        self.unread
            .extend(names.map(|token| self.tokens.text_of(token.span).to_owned()));
    }

    /// `decl a, b;`
    fn declaration(&mut self) -> Parsed<Vec<Identifier>> {
        self.tokens.expect(TokenKind::Decl)?;
        let names = self.names("the name of a variable")?;
        self.tokens.expect(TokenKind::Semicolon)?;
        Ok(names)
    }

    /// `enforce e;`
    fn enforced(&mut self) -> Parsed<crate::syntax::Expression> {
        self.tokens.expect(TokenKind::Enforce)?;
        let invariant = self.expression()?;
        self.tokens.expect(TokenKind::Semicolon)?;
        Ok(invariant)
    }

    /// `bool<2> f(a, b) begin ... end`; without a type it has no results, as in the first Bebop.
    fn procedure(&mut self) -> Parsed<Procedure> {
        let results = self.results()?;
        let name = self.name("a procedure or a declaration")?;
        self.tokens.expect(TokenKind::LeftParenthesis)?;
        let parameters = match self.tokens.peek() {
            TokenKind::RightParenthesis => Vec::new(),
            _ => self.names("the name of a parameter")?,
        };
        self.tokens.expect(TokenKind::RightParenthesis)?;
        self.tokens.expect(TokenKind::Begin)?;
        let mut locals = Vec::new();
        let mut enforced = Vec::new();
        loop {
            let start = self.tokens.position();
            let read = match self.tokens.peek() {
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
        self.tokens.expect(TokenKind::End)?;
        self.tokens.eat(TokenKind::Semicolon);
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
        match self.tokens.peek() {
            TokenKind::Void => {
                self.tokens.advance();
                return Ok(0);
            }
            TokenKind::Bool => {}
            _ => return Ok(0),
        }
        self.tokens.advance();
        if !self.tokens.eat(TokenKind::Less) {
            return Ok(1);
        }
        let token = self.tokens.token();
        let number = self.tokens.text_of(token.span).parse::<usize>().ok();
        let number = number.filter(|number| *number <= MOST_RESULTS);
        match number {
            Some(number) => {
                self.tokens.advance();
                self.tokens.expect(TokenKind::Greater)?;
                Ok(number)
            }
            None => {
                let diagnostic = self.tokens.expected("how many values are returned");
                Err(self.tokens.report(diagnostic))
            }
        }
    }
}
