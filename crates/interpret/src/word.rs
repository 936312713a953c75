//! The content of a register: a number, a pointer, or neither.

use system::program::{Integer, ProcedureId};

/// The object index of a [`Word`] that is a number, or a pointer cast from one.
const NUMBER: u32 = 0;
/// The object index of a [`Word`] that points at a procedure.
const PROCEDURE: u32 = 1;
/// The first index of an actual object.
pub(crate) const FIRST_OBJECT: u32 = 2;
const UNDEFINED: u32 = u32::MAX;
/// The object index of a [`Word`] that is an input without a value.
const PENDING: u32 = u32::MAX - 1;

/// A number, a pointer, or uninitialized: sixteen bytes, so that registers are cheap to copy.
///
/// Numbers are stored in 64 bits, sign-extended for signed types. Floats of all types are stored as the bits of a
/// double.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Word {
    object: u32,
    /// Indices are reused once an object is dead; the generation distinguishes the objects.
    generation: u32,
    bits: u64,
}

impl Word {
    pub(crate) const NULL: Word = Word::number(0);
    pub(crate) const UNDEFINED: Word = Word {
        object: UNDEFINED,
        generation: 0,
        bits: 0,
    };

    pub(crate) const fn number(bits: u64) -> Word {
        Word {
            object: NUMBER,
            generation: 0,
            bits,
        }
    }

    pub(crate) fn procedure(procedure: ProcedureId) -> Word {
        Word {
            object: PROCEDURE,
            generation: procedure.0,
            bits: 0,
        }
    }

    pub(crate) fn object(object: u32, generation: u32) -> Word {
        Word {
            object,
            generation,
            bits: 0,
        }
    }

    /// The input with this index, which gets its value on first use.
    pub(crate) fn pending(input: usize) -> Word {
        Word {
            object: PENDING,
            generation: 0,
            bits: input as u64,
        }
    }

    pub(crate) fn as_pending(self) -> Option<usize> {
        (self.object == PENDING).then(|| usize::try_from(self.bits).unwrap_or(usize::MAX))
    }

    /// Neither a number nor a pointer yet: uninitialized, or an input.
    #[inline]
    pub(crate) fn is_open(self) -> bool {
        self.object >= PENDING
    }

    pub(crate) fn is_undefined(self) -> bool {
        self.object == UNDEFINED
    }

    pub(crate) fn is_number(self) -> bool {
        self.object == NUMBER
    }

    pub(crate) fn is_null(self) -> bool {
        self == Word::NULL
    }

    pub(crate) fn points_at_object(self) -> bool {
        self.object >= FIRST_OBJECT && self.object < PENDING
    }

    pub(crate) fn as_procedure(self) -> Option<ProcedureId> {
        (self.object == PROCEDURE && self.bits == 0).then_some(ProcedureId(self.generation))
    }

    /// The number; for a pointer, its offset in the object.
    pub(crate) fn bits(self) -> u64 {
        self.bits
    }

    pub(crate) fn offset(self) -> u64 {
        self.bits
    }

    pub(crate) fn index(self) -> usize {
        self.object as usize
    }

    pub(crate) fn generation(self) -> u32 {
        self.generation
    }

    /// The word moved by a number of bytes.
    #[must_use]
    pub(crate) fn plus(self, bytes: u64) -> Word {
        Word {
            bits: self.bits.wrapping_add(bytes),
            ..self
        }
    }

    #[must_use]
    pub(crate) fn at(self, offset: u64) -> Word {
        Word { bits: offset, ..self }
    }

    /// Whether both point into the same object, or both are numbers.
    pub(crate) fn has_same_object(self, other: Word) -> bool {
        self.object == other.object && self.generation == other.generation
    }
}

/// An integer type: the representation of its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind {
    /// From 1 to 64.
    pub(crate) bits: u32,
    pub(crate) is_signed: bool,
}

impl Kind {
    pub(crate) fn new(integer: Integer) -> Kind {
        Kind {
            bits: integer.bits.clamp(1, 64),
            is_signed: integer.is_signed,
        }
    }

    /// The number of the type with these low bits.
    #[inline]
    pub(crate) fn wrap(self, bits: u64) -> u64 {
        let shift = 64 - self.bits;
        if self.is_signed {
            ((bits << shift).cast_signed() >> shift).cast_unsigned()
        } else {
            (bits << shift) >> shift
        }
    }

    pub(crate) fn value(self, bits: u64) -> i128 {
        if self.is_signed {
            i128::from(bits.cast_signed())
        } else {
            i128::from(bits)
        }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(crate) fn bits_of(self, value: i128) -> u64 {
        self.wrap(value as u64)
    }

    /// Whether every number of the other type is one of this type, with the same bits.
    pub(crate) fn holds_all_of(self, other: Kind) -> bool {
        match (self.is_signed, other.is_signed) {
            (true, true) | (false, false) => self.bits >= other.bits,
            (true, false) => self.bits > other.bits,
            (false, true) => false,
        }
    }
}
