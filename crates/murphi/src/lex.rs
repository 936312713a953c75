//! Lexer.
//!
//! Words that both CMurphi and Rumur reserve are keywords, in any case. Words that only one of them reserves (`choose`,
//! `multiset`, `assume`, ...) and those of our extensions remain identifiers, which the parser recognises by context,
//! so that a file written for the other tool keeps its meaning.

use logos::{FilterResult, Logos};
use system::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Whether an invalid token before it was reported; an error at this token is most likely a consequence.
    pub(crate) after_stray: bool,
}

/// Whether a quoted text may span several lines, as Rumur permits and CMurphi does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Quotes {
    #[default]
    ManyLines,
    OneLine,
}

/// Why a piece of text is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum LexError {
    #[default]
    StrayCharacter,
    UnclosedText,
    UnclosedComment,
    /// `// ...`
    SlashComment,
    /// `'...'`
    SingleQuotes,
    /// `# ...`
    Preprocessor,
}

#[derive(Logos, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[logos(error = LexError, extras = Quotes, skip r"[ \t\r\n\x0b\x0c\u{feff}]+", skip(r"--[^\n]*", allow_greedy = true))]
pub(crate) enum TokenKind {
    #[token("alias", ignore(case))]
    Alias,
    #[token("array", ignore(case))]
    Array,
    #[token("assert", ignore(case))]
    Assert,
    #[token("begin", ignore(case))]
    Begin,
    #[token("by", ignore(case))]
    By,
    #[token("case", ignore(case))]
    Case,
    #[token("clear", ignore(case))]
    Clear,
    #[token("const", ignore(case))]
    Const,
    #[token("do", ignore(case))]
    Do,
    #[token("else", ignore(case))]
    Else,
    #[token("elsif", ignore(case))]
    Elsif,
    #[token("end", ignore(case))]
    End,
    #[token("endalias", ignore(case))]
    EndAlias,
    #[token("endexists", ignore(case))]
    EndExists,
    #[token("endfor", ignore(case))]
    EndFor,
    #[token("endforall", ignore(case))]
    EndForall,
    #[token("endfunction", ignore(case))]
    EndFunction,
    #[token("endif", ignore(case))]
    EndIf,
    #[token("endprocedure", ignore(case))]
    EndProcedure,
    #[token("endrecord", ignore(case))]
    EndRecord,
    #[token("endrule", ignore(case))]
    EndRule,
    #[token("endruleset", ignore(case))]
    EndRuleset,
    #[token("endstartstate", ignore(case))]
    EndStartstate,
    #[token("endswitch", ignore(case))]
    EndSwitch,
    #[token("endwhile", ignore(case))]
    EndWhile,
    #[token("enum", ignore(case))]
    Enum,
    #[token("error", ignore(case))]
    Error,
    #[token("exists", ignore(case))]
    #[token("∃")]
    Exists,
    #[token("for", ignore(case))]
    For,
    #[token("forall", ignore(case))]
    #[token("∀")]
    Forall,
    #[token("function", ignore(case))]
    Function,
    #[token("if", ignore(case))]
    If,
    #[token("invariant", ignore(case))]
    Invariant,
    #[token("isundefined", ignore(case))]
    IsUndefined,
    #[token("of", ignore(case))]
    Of,
    #[token("procedure", ignore(case))]
    Procedure,
    #[token("put", ignore(case))]
    Put,
    #[token("record", ignore(case))]
    Record,
    #[token("return", ignore(case))]
    Return,
    #[token("rule", ignore(case))]
    Rule,
    #[token("ruleset", ignore(case))]
    Ruleset,
    #[token("scalarset", ignore(case))]
    Scalarset,
    #[token("startstate", ignore(case))]
    Startstate,
    #[token("switch", ignore(case))]
    Switch,
    #[token("then", ignore(case))]
    Then,
    #[token("to", ignore(case))]
    To,
    #[token("type", ignore(case))]
    Type,
    #[token("undefine", ignore(case))]
    Undefine,
    #[token("union", ignore(case))]
    Union,
    #[token("var", ignore(case))]
    Var,
    #[token("while", ignore(case))]
    While,

