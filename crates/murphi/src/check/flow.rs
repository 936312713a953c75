//! Value flow between types: the uses of scalarsets and ranges that decide whether they can be parametric.
//!
//! Two types whose values are assigned to each other or compared must be the same set, so they share a class
//! (union-find). Arithmetic and mixing with plain numbers spoil a class, and the first such use is kept as the reason.
//! Order comparisons within a range are recorded: they are compatible with any number of elements.

use std::collections::{BTreeMap, BTreeSet};

use system::Span;

use super::INTEGER;
use super::expressions::symbol;
use crate::model::{
    AliasTarget, Argument, Binary, Context, Designator, Domain, Expression, ExpressionKind, Local, Model, Obstacle,
    Root, Selector, Statement, StatementKind, TypeId, TypeKind,
};

pub(super) struct Flow<'model> {
    model: &'model Model,
    parents: Vec<usize>,
    /// By root of the class.
    obstacles: BTreeMap<usize, Obstacle>,
    literals: BTreeMap<usize, BTreeSet<i64>>,
    /// Ranges whose values are compared by order, and where.
    ordered: BTreeMap<usize, Span>,
    /// Pairs of records or arrays already united, and types already cleared: memoised, however often types share their
    /// parts.
    met: BTreeSet<(TypeId, TypeId)>,
    cleared: BTreeSet<TypeId>,
    /// The locals of the code being traversed, and its result type.
    locals: &'model [Local],
    result: Option<TypeId>,
}

