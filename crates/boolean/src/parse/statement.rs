//! Statements.

use super::{Parsed, Parser};
use crate::lex::TokenKind;
use crate::syntax::{Action, Expression, ExpressionKind, Identifier, Statement};
use system::Diagnostic;
use system::tokens::Kind;

/// The tokens that end a block.
const ENDS: [TokenKind; 6] = [
    TokenKind::End,
    TokenKind::Fi,
    TokenKind::Od,
    TokenKind::Else,
    TokenKind::Elsif,
    TokenKind::EndOfFile,
];

/// The diagnostic for programs with threads.
const THREADS: &str = "programs with threads are not covered";

impl Parser<'_> {
    /// Statements up to one of these tokens, or to a token that can only end an enclosing construct.
    pub(super) fn block(&mut self, stops: &[TokenKind]) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            while self.tokens.eat(TokenKind::Semicolon) {}
            let outer = self.depth == 0;
            if self.tokens.at(stops) || self.tokens.peek() == TokenKind::EndOfFile || (!outer && self.tokens.at(&ENDS))
            {
                return statements;
            }
            if self.tokens.at(&[TokenKind::Void, TokenKind::Bool, TokenKind::Begin]) {
                // The `end` of this procedure is missing.
                return statements;
            }
            let start = self.tokens.position();
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(_) => {
                    if self.tokens.position() == start {
                        self.tokens.advance();
                    }
                    self.skip_statement();
                    self.give_up(start);
                }
            }
        }
    }

    /// Skips to the next statement or to the end of its block.
    pub(super) fn skip_statement(&mut self) {
        while !self.tokens.at(&ENDS) && !self.tokens.at(&[TokenKind::Void, TokenKind::Bool]) {
            if self.tokens.advance().kind == TokenKind::Semicolon {
                return;
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.tokens.token().span;
        let mut labels = Vec::new();
        while self.tokens.peek() == TokenKind::Name && self.tokens.token_at(1).kind == TokenKind::Colon {
            let label = self.name("a label")?;
            self.tokens.advance();
            self.refuse_asynchronous(&label);
            labels.push(label);
        }
        let begin = self.tokens.token().span;
        let action = if self.tokens.at(&ENDS) && !labels.is_empty() {
            // A label at the end of a block.
            Action::Skip(Vec::new())
        } else {
            self.action()?
        };
        let is_closed = matches!(action, Action::If { .. } | Action::While { .. });
        let span = match self.tokens.at(&ENDS) && begin == self.tokens.token().span {
            true => self.tokens.span_from(start),
            false => self.tokens.span_from(begin),
        };
        if !self.tokens.eat(TokenKind::Semicolon) && !is_closed && !self.tokens.at(&ENDS) {
            let diagnostic = self.tokens.expected("`;`");
            self.tokens.report(diagnostic);
            if !self.starts_statement() {
                self.skip_statement();
            }
        }
        Ok(Statement { labels, action, span })
    }

    fn starts_statement(&self) -> bool {
        use TokenKind::*;
        self.tokens.at(&[
            Name, Skip, Goto, Assume, Assert, If, While, Return, Dead, Print, Abortif,
        ])
    }

    /// Rejects the label by which SATABS starts a thread.
    fn refuse_asynchronous(&mut self, label: &Identifier) {
        let number = label.text.strip_prefix("ASYNC_").unwrap_or("");
        if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            let diagnostic = Diagnostic::error(label.span, THREADS)
                .label("this label starts a thread")
                .help("rename the label if the call is meant as one");
            self.tokens.report(diagnostic);
        }
    }

    fn action(&mut self) -> Parsed<Action> {
        let start = self.tokens.token();
        match start.kind {
            TokenKind::Skip => {
                self.tokens.advance();
                Ok(Action::Skip(Vec::new()))
            }
            TokenKind::Print => {
                self.tokens.advance();
                self.arguments().map(Action::Skip)
            }
            TokenKind::Goto => {
                self.tokens.advance();
                self.names("a label").map(Action::Goto)
            }
            TokenKind::Dead => {
                self.tokens.advance();
                self.names("the name of a variable").map(Action::Dead)
            }
            TokenKind::Assume => self.condition().map(Action::Assume),
            TokenKind::Assert => self.condition().map(Action::Assert),
            TokenKind::Abortif => {
                let condition = self.condition()?;
                let span = condition.span;
                Ok(Action::Assume(Expression {
                    kind: ExpressionKind::Not(Box::new(condition)),
                    span,
                }))
            }
            TokenKind::Return => {
                self.tokens.advance();
                match self.tokens.peek() == TokenKind::Semicolon || self.tokens.at(&ENDS) {
                    true => Ok(Action::Return(Vec::new())),
                    false => self.expressions().map(Action::Return),
                }
            }
            TokenKind::If => self.conditional(),
            TokenKind::While => {
                let condition = self.condition()?;
                self.tokens.expect(TokenKind::Do)?;
                let body = self.inner(&[TokenKind::Od])?;
                self.expect_closing(TokenKind::Od, start.span)?;
                Ok(Action::While { condition, body })
            }
            TokenKind::Thread => {
                let diagnostic = Diagnostic::error(start.span, THREADS).label("a construct of threads");
                Err(self.tokens.report(diagnostic))
            }
            TokenKind::Constrain => {
                let diagnostic = Diagnostic::error(start.span, "`constrain` belongs to an assignment")
                    .label("no assignment before it")
                    .help("write it before the `;` of the assignment: `a, b := *, * constrain 'a | 'b;`");
                Err(self.tokens.report(diagnostic))
            }
            TokenKind::Decl | TokenKind::Enforce => {
                let what = start.kind.describe();
                let message = format!("{what} stands at the beginning of a procedure, before the first statement");
                Err(self
                    .tokens
                    .report(Diagnostic::error(start.span, message).label("too late here")))
            }
            TokenKind::Name => self.assignment_or_call(),
            _ => {
                let diagnostic = self.tokens.expected("a statement");
                Err(self.tokens.report(diagnostic))
            }
        }
    }

    /// A keyword and the condition after it.
    fn condition(&mut self) -> Parsed<Expression> {
        self.tokens.advance();
        self.expression()
    }

    fn inner(&mut self, stops: &[TokenKind]) -> Parsed<Vec<Statement>> {
        self.nested(|parser| Ok(parser.block(stops)))
    }

    /// `if e then ... elsif e then ... else ... fi`, from its first keyword on.
    fn conditional(&mut self) -> Parsed<Action> {
        let start = self.tokens.token().span;
        let condition = self.condition()?;
        self.tokens.expect(TokenKind::Then)?;
        let then = self.inner(&[TokenKind::Elsif, TokenKind::Else, TokenKind::Fi])?;
        let otherwise = match self.tokens.peek() {
            TokenKind::Elsif => {
                let start = self.tokens.token().span;
                let action = self.nested(Self::conditional)?;
                return Ok(Action::If {
                    condition,
                    then,
                    otherwise: vec![Statement {
                        labels: Vec::new(),
                        action,
                        span: self.tokens.span_from(start),
                    }],
                });
            }
            TokenKind::Else => {
                self.tokens.advance();
                self.inner(&[TokenKind::Fi])?
            }
            _ => Vec::new(),
        };
        self.expect_closing(TokenKind::Fi, start)?;
        Ok(Action::If {
            condition,
            then,
            otherwise,
        })
    }

    fn assignment_or_call(&mut self) -> Parsed<Action> {
        let first = self.name("a variable or a procedure")?;
        if self.tokens.peek() == TokenKind::LeftParenthesis {
            return self.call(Vec::new(), first);
        }
        let mut targets = vec![first];
        while self.tokens.eat(TokenKind::Comma) {
            targets.push(self.name("a variable")?);
        }
        self.tokens.expect(TokenKind::Assign)?;
        if self.tokens.peek() == TokenKind::Name && self.tokens.token_at(1).kind == TokenKind::LeftParenthesis {
            let procedure = self.name("a procedure")?;
            return self.call(targets, procedure);
        }
        let values = self.expressions()?;
        let constraint = match self.tokens.eat(TokenKind::Constrain) {
            true => Some(self.expression()?),
            false => None,
        };
        Ok(Action::Assign {
            targets,
            values,
            constraint,
        })
    }

    fn call(&mut self, results: Vec<Identifier>, procedure: Identifier) -> Parsed<Action> {
        let arguments = self.arguments()?;
        if self.tokens.peek() == TokenKind::Constrain {
            let span = self.tokens.token().span;
            let message = "`constrain` belongs to an assignment of values, not to a call";
            let help = "assign the arguments before the call, or the results after it, and constrain that";
            return Err(self
                .tokens
                .report(Diagnostic::error(span, message).label("after a call").help(help)));
        }
        Ok(Action::Call {
            results,
            procedure,
            arguments,
        })
    }

    fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        let opening = self.tokens.expect(TokenKind::LeftParenthesis)?.span;
        let arguments = match self.tokens.peek() {
            TokenKind::RightParenthesis => Vec::new(),
            _ => self.expressions()?,
        };
        self.expect_closing(TokenKind::RightParenthesis, opening)?;
        Ok(arguments)
    }

    fn expressions(&mut self) -> Parsed<Vec<Expression>> {
        let mut expressions = vec![self.expression()?];
        while self.tokens.eat(TokenKind::Comma) {
            expressions.push(self.expression()?);
        }
        Ok(expressions)
    }
}
