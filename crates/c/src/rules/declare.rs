//! Parameters of handlers: those of the functions with events, renamed as in the rule.

use super::{Call, EXTERN, Event, Moment, Rule};
use crate::syntax::{
    Declaration, Declarator, Derivation, FunctionDefinition, Item, Name, Parameter, Parameters, Specifiers,
    TranslationUnit,
};
use std::collections::BTreeSet;
use system::{Diagnostic, Severity, Span};

/// Adds the parameters of handlers, and removes handlers for functions that the program does not have.
pub(crate) fn declare(unit: &mut TranslationUnit, rules: &mut [Rule]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    declare_variables(unit);
    for rule in rules {
        let mut left_out: Vec<String> = Vec::new();
        for event in &rule.events {
            let parameters = match &event.moment {
                Moment::End => Some(Ok(Vec::new())),
                Moment::Before(call) | Moment::After(call) => {
                    find(unit, &call.function).map(|found| found.parameters(call, event.span))
                }
            };
            match parameters {
                Some(Ok(parameters)) => give(unit, &event.handler, parameters),
                Some(Err(error)) => diagnostics.push(error),
                None => {
                    let name = event.call().map_or("", |call| call.function.as_str());
                    let message = format!("the program has no function `{name}`, so this never happens");
                    diagnostics.push(Diagnostic::new(Severity::Note, event.span, message));
                    left_out.push(event.handler.clone());
                }
            }
        }
        let is_left_out = |event: &mut Event| left_out.contains(&event.handler);
        rule.left_out = rule.events.extract_if(.., is_left_out).collect();
        unit.items.retain(|item| match item {
            Item::Function(definition) => !left_out.iter().any(|name| is_named(&definition.declarator, name)),
            _ => true,
        });
    }
    diagnostics
}

/// A rule's declaration of a program variable is dropped if the program declares it; otherwise it declares a new
/// variable.
fn declare_variables(unit: &mut TranslationUnit) {
    let name = |item: &Item| match item {
        Item::Declaration(declaration) => {
            let declarator = &declaration.declarators.first()?.declarator;
            Some(declarator.name.as_ref()?.text.clone())
        }
        _ => None,
    };
    let mut known: BTreeSet<String> = BTreeSet::new();
    for item in &unit.items {
        if let Item::Declaration(declaration) = item {
            let all = declaration.declarators.iter();
            known.extend(all.filter_map(|declared| Some(declared.declarator.name.as_ref()?.text.clone())));
        }
    }
    unit.items.retain_mut(|item| {
        let declared = name(item);
        let Some((_, wanted)) = declared.as_ref().and_then(|name| name.split_once(EXTERN)) else {
            return true;
        };
        if let Item::Declaration(declaration) = item
            && let Some(declared) = declaration.declarators.first_mut()
            && let Some(name) = &mut declared.declarator.name
        {
            wanted.clone_into(&mut name.text);
        }
        known.insert(wanted.to_owned())
    });
}

fn is_named(declarator: &Declarator, name: &str) -> bool {
    declarator.name.as_ref().is_some_and(|own| own.text == name)
}

/// The declaration of a function.
struct Declared {
    specifiers: Specifiers,
    declarator: Declarator,
    old_parameters: Vec<Declaration>,
}

/// The function of this name or with this asm label.
fn find(unit: &TranslationUnit, name: &str) -> Option<Declared> {
    let is_labelled = |declarator: &Declarator| declarator.assembler_name.as_deref() == Some(name);
    find_by(unit, |declarator| is_named(declarator, name)).or_else(|| find_by(unit, is_labelled))
}

fn find_by(unit: &TranslationUnit, is_it: impl Fn(&Declarator) -> bool) -> Option<Declared> {
    let is_function = |declarator: &Declarator| {
        is_it(declarator) && matches!(declarator.derivations.last(), Some(Derivation::Function(..)))
    };
    let mut found = None;
    for item in &unit.items {
        match item {
            Item::Function(definition) if is_function(&definition.declarator) => {
                return Some(Declared {
                    specifiers: definition.specifiers.clone(),
                    declarator: definition.declarator.clone(),
                    old_parameters: definition.old_parameters.clone(),
                });
            }
            Item::Declaration(declaration) => {
                let declarators = declaration.declarators.iter().map(|declared| &declared.declarator);
                for declarator in declarators.filter(|declarator| is_function(declarator)) {
                    found = Some(Declared {
                        specifiers: declaration.specifiers.clone(),
                        declarator: declarator.clone(),
                        old_parameters: Vec::new(),
                    });
                }
            }
            _ => {}
        }
    }
    found
}

impl Declared {
    /// The parameters of a handler: those that the event names, in this order, and then the result.
    fn parameters(&self, call: &Call, span: Span) -> Result<Vec<Parameter>, Diagnostic> {
        let own = self.own_parameters();
        let mut parameters = Vec::new();
        for (position, name) in call.arguments.iter().enumerate() {
            let Some(name) = name else {
                continue;
            };
            let Some(parameter) = own.get(position) else {
                let message = format!("`{}` is declared with fewer parameters than this", call.function);
                return Err(Diagnostic::error(span, message).help("`_` leaves an argument without a name"));
            };
            let mut parameter = parameter.clone();
            parameter.declarator.name = Some(Name {
                text: name.clone(),
                span,
            });
            parameters.push(parameter);
        }
        if let Some(name) = &call.result {
            let mut declarator = self.declarator.clone();
            declarator.derivations.pop();
            declarator.name = Some(Name {
                text: name.clone(),
                span,
            });
            parameters.push(Parameter {
                specifiers: plain(&self.specifiers),
                declarator,
                attributes: Vec::new(),
            });
        }
        Ok(parameters)
    }

    fn own_parameters(&self) -> Vec<Parameter> {
        match self.declarator.derivations.last() {
            Some(Derivation::Function(Parameters::Types { parameters, .. }, _)) => parameters.clone(),
            Some(Derivation::Function(Parameters::Names(names), _)) => {
                names.iter().filter_map(|name| self.old_parameter(&name.text)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Of a definition without a prototype.
    fn old_parameter(&self, name: &str) -> Option<Parameter> {
        self.old_parameters.iter().find_map(|declaration| {
            let mut declarators = declaration.declarators.iter().map(|declared| &declared.declarator);
            let declarator = declarators.find(|declarator| is_named(declarator, name))?;
            Some(Parameter {
                specifiers: plain(&declaration.specifiers),
                declarator: declarator.clone(),
                attributes: Vec::new(),
            })
        })
    }
}

/// The type alone.
fn plain(specifiers: &Specifiers) -> Specifiers {
    Specifiers {
        storage: Vec::new(),
        is_inline: false,
        is_noreturn: false,
        ..specifiers.clone()
    }
}

fn give(unit: &mut TranslationUnit, handler: &str, parameters: Vec<Parameter>) {
    for item in &mut unit.items {
        let Item::Function(FunctionDefinition { declarator, .. }) = item else {
            continue;
        };
        if is_named(declarator, handler)
            && let Some(Derivation::Function(own, _)) = declarator.derivations.last_mut()
        {
            *own = Parameters::Types {
                parameters,
                is_variadic: false,
            };
            return;
        }
    }
}
