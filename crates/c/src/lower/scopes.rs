//! Lifetimes of block-scoped variables: jumps into and out of blocks.

use super::builder::Builder;
use system::program::{LocationId, Step, VariableId};
use system::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScopeId(usize);

struct Scope {
    parent: Option<ScopeId>,
    depth: usize,
    variables: Vec<VariableId>,
    /// The entry of the path that leaves this scope and all enclosing ones.
    way_out: Option<LocationId>,
    /// It has a variable-length array: C11 6.8.6.1p1.
    has_computed_array: bool,
    span: Span,
}

/// All scopes of a procedure, open and closed.
pub(super) struct Scopes {
    all: Vec<Scope>,
    pub(super) current: ScopeId,
}

impl Scopes {
    pub(super) fn new() -> Scopes {
        let outermost = Scope {
            parent: None,
            depth: 0,
            variables: Vec::new(),
            way_out: None,
            has_computed_array: false,
            span: Span::default(),
        };
        Scopes {
            all: vec![outermost],
            current: ScopeId(0),
        }
    }

    fn open(&mut self, variables: Vec<VariableId>, span: Span) {
        let depth = self.all[self.current.0].depth + 1;
        self.all.push(Scope {
            parent: Some(self.current),
            depth,
            variables,
            way_out: None,
            has_computed_array: false,
            span,
        });
        self.current = ScopeId(self.all.len() - 1);
    }

    /// Forbids jumps into the innermost scope.
    pub(super) fn forbid_jumps(&mut self) {
        self.all[self.current.0].has_computed_array = true;
    }

    fn close(&mut self) {
        if let Some(parent) = self.all[self.current.0].parent {
            self.current = parent;
        }
    }

    /// The scopes to leave, innermost first, and to enter, outermost first.
    fn way(&self, from: ScopeId, to: ScopeId) -> (Vec<ScopeId>, Vec<ScopeId>) {
        let (mut left, mut entered) = (Vec::new(), Vec::new());
        let (mut from, mut to) = (from, to);
        while from != to {
            let (ours, theirs) = (&self.all[from.0], &self.all[to.0]);
            match (ours.depth >= theirs.depth, ours.parent, theirs.parent) {
                (true, Some(parent), _) => {
                    left.push(from);
                    from = parent;
                }
                (_, _, Some(parent)) => {
                    entered.push(to);
                    to = parent;
                }
                _ => break,
            }
        }
        entered.reverse();
        (left, entered)
    }
}

impl Builder<'_, '_> {
    pub(super) fn enter_scope(&mut self, variables: Vec<VariableId>, span: Span) {
        for variable in &variables {
            let at = self.lowering.program[*variable].span;
            self.step(Step::Enter(*variable), at);
        }
        self.frame.scopes.open(variables, span);
    }

    pub(super) fn leave_scope(&mut self) {
        let scope = self.frame.scopes.current;
        self.end_lives(scope);
        self.frame.scopes.close();
    }

    fn end_lives(&mut self, scope: ScopeId) {
        let span = end_of(self.frame.scopes.all[scope.0].span);
        for variable in self.frame.scopes.all[scope.0].variables.clone().into_iter().rev() {
            self.step(Step::Leave(variable), span);
        }
    }

    /// Jumps from the current location to a location in another scope.
    pub(super) fn jump(&mut self, from: ScopeId, to: ScopeId, target: LocationId, span: Span) {
        let (left, entered) = self.frame.scopes.way(from, to);
        for scope in left {
            for variable in self.frame.scopes.all[scope.0].variables.clone().into_iter().rev() {
                self.step(Step::Leave(variable), span);
            }
        }
        for scope in entered {
            if self.frame.scopes.all[scope.0].has_computed_array {
                let message = "a jump into a block with an array whose length is computed";
                let error = Diagnostic::error(span, message).label("the length would not be known");
                self.lowering.diagnostics.push(error);
            }
            for variable in self.frame.scopes.all[scope.0].variables.clone() {
                self.step(Step::Enter(variable), span);
            }
        }
        self.go(target, span);
    }

    /// Jumps to the exit of the procedure. All jumps out of a scope share the path.
    pub(super) fn jump_out(&mut self, span: Span) {
        let way_out = self.way_out(self.frame.scopes.current);
        self.go(way_out, span);
    }

    fn way_out(&mut self, scope: ScopeId) -> LocationId {
        // From the innermost scope outwards, until a path exists.
        let mut missing = Vec::new();
        let mut at = Some(scope);
        let mut known = self.frame.exit;
        while let Some(scope) = at {
            if let Some(way_out) = self.frame.scopes.all[scope.0].way_out {
                known = way_out;
                break;
            }
            missing.push(scope);
            at = self.frame.scopes.all[scope.0].parent;
        }
        for scope in missing.into_iter().rev() {
            let span = end_of(self.frame.scopes.all[scope.0].span);
            let begin = self.location(span);
            let before = std::mem::replace(&mut self.frame.current, begin);
            self.end_lives(scope);
            self.go(known, span);
            self.frame.current = before;
            self.frame.scopes.all[scope.0].way_out = Some(begin);
            known = begin;
        }
        known
    }
}

/// The brace at the end of a block.
fn end_of(span: Span) -> Span {
    Span {
        start: span.end.saturating_sub(1).max(span.start),
        ..span
    }
}
