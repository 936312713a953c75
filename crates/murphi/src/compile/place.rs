//! Compiles designators to places: a base, a constant offset, and subscripts evaluated at run time.

use system::instance::{Base, Expression, Place, Subscript};

use super::Compiler;
use super::unit::{Storage, Unit};
use crate::model::{
    Designator, Expression as ModelExpression, ExpressionKind, LocalKind, Root, Selector, TypeId, TypeKind,
};

/// The array or multiset slots that a subscript steps over.
#[derive(Clone, Copy)]
struct Rows {
    low: i64,
    high: i64,
    stride: usize,
    windowed: bool,
}

impl<'m> Compiler<'m> {
    pub(super) fn place(&mut self, unit: &mut Unit<'m>, designator: &'m Designator) -> Place {
        let (mut place, mut ty) = self.root(unit, designator);
        for selector in &designator.selectors {
            ty = self.select(unit, &mut place, ty, selector);
        }
        place
    }

    fn root(&mut self, unit: &Unit<'m>, designator: &Designator) -> (Place, TypeId) {
        match designator.root {
            Root::Variable(variable) => {
                let place = Place {
                    base: Base::State(self.layout.variable(variable)),
                    offset: 0,
                    subscripts: Vec::new(),
                    span: designator.span,
                };
                (place, self.model.variables[variable.0].ty)
            }
            Root::Local(local) => (unit.root(local, designator.span), unit.local(local).ty),
        }
    }

    fn select(&mut self, unit: &mut Unit<'m>, place: &mut Place, ty: TypeId, selector: &'m Selector) -> TypeId {
        match (selector, self.model.kind(ty)) {
            (Selector::Field(position), TypeKind::Record { fields }) => {
                place.offset += self.layout.field_offset(ty, *position);
                fields[*position].ty
            }
            (Selector::Index(index), TypeKind::Array { index: over, element }) => {
                self.link(*over, index.ty);
                let bounds = self.layout.bounds(*over);
                let rows = Rows {
                    low: bounds.low,
                    high: bounds.high,
                    stride: self.layout.size(*element),
                    windowed: bounds.windowed,
                };
                self.instance.windowed |= bounds.windowed;
                self.subscript(unit, place, index, rows);
                *element
            }
            (Selector::Element(number), TypeKind::Multiset { capacity, element }) => {
                let rows = Rows {
                    low: 0,
                    high: capacity - 1,
                    stride: self.layout.size(*element) + 1,
                    windowed: false,
                };
                self.subscript(unit, place, number, rows);
                // After the presence mark.
                place.offset += 1;
                *element
            }
            // Reachable only in a model with errors.
            _ => ty,
        }
    }

    fn subscript(&mut self, unit: &mut Unit<'m>, place: &mut Place, index: &'m ModelExpression, rows: Rows) {
        let value = self.expression(unit, index);
        if let Expression::Constant(value) = value
            && (rows.low..=rows.high).contains(&value)
            && let Ok(row) = usize::try_from(value - rows.low)
        {
            place.offset += row * rows.stride;
            return;
        }
        place.subscripts.push(Subscript {
            index: value,
            low: rows.low,
            high: rows.high,
            stride: rows.stride,
            windowed: rows.windowed,
        });
    }

    /// Whether the multiset element with the index in a frame slot is present.
    pub(super) fn presence(
        &mut self,
        unit: &mut Unit<'m>,
        multiset: &'m Designator,
        number: Expression,
    ) -> (Expression, Shape) {
        let shape = self.shape(multiset.ty);
        let mut place = self.place(unit, multiset);
        place.subscripts.push(Subscript {
            index: number,
            low: 0,
            high: shape.capacity as i64 - 1,
            stride: shape.stride + 1,
            windowed: false,
        });
        let present = Expression::Binary(
            system::instance::Binary::Equal,
            Box::new(Expression::LoadRaw(place)),
            Box::new(Expression::Constant(1)),
            multiset.span,
        );
        (present, shape)
    }

