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
#[logos(error = LexError, skip r"[ \t\r\n]+")]
pub(crate) enum TokenKind {
    #[token("array")]
    Array,
    #[token("case")]
    Case,
    #[token("const")]
    Const,
    #[token("else")]
    Else,
    #[token("exists")]
    Exists,
    #[token("exists_other")]
    ExistsOther,
    #[token("false")]
    False,
    #[token("forall")]
    Forall,
    #[token("forall_other")]
    ForallOther,
    #[token("if")]
    If,
    #[token("in")]
    In,
    #[token("init")]
    Init,
    #[token("invariant")]
    Invariant,
    #[token("let")]
    Let,
    #[token("not")]
    Not,
    #[token("number_procs")]
    NumberProcs,
    #[token("predicate")]
    Predicate,
    #[token("requires")]
    Requires,
    #[token("then")]
    Then,
    #[token("transition")]
    Transition,
    #[token("true")]
    True,
    #[token("type")]
    Type,
    #[token("unsafe")]
    Unsafe,
    #[token("var")]
    Var,

    /// Types, process variables, predicates.
    #[regex("[a-z][A-Za-z0-9_]*")]
    LowerName,
    /// Variables, constants, arrays, constructors.
    #[regex("[A-Z][A-Za-z0-9_]*")]
    UpperName,
    /// The sign belongs to the number.
    #[regex("-?[0-9]+")]
    Integer,
    #[regex(r"-?[0-9]+\.[0-9]*")]
    Real,
    #[regex("#[1-9][0-9]*")]
    ProcessConstant,

    #[token("(")]
    LeftParenthesis,
    #[token(")")]
    RightParenthesis,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(".")]
    Point,
    #[token("?")]
    QuestionMark,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token(":")]
    Colon,
    #[token("=")]
    Equal,
    #[token("=>")]
    Implies,
    #[token("<=>")]
    Iff,
    #[token(":=")]
    Assign,
    #[token("<>")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("||")]
    Or,
    #[token("|")]
    Bar,
    #[token("&&")]
    And,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token("_")]
    Underscore,
    /// Only ever skipped.
    #[token("(*", comment)]
    Comment,
    EndOfFile,
}

/// Skips a comment, which may hold others.
fn comment(lexer: &mut logos::Lexer<'_, TokenKind>) -> FilterResult<(), LexError> {
    let rest = lexer.remainder().as_bytes();
    let (mut depth, mut position) = (1_usize, 0);
    while depth > 0 {
        match rest.get(position..position + 2) {
            Some(b"*)") => {
                depth -= 1;
                position += 2;
            }
            Some(b"(*") => {
                depth += 1;
                position += 2;
            }
            Some(_) => position += 1,
            None => {
                lexer.bump(rest.len());
                return FilterResult::Error(LexError::UnclosedComment);
            }
        }
    }
    lexer.bump(position);
    FilterResult::Skip
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
                .label("opened here")
                .help("comments may stand inside each other: each `(*` needs its own `*)`"),
            ),
            Err(LexError::StrayCharacter) => {
                if text.get(range) == Some("&") {
                    // It is clear what was meant, and what follows can be read.
                    tokens.push(Token {
                        kind: TokenKind::And,
                        span,
                    });
                }
                match &mut stray {
                    Some(before) if before.end == span.start => *before = before.to(span),
                    _ => {
                        diagnostics.extend(stray.map(|span| stray_characters(text, span)));
                        stray = Some(span);
                    }
                }
            }
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
    let diagnostic = Diagnostic::error(span, format!("{what} nothing here: `{shown}`")).label("not expected");
    match characters {
        "&" => diagnostic.help("write `&&` for \"and\""),
        "!" => diagnostic.help("write `not` for \"not\", and `<>` for \"different\""),
        "/" | "//" => diagnostic.help("comments are written `(* ... *)`"),
        "#" => diagnostic.help("process constants are written `#1`, `#2`, ... as far as `number_procs` says"),
        _ => diagnostic,
    }
}

/// A token kind as messages name it.
pub(crate) fn describe(kind: TokenKind) -> &'static str {
    use TokenKind::*;
    match kind {
        Array => "`array`",
        Case => "`case`",
        Const => "`const`",
        Else => "`else`",
        Exists => "`exists`",
        ExistsOther => "`exists_other`",
        False => "`false`",
        Forall => "`forall`",
        ForallOther => "`forall_other`",
        If => "`if`",
        In => "`in`",
        Init => "`init`",
        Invariant => "`invariant`",
        Let => "`let`",
        Not => "`not`",
        NumberProcs => "`number_procs`",
        Predicate => "`predicate`",
        Requires => "`requires`",
        Then => "`then`",
        Transition => "`transition`",
        True => "`true`",
        Type => "`type`",
        Unsafe => "`unsafe`",
        Var => "`var`",
        LowerName => "a name with a small first letter",
        UpperName => "a name with a capital first letter",
        Integer => "a number",
        Real => "a real number",
        ProcessConstant => "a process constant",
        LeftParenthesis => "`(`",
        RightParenthesis => "`)`",
        LeftBracket => "`[`",
        RightBracket => "`]`",
        LeftBrace => "`{`",
        RightBrace => "`}`",
        Point => "`.`",
        QuestionMark => "`?`",
        Plus => "`+`",
        Minus => "`-`",
        Times => "`*`",
        Colon => "`:`",
        Equal => "`=`",
        Implies => "`=>`",
        Iff => "`<=>`",
        Assign => "`:=`",
        NotEqual => "`<>`",
        Less => "`<`",
        LessEqual => "`<=`",
        Greater => "`>`",
        GreaterEqual => "`>=`",
        Or => "`||`",
        Bar => "`|`",
        And => "`&&`",
        Comma => "`,`",
        Semicolon => "`;`",
        Underscore => "`_`",
        Comment => "a comment",
        EndOfFile => "the end of the file",
    }
}
