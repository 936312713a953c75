//! The frame of one rule, property or subprogram, and the storage of its locals.

use system::Span;
use system::instance::{Base, Expression, Place, Statement};

use super::Compiler;
use crate::model::{Local, LocalId, LocalKind, TypeId};

/// The storage of a local.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// In the frame, from this slot on.
    Frame(usize),
    /// At the address stored in this frame slot.
    Address(usize),
    /// The place itself: an alias of a place that cannot change during the alias's lifetime.
    Place(Place),
}

/// How the code being compiled returns its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReturnKind {
    Nothing,
    /// A single value of this type.
    Value(TypeId),
    /// A record or array: `return` copies it to the address in this frame slot.
    Block {
        address: usize,
        ty: TypeId,
    },
}

/// The frame of the code being compiled.
pub(super) struct Unit<'m> {
    pub(super) locals: &'m [Local],
    storage: Vec<Option<Storage>>,
    /// The number of slots used so far.
    pub(super) frame: usize,
    pub(super) outcome: ReturnKind,
}

impl<'m> Unit<'m> {
    /// A unit whose frame already uses `used` slots.
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

    /// Allocates `size` frame slots and returns the first.
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
            // Only a model with errors uses an unbound local.
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

/// The place at the address in a slot of the current frame.
pub(super) fn reference_place(slot: usize, span: Span) -> Place {
    Place {
        base: Base::Reference(slot),
        offset: 0,
        subscripts: Vec::new(),
        span,
    }
}

/// Whether a place always denotes the same slots.
pub(super) fn is_fixed(place: &Place) -> bool {
    place.subscripts.is_empty() && !matches!(place.base, Base::Reference(_))
}

/// Reads a frame slot that is known to be set.
pub(super) fn frame_value(slot: usize) -> Expression {
    Expression::LoadRaw(frame_place(slot, Span::default()))
}

/// Sets a frame slot.
pub(super) fn set_frame(slot: usize, value: Expression) -> Statement {
    Statement::Store {
        place: frame_place(slot, Span::default()),
        value,
    }
}

/// Prefixes an expression by statements, if there are any.
pub(super) fn sequence(before: Vec<Statement>, value: Expression) -> Expression {
    match before.is_empty() {
        true => value,
        false => Expression::Sequence(before, Box::new(value)),
    }
}

impl<'m> Compiler<'m> {
    /// Allocates the local variables of a unit. Every firing and every call starts with an undefined frame.
    pub(super) fn declare_variables(&mut self, unit: &mut Unit<'m>) {
        for (position, local) in unit.locals.iter().enumerate() {
            if local.kind == LocalKind::Variable {
                let slot = self.allocate_value(unit, local.ty, local.span);
                unit.place_at(LocalId(position), Storage::Frame(slot));
            }
        }
    }

    /// Allocates frame slots for a value of a type.
    pub(super) fn allocate_value(&mut self, unit: &mut Unit<'m>, ty: TypeId, span: Span) -> usize {
        let size = self.layout.size(ty);
        if self.reject_large_frame(unit.frame, size, span) {
            return unit.allocate(1);
        }
        unit.allocate(size)
    }
}
