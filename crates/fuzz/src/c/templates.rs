//! The templates, each of which defines a procedure `gadgetN` with a fresh number.

pub(super) const PRELUDE: &str = include_str!("templates/prelude.c");

pub(super) const TEMPLATES: &[&str] = &[
    include_str!("templates/algorithms.c"),
    include_str!("templates/bitfields.c"),
    include_str!("templates/control.c"),
    include_str!("templates/conversions.c"),
    include_str!("templates/expressions.c"),
    include_str!("templates/flexible.c"),
    include_str!("templates/floats.c"),
    include_str!("templates/functions.c"),
    include_str!("templates/initialisers.c"),
    include_str!("templates/jumps.c"),
    include_str!("templates/layout.c"),
    include_str!("templates/literals.c"),
    include_str!("templates/memory.c"),
    include_str!("templates/nested.c"),
    include_str!("templates/old.c"),
    include_str!("templates/parts.c"),
    include_str!("templates/pointers.c"),
    include_str!("templates/recursion.c"),
    include_str!("templates/statics.c"),
    include_str!("templates/unions.c"),
    include_str!("templates/varargs.c"),
    include_str!("templates/vla.c"),
    include_str!("templates/widebits.c"),
];
