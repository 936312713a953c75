//! Scopes, and suggestions for misspelt names.

use std::collections::BTreeMap;

use system::Span;

use super::constants::ConstantId;
use crate::model::{LocalId, SubprogramId, TypeId, UninterpretedId, VariableId};

/// The meaning of a name. Murphi has one name space for all of these; record fields are separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Constant(ConstantId),
    Type(TypeId),
    Variable(VariableId),
    Local(LocalId),
    Subprogram(SubprogramId),
    Uninterpreted(UninterpretedId),
    Enumerator {
        ty: TypeId,
        position: i64,
    },
    /// Index into the `index` variables, which become locals of the predicates that mention them.
    Index(usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) entity: Entity,
    pub(super) span: Span,
}

pub(super) type Scope = BTreeMap<String, Declared>;

/// Innermost last; the first is the global scope.
#[derive(Default)]
pub(super) struct Scopes {
    stack: Vec<Scope>,
}

impl Scopes {
    pub(super) fn push(&mut self, scope: Scope) {
        self.stack.push(scope);
    }

    pub(super) fn pop(&mut self) -> Scope {
        self.stack.pop().unwrap_or_default()
    }

    pub(super) fn is_global(&self) -> bool {
        self.stack.len() == 1
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Declared> {
        self.stack.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    /// Declares in the innermost scope; on a duplicate, keeps the earlier declaration and returns its span.
    pub(super) fn declare(&mut self, name: &str, entity: Entity, span: Span) -> Result<(), Span> {
        let Some(scope) = self.stack.last_mut() else {
            return Ok(());
        };
        if let Some(earlier) = scope.get(name) {
            return Err(earlier.span);
        }
        scope.insert(name.to_owned(), Declared { entity, span });
        Ok(())
    }

    /// The visible name closest to `name` among those that `fits` accepts.
    pub(super) fn nearest(&self, name: &str, fits: impl Fn(Entity) -> bool) -> Option<String> {
        let mut visible: BTreeMap<&str, Entity> = BTreeMap::new();
        for scope in &self.stack {
            visible.extend(scope.iter().map(|(name, declared)| (name.as_str(), declared.entity)));
        }
        let candidates = visible
            .into_iter()
            .filter(|(_, entity)| fits(*entity))
            .map(|(name, _)| name);
        nearest(name, candidates)
    }
}

/// A different candidate that a typo would turn into `name`, if there is one.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    system::suggest::nearest(name, candidates.filter(|candidate| *candidate != name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_nonsense_is_not() {
        let names = ["Cache", "Chan1", "ExGntd", "i", "HeadPtr"];
        let guess = |name| nearest(name, names.into_iter());
        assert_eq!(guess("cache").as_deref(), Some("Cache"));
        assert_eq!(guess("Cahce").as_deref(), Some("Cache"));
        assert_eq!(guess("HedPtr").as_deref(), Some("HeadPtr"));
        assert_eq!(guess("elephant"), None);
        assert_eq!(guess("k"), None);
    }
}
