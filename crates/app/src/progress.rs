//! Progress on the terminal, for runs that take more than a second.

use crate::terminal::grouped;
use explore::{Observer, SearchEvent, SearchProgress};
use indicatif::{ProgressBar, ProgressStyle};
use smt::Statistics;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Runs that are over sooner show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows one line that is kept up to date, on standard error, and removes it in the end.
pub(crate) struct Spinner {
    enabled: bool,
    bar: Option<ProgressBar>,
    /// The search without symmetry is under way, after the one with it.
    again: bool,
}

impl Spinner {
    pub(crate) fn new(quiet: bool) -> Spinner {
        Spinner {
            enabled: !quiet && std::io::stderr().is_terminal(),
            bar: None,
            again: false,
        }
    }

    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn show(&mut self, progress: &SearchProgress) {
        let bar = self.bar.get_or_insert_with(new_bar);
        let phase = if self.again {
            "searching again without symmetry"
        } else {
            "searching"
        };
        bar.set_message(format!(
            "{phase}: {} states, {} waiting, depth {}, {} rules fired, {} MB, {} s",
            grouped(progress.states),
            grouped(progress.queue),
            progress.depth,
            grouped(progress.rules_fired),
            progress.bytes >> 20,
            progress.elapsed.as_secs(),
        ));
        bar.tick();
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

impl Observer for Spinner {
    fn event(&mut self, event: &SearchEvent) {
        match event {
            SearchEvent::Progress(progress) if self.enabled && progress.elapsed >= PATIENCE => self.show(progress),
            SearchEvent::SymmetryDropped => self.again = true,
            _ => {}
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.finish();
    }
}

/// One line about what is under way, for those who tell it themselves.
pub(crate) struct Line {
    spinner: Spinner,
    started: Instant,
}

impl Line {
    pub(crate) fn new(quiet: bool) -> Line {
        Line {
            spinner: Spinner::new(quiet),
            started: Instant::now(),
        }
    }

    pub(crate) fn show(&mut self, words: &str) {
        if self.spinner.enabled && self.started.elapsed() >= PATIENCE {
            let bar = self.spinner.bar.get_or_insert_with(new_bar);
            let words = format!("{words}, {} s", self.started.elapsed().as_secs());
            bar.set_message(system::printable(&words).into_owned());
            bar.tick();
        }
    }

    pub(crate) fn finish(&mut self) {
        self.spinner.finish();
    }
}

/// How often the line about a proof is brought up to date.
const PERIOD: Duration = Duration::from_millis(100);

/// One line about a proof under way. A thread of its own keeps it up to date: a solver may think for long, and the
/// line should show that the program is alive.
pub(crate) struct ProofProgress {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    now: Mutex<Phase>,
    /// The states of the file as it is written that were seen.
    explored: AtomicU64,
    done: AtomicBool,
}

/// What is being done, and how far it is.
#[derive(Clone, Default)]
struct Phase {
    name: String,
    detail: String,
}

impl ProofProgress {
    /// Where standard error is not a terminal, or where it is not wanted, nothing is shown.
    pub(crate) fn new(wanted: bool, started: Instant, statistics: &Arc<Statistics>) -> ProofProgress {
        let shared = Arc::new(Shared::default());
        let thread = (wanted && std::io::stderr().is_terminal()).then(|| {
            let (shared, statistics) = (Arc::clone(&shared), Arc::clone(statistics));
            std::thread::spawn(move || shared.show(started, &statistics))
        });
        ProofProgress {
            shared,
            thread: Mutex::new(thread),
        }
    }

    /// What is being done now.
    pub(crate) fn phase(&self, name: &str, detail: &str) {
        *self.shared.now.lock().unwrap_or_else(PoisonError::into_inner) = Phase {
            name: name.to_owned(),
            detail: detail.to_owned(),
        };
    }

    /// Beside it, this many states of the file as it is written were seen.
    pub(crate) fn explored(&self, states: u64) {
        self.shared.explored.store(states, Ordering::Relaxed);
    }

    /// Removes the line, before the report is printed.
    pub(crate) fn finish(&self) {
        self.shared.done.store(true, Ordering::Relaxed);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for ProofProgress {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Shared {
    fn show(&self, started: Instant, statistics: &Statistics) {
        let mut bar = None;
        while !self.done.load(Ordering::Relaxed) {
            if started.elapsed() >= PATIENCE {
                let bar = bar.get_or_insert_with(new_bar);
                let Phase { name, detail } = self.now.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let (seconds, checks) = (started.elapsed().as_secs(), grouped(statistics.total()));
                let explored = match self.explored.load(Ordering::Relaxed) {
                    0 => String::new(),
                    states => format!(", {} states", grouped(states)),
                };
                let words = format!("{name}, {seconds} s, {checks} checks{explored}{detail}");
                bar.set_message(system::printable(&words).into_owned());
                bar.tick();
            }
            std::thread::sleep(PERIOD);
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
    }
}
