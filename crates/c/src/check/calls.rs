//! Calls: C11 6.5.2.2.

use super::Checker;
use super::scope::Entity;
use crate::syntax::{self, ExpressionKind as Syntax};
use crate::tree::{Expression, ExpressionKind, Function};
use crate::types::{FunctionType, Type};
use system::{Diagnostic, Span};

impl Checker {
    pub(super) fn call(
        &mut self,
        function: &syntax::Expression,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Expression {
        if let Syntax::Identifier(name) = &function.kind
            && self.scopes.find(name).is_none()
        {
            if let Some(built) = self.builtin(name, function.span, arguments, span) {
                return built;
            }
            self.declare_implicitly(name, function.span);
        }
        let called = self.expression(function);
        let called = self.value(called);
        let mut values = Vec::new();
        for argument in arguments {
            let checked = self.expression(argument);
            values.push(self.value(checked));
        }
        self.checked_call(called, values, span)
    }

    pub(super) fn checked_call(&mut self, called: Expression, values: Vec<Expression>, span: Span) -> Expression {
        if self.is_error(&called) {
            return Expression::error(&self.unit.types, span);
        }
        let target = self.unit.types.target_of(called.expression_type);
        let function = target.and_then(|target| self.unit.types.function_of(target)).cloned();
        let Some(function) = function else {
            let message = "this is called, but is no function";
            let label = format!("of type `{}`", self.unit.types.name(called.expression_type));
            return self.wrong(Diagnostic::error(called.span, message).label(label));
        };
        let arguments = self.arguments(&called, &function, values, span);
        let is_wrong = arguments.iter().any(|argument| self.is_error(argument));
        if is_wrong || self.unit.types.is_error(function.result) {
            return Expression::error(&self.unit.types, span);
        }
        let result = function.result;
        if !self.unit.types.is_void(result) && self.unit.types.size(result).is_none() {
            let message = format!(
                "a call whose result has the incomplete type `{}`",
                self.unit.types.name(result)
            );
            return self.wrong(Diagnostic::error(span, message).label("incomplete type"));
        }
        if self.unit.types.is_unsupported(result) {
            return self.unsupported_value(result, span);
        }
        let kind = ExpressionKind::Call {
            function: Box::new(called),
            arguments,
        };
        Expression::new(kind, result.unqualified(), span)
    }

    fn arguments(
        &mut self,
        called: &Expression,
        function: &FunctionType,
        values: Vec<Expression>,
        span: Span,
    ) -> Vec<Expression> {
        let parameters = function.parameters.clone();
        if let Some(parameters) = &parameters {
            let too_few = values.len() < parameters.len();
            let too_many = values.len() > parameters.len() && !function.is_variadic;
            if too_few || too_many {
                return vec![self.wrong_count(called, parameters.len(), values.len(), span)];
            }
        }
        let mut arguments = Vec::new();
        for (position, value) in values.into_iter().enumerate() {
            if self.unit.types.is_unsupported(value.expression_type) {
                return vec![self.unsupported_value(value.expression_type, value.span)];
            }
            let parameter = parameters.as_ref().and_then(|parameters| parameters.get(position));
            arguments.push(match parameter {
                Some(parameter) => self.assigned(value, *parameter, "this argument"),
                None => self.unprototyped_argument(value),
            });
        }
        arguments
    }

    fn unprototyped_argument(&mut self, value: Expression) -> Expression {
        if self.unit.types.is_void(value.expression_type) {
            let message = "this argument has no value";
            return self.wrong(Diagnostic::error(value.span, message).label("void"));
        }
        self.promoted_argument(value)
    }

    fn wrong_count(&mut self, called: &Expression, expected: usize, given: usize, span: Span) -> Expression {
        let (name, declared) = match &called.kind {
            ExpressionKind::Address(inner) => match inner.kind {
                ExpressionKind::Function(function) => {
                    let function = &self.unit[function];
                    (format!("`{}`", function.name), Some(function.span))
                }
                _ => ("this function".to_owned(), None),
            },
            _ => ("this function".to_owned(), None),
        };
        let word = if given < expected { "few" } else { "many" };
        let message = format!("too {word} arguments for {name}");
        let label = format!("{given} given, {expected} expected");
        let mut error = Diagnostic::error(span, message).label(label);
        if let Some(declared) = declared {
            error = error.related(declared, "declared here");
        }
        self.wrong(error)
    }

    /// Implicit function declarations of C90, which gcc still accepts: any arguments and the result `int`, unless the
    /// function is a known one.
    fn declare_implicitly(&mut self, name: &str, span: Span) {
        let known = self.unit.builtin_type(name);
        let function_type = match known {
            Some(known) => known,
            None => self.implicit_function_type(),
        };
        let message = format!("`{name}` is called, but declared nowhere before");
        let is_known = known.is_some();
        if let Some((entity, at)) = self.scopes.linked.get(name).copied() {
            // Declared in a block that has ended.
            self.scopes.declare(name, entity, at);
            return;
        }
        let mut note = Diagnostic::new(system::Severity::Note, span, message);
        if !is_known {
            note = note.label("taken as a function with any arguments, and `int` for a result");
            if let Some(near) = self.scopes.suggestion(name) {
                note = note.help(format!("did you mean `{near}`?"));
            }
        }
        self.report(note);
        let function = self.new_function(Function {
            name: name.to_owned(),
            function_type,
            symbol: None,
            definition: None,
            is_used: true,
            is_implicit: true,
            is_noreturn: false,
            is_weak: false,
            span,
        });
        let entity = Entity::Function(function);
        self.scopes.linked.insert(name.to_owned(), (entity, span));
        self.scopes.declare(name, entity, span);
    }

    /// A call of a function by its name, as generated code.
    pub(super) fn call_known(
        &mut self,
        name: &str,
        values: Vec<Expression>,
        at: Span,
        span: Span,
    ) -> Option<Expression> {
        let function_type: Type = self.unit.builtin_type(name)?;
        let function = match self.scopes.linked.get(name).copied() {
            Some((Entity::Function(function), _)) => function,
            _ => {
                let function = self.new_function(Function {
                    name: name.to_owned(),
                    function_type,
                    symbol: None,
                    definition: None,
                    is_used: true,
                    is_implicit: false,
                    is_noreturn: false,
                    is_weak: false,
                    span: at,
                });
                self.scopes
                    .linked
                    .insert(name.to_owned(), (Entity::Function(function), at));
                function
            }
        };
        self.unit[function].is_used = true;
        let declared = self.unit[function].function_type;
        let called = Expression::new(ExpressionKind::Function(function), declared, at);
        let called = self.value(called);
        Some(self.checked_call(called, values, span))
    }
}
