//! Expressions. From loosest to tightest: `=>` (right-associative), `=` and `!=` (not associative), `|`, `&`, `!`.

use super::{Parsed, Parser};
use crate::lex::TokenKind;
use crate::syntax::{Expression, ExpressionKind, Operator};
use system::tokens::{Kind, Reported};
use system::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.nested(Self::implication)
    }

    fn implication(&mut self) -> Parsed<Expression> {
        let left = self.comparison()?;
        if !self.tokens.eat(TokenKind::Implies) {
            return Ok(left);
        }
        let right = self.nested(Self::implication)?;
        Ok(binary(Operator::Implies, left, right))
    }

    fn comparison(&mut self) -> Parsed<Expression> {
        let left = self.sequence(0)?;
        let operator = match self.tokens.peek() {
            TokenKind::Equal => Operator::Equal,
            TokenKind::Differ => Operator::Differ,
            _ => return Ok(left),
        };
        self.tokens.advance();
        let right = self.sequence(0)?;
        if self.tokens.at(&[TokenKind::Equal, TokenKind::Differ]) {
            let message = "it is not clear which comparison comes first";
            let diagnostic = Diagnostic::error(self.tokens.token().span, message).label("the second one");
            return Err(self.tokens.report(diagnostic.help("put one of them into parentheses")));
        }
        Ok(binary(operator, left, right))
    }

    /// `a | b | c` at level 0, `a & b & c` at level 1.
    fn sequence(&mut self, level: usize) -> Parsed<Expression> {
        let (separator, kind): (TokenKind, fn(Vec<Expression>) -> ExpressionKind) = match level {
            0 => (TokenKind::Or, ExpressionKind::Or),
            1 => (TokenKind::And, ExpressionKind::And),
            _ => return self.operand(),
        };
        let first = self.sequence(level + 1)?;
        if self.tokens.peek() != separator {
            return Ok(first);
        }
        let start = first.span;
        let mut parts = vec![first];
        while self.tokens.eat(separator) {
            parts.push(self.sequence(level + 1)?);
        }
        Ok(self.made(kind(parts), start))
    }

    fn made(&self, kind: ExpressionKind, start: Span) -> Expression {
        Expression {
            kind,
            span: self.tokens.span_from(start),
        }
    }

    fn operand(&mut self) -> Parsed<Expression> {
        let token = self.tokens.token();
        let start = token.span;
        let kind = match token.kind {
            TokenKind::True | TokenKind::False => {
                self.tokens.advance();
                ExpressionKind::Constant(token.kind == TokenKind::True)
            }
            TokenKind::Any => {
                self.tokens.advance();
                ExpressionKind::Any
            }
            TokenKind::Name => ExpressionKind::Name(self.name("a variable")?.text),
            TokenKind::Prime => {
                self.tokens.advance();
                ExpressionKind::Next(self.name("a variable")?.text)
            }
            TokenKind::Not => {
                self.tokens.advance();
                ExpressionKind::Not(Box::new(self.nested(Self::operand)?))
            }
            TokenKind::LeftParenthesis => {
                self.tokens.advance();
                let inner = self.expression()?;
                self.expect_closing(TokenKind::RightParenthesis, start)?;
                inner.kind
            }
            TokenKind::Schoose => {
                self.tokens.advance();
                let opening = self.tokens.expect(TokenKind::LeftBracket)?.span;
                let first = self.expression()?;
                self.tokens.expect(TokenKind::Comma)?;
                let second = self.expression()?;
                self.expect_closing(TokenKind::RightBracket, opening)?;
                ExpressionKind::Binary(Operator::Choose, Box::new(first), Box::new(second))
            }
            _ => {
                let diagnostic = self.tokens.expected("an expression");
                return Err(self.tokens.report(diagnostic));
            }
        };
        let expression = self.made(kind, start);
        if self.tokens.peek() == TokenKind::LeftParenthesis && matches!(expression.kind, ExpressionKind::Name(_)) {
            let span = expression.span;
            let message = "a call is a statement of its own, not a part of an expression";
            let help = "assign its result to a variable first: `x := f(...);`";
            return Err(self
                .tokens
                .report(Diagnostic::error(span, message).label("called here").help(help)));
        }
        Ok(expression)
    }

    /// Expects the bracket that closes the one at `opening`.
    pub(super) fn expect_closing(&mut self, kind: TokenKind, opening: Span) -> Parsed<()> {
        if self.skipped_to == Some(self.tokens.position()) {
            return Err(Reported);
        }
        if self.tokens.eat(kind) {
            return Ok(());
        }
        let diagnostic = self
            .tokens
            .expected(kind.describe())
            .related(opening, "to close what is opened here");
        Err(self.tokens.report(diagnostic))
    }
}

fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
    let span = left.span.to(right.span);
    Expression {
        kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
        span,
    }
}
