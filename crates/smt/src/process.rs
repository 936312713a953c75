//! A dialogue with a program over pipes.
//!
//! Two threads move the text, so that a program that neither reads nor writes never blocks us: waiting for a
//! response ends at a deadline, and the program is killed when the dialogue is dropped, or when this process
//! ends.

use crate::solver::SolverError;
use children::Started;
use logic::Cancellation;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often to look whether someone asked to stop.
const PATIENCE: Duration = Duration::from_millis(10);

/// A response longer than this is refused.
const RESPONSE_LIMIT: usize = 1 << 28;

/// How much of the program's standard error is kept.
const COMPLAINTS_LIMIT: usize = 4_096;

/// How long a line of it is.
const LINE_LIMIT: u64 = 1 << 20;

/// How to run a solver that reads SMT-LIB 2 from its standard input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverCommand {
    pub program: PathBuf,
    pub arguments: Vec<String>,
}

impl SolverCommand {
    /// The program with the arguments that a solver of its name needs.
    pub fn new(program: impl Into<PathBuf>) -> SolverCommand {
        let program = program.into();
        SolverCommand {
            arguments: usual_arguments(&program),
            program,
        }
    }

    /// The name to call it by: the solver's, where it is known, or else the program's own.
    pub fn name(&self) -> String {
        let file = file_name(&self.program);
        let known = ["z3", "cvc5"].into_iter().find(|name| is_solver(&file, name));
        known.map_or(file, str::to_owned)
    }

    #[must_use]
    pub fn argument(mut self, argument: impl Into<String>) -> SolverCommand {
        self.arguments.push(argument.into());
        self
    }
}

fn usual_arguments(program: &Path) -> Vec<String> {
    let name = file_name(program);
    let arguments: &[&str] = match name {
        _ if is_solver(&name, "z3") => &["-in", "-smt2"],
        _ if is_solver(&name, "cvc5") => &["--incremental"],
        _ => &[],
    };
    arguments.iter().map(|argument| (*argument).to_owned()).collect()
}

fn file_name(program: &Path) -> String {
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a program of this name is that solver: `z3-4.13`, `cvc5`, and our own `cubist-cvc5`.
fn is_solver(file: &str, solver: &str) -> bool {
    let file = file.to_lowercase();
    file.strip_prefix("cubist-").unwrap_or(&file).starts_with(solver)
}

/// What came before the deadline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Received {
    Response(String),
    /// The program has closed its output.
    End,
    Timeout,
    Interrupted,
}

/// A running program.
#[derive(Debug)]
pub(crate) struct Dialogue {
    child: Started,
    input: Option<Sender<String>>,
    output: Receiver<Result<String, String>>,
    complaints: Arc<Mutex<Vec<u8>>>,
    /// Unread lines of its standard error, where they are wanted.
    lines: Option<Receiver<String>>,
}

impl Dialogue {
    pub(crate) fn start(command: &SolverCommand) -> Result<Dialogue, SolverError> {
        Dialogue::begin(command, None)
    }

    /// The same with a program that also tells of its work, on its standard error.
    pub(crate) fn listening(command: &SolverCommand) -> Result<Dialogue, SolverError> {
        let (told, lines) = channel();
        let mut dialogue = Dialogue::begin(command, Some(told))?;
        dialogue.lines = Some(lines);
        Ok(dialogue)
    }

    fn begin(command: &SolverCommand, told: Option<Sender<String>>) -> Result<Dialogue, SolverError> {
        let fail = |message: String| SolverError::CannotStart {
            program: command.program.display().to_string(),
            message,
        };
        let mut program = Command::new(&command.program);
        let program = program
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = children::spawn(program).map_err(|error| fail(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(fail("no pipes".to_owned()));
        };
        let (input, texts) = channel();
        std::thread::spawn(move || write_all(stdin, &texts));
        let (responses, output) = channel();
        std::thread::spawn(move || read_responses(stdout, &responses));
        let complaints = Arc::default();
        let kept = Arc::clone(&complaints);
        std::thread::spawn(move || keep_complaints(stderr, &kept, told.as_ref()));
        Ok(Dialogue {
            child,
            input: Some(input),
            output,
            complaints,
            lines: None,
        })
    }

    /// What the program has told of its work since this was asked last.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.lines.iter().flat_map(Receiver::try_iter)
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, text: String) -> Result<(), SolverError> {
        let sent = self.input.as_ref().is_some_and(|input| input.send(text).is_ok());
        if sent { Ok(()) } else { Err(self.death()) }
    }

