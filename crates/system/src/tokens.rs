//! What the small languages' lexers and parsers share: tokens with places, a cursor over them, and the usual messages.

use crate::source::{Diagnostic, FileId, Span};

/// The kinds of tokens that a language has.
pub trait Kind: Copy + PartialEq {
    const END_OF_FILE: Self;

    /// As messages name it.
    fn describe(self) -> &'static str;

    /// Where tokens of this kind differ, how messages name one with this text.
    fn describe_with(self, text: &str) -> Option<String>;

    /// What may help where a piece of text is no token.
    fn help(_error: LexError, _text: &str) -> Option<&'static str> {
        None
    }

    /// The token that a stray character clearly stands for: it is an error, and what follows can be read.
    fn meant(_character: &str) -> Option<Self> {
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<K> {
    pub kind: K,
    pub span: Span,
}

/// What is wrong with a piece of text that is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LexError {
    #[default]
    StrayCharacter,
    UnclosedComment,
}

/// An error that has been reported; whoever can go on after it does.
pub struct Reported;

/// A file that is read token by token, and what was said about it.
pub struct Cursor<'a, K> {
    text: &'a str,
    /// The last one is the end of the file.
    tokens: Vec<Token<K>>,
    position: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'a, K: Kind> Cursor<'a, K> {
    /// Takes what a lexer says of each piece of a text. A run of stray characters is one error.
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

    /// How many tokens have been read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The tokens read since a position.
    pub fn read_since(&self, start: usize) -> &[Token<K>] {
        &self.tokens[start..self.position]
    }

    /// From the start of a construct to the last token read.
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

    /// "expected this, found that" at the current token; where the file ends, right behind its last token.
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

    /// Goes back: what was read and said since then is forgotten.
    pub fn back_to(&mut self, mark: Mark) {
        self.position = mark.position;
        self.diagnostics.truncate(mark.reported);
    }

    /// What was said, in the order of the text.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|diagnostic| diagnostic.span);
        diagnostics
    }
}

/// A place to go back to.
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
