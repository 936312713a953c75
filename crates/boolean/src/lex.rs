//! Text to tokens.

use logos::{FilterResult, Logos};
use system::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// What is wrong with a piece of text that is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum LexError {
    #[default]
    StrayCharacter,
    UnclosedComment,
}

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
    /// What programs with threads have, which are not covered.
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
    /// In braces there may be anything but a brace or the end of the line: the predicate that a variable stands for.
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

/// The tokens of a text, the end of the file last. A run of stray characters is one error.
pub(crate) fn tokens(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut stray: Option<Span> = None;
    for (result, range) in TokenKind::lexer(text).spanned() {
        let span = Span::new(file, range.start, range.end);
        match result {
            Ok(kind) => tokens.push(Token { kind, span }),
            Err(LexError::UnclosedComment) => diagnostics.push(
                Diagnostic::error(
                    Span::new(file, range.start, range.start + 2),
                    "this comment is never closed",
                )
                .label("opened here"),
            ),
            Err(LexError::StrayCharacter) => match &mut stray {
                Some(before) if before.end == span.start => *before = before.to(span),
                _ => {
                    diagnostics.extend(stray.map(|span| stray_characters(text, span)));
                    stray = Some(span);
                }
            },
        }
    }
    diagnostics.extend(stray.map(|span| stray_characters(text, span)));
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    tokens.push(Token {
        kind: TokenKind::EndOfFile,
        span: Span::new(file, text.len(), text.len()),
    });
    tokens
}

fn stray_characters(text: &str, span: Span) -> Diagnostic {
    let characters = text.get(span.start as usize..span.end as usize).unwrap_or("");
    let shown: String = characters.chars().take(20).flat_map(char::escape_debug).collect();
    let what = if characters.chars().count() == 1 {
        "this character means"
    } else {
        "these characters mean"
    };
    Diagnostic::error(span, format!("{what} nothing here: `{shown}`")).label("not expected")
}

/// A token kind as messages name it.
pub(crate) fn describe(kind: TokenKind) -> &'static str {
    use TokenKind::*;
    match kind {
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
