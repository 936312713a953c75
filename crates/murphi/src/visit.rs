//! Visitors for every expression and every statement of a typed model.

use crate::model::*;

/// Calls `see` for each expression of the model, parents first.
pub(crate) fn visit_expressions<'m>(model: &'m Model, see: &mut dyn FnMut(&'m Expression)) {
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

/// Calls `see` for each statement of the model, parents first.
pub(crate) fn visit_statements<'m>(model: &'m Model, see: &mut dyn FnMut(&'m Statement)) {
    let rules = model.starts.iter().chain(&model.rules).map(|rule| &rule.body);
    let bodies = model.subprograms.iter().map(|subprogram| &subprogram.body).chain(rules);
    bodies.for_each(|body| statements_in(body, see));
}

/// The subprograms that these statements call.
pub(crate) fn called_by(body: &[Statement]) -> Vec<SubprogramId> {
    let mut called = Vec::new();
    statements_in(body, &mut |statement| {
        if let StatementKind::Call { subprogram, .. } = &statement.kind {
            called.push(*subprogram);
        }
    });
    statements(body, &mut |expression| called.extend(callee(expression)));
    called
}

/// The calls in a formula and its context, each with its span.
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

pub(crate) fn statements_in<'m>(statements: &'m [Statement], see: &mut dyn FnMut(&'m Statement)) {
    for statement in statements {
        see(statement);
        match &statement.kind {
            StatementKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| statements_in(body, see));
                statements_in(otherwise, see);
            }
            StatementKind::Switch { cases, otherwise, .. } => {
                cases.iter().for_each(|(_, body)| statements_in(body, see));
                statements_in(otherwise, see);
            }
            StatementKind::For { body, .. } | StatementKind::While { body, .. } | StatementKind::Alias { body, .. } => {
                statements_in(body, see)
            }
            _ => {}
        }
    }
}

/// Calls `see` for each expression in these statements.
pub(crate) fn expressions_in<'m>(body: &'m [Statement], see: &mut dyn FnMut(&'m Expression)) {
    statements(body, see);
}

/// Calls `see` for the expression and its sub-expressions.
pub(crate) fn expressions_below<'m>(outer: &'m Expression, see: &mut dyn FnMut(&'m Expression)) {
    expression(outer, see);
}

/// Calls `see` for each expression in the context of a rule or property, and in its guard or condition.
pub(crate) fn expressions_around<'m>(
    context: &'m [Context],
    condition: Option<&'m Expression>,
    see: &mut dyn FnMut(&'m Expression),
) {
    contexts(context, see);
    condition.into_iter().for_each(|condition| expression(condition, see));
}

/// Calls `see` for each expression of a statement, without those of nested statements.
pub(crate) fn expressions_of<'m>(outer: &'m Statement, see: &mut dyn FnMut(&'m Expression)) {
    match &outer.kind {
        StatementKind::If { .. } | StatementKind::Switch { .. } => {}
        StatementKind::For { binder, .. } => domain(&binder.domain, see),
        StatementKind::While { condition, .. } => expression(condition, see),
        StatementKind::Alias { aliases, .. } => aliases.iter().for_each(|(_, target)| alias(target, see)),
        _ => statement(outer, see),
    }
}

fn contexts<'m>(context: &'m [Context], see: &mut dyn FnMut(&'m Expression)) {
    for part in context {
        match part {
            Context::Parameter(binder) => domain(&binder.domain, see),
            Context::Alias(_, target) => alias(target, see),
            Context::Choose { multiset, .. } => designator(multiset, see),
        }
    }
}

fn domain<'m>(domain: &'m Domain, see: &mut dyn FnMut(&'m Expression)) {
    if let Domain::Range { low, high, step } = domain {
        [Some(low), Some(high), step.as_ref()]
            .into_iter()
            .flatten()
            .for_each(|e| expression(e, see));
    }
}

fn alias<'m>(target: &'m AliasTarget, see: &mut dyn FnMut(&'m Expression)) {
    match target {
        AliasTarget::Place(place) => designator(place, see),
        AliasTarget::Value(value) => expression(value, see),
    }
}

fn designator<'m>(designator: &'m Designator, see: &mut dyn FnMut(&'m Expression)) {
    for selector in &designator.selectors {
        if let Selector::Index(index) | Selector::Element(index) = selector {
            expression(index, see);
        }
    }
}

fn arguments<'m>(arguments: &'m [Argument], see: &mut dyn FnMut(&'m Expression)) {
    for argument in arguments {
        match argument {
            Argument::Value(value) => expression(value, see),
            Argument::Reference(place) => designator(place, see),
        }
    }
}

fn statements<'m>(statements: &'m [Statement], see: &mut dyn FnMut(&'m Expression)) {
    statements.iter().for_each(|s| statement(s, see));
}

fn statement<'m>(statement: &'m Statement, see: &mut dyn FnMut(&'m Expression)) {
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

fn expression<'m>(expression_at: &'m Expression, see: &mut dyn FnMut(&'m Expression)) {
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
