//! Type checking of statements and blocks.

use system::{Diagnostic, Span};

use super::designators::{Resolved, is_designator};
use super::expressions::BinderUse;
use super::names::Scope;
use super::{Checker, EMPTY_LIST, ERROR, LocalDetail, Owner, ReadOnly};
use crate::model::{
    AliasTarget, Designator, Expression, ExpressionKind, LocalId, LocalKind, Root, Statement, StatementKind, TypeKind,
};
use crate::syntax;

impl Checker {
    /// Local declarations and statements, in a scope of their own.
    pub(super) fn block(&mut self, block: &syntax::Block) -> Vec<Statement> {
        self.scopes.push(Scope::new());
        for item in &block.declarations {
            self.declaration(item);
        }
        let statements = self.statements(&block.statements);
        self.scopes.pop();
        statements
    }

    pub(super) fn statements(&mut self, statements: &[syntax::Statement]) -> Vec<Statement> {
        statements
            .iter()
            .filter_map(|statement| {
                let kind = self.statement(statement)?;
                Some(Statement {
                    kind,
                    span: statement.span,
                })
            })
            .collect()
    }

    /// `None` after reporting an error.
    fn statement(&mut self, statement: &syntax::Statement) -> Option<StatementKind> {
        match &statement.kind {
            syntax::StatementKind::Assign { target, value } => self.assignment(target, value),
            syntax::StatementKind::If { branches, otherwise } => Some(self.conditional(branches, otherwise)),
            syntax::StatementKind::Switch {
                subject,
                cases,
                otherwise,
            } => self.switch(subject, cases, otherwise.as_deref()),
            syntax::StatementKind::For { binder, body } => Some(self.for_loop(binder, body)),
            syntax::StatementKind::While { condition, body } => Some(StatementKind::While {
                condition: self.condition(condition, "the condition of `while`"),
                body: self.statements(body),
            }),
            syntax::StatementKind::Alias { aliases, body } => Some(self.alias_statement(aliases, body)),
            syntax::StatementKind::Call { name, arguments } => self.call_statement(name, arguments),
            syntax::StatementKind::Return(value) => self.return_statement(value.as_ref(), statement.span),
            syntax::StatementKind::Clear(target) => {
                self.target(target, "the target of `clear`").map(StatementKind::Clear)
            }
            syntax::StatementKind::Undefine(target) => self
                .target(target, "the target of `undefine`")
                .map(StatementKind::Undefine),
            syntax::StatementKind::Error(message) => Some(StatementKind::Error(message.clone())),
            syntax::StatementKind::Assert { condition, message } => Some(StatementKind::Assert {
                condition: self.condition(condition, "an assertion"),
                message: message.clone().unwrap_or_else(|| "assertion failed".to_owned()),
            }),
            syntax::StatementKind::Assume { condition, .. } => Some(StatementKind::Assume {
                condition: self.condition(condition, "an assumption"),
            }),
            syntax::StatementKind::Put(syntax::PutArgument::Text(text)) => Some(StatementKind::PutText(text.clone())),
            syntax::StatementKind::Put(syntax::PutArgument::Expression(value)) => {
                Some(StatementKind::Put(self.expression(value)))
            }
            syntax::StatementKind::MultisetAdd { element, multiset } => self.multiset_add(element, multiset),
            syntax::StatementKind::MultisetRemove { index, multiset } => {
                let place = self.multiset_target(multiset)?;
                let index = self.element_number(index, place.ty)?;
                Some(StatementKind::MultisetRemove { index, multiset: place })
            }
            syntax::StatementKind::MultisetRemoveIf {
                name,
                multiset,
                condition,
            } => self.multiset_remove_if(name, multiset, condition),
            syntax::StatementKind::Havoc { targets, constraint } => self.havoc(targets, constraint.as_ref()),
        }
    }

