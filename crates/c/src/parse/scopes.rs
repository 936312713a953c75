//! Which identifiers are type names. Other names matter only where they hide a type name.

use rustc_hash::FxHashMap;

#[derive(Debug)]
pub(super) struct Scopes<'a> {
    /// The meanings of each name, innermost scope last.
    names: FxHashMap<&'a str, Vec<Binding>>,
    /// The names of each scope; the first scope is the file.
    scopes: Vec<Vec<&'a str>>,
    /// Labels declared by blocks: the scope, the name, and a unique number.
    labels: Vec<(usize, &'a str, usize)>,
    local_labels: usize,
}

#[derive(Clone, Copy, Debug)]
struct Binding {
    scope: usize,
    is_type: bool,
}

impl Default for Scopes<'_> {
    fn default() -> Self {
        Scopes {
            names: FxHashMap::default(),
            scopes: vec![Vec::new()],
            labels: Vec::new(),
            local_labels: 0,
        }
    }
}

impl<'a> Scopes<'a> {
    pub(super) fn is_type(&self, name: &str) -> bool {
        let bindings = self.names.get(name);
        bindings
            .and_then(|bindings| bindings.last())
            .is_some_and(|binding| binding.is_type)
    }

    pub(super) fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        let scope = self.scopes.len();
        self.labels.retain(|(declared, ..)| *declared < scope);
        for name in self.scopes.pop().unwrap_or_default() {
            if let Some(bindings) = self.names.get_mut(name) {
                bindings.pop();
            }
        }
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &'a str, is_type: bool) {
        if !is_type && !self.is_type(name) {
            return;
        }
        let scope = self.scopes.len();
        let bindings = self.names.entry(name).or_default();
        match bindings.last_mut() {
            Some(binding) if binding.scope == scope => binding.is_type = is_type,
            _ => {
                bindings.push(Binding { scope, is_type });
                if let Some(names) = self.scopes.last_mut() {
                    names.push(name);
                }
            }
        }
    }

    /// Declares a label of the innermost block, as `__label__` does.
    pub(super) fn declare_label(&mut self, name: &'a str) {
        self.local_labels += 1;
        self.labels.push((self.scopes.len(), name, self.local_labels));
    }

    /// The unique name of a label in its function.
    pub(super) fn label(&self, name: &str) -> String {
        let declared = self.labels.iter().rev().find(|(_, local, _)| *local == name);
        declared.map_or(name.to_owned(), |(_, _, number)| {
            format!("{name} (local label {number})")
        })
    }

    /// All type names of the file, for suggestions.
    pub(super) fn types(&self) -> impl Iterator<Item = &'a str> {
        self.scopes.iter().flatten().copied().filter(|name| self.is_type(name))
    }
}
