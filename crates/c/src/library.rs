//! Functions with a built-in meaning: those of the C library, of SV-COMP, and of gcc.
//!
//! Functions that can be expressed in C have bodies in `library.c` ([`TEXT`]); the table here has all others.
//!
//! A body in the user's program takes precedence over both, except for error functions: SV-COMP gives `reach_error` a
//! body that fails an assertion, and means the call.

use crate::types::{FloatKind, FunctionType, IntegerKind, Kind, Type, Types};
use system::program::Library;

/// The bodies, as a file of its own.
pub(crate) const TEXT: &str = include_str!("library.c");

/// The meaning of a function without a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Library(Library),
    /// Violates a property if its argument is zero.
    Assertion,
    /// `__assert_fail`: violates the property named by its first argument, a string.
    FailedAssertion,
    /// Violates a property.
    Error,
    /// A rule is broken: violates the property named by its argument, a string.
    Rule,
    /// `setjmp`, `longjmp`, and functions that call back; unsupported.
    Refused,
}

struct Known {
    name: &'static str,
    meaning: Meaning,
    /// The result, then the parameters; see [`letter`].
    signature: &'static str,
}

const fn known(name: &'static str, library: Library, signature: &'static str) -> Known {
    Known {
        name,
        meaning: Meaning::Library(library),
        signature,
    }
}

const fn other(name: &'static str, meaning: Meaning, signature: &'static str) -> Known {
    Known {
        name,
        meaning,
        signature,
    }
}

/// Ordered by name. gcc knows most of them with the prefix `__builtin_`, too.
const KNOWN: &[Known] = &[
    known("__VERIFIER_assume", Library::Assume, "vi"),
    known("abort", Library::Abort, "v"),
    known("exit", Library::Exit, "vi"),
    known("_exit", Library::Exit, "vi"),
    known("_Exit", Library::Exit, "vi"),
    known("malloc", Library::Allocate, "pz"),
    known("calloc", Library::AllocateZero, "pzz"),
    known("realloc", Library::Reallocate, "ppz"),
    known("alloca", Library::AllocateLocal, "pz"),
    known("free", Library::Free, "vp"),
    known("cfree", Library::Free, "vp"),
    known("memset", Library::MemorySet, "ppiz"),
    known("memcpy", Library::MemoryCopy, "ppcz"),
    known("memmove", Library::MemoryMove, "ppcz"),
    known("printf", Library::Print, "it."),
    known("puts", Library::PutLine, "it"),
    known("putchar", Library::PutCharacter, "ii"),
    known("trap", Library::Abort, "v"),
    known("unreachable", Library::Unreachable, "v"),
    known("__cubist_unspecified", Library::Unspecified, "i"),
    other("__assert_fail", Meaning::FailedAssertion, "vttut"),
    other("__assert", Meaning::FailedAssertion, "vtti"),
    other("__assert_perror_fail", Meaning::Error, "vitut"),
    other("__VERIFIER_assert", Meaning::Assertion, "vi"),
    other("assert", Meaning::Assertion, "vi"),
    other("__VERIFIER_error", Meaning::Error, "v"),
    other("reach_error", Meaning::Error, "v"),
    other(crate::rules::ERROR, Meaning::Rule, "vt"),
    known(crate::rules::ASSUME, Library::Assume, "vi"),
    other("setjmp", Meaning::Refused, "ip"),
    other("_setjmp", Meaning::Refused, "ip"),
    other("__sigsetjmp", Meaning::Refused, "ipi"),
    other("sigsetjmp", Meaning::Refused, "ipi"),
    other("longjmp", Meaning::Refused, "vpi"),
    other("siglongjmp", Meaning::Refused, "vpi"),
    other("pthread_create", Meaning::Refused, "ipppp"),
    other("thrd_create", Meaning::Refused, "ippp"),
    other("atexit", Meaning::Refused, "ip"),
    other("at_quick_exit", Meaning::Refused, "ip"),
    other("on_exit", Meaning::Refused, "ipp"),
    other("signal", Meaning::Refused, "pip"),
    other("sigaction", Meaning::Refused, "iicp"),
    other("makecontext", Meaning::Refused, "vppi."),
    other("swapcontext", Meaning::Refused, "ipc"),
    other("qsort", Meaning::Refused, "vpzzp"),
    other("qsort_r", Meaning::Refused, "vpzzpp"),
    other("bsearch", Meaning::Refused, "pcczzp"),
];

/// Names that exist only as gcc builtins, without the prefix `__builtin_`.
const ONLY_BUILTIN: &[&str] = &["trap", "unreachable"];

/// An upper bound of a function's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Greatest {
    Any,
    Number(i128),
    /// The value of this argument.
    Argument(usize),
}

/// Ranges of the results of functions without a body: minimum and upper bound.
const RANGES: &[(&str, (i128, Greatest))] = &[
    ("rand", (0, Greatest::Any)),
    ("random", (0, Greatest::Any)),
    ("getchar", (-1, Greatest::Number(255))),
    ("getc", (-1, Greatest::Number(255))),
    ("fgetc", (-1, Greatest::Number(255))),
    ("read", (-1, Greatest::Argument(2))),
    ("write", (-1, Greatest::Argument(2))),
    ("recv", (-1, Greatest::Argument(2))),
    ("send", (-1, Greatest::Argument(2))),
    ("fread", (0, Greatest::Argument(2))),
    ("fwrite", (0, Greatest::Argument(2))),
];

