//! Assignments and calls, and malformed ones.

use system::{Diagnostic, Span};

use super::Parser;
use super::recovery::starts_statement;
use super::statements::ParsedStatement;
use crate::lex::TokenKind;
use crate::syntax::{Expression, ExpressionKind, StatementKind};

/// Keywords that start a statement, as corrections of misspelt ones.
const STATEMENT_KEYWORDS: &[(&str, TokenKind)] = &[
    ("alias", TokenKind::Alias),
    ("assert", TokenKind::Assert),
    ("clear", TokenKind::Clear),
    ("else", TokenKind::Else),
    ("elsif", TokenKind::Elsif),
    ("end", TokenKind::End),
    ("endfor", TokenKind::EndFor),
    ("endif", TokenKind::EndIf),
    ("endrule", TokenKind::EndRule),
    ("endruleset", TokenKind::EndRuleset),
    ("endstartstate", TokenKind::EndStartstate),
    ("endswitch", TokenKind::EndSwitch),
    ("endwhile", TokenKind::EndWhile),
    ("error", TokenKind::Error),
    ("for", TokenKind::For),
    ("put", TokenKind::Put),
    ("return", TokenKind::Return),
    ("switch", TokenKind::Switch),
    ("undefine", TokenKind::Undefine),
    ("while", TokenKind::While),
];

impl Parser<'_> {
    /// `designator := value` or `procedure(arguments)`
    pub(super) fn assignment_or_call(&mut self, start: Span) -> ParsedStatement {
        if self.at_foreign_else() {
            return None;
        }
        if !self.at_use_of_name() && self.correct_keyword(STATEMENT_KEYWORDS) {
            return match starts_statement(self.peek()) {
                true => self.statement_kind(start),
                false => None,
            };
        }
        let first = self.position;
        if self.peek_at(self.after_designator()) != TokenKind::Assign
            && let Some(statement) = self.without_keyword(start)
        {
            return statement;
        }
        let target = self.postfixed_expression();
        if !self.assignment_sign(&target) {
            return self.call(target);
        }
        let value = self.expression();
        match self.peek() {
            TokenKind::Assign => {
                let diagnostic = Diagnostic::error(self.span(), "assignments do not chain")
                    .label("second `:=` in one statement")
                    .help("write one assignment for each variable, or `=` to compare");
                self.report_here(diagnostic);
            }
            TokenKind::To if !self.failed_here() => {
                self.position = first;
                self.report_without_keyword("for", "a statement", "a loop");
                return self.for_statement(start);
            }
            _ => {}
        }
        let kind = match value.kind {
            ExpressionKind::Undefined => StatementKind::Undefine(target),
            _ => StatementKind::Assign { target, value },
        };
        Some((kind, None))
    }

    /// Whether the token after the current name may follow a name at the start of a statement.
    pub(super) fn at_use_of_name(&self) -> bool {
        use TokenKind::*;
        matches!(
            self.peek_at(1),
            Assign | Dot | LeftBracket | LeftParenthesis | Equal | AddAssign
        )
    }

    /// Consumes `:=`, or what was most likely meant as such. False if there is none.
    fn assignment_sign(&mut self, target: &Expression) -> bool {
        match self.peek() {
            TokenKind::Assign => {}
            TokenKind::Equal => {
                self.report(
                    Diagnostic::error(self.span(), "`=` compares, but a statement is needed here")
                        .label("this is no assignment")
                        .help("write `:=` to assign"),
                );
            }
            TokenKind::Colon if self.peek_at(1) == TokenKind::Equal => {
                let span = self.advance().to(self.span());
                self.report(Diagnostic::error(span, "`:=` is one token").label("written with a space between"));
            }
            TokenKind::AddAssign => {
                let operator = self.slice(self.span());
                let (name, sign) = (self.slice(target.span), operator.trim_end_matches('='));
                self.report(
                    Diagnostic::error(self.span(), format!("unknown operator `{operator}`"))
                        .label("not part of the language")
                        .help(format!("write `{name} := {name} {sign} ...`")),
                );
            }
            _ => return false,
        }
        self.advance();
        true
    }

    fn call(&mut self, target: Expression) -> ParsedStatement {
        match target.kind {
            ExpressionKind::Call { name, arguments } => Some((StatementKind::Call { name, arguments }, None)),
            ExpressionKind::Error => None,
            _ => {
                let diagnostic = match self.unmatched_bracket() {
                    Some(diagnostic) => diagnostic,
                    None => self.missing("`:=`").help("a value alone is not a statement"),
                };
                self.report_here(diagnostic);
                None
            }
        }
    }

    /// A condition or binder where a statement should start, followed by `then` or `do`: its keyword is missing.
    pub(super) fn without_keyword(&mut self, start: Span) -> Option<ParsedStatement> {
        if self.ahead(TokenKind::Then).is_some() {
            self.report_without_keyword("if", "a statement", "a condition");
            return Some(self.if_statement(start));
        }
        if self.peek_at(self.after_designator()) == TokenKind::Case && !self.continues_open_block_with(TokenKind::Case)
        {
            self.report_without_keyword("switch", "a statement", "a value");
            return Some(self.switch(start));
        }
        self.ahead(TokenKind::Do)?;
        if self.at(TokenKind::Identifier) && self.peek_at(1) == TokenKind::Colon {
            self.report_without_keyword("for", "a statement", "a loop");
            return Some(self.for_statement(start));
        }
        self.report_without_keyword("while", "a statement", "a condition");
        Some(self.while_statement(start))
    }

    /// Reports that `what` was expected and `found` is there, without its `keyword`.
    pub(super) fn report_without_keyword(&mut self, keyword: &str, what: &str, found: &str) {
        let message = format!("expected {what}, found {found} without `{keyword}`");
        self.report(Diagnostic::error(self.span(), message).label(format!("`{keyword}` is missing before this")));
    }

    /// `elseif` and `elif` for `elsif`.
    fn at_foreign_else(&mut self) -> bool {
        let found = ["elseif", "elif"].iter().any(|word| self.at_word(word)) && self.continues_with_else();
        if found {
            self.report_misspelt("elsif");
            self.last_error = None;
            self.tokens[self.position].kind = TokenKind::Elsif;
        }
        found
    }

    fn continues_with_else(&self) -> bool {
        !matches!(
            self.peek_at(1),
            TokenKind::Assign | TokenKind::Dot | TokenKind::LeftBracket | TokenKind::Semicolon
        )
    }
}
