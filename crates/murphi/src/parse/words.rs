//! Context-dependent keywords: words that only one of CMurphi and Rumur reserves, and our extensions. `not` is included
//! because `not(x)` is a typo unless the file declares it.

use super::Parser;
use crate::lex::TokenKind;

/// All of them, in lower case. A file may use each as a name.
const WORDS: &[&str] = &[
    "assume",
    "axiom",
    "choose",
    "cover",
    "endchoose",
    "externfun",
    "externproc",
    "havoc",
    "index",
    "ismember",
    "list",
    "liveness",
    "multiset",
    "multisetadd",
    "multisetcount",
    "multisetremove",
    "multisetremovepred",
    "not",
    "pctl",
    "predicate",
    "real",
    "undefined",
    "uninterpreted",
];

pub(super) fn is_word(text: &str) -> bool {
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// The item that starts with such a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ItemWord {
    Assume,
    Axiom,
    Choose,
    Cover,
    ExternalFunction,
    ExternalProcedure,
    Index,
    Liveness,
    Pctl,
    Predicate,
    Uninterpreted,
}

/// The statement that starts with such a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StatementWord {
    Assume,
    Cover,
    Havoc,
    Liveness,
    MultisetAdd,
    MultisetRemove,
    MultisetRemoveIf,
}

impl Parser<'_> {
    /// Whether the current token is this word, in any case.
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Identifier) && self.slice(self.span()).eq_ignore_ascii_case(word)
    }

    /// Like `at_word`, unless the file declares the word as a name.
    pub(super) fn at_undeclared_word(&self, word: &str) -> bool {
        self.at_word(word) && !self.declared_words.contains(self.slice(self.span()))
    }

    /// The item that starts here with a context-dependent keyword. In plain Murphi, a name at the start of an item is
    /// being declared, and `:` or `,` (or, by mistake, `=`) follows it.
    pub(super) fn item_word(&self) -> Option<ItemWord> {
        if !self.at(TokenKind::Identifier) {
            return None;
        }
        let next = self.peek_at(1);
        let (word, fits) = match self.slice(self.span()).to_ascii_lowercase().as_str() {
            "assume" => (ItemWord::Assume, starts_formula(next)),
            "axiom" => (ItemWord::Axiom, starts_formula(next) || next == TokenKind::Semicolon),
            "choose" => (ItemWord::Choose, next == TokenKind::Identifier),
            "cover" => (ItemWord::Cover, starts_formula(next)),
            "externfun" => (ItemWord::ExternalFunction, next == TokenKind::Identifier),
            "externproc" => (ItemWord::ExternalProcedure, next == TokenKind::Identifier),
            "index" => (ItemWord::Index, next == TokenKind::Identifier),
            "liveness" => (ItemWord::Liveness, starts_formula(next)),
            "pctl" => (ItemWord::Pctl, starts_formula(next)),
            "predicate" => (
                ItemWord::Predicate,
                starts_formula(next) || next == TokenKind::Semicolon,
            ),
            "uninterpreted" => (ItemWord::Uninterpreted, next == TokenKind::Identifier),
            _ => return None,
        };
        fits.then_some(word)
    }

    /// The statement that starts here with a context-dependent keyword. A name at the start of a statement is followed
    /// by `:=`, `.`, `[` or `(`; only `(` can also follow a keyword, and then the word has the meaning that the file
    /// declares, if any.
    pub(super) fn statement_word(&self) -> Option<StatementWord> {
        if !self.at(TokenKind::Identifier) {
            return None;
        }
        let text = self.slice(self.span());
        let next = self.peek_at(1);
        let call = next == TokenKind::LeftParenthesis && !self.declared_words.contains(text);
        let formula =
            call || (next != TokenKind::LeftParenthesis && starts_formula(next) && next != TokenKind::LeftBracket);
        let (word, fits) = match text.to_ascii_lowercase().as_str() {
            "assume" => (StatementWord::Assume, formula),
            "cover" => (StatementWord::Cover, formula),
            "havoc" => (StatementWord::Havoc, next == TokenKind::Identifier),
            "liveness" => (StatementWord::Liveness, formula),
            "multisetadd" => (StatementWord::MultisetAdd, call),
            "multisetremove" => (StatementWord::MultisetRemove, call),
            "multisetremovepred" => (StatementWord::MultisetRemoveIf, call),
            _ => return None,
        };
        fits.then_some(word)
    }
}

/// Whether a formula, or its name in quotes, can start with this token.
fn starts_formula(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Text | TokenKind::UnclosedText) || starts_expression(kind)
}

pub(super) fn starts_expression(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Identifier
            | Number
            | Real
            | Forall
            | Exists
            | IsUndefined
            | Bang
            | Minus
            | Plus
            | Tilde
            | LeftParenthesis
            | LeftBracket
    )
}
