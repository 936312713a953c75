//! Programs in a compact form: variables resolved to registers and objects, places to a pointer and an offset.
//!
//! A variable whose value fits into a register and that nobody points at is a register: of its call, or of the program.
//! Every other one is an object, and the register of its name holds the pointer to it.

use crate::outcome::Unsupported;
use crate::word::{Kind, Word};
use system::program::{
    BinaryOperator, Comparison, Float, Integer, Library, LocationId, ProcedureId, PropertyId, TypeId, VariableId,
};

/// A value that is a number: an integer, or the bits of a double.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Constant(u64),
    Local(u32),
    Global(u32),
    Load(Box<Load>),
    Add(Box<Integers>),
    Subtract(Box<Integers>),
    Multiply(Box<Integers>),
    Compare(Box<Compare>),
    Binary(Box<Binary>),
    Negate(Box<(Number, Kind)>),
    Complement(Box<(Number, Kind)>),
    /// To an integer type, from another.
    Wrap(Box<(Number, Kind, Kind)>),
    Float(Box<FloatBinary>),
    FloatNegate(Box<Number>),
    FloatCompare(Box<(Comparison, Number, Number)>),
    FloatFromInteger(Box<(Number, Kind, Precision)>),
    FloatToInteger(Box<(Number, Kind)>),
    /// From any precision.
    FloatRound(Box<Number>),
    PointerCompare(Box<(Comparison, Address, Address)>),
    Distance(Box<Distance>),
    FromPointer(Box<(Address, Kind)>),
    Unsupported(Unsupported),
}

#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) address: Address,
    pub(crate) format: Format,
}

/// Integers of one type, by one of the operators that have a [`Number`] of their own.
#[derive(Clone, Debug)]
pub(crate) struct Integers {
    pub(crate) left: Number,
    pub(crate) right: Number,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) struct Compare {
    pub(crate) left: Number,
    pub(crate) right: Number,
    pub(crate) comparison: Comparison,
    pub(crate) is_signed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Binary {
    pub(crate) left: Number,
    pub(crate) right: Number,
    pub(crate) operator: BinaryOperator,
    pub(crate) kind: Kind,
    /// Of the right operand of a shift.
    pub(crate) right_kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) struct FloatBinary {
    pub(crate) left: Number,
    pub(crate) right: Number,
    pub(crate) operator: BinaryOperator,
    pub(crate) precision: Precision,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Precision {
    Single,
    Double,
}

#[derive(Clone, Debug)]
pub(crate) struct Distance {
    pub(crate) left: Address,
    pub(crate) right: Address,
    pub(crate) bytes: u64,
    pub(crate) kind: Kind,
}

/// How a number lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// Of as many whole bytes.
    Integer {
        kind: Kind,
        bytes: u32,
    },
    /// From this bit of the first byte on.
    Bits {
        kind: Kind,
        first: u32,
    },
    Single,
    Double,
    Unsupported(Unsupported),
}

impl Format {
    /// The type of what lies there.
    pub(crate) fn scalar(self) -> Option<system::program::Scalar> {
        match self {
            Format::Integer { kind, .. } | Format::Bits { kind, .. } => Some(system::program::Scalar::Integer(
                Integer::new(kind.bits, kind.is_signed),
            )),
            Format::Single => Some(system::program::Scalar::Float(Float::Single)),
            Format::Double => Some(system::program::Scalar::Float(Float::Double)),
            Format::Unsupported(_) => None,
        }
    }

    /// How many bytes it touches.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Format::Integer { bytes, .. } => bytes as usize,
            Format::Bits { kind, first } => (first + kind.bits).div_ceil(8) as usize,
            Format::Single => 4,
            Format::Double => 8,
            Format::Unsupported(_) => 0,
        }
    }
}

/// A value that is a pointer.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Constant(Word),
    /// The object of a variable of the call, and an offset in it.
    Object {
        register: u32,
        offset: u64,
    },
    Local(u32),
    Global(u32),
    Load(Box<Address>),
    /// A field: nothing is checked before it is read.
    Field(Box<(Address, u64)>),
    Element(Box<Element>),
    /// A pointer somewhere into an object, or one behind it, that is not used to read or write.
    Checked(Box<Address>),
    FromNumber(Box<Number>),
    /// A number of the program's text as an address, such as that of a register of a device.
    Fixed(u64),
    Unsupported(Unsupported),
}

