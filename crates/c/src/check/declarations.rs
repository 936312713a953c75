//! Declarations of variables and type names, linkage and redeclarations: C11 6.7, 6.2.2, 6.9.2.

use super::Checker;
use super::attributes::TypeAttributes;
use super::scope::Entity;
use crate::syntax::{Attribute, Declaration, InitialisedDeclarator, Name, Storage as Word};
use crate::tree::{Expression, ExpressionKind, Statement, StatementKind, Storage, Variable, VariableId};
use crate::types::{Kind, Length, Type};
use system::{Diagnostic, Span};

/// The specifiers common to all declarators.
struct Common<'d> {
    storage: Option<(Word, Span)>,
    specified: Type,
    attributes: TypeAttributes,
    /// All attributes, as written.
    written: &'d [Attribute],
    is_noreturn: bool,
}

impl Checker {
    /// Adds what is executed at the declaration to `statements`.
    pub(super) fn declaration(&mut self, declaration: &Declaration, statements: &mut Vec<Statement>) {
        let specifiers = &declaration.specifiers;
        let specified = self.specified(specifiers, declaration.declarators.is_empty());
        let mut attributes = self.attributes_quietly(&specifiers.attributes);
        attributes.alignment = attributes.alignment.max(self.alignas(specifiers));
        let common = Common {
            storage: self.storage(&specifiers.storage),
            specified,
            attributes,
            written: &specifiers.attributes,
            is_noreturn: specifiers.is_noreturn,
        };
        for declarator in &declaration.declarators {
            self.declarator(&common, declarator, statements);
        }
        if declaration.declarators.is_empty() {
            statements.extend(self.take_lengths(declaration.span));
        }
    }

    /// C11 6.7.1p2: at most one storage class.
    fn storage(&mut self, words: &[(Word, Span)]) -> Option<(Word, Span)> {
        let mut found: Option<(Word, Span)> = None;
        for (word, span) in words {
            match (found, word) {
                // Programs have one thread.
                (_, Word::ThreadLocal) => {}
                (None, _) => found = Some((*word, *span)),
                (Some((earlier, _)), _) if earlier == *word => {}
                (Some((_, earlier)), _) => {
                    let message = "two storage classes in one declaration";
                    let twice = Diagnostic::error(*span, message).label("another one");
                    self.report(twice.related(earlier, "the first"));
                }
            }
        }
        found
    }

    fn declarator(&mut self, common: &Common, written: &InitialisedDeclarator, statements: &mut Vec<Statement>) {
        let declared = self.declared(common.specified, &written.declarator);
        let own = self.type_attributes(&written.attributes);
        let declared = self.with_attributes(declared, &own.without_alignment());
        let span = written.declarator.span;
        statements.extend(self.take_lengths(span));
        let Some(name) = &written.declarator.name else {
            return;
        };
        let storage = common.storage.map(|(word, _)| word);
        if storage == Some(Word::Typedef) {
            let alignment = common.attributes.alignment.max(own.alignment);
            let declared = match alignment {
                Some(alignment) => declared.aligned_to(alignment),
                None => declared,
            };
            self.type_definition(name, declared);
            if let Some(initialiser) = &written.initialiser {
                let message = format!("the type name `{}` has an initial value", name.text);
                self.report(Diagnostic::error(initialiser_span(initialiser), message).label("no variable"));
            }
        } else if self.unit.types.is_function(declared) {
            let function = self.function_declaration(name, declared, storage);
            if let Some(function) = function {
                if let Some(symbol) = &written.declarator.assembler_name {
                    self.unit[function].symbol = Some(symbol.clone());
                }
                let is_said = |name: &str| {
                    let attributes = common.written.iter().chain(&written.attributes);
                    attributes.into_iter().any(|attribute| attribute.name.text == name)
                };
                self.unit[function].is_noreturn |= common.is_noreturn || is_said("noreturn");
                self.unit[function].is_weak |= is_said("weak");
            }
            if let Some(initialiser) = &written.initialiser {
                let message = format!("the function `{}` is initialised like a variable", name.text);
                self.report(Diagnostic::error(initialiser_span(initialiser), message).label("no variable"));
            }
        } else {
            self.variable(name, declared, storage, written, statements);
            let alignment = common.attributes.alignment.max(own.alignment);
            if let (Some(alignment), Some((Entity::Variable(variable), _))) =
                (alignment, self.scopes.find_here(&name.text))
            {
                let strictest = self.alignments.entry(variable).or_default();
                *strictest = alignment.max(*strictest);
            }
        }
    }

    /// C11 6.7p3: a type name may be redefined as the same type.
    fn type_definition(&mut self, name: &Name, defined: Type) {
        if let Some((earlier, at)) = self.scopes.find_here(&name.text) {
            let is_same = match earlier {
                Entity::Typedef(earlier) => self.unit.types.is_compatible(earlier, defined),
                Entity::Error => true,
                _ => false,
            };
            if !is_same {
                let message = format!("`{}` is declared twice, as different things", name.text);
                let twice = Diagnostic::error(name.span, message).label("declared again here");
                self.report(twice.related(at, "first declared here"));
            }
        }
        self.scopes.declare(&name.text, Entity::Typedef(defined), name.span);
    }

