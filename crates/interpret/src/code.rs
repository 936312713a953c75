//! The compact form of programs: variables are resolved to registers and objects, places to a pointer and an offset.
//!
//! A variable that fits into a register and whose address is not taken is a register, of its call or of the program.
//! Any other variable is an object, and its register holds a pointer to that object.

use crate::outcome::Unsupported;
use crate::word::{Kind, Word};
use system::program::{
    BinaryOperator, Comparison, Float, Integer, Library, LocationId, ProcedureId, PropertyId, TypeId, VariableId,
};

/// A numeric value: an integer, or the bits of a double.
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
    /// From one integer type to another.
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

/// An integer operation with a [`Number`] variant of its own.
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
    /// The type of the right operand of a shift.
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

/// The representation of a number in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// In whole bytes.
    Integer {
        kind: Kind,
        bytes: u32,
    },
    /// The first bit in the first byte.
    Bits {
        kind: Kind,
        first: u32,
    },
    Single,
    Double,
    Unsupported(Unsupported),
}

impl Format {
    /// The type of the number.
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

    /// The number of bytes that it touches.
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

/// A pointer value.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Constant(Word),
    /// The object of a variable of the current call, and an offset in it.
    Object {
        register: u32,
        offset: u64,
    },
    Local(u32),
    Global(u32),
    Load(Box<Address>),
    /// A field: unchecked until it is accessed.
    Field(Box<(Address, u64)>),
    Element(Box<Element>),
    /// A pointer into an object or to its end, which is not dereferenced.
    Checked(Box<Address>),
    FromNumber(Box<Number>),
    /// A literal address, such as that of a device register.
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

/// The target of an assignment.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Local(u32),
    Global(u32),
    Number {
        address: Address,
        format: Format,
    },
    Pointer(Address),
    /// Records and arrays, of this size in bytes.
    Whole {
        address: Address,
        bytes: u64,
    },
}

/// A value of a type that fits into a register.
#[derive(Clone, Debug)]
pub(crate) enum Scalar {
    Number(Number),
    Pointer(Address),
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Skip,
    /// A number into a register of the call; the most frequent operation.
    SetLocal(u32, Number),
    SetLocalPointer(u32, Address),
    /// From one register to another.
    Move(Register, Register),
    /// A part of a deep value, computed before the step itself.
    Part(Box<(u32, Scalar)>),
    Store(Box<(Address, Format, Number)>),
    Assign(Box<(Target, Scalar)>),
    /// A single byte, which may be uninitialized.
    AssignByte(Box<(Target, ByteSource)>),
    Branch(Box<Branch>),
    /// The first edge whose condition has the expected truth value.
    Select(Box<[Choice]>),
    /// An assumption of the user.
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
    /// Ignored in a [`Branch`].
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
    /// Whether the types match those of the procedure.
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

/// The type of a variadic argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArgumentType {
    Scalar(system::program::Scalar),
    /// Of this size in bytes.
    Record(u64),
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) operation: Operation,
    pub(crate) to: u32,
    pub(crate) edge: u32,
}

/// The edge of the program that an edge of the compact form implements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EdgeOrigin {
    pub(crate) procedure: ProcedureId,
    pub(crate) location: LocationId,
    /// None where the location has no edges.
    pub(crate) edge: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The number of registers of a call.
    pub(crate) registers: u32,
    /// The types of registers that are variables, if they fit into a register.
    pub(crate) scalars: Vec<Option<system::program::Scalar>>,
    /// The registers that hold pointers to objects.
    pub(crate) objects: Vec<u32>,
    pub(crate) parameters: Vec<Parameter>,
    /// Objects with the lifetime of the call, with their variables and sizes.
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

/// The location of a variable of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    Register(u32),
    /// The register that holds the pointer to its object.
    Object(u32),
    /// Variables of procedures without a body.
    Nowhere,
}

/// A global variable that is an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalObject {
    pub(crate) variable: VariableId,
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<EdgeOrigin>,
    /// Indexed by procedure.
    pub(crate) frames: Vec<Frame>,
    /// The initial content of the global registers.
    pub(crate) globals: Vec<Word>,
    pub(crate) global_scalars: Vec<Option<system::program::Scalar>>,
    /// Created in this order before the program starts, which fixes their indices.
    pub(crate) global_objects: Vec<GlobalObject>,
}
