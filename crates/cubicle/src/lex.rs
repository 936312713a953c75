//! Lexer.

use logos::{FilterResult, Logos};
use system::SourceFile;
use system::tokens::{Cursor, Kind, LexError};

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
    /// Always skipped.
    #[token("(*", comment)]
    Comment,
    EndOfFile,
}

/// Skips a comment; comments nest.
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

/// A cursor at the start of the file's tokens.
pub(crate) fn tokens(file: &SourceFile) -> Cursor<'_, TokenKind> {
    Cursor::new(file.id(), &file.text, TokenKind::lexer(&file.text).spanned())
}

impl Kind for TokenKind {
    const END_OF_FILE: TokenKind = TokenKind::EndOfFile;

    fn describe(self) -> &'static str {
        use TokenKind::*;
        match self {
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

    fn describe_with(self, text: &str) -> Option<String> {
        match self {
            TokenKind::LowerName | TokenKind::UpperName | TokenKind::ProcessConstant => Some(format!("`{text}`")),
            TokenKind::Integer | TokenKind::Real => Some(format!("the number `{text}`")),
            _ => None,
        }
    }

    fn help(error: LexError, text: &str) -> Option<&'static str> {
        match (error, text) {
            (LexError::UnclosedComment, _) => {
                Some("comments may stand inside each other: each `(*` needs its own `*)`")
            }
            (_, "&") => Some("write `&&` for \"and\""),
            (_, "!") => Some("write `not` for \"not\", and `<>` for \"different\""),
            (_, "/" | "//") => Some("comments are written `(* ... *)`"),
            (_, "#") => Some("process constants are written `#1`, `#2`, ... as far as `number_procs` says"),
            _ => None,
        }
    }

    fn meant(character: &str) -> Option<TokenKind> {
        (character == "&").then_some(TokenKind::And)
    }
}
