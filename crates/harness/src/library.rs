//! Functions of the C library that Cubist does not know, but gcc's program does: what they do follows from what they
//! are given. In a run they may do anything, so that a run says nothing unless gcc's program, with the functions
//! themselves, goes the same way.

use interpret::FromOutside;
use system::program::Program;

/// By header: ctype.h, stdio.h, stdlib.h, string.h and strings.h, math.h.
#[rustfmt::skip]
const DETERMINED: &[&str] = &[
    "isascii", "toascii",
    "snprintf", "sprintf", "sscanf", "vsnprintf", "vsprintf", "vsscanf",
    "atof", "atol", "atoll", "div", "ffs", "ffsl", "ffsll", "ldiv", "lldiv", "strtod", "strtof", "strtol", "strtold",
    "strtoll", "strtoul", "strtoull",
    "bcmp", "bcopy", "bzero", "index", "memccpy", "memmem", "mempcpy", "memrchr", "rindex", "stpcpy", "stpncpy",
    "strcasecmp", "strcasestr", "strchrnul", "strcoll", "strcspn", "strdup", "strlcat", "strlcpy", "strncasecmp",
    "strndup", "strpbrk", "strsep", "strspn", "strstr", "strtok", "strtok_r", "strxfrm",
    "acos", "acosf", "asin", "asinf", "atan", "atan2", "atan2f", "atanf", "cbrt", "ceil", "ceilf", "copysign", "cos",
    "cosf", "cosh", "exp", "exp2", "expf", "fabs", "fabsf", "fabsl", "fdim", "floor", "floorf", "fma", "fmax", "fmaxf",
    "fmin", "fminf", "fmod", "fmodf", "frexp", "hypot", "ldexp", "llround", "log", "log10", "log2", "logf", "lrint",
    "lround", "modf", "nearbyint", "pow", "powf", "remainder", "rint", "round", "roundf", "signbit", "sin", "sinf",
    "sinh", "sqrt", "sqrtf", "sqrtl", "tan", "tanf", "tanh", "trunc", "truncf",
];

/// Whether a function without a body is one of these. gcc knows most with `__builtin_` in front, too.
pub(crate) fn is_determined(name: &str) -> bool {
    DETERMINED.contains(&name.strip_prefix("__builtin_").unwrap_or(name))
}

/// The first function of the library that a run has called, and that leaves open what it returns.
pub fn unspecified<'p>(program: &'p Program, run: &FromOutside) -> Option<&'p str> {
    let called = run
        .calls
        .iter()
        .map(|id| &program[*id])
        .find(|called| called.is_library);
    called.map(|called| called.name.as_str())
}

/// The first such function that a run has called.
pub fn determined<'p>(program: &'p Program, run: &FromOutside) -> Option<&'p str> {
    let mut called = run.calls.iter().map(|id| program[*id].name.as_str());
    called.find(|name| is_determined(name))
}