    /// The capacity of a multiset type, and the slots of its elements.
    pub(super) fn shape(&self, ty: TypeId) -> Shape {
        match self.model.kind(ty) {
            TypeKind::Multiset { capacity, element } => Shape {
                capacity: usize::try_from(*capacity).unwrap_or(0),
                stride: self.layout.size(*element),
                element: *element,
            },
            _ => Shape {
                capacity: 0,
                stride: 0,
                element: ty,
            },
        }
    }

    /// An alias can denote its place directly if that place cannot change and resolving it cannot fail: subscripts are
    /// constants, or bound variables whose values are all within the array.
    pub(super) fn is_steady(&self, unit: &Unit<'m>, designator: &Designator) -> bool {
        let mut ty = match designator.root {
            Root::Variable(variable) => self.model.variables[variable.0].ty,
            Root::Local(local) => unit.local(local).ty,
        };
        for selector in &designator.selectors {
            ty = match (selector, self.model.kind(ty)) {
                (Selector::Field(position), TypeKind::Record { fields }) => fields[*position].ty,
                (Selector::Index(index), TypeKind::Array { index: over, element }) => {
                    if !self.is_steady_index(unit, index, *over) {
                        return false;
                    }
                    *element
                }
                _ => return false,
            };
        }
        true
    }

    fn is_steady_index(&self, unit: &Unit<'m>, index: &ModelExpression, over: TypeId) -> bool {
        let bounds = self.layout.bounds(over);
        match &index.kind {
            ExpressionKind::Literal(value) => (bounds.low..=bounds.high).contains(value),
            ExpressionKind::Read(read) if read.selectors.is_empty() && !bounds.windowed => match read.root {
                Root::Local(local) => {
                    unit.local(local).kind == LocalKind::Bound
                        && bounds.contains(self.layout.bounds(unit.local(local).ty))
                }
                Root::Variable(_) => false,
            },
            _ => false,
        }
    }

    /// The storage of an alias: the place itself, or a slot for its address, filled by the returned statement.
    pub(super) fn bind_place(
        &mut self,
        unit: &mut Unit<'m>,
        designator: &'m Designator,
    ) -> (Storage, Option<system::instance::Statement>) {
        let place = self.place(unit, designator);
        if self.is_steady(unit, designator) {
            return (Storage::Place(place), None);
        }
        let slot = unit.allocate(1);
        (
            Storage::Address(slot),
            Some(super::unit::set_frame(slot, Expression::Address(place))),
        )
    }

    /// The source text of a designator, for `put`.
    pub(super) fn designator_text(&self, unit: &Unit<'m>, designator: &Designator) -> String {
        let (mut text, mut ty) = match designator.root {
            Root::Variable(variable) => {
                let variable = &self.model.variables[variable.0];
                (variable.name.clone(), variable.ty)
            }
            Root::Local(local) => (unit.local(local).name.clone(), unit.local(local).ty),
        };
        for selector in &designator.selectors {
            ty = match (selector, self.model.kind(ty)) {
                (Selector::Field(position), TypeKind::Record { fields }) => {
                    text.push_str(&format!(".{}", fields[*position].name));
                    fields[*position].ty
                }
                (Selector::Index(index), TypeKind::Array { element, .. })
                | (Selector::Element(index), TypeKind::Multiset { element, .. }) => {
                    text.push_str(&format!("[{}]", self.index_text(unit, index)));
                    *element
                }
                _ => ty,
            };
        }
        text
    }

    fn index_text(&self, unit: &Unit<'m>, index: &ModelExpression) -> String {
        match (&index.kind, self.model.kind(index.ty)) {
            (ExpressionKind::Literal(value), TypeKind::Enum { values }) => {
                let name = usize::try_from(*value).ok().and_then(|position| values.get(position));
                name.map_or_else(|| value.to_string(), |(name, _)| name.clone())
            }
            (ExpressionKind::Literal(value), _) => value.to_string(),
            (ExpressionKind::Read(read), _) => self.designator_text(unit, read),
            (ExpressionKind::Convert(inner), _) => self.index_text(unit, inner),
            _ => "..".to_owned(),
        }
    }
}

/// The dimensions of a multiset.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub capacity: usize,
    /// Slots of an element, without its presence mark.
    pub stride: usize,
    pub element: TypeId,
}
