//! Decides which scalarsets the explorer may permute.
//!
//! Symmetry reduction is sound if every rule and property commutes with every permutation of the elements. The language
//! mostly guarantees this, with three exceptions that exclude a scalarset from the reduction: values that flow between
//! two scalarsets (Rumur permits it for equal sizes), `clear` in a rule, which selects the first element, and loops
//! whose result depends on the order of iterations. Starts may do all of these: permuted starts lead to permuted
//! states.

use std::collections::{BTreeMap, BTreeSet};

use system::{Diagnostic, Severity, Span, instance};

use super::Compiler;
use super::layout::Leaf;
use super::order::{self, Dependence, Scope};
use super::walk::{self, Visitor};
use crate::model::{
    Context, Designator, Domain, Expression, ExpressionKind, Local, Model, Statement, StatementKind, SubprogramId,
    TypeId, TypeKind,
};

impl Compiler<'_> {
    /// Records that values of one type are used as values of another.
    pub(super) fn link(&mut self, left: TypeId, right: TypeId) {
        if left == right {
            return;
        }
        match (self.model.kind(left), self.model.kind(right)) {
            (TypeKind::Scalarset { .. }, TypeKind::Scalarset { .. }) => {
                self.linked.insert(left);
                self.linked.insert(right);
            }
            (TypeKind::Record { fields: left }, TypeKind::Record { fields: right }) => {
                for (left, right) in left.iter().zip(right) {
                    self.link(left.ty, right.ty);
                }
            }
            (
                TypeKind::Array { index, element },
                TypeKind::Array {
                    index: other_index,
                    element: other_element,
                },
            ) => {
                self.link(*index, *other_index);
                self.link(*element, *other_element);
            }
            (TypeKind::Multiset { element: left, .. }, TypeKind::Multiset { element: right, .. })
            | (TypeKind::List { element: left }, TypeKind::List { element: right }) => self.link(*left, *right),
            (TypeKind::Union { members: left }, TypeKind::Union { members: right }) => {
                for (left, right) in left.iter().zip(right) {
                    self.link(*left, *right);
                }
            }
            _ => {}
        }
    }

    /// Marks the scalarsets that must not be permuted, and explains why.
    pub(super) fn settle_symmetry(&mut self) {
        let mut broken = find_breakages(self.model, &|ty| self.layout.leaves(ty));
        for ty in &self.linked {
            let declared = self.model.types[ty.0].span;
            broken
                .entry(*ty)
                .or_insert((declared, "its values mix with those of another scalarset".to_owned()));
        }
        for (ty, (span, why)) in broken {
            let id = self.layout.simple_type(&mut self.instance, ty);
            if let instance::Type::Scalarset { symmetric, name, .. } = &mut self.instance.types[id]
                && *symmetric
            {
                *symmetric = false;
                let message = format!("symmetry of scalarset `{name}` is not used");
                self.diagnostics
                    .push(Diagnostic::new(Severity::Note, span, message).label(why));
            }
        }
    }
}

/// Each scalarset whose symmetry a rule or property breaks, with place and reason.
type Breakages = BTreeMap<TypeId, (Span, String)>;

fn find_breakages(model: &Model, leaves: &dyn Fn(TypeId) -> Vec<Leaf>) -> Breakages {
    let mut finder = Finder {
        model,
        leaves,
        scope: Scope::new(&[]),
        locals: &[],
        broken: Breakages::new(),
        waiting: Vec::new(),
        seen: BTreeSet::new(),
    };
    for rule in &model.rules {
        finder.enter(&rule.locals, &rule.context);
        rule.guard.iter().for_each(|guard| walk::expression(guard, &mut finder));
        // The traversal visits an alias before the statements in its scope.
        walk::statements(&rule.body, &mut finder);
    }
    for property in &model.properties {
        finder.enter(&property.locals, &property.context);
        walk::expression(&property.condition, &mut finder);
    }
    while let Some(subprogram) = finder.waiting.pop() {
        let subprogram = &model.subprograms[subprogram.0];
        finder.enter(&subprogram.locals, &[]);
        walk::statements(&subprogram.body, &mut finder);
    }
    finder.broken
}

