//! A command-line program for the cvc5 library, whose wheel contains a parser for SMT-LIB 2 but no program.
//!
//! Each command is answered as soon as it is complete, so that a client can hold a dialogue. The first error is printed
//! as `(error "...")` and ends the run with status 1.

mod commands;
mod library;

use commands::Commands;
use library::{Executed, Session};
use std::io::{Read, Write};
use std::process::ExitCode;

const HELP: &str = "\
usage: cubist-cvc5 [--OPTION[=VALUE]]...

Reads SMT-LIB 2 from standard input and answers each command as soon as it is complete. The first error is printed as
(error \"...\") and ends the run with status 1.

Options are those of cvc5, with or without a value: --incremental, --seed=1, --tlimit-per=1000.
  --version, --help
";

/// Runs the program with its arguments, without its own name.
pub fn run(arguments: impl Iterator<Item = String>, input: impl Read, mut output: impl Write) -> ExitCode {
    match dialogue(arguments, input, &mut output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let message = message.trim().replace('"', "\"\"");
            // If the output is closed, the error cannot be reported.
            let _ = print(&mut output, &format!("(error \"{message}\")\n"));
            ExitCode::FAILURE
        }
    }
}

fn dialogue(
    arguments: impl Iterator<Item = String>,
    mut input: impl Read,
    output: &mut impl Write,
) -> Result<(), String> {
    let mut options = Vec::new();
    for argument in arguments {
        let option = argument.strip_prefix("--").filter(|option| !option.is_empty());
        let option = option.ok_or_else(|| format!("unexpected argument {argument}"))?;
        let (name, value) = option.split_once('=').unwrap_or((option, "true"));
        options.push((name.to_owned(), value.to_owned()));
    }
    let asks = |wanted: &str| options.iter().any(|(name, _)| name == wanted);
    if asks("help") {
        return print(output, HELP);
    }
    let mut session = Session::new()?;
    if asks("version") {
        let version = session.version();
        return print(output, &format!("This is cvc5 version {version}\n"));
    }
    set_options(&mut session, &options)?;
    let mut commands = Commands::default();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = match input.read(&mut chunk) {
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.to_string()),
        };
        // At the end of input, the parser gets the incomplete rest and reports what is missing.
        let complete = match count {
            0 => commands.rest(),
            _ => commands.take(&chunk[..count]),
        };
        session.read(&complete)?;
        while let Some(executed) = session.execute()? {
            answer(&executed, output)?;
            match executed.name.as_str() {
                "exit" => return Ok(()),
                "reset" => set_options(&mut session, &options)?,
                _ => {}
            }
        }
        if count == 0 {
            return Ok(());
        }
    }
}

fn set_options(session: &mut Session, options: &[(String, String)]) -> Result<(), String> {
    options
        .iter()
        .try_for_each(|(name, value)| session.set_option(name, value))
}

fn answer(executed: &Executed, output: &mut impl Write) -> Result<(), String> {
    let Executed { name, answer } = executed;
    if let Some(error) = answer.trim().strip_prefix("(error \"") {
        let message = error.strip_suffix("\")").unwrap_or(error);
        return Err(message.replace("\"\"", "\""));
    }
    // The library adds the reason, which (get-info :reason-unknown) also returns.
    let unknown = name.starts_with("check-sat") && answer.starts_with("unknown");
    match if unknown { "unknown\n" } else { answer } {
        "" => Ok(()),
        text => print(output, text),
    }
}

fn print(output: &mut impl Write, text: &str) -> Result<(), String> {
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| error.to_string())
}
