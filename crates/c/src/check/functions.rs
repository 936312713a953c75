//! Functions: declarations, definitions, and the context of bodies: C11 6.9.1.

use super::Checker;
use super::declarators::ParameterList;
use super::scope::Entity;
use crate::syntax::{self, FunctionDefinition, Name, Storage as Word};
use crate::tree::{
    Block, CaseId, Definition, Function, FunctionId, Label, LabelId, Statement, StatementKind, Storage, Variable,
    VariableId,
};
use crate::types::{FunctionType, Kind, Type};
use std::collections::HashMap;
use system::{Diagnostic, Span};

/// The context of statements in a function body.
pub(super) struct FunctionContext {
    pub(super) name: String,
    pub(super) result: Type,
    pub(super) labels: Vec<Label>,
    label_ids: HashMap<String, LabelId>,
    /// Indexed by label.
    label_states: Vec<LabelState>,
    pub(super) cases: u32,
    /// The variables of the open blocks.
    pub(super) blocks: Vec<Vec<VariableId>>,
    pub(super) switches: Vec<super::statements::SwitchContext>,
    pub(super) loops: u32,
    /// The number of enclosing statements that `break` can leave.
    pub(super) breakable: u32,
    pub(super) is_variadic: bool,
    /// Unsupported constructs in it, which are errors only if the function is reachable.
    pub(super) refusals: Vec<Diagnostic>,
}

#[derive(Clone, Copy, Default)]
struct LabelState {
    defined: Option<Span>,
    used: Option<Span>,
}

impl Checker {
    pub(super) fn function_declaration(
        &mut self,
        name: &Name,
        declared: Type,
        storage: Option<Word>,
    ) -> Option<FunctionId> {
        if let Some(word @ (Word::Auto | Word::Register)) = storage {
            let message = format!(
                "the function `{}` is `{}`",
                name.text,
                format!("{word:?}").to_lowercase()
            );
            self.report(Diagnostic::error(name.span, message).label("functions do not lie in blocks"));
        }
        let here = self.scopes.find_here(&name.text);
        let function = match self.scopes.linked.get(&name.text).copied() {
            Some((Entity::Function(function), earlier)) => {
                self.merge_function(function, name, declared, earlier);
                function
            }
            Some((_, earlier)) => {
                self.different_thing(name, earlier);
                return None;
            }
            None => {
                if let Some((entity, earlier)) = here {
                    if !matches!(entity, Entity::Error) {
                        self.different_thing(name, earlier);
                    }
                    return None;
                }
                self.new_function(Function {
                    name: name.text.clone(),
                    function_type: declared,
                    symbol: None,
                    definition: None,
                    is_used: false,
                    is_implicit: false,
                    is_noreturn: false,
                    is_weak: false,
                    span: name.span,
                })
            }
        };
        let entity = Entity::Function(function);
        self.scopes.linked.insert(name.text.clone(), (entity, name.span));
        self.scopes.declare(&name.text, entity, name.span);
        Some(function)
    }

    fn merge_function(&mut self, function: FunctionId, name: &Name, declared: Type, earlier: Span) {
        let known = self.unit[function].function_type;
        if self.unit.types.is_compatible(known, declared) {
            let composite = self.unit.types.composite(known, declared);
            self.unit[function].function_type = composite;
            return;
        }
        if self.unit[function].is_implicit && self.unit[function].definition.is_none() {
            // gcc only warns where a function that was called without a declaration turns out to return void.
            let message = format!(
                "`{}` was called before this declaration, as if it returned `int`",
                name.text
            );
            self.report(Diagnostic::warning(name.span, message).related(earlier, "called here"));
            self.unit[function].function_type = declared;
            self.unit[function].is_implicit = false;
            return;
        }
        let message = format!("`{}` is declared with different types", name.text);
        let label = format!("`{}` here", self.unit.types.name(declared));
        let before = format!("`{}` here", self.unit.types.name(known));
        self.report(
            Diagnostic::error(name.span, message)
                .label(label)
                .related(earlier, before),
        );
    }

