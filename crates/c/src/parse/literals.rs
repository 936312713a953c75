//! Literals and their diagnostics.

use super::{Parse, Parser};
use crate::lex::Kind;
use crate::lex::literals::{self, Problem};
use crate::syntax::{Encoding, Expression, ExpressionKind, StringLiteral};
use system::{Diagnostic, Span};

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn number(&mut self) -> Expression {
        let number = self.bump();
        let kind = match literals::number(self.token_text(number)) {
            Ok(kind) => kind,
            Err(problem) => {
                self.tell_problem(number, problem);
                ExpressionKind::Error
            }
        };
        Expression {
            kind,
            span: self.span(number),
        }
    }

    #[inline(never)]
    pub(super) fn character(&mut self) -> Expression {
        let number = self.bump();
        let mut problems = Vec::new();
        let literal = literals::character(self.token_text(number), &mut problems);
        let is_wrong = problems.iter().any(|problem| !problem.is_warning);
        for problem in problems {
            self.tell_problem(number, problem);
        }
        Expression {
            kind: if is_wrong {
                ExpressionKind::Error
            } else {
                ExpressionKind::Character(literal)
            },
            span: self.span(number),
        }
    }

    /// Adjacent string literals, in the encoding that one of them has.
    #[inline(never)]
    pub(super) fn text(&mut self) -> Expression {
        let start = self.position;
        let mut encoding = Encoding::Plain;
        let mut named: Option<&str> = None;
        while matches!(self.kind(), Kind::Text | Kind::UnclosedText) {
            let text = self.token_text(self.position);
            let (found, length) = literals::encoding(text);
            let prefix = &text[..length];
            if length > 0 {
                if let Some(other) = named.filter(|other| *other != prefix) {
                    let message = format!("a string with `{other}` cannot be joined with one with `{prefix}`");
                    let error = Diagnostic::error(self.here(), message).label("another encoding");
                    self.tell(error.related(self.span(start), "begins here"));
                }
                named = Some(prefix);
                encoding = found;
            }
            self.bump();
        }
        let end = self.position;
        let mut units = Vec::new();
        let mut is_wrong = false;
        for number in start..end {
            if self
                .tokens
                .get(number)
                .is_some_and(|token| token.kind == Kind::UnclosedText)
            {
                is_wrong = true;
                continue;
            }
            let text = self.token_text(number);
            let (_, prefix) = literals::encoding(text);
            let mut problems = Vec::new();
            literals::decode(text, prefix, encoding, &mut units, &mut problems);
            for problem in problems {
                is_wrong |= !problem.is_warning;
                self.tell_problem(number, problem);
            }
        }
        Expression {
            kind: if is_wrong {
                ExpressionKind::Error
            } else {
                ExpressionKind::String(StringLiteral { units, encoding })
            },
            span: self.since(start),
        }
    }

    /// A string that is only displayed, such as the template of an assembler statement.
    #[inline(never)]
    pub(super) fn plain_text(&mut self) -> Parse<String> {
        if !matches!(self.kind(), Kind::Text | Kind::UnclosedText) {
            return Err(self.expected("a string"));
        }
        match self.text().kind {
            ExpressionKind::String(literal) => {
                let bytes: Vec<u8> = literal.units.iter().map(|unit| *unit as u8).collect();
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => Ok(String::new()),
        }
    }

    #[inline(never)]
    fn tell_problem(&mut self, number: usize, problem: Problem) {
        let span = self.span(number);
        let length = self.token_text(number).len();
        // A token from a macro has the location of the macro use, which cannot be subdivided.
        let is_exact = (span.end.saturating_sub(span.start)) as usize == length;
        let place = if is_exact {
            let offset = |at: usize| {
                span.start
                    .saturating_add(u32::try_from(at).unwrap_or(u32::MAX))
                    .min(span.end)
            };
            Span {
                start: offset(problem.range.start),
                end: offset(problem.range.end),
                ..span
            }
        } else {
            span
        };
        let mut found = if problem.is_warning {
            Diagnostic::warning(place, problem.message)
        } else {
            Diagnostic::error(place, problem.message)
        };
        found = found.label(problem.label);
        if let Some(help) = problem.help {
            found = found.help(help);
        }
        self.tell(found);
    }
}
