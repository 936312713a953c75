//! Each case runs on a thread or in a process of its own: a panic or a hang is a finding, and the run goes on.

use crate::engine::{Answer, ENGINES, Engine};
use crate::source::Source;
use smt::Interrupt;
use std::io::Read as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// As large as the program's own (`app/src/supervise.rs`).
const STACK: usize = 256 << 20;

/// A case that was asked to stop is given up after so long: machines are busy at times.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a case ended.
pub enum Ended<T> {
    Well(T),
    /// The message of the panic is on standard error.
    Panicked,
    /// The thread is left behind.
    Hung,
}

/// Runs `case` for as long as `allowed`; then it is asked to stop by its interrupt, and given up after a minute.
pub fn isolated<T: Send + 'static>(allowed: Duration, case: impl FnOnce(&Interrupt) -> T + Send + 'static) -> Ended<T> {
    let interrupt = Interrupt::new();
    let (sender, receiver) = channel();
    let inner = interrupt.clone();
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let _ = sender.send(case(&inner));
    });
    if spawned.is_err() {
        return Ended::Hung;
    }
    match receiver.recv_timeout(allowed) {
        Ok(result) => return Ended::Well(result),
        Err(RecvTimeoutError::Disconnected) => return Ended::Panicked,
        Err(RecvTimeoutError::Timeout) => interrupt.trigger(),
    }
    match receiver.recv_timeout(PATIENCE) {
        Ok(result) => Ended::Well(result),
        Err(RecvTimeoutError::Disconnected) => Ended::Panicked,
        Err(RecvTimeoutError::Timeout) => Ended::Hung,
    }
}

/// Has `cubist-fuzz judge` ask an engine: slower, but a process can be ended whatever it is busy with.
pub fn apart(source: &Source, engine: Engine, allowed: Duration) -> Ended<Answer> {
    let name = ENGINES
        .iter()
        .find(|(_, other)| *other == engine)
        .map_or("", |(name, _)| name);
    let milliseconds = allowed.as_millis().to_string();
    let file = std::env::temp_dir().join(format!("cubist-fuzz-{}-{}", std::process::id(), source.name));
    let child = std::fs::write(&file, &source.text)
        .and_then(|()| std::env::current_exe())
        .and_then(|program| {
            let arguments = ["judge", "--engine", name, "--allowed", &milliseconds];
            let mut command = Command::new(program);
            command.args(arguments).arg(&file).stdout(Stdio::piped()).spawn()
        });
    let Ok(mut child) = child else {
        return Ended::Panicked;
    };
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.and_then(|mut output| output.read_to_string(&mut text).ok());
        text
    });
    let ended = wait(&mut child, allowed + PATIENCE);
    let text = reader.join().unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    match (ended, Answer::from_text(&text)) {
        (None, _) => Ended::Hung,
        (Some(status), Some(answer)) if status.success() => Ended::Well(answer),
        (Some(_), _) => Ended::Panicked,
    }
}

/// How a process ends; it is killed, and the answer is none, where it takes longer than `allowed`.
pub fn wait(child: &mut Child, allowed: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if start.elapsed() < allowed => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}
