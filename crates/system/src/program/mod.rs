//! Programs, as engines and interpreters share them: procedures as control-flow automata over a memory of objects.
//!
//! No source language is named here. What a language has beyond this (expressions with effects, short circuit, loops,
//! initialisers, conversions that nobody wrote) its front end has turned into steps, each with one effect.
//!
//! - [`types`]: how objects lie in memory;
//! - [`value`]: values without effects, and places that can be read and written;
//! - this file: steps, automata, procedures, the program.
//!
//! **Memory** is a set of objects, each a row of bytes. A pointer is an object and an offset in it; null is no object.
//! Every variable is an object, so is whatever [`Library::Allocate`] makes. A pointer that was made from a number
//! points at nothing that may be read or written, except where the number came from the same pointer.
//!
//! **Undefined behaviour** has no step of its own: it is what a step does outside of what its operators are defined for
//! (see [`Undefined`]). What becomes of it is an option of whoever runs or proves the program, not of the program.

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

/// A program with all that is said about it.
#[derive(Clone, Debug)]
pub struct Program {
    pub types: Types,
    /// Of all procedures, and of none.
    pub variables: Vec<Variable>,
    pub procedures: Vec<Procedure>,
    /// Where runs begin: a procedure without parameters that gives the global variables their values and calls the
    /// user's first procedure.
    pub start: ProcedureId,
    /// What must not be reached.
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

/// A position in the automaton of a procedure.
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
    /// As the user wrote it. Two variables may have the same name, in different scopes.
    pub name: String,
    pub type_id: TypeId,
    pub kind: VariableKind,
    /// The procedure that it belongs to; each call has its own.
    pub procedure: Option<ProcedureId>,
    /// Its bytes before the program starts. Only of variables that belong to no procedure.
    pub initial: Initial,
    /// May not be written to, such as the characters of a literal.
    pub is_constant: bool,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableKind {
    /// Lives as long as the program.
    Global,
    /// A global variable that the user did not name, such as the characters of a literal.
    Literal,
    /// A global variable that the system makes, as long as it likes: what `main` is given.
    Given,
    Parameter,
    /// Lives from [`Step::Enter`] to [`Step::Leave`].
    Local,
    /// Holds a value for the front end: assigned to once, before it is read. Lives as long as the call.
    Temporary,
    /// What a procedure returns; assigned to before its exit is reached.
    Result,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// Reading a byte before it was written is undefined.
    Undefined,
    Zero,
    /// As many as the type has.
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    pub parameters: Vec<VariableId>,
    /// Takes further arguments after its parameters.
    pub is_variadic: bool,
    pub result: Option<VariableId>,
    pub body: Body,
    /// Of the library, with a body that is not the user's: reports tell of a call as one step.
    pub is_library: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Body {
    Automaton(Automaton),
    Library(Library),
    /// Nobody knows what it does: it returns any value of its type, and may change whatever its pointer arguments
    /// reach and whatever other procedures that nobody knows have been shown.
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

/// The control-flow automaton of a procedure. Steps lead from location to location.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub locations: Vec<Location>,
    pub entry: LocationId,
    /// Where the procedure returns. It has no edges.
    pub exit: LocationId,
}

#[derive(Clone, Debug)]
pub struct Location {
    /// Either one edge; or several that all assume something, of which exactly one can be taken in every state; or
    /// none, where the program ends or stays.
    pub edges: Vec<Edge>,
    /// A label that the user gave.
    pub label: Option<String>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub step: Step,
    pub to: LocationId,
    /// The statement or expression that the step comes from.
    pub span: Span,
}

/// What happens on an edge: one effect at most.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    Skip,
    /// Goes on where the value is not zero, or, if not `holds`, where it is.
    Assume {
        condition: Value,
        holds: bool,
        reason: Reason,
    },
    /// A scalar.
    Assign {
        target: Place,
        value: Value,
    },
    /// Records and arrays as a whole, of the same type. They do not overlap, unless they are the same.
    Copy {
        target: Place,
        source: Place,
    },
    /// Any value of the type of the place: an input.
    Choose {
        target: Place,
        /// What reports call the input: the procedure that the user asked for it, or a reason of the front end.
        name: String,
    },
    /// A place without a type of its own is no target: a call whose result nobody wants has none.
    Call {
        callee: Callee,
        arguments: Vec<Argument>,
        result: Option<Place>,
    },
    /// The life of a variable begins: its bytes are undefined from here.
    Enter(VariableId),
    /// The life of a variable ends, and with it that of every pointer to it.
    Leave(VariableId),
    /// Does not go on: the property is violated.
    Violate(PropertyId),
}

impl Step {
    /// Calls `visit` with every value in the step, those inside of others first.
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

/// Why a state is left out where an assumption fails.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The other branch takes it.
    Branch,
    /// The user says so.
    Assumption,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    Procedure(ProcedureId),
    /// Whatever the pointer points at.
    Pointer(Value),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    Scalar(Value),
    /// The bytes of a record.
    Record(Place),
}

/// Procedures whose meaning everyone knows. Parameters and results are those of the C library.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Library {
    /// Any value of the type of its result.
    Input,
    /// Goes on only where its argument is not zero.
    Assume,
    Abort,
    Exit,
    /// `malloc`: the bytes are undefined. Whether it may return null is an option.
    Allocate,
    /// `calloc`.
    AllocateZero,
    /// `realloc`.
    Reallocate,
    /// `alloca`, and arrays whose length is known at run time: lives as long as the call.
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
    /// A pointer to the first further argument of the call, into the pointer that its argument points at. Further
    /// arguments lie behind each other in one object, each at a multiple of the size of a pointer, lowest first.
    VariadicStart,
    VariadicEnd,
    /// Undefined whenever it is called: [`Undefined::Unreachable`].
    Unreachable,
    /// A number that the library leaves open: zero in a run, about which a proof knows nothing.
    Unspecified,
}

/// What must not happen.
#[derive(Clone, Debug)]
pub struct Property {
    /// Such as `assert(x > 0)`.
    pub name: String,
    pub kind: PropertyKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PropertyKind {
    /// A call of a procedure that stands for an error.
    ErrorCall,
    Assertion,
    Label,
    /// A rule about calls, which was woven in.
    Rule,
}

/// Ways in which a step can be outside of what is defined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Undefined {
    /// The result of arithmetic is outside of its signed type.
    Overflow,
    DivisionByZero,
    /// By a negative number, or by as many bits as the type has; or of a negative number to the left.
    Shift,
    NullPointer,
    /// A pointer that does not point at an object.
    InvalidPointer,
    /// Outside of the object that a pointer points at, or, in arithmetic, further than one behind it.
    OutOfBounds,
    /// An object whose life has ended.
    DeadObject,
    /// A byte that nobody has written.
    Uninitialised,
    /// Writing to what is constant.
    Constant,
    /// `free` of what was not allocated, or was freed before.
    Free,
    /// Pointers into different objects, compared by order or subtracted.
    DifferentObjects,
    /// A number with a fraction or out of range, where it is made an integer.
    Conversion,
    /// A procedure called by a pointer with other types than it has.
    Call,
    /// The end of a procedure that should have returned a value, where the value is used.
    MissingReturn,
    /// A place that control cannot reach, as the user says.
    Unreachable,
}

impl Program {
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The type of a place that is read or written.
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