    /// An identifier. The parser rejects one that starts with `_`.
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Identifier,
    #[regex("[0-9]+")]
    #[regex("0[xX][0-9A-Fa-f]+")]
    Number,
    /// CMurphi's real numbers, which are not supported.
    #[regex(r"[0-9]+\.[0-9]+")]
    Real,
    #[token("\"", text)]
    #[token("“", text)]
    Text,
    /// An unterminated text, up to the end of the line.
    UnclosedText,

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
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token(":=")]
    #[token("≔")]
    Assign,
    #[token("==>")]
    #[token("⇒")]
    Arrow,
    #[token("->")]
    #[token("→")]
    Implies,
    #[token("?")]
    Question,
    #[token("||")]
    #[token("∨")]
    PipePipe,
    #[token("&&")]
    #[token("∧")]
    AmpersandAmpersand,
    #[token("|")]
    Pipe,
    #[token("^")]
    Caret,
    #[token("&")]
    Ampersand,
    #[token("!")]
    #[token("¬")]
    Bang,
    #[token("=")]
    #[token("==")]
    Equal,
    #[token("!=")]
    #[token("≠")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    #[token("≤")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    #[token("≥")]
    GreaterEqual,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("+")]
    Plus,
    #[token("-")]
    #[token("−")]
    Minus,
    #[token("*")]
    #[token("×")]
    Star,
    #[token("/")]
    #[token("÷")]
    #[token("∕")]
    Slash,
    #[token("%")]
    Percent,
    #[token("~")]
    Tilde,

    // Operators of other languages: never valid, but recognising them improves messages.
    #[token("<>")]
    LessGreater,
    #[token("=<")]
    EqualLess,
    #[token("=>")]
    FatArrow,
    #[token("+=")]
    #[token("-=")]
    AddAssign,

    // Never tokens of their own: the first is skipped, the others are errors.
    #[token("/*", block_comment)]
    BlockComment,
    #[token("//", slash_comment)]
    SlashComment,
    #[token("'", single_quotes)]
    SingleQuotes,
    #[token("#", preprocessor)]
    Preprocessor,

    EndOfFile,
}

impl TokenKind {
    /// Closes a block: `end` or one of its longer forms.
    pub(crate) fn is_end(self) -> bool {
        use TokenKind::*;
        matches!(
            self,
            End | EndAlias
                | EndExists
                | EndFor
                | EndForall
                | EndFunction
                | EndIf
                | EndProcedure
                | EndRecord
                | EndRule
                | EndRuleset
                | EndStartstate
                | EndSwitch
                | EndWhile
        )
    }
}

/// The tokens, terminated by `EndOfFile`, and diagnostics about the characters in between.
pub(crate) fn lex(file: FileId, text: &str, quotes: Quotes) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut tokens = Vec::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut lexer = TokenKind::lexer_with_extras(text, quotes);
    let mut stray: Option<Span> = None;
    let mut after_stray = false;
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(file, range.start, range.end);
        let kind = match result {
            Ok(kind) => kind,
            Err(LexError::StrayCharacter) => {
                // One message for a run of them: a wrong encoding would produce hundreds.
                stray = match stray {
                    Some(run) if run.end == span.start => Some(run.to(span)),
                    run => {
                        diagnostics.extend(run.map(|run| stray_characters(text, run)));
                        Some(span)
                    }
                };
                after_stray = true;
                continue;
            }
            Err(error) => {
                diagnostics.push(broken_token(error, span, lexer.slice()));
                match error {
                    LexError::UnclosedText => TokenKind::UnclosedText,
                    LexError::SingleQuotes => TokenKind::Text,
                    _ => continue,
                }
            }
        };
        tokens.push(Token {
            kind,
            span,
            after_stray,
        });
        after_stray = false;
    }
    diagnostics.extend(stray.map(|run| stray_characters(text, run)));
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    tokens.push(Token {
        kind: TokenKind::EndOfFile,
        span: Span::new(file, text.len(), text.len()),
        after_stray,
    });
    (tokens, diagnostics)
}

