//! Terms: names, array cells, numbers, and sums with at most one operator, as in Cubicle.

use super::{Parsed, Parser};
use crate::lex::TokenKind;
use crate::syntax::*;
use logic::Rational;
use system::Diagnostic;

impl Parser<'_> {
    pub(super) fn term(&mut self) -> Parsed<Term> {
        let start = self.tokens.token().span;
        let kind = match self.tokens.peek() {
            TokenKind::UpperName if self.tokens.token_at(1).kind == TokenKind::LeftBracket => {
                let array = self.identifier();
                let indices = self.indices()?;
                TermKind::Cell { array, indices }
            }
            TokenKind::UpperName => TermKind::Name(self.identifier()),
            TokenKind::LowerName | TokenKind::ProcessConstant => TermKind::Process(self.process_name()?),
            TokenKind::Integer | TokenKind::Real | TokenKind::Minus => return self.number_term(),
            _ => {
                let diagnostic = self.tokens.expected("a term");
                let diagnostic = match self.tokens.peek() {
                    TokenKind::True => diagnostic.help("the value is written `True`; `true` is a formula"),
                    TokenKind::False => diagnostic.help("the value is written `False`; `false` is a formula"),
                    TokenKind::LeftParenthesis => diagnostic.help("terms are written without parentheses"),
                    _ => diagnostic,
                };
                return Err(self.tokens.report(diagnostic));
            }
        };
        let base = Term {
            kind,
            span: self.tokens.span_from(start),
        };
        self.sum(base)
    }

    /// The part after a base: `+ 1`, `- N`, `+ 2 * N`, `+ N * 2`.
    fn sum(&mut self, base: Term) -> Parsed<Term> {
        if self.tokens.at(&[TokenKind::Integer, TokenKind::Real])
            && self.tokens.text_of(self.tokens.token().span).starts_with('-')
        {
            let token = self.tokens.token();
            let digits = self.tokens.text_of(token.span)[1..].to_owned();
            let diagnostic = Diagnostic::error(token.span, "this `-` belongs to the number")
                .label("a negative number right after a term")
                .help(format!("to subtract, put a blank behind the sign: `- {digits}`"));
            return Err(self.tokens.report(diagnostic));
        }
        if !self.tokens.at(&[TokenKind::Plus, TokenKind::Minus]) {
            return Ok(base);
        }
        let start = base.span;
        let negative = self.tokens.advance().kind == TokenKind::Minus;
        let addend = match self.tokens.peek() {
            TokenKind::Integer | TokenKind::Real => {
                let number = self.number();
                if self.tokens.eat(TokenKind::Times) {
                    let constant = self.upper_name("the name of a constant")?;
                    Addend::Multiple(Multiple {
                        factor: number,
                        constant,
                    })
                } else {
                    Addend::Number(number)
                }
            }
            TokenKind::UpperName if self.tokens.token_at(1).kind == TokenKind::LeftBracket => {
                let diagnostic = self
                    .tokens
                    .expected("a number or a constant")
                    .help("only a number or a `const` can be added to a term");
                return Err(self.tokens.report(diagnostic));
            }
            TokenKind::UpperName => {
                let constant = self.identifier();
                if self.tokens.eat(TokenKind::Times) {
                    if self.tokens.peek() != TokenKind::Integer {
                        let diagnostic = self.tokens.expected("a whole number");
                        return Err(self.tokens.report(diagnostic));
                    }
                    let factor = self.number();
                    Addend::Multiple(Multiple { factor, constant })
                } else {
                    Addend::Name(constant)
                }
            }
            _ => {
                let diagnostic = self.tokens.expected("a number or a constant");
                return Err(self.tokens.report(diagnostic));
            }
        };
        if self.tokens.at(&[TokenKind::Plus, TokenKind::Minus]) {
            let span = self.tokens.token().span;
            let diagnostic = Diagnostic::error(span, "a term has at most one `+` or `-`").label("a second one");
            return Err(self.tokens.report(diagnostic));
        }
        let kind = TermKind::Sum {
            base: Box::new(base),
            negative,
            addend,
        };
        Ok(Term {
            kind,
            span: self.tokens.span_from(start),
        })
    }

    /// A term that starts with a number: `3`, `2 * N`, `- 2 * N`.
    fn number_term(&mut self) -> Parsed<Term> {
        let start = self.tokens.token().span;
        let negative = self.tokens.eat(TokenKind::Minus);
        if !self.tokens.at(&[TokenKind::Integer, TokenKind::Real]) {
            let diagnostic = self.tokens.expected("a number");
            return Err(self.tokens.report(diagnostic));
        }
        let mut number = self.number();
        if self.tokens.eat(TokenKind::Times) {
            if negative {
                number.value = number.value.and_then(Rational::checked_neg);
            }
            let constant = self.upper_name("the name of a constant")?;
            let kind = TermKind::Multiple(Multiple {
                factor: number,
                constant,
            });
            return Ok(Term {
                kind,
                span: self.tokens.span_from(start),
            });
        }
        if negative {
            let span = self.tokens.span_from(start);
            let text = self.tokens.text_of(number.span).to_owned();
            let diagnostic = Diagnostic::error(span, "the sign of a number stands right before it")
                .label("a blank too many")
                .help(format!("write `-{text}`"));
            return Err(self.tokens.report(diagnostic));
        }
        if self.tokens.at(&[TokenKind::Plus, TokenKind::Minus]) {
            let span = self.tokens.token().span;
            let diagnostic = Diagnostic::error(span, "a number on the left cannot be added to")
                .label("not expected")
                .help("write the variable first: `X + 1`");
            return Err(self.tokens.report(diagnostic));
        }
        Ok(Term {
            span: number.span,
            kind: TermKind::Number(number),
        })
    }

    /// The number at the cursor.
    fn number(&mut self) -> Number {
        let token = self.tokens.advance();
        let value = rational(self.tokens.text_of(token.span));
        if value.is_none() {
            self.tokens.report(
                Diagnostic::error(token.span, "this number is too large").label("at most 38 digits can be handled"),
            );
        }
        Number {
            value,
            is_real: token.kind == TokenKind::Real,
            span: token.span,
        }
    }

    /// The processes in brackets.
    pub(super) fn indices(&mut self) -> Parsed<Vec<ProcessName>> {
        let opening = self.tokens.expect(TokenKind::LeftBracket)?.span;
        let mut names = vec![self.process_name()?];
        while self.tokens.eat(TokenKind::Comma) {
            names.push(self.process_name()?);
        }
        self.expect_closing(TokenKind::RightBracket, opening)?;
        Ok(names)
    }

    fn process_name(&mut self) -> Parsed<ProcessName> {
        match self.tokens.peek() {
            TokenKind::LowerName => Ok(ProcessName::Variable(self.identifier())),
            TokenKind::ProcessConstant => {
                let token = self.tokens.advance();
                let number = self.tokens.text_of(token.span)[1..].parse().ok();
                Ok(ProcessName::Constant(number, token.span))
            }
            TokenKind::UpperName if self.miscased.contains(self.tokens.text_of(self.tokens.token().span)) => {
                Ok(ProcessName::Variable(self.lower_name("a process variable")?))
            }
            TokenKind::UpperName => {
                let diagnostic = self.tokens.expected("a process variable").help(
                    "an array is indexed by process variables and constants only, never by a variable of the state",
                );
                Err(self.tokens.report(diagnostic))
            }
            _ => {
                let diagnostic = self.tokens.expected("a process variable");
                Err(self.tokens.report(diagnostic))
            }
        }
    }
}

/// The value of a number as written; `None` on overflow.
fn rational(text: &str) -> Option<Rational> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let denominator = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    Rational::new(digits, denominator)
}

#[cfg(test)]
mod tests {
    use super::rational;
    use logic::Rational;

    #[test]
    fn numbers_are_exact() {
        assert_eq!(rational("-12.50"), Rational::new(-25, 2));
        assert_eq!(rational("0."), Some(Rational::ZERO));
        assert_eq!(rational("-0.5"), Rational::new(-1, 2));
        assert_eq!(rational("007"), Some(Rational::from_integer(7)));
        assert_eq!(rational(&"9".repeat(50)), None);
        assert_eq!(rational(&format!("1.{}", "3".repeat(50))), None);
    }
}