    fn assignment(&mut self, target: &syntax::Expression, value: &syntax::Expression) -> Option<StatementKind> {
        let place = self.target(target, "the target of an assignment");
        let Some(place) = place else {
            self.expression(value);
            return None;
        };
        let value = self.expression_of(value, place.ty, "the assigned value");
        Some(StatementKind::Assign { target: place, value })
    }

    fn conditional(
        &mut self,
        branches: &[(syntax::Expression, Vec<syntax::Statement>)],
        otherwise: &[syntax::Statement],
    ) -> StatementKind {
        let mut checked = Vec::new();
        for (condition, body) in branches {
            let condition = self.condition(condition, "the condition of `if`");
            checked.push((condition, self.statements(body)));
        }
        StatementKind::If {
            branches: checked,
            otherwise: self.statements(otherwise),
        }
    }

    fn switch(
        &mut self,
        subject: &syntax::Expression,
        cases: &[(Vec<syntax::Expression>, Vec<syntax::Statement>)],
        otherwise: Option<&[syntax::Statement]>,
    ) -> Option<StatementKind> {
        let mut subject = self.expression(subject);
        if !self.is_simple(subject.ty) {
            let found = self.describe(subject.ty);
            self.report(
                Diagnostic::error(subject.span, "`switch` works on single values only")
                    .label(format!("this is {found}")),
            );
            subject = self.wrong(ERROR, subject.span);
        }
        let mut checked = Vec::new();
        for (labels, body) in cases {
            let labels = labels
                .iter()
                .map(|label| self.expression_of(label, subject.ty, "the label of a case"))
                .collect();
            checked.push((labels, self.statements(body)));
        }
        let otherwise = self.statements(otherwise.unwrap_or_default());
        (!self.is_error(subject.ty)).then_some(StatementKind::Switch {
            subject,
            cases: checked,
            otherwise,
        })
    }

    fn for_loop(&mut self, binder: &syntax::Binder, body: &[syntax::Statement]) -> StatementKind {
        self.scopes.push(Scope::new());
        let name = &binder.name;
        let mut binder = self.binder(binder, BinderUse::Loop);
        let mut statements = self.statements(body);
        self.scopes.pop();
        // Rumur lets the body assign the loop variable without affecting the loop: the name becomes a local that each
        // iteration initialises from a hidden loop variable.
        if self.frame.details[binder.local.0].assigned {
            let copy = binder.local;
            self.frame.locals[copy.0].kind = LocalKind::Variable;
            let ty = self.frame.locals[copy.0].ty;
            binder.local = self.add_local(name, ty, LocalKind::Bound, LocalDetail::default());
            statements.insert(0, self.copy_statement(copy, binder.local));
            self.warn_changed_copy(name);
        }
        StatementKind::For {
            binder,
            body: statements,
        }
    }

    /// `copy := original`, for a loop or ruleset whose body assigns its variable.
    pub(super) fn copy_statement(&self, copy: LocalId, original: LocalId) -> Statement {
        let (ty, span) = (self.frame.locals[copy.0].ty, self.frame.locals[copy.0].span);
        let place = |local| Designator {
            root: Root::Local(local),
            selectors: Vec::new(),
            ty,
            span,
        };
        let value = Expression {
            kind: ExpressionKind::Read(place(original)),
            ty,
            span,
        };
        Statement {
            kind: StatementKind::Assign {
                target: place(copy),
                value,
            },
            span,
        }
    }

    pub(super) fn warn_changed_copy(&mut self, name: &syntax::Identifier) {
        self.report(
            Diagnostic::warning(name.span, format!("`{}` is changed where it is bound", name.text))
                .label("its next value does not depend on that"),
        );
    }

    fn alias_statement(&mut self, aliases: &[syntax::Alias], body: &[syntax::Statement]) -> StatementKind {
        self.scopes.push(Scope::new());
        let aliases = aliases.iter().map(|alias| self.alias(alias)).collect();
        let body = self.statements(body);
        self.scopes.pop();
        StatementKind::Alias { aliases, body }
    }

