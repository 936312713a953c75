//! Text to tokens.

use logos::{FilterResult, Logos};
use system::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// What is wrong with a piece of text that is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum LexError {
    #[default]
    StrayCharacter,
    UnclosedComment,
}

#[derive(Logos, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[logos(error = LexError, skip r"[ \t\r\n]+", skip(r"//[^\n]*", allow_greedy = true))]
pub(super) enum TokenKind {
    #[token("abstract")]
    Abstract,
    #[token("cproc")]
    Procedure,
    #[token("predicate")]
    Predicate,
    #[token("program")]
    Program,
    #[token("return")]
    Return,
    /// An action may have several names, as in `client.send`.
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*", priority = 1)]
    Name,
    #[regex("[0-9]+[uUlL]*")]
    #[regex("0[xX][0-9a-fA-F]+[uUlL]*")]
    Number,
    #[regex(r"\$[0-9]+")]
    Dollar,
    #[regex(r"'[^'\\\n]'")]
    Character,

    #[token("(")]
    LeftParenthesis,
    #[token(")")]
    RightParenthesis,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("->")]
    Arrow,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(".")]
    Dot,
    #[token("=")]
    Equals,
    #[token("|")]
    Bar,
    #[token("||")]
    Or,
    #[token("&&")]
    And,
    #[token("!")]
    Not,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessOrEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterOrEqual,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    BitAnd,
    /// Only ever skipped.
    #[token("/*", comment)]
    Comment,
    EndOfFile,
}

fn comment(lexer: &mut logos::Lexer<'_, TokenKind>) -> FilterResult<(), LexError> {
    match lexer.remainder().find("*/") {
        Some(end) => {
            lexer.bump(end + 2);
            FilterResult::Skip
        }
        None => {
            lexer.bump(lexer.remainder().len());
            FilterResult::Error(LexError::UnclosedComment)
        }
    }
}

/// The last token is the end of the file.
pub(super) fn tokens(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (kind, range) in TokenKind::lexer(text).spanned() {
        let span = Span::new(file, range.start, range.end);
        match kind {
            Ok(kind) => tokens.push(Token { kind, span }),
            Err(LexError::StrayCharacter) => {
                let character = &text[range];
                diagnostics.push(Diagnostic::error(span, format!("`{character}` means nothing here")));
            }
            Err(LexError::UnclosedComment) => {
                diagnostics.push(Diagnostic::error(span, "this comment is never closed"));
            }
        }
    }
    tokens.push(Token {
        kind: TokenKind::EndOfFile,
        span: Span::new(file, text.len(), text.len()),
    });
    tokens
}

/// What messages call a kind of token.
pub(super) fn describe(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Abstract => "`abstract`",
        TokenKind::Procedure => "`cproc`",
        TokenKind::Predicate => "`predicate`",
        TokenKind::Program => "`program`",
        TokenKind::Return => "`return`",
        TokenKind::Name => "a name",
        TokenKind::Number | TokenKind::Character => "a number",
        TokenKind::Dollar => "a parameter",
        TokenKind::LeftParenthesis => "`(`",
        TokenKind::RightParenthesis => "`)`",
        TokenKind::LeftBrace => "`{`",
        TokenKind::RightBrace => "`}`",
        TokenKind::Arrow => "`->`",
        TokenKind::Comma => "`,`",
        TokenKind::Semicolon => "`;`",
        TokenKind::Dot => "`.`",
        TokenKind::Equals => "`=`",
        TokenKind::Bar => "`|`",
        TokenKind::Or => "`||`",
        TokenKind::And => "`&&`",
        TokenKind::Not => "`!`",
        TokenKind::Equal => "`==`",
        TokenKind::NotEqual => "`!=`",
        TokenKind::Less => "`<`",
        TokenKind::LessOrEqual => "`<=`",
        TokenKind::Greater => "`>`",
        TokenKind::GreaterOrEqual => "`>=`",
        TokenKind::Plus => "`+`",
        TokenKind::Minus => "`-`",
        TokenKind::Star => "`*`",
        TokenKind::Slash => "`/`",
        TokenKind::Percent => "`%`",
        TokenKind::BitAnd => "`&`",
        TokenKind::Comment => "a comment",
        TokenKind::EndOfFile => "the end of the file",
    }
}
