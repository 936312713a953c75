//! Walks over every expression and every statement of a typed model.

use crate::model::*;

/// Calls `see` for each expression of the model, outer ones first.
pub(crate) fn visit_expressions(model: &Model, see: &mut dyn FnMut(&Expression)) {
    for subprogram in &model.subprograms {
        statements(&subprogram.body, see);
    }
    for rule in model.starts.iter().chain(&model.rules) {
        contexts(&rule.context, see);
        rule.guard.iter().for_each(|guard| expression(guard, see));
        statements(&rule.body, see);
    }
    for property in &model.properties {
        contexts(&property.context, see);
        expression(&property.condition, see);
    }
    for formula in model.axioms.iter().chain(&model.predicates) {
        expression(&formula.condition, see);
    }
}

/// Calls `see` for each statement of the model, outer ones first.
pub(crate) fn visit_statements(model: &Model, see: &mut dyn FnMut(&Statement)) {
    let rules = model.starts.iter().chain(&model.rules).map(|rule| &rule.body);
    let bodies = model.subprograms.iter().map(|subprogram| &subprogram.body).chain(rules);
    bodies.for_each(|body| statements_below(body, see));
}

/// The subprograms that these statements call.
pub(crate) fn called_by(body: &[Statement]) -> Vec<SubprogramId> {
    let mut called = Vec::new();
    statements_below(body, &mut |statement| {
        if let StatementKind::Call { subprogram, .. } = &statement.kind {
            called.push(*subprogram);
        }
    });
    statements(body, &mut |expression| called.extend(callee(expression)));
    called
}

/// The calls in a formula and what surrounds it, each with its expression.
pub(crate) fn calls_in_formula(context: &[Context], condition: &Expression) -> Vec<(SubprogramId, system::Span)> {
    let mut called = Vec::new();
    let mut see = |expression: &Expression| called.extend(callee(expression).map(|id| (id, expression.span)));
    contexts(context, &mut see);
    expression(condition, &mut see);
    called
}

fn callee(expression: &Expression) -> Option<SubprogramId> {
    match &expression.kind {
        ExpressionKind::Call { subprogram, .. } => Some(*subprogram),
        _ => None,
    }
}

pub(crate) fn statements_below(statements: &[Statement], see: &mut dyn FnMut(&Statement)) {
    for statement in statements {
        see(statement);
        match &statement.kind {
            StatementKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| statements_below(body, see));
                statements_below(otherwise, see);
            }
            StatementKind::Switch { cases, otherwise, .. } => {
                cases.iter().for_each(|(_, body)| statements_below(body, see));
                statements_below(otherwise, see);
            }
            StatementKind::For { body, .. } | StatementKind::While { body, .. } | StatementKind::Alias { body, .. } => {
                statements_below(body, see)
            }
            _ => {}
        }
    }
}

fn contexts(context: &[Context], see: &mut dyn FnMut(&Expression)) {
    for part in context {
        match part {
            Context::Parameter(binder) => domain(&binder.domain, see),
            Context::Alias(_, target) => alias(target, see),
            Context::Choose { multiset, .. } => designator(multiset, see),
        }
    }
}

fn domain(domain: &Domain, see: &mut dyn FnMut(&Expression)) {
    if let Domain::Range { low, high, step } = domain {
        [Some(low), Some(high), step.as_ref()]
            .into_iter()
            .flatten()
            .for_each(|e| expression(e, see));
    }
}

fn alias(target: &AliasTarget, see: &mut dyn FnMut(&Expression)) {
    match target {
        AliasTarget::Place(place) => designator(place, see),
        AliasTarget::Value(value) => expression(value, see),
    }
}

fn designator(designator: &Designator, see: &mut dyn FnMut(&Expression)) {
    for selector in &designator.selectors {
        if let Selector::Index(index) | Selector::Element(index) = selector {
            expression(index, see);
        }
    }
}

fn arguments(arguments: &[Argument], see: &mut dyn FnMut(&Expression)) {
    for argument in arguments {
        match argument {
            Argument::Value(value) => expression(value, see),
            Argument::Reference(place) => designator(place, see),
        }
    }
}

fn statements(statements: &[Statement], see: &mut dyn FnMut(&Expression)) {
    statements.iter().for_each(|s| statement(s, see));
}

fn statement(statement: &Statement, see: &mut dyn FnMut(&Expression)) {
    match &statement.kind {
        StatementKind::Assign { target, value } => {
            designator(target, see);
            expression(value, see);
        }
        StatementKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                expression(condition, see);
                statements(body, see);
            }
            statements(otherwise, see);
        }
        StatementKind::Switch {
            subject,
            cases,
            otherwise,
        } => {
            expression(subject, see);
            for (labels, body) in cases {
                labels.iter().for_each(|label| expression(label, see));
                statements(body, see);
            }
            statements(otherwise, see);
        }
        StatementKind::For { binder, body } => {
            domain(&binder.domain, see);
            statements(body, see);
        }
        StatementKind::While { condition, body } => {
            expression(condition, see);
            statements(body, see);
        }
        StatementKind::Alias { aliases, body } => {
            aliases.iter().for_each(|(_, target)| alias(target, see));
            statements(body, see);
        }
        StatementKind::Call { arguments: values, .. } => arguments(values, see),
        StatementKind::Return(value) => value.iter().for_each(|v| expression(v, see)),
        StatementKind::Clear(place) | StatementKind::Undefine(place) => designator(place, see),
        StatementKind::Error(_) | StatementKind::PutText(_) => {}
        StatementKind::Assert { condition, .. } | StatementKind::Assume { condition } => expression(condition, see),
        StatementKind::Put(value) => expression(value, see),
        StatementKind::MultisetAdd { element, multiset } => {
            expression(element, see);
            designator(multiset, see);
        }
        StatementKind::MultisetRemove { index, multiset } => {
            expression(index, see);
            designator(multiset, see);
        }
        StatementKind::MultisetRemoveIf {
            multiset, condition, ..
        } => {
            designator(multiset, see);
            expression(condition, see);
        }
        StatementKind::Havoc { targets, constraint } => {
            targets.iter().for_each(|target| designator(target, see));
            constraint.iter().for_each(|c| expression(c, see));
        }
    }
}

fn expression(expression_at: &Expression, see: &mut dyn FnMut(&Expression)) {
    see(expression_at);
    match &expression_at.kind {
        ExpressionKind::Literal(_) | ExpressionKind::EmptyList | ExpressionKind::Error => {}
        ExpressionKind::Read(place) | ExpressionKind::IsUndefined(place) => designator(place, see),
        ExpressionKind::Convert(a)
        | ExpressionKind::Unary(_, a)
        | ExpressionKind::IsMember(a, _)
        | ExpressionKind::Head(a)
        | ExpressionKind::Tail(a)
        | ExpressionKind::Length(a) => expression(a, see),
        ExpressionKind::Binary(_, a, b) | ExpressionKind::Append(a, b) => {
            expression(a, see);
            expression(b, see);
        }
        ExpressionKind::If(a, b, c) => [a, b, c].into_iter().for_each(|e| expression(e, see)),
        ExpressionKind::Quantified { binder, body, .. } => {
            domain(&binder.domain, see);
            expression(body, see);
        }
        ExpressionKind::Call { arguments: values, .. } => arguments(values, see),
        ExpressionKind::Apply { arguments, .. } => arguments.iter().for_each(|a| expression(a, see)),
        ExpressionKind::MultisetCount {
            multiset, condition, ..
        } => {
            designator(multiset, see);
            expression(condition, see);
        }
    }
}
