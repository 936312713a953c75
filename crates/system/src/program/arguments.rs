//! The arguments that the first function of a program gets in runs, as the choices behind them are called.

/// How many arguments a run has at most, behind the name of the program.
pub const MOST: u8 = 2;

/// How many characters of an argument are chosen.
pub const CHARACTERS: usize = 2;

/// The choice of the number of arguments behind the name of the program, which is taken modulo [`MOST`] + 1.
pub const NUMBER: &str = "argc - 1 (modulo 3)";

/// The choice of a character of an argument.
pub fn character(argument: usize, position: usize) -> String {
    format!("argv[{argument}][{position}]")
}
