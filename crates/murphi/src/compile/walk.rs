//! Visits every node of typed statements and expressions.

use crate::model::{
    AliasTarget, Argument, Binder, Designator, Domain, Expression, ExpressionKind, Selector, Statement, StatementKind,
};

/// Receives every node, parents first.
pub(super) trait Visitor {
    fn expression(&mut self, _expression: &Expression) {}

    fn statement(&mut self, _statement: &Statement) {}
}

pub(super) fn statements(statements: &[Statement], visitor: &mut dyn Visitor) {
    for statement in statements {
        walk_statement(statement, visitor);
    }
}

fn walk_statement(statement: &Statement, visitor: &mut dyn Visitor) {
    visitor.statement(statement);
    match &statement.kind {
        StatementKind::Assign { target, value } => {
            walk_selectors(target, visitor);
            expression(value, visitor);
        }
        StatementKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                expression(condition, visitor);
                statements(body, visitor);
            }
            statements(otherwise, visitor);
        }
        StatementKind::Switch {
            subject,
            cases,
            otherwise,
        } => {
            expression(subject, visitor);
            for (labels, body) in cases {
                labels.iter().for_each(|label| expression(label, visitor));
                statements(body, visitor);
            }
            statements(otherwise, visitor);
        }
        StatementKind::For { binder, body } => {
            walk_binder(binder, visitor);
            statements(body, visitor);
        }
        StatementKind::While { condition, body } => {
            expression(condition, visitor);
            statements(body, visitor);
        }
        StatementKind::Alias { aliases, body } => {
            aliases.iter().for_each(|(_, target)| alias_target(target, visitor));
            statements(body, visitor);
        }
        StatementKind::Call { arguments, .. } => walk_arguments(arguments, visitor),
        StatementKind::Return(Some(value)) | StatementKind::Put(value) => expression(value, visitor),
        StatementKind::Clear(target) | StatementKind::Undefine(target) => walk_selectors(target, visitor),
        StatementKind::Assert { condition, .. } | StatementKind::Assume { condition } => expression(condition, visitor),
        StatementKind::MultisetAdd { element, multiset } => {
            expression(element, visitor);
            walk_selectors(multiset, visitor);
        }
        StatementKind::MultisetRemove { index, multiset } => {
            expression(index, visitor);
            walk_selectors(multiset, visitor);
        }
        StatementKind::MultisetRemoveIf {
            multiset, condition, ..
        } => {
            walk_selectors(multiset, visitor);
            expression(condition, visitor);
        }
        StatementKind::Havoc { targets, constraint } => {
            targets.iter().for_each(|target| walk_selectors(target, visitor));
            constraint.iter().for_each(|constraint| expression(constraint, visitor));
        }
        StatementKind::Return(None) | StatementKind::Error(_) | StatementKind::PutText(_) => {}
    }
}

pub(super) fn alias_target(target: &AliasTarget, visitor: &mut dyn Visitor) {
    match target {
        AliasTarget::Place(place) => walk_selectors(place, visitor),
        AliasTarget::Value(value) => expression(value, visitor),
    }
}

fn walk_selectors(designator: &Designator, visitor: &mut dyn Visitor) {
    for selector in &designator.selectors {
        if let Selector::Index(index) | Selector::Element(index) = selector {
            expression(index, visitor);
        }
    }
}

fn walk_binder(binder: &Binder, visitor: &mut dyn Visitor) {
    if let Domain::Range { low, high, step } = &binder.domain {
        expression(low, visitor);
        expression(high, visitor);
        step.iter().for_each(|step| expression(step, visitor));
    }
}

fn walk_arguments(arguments: &[Argument], visitor: &mut dyn Visitor) {
    for argument in arguments {
        match argument {
            Argument::Value(value) => expression(value, visitor),
            Argument::Reference(place) => walk_selectors(place, visitor),
        }
    }
}

pub(super) fn expression(node: &Expression, visitor: &mut dyn Visitor) {
    visitor.expression(node);
    match &node.kind {
        ExpressionKind::Literal(_) | ExpressionKind::EmptyList | ExpressionKind::Error => {}
        ExpressionKind::Read(place) | ExpressionKind::IsUndefined(place) => walk_selectors(place, visitor),
        ExpressionKind::Convert(inner)
        | ExpressionKind::Unary(_, inner)
        | ExpressionKind::IsMember(inner, _)
        | ExpressionKind::Head(inner)
        | ExpressionKind::Tail(inner)
        | ExpressionKind::Length(inner) => expression(inner, visitor),
        ExpressionKind::Binary(_, left, right) | ExpressionKind::Append(left, right) => {
            expression(left, visitor);
            expression(right, visitor);
        }
        ExpressionKind::If(condition, then, otherwise) => {
            expression(condition, visitor);
            expression(then, visitor);
            expression(otherwise, visitor);
        }
        ExpressionKind::Quantified { binder, body, .. } => {
            walk_binder(binder, visitor);
            expression(body, visitor);
        }
        ExpressionKind::Call { arguments, .. } => walk_arguments(arguments, visitor),
        ExpressionKind::Apply { arguments, .. } => {
            arguments.iter().for_each(|argument| expression(argument, visitor));
        }
        ExpressionKind::MultisetCount {
            multiset, condition, ..
        } => {
            walk_selectors(multiset, visitor);
            expression(condition, visitor);
        }
    }
}

/// Whether evaluating the expression calls a user-defined function.
pub(super) fn contains_call(node: &Expression) -> bool {
    struct Calls(bool);
    impl Visitor for Calls {
        fn expression(&mut self, expression: &Expression) {
            self.0 |= matches!(expression.kind, ExpressionKind::Call { .. });
        }
    }
    let mut calls = Calls(false);
    expression(node, &mut calls);
    calls.0
}
