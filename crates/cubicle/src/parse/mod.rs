//! Tokens to the syntax tree, by recursive descent.
//!
//! After an error the parser goes on at the next conjunct, update or declaration, so that one run reports all it can.
//! Declarations may come in any order, which Cubicle does not allow; a predicate must still stand before its use.

mod declaration;
mod formula;
mod term;

use crate::lex::{self, Token, TokenKind, describe};
use crate::syntax::{Identifier, Item, Program};
use std::collections::BTreeSet;
use system::{Diagnostic, SourceFile, Span};

/// Formulas may be nested this deep: a stack overflow could not be caught.
pub(crate) const MAXIMAL_DEPTH: usize = 200;

/// An error that has been reported; whoever can go on after it does.
pub(crate) struct Reported;

pub(crate) type Parsed<T> = Result<T, Reported>;

/// Reads a file. The tree holds everything that could be read.
pub fn parse(file: &SourceFile) -> (Program, Vec<Diagnostic>) {
    parse_with(file, |parser| parser.items())
}

/// Reads a single formula, before which variables may stand in parentheses, as an invariant.
pub(crate) fn parse_formula(file: &SourceFile) -> (Program, Vec<Diagnostic>) {
    parse_with(file, |parser| parser.formula_alone().into_iter().collect())
}

fn parse_with(file: &SourceFile, read: fn(&mut Parser) -> Vec<Item>) -> (Program, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lex::tokens(file.id(), &file.text, &mut diagnostics);
    let mut parser = Parser {
        text: &file.text,
        tokens,
        position: 0,
        depth: 0,
        miscased: BTreeSet::new(),
        unread: BTreeSet::new(),
        diagnostics,
    };
    let items = read(&mut parser);
    let unread = std::mem::take(&mut parser.unread);
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    (
        Program {
            items,
            complete: diagnostics.is_empty(),
            unread,
        },
        diagnostics,
    )
}

pub(crate) struct Parser<'a> {
    text: &'a str,
    /// The last one is the end of the file.
    tokens: Vec<Token>,
    position: usize,
    depth: usize,
    /// Names that were declared with the wrong case, which has been reported.
    miscased: BTreeSet<String>,
    /// Names in declarations that were given up.
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

    fn peek_at(&self, ahead: usize) -> TokenKind {
        self.token_at(ahead).kind
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

    fn identifier(&mut self) -> Identifier {
        let token = self.advance();
        Identifier {
            text: self.text_of(token.span).to_owned(),
            span: token.span,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// The current token with its text, as messages name it.
    fn found(&self) -> String {
        let token = self.token();
        match token.kind {
            TokenKind::LowerName | TokenKind::UpperName | TokenKind::ProcessConstant => {
                format!("`{}`", self.text_of(token.span))
            }
            TokenKind::Integer | TokenKind::Real => format!("the number `{}`", self.text_of(token.span)),
            kind => describe(kind).to_owned(),
        }
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
        Diagnostic::error(span, format!("expected {what}, found {}", self.found())).label(format!("expected {what}"))
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.peek() == kind {
            return Ok(self.advance());
        }
        let diagnostic = self.expected(describe(kind));
        Err(self.report(diagnostic))
    }

    /// The bracket that closes the one at `opening`.
    fn expect_closing(&mut self, kind: TokenKind, opening: Span) -> Parsed<Token> {
        if self.peek() == kind {
            return Ok(self.advance());
        }
        let diagnostic = self
            .expected(describe(kind))
            .related(opening, "to close what is opened here");
        Err(self.report(diagnostic))
    }

    /// A name with a small first letter. One with a capital is taken as meant, and reported.
    fn lower_name(&mut self, what: &str) -> Parsed<Identifier> {
        self.name(TokenKind::LowerName, TokenKind::UpperName, what)
    }

    /// A name with a capital first letter. One with a small letter is taken as meant, and reported.
    fn upper_name(&mut self, what: &str) -> Parsed<Identifier> {
        self.name(TokenKind::UpperName, TokenKind::LowerName, what)
    }

    fn name(&mut self, wanted: TokenKind, other: TokenKind, what: &str) -> Parsed<Identifier> {
        if self.peek() == wanted {
            return Ok(self.identifier());
        }
        let letter = if wanted == TokenKind::UpperName {
            "capital"
        } else {
            "small"
        };
        if self.peek() == other {
            let mut name = self.identifier();
            let other = with_other_case(&name.text);
            if self.miscased.insert(name.text.clone()) {
                self.report(
                    Diagnostic::error(name.span, format!("{what} starts with a {letter} letter"))
                        .label("the wrong case")
                        .help(format!("write `{other}`")),
                );
            }
            name.text = other;
            return Ok(name);
        }
        let mut diagnostic = self.expected(&format!("{what} (with a {letter} first letter)"));
        if is_keyword(self.peek()) {
            diagnostic = diagnostic.help(format!("{} is a keyword and cannot be a name", describe(self.peek())));
        }
        Err(self.report(diagnostic))
    }

    /// Runs `parse` one level deeper, or reports that the formula is nested too deeply.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAXIMAL_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self) -> Reported {
        let span = self.token().span;
        // The rest of the block would give one such error after the other.
        while !self.at(&[TokenKind::RightBrace, TokenKind::EndOfFile]) && !starts_item(self.peek()) {
            self.advance();
        }
        self.report(
            Diagnostic::error(
                span,
                format!("this formula is nested more than {MAXIMAL_DEPTH} levels deep"),
            )
            .label("too deep here")
            .help("give a part of it a name with `predicate`"),
        )
    }

    /// Skips to one of the given tokens, over whole brackets, but not past the end of the surrounding bracket or
    /// declaration.
    fn skip_to(&mut self, stops: &[TokenKind]) {
        let mut open = 0_usize;
        loop {
            let kind = self.peek();
            if kind == TokenKind::EndOfFile || starts_item(kind) || (open == 0 && stops.contains(&kind)) {
                return;
            }
            match kind {
                TokenKind::LeftParenthesis | TokenKind::LeftBracket | TokenKind::LeftBrace => open += 1,
                TokenKind::RightParenthesis | TokenKind::RightBracket | TokenKind::RightBrace => {
                    let Some(outer) = open.checked_sub(1) else { return };
                    open = outer;
                }
                _ => {}
            }
            self.advance();
        }
    }
}

/// Whether a declaration starts with this token, wherever it stands.
fn starts_item(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        NumberProcs | Type | Var | Const | Array | Init | Unsafe | Invariant | Predicate | Transition
    )
}

fn is_keyword(kind: TokenKind) -> bool {
    use TokenKind::*;
    starts_item(kind)
        || matches!(
            kind,
            Case | Else
                | Exists
                | ExistsOther
                | False
                | Forall
                | ForallOther
                | If
                | In
                | Let
                | Not
                | Requires
                | Then
                | True
        )
}

pub(crate) fn with_other_case(name: &str) -> String {
    let mut characters = name.chars();
    let first = characters.next().map(|c| {
        if c.is_ascii_uppercase() {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        }
    });
    first.into_iter().chain(characters).collect()
}
