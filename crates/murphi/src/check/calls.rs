//! Type checking of calls: functions and procedures, uninterpreted symbols, and list operations.

use system::{Diagnostic, Span};

use super::names::Entity;
use super::{BOOLEAN, Checker, EMPTY_LIST, ERROR, INTEGER, LocalDetail, Owner};
use crate::model::{
    Argument, Binary, Designator, Expression, ExpressionKind, LocalKind, Root, StatementKind, SubprogramId, TypeId,
    TypeKind, UninterpretedId,
};
use crate::syntax;

/// The list operations, which any declaration of the same name hides.
const LIST_OPERATIONS: [&str; 5] = ["append", "empty", "head", "length", "tail"];

impl Checker {
    pub(super) fn call_expression(
        &mut self,
        name: &syntax::Identifier,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Expression {
        match self
            .scopes
            .lookup(&name.text)
            .map(|declared| (declared.entity, declared.span))
        {
            Some((Entity::Subprogram(id), declared)) => {
                let Some(result) = self.model.subprograms[id.0].result else {
                    self.arguments(id, name, arguments);
                    self.report(
                        Diagnostic::error(span, format!("the procedure `{}` has no value", name.text))
                            .label("a value is expected here")
                            .related(declared, "declared here"),
                    );
                    return self.wrong(ERROR, span);
                };
                match self.arguments(id, name, arguments) {
                    Some(arguments) => Expression {
                        kind: ExpressionKind::Call {
                            subprogram: id,
                            arguments,
                        },
                        ty: result,
                        span,
                    },
                    None => self.wrong(result, span),
                }
            }
            Some((Entity::Uninterpreted(id), _)) => self.apply(id, name, arguments, span),
            Some((_, declared)) => {
                self.ignored(arguments);
                self.report(
                    Diagnostic::error(name.span, format!("`{}` is not a function", name.text))
                        .label("called here")
                        .related(declared, "declared here"),
                );
                self.wrong(ERROR, span)
            }
            None if LIST_OPERATIONS.contains(&name.text.to_lowercase().as_str()) => {
                self.list_operation(name, arguments, span)
            }
            None => {
                self.ignored(arguments);
                self.report_unknown(name, "function", |entity| {
                    matches!(entity, Entity::Subprogram(_) | Entity::Uninterpreted(_))
                });
                self.wrong(ERROR, span)
            }
        }
    }

    pub(super) fn call_statement(
        &mut self,
        name: &syntax::Identifier,
        arguments: &[syntax::Expression],
    ) -> Option<StatementKind> {
        match self
            .scopes
            .lookup(&name.text)
            .map(|declared| (declared.entity, declared.span))
        {
            // A function may be called as a statement; Rumur discards the value.
            Some((Entity::Subprogram(id), _)) => {
                let arguments = self.arguments(id, name, arguments)?;
                Some(StatementKind::Call {
                    subprogram: id,
                    arguments,
                })
            }
            Some((_, declared)) => {
                self.ignored(arguments);
                self.report(
                    Diagnostic::error(name.span, format!("`{}` is not a procedure", name.text))
                        .label("called here")
                        .related(declared, "declared here"),
                );
                None
            }
            None if LIST_OPERATIONS.contains(&name.text.to_lowercase().as_str()) => {
                self.ignored(arguments);
                self.report(
                    Diagnostic::error(name.span, format!("`{}` only computes a value", name.text))
                        .label("it changes nothing")
                        .help(format!("assign the value: `list := {}(...)`", name.text)),
                );
                None
            }
            None => {
                self.ignored(arguments);
                self.report_unknown(name, "procedure", |entity| matches!(entity, Entity::Subprogram(_)));
                None
            }
        }
    }

    /// Checks the arguments of an invalid call for errors of their own.
    fn ignored(&mut self, arguments: &[syntax::Expression]) {
        for argument in arguments {
            self.expression(argument);
        }
    }

    fn count_fits(&mut self, name: &syntax::Identifier, found: usize, expected: usize, declared: Span) -> bool {
        if found == expected {
            return true;
        }
        let plural = if expected == 1 { "" } else { "s" };
        let mut diagnostic = Diagnostic::error(
            name.span,
            format!("`{}` takes {expected} argument{plural}, not {found}", name.text),
        )
        .label("called here");
        if declared != Span::default() {
            diagnostic = diagnostic.related(declared, "declared here");
        }
        self.report(diagnostic);
        false
    }

    fn arguments(
        &mut self,
        id: SubprogramId,
        name: &syntax::Identifier,
        arguments: &[syntax::Expression],
    ) -> Option<Vec<Argument>> {
        if matches!(self.frame.owner, Owner::Axiom | Owner::Declaration) {
            self.report(
                Diagnostic::error(name.span, "functions cannot be called here")
                    .label("their values depend on the state"),
            );
            return None;
        }
        let subprogram = &self.model.subprograms[id.0];
        let parameters: Vec<_> = subprogram
            .parameters
            .iter()
            .map(|parameter| subprogram.locals[parameter.0].clone())
            .collect();
        let declared = subprogram.span;
        if !self.count_fits(name, arguments.len(), parameters.len(), declared) {
            self.ignored(arguments);
            return None;
        }
        let mut checked = Vec::new();
        let mut failed = false;
        for (argument, parameter) in arguments.iter().zip(&parameters) {
            let value = if parameter.kind == LocalKind::Reference {
                self.reference(argument, parameter.ty, &parameter.name, parameter.span)
                    .map(Argument::Reference)
            } else if matches!(argument.kind, syntax::ExpressionKind::Undefined) {
                Some(Argument::Value(self.undefined_value(parameter.ty, argument.span)))
            } else {
                let what = format!("the argument `{}`", parameter.name);
                Some(Argument::Value(self.expression_of(argument, parameter.ty, &what)))
            };
            match value {
                Some(value) => checked.push(value),
                None => failed = true,
            }
        }
        (!failed).then_some(checked)
    }

    /// CMurphi's `undefined` as an argument: a variable that nothing ever defines.
    fn undefined_value(&mut self, ty: TypeId, span: Span) -> Expression {
        let name = syntax::Identifier {
            text: "undefined".to_owned(),
            span,
        };
        let local = self.add_local(&name, ty, LocalKind::Variable, LocalDetail::default());
        let place = Designator {
            root: Root::Local(local),
            selectors: Vec::new(),
            ty,
            span,
        };
        Expression {
            kind: ExpressionKind::Read(place),
            ty,
            span,
        }
    }

    /// An argument for a `var` parameter: a variable of exactly the same type, since both names denote the same
    /// storage.
    fn reference(
        &mut self,
        argument: &syntax::Expression,
        ty: TypeId,
        parameter: &str,
        declared: Span,
    ) -> Option<Designator> {
        let what = format!("the argument for `var {parameter}`");
        let place = self.target(argument, &what)?;
        if self.same_type(place.ty, ty) {
            self.warn_mixed_scalarsets(place.ty, ty, place.span);
            return Some(place);
        }
        let (expected, found) = (self.describe(ty), self.describe(place.ty));
        self.report(
            Diagnostic::error(place.span, format!("{what} must be {expected}"))
                .label(format!("this is {found}"))
                .related(declared, "the types must be the same here"),
        );
        None
    }

    fn apply(
        &mut self,
        id: UninterpretedId,
        name: &syntax::Identifier,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Expression {
        let symbol = self.model.uninterpreted[id.0].clone();
        if !self.count_fits(name, arguments.len(), symbol.parameters.len(), symbol.span) {
            self.ignored(arguments);
            return self.wrong(symbol.result, span);
        }
        let what = format!("the argument of `{}`", name.text);
        let arguments = arguments
            .iter()
            .zip(&symbol.parameters)
            .map(|(argument, ty)| self.expression_of(argument, *ty, &what))
            .collect();
        Expression {
            kind: ExpressionKind::Apply { symbol: id, arguments },
            ty: symbol.result,
            span,
        }
    }

    fn list_operation(
        &mut self,
        name: &syntax::Identifier,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Expression {
        let operation = name.text.to_lowercase();
        let expected = if operation == "append" { 2 } else { 1 };
        let result = match operation.as_str() {
            "empty" => BOOLEAN,
            "length" => INTEGER,
            _ => ERROR,
        };
        if !self.count_fits(name, arguments.len(), expected, Span::default()) {
            self.ignored(arguments);
            return self.wrong(result, span);
        }
        let list = self.expression(&arguments[0]);
        let Some(element) = self.element_type(&list, &name.text) else {
            self.ignored(&arguments[1..]);
            return self.wrong(result, span);
        };
        if operation == "append" {
            let last = match list.ty {
                EMPTY_LIST => self.expression(&arguments[1]),
                _ => self.expression_of(&arguments[1], element, "the appended element"),
            };
            return Expression {
                ty: list.ty,
                kind: ExpressionKind::Append(Box::new(list), Box::new(last)),
                span,
            };
        }
        if list.ty == EMPTY_LIST {
            return self.unknown_element(list.span, result);
        }
        let list_type = list.ty;
        let boxed = Box::new(list);
        let (kind, ty) = match operation.as_str() {
            "head" => (ExpressionKind::Head(boxed), element),
            "tail" => (ExpressionKind::Tail(boxed), list_type),
            "length" => (ExpressionKind::Length(boxed), INTEGER),
            _ => {
                let empty = Expression {
                    kind: ExpressionKind::EmptyList,
                    ty: list_type,
                    span,
                };
                (ExpressionKind::Binary(Binary::Equal, boxed, Box::new(empty)), BOOLEAN)
            }
        };
        Expression { kind, ty, span }
    }

    /// The element type of a list; reports an error if it is no list.
    fn element_type(&mut self, list: &Expression, operation: &str) -> Option<TypeId> {
        if let TypeKind::List { element } = *self.model.kind(list.ty) {
            return Some(element);
        }
        if !self.is_wrong(list) {
            let found = self.describe(list.ty);
            self.report(
                Diagnostic::error(list.span, format!("`{operation}` works on lists only"))
                    .label(format!("this is {found}")),
            );
        }
        None
    }

    /// The error for `[]` without a context that determines its element type.
    pub(super) fn unknown_element(&mut self, span: Span, ty: TypeId) -> Expression {
        self.report(
            Diagnostic::error(span, "nothing says what this is a list of").label("the type of its elements is unknown"),
        );
        self.wrong(ty, span)
    }
}
