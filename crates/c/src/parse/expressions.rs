//! Expressions. Binary operators are parsed by precedence with an explicit stack, prefix and postfix operators are
//! collected first: only brackets need recursion.

use super::{Parse, Parser};
use crate::lex::{Kind, Mark, Word};
use crate::syntax::{Binary, Expression, ExpressionKind, TypeName, Unary};
use system::{Diagnostic, Span};

/// The operator of a punctuator, and its precedence.
fn binary(mark: Mark) -> Option<(Binary, u8)> {
    Some(match mark {
        Mark::Star => (Binary::Multiply, 10),
        Mark::Slash => (Binary::Divide, 10),
        Mark::Percent => (Binary::Remainder, 10),
        Mark::Plus => (Binary::Add, 9),
        Mark::Minus => (Binary::Subtract, 9),
        Mark::LessLess => (Binary::ShiftLeft, 8),
        Mark::GreaterGreater => (Binary::ShiftRight, 8),
        Mark::Less => (Binary::Less, 7),
        Mark::Greater => (Binary::Greater, 7),
        Mark::LessEqual => (Binary::LessOrEqual, 7),
        Mark::GreaterEqual => (Binary::GreaterOrEqual, 7),
        Mark::EqualEqual => (Binary::Equal, 6),
        Mark::ExclamationEqual => (Binary::NotEqual, 6),
        Mark::Ampersand => (Binary::BitAnd, 5),
        Mark::Caret => (Binary::ExclusiveOr, 4),
        Mark::Bar => (Binary::BitOr, 3),
        Mark::And => (Binary::And, 2),
        Mark::Or => (Binary::Or, 1),
        _ => return None,
    })
}

/// None for `=`.
fn assignment(mark: Mark) -> Option<Option<Binary>> {
    Some(match mark {
        Mark::Equal => None,
        Mark::StarEqual => Some(Binary::Multiply),
        Mark::SlashEqual => Some(Binary::Divide),
        Mark::PercentEqual => Some(Binary::Remainder),
        Mark::PlusEqual => Some(Binary::Add),
        Mark::MinusEqual => Some(Binary::Subtract),
        Mark::LessLessEqual => Some(Binary::ShiftLeft),
        Mark::GreaterGreaterEqual => Some(Binary::ShiftRight),
        Mark::AmpersandEqual => Some(Binary::BitAnd),
        Mark::CaretEqual => Some(Binary::ExclusiveOr),
        Mark::BarEqual => Some(Binary::BitOr),
        _ => return None,
    })
}

fn prefix(kind: Kind) -> Option<Unary> {
    Some(match kind {
        Kind::Mark(Mark::Plus) => Unary::Plus,
        Kind::Mark(Mark::Minus) => Unary::Minus,
        Kind::Mark(Mark::Tilde) => Unary::Complement,
        Kind::Mark(Mark::Exclamation) => Unary::Not,
        Kind::Mark(Mark::Ampersand) => Unary::Address,
        Kind::Mark(Mark::Star) => Unary::Dereference,
        Kind::Mark(Mark::PlusPlus) => Unary::PreIncrement,
        Kind::Mark(Mark::MinusMinus) => Unary::PreDecrement,
        Kind::Word(Word::Extension) => Unary::Extension,
        Kind::Word(Word::Real) => Unary::Real,
        Kind::Word(Word::Imaginary) => Unary::Imaginary,
        _ => return None,
    })
}

/// A prefix operator.
enum Prefix {
    Unary(Unary),
    Cast(Box<TypeName>),
    Sizeof,
    Alignof,
}

