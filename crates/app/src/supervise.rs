//! Runs a command and enforces limits and Ctrl-C, also while the command is busy.
//!
//! Engines look at the stop flag and at their limits themselves, and then report what they know. Where one does not
//! come back in time (a front end unrolls a huge model, say), the supervisor ends the program with the little that it
//! knows: an answer "unknown" must come when it was asked for.

use crate::terminal;
use children::usage;
use driver::STACK;
use logic::Cancellation;
use report::Status;
use std::os::unix::process::parent_id;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a command may take to come back after it was told to stop.
pub(crate) const GRACE: Duration = Duration::from_millis(1200);
/// How long it may take longer where it has begun to report. With both, Ctrl-C takes less than two seconds.
pub(crate) const REPORT: Duration = Duration::from_millis(300);

/// What is said at Ctrl-C.
pub(crate) const STOPPING: &str = "stopping; press Ctrl-C again to end at once\n";

/// How often the supervisor looks.
const PERIOD: Duration = Duration::from_millis(50);
/// The same where memory is limited: much can be taken in little time.
const SHORT_PERIOD: Duration = Duration::from_millis(5);

/// How many threads can work at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the user allows a command to take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) started: Instant,
    pub(crate) time: Option<Duration>,
    /// In bytes.
    pub(crate) memory: Option<u64>,
    /// The command counts its own memory and stops by itself: the process as a whole may take somewhat more.
    pub(crate) counts_itself: bool,
}

impl Limits {
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.started.elapsed()))
    }

    /// Whether the command must be told. One that looks at the clock itself is given a moment, so that it can say why
    /// it ends.
    fn is_over(&self) -> bool {
        let patience = if self.counts_itself { GRACE / 4 } else { Duration::ZERO };
        self.time.is_some_and(|time| self.started.elapsed() >= time + patience)
    }

    /// When the time is over.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.started.checked_add(self.time?)
    }

    /// What the whole process may take before it is ended.
    fn memory_of_process(&self) -> Option<u64> {
        let slack = |memory: u64| match self.counts_itself {
            true => memory / 4 + (64 << 20),
            false => 0,
        };
        self.memory.map(|memory| memory.saturating_add(slack(memory)))
    }
}

/// What a command and its supervisor share.
#[derive(Default)]
pub(crate) struct Control {
    /// Everything that the command does listens to it: at Ctrl-C, and when the time is over.
    pub(crate) cancellation: Cancellation,
    /// Set by Ctrl-C.
    interrupted: AtomicBool,
    /// Whoever sets it first reports; the other keeps silent.
    reporting: AtomicBool,
    last_words: Mutex<Option<LastWords>>,
    /// Whether the report for programs is wanted, independently of what is printed.
    keeps_report: bool,
    report: Mutex<Option<serde_json::Value>>,
    /// The process that looks at several models and has started this one for one of them.
    parent: Option<u32>,
}

/// What a command would report if it were given up now.
#[derive(Clone, Debug)]
pub(crate) struct LastWords {
    pub(crate) status: Status,
    /// What comes before the reason, and after it.
    pub(crate) title: String,
    pub(crate) text: String,
    /// The reason is put into it, and into each of its `properties` where nothing is known of them.
    pub(crate) json: serde_json::Value,
    /// A file that belongs to them, and what is to stand in it.
    pub(crate) certificate: Option<(PathBuf, String)>,
}

impl LastWords {
    /// The same words, said later.
    pub(crate) fn at(mut self, elapsed: Duration) -> LastWords {
        self.json["time_s"] = elapsed.as_secs_f64().into();
        self
    }
}

impl Control {
    /// For a command whose report for programs is wanted, too.
    pub(crate) fn keeping_report(self) -> Control {
        Control {
            keeps_report: true,
            ..self
        }
    }

    /// For a process that another one has started, and ends with that.
    pub(crate) fn of_parent(self, parent: u32) -> Control {
        Control {
            parent: Some(parent),
            ..self
        }
    }

    pub(crate) fn keeps_report(&self) -> bool {
        self.keeps_report
    }

    /// Whoever reports keeps the report for programs here.
    pub(crate) fn keep_report(&self, report: &impl serde::Serialize) {
        if self.keeps_report {
            let report = serde_json::to_value(report).ok();
            *self.report.lock().unwrap_or_else(PoisonError::into_inner) = report;
        }
    }

    pub(crate) fn report(&self) -> Option<serde_json::Value> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_orphan(&self) -> bool {
        self.parent.is_some_and(|parent| parent != parent_id())
    }

    /// True for the first who asks. A command that gets `false` came too late, and must not print.
    pub(crate) fn begin_report(&self) -> bool {
        !self.reporting.swap(true, Ordering::AcqRel)
    }

    /// Whether the user wants an end.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }

    pub(crate) fn set_last_words(&self, words: LastWords) {
        *self.last_words.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
    }

