//! The parser, by recursive descent. After an error it resumes at the next definition or block.

use super::lex::{self, TokenKind};
use super::syntax::{
    Abstraction, Body, Branch, Constant, Expression, ExpressionKind, File, Identifier, Label, Operator, ProcedureBlock,
    Process, ProgramBlock, Returns,
};
use system::tokens::{Cursor, Reported};
use system::{Diagnostic, SourceFile, Span};

/// The maximum nesting of processes and expressions, which protects the stack.
const MAXIMAL_DEPTH: usize = 200;

type Parsed<T> = Result<T, Reported>;

/// Parses a file. The tree holds everything that could be parsed.
pub fn parse(file: &SourceFile) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser {
        tokens: lex::tokens(file.id(), &file.text),
        depth: 0,
    };
    let tree = parser.file();
    (tree, parser.tokens.into_diagnostics())
}

/// Parses an action in a text at this location.
pub(super) fn label(text: &str, span: Span) -> Option<Label> {
    let mut parser = Parser {
        tokens: lex::tokens(span.file, text),
        depth: 0,
    };
    let mut label = parser.label().ok()?;
    let is_whole = parser.tokens.peek() == TokenKind::EndOfFile && parser.tokens.into_diagnostics().is_empty();
    label.span = span;
    if let Some(returns) = &mut label.returns {
        returns.component.iter_mut().for_each(|component| component.span = span);
        returns.condition.iter_mut().for_each(|condition| condition.stand(span));
    }
    is_whole.then_some(label)
}

struct Parser<'a> {
    tokens: Cursor<'a, TokenKind>,
    depth: usize,
}