    fn variable(
        &mut self,
        name: &Name,
        declared: Type,
        storage: Option<Word>,
        written: &InitialisedDeclarator,
        statements: &mut Vec<Statement>,
    ) {
        if self.unit.types.is_error(declared) {
            // Its initialiser is not checked, since its type is unknown.
            self.scopes.declare(&name.text, Entity::Error, name.span);
            return;
        }
        let is_linked = self.scopes.is_file_scope() || storage == Some(Word::Extern);
        if self.unit.types.is_void(declared) && !is_linked {
            let message = format!("the variable `{}` is void", name.text);
            self.report(Diagnostic::error(name.span, message).label("has no values"));
            self.scopes.declare(&name.text, Entity::Error, name.span);
            return;
        }
        let is_static = storage == Some(Word::Static);
        if is_linked {
            self.linked_variable(name, declared, storage, written);
            return;
        }
        self.refuse_twice(name);
        let variable = self.new_variable(Variable {
            name: name.text.clone(),
            variable_type: declared,
            storage: if is_static { Storage::Static } else { Storage::Local },
            initialiser: None,
            is_defined: true,
            is_used: true,
            span: name.span,
        });
        // C11 6.2.1p7: the name is in scope in its own initialiser.
        self.scopes.declare(&name.text, Entity::Variable(variable), name.span);
        if is_static {
            self.static_local(variable, written);
        } else {
            self.automatic_local(variable, written, statements);
        }
    }

    fn refuse_twice(&mut self, name: &Name) {
        if let Some((entity, earlier)) = self.scopes.find_here(&name.text)
            && !matches!(entity, Entity::Error)
        {
            let message = format!("`{}` is declared twice", name.text);
            let twice = Diagnostic::error(name.span, message).label("declared again here");
            self.report(twice.related(earlier, "first declared here"));
        }
    }

    fn static_local(&mut self, variable: VariableId, written: &InitialisedDeclarator) {
        if written.declarator.assembler_name.is_some() {
            let message = "an assembler name of a static variable in a function is not supported";
            self.report(Diagnostic::error(written.declarator.span, message).label("named for the linker"));
        }
        if let Some(initialiser) = &written.initialiser {
            let declared = self.unit[variable].variable_type;
            let checked = self.initialiser(declared, initialiser, true);
            if let Some((checked, completed)) = checked {
                self.unit[variable].variable_type = completed;
                self.unit[variable].initialiser = Some(checked);
            }
        }
        self.require_size(variable);
    }

    fn automatic_local(
        &mut self,
        variable: VariableId,
        written: &InitialisedDeclarator,
        statements: &mut Vec<Statement>,
    ) {
        let declared = self.unit[variable].variable_type;
        let span = written.declarator.span;
        self.own_in_block(variable);
        if self.unit.types.is_variable_array(declared) {
            if written.initialiser.is_some() {
                let name = &self.unit[variable].name;
                let message = format!("the array `{name}` has a length that is known only at run time");
                self.report(Diagnostic::error(span, message).label("may not be initialised"));
            }
            let kind = StatementKind::Allocate(variable);
            statements.push(Statement { kind, span });
            return;
        }
        if written.initialiser.is_none() && written.declarator.assembler_name.is_some() {
            // It lies in a register that the user named, whose content is arbitrary.
            let own = Expression::new(ExpressionKind::Variable(variable), declared, span);
            let kind = StatementKind::Assembler {
                outputs: vec![own],
                inputs: Vec::new(),
            };
            statements.push(Statement { kind, span });
        }
        if let Some(initialiser) = &written.initialiser
            && let Some((checked, completed)) = self.initialiser(declared, initialiser, false)
        {
            self.unit[variable].variable_type = completed;
            let span = span.to(initialiser_span(initialiser));
            let kind = StatementKind::Initialise(variable, checked);
            statements.push(Statement { kind, span });
        }
        self.require_size(variable);
    }

    fn require_size(&mut self, variable: VariableId) {
        let declared = self.unit[variable].variable_type;
        if self.unit.types.size(declared).is_none() && !self.unit.types.is_error(declared) {
            let name = &self.unit[variable].name;
            let message = format!("the size of `{name}` is not known");
            let label = format!("`{}` is incomplete", self.unit.types.name(declared));
            let span = self.unit[variable].span;
            self.report(Diagnostic::error(span, message).label(label));
            self.unit[variable].variable_type = self.unit.types.error();
        }
    }

