//! Statements: C11 6.8.

use super::Checker;
use super::functions;
use crate::syntax::{self, BlockItem, ForInitial, StatementKind as Syntax};
use crate::tree::{Case, CaseId, Expression, Loop, Statement, StatementKind, Switch};
use crate::types::Type;
use system::{Diagnostic, Severity, Span};

/// A switch whose body is checked.
pub(super) struct SwitchContext {
    /// The promoted type of the value, to which cases are converted.
    value_type: Type,
    cases: Vec<Case>,
    default: Option<(CaseId, Span)>,
}

impl Checker {
    pub(super) fn block_items(&mut self, items: &[BlockItem], statements: &mut Vec<Statement>) {
        for item in items {
            match item {
                BlockItem::Declaration(declaration) => self.declaration(declaration, statements),
                BlockItem::Statement(statement) => self.statement(statement, statements),
                BlockItem::StaticAssertion(assertion) => self.static_assertion(assertion),
                BlockItem::Function(definition) => self.nested_function(definition),
            }
        }
    }

    /// Opens a scope whose variables live while it is executed.
    pub(super) fn scoped(&mut self, span: Span, inside: impl FnOnce(&mut Checker, &mut Vec<Statement>)) -> Statement {
        self.scopes.enter();
        if let Some(context) = &mut self.function {
            context.blocks.push(Vec::new());
        }
        let mut statements = Vec::new();
        inside(self, &mut statements);
        let variables = self
            .function
            .as_mut()
            .and_then(|context| context.blocks.pop())
            .unwrap_or_default();
        self.scopes.leave();
        functions::block(variables, statements, span)
    }

    pub(super) fn statement(&mut self, statement: &syntax::Statement, statements: &mut Vec<Statement>) {
        if self.descend(statement.span) {
            self.statement_inside(statement, statements);
        }
        self.ascend();
    }

    fn statement_inside(&mut self, statement: &syntax::Statement, statements: &mut Vec<Statement>) {
        let span = statement.span;
        let mut push = |kind| statements.push(Statement { kind, span });
        match &statement.kind {
            Syntax::Empty | Syntax::Error => {}
            Syntax::Expression(expression) => {
                let checked = self.expression(expression);
                let checked = self.unused_value(checked);
                push(StatementKind::Expression(checked));
            }
            Syntax::Block(block) => {
                let block = self.scoped(block.span, |checker, inner| checker.block_items(&block.items, inner));
                statements.push(block);
            }
            Syntax::Labelled { label, statement } => {
                if let Some(id) = self.label(label, true) {
                    let kind = StatementKind::Label(id);
                    statements.push(Statement { kind, span: label.span });
                }
                self.statement(statement, statements);
            }
            Syntax::Case { low, high, statement } => {
                self.case(low, high.as_ref(), span, statements);
                self.statement(statement, statements);
            }
            Syntax::Default(inner) => {
                self.default(
                    Span {
                        end: inner.span.start.max(span.start),
                        ..span
                    },
                    statements,
                );
                self.statement(inner, statements);
            }
            Syntax::If {
                condition,
                then,
                otherwise,
            } => self.conditional_statement(condition, then, otherwise.as_deref(), span, statements),
            Syntax::Switch { value, body } => self.switch(value, body, span, statements),
            Syntax::While { condition, body } => {
                let condition = self.condition(condition);
                let body = self.loop_body(body);
                push(StatementKind::Loop(Loop {
                    condition: Some(condition),
                    asks_first: true,
                    step: None,
                    body,
                }));
            }
            Syntax::DoWhile { body, condition } => {
                let body = self.loop_body(body);
                let condition = self.condition(condition);
                push(StatementKind::Loop(Loop {
                    condition: Some(condition),
                    asks_first: false,
                    step: None,
                    body,
                }));
            }
            Syntax::For { .. } => self.for_statement(statement, statements),
            _ => self.jump(statement, statements),
        }
    }

    fn jump(&mut self, statement: &syntax::Statement, statements: &mut Vec<Statement>) {
        let span = statement.span;
        let kind = match &statement.kind {
            Syntax::Goto(name) => match self.label(name, false) {
                Some(label) => StatementKind::Goto(label),
                None => return,
            },
            Syntax::GotoComputed(target) => {
                self.expression(target);
                let message = "jumps to computed labels are not supported";
                self.refuse(Diagnostic::error(span, message).label("where this leads is not known"));
                return;
            }
            Syntax::Continue => {
                if self.function.as_ref().is_some_and(|context| context.loops == 0) {
                    self.report(Diagnostic::error(span, "`continue` outside of a loop").label("not in a loop"));
                    return;
                }
                StatementKind::Continue
            }
            Syntax::Break => {
                if self.function.as_ref().is_some_and(|context| context.breakable == 0) {
                    let message = "`break` outside of a loop or `switch`";
                    self.report(Diagnostic::error(span, message).label("nothing to leave"));
                    return;
                }
                StatementKind::Break
            }
            Syntax::Return(value) => StatementKind::Return(self.returned(value.as_ref(), span)),
            Syntax::Assembler(assembler) => match self.assembler(assembler, span) {
                Some(kind) => kind,
                None => return,
            },
            _ => return,
        };
        statements.push(Statement { kind, span });
    }

