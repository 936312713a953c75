//! How runs are bounded, and how they end.

use crate::asked::FromOutside;
use crate::coverage::Coverage;
use crate::memory::Origin;
use crate::trace::Trace;
use system::Span;
use system::program::{ProcedureId, PropertyId, Undefined};

/// What becomes of undefined behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UndefinedMode {
    /// The run ends with the finding.
    #[default]
    Report,
    /// The run goes on where a machine would: numbers wrap around, undefined bytes are zero unless they are inputs
    /// ([`Uninitialised`]). It ends where the machine stops, or where nobody can tell: at a division by zero, and at
    /// accesses to what is no object.
    Wrap,
    /// As [`UndefinedMode::Wrap`], but numbers are those of mathematics: where one is beyond its type, the run ends,
    /// since nobody here can tell how it goes on.
    Unbounded,
}

/// What a variable holds that nobody gave a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Uninitialised {
    /// To read it is undefined behaviour.
    #[default]
    Undefined,
    /// Anything: it is an input, which is asked for where it is read first. So the rules of software verification
    /// competitions have it.
    Input,
}

/// What a run may use, and what is noted on the way.
#[derive(Clone, Debug)]
pub struct Limits {
    pub undefined: UndefinedMode,
    pub uninitialised: Uninitialised,
    pub steps: u64,
    /// Of calls in calls.
    pub depth: usize,
    /// In bytes, of all objects that live at a time. Each needs twice its size.
    pub memory: u64,
    /// In bytes.
    pub output: usize,
    /// How many steps are noted, the last ones; none where it is zero.
    pub trace: usize,
    /// Steps before this one are not noted: so the end of a long run is had without the time that notes take.
    pub noted_from: u64,
    /// Whether `malloc` and the like may return null: an input decides then.
    pub allocation_may_fail: bool,
    /// Whether there is memory at an address that the program has as a number in its text, as registers of devices are:
    /// what nobody has written there is as in any other memory.
    pub fixed_memory: bool,
    /// Whether there is memory of its own behind the end of each object: a logical memory model. What nobody has
    /// written there is as in any other memory.
    pub memory_behind: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            undefined: UndefinedMode::Report,
            uninitialised: Uninitialised::Undefined,
            steps: 1_000_000_000,
            depth: 100_000,
            memory: 1 << 30,
            output: 1 << 24,
            trace: 0,
            noted_from: 0,
            allocation_may_fail: false,
            fixed_memory: false,
            memory_behind: false,
        }
    }
}

/// What a run met first that it may not have more of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limit {
    Steps,
    Depth,
    Memory,
    Output,
}

/// What nobody has taught the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unsupported {
    ExtendedFloat,
    /// A conversion of `printf`.
    PrintConversion,
    /// A step whose types do not fit each other: the program was not lowered well.
    Step,
    /// Where numbers should have no end.
    Beyond,
}

impl Unsupported {
    pub fn name(self) -> &'static str {
        match self {
            Unsupported::ExtendedFloat => "numbers with more bits than a double",
            Unsupported::PrintConversion => "this conversion of printf",
            Unsupported::Step => "a step whose types do not fit each other",
            Unsupported::Beyond => "a number beyond its type",
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// With the status that the system gets: 0 to 255.
    Exited(u8),
    Aborted,
    Violated(PropertyId),
    Undefined(Undefined),
    /// Of the user.
    AssumptionFailed,
    /// A location that nothing leaves, or where no edge can be taken.
    Stayed,
    /// The inputs were used up.
    InputsExhausted,
    Limit(Limit),
    Unsupported(Unsupported),
}

/// All that is known after a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub end: End,
    /// Where it ended.
    pub span: Span,
    /// The procedure that it ended in, and those that called it, the first last.
    pub calls: Vec<ProcedureId>,
    pub output: Vec<u8>,
    pub steps: u64,
    /// The inputs that the program asked for, in this order: given again, they make the same run.
    pub inputs: Vec<i128>,
    /// What they were for; empty unless steps are noted.
    pub from_outside: FromOutside,
    pub coverage: Coverage,
    pub trace: Trace,
    /// Procedures that nobody knows and that were called. Each returned an input, and what its pointer arguments point
    /// at directly was filled by inputs.
    pub unknown: Vec<ProcedureId>,
    /// How many pointers that were inputs pointed at objects of their own.
    pub outside: u64,
    /// Addresses in the text of the program from which on memory was read or written.
    pub fixed: Vec<u64>,
    /// Objects behind whose ends memory was read or written.
    pub behind: Vec<Origin>,
    /// Whether the address of an object became a number: another machine has another one.
    pub has_addresses: bool,
}

/// Why an evaluation has no value, or a step no end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    Undefined(Undefined),
    Limit(Limit),
    Unsupported(Unsupported),
    InputsExhausted,
}

impl From<Fault> for End {
    fn from(fault: Fault) -> End {
        match fault {
            Fault::Undefined(kind) => End::Undefined(kind),
            Fault::Limit(limit) => End::Limit(limit),
            Fault::Unsupported(what) => End::Unsupported(what),
            Fault::InputsExhausted => End::InputsExhausted,
        }
    }
}