    /// A variable at file scope or declared `extern`: all declarations of a name denote one variable.
    fn linked_variable(&mut self, name: &Name, declared: Type, storage: Option<Word>, written: &InitialisedDeclarator) {
        if !self.scopes.is_file_scope() {
            self.refuse_other_linkage(name);
        }
        let symbol = written.declarator.assembler_name.as_ref();
        let linked = self.scopes.linked.get(&name.text).copied();
        let same = self.scopes.symbols.get(symbol.unwrap_or(&name.text)).copied();
        let same = same.map(|(variable, earlier)| (Entity::Variable(variable), earlier));
        let is_same =
            matches!((linked, same), (Some((Entity::Variable(a), _)), Some((Entity::Variable(b), _))) if a == b);
        if let (Some(symbol), Some((_, earlier)), false) = (symbol, linked, is_same) {
            let message = format!(
                "the assembler name of `{}` is said after its first declaration",
                name.text
            );
            let late = Diagnostic::error(name.span, message).label(format!("called `{symbol}` here"));
            self.report(late.related(earlier, "first declared here"));
            return;
        }
        let variable = match linked.or(same) {
            Some((Entity::Variable(variable), earlier)) => {
                self.merge_variable(variable, name, declared, earlier);
                variable
            }
            Some((entity, earlier)) => {
                if !matches!(entity, Entity::Error) {
                    self.different_thing(name, earlier);
                }
                return;
            }
            None => {
                if let Some((entity, earlier)) = self.scopes.find_here(&name.text) {
                    if !matches!(entity, Entity::Error) {
                        self.different_thing(name, earlier);
                    }
                    return;
                }
                self.new_variable(Variable {
                    name: name.text.clone(),
                    variable_type: declared,
                    storage: Storage::Static,
                    initialiser: None,
                    is_defined: false,
                    is_used: false,
                    span: name.span,
                })
            }
        };
        let entity = Entity::Variable(variable);
        if linked.is_none() {
            let symbol = symbol.unwrap_or(&name.text).clone();
            self.scopes.symbols.insert(symbol, (variable, name.span));
        }
        self.scopes.linked.insert(name.text.clone(), (entity, name.span));
        self.scopes.declare(&name.text, entity, name.span);
        // C11 6.9.2p2: without an initialiser, it is a tentative definition.
        let is_elsewhere = matches!(storage, Some(Word::Extern | Word::Register));
        if !is_elsewhere || written.initialiser.is_some() {
            self.unit[variable].is_defined = true;
        }
        self.linked_initialiser(variable, name, written);
    }

    fn linked_initialiser(&mut self, variable: VariableId, name: &Name, written: &InitialisedDeclarator) {
        let Some(initialiser) = &written.initialiser else {
            return;
        };
        if self.unit[variable].initialiser.is_some() {
            let message = format!("`{}` is given two initial values", name.text);
            let twice = Diagnostic::error(name.span, message).label("defined again here");
            self.report(twice.related(self.unit[variable].span, "first defined here"));
            return;
        }
        let declared = self.unit[variable].variable_type;
        if let Some((checked, completed)) = self.initialiser(declared, initialiser, true) {
            self.unit[variable].variable_type = completed;
            self.unit[variable].initialiser = Some(checked);
            self.unit[variable].span = name.span;
        }
    }

    fn refuse_other_linkage(&mut self, name: &Name) {
        let Some((Entity::Variable(earlier), at)) = self.scopes.find_here(&name.text) else {
            return;
        };
        if self.unit[earlier].storage != Storage::Static {
            self.different_thing(name, at);
        }
    }

    pub(super) fn different_thing(&mut self, name: &Name, earlier: Span) {
        let message = format!("`{}` is declared twice, as different things", name.text);
        let twice = Diagnostic::error(name.span, message).label("declared again here");
        self.report(twice.related(earlier, "first declared here"));
    }

    fn merge_variable(&mut self, variable: VariableId, name: &Name, declared: Type, earlier: Span) {
        let known = self.unit[variable].variable_type;
        if !self.unit.types.is_compatible(known, declared) {
            let message = format!("`{}` is declared with different types", name.text);
            let label = format!("`{}` here", self.unit.types.name(declared));
            let before = format!("`{}` here", self.unit.types.name(known));
            self.report(
                Diagnostic::error(name.span, message)
                    .label(label)
                    .related(earlier, before),
            );
            return;
        }
        self.unit[variable].variable_type = self.unit.types.composite(known, declared);
    }

    /// At the end of the file, tentative definitions become definitions: C11 6.9.2p2 and p5.
    pub(super) fn finish(&mut self) {
        for index in 0..self.unit.variables.len() {
            let variable = &self.unit.variables[index];
            let declared = variable.variable_type;
            if variable.storage != Storage::Static || !variable.is_defined || self.unit.types.size(declared).is_some() {
                continue;
            }
            if let Kind::Array {
                element,
                length: Length::Unknown,
            } = *self.unit.types.kind(declared)
            {
                let one = self.unit.types.array_of(element, Length::Known(1));
                self.unit.variables[index].variable_type = one;
                continue;
            }
            let id = VariableId(u32::try_from(index).unwrap_or(u32::MAX));
            self.require_size(id);
        }
    }
}

fn initialiser_span(initialiser: &crate::syntax::Initialiser) -> Span {
    match initialiser {
        crate::syntax::Initialiser::Expression(expression) => expression.span,
        crate::syntax::Initialiser::List(list) => list.span,
    }
}
