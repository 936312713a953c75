//! Runs each case on a thread or in a process of its own: a panic or a hang is a finding, and the campaign continues.

use crate::engine::{Answer, ENGINES, Engine};
use crate::source::Source;
use logic::Cancellation;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The same stack size as the program's own (`app/src/supervise.rs`).
const STACK: usize = 256 << 20;

/// A cancelled case counts as hung after this much processor time; wall-clock time would misreport hangs on a busy
/// machine.
const PATIENCE: Duration = Duration::from_secs(10);
/// The wall-clock limit, in case the case waits for something.
const GIVEN_UP: Duration = Duration::from_secs(600);
/// How often the processor time of a case is checked.
const PERIOD: Duration = Duration::from_millis(10);

/// How a case ended.
pub enum Ended<T> {
    Well(T),
    /// The panic message is on standard error.
    Panicked,
    /// The thread is abandoned.
    Hung,
}

/// Runs `case` for `allowed` processor time; then it is interrupted, and abandoned if it does not stop.
pub fn isolated<T: Send + 'static>(
    allowed: Duration,
    case: impl FnOnce(&Cancellation) -> T + Send + 'static,
) -> Ended<T> {
    let cancellation = Cancellation::new();
    let (sender, receiver) = channel();
    let (inner, clock) = (cancellation.clone(), Arc::new(OnceLock::new()));
    let own_clock = Arc::clone(&clock);
    let thread = std::thread::Builder::new().name("case".to_owned()).stack_size(STACK);
    let spawned = thread.spawn(move || {
        let _ = own_clock.set(Clock::of_this_thread());
        let _ = sender.send(case(&inner));
    });
    if spawned.is_err() {
        return Ended::Hung;
    }
    let started = Instant::now();
    loop {
        match receiver.recv_timeout(PERIOD) {
            Ok(result) => return Ended::Well(result),
            Err(RecvTimeoutError::Disconnected) => return Ended::Panicked,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let used = match clock.get() {
            Some(clock) => clock.used(),
            None => Duration::ZERO,
        };
        if used > allowed + PATIENCE || started.elapsed() > allowed + GIVEN_UP {
            return Ended::Hung;
        }
        if used > allowed && !cancellation.is_cancelled() {
            cancellation.cancel();
        }
    }
}

/// The processor time of a thread.
struct Clock {
    /// Its file in `/proc`, if available.
    file: Option<PathBuf>,
    started: Instant,
}

impl Clock {
    fn of_this_thread() -> Clock {
        let thread = std::fs::read_link("/proc/thread-self").ok();
        Clock {
            file: thread.map(|thread| Path::new("/proc").join(thread).join("schedstat")),
            started: Instant::now(),
        }
    }

    /// Falls back to wall-clock time.
    fn used(&self) -> Duration {
        let text = self.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        let nanoseconds = text.and_then(|text| text.split_whitespace().next()?.parse().ok());
        nanoseconds.map_or_else(|| self.started.elapsed(), Duration::from_nanos)
    }
}

/// The exit status of `cubist-fuzz judge` if the engine does not stop.
pub const HUNG: i32 = 3;

/// Runs an engine through `cubist-fuzz judge`: slower, but a process can always be killed.
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
    let ended = wait(&mut child, allowed + GIVEN_UP);
    let text = reader.join().unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    match (ended, Answer::from_text(&text)) {
        (Some(status), Some(answer)) if status.success() => Ended::Well(answer),
        (Some(status), _) if status.code() != Some(HUNG) => Ended::Panicked,
        _ => Ended::Hung,
    }
}

/// Waits for a process; kills it after `allowed` and returns `None`.
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
