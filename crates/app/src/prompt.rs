//! Lines of input: edited and completed on a terminal, read as they are from anything else.

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};
use session::HELP;
use std::io::{self, BufRead, IsTerminal};

const PROMPT: &str = "> ";

pub(crate) enum Line {
    Text(String),
    /// The line was given up.
    Nothing,
    End,
}

pub(crate) enum Prompt {
    Edited(Box<Editor<Commands, MemHistory>>),
    Plain,
}

impl Prompt {
    pub(crate) fn new(is_loud: bool) -> anyhow::Result<Prompt> {
        if !is_loud || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(Prompt::Plain);
        }
        let mut editor = Editor::with_history(Config::builder().auto_add_history(true).build(), MemHistory::new())?;
        editor.set_helper(Some(Commands));
        Ok(Prompt::Edited(Box::new(editor)))
    }

    pub(crate) fn read(&mut self) -> anyhow::Result<Line> {
        match self {
            Prompt::Plain => {
                let mut line = String::new();
                Ok(match io::stdin().lock().read_line(&mut line)? {
                    0 => Line::End,
                    _ => Line::Text(line),
                })
            }
            Prompt::Edited(editor) => match editor.readline(PROMPT) {
                Ok(line) => Ok(Line::Text(line)),
                Err(ReadlineError::Interrupted) => Ok(Line::Nothing),
                Err(ReadlineError::Eof) => Ok(Line::End),
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// Completes the first word of a line.
pub(crate) struct Commands;

impl Completer for Commands {
    type Candidate = String;

    fn complete(&self, line: &str, position: usize, _: &Context) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..position).unwrap_or(line);
        let words = HELP.iter().map(|(word, _, _)| *word);
        let fitting = words.filter(|word| word.starts_with(typed));
        Ok((0, fitting.map(|word| format!("{word} ")).collect()))
    }
}

impl Hinter for Commands {
    type Hint = String;
}

impl Highlighter for Commands {}
impl Validator for Commands {}
impl Helper for Commands {}