    /// C11 6.8.6.4. As in gcc, a missing or an excess value is only a warning.
    fn returned(&mut self, value: Option<&syntax::Expression>, span: Span) -> Option<Expression> {
        let result = self.function.as_ref().map(|context| context.result)?;
        let is_void = self.unit.types.is_void(result);
        let Some(value) = value else {
            if !is_void && !self.unit.types.is_error(result) {
                let message = "`return` without a value, in a function that has a result";
                self.report(Diagnostic::warning(span, message));
            }
            return None;
        };
        let checked = self.expression(value);
        let checked = self.value(checked);
        if self.is_error(&checked) || self.unit.types.is_error(result) {
            return None;
        }
        if is_void {
            if !self.unit.types.is_void(checked.expression_type) {
                let message = "`return` with a value, in a function without a result";
                self.report(Diagnostic::warning(value.span, message).label("evaluated, and forgotten"));
            }
            return Some(checked);
        }
        Some(self.assigned(checked, result, "this result"))
    }

    fn conditional_statement(
        &mut self,
        condition: &syntax::Expression,
        then: &syntax::Statement,
        otherwise: Option<&syntax::Statement>,
        span: Span,
        statements: &mut Vec<Statement>,
    ) {
        let condition = self.condition(condition);
        // C11 6.8.4p3: each is a block, with or without braces.
        let then = vec![self.scoped(then.span, |checker, inner| checker.statement(then, inner))];
        let otherwise = match otherwise {
            Some(otherwise) => vec![self.scoped(otherwise.span, |checker, inner| checker.statement(otherwise, inner))],
            None => Vec::new(),
        };
        let kind = StatementKind::If {
            condition,
            then,
            otherwise,
        };
        statements.push(Statement { kind, span });
    }

    fn loop_body(&mut self, body: &syntax::Statement) -> Vec<Statement> {
        if let Some(context) = &mut self.function {
            context.loops += 1;
            context.breakable += 1;
        }
        let body = self.scoped(body.span, |checker, inner| checker.statement(body, inner));
        if let Some(context) = &mut self.function {
            context.loops -= 1;
            context.breakable -= 1;
        }
        vec![body]
    }

    /// C11 6.8.5.3: declarations of the first part are in scope in the others.
    fn for_statement(&mut self, statement: &syntax::Statement, statements: &mut Vec<Statement>) {
        let Syntax::For {
            initial,
            condition,
            step,
            body,
        } = &statement.kind
        else {
            return;
        };
        let span = statement.span;
        let block = self.scoped(span, |checker, inner| {
            match initial {
                ForInitial::Nothing => {}
                ForInitial::Expression(expression) => {
                    let checked = checker.expression(expression);
                    let checked = checker.unused_value(checked);
                    inner.push(Statement {
                        kind: StatementKind::Expression(checked),
                        span: expression.span,
                    });
                }
                ForInitial::Declaration(declaration) => checker.declaration(declaration, inner),
            }
            let condition = condition.as_ref().map(|condition| checker.condition(condition));
            let step = step.as_ref().map(|step| {
                let checked = checker.expression(step);
                checker.unused_value(checked)
            });
            let body = checker.loop_body(body);
            let kind = StatementKind::Loop(Loop {
                condition,
                asks_first: true,
                step,
                body,
            });
            inner.push(Statement { kind, span });
        });
        statements.push(block);
    }

    /// C11 6.8.4.2.
    fn switch(
        &mut self,
        value: &syntax::Expression,
        body: &syntax::Statement,
        span: Span,
        statements: &mut Vec<Statement>,
    ) {
        let checked = self.expression(value);
        let checked = self.value(checked);
        let is_wrong = !self.is_error(&checked) && !self.unit.types.is_integer(checked.expression_type);
        if is_wrong {
            let label = format!("of type `{}`", self.unit.types.name(checked.expression_type));
            self.report(Diagnostic::error(value.span, "the value of a `switch` is no integer").label(label));
        }
        let value = if is_wrong {
            Expression::error(&self.unit.types, value.span)
        } else {
            self.promoted(checked)
        };
        let context = SwitchContext {
            value_type: value.expression_type,
            cases: Vec::new(),
            default: None,
        };
        if let Some(function) = &mut self.function {
            function.switches.push(context);
            function.breakable += 1;
        }
        let body = self.scoped(body.span, |checker, inner| checker.statement(body, inner));
        let Some(function) = &mut self.function else { return };
        function.breakable -= 1;
        let Some(context) = function.switches.pop() else { return };
        let kind = StatementKind::Switch(Switch {
            value,
            cases: context.cases,
            default: context.default.map(|(id, _)| id),
            body: vec![body],
        });
        statements.push(Statement { kind, span });
    }

