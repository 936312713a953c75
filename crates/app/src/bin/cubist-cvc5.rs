//! cvc5 as a program of its own: it confirms what Z3, inside of `cubist`, has found.

use std::io::{stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    cvc5::run(
        arguments.map(|argument| argument.to_string_lossy().into_owned()),
        stdin().lock(),
        stdout().lock(),
    )
}
