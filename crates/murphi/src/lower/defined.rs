//! Possibly undefined values: which types carry definedness marks, and how marks propagate.
//!
//! An undefined value is arbitrary. Reading it is an error only on request (`marks`); otherwise a proof covers every
//! run, except where the model observes definedness. `isundefined` does; so do comparisons of whole records, arrays and
//! lists (undefined equals undefined and nothing else) and, in files for CMurphi, `ismember` and comparisons of
//! scalarsets and unions. If a model observes the definedness of a type, each value of the type carries a mark, and
//! copying a value without reading it copies its mark.

use super::execute::{Executor, Place};
use super::meaning::{self, Meaning};
use crate::model::*;
use logic::{Term, term};
use std::collections::BTreeSet;
use system::Span;
use system::transition::AssertionKind;

fn is_number(model: &Model, ty: TypeId) -> bool {
    matches!(model.kind(ty), TypeKind::Range { .. } | TypeKind::Integer)
}

/// Scalarsets and unions.
fn is_element(model: &Model, ty: TypeId) -> bool {
    matches!(model.kind(ty), TypeKind::Scalarset { .. } | TypeKind::Union { .. })
}

/// Compound types, whose components are copied and compared as they are.
fn is_block(model: &Model, ty: TypeId) -> bool {
    match model.kind(ty) {
        TypeKind::Record { .. } | TypeKind::Array { .. } | TypeKind::Multiset { .. } => true,
        TypeKind::List { element } => is_block(model, *element),
        _ => false,
    }
}

/// The types whose values carry marks. Types whose values flow into each other carry marks together. If reads are
/// errors, all types carry marks.
pub(crate) fn tracked_types(model: &Model, asserts_reads: bool) -> BTreeSet<TypeId> {
    let mut tracked = BTreeSet::new();
    if asserts_reads {
        let has_parts = |kind: &TypeKind| {
            matches!(
                kind,
                TypeKind::Record { .. } | TypeKind::Array { .. } | TypeKind::Multiset { .. } | TypeKind::Error
            )
        };
        let is_part = |ty: &TypeId| !has_parts(model.kind(*ty));
        return all_types(model).filter(is_part).collect();
    }
    let cmurphi = model.is_cmurphi_only();
    crate::visit::visit_expressions(model, &mut |expression| match &expression.kind {
        ExpressionKind::IsUndefined(designator) => {
            tracked.insert(designator.ty);
        }
        ExpressionKind::IsMember(value, _) => {
            tracked.insert(value.ty);
        }
        // A union value must belong to the member that it is copied to, unless it is undefined.
        ExpressionKind::Convert(value)
            if matches!(model.kind(value.ty), TypeKind::Union { .. }) && reads_variable(value) =>
        {
            tracked.insert(value.ty);
        }
        ExpressionKind::Binary(Binary::Equal | Binary::NotEqual, left, right) => {
            for ty in [left.ty, right.ty] {
                if is_block(model, ty) {
                    add_parts(model, ty, &mut tracked);
                } else if cmurphi && is_element(model, ty) {
                    tracked.insert(ty);
                }
            }
        }
        _ => {}
    });
    if narrows(model) {
        tracked.extend(all_types(model).filter(|ty| is_number(model, *ty)));
    }
    let mut size = 0;
    while size < tracked.len() {
        size = tracked.len();
        close(model, &mut tracked);
    }
    tracked
}

fn all_types(model: &Model) -> impl Iterator<Item = TypeId> {
    (0..model.types.len()).map(TypeId)
}

/// The simple types inside a record, array or list.
fn add_parts(model: &Model, ty: TypeId, tracked: &mut BTreeSet<TypeId>) {
    match model.kind(ty) {
        TypeKind::Record { fields } => fields.iter().for_each(|field| add_parts(model, field.ty, tracked)),
        TypeKind::Array { element, .. } | TypeKind::List { element } | TypeKind::Multiset { element, .. } => {
            add_parts(model, *element, tracked);
        }
        _ => {
            tracked.insert(ty);
        }
    }
}

/// Closes a set of types under value flow in both directions.
fn close(model: &Model, tracked: &mut BTreeSet<TypeId>) {
    let any = |tracked: &BTreeSet<TypeId>, is: fn(&Model, TypeId) -> bool| tracked.iter().any(|ty| is(model, *ty));
    let unions = model
        .types
        .iter()
        .enumerate()
        .filter_map(|(number, ty)| match &ty.kind {
            TypeKind::Union { members } => Some((TypeId(number), members)),
            _ => None,
        });
    for (union, members) in unions {
        if tracked.contains(&union) || members.iter().any(|member| tracked.contains(member)) {
            tracked.insert(union);
            tracked.extend(members);
        }
    }
    for kind in [is_number, is_element] {
        if any(tracked, kind) {
            tracked.extend(all_types(model).filter(|ty| kind(model, *ty)));
        }
    }
}

