//! The limits of runs, and their outcomes.

use crate::coverage::Coverage;
use crate::environment::RunEnvironment;
use crate::memory::MemoryOrigin;
use crate::trace::Trace;
use system::Span;
use system::program::{ProcedureId, PropertyId, Undefined};

/// What happens on undefined behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UndefinedMode {
    /// The run ends with a finding.
    #[default]
    Report,
    /// The run continues as on a machine: integers wrap around, and uninitialized bytes are zero unless they are inputs
    /// ([`Uninitialized`]). It ends where the machine traps or the behaviour is unpredictable: at divisions by zero and
    /// at accesses outside of every object.
    Wrap,
    /// As [`UndefinedMode::Wrap`], but integers are unbounded: the run ends where one leaves the range of its type,
    /// since the interpreter does not represent it.
    Unbounded,
}

/// The semantics of uninitialized variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Uninitialized {
    /// Reading one is undefined behaviour.
    #[default]
    Undefined,
    /// Reading one yields an arbitrary value, which is an input. These are the rules of the software verification
    /// competition.
    Input,
}

/// The limits of a run, and its settings.
#[derive(Clone, Debug)]
pub struct RunLimits {
    pub undefined: UndefinedMode,
    pub uninitialised: Uninitialized,
    pub steps: u64,
    /// The maximum depth of calls.
    pub depth: usize,
    /// In bytes, for all live objects together. Each takes twice its size.
    pub memory: u64,
    /// In bytes.
    pub output: usize,
    /// The number of last steps to trace; zero for none.
    pub trace: usize,
    /// Steps before this one are not traced, which makes the end of a long run cheap to obtain.
    pub noted_from: u64,
    /// Whether `malloc` and similar functions may return null, as an input decides.
    pub allocation_may_fail: bool,
    /// Whether there is memory at literal addresses, such as device registers. Its initial content is uninitialized.
    pub fixed_memory: bool,
    /// Whether each object has memory of its own behind its end: a logical memory model. Its initial content is
    /// uninitialized.
    pub memory_behind: bool,
}

impl Default for RunLimits {
    fn default() -> RunLimits {
        RunLimits {
            undefined: UndefinedMode::Report,
            uninitialised: Uninitialized::Undefined,
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

/// The limit that a run hit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limit {
    Steps,
    Depth,
    Memory,
    Output,
}

/// What the interpreter does not support.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unsupported {
    ExtendedFloat,
    /// A conversion specification of `printf`.
    PrintConversion,
    /// A step with mismatched types, which results from an error in the front end.
    Step,
    /// An integer beyond its type in the unbounded semantics.
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
    /// With this exit status of the process.
    Exited(u8),
    Aborted,
    Violated(PropertyId),
    Undefined(Undefined),
    /// An assumption in the user's program.
    AssumptionFailed,
    /// At a location without edges, or where no edge is enabled.
    Stayed,
    /// No more inputs were available.
    InputsExhausted,
    Limit(Limit),
    Unsupported(Unsupported),
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    pub end: End,
    /// The last source location.
    pub span: Span,
    /// The call stack at the end, innermost first.
    pub calls: Vec<ProcedureId>,
    pub output: Vec<u8>,
    pub steps: u64,
    /// The inputs in the order in which the program requested them; they reproduce the run.
    pub inputs: Vec<i128>,
    /// The purposes of the inputs; empty unless steps are traced.
    pub from_outside: RunEnvironment,
    pub coverage: Coverage,
    pub trace: Trace,
    /// The external procedures called. Each returned an input, and inputs filled what its pointer arguments point at
    /// directly.
    pub unknown: Vec<ProcedureId>,
    /// The number of input pointers that pointed at objects of their own.
    pub outside: u64,
    /// The literal addresses at which memory was accessed.
    pub fixed: Vec<u64>,
    /// The objects behind whose ends memory was accessed.
    pub behind: Vec<MemoryOrigin>,
    /// Whether the address of an object was observed as an integer: it differs between machines.
    pub has_addresses: bool,
}

/// Why an evaluation or a step failed.
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
