//! The program representation that engines and interpreters share: procedures as control-flow automata over a memory of
//! objects.
//!
//! It is independent of the source language. The front end translates everything beyond it (side effects in
//! expressions, short circuit, loops, initialisers, implicit conversions) into steps with one effect each.
//!
//! - [`types`]: the memory layout of objects;
//! - [`value`]: side-effect-free values and places;
//! - this file: steps, automata, procedures, the program.
//!
//! **Memory** is a set of objects, each an array of bytes. A pointer is an object and an offset into it; null is no
//! object. Every variable is an object, and so is each allocation of [`Library::Allocate`]. A pointer converted from a
//! number points to no accessible object, unless the number was converted from that pointer.
//!
//! **Undefined behaviour** is no step of its own: it occurs when a step leaves the domain of its operators (see
//! [`Undefined`]). Its consequence is an option of the interpreter or engine, not part of the program.

pub mod arguments;
mod determined;
mod text;
pub mod types;
pub mod value;
pub mod well_formed;

pub use determined::is_determined;
pub use types::{Bits, Field, Float, Integer, Record, RecordId, Scalar, Type, TypeId, Types};
pub use value::{BinaryOperator, Comparison, Place, Root, Selector, UnaryOperator, Value};

use crate::Span;

/// A program and its properties.
#[derive(Clone, Debug)]
pub struct Program {
    pub types: Types,
    /// All variables: globals and those of all procedures.
    pub variables: Vec<Variable>,
    pub procedures: Vec<Procedure>,
    /// The entry procedure: it has no parameters, initialises the global variables and calls the user's first
    /// procedure.
    pub start: ProcedureId,
    /// The error conditions.
    pub properties: Vec<Property>,
}

macro_rules! identifier {
    ($(#[$meta:meta])* $name:ident, $field:ident: $item:ty) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::ops::Index<$name> for Program {
            type Output = $item;

            fn index(&self, id: $name) -> &$item {
                &self.$field[id.index()]
            }
        }
    };
}

identifier!(VariableId, variables: Variable);
identifier!(ProcedureId, procedures: Procedure);
identifier!(PropertyId, properties: Property);

/// A location in the automaton of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocationId(pub u32);

impl LocationId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A named object of a type.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The source name. Variables in different scopes may share a name.
    pub name: String,
    pub type_id: TypeId,
    pub kind: VariableKind,
    /// The procedure it belongs to; each call has its own instance.
    pub procedure: Option<ProcedureId>,
    /// The initial bytes. Only for variables without a procedure.
    pub initial: Initial,
    /// Read-only, such as the characters of a literal.
    pub is_constant: bool,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableKind {
    /// Lives as long as the program.
    Global,
    /// An unnamed global variable, such as the characters of a literal.
    Literal,
    /// A global variable that the system creates with arbitrary size: the arguments of `main`.
    Given,
    Parameter,
    /// Lives from [`Step::Enter`] to [`Step::Leave`].
    Local,
    /// A temporary of the front end: assigned once, before it is read. Lives as long as the call.
    Temporary,
    /// The return value of a procedure; assigned before its exit is reached.
    Result,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// Reading a byte before it was written is undefined.
    Undefined,
    Zero,
    /// All bytes of the variable, one for each byte of its type.
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    pub parameters: Vec<VariableId>,
    /// Variadic: takes further arguments after its parameters.
    pub is_variadic: bool,
    pub result: Option<VariableId>,
    pub body: Body,
    /// A library procedure whose body is not the user's: reports show a call as one step.
    pub is_library: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Body {
    Automaton(Automaton),
    Library(Library),
    /// An external function: it returns an arbitrary value of its type, and may havoc all memory reachable from its
    /// pointer arguments or from pointers passed to other external functions before.
    Unknown,
}

impl Body {
    pub fn automaton(&self) -> Option<&Automaton> {
        match self {
            Body::Automaton(automaton) => Some(automaton),
            Body::Library(_) | Body::Unknown => None,
        }
    }
}

/// The control-flow automaton of a procedure, whose edges lead from location to location.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub locations: Vec<Location>,
    pub entry: LocationId,
    /// The location where the procedure returns. It has no outgoing edges.
    pub exit: LocationId,
}

#[derive(Clone, Debug)]
pub struct Location {
    /// The outgoing edges: a single edge; or several assumptions, exactly one of which holds in every state; or none,
    /// where the program ends or blocks.
    pub edges: Vec<Edge>,
    /// A label in the source.
    pub label: Option<String>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub step: Step,
    pub to: LocationId,
    /// The statement or expression that the step was translated from.
    pub span: Span,
}

