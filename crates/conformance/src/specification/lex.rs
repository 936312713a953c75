//! The lexer.

use logos::{FilterResult, Logos};
use system::FileId;
use system::tokens::{Cursor, Kind, LexError};

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
    /// The name of an action may be qualified, as in `client.send`.
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
    /// Skipped.
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

/// The tokens of a text.
pub(super) fn tokens(file: FileId, text: &str) -> Cursor<'_, TokenKind> {
    Cursor::new(file, text, TokenKind::lexer(text).spanned())
}

impl Kind for TokenKind {
    const END_OF_FILE: TokenKind = TokenKind::EndOfFile;

    fn describe(self) -> &'static str {
        match self {
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

    fn describe_with(self, text: &str) -> Option<String> {
        matches!(self, TokenKind::Name | TokenKind::Number).then(|| format!("`{text}`"))
    }
}