    /// Declares the alias in the innermost scope, after resolving its target.
    pub(super) fn alias(&mut self, alias: &syntax::Alias) -> (LocalId, AliasTarget) {
        let span = alias.target.span;
        let resolved = if is_designator(&alias.target) {
            self.resolve(&alias.target)
        } else {
            let value = self.expression(&alias.target);
            match value.ty {
                EMPTY_LIST => Resolved::Value(self.unknown_element(span, ERROR)),
                _ => Resolved::Value(value),
            }
        };
        match resolved {
            Resolved::Place(place) => {
                let read_only = self.read_only(&place);
                let local = self.declare_local(&alias.name, place.ty, LocalKind::Alias, read_only);
                (local, AliasTarget::Place(place))
            }
            Resolved::Value(value) => {
                let read_only = Some(ReadOnly::AliasOfValue);
                let local = self.declare_local(&alias.name, value.ty, LocalKind::AliasValue, read_only);
                if let ExpressionKind::Literal(number) = value.kind {
                    self.frame.details[local.0].constant = Some(number);
                }
                (local, AliasTarget::Value(value))
            }
            Resolved::Wrong => {
                let local = self.declare_local(&alias.name, ERROR, LocalKind::AliasValue, None);
                (local, AliasTarget::Value(self.wrong(ERROR, span)))
            }
        }
    }

    fn return_statement(&mut self, value: Option<&syntax::Expression>, span: Span) -> Option<StatementKind> {
        let here = match self.frame.owner {
            Owner::Function(result) => {
                self.frame.returns = true;
                let Some(value) = value else {
                    let expected = self.describe(result);
                    self.report(
                        Diagnostic::error(span, "a function must return a value")
                            .label(format!("the value, {expected}, is missing")),
                    );
                    return None;
                };
                let value = self.expression_of(value, result, "the returned value");
                return Some(StatementKind::Return(Some(value)));
            }
            Owner::Procedure => "a procedure",
            _ => "a rule",
        };
        if let Some(value) = value {
            self.expression(value);
            self.report(
                Diagnostic::error(value.span, format!("{here} cannot return a value"))
                    .label("this value is never used"),
            );
            return None;
        }
        Some(StatementKind::Return(None))
    }

    fn multiset_target(&mut self, multiset: &syntax::Expression) -> Option<Designator> {
        let place = self.target(multiset, "the multiset")?;
        self.require_multiset(&place).then_some(place)
    }

    fn multiset_add(&mut self, element: &syntax::Expression, multiset: &syntax::Expression) -> Option<StatementKind> {
        let place = self.multiset_target(multiset);
        let ty = place.as_ref().map(|place| match self.model.kind(place.ty) {
            TypeKind::Multiset { element, .. } => *element,
            _ => ERROR,
        });
        let element = self.expression_of(element, ty.unwrap_or(ERROR), "the added element");
        Some(StatementKind::MultisetAdd {
            element,
            multiset: place?,
        })
    }

    fn multiset_remove_if(
        &mut self,
        name: &syntax::Identifier,
        multiset: &syntax::Expression,
        condition: &syntax::Expression,
    ) -> Option<StatementKind> {
        let opened = self.open_multiset(name, multiset);
        let condition = self.condition(condition, "the condition of `multisetremovepred`");
        self.scopes.pop();
        let (local, multiset) = opened?;
        self.require_writable(&multiset, "the multiset")
            .then_some(StatementKind::MultisetRemoveIf {
                local,
                multiset,
                condition,
            })
    }

    fn havoc(
        &mut self,
        targets: &[syntax::Expression],
        constraint: Option<&syntax::Expression>,
    ) -> Option<StatementKind> {
        let places: Vec<Option<Designator>> = targets
            .iter()
            .map(|target| self.target(target, "the target of `havoc`"))
            .collect();
        let constraint = constraint.map(|formula| self.condition(formula, "the condition of `havoc`"));
        let targets: Option<Vec<Designator>> = places.into_iter().collect();
        Some(StatementKind::Havoc {
            targets: targets?,
            constraint,
        })
    }
}