struct Finder<'m> {
    model: &'m Model,
    leaves: &'m dyn Fn(TypeId) -> Vec<Leaf>,
    scope: Scope,
    locals: &'m [Local],
    broken: Breakages,
    /// Called subprograms, and those of them that are still to be analysed.
    waiting: Vec<SubprogramId>,
    seen: BTreeSet<SubprogramId>,
}

impl<'m> Finder<'m> {
    fn enter(&mut self, locals: &'m [Local], context: &[Context]) {
        self.locals = locals;
        self.scope = Scope::new(locals);
        for item in context {
            if let Context::Alias(local, target) = item {
                self.scope.bind(*local, target);
                walk::alias_target(target, self);
            }
        }
    }

    fn call(&mut self, subprogram: SubprogramId) {
        if self.seen.insert(subprogram) {
            self.waiting.push(subprogram);
        }
    }

    fn break_domain(&mut self, domain: &Domain, span: Span, why: &str) {
        let ty = match domain {
            Domain::Type(ty) => *ty,
            Domain::Range { low, .. } => low.ty,
        };
        for scalarset in self.scalarsets(ty) {
            self.broken.entry(scalarset).or_insert_with(|| (span, why.to_owned()));
        }
    }

    /// The scalarsets among the values of a simple type.
    fn scalarsets(&self, ty: TypeId) -> Vec<TypeId> {
        let is_scalarset = |ty: &TypeId| matches!(self.model.kind(*ty), TypeKind::Scalarset { .. });
        match self.model.kind(ty) {
            TypeKind::Scalarset { .. } => vec![ty],
            TypeKind::Union { members } => members.iter().copied().filter(is_scalarset).collect(),
            _ => Vec::new(),
        }
    }

    /// A range between two elements depends on their order.
    fn range(&mut self, domain: &Domain, span: Span) {
        if matches!(domain, Domain::Range { .. }) && domain.single().is_none() {
            self.break_domain(domain, span, "this range depends on the order of the elements");
        }
    }

    fn clear(&mut self, target: &Designator) {
        for leaf in (self.leaves)(target.ty) {
            let Leaf::Simple { ty, lists: 0 } = leaf else { continue };
            let first = match self.model.kind(ty) {
                TypeKind::Union { members } => members.first().copied(),
                _ => Some(ty),
            };
            if let Some(ty) = first
                && matches!(self.model.kind(ty), TypeKind::Scalarset { .. })
            {
                let why = || (target.span, "`clear` picks its first element".to_owned());
                self.broken.entry(ty).or_insert_with(why);
            }
        }
    }
}

impl Visitor for Finder<'_> {
    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Alias { aliases, .. } => {
                for (local, target) in aliases {
                    self.scope.bind(*local, target);
                }
            }
            StatementKind::Clear(target) => self.clear(target),
            StatementKind::Call { subprogram, .. } => self.call(*subprogram),
            StatementKind::For { binder, body } => {
                self.range(&binder.domain, statement.span);
                let over_scalarset = match &binder.domain {
                    Domain::Type(ty) => !self.scalarsets(*ty).is_empty(),
                    Domain::Range { .. } => false,
                };
                if over_scalarset
                    && let Some(dependence) = order::dependence(self.model, &self.scope, binder.local, body)
                {
                    let shared = match dependence {
                        Dependence::Flow => "the loop may end early".to_owned(),
                        Dependence::Variable(variable) => {
                            format!("rounds share `{}`", self.model.variables[variable.0].name)
                        }
                        Dependence::Local(local) => format!("rounds share `{}`", self.locals[local.0].name),
                    };
                    let why = format!("the result of this loop depends on the order of the elements: {shared}");
                    self.break_domain(&binder.domain, statement.span, &why);
                }
            }
            _ => {}
        }
    }

    fn expression(&mut self, expression: &Expression) {
        if let ExpressionKind::Quantified { binder, .. } = &expression.kind {
            self.range(&binder.domain, expression.span);
        }
        match &expression.kind {
            ExpressionKind::Call { subprogram, .. } => self.call(*subprogram),
            ExpressionKind::Quantified { binder, body, .. } if !order::is_pure(self.model, &self.scope, body) => {
                let why = "what this quantifier changes depends on the order of the elements";
                self.break_domain(&binder.domain, expression.span, why);
            }
            _ => {}
        }
    }
}