impl Parser<'_> {
    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let diagnostic = self.tokens.expected(what);
        Err(self.tokens.report(diagnostic))
    }

    fn name(&mut self, what: &str) -> Parsed<Identifier> {
        if self.tokens.peek() != TokenKind::Name {
            return self.expected(what);
        }
        let span = self.tokens.advance().span;
        Ok(Identifier {
            text: self.tokens.text_of(span).to_owned(),
            span,
        })
    }

    fn file(&mut self) -> File {
        let mut file = File::default();
        loop {
            let start = self.tokens.position();
            let read = match self.tokens.peek() {
                TokenKind::EndOfFile => return file,
                TokenKind::Procedure => self.procedure(&mut file),
                TokenKind::Program => self.program(&mut file),
                TokenKind::Name => self.processes(&mut file),
                _ => self.expected("a process, `cproc` or `program`"),
            };
            if read.is_err() {
                self.recover(start);
            }
        }
    }

    /// Resumes at the next block, or behind the end of this definition.
    fn recover(&mut self, start: usize) {
        if self.tokens.position() == start {
            self.tokens.advance();
        }
        loop {
            match self.tokens.peek() {
                TokenKind::EndOfFile | TokenKind::Procedure | TokenKind::Program => return,
                TokenKind::Dot => {
                    self.tokens.advance();
                    return;
                }
                _ => {
                    self.tokens.advance();
                }
            }
        }
    }

    /// `A = ..., B = ... + {c}.`
    fn processes(&mut self, file: &mut File) -> Parsed<()> {
        let first = file.processes.len();
        loop {
            let name = self.name("the name of a process")?;
            self.tokens.expect(TokenKind::Equals)?;
            // The process is declared even if its body has errors.
            file.processes.push(Process {
                name,
                body: Body::Error,
                further: Vec::new(),
            });
            let body = self.body()?;
            if let Some(process) = file.processes.last_mut() {
                process.body = body;
            }
            if !self.tokens.eat(TokenKind::Comma) {
                break;
            }
        }
        if self.tokens.eat(TokenKind::Plus) {
            let further = self.labels()?;
            for process in &mut file.processes[first..] {
                process.further.clone_from(&further);
            }
        }
        self.tokens.expect(TokenKind::Dot)?;
        Ok(())
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAXIMAL_DEPTH {
            let diagnostic = Diagnostic::error(self.tokens.token().span, "this is nested too deeply");
            self.tokens.report(diagnostic);
            return Err(Reported);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn body(&mut self) -> Parsed<Body> {
        if self.tokens.peek() == TokenKind::Name {
            return Ok(Body::Name(self.name("a process")?));
        }
        if self.tokens.peek() != TokenKind::LeftParenthesis {
            return self.expected("`(`, a process or `STOP`");
        }
        self.nested(|parser| {
            parser.tokens.advance();
            let mut branches = vec![parser.branch()?];
            while parser.tokens.eat(TokenKind::Bar) {
                branches.push(parser.branch()?);
            }
            parser.tokens.expect(TokenKind::RightParenthesis)?;
            Ok(Body::Choice(branches))
        })
    }

    fn branch(&mut self) -> Parsed<Branch> {
        let mut actions = vec![self.labels()?];
        self.tokens.expect(TokenKind::Arrow)?;
        loop {
            let is_end = match self.tokens.peek() {
                TokenKind::LeftParenthesis => true,
                // Actions are followed by arrows, processes are not.
                TokenKind::Name => {
                    let next = self.tokens.token_at(1).kind;
                    !matches!(next, TokenKind::Arrow | TokenKind::LeftBrace)
                }
                _ => false,
            };
            if is_end {
                let body = self.body()?;
                return Ok(Branch { actions, body });
            }
            actions.push(self.labels()?);
            self.tokens.expect(TokenKind::Arrow)?;
        }
    }

    /// One action, or `{a, b}`.
    fn labels(&mut self) -> Parsed<Vec<Label>> {
        if !self.tokens.eat(TokenKind::LeftBrace) {
            return Ok(vec![self.label()?]);
        }
        let mut labels = vec![self.label()?];
        while self.tokens.eat(TokenKind::Comma) {
            labels.push(self.label()?);
        }
        self.tokens.expect(TokenKind::RightBrace)?;
        Ok(labels)
    }

    fn label(&mut self) -> Parsed<Label> {
        let start = self.tokens.token().span;
        if self.tokens.eat(TokenKind::Return) {
            return self.returns(start, None);
        }
        let name = self.name("an action")?;
        if let Some(component) = name.text.strip_suffix(".return") {
            let component = Identifier {
                text: component.to_owned(),
                span: name.span,
            };
            return self.returns(start, Some(component));
        }
        Ok(Label {
            name: name.text,
            returns: None,
            span: name.span,
        })
    }

    fn returns(&mut self, start: Span, component: Option<Identifier>) -> Parsed<Label> {
        self.tokens.expect(TokenKind::LeftBrace)?;
        let condition = match self.tokens.peek() {
            TokenKind::RightBrace => None,
            _ => Some(self.expression()?),
        };
        self.tokens.expect(TokenKind::RightBrace)?;
        let returns = Returns { component, condition };
        Ok(Label {
            name: returns.name(),
            returns: Some(returns),
            span: self.tokens.span_from(start),
        })
    }

    fn procedure(&mut self, file: &mut File) -> Parsed<()> {
        self.tokens.advance();
        let name = self.name("the name of a procedure")?;
        let mut block = ProcedureBlock {
            name,
            abstractions: Vec::new(),
            predicates: Vec::new(),
        };
        self.tokens.expect(TokenKind::LeftBrace)?;
        while !self.tokens.eat(TokenKind::RightBrace) {
            match self.tokens.peek() {
                TokenKind::Abstract => block.abstractions.push(self.abstraction()?),
                TokenKind::Predicate => {
                    self.tokens.advance();
                    block.predicates.push(self.expression()?);
                    while self.tokens.eat(TokenKind::Comma) {
                        block.predicates.push(self.expression()?);
                    }
                    self.tokens.expect(TokenKind::Semicolon)?;
                }
                _ => return self.expected("`abstract`, `predicate` or `}`"),
            }
        }
        file.procedures.push(block);
        Ok(())
    }

    fn program(&mut self, file: &mut File) -> Parsed<()> {
        let start = self.tokens.advance().span;
        let mut components = vec![self.name("the name of a procedure")?];
        while self.tokens.eat(TokenKind::Or) {
            components.push(self.name("the name of a procedure")?);
        }
        let span = self.tokens.span_from(start);
        let mut abstractions = Vec::new();
        self.tokens.expect(TokenKind::LeftBrace)?;
        while !self.tokens.eat(TokenKind::RightBrace) {
            match self.tokens.peek() {
                TokenKind::Abstract => abstractions.push(self.abstraction()?),
                _ => return self.expected("`abstract` or `}`"),
            }
        }
        file.programs.push(ProgramBlock {
            components,
            abstractions,
            span,
        });
        Ok(())
    }

    /// `abstract { name, (guard), PROCESS };`
    fn abstraction(&mut self) -> Parsed<Abstraction> {
        let start = self.tokens.advance().span;
        self.tokens.expect(TokenKind::LeftBrace)?;
        let name = self.name("the name of the abstraction")?;
        self.tokens.expect(TokenKind::Comma)?;
        let mut guards = Vec::new();
        while self.tokens.peek() == TokenKind::LeftParenthesis {
            self.tokens.advance();
            guards.push(self.expression()?);
            self.tokens.expect(TokenKind::RightParenthesis)?;
            self.tokens.expect(TokenKind::Comma)?;
        }
        let process = self.name("a guard in parentheses, or a process")?;
        self.tokens.expect(TokenKind::RightBrace)?;
        let span = self.tokens.span_from(start);
        self.tokens.expect(TokenKind::Semicolon)?;
        Ok(Abstraction {
            name,
            guards,
            process,
            span,
        })
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.nested(|parser| parser.binary(0))
    }

    /// Operators of at least this precedence.
    fn binary(&mut self, least: u8) -> Parsed<Expression> {
        let mut left = self.unary()?;
        while let Some((operator, strength)) = operator(self.tokens.peek()).filter(|(_, strength)| *strength >= least) {
            self.tokens.advance();
            let right = self.nested(|parser| parser.binary(strength + 1))?;
            left = Expression {
                span: left.span.to(right.span),
                kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expression> {
        let token = self.tokens.token();
        let text = self.tokens.text_of(token.span).to_owned();
        let kind = match token.kind {
            TokenKind::Not | TokenKind::Minus => {
                self.tokens.advance();
                let of = Box::new(self.nested(Self::unary)?);
                let span = token.span.to(of.span);
                let kind = match token.kind {
                    TokenKind::Not => ExpressionKind::Not(of),
                    _ => ExpressionKind::Negate(of),
                };
                return Ok(Expression { kind, span });
            }
            TokenKind::LeftParenthesis => {
                self.tokens.advance();
                let inner = self.expression()?;
                self.tokens.expect(TokenKind::RightParenthesis)?;
                return Ok(inner);
            }
            TokenKind::Number => ExpressionKind::Number(self.number(&text, token.span)),
            TokenKind::Character => ExpressionKind::Number(self.character(&text, token.span)),
            TokenKind::Dollar => ExpressionKind::Dollar(text[1..].parse().unwrap_or(usize::MAX)),
            TokenKind::Name => ExpressionKind::Name(text),
            _ => return self.expected("an expression"),
        };
        self.tokens.advance();
        Ok(Expression { kind, span: token.span })
    }

    /// C11 6.4.4.1: hexadecimal, octal or decimal; `u`, and `l` or `ll`, in either order.
    fn number(&mut self, text: &str, span: Span) -> Constant {
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
        let suffix = &text[digits.len()..];
        let (unsigned, long): (Vec<char>, Vec<char>) = suffix.chars().partition(|letter| "uU".contains(*letter));
        let is_together =
            suffix.trim_matches(['u', 'U']).len() == long.len() && long.windows(2).all(|two| two[0] == two[1]);
        if unsigned.len() > 1 || long.len() > 2 || !is_together {
            let message = format!("no number of C has the suffix `{suffix}`");
            self.tokens.report(Diagnostic::error(span, message));
        }
        let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
        let is_octal = hexadecimal.is_none() && digits.len() > 1 && digits.starts_with('0');
        let value = match (hexadecimal, is_octal) {
            (Some(digits), _) => u64::from_str_radix(digits, 16),
            (None, true) => u64::from_str_radix(digits, 8),
            (None, false) => digits.parse(),
        };
        let is_decimal = hexadecimal.is_none() && !is_octal;
        let is_unsigned = !unsigned.is_empty();
        let is_fitting = |value: &u64| !is_decimal || is_unsigned || i64::try_from(*value).is_ok();
        if is_octal && digits.contains(['8', '9']) {
            let message = "a number that begins with 0 is octal, and has no digits 8 and 9";
            self.tokens.report(Diagnostic::error(span, message));
        } else if !value.as_ref().is_ok_and(is_fitting) {
            self.tokens.report(Diagnostic::error(span, "this number is too large"));
        }
        Constant {
            value: value.unwrap_or(0),
            is_decimal,
            is_unsigned,
            longs: u8::try_from(long.len()).unwrap_or(2),
        }
    }

    fn character(&mut self, text: &str, span: Span) -> Constant {
        let character = text.chars().nth(1).filter(char::is_ascii);
        if character.is_none() {
            let message = "only characters of ASCII have one number in C";
            self.tokens.report(Diagnostic::error(span, message));
        }
        Constant {
            value: character.map_or(0, u64::from),
            is_decimal: true,
            is_unsigned: false,
            longs: 0,
        }
    }
}

fn operator(kind: TokenKind) -> Option<(Operator, u8)> {
    Some(match kind {
        TokenKind::Or => (Operator::Or, 1),
        TokenKind::And => (Operator::And, 2),
        TokenKind::BitAnd => (Operator::BitAnd, 3),
        TokenKind::Equal => (Operator::Equal, 4),
        TokenKind::NotEqual => (Operator::NotEqual, 4),
        TokenKind::Less => (Operator::Less, 5),
        TokenKind::LessOrEqual => (Operator::LessOrEqual, 5),
        TokenKind::Greater => (Operator::Greater, 5),
        TokenKind::GreaterOrEqual => (Operator::GreaterOrEqual, 5),
        TokenKind::Plus => (Operator::Add, 6),
        TokenKind::Minus => (Operator::Subtract, 6),
        TokenKind::Star => (Operator::Multiply, 7),
        TokenKind::Slash => (Operator::Divide, 7),
        TokenKind::Percent => (Operator::Remainder, 7),
        _ => return None,
    })
}
