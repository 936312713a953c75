//! Places: the locations of lvalues.

use super::builder::Builder;
use super::values;
use crate::constant;
use crate::tree::{Expression, ExpressionKind, Storage};
use crate::types::{Kind, Length, Type};
use system::Span;
use system::program::{BinaryOperator, Place, Root, Scalar, Selector, Value, VariableKind};

impl Builder<'_, '_> {
    /// A record that is only a value is copied into a temporary.
    pub(super) fn place(&mut self, expression: &Expression) -> Place {
        match &expression.kind {
            ExpressionKind::Literal(literal) => Place::variable(self.lowering.literal(*literal)),
            ExpressionKind::Variable(variable) => {
                let declared = self.lowering.unit[*variable].variable_type;
                let is_computed = self.lowering.unit.types.is_variable_array(declared);
                let place = Place::variable(self.lowering.variable(*variable));
                // A variable-length array is represented by a pointer.
                if is_computed && self.lowering.unit[*variable].storage == Storage::Local {
                    let type_id = self.lowering.type_id(declared);
                    return Place::at(self.read_scalar(place, Scalar::Pointer), type_id);
                }
                place
            }
            ExpressionKind::Dereference(pointer) => self.dereferenced(pointer, expression.expression_type),
            ExpressionKind::Member { operand, field } => self.place(operand).select(Selector::Field(*field)),
            ExpressionKind::CompoundLiteral { variable, initialiser } => {
                let place = Place::variable(self.lowering.variable(*variable));
                if let Some(initialiser) = initialiser {
                    self.initialise(*variable, initialiser, expression.span);
                }
                place
            }
            _ => self.record(expression),
        }
    }

    fn dereferenced(&mut self, pointer: &Expression, target: Type) -> Place {
        match &pointer.kind {
            // `a[i]` of an array: a selector, without pointer arithmetic.
            ExpressionKind::PointerOffset {
                pointer: array,
                index,
                is_back: false,
            } => {
                if let ExpressionKind::Decay(array) = &array.kind
                    && !self.lowering.unit.types.is_variable_array(target)
                    && !self.is_computed_place(array)
                {
                    let place = self.place(array);
                    let place = self.stable_before(place, &[index], pointer.span);
                    let index_value = self.value(index);
                    return place.select(Selector::Index(Box::new(index_value)));
                }
            }
            ExpressionKind::Decay(array) if !self.is_computed_place(array) => {
                return self.place(array).select(Selector::Index(Box::new(values::int(0))));
            }
            ExpressionKind::Address(place) if place.expression_type.id == target.id => return self.place(place),
            _ => {}
        }
        let type_id = self.lowering.type_id(target);
        let pointer = self.value(pointer);
        Place::at(pointer, type_id)
    }

    /// A variable-length array, which has no type in the program.
    fn is_computed_place(&self, array: &Expression) -> bool {
        self.lowering.unit.types.is_variable_array(array.expression_type)
    }

    /// A pointer to the first element: C11 6.3.2.1p3.
    pub(super) fn decayed(&mut self, array: &Expression) -> Value {
        let place = self.place(array);
        if self.is_computed_place(array)
            && let (Root::Dereference { pointer, .. }, []) = (&place.root, place.selectors.as_slice())
        {
            return (**pointer).clone();
        }
        Value::Address(Box::new(place.select(Selector::Index(Box::new(values::int(0))))))
    }

    pub(super) fn address(&mut self, place: &Expression) -> Value {
        match &place.kind {
            ExpressionKind::Function(function) => Value::Procedure(self.lowering.procedure(*function)),
            // Such as `&((struct s *)0)->field`, which is an integer.
            ExpressionKind::Member { .. } if let Some(number) = self.absolute(place) => number,
            _ => {
                let place = self.place(place);
                match (&place.root, place.selectors.as_slice()) {
                    // C11 6.5.3.2p3: `&*p` is `p`.
                    (Root::Dereference { pointer, .. }, []) => (**pointer).clone(),
                    _ => Value::Address(Box::new(place)),
                }
            }
        }
    }

    /// The address of a place that is not part of an object.
    fn absolute(&self, place: &Expression) -> Option<Value> {
        let offset = constant::absolute(self.lowering.unit, place)?;
        Some(values::convert(
            Value::integer(offset, self.size_integer()),
            Scalar::Pointer,
        ))
    }