    /// Tells the program that nothing more will come.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn receive(
        &mut self,
        deadline: Option<Instant>,
        cancellation: &Cancellation,
    ) -> Result<Received, SolverError> {
        loop {
            let left = deadline.map_or(PATIENCE, |deadline| deadline.saturating_duration_since(Instant::now()));
            match self.output.recv_timeout(left.min(PATIENCE)) {
                Ok(Ok(response)) => return Ok(Received::Response(response)),
                Ok(Err(problem)) => return Err(SolverError::Protocol(problem)),
                Err(RecvTimeoutError::Disconnected) => return Ok(Received::End),
                Err(RecvTimeoutError::Timeout) if cancellation.is_cancelled() => return Ok(Received::Interrupted),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(Received::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// How the program ended, after it closed its output: `None` for success.
    pub(crate) fn failure(&mut self) -> Option<SolverError> {
        match self.child.wait() {
            Ok(status) if status.success() => None,
            _ => Some(self.death()),
        }
    }

    /// The error for a program that ended although more was asked of it.
    pub(crate) fn death(&mut self) -> SolverError {
        // It may just have closed its output and not ended yet; then it has no business going on.
        let _ = self.child.kill();
        let status = self
            .child
            .wait()
            .map_or_else(|error| error.to_string(), |status| status.to_string());
        let complaints = self.complaints.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let complaints = String::from_utf8_lossy(&complaints);
        SolverError::Died(format!("{status} {}", complaints.trim()).trim().to_owned())
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_all(mut stdin: impl Write, texts: &Receiver<String>) {
    for text in texts {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            // The program is gone; the reader will notice.
            return;
        }
    }
}

fn read_responses(mut stdout: impl Read, responses: &Sender<Result<String, String>>) {
    let mut splitter = Splitter::default();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = match stdout.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        for byte in &chunk[..count] {
            if let Some(response) = splitter.take(*byte)
                && responses.send(response).is_err()
            {
                return;
            }
        }
    }
    if let Some(response) = splitter.end() {
        // The receiver may be gone.
        let _ = responses.send(response);
    }
}

/// Keeps the first bytes of standard error, and sends all of it line by line where that is wanted.
fn keep_complaints(stderr: impl Read, kept: &Mutex<Vec<u8>>, told: Option<&Sender<String>>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    // What has no end of a line is cut.
    while let Ok(1..) = stderr.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line) {
        if let Some(told) = told {
            // The receiver may be gone; the program must not wait for it.
            let _ = told.send(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
        let mut kept = kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let room = COMPLAINTS_LIMIT.saturating_sub(kept.len());
        kept.extend(&line[..line.len().min(room)]);
        line.clear();
    }
}

/// Cuts a stream of bytes into complete expressions.
#[derive(Default)]
struct Splitter {
    pending: Vec<u8>,
    depth: usize,
    inside: Inside,
}

/// Where parentheses do not count.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Inside {
    #[default]
    Nothing,
    Atom,
    Text,
    Quoted,
    Comment,
}

impl Splitter {
    /// Takes the next byte; returns an expression where this completes one.
    fn take(&mut self, byte: u8) -> Option<Result<String, String>> {
        let mut before = None;
        // At the outermost level a word ends where anything else begins.
        if self.inside == Inside::Atom && !is_word(byte) {
            self.inside = Inside::Nothing;
            before = self.complete();
        }
        if self.pending.is_empty() && self.inside == Inside::Nothing && byte.is_ascii_whitespace() {
            return before;
        }
        self.pending.push(byte);
        if self.pending.len() > RESPONSE_LIMIT {
            self.pending.clear();
            return Some(Err("a response is too long".to_owned()));
        }
        let ends = self.inside;
        match (self.inside, byte) {
            (Inside::Text, b'"') | (Inside::Quoted, b'|') | (Inside::Comment, b'\n') => self.inside = Inside::Nothing,
            (Inside::Text | Inside::Quoted | Inside::Comment | Inside::Atom, _) => return before,
            (Inside::Nothing, b'"') => self.inside = Inside::Text,
            (Inside::Nothing, b'|') => self.inside = Inside::Quoted,
            (Inside::Nothing, b';') => self.inside = Inside::Comment,
            (Inside::Nothing, b'(') => self.depth += 1,
            (Inside::Nothing, b')') => self.depth = self.depth.saturating_sub(1),
            (Inside::Nothing, _) if self.depth == 0 => self.inside = Inside::Atom,
            (Inside::Nothing, _) => {}
        }
        let complete = self.depth == 0 && self.inside == Inside::Nothing;
        if complete && ends == Inside::Comment {
            // A comment between responses.
            self.pending.clear();
        }
        before.or_else(|| if complete { self.complete() } else { None })
    }

    fn complete(&mut self) -> Option<Result<String, String>> {
        let bytes = std::mem::take(&mut self.pending);
        if bytes.is_empty() {
            return None;
        }
        Some(String::from_utf8(bytes).map_err(|_| "a response is not valid UTF-8".to_owned()))
    }

    /// The end of the stream.
    fn end(&mut self) -> Option<Result<String, String>> {
        match (self.depth, self.inside) {
            (0, Inside::Nothing | Inside::Atom) => self.complete(),
            (_, Inside::Comment) if self.depth == 0 => None,
            _ => Some(Err("the output ends within a response".to_owned())),
        }
    }
}

fn is_word(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"()|\";".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_are_called_by_their_names() {
        for (program, name, argument) in [
            ("/usr/bin/z3", "z3", Some("-in")),
            ("third-party/Z3-4.13", "z3", Some("-in")),
            ("/usr/local/bin/cubist-cvc5", "cvc5", Some("--incremental")),
            ("cvc5-Linux-static", "cvc5", Some("--incremental")),
            ("/opt/mathsat", "mathsat", None),
        ] {
            let command = SolverCommand::new(program);
            assert_eq!(command.name(), name);
            assert_eq!(command.arguments.first().map(String::as_str), argument, "{program}");
        }
    }

    fn split(text: &str) -> Vec<Result<String, String>> {
        let mut splitter = Splitter::default();
        let mut all: Vec<_> = text.bytes().filter_map(|byte| splitter.take(byte)).collect();
        all.extend(splitter.end());
        all
    }

    #[test]
    fn streams_are_cut_into_expressions() {
        let responses: Vec<String> = split("sat\n; (note\n(a (b) |)| \")\" ; )\n)\nunsat(x)\"y\" z")
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert_eq!(
            responses,
            ["sat", "(a (b) |)| \")\" ; )\n)", "unsat", "(x)", "\"y\"", "z"]
        );
        assert!(split("(a")[0].is_err());
        assert!(split("\"a")[0].is_err());
        assert_eq!(split(" \n "), []);
    }
}