    pub(crate) fn last_words(&self) -> Option<LastWords> {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Why the supervisor lost its patience.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overrun {
    Interrupted,
    Time,
    Memory,
}

impl Overrun {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Overrun::Interrupted => "interrupted",
            Overrun::Time => "the time limit was reached",
            Overrun::Memory => "the memory limit was reached",
        }
    }
}

/// Makes Ctrl-C (and the signal that asks to end) ask for an end; the second one ends the program at once.
pub(crate) fn catch_interrupts(control: &Arc<Control>) {
    let control = Arc::clone(control);
    // Nothing here may wait for long, or the second one would not be heard: the supervisor does the rest.
    // Without a handler, Ctrl-C still ends the program, only less politely.
    let _ = ctrlc::set_handler(move || {
        // Of one signal at the terminal the parent tells, too; it is the one to listen to a second one.
        if control.interrupted.swap(true, Ordering::AcqRel) && control.parent.is_none() {
            children::finish();
            std::process::exit(i32::from(Status::Incomplete.code()));
        }
    });
}

/// Tells everything that listens to stop, and does not wait until it has heard.
fn stop(control: &Arc<Control>) {
    let shared = Arc::clone(control);
    let started = std::thread::Builder::new().spawn(move || shared.cancellation.cancel());
    if started.is_err() {
        control.cancellation.cancel();
    }
}

/// Runs `command` on a thread of its own; `overrun` reports in its place when it must be given up.
pub(crate) fn supervise(
    control: &Arc<Control>,
    limits: &Limits,
    command: impl FnOnce(&Control) -> Status + Send + 'static,
    overrun: impl FnOnce(Overrun) -> Status,
) -> Status {
    let (sender, receiver) = channel();
    let shared = Arc::clone(control);
    let worker = std::thread::Builder::new().name("command".to_owned()).stack_size(STACK);
    let worker = worker.spawn(move || {
        explore::prepare_heap();
        let _ = sender.send(command(&shared));
    });
    if worker.is_err() {
        terminal::complain("error: cannot start a thread\n");
        return Status::Internal;
    }
    let mut interrupted = None;
    let period = limits.memory.map_or(PERIOD, |_| SHORT_PERIOD);
    loop {
        match receiver.recv_timeout(period) {
            Ok(status) => return status,
            // The panic hook ends the program, so a worker that is gone without an answer cannot be.
            Err(RecvTimeoutError::Disconnected) => return Status::Internal,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if interrupted.is_none() && control.is_interrupted() {
            interrupted = Some(Instant::now());
            stop(control);
            if control.parent.is_none() {
                terminal::complain_above(STOPPING);
            }
        }
        if control.is_orphan() {
            return Status::Incomplete;
        }
        if limits.is_over() && !control.cancellation.is_cancelled() {
            stop(control);
        }
        if let Some(reason) = exceeded(limits, interrupted)
            && control.begin_report()
        {
            return overrun(reason);
        }
        // It has begun to report, and may have ended: there is much to free, or its reader has stopped.
        if interrupted.is_some_and(|since| since.elapsed() > GRACE + REPORT) {
            return Status::Incomplete;
        }
    }
}

fn exceeded(limits: &Limits, interrupted: Option<Instant>) -> Option<Overrun> {
    if interrupted.is_some_and(|since| since.elapsed() > GRACE) {
        return Some(Overrun::Interrupted);
    }
    if limits.time.is_some_and(|time| limits.started.elapsed() > time + GRACE) {
        return Some(Overrun::Time);
    }
    let allowed = limits.memory_of_process()?;
    (usage::resident()? > allowed).then_some(Overrun::Memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(time: Option<Duration>) -> Limits {
        Limits {
            started: Instant::now(),
            time,
            memory: None,
            counts_itself: false,
        }
    }

    #[test]
    fn a_command_that_answers_is_left_alone() {
        let control = Arc::new(Control::default());
        let status = supervise(&control, &limits(None), |_| Status::Violated, |_| Status::Internal);
        assert_eq!(status, Status::Violated);
    }

    #[test]
    fn a_command_that_ignores_its_limit_is_given_up() {
        let control = Arc::new(Control::default());
        let forever = |_: &Control| {
            std::thread::sleep(Duration::from_secs(3600));
            Status::Done
        };
        let status = supervise(&control, &limits(Some(Duration::ZERO)), forever, |reason| {
            assert_eq!(reason, Overrun::Time);
            Status::Incomplete
        });
        assert_eq!(status, Status::Incomplete);
        assert!(!control.begin_report());
    }

    #[test]
    fn a_command_that_does_not_end_after_its_report_is_given_up_when_interrupted() {
        let control = Arc::new(Control::default());
        let forever = |control: &Control| {
            assert!(control.begin_report());
            control.interrupted.store(true, Ordering::Release);
            std::thread::sleep(Duration::from_secs(3600));
            Status::Done
        };
        let status = supervise(&control, &limits(None), forever, |_| Status::Internal);
        assert_eq!(status, Status::Incomplete);
        assert!(control.cancellation.is_cancelled());
    }
}
