//! Names and scopes: C11 6.2.1 to 6.2.3.

use crate::tree::{FunctionId, VariableId};
use crate::types::{EnumerationId, RecordId, Type};
use std::collections::HashMap;
use system::{Span, suggest};

/// The meaning of an ordinary identifier.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    Variable(VariableId),
    Function(FunctionId),
    Typedef(Type),
    Enumerator {
        value: i128,
        enumerator_type: Type,
    },
    /// An error was reported about it.
    Error,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enumeration(EnumerationId),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: HashMap<String, (Entity, Span)>,
    tags: HashMap<String, (Tag, Span)>,
}

#[derive(Debug)]
pub(super) struct Scopes {
    /// From file scope to the innermost block.
    open: Vec<Scope>,
    /// All names with linkage, including those declared in closed blocks: C11 6.2.2.
    pub(super) linked: HashMap<String, (Entity, Span)>,
    /// The variables among them, by their linker symbols.
    pub(super) symbols: HashMap<String, (VariableId, Span)>,
}

impl Scopes {
    pub(super) fn new() -> Scopes {
        Scopes {
            open: vec![Scope::default()],
            linked: HashMap::new(),
            symbols: HashMap::new(),
        }
    }

    pub(super) fn enter(&mut self) {
        self.open.push(Scope::default());
    }

    pub(super) fn enter_again(&mut self, scope: Scope) {
        self.open.push(scope);
    }

    pub(super) fn leave(&mut self) -> Scope {
        if self.open.len() > 1 {
            self.open.pop().unwrap_or_default()
        } else {
            Scope::default()
        }
    }

    pub(super) fn is_file_scope(&self) -> bool {
        self.open.len() == 1
    }

    pub(super) fn find(&self, name: &str) -> Option<(Entity, Span)> {
        self.open.iter().rev().find_map(|scope| scope.names.get(name)).copied()
    }

    pub(super) fn find_here(&self, name: &str) -> Option<(Entity, Span)> {
        self.open.last()?.names.get(name).copied()
    }

    pub(super) fn declare(&mut self, name: &str, entity: Entity, span: Span) {
        if let Some(scope) = self.open.last_mut() {
            scope.names.insert(name.to_owned(), (entity, span));
        }
    }

    pub(super) fn find_tag(&self, name: &str) -> Option<(Tag, Span)> {
        self.open.iter().rev().find_map(|scope| scope.tags.get(name)).copied()
    }

    pub(super) fn find_tag_here(&self, name: &str) -> Option<(Tag, Span)> {
        self.open.last()?.tags.get(name).copied()
    }

    pub(super) fn declare_tag(&mut self, name: &str, tag: Tag, span: Span) {
        if let Some(scope) = self.open.last_mut() {
            scope.tags.insert(name.to_owned(), (tag, span));
        }
    }

    /// A similar name, to suggest for an unknown one.
    pub(super) fn suggestion(&self, name: &str) -> Option<&str> {
        let mut names: Vec<&str> = Vec::new();
        for scope in &self.open {
            let values = scope.names.iter().filter(|(_, (entity, _))| {
                matches!(
                    entity,
                    Entity::Variable(_) | Entity::Function(_) | Entity::Enumerator { .. }
                )
            });
            names.extend(values.map(|(name, _)| name.as_str()));
        }
        names.sort_unstable();
        suggest::nearest(name, names)
    }
}
