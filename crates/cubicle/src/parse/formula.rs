//! Formulas. Weakest first: quantifiers (their bodies extend as far as possible), `=>` and `<=>`, `||`, `&&`, `if then
//! else` (whose last part is a single operand), `not`.

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
        while self.tokens.at(&[TokenKind::Implies, TokenKind::Iff]) {
            operators.push(self.tokens.advance().kind);
            if operators.len() + self.depth > MAXIMAL_DEPTH {
                return Err(self.too_deep());
            }
            operands.push(self.disjunction()?);
        }
        // Both associate to the right: `a => b <=> c` is `a => (b <=> c)`.
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
        if self.tokens.peek() != operator {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.tokens.eat(operator) {
            operands.push(operand(self)?);
        }
        let span = self.tokens.span_from(operands[0].span);
        Ok(Formula {
            kind: make(operands),
            span,
        })
    }

    /// One operand of `&&`. After an error in it the next operand is parsed, so that every conjunct is checked.
    fn operand(&mut self) -> Parsed<Formula> {
        use TokenKind::*;
        let start = self.tokens.token().span;
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
                if self.tokens.at(&[And, TokenKind::Or, Implies, Iff]) {
                    return Ok(Formula {
                        kind: FormulaKind::Error,
                        span: self.tokens.span_from(start),
                    });
                }
                Err(Reported)
            }
        }
    }

    /// An operand of `not`, or the last part of `if`.
    fn unary(&mut self) -> Parsed<Formula> {
        let start = self.tokens.token().span;
        let kind = match self.tokens.peek() {
            TokenKind::Not => {
                self.tokens.advance();
                FormulaKind::Not(Box::new(self.nested(Self::unary)?))
            }
            TokenKind::If => {
                self.tokens.advance();
                let condition = Box::new(self.formula()?);
                self.tokens.expect(TokenKind::Then)?;
                let then = Box::new(self.formula()?);
                self.tokens.expect(TokenKind::Else)?;
                let otherwise = Box::new(self.nested(Self::unary)?);
                FormulaKind::If(condition, then, otherwise)
            }
            TokenKind::Forall | TokenKind::Exists | TokenKind::ForallOther | TokenKind::ExistsOther => {
                return self.quantified();
            }
            TokenKind::LeftParenthesis => {
                let opening = self.tokens.advance().span;
                let inner = self.formula()?;
                self.expect_closing(TokenKind::RightParenthesis, opening)?;
                inner.kind
            }
            TokenKind::True | TokenKind::False => FormulaKind::Boolean(self.tokens.advance().kind == TokenKind::True),
            TokenKind::LowerName if self.tokens.token_at(1).kind == TokenKind::LeftParenthesis => self.call()?,
            _ => return self.comparison(),
        };
        Ok(Formula {
            kind,
            span: self.tokens.span_from(start),
        })
    }

    fn quantified(&mut self) -> Parsed<Formula> {
        let keyword = self.tokens.advance();
        let other = matches!(keyword.kind, TokenKind::ForallOther | TokenKind::ExistsOther);
        let quantifier = match keyword.kind {
            TokenKind::Forall | TokenKind::ForallOther => Quantifier::Forall,
            _ => Quantifier::Exists,
        };
        let mut variables = vec![self.lower_name("a process variable")?];
        while !other && self.tokens.eat(TokenKind::NotEqual) {
            variables.push(self.lower_name("a process variable")?);
        }
        if self.tokens.peek() != TokenKind::Point {
            let mut diagnostic = self.tokens.expected("`.`");
            if self
                .tokens
                .at(&[TokenKind::LowerName, TokenKind::Comma, TokenKind::NotEqual])
            {
                diagnostic = diagnostic.help(if other {
                    "`forall_other` and `exists_other` take one variable"
                } else {
                    "several variables are written `x <> y`"
                });
            }
            return Err(self.tokens.report(diagnostic));
        }
        self.tokens.advance();
        let body = Box::new(self.formula()?);
        let kind = FormulaKind::Quantified {
            quantifier,
            other,
            variables,
            body,
        };
        Ok(Formula {
            kind,
            span: self.tokens.span_from(keyword.span),
        })
    }

    fn call(&mut self) -> Parsed<FormulaKind> {
        let name = self.identifier();
        let opening = self.tokens.expect(TokenKind::LeftParenthesis)?.span;
        let mut arguments = Vec::new();
        while self.tokens.peek() != TokenKind::RightParenthesis {
            arguments.push(self.argument()?);
            if !self.tokens.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_closing(TokenKind::RightParenthesis, opening)?;
        Ok(FormulaKind::Call { name, arguments })
    }

    /// A term if one stands alone, otherwise a formula.
    fn argument(&mut self) -> Parsed<Argument> {
        let before = self.tokens.mark();
        if let Ok(term) = self.term()
            && self.tokens.at(&[TokenKind::Comma, TokenKind::RightParenthesis])
        {
            return Ok(Argument::Term(term));
        }
        self.tokens.back_to(before);
        Ok(Argument::Formula(self.formula()?))
    }

    fn comparison(&mut self) -> Parsed<Formula> {
        if !self.starts_term() {
            let mut diagnostic = self.tokens.expected("a formula");
            if self.tokens.peek() == TokenKind::Underscore {
                diagnostic = diagnostic.help("`_` stands alone before the `:` of the last branch of a `case`");
            }
            return Err(self.tokens.report(diagnostic));
        }
        let left = self.term()?;
        let comparison = match self.tokens.peek() {
            TokenKind::Equal => Comparison::Equal,
            TokenKind::NotEqual => Comparison::NotEqual,
            TokenKind::Less => Comparison::Less,
            TokenKind::LessEqual => Comparison::LessEqual,
            TokenKind::Greater => Comparison::Greater,
            TokenKind::GreaterEqual => Comparison::GreaterEqual,
            _ => return Err(self.term_alone(&left)),
        };
        self.tokens.advance();
        let right = self.term()?;
        if is_comparison(self.tokens.peek()) {
            let diagnostic = self
                .tokens
                .expected("`&&`")
                .help("comparisons do not chain: write `a < b && b < c`");
            return Err(self.tokens.report(diagnostic));
        }
        let span = left.span.to(right.span);
        Ok(Formula {
            kind: FormulaKind::Compare(comparison, left, right),
            span,
        })
    }

    /// Reports a term in place of a formula.
    fn term_alone(&mut self, term: &Term) -> Reported {
        let mut diagnostic = self.tokens.expected("a comparison such as `=`");
        if self.tokens.peek() == TokenKind::Assign {
            diagnostic = diagnostic.help("`:=` changes, `=` compares");
        } else if matches!(term.kind, TermKind::Name(_) | TermKind::Cell { .. }) {
            let text = self.tokens.text_of(term.span);
            diagnostic = diagnostic.help(format!("a term is not a formula: write `{text} = True`"));
        }
        self.tokens.report(Diagnostic {
            span: term.span.to(diagnostic.span),
            ..diagnostic
        })
    }

    fn starts_term(&self) -> bool {
        use TokenKind::*;
        self.tokens
            .at(&[UpperName, LowerName, ProcessConstant, Integer, Real, Minus])
    }
}

fn is_comparison(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}