fn reads_variable(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Read(_) => true,
        ExpressionKind::If(_, then, otherwise) => reads_variable(then) || reads_variable(otherwise),
        _ => false,
    }
}

/// Whether a numeric type contains all values of another one.
fn fits(model: &Model, from: TypeId, to: TypeId) -> bool {
    match (model.kind(from), model.kind(to)) {
        (TypeKind::Range { low, high }, TypeKind::Range { low: least, high: most }) => least <= low && high <= most,
        (TypeKind::Integer, TypeKind::Range { .. }) => false,
        _ => true,
    }
}

/// Whether a number is copied to a type that does not contain all values of its own, which is an error unless it is
/// undefined.
fn narrows(model: &Model) -> bool {
    let narrows = |value: &Expression, to: TypeId| reads_variable(value) && !fits(model, value.ty, to);
    let narrow_argument = |subprogram: SubprogramId, arguments: &[Argument]| {
        let subprogram = &model.subprograms[subprogram.0];
        let mut pairs = arguments.iter().zip(&subprogram.parameters);
        pairs.any(|(argument, parameter)| match argument {
            Argument::Value(value) => narrows(value, subprogram.locals[parameter.0].ty),
            Argument::Reference(_) => false,
        })
    };
    let cmurphi = model.is_cmurphi_only();
    let mut found = false;
    crate::visit::visit_statements(model, &mut |statement| match &statement.kind {
        StatementKind::Assign { target, value } => found |= cmurphi && narrows(value, target.ty),
        StatementKind::Call { subprogram, arguments } => found |= !cmurphi && narrow_argument(*subprogram, arguments),
        _ => {}
    });
    crate::visit::visit_expressions(model, &mut |expression| {
        if let ExpressionKind::Call { subprogram, arguments } = &expression.kind {
            found |= !cmurphi && narrow_argument(*subprogram, arguments);
        }
    });
    found
}

impl Executor<'_, '_> {
    /// Whether values of the type have components that are read individually.
    pub(crate) fn is_block(&self, ty: TypeId) -> bool {
        is_block(self.lowering.model, ty)
    }

    /// Splits the components of a type into the value and its mark; without a mark it is defined.
    pub(crate) fn divided(&self, ty: TypeId, mut whole: Meaning) -> (Meaning, Term) {
        let shapes = &self.lowering.shapes;
        let has_mark = shapes.tracked.contains(&ty) && whole.len() == shapes.width(ty);
        let mark = if has_mark { whole.pop() } else { None };
        (whole, mark.map_or(term::bool(true), |mark| mark.body))
    }

    /// The value with its mark, if its type carries one.
    pub(crate) fn marked(&self, ty: TypeId, mut value: Meaning, mark: Term) -> Meaning {
        if self.lowering.shapes.tracked.contains(&ty) {
            value.push(meaning::constant(mark));
        }
        value
    }

    pub(crate) fn defined(&self, ty: TypeId, value: Meaning) -> Meaning {
        self.marked(ty, value, term::bool(true))
    }

    /// The value of a place, and whether it is defined. Variables of loops and aliases of values always are.
    pub(crate) fn read_marked(&self, place: &Place, ty: TypeId) -> (Meaning, Term) {
        self.divided(ty, self.read(place))
    }

    /// Whether values of this type may be undefined where they are copied: in an assignment or a result.
    pub(crate) fn may_copy_undefined(&self, ty: TypeId) -> bool {
        self.lowering.model.is_cmurphi_only() || is_block(self.lowering.model, ty)
    }

    /// The value of an expression that is copied without being read, and whether it is defined.
    pub(crate) fn copied_value(&mut self, expression: &Expression, ty: TypeId) -> (Meaning, Term) {
        match &expression.kind {
            ExpressionKind::Read(designator) => {
                let place = self.place(designator);
                self.read_marked(&place, designator.ty)
            }
            ExpressionKind::Convert(inner) => {
                let (value, mark) = self.copied_value(inner, inner.ty);
                let span = expression.span;
                (
                    self.where_defined(mark, |e| e.convert(value, inner, expression.ty, span)),
                    mark,
                )
            }
            ExpressionKind::If(condition, then, otherwise) => {
                let condition = self.scalar(condition);
                let (then, otherwise) = self.branch(
                    condition,
                    |e| e.copied_value(then, ty),
                    |e| e.copied_value(otherwise, ty),
                );
                let value = meaning::choose(condition, &then.0, &otherwise.0);
                (value, term::ite(condition, then.1, otherwise.1))
            }
            ExpressionKind::Call { subprogram, arguments } => {
                let result = self.call(*subprogram, arguments, expression.span);
                self.divided(expression.ty, result)
            }
            _ => (self.evaluate_as(expression, ty), term::bool(true)),
        }
    }

