//! Recursive-descent parser: from tokens to the syntax tree.
//!
//! After an error, parsing resumes at the next conjunct, update or declaration, so that one run reports as many errors
//! as possible. Declarations may come in any order, unlike in Cubicle; a predicate must still precede its use.

mod declaration;
mod formula;
mod term;

use crate::lex::{self, TokenKind};
use crate::syntax::{Identifier, Item, Program};
use std::collections::BTreeSet;
use system::tokens::{Cursor, Kind, Reported, Token};
use system::{Diagnostic, SourceFile, Span};

/// The maximum nesting of formulas: a stack overflow could not be caught.
pub(crate) const MAXIMAL_DEPTH: usize = 200;

pub(crate) type Parsed<T> = Result<T, Reported>;

/// Parses a file. The tree contains everything that could be parsed.
pub fn parse(file: &SourceFile) -> (Program, Vec<Diagnostic>) {
    parse_with(file, |parser| parser.items())
}

/// Parses a single formula, possibly after variables in parentheses, as an invariant.
pub(crate) fn parse_formula(file: &SourceFile) -> (Program, Vec<Diagnostic>) {
    parse_with(file, |parser| parser.formula_alone().into_iter().collect())
}

fn parse_with(file: &SourceFile, read: fn(&mut Parser) -> Vec<Item>) -> (Program, Vec<Diagnostic>) {
    let mut parser = Parser {
        tokens: lex::tokens(file),
        depth: 0,
        miscased: BTreeSet::new(),
        unread: BTreeSet::new(),
    };
    let items = read(&mut parser);
    let diagnostics = parser.tokens.into_diagnostics();
    (
        Program {
            items,
            complete: diagnostics.is_empty(),
            unread: parser.unread,
        },
        diagnostics,
    )
}

pub(crate) struct Parser<'a> {
    tokens: Cursor<'a, TokenKind>,
    depth: usize,
    /// Names declared with the wrong case, which was reported.
    miscased: BTreeSet<String>,
    /// Names in declarations that could not be parsed.
    unread: BTreeSet<String>,
}

impl Parser<'_> {
    fn identifier(&mut self) -> Identifier {
        let token = self.tokens.advance();
        Identifier {
            text: self.tokens.text_of(token.span).to_owned(),
            span: token.span,
        }
    }

    /// Consumes the bracket that closes the one at `opening`.
    fn expect_closing(&mut self, kind: TokenKind, opening: Span) -> Parsed<Token<TokenKind>> {
        if self.tokens.peek() == kind {
            return Ok(self.tokens.advance());
        }
        let diagnostic = self
            .tokens
            .expected(kind.describe())
            .related(opening, "to close what is opened here");
        Err(self.tokens.report(diagnostic))
    }

    /// A name with a small first letter. A capital is reported and accepted.
    fn lower_name(&mut self, what: &str) -> Parsed<Identifier> {
        self.name(TokenKind::LowerName, TokenKind::UpperName, what)
    }

    /// A name with a capital first letter. A small letter is reported and accepted.
    fn upper_name(&mut self, what: &str) -> Parsed<Identifier> {
        self.name(TokenKind::UpperName, TokenKind::LowerName, what)
    }

    fn name(&mut self, wanted: TokenKind, other: TokenKind, what: &str) -> Parsed<Identifier> {
        if self.tokens.peek() == wanted {
            return Ok(self.identifier());
        }
        let letter = if wanted == TokenKind::UpperName {
            "capital"
        } else {
            "small"
        };
        if self.tokens.peek() == other {
            let mut name = self.identifier();
            let other = with_other_case(&name.text);
            if self.miscased.insert(name.text.clone()) {
                self.tokens.report(
                    Diagnostic::error(name.span, format!("{what} starts with a {letter} letter"))
                        .label("the wrong case")
                        .help(format!("write `{other}`")),
                );
            }
            name.text = other;
            return Ok(name);
        }
        let mut diagnostic = self.tokens.expected(&format!("{what} (with a {letter} first letter)"));
        if is_keyword(self.tokens.peek()) {
            diagnostic = diagnostic.help(format!(
                "{} is a keyword and cannot be a name",
                self.tokens.peek().describe()
            ));
        }
        Err(self.tokens.report(diagnostic))
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
        let span = self.tokens.token().span;
        // The rest of the block would produce many more such errors.
        while !self.tokens.at(&[TokenKind::RightBrace, TokenKind::EndOfFile]) && !starts_item(self.tokens.peek()) {
            self.tokens.advance();
        }
        self.tokens.report(
            Diagnostic::error(
                span,
                format!("this formula is nested more than {MAXIMAL_DEPTH} levels deep"),
            )
            .label("too deep here")
            .help("give a part of it a name with `predicate`"),
        )
    }

    /// Skips to one of the given tokens, over whole brackets, but not past the end of the enclosing bracket or
    /// declaration.
    fn skip_to(&mut self, stops: &[TokenKind]) {
        let mut open = 0_usize;
        loop {
            let kind = self.tokens.peek();
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
            self.tokens.advance();
        }
    }
}

/// Whether this token always starts a declaration.
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