fn broken_token(error: LexError, span: Span, slice: &str) -> Diagnostic {
    let start = span.start as usize;
    let (length, message, label, help) = match error {
        LexError::UnclosedText => (
            slice.chars().next().map_or(0, char::len_utf8),
            "this text is not closed",
            "opened here",
            "close it with `\"` on the same line",
        ),
        LexError::UnclosedComment => (
            2,
            "this comment is not closed",
            "opened here, and it runs to the end of the file",
            "close it with `*/`",
        ),
        LexError::SlashComment => (
            2,
            "`//` does not start a comment",
            "the rest of the line was skipped",
            "start a comment with `--`, or write it between `/*` and `*/`",
        ),
        LexError::Preprocessor => (
            1,
            "there is no preprocessor",
            "the rest of the line was skipped",
            "a comment starts with `--`",
        ),
        LexError::SingleQuotes | LexError::StrayCharacter => (
            slice.len(),
            "a text stands between double quotes",
            "between single quotes",
            "write `\"` instead of `'`",
        ),
    };
    Diagnostic::error(Span::new(span.file, start, start + length), message)
        .label(label)
        .help(help)
}

/// Consumes up to the end of the quoted text whose opening quote was just read.
///
/// `\` escapes the next character, as in Rumur. CMurphi has no escapes: there `"\"` is a complete text, which is the
/// fallback if the first reading leaves the text unterminated.
fn text(lexer: &mut logos::Lexer<'_, TokenKind>) -> FilterResult<(), LexError> {
    let rest = lexer.remainder();
    let is_line = matches!(lexer.extras, Quotes::OneLine);
    let candidate = if lexer.slice() == "“" {
        closing_quote(rest, '”', true, is_line).or_else(|| closing_quote(rest, '"', true, true))
    } else {
        closing_quote(rest, '"', true, is_line)
            .or_else(|| closing_quote(rest, '”', true, true))
            .or_else(|| closing_quote(rest, '"', false, true))
    };
    match candidate {
        Some(length) => {
            lexer.bump(length);
            FilterResult::Emit(())
        }
        None => {
            lexer.bump(rest[..end_of_line(rest)].trim_end().len());
            FilterResult::Error(LexError::UnclosedText)
        }
    }
}

fn end_of_line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The number of bytes up to and including the first `quote`, on this line if `is_line`. It looks no further, since a
/// file may be a single long line of texts.
fn closing_quote(text: &str, quote: char, escapes: bool, is_line: bool) -> Option<usize> {
    let mut is_escaped = false;
    for (offset, character) in text.char_indices() {
        if is_line && character == '\n' {
            return None;
        }
        if character == quote && !is_escaped {
            return Some(offset + quote.len_utf8());
        }
        is_escaped = escapes && character == '\\' && !is_escaped;
    }
    None
}

fn block_comment(lexer: &mut logos::Lexer<'_, TokenKind>) -> FilterResult<(), LexError> {
    match lexer.remainder().find("*/") {
        Some(length) => {
            lexer.bump(length + 2);
            FilterResult::Skip
        }
        None => {
            lexer.bump(lexer.remainder().len());
            FilterResult::Error(LexError::UnclosedComment)
        }
    }
}

fn slash_comment(lexer: &mut logos::Lexer<'_, TokenKind>) -> FilterResult<(), LexError> {
    lexer.bump(end_of_line(lexer.remainder()));
    FilterResult::Error(LexError::SlashComment)
}

fn preprocessor(lexer: &mut logos::Lexer<'_, TokenKind>) -> FilterResult<(), LexError> {
    lexer.bump(end_of_line(lexer.remainder()));
    FilterResult::Error(LexError::Preprocessor)
}

