//! Statements.

use super::declarations::Declared;
use super::{Parse, Parser};
use crate::lex::{Kind, Mark, Word};
use crate::syntax::{
    Assembler, Block, BlockItem, Expression, ExpressionKind, ForInitial, Name, Statement, StatementKind,
};
use system::Diagnostic;

/// The labels that may precede a statement.
enum Label {
    Named(Name),
    Case(Expression, Option<Expression>),
    Default,
}

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn block(&mut self) -> Parse<Block> {
        let open = self.position;
        self.expect(Mark::LeftBrace)?;
        self.scopes.enter();
        let depth = self.depth;
        let mut items = Vec::new();
        while !self.at(Mark::RightBrace) && !self.at_end() {
            let start = self.position;
            if self.block_item(&mut items).is_err() {
                self.skip_statement(start);
                if self.position == start {
                    self.bump();
                }
                items.push(BlockItem::Statement(Statement {
                    kind: StatementKind::Error,
                    span: self.since(start),
                }));
            }
            self.depth = depth;
        }
        self.scopes.leave();
        if !self.eat(Mark::RightBrace) {
            let error = Diagnostic::error(self.span(open), "this `{` is not closed");
            let end = self.here();
            return Err(self.report(error.label("begins here").related(end, "the file ends here")));
        }
        Ok(Block {
            items,
            span: self.since(open),
        })
    }

    #[inline(never)]
    fn block_item(&mut self, items: &mut Vec<BlockItem>) -> Parse<()> {
        if self.at_word(Word::Label) {
            return self.local_labels();
        }
        if self.at_word(Word::StaticAssert) {
            items.push(BlockItem::StaticAssertion(self.static_assertion()?));
            return Ok(());
        }
        if self.is_declaration_item() {
            return self.declaration_item(items);
        }
        let statement = self.labelled(true)?;
        items.push(BlockItem::Statement(statement));
        Ok(())
    }

    /// `__label__ again, done;`
    #[inline(never)]
    fn local_labels(&mut self) -> Parse<()> {
        self.bump();
        loop {
            let number = self.position;
            self.name("a label")?;
            let text = self.token_text(number);
            self.scopes.declare_label(text);
            if !self.eat(Mark::Comma) {
                break;
            }
        }
        self.expect(Mark::Semicolon)?;
        Ok(())
    }

    /// The unique name of a label in the function.
    fn label(&self, name: Name) -> Name {
        Name {
            text: self.scopes.label(&name.text),
            ..name
        }
    }

    #[inline(never)]
    fn declaration_item(&mut self, items: &mut Vec<BlockItem>) -> Parse<()> {
        items.push(match self.declaration()? {
            Declared::Declaration(declaration) => BlockItem::Declaration(declaration),
            Declared::Function(function) => BlockItem::Function(function),
        });
        Ok(())
    }

    /// A type followed by `:` is a label, and `__attribute__((fallthrough));` is a statement.
    fn is_declaration_item(&self) -> bool {
        if !self.at_declaration_start() || (self.kind() == Kind::Identifier && self.next_is(Mark::Colon)) {
            return false;
        }
        !(self.at_word(Word::Attribute) && self.is_attribute_statement())
    }

    #[inline(never)]
    fn is_attribute_statement(&self) -> bool {
        let mut ahead = 1;
        let mut depth = 0_usize;
        loop {
            match self.peek(ahead) {
                Kind::Mark(Mark::LeftParenthesis) => depth += 1,
                Kind::Mark(Mark::RightParenthesis) => depth = depth.saturating_sub(1),
                Kind::End => return false,
                _ => {}
            }
            ahead += 1;
            if depth == 0 {
                return self.peek(ahead) == Kind::Mark(Mark::Semicolon);
            }
        }
    }

    pub(super) fn statement(&mut self) -> Parse<Statement> {
        self.nested(|parser| parser.labelled(false))
    }

    fn at_label(&self) -> bool {
        match self.kind() {
            Kind::Identifier => self.next_is(Mark::Colon),
            kind => matches!(kind, Kind::Word(Word::Case | Word::Default)),
        }
    }

    /// A statement with optional labels.
    fn labelled(&mut self, is_in_block: bool) -> Parse<Statement> {
        if self.at_label() {
            return self.behind_labels(is_in_block);
        }
        self.plain_statement()
    }

    /// A statement with its labels.
    #[inline(never)]
    fn behind_labels(&mut self, is_in_block: bool) -> Parse<Statement> {
        let mut labels: Vec<(usize, Label)> = Vec::new();
        loop {
            let start = self.position;
            let label = match self.kind() {
                Kind::Identifier if self.next_is(Mark::Colon) => {
                    let number = self.bump();
                    Label::Named(self.label(self.name_at(number)))
                }
                Kind::Word(Word::Case) => {
                    self.bump();
                    let low = self.conditional()?;
                    let high = if self.eat(Mark::Ellipsis) {
                        Some(self.conditional()?)
                    } else {
                        None
                    };
                    Label::Case(low, high)
                }
                Kind::Word(Word::Default) => {
                    self.bump();
                    Label::Default
                }
                _ => break,
            };
            self.expect(Mark::Colon)?;
            self.skip_label_attributes()?;
            labels.push((start, label));
            self.check_length(labels.len())?;
        }
        // After a label, the end of the block and declarations are allowed, as if `;` stood between.
        let is_alone = !labels.is_empty() && (self.at(Mark::RightBrace) || (is_in_block && self.is_declaration_item()));
        let mut statement = if is_alone {
            Statement {
                kind: StatementKind::Empty,
                span: self.span(self.position.saturating_sub(1)),
            }
        } else {
            self.plain_statement()?
        };
        while let Some((start, label)) = labels.pop() {
            let span = self.since(start);
            let inner = Box::new(statement);
            let kind = match label {
                Label::Named(label) => StatementKind::Labelled {
                    label,
                    statement: inner,
                },
                Label::Case(low, high) => StatementKind::Case {
                    low,
                    high,
                    statement: inner,
                },
                Label::Default => StatementKind::Default(inner),
            };
            statement = Statement { kind, span };
        }
        Ok(statement)
    }

    /// Attributes behind a label belong to it, unless a declaration or `;` follows.
    fn skip_label_attributes(&mut self) -> Parse<()> {
        if self.at_word(Word::Attribute) && !self.is_attribute_statement() {
            self.skip_attributes()?;
        }
        Ok(())
    }

    /// Each kind has a function of its own, which keeps the stack frame of this recursive one small.
    fn plain_statement(&mut self) -> Parse<Statement> {
        match self.kind() {
            Kind::Mark(Mark::LeftBrace) => self.block_statement(),
            Kind::Word(Word::If) => self.if_statement(),
            Kind::Word(Word::Switch | Word::While) => self.while_statement(),
            Kind::Word(Word::Do) => self.do_statement(),
            Kind::Word(Word::For) => {
                self.scopes.enter();
                let statement = self.for_statement();
                self.scopes.leave();
                statement
            }
            _ => self.simple_statement(),
        }
    }

    #[inline(never)]
    fn block_statement(&mut self) -> Parse<Statement> {
        let start = self.position;
        let block = self.nested(|parser| parser.block())?;
        Ok(self.statement_since(start, StatementKind::Block(block)))
    }

    fn statement_since(&self, start: usize, kind: StatementKind) -> Statement {
        Statement {
            kind,
            span: self.since(start),
        }
    }

    /// A statement without nested statements, except in an expression.
    #[inline(never)]
    fn simple_statement(&mut self) -> Parse<Statement> {
        let start = self.position;
        let kind = match self.kind() {
            Kind::Mark(Mark::Semicolon) => {
                self.bump();
                StatementKind::Empty
            }
            Kind::Word(Word::Attribute) if self.is_attribute_statement() => {
                self.skip_attributes()?;
                self.expect(Mark::Semicolon)?;
                StatementKind::Empty
            }
            Kind::Word(Word::Assembler) => {
                let assembler = self.assembler()?;
                self.expect_semicolon("the assembler code")?;
                StatementKind::Assembler(assembler)
            }
            Kind::Word(Word::Goto | Word::Continue | Word::Break | Word::Return) => self.jump()?,
            Kind::Word(Word::Else) => {
                let error = Diagnostic::error(self.here(), "`else` without `if`").label("no `if` belongs to it");
                let error = error.help("only one statement, or a block, may stand between `if (...)` and `else`");
                return Err(self.report(error));
            }
            _ if self.at_declaration_start() => {
                let error = Diagnostic::error(self.here(), "a declaration where a statement is needed");
                let error = error
                    .label("this is no statement")
                    .help("put it into a block: `{ ... }`");
                return Err(self.report(error));
            }
            _ => {
                let expression = self.expression()?;
                self.expect_semicolon("the expression")?;
                StatementKind::Expression(expression)
            }
        };
        Ok(self.statement_since(start, kind))
    }

    /// `while` or `switch`
    #[inline(never)]
    fn while_statement(&mut self) -> Parse<Statement> {
        let is_switch = self.at_word(Word::Switch);
        let start = self.bump();
        let condition = self.condition(if is_switch { "switch" } else { "while" })?;
        let body = Box::new(self.statement()?);
        let kind = if is_switch {
            StatementKind::Switch { value: condition, body }
        } else {
            StatementKind::While { condition, body }
        };
        Ok(self.statement_since(start, kind))
    }

    /// `(condition)`
    #[inline(never)]
    fn condition(&mut self, word: &str) -> Parse<Expression> {
        let open = self.position;
        if !self.at(Mark::LeftParenthesis) {
            let message = format!("expected `(` behind `{word}`, found {}", self.found());
            let error = Diagnostic::error(self.here(), message).label("expected `(`");
            return Err(self.report(error));
        }
        self.bump();
        let depth = self.depth;
        let condition = self.nested(|parser| parser.expression()).and_then(|condition| {
            self.expect_close(Mark::RightParenthesis, open)?;
            Ok(condition)
        });
        if condition.is_err() && self.skip_to_close(open, false) {
            // The controlled statement can be parsed all the same.
            self.depth = depth;
            return Ok(Expression {
                kind: ExpressionKind::Error,
                span: self.since(open),
            });
        }
        condition
    }

    /// `if`, and any number of `else if`.
    #[inline(never)]
    fn if_statement(&mut self) -> Parse<Statement> {
        let mut branches = Vec::new();
        let otherwise = loop {
            let start = self.bump();
            let condition = self.condition("if")?;
            let then = self.statement()?;
            branches.push((start, condition, then));
            self.check_length(branches.len())?;
            if !self.eat_word(Word::Else) {
                break None;
            }
            if !self.at_word(Word::If) {
                break Some(self.statement()?);
            }
        };
        let mut result = otherwise;
        while let Some((start, condition, then)) = branches.pop() {
            let span = self.since(start);
            let kind = StatementKind::If {
                condition,
                then: Box::new(then),
                otherwise: result.map(Box::new),
            };
            result = Some(Statement { kind, span });
        }
        result.ok_or(super::Failed)
    }

    #[inline(never)]
    fn do_statement(&mut self) -> Parse<Statement> {
        let start = self.bump();
        let body = Box::new(self.statement()?);
        if !self.eat_word(Word::While) {
            let message = format!("expected `while` behind the body of `do`, found {}", self.found());
            let error = Diagnostic::error(self.here(), message).label("expected `while`");
            return Err(self.report(error.related(self.span(start), "the loop begins here")));
        }
        let condition = self.condition("while")?;
        self.expect_semicolon("the loop")?;
        Ok(self.statement_since(start, StatementKind::DoWhile { body, condition }))
    }

    #[inline(never)]
    fn for_statement(&mut self) -> Parse<Statement> {
        let start = self.bump();
        let open = self.position;
        self.expect(Mark::LeftParenthesis)?;
        let depth = self.depth;
        let head = self.for_head(open);
        if let Err(failed) = head {
            if !self.skip_to_close(open, true) {
                return Err(failed);
            }
            self.depth = depth;
        }
        let body = Box::new(self.statement()?);
        let kind = match head {
            Ok((initial, condition, step)) => StatementKind::For {
                initial,
                condition,
                step,
                body,
            },
            Err(_) => StatementKind::Error,
        };
        Ok(self.statement_since(start, kind))
    }

    /// `initial; condition; step)`
    #[inline(never)]
    fn for_head(&mut self, open: usize) -> Parse<(ForInitial, Option<Expression>, Option<Expression>)> {
        let initial = self.for_initial()?;
        let condition = if self.at(Mark::Semicolon) {
            None
        } else {
            Some(self.nested(|parser| parser.expression())?)
        };
        self.expect(Mark::Semicolon)?;
        let step = if self.at(Mark::RightParenthesis) {
            None
        } else {
            Some(self.nested(|parser| parser.expression())?)
        };
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok((initial, condition, step))
    }

    #[inline(never)]
    fn for_initial(&mut self) -> Parse<ForInitial> {
        if self.eat(Mark::Semicolon) {
            return Ok(ForInitial::Nothing);
        }
        if self.at_declaration_start() {
            let start = self.here();
            return match self.declaration()? {
                Declared::Declaration(declaration) => Ok(ForInitial::Declaration(declaration)),
                Declared::Function(_) => {
                    let error = Diagnostic::error(start, "a function where a loop declares its variable");
                    Err(self.report(error.label("expected a variable")))
                }
            };
        }
        let expression = self.nested(|parser| parser.expression())?;
        self.expect(Mark::Semicolon)?;
        Ok(ForInitial::Expression(expression))
    }

    #[inline(never)]
    fn jump(&mut self) -> Parse<StatementKind> {
        let word = self.kind();
        self.bump();
        let kind = match word {
            Kind::Word(Word::Goto) if self.eat(Mark::Star) => StatementKind::GotoComputed(self.expression()?),
            Kind::Word(Word::Goto) => {
                let name = self.name("a label")?;
                StatementKind::Goto(self.label(name))
            }
            Kind::Word(Word::Continue) => StatementKind::Continue,
            Kind::Word(Word::Break) => StatementKind::Break,
            _ if self.at(Mark::Semicolon) || self.at(Mark::RightBrace) => StatementKind::Return(None),
            _ => StatementKind::Return(Some(self.expression()?)),
        };
        let text = self.token_text(self.position.saturating_sub(1));
        let behind = match word {
            Kind::Word(Word::Goto) => "the label".to_owned(),
            _ if matches!(kind, StatementKind::Return(Some(_))) => "the expression".to_owned(),
            _ => format!("`{text}`"),
        };
        self.expect_semicolon(&behind)?;
        Ok(kind)
    }

    /// `asm volatile ("..." : outputs : inputs : clobbers)`
    #[inline(never)]
    pub(super) fn assembler(&mut self) -> Parse<Assembler> {
        self.bump();
        loop {
            match self.kind() {
                Kind::Word(Word::Volatile | Word::Inline | Word::Const) => {
                    self.bump();
                }
                Kind::Word(Word::Goto) => return Err(self.unsupported("`asm goto`", "")),
                _ => break,
            }
        }
        let open = self.position;
        self.expect(Mark::LeftParenthesis)?;
        let template = self.plain_text()?;
        let mut outputs = Vec::new();
        let mut inputs = Vec::new();
        let mut clobbers = Vec::new();
        if self.eat(Mark::Colon) {
            self.operands(&mut outputs)?;
            if self.eat(Mark::Colon) {
                self.operands(&mut inputs)?;
                if self.eat(Mark::Colon) && !self.at(Mark::RightParenthesis) {
                    loop {
                        clobbers.push(self.plain_text()?);
                        if !self.eat(Mark::Comma) {
                            break;
                        }
                    }
                }
            }
        }
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok(Assembler {
            template,
            outputs,
            inputs,
            clobbers,
        })
    }

    /// Zero or more `[name] "constraint" (expression), ...`.
    #[inline(never)]
    fn operands(&mut self, operands: &mut Vec<Expression>) -> Parse<()> {
        if self.at(Mark::Colon) || self.at(Mark::RightParenthesis) {
            return Ok(());
        }
        loop {
            let bracket = self.position;
            if self.eat(Mark::LeftBracket) {
                self.name("the name of an operand")?;
                self.expect_close(Mark::RightBracket, bracket)?;
            }
            self.plain_text()?;
            let open = self.position;
            self.expect(Mark::LeftParenthesis)?;
            operands.push(self.nested(|parser| parser.expression())?);
            self.expect_close(Mark::RightParenthesis, open)?;
            if !self.eat(Mark::Comma) {
                return Ok(());
            }
        }
    }
}