pub(crate) fn range(name: &str) -> Option<(i128, Greatest)> {
    let found = RANGES.iter().find(|(known, _)| *known == name);
    found.map(|(_, range)| *range)
}

/// Whether a function without a body returns its first argument, or a null pointer.
pub(crate) fn returns_first(name: &str) -> bool {
    ["fgets", "gets", "getcwd"].contains(&name)
}

/// The prefix of functions whose results are inputs.
const INPUT: &str = "__VERIFIER_nondet_";

/// The meaning of a function of this name without a body.
pub(crate) fn meaning(name: &str) -> Option<Meaning> {
    if name.starts_with(INPUT) {
        return Some(Meaning::Library(Library::Input));
    }
    find(name).map(|known| known.meaning)
}

fn find(name: &str) -> Option<&'static Known> {
    let plain = name.strip_prefix("__builtin_");
    let found = KNOWN.iter().find(|known| known.name == plain.unwrap_or(name))?;
    (plain.is_some() || !ONLY_BUILTIN.contains(&found.name)).then_some(found)
}

/// The type that gcc gives to an undeclared function of this name.
pub(crate) fn builtin_type(types: &mut Types, name: &str) -> Option<Type> {
    let plain = name.strip_prefix(INPUT);
    let signature = match plain {
        Some(word) => input_signature(word)?,
        None => find(name)?.signature,
    };
    let mut letters = signature.chars();
    let result = letter(types, letters.next()?)?;
    let mut parameters = Vec::new();
    let mut is_variadic = false;
    for each in letters {
        match each {
            '.' => is_variadic = true,
            each => parameters.push(letter(types, each)?),
        }
    }
    Some(types.of(Kind::Function(FunctionType {
        result,
        parameters: Some(parameters),
        is_variadic,
    })))
}

/// SV-COMP's type names.
fn input_signature(word: &str) -> Option<&'static str> {
    Some(match word {
        "int" => "i",
        "uint" | "unsigned" | "unsigned_int" | "u32" => "u",
        "long" | "loff_t" => "l",
        "ulong" => "m",
        "longlong" => "L",
        "ulonglong" => "M",
        "char" => "h",
        "uchar" | "u8" => "H",
        "short" => "w",
        "ushort" | "u16" => "W",
        "bool" => "b",
        "size_t" => "z",
        "pointer" | "pchar" => "p",
        "float" => "f",
        "double" => "d",
        _ => return None,
    })
}

fn letter(types: &mut Types, letter: char) -> Option<Type> {
    Some(match letter {
        'v' => types.void(),
        'i' => types.int(),
        'u' => types.integer(IntegerKind::UnsignedInt),
        'l' => types.integer(IntegerKind::Long),
        'm' => types.integer(IntegerKind::UnsignedLong),
        'L' => types.integer(IntegerKind::LongLong),
        'M' => types.integer(IntegerKind::UnsignedLongLong),
        'h' => types.char(),
        'H' => types.integer(IntegerKind::UnsignedChar),
        'w' => types.integer(IntegerKind::Short),
        'W' => types.integer(IntegerKind::UnsignedShort),
        'b' => types.of(Kind::Bool),
        'z' => types.size_type(),
        'f' => types.of(Kind::Float(FloatKind::Single)),
        'd' => types.of(Kind::Float(FloatKind::Double)),
        'p' => {
            let void = types.void();
            types.pointer_to(void)
        }
        'c' => {
            let void = types.void();
            types.pointer_to(void.constant())
        }
        's' => {
            let char = types.char();
            types.pointer_to(char)
        }
        't' => {
            let char = types.char();
            types.pointer_to(char.constant())
        }
        _ => return None,
    })
}

/// Whether the declared parameters match those that the meaning relies on: the same number, with pointers in the same
/// positions. Widths of integers may differ.
pub(crate) fn fits(types: &mut Types, name: &str, declared: Type) -> bool {
    if name.starts_with(INPUT) {
        return types.function_of(declared).is_some();
    }
    let Some(expected) = builtin_type(types, name) else {
        return false;
    };
    let (Some(ours), Some(theirs)) = (types.function_of(expected), types.function_of(declared)) else {
        return false;
    };
    let is_alike = |ours: Type, theirs: Type| {
        (types.is_pointer(ours) && types.is_pointer(theirs)) || (types.is_integer(ours) && types.is_integer(theirs))
    };
    let result_fits =
        types.is_void(theirs.result) || types.is_void(ours.result) || is_alike(ours.result, theirs.result);
    let Some(parameters) = &theirs.parameters else {
        return result_fits;
    };
    let expected = ours.parameters.as_deref().unwrap_or(&[]);
    result_fits
        && parameters.len() == expected.len()
        && expected
            .iter()
            .zip(parameters)
            .all(|(ours, theirs)| is_alike(*ours, *theirs))
}
