//! The lexer.

use logos::{FilterResult, Logos};
use system::SourceFile;
use system::tokens::{Cursor, Kind, LexError};

#[derive(Logos, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[logos(error = LexError, skip r"[ \t\r\n]+", skip(r"//[^\n]*", allow_greedy = true))]
pub(crate) enum TokenKind {
    #[token("abortif")]
    Abortif,
    #[token("assert")]
    Assert,
    #[token("assume")]
    Assume,
    #[token("begin")]
    Begin,
    #[token("bool")]
    Bool,
    #[token("constrain")]
    Constrain,
    #[token("dead")]
    Dead,
    #[token("decl")]
    Decl,
    #[token("do")]
    Do,
    #[token("else")]
    Else,
    #[token("elsif")]
    Elsif,
    #[token("end")]
    End,
    #[token("enforce")]
    Enforce,
    #[token("fi")]
    Fi,
    #[token("goto")]
    Goto,
    #[token("if")]
    If,
    #[token("od")]
    Od,
    #[token("print")]
    Print,
    #[token("return")]
    Return,
    #[token("schoose")]
    Schoose,
    #[token("skip")]
    Skip,
    #[token("then")]
    Then,
    #[token("void")]
    Void,
    #[token("while")]
    While,
    /// Keywords of programs with threads, which are unsupported.
    #[token("start_thread")]
    #[token("end_thread")]
    #[token("sync_thread")]
    #[token("atomic_begin")]
    #[token("atomic_end")]
    Thread,

    #[token("T", priority = 5)]
    #[token("1")]
    True,
    #[token("F", priority = 5)]
    #[token("0")]
    False,
    /// Names in braces contain any text on one line without braces: the predicate that a variable represents.
    #[regex("[A-Za-z_$][A-Za-z0-9_$]*")]
    #[regex(r"\{[^{}\n]+\}")]
    Name,
    #[regex("[0-9]+", priority = 1)]
    Number,

    #[token("(")]
    LeftParenthesis,
    #[token(")")]
    RightParenthesis,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("*")]
    #[token("?")]
    Any,
    #[token("'")]
    Prime,
    #[token("!")]
    #[token("~")]
    Not,
    #[token("&")]
    #[token("&&")]
    And,
    #[token("|")]
    #[token("||")]
    Or,
    #[token("=>")]
    Implies,
    #[token("=")]
    #[token("==")]
    #[token("<=>")]
    Equal,
    #[token("!=")]
    #[token("^")]
    Differ,
    #[token(":=")]
    Assign,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
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

/// The tokens of a file.
pub(crate) fn tokens(file: &SourceFile) -> Cursor<'_, TokenKind> {
    Cursor::new(file.id(), &file.text, TokenKind::lexer(&file.text).spanned())
}

impl Kind for TokenKind {
    const END_OF_FILE: TokenKind = TokenKind::EndOfFile;

    fn describe(self) -> &'static str {
        use TokenKind::*;
        match self {
            Abortif => "`abortif`",
            Assert => "`assert`",
            Assume => "`assume`",
            Begin => "`begin`",
            Bool => "`bool`",
            Constrain => "`constrain`",
            Dead => "`dead`",
            Decl => "`decl`",
            Do => "`do`",
            Else => "`else`",
            Elsif => "`elsif`",
            End => "`end`",
            Enforce => "`enforce`",
            Fi => "`fi`",
            Goto => "`goto`",
            If => "`if`",
            Od => "`od`",
            Print => "`print`",
            Return => "`return`",
            Schoose => "`schoose`",
            Skip => "`skip`",
            Then => "`then`",
            Void => "`void`",
            While => "`while`",
            Thread => "a construct of threads",
            True => "`T`",
            False => "`F`",
            Name => "a name",
            Number => "a number",
            LeftParenthesis => "`(`",
            RightParenthesis => "`)`",
            LeftBracket => "`[`",
            RightBracket => "`]`",
            Less => "`<`",
            Greater => "`>`",
            Any => "`*`",
            Prime => "`'`",
            Not => "`!`",
            And => "`&`",
            Or => "`|`",
            Implies => "`=>`",
            Equal => "`=`",
            Differ => "`!=`",
            Assign => "`:=`",
            Colon => "`:`",
            Comma => "`,`",
            Semicolon => "`;`",
            Comment => "a comment",
            EndOfFile => "the end of the file",
        }
    }

    fn describe_with(self, text: &str) -> Option<String> {
        let own = matches!(self, TokenKind::Name | TokenKind::Thread | TokenKind::Number);
        own.then(|| format!("`{text}`"))
    }
}
