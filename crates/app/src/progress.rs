//! Progress on the terminal, for runs that take more than a second.

use crate::terminal::grouped;
use explore::{Event, Observer, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

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

    fn show(&mut self, progress: &Progress) {
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
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

impl Observer for Spinner {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Progress(progress) if self.enabled && progress.elapsed >= PATIENCE => self.show(progress),
            Event::SymmetryDropped => self.again = true,
            _ => {}
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.finish();
    }
}
