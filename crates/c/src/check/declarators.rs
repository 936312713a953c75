//! From a specified type and a declarator to the declared type: C11 6.7.6.

use super::Checker;
use super::scope::{Entity, Scope};
use super::specifiers::qualified;
use crate::constant;
use crate::syntax::{ArrayLength, Declarator, Derivation, Name, Parameter, Parameters};
use crate::tree::{Expression, Storage, Variable, VariableId};
use crate::types::{FunctionType, Kind, Length, LengthId, Type};
use system::{Diagnostic, Span};

/// The parameters that a function declarator declares, for the body.
pub(super) struct ParameterList {
    /// None for unnamed ones.
    pub(super) variables: Vec<Option<VariableId>>,
    /// `f(a, b)` of an old-style definition.
    pub(super) names: Option<Vec<Name>>,
    pub(super) lengths: Vec<(LengthId, Expression)>,
    pub(super) scope: Scope,
}

impl Checker {
    pub(super) fn declared(&mut self, specified: Type, declarator: &Declarator) -> Type {
        let mut declared = specified;
        for derivation in &declarator.derivations {
            declared = match derivation {
                Derivation::Pointer(qualifiers) => {
                    let pointer = match self.unit.types.is_error(declared) {
                        true => declared,
                        false => self.unit.types.pointer_to(declared),
                    };
                    qualified(pointer, *qualifiers)
                }
                Derivation::Array(length, span) => self.array(declared, length, *span),
                Derivation::Function(parameters, span) => self.function(declared, parameters, *span),
            };
        }
        declared
    }

    /// C11 6.7.6.2.
    fn array(&mut self, element: Type, length: &ArrayLength, span: Span) -> Type {
        let length = match length {
            ArrayLength::Unknown => Length::Unknown,
            ArrayLength::AnyVariable => Length::AnyVariable,
            ArrayLength::Expression(written) => match self.array_length(written) {
                Some(length) => length,
                None => return self.unit.types.error(),
            },
        };
        let types = &self.unit.types;
        if types.is_error(element) {
            return element;
        }
        let has_size = types.size(element).is_some() || types.is_variable_array(element);
        if !has_size {
            let message = format!("an array of `{}`", types.name(element));
            let label = if types.is_function(element) {
                "functions are no elements"
            } else {
                "incomplete type"
            };
            self.report(Diagnostic::error(span, message).label(label));
            return self.unit.types.error();
        }
        let aligned = element.alignment_attribute();
        if aligned.is_some_and(|aligned| types.size(element).is_some_and(|size| size > 0 && aligned > size)) {
            let message = "an array whose elements are aligned further than they are long";
            self.report(Diagnostic::error(span, message).label(format!("aligned to {} bytes", aligned.unwrap_or(1))));
            return self.unit.types.error();
        }
        if let Length::Known(length) = length {
            let limit = 1u64 << (types.data_model.pointer_bits() - 1);
            let bytes = types.size(element).unwrap_or(0).checked_mul(length);
            if bytes.is_none_or(|bytes| bytes >= limit) {
                let message = "this array is larger than memory";
                self.report(Diagnostic::error(span, message).label(format!("{length} elements")));
                return self.unit.types.error();
            }
        }
        self.unit.types.array_of(element, length)
    }

    /// None where an error was reported.
    fn array_length(&mut self, written: &crate::syntax::Expression) -> Option<Length> {
        let checked = self.expression(written);
        let checked = self.value(checked);
        if self.is_error(&checked) {
            return None;
        }
        if !self.unit.types.is_integer(checked.expression_type) {
            let label = format!("of type `{}`", self.unit.types.name(checked.expression_type));
            self.report(Diagnostic::error(written.span, "the length of an array is no integer").label(label));
            return None;
        }
        match constant::integer(&self.unit, &checked) {
            Some(value) if value < 0 => {
                let message = format!("an array of length {value}");
                self.report(Diagnostic::error(written.span, message).label("negative"));
                None
            }
            Some(value) => u64::try_from(value).ok().map(Length::Known),
            None if self.scopes.is_file_scope() => {
                let message = "the length of an array outside of functions is not constant";
                self.report(Diagnostic::error(written.span, message).label("known only when the program runs"));
                None
            }
            None => {
                let size_type = self.unit.types.size_type();
                let length = self.convert(checked, size_type);
                let id = self.new_length();
                self.lengths.push((id, length));
                Some(Length::Variable(id))
            }
        }
    }

