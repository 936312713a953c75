//! One rule, property or subprogram at a time: its frame, and where each of its locals lives.

use system::Span;
use system::instance::{Base, Expression, Place, Statement};

use super::Compiler;
use crate::model::{Local, LocalId, LocalKind, TypeId};

/// Where a local lives.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// In the frame, from this slot on.
    Frame(usize),
    /// Wherever the address in this slot of the frame says.
    Address(usize),
    /// An alias of a place that cannot move while the alias lives, and that therefore is used itself.
    Place(Place),
}

/// What the code being compiled ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReturnKind {
    Nothing,
    /// A single value of this type.
    Value(TypeId),
    /// A record or array: `return` copies it to where this slot of the frame points.
    Block {
        address: usize,
        ty: TypeId,
    },
}

/// The frame of the code being compiled.
pub(super) struct Unit<'m> {
    pub(super) locals: &'m [Local],
    storage: Vec<Option<Storage>>,
    /// Slots used so far.
    pub(super) frame: usize,
    pub(super) outcome: ReturnKind,
}

impl<'m> Unit<'m> {
    /// A unit whose frame has `used` slots already.
    pub(super) fn new(locals: &'m [Local], used: usize) -> Unit<'m> {
        Unit {
            locals,
            storage: vec![None; locals.len()],
            frame: used,
            outcome: ReturnKind::Nothing,
        }
    }

    pub(super) fn local(&self, local: LocalId) -> &'m Local {
        &self.locals[local.0]
    }

    /// Takes `size` fresh slots of the frame and returns the first.
    pub(super) fn allocate(&mut self, size: usize) -> usize {
        let first = self.frame;
        self.frame += size;
        first
    }

    pub(super) fn place_at(&mut self, local: LocalId, storage: Storage) {
        self.storage[local.0] = Some(storage);
    }

    /// The place of a local.
    pub(super) fn root(&self, local: LocalId, span: Span) -> Place {
        match &self.storage[local.0] {
            Some(Storage::Frame(slot)) => frame_place(*slot, span),
            Some(Storage::Address(slot)) => reference_place(*slot, span),
            Some(Storage::Place(place)) => Place { span, ..place.clone() },
            // Only a model with errors uses a local where it is not bound.
            None => frame_place(0, span),
        }
    }
}

/// A place in the current frame.
pub(super) fn frame_place(slot: usize, span: Span) -> Place {
    Place {
        base: Base::Frame(slot),
        offset: 0,
        subscripts: Vec::new(),
        span,
    }
}

/// The place to which the address in a slot of the current frame leads.
pub(super) fn reference_place(slot: usize, span: Span) -> Place {
    Place {
        base: Base::Reference(slot),
        offset: 0,
        subscripts: Vec::new(),
        span,
    }
}

/// A place that is always the same slots.
pub(super) fn is_fixed(place: &Place) -> bool {
    place.subscripts.is_empty() && !matches!(place.base, Base::Reference(_))
}

/// Reads a slot of the frame that the compiler knows to be set.
pub(super) fn frame_value(slot: usize) -> Expression {
    Expression::LoadRaw(frame_place(slot, Span::default()))
}

/// Sets a slot of the frame.
pub(super) fn set_frame(slot: usize, value: Expression) -> Statement {
    Statement::Store {
        place: frame_place(slot, Span::default()),
        value,
    }
}

/// Puts statements before an expression, where there are any.
pub(super) fn sequence(before: Vec<Statement>, value: Expression) -> Expression {
    match before.is_empty() {
        true => value,
        false => Expression::Sequence(before, Box::new(value)),
    }
}

impl<'m> Compiler<'m> {
    /// Gives the local variables of a unit their slots. Every firing and every call starts with a frame that is
    /// undefined.
    pub(super) fn declare_variables(&mut self, unit: &mut Unit<'m>) {
        for (position, local) in unit.locals.iter().enumerate() {
            if local.kind == LocalKind::Variable {
                let slot = self.allocate_value(unit, local.ty, local.span);
                unit.place_at(LocalId(position), Storage::Frame(slot));
            }
        }
    }

    /// Room in the frame for a value of a type.
    pub(super) fn allocate_value(&mut self, unit: &mut Unit<'m>, ty: TypeId, span: Span) -> usize {
        let size = self.layout.size(ty);
        if self.reject_large_frame(unit.frame, size, span) {
            return unit.allocate(1);
        }
        unit.allocate(size)
    }
}
