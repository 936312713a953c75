//! Variadic arguments: C11 7.16. They are stored consecutively at multiples of the pointer size, and a `va_list` is a
//! pointer to the next one.

use super::builder::Builder;
use super::values;
use crate::tree::Expression;
use crate::types::Type;
use system::Span;
use system::program::{Library, Place, Scalar, Step, Type as Made, TypeId, Value};

impl Builder<'_, '_> {
    fn pointer_type(&mut self) -> (TypeId, TypeId) {
        let void = self.lowering.add_type(Made::Void);
        let pointer = self.lowering.add_type(Made::Pointer(void));
        (void, pointer)
    }

    pub(super) fn variadic_start(&mut self, list: &Expression, span: Span) {
        let (void, pointer) = self.pointer_type();
        let place = self.place(list);
        let procedure = self
            .lowering
            .hidden(Library::VariadicStart, "va_start", &[pointer], void);
        self.call_hidden(procedure, vec![Value::Address(Box::new(place))], None, span);
    }

    pub(super) fn variadic_end(&mut self, list: &Expression, span: Span) {
        let (void, pointer) = self.pointer_type();
        let place = self.place(list);
        let procedure = self.lowering.hidden(Library::VariadicEnd, "va_end", &[pointer], void);
        self.call_hidden(procedure, vec![Value::Address(Box::new(place))], None, span);
    }

    pub(super) fn variadic_copy(&mut self, to: &Expression, from: &Expression, span: Span) {
        let target = self.place(to);
        let target = self.stable_before(target, &[from], span);
        let source = self.place(from);
        let value = self.read_scalar(source, Scalar::Pointer);
        self.step(Step::Assign { target, value }, span);
    }

    /// The place of the next argument, after which the list is advanced.
    pub(super) fn variadic_argument(&mut self, list: &Expression, own: Type, span: Span) -> Place {
        let place = self.place(list);
        let place = self.stable_place(place, span);
        let next = self.read_scalar(place.clone(), Scalar::Pointer);
        let next = self.save_scalar(next, span);
        let slot = u64::from(self.lowering.program.types.pointer_bits / 8);
        let size = self
            .lowering
            .unit
            .types
            .size(own)
            .unwrap_or(slot)
            .next_multiple_of(slot);
        let behind = Value::Offset {
            pointer: Box::new(next.clone()),
            index: Box::new(values::int(1)),
            bytes: size,
        };
        self.step(
            Step::Assign {
                target: place,
                value: behind,
            },
            span,
        );
        let type_id = self.lowering.type_id(own);
        Place::at(next, type_id)
    }
}