    /// C11 6.7.6.3.
    fn function(&mut self, result: Type, parameters: &Parameters, span: Span) -> Type {
        let types = &self.unit.types;
        if types.is_function(result) || types.is_array(result) {
            let message = format!("a function cannot return `{}`", types.name(result));
            let label = "return a pointer, or a record with it";
            self.report(Diagnostic::error(span, message).label(label));
            return self.unit.types.error();
        }
        let lengths = std::mem::take(&mut self.lengths);
        self.scopes.enter();
        let mut list = ParameterList {
            variables: Vec::new(),
            names: None,
            lengths: Vec::new(),
            scope: Scope::default(),
        };
        let (parameters, is_variadic) = match parameters {
            Parameters::Unknown => (None, false),
            Parameters::Names(names) => {
                list.names = Some(names.clone());
                (None, false)
            }
            Parameters::Types {
                parameters,
                is_variadic,
            } => {
                let mut found = Vec::new();
                for parameter in parameters {
                    let (parameter_type, variable) = self.parameter(parameter);
                    found.push(parameter_type.unqualified());
                    list.variables.push(variable);
                }
                (Some(found), *is_variadic)
            }
        };
        list.scope = self.scopes.leave();
        list.lengths = std::mem::replace(&mut self.lengths, lengths);
        self.parameters = Some(list);
        if self.unit.types.is_error(result) {
            return result;
        }
        self.unit.types.of(Kind::Function(FunctionType {
            // Qualifiers of a result have no effect.
            result: result.unqualified(),
            parameters,
            is_variadic,
        }))
    }

    fn parameter(&mut self, parameter: &Parameter) -> (Type, Option<VariableId>) {
        let specified = self.specified(&parameter.specifiers, false);
        let declared = self.declared(specified, &parameter.declarator);
        let attributes = self.type_attributes(&parameter.attributes);
        let declared = self.with_attributes(declared, &attributes);
        let adjusted = self.adjusted(declared);
        let Some(name) = &parameter.declarator.name else {
            return (adjusted, None);
        };
        if self.unit.types.is_void(adjusted) {
            let message = format!("the parameter `{}` is void", name.text);
            self.report(Diagnostic::error(name.span, message).label("has no values"));
        }
        let variable = self.declare_parameter(name, adjusted);
        (adjusted, Some(variable))
    }

    pub(super) fn declare_parameter(&mut self, name: &Name, parameter_type: Type) -> VariableId {
        if let Some((_, earlier)) = self.scopes.find_here(&name.text) {
            let message = format!("the parameter `{}` is declared twice", name.text);
            let twice = Diagnostic::error(name.span, message).label("declared again here");
            self.report(twice.related(earlier, "first declared here"));
        }
        let variable = self.new_variable(Variable {
            name: name.text.clone(),
            variable_type: parameter_type,
            storage: Storage::Parameter,
            initialiser: None,
            is_defined: true,
            is_used: true,
            span: name.span,
        });
        self.scopes.declare(&name.text, Entity::Variable(variable), name.span);
        variable
    }

    /// Arrays and functions are passed as pointers: C11 6.7.6.3p7 and p8.
    pub(super) fn adjusted(&mut self, declared: Type) -> Type {
        if let Some(element) = self.unit.types.element_of(declared) {
            return self.unit.types.pointer_to(element);
        }
        match self.unit.types.is_function(declared) {
            true => self.unit.types.pointer_to(declared),
            false => declared,
        }
    }
}
