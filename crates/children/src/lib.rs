//! Programs that this one starts, and the files that they and this one need for a while. However it ends, nothing of
//! them is left: neither a process (a compiler starts others) nor a file.
//!
//! - Each program leads a process group, and is killed with it ([`Started::kill`]).
//! - All temporary files are in one folder of this run ([`folder`]), which programs know as `TMPDIR`.
//! - [`finish`] kills all groups and removes the folder. Whoever ends the process calls it.
//! - SIGKILL ends this process without that. A shell that reads from a pipe of ours then reads its end, and does the
//!   same ([`watcher`]).

mod folder;
mod spawn;
pub mod usage;
mod watcher;

pub use folder::{Folder, folder};
pub use spawn::{Started, output, spawn, spawn_within};

use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;
use watcher::Watcher;

/// A program of ours: beside the one that runs, or one folder above where that is a test.
pub fn beside(name: &str) -> Option<PathBuf> {
    let here = std::env::current_exe().ok()?;
    let mut folders = here.ancestors().skip(1).take(2);
    folders.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()))
}

/// What of this run must not be left.
#[derive(Default)]
struct Run {
    groups: BTreeSet<u32>,
    folder: Option<PathBuf>,
    watcher: Option<Watcher>,
    is_finished: bool,
}

static RUN: Mutex<Run> = Mutex::new(Run {
    groups: BTreeSet::new(),
    folder: None,
    watcher: None,
    is_finished: false,
});

fn run() -> MutexGuard<'static, Run> {
    RUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all programs that were started, and removes all temporary files. No further ones can be made.
pub fn finish() {
    // A panic may hold the lock for good.
    for _ in 0..200 {
        let mut run = match RUN.try_lock() {
            Ok(run) => run,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        run.is_finished = true;
        for group in std::mem::take(&mut run.groups) {
            kill_group(group);
        }
        if let Some(folder) = run.folder.take() {
            folder::remove(&folder);
        }
        if let Some(watcher) = run.watcher.take() {
            watcher.finish();
        }
        return;
    }
}

fn over() -> io::Error {
    io::Error::other("the run is over")
}

fn kill_group(group: u32) {
    let group = i32::try_from(group).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // It may be gone.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

impl Run {
    /// The watcher knows what is there; without one there is only less care.
    fn tell(&mut self, line: &str) {
        if let Some(watcher) = &mut self.watcher {
            watcher.tell(line);
        }
    }
}