impl Parser<'_> {
    /// With commas.
    pub(super) fn expression(&mut self) -> Parse<Expression> {
        let first = self.assignment()?;
        if self.at(Mark::Comma) {
            return self.commas(first);
        }
        Ok(first)
    }

    #[inline(never)]
    fn commas(&mut self, first: Expression) -> Parse<Expression> {
        let mut result = first;
        let mut length = 0;
        while self.eat(Mark::Comma) {
            let right = self.assignment()?;
            let span = result.span.to(right.span);
            let kind = ExpressionKind::Comma(Box::new(result), Box::new(right));
            result = Expression { kind, span };
            length += 1;
            self.check_length(length)?;
        }
        Ok(result)
    }

    fn assignment_operator(&self) -> Option<Option<Binary>> {
        match self.kind() {
            Kind::Mark(mark) => assignment(mark),
            _ => None,
        }
    }

    /// Without commas.
    pub(super) fn assignment(&mut self) -> Parse<Expression> {
        let first = self.conditional()?;
        if self.assignment_operator().is_some() {
            return self.assignments(first);
        }
        Ok(first)
    }

    #[inline(never)]
    fn assignments(&mut self, first: Expression) -> Parse<Expression> {
        let mut result = first;
        let mut targets = Vec::new();
        let depth = self.depth;
        while let Some(operator) = self.assignment_operator() {
            self.bump();
            targets.push((result, operator));
            self.deeper(1)?;
            result = self.conditional()?;
        }
        self.depth = depth;
        while let Some((target, operator)) = targets.pop() {
            let span = target.span.to(result.span);
            let kind = ExpressionKind::Assign {
                operator,
                target: Box::new(target),
                value: Box::new(result),
            };
            result = Expression { kind, span };
        }
        Ok(result)
    }

    /// Without assignments, as in constant expressions.
    pub(super) fn conditional(&mut self) -> Parse<Expression> {
        let first = self.binary()?;
        if self.at(Mark::Question) {
            return self.choices(first);
        }
        Ok(first)
    }

    #[inline(never)]
    fn choices(&mut self, first: Expression) -> Parse<Expression> {
        let mut result = first;
        let mut choices = Vec::new();
        let depth = self.depth;
        while self.eat(Mark::Question) {
            let then = if self.at(Mark::Colon) {
                None
            } else {
                Some(self.nested(|parser| parser.expression())?)
            };
            self.expect(Mark::Colon)?;
            choices.push((result, then));
            self.deeper(1)?;
            result = self.binary()?;
        }
        self.depth = depth;
        while let Some((condition, then)) = choices.pop() {
            let span = condition.span.to(result.span);
            let kind = ExpressionKind::Conditional {
                condition: Box::new(condition),
                then: then.map(Box::new),
                otherwise: Box::new(result),
            };
            result = Expression { kind, span };
        }
        Ok(result)
    }

    fn binary_operator(&self) -> Option<(Binary, u8)> {
        match self.kind() {
            Kind::Mark(mark) => binary(mark),
            _ => None,
        }
    }

    fn binary(&mut self) -> Parse<Expression> {
        let first = self.unary()?;
        if self.binary_operator().is_some() {
            return self.operations(first);
        }
        Ok(first)
    }

    #[inline(never)]
    fn operations(&mut self, first: Expression) -> Parse<Expression> {
        let mut operand = first;
        let mut waiting: Vec<(Expression, Binary, u8)> = Vec::new();
        let mut length = 0;
        loop {
            let next = self.binary_operator();
            let strength = next.map_or(0, |(_, strength)| strength);
            while let Some((left, operator, _)) = waiting.pop_if(|(_, _, other)| *other >= strength) {
                let span = left.span.to(operand.span);
                let kind = ExpressionKind::Binary {
                    operator,
                    left: Box::new(left),
                    right: Box::new(operand),
                };
                operand = Expression { kind, span };
            }
            let Some((operator, strength)) = next else {
                return Ok(operand);
            };
            self.bump();
            waiting.push((operand, operator, strength));
            operand = self.unary()?;
            length += 1;
            self.check_length(length)?;
        }
    }

    fn at_prefix(&self) -> bool {
        match self.kind() {
            Kind::Mark(Mark::LeftParenthesis) => self.is_type_at(1),
            Kind::Word(Word::Sizeof | Word::Alignof) => true,
            kind => prefix(kind).is_some(),
        }
    }

    /// Prefix operators, and an operand with its postfix operators.
    pub(super) fn unary(&mut self) -> Parse<Expression> {
        if self.at_prefix() {
            return self.prefixed();
        }
        self.operand()
    }

    #[inline(never)]
    fn prefixed(&mut self) -> Parse<Expression> {
        let mut prefixes: Vec<(Span, Prefix)> = Vec::new();
        let depth = self.depth;
        let mut operand = loop {
            let start = self.position;
            let found = if let Some(operator) = prefix(self.kind()) {
                self.bump();
                Prefix::Unary(operator)
            } else if self.at(Mark::LeftParenthesis) && self.is_type_at(1) {
                let type_name = self.type_in_parentheses()?;
                if self.at(Mark::LeftBrace) {
                    let literal = self.compound_literal(start, type_name)?;
                    break self.postfix(literal, start)?;
                }
                Prefix::Cast(type_name)
            } else if self.at_word(Word::Sizeof) || self.at_word(Word::Alignof) {
                let is_sizeof = self.at_word(Word::Sizeof);
                self.bump();
                if self.at(Mark::LeftParenthesis) && self.is_type_at(1) {
                    break self.size_of_type(start, is_sizeof)?;
                }
                if is_sizeof { Prefix::Sizeof } else { Prefix::Alignof }
            } else {
                break self.operand()?;
            };
            prefixes.push((self.span(start), found));
            self.deeper(1)?;
        };
        self.depth = depth;
        while let Some((start, found)) = prefixes.pop() {
            let span = start.to(operand.span);
            let operand_box = Box::new(operand);
            let kind = match found {
                Prefix::Unary(operator) => ExpressionKind::Unary {
                    operator,
                    operand: operand_box,
                },
                Prefix::Cast(type_name) => ExpressionKind::Cast {
                    type_name,
                    operand: operand_box,
                },
                Prefix::Sizeof => ExpressionKind::SizeofExpression(operand_box),
                Prefix::Alignof => ExpressionKind::AlignofExpression(operand_box),
            };
            operand = Expression { kind, span };
        }
        Ok(operand)
    }

    #[inline(never)]
    fn type_in_parentheses(&mut self) -> Parse<Box<TypeName>> {
        let open = self.bump();
        let type_name = self.nested(|parser| parser.type_name())?;
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok(Box::new(type_name))
    }

    /// `sizeof (type)`, or `sizeof` of a compound literal.
    #[inline(never)]
    fn size_of_type(&mut self, start: usize, is_sizeof: bool) -> Parse<Expression> {
        let open = self.position;
        let type_name = self.type_in_parentheses()?;
        let kind = if self.at(Mark::LeftBrace) {
            let literal = self.compound_literal(open, type_name)?;
            let operand = Box::new(self.postfix(literal, open)?);
            if is_sizeof {
                ExpressionKind::SizeofExpression(operand)
            } else {
                ExpressionKind::AlignofExpression(operand)
            }
        } else if is_sizeof {
            ExpressionKind::SizeofType(type_name)
        } else {
            ExpressionKind::AlignofType(type_name)
        };
        Ok(Expression {
            kind,
            span: self.since(start),
        })
    }

    #[inline(never)]
    fn compound_literal(&mut self, start: usize, type_name: Box<TypeName>) -> Parse<Expression> {
        let initialiser = self.nested(|parser| parser.initialiser_list())?;
        Ok(Expression {
            kind: ExpressionKind::CompoundLiteral { type_name, initialiser },
            span: self.since(start),
        })
    }

    fn operand(&mut self) -> Parse<Expression> {
        let start = self.position;
        let primary = self.primary()?;
        self.postfix(primary, start)
    }

    /// Calls, indices, members and other postfix operators.
    fn postfix(&mut self, primary: Expression, start: usize) -> Parse<Expression> {
        let mut result = primary;
        let depth = self.depth;
        loop {
            let operand = Box::new(result);
            let kind = match self.kind() {
                Kind::Mark(Mark::LeftBracket) => {
                    let open = self.bump();
                    let index = self.nested(|parser| parser.expression())?;
                    self.expect_close(Mark::RightBracket, open)?;
                    ExpressionKind::Index {
                        array: operand,
                        index: Box::new(index),
                    }
                }
                Kind::Mark(Mark::LeftParenthesis) => {
                    let arguments = self.nested(|parser| parser.arguments())?;
                    ExpressionKind::Call {
                        function: operand,
                        arguments,
                    }
                }
                Kind::Mark(mark @ (Mark::Dot | Mark::Arrow)) => {
                    self.bump();
                    let name = self.name("the name of a member")?;
                    ExpressionKind::Member {
                        operand,
                        is_arrow: mark == Mark::Arrow,
                        name,
                    }
                }
                Kind::Mark(mark @ (Mark::PlusPlus | Mark::MinusMinus)) => {
                    self.bump();
                    let operator = if mark == Mark::PlusPlus {
                        Unary::PostIncrement
                    } else {
                        Unary::PostDecrement
                    };
                    ExpressionKind::Unary { operator, operand }
                }
                _ => {
                    self.depth = depth;
                    return Ok(*operand);
                }
            };
            let span = self.since(start);
            result = Expression { kind, span };
            self.deeper(1)?;
        }
    }

    #[inline(never)]
    fn arguments(&mut self) -> Parse<Vec<Expression>> {
        let open = self.bump();
        let mut arguments = Vec::new();
        if !self.at(Mark::RightParenthesis) {
            loop {
                arguments.push(self.assignment()?);
                if !self.eat(Mark::Comma) {
                    break;
                }
            }
        }
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Parse<Expression> {
        match self.kind() {
            Kind::Mark(Mark::LeftParenthesis) => self.parenthesised(),
            Kind::Identifier if !self.at_type_name() => {
                let number = self.bump();
                Ok(Expression {
                    kind: ExpressionKind::Identifier(self.token_text(number).to_owned()),
                    span: self.span(number),
                })
            }
            Kind::Number => Ok(self.number()),
            Kind::Character => Ok(self.character()),
            Kind::Text | Kind::UnclosedText => Ok(self.text()),
            _ => self.rare_primary(),
        }
    }

    fn parenthesised(&mut self) -> Parse<Expression> {
        if self.next_is(Mark::LeftBrace) {
            return self.statement_expression();
        }
        let open = self.bump();
        let mut inner = self.nested(|parser| parser.expression())?;
        self.expect_close(Mark::RightParenthesis, open)?;
        // Parentheses leave no trace in the tree except in the source location.
        inner.span = self.since(open);
        Ok(inner)
    }

    #[inline(never)]
    fn statement_expression(&mut self) -> Parse<Expression> {
        let open = self.bump();
        // Counted twice, for its use of the stack.
        let block = self.nested(|parser| parser.nested(|parser| parser.block()))?;
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok(Expression {
            kind: ExpressionKind::Statements(Box::new(block)),
            span: self.since(open),
        })
    }

    #[inline(never)]
    fn rare_primary(&mut self) -> Parse<Expression> {
        let start = self.position;
        let kind = match self.kind() {
            Kind::UnclosedCharacter => {
                self.bump();
                ExpressionKind::Error
            }
            Kind::Mark(Mark::And) => {
                self.bump();
                ExpressionKind::LabelAddress(self.name("a label")?)
            }
            Kind::Word(word) => match self.builtin(word)? {
                Some(kind) => kind,
                None => return Err(self.expected("an expression")),
            },
            Kind::Identifier => {
                let text = self.token_text(start);
                let message = format!("`{text}` is a type, and an expression is needed");
                let error = Diagnostic::error(self.here(), message).label("declared as a type");
                return Err(self.report(error));
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expression {
            kind,
            span: self.since(start),
        })
    }
}