/// The operation of an edge, with at most one effect.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    Skip,
    /// Continues if the value is nonzero, or, if `holds` is false, if it is zero.
    Assume {
        condition: Value,
        holds: bool,
        reason: Reason,
    },
    /// Assigns a scalar.
    Assign {
        target: Place,
        value: Value,
    },
    /// Copies a record or array of the same type. Source and target are disjoint or identical.
    Copy {
        target: Place,
        source: Place,
    },
    /// Assigns an arbitrary value of the type of the place: an input.
    Choose {
        target: Place,
        /// The display name of the input: the procedure that the user called for it, or a reason of the front end.
        name: String,
    },
    /// A place without a type of its own is no target: a call with an unused result has none.
    Call {
        callee: Callee,
        arguments: Vec<Argument>,
        result: Option<Place>,
    },
    /// Starts the lifetime of a variable: its bytes are uninitialized.
    Enter(VariableId),
    /// Ends the lifetime of a variable, and invalidates every pointer to it.
    Leave(VariableId),
    /// An error: the property is violated and execution stops.
    Violate(PropertyId),
}

impl Step {
    /// Calls `visit` with every value in the step, operands first.
    pub fn for_each_value_mut(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        match self {
            Step::Skip | Step::Enter(_) | Step::Leave(_) | Step::Violate(_) => {}
            Step::Assume { condition, .. } => condition.for_each_mut(visit),
            Step::Assign { target, value } => {
                target.for_each_value_mut(visit);
                value.for_each_mut(visit);
            }
            Step::Copy { target, source } => {
                target.for_each_value_mut(visit);
                source.for_each_value_mut(visit);
            }
            Step::Choose { target, .. } => target.for_each_value_mut(visit),
            Step::Call {
                callee,
                arguments,
                result,
            } => {
                if let Callee::Pointer(pointer) = callee {
                    pointer.for_each_mut(visit);
                }
                for argument in arguments {
                    match argument {
                        Argument::Scalar(value) => value.for_each_mut(visit),
                        Argument::Record(place) => place.for_each_value_mut(visit),
                    }
                }
                if let Some(place) = result {
                    place.for_each_value_mut(visit);
                }
            }
        }
    }
}

/// Why an assumption that fails does not matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The opposite branch covers it.
    Branch,
    /// The user assumes it.
    Assumption,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    Procedure(ProcedureId),
    /// Calls through a function pointer.
    Pointer(Value),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    Scalar(Value),
    /// The bytes of a record, by value.
    Record(Place),
}

/// Library procedures with built-in semantics. Parameters and results are those of the C library.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Library {
    /// An arbitrary value of its result type.
    Input,
    /// Assumes that its argument is nonzero.
    Assume,
    Abort,
    Exit,
    /// `malloc`: uninitialized memory. An option says whether it may return null.
    Allocate,
    /// `calloc`.
    AllocateZero,
    /// `realloc`.
    Reallocate,
    /// `alloca`, and variable-length arrays: the memory lives as long as the call.
    AllocateLocal,
    Free,
    MemorySet,
    MemoryCopy,
    MemoryMove,
    /// `printf`.
    Print,
    /// `puts`.
    PutLine,
    /// `putchar`.
    PutCharacter,
    /// `va_start`: stores a pointer to the first variadic argument of the call through its argument. Variadic arguments
    /// lie consecutively in one object, each aligned to the size of a pointer, lowest first.
    VariadicStart,
    VariadicEnd,
    /// Always undefined: [`Undefined::Unreachable`].
    Unreachable,
    /// An unspecified number: zero in a run, arbitrary in a proof.
    Unspecified,
}

/// An error condition.
#[derive(Clone, Debug)]
pub struct Property {
    /// A display name such as `assert(x > 0)`.
    pub name: String,
    pub kind: PropertyKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PropertyKind {
    /// A call of an error procedure.
    ErrorCall,
    Assertion,
    Label,
    /// A violated rule about calls, which was woven into the program.
    Rule,
}

/// Kinds of undefined behaviour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Undefined {
    /// Signed overflow.
    Overflow,
    DivisionByZero,
    /// Shift by a negative or too large distance, or left shift of a negative number.
    Shift,
    NullPointer,
    /// Dereference of a pointer to no object.
    InvalidPointer,
    /// Access out of bounds, or pointer arithmetic further than one past the end.
    OutOfBounds,
    /// Access to an object after its lifetime.
    DeadObject,
    /// Read of an uninitialized byte.
    Uninitialised,
    /// Write to a constant.
    Constant,
    /// Invalid or double `free`.
    Free,
    /// Comparison or subtraction of pointers into different objects.
    DifferentObjects,
    /// Conversion of a floating-point number to an integer that cannot represent it.
    Conversion,
    /// A call through a function pointer of an incompatible type.
    Call,
    /// The value of a procedure that ended without returning one is used.
    MissingReturn,
    /// Code that the user declares unreachable is reached.
    Unreachable,
}

impl Program {
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The type of the object that a place denotes.
    pub fn type_of(&self, place: &Place) -> TypeId {
        let mut type_id = match &place.root {
            Root::Variable(variable) => self[*variable].type_id,
            Root::Dereference { type_id, .. } => *type_id,
        };
        for selector in &place.selectors {
            type_id = match (selector, &self.types[type_id]) {
                (Selector::Field(field), Type::Record(record)) => self.types[*record].fields[*field].type_id,
                (Selector::Index(_), Type::Array { element, .. }) => *element,
                _ => type_id,
            };
        }
        type_id
    }
}