    pub(super) fn function_definition(&mut self, definition: &FunctionDefinition) {
        let specified = self.specified(&definition.specifiers, false);
        self.parameters = None;
        let declared = self.declared(specified, &definition.declarator);
        self.type_attributes(&definition.attributes);
        let list = self.parameters.take();
        let Some(name) = definition.declarator.name.as_ref() else {
            return;
        };
        let (Some(list), true) = (list, self.unit.types.is_function(declared)) else {
            if !self.unit.types.is_error(declared) {
                let message = format!("`{}` has a body, but is no function", name.text);
                let label = format!("`{}`", self.unit.types.name(declared));
                self.report(Diagnostic::error(name.span, message).label(label));
            }
            return;
        };
        let storage = definition.specifiers.storage.first().map(|(word, _)| *word);
        self.scopes.enter_again(list.scope.clone());
        let (declared, parameters, is_old) = self.definition_parameters(definition, declared, &list, name);
        // The name of the function belongs to the file scope, not to the scope of its parameters.
        let parameter_scope = self.scopes.leave();
        let function = self.function_declaration(name, declared, storage);
        self.scopes.enter_again(parameter_scope);
        if let Some(function) = function {
            self.function_body(function, definition, declared, parameters, is_old, list);
        }
        self.scopes.leave();
    }

    fn definition_parameters(
        &mut self,
        definition: &FunctionDefinition,
        declared: Type,
        list: &ParameterList,
        name: &Name,
    ) -> (Type, Vec<VariableId>, bool) {
        if let Some(names) = &list.names {
            let (declared, parameters) = self.old_parameters(definition, declared, names);
            return (declared, parameters, true);
        }
        let mut parameters = Vec::new();
        let types = self
            .unit
            .types
            .function_of(declared)
            .and_then(|function| function.parameters.clone());
        for (variable, parameter_type) in list.variables.iter().zip(types.clone().unwrap_or_default()) {
            parameters.push(match variable {
                Some(variable) => *variable,
                None => self.new_variable(Variable {
                    name: String::new(),
                    variable_type: parameter_type,
                    storage: Storage::Parameter,
                    initialiser: None,
                    is_defined: true,
                    is_used: true,
                    span: name.span,
                }),
            });
        }
        for variable in parameters.clone() {
            let parameter_type = self.unit[variable].variable_type;
            if self.unit.types.size(parameter_type).is_none() && !self.unit.types.is_error(parameter_type) {
                let message = format!("the parameter `{}` has an incomplete type", self.unit[variable].name);
                let label = format!("`{}`", self.unit.types.name(parameter_type));
                let span = self.unit[variable].span;
                self.report(Diagnostic::error(span, message).label(label));
            }
        }
        // `f()` with a body has no parameters, but is no prototype: C11 6.7.6.3p14.
        (declared, parameters, false)
    }

    /// `int f(a, b) char a; { ... }`: C11 6.9.1p6. Undeclared parameters are `int`.
    fn old_parameters(
        &mut self,
        definition: &FunctionDefinition,
        declared: Type,
        names: &[Name],
    ) -> (Type, Vec<VariableId>) {
        let mut types: HashMap<String, (Type, Span)> = HashMap::new();
        for declaration in &definition.old_parameters {
            let specified = self.specified(&declaration.specifiers, false);
            for declarator in &declaration.declarators {
                let parameter_type = self.declared(specified, &declarator.declarator);
                let parameter_type = self.adjusted(parameter_type);
                let Some(name) = &declarator.declarator.name else {
                    continue;
                };
                if !names.iter().any(|parameter| parameter.text == name.text) {
                    let message = format!("`{}` is declared like a parameter, but is none", name.text);
                    self.report(Diagnostic::error(name.span, message).label("not between the parentheses"));
                    continue;
                }
                types.insert(name.text.clone(), (parameter_type, name.span));
            }
        }
        let int = self.unit.types.int();
        let mut parameters = Vec::new();
        for name in names {
            let (parameter_type, span) = types.get(&name.text).copied().unwrap_or((int, name.span));
            let at = Name {
                text: name.text.clone(),
                span,
            };
            parameters.push(self.declare_parameter(&at, parameter_type));
        }
        (declared, parameters)
    }

    fn function_body(
        &mut self,
        function: FunctionId,
        definition: &FunctionDefinition,
        declared: Type,
        parameters: Vec<VariableId>,
        is_old: bool,
        list: ParameterList,
    ) {
        if self.unit[function].definition.is_some() {
            let name = self.unit[function].name.clone();
            let message = format!("the function `{name}` is defined twice");
            let span = definition
                .declarator
                .name
                .as_ref()
                .map_or(definition.declarator.span, |name| name.span);
            let twice = Diagnostic::error(span, message).label("defined again here");
            self.report(twice.related(self.unit[function].span, "first defined here"));
            return;
        }
        let (result, is_variadic) = match self.unit.types.function_of(declared) {
            Some(function) => (function.result, function.is_variadic),
            None => return,
        };
        if self.unit.types.size(result).is_none() && !self.unit.types.is_void(result) {
            let message = format!("a function that returns `{}`", self.unit.types.name(result));
            self.report(Diagnostic::error(definition.declarator.span, message).label("incomplete type"));
        }
        self.unit[function].span = definition
            .declarator
            .name
            .as_ref()
            .map_or(definition.span, |name| name.span);
        // Calls in its own body find it defined.
        self.unit[function].is_implicit = false;
        self.function = Some(FunctionContext {
            name: self.unit[function].name.clone(),
            result,
            labels: Vec::new(),
            label_ids: HashMap::new(),
            label_states: Vec::new(),
            cases: 0,
            blocks: vec![Vec::new()],
            switches: Vec::new(),
            loops: 0,
            breakable: 0,
            is_variadic,
            refusals: Vec::new(),
        });
        self.lengths = list.lengths;
        let mut statements = self.take_lengths(definition.declarator.span);
        self.block_items(&definition.body.items, &mut statements);
        self.finish_function(function, definition, parameters, is_old, statements);
    }