    /// Copies an expression to a type, with its mark; undefined values satisfy any bounds and become arbitrary values
    /// of that type.
    pub(crate) fn copy_value(&mut self, expression: &Expression, ty: TypeId, what: &str) -> Meaning {
        let (mut value, mark) = self.copied_value(expression, ty);
        if !mark.is_true() && !self.fits_undefined(expression, ty) {
            let undefined = self.arbitrary(ty, "undefined", false);
            let (undefined, _) = self.divided(ty, undefined);
            value = meaning::choose(mark, &value, &undefined);
        }
        if let Some(scalar) = self.lowering.shapes.scalar(ty) {
            self.where_defined(mark, |e| e.check_bounds(expression, value[0].body, scalar.bounds, what));
        }
        self.marked(ty, value, mark)
    }

    /// Whether every value of the expression, including arbitrary ones for undefined, is a value of this type.
    fn fits_undefined(&self, expression: &Expression, ty: TypeId) -> bool {
        match &expression.kind {
            ExpressionKind::Convert(_) => false,
            ExpressionKind::If(_, then, otherwise) => {
                self.fits_undefined(then, ty) && self.fits_undefined(otherwise, ty)
            }
            _ => fits(self.lowering.model, expression.ty, ty),
        }
    }

    /// Converts an expression to a type, reading it on the way.
    pub(crate) fn read_as(&mut self, expression: &Expression, ty: TypeId, what: &str) -> Meaning {
        let value = self.evaluate_as(expression, ty);
        if let Some(scalar) = self.lowering.shapes.scalar(ty) {
            self.check_bounds(expression, value[0].body, scalar.bounds, what);
        }
        self.defined(ty, value)
    }

    /// Asserts that a value is defined, if reading undefined values is an error.
    pub(crate) fn require_defined(&mut self, mark: Term, span: Span) {
        if self.lowering.asserts_reads {
            self.require(AssertionKind::UndefinedRead, mark, "an undefined value is read", span);
        }
    }

    fn where_defined<T>(&mut self, mark: Term, act: impl FnOnce(&mut Self) -> T) -> T {
        let path = self.path;
        self.path = term::and([path, mark]);
        let result = act(self);
        self.path = path;
        result
    }

    /// An argument by value: Rumur passes undefined variables on, CMurphi everything but numbers of a different type.
    pub(crate) fn argument_value(&mut self, expression: &Expression, ty: TypeId) -> Meaning {
        let model = self.lowering.model;
        let is_variable = matches!(expression.kind, ExpressionKind::Read(_));
        let is_passed = match model.is_cmurphi_only() {
            true => !is_number(model, ty) || (is_variable && expression.ty == ty),
            false => is_variable,
        };
        match is_passed {
            true => self.copy_value(expression, ty, "the argument"),
            false => self.read_as(expression, ty, "the argument"),
        }
    }

    /// A function result: its type's bounds are checked only in files for CMurphi.
    pub(crate) fn returned_value(&mut self, expression: &Expression, ty: TypeId) -> Meaning {
        let model = self.lowering.model;
        if is_block(model, ty) {
            let block = self.block(expression, ty);
            self.contents(&block, ty)
        } else if is_number(model, ty) && model.is_cmurphi_only() {
            self.read_as(expression, ty, "the result")
        } else if self.may_copy_undefined(ty) {
            self.copy_value(expression, ty, "the result")
        } else {
            let value = self.evaluate_as(expression, ty);
            self.defined(ty, value)
        }
    }

    /// An operand of `=` or `!=`, and whether it is defined.
    pub(crate) fn compared(&mut self, operand: &Expression, ty: TypeId) -> (Meaning, Term) {
        if self.lowering.model.is_cmurphi_only() && is_element(self.lowering.model, operand.ty) {
            self.copied_value(operand, ty)
        } else {
            (self.evaluate_as(operand, ty), term::bool(true))
        }
    }
}
