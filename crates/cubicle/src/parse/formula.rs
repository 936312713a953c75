//! Formulas. Weakest first: quantifiers (their bodies reach as far as they can), `=>` and `<=>`, `||`, `&&`,
//! `if then else` (whose last part is a single operand), `not`.

use super::{MAXIMAL_DEPTH, Parsed, Parser, Reported};
use crate::lex::TokenKind;
use crate::syntax::*;
use system::Diagnostic;

impl Parser<'_> {
    pub(super) fn formula(&mut self) -> Parsed<Formula> {
        self.nested(Self::implication)
    }

    fn implication(&mut self) -> Parsed<Formula> {
        let mut operands = vec![self.disjunction()?];
        let mut operators = Vec::new();
        while self.at(&[TokenKind::Implies, TokenKind::Iff]) {
            operators.push(self.advance().kind);
            if operators.len() + self.depth > MAXIMAL_DEPTH {
                return Err(self.too_deep());
            }
            operands.push(self.disjunction()?);
        }
        // Both group to the right: `a => b <=> c` is `a => (b <=> c)`.
        let mut formula = operands.pop().ok_or(Reported)?;
        for (left, operator) in operands.into_iter().zip(operators).rev() {
            let span = left.span.to(formula.span);
            let (left, right) = (Box::new(left), Box::new(formula));
            let kind = match operator {
                TokenKind::Implies => FormulaKind::Implies(left, right),
                _ => FormulaKind::Iff(left, right),
            };
            formula = Formula { kind, span };
        }
        Ok(formula)
    }

    fn disjunction(&mut self) -> Parsed<Formula> {
        self.chain(TokenKind::Or, FormulaKind::Or, Self::conjunction)
    }

    fn conjunction(&mut self) -> Parsed<Formula> {
        self.chain(TokenKind::And, FormulaKind::And, Self::operand)
    }

    fn chain(
        &mut self,
        operator: TokenKind,
        make: fn(Vec<Formula>) -> FormulaKind,
        operand: fn(&mut Self) -> Parsed<Formula>,
    ) -> Parsed<Formula> {
        let first = operand(self)?;
        if self.peek() != operator {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.eat(operator) {
            operands.push(operand(self)?);
        }
        let span = self.span_from(operands[0].span);
        Ok(Formula {
            kind: make(operands),
            span,
        })
    }

    /// One operand of `&&`. After an error in it the next operand is read, so that every conjunct is looked at.
    fn operand(&mut self) -> Parsed<Formula> {
        use TokenKind::*;
        let start = self.token().span;
        match self.unary() {
            Ok(formula) => Ok(formula),
            Err(Reported) => {
                self.skip_to(&[
                    And,
                    TokenKind::Or,
                    Implies,
                    Iff,
                    RightBrace,
                    Semicolon,
                    Bar,
                    Then,
                    Else,
                    Comma,
                ]);
                if self.at(&[And, TokenKind::Or, Implies, Iff]) {
                    return Ok(Formula {
                        kind: FormulaKind::Error,
                        span: self.span_from(start),
                    });
                }
                Err(Reported)
            }
        }
    }

    /// An operand of `not`, or the last part of `if`.
    fn unary(&mut self) -> Parsed<Formula> {
        let start = self.token().span;
        let kind = match self.peek() {
            TokenKind::Not => {
                self.advance();
                FormulaKind::Not(Box::new(self.nested(Self::unary)?))
            }
            TokenKind::If => {
                self.advance();
                let condition = Box::new(self.formula()?);
                self.expect(TokenKind::Then)?;
                let then = Box::new(self.formula()?);
                self.expect(TokenKind::Else)?;
                let otherwise = Box::new(self.nested(Self::unary)?);
                FormulaKind::If(condition, then, otherwise)
            }
            TokenKind::Forall | TokenKind::Exists | TokenKind::ForallOther | TokenKind::ExistsOther => {
                return self.quantified();
            }
            TokenKind::LeftParenthesis => {
                let opening = self.advance().span;
                let inner = self.formula()?;
                self.expect_closing(TokenKind::RightParenthesis, opening)?;
                inner.kind
            }
            TokenKind::True | TokenKind::False => FormulaKind::Boolean(self.advance().kind == TokenKind::True),
            TokenKind::LowerName if self.peek_at(1) == TokenKind::LeftParenthesis => self.call()?,
            _ => return self.comparison(),
        };
        Ok(Formula {
            kind,
            span: self.span_from(start),
        })
    }

    fn quantified(&mut self) -> Parsed<Formula> {
        let keyword = self.advance();
        let other = matches!(keyword.kind, TokenKind::ForallOther | TokenKind::ExistsOther);
        let quantifier = match keyword.kind {
            TokenKind::Forall | TokenKind::ForallOther => Quantifier::Forall,
            _ => Quantifier::Exists,
        };
        let mut variables = vec![self.lower_name("a process variable")?];
        while !other && self.eat(TokenKind::NotEqual) {
            variables.push(self.lower_name("a process variable")?);
        }
        if self.peek() != TokenKind::Point {
            let mut diagnostic = self.expected("`.`");
            if self.at(&[TokenKind::LowerName, TokenKind::Comma, TokenKind::NotEqual]) {
                diagnostic = diagnostic.help(if other {
                    "`forall_other` and `exists_other` take one variable"
                } else {
                    "several variables are written `x <> y`"
                });
            }
            return Err(self.report(diagnostic));
        }
        self.advance();
        let body = Box::new(self.formula()?);
        let kind = FormulaKind::Quantified {
            quantifier,
            other,
            variables,
            body,
        };
        Ok(Formula {
            kind,
            span: self.span_from(keyword.span),
        })
    }

    fn call(&mut self) -> Parsed<FormulaKind> {
        let name = self.identifier();
        let opening = self.expect(TokenKind::LeftParenthesis)?.span;
        let mut arguments = Vec::new();
        while self.peek() != TokenKind::RightParenthesis {
            arguments.push(self.argument()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_closing(TokenKind::RightParenthesis, opening)?;
        Ok(FormulaKind::Call { name, arguments })
    }

    /// A term where one stands alone, a formula otherwise.
    fn argument(&mut self) -> Parsed<Argument> {
        let (position, reported) = (self.position, self.diagnostics.len());
        if let Ok(term) = self.term()
            && self.at(&[TokenKind::Comma, TokenKind::RightParenthesis])
        {
            return Ok(Argument::Term(term));
        }
        self.position = position;
        self.diagnostics.truncate(reported);
        Ok(Argument::Formula(self.formula()?))
    }

    fn comparison(&mut self) -> Parsed<Formula> {
        if !self.starts_term() {
            let mut diagnostic = self.expected("a formula");
            if self.peek() == TokenKind::Underscore {
                diagnostic = diagnostic.help("`_` stands alone before the `:` of the last branch of a `case`");
            }
            return Err(self.report(diagnostic));
        }
        let left = self.term()?;
        let comparison = match self.peek() {
            TokenKind::Equal => Comparison::Equal,
            TokenKind::NotEqual => Comparison::NotEqual,
            TokenKind::Less => Comparison::Less,
            TokenKind::LessEqual => Comparison::LessEqual,
            TokenKind::Greater => Comparison::Greater,
            TokenKind::GreaterEqual => Comparison::GreaterEqual,
            _ => return Err(self.term_alone(&left)),
        };
        self.advance();
        let right = self.term()?;
        if is_comparison(self.peek()) {
            let diagnostic = self
                .expected("`&&`")
                .help("comparisons do not chain: write `a < b && b < c`");
            return Err(self.report(diagnostic));
        }
        let span = left.span.to(right.span);
        Ok(Formula {
            kind: FormulaKind::Compare(comparison, left, right),
            span,
        })
    }

    /// A term where a formula should be.
    fn term_alone(&mut self, term: &Term) -> Reported {
        let mut diagnostic = self.expected("a comparison such as `=`");
        if self.peek() == TokenKind::Assign {
            diagnostic = diagnostic.help("`:=` changes, `=` compares");
        } else if matches!(term.kind, TermKind::Name(_) | TermKind::Cell { .. }) {
            let text = self.text_of(term.span);
            diagnostic = diagnostic.help(format!("a term is not a formula: write `{text} = True`"));
        }
        self.report(Diagnostic {
            span: term.span.to(diagnostic.span),
            ..diagnostic
        })
    }

    fn starts_term(&self) -> bool {
        use TokenKind::*;
        self.at(&[UpperName, LowerName, ProcessConstant, Integer, Real, Minus])
    }
}

fn is_comparison(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}