    fn case(
        &mut self,
        low: &syntax::Expression,
        high: Option<&syntax::Expression>,
        span: Span,
        statements: &mut Vec<Statement>,
    ) {
        let at = high.map_or(low.span, |high| low.span.to(high.span));
        let innermost = self.function.as_ref().and_then(|context| context.switches.last());
        let Some(value_type) = innermost.map(|context| context.value_type) else {
            self.report(Diagnostic::error(at, "`case` outside of a `switch`").label("not in a switch"));
            return;
        };
        let first = self.case_value(low, value_type);
        let last = match high {
            Some(high) => self.case_value(high, value_type),
            None => first,
        };
        let (Some(first), Some(last)) = (first, last) else {
            return;
        };
        let id = self.new_case();
        let kind = StatementKind::Case(id);
        let label = Span { end: at.end, ..span };
        statements.push(Statement { kind, span: label });
        // An empty range is never taken.
        if first > last {
            self.report(Diagnostic::warning(at, "this range is empty"));
            return;
        }
        let Some(context) = self.function.as_mut().and_then(|function| function.switches.last_mut()) else {
            return;
        };
        let earlier = context
            .cases
            .iter()
            .find(|case| case.low <= last && first <= case.high)
            .map(|case| case.span);
        context.cases.push(Case {
            id,
            low: first,
            high: last,
            span: at,
        });
        if let Some(earlier) = earlier {
            let twice = Diagnostic::error(at, "this case was there before").label("the same value again");
            self.report(twice.related(earlier, "first here"));
        }
    }

    /// C11 6.8.4.2p5: converted to the promoted type of the switch.
    fn case_value(&mut self, written: &syntax::Expression, value_type: Type) -> Option<i128> {
        let value = self.constant_expression(written, "the value of a `case`")?;
        let integer = self.unit.types.integer_of(value_type)?;
        (integer.bits <= 64).then(|| integer.wrap(value))
    }

    fn default(&mut self, span: Span, statements: &mut Vec<Statement>) {
        let id = self.new_case();
        let innermost = self.function.as_mut().and_then(|context| context.switches.last_mut());
        let Some(context) = innermost else {
            self.report(Diagnostic::error(span, "`default` outside of a `switch`").label("not in a switch"));
            return;
        };
        if let Some((_, earlier)) = context.default {
            let twice = Diagnostic::error(span, "a `switch` with two `default` labels").label("the second");
            self.report(twice.related(earlier, "the first"));
            return;
        }
        context.default = Some((id, span));
        let kind = StatementKind::Case(id);
        statements.push(Statement { kind, span });
    }

    /// The outputs of assembler are havocked. Other effects are ignored.
    fn assembler(&mut self, assembler: &syntax::Assembler, span: Span) -> Option<StatementKind> {
        let mut outputs = Vec::new();
        for output in &assembler.outputs {
            let checked = self.expression(output);
            if self.is_error(&checked) {
                return None;
            }
            if !checked.is_place() || !self.unit.types.is_scalar(checked.expression_type) {
                let message = "assembler writes to what is no number in memory";
                self.refuse(Diagnostic::error(output.span, message).label("only scalar variables are supported"));
                return None;
            }
            outputs.push(checked);
        }
        let mut inputs = Vec::new();
        for input in &assembler.inputs {
            let checked = self.expression(input);
            let checked = self.value(checked);
            inputs.push(checked);
        }
        let writes_memory = assembler.clobbers.iter().any(|clobber| clobber == "memory");
        let is_barrier = assembler.template.trim().is_empty();
        if writes_memory && !is_barrier {
            let message = "assembler that may write to any memory is not supported";
            let help = "replace it by C, or by a call of a function without a body";
            self.refuse(Diagnostic::error(span, message).label("clobbers `memory`").help(help));
            return None;
        }
        if !is_barrier {
            let message = "assembler: what it writes to holds any value afterwards";
            self.refuse(Diagnostic::new(Severity::Note, span, message));
        }
        Some(StatementKind::Assembler { outputs, inputs })
    }

    /// C11 6.8.4.1p1, 6.8.5p2: a scalar, compared with zero.
    pub(super) fn condition(&mut self, written: &syntax::Expression) -> Expression {
        let checked = self.expression(written);
        let checked = self.value(checked);
        self.scalar_condition(checked)
    }

    pub(super) fn scalar_condition(&mut self, checked: Expression) -> Expression {
        if !self.is_error(&checked) && !self.unit.types.is_scalar(checked.expression_type) {
            let label = format!("of type `{}`", self.unit.types.name(checked.expression_type));
            let message = "this condition is neither a number nor a pointer";
            return self.wrong(Diagnostic::error(checked.span, message).label(label));
        }
        checked
    }
}