    /// Pointer arithmetic on elements of possibly variable size.
    pub(super) fn pointer_offset(&mut self, pointer: Value, index: Value, target: Type, is_back: bool) -> Value {
        let unit = self.lowering.unit;
        let difference = system::program::Integer::new(unit.types.data_model.pointer_bits(), true);
        let index = match is_back {
            // A step back adds the negated index, which must not wrap around.
            true => {
                let wide = match index.scalar() {
                    Scalar::Integer(integer) if integer.bits < difference.bits || !integer.is_signed => {
                        values::convert(index, Scalar::Integer(difference))
                    }
                    _ => index,
                };
                values::negate(wide)
            }
            false => index,
        };
        if !unit.types.is_variable_array(target) {
            let bytes = match unit.types.kind(target) {
                Kind::Void | Kind::Function(_) => 1,
                _ => unit.types.size(target).unwrap_or(1),
            };
            return Value::Offset {
                pointer: Box::new(pointer),
                index: Box::new(index),
                bytes,
            };
        }
        let size = values::convert(self.variable_size(target), Scalar::Integer(difference));
        let index = values::convert(index, Scalar::Integer(difference));
        Value::Offset {
            pointer: Box::new(pointer),
            index: Box::new(values::binary(BinaryOperator::Multiply, index, size)),
            bytes: 1,
        }
    }

    /// The size of a variable-length array, or of any other type.
    pub(super) fn variable_size(&mut self, of: Type) -> Value {
        let integer = self.size_integer();
        let unit = self.lowering.unit;
        match *unit.types.kind(of) {
            Kind::Array {
                element,
                length: Length::Variable(length),
            } => {
                let count = match self.frame.lengths.get(&length) {
                    Some(variable) => self.read_scalar(Place::variable(*variable), Scalar::Integer(integer)),
                    None => Value::integer(0, integer),
                };
                values::binary(BinaryOperator::Multiply, count, self.variable_size(element))
            }
            Kind::Array {
                element,
                length: Length::Known(length),
            } if unit.types.is_variable_array(element) => {
                let count = Value::integer(i128::from(length), integer);
                values::binary(BinaryOperator::Multiply, count, self.variable_size(element))
            }
            _ => Value::integer(i128::from(unit.types.size(of).unwrap_or(0)), integer),
        }
    }

    /// The place, evaluated so that what follows cannot move it.
    pub(super) fn stable_before(&mut self, place: Place, following: &[&Expression], span: Span) -> Place {
        if following.iter().any(|next| self.has_effects(next)) {
            self.stable_place(place, span)
        } else {
            place
        }
    }

    pub(super) fn stable_place(&mut self, place: Place, span: Span) -> Place {
        let root = match place.root {
            Root::Dereference { pointer, type_id } if !self.is_stable(&pointer) => Root::Dereference {
                pointer: Box::new(self.save_scalar(*pointer, span)),
                type_id,
            },
            root => root,
        };
        let mut selectors = Vec::new();
        for selector in place.selectors {
            selectors.push(match selector {
                Selector::Index(index) => Selector::Index(Box::new(self.save_scalar(*index, span))),
                field => field,
            });
        }
        Place { root, selectors }
    }

    /// Saved in a temporary of the value's type.
    pub(super) fn save_scalar(&mut self, value: Value, span: Span) -> Value {
        use system::program::Type as Made;
        if self.is_stable(&value) {
            return value;
        }
        let scalar = value.scalar();
        let made = match scalar {
            Scalar::Integer(integer) => Made::Integer(integer),
            Scalar::Float(float) => Made::Float(float),
            Scalar::Pointer => {
                let void = self.lowering.add_type(Made::Void);
                Made::Pointer(void)
            }
        };
        let type_id = self.lowering.add_type(made);
        let variable = self.temporary(type_id, span);
        debug_assert_eq!(self.lowering.program[variable].kind, VariableKind::Temporary);
        let target = Place::variable(variable);
        let step = system::program::Step::Assign {
            target: target.clone(),
            value,
        };
        self.step(step, span);
        Value::Read {
            place: Box::new(target),
            scalar,
        }
    }
}
