//! The command-line arguments of `main` in runs, and the names of the choices that determine them.

/// The maximum number of arguments after the program name.
pub const MOST: u8 = 2;

/// The number of chosen characters of an argument.
pub const CHARACTERS: usize = 2;

/// The name of the choice of the number of arguments after the program name, which is taken modulo [`MOST`] + 1.
pub const NUMBER: &str = "argc - 1 (modulo 3)";

/// The name of the choice of a character of an argument.
pub fn character(argument: usize, position: usize) -> String {
    format!("argv[{argument}][{position}]")
}