#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) base: Address,
    pub(crate) index: Number,
    pub(crate) kind: Kind,
    pub(crate) bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Register {
    Local(u32),
    Global(u32),
}

/// What is assigned to.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Local(u32),
    Global(u32),
    Number {
        address: Address,
        format: Format,
    },
    Pointer(Address),
    /// Records and arrays, of so many bytes.
    Whole {
        address: Address,
        bytes: u64,
    },
}

/// A value, of a type that fits into a register.
#[derive(Clone, Debug)]
pub(crate) enum Scalar {
    Number(Number),
    Pointer(Address),
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Skip,
    /// A number into a register of the call; the most frequent of all.
    SetLocal(u32, Number),
    SetLocalPointer(u32, Address),
    /// From one register to another, whatever it holds.
    Move(Register, Register),
    /// A part of a deep value, before the step itself.
    Part(Box<(u32, Scalar)>),
    Store(Box<(Address, Format, Number)>),
    Assign(Box<(Target, Scalar)>),
    /// A single byte, which may be undefined.
    AssignByte(Box<(Target, ByteSource)>),
    Branch(Box<Branch>),
    /// The first whose condition is as it should be.
    Select(Box<[Choice]>),
    /// Of the user.
    Assume(Box<(Number, bool)>),
    Copy(Box<(Address, Address, u64)>),
    Choose(Box<Choose>),
    Call(Box<Call>),
    EnterRegister(u32),
    Enter {
        register: u32,
        variable: VariableId,
        bytes: u64,
    },
    LeaveRegister(u32),
    Leave(u32),
    Violate(PropertyId),
    Return,
    Stay,
}

#[derive(Clone, Debug)]
pub(crate) enum ByteSource {
    Local(u32),
    Global(u32),
    Memory(Address, Kind),
}

#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) condition: Number,
    pub(crate) yes: Choice,
    pub(crate) no: Choice,
}

/// One of several edges.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// Not looked at in a [`Branch`].
    pub(crate) condition: Number,
    pub(crate) holds: bool,
    pub(crate) to: u32,
    pub(crate) edge: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Choose {
    pub(crate) target: Target,
    pub(crate) type_id: TypeId,
    pub(crate) name: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) arguments: Box<[(Argument, ArgumentType)]>,
    pub(crate) result: Option<(Target, TypeId)>,
    /// The types are those of the procedure.
    pub(crate) fits: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Callee {
    Procedure(ProcedureId),
    Pointer(Address),
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Scalar(Scalar),
    Record(Address),
}

/// What a call says about an argument, where the procedure has no parameter for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArgumentType {
    Scalar(system::program::Scalar),
    /// Of so many bytes.
    Record(u64),
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) operation: Operation,
    pub(crate) to: u32,
    pub(crate) edge: u32,
}

/// Where an edge of the compact form comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EdgeOrigin {
    pub(crate) procedure: ProcedureId,
    pub(crate) location: LocationId,
    /// None where the location has no edges.
    pub(crate) edge: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Registers of a call.
    pub(crate) registers: u32,
    /// The types of those that are variables, if they fit into a register.
    pub(crate) scalars: Vec<Option<system::program::Scalar>>,
    /// Those that hold the pointer to an object.
    pub(crate) objects: Vec<u32>,
    pub(crate) parameters: Vec<Parameter>,
    /// Objects that live as long as the call, with their variables and sizes.
    pub(crate) whole_call: Vec<(u32, VariableId, u64)>,
    pub(crate) result: Option<(Home, TypeId)>,
    pub(crate) body: Body,
    pub(crate) is_variadic: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Body {
    Entry(u32),
    Library(Library),
    Unknown,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) home: Home,
    pub(crate) type_id: TypeId,
    pub(crate) scalar: Option<system::program::Scalar>,
}

/// Where a variable of a call is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    Register(u32),
    /// The register that holds the pointer to it.
    Object(u32),
    /// Procedures without a body have none.
    Nowhere,
}

/// A variable of the program that is an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalObject {
    pub(crate) variable: VariableId,
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<EdgeOrigin>,
    /// By procedure.
    pub(crate) frames: Vec<Frame>,
    /// Registers of the program, as they are at the start.
    pub(crate) globals: Vec<Word>,
    pub(crate) global_scalars: Vec<Option<system::program::Scalar>>,
    /// Made in this order before the program starts, so that their indices are known.
    pub(crate) global_objects: Vec<GlobalObject>,
}
