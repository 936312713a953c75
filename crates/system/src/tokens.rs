//! Shared lexer and parser support for small languages: tokens with spans, a cursor over them, and standard messages.

use crate::source::{Diagnostic, FileId, Span};

/// The token kinds of a language.
pub trait Kind: Copy + PartialEq {
    const END_OF_FILE: Self;

    /// The name of the kind in messages.
    fn describe(self) -> &'static str;

    /// A more specific name for a token with this text, if the kind alone is ambiguous.
    fn describe_with(self, text: &str) -> Option<String>;

    /// Help for a text that is no token.
    fn help(_error: LexError, _text: &str) -> Option<&'static str> {
        None
    }

    /// The token that a stray character was clearly meant as: an error is reported, and parsing continues with it.
    fn meant(_character: &str) -> Option<Self> {
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<K> {
    pub kind: K,
    pub span: Span,
}

/// Why a text is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LexError {
    #[default]
    StrayCharacter,
    UnclosedComment,
}

/// Evidence that an error was reported; the caller may recover.
pub struct Reported;

/// A token stream with its diagnostics.
pub struct Cursor<'a, K> {
    text: &'a str,
    /// The last token is the end of the file.
    tokens: Vec<Token<K>>,
    position: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'a, K: Kind> Cursor<'a, K> {
    /// Collects the tokens of a lexer. A run of stray characters is one error.
    pub fn new(
        file: FileId,
        text: &'a str,
        pieces: impl Iterator<Item = (Result<K, LexError>, std::ops::Range<usize>)>,
    ) -> Cursor<'a, K> {
        let (mut tokens, mut diagnostics) = (Vec::new(), Vec::new());
        let mut stray: Option<Span> = None;
        for (result, range) in pieces {
            let span = Span::new(file, range.start, range.end);
            match result {
                Ok(kind) => tokens.push(Token { kind, span }),
                Err(LexError::UnclosedComment) => {
                    let opening = Span::new(file, range.start, range.start + 2);
                    let message = Diagnostic::error(opening, "this comment is never closed").label("opened here");
                    diagnostics.push(with_help::<K>(message, LexError::UnclosedComment, &text[range]));
                }
                Err(LexError::StrayCharacter) => {
                    tokens.extend(K::meant(&text[range]).map(|kind| Token { kind, span }));
                    match &mut stray {
                        Some(before) if before.end == span.start => *before = before.to(span),
                        _ => {
                            diagnostics.extend(stray.map(|span| nothing_here::<K>(text, span)));
                            stray = Some(span);
                        }
                    }
                }
            }
        }
        diagnostics.extend(stray.map(|span| nothing_here::<K>(text, span)));
        tokens.push(Token {
            kind: K::END_OF_FILE,
            span: Span::new(file, text.len(), text.len()),
        });
        Cursor {
            text,
            tokens,
            position: 0,
            diagnostics,
        }
    }

    pub fn token_at(&self, ahead: usize) -> Token<K> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.position + ahead).min(last)]
    }

    pub fn token(&self) -> Token<K> {
        self.token_at(0)
    }

    pub fn peek(&self) -> K {
        self.token().kind
    }

    pub fn at(&self, kinds: &[K]) -> bool {
        kinds.contains(&self.peek())
    }

    pub fn advance(&mut self) -> Token<K> {
        let token = self.token();
        if token.kind != K::END_OF_FILE {
            self.position += 1;
        }
        token
    }

    pub fn eat(&mut self, kind: K) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// The number of tokens consumed.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The tokens consumed since a position.
    pub fn read_since(&self, start: usize) -> &[Token<K>] {
        &self.tokens[start..self.position]
    }

    /// From the start of a construct to the last consumed token.
    pub fn span_from(&self, start: Span) -> Span {
        match self.position.checked_sub(1) {
            Some(last) => start.to(self.tokens[last].span),
            None => start,
        }
    }

    pub fn text_of(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// "expected this, found that" at the current token; at the end of the file, right after the last token.
    pub fn expected(&self, what: &str) -> Diagnostic {
        let token = self.token();
        let span = match self.position.checked_sub(1) {
            Some(last) if token.kind == K::END_OF_FILE => {
                let span = self.tokens[last].span;
                Span {
                    start: span.end.saturating_sub(1),
                    ..span
                }
            }
            _ => token.span,
        };
        let found = token.kind.describe_with(self.text_of(token.span));
        let found = found.unwrap_or_else(|| token.kind.describe().to_owned());
        Diagnostic::error(span, format!("expected {what}, found {found}")).label(format!("expected {what}"))
    }

    pub fn expect(&mut self, kind: K) -> Result<Token<K>, Reported> {
        if self.peek() == kind {
            return Ok(self.advance());
        }
        let diagnostic = self.expected(kind.describe());
        Err(self.report(diagnostic))
    }

    pub fn mark(&self) -> Mark {
        Mark {
            position: self.position,
            reported: self.diagnostics.len(),
        }
    }

    /// Backtracks: discards tokens consumed and diagnostics reported since the mark.
    pub fn back_to(&mut self, mark: Mark) {
        self.position = mark.position;
        self.diagnostics.truncate(mark.reported);
    }

    /// The diagnostics, in source order.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|diagnostic| diagnostic.span);
        diagnostics
    }
}

/// A position to backtrack to.
#[derive(Clone, Copy)]
pub struct Mark {
    position: usize,
    reported: usize,
}

fn nothing_here<K: Kind>(text: &str, span: Span) -> Diagnostic {
    let characters = &text[span.start as usize..span.end as usize];
    let shown: String = characters.chars().take(20).flat_map(char::escape_debug).collect();
    let what = if characters.chars().count() == 1 {
        "this character means"
    } else {
        "these characters mean"
    };
    let message = Diagnostic::error(span, format!("{what} nothing here: `{shown}`")).label("not expected");
    with_help::<K>(message, LexError::StrayCharacter, characters)
}

fn with_help<K: Kind>(message: Diagnostic, error: LexError, text: &str) -> Diagnostic {
    match K::help(error, text) {
        Some(help) => message.help(help),
        None => message,
    }
}