fn single_quotes(lexer: &mut logos::Lexer<'_, TokenKind>) -> FilterResult<(), LexError> {
    let rest = lexer.remainder();
    match rest[..end_of_line(rest)].find('\'') {
        Some(length) => {
            lexer.bump(length + 1);
            FilterResult::Error(LexError::SingleQuotes)
        }
        None => FilterResult::Error(LexError::StrayCharacter),
    }
}

fn stray_characters(text: &str, span: Span) -> Diagnostic {
    let run = text.get(span.start as usize..span.end as usize).unwrap_or("");
    let mut characters = run.chars();
    let message = match (characters.next(), characters.next()) {
        (Some(only), None) if only.is_control() => format!("unexpected control character U+{:04X}", only as u32),
        (Some(only), None) => format!("unexpected character `{only}`"),
        _ => "unexpected characters".to_string(),
    };
    let diagnostic = Diagnostic::error(span, message).label("not part of the language");
    match run.chars().next() {
        Some('\'' | '‘' | '’' | '`') => diagnostic.help("names and messages are written between `\"` and `\"`"),
        Some('\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{3000}') => {
            diagnostic.help("this is a kind of space; replace it by a plain one")
        }
        _ => diagnostic,
    }
}

/// The content of a `Text` or `UnclosedText`, with escapes resolved.
pub(crate) fn unquote(token: &str) -> String {
    let inner = token
        .strip_prefix(['"', '“', '\''])
        .map_or(token, |rest| rest.strip_suffix(['"', '”', '\'']).unwrap_or(rest));
    let mut result = String::with_capacity(inner.len());
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = match (character, characters.peek()) {
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some('"' | '”' | '\\')) => characters.peek().copied(),
            _ => None,
        };
        if let Some(escaped) = escaped {
            characters.next();
            result.push(escaped);
        } else {
            result.push(character);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let (tokens, diagnostics) = lex(FileId::MODEL, text, Quotes::ManyLines);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        tokens.iter().map(|token| token.kind).collect()
    }

    #[test]
    fn keywords_are_read_in_any_case_and_names_are_not_cut() {
        use TokenKind::*;
        assert_eq!(
            kinds("RULE Ruleset endif ends choose"),
            [Rule, Ruleset, EndIf, Identifier, Identifier, EndOfFile]
        );
    }

    #[test]
    fn ranges_are_not_real_numbers() {
        use TokenKind::*;
        assert_eq!(
            kinds("1..3 1.5 0x1F 010"),
            [Number, DotDot, Number, Real, Number, Number, EndOfFile]
        );
    }

    #[test]
    fn unicode_operators_are_the_plain_ones() {
        assert_eq!(
            kinds("∀ ∃ ≔ ≥ ≤ ≠ → ⇒ ¬ ∧ ∨ ÷ − ∕ ×"),
            kinds("forall exists := >= <= != -> ==> ! && || / - / *")
        );
    }

    #[test]
    fn comments_are_skipped() {
        use TokenKind::*;
        assert_eq!(
            kinds("a -- b \" \n /* c ** / \n */ d /***/ --"),
            [Identifier, Identifier, EndOfFile]
        );
    }

    #[test]
    fn text_ends_at_its_quote() {
        for (source, expected) in [
            (r#""plain""#, "plain"),
            (r#""a \"b\" \\""#, r#"a "b" \"#),
            ("“smart”", "smart"),
            ("\"two\nlines\"", "two\nlines"),
            (r#""C:\""#, r"C:\"),
        ] {
            assert_eq!(kinds(source), [TokenKind::Text, TokenKind::EndOfFile], "{source}");
            assert_eq!(unquote(source), expected);
        }
    }

    #[test]
    fn a_run_of_stray_characters_is_one_message() {
        let (tokens, diagnostics) = lex(FileId::MODEL, "a @@@ b $ \u{1}", Quotes::ManyLines);
        assert_eq!(tokens.len(), 3);
        let spans: Vec<_> = diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.span.start, diagnostic.span.end))
            .collect();
        assert_eq!(spans, [(2, 5), (8, 9), (10, 11)]);
    }
}
