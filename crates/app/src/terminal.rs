//! Writing to the terminal: colours where they are wanted, and no panic where the reader is gone.
//!
//! `println!` panics when its output cannot be written (`cubist ... | head`), so everything goes through [`print`] and
//! [`complain`]. Names in a text come from files of others: no character of theirs may be a command to the terminal.
//! These two show each such character by its number; the colours of [`Paint`] are marks until then, which no file can
//! guess.

use anyhow::Context as _;
use report::words::shown;
pub(crate) use report::words::{Paint, coloured, counted, grouped, listed};
use std::io::{self, IsTerminal, Write};

/// Writes to standard output. A reader that has gone away (a closed pipe) has all that it wanted, and is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    write(&shown(text))
}

/// Writes what is a file of some format to standard output, as it is: only a terminal gets it as other texts.
pub(crate) fn print_file(text: &str) -> anyhow::Result<()> {
    if io::stdout().is_terminal() {
        print(text)
    } else {
        write(text)
    }
}

fn write(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Writes to standard error, as far as that is possible.
pub(crate) fn complain(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(shown(text).as_bytes()).and_then(|()| stderr.flush());
}

/// The same where a line of progress may stand, which is overwritten.
pub(crate) fn complain_above(text: &str) {
    if io::stderr().is_terminal() {
        let _ = io::stderr().lock().write_all(b"\r\x1b[2K");
    }
    complain(text);
}