impl<'model> Flow<'model> {
    pub(super) fn of(model: &'model Model) -> Flow<'model> {
        let mut flow = Flow {
            model,
            parents: (0..model.types.len()).collect(),
            obstacles: BTreeMap::new(),
            literals: BTreeMap::new(),
            ordered: BTreeMap::new(),
            met: BTreeSet::new(),
            cleared: BTreeSet::new(),
            locals: &[],
            result: None,
        };
        flow.walk();
        flow
    }

    pub(super) fn class(&self, ty: TypeId) -> usize {
        let mut root = ty.0;
        while self.parents[root] != root {
            root = self.parents[root];
        }
        root
    }

    pub(super) fn obstacle(&self, class: usize) -> Option<&Obstacle> {
        self.obstacles.get(&class)
    }

    pub(super) fn literals(&self, class: usize) -> Vec<i64> {
        self.literals.get(&class).into_iter().flatten().copied().collect()
    }

    /// Where values of the class are compared by order.
    pub(super) fn ordered(&self, class: usize) -> Option<Span> {
        self.ordered.get(&class).copied()
    }

    /// Merges the classes of two types.
    pub(super) fn unite(&mut self, left: TypeId, right: TypeId) {
        let (left, right) = (self.class(left), self.class(right));
        let (root, other) = (left.min(right), left.max(right));
        if root == other {
            return;
        }
        self.parents[other] = root;
        if let Some(obstacle) = self.obstacles.remove(&other) {
            self.spoil_class(root, obstacle);
        }
        if let Some(literals) = self.literals.remove(&other) {
            self.literals.entry(root).or_default().extend(literals);
        }
        if let Some(span) = self.ordered.remove(&other) {
            self.note_order(root, span);
        }
    }

    /// Keeps the obstacle that comes first in the file.
    fn spoil_class(&mut self, class: usize, obstacle: Obstacle) {
        let kept = self.obstacles.entry(class).or_insert_with(|| obstacle.clone());
        if obstacle.span < kept.span {
            *kept = obstacle;
        }
    }

    fn note_order(&mut self, class: usize, span: Span) {
        let first = self.ordered.entry(class).or_insert(span);
        *first = span.min(*first);
    }

    fn spoil(&mut self, ty: TypeId, span: Span, reason: impl Into<String>) {
        if matches!(self.model.kind(ty), TypeKind::Range { .. } | TypeKind::Scalarset { .. }) {
            let reason = reason.into();
            self.spoil_class(self.class(ty), Obstacle { reason, span });
        }
    }

    /// Records that values of one type become, or are compared with, values of the other.
    fn connect(&mut self, left: TypeId, right: TypeId, span: Span) {
        let is_composite = !matches!(
            self.model.kind(left),
            TypeKind::Range { .. } | TypeKind::Scalarset { .. } | TypeKind::Integer | TypeKind::Union { .. }
        );
        if left == right || is_composite && !self.met.insert((left, right)) {
            return;
        }
        let is_number = |ty| matches!(self.model.kind(ty), TypeKind::Range { .. } | TypeKind::Integer);
        match (self.model.kind(left), self.model.kind(right)) {
            (TypeKind::Range { .. }, TypeKind::Range { .. })
            | (TypeKind::Scalarset { .. }, TypeKind::Scalarset { .. }) => self.unite(left, right),
            (TypeKind::Integer, TypeKind::Range { .. }) => {
                self.spoil(right, span, "its values are mixed with plain numbers")
            }
            (TypeKind::Range { .. }, TypeKind::Integer) => {
                self.spoil(left, span, "its values are mixed with plain numbers")
            }
            (TypeKind::Union { members }, _) if is_number(right) => self.connect_member(members, right, span),
            (_, TypeKind::Union { members }) if is_number(left) => self.connect_member(members, left, span),
            (TypeKind::Union { members: left }, TypeKind::Union { members: right }) => {
                for (left, right) in left.iter().zip(right) {
                    self.connect(*left, *right, span);
                }
            }
            (TypeKind::Record { fields: left }, TypeKind::Record { fields: right }) => {
                for (left, right) in left.iter().zip(right) {
                    self.connect(left.ty, right.ty, span);
                }
            }
            (
                TypeKind::Array { index, element },
                TypeKind::Array {
                    index: other_index,
                    element: other_element,
                },
            ) => {
                self.connect(*index, *other_index, span);
                self.connect(*element, *other_element, span);
            }
            (TypeKind::Multiset { element, .. }, TypeKind::Multiset { element: other, .. })
            | (TypeKind::List { element }, TypeKind::List { element: other }) => self.connect(*element, *other, span),
            _ => {}
        }
    }

    fn connect_member(&mut self, members: &[TypeId], number: TypeId, span: Span) {
        let range = members
            .iter()
            .find(|member| matches!(self.model.kind(**member), TypeKind::Range { .. }));
        if let Some(range) = range {
            self.connect(*range, number, span);
        }
    }

    fn walk(&mut self) {
        let model = self.model;
        for subprogram in &model.subprograms {
            self.locals = &subprogram.locals;
            self.result = subprogram.result;
            self.statements(&subprogram.body);
        }
        self.result = None;
        for rule in model.starts.iter().chain(&model.rules) {
            self.locals = &rule.locals;
            self.contexts(&rule.context);
            rule.guard.iter().for_each(|guard| self.expression(guard));
            self.statements(&rule.body);
        }
        for property in &model.properties {
            self.locals = &property.locals;
            self.contexts(&property.context);
            self.expression(&property.condition);
        }
        for formula in model.axioms.iter().chain(&model.predicates) {
            self.locals = &formula.locals;
            self.expression(&formula.condition);
        }
    }

    fn contexts(&mut self, contexts: &'model [Context]) {
        for context in contexts {
            match context {
                Context::Parameter(binder) => self.domain(&binder.domain),
                Context::Alias(_, target) => self.alias(target),
                Context::Choose { multiset, .. } => self.designator(multiset),
            }
        }
    }

    fn domain(&mut self, domain: &'model Domain) {
        // A number may be used in more ways inside the loop than its type permits.
        let element = domain.single().filter(|value| self.model.kind(value.ty).is_element());
        if let Some(value) = element {
            self.expression(value);
        } else if let Domain::Range { low, high, step } = domain {
            for bound in [Some(low), Some(high), step.as_ref()].into_iter().flatten() {
                self.expression(bound);
                self.spoil(bound.ty, bound.span, "its values bound a loop");
            }
        }
    }

    fn alias(&mut self, target: &'model AliasTarget) {
        match target {
            AliasTarget::Place(place) => self.designator(place),
            AliasTarget::Value(value) => self.expression(value),
        }
    }

    fn designator(&mut self, designator: &'model Designator) {
        let mut ty = match designator.root {
            Root::Variable(id) => self.model.variables[id.0].ty,
            Root::Local(id) => self.locals[id.0].ty,
        };
        for selector in &designator.selectors {
            ty = match (selector, self.model.kind(ty)) {
                (Selector::Field(position), TypeKind::Record { fields }) => fields[*position].ty,
                (
                    Selector::Index(index),
                    TypeKind::Array {
                        index: expected,
                        element,
                    },
                ) => {
                    self.value(index, *expected);
                    *element
                }
                // Indices of multiset elements flow nowhere else.
                (_, TypeKind::Multiset { element, .. }) => *element,
                _ => return,
            };
        }
    }

    fn arguments(&mut self, callee: crate::model::SubprogramId, arguments: &'model [Argument]) {
        let model = self.model;
        let subprogram = &model.subprograms[callee.0];
        for (argument, parameter) in arguments.iter().zip(&subprogram.parameters) {
            let expected = subprogram.locals[parameter.0].ty;
            match argument {
                Argument::Value(value) => self.value(value, expected),
                Argument::Reference(place) => {
                    self.designator(place);
                    self.connect(expected, place.ty, place.span);
                }
            }
        }
    }

    /// An expression whose value is stored in a place of this type.
    fn value(&mut self, expression: &'model Expression, expected: TypeId) {
        self.expression(expression);
        self.connect(expected, expression.ty, expression.span);
    }

    fn statements(&mut self, statements: &'model [Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'model Statement) {
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                self.designator(target);
                self.value(value, target.ty);
            }
            StatementKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expression(condition);
                    self.statements(body);
                }
                self.statements(otherwise);
            }
            StatementKind::Switch {
                subject,
                cases,
                otherwise,
            } => {
                self.expression(subject);
                for (labels, body) in cases {
                    labels.iter().for_each(|label| self.value(label, subject.ty));
                    self.statements(body);
                }
                self.statements(otherwise);
            }
            StatementKind::For { binder, body } => {
                self.domain(&binder.domain);
                self.statements(body);
            }
            StatementKind::While { condition, body } => {
                self.expression(condition);
                self.statements(body);
            }
            StatementKind::Alias { aliases, body } => {
                aliases.iter().for_each(|(_, target)| self.alias(target));
                self.statements(body);
            }
            StatementKind::Call { subprogram, arguments } => self.arguments(*subprogram, arguments),
            StatementKind::Return(Some(value)) => self.value(value, self.result.unwrap_or(value.ty)),
            StatementKind::Clear(place) => {
                self.designator(place);
                self.clear(place.ty);
            }
            StatementKind::Undefine(place) => self.designator(place),
            StatementKind::Return(None) | StatementKind::Error(_) | StatementKind::PutText(_) => {}
            StatementKind::Assert { condition, .. } | StatementKind::Assume { condition } => self.expression(condition),
            StatementKind::Put(value) => self.expression(value),
            StatementKind::MultisetAdd { element, multiset } => {
                self.designator(multiset);
                if let TypeKind::Multiset { element: expected, .. } = self.model.kind(multiset.ty) {
                    self.value(element, *expected);
                }
            }
            StatementKind::MultisetRemove { multiset, .. } => self.designator(multiset),
            StatementKind::MultisetRemoveIf {
                multiset, condition, ..
            } => {
                self.designator(multiset);
                self.expression(condition);
            }
            StatementKind::Havoc { targets, constraint } => {
                targets.iter().for_each(|target| self.designator(target));
                constraint.iter().for_each(|constraint| self.expression(constraint));
            }
        }
    }

    /// `clear` assigns the first value of each type, which counts as a literal.
    fn clear(&mut self, ty: TypeId) {
        if !self.cleared.insert(ty) {
            return;
        }
        match self.model.kind(ty) {
            TypeKind::Range { low, .. } => self.mention(ty, *low),
            TypeKind::Scalarset { .. } => self.mention(ty, 0),
            TypeKind::Union { members } => members.iter().take(1).for_each(|member| self.clear(*member)),
            TypeKind::Record { fields } => fields.iter().for_each(|field| self.clear(field.ty)),
            TypeKind::Array { element, .. } => self.clear(*element),
            _ => {}
        }
    }

    fn mention(&mut self, ty: TypeId, literal: i64) {
        self.literals.entry(self.class(ty)).or_default().insert(literal);
    }

    fn expression(&mut self, expression: &'model Expression) {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Literal(number) => {
                if matches!(self.model.kind(expression.ty), TypeKind::Range { .. }) {
                    self.mention(expression.ty, *number);
                }
            }
            ExpressionKind::EmptyList | ExpressionKind::Error => {}
            ExpressionKind::Read(place) | ExpressionKind::IsUndefined(place) => self.designator(place),
            ExpressionKind::Convert(inner) => self.value(inner, expression.ty),
            ExpressionKind::Unary(_, inner) => {
                self.expression(inner);
                self.spoil(inner.ty, span, "its values are used in arithmetic");
            }
            ExpressionKind::Binary(..) => self.binary_chain(expression),
            ExpressionKind::If(condition, then, otherwise) => {
                self.expression(condition);
                self.value(then, expression.ty);
                self.value(otherwise, expression.ty);
            }
            ExpressionKind::Quantified { binder, body, .. } => {
                self.domain(&binder.domain);
                self.expression(body);
            }
            ExpressionKind::Call { subprogram, arguments } => self.arguments(*subprogram, arguments),
            ExpressionKind::Apply { symbol, arguments } => {
                let model = self.model;
                for (argument, expected) in arguments.iter().zip(&model.uninterpreted[symbol.0].parameters) {
                    self.value(argument, *expected);
                }
            }
            ExpressionKind::IsMember(inner, _) | ExpressionKind::Head(inner) | ExpressionKind::Length(inner) => {
                self.expression(inner);
            }
            ExpressionKind::Tail(inner) => self.value(inner, expression.ty),
            ExpressionKind::Append(list, last) => {
                self.value(list, expression.ty);
                if let TypeKind::List { element } = self.model.kind(expression.ty) {
                    self.value(last, *element);
                }
            }
            ExpressionKind::MultisetCount {
                multiset, condition, ..
            } => {
                self.designator(multiset);
                self.expression(condition);
            }
        }
    }

    /// Long conjunctions are deep on their left: traversed without recursion.
    fn binary_chain(&mut self, expression: &'model Expression) {
        let mut left = expression;
        while let ExpressionKind::Binary(operator, inner, right) = &left.kind {
            self.expression(right);
            self.operation(*operator, inner, right, left.span);
            left = inner;
        }
        self.expression(left);
    }

    fn operation(&mut self, operator: Binary, left: &Expression, right: &Expression, span: Span) {
        let reason = match operator {
            Binary::Implies | Binary::Or | Binary::And => return,
            Binary::Equal | Binary::NotEqual => {
                self.connect(left.ty, right.ty, span);
                return;
            }
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual
                if [left, right]
                    .iter()
                    .all(|side| matches!(self.model.kind(side.ty), TypeKind::Range { .. })) =>
            {
                self.unite(left.ty, right.ty);
                self.note_order(self.class(left.ty), span);
                return;
            }
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                format!("its values are ordered by `{}`", symbol(operator))
            }
            _ => format!("its values are used in arithmetic, by `{}`", symbol(operator)),
        };
        for operand in [left, right] {
            if operand.ty != INTEGER {
                self.spoil(operand.ty, span, reason.clone());
            }
        }
    }
}
