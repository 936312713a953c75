//! Functions of the C library that Cubist has no model of, but that are deterministic: gcc can execute them.

/// By header: ctype.h, stdio.h, stdlib.h, string.h and strings.h, math.h.
#[rustfmt::skip]
const DETERMINED: &[&str] = &[
    "isascii", "toascii",
    "snprintf", "sprintf", "sscanf", "vsnprintf", "vsprintf", "vsscanf",
    "atof", "atol", "atoll", "div", "ffs", "ffsl", "ffsll", "ldiv", "lldiv", "strtod", "strtof", "strtol", "strtold",
    "strtoll", "strtoul", "strtoull",
    "bcmp", "bcopy", "bzero", "index", "memccpy", "memmem", "mempcpy", "memrchr", "rindex", "stpcpy", "stpncpy",
    "strcasecmp", "strcasestr", "strchrnul", "strcoll", "strdup", "strlcat", "strlcpy", "strncasecmp",
    "strndup", "strsep", "strtok", "strtok_r", "strxfrm",
    "acos", "acosf", "asin", "asinf", "atan", "atan2", "atan2f", "atanf", "cbrt", "ceil", "ceilf", "copysign", "cos",
    "cosf", "cosh", "exp", "exp2", "expf", "fabs", "fabsf", "fabsl", "fdim", "floor", "floorf", "fma", "fmax", "fmaxf",
    "fmin", "fminf", "fmod", "fmodf", "frexp", "hypot", "ldexp", "llround", "log", "log10", "log2", "logf", "lrint",
    "lround", "modf", "nearbyint", "pow", "powf", "remainder", "rint", "round", "roundf", "signbit", "sin", "sinf",
    "sinh", "sqrt", "sqrtf", "sqrtl", "tan", "tanf", "tanh", "trunc", "truncf",
];

/// Whether a function without a body is one of these. gcc also knows most of them with the prefix `__builtin_`.
pub fn is_determined(name: &str) -> bool {
    DETERMINED.contains(&name.strip_prefix("__builtin_").unwrap_or(name))
}