    fn finish_function(
        &mut self,
        function: FunctionId,
        definition: &FunctionDefinition,
        parameters: Vec<VariableId>,
        is_old: bool,
        statements: Vec<Statement>,
    ) {
        let Some(mut context) = self.function.take() else {
            return;
        };
        for (label, state) in context.labels.iter().zip(&context.label_states) {
            let (None, Some(used)) = (state.defined, state.used) else {
                continue;
            };
            let name = label.name.clone();
            let message = format!("there is no label `{name}` in this function");
            let mut error = Diagnostic::error(used, message).label("no such label");
            let others = context
                .labels
                .iter()
                .map(|label| label.name.as_str())
                .filter(|other| **other != name);
            if let Some(near) = system::suggest::nearest(&name, others) {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.report(error);
        }
        let variables = context.blocks.pop().unwrap_or_default();
        self.unit[function].definition = Some(Definition {
            parameters,
            is_old,
            body: Block {
                variables,
                statements,
                span: definition.body.span,
            },
            labels: context.labels,
            cases: context.cases,
            refusals: context.refusals,
        });
    }

    /// The label of this name in the function; it may be defined later.
    pub(super) fn label(&mut self, name: &Name, is_definition: bool) -> Option<LabelId> {
        let context = self.function.as_mut()?;
        let next = LabelId(u32::try_from(context.labels.len()).unwrap_or(u32::MAX));
        let id = *context.label_ids.entry(name.text.clone()).or_insert(next);
        if id == next {
            context.labels.push(Label {
                name: name.text.clone(),
                span: name.span,
            });
            context.label_states.push(LabelState::default());
        }
        let state = &mut context.label_states[id.0 as usize];
        let earlier = state.defined;
        if is_definition {
            state.defined = earlier.or(Some(name.span));
            context.labels[id.0 as usize].span = name.span;
        } else {
            state.used = state.used.or(Some(name.span));
        }
        if let (true, Some(earlier)) = (is_definition, earlier) {
            let message = format!("the label `{}` is set twice", name.text);
            let twice = Diagnostic::error(name.span, message).label("set again here");
            self.report(twice.related(earlier, "first set here"));
            return None;
        }
        Some(id)
    }

    pub(super) fn new_case(&mut self) -> CaseId {
        let Some(context) = self.function.as_mut() else {
            return CaseId(0);
        };
        context.cases += 1;
        CaseId(context.cases - 1)
    }

    /// Adds a variable to the innermost open block.
    pub(super) fn own_in_block(&mut self, variable: VariableId) {
        if let Some(block) = self.function.as_mut().and_then(|context| context.blocks.last_mut()) {
            block.push(variable);
        }
    }

    /// The type of an undeclared function: C90 6.3.2.2.
    pub(super) fn implicit_function_type(&mut self) -> Type {
        let int = self.unit.types.int();
        self.unit.types.of(Kind::Function(FunctionType {
            result: int,
            parameters: None,
            is_variadic: false,
        }))
    }

    /// Nested functions of GNU C are unsupported.
    pub(super) fn nested_function(&mut self, definition: &syntax::FunctionDefinition) {
        let span = definition.declarator.span;
        let error = Diagnostic::error(span, "functions in functions are not supported").label("inside of a function");
        self.refuse(error.help("move it before the function that it stands in"));
        if let Some(name) = &definition.declarator.name {
            self.scopes.declare(&name.text, Entity::Error, name.span);
        }
    }
}

/// A compound statement.
pub(super) fn block(variables: Vec<VariableId>, statements: Vec<Statement>, span: Span) -> Statement {
    Statement {
        kind: StatementKind::Block(Block {
            variables,
            statements,
            span,
        }),
        span,
    }
}
